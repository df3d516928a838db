/* ops/selftest_run.h - between ops/selftest.c and the harness. */
#pragma once

#include "ops/selftest_case.h"

G_BEGIN_DECLS

/* One case: its own random numbers and memory; results go to line. NULL (and a failure in line) if a stream cannot be made. */
DpCase *dp_case_new (DpBackend *reference, DpBackend *backend, DpOp op, guint32 seed, DpSelftestLine *line);
void dp_case_free (DpCase *c);

/* ---- comparing (ops/selftest_compare.c) ---- */

/* How far an output may be from the reference's, as a fraction of the larger of its own size and the root mean square
 * of the tensor.  0: not at all. */
double dp_selftest_tolerance (DpOp op, const void *args, const DpTensor *out);

/* expected and got are whole buffers; t says where the tensor lies in them.  Returns the largest error as a share of the
 * tolerance and, when it is above 1, the reason in *message. */
double dp_selftest_compare (const DpTensor *t, const guint8 *expected, const guint8 *got, double tolerance, char **message);

G_END_DECLS
