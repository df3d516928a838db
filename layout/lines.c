/* layout/lines.c - words -> line fragments: one baseline, one column.
 *
 * Every word looks for its neighbour on either side; a pair joins unless the gap between
 * them is a gutter or a cell border.  A wide gap alone does not tell: justified lines have
 * gaps of 1.5 em, tables columns of 1 em.  So the page is asked: a gutter is white above
 * and below, with words on both sides (word_grid.h), or has a vertical rule in it; an odd
 * gap inside a paragraph is crossed by the words of the next lines.  The text layer's own
 * line ends are the second witness.
 *
 * Scripts attach to their line when they are small (size ratio < 0.85), shifted (> 0.1 em)
 * and touch; a drop cap joins the line beside its top.  What a line says of itself (size,
 * style, scripts, spaces, direction) is in line_facts.c.
 */
#include "layout/frame.h"
#include "layout/inline_images.h"
#include "layout/layout.h"
#include "layout/leaders.h"
#include "layout/lines.h"
#include "layout/word_grid.h"

#include <math.h>
#include <string.h>

#define MAX_STEPS 48 /* words looked at in one row to find a neighbour */
#define REACH 6.0f   /* em: no line bridges a wider gap */

typedef struct {
  DpPageLayout *layout;
  DpWordGrid *grid;
  gint angle;
  guint *parent;  /* union-find over views */
  float *lo, *hi; /* per root: baselines of its words, scripts and initials left out */
} Finder;

static const DpWordView *
view_at (const Finder *f, guint i)
{
  return &g_array_index (f->grid->views, DpWordView, i);
}

static const DpWord *
word_of (const Finder *f, const DpWordView *view)
{
  return &g_array_index (f->layout->words, DpWord, view->word);
}

static guint
root_of (guint *parent, guint i)
{
  while (parent[i] != i)
    i = parent[i] = parent[parent[i]];
  return i;
}

/* ---- what a word says about itself ---------------------------------------------------------- */

static gboolean
is_bullet_char (gunichar c)
{
  return strchr ("-*+o", c < 0x80 ? (int) c : 1) || c == 0x2022 || c == 0x2023 || c == 0x2043 || c == 0x2013 || c == 0x2014 || c == 0x2212
         || c == 0xb7 || c == 0xa7 || (c >= 0x2190 && c <= 0x21ff) || (c >= 0x25a0 && c <= 0x27bf) || (c >= 0xe000 && c <= 0xf8ff)
         || c == 0x2219 || c == 0xbb;
}

/* A token a list item, a heading number or a note may begin with: "•", "1.", "(a)", "iv)", "2.3.1". */
static gboolean
is_label (const Finder *f, const DpWordView *view)
{
  gsize len, dots = 0, alnum = 0, digits = 0;
  const char *s = dp_word_text (f->layout, word_of (f, view), &len), *end = s + len;
  gboolean closed;

  if (view->n_chars == 1 && is_bullet_char (g_utf8_get_char (s)))
    return TRUE;
  if (view->n_chars > 9 || !len)
    return FALSE;
  closed = end[-1] == '.' || end[-1] == ')' || end[-1] == ']' || end[-1] == ':';
  for (const char *p = s; p < end; p++) {
    if ((guchar) *p >= 0x80)
      return FALSE;
    dots += *p == '.';
    digits += g_ascii_isdigit (*p) != 0;
    alnum += g_ascii_isalnum (*p) != 0;
    if (!g_ascii_isalnum (*p) && !strchr (".()[]-:", *p))
      return FALSE;
  }
  if (digits && alnum == digits && (closed || dots || digits <= 2))
    return TRUE;
  return closed && alnum <= 4 && (alnum - digits <= 1 || strspn (s + (*s == '('), "ivxlcIVXLC") >= alnum);
}

/* ---- do two words stand on one line? --------------------------------------------------------- */

typedef enum { APART, LEVEL, SCRIPT, DROP_CAP } Relation;

