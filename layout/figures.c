/* layout/figures.c - pictures, charts and drawings become regions with their labels.
 *
 * What is painted goes onto a coarse grid of cells; connected cells are one drawing,
 * whether its parts are rasters or strokes.  That costs one pass over the paths however
 * many there are.  A drawing needs ink that no table or text box has: an image, curves,
 * slanted strokes, bars.  A frame around prose is a text box and stays text; short lines inside
 * a drawing or at its edges (axis labels) are its own.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "layout/inline_images.h"
#include "layout/compare.h"
#include "layout/labels.h"
#include "layout/tables.h"

#define CELL 4.0f       /* points; parts up to two cells apart are one drawing */
#define MAX_SIDE 512u   /* cells; huge pages get larger cells */
#define MAX_TITLES 64u  /* display lines of a page that are compared with images */
#define MIN_SIDE 18.0f  /* smaller things are icons, bullets, decoration */
#define EDGE 2.0f       /* points: what comes so near to the page's edge bleeds */
#define MOST_BAND 0.25f /* of the page's height, for the band behind a title */
#define FILLED 0.4f     /* share of a box's height that lines of a title take */
#define DISPLAY 1.25f   /* usual sizes from which a line is a title's */

typedef struct {
  DpRect box;
  guint images, curves, fills, lines;
  float image_area;
  guint prose, labels; /* text lines inside */
  DpRect text;         /* around the prose */
  DpRect bar;          /* first fill */
  guint other;         /* lines that are no display type */
  float title;         /* height of those that are, together */
  guint items;         /* lines with the bullet of a list: no label of a picture has one */
  guint bars;          /* further fills of other lengths that start from the same line */
  gboolean figure;
} Drawing;

typedef struct {
  guint w, h;
  float cell;
  GArray *titles; /* DpRect: display lines */
  GArray *lines;  /* DpRect: all lines, by their middles */
  gint32 *diff;   /* (w + 1) x (h + 1): differences whose sums are the cover */
  guint32 *label; /* w x h: 0 = empty, then 1 + index of the drawing; NULL if there is none */
  guint top, end; /* rows of cells that are not empty: first, last + 1 */
} Map;

/* ---- what takes part ------------------------------------------------------------------------------ */

static gboolean
is_sane (DpRect r)
{
  return isfinite (r.x0) && isfinite (r.y0) && isfinite (r.x1) && isfinite (r.y1) && r.x0 <= r.x1 && r.y0 <= r.y1;
}

static gboolean
in_table (const DpPageLayout *layout, DpRect box)
{
  for (guint i = 0; i < layout->regions->len; i++) {
    const DpRegion *region = &g_array_index (layout->regions, DpRegion, i);
    if (region->kind == DP_REGION_TABLE
        && dp_rect_inside (box, (DpRect){ region->box.x0 - 3, region->box.y0 - 3, region->box.x1 + 3, region->box.y1 + 3 }) > 0.6f)
      return TRUE;
  }
  return FALSE;
}

static gboolean
path_counts (const DpPageLayout *layout, const DpPath *path)
{
  float w = dp_rect_width (path->box), h = dp_rect_height (path->box);
  gboolean line = path->kind == DP_PATH_HLINE || path->kind == DP_PATH_VLINE;
  gboolean white = (path->colour & 0xffffff) >= 0xfafafa && path->kind == DP_PATH_FILL;

  if (!is_sane (path->box) || path->alpha < 0.05f || white || w * h > 0.5f * layout->width * layout->height)
    return FALSE;
  if (line && MAX (w, h) > 0.75f * MAX (layout->width, layout->height))
    return FALSE; /* a page's own rules */
  return !in_table (layout, path->box);
}

