/* output/pdf_file.h - a PDF that cairo draws, into a stream or a file: what overlay.c and searchable.c share. */
#pragma once

#include <cairo-pdf.h>

#include "output/output.h"

G_BEGIN_DECLS

/* Draws all pages on cr, a PDF surface; stops at the first error of cr. */
typedef void (*DpPdfDraw) (cairo_t *cr, gpointer data);

/* what: the name of the file in messages ("the layout overlay").  FALSE with DP_OUTPUT_ERROR. */
gboolean dp_pdf_draw_stream (DpPdfDraw draw, gpointer data, const char *what, cairo_write_func_t write, gpointer closure, GError **error);
gboolean dp_pdf_draw_file (DpPdfDraw draw, gpointer data, const char *what, const char *path, GError **error);

/* Paints a picture of a page over width x height points.  NULL paints nothing. */
void dp_pdf_paint_picture (cairo_t *cr, cairo_surface_t *picture, double width, double height);

/* A side of a page as PDF allows it (PDF 32000-1, annex C), leaving margin points. */
double dp_pdf_side (double side, double margin);

G_END_DECLS