/* a stands left of b. */
static Relation
relate (const DpWordView *a, const DpWordView *b)
{
  float big = MAX (a->size, b->size), small = MIN (a->size, b->size), ratio = small / big;
  const DpWordView *script = a->size < b->size ? a : b;
  float shift = (script == a ? b->base - a->base : a->base - b->base) / big; /* > 0: raised */
  float gap = b->u0 - a->u1;

  if (gap < -0.5f * small || gap > REACH * big)
    return APART;
  if (a->drop_cap) {
    /* The first line's capitals reach as high as the initial: 0.7 em above the baseline. */
    float top = a->base - 0.7f * a->size + 0.7f * b->size;

    return ratio < 0.6f && fabsf (b->base - top) < 0.5f * b->size && gap < 1.5f * b->size ? DROP_CAP : APART;
  }
  if (b->drop_cap)
    return APART;
  if (ratio >= 0.8f && fabsf (shift) <= 0.28f)
    return LEVEL;
  if (ratio < 0.8f && fabsf (shift) <= 0.12f)
    return LEVEL;
  if (ratio < DP_SCRIPT_RATIO && script->n_chars <= 6 && shift > -0.4f && shift < 0.7f && gap < 0.35f * big)
    return SCRIPT;
  /* Raised marks of full size exist too, but only touching and short. */
  if (ratio >= DP_SCRIPT_RATIO && fabsf (shift) <= 0.5f && MIN (a->n_chars, b->n_chars) <= 2 && gap < 0.08f * big && shift != 0)
    return SCRIPT;
  return APART;
}

/* Is there a vertical rule (as the reader sees it) between the two words? */
static gboolean
rule_between (const Finder *f, const DpWordView *a, const DpWordView *b)
{
  const GArray *rules = f->angle == 0 || f->angle == 180 ? f->layout->vrules : f->layout->hrules;
  DpRect gap = dp_frame_unrect ((DpRect){ a->u1 - 1, b->base - 0.6f * b->size, b->u0 + 1, b->base }, f->angle);
  gboolean upright = f->angle == 0 || f->angle == 180;
  float from = upright ? gap.x0 : gap.y0, to = upright ? gap.x1 : gap.y1, across = upright ? dp_rect_cy (gap) : dp_rect_cx (gap);
  const guint lo = dp_rules_from (rules, from);
  for (guint k = lo; k < rules->len && k < lo + 64 && g_array_index (rules, DpRule, k).pos <= to; k++) {
    const DpRule *rule = &g_array_index (rules, DpRule, k);

    /* A stroke no taller than the text is a bar or a letter, not a border. */
    if (rule->from <= across && rule->to >= across && rule->to - rule->from > 1.3f * b->size)
      return TRUE;
  }
  return FALSE;
}

/* Is the gap filled by the bar of a small fraction, on the axis of the line? */
static gboolean
bar_fills_gap (const Finder *f, const DpWordView *a, const DpWordView *b)
{
  const GArray *lists[] = { f->layout->hrules, f->layout->underlines };
  float em = MAX (a->size, b->size), axis = a->base - 0.25f * em, from = G_MAXFLOAT, to = -G_MAXFLOAT, height = axis;

  if (f->angle != 0 || fabsf (a->base - b->base) > 0.15f * em || MIN (a->size, b->size) < 0.8f * em)
    return FALSE;
  for (guint l = 0; l < G_N_ELEMENTS (lists); l++) {
    const guint lo = dp_rules_from (lists[l], axis - 0.15f * em);
    for (guint k = lo; k < lists[l]->len && k < lo + 64 && g_array_index (lists[l], DpRule, k).pos < axis + 0.15f * em; k++) {
      const DpRule *rule = &g_array_index (lists[l], DpRule, k);

      if (rule->from > a->u1 - 0.1f * em && rule->to < b->u0 + 0.1f * em) {
        if (from < to && fabsf (rule->pos - height) > 0.05f * em)
          return FALSE; /* a drawing */
        height = rule->pos;
        from = MIN (from, rule->from);
        to = MAX (to, rule->to);
      }
    }
  }
  return from < to && from - a->u1 + b->u0 - to < 1.5f * em;
}

