/* layout/flow.c - the document's lines in reading order, and the measure of its running text.
 *
 * Fragments of one region that share a baseline become one line (a contents entry and its
 * page number, a label and its text).  Boxes are turned into a reading frame so that the
 * passes need not know about rotated pages.
 */
#include "layout/flow.h"
#include "layout/compare.h"
#include "layout/frame.h"

#include <math.h>
#include <string.h>

#define SAME_BASELINE 0.35f /* em; between the rise of an index and the leading */
#define LONGEST_LINE 4000u  /* characters; beyond that fragments stay apart, so that joining stays linear */
#define SAME_SIZE 0.06f     /* relative */
#define BODY_SHARE 0.25f    /* the body is the largest size that holds this share of multi-line text */
#define SINGLE_SHARE 0.3f   /* the same where no block has several lines */
#define TITLE_RATIO 1.3f    /* a title is so much larger than the text */
#define RUNNING_CHARS 300u  /* fewer characters in multi-line blocks may be a title alone */
#define BODY_MIN_CHARS 600u /* a page with less multi-line text is measured by the document */
#define RUNNING_WIDTH 15.0f /* em: a line that is as wide, or has 30 characters, is one of running text */
#define TYPED 6             /* times as much in a fixed-pitch face as in others: that is the text */
#define SIZE_STEP 0.25f     /* points per bin of the size histogram */
#define SIZE_BINS 512u      /* sizes up to 128 pt; larger ones share the last bin */

/* ---- reading frame ---------------------------------------------------------------------- */

/* frame.h's view of the page, moved so that it begins at 0. */
static DpRect
turn_rect (DpRect r, gint16 angle, const DpPageLayout *layout)
{
  DpRect t = dp_frame_rect (r, angle);
  float dx = angle == 180 ? layout->width : angle == 270 ? layout->height : 0;
  float dy = angle == 90 ? layout->width : angle == 180 ? layout->height : 0;

  return (DpRect){ t.x0 + dx, t.y0 + dy, t.x1 + dx, t.y1 + dy };
}

/* The same on a page that runs right to left: as in a mirror. */
static DpRect
place_rect (DpRect r, gint16 angle, const DpFlowPage *page)
{
  DpRect t = turn_rect (r, angle, page->layout);

  return page->rtl && angle == 0 ? (DpRect){ page->width - t.x1, t.y0, page->width - t.x0, t.y1 } : t;
}

static float
turn_baseline (float baseline, gint16 angle, const DpPageLayout *layout)
{
  return dp_frame_base (baseline, angle) + (angle == 90 ? layout->width : angle == 180 ? layout->height : 0);
}

/* The angle of most of the page's text; upright unless another one clearly leads. */
static gint16
page_angle (const DpPageLayout *layout)
{
  static const gint16 angles[] = { 0, 90, 180, 270 };
  gsize counts[G_N_ELEMENTS (angles)] = { 0 }, all = 0;

  for (guint i = 0; i < layout->lines->len; i++) {
    const DpLine *line = &g_array_index (layout->lines, DpLine, i);
    for (guint k = 0; k < G_N_ELEMENTS (angles); k++)
      if (line->angle == angles[k])
        counts[k] += line->n_words;
    all += line->n_words;
  }
  for (guint k = 1; k < G_N_ELEMENTS (angles); k++)
    if (counts[k] * 10 > all * 6)
      return angles[k];
  return 0;
}

static gboolean
runs_right_to_left (const DpPageLayout *layout, gint16 angle)
{
  guint rtl = 0, all = 0;

  for (guint i = 0; angle == 0 && i < layout->lines->len; i++) {
    const DpLine *line = &g_array_index (layout->lines, DpLine, i);
    rtl += line->rtl ? line->n_words : 0;
    all += line->n_words;
  }
  return 2 * rtl > all;
}

/* ---- entries ------------------------------------------------------------------------------ */

static void
line_clear (gpointer data)
{
  g_free (((DpFlowLine *) data)->text);
}

