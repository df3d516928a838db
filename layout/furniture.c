/* layout/furniture.c - running headers, footers, page numbers, stamps, watermarks, line numbers.
 *
 * Two sources of evidence for headers and footers: what repeats over the document
 * (furniture_repeated.c), and the outermost rows of a single page (furniture_page.c) where that
 * has text enough to judge them by.
 */
#include "layout/furniture.h"
#include "layout/labels.h"

#include <math.h>

#define MIN_CHARS 350u   /* the same for the characters of a first page */
#define MIN_ROWS 8u      /* a page with fewer rows gives no evidence of its own */
#define MIN_EDGE_ROWS 4u /* unless its outermost row stands at the very edge */

/* A page number far from the edge shows margins that are wide on all sides, as on pages printed
 * small on larger paper: what runs over the pages then stands further in everywhere. */
static void
measure_trim (GPtrArray *outer, guint from, float height)
{
  float trim = 0, edge = height;

  for (guint i = from; i < outer->len; i++) {
    const DpFlowRow *row = g_ptr_array_index (outer, i);
    float margin = row->top ? row->y0 : height - row->y1;
    edge = MIN (edge, margin);
    if (row->rank == 0 && margin > 0.1f * height && dp_label_page_number (row->text, NULL))
      trim = MAX (trim, margin - 0.05f * height);
  }
  trim = MIN (trim, MAX (edge - 0.05f * height, 0));
  for (guint i = from; i < outer->len; i++)
    ((DpFlowRow *) g_ptr_array_index (outer, i))->trim = trim;
}

static void
claim_row (DpFlow *flow, const DpFlowRow *row)
{
  DpFlowRole role = row->top ? DP_ROLE_HEADER : DP_ROLE_FOOTER;

  if (dp_label_page_number (row->text, NULL))
    role = DP_ROLE_PAGE_NUMBER;
  for (guint i = 0; i < row->lines->len; i++) {
    DpFlowLine *line = dp_flow_line (flow, g_array_index (row->lines, guint, i));
    line->role = dp_label_page_number (line->text, NULL) ? DP_ROLE_PAGE_NUMBER : role;
    line->starts = TRUE;
  }
}

/* Lines written at another angle: stamps, watermarks, axis labels left over.  Rotated prose stays. */
static void
claim_astray (DpFlow *flow, const DpFlowPage *page)
{
  for (guint i = page->first, j; i < page->first + page->n; i = j) {
    guint chars = 0;
    for (j = i; j < page->first + page->n && dp_flow_same_region (dp_flow_line (flow, i), dp_flow_line (flow, j)); j++)
      chars += dp_flow_line (flow, j)->astray ? dp_flow_line (flow, j)->n_chars : 0;
    for (guint k = i; k < j; k++) {
      DpFlowLine *line = dp_flow_line (flow, k);
      if (line->astray && line->role == DP_ROLE_BODY && (chars < 200 || j - i < 4)) {
        line->role = DP_ROLE_ASIDE;
        line->starts = k == i || dp_flow_line (flow, k - 1)->role != DP_ROLE_ASIDE;
      }
    }
  }
}

/* The numbers of lines that line_numbers.c found, the readings that ruby.c did. */
static void
claim_asides (DpFlow *flow, const DpFlowPage *page)
{
  for (guint i = page->first; i < page->first + page->n; i++) {
    DpFlowLine *line = dp_flow_line (flow, i);
    const DpLine *fragment;
    if (line->role != DP_ROLE_BODY)
      continue;
    fragment = &g_array_index (page->layout->lines, DpLine, g_array_index (flow->frags, guint, line->first_frag));
    if (!fragment->n_words || !g_array_index (page->layout->words, DpWord, fragment->first_word).aside)
      continue;
    line->role = DP_ROLE_ASIDE;
    line->starts = TRUE;
  }
}

