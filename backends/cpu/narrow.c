/* backends/cpu/narrow.c - see narrow.h.  A weight is packed as bf16 first; then each panel's exponents are counted, which says how
 * much room its exceptions take, and its values are coded.
 *
 * In memory: panels, bias, where each panel's exceptions begin (and where the last ones end), exceptions. */
#include "backends/cpu/narrow.h"

#include <string.h>

/* What is smaller than a second-level cache may come from there, where bytes are cheap. */
#define SMALLEST ((gsize) 1 << 20)
/* More exceptions than one in so many values, and putting them in costs what memory saves (backends/cpu/README.md). */
#define MOST_EXCEPTIONS 1000u

#define CODES 16
#define NO_CODE 0xff
#define QUARTER (DP_NARROW_PAIR / 2)

gboolean
dp_cpu_narrow_pays (const DpCpu *cpu, const DpCpuWeight *w)
{
  return w->type == DP_BF16 && cpu->kernels->narrow->pays && w->memory_size >= SMALLEST;
}

/* ---- sizes --------------------------------------------------------------------------------------------------- */

static gsize
pairs_of (const DpCpuWeight *w)
{
  return ((gsize) w->cols + 1) / 2;
}

static gsize
values_of (const DpCpuWeight *w)
{
  return pairs_of (w) * DP_NARROW_PAIR;
}

static gsize
narrow_bytes (const DpCpuWeight *w)
{
  return DP_NARROW_TABLE + (pairs_of (w) + 1) / 2 * DP_NARROW_GROUP_BYTES;
}

/* Where the parts lie. */
typedef struct {
  gsize bias, starts, exceptions, size;
} Parts;

/* Nothing overflows where panels became smaller: the weight in 16 bits was measured before. */
static Parts
parts_of (const DpCpuWeight *w, gboolean has_bias, gsize n_exceptions)
{
  const gsize panels = (gsize) w->n * w->n_panels;
  Parts p = { .bias = dp_cpu_round_up (panels * narrow_bytes (w)) };

  p.starts = p.bias + (has_bias ? dp_cpu_round_up (panels * DP_PANEL * sizeof (float)) : 0);
  p.exceptions = p.starts + dp_cpu_round_up ((panels + 1) * sizeof (guint32));
  p.size = p.exceptions + dp_cpu_round_up (n_exceptions * sizeof (DpException));
  return p;
}

static gboolean
is_possible (const DpCpuWeight *w)
{
  return w->type == DP_BF16 && pairs_of (w) <= DP_NARROW_MOST_PAIRS && narrow_bytes (w) < dp_cpu_wide_bytes (w);
}

static void
place (DpCpuWeight *w, const Parts *p, guint8 *memory, gboolean has_bias)
{
  w->memory = memory;
  w->memory_size = p->size;
  w->panels = memory;
  w->panel_bytes = narrow_bytes (w);
  w->bias = has_bias ? (gpointer) (memory + p->bias) : NULL;
  w->starts = (gpointer) (memory + p->starts);
  w->exceptions = (gpointer) (memory + p->exceptions);
}

/* ---- coding -------------------------------------------------------------------------------------------------- */

typedef struct {
  const DpCpuWeight *from;
  DpCpuWeight to;
  guint8 (*exponents)[CODES]; /* of each panel, by code */
  guint32 *counts;            /* of each panel's exceptions, with the end */
} Narrowing;

static guint
exponent_of (guint16 value)
{
  return value >> 7 & 0xff;
}

/* The most frequent exponents; returns how many values have none of them. */
static gsize
choose_exponents (const guint16 *values, gsize n, guint8 exponents[CODES])
{
  gsize count[2][256] = { 0 }, rest = n; /* two, as neighbours are often alike and a counter has to wait for itself */

  for (gsize i = 0; i < n; i += 2)
    count[0][exponent_of (values[i])]++, count[1][exponent_of (values[i + 1])]++;
  for (guint e = 0; e < 256; e++)
    count[0][e] += count[1][e];
  for (guint code = 0; code < CODES; code++) {
    guint best = 0;
    for (guint e = 1; e < 256; e++)
      if (count[0][e] > count[0][best])
        best = e;
    exponents[code] = (guint8) best;
    rest -= count[0][best];
    count[0][best] = 0;
  }
  return rest;
}

