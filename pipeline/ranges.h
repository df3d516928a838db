/* pipeline/ranges.h - which pages of a document: "1-5,8,12-,last".
 *
 * Pages are counted from 1, as a reader counts them.  An item is a page, a range with
 * both ends, a range without its end (to the last page), or the word "last" in place of
 * a number.  Order and repetition do not matter: the result is in document order and
 * names each page once.
 */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

typedef struct DpRanges DpRanges;

#define DP_RANGES_ERROR (dp_ranges_error_quark ())
GQuark dp_ranges_error_quark (void);
typedef enum {
  DP_RANGES_ERROR_SYNTAX, /* not a list of pages; the message says which item and why */
  DP_RANGES_ERROR_EMPTY,  /* none of the pages is in the document */
} DpRangesError;

/* Reads a list of ranges.  NULL and DP_RANGES_ERROR_SYNTAX if it is not one: page 0, a
 * reversed range, a number above 999,999,999, an empty item. */
DpRanges *dp_ranges_parse (const char *text, GError **error);
void dp_ranges_free (DpRanges *ranges);

/* The pages (guint, ascending, each once) of a document with n_pages pages; ranges = NULL
 * means all.  What lies behind the last page is left out; if nothing remains, NULL and
 * DP_RANGES_ERROR_EMPTY.  Caller unrefs. */
GArray *dp_ranges_pages (const DpRanges *ranges, guint n_pages, GError **error);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (DpRanges, dp_ranges_free)

G_END_DECLS