static void
page_clear (gpointer data)
{
  g_free (((DpFlowPage *) data)->columns);
}

/* Share of characters in the bold or italic opening of the line's words. */
static float
measure_run_in (const DpPageLayout *layout, const DpLine *line)
{
  guint opening = 0, all = 0;
  gboolean open = TRUE;

  for (guint i = 0; i < line->n_words; i++) {
    const DpWord *word = &g_array_index (layout->words, DpWord, line->first_word + i);
    if (!(word->style & (DP_SPAN_BOLD | DP_SPAN_ITALIC)))
      open = FALSE;
    if (open)
      opening += word->n_chars;
    all += word->n_chars;
  }
  return all ? (float) opening / (float) all : 0;
}

static gboolean
is_small_caps (const DpPageLayout *layout, const DpLine *line)
{
  guint small = 0, all = 0;

  for (guint i = 0; i < line->n_words; i++) {
    const DpWord *word = &g_array_index (layout->words, DpWord, line->first_word + i);
    small += word->small_caps ? word->n_chars : 0;
    all += word->n_chars;
  }
  return 2 * small > all;
}

static void
add_object (DpFlow *flow, guint page, guint region)
{
  const DpFlowPage *p = &g_array_index (flow->pages, DpFlowPage, page);
  const DpRegion *r = &g_array_index (p->layout->regions, DpRegion, region);
  DpFlowLine entry = { .page = page, .region = region, .box = r->box, .role = DP_ROLE_OBJECT, .starts = TRUE, .owner = -1 };

  entry.at = place_rect (r->box, p->angle, p);
  g_array_append_val (flow->lines, entry);
  dp_flow_line (flow, flow->lines->len - 1)->text = g_strdup ("");
}

static gboolean
same_baseline (const DpFlowLine *last, const DpLine *line, guint page, guint region, DpRect at, float baseline)
{
  float size = MAX (last->size, line->size);

  if (last->page != page || last->region != region || last->role != DP_ROLE_BODY || last->n_chars > LONGEST_LINE)
    return FALSE;
  return fabsf (last->baseline - baseline) <= SAME_BASELINE * size && dp_rect_overlap_x (last->at, at) < 0.5f * size;
}

static void
add_fragment (DpFlow *flow, guint page, guint region, guint index)
{
  DpFlowPage *p = &g_array_index (flow->pages, DpFlowPage, page);
  const DpPageLayout *layout = p->layout;
  const DpLine *line = &g_array_index (layout->lines, DpLine, index);
  gboolean astray = line->angle != p->angle;
  gint16 angle = line->angle;
  DpRect at = place_rect (line->box, angle, p);
  float baseline = turn_baseline (line->baseline, angle, layout);
  g_autoptr (GString) text = g_string_new (NULL);
  DpFlowLine *last = flow->lines->len > p->first ? dp_flow_line (flow, flow->lines->len - 1) : NULL;

  dp_line_text (layout, line, text);
  g_strstrip (text->str);
  if (text->str[0] == '\0')
    return;
  g_array_append_val (flow->frags, index);
  if (last && !astray && !last->astray && same_baseline (last, line, page, region, at, baseline)) {
    char *joined = g_strconcat (last->text, " ", text->str, NULL);
    glong n = g_utf8_strlen (text->str, -1);
    if ((glong) last->n_chars < n) {
      last->size = line->size;
      last->font = line->font;
      last->colour = line->colour;
    }
    last->style &= line->style;
    last->run_in = last->run_in >= 1 ? 0.5f : last->run_in;
    last->box = dp_rect_union (last->box, line->box);
    last->at = dp_rect_union (last->at, at);
    g_free (last->text);
    last->text = joined;
    last->n_chars += (guint) n + 1;
    last->n_frags++;
    return;
  }
  DpFlowLine entry = { .page = page,
                       .region = region,
                       .first_frag = flow->frags->len - 1,
                       .n_frags = 1,
                       .box = line->box,
                       .at = at,
                       .baseline = baseline,
                       .size = line->size,
                       .colour = line->colour,
                       .font = line->font,
                       .style = line->style,
                       .astray = astray,
                       .role = DP_ROLE_BODY,
                       .owner = -1 };
  entry.n_chars = (guint) g_utf8_strlen (text->str, -1);
  entry.run_in = measure_run_in (layout, line);
  entry.small_caps = is_small_caps (layout, line);
  g_array_append_val (flow->lines, entry);
  dp_flow_line (flow, flow->lines->len - 1)->text = g_strdup (text->str);
}