/* The page's display lines: titles, which may have a picture of their shadow or a banner behind. */
static GArray *
display_lines (const DpPageLayout *layout)
{
  GArray *titles = g_array_new (FALSE, FALSE, sizeof (DpRect));
  float usual = dp_layout_usual_size (layout);

  for (guint i = 0; i < layout->lines->len && titles->len < MAX_TITLES; i++) {
    const DpLine *line = &g_array_index (layout->lines, DpLine, i);
    if (!line->taken && line->angle == 0 && line->size >= DISPLAY * usual)
      g_array_append_val (titles, line->box);
  }
  return titles;
}

/* An image hardly higher than the title that stands on it is the title's shadow or ground. */
static gboolean
is_backdrop (const GArray *titles, DpRect box)
{
  for (guint i = 0; i < titles->len; i++) {
    DpRect title = g_array_index (titles, DpRect, i);
    float cy = dp_rect_cy (title);
    if (cy > box.y0 && cy < box.y1 && dp_rect_height (box) < 2.6f * dp_rect_height (title)
        && dp_rect_overlap_x (title, box) > 0.3f * dp_rect_width (box))
      return TRUE;
  }
  return FALSE;
}

static gboolean
image_counts (const DpPageLayout *layout, const Map *map, const DpImage *image)
{
  float w = dp_rect_width (image->box), h = dp_rect_height (image->box);

  if (!is_sane (image->box) || MIN (w, h) < 3 || MAX (w, h) < 6 || w * h > 0.85f * layout->width * layout->height)
    return FALSE;
  return !is_backdrop (map->titles, image->box) && !dp_inline_image_in_line (map->lines, image->box) && !in_table (layout, image->box);
}

/* ---- the map ------------------------------------------------------------------------------------------ */

static void
cell_range (const Map *map, DpRect box, guint *x0, guint *y0, guint *x1, guint *y1)
{
  *x0 = (guint) CLAMP (box.x0 / map->cell, 0, (float) map->w - 1);
  *y0 = (guint) CLAMP (box.y0 / map->cell, 0, (float) map->h - 1);
  *x1 = (guint) CLAMP (box.x1 / map->cell, 0, (float) map->w - 1);
  *y1 = (guint) CLAMP (box.y1 / map->cell, 0, (float) map->h - 1);
}

/* Adds a box to the two-dimensional difference array. */
static void
add_box (Map *map, DpRect box)
{
  guint x0, y0, x1, y1, stride = map->w + 1;

  if (!map->diff)
    map->diff = g_new0 (gint32, (gsize) stride * (map->h + 1));
  cell_range (map, box, &x0, &y0, &x1, &y1);
  map->diff[y0 * stride + x0]++;
  map->diff[y0 * stride + x1 + 1]--;
  map->diff[(y1 + 1) * stride + x0]--;
  map->diff[(y1 + 1) * stride + x1 + 1]++;
  map->top = MIN (map->top, y0);
  map->end = MAX (map->end, y1 + 1);
}

/* Sums of the differences: which cells are covered. */
static void
sum_up (Map *map)
{
  const guint stride = map->w + 1;
  g_autofree gint32 *above = g_new0 (gint32, map->w);

  for (guint y = map->top; y < map->end; y++) {
    const gint32 *row = map->diff + (gsize) y * stride;
    guint32 *label = map->label + (gsize) y * map->w;
    gint32 run = 0;
    for (guint x = 0; x < map->w; x++) {
      run += row[x];
      above[x] += run;
      label[x] = above[x] > 0 ? G_MAXUINT32 : 0;
    }
  }
}

static guint
flood (Map *map, guint start, guint32 label, guint *stack)
{
  guint n = 0, size = 0;

  stack[n++] = start;
  map->label[start] = label;
  while (n) {
    guint at = stack[--n], x = at % map->w, y = at / map->w;
    size++;
    for (guint yy = y ? y - 1 : 0; yy <= MIN (y + 1, map->h - 1); yy++)
      for (guint xx = x ? x - 1 : 0; xx <= MIN (x + 1, map->w - 1); xx++)
        if (map->label[yy * map->w + xx] == G_MAXUINT32) {
          map->label[yy * map->w + xx] = label;
          stack[n++] = yy * map->w + xx;
        }
  }
  return size;
}

