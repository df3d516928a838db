/* pipeline/ocr_order.c - lines in the order in which a program that sets type would have written them.
 *
 * Where geometry leaves it open whether a page is read by columns or by rows (an index, short lines of a magazine, a form),
 * layout/order_judge.c asks the order of the text layer, and a scan has none.  So lines of words that follow each other closely
 * in one column stay together.  What has a number or a sign beside it in its row stays in that row, as in tables and contents.
 */
#include "pipeline/ocr_private.h"

#include <math.h>

#define LEADING 1.9f   /* em from baseline to baseline inside a column */
#define ROW 0.3f       /* em between the baselines of one row */
#define SAME_TYPE 1.3f /* ratio of sizes */
#define WORDY 4u       /* letters of a line of words */

/* Lines that are joined in a row, as one. */
typedef struct {
  guint first, end; /* of the lines */
  float x0, x1, baseline, size;
  gboolean wordy, in_row; /* in_row: something that is no line of words stands beside it */
  guint block;
  float block_top, block_x0;
} Unit;

static const DpScanLine *
scan_line (const DpScan *scan, const DpOcrLine *line)
{
  return &g_array_index (dp_scan_lines (scan), DpScanLine, line->line);
}

static guint
letters_of (const char *text)
{
  guint n = 0;

  for (const char *p = text; *p; p = g_utf8_next_char (p))
    n += g_unichar_isalpha (g_utf8_get_char (p)) ? 1 : 0;
  return n;
}

/* A word and page numbers, as in an index: "fog, 22", "bar, 3, 5-7". */
static gboolean
is_index_entry (const char *text)
{
  const char *p = text;
  glong letters = 0;

  for (; g_unichar_isalpha (g_utf8_get_char (p)); p = g_utf8_next_char (p))
    letters++;
  if (letters < 2 || *p != ',' || !p[1])
    return FALSE;
  for (p++; *p; p = g_utf8_next_char (p)) {
    const gunichar c = g_utf8_get_char (p);
    if (!g_unichar_isdigit (c) && !g_unichar_isspace (c) && c != ',' && g_unichar_type (c) != G_UNICODE_DASH_PUNCTUATION)
      return FALSE;
  }
  return TRUE;
}

static gboolean
is_wordy (const char *text)
{
  return letters_of (text) >= WORDY || is_index_entry (text);
}

static GArray *
units_of (const DpScan *scan, const GArray *lines)
{
  GArray *units = g_array_new (FALSE, FALSE, sizeof (Unit));

  for (guint i = 0; i < lines->len; i++) {
    const DpOcrLine *line = &g_array_index (lines, DpOcrLine, i);
    const DpScanLine *l = scan_line (scan, line);
    const gboolean wordy = is_wordy (line->text);
    Unit *last = units->len ? &g_array_index (units, Unit, units->len - 1) : NULL;

    if (last && scan_line (scan, line - 1)->joined && line->line == (line - 1)->line + 1) {
      last->end = i + 1;
      last->x1 = (float) l->x1;
      last->wordy = last->wordy || wordy;
      continue;
    }
    const Unit unit = { i, i + 1, (float) l->x0, (float) l->x1, l->baseline, line->size, wordy, FALSE, i, 0, 0 };
    g_array_append_val (units, unit);
  }
  return units;
}

static gint
compare_places (gconstpointer a, gconstpointer b)
{
  const Unit *x = a, *y = b;

  if (x->baseline != y->baseline)
    return x->baseline < y->baseline ? -1 : 1;
  return (x->x0 > y->x0) - (x->x0 < y->x0);
}

static void
mark_rows (GArray *units)
{
  for (guint i = 0; i < units->len; i++) {
    Unit *a = &g_array_index (units, Unit, i);
    for (guint k = i + 1; k < units->len; k++) {
      Unit *b = &g_array_index (units, Unit, k);
      if (b->baseline - a->baseline > ROW * a->size)
        break;
      a->in_row = a->in_row || !b->wordy;
      b->in_row = b->in_row || !a->wordy;
    }
  }
}

static gboolean
goes_on (const Unit *a, const Unit *b)
{
  const float over = MIN (a->x1, b->x1) - MAX (a->x0, b->x0), narrow = MIN (a->x1 - a->x0, b->x1 - b->x0);

  return b->wordy && !b->in_row && 2 * over > narrow && MAX (a->size, b->size) < SAME_TYPE * MIN (a->size, b->size);
}

/* The first unit below that could go on where a stands; G_MAXUINT if none does, or two stand there side by side. */
static guint
next_of (const GArray *units, guint i)
{
  const Unit *a = &g_array_index (units, Unit, i);
  guint found = G_MAXUINT;

  for (guint k = i + 1; k < units->len; k++) {
    const Unit *b = &g_array_index (units, Unit, k);
    if (b->baseline - a->baseline > LEADING * a->size)
      break;
    if (found != G_MAXUINT && b->baseline - g_array_index (units, Unit, found).baseline > ROW * a->size)
      break;
    if (b->baseline - a->baseline <= ROW * a->size || MIN (a->x1, b->x1) <= MAX (a->x0, b->x0))
      continue;
    if (found != G_MAXUINT)
      return G_MAXUINT;
    found = k;
  }
  return found != G_MAXUINT && goes_on (a, &g_array_index (units, Unit, found)) ? found : G_MAXUINT;
}

static gint
compare_blocks (gconstpointer a, gconstpointer b)
{
  const Unit *x = a, *y = b;

  if (x->block_top != y->block_top)
    return x->block_top < y->block_top ? -1 : 1;
  if (x->block_x0 != y->block_x0)
    return x->block_x0 < y->block_x0 ? -1 : 1;
  if (x->block != y->block)
    return x->block < y->block ? -1 : 1;
  return compare_places (a, b);
}

/* Numbers the columns; each begins where its first unit stands.  Rows of columns that begin together keep one level. */
static void
find_blocks (GArray *units)
{
  g_autofree gboolean *taken = g_new0 (gboolean, units->len + 1);
  float row = 0, row_size = 0;

  for (guint i = 0; i < units->len; i++) {
    Unit *a = &g_array_index (units, Unit, i);
    if (!taken[i]) { /* the head of a column */
      if (i == 0 || a->baseline - row > ROW * row_size)
        row = a->baseline, row_size = a->size;
      a->block = i;
      a->block_top = row;
      a->block_x0 = a->x0;
    }
    const guint k = a->wordy && !a->in_row ? next_of (units, i) : G_MAXUINT;
    if (k == G_MAXUINT || taken[k])
      continue;
    Unit *b = &g_array_index (units, Unit, k);
    taken[k] = TRUE;
    b->block = a->block;
    b->block_top = a->block_top;
    b->block_x0 = a->block_x0;
  }
}

void
dp_ocr_order (const DpScan *scan, GArray *lines)
{
  g_autoptr (GArray) units = units_of (scan, lines);
  g_autoptr (GArray) old = g_array_sized_new (FALSE, FALSE, sizeof (DpOcrLine), lines->len);
  guint n = 0;

  g_array_sort (units, compare_places);
  mark_rows (units);
  find_blocks (units);
  g_array_sort (units, compare_blocks);
  g_array_append_vals (old, lines->data, lines->len);
  for (guint u = 0; u < units->len; u++) {
    const Unit *unit = &g_array_index (units, Unit, u);
    for (guint i = unit->first; i < unit->end; i++)
      g_array_index (lines, DpOcrLine, n++) = g_array_index (old, DpOcrLine, i);
  }
}
