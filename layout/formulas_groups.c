/* layout/formulas_groups.c - the fragments of a display formula find together; see formulas_groups.h.
 */
#include "layout/formulas_groups.h"

#include <math.h>
#include <string.h>

#define TOUCH_X 2.2f /* em between pieces of one line */
#define TOUCH_Y 0.5f /* em between pieces of one formula */

/* ---- pieces -------------------------------------------------------------------------------------- */

static void
count_word (const DpPieces *f, guint word, DpPiece *piece)
{
  const DpAtomRange *range = &f->page->words[word];
  DpWordRole role = dp_formula_word_role (f->page, word);

  for (guint i = range->first; i < range->first + range->n; i++) {
    const DpMathAtom *atom = dp_formula_atom (f->page, i);
    guint8 evidence = g_array_index (f->page->evidence, guint8, i);
    piece->ink = piece->math + piece->weak + piece->prose ? dp_rect_union (piece->ink, atom->box) : atom->box;
    piece->relates |= atom->kind == DP_ATOM_REL && atom->ch != ':';
    if (role == DP_WORD_PROSE)
      piece->prose++;
    else if (evidence == 1 || (role == DP_WORD_MATH && evidence == 2 && atom->kind == DP_ATOM_ORD))
      piece->math++;
    else
      piece->weak++;
  }
}

/* A number of a formula: "(3)", "(2.1a)", "[7]". */
gboolean
dp_piece_is_number (const char *s, gsize n)
{
  guint digits = 0;

  if (n < 3 || n > 12 || !((s[0] == '(' && s[n - 1] == ')') || (s[0] == '[' && s[n - 1] == ']')))
    return FALSE;
  for (gsize i = 1; i + 1 < n; i++) {
    digits += g_ascii_isdigit (s[i]) != 0;
    if (!g_ascii_isalnum (s[i]) && !strchr (".-*'", s[i]))
      return FALSE;
  }
  return digits > 0 || (n == 3 && strchr ("*", s[1]));
}

static gboolean
line_is_number (const DpPageLayout *layout, const DpLine *line)
{
  g_autoptr (GString) text = NULL;

  if (line->n_words > 3)
    return FALSE;
  text = g_string_new (NULL);
  dp_line_text (layout, line, text);
  g_strstrip (text->str);
  return dp_piece_is_number (text->str, strlen (text->str));
}

/* A few slanted letters are a product of variables, not a word. */
static gboolean
is_product (const DpPieces *f, const DpLine *line)
{
  for (guint w = line->first_word; w < line->first_word + line->n_words; w++) {
    const DpWord *word = &g_array_index (f->page->layout->words, DpWord, w);
    if (word->n_chars > 3 || !(word->style & DP_SPAN_ITALIC))
      return FALSE;
  }
  return line->n_words <= 2;
}

static DpPieceRole
role_of (const DpPiece *p)
{
  guint most = p->wordy ? (p->math + p->weak) / 4 : (p->math + p->weak) * 6 / 10;

  if (p->math && p->prose <= most)
    return DP_PIECE_MATH;
  if (p->prose == 0 && p->weak < 40)
    return DP_PIECE_NEUTRAL;
  return DP_PIECE_PROSE;
}

static int
by_top (gconstpointer a, gconstpointer b)
{
  const DpPiece *x = a, *y = b;

  return x->ink.y0 < y->ink.y0 ? -1 : x->ink.y0 > y->ink.y0;
}

static void
make_pieces (DpPieces *f)
{
  DpPageLayout *layout = f->page->layout;

  for (guint i = 0; i < layout->lines->len; i++) {
    const DpLine *line = &g_array_index (layout->lines, DpLine, i);
    DpPiece piece = { .line = i, .base = line->baseline, .size = line->size };
    if (line->taken || line->angle != 0)
      continue;
    for (guint w = 0; w < line->n_words; w++)
      count_word (f, line->first_word + w, &piece);
    if (piece.math + piece.weak + piece.prose == 0)
      continue;
    piece.wordy = dp_formula_word_role (f->page, line->first_word) == DP_WORD_PROSE
                  || dp_formula_word_role (f->page, line->first_word + line->n_words - 1) == DP_WORD_PROSE;
    if (piece.prose && is_product (f, line)) {
      piece.weak += piece.prose;
      piece.prose = 0;
    }
    piece.role = role_of (&piece);
    piece.number = line_is_number (layout, line);
    g_array_append_val (f->pieces, piece);
  }
  for (guint i = 0; i < f->page->orphans->len; i++) {
    guint at = g_array_index (f->page->orphans, guint, i);
    const DpMathAtom *atom = dp_formula_atom (f->page, at);
    DpPiece piece
        = { .line = G_MAXUINT, .orphan = at, .ink = atom->box, .base = atom->base, .size = atom->size, .math = 1, .role = DP_PIECE_MATH };
    g_array_append_val (f->pieces, piece);
  }
  g_array_sort (f->pieces, by_top);
  for (guint i = 0; i < f->pieces->len; i++) {
    dp_piece_at (f, i)->parent = i;
    f->tallest = MAX (f->tallest, dp_rect_height (dp_piece_at (f, i)->ink));
  }
}

