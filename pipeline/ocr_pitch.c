/* pipeline/ocr_pitch.c - lines set in a typewriter's face, known by their pitch.
 *
 * A picture names no font.  But where every character is as wide as the others, the middles of the characters of a line, blanks
 * counted by their width, lie on a straight line over their columns; elsewhere narrow and wide letters make them wander, the farther the
 * longer the line is.  The reader says where a character is to about an eighth of an em, which is little beside that.  Program text is
 * told from other text by such faces (layout/code.c).
 */
#include "pipeline/ocr_private.h"

#include <math.h>

#define LEAST_CHARS 14u  /* of a line that can tell by itself */
#define LEAST_PITCH 0.45 /* em: of the faces in use, 0.55 to 0.62; large small letters make them look narrower */
#define USUAL_PITCH 0.6
#define MOST_PITCH 0.70
#define MOST_WANDER 0.125 /* of the pitch, root mean square: of a line in a typewriter's face, but for one that was misread */
#define LONG_LINE 24u     /* one that wanders so little over so many characters needs no other that says the same */
#define LEAST_POOL 28u    /* characters of lines that stand together and have one pitch, taken as one */
#define MOST_LIKE 0.15    /* of a line that has the pitch of sure ones, or speaks in a pool */
#define SURE_WANDER 0.27  /* a line that wanders so far is proportional, and so is what stands in one block with it */
#define SAME_PITCH 0.01   /* lines of one pitch differ by less, ... */
#define END_ERROR 0.15    /* ... and by this over the number of characters: the first and the last one may be misplaced so far */
#define ROUNDING 0.25 /* a step of nearly two columns is where the reader missed a character or a blank; it places ends of words too near */
#define BLOCK_GAP 0.7f  /* em */
#define GAP 1.3f        /* em between lines of one listing */
#define LOOK 8u         /* lines before and after one, of all columns */
#define SAME_SIZE 1.12f /* of lines of one block */
#define LIKE_PITCH 0.02 /* SAME_PITCH and END_ERROR for lines that stand with sure ones */
#define LIKE_END 0.4
#define LIKE_SIZE 1.5f /* the size of one character is hardly known */

typedef enum { UNKNOWN, PROPORTIONAL, FIXED } Pitch;

/* Of a line. */
typedef struct {
  guint n;               /* characters that were measured */
  double pixels, wander; /* mean advance; how far the middles wander from it, in advances */
  guint lower, other;    /* capitals and figures are nearly as wide as each other in any face: small letters tell */
  Pitch pitch;
} Known;

static double
middle_of (const DpOcrLine *line, guint i)
{
  return 0.5 * (double) (line->chars[i].x0 + line->chars[i].x1);
}

static gboolean
is_blank (const DpOcrLine *line, guint i)
{
  return line->chars[i].flags & DP_GLYPH_SPACE;
}

/* The column of each character if each is so wide; blanks as the character before them. */
static void
count_columns (const DpOcrLine *line, double pitch, guint *columns)
{
  guint before = G_MAXUINT;

  for (guint i = 0; i < line->n_chars; i++) {
    columns[i] = before == G_MAXUINT ? 0 : columns[before];
    if (is_blank (line, i))
      continue;
    if (before != G_MAXUINT) {
      const double steps = (middle_of (line, i) - middle_of (line, before)) / pitch - ROUNDING;
      columns[i] += (guint) CLAMP (round (steps), 1, 400);
    }
    before = i;
  }
}

/* The straight line through the middles over their columns. */
static void
fit (const DpOcrLine *line, const guint *columns, Known *out)
{
  double n = 0, sx = 0, sy = 0, products = 0, spread = 0, squares = 0;

  for (guint i = 0; i < line->n_chars; i++)
    if (!is_blank (line, i))
      n++, sx += columns[i], sy += middle_of (line, i);
  for (guint i = 0; i < line->n_chars; i++) {
    const double x = columns[i] - sx / n, y = middle_of (line, i) - sy / n;
    if (is_blank (line, i))
      continue;
    products += x * y;
    spread += x * x;
    squares += y * y;
  }
  out->n = (guint) n;
  out->pixels = spread > 0 ? products / spread : 0;
  out->wander = out->pixels > 0 ? sqrt (MAX (0, squares - out->pixels * products) / n) / out->pixels : G_MAXDOUBLE;
}

