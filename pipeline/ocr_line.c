/* pipeline/ocr_line.c - a line that was read: its characters, words and type, in pixels of the page.
 *
 * The reader says where a character is to about an eighth of the line's height, which is not enough to tell a
 * word's end: there the ink is asked.  The size of type comes from heights over the baseline: how many of
 * the letters are tall is known from the text, so the pieces of ink can be parted into tall and low ones.
 */
#include "pipeline/ocr_private.h"

#include <math.h>
#include <string.h>

/* In em, over many text faces: capitals, figures and ascenders; letters without ascenders. */
#define TALL_EM 0.71f
#define LOW_EM 0.49f
/* Fewer tall pieces say less than all low ones. */
#define LEAST_TALL_SHARE 0.12f
/* Of so few pieces that touch no share tells how many are tall: the highest is, unless there are signs that are higher. */
#define FEW_PIECES 4u
#define TALLER "()[]{}|/\\$@"

void
dp_ocr_line_clear (gpointer data)
{
  DpOcrLine *line = data;

  g_clear_pointer (&line->text, g_free);
  g_clear_pointer (&line->chars, g_free);
  g_clear_pointer (&line->words, g_array_unref);
}

/* ---- size --------------------------------------------------------------------------------------------------- */

typedef enum { TALL, LOW, NEITHER } Height;

static Height
height_of (gunichar c)
{
  if (c < 0x80 && strchr ("acegmnopqrsuvwxyz", (int) c))
    return LOW;
  if (c == 'i' || c == 'j') /* the dot is a piece of its own */
    return LOW;
  if (c == 't')
    return NEITHER; /* between the two */
  if (g_unichar_isdigit (c) || g_unichar_isupper (c) || (c < 0x80 && strchr ("bdfhkl", (int) c)))
    return TALL;
  if (g_unichar_islower (c) && c >= 0x430 && c < 0x460) /* Cyrillic: only a few rise */
    return c == 0x431 || c == 0x444 ? TALL : LOW;
  return NEITHER;
}

static float
middle (const GArray *values, guint from, guint to)
{
  return g_array_index (values, float, from + (to - from) / 2);
}

static float
size_of (const DpScan *scan, guint line, const char *text)
{
  const DpScanLine *l = &g_array_index (dp_scan_lines (scan), DpScanLine, line);
  g_autoptr (GArray) heights = dp_scan_heights (scan, line);
  guint tall = 0, low = 0;

  for (const char *p = text; *p; p = g_utf8_next_char (p)) {
    const Height h = height_of (g_utf8_get_char (p));
    tall += h == TALL;
    low += h == LOW;
  }
  if (heights->len == 0 || tall + low == 0)
    return l->em;
  if (tall > 0 && heights->len < tall + low && heights->len <= FEW_PIECES
      && !strpbrk (text, TALLER)) /* they touch: "bar" is one piece, a tall one */
    return g_array_index (heights, float, heights->len - 1) / TALL_EM;
  const guint n_low = (guint) ((float) heights->len * (float) low / (float) (tall + low) + 0.5f);
  if (n_low < heights->len && (float) tall >= LEAST_TALL_SHARE * (float) (tall + low))
    return middle (heights, n_low, heights->len) / TALL_EM;
  return middle (heights, 0, MAX (1, n_low)) / (n_low > 0 ? LOW_EM : TALL_EM);
}

/* ---- places --------------------------------------------------------------------------------------------------- */

static gboolean
is_space (const DpOcrLine *line, guint i)
{
  return line->chars[i].flags & DP_GLYPH_SPACE;
}

/* The edges of words around a space: the widest gap in the ink between the middles of its neighbours. */
static void
settle_space (const DpScan *scan, DpOcrLine *line, guint i)
{
  DpReadingChar *before = &line->chars[i - 1], *after = &line->chars[i + 1];
  gint from, to;

  if (!dp_scan_widest_gap (scan, line->line, (gint) (0.5f * (before->x0 + before->x1)), (gint) (0.5f * (after->x0 + after->x1)) + 1, &from,
                           &to))
    return;
  before->x1 = MAX ((float) from, before->x0);
  after->x0 = MIN ((float) to, after->x1);
  line->chars[i].x0 = before->x1;
  line->chars[i].x1 = after->x0;
}

