/* pipeline/model_text.h - text as a model writes it, as spans of the document; and how far it is what the page's own text says. */
#pragma once

#include "layout/document.h"

G_BEGIN_DECLS

/* Appends the text to spans: \( .. \) become FORMULA spans (a formula that is nothing but a raised sign becomes SUPER), <sup> and
 * <sub> their styles, full-width letters and digits ASCII.  Lines are joined as in a paragraph, or kept as breaks.  Where \( and \) do
 * not pair up, they stay text. */
void dp_model_spans (GPtrArray *spans, const char *text, gboolean breaks);

/* The last characters of a text that ends a sentence or goes on: TRUE where next may be the rest of it (MinerU's rule: no closing
 * punctuation before, no digit or capital after). */
gboolean dp_model_goes_on (const char *text, const char *next);

/* 0..1: share of the character pairs inside words that two texts have in common (Dice), in whatever order; LaTeX commands,
 * braces and white space do not count.  1 for two empty texts. */
float dp_model_agreement (const char *a, const char *b);

G_END_DECLS