/* From the advance inside of words to that of the whole line. */
static void
measure (const DpOcrLine *line, Known *out)
{
  g_autofree guint *columns = g_new (guint, line->n_chars + 1);
  double sum = 0;
  guint n = 0;

  out->wander = G_MAXDOUBLE;
  for (guint i = 1; i < line->n_chars; i++)
    if (!is_blank (line, i) && !is_blank (line, i - 1))
      sum += middle_of (line, i) - middle_of (line, i - 1), n++;
  out->pixels = n ? sum / n : 0;
  for (guint round = 0; round < 3 && out->pixels > 0; round++) {
    count_columns (line, out->pixels, columns);
    fit (line, columns, out);
  }
}

static gboolean
has_pitch (double pixels, const DpOcrLine *line)
{
  const double pitch = pixels / MAX (1, (double) line->size);

  return pitch >= LEAST_PITCH && pitch <= MOST_PITCH;
}

/* What a line says by itself. */
static Known
know (const DpOcrLine *line)
{
  Known known = { .pitch = UNKNOWN };

  for (const char *p = line->text; *p; p = g_utf8_next_char (p)) {
    const gunichar c = g_utf8_get_char (p);
    known.lower += g_unichar_islower (c) ? 1 : 0;
    known.other += g_unichar_isupper (c) || g_unichar_isdigit (c) ? 1 : 0;
  }
  measure (line, &known);
  if (known.n < LEAST_CHARS)
    return known;
  if (!has_pitch (known.pixels, line) || known.wander > SURE_WANDER)
    known.pitch = PROPORTIONAL;
  else if (known.wander <= MOST_WANDER && known.lower > 2 * known.other)
    known.pitch = FIXED;
  return known;
}

