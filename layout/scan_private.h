/* layout/scan_private.h - inside layout/scan*.c: a page picture in the making.  See scan.h. */
#pragma once

#include "layout/scan.h"
#include "layout/scan_leptonica.h"
#include "layout/warp.h"

G_BEGIN_DECLS

/* The ground of a clean page; above INK a pixel of it is no ink. */
#define DP_SCAN_GROUND 250
#define DP_SCAN_INK 180
#define DP_SCAN_TILE 8
#define DP_SCAN_INK_TILE 24          /* pixels: about a letter */
#define DP_SCAN_LEAST_CONTRAST 38.0f /* of ink to the ground */

/* A connected piece of ink: a letter, a part of one, several that touch. */
typedef struct {
  gint x0, y0, x1, y1; /* x1, y1 outside */
  guint line;          /* index into lines, or G_MAXUINT */
  guint leader;        /* number of the row of dots from a title to its page number, 0 = of none */
  guint dot : 1;       /* too small to be a letter: dot, comma, accent, hyphen, speck */
  guint sideways : 1;  /* of writing that runs up or down the page */
} DpScanPart;

typedef struct {
  gint x0, y0, x1, y1;
  gboolean vertical;
} DpScanRule;

/* The pixels of a binary picture, or the bytes of a grey one, as words. */
typedef struct {
  l_uint32 *data;
  gsize wpl;
  gint w, h;
} DpScanBits;

struct DpScan {
  double dpi;
  double ruler; /* pixels per inch if the type is of usual size: thresholds in points are measured with it */
  gint w, h;
  gint turn;
  gboolean screened;
  gboolean skewed_for_sure; /* rows say so; else lines are asked */
  double skew, certainty;
  PIX *grey;                 /* 8 bits, clean, upright; rules wiped out */
  PIX *ink;                  /* 1 bit: without rules and pictures */
  guint8 *bytes;             /* the pixels of grey, in order of the columns; set at the end, then grey is no PIX any more */
  const l_uint32 *ink_words; /* those of ink */
  gsize ink_wpl;
  gsize stride;     /* of bytes */
  float unit;       /* usual height of a piece of ink */
  GArray *parts;    /* DpScanPart, in order of lines at the end */
  GArray *rules;    /* DpScanRule */
  GArray *dark;     /* DpScanRule: boxes that were white on black */
  GArray *photos;   /* DpScanRule: boxes */
  GArray *lines;    /* DpScanLine */
  GArray *paths;    /* DpPath */
  GArray *pictures; /* DpRect */
  guint8 *tint;     /* only of parts of pages */
  gint tint_w, tint_h;
};

static inline gint
dp_scan_pixels (const DpScan *scan, double points)
{
  return MAX (1, (gint) (points * scan->ruler / 72 + 0.5));
}

static inline DpScanBits
dp_scan_bits_of (PIX *pix)
{
  const DpLeptonica *l = dp_leptonica ();

  return (DpScanBits){ l->pixGetData (pix), (gsize) l->pixGetWpl (pix), l->pixGetWidth (pix), l->pixGetHeight (pix) };
}

static inline gboolean
dp_scan_bit (const DpScanBits *b, gint x, gint y)
{
  return x >= 0 && y >= 0 && x < b->w && y < b->h && GET_DATA_BIT (b->data + (gsize) y * b->wpl, x);
}

/* ---- scan_clean.c ---- */
/* The surface as a PIX of 8 bits, or NULL. */
PIX *dp_scan_from_surface (cairo_surface_t *picture);
/* Evens out ground and shadows; a dark page with light type is inverted first.  Takes grey. */
PIX *dp_scan_even_ground (PIX *grey, double dpi);

/* Sharpens a picture in which the edges of strokes are wide (unsharp masking); FALSE if it is sharp enough. */
gboolean dp_scan_sharpen (PIX *grey);

/* Blurs the dots of a screen to a tint and evens that out.  Takes grey. */
PIX *dp_scan_descreen (PIX *grey, double dpi);
/* Which tiles of DP_SCAN_TILE pixels of a picture are darker than its paper, row by row: bars and slices of charts, which an
 * even ground does away with.  *w, *h: tiles. */
guint8 *dp_scan_tint (PIX *grey, gint *w, gint *h);

/* ---- scan_ink.c ---- */
/* NULL without memory. */
PIX *dp_scan_ink (PIX *grey);

/* ---- scan_runs.c ---- */
/* The runs of at least n pixels along rows or columns: an opening by n x 1 or 1 x n. */
PIX *dp_scan_long_runs (PIX *ink, gint n, gboolean vertical);

/* ---- scan_components.c ---- */
/* The boxes (DpScanRule) of the connected pieces of ink, by their first pixel from the top and the left.  corners: pixels connect at
 * their corners, too. */
GArray *dp_scan_components (PIX *ink, gboolean corners);

/* ---- scan_pixels.c: grey pages ---- */
/* n words of Leptonica to 4 n pixels, and back. */
void dp_scan_row_bytes (const l_uint32 *words, gsize n, guint8 *bytes);
void dp_scan_row_words (const guint8 *bytes, gsize n, l_uint32 *words);
/* Multiplies the pixels of each tile, up to white, by its factor: of 16 bits, in 256ths. */
void dp_scan_multiply (PIX *grey, PIX *factors, gint tile);
/* Of half the size, nothing blurred. */
PIX *dp_scan_every_second (PIX *grey);
/* Takes each pixel fraction farther from the mean of its neighbourhood (2 reach + 1 pixels wide and high, reach <= 8).  FALSE: too small. */
gboolean dp_scan_unsharp (PIX *grey, gint reach, float fraction);
/* Turned about its centre, clockwise, radians, less than a right angle by far; what comes from outside is ground.  Takes grey. */
PIX *dp_scan_turn_a_little (PIX *grey, double angle, guint8 ground);

