/* layout/table_board.h - the places of a grid while cells still merge.
 *
 * Inside the table passes only.  A board begins with one cell per place; text that
 * crosses columns and labels that stand beside several rows make larger ones.
 */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

typedef struct {
  guint row, col, row_span, col_span;
  gboolean filled;
} DpBoardCell;

typedef struct {
  GArray *cells; /* DpBoardCell; those merged away stay, unused */
  guint *place;  /* index of the cell at row * n_cols + col */
  guint n_cols, n_rows;
} DpBoard;

DpBoard *dp_board_new (guint n_rows, guint n_cols);
void dp_board_free (DpBoard *board);

static inline guint
dp_board_id (const DpBoard *board, guint row, guint col)
{
  return board->place[(gsize) row * board->n_cols + col];
}

static inline DpBoardCell *
dp_board_cell (const DpBoard *board, guint row, guint col)
{
  return &g_array_index (board->cells, DpBoardCell, dp_board_id (board, row, col));
}

/* Claims columns [col, col + span) of a row for one filled cell; grows over what is there. */
void dp_board_claim (DpBoard *board, guint row, guint col, guint span);
/* Makes the cells at (row, col) and below it one, if both are single columns and not both filled. */
void dp_board_merge_down (DpBoard *board, guint row, guint col);

/* A label in a column: where its middle stands, in rows (2 = on the third row, 2.5 = below it). */
typedef struct {
  float at;
} DpBoardLabel;

/* Rows first..last of a column hold these labels (top to bottom).  If they can be parted so that
 * each label stands in the middle of its rows, makes cells over those rows; else changes nothing.
 * whole: the rows are parted from their neighbours by rules, so labels one below the other may
 * also be lines of one. */
gboolean dp_board_span_labels (DpBoard *board, guint col, guint first, guint last, const GArray *labels, gboolean whole);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (DpBoard, dp_board_free)

G_END_DECLS
