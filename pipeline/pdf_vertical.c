/* pipeline/pdf_vertical.c - see pdf_vertical.h. */
#include "pipeline/pdf_vertical.h"

#include <math.h>

#include "layout/text.h"

#define SOLID 1.4f   /* of the size: from one glyph to the next */
#define BLANK 2.4f   /* ... with a blank between them */
#define MIN_COLUMN 4 /* ideographs painted one below the other: fewer may be a column of a table */

/* A column of writing: b stands right below a, both upright and of one size. */
static gboolean
stands_below (const DpGlyph *a, const DpGlyph *b)
{
  float dy = b->box.y0 - a->box.y0;

  return a->angle == 0 && b->angle == 0 && !(a->flags & (DP_GLYPH_SPACE | DP_GLYPH_BREAK)) && fabsf (b->box.x0 - a->box.x0) < 0.3f * b->size
         && fabsf (b->size - a->size) < 0.1f * b->size && dy > 0.6f * b->size && dy < 1.6f * b->size;
}

/* The line of vertical writing is the middle of its column. */
static void
stand_on_middle (DpGlyph *g)
{
  g->baseline = dp_rect_cx (g->box);
}

/* Upright glyphs of one size one below the other, in one word: vertical writing.  Two letters
 * are not enough, they may be both scripts of one. */
static void
mark_words (DpPageArrays *out)
{
  for (guint i = 0, k; i < out->glyphs->len; i = k) {
    DpGlyph *run = &g_array_index (out->glyphs, DpGlyph, i);
    for (k = i + 1; k < out->glyphs->len && stands_below (&run[k - i - 1], &run[k - i]); k++)
      ;
    if (k - i < (run->code < 0x2e80 ? 3u : 2u))
      continue;
    for (guint n = 0; n < k - i; n++) {
      run[n].flags |= DP_GLYPH_VERTICAL;
      stand_on_middle (&run[n]);
    }
  }
}

/* ---- columns as they were painted ------------------------------------------------------------------------------------- */

typedef struct {
  const DpTap *tap;
  gint *character; /* per painted glyph: its character, -1 = none */
  DpGlyph *glyphs;
} Painting;

static const DpTapGlyph *
tap_glyph (const Painting *p, guint i)
{
  return &g_array_index (p->tap->glyphs, DpTapGlyph, i);
}

static gboolean
is_ideograph (const Painting *p, guint i)
{
  return p->character[i] >= 0 && dp_text_is_cjk (p->glyphs[p->character[i]].code);
}

/* Glyph b goes on below a, which may lie on its side as dashes do. */
static gboolean
goes_on_below (const DpTapGlyph *a, const DpTapGlyph *b)
{
  const float size = MAX (a->size, b->size), dx = fabsf (b->x - a->x), dy = b->y - a->y;

  if ((a->angle != 0 && a->angle != 90) || (b->angle != 0 && b->angle != 90) || fabsf (a->size - b->size) > 0.1f * size)
    return FALSE;
  if (a->angle == 0 && b->angle == 0)
    return dx < 0.3f * size && dy > 0.8f * size && dy < BLANK * size;
  return dx < size && dy > -0.5f * size && dy < 2.1f * size;
}

/* Upright ideographs among the n glyphs from first on. */
static guint
count_upright (const Painting *p, guint first, guint n)
{
  guint upright = 0;

  for (guint i = first; i < first + n; i++)
    upright += tap_glyph (p, i)->angle == 0 && is_ideograph (p, i);
  return upright;
}

/* The glyphs from first on that go down one column. */
static guint
column_from (const Painting *p, guint first)
{
  guint n = 1;

  while (first + n < p->tap->glyphs->len && goes_on_below (tap_glyph (p, first + n - 1), tap_glyph (p, first + n)))
    n++;
  return n;
}

