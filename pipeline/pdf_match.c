/* pipeline/pdf_match.c - join by place.
 *
 * poppler's text layer drops which glyph a character came from, but the origin of a painted
 * glyph is a corner of its character's box, so a grid over the origins finds it.  A ligature
 * paints one glyph for several characters: those behind the first lean on it.
 */
#include "pipeline/pdf_match.h"
#include "layout/compare.h"

#include <math.h>
#include <stdlib.h>

#include "pipeline/pdf_fields.h"
#include "pipeline/pdf_holes.h"
#include "pipeline/pdf_marks.h"
#include "pipeline/pdf_vertical.h"

#define CELL 6.0f   /* points; a bucket then holds a handful of glyphs */
#define SLACK 0.75f /* origins and boxes come from different roundings */
/* Share of a box that a baseline is off when it is the next line's; the two scripts of a letter are less far apart. */
#define OTHER_LINE 0.65f

typedef struct {
  const DpTap *tap;
  guint cols, rows;
  guint *start; /* cols * rows + 1 */
  guint *items; /* tap glyph indices by cell */
  guint8 *used; /* per tap glyph: has a character */
  gint *coded;  /* per tap font: 1 + font of the text layer that passes on bare codes for it, or 0 */
} Grid;

static guint
clamp_cell (float v, guint n)
{
  return v <= 0 ? 0 : v >= (float) (n - 1) ? n - 1 : (guint) v;
}

static guint
cell_of (const Grid *grid, float x, float y)
{
  return clamp_cell (y / CELL, grid->rows) * grid->cols + clamp_cell (x / CELL, grid->cols);
}

/* Counting sort of the painted glyphs into cells. */
static void
grid_init (Grid *grid, const DpTap *tap, float width, float height)
{
  guint n = tap->glyphs->len;

  grid->tap = tap;
  grid->cols = 1 + (guint) CLAMP (width / CELL, 0, 2000);
  grid->rows = 1 + (guint) CLAMP (height / CELL, 0, 2000);
  grid->start = g_new0 (guint, (gsize) grid->cols * grid->rows + 1);
  grid->items = g_new (guint, n + 1);
  grid->used = g_new0 (guint8, n + 1);
  grid->coded = g_new0 (gint, tap->fonts->len + 1);
  for (guint i = 0; i < n; i++) {
    const DpTapGlyph *g = &g_array_index (tap->glyphs, DpTapGlyph, i);
    grid->start[cell_of (grid, g->x, g->y) + 1]++;
  }
  for (guint c = 0; c < grid->cols * grid->rows; c++)
    grid->start[c + 1] += grid->start[c];
  guint *next = g_memdup2 (grid->start, ((gsize) grid->cols * grid->rows + 1) * sizeof (guint));
  for (guint i = 0; i < n; i++) {
    const DpTapGlyph *g = &g_array_index (tap->glyphs, DpTapGlyph, i);
    grid->items[next[cell_of (grid, g->x, g->y)]++] = i;
  }
  g_free (next);
}

static void
grid_clear (Grid *grid)
{
  g_free (grid->start);
  g_free (grid->items);
  g_free (grid->used);
  g_free (grid->coded);
}

/* Lines set solid have boxes that reach over their neighbours' baselines, so a glyph of the next line may begin just as
 * exactly where the box does.  descent: how far its baseline is from the lower edge of the box, as a share of the height;
 * usual: what that is in this font, NAN if not known. */
static float
off_baseline (float descent, float usual)
{
  return !isnan (usual) && fabsf (descent - usual) > OTHER_LINE ? 0.15f : 0;
}

static float
misfit_along (float from_edge, float place, float lower_edge, float upper_edge, float usual, float *descent)
{
  if (place < MIN (lower_edge, upper_edge) - SLACK || place > MAX (lower_edge, upper_edge) + SLACK)
    return INFINITY;
  *descent = lower_edge == upper_edge ? 0 : (place - lower_edge) / (upper_edge - lower_edge);
  return fabsf (from_edge) + off_baseline (*descent, usual);
}

/* How far the painted glyph's origin is from where the character's box says it starts; 0 = exact.
 * Along the writing direction it is an edge of the box, across it lies inside the box. */
