/* pipeline/exit_code.h - which exit code an error of any stage means. */
#pragma once

#include "pipeline/options.h"

G_BEGIN_DECLS

/* The code a document gets that failed with error: by domain and code, see exit_code.c;
 * DP_EXIT_PARTLY for what is nobody's fault but the system's. */
DpExit dp_exit_code_of (const GError *error);

G_END_DECLS