static void
count_panels (gpointer data, gsize first, gsize last, G_GNUC_UNUSED guint thread)
{
  const Narrowing *n = data;

  for (gsize i = first; i < last; i++) {
    gconstpointer panel = n->from->panels + i * n->from->panel_bytes;
    const gsize rare = choose_exponents (panel, values_of (n->from), n->exponents[i]);
    n->counts[i] = (guint32) MIN (rare + 1, G_MAXUINT32);
  }
}

static void
write_table (const guint8 exponents[CODES], guint8 code_of[256], guint16 *table)
{
  memset (code_of, NO_CODE, 256);
  for (guint code = 0; code < CODES; code++) {
    table[code] = table[code + CODES] = (guint16) (exponents[code] << 7);
    code_of[exponents[code]] = (guint8) code;
  }
}

/* One pair of k into its half of a group; exceptions from value number `at` on.  Returns behind the last. */
static DpException *
write_pair (const guint16 *values, guint32 at, const guint8 code_of[256], guint16 *group, DpException *next)
{
  const guint first = at % (2 * DP_NARROW_PAIR) / QUARTER;

  for (guint32 v = 0; v < DP_NARROW_PAIR; v++) {
    const guint quarter = first + v / QUARTER, word = v % QUARTER;
    const guint16 rest = values[v] & DP_NARROW_KEEP;
    guint code = code_of[exponent_of (values[v])];
    if (code == NO_CODE) {
      *next++ = (DpException){ .at = at + v, .value = values[v] };
      code = 0;
    }
    group[word] = (guint16) (group[word] | code << 4 * quarter);
    group[QUARTER * (1 + quarter % 2) + word] |= quarter < 2 ? rest : GUINT16_SWAP_LE_BE (rest);
  }
  return next;
}

static void
code_panels (gpointer data, gsize first, gsize last, G_GNUC_UNUSED guint thread)
{
  const Narrowing *n = data;
  guint8 code_of[256];

  for (gsize i = first; i < last; i++) {
    const guint16 *values = (gconstpointer) (n->from->panels + i * n->from->panel_bytes);
    guint16 *to = (gpointer) (n->to.panels + i * n->to.panel_bytes);
    DpException *next = n->to.exceptions + n->to.starts[i];
    write_table (n->exponents[i], code_of, to);
    to += DP_NARROW_TABLE / sizeof *to;
    for (gsize k = 0; k < pairs_of (n->from); k++, values += DP_NARROW_PAIR) {
      guint16 *group = to + k / 2 * (DP_NARROW_GROUP_BYTES / sizeof *to);
      next = write_pair (values, (guint32) (k * DP_NARROW_PAIR), code_of, group, next);
    }
    *next = (DpException){ .at = DP_NARROW_END };
  }
}

/* Room for the counted exceptions, and where those of each panel begin; FALSE: it does not pay. */
static gboolean
make_room (Narrowing *n)
{
  const DpCpuWeight *w = n->from;
  const gsize panels = (gsize) w->n * w->n_panels;
  guint64 total = 0;

  for (gsize i = 0; i < panels; i++)
    total += n->counts[i];
  if (total > G_MAXUINT32 || total - panels > panels * values_of (w) / MOST_EXCEPTIONS)
    return FALSE;
  const Parts parts = parts_of (w, w->bias != NULL, total);
  guint8 *memory = parts.size < w->memory_size ? dp_cpu_alloc (parts.size, NULL) : NULL;
  if (!memory)
    return FALSE;
  place (&n->to, &parts, memory, w->bias != NULL);
  for (gsize i = 0; i < panels; i++)
    n->to.starts[i + 1] = n->to.starts[i] + n->counts[i];
  return TRUE;
}

