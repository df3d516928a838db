/* output/inlines.h - inside the room: spans as inline nodes of a libcmark tree. */
#pragma once

#include <cmark.h>

#include "output/notes.h"

G_BEGIN_DECLS

typedef enum { DP_INTO_MARKDOWN, DP_INTO_HTML, DP_INTO_TEXT } DpInto;

typedef struct {
  DpInto into;
  const DpNotes *notes;      /* NULL: marks stay raised text */
  gboolean drop_notes;       /* marks vanish */
  const DpBlock *block;      /* where the spans stand, for their marks */
  gboolean dollars;          /* formulas between $ even in HTML: it stands in Markdown */
  const GPtrArray *pictures; /* char * or NULL: targets of the pictures that PICTURE spans name; NULL: their text is printed */
  guint drop_styles;         /* DpSpanStyle that is not printed; BREAK = a space instead */
} DpInlineContext;

/* Appends the spans to parent (paragraph, heading, ...).  White space is folded, styles of
 * equal neighbours are joined and never include the spaces at their edges. */
void dp_inlines_append (cmark_node *parent, const GPtrArray *spans, const DpInlineContext *context);

/* Appends one node: text, or markup that is printed as it is. */
void dp_inlines_text (cmark_node *parent, const char *text);
void dp_inlines_raw (cmark_node *parent, const char *raw);

/* The spans' plain text, white space folded; a BREAK is a line feed if keep_breaks, a
 * formula stands between $ and $. */
char *dp_spans_plain (const GPtrArray *spans, gboolean keep_breaks);

/* The uri as the target of a link if a reader can follow it and it is harmless (http,
 * https, ftp, mailto), else NULL. */
const char *dp_link_target (const char *uri);

/* LaTeX on one line that can stand between $ and $. */
char *dp_latex_line (const char *latex);

G_END_DECLS