/* First piece whose top is at or below y. */
guint
dp_piece_from (const DpPieces *f, float y)
{
  guint lo = 0, hi = f->pieces->len;

  while (lo < hi) {
    guint mid = lo + (hi - lo) / 2;
    if (dp_piece_at (f, mid)->ink.y0 < y)
      lo = mid + 1;
    else
      hi = mid;
  }
  return lo;
}

static float
usual_size (const DpPageLayout *layout)
{
  gsize chars[64] = { 0 };
  guint best = 20;

  for (guint i = 0; i < layout->words->len; i++) {
    const DpWord *w = &g_array_index (layout->words, DpWord, i);
    if (w->size > 4 && w->size < 31)
      chars[(guint) (2 * w->size + 0.5f)] += w->n_chars;
  }
  for (guint i = 0; i < G_N_ELEMENTS (chars); i++)
    if (chars[i] > chars[best])
      best = i;
  return (float) best / 2;
}

/* ---- groups ---------------------------------------------------------------------------------------- */

guint
dp_piece_root (const DpPieces *f, guint i)
{
  while (dp_piece_at (f, i)->parent != i)
    i = dp_piece_at (f, i)->parent = dp_piece_at (f, dp_piece_at (f, i)->parent)->parent;
  return i;
}

static void
join (const DpPieces *f, guint a, guint b)
{
  dp_piece_at (f, dp_piece_root (f, a))->parent = dp_piece_root (f, b);
}

static float
dp_gap_y (DpRect a, DpRect b)
{
  return MAX (a.y0 - b.y1, b.y0 - a.y1);
}

static void
join_touching (DpPieces *f)
{
  for (guint i = 0; i < f->pieces->len; i++) {
    const DpPiece *a = dp_piece_at (f, i);
    if (!dp_piece_may_join (a) || a->number)
      continue;
    for (guint k = i + 1; k < f->pieces->len && dp_piece_at (f, k)->ink.y0 < a->ink.y1 + TOUCH_Y * f->em; k++) {
      const DpPiece *b = dp_piece_at (f, k);
      float beside = dp_gap_x (a->ink, b->ink), over = dp_gap_y (a->ink, b->ink);
      if (!dp_piece_may_join (b) || beside > TOUCH_X * f->em || (beside > 0 && over > 0) || b->number)
        continue;
      join (f, i, k);
    }
  }
}

/* Pieces right above or below a bar and inside its ends. */
static gboolean
join_side (DpPieces *f, const DpRule *bar, gboolean up, GArray *found)
{
  float reach = 2.5f * f->em, x0 = G_MAXFLOAT, x1 = -G_MAXFLOAT, em = f->em;

  g_array_set_size (found, 0);
  for (guint i = dp_piece_from (f, up ? bar->pos - reach - f->tallest : bar->pos - 0.3f * em); i < f->pieces->len; i++) {
    DpPiece *p = dp_piece_at (f, i);
    float gap = up ? bar->pos - p->ink.y1 : p->ink.y0 - bar->pos;
    if (p->ink.y0 > bar->pos + reach)
      break;
    if (gap < -0.35f * p->size || gap > 0.75f * p->size || p->ink.x0 < bar->from - 0.5f * p->size || p->ink.x1 > bar->to + 0.5f * p->size)
      continue;
    x0 = MIN (x0, p->ink.x0);
    x1 = MAX (x1, p->ink.x1);
    g_array_append_val (found, i);
  }
  return found->len && fabsf (0.5f * (x0 + x1) - 0.5f * (bar->from + bar->to)) < 0.4f * em + 0.05f * (bar->to - bar->from);
}

static void
join_bars (DpPieces *f)
{
  g_autoptr (GArray) above = g_array_new (FALSE, FALSE, sizeof (guint)), below = g_array_new (FALSE, FALSE, sizeof (guint));

  for (guint b = 0; b < f->page->bars->len; b++) {
    const DpRule *bar = &g_array_index (f->page->bars, DpRule, b);
    float widest = 0;
    if (bar->to - bar->from > 40 * f->em || !join_side (f, bar, TRUE, above) || !join_side (f, bar, FALSE, below))
      continue;
    g_array_append_vals (above, below->data, below->len);
    for (guint i = 0; i < above->len; i++)
      widest = MAX (widest, dp_rect_width (dp_piece_at (f, g_array_index (above, guint, i))->ink));
    /* A bar is as long as its wider part; a rule of a table is longer. */
    if (above->len == 2 && bar->to - bar->from > widest + 1.2f * f->em)
      continue;
    for (guint i = 0; i < above->len; i++) {
      guint at = g_array_index (above, guint, i);
      dp_piece_at (f, at)->forced = TRUE;
      join (f, at, g_array_index (above, guint, 0));
    }
  }
}

static int
by_column (gconstpointer a, gconstpointer b)
{
  const DpRect *x = a, *y = b;

  if (fabsf (x->x0 - y->x0) > 0.5f)
    return x->x0 < y->x0 ? -1 : 1;
  return x->y0 < y->y0 ? -1 : x->y0 > y->y0;
}

