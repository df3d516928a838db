/* layout/formulas.c - display formulas become regions.
 *
 * A formula set apart falls into many fragments: parts of fractions, limits, brackets.  Every
 * fragment is prose, a piece of a formula, or could be either; pieces that touch, or that a bar
 * holds together, are one group.  A group is a display formula when it has a column to itself
 * at its height and is set in or set off from the text around it.  Pieces beside prose are left
 * for formulas_inline.c.  The glyphs of a group then go through latex.h; what they do not
 * explain is shown as a picture.
 */
#include "layout/formulas_groups.h"

#include <math.h>
#include <string.h>

#define SET_IN 1.2f        /* em from the column's edge */
#define SET_OFF 0.75f      /* em of white above and below a formula at the column's edge */
#define LINES_GAP 1.15f    /* em between lines of one formula */
#define NUMBER_REACH 45.0f /* em between a formula and its number */

/* ---- is it set apart? ---------------------------------------------------------------------------------- */

typedef struct {
  float left, right;  /* edges of the column's text */
  float above, below; /* white to the nearest prose */
  gboolean beside;    /* prose stands on its lines */
} Setting;

static Setting
setting_of (const DpPieces *f, const DpPieceGroup *g)
{
  Setting s = { G_MAXFLOAT, -G_MAXFLOAT, G_MAXFLOAT, G_MAXFLOAT, FALSE };
  float reach = 14 * f->em;

  for (guint i = dp_piece_from (f, g->box.y0 - reach); i < f->pieces->len && dp_piece_at (f, i)->ink.y0 < g->box.y1 + reach; i++) {
    const DpPiece *p = dp_piece_at (f, i);
    float apart = dp_gap_x (p->ink, g->box);
    if (dp_piece_root (f, i) == g->root && dp_piece_may_join (p))
      continue;
    if (p->role != DP_PIECE_PROSE)
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
says_something (const DpPieces *f, const DpPieceGroup *g)
{
  gboolean variable = FALSE;

  if (g->barred && g->math + g->weak >= 2)
    return TRUE;
  if (!g->math || g->math + g->weak < 2)
    return FALSE;
  for (guint i = 0; i < g->pieces->len && !variable; i++) {
    const DpPiece *p = dp_piece_at (f, g_array_index (g->pieces, guint, i));
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
is_display (const DpPieces *f, const DpPieceGroup *g)
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
find_number (const DpPieces *f, const DpPieceGroup *g)
{
  guint found = G_MAXUINT;
  float nearest = NUMBER_REACH * f->em;

  for (guint i = dp_piece_from (f, g->box.y0 - 0.5f * f->em); i < f->pieces->len && dp_piece_at (f, i)->ink.y0 < g->box.y1; i++) {
    const DpPiece *p = dp_piece_at (f, i);
    float apart = dp_gap_x (p->ink, g->box);
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
are_lines_of_one (const DpPieces *f, const DpPieceGroup *a, const DpPieceGroup *b)
{
  float gap = b->box.y0 - a->box.y1;

  if (gap > LINES_GAP * f->em || gap < -0.5f * f->em || dp_rect_overlap_x (a->box, b->box) <= 0)
    return FALSE;
  return find_number (f, a) == G_MAXUINT || find_number (f, b) == G_MAXUINT;
}

static void
merge_lines (const DpPieces *f, GPtrArray *groups)
{
  for (guint i = 0; i < groups->len; i++) {
    DpPieceGroup *a = g_ptr_array_index (groups, i);
    for (guint k = i + 1; a->accepted && k < groups->len && k < i + 12; k++) {
      DpPieceGroup *b = g_ptr_array_index (groups, k);
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
cut_number (const DpPieces *f, const DpPieceGroup *g, guint *cut)
{
  const DpPageLayout *layout = f->page->layout;

  for (guint i = 0; i < g->pieces->len; i++) {
    const DpPiece *p = dp_piece_at (f, g_array_index (g->pieces, guint, i));
    const DpLine *line = p->line == G_MAXUINT ? NULL : &g_array_index (layout->lines, DpLine, p->line);
    const DpWord *last = line && line->n_words > 1 ? &g_array_index (layout->words, DpWord, line->first_word + line->n_words - 1) : NULL;
    gsize n;
    const char *text = last ? dp_word_text (layout, last, &n) : NULL;
    if (!text || !dp_piece_is_number (text, n) || last->box.x1 < g->box.x1 - 0.5f * f->em
        || last->box.x0 - last[-1].box.x1 < 0.9f * last->size)
      continue;
    *cut = line->first_word + line->n_words - 1;
    return g_strndup (text, n);
  }
  return NULL;
}

static void
take_piece (const DpPieces *f, const DpPiece *p, guint skip, gint region, GArray *atoms)
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
gather_bars (const DpPieces *f, DpRect box, GArray *bars)
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
make_region (const DpPieces *f, const DpPieceGroup *g)
{
  DpPageLayout *layout = f->page->layout;
  g_autoptr (GArray) atoms = g_array_new (FALSE, FALSE, sizeof (DpMathAtom)), bars = g_array_new (FALSE, FALSE, sizeof (DpRule));
  guint number = find_number (f, g), cut = G_MAXUINT;
  gint index = (gint) layout->regions->len;
  DpRegion *region = dp_page_layout_add_region (layout, DP_REGION_FORMULA, g->box);
  DpLatexFacts facts;

  region->label = cut_number (f, g, &cut);
  for (guint i = 0; i < g->pieces->len; i++)
    take_piece (f, dp_piece_at (f, g_array_index (g->pieces, guint, i)), cut, index, atoms);
  gather_bars (f, g->box, bars);
  region = &g_array_index (layout->regions, DpRegion, index);
  region->latex = dp_latex_new ((const DpMathAtom *) atoms->data, atoms->len, (const DpRule *) bars->data, bars->len, &facts);
  if (facts.quality < 0.6f || !*region->latex)
    g_clear_pointer (&region->latex, g_free);
  if (!region->label && number != G_MAXUINT) {
    const DpPiece *p = dp_piece_at (f, number);
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
  g_autoptr (GPtrArray) groups = NULL;
  DpPieces f;

  if (!gathered)
    return;
  f = dp_pieces_new (gathered);
  groups = dp_pieces_groups (&f);
  for (guint i = 0; i < groups->len; i++) {
    DpPieceGroup *group = g_ptr_array_index (groups, i);
    group->accepted = is_display (&f, group);
  }
  merge_lines (&f, groups);
  for (guint i = 0; i < groups->len; i++)
    if (((DpPieceGroup *) g_ptr_array_index (groups, i))->accepted)
      make_region (&f, g_ptr_array_index (groups, i));
  g_array_unref (f.pieces);
  dp_formulas_inline (gathered);
}
