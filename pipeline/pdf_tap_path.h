/* pipeline/pdf_tap_path.h - a cairo path to DpPath items: rules, rectangles, frames, the rest. */
#pragma once

#include <cairo.h>

#include "layout/page.h"

typedef struct {
  cairo_matrix_t ctm;
  double line_width; /* user space */
  DpRect clip;       /* page points */
  guint32 colour, paint;
  float alpha;
  guint max_paths;
} DpTapPen;

/* Bounding box of a user-space rectangle on the page; empty if it is not finite. */
DpRect dp_tap_box_through (const cairo_matrix_t *ctm, double x0, double y0, double x1, double y1);

/* Appends what the path paints to paths (DpPath); returns how many items max_paths kept out. */
guint dp_tap_path_classify (const cairo_path_t *path, const DpTapPen *pen, gboolean stroke, GArray *paths);