/* Free space beside a word on its far side, in points; G_MAXFLOAT if nothing follows near. */
static float
gap_beside (const Finder *f, const DpWordView *view, gint side)
{
  float best = G_MAXFLOAT;
  guint at = dp_word_grid_find (f->grid, view->row, view->u0);

  for (guint k = 0; k < 4; k++) {
    guint i = side > 0 ? at + k : at - k - 1;
    const DpWordView *other;

    if (i >= f->grid->views->len)
      break;
    other = view_at (f, i);
    if (other->row != view->row)
      break;
    if (other != view && fabsf (other->base - view->base) < 0.3f * view->size)
      best = MIN (best, side > 0 ? MAX (0, other->u0 - view->u1) : MAX (0, view->u0 - other->u1));
  }
  return best;
}

/* Two gaps of one size. */
static gboolean
is_near (float a, float b)
{
  return a < 1.15f * b && b < 1.15f * a;
}

/* A label at the beginning of its line keeps its text even across a wide gap. */
static gboolean
label_belongs (const Finder *f, const DpWordView *a, const DpWordView *b, float gap)
{
  float em = b->size;

  if (gap > 4 * em || !is_label (f, a) || gap_beside (f, a, -1) < 2.0f * em)
    return FALSE;
  if (a->n_chars == 1 || gap <= 2.2f * em)
    return TRUE;
  return !a->last_break;
}

/* The whitest of three strips inside a gap: beside an indented line or a ragged one the
 * gutter fills only a part of it. */
static DpChannel
best_channel (const Finder *f, const DpWordView *a, const DpWordView *b, float em)
{
  DpChannel best = { 0 };
  float gap = b->u0 - a->u1, width = MAX (0.3f * gap, MIN (0.3f * em, 0.8f * gap)), play = gap - width;

  for (guint k = 0; k < 3; k++) {
    float from = a->u1 + play * (0.15f + 0.35f * (float) k);
    DpChannel c = dp_word_grid_channel (f->grid, from, from + width, a->base, em);

    if (!k || c.rows > best.rows || (c.rows == best.rows && MIN (c.cross_above, c.cross_below) > MIN (best.cross_above, best.cross_below)))
      best = c;
  }
  return best;
}

/* Two words on one baseline: does the gap between them belong to the text? */
static gboolean
gap_is_text (const Finder *f, const DpWordView *a, const DpWordView *b)
{
  float em = MAX (a->size, b->size), gap = b->u0 - a->u1, g = gap / em, left, right;
  gboolean same_layer_line = (b->layer == a->layer + 1 && !a->last_break) || (a->layer == b->layer + 1 && !b->last_break);
  DpChannel channel;

  if (g > 0.25f && rule_between (f, a, b))
    return FALSE;
  if (g < 0.6f)
    return TRUE;
  if (label_belongs (f, a, b, gap) || bar_fills_gap (f, a, b) || dp_leaders_join (f->layout, f->grid, a, b)
      || (f->angle == 0 && dp_inline_image_between (f->layout, a->u1, b->u0, a->base, em)))
    return TRUE;
  channel = best_channel (f, a, b, em);
  /* Crossed right above and right below: an odd gap inside running text. */
  if (g < 4.5f && channel.cross_above < 2.0f && channel.cross_below < 2.0f && (same_layer_line || g < 2.5f))
    return TRUE;
  left = gap_beside (f, a, -1);
  right = gap_beside (f, b, 1);
  /* All gaps of this line are wide: a stretched line, unless the page shows columns. */
  if (channel.rows < 3 && MIN (left, right) >= 0.6f * gap && MAX (left, right) < 1.6f * gap && g < 2.5f)
    return TRUE;
  /* A last line forced to full width: gaps of one size, however wide, and a line right
   * above that crosses them. */
  if (channel.rows < 3 && channel.cross_above < 1.8f && is_near (left, gap) + is_near (right, gap) > 0
      && (left == G_MAXFLOAT || is_near (left, gap)) && (right == G_MAXFLOAT || is_near (right, gap)))
    return TRUE;
  if (g < 1.0f)
    return channel.rows < (same_layer_line ? 6u : 4u);
  if (g < 1.5f)
    return same_layer_line ? channel.rows < 4 : channel.rows < 2;
  if (g < 2.0f)
    return channel.rows < (same_layer_line ? 3u : 1u);
  return FALSE;
}

/* ---- neighbours ---------------------------------------------------------------------------------- */

