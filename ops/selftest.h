/* ops/selftest.h - conformance of a back end against the reference: `docparse selftest --device NAME`.
 *
 * Random calls of every operator run on both; besides, each call must give the same bits when replayed from a
 * graph, the same bits for a row on its own, and leave the gaps between rows alone.  A small random decoder then
 * runs eagerly and from a graph, alone and in mixed batches.
 */
#pragma once

#include "ops/stream.h"

G_BEGIN_DECLS

typedef struct {
  DpBackendOptions backend; /* strict_backend is set by the test itself */
  const char *op;           /* only this operator ("model": only the decoder); NULL: all */
  guint cases;              /* per operator; 0: the default, 40 */
  guint32 seed;             /* the same seed, the same cases */
} DpSelftestOptions;

typedef struct {
  const char *name;  /* operator, or "model" */
  guint run, failed; /* cases */
  guint refused;     /* cases the back end says it does not support */
  double worst;      /* largest error as a fraction of its tolerance; > 1 is a failure */
  char *message;     /* first failure, or the first reason of refusal; NULL */
} DpSelftestLine;

/* Lines of DpSelftestLine, freed with the array; NULL if the back end cannot be opened or options->op is unknown. */
GPtrArray *dp_selftest (const char *device, const DpSelftestOptions *options, GError **error);

/* The lines as a table with a closing sentence; FALSE if anything failed. */
gboolean dp_selftest_print (const GPtrArray *lines, GString *out);

G_END_DECLS
