/* output/md_escape.h - inside the room: which characters of a text need a backslash. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

typedef enum {
  DP_MD_PARAGRAPH, /* lines may be taken for block structure */
  DP_MD_ITEM,      /* the same at the beginning of a list item */
  DP_MD_HEADING,   /* one line after "# " */
  DP_MD_PLAIN,     /* no backslashes at all */
  DP_MD_CELL,      /* one cell of a pipe table */
} DpMdPlace;

/* The inlines of one block as they will be printed, before escaping.  Each byte is either
 * text (may get a backslash) or markup (printed as it is). */
typedef struct {
  GString *bytes;
  GByteArray *kinds; /* DpMdByte, one per byte */
  gboolean emphasis; /* there is markup made of '*' */
  gboolean formula;  /* there is markup made of '$' */
  gboolean verbatim; /* there is markup made of '`' */
} DpMdInlines;

typedef enum { DP_MD_MARKUP, DP_MD_TEXT, DP_MD_LINK_TEXT } DpMdByte;

void dp_md_inlines_init (DpMdInlines *inlines);
void dp_md_inlines_clear (DpMdInlines *inlines);
void dp_md_inlines_add (DpMdInlines *inlines, const char *bytes, gsize n, DpMdByte kind);

/* Appends the escaped bytes to out; a line feed in them is followed by prefix. */
void dp_md_escape (const DpMdInlines *inlines, DpMdPlace place, const char *prefix, GString *out);

/* Backticks that code can stand between: longer than any run in it, at least three. */
char *dp_code_fence (const char *code);

/* Length of the longest run of c. */
gsize dp_longest_run (const char *text, char c);

G_END_DECLS