static void
add_page (DpFlow *flow, DpPageLayout *layout)
{
  DpFlowPage page = { .layout = layout, .first = flow->lines->len, .angle = page_angle (layout) };
  guint index = flow->pages->len;

  page.width = page.angle % 180 == 0 ? layout->width : layout->height;
  page.height = page.angle % 180 == 0 ? layout->height : layout->width;
  page.rtl = runs_right_to_left (layout, page.angle);
  g_array_append_val (flow->pages, page);
  g_array_index (flow->pages, DpFlowPage, index).columns = g_new0 (DpFlowColumn, layout->regions->len + 1);
  for (guint r = 0; r < layout->regions->len && !layout->needs_model; r++) {
    const DpRegion *region = &g_array_index (layout->regions, DpRegion, r);
    if (region->kind != DP_REGION_TEXT && region->kind != DP_REGION_CODE) {
      add_object (flow, index, r);
      continue;
    }
    for (guint i = 0; i < region->lines->len; i++)
      add_fragment (flow, index, r, g_array_index (region->lines, guint, i));
  }
  g_array_index (flow->pages, DpFlowPage, index).n = flow->lines->len - page.first;
}

/* ---- columns --------------------------------------------------------------------------------- */

/* The regions of one column that follow each other share its extent: first to last in reading order.
 * Further down the page the same number may mean another column. */
static void
share_extent (DpFlowPage *page, guint first, guint last)
{
  const GArray *regions = page->layout->regions;
  guint column = g_array_index (regions, DpRegion, first).column;
  DpFlowColumn extent = page->columns[first];

  for (guint pass = 0; pass < 2; pass++)
    for (guint r = first; r < last; r++) {
      const DpRegion *region = &g_array_index (regions, DpRegion, r);
      if (region->kind != DP_REGION_TEXT || region->column != column)
        continue;
      if (pass == 0)
        extent = (DpFlowColumn){ MIN (extent.x0, page->columns[r].x0), MAX (extent.x1, page->columns[r].x1) };
      else
        page->columns[r] = extent;
    }
}

/* A region's column reaches as far as the text regions of its column; what stands across columns is
 * its own. */
static void
measure_columns (DpFlowPage *page)
{
  const GArray *regions = page->layout->regions;

  for (guint r = 0; r < regions->len; r++) {
    DpRect at = place_rect (g_array_index (regions, DpRegion, r).box, page->angle, page);
    page->columns[r] = (DpFlowColumn){ at.x0, at.x1 };
  }
  for (guint r = 0, end; r < regions->len; r = end) {
    const DpRegion *region = &g_array_index (regions, DpRegion, r);
    end = r + 1;
    if (region->kind != DP_REGION_TEXT || region->column == G_MAXUINT)
      continue;
    for (guint k = end; k < regions->len; k++) {
      const DpRegion *other = &g_array_index (regions, DpRegion, k);
      if (other->kind == DP_REGION_TEXT && other->column != region->column && other->column != G_MAXUINT)
        break;
      if (other->kind == DP_REGION_TEXT && other->column == region->column)
        end = k + 1;
    }
    share_extent (page, r, end);
  }
}

/* ---- the body --------------------------------------------------------------------------------- */

