/* pipeline/options_table.h - inside options: the table of options and their parsers. */
#pragma once

#include "pipeline/options.h"

G_BEGIN_DECLS

/* A context that parses into o, which must outlive it.  all: the options of convert, else
 * those of inspect.  Free with g_option_context_free.
 * with_value (may be NULL): a set of strings to which the names of options that take a value
 * are added, as they are written: "--jobs", "-j". */
GOptionContext *dp_options_context (DpOptions *o, gboolean all, GHashTable *with_value);

G_END_DECLS
