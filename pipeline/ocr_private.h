/* pipeline/ocr_private.h - inside pipeline/ocr*.c. */
#pragma once

#include "layout/scan.h"
#include "pipeline/ocr.h"
#include "vlm/line_reader.h"

G_BEGIN_DECLS

/* ---- ocr_page.c ---- */
/* Reads a whole picture.  part: of a page that stands upright; one that is not mainly text is not read.  cost: may be NULL. */
DpPageReading *dp_ocr_read (DpOcr *ocr, cairo_surface_t *picture, double dpi, gboolean part, DpReadingCost *cost, GError **error);

/* ---- ocr.c ---- */
/* A reader that nobody uses: waits for one, or opens another.  NULL with an error.  Give it back. */
DpLineReader *dp_ocr_take_reader (DpOcr *ocr, GError **error);
void dp_ocr_give_back (DpOcr *ocr, DpLineReader *reader);

/* ---- ocr_line.c ---- */
/* A word of a line, for what is decided over the page. */
typedef struct {
  guint first, n; /* characters of the line */
  float stroke;   /* width of its strokes, pixels; 0 = not known */
} DpOcrWord;

/* A line that was read, in pixels. */
typedef struct {
  guint line; /* of the scan */
  char *text; /* owned */
  float confidence;
  float size;           /* of the type, pixels */
  guint n_chars;        /* spaces included */
  DpReadingChar *chars; /* owned; pixels */
  GArray *words;        /* DpOcrWord */
} DpOcrLine;

void dp_ocr_line_clear (gpointer line);

/* Puts a result in its place.  x: column of the page at which the crop began.  FALSE: nothing was read. */
gboolean dp_ocr_line_place (const DpScan *scan, guint line, gint x, DpLineResult *result, DpOcrLine *out);
/* The same for a row of dots, which needs no reader. */
void dp_ocr_leader_place (const DpScan *scan, guint line, DpOcrLine *out);

/* ---- ocr_order.c ---- */
/* Puts lines (DpOcrLine, row by row) that follow each other in a column one after the other. */
void dp_ocr_order (const DpScan *scan, GArray *lines);

/* ---- ocr_labels.c ---- */
/* Makes pictures (DpRect, points) as large as the labels around them need; lines: DpOcrLine, still in pixels. */
void dp_ocr_grow_pictures (const DpScan *scan, const GArray *lines, GArray *pictures);

/* ---- ocr_bullets.c ---- */
/* Bullets of lists get their own sign. */
void dp_ocr_mark_bullets (GArray *lines);

/* ---- ocr_pitch.c ---- */
/* Marks the characters of lines set in a typewriter's face with DP_GLYPH_MONO; lines: row by row. */
void dp_ocr_mark_pitch (const DpScan *scan, GArray *lines);

/* ---- ocr_formulas.c ---- */
/* Finds displayed formulas, outside of pictures, that a reader of lines cannot have read (DpRect, points); lines: DpOcrLine,
 * still in pixels. */
void dp_ocr_find_formulas (const DpScan *scan, const GArray *lines, const GArray *pictures, GArray *formulas);

G_END_DECLS