static float
misfit (const DpTapGlyph *g, DpRect box, float usual, float *descent)
{
  switch (g->angle) {
  case 90: return misfit_along (g->y - box.y0, g->x, box.x0, box.x1, usual, descent);
  case 180: return misfit_along (g->x - box.x1, g->y, box.y0, box.y1, usual, descent);
  case 270: return misfit_along (g->y - box.y1, g->x, box.x1, box.x0, usual, descent);
  case 0: return misfit_along (g->x - box.x0, g->y, box.y1, box.y0, usual, descent);
  default: /* slanted writing: boxes are upright and only roughly there */
    *descent = 0;
    return dp_rect_contains_point ((DpRect){ box.x0 - g->size, box.y0 - g->size, box.x1 + g->size, box.y1 + g->size }, g->x, g->y)
               ? 0.25f * SLACK + 0.01f * hypotf (g->x - dp_rect_cx (box), g->y - dp_rect_cy (box))
               : INFINITY;
  }
}

static gboolean
is_copy (const Grid *grid, guint a, guint b)
{
  const DpTapGlyph *x = &g_array_index (grid->tap->glyphs, DpTapGlyph, a), *y = &g_array_index (grid->tap->glyphs, DpTapGlyph, b);

  return fabsf (x->y - y->y) < 0.3f * MAX (x->size, 1) && fabsf (x->x - y->x) < 0.3f * MAX (x->size, 1);
}

/* The cells that a box reaches into: columns c0..c1 of rows r0..r1. */
typedef struct {
  guint c0, c1, r0, r1;
} Cells;

static Cells
cells_of (const Grid *grid, DpRect box)
{
  return (Cells){ clamp_cell ((box.x0 - SLACK) / CELL, grid->cols), clamp_cell ((box.x1 + SLACK) / CELL, grid->cols),
                  clamp_cell ((box.y0 - SLACK) / CELL, grid->rows), clamp_cell ((box.y1 + SLACK) / CELL, grid->rows) };
}

static gint
find (const Grid *grid, DpRect box, float usual)
{
  gint best = -1;
  float best_misfit = SLACK, descent;
  const Cells cells = cells_of (grid, box);

  for (guint r = cells.r0; r <= cells.r1; r++)
    for (guint k = grid->start[r * grid->cols + cells.c0]; k < grid->start[r * grid->cols + cells.c1 + 1]; k++) {
      guint i = grid->items[k];
      float m = misfit (&g_array_index (grid->tap->glyphs, DpTapGlyph, i), box, usual, &descent);
      /* Painted twice: an unused or a later, visible copy wins over an equal one.  Glyphs one below the
       * other (both scripts of a letter) are no copies: the characters come in the order of painting. */
      if (m < best_misfit - 0.05f || (m < best_misfit + 0.05f && best >= 0 && grid->used[best] && !grid->used[i]))
        best_misfit = MIN (m, best_misfit), best = (gint) i;
      else if (best >= 0 && m < best_misfit + 0.05f && is_copy (grid, (guint) best, i))
        grid->used[i] = 1;
    }
  return best;
}

/* The descent of the only painted glyph that a box can mean, NAN if there are several or none. */
static float
sure_descent (const Grid *grid, DpRect box)
{
  const Cells cells = cells_of (grid, box);
  float sure = NAN, descent;

  for (guint r = cells.r0; r <= cells.r1; r++)
    for (guint k = grid->start[r * grid->cols + cells.c0]; k < grid->start[r * grid->cols + cells.c1 + 1]; k++) {
      const DpTapGlyph *g = &g_array_index (grid->tap->glyphs, DpTapGlyph, grid->items[k]);
      if (g->angle % 90 != 0 || misfit (g, box, NAN, &descent) >= SLACK)
        continue;
      if (!isnan (sure))
        return NAN;
      sure = descent;
    }
  return sure;
}

/* Where baselines lie in the boxes of each font, from the first characters that leave no doubt; NAN: none did. */
static float *
usual_descents (const Grid *grid, const DpPageArrays *out)
{
  enum { LOOKS = 64, SAMPLES = 15 };
  g_autofree guint *looks = g_new0 (guint, out->fonts->len + 1), *n = g_new0 (guint, out->fonts->len + 1);
  g_autofree float *samples = g_new (float, (gsize) SAMPLES *(out->fonts->len + 1));
  float *usual = g_new (float, out->fonts->len + 1);

  for (guint i = 0; i < out->glyphs->len; i++) {
    const DpGlyph *glyph = &g_array_index (out->glyphs, DpGlyph, i);
    const guint font = glyph->font;
    if (looks[font]++ >= LOOKS || n[font] >= SAMPLES)
      continue;
    const float descent = sure_descent (grid, glyph->box);
    if (!isnan (descent))
      samples[SAMPLES * font + n[font]++] = descent;
  }
  for (guint f = 0; f <= out->fonts->len; f++) {
    qsort (&samples[SAMPLES * f], n[f], sizeof *samples, dp_compare_floats);
    usual[f] = n[f] ? samples[SAMPLES * f + n[f] / 2] : NAN;
  }
  return usual;
}

