/* layout/tag_grid.c - rows, cells and words of one table that the structure tree describes; see tag_grid.h.
 *
 * A table is sound if hardly any other word stands among its cells' words, its rows follow each other downwards and its
 * cells to the right.  A table inside a cell is text of that cell; what has fewer than two rows or columns with text is a
 * frame.
 */
#include "layout/tag_grid.h"

#include <math.h>
#include <string.h>

#define MAX_ROWS 4000u
#define MAX_COLS 200u
#define MAX_STEPS 48u /* up the tree */
#define MAX_SPAN 200u
#define IN_ORDER 0.9f /* share of neighbouring rows and cells that must stand in order */
#define LONG_CELL 40u /* words of a cell that is prose */
#define PROSE 0.6f    /* share of a table's words in such cells */
#define SLACK 2.0f    /* points */

static const DpTag *
tag_at (const DpTagPage *page, gint index)
{
  return &g_array_index (page->tags, DpTag, index);
}

gboolean
dp_tag_is (const DpTagPage *page, gint index, const char *kind)
{
  return strcmp (tag_at (page, index)->kind, kind) == 0;
}

static gboolean
is_cell (const DpTagPage *page, gint index)
{
  return dp_tag_is (page, index, "TD") || dp_tag_is (page, index, "TH");
}

gint
dp_tag_cell_in (const DpTagPage *page, gint index, gint table)
{
  gint cell = -1;

  for (guint step = 0; index >= 0 && step < MAX_STEPS; step++, index = page->parents[index]) {
    if (index == table)
      return cell;
    if (is_cell (page, index))
      cell = index;
  }
  return -1;
}

/* ---- the grid ---------------------------------------------------------------------------------------------- */

static void
cell_clear (gpointer data)
{
  g_array_unref (((DpTagCell *) data)->words);
}

static void
grid_clear (DpTagGrid *grid)
{
  g_array_unref (grid->cells);
}

/* The first free column from col on; busy: rows that a cell above still fills. */
static guint
free_column (const guint *busy, guint col)
{
  while (col < MAX_COLS && busy[col] > 0)
    col++;
  return col;
}

/* Cells of the table in rows and columns, as HTML places them. */
static gboolean
read_grid (const DpTagPage *page, gint table, DpTagGrid *grid, gint *cell_of)
{
  guint busy[MAX_COLS] = { 0 }, col = 0;
  const guint depth = tag_at (page, table)->depth;
  gint row = -1, row_tag = -1;

  for (gint i = table + 1; i < (gint) page->tags->len && tag_at (page, i)->depth > depth; i++) {
    const DpTag *tag = tag_at (page, i);
    gint above = page->parents[i];
    while (above > table && !dp_tag_is (page, above, "Table"))
      above = page->parents[above];
    if (above != table)
      continue; /* of an inner table */
    if (dp_tag_is (page, i, "TR")) {
      if (++row >= (gint) MAX_ROWS)
        return FALSE;
      row_tag = i;
      col = 0;
      for (guint c = 0; row > 0 && c < MAX_COLS; c++)
        busy[c] -= busy[c] > 0 ? 1 : 0;
      continue;
    }
    if (!is_cell (page, i) || row < 0 || tag->depth <= tag_at (page, row_tag)->depth)
      continue;
    DpTagCell cell = { .tag = i, .row = (guint) row, .row_span = MIN (tag->row_span, MAX_SPAN), .col_span = tag->col_span };
    cell.col = col = free_column (busy, col);
    if (cell.col + cell.col_span > MAX_COLS)
      return FALSE;
    for (guint c = cell.col; c < cell.col + cell.col_span; c++)
      busy[c] = cell.row_span;
    col += cell.col_span;
    grid->n_cols = MAX (grid->n_cols, col);
    cell.words = g_array_new (FALSE, FALSE, sizeof (DpTableWord));
    cell_of[i] = (gint) grid->cells->len;
    g_array_append_val (grid->cells, cell);
  }
  grid->n_rows = (guint) (row + 1);
  return grid->n_rows > 1 && grid->n_cols > 1;
}

