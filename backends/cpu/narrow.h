/* backends/cpu/narrow.h - packed bf16 weights brought into 12 bits and read back; isa/narrow.h says what they look like. */
#pragma once

#include "backends/cpu/weight.h"

G_BEGIN_DECLS

/* Whether a weight is worth it: bf16, read from memory (not from a second-level cache), on this processor. */
gboolean dp_cpu_narrow_pays (const DpCpu *cpu, const DpCpuWeight *w);

/* Brings a packed bf16 weight, which must own its memory, into 12 bits a value.  FALSE: it stays as it is, because too many of its
 * exponents are rare, it is too small to become smaller, or there is no memory for a copy. */
gboolean dp_cpu_narrow (DpCpu *cpu, DpCpuWeight *w);

/* Takes a narrow weight's memory, as dp_cpu_narrow left it, from a file; w has its shape.  Every number that says where something
 * lies is checked.  FALSE: these are no such bytes, nothing is changed. */
gboolean dp_cpu_narrow_load (DpCpuWeight *w, gboolean has_bias, const DpPackedWeight *packed);

/* dp_cpu_weight_row of a narrow weight; index counts the panels of all matrices. */
void dp_cpu_narrow_row (const DpCpuWeight *w, gsize index, guint32 lane, float *out);

G_END_DECLS
