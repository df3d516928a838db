/* layout/scan.h - the picture of a page: upright, straight, clean, and where its lines of text are.
 *
 * For pages without a text layer of their own.  What a scanner or a camera did is undone first
 * (turned sheets, skew, shadows, grounds, white on black), then the page falls into rules, pictures
 * and lines of text.  Lines are tight: none crosses a gutter between columns or a rule of a table.
 * They are found, not read: dp_scan_crop() cuts one out for a reader, and pipeline/recognise.c
 * makes glyphs of the answer, so that all that follows is the same as for a page that had text.
 *
 * Everything is measured on the upright page in pixels of its own resolution; dp_scan_scale() says
 * how many points a pixel is.  Steps, each in a file of its own:
 *
 *   scan_clean.c      luminance -> even ground (scan_pixels.c: the loops over all pixels)
 *   scan_ink.c        grey -> ink (1 bit)
 *   scan_turn.c       which way the sheet lies, and its skew
 *   scan_dark.c       white on black -> black on white
 *   scan_frames.c     frames around links leave the ink
 *   scan_rules.c      rules leave the ink (scan_runs.c: long runs)
 *   scan_pictures.c   photographs and drawings leave the ink
 *   scan_parts.c      connected pieces of ink, their neighbours
 *   scan_lines.c      pieces -> lines (scan_gutter.c: what may not be crossed; scan_raised.c: numbers of notes; scan_leaders.c)
 *   scan_crop.c       lines as pictures for a reader
 *   scan_sheets.c     photographs and open books: scan_edges.c the sheet on its table, scan_fold.c two pages, scan_bend.c paper that is not flat
 *
 * Leptonica does the work on pixels and is loaded when the first page needs it (scan_leptonica.h).
 * Methods: Bloomberg, "Leptonica: document image analysis" (skew, ground, morphology); O'Gorman,
 * "The document spectrum" (1993), for lines from nearest neighbours.
 */
#pragma once

#include "layout/page.h"
#include "layout/warp.h"

G_BEGIN_DECLS

typedef struct DpScan DpScan;

#define DP_SCAN_ERROR (dp_scan_error_quark ())
GQuark dp_scan_error_quark (void);
typedef enum { DP_SCAN_ERROR_PICTURE, DP_SCAN_ERROR_LIBRARY } DpScanError;

/* One line of text, or a cell of a table.  Pixels; x1 and y1 are the first column and row outside. */
typedef struct {
  gint x0, y0, x1, y1; /* around its ink */
  float baseline;      /* y on which most of its pieces stand */
  float height;        /* of its usual pieces over the baseline: between x-height and cap height */
  float em;            /* size of its type, a guess from heights alone */
  guint n_parts;       /* connected pieces of ink, dots included */
  guint first_part;    /* in the scan's own list */
  gboolean leader;     /* its pieces are the dots between a title and its page number: not for a reader */
  gboolean joined;     /* the next line of the array goes on in the same row without a gutter between */
} DpScanLine;

/* Takes a picture of a whole page or of a part of one (CAIRO_FORMAT_A8, luminance, 0 = black; not kept) and
 * finds all of it.  upright: do not ask which way the sheet lies (parts of pages that have text).
 * NULL and a DP_SCAN_ERROR if the surface is of another kind, empty, or larger than 100 million pixels,
 * or if Leptonica is not there.  About 25 ns a pixel. */
DpScan *dp_scan_new (cairo_surface_t *picture, double dpi, gboolean upright, GError **error);
void dp_scan_free (DpScan *scan);

/* By how much the picture was turned, clockwise, to stand upright: 0, 90, 180, 270. */
gint dp_scan_turn (const DpScan *scan);
/* By how much it was then turned about its centre, clockwise, degrees: -7..7. */
double dp_scan_skew (const DpScan *scan);
/* How sure the choice between upright and upside down is: |up - down| / sqrt (up + down) over letters that
 * reach above or below the others, as in Leptonica's pixUpDownDetect(); below about 4, better read a few lines both ways. */
