/* pipeline/pdf_underscore.h - underscores that are drawn, not written. */
#pragma once

#include "pipeline/pdf_extract.h"

/* TeX sets the underscore of its text faces as a short rule on the baseline: file_name.c comes as two words with a rule between.
 * Puts the character in wherever a rule fills the gap behind a character of its line, and takes the rule away. */
void dp_pdf_read_underscores (DpPageArrays *page);
