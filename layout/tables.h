/* layout/tables.h - what the table finders and the figure finder share.
 *
 * A finder works on a view: the page turned so that its text runs from left to right
 * (a table set sideways is then no special case), with the words and rules that no
 * table has taken yet.  It proposes a grid; table_build.c fills the grid with text, judges
 * it and, if it is accepted, takes the words out of the running text.
 *
 * Space: points; view space for everything named view, page space otherwise.
 */
#pragma once

#include "layout/layout.h"

G_BEGIN_DECLS

/* ---- rules (rules.c) ------------------------------------------------------------------- */

/* Joins pieces of the same line: at most 1 pt across and 4 pt along apart; dots and dashes
 * become one rule, double rules one.  Pieces shorter than 3 pt that stay alone are dropped.
 * Sorts by pos, then from.  n log n. */
void dp_rules_join (GArray *rules);

/* ---- views ----------------------------------------------------------------------------- */

typedef struct {
  DpRect box;
  float baseline, size;
  guint index;      /* into DpPageLayout.words */
  guint number : 1; /* digits and what goes with them */
  guint blank : 1;  /* stands where a number would: a dash, "nil", "n/a" */
  guint sign : 1;   /* of a currency, alone */
  guint tail : 1;   /* closes a number or joins two: ")", "%", a times or plus-minus sign */
  guint leader : 1; /* dots only: leads the eye to the number */
} DpTableWord;

typedef struct DpTableText DpTableText;

typedef struct {
  DpPageLayout *layout; /* borrowed */
  gint angle;           /* of the text: 0, 90, 180, 270 */
  float width, height;
  GArray *words;           /* DpTableWord, not taken, by vertical centre */
  GArray *hrules, *vrules; /* DpRule outside of tables, sorted */
  GArray *hedges, *vedges; /* DpRule: sides of fills that show, text highlights left out */
  DpTableText *text;       /* NULL until asked for */
  gboolean rtl;            /* most letters of the page run right to left */
} DpTableView;

/* NULL if the page has too few words of that angle to hold a table. */
DpTableView *dp_table_view_new (DpPageLayout *layout, gint angle);
void dp_table_view_free (DpTableView *view);
DpRect dp_table_view_to_page (const DpTableView *view, DpRect box);
/* The words whose centre lies in box (DpTableWord; free with g_array_unref). */
GArray *dp_table_view_words (const DpTableView *view, DpRect box);

/* Upright rules and sides of fills inside the box that run along share of its height or more (0 to 1, pieces at one x
 * added up): float, sorted; free with g_array_unref (table_uprights.c). */
GArray *dp_table_view_borders (const DpTableView *view, DpRect box, float share);
/* The box with what upright rules that part its columns stick out above and below: the table's head or last rows may
 * have no rule of their own there. */
DpRect dp_table_view_grow (const DpTableView *view, DpRect box);

/* Lines of all its words as they were when this was first asked; owned by the view. */
const DpTableText *dp_table_view_text (DpTableView *view);

/* Calls find for every angle the page's text has.  The views are kept for the next finder, until a region is added to the page
 * (dp_table_accept) or dp_layout_tables_end() is called. */
void dp_table_views_foreach (DpPageLayout *layout, void (*find) (DpTableView *view));

/* ---- lines of text inside a view (table_text.c) ------------------------------------------ */

/* A run of words on one baseline without a gap of a column's width. */
typedef struct {
  float x0, x1;
  guint first, n;      /* words of DpTableText.words */
  guint col, col_span; /* columns it fills; set by the solver */
} DpTableFragment;

typedef struct {
  DpRect box;
  float baseline, size;
  guint first, n; /* fragments of DpTableText.fragments */
} DpTableLine;

struct DpTableText {
  GArray *words;     /* DpTableWord, line by line, left to right */
  GArray *fragments; /* DpTableFragment */
  GArray *lines;     /* DpTableLine, top to bottom */
  float size;        /* median word size, 0 if there is no word */
};

/* A line, a fragment of a text by its index. */
static inline const DpTableLine *
dp_table_line (const DpTableText *text, guint i)
{
  return &g_array_index (text->lines, DpTableLine, i);
}

static inline const DpTableFragment *
dp_table_fragment (const DpTableText *text, guint i)
{
  return &g_array_index (text->fragments, DpTableFragment, i);
}

/* Sorts words (copied) into lines and fragments. */
DpTableText *dp_table_text_new (const GArray *words);
void dp_table_text_free (DpTableText *text);

typedef struct {
  guint n, numbers, prose; /* words; those that are numbers; lower-case words of letters only */
  guint chars;
} DpTableWordCount;

/* What kinds of words a fragment holds. */
DpTableWordCount dp_table_count_words (const DpTableView *view, const DpTableText *text, const DpTableFragment *fragment);
/* How many whole numbers a column holds, if there are three or more and they never fall (the page
 * numbers of a contents page); else 0. */