/* Labels connected cells; returns how many drawings there are. */
static guint
make_map (const DpPageLayout *layout, const DpPage *page, Map *map)
{
  g_autofree guint *stack = NULL;
  guint n = 0;

  map->cell = MAX (CELL, MAX (layout->width, layout->height) / (float) (MAX_SIDE - 1));
  map->w = (guint) CLAMP (layout->width / map->cell + 1, 1, (float) MAX_SIDE);
  map->h = (guint) CLAMP (layout->height / map->cell + 1, 1, (float) MAX_SIDE);
  map->top = map->h;
  for (gsize i = 0; i < page->n_paths; i++)
    if (path_counts (layout, &page->paths[i]))
      add_box (map, page->paths[i].box);
  for (gsize i = 0; i < page->n_images; i++)
    if (image_counts (layout, map, &page->images[i]))
      add_box (map, page->images[i].box);
  if (!map->diff)
    return 0;
  map->label = g_new0 (guint32, (gsize) map->w * map->h);
  sum_up (map);
  g_clear_pointer (&map->diff, g_free);
  stack = g_new (guint, (gsize) map->w * map->h);
  for (guint i = map->top * map->w; i < map->end * map->w; i++)
    if (map->label[i] == G_MAXUINT32)
      flood (map, i, ++n, stack);
  return n;
}

static guint32
label_of (const Map *map, DpRect box)
{
  guint x0, y0, x1, y1;

  cell_range (map, box, &x0, &y0, &x1, &y1);
  return map->label[y0 * map->w + x0];
}

static void
grow (Drawing *d, DpRect box)
{
  d->box = d->images + d->curves + d->fills + d->lines ? dp_rect_union (d->box, box) : box;
}

/* Bars of a chart start from one line, its axis, and differ in length. */
static void
add_fill (Drawing *d, DpRect box)
{
  if (d->fills++ == 0) {
    d->bar = box;
    return;
  }
  d->bars += (fabsf (box.y1 - d->bar.y1) < 1 && fabsf (box.y0 - d->bar.y0) > 2 && fabsf (box.x0 - d->bar.x0) > 2)
             || (fabsf (box.x0 - d->bar.x0) < 1 && fabsf (box.x1 - d->bar.x1) > 2 && fabsf (box.y0 - d->bar.y0) > 2);
}

static void
gather (const DpPageLayout *layout, const DpPage *page, const Map *map, Drawing *drawings)
{
  for (gsize i = 0; i < page->n_paths; i++) {
    const DpPath *path = &page->paths[i];
    guint32 label = path_counts (layout, path) ? label_of (map, path->box) : 0;
    Drawing *d = label ? &drawings[label - 1] : NULL;
    if (!d)
      continue;
    grow (d, path->box);
    switch ((DpPathKind) path->kind) {
    case DP_PATH_SLANTED:
    case DP_PATH_CURVE: d->curves++; break;
    case DP_PATH_FILL: add_fill (d, path->box); break;
    default: d->lines++; break;
    }
  }
  for (gsize i = 0; i < page->n_images; i++) {
    const DpImage *image = &page->images[i];
    guint32 label = image_counts (layout, map, image) ? label_of (map, image->box) : 0;
    if (!label)
      continue;
    grow (&drawings[label - 1], image->box);
    drawings[label - 1].images++;
    drawings[label - 1].image_area += dp_rect_area (image->box);
  }
}

/* ---- text and drawings ----------------------------------------------------------------------------------- */

typedef struct {
  guint words, prose, numbers;
} LineFacts;

