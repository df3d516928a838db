/* pipeline/pdf_content.h - where marked content begins on a page: a scanner of content streams.
 *
 * It knows the operators that move text and those that mark content (ISO 32000-2, 8.4, 9.4, 14.6) and passes over all
 * others: no fonts, no widths, no forms.  A piece of text is told where its place is said, that is after an operator that
 * moves, which is how every line begins; text that goes on where the text before it ended is not told.
 */
#pragma once

#include "pipeline/pdf_objects.h"

G_BEGIN_DECLS

#define DP_CONTENT_ARTIFACT (-1)

typedef struct {
  double x, y; /* origin of its first glyph, default user space */
  gint mcid;   /* marked-content identifier, or DP_CONTENT_ARTIFACT */
} DpContentMark;

/* The MCID that a name in the page's property list stands for; < 0: none. */
typedef gint (*DpContentNamed) (const char *name, gpointer data);

/* Appends what size bytes at data, the decoded content of a page, mark, to marks (DpContentMark).  named may be NULL.
 * Pieces of one identifier that follow each other on one baseline are told once.  Text outside of marked content is not told. */
void dp_content_scan (const guint8 *data, gsize size, DpContentNamed named, gpointer user_data, GArray *marks);

G_END_DECLS