typedef struct {
  gsize chars[SIZE_BINS], bold[SIZE_BINS], italic[SIZE_BINS];
  gsize all, every, mono;  /* characters in multi-line blocks; of all lines; in lines left out as listings */
  gsize single[SIZE_BINS]; /* lines in short blocks: only asked when there is nothing else */
  GHashTable *fonts;       /* name (borrowed) -> characters */
  GArray *steps;           /* float: baseline distances / size */
} BodyCount;

static guint
size_bin (float size)
{
  if (!(size > 0))
    return 0;
  if (size >= SIZE_STEP * (SIZE_BINS - 1))
    return SIZE_BINS - 1;
  return (guint) (size / SIZE_STEP + 0.5f);
}

const char *
dp_flow_font (const DpFlow *flow, const DpFlowLine *line)
{
  const GPtrArray *names = dp_flow_page (flow, line)->layout->font_names;

  return names && line->font < names->len ? g_ptr_array_index (names, line->font) : "";
}

/* Lines [first, last) are one block of one region.  Those of a fixed-pitch face are listings, unless typed says that the
 * text is written on a typewriter. */
static void
count_block (const DpFlow *flow, guint first, guint last, gboolean typed, BodyCount *count)
{
  gboolean many = last - first >= 3;

  for (guint i = first; i < last; i++) {
    const DpFlowLine *line = dp_flow_line (flow, i);
    guint bin = size_bin (line->size);
    if (!typed && line->style & DP_SPAN_MONO) {
      count->mono += line->n_chars;
      continue;
    }
    count->single[bin] += line->n_chars;
    count->every += line->n_chars;
    if (!many || (line->n_chars < 30 && !(dp_rect_width (line->at) > RUNNING_WIDTH * line->size)))
      continue;
    count->chars[bin] += line->n_chars;
    count->all += line->n_chars;
    if (line->style & DP_SPAN_BOLD)
      count->bold[bin] += line->n_chars;
    if (line->style & DP_SPAN_ITALIC)
      count->italic[bin] += line->n_chars;
    if (i > first && line->size > 0) {
      float step = (line->baseline - dp_flow_line (flow, i - 1)->baseline) / line->size;
      if (step > 0.7f && step < 2.5f)
        g_array_append_val (count->steps, step);
    }
    const char *font = dp_flow_font (flow, line);
    g_hash_table_insert (count->fonts, (gpointer) font,
                         GSIZE_TO_POINTER (GPOINTER_TO_SIZE (g_hash_table_lookup (count->fonts, font)) + line->n_chars));
  }
}

static guint
body_bin (const BodyCount *count)
{
  guint best = 0;

  for (guint b = 1; b < SIZE_BINS; b++) {
    if (count->single[b] > count->single[best])
      best = b;
  }
  /* Short blocks only, or a title over several lines among them (a cover, a slide, a form): titles
   * hold many of the characters, so the smallest size that holds a fair share is the text. */
  if (count->all == 0 || (count->all < RUNNING_CHARS && count->all * 2 < count->every)) {
    for (guint b = 1; (float) b * TITLE_RATIO < (float) best; b++)
      if ((float) (count->single[b] + count->single[b - 1]) >= SINGLE_SHARE * (float) count->every)
        return b;
    return best;
  }
  best = 0;
  for (guint b = SIZE_BINS - 1; b > 0; b--) {
    /* Neighbouring bins are one size that rounding tore apart. */
    gsize here = count->chars[b] + (b + 1 < SIZE_BINS ? count->chars[b + 1] : 0) + count->chars[b - 1];
    if ((float) here >= BODY_SHARE * (float) count->all && count->chars[b] > 0)
      return count->chars[b - 1] > count->chars[b] ? b - 1 : b;
  }
  for (guint b = 1; b < SIZE_BINS; b++)
    if (count->chars[b] > count->chars[best])
      best = b;
  return best;
}