/* Puts the page's words into the cells; in_table: marks them.  Box of all of them. */
static DpRect
fill_grid (const DpTagPage *page, gint table, DpTagGrid *grid, const gint *cell_of, guint8 *in_table, guint *n)
{
  DpRect box = { 0 };

  *n = 0;
  for (guint i = 0; i < page->layout->words->len; i++) {
    const DpWord *word = &g_array_index (page->layout->words, DpWord, i);
    const gint tag = page->word_tags[i] >= 0 ? dp_tag_cell_in (page, page->word_tags[i], table) : -1;
    const DpTableWord entry = { .box = word->box, .baseline = word->baseline, .size = word->size, .index = i };
    if (tag < 0 || cell_of[tag] < 0)
      continue;
    DpTagCell *cell = &g_array_index (grid->cells, DpTagCell, cell_of[tag]);
    cell->box = cell->words->len ? dp_rect_union (cell->box, word->box) : word->box;
    g_array_append_val (cell->words, entry);
    box = *n ? dp_rect_union (box, word->box) : word->box;
    in_table[i] = 1;
    ++*n;
  }
  return box;
}

/* ---- spans that the tree does not tell ---------------------------------------------------------------------- */

/* TRUE if the tree tells of no span in the whole table: producers that leave them out leave the rows of different lengths. */
static gboolean
tells_no_spans (const DpTagGrid *grid)
{
  for (guint i = 0; i < grid->cells->len; i++) {
    const DpTagCell *cell = &g_array_index (grid->cells, DpTagCell, i);
    if (cell->row_span > 1 || cell->col_span > 1)
      return FALSE;
  }
  return TRUE;
}

/* Left ends of the columns, from the rows that have all cells; a column without text there has none (G_MAXFLOAT). */
static void
column_ends (const DpTagGrid *grid, const guint *n_in_row, float *lefts)
{
  for (guint c = 0; c < grid->n_cols; c++)
    lefts[c] = G_MAXFLOAT;
  for (guint i = 0; i < grid->cells->len; i++) {
    const DpTagCell *cell = &g_array_index (grid->cells, DpTagCell, i);
    if (n_in_row[cell->row] == grid->n_cols && cell->words->len)
      lefts[cell->col] = MIN (lefts[cell->col], cell->box.x0);
  }
}

/* The column that the cell begins in: the last one that does not begin right of it, between the two bounds. */
static guint
column_of (const DpTagCell *cell, const float *lefts, guint least, guint most)
{
  guint at = least;

  for (guint c = least + 1; cell->words->len && c <= most; c++)
    if (lefts[c] <= cell->box.x0 + SLACK)
      at = c;
  return at;
}

/* Cells of a row that has fewer than there are columns fill all of them: each reaches up to the next one. */
static void
spread_rows (DpTagGrid *grid)
{
  g_autofree guint *n_in_row = g_new0 (guint, grid->n_rows + 1);
  g_autofree float *lefts = g_new (float, grid->n_cols + 1);
  DpTagCell *before = NULL;
  guint left = 0; /* cells of the row that are still to come */

  for (guint i = 0; i < grid->cells->len; i++)
    n_in_row[g_array_index (grid->cells, DpTagCell, i).row]++;
  column_ends (grid, n_in_row, lefts);
  for (guint i = 0; i < grid->cells->len; i++) {
    DpTagCell *cell = &g_array_index (grid->cells, DpTagCell, i);
    if (!before || before->row != cell->row) {
      left = n_in_row[cell->row];
      cell->col = 0;
    } else {
      cell->col = column_of (cell, lefts, before->col + 1, grid->n_cols - left);
      before->col_span = cell->col - before->col;
    }
    left--;
    cell->col_span = grid->n_cols - cell->col;
    before = cell;
  }
}

/* ---- is it sane ------------------------------------------------------------------------------------------------ */