guint dp_table_column_grows (const DpTableView *view, const DpTableText *text, guint col);
/* TRUE if the fragment holds nothing but a number, or what stands for one. */
gboolean dp_table_is_number (const DpTableText *text, const DpTableFragment *fragment);
/* TRUE if the line opens a caption: "Table 3", "Fig. 2", ... */
gboolean dp_table_line_is_caption (const DpTableView *view, const DpTableText *text, const DpTableLine *line, gboolean tables_only);

/* Appends next to spans by the rules that join lines of a paragraph; takes next over. */
void dp_spans_join (GPtrArray *spans, GPtrArray *next);
/* Appends the text of words (DpTableWord) to the cell, line by line; of view, layout and angle matter. */
void dp_table_fill_cell (const DpTableView *view, DpCell *cell, const GArray *words);

/* ---- right to left (table_rtl.c) ----------------------------------------------------------- */

/* TRUE if the page runs right to left, and the words (DpTableWord) do. */
gboolean dp_table_runs_rtl (const DpTableView *view, const GArray *words);
/* Puts the words of a line that runs right to left in reading order; boxes of its fragments stay. */
void dp_table_order_line (const DpTableView *view, DpTableText *text, const DpTableLine *line);
/* Counts the columns from the other side. */
void dp_table_mirror (DpTable *table);

/* ---- grids ------------------------------------------------------------------------------ */

typedef struct {
  guint row, col, row_span, col_span;
} DpGridCell;

typedef struct {
  GArray *xs, *ys; /* float: borders of columns and rows, one more than there are */
  GArray *cells;   /* DpGridCell, row-major, covering the grid */
  guint n_header_rows;
  float quality;
} DpGrid;

DpGrid *dp_grid_new (void);
void dp_grid_free (DpGrid *grid);
static inline guint
dp_grid_n_cols (const DpGrid *grid)
{
  return grid->xs->len ? grid->xs->len - 1 : 0;
}
static inline guint
dp_grid_n_rows (const DpGrid *grid)
{
  return grid->ys->len ? grid->ys->len - 1 : 0;
}

/* What is known about a table's inside before its text is read. */
typedef struct {
  DpRect box;
  const GArray *rules;   /* DpRule: horizontal ones inside the box with the frame's own, sorted */
  const GArray *borders; /* float: x of vertical rules, sorted; NULL = none */
  gboolean statement;    /* lines with numbers in the columns are rows (tables_statement.c) ... */
  guint n_header;        /* ... and so many lines stand above them */
} DpFrame;

typedef struct {
  float x0, x1; /* extent of its text */
  float b0, b1; /* borders: middle of the channels, or a rule in them */
} DpTableColumn;

/* Columns of the lines of text, of which the first n_header stand above the header's rule
 * (table_columns.c).  Free with g_array_unref. */
GArray *dp_table_find_columns (const DpFrame *frame, const DpTableText *text, guint n_header);
/* Says which columns each fragment fills; cuts fragments at channels (text->fragments and
 * text->lines are rewritten). */
void dp_table_assign_columns (const DpFrame *frame, DpTableText *text, const GArray *columns, guint n_header);

/* Rows from baselines, columns from white channels, spans from rules and text that crosses
 * (table_solve.c).  owner: per word of text, the index of its cell.  NULL if there is no table. */
DpGrid *dp_frame_solve (const DpTableView *view, const DpFrame *frame, DpTableText *text, guint **owner);

/* ---- tables (table_build.c) ---------------------------------------------------------------- */

/* Fills the grid's cells with text.  owner: cell index per word of words, or NULL = the cell that
 * holds the word's centre.  Boxes in page space. */
DpTable *dp_table_build (const DpTableView *view, const DpGrid *grid, const GArray *words, const guint *owner);
/* Adds the table as a region of the page and takes its words; owns table from here on. */
void dp_table_accept (DpTableView *view, DpTable *table, DpRect view_box, const GArray *words);
/* Takes words[] (indices, sorted) out of the running text: they and their fragments become
 * taken and belong to region; a fragment partly inside is split. */
void dp_layout_take_words (DpPageLayout *layout, const GArray *words, gint region);

/* TRUE if the text in box is prose in columns of one width: no table (text_columns.c). */
gboolean dp_table_is_text_columns (const DpTableView *view, DpRect box);
/* TRUE if the table is a list in two columns, labels and sentences: no table (list_grid.c). */
gboolean dp_table_is_list (const DpTable *table);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (DpTableView, dp_table_view_free)
G_DEFINE_AUTOPTR_CLEANUP_FUNC (DpTableText, dp_table_text_free)
G_DEFINE_AUTOPTR_CLEANUP_FUNC (DpGrid, dp_grid_free)

G_END_DECLS