/* The nearest word on one side of `i` that stands on its line; G_MAXUINT if none. */
static guint
neighbour (const Finder *f, guint i, gint side, Relation *relation)
{
  const DpWordView *me = view_at (f, i);
  guint best = G_MAXUINT, reach = (guint) CLAMP (0.8f * me->size / f->grid->pitch, 1, 24);
  float best_gap = G_MAXFLOAT;

  if (me->drop_cap)
    reach = MIN (reach * 2, 48);
  for (gint row = me->row - (gint) reach; row <= me->row + (gint) reach; row++) {
    guint at = dp_word_grid_find (f->grid, row, side > 0 ? me->u0 : me->u0 + 0.01f);

    for (guint k = 0; k < MAX_STEPS; k++) {
      guint j = side > 0 ? at + k : at - k - 1;
      const DpWordView *other;
      Relation r;
      float gap;

      if (j >= f->grid->views->len)
        break;
      other = view_at (f, j);
      if (other->row != row)
        break;
      gap = side > 0 ? other->u0 - me->u1 : me->u0 - other->u1;
      if (side > 0 && gap > best_gap)
        break;
      if (j == i || gap > best_gap)
        continue;
      r = side > 0 ? relate (me, other) : relate (other, me);
      if (r == APART || word_of (f, me)->aside || word_of (f, other)->aside)
        continue;
      best = j;
      best_gap = gap;
      *relation = r;
    }
  }
  return best;
}

/* A large initial: one or two letters at least 1.8 times as large as a word that stands
 * beside its top.  Large figures with small text on the same baseline are not. */
static void
mark_drop_caps (Finder *f)
{
  for (guint i = 0; i < f->grid->views->len; i++) {
    DpWordView *view = &g_array_index (f->grid->views, DpWordView, i);
    float cap_top = view->base - 0.7f * view->size;
    gsize len;
    const char *s = dp_word_text (f->layout, word_of (f, view), &len);

    if (view->n_chars > 2 || view->size < 1.8f * f->grid->pitch / 0.6f || !g_unichar_isupper (g_utf8_get_char (s)))
      continue;
    for (gint row = (gint) floorf (cap_top / f->grid->pitch); row * f->grid->pitch < cap_top + 0.5f * view->size; row++) {
      guint at = dp_word_grid_find (f->grid, row, view->u1 - 0.1f * view->size);
      const DpWordView *other = at < f->grid->views->len ? view_at (f, at) : NULL;

      if (other && other->row == row && other->size < 0.56f * view->size && other->u0 - view->u1 < 1.5f * other->size
          && fabsf (other->base - cap_top - 0.7f * other->size) < 0.5f * other->size) {
        view->drop_cap = TRUE;
        break;
      }
    }
  }
}

/* One line of two; refused when baselines would drift apart, as they do from neighbour to
 * neighbour in scattered labels.  Scans may slope by most of an em over a long line. */
static void
join (Finder *f, guint i, guint j, Relation relation)
{
  guint a = root_of (f->parent, i), b = root_of (f->parent, j);
  const DpWordView *x = view_at (f, i), *y = view_at (f, j);
  float lo = MIN (f->lo[a], f->lo[b]), hi = MAX (f->hi[a], f->hi[b]);

  if (relation != LEVEL) {
    /* The line is where its normal words are. */
    guint normal = relation == DROP_CAP ? (x->size < y->size ? a : b) : (x->size < y->size ? b : a);

    lo = f->lo[normal];
    hi = f->hi[normal];
  } else if (hi - lo > 0.8f * MAX (x->size, y->size))
    return;
  f->parent[a] = b;
  f->lo[b] = lo;
  f->hi[b] = hi;
}

static void
join_neighbours (Finder *f)
{
  for (guint i = 0; i < f->grid->views->len; i++)
    for (gint side = -1; side <= 1; side += 2) {
      Relation relation = APART;
      guint j = neighbour (f, i, side, &relation);
      const DpWordView *a, *b;

      if (j == G_MAXUINT || root_of (f->parent, i) == root_of (f->parent, j))
        continue;
      a = view_at (f, side > 0 ? i : j);
      b = view_at (f, side > 0 ? j : i);
      if (relation == LEVEL && !gap_is_text (f, a, b))
        continue;
      join (f, i, j, relation);
    }
}

/* ---- all lines ----------------------------------------------------------------------------------------- */