/* Two rows and two columns with text at least; only the rows that stand on this page stay. */
static gboolean
cut_to_page (DpTagGrid *grid)
{
  guint first = G_MAXUINT, last = 0, n_rows = 0, n_cols = 0, kept = 0;
  g_autofree guint8 *rows = g_new0 (guint8, grid->n_rows + 1), *cols = g_new0 (guint8, grid->n_cols + 1);

  for (guint i = 0; i < grid->cells->len; i++) {
    const DpTagCell *cell = &g_array_index (grid->cells, DpTagCell, i);
    if (cell->words->len == 0)
      continue;
    first = MIN (first, cell->row);
    last = MAX (last, cell->row);
    n_rows += rows[cell->row] ? 0 : 1;
    n_cols += cols[cell->col] ? 0 : 1;
    rows[cell->row] = cols[cell->col] = 1;
  }
  if (n_rows < 2 || n_cols < 2)
    return FALSE;
  for (guint i = 0; i < grid->cells->len; i++) {
    DpTagCell *cell = &g_array_index (grid->cells, DpTagCell, i);
    if (cell->row < first || cell->row > last) {
      cell->row_span = 0;
      continue;
    }
    cell->row -= first;
    cell->row_span = MIN (cell->row_span, last - first + 1 - cell->row);
    kept++;
  }
  grid->n_rows = last - first + 1;
  return kept >= 4;
}

/* Cells of one row stand from left to right, rows from top to bottom. */
static gboolean
in_order (const DpTagGrid *grid)
{
  const DpTagCell *left = NULL;
  g_autofree float *tops = g_new (float, grid->n_rows + 1);
  guint pairs = 0, good = 0;

  for (guint r = 0; r <= grid->n_rows; r++)
    tops[r] = G_MAXFLOAT;
  for (guint i = 0; i < grid->cells->len; i++) {
    const DpTagCell *cell = &g_array_index (grid->cells, DpTagCell, i);
    if (cell->row_span == 0 || cell->words->len == 0)
      continue;
    tops[cell->row] = MIN (tops[cell->row], cell->box.y0);
    if (left && left->row == cell->row) {
      pairs++;
      good += cell->box.x0 >= left->box.x1 - SLACK ? 1 : 0;
    }
    left = cell;
  }
  float last = -G_MAXFLOAT;
  for (guint r = 0; r < grid->n_rows; r++) {
    if (tops[r] >= G_MAXFLOAT)
      continue;
    pairs++;
    good += tops[r] >= last - SLACK ? 1 : 0;
    last = tops[r];
  }
  return (float) good >= IN_ORDER * (float) pairs;
}

gboolean
dp_tag_holds_word (DpRect box, const DpWord *word)
{
  return !word->hidden && dp_rect_contains_point (box, dp_rect_cx (word->box), dp_rect_cy (word->box));
}

/* The words of a figure that lies over the table do not count, whether the tree or the page says that it is one. */
static gboolean
in_figure (const DpTagPage *page, guint index)
{
  const DpPageLayout *layout = page->layout;
  const DpWord *word = &g_array_index (layout->words, DpWord, index);
  gint tag = page->word_tags[index];

  for (guint step = 0; tag >= 0 && step < MAX_STEPS; step++, tag = page->parents[tag])
    if (dp_tag_is (page, tag, "Figure"))
      return TRUE;
  for (guint r = 0; r < layout->regions->len; r++) {
    const DpRegion *region = &g_array_index (layout->regions, DpRegion, r);
    if (region->kind == DP_REGION_FIGURE && dp_tag_holds_word (region->box, word))
      return TRUE;
  }
  return FALSE;
}

/* Hardly any word but its own stands in the box that the words of a cell fill; what lies over empty cells, as charts on a
 * sheet do, is no fault of the table. */
static gboolean
stands_alone (const DpTagPage *page, const DpTagGrid *grid, DpRect box, const guint8 *in_table, guint n)
{
  guint strangers = 0;

  for (guint i = 0; i < page->layout->words->len; i++) {
    const DpWord *word = &g_array_index (page->layout->words, DpWord, i);
    gboolean within = FALSE;
    if (in_table[i] || !dp_tag_holds_word (box, word) || in_figure (page, i))
      continue;
    for (guint k = 0; !within && k < grid->cells->len; k++) {
      const DpTagCell *cell = &g_array_index (grid->cells, DpTagCell, k);
      within = cell->words->len > 0 && dp_tag_holds_word (cell->box, word);
    }
    strangers += within ? 1 : 0;
    if (strangers > n)
      return FALSE;
  }
  return (float) n >= DP_TAG_ALONE * (float) (n + strangers);
}

