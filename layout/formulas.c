/* layout/formulas.c - display formulas become regions.
 *
 * A formula set apart falls into many fragments: parts of fractions, limits, brackets.  Every
 * fragment is prose, a piece of a formula, or could be either; pieces that touch, or that a bar
 * holds together, are one group.  A group is a display formula when it has a column to itself
 * at its height and is set in or set off from the text around it.  Pieces beside prose are left
 * for formulas_inline.c.  The glyphs of a group then go through latex.h; what they do not
 * explain is shown as a picture.
 */
#include "layout/formulas.h"

#include <math.h>
#include <string.h>

#define SET_IN 1.2f        /* em from the column's edge */
#define SET_OFF 0.75f      /* em of white above and below a formula at the column's edge */
#define TOUCH_X 2.2f       /* em between pieces of one line */
#define TOUCH_Y 0.5f       /* em between pieces of one formula */
#define LINES_GAP 1.15f    /* em between lines of one formula */
#define NUMBER_REACH 45.0f /* em between a formula and its number */

typedef enum { PIECE_PROSE, PIECE_NEUTRAL, PIECE_MATH } PieceRole;

/* A line fragment, or a glyph that is in no word. */
typedef struct {
  DpRect ink;
  float base, size;
  guint line;   /* G_MAXUINT for a glyph */
  guint orphan; /* atom */
  PieceRole role;
  guint math, weak, prose; /* glyphs */
  gboolean relates;
  gboolean forced; /* part of a fraction: joins whatever its role */
  gboolean wordy;  /* begins or ends with a word */
  gboolean number; /* the number of a formula */
  guint parent;
} Piece;

typedef struct {
  DpFormulaPage *page;
  GArray *pieces; /* Piece, by top */
  float em;       /* usual size of the page's text */
  float tallest;
} Finder;

typedef struct {
  GArray *pieces; /* guint */
  DpRect box;
  gboolean barred;
  guint math, weak, prose;
  gboolean relates;
  guint root;
  gboolean accepted;
} Group;

static Piece *
piece_at (const Finder *f, guint i)
{
  return &g_array_index (f->pieces, Piece, i);
}

/* ---- pieces -------------------------------------------------------------------------------------- */

static void
count_word (const Finder *f, guint word, Piece *piece)
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
static gboolean
is_number (const char *s, gsize n)
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
  return is_number (text->str, strlen (text->str));
}

/* A few slanted letters are a product of variables, not a word. */
static gboolean
is_product (const Finder *f, const DpLine *line)
{
  for (guint w = line->first_word; w < line->first_word + line->n_words; w++) {
    const DpWord *word = &g_array_index (f->page->layout->words, DpWord, w);
    if (word->n_chars > 3 || !(word->style & DP_SPAN_ITALIC))
      return FALSE;
  }
  return line->n_words <= 2;
}

static PieceRole
role_of (const Piece *p)
{
  guint most = p->wordy ? (p->math + p->weak) / 4 : (p->math + p->weak) * 6 / 10;

  if (p->math && p->prose <= most)
    return PIECE_MATH;
  if (p->prose == 0 && p->weak < 40)
    return PIECE_NEUTRAL;
  return PIECE_PROSE;
}

static int
by_top (gconstpointer a, gconstpointer b)
{
  const Piece *x = a, *y = b;

  return x->ink.y0 < y->ink.y0 ? -1 : x->ink.y0 > y->ink.y0;
}

static void
make_pieces (Finder *f)
{
  DpPageLayout *layout = f->page->layout;

  for (guint i = 0; i < layout->lines->len; i++) {
    const DpLine *line = &g_array_index (layout->lines, DpLine, i);
    Piece piece = { .line = i, .base = line->baseline, .size = line->size };
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
    Piece piece
        = { .line = G_MAXUINT, .orphan = at, .ink = atom->box, .base = atom->base, .size = atom->size, .math = 1, .role = PIECE_MATH };
    g_array_append_val (f->pieces, piece);
  }
  g_array_sort (f->pieces, by_top);
  for (guint i = 0; i < f->pieces->len; i++) {
    piece_at (f, i)->parent = i;
    f->tallest = MAX (f->tallest, dp_rect_height (piece_at (f, i)->ink));
  }
}