static LineFacts
line_facts (const DpPageLayout *layout, const DpLine *line)
{
  LineFacts facts = { 0 };

  for (guint i = 0; i < line->n_words; i++) {
    const DpWord *w = &g_array_index (layout->words, DpWord, line->first_word + i);
    gsize len;
    const char *s = dp_word_text (layout, w, &len);
    guint lower = 0, digits = 0, letters = 0;
    for (const char *p = s; p < s + len; p = g_utf8_next_char (p)) {
      gunichar c = g_utf8_get_char (p);
      lower += g_unichar_islower (c) ? 1 : 0;
      letters += g_unichar_isalpha (c) ? 1 : 0;
      digits += g_unichar_isdigit (c) ? 1 : 0;
    }
    facts.words++;
    facts.prose += lower >= 2 && lower == letters ? 1 : 0;
    facts.numbers += digits && letters <= digits / 2 ? 1 : 0;
  }
  return facts;
}

/* A sentence: lower-case words, or so many words that it names nothing (a caption full of names). */
static gboolean
is_prose (LineFacts f)
{
  return (f.words >= 6 && f.prose * 2 >= f.words) || (f.words >= 8 && f.prose >= 2 && f.numbers * 3 < f.words);
}

static int
by_baseline (gconstpointer a, gconstpointer b, gpointer data)
{
  const DpPageLayout *layout = data;
  float x = g_array_index (layout->lines, DpLine, *(const guint *) a).baseline;
  float y = g_array_index (layout->lines, DpLine, *(const guint *) b).baseline;

  return x < y ? -1 : x > y;
}

/* A line that goes on below a sentence, at the same left edge or on the same centre, belongs to it, however short. */
static gboolean
goes_on (const DpLine *above, const DpLine *line)
{
  float pitch = line->baseline - above->baseline;
  gboolean aligned = fabsf (line->box.x0 - above->box.x0) < 0.3f * above->size
                     || fabsf (dp_rect_cx (line->box) - dp_rect_cx (above->box)) < 0.5f * above->size;

  return aligned && fabsf (line->size - above->size) < 0.05f * above->size && pitch > 0.8f * above->size && pitch < 1.8f * above->size;
}

/* One byte per line: 1 = running text, which no figure takes. */
static guint8 *
find_prose (const DpPageLayout *layout)
{
  guint n = layout->lines->len;
  guint8 *prose = g_new0 (guint8, n + 1);
  g_autofree guint *order = g_new (guint, n + 1);

  for (guint i = 0; i < n; i++) {
    prose[i] = is_prose (line_facts (layout, &g_array_index (layout->lines, DpLine, i)));
    order[i] = i;
  }
  g_qsort_with_data (order, (gint) n, sizeof *order, by_baseline, (gpointer) layout);
  for (guint i = 1; i < n; i++) {
    const DpLine *line = &g_array_index (layout->lines, DpLine, order[i]);
    for (guint k = i; k-- > 0 && !prose[order[i]] && i - k < 64;) {
      const DpLine *above = &g_array_index (layout->lines, DpLine, order[k]);
      if (line->baseline - above->baseline > 1.8f * line->size)
        break;
      if (prose[order[k]] && goes_on (above, line))
        prose[order[i]] = 1;
    }
  }
  return prose;
}

/* "Figure 3", "Table 2", ...: never a label. */
static gboolean
is_caption (const DpPageLayout *layout, const DpLine *line)
{
  static const char *const words[] = { "fig", "table", "chart", "map", "plate", "exhibit", "abb", "tab", "source", "graph", NULL };
  g_autoptr (GString) text = g_string_new (NULL);
  const char *space;

  dp_line_text (layout, line, text);
  space = strchr (text->str, ' ');
  for (guint i = 0; words[i]; i++)
    if (g_ascii_strncasecmp (text->str, words[i], strlen (words[i])) == 0)
      return (space && g_ascii_isdigit (space[1])) || strchr (text->str, ':') != NULL;
  return FALSE;
}

/* "• text": an item of a list. */
static gboolean
starts_item (const DpPageLayout *layout, const DpLine *line)
{
  g_autoptr (GString) text = g_string_new (NULL);
  DpLabel label;

  dp_line_text (layout, line, text);
  return dp_label_parse (text->str, &label) && label.kind == DP_LABEL_BULLET && !label.weak;
}