double dp_scan_certainty (const DpScan *scan);
/* Stands the page on its head, for callers that know better. */
void dp_scan_turn_over (DpScan *scan);

/* Size of the upright page in pixels. */
gint dp_scan_width (const DpScan *scan);
gint dp_scan_height (const DpScan *scan);
/* Points per pixel. */
double dp_scan_scale (const DpScan *scan);

/* DpScanLine, owned by the scan: rows from top to bottom inside a column, valid until dp_scan_turn_over(). */
const GArray *dp_scan_lines (const DpScan *scan);
/* DpPath in points, as if the rules had been stroked and the dark boxes filled. */
const GArray *dp_scan_paths (const DpScan *scan);
/* DpRect in points: photographs, drawings. */
const GArray *dp_scan_pictures (const DpScan *scan);
/* The box around all that is drawn, in points; FALSE if that is nothing but specks. */
gboolean dp_scan_ink_box (const DpScan *scan, DpRect *box);
/* Share of all ink that lies in lines or rules, 0..1; 1 on an empty page.  read: a byte per line, 0 = it is no text after all;
 * NULL: all are. */
double dp_scan_text_share (const DpScan *scan, const guint8 *read);

/* Of a part of a page (upright): share of its area that is coloured and far from any text, as the bars of a chart are. */
double dp_scan_tinted_share (const DpScan *scan, const guint8 *read);

/* A line cut out of the clean grey page: rows of width bytes, 0 = black, ground 255, ink of other lines wiped out.
 * Owned by the caller. */
typedef struct {
  guint8 *pixels;
  gint width, height;
  gint x, y; /* where its corner lies on the upright page */
} DpScanCrop;

void dp_scan_crop (const DpScan *scan, guint line, DpScanCrop *crop);
void dp_scan_crop_clear (DpScanCrop *crop);

/* Mean width of strokes in columns x0..x1 of a line, pixels; 0 without ink. */
float dp_scan_stroke (const DpScan *scan, guint line, gint x0, gint x1);
/* The first and last column + 1 with ink of the line in columns x0..x1; FALSE without ink. */
gboolean dp_scan_ink_span (const DpScan *scan, guint line, gint x0, gint x1, gint *from, gint *to);
/* The widest run of columns without ink of the line between x0 and x1; FALSE if there is none. */
gboolean dp_scan_widest_gap (const DpScan *scan, guint line, gint x0, gint x1, gint *from, gint *to);
/* The columns of piece k of a line, from left to right. */
void dp_scan_piece (const DpScan *scan, guint line, guint k, gint *x0, gint *x1);
/* Heights over the baseline of the line's pieces (dots left out), ascending; caller frees the array of float. */
GArray *dp_scan_heights (const DpScan *scan, guint line);

/* ---- sheets of paper ---- */

/* What a picture shows: one sheet, or the two pages of an open book, each flat, straight and upright. */
typedef struct DpScanSheets DpScanSheets;

/* As dp_scan_new() of a whole page.  The edges of a sheet on a table are found first; a fold or lines that are not straight make a second
 * look at what was cut out or flattened necessary. */
DpScanSheets *dp_scan_sheets_new (cairo_surface_t *picture, double dpi, GError **error);
void dp_scan_sheets_free (DpScanSheets *sheets);
guint dp_scan_sheets_n (const DpScanSheets *sheets);
/* From left to right as they were found.  Owned by sheets. */
DpScan *dp_scan_sheets_scan (const DpScanSheets *sheets, guint i);
/* Whether both pages of an open book were turned over: then the first one is the second that was found. */
gboolean dp_scan_sheets_over (const DpScanSheets *sheets);
/* Where on the picture the sheets lie, in reading order side by side on the upright page; NULL if turn and skew of the only one say it.  Caller frees. */
DpWarp *dp_scan_sheets_warp (const DpScanSheets *sheets);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (DpScan, dp_scan_free)
G_DEFINE_AUTOPTR_CLEANUP_FUNC (DpScanSheets, dp_scan_sheets_free)

G_END_DECLS