static void
settle_ends (const DpScan *scan, DpOcrLine *line)
{
  const DpScanLine *l = &g_array_index (dp_scan_lines (scan), DpScanLine, line->line);
  DpReadingChar *first = &line->chars[0], *last = &line->chars[line->n_chars - 1];
  gint from, to;

  if (!dp_scan_ink_span (scan, line->line, l->x0, l->x1, &from, &to))
    return;
  first->x0 = MIN ((float) from, first->x1);
  last->x1 = MAX ((float) to, last->x0);
}

/* Words of a line and the width of their strokes. */
static void
find_words (const DpScan *scan, DpOcrLine *line)
{
  for (guint i = 0, k; i < line->n_chars; i = k) {
    DpOcrWord word = { .first = i };

    k = i + 1;
    if (is_space (line, i))
      continue;
    while (k < line->n_chars && !is_space (line, k))
      k++;
    word.n = k - i;
    if (word.n >= 3)
      word.stroke = dp_scan_stroke (scan, line->line, (gint) line->chars[i].x0, (gint) ceilf (line->chars[k - 1].x1));
    g_array_append_val (line->words, word);
  }
}

/* The plain figure of a raised one, 0 for other characters. */
static gunichar
plain_figure (gunichar c)
{
  if (c == 0xb9)
    return '1';
  if (c == 0xb2 || c == 0xb3)
    return '2' + (c - 0xb2);
  if (c == 0x2070 || (c >= 0x2074 && c <= 0x2079))
    return '0' + (c - 0x2070);
  return 0;
}

/* Raised figures are numbers of notes and powers, which the layout knows by their place; after an m they belong to a unit. */
static void
lower_figures (DpOcrLine *line, const char *text)
{
  gunichar before = 0;
  guint i = 0;

  for (const char *p = text; *p && i < line->n_chars; p = g_utf8_next_char (p), i++) {
    const gunichar c = g_utf8_get_char (p), plain = plain_figure (c);
    if (plain && before != 'm') {
      line->chars[i].code = plain;
      line->chars[i].raised = 1;
    }
    before = c;
  }
}

gboolean
dp_ocr_line_place (const DpScan *scan, guint index, gint x, DpLineResult *result, DpOcrLine *out)
{
  const char *p = result->text;

  memset (out, 0, sizeof *out);
  if (!*p || result->n_chars == 0)
    return FALSE;
  out->line = index;
  out->confidence = result->confidence;
  out->n_chars = result->n_chars;
  out->chars = g_new0 (DpReadingChar, result->n_chars);
  for (guint i = 0; i < result->n_chars; i++) {
    const DpLineChar *c = &result->chars[i];
    out->chars[i].x0 = (float) x + c->x0;
    out->chars[i].x1 = (float) x + MAX (c->x0, c->x1);
    out->chars[i].flags = g_unichar_isspace (g_utf8_get_char (p + c->offset)) ? DP_GLYPH_SPACE : 0;
  }
  settle_ends (scan, out);
  for (guint i = 1; i + 1 < out->n_chars; i++)
    if (is_space (out, i) && !is_space (out, i - 1) && !is_space (out, i + 1))
      settle_space (scan, out, i);
  lower_figures (out, p);
  out->size = size_of (scan, index, p);
  out->words = g_array_new (FALSE, TRUE, sizeof (DpOcrWord));
  find_words (scan, out);
  out->text = g_steal_pointer (&result->text);
  return TRUE;
}

void
dp_ocr_leader_place (const DpScan *scan, guint index, DpOcrLine *out)
{
  const DpScanLine *l = &g_array_index (dp_scan_lines (scan), DpScanLine, index);

  *out = (DpOcrLine){ .line = index,
                      .text = g_strnfill (l->n_parts, '.'),
                      .confidence = 1,
                      .size = l->em,
                      .n_chars = l->n_parts,
                      .chars = g_new0 (DpReadingChar, l->n_parts),
                      .words = g_array_new (FALSE, TRUE, sizeof (DpOcrWord)) };
  for (guint k = 0; k < l->n_parts; k++) {
    gint x0, x1;
    dp_scan_piece (scan, index, k, &x0, &x1);
    out->chars[k].x0 = (float) x0;
    out->chars[k].x1 = (float) x1;
  }
}