static DpFlowBody
body_of (const DpFlow *flow, guint first, guint last, gboolean typed)
{
  g_autofree BodyCount *count = g_new0 (BodyCount, 1);
  DpFlowBody body = { 0 };
  GHashTableIter iter;
  gpointer name, chars;
  gsize most = 0;
  gboolean again;
  guint bin;

  count->fonts = g_hash_table_new (g_str_hash, g_str_equal);
  count->steps = g_array_new (FALSE, FALSE, sizeof (float));
  for (guint i = first; i < last;) {
    guint j = i + 1;
    const DpFlowLine *line = dp_flow_line (flow, i);
    if (line->role != DP_ROLE_BODY || line->astray) {
      i++;
      continue;
    }
    while (j < last && dp_flow_same_region (line, dp_flow_line (flow, j)) && dp_flow_line (flow, j)->role == DP_ROLE_BODY)
      j++;
    count_block (flow, i, j, typed, count);
    i = j;
  }
  again = count->mono > TYPED * count->every;
  bin = body_bin (count);
  body.size = (float) bin * SIZE_STEP;
  body.n_chars = (guint) MIN (count->all, G_MAXUINT);
  body.bold = count->chars[bin] > 0 && count->bold[bin] * 2 > count->chars[bin];
  body.italic = count->chars[bin] > 0 && count->italic[bin] * 2 > count->chars[bin];
  g_hash_table_iter_init (&iter, count->fonts);
  while (g_hash_table_iter_next (&iter, &name, &chars))
    if (GPOINTER_TO_SIZE (chars) > most || (GPOINTER_TO_SIZE (chars) == most && body.font && strcmp (name, body.font) < 0)) {
      most = GPOINTER_TO_SIZE (chars);
      body.font = name;
    }
  if (count->steps->len) {
    g_array_sort (count->steps, dp_compare_floats);
    body.leading = body.size * g_array_index (count->steps, float, count->steps->len / 2);
  }
  g_hash_table_unref (count->fonts);
  g_array_unref (count->steps);
  return again ? body_of (flow, first, last, TRUE) : body;
}

void
dp_flow_measure (DpFlow *flow)
{
  flow->body = body_of (flow, 0, flow->lines->len, FALSE);
  for (guint p = 0; p < flow->pages->len; p++) {
    DpFlowPage *page = &g_array_index (flow->pages, DpFlowPage, p);
    page->body = flow->pages->len > 1 ? body_of (flow, page->first, page->first + page->n, FALSE) : flow->body;
    if (page->body.n_chars < BODY_MIN_CHARS && flow->body.size > 0)
      page->body = flow->body;
  }
}

/* ---- the flow ----------------------------------------------------------------------------------- */

DpFlow *
dp_flow_new (GPtrArray *pages, const DpDocumentInfo *info)
{
  DpFlow *flow = g_new0 (DpFlow, 1);

  flow->info = info;
  flow->lines = g_array_new (FALSE, TRUE, sizeof (DpFlowLine));
  g_array_set_clear_func (flow->lines, line_clear);
  flow->frags = g_array_new (FALSE, FALSE, sizeof (guint));
  flow->pages = g_array_new (FALSE, TRUE, sizeof (DpFlowPage));
  g_array_set_clear_func (flow->pages, page_clear);
  for (guint i = 0; i < pages->len; i++) {
    add_page (flow, g_ptr_array_index (pages, i));
    measure_columns (&g_array_index (flow->pages, DpFlowPage, i));
  }
  dp_flow_measure (flow);
  return flow;
}

void
dp_flow_free (DpFlow *flow)
{
  if (!flow)
    return;
  dp_hyphens_free (flow->hyphens);
  g_array_unref (flow->lines);
  g_array_unref (flow->frags);
  g_array_unref (flow->pages);
  g_free (flow);
}

gboolean
dp_flow_same_face (const DpFlowLine *a, const DpFlowLine *b)
{
  const guint16 face = DP_SPAN_BOLD | DP_SPAN_ITALIC;

  return fabsf (a->size - b->size) <= SAME_SIZE * MAX (a->size, b->size) && (a->style & face) == (b->style & face)
         && a->small_caps == b->small_caps;
}
