/* pipeline/ocr_pitch.c - lines set in a typewriter's face, known by their pitch.
 *
 * A picture names no font.  But where every character is as wide as the others, the middles of the characters of a line lie on
 * a straight line over their number; elsewhere narrow and wide letters make them wander.  The reader says where a character is to
 * about an eighth of an em, which is little beside that.  Program text is told from other text by such faces (layout/code.c).
 */
#include "pipeline/ocr_private.h"

#include <math.h>

#define LEAST_WORD 4u   /* characters of a word that has a pitch */
#define LEAST_CHARS 14u /* in such words, of a line that can tell by itself */
#define LEAST_PITCH 0.5 /* em: of the faces in use, 0.55 to 0.62; sizes are good to a tenth */
#define USUAL_PITCH 0.6
#define MOST_PITCH 0.70
#define MOST_WANDER 0.12 /* of the pitch, root mean square */
#define LEAST_POOL 40u   /* the same of lines that stand together and have one pitch, taken as one */
#define LEAST_POOL_PITCH 0.47
#define MOST_POOL_WANDER 0.104 /* typewriter faces stay below 0.100, justified columns of a newspaper come down to 0.108 */
#define MOST_LIKE 0.16         /* the same of a line that has the pitch of sure ones, ... */
#define SAME_PITCH 0.035       /* ... or nearly */
#define SURE_WANDER 0.2        /* a line that wanders so far is proportional, and so is what stands in one block with it */
#define BLOCK_GAP 0.7f         /* em */
#define GAP 1.3f               /* em between a short line and one that can tell */
#define LOOK 4u                /* lines before and after it */
#define SAME_SIZE 1.12f

typedef enum { UNKNOWN, PROPORTIONAL, FIXED } Pitch;

/* Of a line. */
typedef struct {
  guint n;               /* characters that were measured */
  double pixels, wander; /* mean advance; how far the middles wander from it, in advances */
  gboolean lower;        /* capitals and figures are nearly as wide as each other in any face */
  Pitch pitch;
} Known;

/* Sums over the words of a line, for a straight line through each, all of one slope. */
typedef struct {
  double products, spread, squares;
  guint n; /* characters of words long enough to have a pitch */
} Sums;

static double
middle_of (const DpOcrLine *line, guint i)
{
  return 0.5 * (double) (line->chars[i].x0 + line->chars[i].x1);
}

static void
add_word (const DpOcrLine *line, const DpOcrWord *word, Sums *sums)
{
  const double mean = 0.5 * (word->n - 1.0);
  double sum = 0;

  for (guint i = 0; i < word->n; i++)
    sum += middle_of (line, word->first + i);
  for (guint i = 0; i < word->n; i++) {
    const double x = i - mean, y = middle_of (line, word->first + i) - sum / word->n;
    sums->products += x * y;
    sums->spread += x * x;
    sums->squares += y * y;
  }
  sums->n += word->n;
}

/* Spaces do not count: one may be missed. */
static void
measure (const DpOcrLine *line, Known *out)
{
  Sums sums = { 0 };

  for (guint k = 0; k < line->words->len; k++)
    if (g_array_index (line->words, DpOcrWord, k).n >= LEAST_WORD)
      add_word (line, &g_array_index (line->words, DpOcrWord, k), &sums);
  out->n = sums.n;
  out->pixels = sums.spread > 0 ? sums.products / sums.spread : 0;
  out->wander = out->pixels > 0 ? sqrt (MAX (0, sums.squares - out->pixels * sums.products) / sums.n) / out->pixels : G_MAXDOUBLE;
}

static gboolean
is_lower (const DpOcrLine *line)
{
  guint lower = 0, other = 0;

  for (const char *p = line->text; *p; p = g_utf8_next_char (p)) {
    const gunichar c = g_utf8_get_char (p);
    lower += g_unichar_islower (c) ? 1 : 0;
    other += g_unichar_isupper (c) || g_unichar_isdigit (c) ? 1 : 0;
  }
  return lower > 2 * other;
}

/* What a line says by itself. */
static Known
know (const DpOcrLine *line)
{
  Known known = { .lower = is_lower (line), .pitch = UNKNOWN };

  measure (line, &known);
  const double pitch = known.pixels / MAX (1, (double) line->size);
  if (known.n < LEAST_CHARS)
    return known;
  if (pitch < LEAST_PITCH || pitch > MOST_PITCH || known.wander > MOST_WANDER)
    known.pitch = PROPORTIONAL;
  else if (known.lower)
    known.pitch = FIXED;
  return known;
}

static gboolean
have_one_pitch (const Known *a, const Known *b)
{
  return a->pixels > 0 && b->pixels > 0 && fabs (a->pixels / b->pixels - 1) < SAME_PITCH;
}

/* Whether lines stand one below the other, or beside it, gap em apart at most. */
static gboolean
are_near (const DpScan *scan, const DpOcrLine *line, const DpOcrLine *other, float gap)
{
  const DpScanLine *a = &g_array_index (dp_scan_lines (scan), DpScanLine, line->line),
                   *b = &g_array_index (dp_scan_lines (scan), DpScanLine, other->line);
  const float em = other->size, down = (float) (MAX (a->y0, b->y0) - MIN (a->y1, b->y1)),
              across = (float) (MAX (a->x0, b->x0) - MIN (a->x1, b->x1));

  return down < gap * em && across < 2 * gap * em;
}

/* Whether they stand in one block: near, and of one size. */
static gboolean
stand_together (const DpScan *scan, const DpOcrLine *line, const DpOcrLine *other, float gap)
{
  return MAX (line->size, other->size) < SAME_SIZE * MIN (line->size, other->size) && are_near (scan, line, other, gap);
}

