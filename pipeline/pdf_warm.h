/* pipeline/pdf_warm.h - what the child has to do before the sandbox closes, since it cannot later. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* Loads poppler, Leptonica if pictures are to be opened, and the converters between character sets (code, which the sandbox keeps
 * out), sets up poppler's tables, and starts fontconfig where that needs more than reading the usual
 * places.  Returns the places besides the usual ones where this machine keeps its fonts, for
 * dp_sandbox_enter() (NULL-terminated, often empty; owned by the caller), or NULL and error
 * if a library is missing. */
char **dp_pdf_warm_up (gboolean pictures, GError **error);

/* Whether fontconfig can start inside the sandbox: root ("" outside of tests) holds the system's
 * directories, home is the user's, environment as environ. */
gboolean dp_fontconfig_is_plain (const char *root, const char *home, const char *const *environment);

G_END_DECLS
