/* layout/hyphens.h - hyphens at line ends: part of a compound, or of the division of a word?
 *
 * What a document says about the words that its lines divide; without a document, only what
 * their parts say themselves.
 */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

typedef struct DpHyphens DpHyphens;
typedef struct DpFlow DpFlow;

/* Reads the words of all lines; roles must be known.  The flow owns the result (flow->hyphens). */
DpHyphens *dp_hyphens_new (const DpFlow *flow);
void dp_hyphens_free (DpHyphens *hyphens);
/* Text of n bytes ends in a hyphen and a line, the next line starts with next, a small letter: TRUE if the
 * hyphen belongs to a compound and stays.  hyphens may be NULL. */
gboolean dp_hyphens_keep (const DpHyphens *hyphens, const char *end, gsize n, const char *next);
/* The same before a capital, where a hyphen stays: TRUE if both parts are in capitals ("SO-", "LAR") and
 * the document writes their word without hyphen. */
gboolean dp_hyphens_drop_in_capitals (const DpHyphens *hyphens, const char *end, gsize n, const char *next);

G_END_DECLS