static void
count_text (const DpPageLayout *layout, const guint8 *prose, Drawing *drawings, guint n)
{
  const float usual = dp_layout_usual_size (layout);

  for (guint i = 0; i < layout->lines->len; i++) {
    const DpLine *line = &g_array_index (layout->lines, DpLine, i);
    if (line->taken)
      continue;
    for (guint k = 0; k < n; k++) {
      Drawing *d = &drawings[k];
      if (dp_rect_inside (line->box, d->box) <= 0.7f)
        continue;
      d->items += starts_item (layout, line);
      if (line->angle == 0 && line->size >= DISPLAY * usual)
        d->title += dp_rect_height (line->box);
      else
        d->other++;
      if (prose[i])
        d->text = d->prose++ ? dp_rect_union (d->text, line->box) : line->box;
      else
        d->labels++;
    }
  }
}

/* The prose is a caption in the picture's box: all of it above or below the picture. */
static gboolean
is_captioned (const Drawing *d)
{
  float h = dp_rect_height (d->box);

  return d->text.y0 > d->box.y0 + 0.6f * h || d->text.y1 < d->box.y0 + 0.4f * h;
}

/* A picture behind a table or a page: the rows of text on it go on beside it. */
static gboolean
rows_cross (const DpPageLayout *layout, const Drawing *d)
{
  guint inside = 0, crossing = 0;
  g_autoptr (GArray) rows = g_array_new (FALSE, FALSE, sizeof (float));

  if (d->images == 0 || d->labels < 5)
    return FALSE;
  for (guint i = 0; i < layout->lines->len; i++) {
    const DpLine *line = &g_array_index (layout->lines, DpLine, i);
    if (dp_rect_inside (line->box, d->box) < 0.4f && line->baseline > d->box.y0 && line->baseline < d->box.y1)
      g_array_append_val (rows, line->baseline);
  }
  g_array_sort (rows, dp_compare_floats);
  for (guint i = 0; i < layout->lines->len; i++) {
    const DpLine *line = &g_array_index (layout->lines, DpLine, i);
    guint lo = 0, hi = rows->len;
    if (dp_rect_inside (line->box, d->box) <= 0.7f)
      continue;
    while (lo < hi) {
      guint mid = (lo + hi) / 2;
      if (g_array_index (rows, float, mid) < line->baseline - 0.06f * line->size)
        lo = mid + 1;
      else
        hi = mid;
    }
    inside++;
    crossing += lo < rows->len && g_array_index (rows, float, lo) <= line->baseline + 0.06f * line->size;
  }
  return inside >= 5 && crossing * 5 >= inside * 3;
}

/* Painted from edge to edge along the top or the foot of the page: the band that a slide has its title on. */
static gboolean
is_band (const DpPageLayout *layout, const Drawing *d)
{
  return d->box.x0 <= EDGE && d->box.x1 >= layout->width - EDGE && dp_rect_height (d->box) < MOST_BAND * layout->height
         && (d->box.y0 <= EDGE || d->box.y1 >= layout->height - EDGE);
}

/* Shapes without a picture, behind a title: a band of the page, or a box that display lines fill. */
static gboolean
holds_title (const DpPageLayout *layout, const Drawing *d)
{
  return d->images == 0 && d->labels + d->prose > 0
         && (is_band (layout, d) || (d->other == 0 && d->title > FILLED * dp_rect_height (d->box)));
}

