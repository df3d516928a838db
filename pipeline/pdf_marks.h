/* pipeline/pdf_marks.h - marks above and below letters go behind the letter they belong to. */
#pragma once

#include "pipeline/pdf_extract.h"
#include "pipeline/pdf_tap.h"

G_BEGIN_DECLS

/* Vowel signs and accents of their own (points of Hebrew, vowels of Arabic and Syriac, signs of Indic scripts and Thai) are
 * painted without room on the line, raised or lowered, wherever their letter has room for them.  poppler sees gaps and new
 * lines at them, cuts the boxes of letters short and sorts marks by their edges.  Here
 *  - spaces that only such a cut box made are taken away;
 *  - in writing from right to left the letters of every line with marks are put in order again, each with its marks behind
 *    it and in its box, and spaces are where letters stand apart.
 * Which glyph a mark is, and whose, is told by what was painted: fonts say what a glyph means, and a mark is painted next to
 * its letter.  painted: for each character the painted glyph, -1 = none; it holds for the characters as they were.
 * used: for each painted glyph whether a character of the text is known for it.  TRUE if characters changed their places. */
gboolean dp_pdf_marks (const DpTap *tap, const gint *painted, guint8 *used, DpPageArrays *out);

G_END_DECLS
