/* layout/furniture_rows.c - what stands at one height of a page, and what it says.
 *
 * Rows are compared by their mask: their text without what changes from page to page.
 */
#include "layout/furniture.h"
#include "layout/labels.h"
#include "layout/running.h"

#include <string.h>

#define BAND 0.15f    /* share of the page height in which repeated rows count */
#define OUTER_ROWS 5u /* rows looked at from each end of the page */

static void
row_free (gpointer data)
{
  DpFlowRow *row = data;

  g_array_unref (row->lines);
  g_free (row->text);
  g_free (row->mask);
  g_free (row);
}

static gboolean
is_number_token (const char *token, gsize n)
{
  gsize digits = 0;

  for (gsize i = 0; i < n; i++)
    digits += g_ascii_isdigit (token[i]) ? 1 : 0;
  return (digits > 0 && digits == n) || dp_roman_value (token, n) > 0;
}

/* Lower-case letters; numbers and roman numerals become '#', punctuation goes. */
static char *
mask_text (const char *text)
{
  g_autofree char *folded = g_utf8_strdown (text, -1);
  g_auto (GStrv) tokens = g_strsplit_set (folded, " \t|-/.,:;()[]", -1);
  GString *out = g_string_new (NULL);

  for (guint i = 0; tokens[i]; i++) {
    if (tokens[i][0] == '\0')
      continue;
    if (is_number_token (tokens[i], strlen (tokens[i])))
      g_string_append_c (out, '#');
    else
      for (const char *c = tokens[i]; *c; c++)
        g_string_append_c (out, g_ascii_isdigit (*c) ? '#' : *c);
    g_string_append_c (out, ' ');
  }
  return g_string_free (out, FALSE);
}

static int
compare_entries (gconstpointer a, gconstpointer b, gpointer data)
{
  const DpFlowLine *x = dp_flow_line (data, *(const guint *) a), *y = dp_flow_line (data, *(const guint *) b);
  float cx = dp_rect_cy (x->at), cy = dp_rect_cy (y->at);

  if (cx != cy)
    return cx < cy ? -1 : 1;
  return x->at.x0 < y->at.x0 ? -1 : x->at.x0 > y->at.x0;
}

static int
compare_left (gconstpointer a, gconstpointer b, gpointer data)
{
  const DpFlowLine *x = dp_flow_line (data, *(const guint *) a), *y = dp_flow_line (data, *(const guint *) b);

  return x->at.x0 < y->at.x0 ? -1 : x->at.x0 > y->at.x0;
}

static DpFlowRow *
row_new (guint page, const DpFlowLine *line)
{
  DpFlowRow *row = g_new0 (DpFlowRow, 1);

  row->page = page;
  row->object = line->role == DP_ROLE_OBJECT;
  row->y0 = line->at.y0;
  row->y1 = line->at.y1;
  row->x0 = line->at.x0;
  row->x1 = line->at.x1;
  row->bold = TRUE;
  row->lines = g_array_new (FALSE, FALSE, sizeof (guint));
  return row;
}

static void
row_add (DpFlowRow *row, const DpFlow *flow, guint index)
{
  const DpFlowLine *line = dp_flow_line (flow, index);

  row->y0 = MIN (row->y0, line->at.y0);
  row->y1 = MAX (row->y1, line->at.y1);
  row->x0 = MIN (row->x0, line->at.x0);
  row->x1 = MAX (row->x1, line->at.x1);
  row->size = MAX (row->size, line->size);
  row->bold = row->bold && (line->style & DP_SPAN_BOLD);
  g_array_append_val (row->lines, index);
}

/* All rows of a page from top to bottom; objects are rows of their own. */
GPtrArray *
dp_flow_rows (const DpFlow *flow, guint page)
{
  const DpFlowPage *p = &g_array_index (flow->pages, DpFlowPage, page);
  g_autoptr (GArray) order = g_array_sized_new (FALSE, FALSE, sizeof (guint), p->n);
  GPtrArray *rows = g_ptr_array_new_with_free_func (row_free);
  DpFlowRow *row = NULL;

  for (guint i = p->first; i < p->first + p->n; i++)
    if (!dp_flow_line (flow, i)->astray)
      g_array_append_val (order, i);
  g_array_sort_with_data (order, compare_entries, (gpointer) flow);
  for (guint k = 0; k < order->len; k++) {
    guint i = g_array_index (order, guint, k);
    const DpFlowLine *line = dp_flow_line (flow, i);
    gboolean object = line->role == DP_ROLE_OBJECT;
    float cy = dp_rect_cy (line->at);
    if (!row || object || row->object || cy > row->y1 - 0.25f * (row->y1 - row->y0)) {
      row = row_new (page, line);
      g_ptr_array_add (rows, row);
    }
    row_add (row, flow, i);
  }
  return rows;
}

static void
row_read (DpFlowRow *row, const DpFlow *flow)
{
  GString *text = g_string_new (NULL);

  g_array_sort_with_data (row->lines, compare_left, (gpointer) flow);
  for (guint i = 0; i < row->lines->len; i++) {
    if (text->len)
      g_string_append_c (text, ' ');
    g_string_append (text, dp_flow_line (flow, g_array_index (row->lines, guint, i))->text);
  }
  row->text = g_string_free (text, FALSE);
  row->mask = mask_text (row->text);
  row->n_chars = (guint) g_utf8_strlen (row->text, -1);
}

/* The outermost rows of one side, with the distance to the rows inside of them. */
void
dp_flow_rows_outer (const DpFlow *flow, GPtrArray *rows, gboolean top, GPtrArray *out)
{
  const DpFlowRow *first = rows->len ? g_ptr_array_index (rows, 0) : NULL;
  float height = first ? g_array_index (flow->pages, DpFlowPage, first->page).height : 0;
  gboolean behind = FALSE;

  for (guint k = 0; k < rows->len && k < OUTER_ROWS; k++) {
    DpFlowRow *row = g_ptr_array_index (rows, top ? k : rows->len - 1 - k);
    const DpFlowRow *next = k + 1 < rows->len ? g_ptr_array_index (rows, top ? k + 1 : rows->len - 2 - k) : NULL;
    float cy = 0.5f * (row->y0 + row->y1);
    if (top ? cy > BAND * height : cy < (1 - BAND) * height)
      break;
    if (row->object) {
      behind = TRUE;
      continue;
    }
    if (row->text) /* a short page: already taken from the other side */
      break;
    row->top = top;
    row->rank = k;
    row->behind = behind;
    row->gap = !next ? height : top ? next->y0 - row->y1 : row->y0 - next->y1;
    row_read (row, flow);
    row->flank = row->x0 > 0.62f * g_array_index (flow->pages, DpFlowPage, row->page).width;
    row->company = (flow->pages->len == 1 || row->page > 0) && dp_running_company (row->text);
    g_ptr_array_add (out, row);
  }
}