static gboolean
is_figure (const DpPageLayout *layout, const Drawing *d)
{
  float w = dp_rect_width (d->box), h = dp_rect_height (d->box);
  float em = layout->body_size > 0 ? layout->body_size : 10;

  if (w < MIN_SIDE || h < MIN_SIDE || (w < 2.2f * em && h < 2.2f * em))
    return FALSE;
  if (d->prose >= 3 && d->image_area < 0.5f * w * h)
    return FALSE; /* a box around text */
  if ((d->prose >= 4 && !is_captioned (d)) || rows_cross (layout, d))
    return FALSE; /* a picture behind text */
  if (holds_title (layout, d))
    return FALSE;
  if (d->items >= 2)
    return FALSE; /* the ground of a slide, or an ornament whose box reaches far */
  if (d->image_area > 0.2f * w * h || (d->images && d->curves >= 3))
    return TRUE;
  if (MIN (w, h) < 30)
    return FALSE;
  if (d->curves >= 4 && d->prose < 2)
    return TRUE;
  return d->fills >= 4 && d->lines + d->curves >= 3 && (d->labels >= 2 || d->bars >= 3) && d->prose == 0; /* bars */
}

/* Joins figures that overlap or nearly touch. */
static void
merge_figures (Drawing *drawings, guint n)
{
  for (gboolean changed = TRUE; changed;) {
    changed = FALSE;
    for (guint i = 0; i < n; i++)
      for (guint k = i + 1; k < n && drawings[i].figure; k++) {
        DpRect a = drawings[i].box, b = drawings[k].box;
        if (!drawings[k].figure || a.x0 - 3 > b.x1 || b.x0 - 3 > a.x1 || a.y0 - 3 > b.y1 || b.y0 - 3 > a.y1)
          continue;
        drawings[i].box = dp_rect_union (a, b);
        drawings[i].images += drawings[k].images;
        drawings[i].curves += drawings[k].curves;
        drawings[i].fills += drawings[k].fills;
        drawings[i].lines += drawings[k].lines;
        drawings[i].image_area += drawings[k].image_area;
        drawings[k].figure = FALSE;
        changed = TRUE;
      }
  }
}

/* Words far apart: the names along an axis, which share a baseline and nothing else. */
static gboolean
is_spread (const DpPageLayout *layout, const DpLine *line)
{
  for (guint i = 1; i < line->n_words; i++) {
    const DpWord *word = &g_array_index (layout->words, DpWord, line->first_word + i);
    if (word->box.x0 - word[-1].box.x1 < 0.8f * line->size)
      return FALSE;
  }
  return line->n_words >= 3;
}

/* TRUE if a line outside the box labels it: short, small or a number, right beside it. */
static gboolean
labels (const DpPageLayout *layout, const Drawing *d, const DpLine *line, float usual)
{
  float em = MAX (line->size, 4);
  float dx = MAX (MAX (d->box.x0 - line->box.x1, line->box.x0 - d->box.x1), 0);
  float dy = MAX (MAX (d->box.y0 - line->box.y1, line->box.y0 - d->box.y1), 0);
  LineFacts facts;

  if (MAX (dx, dy) > 1.1f * em || MIN (dx, dy) > 0.4f * em || d->image_area > 0.6f * dp_rect_area (d->box))
    return FALSE;
  if (dx > 0 && dp_rect_width (line->box) > MAX (60, 0.6f * dp_rect_width (d->box))) /* text beside an ornament */
    return FALSE;
  facts = line_facts (layout, line);
  if ((facts.words > 4 && !is_spread (layout, line)) || is_caption (layout, line) || starts_item (layout, line))
    return FALSE;
  return facts.numbers == facts.words || line->size < 0.93f * usual || line->angle != 0;
}

static void
add_labels (const DpPageLayout *layout, Drawing *d, float usual)
{
  for (guint pass = 0; pass < 2; pass++) {
    DpRect box = d->box;
    for (guint i = 0; i < layout->lines->len; i++) {
      const DpLine *line = &g_array_index (layout->lines, DpLine, i);
      if (!line->taken && dp_rect_inside (line->box, d->box) < 0.9f && labels (layout, d, line, usual))
        box = dp_rect_union (box, line->box);
    }
    d->box = box;
  }
}

/* ---- regions -------------------------------------------------------------------------------------------------- */

