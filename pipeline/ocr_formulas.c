/* pipeline/ocr_formulas.c - displayed formulas that the line reader cannot have read.
 *
 * A line reader knows characters in a row.  Of a fraction, a sum with limits or a power it makes signs that nobody
 * wrote, and these are worse than a picture.  A displayed formula is known by what surrounds it as much as by what is in it: it stands
 * apart from running text, further in than that, hardly a word is in it, a sign of relation is, and the reader is not sure,
 * or pieces of it stand over each other.  A line set apart that the reader is sure of stays text.
 */
#include "pipeline/ocr_private.h"

#include <math.h>
#include <string.h>

#define LEAST_WORD 3u      /* letters of a word */
#define PROSE_SHARE 0.45f  /* of the characters in words: running text */
#define FORMULA_SHARE 0.3f /* more: no formula */
#define LEAST_PROSE 8u     /* characters; fewer may be an "and" between two formulas */
#define MOST_BIT 14u       /* characters of a piece of a formula: a limit, a denominator, its number */
#define ROW_GAP 0.7f       /* em between pieces over each other */
#define SIDE_GAP 2.6f      /* em between pieces side by side */
#define BESIDE 12.0f       /* em: what stands nearer in the same rows makes it a row of a table or of text */
#define NEAR_TEXT 5.0f     /* em from a formula to the text above or below it */
#define SIDE_TEXT 12.0f    /* em to the right from the end of a short line of that text */
#define INDENT 0.9f        /* em from the margin of that text */
#define SURE 0.95f         /* confidence of a formula that was read */
#define DOUBT 0.8f         /* confidence of signs that are no row of characters */
#define LEAST_FORMULA 5.0  /* characters */
#define MARGIN 0.2f        /* em around the picture */
#define MOST_ROUNDS 12u

typedef enum { OTHER, PROSE, SEED, BIT, NUMBER } Kind;

/* A line of the page. */
typedef struct {
  DpRect box; /* pixels */
  Kind kind;
  float confidence;
  guint n;     /* characters but spaces */
  guint group; /* 0 = none */
} Piece;

typedef struct {
  GArray *pieces; /* Piece */
  float em;       /* of the running text, pixels */
} Finder;

static Piece *
piece_at (const Finder *f, guint i)
{
  return &g_array_index (f->pieces, Piece, i);
}

/* ---- kinds of lines ----------------------------------------------------------------------------------------- */

static gboolean
is_relation (gunichar c)
{
  return c == '=' || c == '<' || c == '>' || (c >= 0x2248 && c <= 0x226b) || c == 0x2208 || c == 0x2192 || c == 0x21d2;
}

/* "(3.15a)", "[2]" */
static gboolean
is_number (const char *text)
{
  const gsize n = strlen (text);
  gboolean digits = FALSE;

  if (n < 3 || n > 10 || !((text[0] == '(' && text[n - 1] == ')') || (text[0] == '[' && text[n - 1] == ']')))
    return FALSE;
  for (gsize i = 1; i + 1 < n; i++) {
    digits |= g_ascii_isdigit (text[i]);
    if (!g_ascii_isalnum (text[i]) && text[i] != '.' && text[i] != '-')
      return FALSE;
  }
  return digits;
}

static Kind
kind_of (const char *text, float confidence, guint *n_chars)
{
  guint n = 0, words = 0, run = 0, relations = 0;

  for (const char *p = text;; p = g_utf8_next_char (p)) {
    const gunichar c = g_utf8_get_char (p);
    if (g_unichar_isalpha (c))
      run++;
    else {
      words += run >= LEAST_WORD ? run : 0;
      run = 0;
    }
    if (!*p)
      break;
    n += !g_unichar_isspace (c);
    relations += is_relation (c);
  }
  *n_chars = n;
  if ((float) words > PROSE_SHARE * (float) n && n >= LEAST_PROSE)
    return PROSE;
  if ((float) words > FORMULA_SHARE * (float) n && n >= LEAST_PROSE)
    return OTHER;
  if (is_number (text))
    return NUMBER;
  return relations || (confidence < DOUBT && n >= LEAST_WORD) ? SEED : n <= MOST_BIT ? BIT : OTHER;
}

static float
usual_size (const GArray *lines)
{
  g_autofree guint *chars = g_new0 (guint, 512);
  guint best = 0, n;

  for (guint i = 0; i < lines->len; i++) {
    const DpOcrLine *line = &g_array_index (lines, DpOcrLine, i);
    if (kind_of (line->text, line->confidence, &n) == PROSE && line->size > 0 && line->size < 511)
      chars[(guint) line->size] += n;
  }
  for (guint i = 1; i < 512; i++)
    if (chars[i] > chars[best])
      best = i;
  return chars[best] ? (float) best : 0;
}

static void
list_pieces (Finder *f, const DpScan *scan, const GArray *lines)
{
  for (guint i = 0; i < lines->len; i++) {
    const DpOcrLine *line = &g_array_index (lines, DpOcrLine, i);
    const DpScanLine *l = &g_array_index (dp_scan_lines (scan), DpScanLine, line->line);
    Piece piece = { .box = { (float) l->x0, (float) l->y0, (float) l->x1, (float) l->y1 }, .confidence = line->confidence };
    piece.kind = l->leader ? OTHER : kind_of (line->text, line->confidence, &piece.n);
    g_array_append_val (f->pieces, piece);
  }
}