typedef struct {
  guint root;
  float u0;
  guint word;
} Member;

static gint
compare_members (gconstpointer a, gconstpointer b)
{
  const Member *x = a, *y = b;

  if (x->root != y->root)
    return x->root < y->root ? -1 : 1;
  if (x->u0 != y->u0)
    return x->u0 < y->u0 ? -1 : 1;
  return (x->word > y->word) - (x->word < y->word);
}

static void
lines_of_direction (DpPageLayout *layout, GArray *words, gint angle)
{
  g_autoptr (DpWordGrid) grid = dp_word_grid_new (layout, angle);
  guint n = grid->views->len;
  g_autofree guint *parent = g_new (guint, n + 1);
  g_autofree guint *indices = g_new (guint, n + 1);
  g_autoptr (GArray) members = g_array_sized_new (FALSE, FALSE, sizeof (Member), n);
  g_autofree float *lo = g_new (float, n + 1);
  g_autofree float *hi = g_new (float, n + 1);
  Finder f = { layout, grid, angle, parent, lo, hi };

  for (guint i = 0; i < n; i++) {
    parent[i] = i;
    lo[i] = hi[i] = view_at (&f, i)->base;
  }
  mark_drop_caps (&f);
  join_neighbours (&f);
  for (guint i = 0; i < n; i++) {
    const DpWordView *view = view_at (&f, i);
    Member m = { root_of (parent, i), view->u0, view->word };

    g_array_append_val (members, m);
  }
  g_array_sort (members, compare_members);
  for (guint i = 0, k = 0; i < n; i = k) {
    guint root = g_array_index (members, Member, i).root, count = 0;

    for (k = i; k < n && g_array_index (members, Member, k).root == root; k++)
      indices[count++] = g_array_index (members, Member, k).word;
    dp_line_add (layout, words, indices, count, angle);
  }
}

/* Slanted text (watermarks, map labels) has no rows: the layer's own lines stand. */
static void
lines_of_skewed (DpPageLayout *layout, GArray *words)
{
  g_autoptr (GArray) run = g_array_new (FALSE, FALSE, sizeof (guint));

  for (guint i = 0; i < layout->words->len; i++) {
    const DpWord *w = &g_array_index (layout->words, DpWord, i);

    if (w->hidden || w->angle == dp_frame_snap (w->angle))
      continue;
    g_array_append_val (run, i);
    if (!w->break_after && i + 1 < layout->words->len && w[1].angle == w->angle && !w[1].hidden)
      continue;
    dp_line_add (layout, words, &g_array_index (run, guint, 0), run->len, w->angle);
    g_array_set_size (run, 0);
  }
}

static gint
compare_lines (gconstpointer a, gconstpointer b)
{
  const DpLine *x = a, *y = b;
  gint ax = dp_frame_snap (x->angle), ay = dp_frame_snap (y->angle);
  float bx = dp_frame_base (x->baseline, ax), by = dp_frame_base (y->baseline, ay);

  if (ax != ay)
    return ax < ay ? -1 : 1;
  if (bx != by)
    return bx < by ? -1 : 1;
  bx = dp_frame_rect (x->box, ax).x0;
  by = dp_frame_rect (y->box, ay).x0;
  if (bx != by)
    return bx < by ? -1 : 1;
  return (x->first_word > y->first_word) - (x->first_word < y->first_word);
}

void
dp_layout_lines (DpPageLayout *layout)
{
  GArray *words = g_array_sized_new (FALSE, TRUE, sizeof (DpWord), layout->words->len);

  for (gint angle = 0; angle < 360; angle += 90)
    lines_of_direction (layout, words, angle);
  lines_of_skewed (layout, words);
  for (guint i = 0; i < layout->words->len; i++)
    if (g_array_index (layout->words, DpWord, i).hidden)
      g_array_append_val (words, g_array_index (layout->words, DpWord, i));
  g_array_unref (layout->words);
  layout->words = words;
  for (guint i = 0; i < layout->lines->len; i++) {
    DpLine *line = &g_array_index (layout->lines, DpLine, i);

    dp_line_finish (layout, line);
  }
  dp_line_mirror_brackets (layout);
  g_array_sort (layout->lines, compare_lines);
}