/* ---- scan_turn.c ---- */
/* Chooses 0 or 90 degrees and the skew from scan->ink, sets the ruler, and says whether the ground is dotted. */
void dp_scan_find_turn (DpScan *scan, gboolean upright);
/* From the lines of a page that may be a little skewed: by how much it has to be turned, as dp_scan_skew(); 0 if they do not agree. */
double dp_scan_skew_of_lines (const DpScan *scan);
/* From the lines: certainty; TRUE if the page stands on its head. */
gboolean dp_scan_is_upside_down (const DpScan *scan, double *certainty);

/* ---- scan_dark.c ---- */
void dp_scan_find_dark (DpScan *scan);

/* ---- scan_rules.c ---- */
void dp_scan_find_rules (DpScan *scan);
/* Thin runs of ink of at least so many pixels, as boxes (DpScanRule); a great many at most. */
void dp_scan_open_rules (const DpScan *scan, gint length, gboolean vertical, GArray *out);
/* Wipes a rule out of ink and grey page, but not where something crosses it. */
void dp_scan_take_out (const DpScanBits *ink, const DpScanBits *grey, const DpScanRule *rule);

/* ---- scan_frames.c ---- */
/* Frames around words, which say that they are links, leave the ink. */
void dp_scan_find_frames (DpScan *scan);

/* ---- scan_pictures.c ---- */
void dp_scan_find_photos (DpScan *scan);
/* Drawings: pieces of ink that are far too large for letters; they leave the parts. */
void dp_scan_find_drawings (DpScan *scan);

/* ---- scan_parts.c ---- */
/* All connected pieces of ink but the smallest specks (GArray of DpScanPart) and their usual height. */
GArray *dp_scan_parts_of (PIX *ink, double dpi, float *unit);
/* Whether there are so many specks among the letters that the page has a dotted ground. */
gboolean dp_scan_is_screened (const GArray *parts, float unit);
/* Boxes by rows, for looking to the right. */
typedef struct DpScanIndex DpScanIndex;
DpScanIndex *dp_scan_index_new (gfloat band);
void dp_scan_index_add (DpScanIndex *index, gint x0, gint y0, gint y1, guint id);
void dp_scan_index_sort (DpScanIndex *index);
void dp_scan_index_free (DpScanIndex *index);
/* Calls visit for all boxes whose centre lies between rows y0 and y1 and whose left edge lies from x0 up to, not
 * including, x1. */
typedef void (*DpScanVisit) (guint id, gpointer data);
void dp_scan_index_look (const DpScanIndex *index, gint x0, gint x1, gint y0, gint y1, DpScanVisit visit, gpointer data);
/* Share of pieces whose nearest neighbour stands beside and not above or below them. */
double dp_scan_beside_share (const GArray *parts, float unit);
/* Marks letters of writing that runs up or down a page which stands upright: labels of axes, stamps in the margin. */
void dp_scan_mark_sideways (GArray *parts, float unit);

/* ---- scan_gutter.c ---- */
typedef struct DpScanGutter DpScanGutter;
DpScanGutter *dp_scan_gutter_new (const DpScan *scan);
void dp_scan_gutter_free (DpScanGutter *gutter);
/* Whether columns from..to of a row around baseline belong to white space between columns, or hold a rule. */
gboolean dp_scan_gutter_bars (const DpScanGutter *gutter, gint from, gint to, float baseline, float em);
gboolean dp_scan_rule_bars (const DpScanGutter *gutter, gint from, gint to, gint y0, gint y1);

/* ---- scan_raised.c ---- */
/* Gives raised ones among the n parts from first on, a line from left to right, new numbers of lines: ++*next for each run. */
void dp_scan_part_raised (DpScan *scan, guint first, guint n, guint *next);

/* ---- scan_leaders.c ---- */
/* Marks rows of dots from a title to its page number; returns their number. */
guint dp_scan_mark_leaders (GArray *parts, float unit);

/* ---- scan_lines.c ---- */
void dp_scan_find_lines (DpScan *scan);

/* ---- scan_edges.c ---- */
typedef struct {
  float along, across;
} DpScanPoint;
/* across = *at + *slope * along for most of the points, in order of along; FALSE if not for the share of them within reach. */
gboolean dp_scan_fit_line (const DpScanPoint *points, guint n, float reach, float share, double *at, double *slope);
/* Corners of the sheet of paper on a photograph (CAIRO_FORMAT_A8), clockwise from the top left one, pixels; FALSE if it fills the picture or
 * its edges are not seen. */
gboolean dp_scan_find_edges (cairo_surface_t *picture, double corners[4][2]);
/* The projective map, row by row, from a rectangle to a quadrilateral. */
void dp_scan_map_square (const double corners[4][2], double width, double height, double m[9]);

/* ---- scan_fold.c ---- */
/* The column between the two pages of an open book; FALSE if there is one page. */
gboolean dp_scan_find_fold (const DpScan *scan, gint *x);

/* ---- scan_bend.c ---- */
/* Where the pixels of a straight page lie on this one, whose paper does not lie flat; FALSE if it does.  Clear grid. */
gboolean dp_scan_find_bend (const DpScan *scan, DpWarpGrid *grid);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (DpScanIndex, dp_scan_index_free)
G_DEFINE_AUTOPTR_CLEANUP_FUNC (DpScanGutter, dp_scan_gutter_free)

G_END_DECLS
