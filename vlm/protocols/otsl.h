/* vlm/protocols/otsl.h - OTSL, the table language of MinerU2.5 and docling's models, to HTML.
 *
 * Tokens: <fcel> a cell with text, <ecel> an empty cell, <lcel> joined to the left, <ucel> joined to the one above, <xcel> both,
 * <nl> end of row (Lysak et al. 2023, "Optimized Table Tokenization").  The text of a cell is what follows its token.
 */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* HTML without white space between tags, as mineru-vl-utils writes it: <table><tr><td rowspan="2" colspan="3">text</td>...; only
 * td, spans of 1 left out, text stripped and escaped (quotes too).  Short rows are filled up with empty cells, empty rows vanish,
 * a joining token that joins to nothing is an empty cell.  A text that is already <table...</table> comes back as it is; one
 * without a cell gives "".  Text that belongs to no cell (in front of the first token, behind <nl>) is left out; the reference
 * then loses every text behind it as well.  NULL with DP_VLM_ERROR_INPUT when rows times columns exceed 1,000,000: the caller
 * keeps the raw text.  The result is owned by the caller. */
char *dp_otsl_to_html (const char *otsl, GError **error);

/* Formulas of a table's HTML: \( .. \) and \[ .. \] become <eq>..</eq>, stripped inside; what is in <eq> already stays. */
char *dp_otsl_mark_formulas (const char *html);

G_END_DECLS
