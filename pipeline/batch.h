/* pipeline/batch.h - many documents: a run of `docparse convert`. */
#pragma once

#include "pipeline/options.h"

G_BEGIN_DECLS

/* Converts everything the options name and prints what happened on stderr.  Returns the
 * exit code of the process; 128 + signal when interrupted. */
int dp_batch_run (const DpOptions *options);

G_END_DECLS
