/* layout/order.h - inside reading order: blocks of a page and how a group of them is read.
 *
 * Internal to order.c (page, margins), order_cut.c (the recursive cut), order_bands.c (white
 * lines and gutters) and order_judge.c (columns, bands or rows?).
 */
#pragma once

#include "layout/layout.h"

G_BEGIN_DECLS

/* One region in the frame of the page's main direction; mirrored on right-to-left pages, so
 * that reading always starts at the top left. */
typedef struct {
  DpRect box;
  guint region;       /* index into DpPageLayout.regions */
  guint n_lines;      /* text lines, 0 for tables, figures and listings */
  float first_base;   /* v of the first baseline; top of the box for tables and figures */
  float mean_width;   /* mean width of its lines in em */
  float max_width;    /* of its widest line, em */
  float size;         /* of the first line, points */
  guint32 layer;      /* smallest place of its words in the text layer; G_MAXUINT32 = none */
  guint32 last_layer; /* largest place of a line's first word there */
  gboolean is_text;   /* TEXT: may be taken apart into lines; a table, figure or listing never is */
  guint column;       /* of the group being judged */
  guint band;         /* of the group being judged */
} DpOrderItem;

typedef struct {
  DpPageLayout *layout;
  GArray *items; /* DpOrderItem */
  gint angle;    /* main direction of the page */
  gboolean rtl;
  float em;        /* size of the body, points */
  float pitch;     /* line distance of the body, points */
  guint n_columns; /* numbers given to columns so far */
  GArray *out;     /* guint: regions in reading order */
} DpOrder;

typedef enum {
  DP_READ_COLUMNS, /* each column to its end */
  DP_READ_BANDS,   /* band after band, each from left to right: side headings, cards, slides */
  DP_READ_ROWS,    /* line by line across the columns: forms, contents, loose tables */
} DpReading;

/* How a group of items is read that a gutter parts into n_columns; items carry their column
 * and band.  band_gap: smallest white space between two bands, points. */
DpReading dp_order_judge (const DpOrder *order, const guint *items, guint n, guint n_columns, guint n_bands, float band_gap);

/* A box of the page in the order's frame. */
DpRect dp_order_box (const DpOrder *order, DpRect box);

/* ---- bands and gutters (order_bands.c) ---- */

typedef struct {
  float from, to;
} DpOrderSpan;

/* Items that no white line across the page parts. */
typedef struct {
  guint first, n; /* in the sorted list of items */
  float top, bottom;
  GArray *free; /* DpOrderSpan: what no item covers, from -inf to +inf */
} DpOrderBand;

/* Neighbouring bands that one gutter runs through; a single band if there is none. */
typedef struct {
  guint first, n;    /* bands */
  GArray *free;      /* DpOrderSpan: common free spans; owned */
  float left, right; /* extent of its items */
} DpOrderGroup;

/* Sorts items by their tops and cuts them where a white line runs through.  The caller
 * unrefs the array of DpOrderBand. */
GArray *dp_order_find_bands (const DpOrder *order, guint *items, guint n);

/* The group that begins with band `first`; the caller unrefs its `free`. */
DpOrderGroup dp_order_find_group (const DpOrder *order, const guint *items, const GArray *bands, guint first);

/* Gutters of a group: 0 = it cannot be cut upright. */
guint dp_order_count_gutters (const DpOrderGroup *group);

/* TRUE if a rule runs down each of the group's gutters, and none across: columns, whatever stands in them. */
gboolean dp_order_is_ruled (const DpOrder *order, const GArray *bands, const DpOrderGroup *group);

/* Gives the group's items their column and band; returns the number of columns. */
guint dp_order_number_columns (DpOrder *order, const guint *items, const GArray *bands, const DpOrderGroup *group);

/* GCompareDataFunc for items by top and by left edge; data is the DpOrder. */
gint dp_order_compare_tops (gconstpointer a, gconstpointer b, gpointer data);
gint dp_order_compare_lefts (gconstpointer a, gconstpointer b, gpointer data);

/* ---- the cut (order_cut.c) ---- */

/* Appends the items' regions to order->out in reading order. */
void dp_order_cut (DpOrder *order, guint *items, guint n);

/* Puts a region that was left out of the cut into order->out[from..]: before the first
 * region that lies on it or begins below its middle, else at the end. */
void dp_order_insert (DpOrder *order, guint from, guint region);

/* Appends one item; column as in DpRegion. */
void dp_order_emit (DpOrder *order, guint item, guint column);

static inline DpOrderItem *
dp_order_item (const DpOrder *order, guint i)
{
  return &g_array_index (order->items, DpOrderItem, i);
}

G_END_DECLS
