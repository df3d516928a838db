/* ops/selftest_run.h - between ops/selftest.c and the harness. */
#pragma once

#include "ops/selftest_case.h"

G_BEGIN_DECLS

/* Objects of a case, one on each side. */
enum { DP_SIDE_REFERENCE, DP_SIDE_TESTED };

typedef struct {
  DpBuffer *side[2];
  guint8 *initial; /* what both hold before the call */
} DpCasePair;

typedef struct {
  DpWeight *side[2];
} DpCaseWeight;

typedef struct {
  DpKv *side[2];
} DpCaseKv;

struct DpCase {
  GRand *rand;
  DpBackend *backend[2];
  DpStream *stream[2];
  DpOp op;
  guint32 seed;
  DpSelftestLine *line;
  GArray *pairs, *weights, *kvs;
  gboolean exact, over; /* over: refused or failed, nothing more to run */
  guint32 rows;         /* rows that stand for tokens; 0: not by rows */
  const char *margin;
};

DpCasePair *dp_case_pair_of (DpCase *c, const DpBuffer *buffer); /* by the reference's buffer */
/* Counts a failure or a refusal; the case is over. args: of c->op, for the message; may be NULL. */
void dp_case_failed (DpCase *c, const void *args, const char *what);
void dp_case_refused (DpCase *c, const char *why);

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