static void
take_over (DpGlyph *glyph, const DpTapGlyph *g)
{
  gboolean sideways = g->angle == 90 || g->angle == 270;

  if (g->size > 0 && g->size < 1e5f)
    glyph->size = g->size;
  glyph->baseline = sideways ? g->x : g->y;
  glyph->colour = g->colour;
  glyph->paint = g->paint;
  glyph->angle = g->angle;
  if (g->angle % 90 != 0)
    glyph->flags |= DP_GLYPH_SKEWED;
  if (g->stroked)
    glyph->flags |= DP_GLYPH_BOLD;
  if (!g->visible)
    glyph->flags |= DP_GLYPH_UNPAINTED;
}

/* Behind a ligature's first character, on the same line and touching it. */
static gboolean
leans_on (const DpGlyph *glyph, const DpGlyph *before)
{
  return before->paint && !(before->flags & DP_GLYPH_SPACE) && fabsf (glyph->box.x0 - before->box.x1) < 0.3f
         && fabsf (glyph->box.y0 - before->box.y0) < 0.3f && glyph->font == before->font;
}

/* painted_as: for each character the painted glyph that was found, -1 = none. */
static void
match_glyphs (Grid *grid, gint *painted_as, DpPageArrays *out)
{
  g_autofree float *usual = usual_descents (grid, out);

  for (guint i = 0; i < out->glyphs->len; i++) {
    DpGlyph *glyph = &g_array_index (out->glyphs, DpGlyph, i);
    gint k = find (grid, glyph->box, usual[glyph->font]);
    painted_as[i] = k;
    if (k >= 0) {
      const DpTapGlyph *painted = &g_array_index (grid->tap->glyphs, DpTapGlyph, k);
      grid->used[k] = 1;
      take_over (glyph, painted);
      if (glyph->code < 0x20 && painted->font < grid->tap->fonts->len)
        grid->coded[painted->font] = glyph->font + 1;
    } else if (i > 0 && leans_on (glyph, glyph - 1)) {
      glyph->size = glyph[-1].size;
      glyph->baseline = glyph[-1].baseline;
      glyph->colour = glyph[-1].colour;
      glyph->paint = glyph[-1].paint;
      glyph->angle = glyph[-1].angle;
      glyph->flags |= glyph[-1].flags & (DP_GLYPH_BOLD | DP_GLYPH_SKEWED | DP_GLYPH_UNPAINTED);
    } else {
      glyph->flags |= DP_GLYPH_UNPAINTED;
    }
  }
}

/* Fonts that pass on bare codes (TeX's large delimiters) lose code 0, the large "(", which no text
 * may hold: it comes as U+0080, which no such font uses otherwise. */
static void
add_zero_codes (const Grid *grid, GArray *unmapped, DpPageArrays *out)
{
  for (guint i = unmapped->len; i > 0; i--) {
    const DpTapGlyph *g = &g_array_index (grid->tap->glyphs, DpTapGlyph, g_array_index (unmapped, guint, i - 1));
    DpGlyph glyph = { .code = 0x80, .baseline = g->y, .size = g->size, .colour = g->colour, .paint = g->paint };
    if (g->font >= grid->tap->fonts->len || !grid->coded[g->font] || g->angle != 0 || !(g->size > 0 && g->size < 1e4f))
      continue;
    glyph.font = (guint16) (grid->coded[g->font] - 1);
    glyph.flags = DP_GLYPH_SPACE | DP_GLYPH_BREAK;
    glyph.box = (DpRect){ g->x, g->y - 0.2f * g->size, g->x + dp_tap_glyph_advance (grid->tap, g), g->y + 0.5f * g->size };
    if (out->glyphs->len)
      g_array_index (out->glyphs, DpGlyph, out->glyphs->len - 1).flags |= DP_GLYPH_SPACE | DP_GLYPH_BREAK;
    g_array_append_val (out->glyphs, glyph);
    g_array_remove_index_fast (unmapped, i - 1);
  }
}

