/* layout/order.h - inside reading order: blocks of a page and how a group of them is read.
 *
 * Internal to order.c (the recursive cut) and order_judge.c (columns, bands or rows?).
 */
#pragma once

#include "layout/layout.h"

G_BEGIN_DECLS

/* One region in the frame of the page's main direction; mirrored on right-to-left pages, so
 * that reading always starts at the top left. */
typedef struct {
  DpRect box;
  guint region;     /* index into DpPageLayout.regions */
  guint n_lines;    /* text lines, 0 for tables and figures */
  float first_base; /* v of the first baseline; top of the box for tables and figures */
  float mean_width; /* mean width of its lines in em */
  float max_width;  /* of its widest line, em */
  float size;       /* of the first line, points */
  guint32 layer;    /* smallest place of its words in the text layer; G_MAXUINT32 = none */
  gboolean is_text; /* TEXT or CODE: may be taken apart into lines */
  guint column;     /* of the group being judged */
  guint band;       /* of the group being judged */
} DpOrderItem;

typedef struct {
  DpPageLayout *layout;
  GArray *items; /* DpOrderItem */
  gint angle;    /* main direction of the page */
  gboolean rtl;
  float em;    /* size of the body, points */
  float pitch; /* line distance of the body, points */
  GArray *out; /* guint: regions in reading order */
} DpOrder;

typedef enum {
  DP_READ_COLUMNS, /* each column to its end */
  DP_READ_BANDS,   /* band after band, each from left to right: side headings, cards, slides */
  DP_READ_ROWS,    /* line by line across the columns: forms, contents, loose tables */
} DpReading;

/* How a group of items is read that a gutter parts into n_columns; items carry their column
 * and band.  band_gap: smallest white space between two bands, points. */
DpReading dp_order_judge (const DpOrder *order, const guint *items, guint n, guint n_columns, guint n_bands, float band_gap);

/* The box of a line in the order's frame. */
DpRect dp_order_line_box (const DpOrder *order, const DpLine *line);

static inline DpOrderItem *
dp_order_item (const DpOrder *order, guint i)
{
  return &g_array_index (order->items, DpOrderItem, i);
}

G_END_DECLS