static gboolean
have_one_pitch (const Known *a, const Known *b)
{
  return a->pixels > 0 && b->pixels > 0 && fabs (a->pixels / b->pixels - 1) < SAME_PITCH + END_ERROR / MIN (a->n, b->n);
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

/* What the lines around line i, and it, say as one, if they have its pitch: few letters say little of a line's size, and large small
 * letters make a face look narrower than it is. */
static gboolean
is_fixed_together (const DpScan *scan, const GArray *lines, const Known *known, guint i)
{
  const DpOcrLine *line = &g_array_index (lines, DpOcrLine, i);
  double squares = 0;
  guint n = 0, lower = 0, other = 0, count = 0;

  for (guint k = i > LOOK ? i - LOOK : 0; k < MIN (lines->len, i + LOOK + 1); k++) {
    if (known[k].wander > MOST_LIKE || !have_one_pitch (&known[i], &known[k])
        || (k != i && !are_near (scan, line, &g_array_index (lines, DpOcrLine, k), GAP)))
      continue;
    squares += known[k].n * known[k].wander * known[k].wander;
    n += known[k].n;
    lower += known[k].lower;
    other += known[k].other;
    count++;
  }
  return count >= 2 && n >= LEAST_POOL && lower > 2 * other && has_pitch (known[i].pixels, line) && sqrt (squares / n) <= MOST_WANDER;
}

/* One line may be so by chance if it is no long one, lines that stand together are not; then others that could not tell, or not quite, are
 * known by them. */
static void
compare (const DpScan *scan, const GArray *lines, Known *known)
{
  g_autoptr (GArray) sure = g_array_new (FALSE, FALSE, sizeof (Known));

  for (guint i = 0; i < lines->len; i++)
    if ((known[i].pitch == FIXED && known[i].n >= LONG_LINE) || is_fixed_together (scan, lines, known, i))
      g_array_append_val (sure, known[i]);
  for (guint i = 0; i < lines->len; i++) {
    gboolean alike = FALSE;
    for (guint k = 0; k < sure->len && !alike; k++)
      alike = have_one_pitch (&known[i], &g_array_index (sure, Known, k));
    if (known[i].lower > known[i].other && known[i].wander < MOST_LIKE && alike)
      known[i].pitch = FIXED;
    else if (known[i].pitch == FIXED)
      known[i].pitch = UNKNOWN;
  }
}

/* Whether line i may be one of the face of line k: a few characters say little about their pitch, one about its size only. */
static gboolean
may_be_like (const GArray *lines, const Known *known, guint i, guint k)
{
  const float a = g_array_index (lines, DpOcrLine, i).size, b = g_array_index (lines, DpOcrLine, k).size;

  if (known[i].n < 2)
    return MAX (a, b) < LIKE_SIZE * MIN (a, b);
  return fabs (known[i].pixels / known[k].pixels - 1) < LIKE_PITCH + LIKE_END / known[i].n;
}

/* Whether they stand in one block: near, and of one size. */
static gboolean
stand_together (const DpScan *scan, const DpOcrLine *line, const DpOcrLine *other)
{
  return MAX (line->size, other->size) < SAME_SIZE * MIN (line->size, other->size) && are_near (scan, line, other, BLOCK_GAP);
}

/* The line of sure pitch near line i, which cannot tell by itself: itself, or none, G_MAXUINT.  One that says rather that it is
 * proportional may have been misread, if there are such lines before and behind it. */
static guint
like_which (const DpScan *scan, const GArray *lines, const Known *known, guint i)
{
  const DpOcrLine *line = &g_array_index (lines, DpOcrLine, i);
  const gboolean doubtful = known[i].n >= LEAST_CHARS && known[i].wander > MOST_LIKE;
  guint before = G_MAXUINT, behind = G_MAXUINT;

  if (known[i].pitch == PROPORTIONAL)
    return G_MAXUINT;
  for (guint k = i > LOOK ? i - LOOK : 0; k < MIN (lines->len, i + LOOK + 1); k++) {
    const DpOcrLine *other = &g_array_index (lines, DpOcrLine, k);
    if (k != i && known[k].pitch == PROPORTIONAL && stand_together (scan, line, other))
      return G_MAXUINT;
    if (k != i && known[k].pitch == FIXED && may_be_like (lines, known, i, k) && are_near (scan, line, other, GAP))
      *(k < i ? &before : &behind) = k;
  }
  if (known[i].pitch == FIXED)
    return i;
  if (doubtful && (before == G_MAXUINT || behind == G_MAXUINT))
    return G_MAXUINT;
  return before != G_MAXUINT ? before : behind;
}

/* Every character in its column, so that what follows can count them; without spaces that the reader saw where no column is free. */
static void
set_in_columns (DpOcrLine *line, double pitch)
{
  g_autoptr (GString) text = g_string_new (NULL);
  g_autofree guint *columns = g_new (guint, line->n_chars + 1);
  double left = 0;
  guint n = 0, word = 0, i = 0;

  count_columns (line, pitch, columns);
  for (; i < line->n_chars; i++)
    if (!is_blank (line, i))
      left += middle_of (line, i) - columns[i] * pitch, n++;
  left /= MAX (1, n);
  i = n = 0;
  for (const char *p = line->text; *p && i < line->n_chars; p = g_utf8_next_char (p), i++) {
    const gboolean blank = is_blank (line, i);
    if (blank && i + 1 < line->n_chars && columns[i + 1] <= columns[i] + 1)
      continue;
    const double x0 = left + (columns[i] + (blank ? 0.5 : -0.5)) * pitch;
    for (; word < line->words->len && g_array_index (line->words, DpOcrWord, word).first <= i; word++)
      g_array_index (line->words, DpOcrWord, word).first -= i - n;
    line->chars[n] = line->chars[i];
    line->chars[n].x0 = (float) x0;
    line->chars[n++].x1 = (float) (x0 + pitch);
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
  g_autofree guint *like = g_new (guint, lines->len + 1);

  for (guint i = 0; i < lines->len; i++)
    known[i] = know (&g_array_index (lines, DpOcrLine, i));
  compare (scan, lines, known);
  for (guint i = 0; i < lines->len; i++)
    like[i] = like_which (scan, lines, known, i);
  for (guint i = 0; i < lines->len; i++) {
    DpOcrLine *line = &g_array_index (lines, DpOcrLine, i);
    if (like[i] == G_MAXUINT)
      continue;
    set_in_columns (line, known[like[i]].pixels);
    line->size = (float) (known[like[i]].pixels / USUAL_PITCH); /* steadier than what the heights of its few letters say */
    for (guint c = 0; c < line->n_chars; c++)
      line->chars[c].flags |= DP_GLYPH_MONO;
  }
}