/* Counts, and lists the glyphs without a character. */
static void
count_unmapped (const Grid *grid, DpPageArrays *out, GArray *unmapped)
{
  g_autoptr (GHashTable) blank = g_hash_table_new_full (g_int64_hash, g_int64_equal, g_free, NULL);
  DpRect page = { 0, 0, out->width, out->height };

  for (guint i = 0; i < grid->tap->glyphs->len; i++) {
    const DpTapGlyph *g = &g_array_index (grid->tap->glyphs, DpTapGlyph, i);
    gint64 key = (gint64) g->font << 32 | g->glyph;
    gpointer known;
    if (!g->visible || !dp_rect_contains_point (page, g->x, g->y))
      continue;
    if (grid->used[i]) {
      out->n_painted++;
      continue;
    }
    if (!g_hash_table_lookup_extended (blank, &key, NULL, &known)) {
      known = GINT_TO_POINTER (dp_tap_glyph_is_blank (grid->tap, g));
      g_hash_table_insert (blank, g_memdup2 (&key, sizeof key), known);
    }
    if (GPOINTER_TO_INT (known))
      continue;
    out->n_painted++;
    out->n_painted_unmapped++;
    g_array_append_val (unmapped, i);
  }
}

/* ---- covered ----------------------------------------------------------------------------------- */

typedef struct {
  DpRect box;
  guint32 paint;
} Cover;

static gint
by_paint (gconstpointer a, gconstpointer b)
{
  guint32 x = ((const Cover *) a)->paint, y = ((const Cover *) b)->paint;

  return x < y ? 1 : x > y ? -1 : 0;
}

/* Opaque areas large enough to hide a word.  Few pages have more than a handful, and a page
 * that does (a chart of fills) pays only for those painted after its text. */
static void
mark_covered (DpPageArrays *out)
{
  enum { MAX_COVERS = 256 };
  g_autoptr (GArray) covers = g_array_new (FALSE, FALSE, sizeof (Cover));
  guint32 last_text = 0;

  for (guint i = 0; i < out->glyphs->len; i++)
    last_text = MAX (last_text, g_array_index (out->glyphs, DpGlyph, i).paint);
  for (guint i = 0; i < out->paths->len; i++) {
    const DpPath *p = &g_array_index (out->paths, DpPath, i);
    if (p->kind == DP_PATH_FILL && p->alpha > 0.95f)
      g_array_append_vals (covers, &(Cover){ p->box, p->paint }, 1);
  }
  for (guint i = 0; i < out->images->len; i++) {
    const DpImage *im = &g_array_index (out->images, DpImage, i);
    if (!(im->flags & DP_IMAGE_MASK))
      g_array_append_vals (covers, &(Cover){ im->box, im->paint }, 1);
  }
  g_array_sort (covers, by_paint);
  for (guint i = 0; i < out->glyphs->len && covers->len; i++) {
    DpGlyph *g = &g_array_index (out->glyphs, DpGlyph, i);
    for (guint k = 0; g->paint && k < MIN (covers->len, MAX_COVERS); k++) {
      const Cover *c = &g_array_index (covers, Cover, k);
      if (c->paint <= g->paint)
        break;
      if (dp_rect_inside (g->box, c->box) > 0.9f) {
        g->flags |= DP_GLYPH_COVERED;
        break;
      }
    }
  }
}

void
dp_pdf_match (const DpTap *tap, DpPageArrays *out)
{
  g_autoptr (GArray) unmapped = g_array_new (FALSE, FALSE, sizeof (guint));
  g_autofree gint *painted_as = g_new (gint, out->glyphs->len + 1);
  Grid grid;

  grid_init (&grid, tap, out->width, out->height);
  match_glyphs (&grid, painted_as, out);
  if (!dp_pdf_marks (tap, painted_as, grid.used, out))
    dp_pdf_vertical (tap, painted_as, out);
  dp_pdf_fields (tap, grid.used, out);
  count_unmapped (&grid, out, unmapped);
  add_zero_codes (&grid, unmapped, out);
  dp_pdf_fill_holes (tap, unmapped, out);
  mark_covered (out);
  grid_clear (&grid);
}
