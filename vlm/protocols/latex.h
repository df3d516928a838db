/* vlm/protocols/latex.h - repairs of the LaTeX that MinerU2.5 writes, step by step as mineru-vl-utils 1.2 makes them.
 *
 * Texts are valid UTF-8; results are new and owned by the caller.  All steps are linear in the text.
 */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* A display formula as recognised -> repaired, without \[ \]:
 *  1. one leading \[ and one trailing \] go, white space around too
 *  2. \left and \right without partner get one (latex_fences.c), where their counts differ and arrays are balanced
 *  3. double subscripts _{..}_{..} vanish
 *  4. \eqqcolon -> =:   \coloneqq -> :=
 *  5. \big{)} and \big {)} -> \big), all 16 sizes and 10 fences; \bigtimes -> \times
 *     (the reference leaves a backslash in \biggm{[} and \biggl{[}; this does not)
 *  6. < -> "< "
 *  7. braces without partner go */
char *dp_latex_formula (const char *latex);

/* Step 2 alone. */
char *dp_latex_balance_fences (const char *latex);

/* Step 8: the formulas of one equation block as one: \begin{array}{l} a \\ b \\ \end{array}; with more than one \tag{..} in all of
 * them, each becomes (..). */
char *dp_latex_join (const char *const *formulas, guint n);

/* Step 9: "\[\n" in front and "\n\]" behind, where they are not there already. */
char *dp_latex_display (const char *latex);

/* A text block: \[..\] -> \(..\) unless only digits, dashes, commas and spaces are inside (a citation); in \(..\) a space between \cong,
 * \to, \times, \subset, \in and a single letter; runs of three or more underscores move out of \(..\). */
char *dp_latex_text (const char *text);

G_END_DECLS
