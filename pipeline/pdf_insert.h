/* pipeline/pdf_insert.h - characters put into a page that its text layer left out. */
#pragma once

#include "pipeline/pdf_extract.h"

/* A character and its place: behind the glyph `after` (-1: before the first); of several there, the smaller order comes first. */
typedef struct {
  gint after;
  guint order;
  DpGlyph glyph;
} DpGlyphInsert;

/* Puts inserts (DpGlyphInsert, sorted on the way) in. */
void dp_pdf_insert_glyphs (DpPageArrays *page, GArray *inserts);
