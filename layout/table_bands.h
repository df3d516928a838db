/* layout/table_bands.h - what stands between two rules of one width.
 *
 * Inside the table passes only: tables_framed.c asks band by band whether a frame goes on.
 */
#pragma once

#include "layout/tables.h"

G_BEGIN_DECLS

#define DP_FRAME_SIDE 6.0f /* text may stick out of the frame so far */

typedef struct {
  guint lines, multi; /* lines; those of several fragments */
  guint wraps;        /* lines of one that begin where such a line has a piece, but not its first: they go on in its cell */
  guint prose;        /* lines of running text: long, or side by side in columns */
  guint leaders;      /* lines with dots up to a number: a contents page */
  guint prose_run;    /* most lines of running text in a row, the last line of a paragraph counted */
  guint overrun;      /* lines that go on outside the frame */
  gboolean caption;
} DpTableBand;

/* text: the words of the view in box. */
DpTableBand dp_table_judge_band (const DpTableView *view, const DpTableText *text, DpRect box);
/* TRUE if the band cannot lie inside a table.  size: of the text around, points. */
gboolean dp_table_band_breaks (const DpTableBand *band, float height, float size);

G_END_DECLS
