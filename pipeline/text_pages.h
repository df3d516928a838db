/* pipeline/text_pages.h - the words of pages on their way to the process that writes them into the PDF (pdf_update.h). */
#pragma once

#include "output/output.h"

G_BEGIN_DECLS

/* A page whose words are to be added. */
typedef struct {
  guint32 number;
  float width, height; /* points, upright */
  gint32 turn;         /* how the page of the file has to be turned and straightened to be upright: DpPage.turn, DpPage.skew */
  double skew;
  GArray *words; /* DpLayerWord, on the upright page; owned, unless the page was made for dp_text_pages_write() */
} DpTextPage;

/* Appends n pages as bytes. */
void dp_text_pages_write (const DpTextPage *pages, guint n, GByteArray *out);
/* GArray of DpTextPage, as far as the bytes are good; the caller unrefs. */
GArray *dp_text_pages_read (gconstpointer data, gsize size);

G_END_DECLS