/* A table or picture is worth many rows; a few short lines over the first page are a cover. */
static gboolean
enough_text (const DpFlow *flow, const GPtrArray *rows)
{
  guint n = 0, chars = 0, need = rows->len && ((const DpFlowRow *) g_ptr_array_index (rows, 0))->page == 0 ? MIN_CHARS : 0;

  for (guint i = 0; i < rows->len && (n < MIN_ROWS || chars < need); i++) {
    const DpFlowRow *row = g_ptr_array_index (rows, i);
    n += row->object ? MIN_ROWS - 2 : 1;
    for (guint k = 0; k < row->lines->len; k++) {
      const DpFlowLine *line = dp_flow_line (flow, g_array_index (row->lines, guint, k));
      gboolean table = row->object && dp_flow_region (flow, line)->kind == DP_REGION_TABLE;
      chars += table ? MIN_CHARS : line->n_chars;
    }
  }
  return n >= MIN_ROWS && chars >= need;
}

/* A page with little text whose outermost row stands at the very edge, where text never does. */
static gboolean
at_the_edge (const GPtrArray *rows, const GPtrArray *side, float height)
{
  const DpFlowRow *outermost = side->len ? g_ptr_array_index (side, 0) : NULL;

  return outermost && rows->len >= MIN_EDGE_ROWS && dp_flow_row_depth (outermost, height) < 0.035f;
}

/* The page before has text enough and the same size: where this one ends early, its margins are still known. */
static gboolean
follows_text (const DpFlow *flow, const GPtrArray *all, guint page)
{
  const DpFlowPage *a, *b;

  if (page == 0)
    return FALSE;
  a = &g_array_index (flow->pages, DpFlowPage, page - 1);
  b = &g_array_index (flow->pages, DpFlowPage, page);
  return fabsf (a->width - b->width) < 1 && fabsf (a->height - b->height) < 1 && enough_text (flow, g_ptr_array_index (all, page - 1));
}

/* There is evidence enough to judge this side of a page by. */
static gboolean
is_judged (const DpFlow *flow, const GPtrArray *all, GPtrArray *side, guint page)
{
  const GPtrArray *rows = g_ptr_array_index (all, page);

  if (enough_text (flow, rows) || at_the_edge (rows, side, g_array_index (flow->pages, DpFlowPage, page).height))
    return TRUE;
  if (!follows_text (flow, all, page))
    return FALSE;
  for (guint i = 0; i < side->len; i++)
    ((DpFlowRow *) g_ptr_array_index (side, i))->lonely = TRUE;
  return TRUE;
}

void
dp_flow_furniture (DpFlow *flow)
{
  g_autoptr (GPtrArray) all = g_ptr_array_new_with_free_func ((GDestroyNotify) g_ptr_array_unref); /* rows per page */
  g_autoptr (GPtrArray) outer = g_ptr_array_new ();
  g_autoptr (GPtrArray) sides = g_ptr_array_new_with_free_func ((GDestroyNotify) g_ptr_array_unref);

  dp_flow_panels (flow);
  for (guint p = 0; p < flow->pages->len; p++) {
    const DpFlowPage *page = &g_array_index (flow->pages, DpFlowPage, p);
    GPtrArray *rows;
    guint from = outer->len;
    claim_astray (flow, page);
    claim_asides (flow, page);
    rows = dp_flow_rows (flow, p);
    g_ptr_array_add (all, rows);
    for (guint top = 0; top < 2; top++) {
      GPtrArray *side = g_ptr_array_new ();
      dp_flow_rows_outer (flow, rows, top == 1, side);
      for (guint k = 0; k < side->len; k++)
        g_ptr_array_add (outer, g_ptr_array_index (side, k));
      if (!side->len || !is_judged (flow, all, side, p))
        g_ptr_array_unref (side);
      else
        g_ptr_array_add (sides, side);
    }
    measure_trim (outer, from, page->height);
  }
  dp_flow_rows_repeated (flow, all, outer);
  for (guint i = 0; i < sides->len; i++)
    dp_flow_rows_judge (flow, g_ptr_array_index (sides, i));
  for (guint i = 0; i < outer->len; i++)
    if (((DpFlowRow *) g_ptr_array_index (outer, i))->furniture)
      claim_row (flow, g_ptr_array_index (outer, i));
}