/* What the lines around line i, and it, say as one, if they have its pitch: few letters say little of a line's size, and large small
 * letters make a face look narrower than it is. */
static gboolean
is_fixed_together (const DpScan *scan, const GArray *lines, const Known *known, guint i)
{
  const DpOcrLine *line = &g_array_index (lines, DpOcrLine, i);
  const double pitch = known[i].pixels / MAX (1, (double) line->size);
  double squares = 0, n = 0;
  guint count = 0;

  for (guint k = i > LOOK ? i - LOOK : 0; k < MIN (lines->len, i + LOOK + 1); k++) {
    if (!known[k].lower || !have_one_pitch (&known[i], &known[k])
        || (k != i && !are_near (scan, line, &g_array_index (lines, DpOcrLine, k), GAP)))
      continue;
    squares += known[k].n * known[k].wander * known[k].wander;
    n += known[k].n;
    count++;
  }
  return count >= 2 && n >= LEAST_POOL && pitch >= LEAST_POOL_PITCH && pitch <= MOST_PITCH && sqrt (squares / n) < MOST_POOL_WANDER;
}

/* One line may be so by chance, two of one pitch are a face; then others that could not tell, or not quite, are known by it. */
static void
compare (const DpScan *scan, const GArray *lines, Known *known)
{
  g_autoptr (GArray) sure = g_array_new (FALSE, FALSE, sizeof (Known));

  for (guint i = 0; i < lines->len; i++)
    if (known[i].pitch == FIXED || is_fixed_together (scan, lines, known, i))
      g_array_append_val (sure, known[i]);
  for (guint i = 0; i < lines->len && sure->len; i++) {
    guint alike = 0;
    for (guint k = 0; k < sure->len; k++)
      alike += have_one_pitch (&known[i], &g_array_index (sure, Known, k)) ? 1 : 0;
    if (known[i].lower && known[i].wander < MOST_LIKE && alike >= 2)
      known[i].pitch = FIXED;
    else if (known[i].pitch == FIXED)
      known[i].pitch = PROPORTIONAL;
  }
}

/* What the lines around line i say about it. */
static Pitch
around (const DpScan *scan, const GArray *lines, const Known *known, guint i)
{
  const DpOcrLine *line = &g_array_index (lines, DpOcrLine, i);
  Pitch pitch = UNKNOWN;

  for (guint k = i > LOOK ? i - LOOK : 0; k < MIN (lines->len, i + LOOK + 1); k++) {
    const DpOcrLine *other = &g_array_index (lines, DpOcrLine, k);
    if (k == i)
      continue;
    if (known[k].pitch == PROPORTIONAL && known[k].wander > SURE_WANDER && stand_together (scan, line, other, BLOCK_GAP))
      return PROPORTIONAL;
    if (known[k].pitch == FIXED && stand_together (scan, line, other, GAP))
      pitch = FIXED;
  }
  return pitch;
}

/* Every character of a word as wide as the others, so that what follows can count columns. */
static void
even_out (DpOcrLine *line, double pitch)
{
  for (guint k = 0; k < line->words->len; k++) {
    const DpOcrWord *word = &g_array_index (line->words, DpOcrWord, k);
    double sum = 0;
    for (guint i = 0; i < word->n; i++)
      sum += middle_of (line, word->first + i);
    for (guint i = 0; i < word->n; i++) {
      const double x0 = sum / word->n + (i - 0.5 * word->n) * pitch;
      line->chars[word->first + i].x0 = (float) x0;
      line->chars[word->first + i].x1 = (float) (x0 + pitch);
    }
  }
}

/* Spaces that the reader saw where no column is free. */
static void
drop_spaces (DpOcrLine *line, double pitch)
{
  g_autoptr (GString) text = g_string_new (NULL);
  guint n = 0, word = 0, i = 0;

  for (const char *p = line->text; *p && i < line->n_chars; p = g_utf8_next_char (p), i++) {
    const gboolean inside = n > 0 && i + 1 < line->n_chars && g_unichar_isspace (g_utf8_get_char (p));
    if (inside && (double) (line->chars[i + 1].x0 - line->chars[n - 1].x1) < 0.75 * pitch)
      continue;
    for (; word < line->words->len && g_array_index (line->words, DpOcrWord, word).first <= i; word++)
      g_array_index (line->words, DpOcrWord, word).first -= i - n;
    line->chars[n++] = line->chars[i];
    g_string_append_unichar (text, g_utf8_get_char (p));
  }
  line->n_chars = n;
  g_free (line->text);
  line->text = g_string_free (g_steal_pointer (&text), FALSE);
}

void
dp_ocr_mark_pitch (const DpScan *scan, GArray *lines)
{
  g_autofree Known *known = g_new0 (Known, lines->len + 1);

  for (guint i = 0; i < lines->len; i++)
    known[i] = know (&g_array_index (lines, DpOcrLine, i));
  compare (scan, lines, known);
  for (guint i = 0; i < lines->len; i++) {
    DpOcrLine *line = &g_array_index (lines, DpOcrLine, i);
    const Pitch own = known[i].pitch, near = around (scan, lines, known, i);
    if (own == PROPORTIONAL || near == PROPORTIONAL || (own == UNKNOWN && near == UNKNOWN))
      continue;
    for (guint c = 0; c < line->n_chars; c++)
      line->chars[c].flags |= DP_GLYPH_MONO;
    if (own != FIXED)
      continue;
    line->size = (float) (known[i].pixels / USUAL_PITCH); /* steadier than what the heights of its few letters say */
    even_out (line, known[i].pixels);
    drop_spaces (line, known[i].pixels);
  }
}