/* Left braces over several lines: large ones, and pieces put together. */
static GArray *
find_braces (const DpPieces *f)
{
  g_autoptr (GArray) parts = g_array_new (FALSE, FALSE, sizeof (DpRect));
  GArray *braces = g_array_new (FALSE, FALSE, sizeof (DpRect));

  for (guint i = 0; i < f->page->atoms->len; i++) {
    const DpMathAtom *atom = dp_formula_atom (f->page, i);
    if (atom->ch == '{' && atom->big)
      g_array_append_val (parts, atom->box);
  }
  g_array_sort (parts, by_column);
  for (guint i = 0, k; i < parts->len; i = k) {
    DpRect brace = g_array_index (parts, DpRect, i);
    for (k = i + 1; k < parts->len; k++) {
      DpRect next = g_array_index (parts, DpRect, k);
      if (fabsf (next.x0 - brace.x0) > 0.5f || next.y0 - brace.y1 > 0.4f * f->em)
        break;
      brace = dp_rect_union (brace, next);
    }
    if (dp_rect_height (brace) > 1.9f * f->em)
      g_array_append_val (braces, brace);
  }
  return braces;
}

static int
by_left (gconstpointer a, gconstpointer b)
{
  const DpRect *x = a, *y = b;

  return x->x0 < y->x0 ? -1 : x->x0 > y->x0;
}

/* How far right the cases reach: to the first white gap as wide as a gutter with two columns. */
static float
reach_of (const DpPieces *f, DpRect brace)
{
  g_autoptr (GArray) boxes = g_array_new (FALSE, FALSE, sizeof (DpRect));
  float reach = brace.x1;

  for (guint k = dp_piece_from (f, brace.y0 - 0.6f * f->em); k < f->pieces->len && dp_piece_at (f, k)->ink.y0 < brace.y1 + 0.3f * f->em;
       k++) {
    const DpPiece *p = dp_piece_at (f, k);
    if (p->ink.x1 > brace.x1 && p->ink.y1 < brace.y1 + 0.6f * f->em)
      g_array_append_val (boxes, p->ink);
  }
  g_array_sort (boxes, by_left);
  for (guint i = 0; i < boxes->len && g_array_index (boxes, DpRect, i).x0 < reach + 2.6f * f->em; i++)
    reach = MAX (reach, g_array_index (boxes, DpRect, i).x1);
  return reach;
}

/* What stands right of a tall brace within its height are its cases, words or not. */
static void
join_cases (DpPieces *f)
{
  g_autoptr (GArray) braces = find_braces (f);

  for (guint i = 0; i < braces->len; i++) {
    DpRect brace = g_array_index (braces, DpRect, i);
    float reach = reach_of (f, brace);
    guint first = G_MAXUINT;
    for (guint k = dp_piece_from (f, brace.y0 - 0.6f * f->em); k < f->pieces->len && dp_piece_at (f, k)->ink.y0 < brace.y1 + 0.3f * f->em;
         k++) {
      DpPiece *p = dp_piece_at (f, k);
      if (p->ink.x1 < brace.x0 || p->ink.x0 > reach || p->ink.y1 > brace.y1 + 0.6f * f->em || p->prose > 24 || p->number)
        continue;
      p->forced = TRUE;
      if (first == G_MAXUINT)
        first = k;
      join (f, k, first);
    }
  }
}

static void
group_free (gpointer data)
{
  DpPieceGroup *group = data;

  g_array_unref (group->pieces);
  g_free (group);
}

GPtrArray *
dp_pieces_groups (const DpPieces *f)
{
  GPtrArray *groups = g_ptr_array_new_with_free_func (group_free);
  g_autoptr (GHashTable) by_root = g_hash_table_new (NULL, NULL);

  for (guint i = 0; i < f->pieces->len; i++) {
    const DpPiece *p = dp_piece_at (f, i);
    guint root = dp_piece_root (f, i);
    DpPieceGroup *group;
    if (!dp_piece_may_join (p) || p->number)
      continue;
    group = g_hash_table_lookup (by_root, GUINT_TO_POINTER (root + 1));
    if (!group) {
      group = g_new0 (DpPieceGroup, 1);
      group->pieces = g_array_new (FALSE, FALSE, sizeof (guint));
      group->root = root;
      group->box = p->ink;
      g_hash_table_insert (by_root, GUINT_TO_POINTER (root + 1), group);
      g_ptr_array_add (groups, group);
    }
    g_array_append_val (group->pieces, i);
    group->box = dp_rect_union (group->box, p->ink);
    group->barred |= p->forced;
    group->math += p->math;
    group->weak += p->weak;
    group->prose += p->prose;
    group->relates |= p->relates;
  }
  return groups;
}

DpPieces
dp_pieces_new (DpFormulaPage *page)
{
  DpPieces f = { .page = page, .pieces = g_array_new (FALSE, TRUE, sizeof (DpPiece)), .em = usual_size (page->layout) };

  make_pieces (&f);
  join_bars (&f);
  join_cases (&f);
  join_touching (&f);
  return f;
}