/* Whether these glyphs are a column of writing: most of them follow each other without a blank. */
static gboolean
is_column (const Painting *p, guint first, guint n)
{
  guint blanks = 0;

  for (guint i = first + 1; i < first + n; i++) {
    const DpTapGlyph *a = tap_glyph (p, i - 1), *b = tap_glyph (p, i);
    blanks += a->angle == 0 && b->angle == 0 && b->y - a->y > SOLID * b->size;
  }
  return count_upright (p, first, n) >= MIN_COLUMN && 3 * blanks < n;
}

/* The characters of a column in its order; taken: those that are in one. */
static void
take_column (const Painting *p, guint first, guint n, guint8 *taken, GArray *to)
{
  const guint16 ends = DP_GLYPH_SPACE | DP_GLYPH_BREAK;
  const guint begun = to->len;

  for (guint i = first; i < first + n; i++) {
    if (p->character[i] < 0)
      continue;
    DpGlyph g = p->glyphs[p->character[i]];
    taken[p->character[i]] = 1;
    stand_on_middle (&g);
    if (dp_text_is_cjk (g.code)) { /* dashes are turned with the column */
      g.flags = (guint16) ((g.flags & ~ends) | DP_GLYPH_VERTICAL);
      g.angle = 0;
    }
    g_array_append_val (to, g);
  }
  if (to->len > begun)
    g_array_index (to, DpGlyph, to->len - 1).flags |= ends;
}

/* The few glyphs that a paragraph leaves for its last column, beside the one before: its top is no lower. */
static gboolean
is_last_column (const Painting *p, guint before, guint first, guint n)
{
  const DpTapGlyph *a = tap_glyph (p, before), *b = tap_glyph (p, first);

  return count_upright (p, first, n) == n && fabsf (a->size - b->size) < 0.1f * a->size && fabsf (b->y - a->y) < 1.1f * a->size
         && b->x < a->x - 0.9f * a->size && b->x > a->x - 3 * a->size;
}

/* Whether the page has columns of writing at all: then a few glyphs are a column, too, as the readings beside them are. */
static gboolean
has_columns (const Painting *p)
{
  for (guint i = 0, n; i < p->tap->glyphs->len; i += n) {
    n = column_from (p, i);
    if (is_column (p, i, n))
      return TRUE;
  }
  return FALSE;
}

/* Columns come first, in the order of painting, and the rest of the page in the order of the text. */
static void
read_columns (Painting *p, DpPageArrays *out)
{
  g_autofree guint8 *taken = g_new0 (guint8, out->glyphs->len + 1);
  GArray *text = g_array_sized_new (FALSE, TRUE, sizeof (DpGlyph), out->glyphs->len);
  gint before = -1; /* where the last column began */

  for (guint i = 0, n; i < p->tap->glyphs->len; i += n) {
    n = column_from (p, i);
    const gboolean column = is_column (p, i, n);
    if (column || (n > 1 && count_upright (p, i, n) == n) || (before >= 0 && is_last_column (p, (guint) before, i, n)))
      take_column (p, i, n, taken, text);
    before = column ? (gint) i : -1;
  }
  for (guint i = 0; i < out->glyphs->len; i++)
    if (!taken[i])
      g_array_append_val (text, p->glyphs[i]);
  g_array_unref (out->glyphs);
  out->glyphs = text;
}

void
dp_pdf_vertical (const DpTap *tap, const gint *painted, DpPageArrays *out)
{
  Painting p = { tap, g_new (gint, tap->glyphs->len + 1), (DpGlyph *) out->glyphs->data };
  gboolean any = FALSE;

  for (guint i = 0; i < tap->glyphs->len; i++)
    p.character[i] = -1;
  for (guint i = 0; i < out->glyphs->len; i++) {
    any = any || dp_text_is_cjk (p.glyphs[i].code);
    if (painted[i] >= 0)
      p.character[painted[i]] = (gint) i;
  }
  if (any && has_columns (&p))
    read_columns (&p, out);
  g_free (p.character);
  mark_words (out);
}