/* First piece whose top is at or below y. */
static guint
piece_from (const Finder *f, float y)
{
  guint lo = 0, hi = f->pieces->len;

  while (lo < hi) {
    guint mid = lo + (hi - lo) / 2;
    if (piece_at (f, mid)->ink.y0 < y)
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

static guint
root_of (const Finder *f, guint i)
{
  while (piece_at (f, i)->parent != i)
    i = piece_at (f, i)->parent = piece_at (f, piece_at (f, i)->parent)->parent;
  return i;
}

static void
join (const Finder *f, guint a, guint b)
{
  piece_at (f, root_of (f, a))->parent = root_of (f, b);
}

static gboolean
may_join (const Piece *p)
{
  return p->role != PIECE_PROSE || p->forced;
}

static float
gap_x (DpRect a, DpRect b)
{
  return MAX (a.x0 - b.x1, b.x0 - a.x1);
}

static float
gap_y (DpRect a, DpRect b)
{
  return MAX (a.y0 - b.y1, b.y0 - a.y1);
}

static void
join_touching (Finder *f)
{
  for (guint i = 0; i < f->pieces->len; i++) {
    const Piece *a = piece_at (f, i);
    if (!may_join (a) || a->number)
      continue;
    for (guint k = i + 1; k < f->pieces->len && piece_at (f, k)->ink.y0 < a->ink.y1 + TOUCH_Y * f->em; k++) {
      const Piece *b = piece_at (f, k);
      float beside = gap_x (a->ink, b->ink), over = gap_y (a->ink, b->ink);
      if (!may_join (b) || beside > TOUCH_X * f->em || (beside > 0 && over > 0) || b->number)
        continue;
      join (f, i, k);
    }
  }
}

/* Pieces right above or below a bar and inside its ends. */
static gboolean
join_side (Finder *f, const DpRule *bar, gboolean up, GArray *found)
{
  float reach = 2.5f * f->em, x0 = G_MAXFLOAT, x1 = -G_MAXFLOAT, em = f->em;

  g_array_set_size (found, 0);
  for (guint i = piece_from (f, up ? bar->pos - reach - f->tallest : bar->pos - 0.3f * em); i < f->pieces->len; i++) {
    Piece *p = piece_at (f, i);
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
join_bars (Finder *f)
{
  g_autoptr (GArray) above = g_array_new (FALSE, FALSE, sizeof (guint)), below = g_array_new (FALSE, FALSE, sizeof (guint));

  for (guint b = 0; b < f->page->bars->len; b++) {
    const DpRule *bar = &g_array_index (f->page->bars, DpRule, b);
    float widest = 0;
    if (bar->to - bar->from > 40 * f->em || !join_side (f, bar, TRUE, above) || !join_side (f, bar, FALSE, below))
      continue;
    g_array_append_vals (above, below->data, below->len);
    for (guint i = 0; i < above->len; i++)
      widest = MAX (widest, dp_rect_width (piece_at (f, g_array_index (above, guint, i))->ink));
    /* A bar is as long as its wider part; a rule of a table is longer. */
    if (above->len == 2 && bar->to - bar->from > widest + 1.2f * f->em)
      continue;
    for (guint i = 0; i < above->len; i++) {
      guint at = g_array_index (above, guint, i);
      piece_at (f, at)->forced = TRUE;
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
find_braces (const Finder *f)
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
reach_of (const Finder *f, DpRect brace)
{
  g_autoptr (GArray) boxes = g_array_new (FALSE, FALSE, sizeof (DpRect));
  float reach = brace.x1;

  for (guint k = piece_from (f, brace.y0 - 0.6f * f->em); k < f->pieces->len && piece_at (f, k)->ink.y0 < brace.y1 + 0.3f * f->em; k++) {
    const Piece *p = piece_at (f, k);
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
join_cases (Finder *f)
{
  g_autoptr (GArray) braces = find_braces (f);

  for (guint i = 0; i < braces->len; i++) {
    DpRect brace = g_array_index (braces, DpRect, i);
    float reach = reach_of (f, brace);
    guint first = G_MAXUINT;
    for (guint k = piece_from (f, brace.y0 - 0.6f * f->em); k < f->pieces->len && piece_at (f, k)->ink.y0 < brace.y1 + 0.3f * f->em; k++) {
      Piece *p = piece_at (f, k);
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
  Group *group = data;

  g_array_unref (group->pieces);
  g_free (group);
}

static GPtrArray *
make_groups (const Finder *f)
{
  GPtrArray *groups = g_ptr_array_new_with_free_func (group_free);
  g_autoptr (GHashTable) by_root = g_hash_table_new (NULL, NULL);

  for (guint i = 0; i < f->pieces->len; i++) {
    const Piece *p = piece_at (f, i);
    guint root = root_of (f, i);
    Group *group;
    if (!may_join (p) || p->number)
      continue;
    group = g_hash_table_lookup (by_root, GUINT_TO_POINTER (root + 1));
    if (!group) {
      group = g_new0 (Group, 1);
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

/* ---- is it set apart? ---------------------------------------------------------------------------------- */

typedef struct {
  float left, right;  /* edges of the column's text */
  float above, below; /* white to the nearest prose */
  gboolean beside;    /* prose stands on its lines */
} Setting;

static Setting
setting_of (const Finder *f, const Group *g)
{
  Setting s = { G_MAXFLOAT, -G_MAXFLOAT, G_MAXFLOAT, G_MAXFLOAT, FALSE };
  float reach = 14 * f->em;

  for (guint i = piece_from (f, g->box.y0 - reach); i < f->pieces->len && piece_at (f, i)->ink.y0 < g->box.y1 + reach; i++) {
    const Piece *p = piece_at (f, i);
    float apart = gap_x (p->ink, g->box);
    if (root_of (f, i) == g->root && may_join (p))
      continue;
    if (p->role != PIECE_PROSE)
      continue;
    if (p->base > g->box.y0 - 0.1f * f->em && p->base - 0.5f * p->size < g->box.y1 && apart < 3.0f * f->em) {
      s.beside = TRUE;
      continue;
    }
    if (apart > 0 || p->prose < 8)
      continue;
    s.left = MIN (s.left, p->ink.x0);
    s.right = MAX (s.right, p->ink.x1);
    if (p->ink.y1 <= g->box.y0 + 0.3f * f->em)
      s.above = MIN (s.above, g->box.y0 - p->ink.y1);
    if (p->ink.y0 >= g->box.y1 - 0.3f * f->em)
      s.below = MIN (s.below, p->ink.y0 - g->box.y1);
  }
  return s;
}

/* Enough of a formula to be one: a variable and something it is related to, or a structure. */
static gboolean
says_something (const Finder *f, const Group *g)
{
  gboolean variable = FALSE;

  if (g->barred && g->math + g->weak >= 2)
    return TRUE;
  if (!g->math || g->math + g->weak < 2)
    return FALSE;
  for (guint i = 0; i < g->pieces->len && !variable; i++) {
    const Piece *p = piece_at (f, g_array_index (g->pieces, guint, i));
    const DpLine *line = p->line == G_MAXUINT ? NULL : &g_array_index (f->page->layout->lines, DpLine, p->line);
    for (guint w = 0; line && w < line->n_words && !variable; w++) {
      const DpAtomRange *range = &f->page->words[line->first_word + w];
      for (guint k = range->first; k < range->first + range->n && !variable; k++)
        variable = g_unichar_isalpha (dp_formula_atom (f->page, k)->ch) != 0;
    }
  }
  return variable && (g->relates || g->math >= 3 || g->math + g->weak >= 4);
}

static gboolean
is_display (const Finder *f, const Group *g)
{
  Setting s;
  gboolean set_in, set_off;

  if (!says_something (f, g))
    return FALSE;
  s = setting_of (f, g);
  if (s.beside)
    return FALSE;
  if (s.left > s.right)
    return g->relates || g->barred;
  set_in = g->box.x0 > s.left + SET_IN * f->em;
  set_off = MIN (s.above, s.below) > SET_OFF * f->em;
  return (set_in && MIN (s.above, s.below) > -0.2f * f->em) || set_off;
}

/* ---- numbers --------------------------------------------------------------------------------------------- */

/* The number beside the group, taken out of the pieces: a fragment of its own in reach. */
static guint
find_number (const Finder *f, const Group *g)
{
  guint found = G_MAXUINT;
  float nearest = NUMBER_REACH * f->em;

  for (guint i = piece_from (f, g->box.y0 - 0.5f * f->em); i < f->pieces->len && piece_at (f, i)->ink.y0 < g->box.y1; i++) {
    const Piece *p = piece_at (f, i);
    float apart = gap_x (p->ink, g->box);
    if (p->line == G_MAXUINT || apart < 0 || apart > nearest || !p->number || g_array_index (f->page->layout->lines, DpLine, p->line).taken)
      continue;
    nearest = apart;
    found = i;
  }
  return found;
}

/* ---- regions ----------------------------------------------------------------------------------------------- */

/* Two groups one below the other without prose between them are lines of one formula. */
static gboolean
are_lines_of_one (const Finder *f, const Group *a, const Group *b)
{
  float gap = b->box.y0 - a->box.y1;

  if (gap > LINES_GAP * f->em || gap < -0.5f * f->em || dp_rect_overlap_x (a->box, b->box) <= 0)
    return FALSE;
  return find_number (f, a) == G_MAXUINT || find_number (f, b) == G_MAXUINT;
}

static void
merge_lines (const Finder *f, GPtrArray *groups)
{
  for (guint i = 0; i < groups->len; i++) {
    Group *a = g_ptr_array_index (groups, i);
    for (guint k = i + 1; a->accepted && k < groups->len && k < i + 12; k++) {
      Group *b = g_ptr_array_index (groups, k);
      if (!b->accepted || !are_lines_of_one (f, a, b))
        continue;
      g_array_append_vals (a->pieces, b->pieces->data, b->pieces->len);
      a->box = dp_rect_union (a->box, b->box);
      b->accepted = FALSE;
      k = i;
    }
  }
}

/* A number at the end of the group's line, behind a gap: cut off the words that are read. */
static char *
cut_number (const Finder *f, const Group *g, guint *cut)
{
  const DpPageLayout *layout = f->page->layout;

  for (guint i = 0; i < g->pieces->len; i++) {
    const Piece *p = piece_at (f, g_array_index (g->pieces, guint, i));
    const DpLine *line = p->line == G_MAXUINT ? NULL : &g_array_index (layout->lines, DpLine, p->line);
    const DpWord *last = line && line->n_words > 1 ? &g_array_index (layout->words, DpWord, line->first_word + line->n_words - 1) : NULL;
    gsize n;
    const char *text = last ? dp_word_text (layout, last, &n) : NULL;
    if (!text || !is_number (text, n) || last->box.x1 < g->box.x1 - 0.5f * f->em || last->box.x0 - last[-1].box.x1 < 0.9f * last->size)
      continue;
    *cut = line->first_word + line->n_words - 1;
    return g_strndup (text, n);
  }
  return NULL;
}

static void
take_piece (const Finder *f, const Piece *p, guint skip, gint region, GArray *atoms)
{
  DpPageLayout *layout = f->page->layout;
  DpLine *line;

  if (p->line == G_MAXUINT) {
    g_array_append_val (atoms, *dp_formula_atom (f->page, p->orphan));
    return;
  }
  line = &g_array_index (layout->lines, DpLine, p->line);
  line->taken = TRUE;
  line->region = region;
  for (guint w = line->first_word; w < line->first_word + line->n_words; w++) {
    g_array_index (layout->words, DpWord, w).taken = TRUE;
    if (w != skip)
      dp_formula_add_word (f->page, w, atoms);
  }
  g_array_append_val (g_array_index (layout->regions, DpRegion, region).lines, p->line);
}

static void
gather_bars (const Finder *f, DpRect box, GArray *bars)
{
  for (guint i = dp_formula_bar_at (f->page, box.y0 - 0.4f * f->em); i < f->page->bars->len; i++) {
    const DpRule *bar = &g_array_index (f->page->bars, DpRule, i);
    if (bar->pos > box.y1 + 0.3f * f->em)
      break;
    if (bar->from > box.x0 - 0.5f * f->em && bar->to < box.x1 + 0.5f * f->em)
      g_array_append_val (bars, *bar);
  }
}

static void
make_region (const Finder *f, const Group *g)
{
  DpPageLayout *layout = f->page->layout;
  g_autoptr (GArray) atoms = g_array_new (FALSE, FALSE, sizeof (DpMathAtom)), bars = g_array_new (FALSE, FALSE, sizeof (DpRule));
  guint number = find_number (f, g), cut = G_MAXUINT;
  gint index = (gint) layout->regions->len;
  DpRegion *region = dp_page_layout_add_region (layout, DP_REGION_FORMULA, g->box);
  DpLatexFacts facts;

  region->label = cut_number (f, g, &cut);
  for (guint i = 0; i < g->pieces->len; i++)
    take_piece (f, piece_at (f, g_array_index (g->pieces, guint, i)), cut, index, atoms);
  gather_bars (f, g->box, bars);
  region = &g_array_index (layout->regions, DpRegion, index);
  region->latex = dp_latex_new ((const DpMathAtom *) atoms->data, atoms->len, (const DpRule *) bars->data, bars->len, &facts);
  if (facts.quality < 0.6f || !*region->latex)
    g_clear_pointer (&region->latex, g_free);
  if (!region->label && number != G_MAXUINT) {
    const Piece *p = piece_at (f, number);
    DpLine *line = &g_array_index (layout->lines, DpLine, p->line);
    g_autoptr (GString) text = g_string_new (NULL);
    dp_line_text (layout, line, text);
    region->label = g_strdup (g_strstrip (text->str));
    region->box = dp_rect_union (region->box, line->box);
    line->taken = TRUE;
    line->region = index;
  }
}

void
dp_layout_formula_glyphs (DpPageLayout *layout, const DpPage *page, const guint8 *hidden)
{
  layout->formulas = dp_formula_page_new (layout, page, hidden);
}

void
dp_layout_formulas (DpPageLayout *layout)
{
  g_autoptr (DpFormulaPage) gathered = g_steal_pointer (&layout->formulas);
  Finder f = { .page = gathered };
  g_autoptr (GPtrArray) groups = NULL;

  if (!gathered)
    return;
  f.pieces = g_array_new (FALSE, TRUE, sizeof (Piece));
  f.em = usual_size (layout);
  make_pieces (&f);
  join_bars (&f);
  join_cases (&f);
  join_touching (&f);
  groups = make_groups (&f);
  for (guint i = 0; i < groups->len; i++) {
    Group *group = g_ptr_array_index (groups, i);
    group->accepted = is_display (&f, group);
  }
  merge_lines (&f, groups);
  for (guint i = 0; i < groups->len; i++)
    if (((Group *) g_ptr_array_index (groups, i))->accepted)
      make_region (&f, g_ptr_array_index (groups, i));
  g_array_unref (f.pieces);
  dp_formulas_inline (gathered);
}
