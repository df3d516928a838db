/* tests/output/build.h - small documents for the tests of the writers. */
#pragma once

#include <string.h>

#include "output/output.h"

static inline DpBlock *
add_block (GPtrArray *to, DpBlockKind kind, const char *text)
{
  DpBlock *block = dp_block_new (kind, 1, (DpRect){ 10, 20, 110, 40 });

  if (text)
    dp_block_add_text (block, text, 0, NULL);
  g_ptr_array_add (to, block);
  return block;
}

static inline DpCell *
add_cell (DpTable *table, guint row, guint col, guint row_span, guint col_span, const char *text)
{
  DpCell *cell = dp_table_add_cell (table, row, col, row_span, col_span, (DpRect){ 0, 0, 10, 10 });

  if (text)
    g_ptr_array_add (cell->spans, dp_span_new (text, 0, NULL));
  return cell;
}

static inline void
add_page (DpDocument *document, guint number)
{
  DpPageInfo info = { .number = number, .width = 200, .height = 400 };
  g_array_append_val (document->pages, info);
}

static inline cairo_surface_t *
picture (double r, double g, double b)
{
  cairo_surface_t *surface = cairo_image_surface_create (CAIRO_FORMAT_RGB24, 5, 3);
  cairo_t *cr = cairo_create (surface);

  cairo_set_source_rgb (cr, r, g, b);
  cairo_paint (cr);
  cairo_destroy (cr);
  return surface;
}
