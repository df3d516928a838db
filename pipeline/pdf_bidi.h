/* pipeline/pdf_bidi.h - poppler's text of right-to-left pages, paired with its boxes. */
#pragma once

#include "pipeline/poppler.h"

G_BEGIN_DECLS

/* The characters of a page with the boxes that belong to them. */
typedef struct {
  char *text;              /* UTF-8 in logical order, without embedding marks */
  PopplerRectangle *boxes; /* as poppler gives them: per word from left to right */
  guint n_boxes;
  guint *box_of;         /* per character of text: its index into boxes; NULL = the same number */
  PopplerRectangle area; /* the selection that gave them, for poppler_page_get_text_attributes_for_area */
} DpPdfText;

/* FALSE, and nothing to free, if the page has no text layer. */
gboolean dp_pdf_text_read (PopplerPage *page, DpPdfText *out);
void dp_pdf_text_clear (DpPdfText *text);

/* Removes the embedding marks U+202A..U+202C from text, in place, and returns for each
 * character left the place of its box; NULL if there were none, or if what is left are not n_boxes characters. */
guint *dp_pdf_undo_embedding (char *text, guint n_boxes);

G_END_DECLS
