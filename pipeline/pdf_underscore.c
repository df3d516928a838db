/* pipeline/pdf_underscore.c - see pdf_underscore.h.
 *
 * plain TeX and LaTeX define \_ as a rule 0.3 em wide and 0.4 pt thick on the baseline, after a kern of 0.06 em.  What is
 * longer is a blank to fill in, what stands under a character underlines it, what lies on the axis is a minus or a fraction.
 */
#include "pipeline/pdf_underscore.h"
#include "pipeline/pdf_insert.h"

#include <math.h>

#define SHORTEST 0.2f /* of the size of the text */
#define LONGEST 1.1f  /* three in a row are painted as one */
#define ONE 0.36f     /* an underscore and the kern before it */
#define THICKEST 0.09f
#define GAP 0.16f   /* between the rule and the characters beside it */
#define BELOW 0.16f /* farthest that the rule lies under the baseline */
/* A page with more short rules than this is a drawing. */
#define MAX_CANDIDATES 500

static gint
by_baseline (gconstpointer a, gconstpointer b, gpointer data)
{
  const DpGlyph *glyphs = data, *x = &glyphs[*(const guint *) a], *y = &glyphs[*(const guint *) b];

  return x->baseline < y->baseline ? -1 : x->baseline > y->baseline;
}

static gboolean
could_be (const DpPath *path)
{
  return path->kind == DP_PATH_HLINE && dp_rect_width (path->box) < 30 && dp_rect_height (path->box) < 3;
}

static gboolean
fits (const DpPath *path, const DpGlyph *glyph)
{
  const float em = glyph->size, width = dp_rect_width (path->box), y = dp_rect_cy (path->box);

  return glyph->angle == 0 && glyph->paint && width > SHORTEST * em && width < LONGEST * em && dp_rect_height (path->box) < THICKEST * em
         && y > glyph->baseline - 0.06f * em && y < glyph->baseline + BELOW * em;
}

/* The first of the sorted glyphs at or below a height. */
static guint
first_at (const GArray *order, const DpGlyph *glyphs, float baseline)
{
  guint lo = 0, hi = order->len;

  while (lo < hi) {
    const guint mid = lo + (hi - lo) / 2;
    if (glyphs[g_array_index (order, guint, mid)].baseline < baseline)
      lo = mid + 1;
    else
      hi = mid;
  }
  return lo;
}

/* b begins right behind a, an underscore too. */
static gboolean
follows (DpRect a, DpRect b)
{
  return b.x0 > a.x0 && fabsf (b.x0 - a.x1) < 2 * GAP * dp_rect_width (a);
}

/* The character that a rule stands behind, -1: none, or one stands over it, or nothing follows. */
static gint
left_of (const DpPath *path, const DpPath *next, const DpGlyphInsert *last, const GArray *order, const DpGlyph *glyphs)
{
  const float y = dp_rect_cy (path->box);
  gint left = last && fits (path, &last->glyph) && follows (last->glyph.box, path->box) ? last->after : -1;
  gboolean right = next && could_be (next) && fabsf (dp_rect_cy (next->box) - y) < 0.3f && follows (path->box, next->box);

  for (guint k = first_at (order, glyphs, y - 12); k < order->len; k++) {
    const guint i = g_array_index (order, guint, k);
    const DpGlyph *glyph = &glyphs[i];
    if (glyph->baseline > y + 3)
      break;
    if (!fits (path, glyph))
      continue;
    if (glyph->box.x0 < path->box.x1 - 0.08f * glyph->size && glyph->box.x1 > path->box.x0 + 0.08f * glyph->size)
      return -1;
    if (fabsf (path->box.x0 - glyph->box.x1) < GAP * glyph->size)
      left = (gint) i;
    right = right || fabsf (glyph->box.x0 - path->box.x1) < GAP * glyph->size;
  }
  return right ? left : -1;
}

static GArray *
sorted_glyphs (const DpPageArrays *page)
{
  GArray *order = g_array_sized_new (FALSE, FALSE, sizeof (guint), page->glyphs->len);

  for (guint g = 0; g < page->glyphs->len; g++)
    g_array_append_val (order, g);
  g_array_sort_with_data (order, by_baseline, page->glyphs->data);
  return order;
}

static guint
count_candidates (const DpPageArrays *page)
{
  guint n = 0;

  for (guint i = 0; i < page->paths->len; i++)
    n += could_be (&g_array_index (page->paths, DpPath, i)) ? 1 : 0;
  return n;
}

static void
add_underscores (GArray *found, const DpPath *path, DpGlyph *before, gint after)
{
  const float width = dp_rect_width (path->box), n = MAX (1, roundf (width / before->size / ONE));

  before->flags &= (guint16) ~(DP_GLYPH_SPACE | DP_GLYPH_BREAK); /* the gap is filled */
  for (float k = 0; k < n; k++) {
    DpGlyphInsert u = { .after = after, .order = found->len, .glyph = *before };
    u.glyph.code = '_';
    u.glyph.box.x0 = path->box.x0 + k * width / n;
    u.glyph.box.x1 = path->box.x0 + (k + 1) * width / n;
    u.glyph.paint = path->paint;
    g_array_append_val (found, u);
  }
}

void
dp_pdf_read_underscores (DpPageArrays *page)
{
  const guint candidates = count_candidates (page);
  DpGlyph *glyphs = (DpGlyph *) (gpointer) page->glyphs->data;
  guint kept = 0;

  if (!candidates || candidates > MAX_CANDIDATES)
    return;
  g_autoptr (GArray) order = sorted_glyphs (page), found = g_array_new (FALSE, TRUE, sizeof (DpGlyphInsert));
  for (guint i = 0; i < page->paths->len; i++) {
    const DpPath path = g_array_index (page->paths, DpPath, i),
                 *next = i + 1 < page->paths->len ? &g_array_index (page->paths, DpPath, i + 1) : NULL;
    const DpGlyphInsert *last = found->len ? &g_array_index (found, DpGlyphInsert, found->len - 1) : NULL;
    const gint left = could_be (&path) ? left_of (&path, next, last, order, glyphs) : -1;
    if (left < 0) {
      g_array_index (page->paths, DpPath, kept++) = path;
      continue;
    }
    add_underscores (found, &path, &glyphs[left], left);
  }
  g_array_set_size (page->paths, kept);
  if (found->len)
    dp_pdf_insert_glyphs (page, found);
}