gboolean
dp_cpu_narrow (DpCpu *cpu, DpCpuWeight *w)
{
  const gsize panels = (gsize) w->n * w->n_panels;
  Narrowing n = { .from = w, .to = *w };

  if (!is_possible (w))
    return FALSE;
  n.exponents = g_malloc (panels * sizeof *n.exponents);
  n.counts = g_new (guint32, panels);
  dp_cpu_weight_for (cpu, w, count_panels, &n);
  const gboolean ok = make_room (&n);
  if (ok) {
    dp_cpu_weight_for (cpu, w, code_panels, &n);
    if (w->bias)
      memcpy (n.to.bias, w->bias, panels * DP_PANEL * sizeof (float));
    dp_cpu_free (w->memory, w->memory_size);
    *w = n.to;
  }
  g_free (n.exponents);
  g_free (n.counts);
  return ok;
}

/* ---- from a file --------------------------------------------------------------------------------------------- */

/* Whether the exceptions of a panel stand in order, inside it, and have their end where the next begin. */
static gboolean
list_is_sound (const DpException *first, gsize n, gsize n_values)
{
  for (gsize i = 0; i + 1 < n; i++)
    if (first[i].at >= n_values || (i && first[i].at <= first[i - 1].at))
      return FALSE;
  return first[n - 1].at == DP_NARROW_END;
}

gboolean
dp_cpu_narrow_load (DpCpuWeight *w, gboolean has_bias, const DpPackedWeight *packed)
{
  const gsize panels = (gsize) w->n * w->n_panels;
  guint8 *memory = (guint8 *) packed->data;

  if (!is_possible (w))
    return FALSE;
  Parts parts = parts_of (w, has_bias, 0);
  if (packed->size < parts.size)
    return FALSE;
  const guint32 *starts = (gconstpointer) (memory + parts.starts);
  const DpException *exceptions = (gconstpointer) (memory + parts.exceptions);
  parts.size += dp_cpu_round_up (starts[panels] * sizeof (DpException));
  if (packed->size != parts.size || starts[0] != 0)
    return FALSE;
  for (gsize i = 0; i < panels; i++)
    if (starts[i + 1] <= starts[i] || starts[i + 1] > starts[panels]
        || !list_is_sound (exceptions + starts[i], starts[i + 1] - starts[i], values_of (w)))
      return FALSE;
  place (w, &parts, memory, has_bias);
  return TRUE;
}

/* ---- reading back -------------------------------------------------------------------------------------------- */

void
dp_cpu_narrow_row (const DpCpuWeight *w, gsize index, guint32 lane, float *out)
{
  const guint16 *table = (gconstpointer) (w->panels + index * w->panel_bytes), *groups = table + DP_NARROW_TABLE / sizeof *table;

  for (guint32 k = 0; k < w->cols; k++) {
    const guint16 *group = groups + k / 4 * (DP_NARROW_GROUP_BYTES / sizeof *group);
    const guint v = k / 2 % 2 * DP_NARROW_PAIR + lane * 2 + k % 2, quarter = v / QUARTER, word = v % QUARTER;
    const guint16 rest = group[QUARTER * (1 + quarter % 2) + word];
    out[k] = dp_bf16_to_f32 (((quarter < 2 ? rest : GUINT16_SWAP_LE_BE (rest)) & DP_NARROW_KEEP) | table[group[word] >> 4 * quarter & 15]);
  }
  for (const DpException *e = w->exceptions + w->starts[index]; e->at != DP_NARROW_END; e++)
    if (e->at % DP_NARROW_PAIR / 2 == lane && e->at / DP_NARROW_PAIR * 2 + e->at % 2 < w->cols)
      out[e->at / DP_NARROW_PAIR * 2 + e->at % 2] = dp_bf16_to_f32 (e->value);
}
