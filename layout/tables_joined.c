/* layout/tables_joined.c - one table out of its pieces on following pages.
 *
 * Two tables that follow each other over a page break with nothing but furniture between are
 * one if they have the same number of columns and about the same widths; header rows that
 * the second repeats are dropped.  opendataloader asks for equal widths (0.2 pt), edgeparse
 * for 5 pt, MinerU for a total within 10 %; a caption on the second piece keeps them apart
 * unless it says "continued".  Pieces that the structure tree told belong
 * together if they are of one element.  A row that the end of the page cuts is one row.
 */
#include "layout/flow.h"
#include "layout/tables.h"

#include <math.h>
#include <string.h>

#define MAX_REPEATED 5u   /* header rows that may repeat */
#define SAME_WIDTH 0.10f  /* relative, of the whole table */
#define SAME_COLUMN 0.06f /* of the table's width, per column edge */

static float
table_width (const DpBlock *block)
{
  return MAX (dp_rect_width (block->box), 1);
}

/* Left edge of a column relative to the table's width; < 0 if no cell begins there. */
static float
column_edge (const DpBlock *block, guint col)
{
  for (guint i = 0; i < block->table->cells->len; i++) {
    const DpCell *cell = g_ptr_array_index (block->table->cells, i);
    if (cell->col == col && cell->col_span == 1)
      return (cell->box.x0 - block->box.x0) / table_width (block);
  }
  return -1;
}

static gboolean
says_continued (const DpBlock *block)
{
  static const char *const marks[] = { "continued", "cont.", "cont’d", "cont'd", "suite", "fortsetzung", "续", "續" };

  for (guint i = 0; i < block->children->len; i++) {
    const DpBlock *child = g_ptr_array_index (block->children, i);
    g_autofree char *text = dp_spans_to_text (child->spans), *folded = g_utf8_strdown (text, -1);
    if (child->kind != DP_BLOCK_CAPTION)
      continue;
    for (guint k = 0; k < G_N_ELEMENTS (marks); k++)
      if (strstr (folded, marks[k]))
        return TRUE;
    return FALSE;
  }
  return TRUE; /* no caption at all */
}

static gboolean
has_child (const DpBlock *block, DpBlockKind kind)
{
  for (guint i = 0; i < block->children->len; i++)
    if (((const DpBlock *) g_ptr_array_index (block->children, i))->kind == kind)
      return TRUE;
  return FALSE;
}

gboolean
dp_tables_belong (const DpBlock *a, const DpBlock *b)
{
  float wa = table_width (a), wb = table_width (b);

  if (a->table->n_cols != b->table->n_cols || a->table->n_cols < 2)
    return FALSE;
  if (a->table->element && b->table->element) /* the structure tree knows */
    return a->table->element == b->table->element;
  if (fabsf (wa - wb) > SAME_WIDTH * MAX (wa, wb) || !says_continued (b))
    return FALSE;
  if (has_child (a, DP_BLOCK_TABLE_NOTE) && !has_child (b, DP_BLOCK_CAPTION)) /* its notes end a table */
    return FALSE;
  for (guint c = 1; c < a->table->n_cols && c < 64; c++) {
    float x = column_edge (a, c), y = column_edge (b, c);
    if (x >= 0 && y >= 0 && fabsf (x - y) > SAME_COLUMN)
      return FALSE;
  }
  return TRUE;
}

static char *
row_text (const DpTable *table, guint row)
{
  GString *text = g_string_new (NULL);

  for (guint i = 0; i < table->cells->len; i++) {
    const DpCell *cell = g_ptr_array_index (table->cells, i);
    g_autofree char *part = NULL;
    if (cell->row != row)
      continue;
    part = dp_spans_to_text (cell->spans);
    g_string_append_printf (text, "%u:%u:%u:%s\n", cell->col, cell->col_span, cell->row_span, part);
  }
  return g_string_free (text, FALSE);
}

/* Header rows of a that open b again. */
guint
dp_tables_repeated (const DpTable *a, const DpTable *b)
{
  guint n = 0;

  while (n < MAX_REPEATED && n < a->n_rows && n < b->n_rows) {
    g_autofree char *x = row_text (a, n), *y = row_text (b, n);
    if (x[0] == '\0' || strcmp (x, y) != 0)
      break;
    n++;
  }
  /* A cell that reaches out of the dropped rows would lose its place. */
  for (guint i = 0; i < b->cells->len && n > 0; i++) {
    const DpCell *cell = g_ptr_array_index (b->cells, i);
    if (cell->row < n && cell->row + cell->row_span > n)
      n = cell->row;
  }
  return n;
}

/* ---- a row that the end of a page cuts ----------------------------------------------------- */

/* The cells of a row by column, n_cols of them; NULL if one reaches over rows or columns. */
static DpCell **
row_cells (const DpTable *table, guint row)
{
  g_autofree DpCell **cells = g_new0 (DpCell *, table->n_cols);
  guint found = 0;

  for (guint i = table->cells->len; i > 0; i--) {
    DpCell *cell = g_ptr_array_index (table->cells, i - 1);
    if (cell->row < row)
      break; /* they lie row by row */
    if (cell->row != row || cell->row_span != 1 || cell->col_span != 1 || cell->col >= table->n_cols)
      continue;
    found += cells[cell->col] ? 0 : 1;
    cells[cell->col] = cell;
  }
  return found == table->n_cols ? g_steal_pointer (&cells) : NULL;
}