/* Two or three columns whose words mostly stand in long cells lay out text, a number beside its question and answer. */
static gboolean
lays_out_text (const DpTagGrid *grid, guint n)
{
  guint prose = 0;

  for (guint i = 0; i < grid->cells->len; i++) {
    const DpTagCell *cell = &g_array_index (grid->cells, DpTagCell, i);
    prose += cell->words->len > LONG_CELL ? cell->words->len : 0;
  }
  return grid->n_cols <= 3 && (float) prose > PROSE * (float) n;
}

/* ---- one table ------------------------------------------------------------------------------------------ */

void
dp_tag_table_clear (gpointer data)
{
  DpTagTable *candidate = data;

  grid_clear (&candidate->grid);
  g_free (candidate->in_table);
}

gboolean
dp_tag_table_read (const DpTagPage *page, gint table, gint *cell_of, DpTagTable *out)
{
  DpTagTable c = { .tag = table, .place = -1 };
  gboolean sane;
  guint n = 0;

  c.grid.cells = g_array_new (FALSE, FALSE, sizeof (DpTagCell));
  g_array_set_clear_func (c.grid.cells, cell_clear);
  c.in_table = g_new0 (guint8, page->layout->words->len + 1);
  sane = read_grid (page, table, &c.grid, cell_of);
  if (sane) {
    c.box = fill_grid (page, table, &c.grid, cell_of, c.in_table, &n);
    if (tells_no_spans (&c.grid))
      spread_rows (&c.grid);
    sane = n > 0 && cut_to_page (&c.grid) && in_order (&c.grid) && !lays_out_text (&c.grid, n)
           && stands_alone (page, &c.grid, c.box, c.in_table, n);
  }
  for (guint i = 0; i < c.grid.cells->len; i++)
    cell_of[g_array_index (c.grid.cells, DpTagCell, i).tag] = -1;
  if (sane)
    *out = c;
  else
    dp_tag_table_clear (&c);
  return sane;
}

DpTable *
dp_tag_table_make (const DpTagPage *page, const DpTagTable *source)
{
  const DpTagGrid *grid = &source->grid;
  DpTable *table = dp_table_new (grid->n_rows, grid->n_cols);
  const DpTableView view = { .layout = page->layout };
  g_autofree gint *places = g_new (gint, (gsize) grid->n_rows * grid->n_cols + 1);
  gboolean header = TRUE;

  table->element = (guint) source->tag + 1;
  for (guint i = 0; i < grid->n_rows * grid->n_cols; i++)
    places[i] = -1; /* empty */
  for (guint i = 0; i < grid->cells->len; i++) {
    const DpTagCell *cell = &g_array_index (grid->cells, DpTagCell, i);
    for (guint r = cell->row; r < cell->row + cell->row_span; r++)
      for (guint c = cell->col; c < cell->col + cell->col_span; c++)
        places[r * grid->n_cols + c] = r == cell->row && c == cell->col ? (gint) i : -2; /* covered */
  }
  for (guint r = 0; r < grid->n_rows; r++) {
    gboolean heads = FALSE;
    for (guint c = 0; c < grid->n_cols; c++) {
      const gint place = places[r * grid->n_cols + c];
      if (place == -1)
        dp_table_add_cell (table, r, c, 1, 1, (DpRect){ 0 });
      if (place < 0)
        continue;
      const DpTagCell *cell = &g_array_index (grid->cells, DpTagCell, place);
      DpCell *out = dp_table_add_cell (table, r, c, cell->row_span, cell->col_span, cell->box);
      out->header = dp_tag_is (page, cell->tag, "TH");
      heads = heads || (cell->words->len > 0 && !out->header);
      dp_table_fill_cell (&view, out, cell->words);
    }
    header = header && !heads;
    table->n_header_rows += header && table->n_header_rows == r ? 1 : 0;
  }
  if (table->n_header_rows == grid->n_rows)
    table->n_header_rows = 1;
  return table;
}
