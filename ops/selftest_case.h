/* ops/selftest_case.h - how a conformance case is written: once, for the reference; the harness mirrors it. */
#pragma once

#include "ops/schema.h"
#include "ops/selftest.h"

#include <math.h>

G_BEGIN_DECLS

typedef struct DpCase DpCase;

/* Random choices of a case; limits inclusive. */
guint32 dp_case_int (DpCase *c, guint32 least, guint32 most);
gboolean dp_case_chance (DpCase *c, guint32 one_in);
float dp_case_float (DpCase *c, float least, float most);
DpType dp_case_float_type (DpCase *c); /* f32 half of the time */

/* Tensors in both back ends with equal contents; strides and offsets are random. */
DpTensor dp_case_floats (DpCase *c, DpType type, guint32 rows, guint32 cols, float least, float most);
DpTensor dp_case_ints (DpCase *c, guint32 rows, guint32 cols, const gint32 *values);
DpTensor dp_case_bytes (DpCase *c, DpType type, guint32 rows, guint32 cols); /* i8 or u8, all values */
DpTensor dp_case_out (DpCase *c, DpType type, guint32 rows, guint32 cols);   /* noise */
/* x as output again: for "y may be x". */
DpTensor dp_case_alias (DpCase *c, DpTensor x, DpTensor y);

/* A weight of random type among types (DP_TYPE_BIT set). */
DpWeight *dp_case_weight (DpCase *c, guint32 uses, guint32 types, guint32 n, guint32 rows, guint32 cols, gboolean bias);
DpWeight *dp_case_int8_rows (DpCase *c, guint32 rows, guint32 cols); /* for linear_w8a8 */
DpKv *dp_case_kv (DpCase *c, const DpKvConfig *config);

/* Sequences of random, unequal lengths that fill at most rows rows. */
typedef struct {
  guint32 n, rows; /* sequences, rows including padding */
  gint32 *starts;  /* n+1 */
  guint32 longest;
} DpCasePacking;
DpCasePacking dp_case_packing (DpCase *c, guint32 most_sequences, guint32 most_length);

/* ---- what a case says of itself before it runs ---- */
void dp_case_exact (DpCase *c);                         /* results must be the reference's, bit for bit */
void dp_case_by_rows (DpCase *c, guint32 rows);         /* rows are tokens: one alone must give the same bits */
void dp_case_spoil (DpCase *c, const DpTensor *t);      /* now and then puts NaN or infinity somewhere in a float tensor */
void dp_case_loose_ids (DpCase *c, const char *margin); /* ids may differ where this output says it was close */

/* Runs the call everywhere and compares.  args are those of the reference. */
void dp_case_run (DpCase *c, DpOp op, const void *args);
/* Runs it on both without comparing: preparation. */
void dp_case_prepare (DpCase *c, DpOp op, const void *args);

/* Copies a page of a cache on both. */
void dp_case_copy_page (DpCase *c, DpKv *kv, guint32 from, guint32 to);
/* Runs another operator afterwards and compares its outputs: to see what a call left in a cache. */
void dp_case_look (DpCase *c, DpOp op, const void *args);

/* The generators, one per operator (ops/selftest_*.c). */
#define X(id, name, NAME, Name) void dp_selftest_##name (DpCase *c);
DP_OPS (X)
#undef X

/* The decoder; adds its failures to line (ops/selftest_model.c). */
void dp_selftest_model (DpBackend *backend, guint32 seed, DpSelftestLine *line);

G_END_DECLS