static gboolean
begins_small (const char *text)
{
  return g_unichar_islower (g_utf8_get_char (text));
}

/* Rows [from, to) whose first cell says that a row begins: it holds text, with a small letter in front of none.  0 if
 * the first cell of one of them does not. */
static guint
count_begun (const DpTable *table, guint from, guint to)
{
  guint n = 0;

  for (guint i = table->cells->len; i > 0; i--) {
    const DpCell *cell = g_ptr_array_index (table->cells, i - 1);
    g_autofree char *text = NULL;
    if (cell->row < from)
      break;
    if (cell->row >= to || cell->col > 0)
      continue;
    text = dp_spans_to_text (cell->spans);
    if (text[0] == '\0' || begins_small (text))
      return 0;
    n++;
  }
  return n;
}

static gboolean
has_letter (const char *text)
{
  for (; *text; text = g_utf8_next_char (text))
    if (g_unichar_isalpha (g_utf8_get_char (text)))
      return TRUE;
  return FALSE;
}

/* TRUE if the row of b carries on the last one of a: its first cell is blank or goes on in the middle of a sentence, and
 * the others say the same, or fill what that row has left blank. */
static gboolean
row_goes_on (guint n_cols, DpCell *const *a, DpCell *const *b)
{
  guint filled = 0, small = 0, vacant = 0;
  gboolean blank_key = FALSE;

  for (guint c = 0; c < n_cols; c++) {
    g_autofree char *x = dp_spans_to_text (a[c]->spans), *y = dp_spans_to_text (b[c]->spans);
    const gsize len = strlen (x);
    if (y[0] == '\0') {
      blank_key = blank_key || c == 0;
      continue;
    }
    if (len && !has_letter (y)) /* two numbers are two rows */
      return FALSE;
    filled++;
    vacant += len ? 0 : 1;
    small += len && !strchr (".!?:;", x[len - 1]) && begins_small (y) ? 1 : 0;
  }
  return blank_key ? small > 0 || (filled > 0 && vacant == filled) : filled > 1 && small == filled;
}

/* Rows looked at, on either side of the page's end, to learn how the table's rows begin. */
#define ROWS_AROUND 30u

/* Joins the row of b to the last one of a if a page's end cuts it in two. */
static gboolean
join_cut_row (DpTable *a, DpTable *b, guint row)
{
  const guint first = MAX (a->n_header_rows, a->n_rows > ROWS_AROUND ? a->n_rows - ROWS_AROUND : 0);
  g_autofree DpCell **x = NULL, **y = NULL;
  guint begun, next;

  if (a->n_rows == 0 || row >= b->n_rows || a->n_cols != b->n_cols || a->n_header_rows >= a->n_rows)
    return FALSE;
  x = row_cells (a, a->n_rows - 1);
  y = row_cells (b, row);
  if (!x || !y || !row_goes_on (a->n_cols, x, y))
    return FALSE;
  begun = count_begun (a, first, a->n_rows);
  next = count_begun (b, row + 1, MIN (row + 1 + ROWS_AROUND, b->n_rows));
  if (begun == 0 || (next == 0 && row + 1 < b->n_rows) || begun + next < 3)
    return FALSE;
  for (guint c = 0; c < a->n_cols; c++)
    dp_spans_join (x[c]->spans, g_ptr_array_ref (y[c]->spans));
  return TRUE;
}

static void
append_rows (DpTable *a, DpTable *b, guint skip)
{
  for (guint i = 0; i < b->cells->len; i++) {
    DpCell *cell = g_ptr_array_index (b->cells, i), *copy;
    if (cell->row < skip)
      continue;
    copy = dp_table_add_cell (a, a->n_rows + cell->row - skip, cell->col, cell->row_span, cell->col_span, cell->box);
    copy->header = cell->header && cell->row >= b->n_header_rows;
    g_ptr_array_unref (copy->spans);
    copy->spans = g_ptr_array_ref (cell->spans);
  }
  a->n_rows += b->n_rows - skip;
  a->quality = MIN (a->quality, b->quality);
  g_array_append_vals (a->parts, b->parts->data, b->parts->len);
}

void
dp_tables_join (DpDocument *document)
{
  DpBlock *open = NULL;
  guint last_page = 0;

  for (guint i = 0; i < document->blocks->len; i++) {
    DpBlock *block = g_ptr_array_index (document->blocks, i);
    if (block->kind != DP_BLOCK_TABLE) {
      if (block->kind < DP_BLOCK_HEADER && block->kind != DP_BLOCK_FOOTNOTE)
        open = NULL;
      continue;
    }
    if (open && open->table && block->table && block->page == last_page + 1 && dp_tables_belong (open, block)) {
      guint skip = dp_tables_repeated (open->table, block->table);
      DpTablePart part = { .page = block->page, .box = block->box };
      skip += join_cut_row (open->table, block->table, skip) ? 1 : 0;
      append_rows (open->table, block->table, skip);
      if (!open->parts)
        open->parts = g_array_new (FALSE, TRUE, sizeof (DpTablePart));
      g_array_append_val (open->parts, part);
      last_page = block->page;
      g_ptr_array_remove_index (document->blocks, i--);
      continue;
    }
    open = block;
    last_page = block->page;
  }
}
