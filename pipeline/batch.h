/* pipeline/batch.h - many documents: a run of `docparse convert`. */
#pragma once

#include "pipeline/log.h"
#include "pipeline/options.h"

G_BEGIN_DECLS

/* Converts everything the options name and says on log what happened.  Returns the
 * exit code of the process; 128 + signal when interrupted. */
int dp_batch_run (const DpOptions *options, DpLog *log);

G_END_DECLS