static int
by_row (gconstpointer a, gconstpointer b, gpointer data)
{
  const DpPageLayout *layout = data;
  const DpLine *x = &g_array_index (layout->lines, DpLine, *(const guint *) a);
  const DpLine *y = &g_array_index (layout->lines, DpLine, *(const guint *) b);

  return x->baseline < y->baseline ? -1 : x->baseline > y->baseline;
}

static int
by_left (gconstpointer a, gconstpointer b, gpointer data)
{
  const DpPageLayout *layout = data;
  const DpLine *x = &g_array_index (layout->lines, DpLine, *(const guint *) a);
  const DpLine *y = &g_array_index (layout->lines, DpLine, *(const guint *) b);

  return x->box.x0 < y->box.x0 ? -1 : x->box.x0 > y->box.x0;
}

/* Labels row by row as the eye meets them, not axis by axis. */
static void
sort_rows (DpPageLayout *layout, GArray *lines)
{
  g_array_sort_with_data (lines, by_row, layout);
  for (guint i = 0; i < lines->len;) {
    const DpLine *first = &g_array_index (layout->lines, DpLine, g_array_index (lines, guint, i));
    guint n = 1;
    while (i + n < lines->len
           && g_array_index (layout->lines, DpLine, g_array_index (lines, guint, i + n)).baseline - first->baseline < 0.5f * first->size)
      n++;
    g_qsort_with_data (&g_array_index (lines, guint, i), (gint) n, sizeof (guint), by_left, layout);
    i += n;
  }
}

static void
accept (DpPageLayout *layout, const guint8 *prose, guint n_prose, const Drawing *d)
{
  DpRegion region = { .kind = DP_REGION_FIGURE, .box = d->box, .caption = -1, .n_images = d->images };
  g_autoptr (GArray) words = g_array_new (FALSE, FALSE, sizeof (guint));
  GArray *inside = g_array_new (FALSE, FALSE, sizeof (guint));

  region.lines = inside;
  region.n_paths = d->curves + d->fills + d->lines;
  for (guint i = 0; i < layout->lines->len; i++) {
    const DpLine *line = &g_array_index (layout->lines, DpLine, i);
    /* lines that were split off by a figure before this one are pieces of its labels */
    if (line->taken || dp_rect_inside (line->box, d->box) < 0.6f || (i < n_prose && prose[i]) || is_caption (layout, line))
      continue;
    g_array_append_val (inside, i);
    for (guint w = line->first_word; w < line->first_word + line->n_words; w++)
      g_array_append_val (words, w);
  }
  sort_rows (layout, inside);
  g_array_append_val (layout->regions, region);
  dp_layout_take_words (layout, words, (gint) layout->regions->len - 1);
}

void
dp_layout_figures (DpPageLayout *layout, const DpPage *page)
{
  Map map = { 0 };
  g_autofree Drawing *drawings = NULL;
  g_autofree guint8 *prose = NULL;
  guint n, n_lines = layout->lines->len;
  float usual;

  if (page->n_paths + page->n_images == 0 || !(layout->width > 0) || !(layout->height > 0))
    return;
  map.titles = display_lines (layout);
  map.lines = dp_inline_text_lines (layout);
  n = make_map (layout, page, &map);
  if (n == 0) {
    g_array_unref (map.titles);
    g_array_unref (map.lines);
    return;
  }
  drawings = g_new0 (Drawing, n + 1);
  gather (layout, page, &map, drawings);
  g_free (map.label);
  g_array_unref (map.titles);
  g_array_unref (map.lines);
  prose = find_prose (layout);
  count_text (layout, prose, drawings, n);
  for (guint i = 0; i < n; i++)
    drawings[i].figure = is_figure (layout, &drawings[i]);
  merge_figures (drawings, n);
  usual = dp_layout_usual_size (layout);
  for (guint i = 0; i < n; i++)
    if (drawings[i].figure) {
      add_labels (layout, &drawings[i], usual);
      accept (layout, prose, n_lines, &drawings[i]);
    }
}
