/* pipeline/inspect.h - `docparse inspect`: what docparse sees on each page. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* Prints one JSON object about one document on stdout: facts about the document, then per
 * page its size, whether its text is trusted and why, glyphs, image cover, columns, and what
 * docparse would do ("text", "blank", "model", "fail").  Returns the exit code: 0 if no page
 * needs a model (the built-in reader is one), 1 if one does or failed, else as for convert.  argv[0] is the command's name. */
int dp_cmd_inspect (int argc, char **argv);

G_END_DECLS
