/* pipeline/pdf_profiles.h - pictures that are only read need no colour management; runs only inside the child.
 *
 * poppler takes every pixel of an image with an ICC profile through Little CMS, 50 ns each, four times what decoding a JPEG
 * costs.  A reader of grey pictures does as well with the stored values.  As with cairo (pdf_tap.h), docparse
 * defines the function that converts pixels itself and passes it on, except while profiles are ignored; then grey and
 * RGB of a byte a component are copied as they are.
 */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* From now on, in this thread: TRUE = ignore them. */
void dp_pdf_ignore_profiles (gboolean ignore);

G_END_DECLS
