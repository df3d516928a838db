/* output/clean.h - inside the room: text that any writer can print. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* Valid UTF-8 on one line: broken bytes become U+FFFD, every run of white space that is
 * not a no-break or typographic space becomes one space, control characters go.  NULL gives "". */
char *dp_clean_line (const char *text);

/* The same for verbatim text: keeps tabs, spaces and line feeds; drops trailing line feeds. */
char *dp_clean_verbatim (const char *text);

/* White space, or anything CommonMark may count as punctuation (ASCII punctuation and
 * Unicode P and S: 0.30 and 0.31 draw that line differently). */
gboolean dp_char_is_space (gunichar c);
gboolean dp_char_is_punct (gunichar c);

/* Appends text with & < > and " as entities. */
void dp_append_html (GString *out, const char *text);

G_END_DECLS