/* ---- pieces to formulas ------------------------------------------------------------------------------------------ */

static gboolean
touch (const Finder *f, DpRect a, DpRect b)
{
  const float down = MAX (a.y0, b.y0) - MIN (a.y1, b.y1), across = MAX (a.x0, b.x0) - MIN (a.x1, b.x1);

  return down < ROW_GAP * f->em && across < SIDE_GAP * f->em;
}

static gboolean
in_rows (DpRect a, DpRect b)
{
  return dp_rect_overlap_y (a, b) > 0.4f * MIN (dp_rect_height (a), dp_rect_height (b));
}

/* Takes what hangs together with the seed; its number may stand far out. */
static DpRect
grow (const Finder *f, guint seed, guint group)
{
  DpRect box = piece_at (f, seed)->box, tight = box;
  gboolean more = TRUE;

  piece_at (f, seed)->group = group;
  for (guint round = 0; more && round < MOST_ROUNDS; round++) {
    more = FALSE;
    for (guint i = 0; i < f->pieces->len; i++) {
      Piece *p = piece_at (f, i);
      if (p->group || p->kind == PROSE || p->kind == OTHER)
        continue;
      if (p->kind == NUMBER ? !in_rows (p->box, tight) : !touch (f, p->box, tight))
        continue;
      p->group = group;
      box = dp_rect_union (box, p->box);
      tight = p->kind == NUMBER ? tight : dp_rect_union (tight, p->box);
      more = TRUE;
    }
  }
  return box;
}

/* How far a formula stands in from the text above or below it; < 0 if there is none. */
static float
indent_of (const Finder *f, DpRect box)
{
  float best = NEAR_TEXT * f->em, left = G_MAXFLOAT;

  for (guint i = 0; i < f->pieces->len; i++) {
    const Piece *p = piece_at (f, i);
    const float gap = MAX (box.y0 - p->box.y1, p->box.y0 - box.y1);
    if (p->kind != PROSE || p->box.x0 > box.x1 || p->box.x1 + SIDE_TEXT * f->em < box.x0 || gap > best)
      continue;
    best = MAX (gap, 0);
    left = p->box.x0;
  }
  return left == G_MAXFLOAT ? -1 : box.x0 - left;
}

typedef struct {
  float confidence;
  double n; /* characters */
  gboolean stacked, alone;
} Verdict;

static Verdict
judge (const Finder *f, DpRect box, guint group)
{
  Verdict v = { .alone = TRUE };
  double sum = 0;
  float last = -G_MAXFLOAT;

  for (guint i = 0; i < f->pieces->len; i++) { /* from top to bottom */
    const Piece *p = piece_at (f, i);
    if (p->group == group) {
      const float cy = dp_rect_cy (p->box);
      if (p->kind != NUMBER) {
        sum += (double) p->n * (double) p->confidence;
        v.n += p->n;
      }
      v.stacked = v.stacked || (cy - last > 0.25f * f->em && cy - last < 0.95f * f->em);
      last = MAX (last, cy);
    } else if (in_rows (p->box, box) && MAX (p->box.x0 - box.x1, box.x0 - p->box.x1) < (p->kind == PROSE ? SIDE_GAP : BESIDE) * f->em)
      v.alone = FALSE;
  }
  v.confidence = v.n > 0 ? (float) (sum / v.n) : 0;
  return v;
}

static gboolean
is_in_one (DpRect box, const GArray *pictures)
{
  for (guint i = 0; i < pictures->len; i++)
    if (dp_rect_inside (box, g_array_index (pictures, DpRect, i)) > 0.5f)
      return TRUE;
  return FALSE;
}

void
dp_ocr_find_formulas (const DpScan *scan, const GArray *lines, const GArray *pictures, GArray *formulas)
{
  const float k = (float) dp_scan_scale (scan);
  g_autoptr (GArray) pieces = g_array_sized_new (FALSE, TRUE, sizeof (Piece), lines->len);
  Finder f = { pieces, usual_size (lines) };

  if (f.em <= 0)
    return;
  list_pieces (&f, scan, lines);
  for (guint i = 0, group = 0; i < pieces->len; i++) {
    if (piece_at (&f, i)->kind != SEED || piece_at (&f, i)->group)
      continue;
    const DpRect box = grow (&f, i, ++group);
    const Verdict v = judge (&f, box, group);
    if (!v.alone || v.n < LEAST_FORMULA || (v.confidence >= SURE && !v.stacked) || indent_of (&f, box) < INDENT * f.em)
      continue;
    const float margin = MARGIN * f.em;
    const DpRect points = { k * (box.x0 - margin), k * (box.y0 - margin), k * (box.x1 + margin), k * (box.y1 + margin) };
    if (!is_in_one (points, pictures))
      g_array_append_val (formulas, points);
  }
}
