/* layout/tag_tables.c - tables that the structure tree of a tagged PDF describes.
 *
 * The tree gives rows and cells with their spans, the places of marked content say which words stand in which cell.  A
 * table is taken from the tree if its words fill their box nearly alone, its rows follow each other downwards and its
 * cells to the right, and if whole regions of the page are in it; it replaces what was found there.  A table inside a
 * cell is text of that cell; what has fewer than two rows or columns with text is a frame, and its inner tables count.
 */
#include "layout/tables.h"
#include "layout/tags.h"

#include <math.h>
#include <string.h>

#define MAX_TABLES 64u /* of one page */
#define MAX_ROWS 4000u
#define MAX_COLS 200u
#define MAX_STEPS 48u /* up the tree */
#define MAX_SPAN 200u
#define ALONE 0.93f   /* share of the words in a table's box that must be its own */
#define IN_ORDER 0.9f /* share of neighbouring rows and cells that must stand in order */
#define SLACK 2.0f    /* points */

typedef struct {
  gint tag; /* TD or TH */
  guint row, col, row_span, col_span;
  GArray *words; /* DpTableWord, owned */
  DpRect box;    /* of its words */
} TreeCell;

typedef struct {
  GArray *cells; /* TreeCell */
  guint n_rows, n_cols;
} TreeGrid;

typedef struct {
  const GArray *tags;
  const gint *parents;
  DpPageLayout *layout;
  const gint *word_tags; /* of each word: its element, -1 = none */
} Page;

static const DpTag *
tag_at (const Page *page, gint index)
{
  return &g_array_index (page->tags, DpTag, index);
}

static gboolean
is_kind (const Page *page, gint index, const char *kind)
{
  return strcmp (tag_at (page, index)->kind, kind) == 0;
}

static gboolean
is_cell (const Page *page, gint index)
{
  return is_kind (page, index, "TD") || is_kind (page, index, "TH");
}

/* The cell of that table that the element stands in, -1 = none. */
static gint
cell_in (const Page *page, gint index, gint table)
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

/* ---- words and their elements --------------------------------------------------------------------------- */

static void
name_words (const DpPageLayout *layout, const GArray *marks, gint *word_tags)
{
  for (guint i = 0; i < layout->words->len; i++) {
    const DpWord *word = &g_array_index (layout->words, DpWord, i);
    word_tags[i]
        = word->hidden || word->angle != 0 ? -1 : dp_tag_mark_before (marks, layout->number, word->box.x0, word->baseline, word->size);
  }
}

/* ---- the grid ---------------------------------------------------------------------------------------------- */

static void
cell_clear (gpointer data)
{
  g_array_unref (((TreeCell *) data)->words);
}

static void
grid_clear (TreeGrid *grid)
{
  g_array_unref (grid->cells);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (TreeGrid, grid_clear)

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
read_grid (const Page *page, gint table, TreeGrid *grid, gint *cell_of)
{
  guint busy[MAX_COLS] = { 0 }, col = 0;
  const guint depth = tag_at (page, table)->depth;
  gint row = -1, row_tag = -1;

  for (gint i = table + 1; i < (gint) page->tags->len && tag_at (page, i)->depth > depth; i++) {
    const DpTag *tag = tag_at (page, i);
    gint above = page->parents[i];
    while (above > table && !is_kind (page, above, "Table"))
      above = page->parents[above];
    if (above != table)
      continue; /* of an inner table */
    if (is_kind (page, i, "TR")) {
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
    TreeCell cell = { .tag = i, .row = (guint) row, .row_span = MIN (tag->row_span, MAX_SPAN), .col_span = tag->col_span };
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
fill_grid (const Page *page, gint table, TreeGrid *grid, const gint *cell_of, guint8 *in_table, guint *n)
{
  DpRect box = { 0 };

  *n = 0;
  for (guint i = 0; i < page->layout->words->len; i++) {
    const DpWord *word = &g_array_index (page->layout->words, DpWord, i);
    const gint tag = page->word_tags[i] >= 0 ? cell_in (page, page->word_tags[i], table) : -1;
    const DpTableWord entry = { .box = word->box, .baseline = word->baseline, .size = word->size, .index = i };
    if (tag < 0 || cell_of[tag] < 0)
      continue;
    TreeCell *cell = &g_array_index (grid->cells, TreeCell, cell_of[tag]);
    cell->box = cell->words->len ? dp_rect_union (cell->box, word->box) : word->box;
    g_array_append_val (cell->words, entry);
    box = *n ? dp_rect_union (box, word->box) : word->box;
    in_table[i] = 1;
    ++*n;
  }
  return box;
}

/* ---- is it sane ------------------------------------------------------------------------------------------------ */

/* Two rows and two columns with text at least; only the rows that stand on this page stay. */
static gboolean
cut_to_page (TreeGrid *grid)
{
  guint first = G_MAXUINT, last = 0, n_rows = 0, n_cols = 0, kept = 0;
  g_autofree guint8 *rows = g_new0 (guint8, grid->n_rows + 1), *cols = g_new0 (guint8, grid->n_cols + 1);

  for (guint i = 0; i < grid->cells->len; i++) {
    const TreeCell *cell = &g_array_index (grid->cells, TreeCell, i);
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
    TreeCell *cell = &g_array_index (grid->cells, TreeCell, i);
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
in_order (const TreeGrid *grid)
{
  const TreeCell *left = NULL;
  g_autofree float *tops = g_new (float, grid->n_rows + 1);
  guint pairs = 0, good = 0;

  for (guint r = 0; r <= grid->n_rows; r++)
    tops[r] = G_MAXFLOAT;
  for (guint i = 0; i < grid->cells->len; i++) {
    const TreeCell *cell = &g_array_index (grid->cells, TreeCell, i);
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

static gboolean
holds_word (DpRect box, const DpWord *word)
{
  return !word->hidden && dp_rect_contains_point (box, dp_rect_cx (word->box), dp_rect_cy (word->box));
}

/* The words of a figure that lies over the table do not count. */
static gboolean
in_figure (const DpPageLayout *layout, const DpWord *word)
{
  for (guint r = 0; r < layout->regions->len; r++) {
    const DpRegion *region = &g_array_index (layout->regions, DpRegion, r);
    if (region->kind == DP_REGION_FIGURE && holds_word (region->box, word))
      return TRUE;
  }
  return FALSE;
}

static gboolean
stands_alone (const Page *page, DpRect box, const guint8 *in_table, guint n)
{
  guint strangers = 0;

  for (guint i = 0; i < page->layout->words->len; i++) {
    const DpWord *word = &g_array_index (page->layout->words, DpWord, i);
    strangers += !in_table[i] && holds_word (box, word) && !in_figure (page->layout, word) ? 1 : 0;
  }
  return (float) n >= ALONE * (float) (n + strangers);
}

/* ---- the page's regions -------------------------------------------------------------------------------------------- */

typedef enum { OUTSIDE, PARTLY, WHOLLY } Share;

static Share
share_of_line (const DpLine *line, const guint8 *in_table)
{
  guint inside = 0;

  for (guint w = 0; w < line->n_words; w++)
    inside += in_table[line->first_word + w];
  return inside == 0 ? OUTSIDE : inside == line->n_words ? WHOLLY : PARTLY;
}

/* How much of a region is in the table: by its lines where it has any, by the words in its box elsewhere. */
static Share
share_of_region (const DpPageLayout *layout, const DpRegion *region, const guint8 *in_table)
{
  guint inside = 0, all = 0;

  if (region->kind == DP_REGION_TEXT || region->kind == DP_REGION_CODE) {
    for (guint i = 0; i < region->lines->len; i++) {
      const Share share = share_of_line (&g_array_index (layout->lines, DpLine, g_array_index (region->lines, guint, i)), in_table);
      if (share == PARTLY)
        return PARTLY;
      inside += share == WHOLLY ? 1 : 0;
    }
    return inside == 0 ? OUTSIDE : inside == region->lines->len ? WHOLLY : PARTLY;
  }
  for (guint i = 0; i < layout->words->len; i++) {
    const DpWord *word = &g_array_index (layout->words, DpWord, i);
    if (!holds_word (region->box, word))
      continue;
    all++;
    inside += in_table[i];
  }
  if ((float) inside >= ALONE * (float) all)
    return inside == 0 ? OUTSIDE : WHOLLY;
  return inside == 0 || region->kind == DP_REGION_FIGURE ? OUTSIDE : PARTLY;
}

/* The region in whose place the table comes; -1 if it cannot be put into the page without tearing another one. */
static gint
find_place (const DpPageLayout *layout, const guint8 *in_table, Share *shares)
{
  gint place = -1;

  for (guint r = 0; r < layout->regions->len; r++) {
    const DpRegion *region = &g_array_index (layout->regions, DpRegion, r);
    shares[r] = share_of_region (layout, region, in_table);
    if (shares[r] == PARTLY)
      return -1;
    if (shares[r] == WHOLLY
        && (place < 0 || (region->kind == DP_REGION_TABLE && g_array_index (layout->regions, DpRegion, place).kind != DP_REGION_TABLE)))
      place = (gint) r;
  }
  return place;
}

/* The cells of the grid and empty ones where the tree has none, in row-major order. */
static DpTable *
make_table (const Page *page, TreeGrid *grid)
{
  DpTable *table = dp_table_new (grid->n_rows, grid->n_cols);
  const DpTableView view = { .layout = page->layout };
  g_autofree gint *places = g_new (gint, (gsize) grid->n_rows * grid->n_cols + 1);
  gboolean header = TRUE;

  for (guint i = 0; i < grid->n_rows * grid->n_cols; i++)
    places[i] = -1; /* empty */
  for (guint i = 0; i < grid->cells->len; i++) {
    const TreeCell *cell = &g_array_index (grid->cells, TreeCell, i);
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
      const TreeCell *cell = &g_array_index (grid->cells, TreeCell, place);
      DpCell *out = dp_table_add_cell (table, r, c, cell->row_span, cell->col_span, cell->box);
      out->header = is_kind (page, cell->tag, "TH");
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

static void
put_table (const Page *page, DpTable *table, DpRect box, gint place, const Share *shares, const guint8 *in_table)
{
  DpPageLayout *layout = page->layout;
  const DpTablePart part = { .page = layout->number, .box = box };

  for (guint r = 0; r < layout->regions->len; r++) {
    DpRegion *region = &g_array_index (layout->regions, DpRegion, r);
    if (shares[r] != WHOLLY)
      continue;
    g_clear_pointer (&region->table, dp_table_free);
    region->kind = DP_REGION_TEXT; /* of no lines, unless it is the table's place */
    if (region->lines)
      g_array_set_size (region->lines, 0);
    else
      region->lines = g_array_new (FALSE, FALSE, sizeof (guint));
  }
  for (guint i = 0; i < layout->words->len; i++)
    if (in_table[i])
      g_array_index (layout->words, DpWord, i).taken = 1;
  DpRegion *region = &g_array_index (layout->regions, DpRegion, place);
  region->kind = DP_REGION_TABLE;
  region->table = table;
  region->box = box;
  g_array_append_val (table->parts, part);
}

/* ---- one table, one page ------------------------------------------------------------------------------------------- */

/* TRUE if the table was taken from the tree. */
static gboolean
take_table (const Page *page, gint table, gint *cell_of)
{
  g_auto (TreeGrid) grid = { .cells = g_array_new (FALSE, FALSE, sizeof (TreeCell)) };
  g_autofree guint8 *in_table = g_new0 (guint8, page->layout->words->len + 1);
  g_autofree Share *shares = g_new0 (Share, page->layout->regions->len + 1);
  gboolean sane;
  DpRect box;
  guint n;
  gint place;

  g_array_set_clear_func (grid.cells, cell_clear);
  sane = read_grid (page, table, &grid, cell_of);
  if (sane) {
    box = fill_grid (page, table, &grid, cell_of, in_table, &n);
    sane = n > 0 && cut_to_page (&grid) && in_order (&grid) && stands_alone (page, box, in_table, n);
  }
  for (guint i = 0; i < grid.cells->len; i++)
    cell_of[g_array_index (grid.cells, TreeCell, i).tag] = -1;
  place = sane ? find_place (page->layout, in_table, shares) : -1;
  if (place >= 0)
    put_table (page, make_table (page, &grid), box, place, shares, in_table);
  return place >= 0;
}

/* The tables that words of the page stand in, outer ones first. */
static GArray *
tables_of_page (const Page *page)
{
  GArray *tables = g_array_new (FALSE, FALSE, sizeof (gint));
  g_autoptr (GHashTable) seen = g_hash_table_new (NULL, NULL);

  for (guint i = 0; i < page->layout->words->len; i++) {
    gint index = page->word_tags[i];
    for (guint step = 0; index >= 0 && step < MAX_STEPS && !g_hash_table_contains (seen, GINT_TO_POINTER (index)); step++) {
      g_hash_table_add (seen, GINT_TO_POINTER (index));
      if (is_kind (page, index, "Table") && tables->len < MAX_TABLES)
        g_array_append_val (tables, index);
      index = page->parents[index];
    }
  }
  return tables;
}

static gint
compare_index (gconstpointer a, gconstpointer b)
{
  return *(const gint *) a - *(const gint *) b;
}

static void
take_tables (const Page *page, gint *cell_of)
{
  g_autoptr (GArray) tables = tables_of_page (page);
  gint taken = -1; /* the last one that was taken */

  g_array_sort (tables, compare_index); /* in pre-order an outer table comes before its inner ones */
  for (guint i = 0; i < tables->len; i++) {
    const gint table = g_array_index (tables, gint, i);
    if (taken >= 0 && cell_in (page, page->parents[table], taken) >= 0)
      continue;
    if (take_table (page, table, cell_of))
      taken = table;
  }
}

void
dp_tag_tables (GPtrArray *pages, const DpDocumentInfo *info)
{
  g_autofree gint *parents = NULL, *cell_of = NULL;
  g_autoptr (GArray) marks = NULL;

  if (!info || info->marks->len == 0)
    return;
  parents = dp_tag_parents (info->tags);
  marks = dp_tag_marks_sorted (info);
  cell_of = g_new (gint, info->tags->len + 1);
  for (guint i = 0; i < info->tags->len; i++)
    cell_of[i] = -1;
  for (guint p = 0; p < pages->len; p++) {
    DpPageLayout *layout = g_ptr_array_index (pages, p);
    g_autofree gint *word_tags = g_new (gint, layout->words->len + 1);
    const Page page = { info->tags, parents, layout, word_tags };
    if (layout->needs_model)
      continue;
    name_words (layout, marks, word_tags);
    take_tables (&page, cell_of);
  }
}
