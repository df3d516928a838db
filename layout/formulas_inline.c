/* layout/formulas_inline.c - formulas inside running text.
 *
 * A run of words that hold symbols, or could be part of a formula beside such a word, becomes
 * LaTeX when plain text cannot say it: scripts, fractions, roots, relations.  Lone letters and
 * Greek stay characters.  Runs are cut back to what clearly belongs: no punctuation at the end, no
 * bracket without its partner, no number that merely stands beside.
 */
#include "layout/formulas.h"

#include <math.h>
#include <string.h>

typedef struct {
  DpFormulaPage *page;
  const DpLine *line;
  guint first, last; /* words of the run, last not included */
} Run;

static const DpWord *
word_at (const DpFormulaPage *page, guint i)
{
  return &g_array_index (page->layout->words, DpWord, i);
}

/* ---- what belongs to a run --------------------------------------------------------------------- */

static gboolean
all_letters (const DpFormulaPage *page, guint word)
{
  gsize n;
  const char *text = dp_word_text (page->layout, word_at (page, word), &n);

  for (const char *p = text; p < text + n; p = g_utf8_next_char (p))
    if (!g_unichar_isalpha (g_utf8_get_char (p)) && !strchr ("()[]", *p))
      return FALSE;
  return n > 0;
}

static gboolean
is_script (const DpWord *w)
{
  return (w->style & (DP_SPAN_SUPER | DP_SPAN_SUB)) != 0;
}

/* The role in the line: names that touch a symbol are part of it, letters in slanted prose are prose. */
static DpWordRole
role_in_line (const DpFormulaPage *page, const DpLine *line, guint word)
{
  DpWordRole role = dp_formula_word_role (page, word);
  guint end = line->first_word + line->n_words;
  const DpWord *w = word_at (page, word);

  if (role == DP_WORD_PROSE) {
    gboolean before = word > line->first_word && !w->space_before && dp_formula_word_role (page, word - 1) == DP_WORD_MATH;
    gboolean after = word + 1 < end && !w[1].space_before && dp_formula_word_role (page, word + 1) == DP_WORD_MATH;
    if (is_script (w) && word > line->first_word && !w->space_before && dp_formula_word_role (page, word - 1) != DP_WORD_PROSE
        && w->n_chars < 8)
      return DP_WORD_NEUTRAL;
    return (before || after) && w->n_chars <= 6 && all_letters (page, word) ? DP_WORD_NEUTRAL : DP_WORD_PROSE;
  }
  return role;
}

/* A single italic letter counts as a variable when it stands in upright text. */
static gboolean
is_variable (const DpFormulaPage *page, const DpLine *line, guint word)
{
  const DpAtomRange *range = &page->words[word];
  guint end = line->first_word + line->n_words;

  if (range->n != 1 || dp_formula_atom (page, range->first)->face != DP_FACE_ITALIC
      || !g_unichar_isalpha (dp_formula_atom (page, range->first)->ch))
    return FALSE;
  for (gint step = -1; step <= 1; step += 2) {
    guint other = word + (guint) step;
    if (other >= line->first_word && other < end && dp_formula_word_role (page, other) == DP_WORD_PROSE
        && (word_at (page, other)->style & DP_SPAN_ITALIC))
      return FALSE;
  }
  return TRUE;
}

/* ---- atoms of a run ------------------------------------------------------------------------------- */

static GArray *
run_atoms (const Run *run)
{
  GArray *atoms = g_array_new (FALSE, FALSE, sizeof (DpMathAtom));

  for (guint w = run->first; w < run->last; w++)
    dp_formula_add_word (run->page, w, atoms);
  return atoms;
}

/* Net brackets of a word: opened minus closed; *low: the deepest point, <= 0. */
static gint
brackets (const DpFormulaPage *page, guint word, gint depth, gint *low)
{
  const DpAtomRange *range = &page->words[word];

  for (guint i = range->first; i < range->first + range->n; i++) {
    const DpMathAtom *atom = dp_formula_atom (page, i);
    depth += (atom->kind == DP_ATOM_OPEN) - (atom->kind == DP_ATOM_CLOSE);
    *low = MIN (*low, depth);
  }
  return depth;
}

static gboolean
is_operator (const DpFormulaPage *page, guint word, gboolean at_end)
{
  const DpAtomRange *range = &page->words[word];
  const DpMathAtom *atom = range->n ? dp_formula_atom (page, at_end ? range->first + range->n - 1 : range->first) : NULL;

  return atom && (atom->kind == DP_ATOM_REL || atom->kind == DP_ATOM_BIN || atom->ch == '/' || atom->kind == DP_ATOM_OPEN);
}

/* A neutral word at an end of the run belongs to it only if it is tied to the next one. */
static gboolean
is_tied (const Run *run, guint word, gboolean front)
{
  const DpAtomRange *range = &run->page->words[word];
  const DpMathAtom *atom = range->n ? dp_formula_atom (run->page, range->first) : NULL;
  guint next = front ? word + 1 : word - 1;
  gboolean space;

  if (!atom || (front ? next >= run->last : word == run->first))
    return FALSE;
  space = front ? word_at (run->page, next)->space_before : word_at (run->page, word)->space_before;
  if (atom->kind == DP_ATOM_PUNCT
      || (range->n == 1 && !front && (atom->ch == ':' || atom->kind == DP_ATOM_BIN || atom->kind == DP_ATOM_REL)))
    return FALSE;
  if (range->n == 1 && front && (atom->kind == DP_ATOM_REL || atom->kind == DP_ATOM_BIN))
    return !space || atom->ch == 0x2212 || atom->ch == '-';
  return !space || is_operator (run->page, next, !front) || is_operator (run->page, word, front);
}

static void
trim_run (Run *run)
{
  for (gboolean cut = TRUE; cut && run->first < run->last;) {
    gint low = 0, depth = 0;
    cut = FALSE;
    if (dp_formula_word_role (run->page, run->first) != DP_WORD_MATH && !is_tied (run, run->first, TRUE)) {
      run->first++;
      cut = TRUE;
      continue;
    }
    if (dp_formula_word_role (run->page, run->last - 1) != DP_WORD_MATH && !is_tied (run, run->last - 1, FALSE)) {
      run->last--;
      cut = TRUE;
      continue;
    }
    for (guint w = run->first; w < run->last; w++)
      depth = brackets (run->page, w, depth, &low);
    /* A bracket whose partner is elsewhere: the end it stands at goes. */
    if (low < 0 && dp_formula_word_role (run->page, run->last - 1) != DP_WORD_MATH) {
      run->last--;
      cut = TRUE;
    } else if (low < 0 || depth > 0) {
      gint here = 0, zero = 0;
      here = brackets (run->page, run->first, here, &zero);
      if (depth > 0 && here > 0 && dp_formula_word_role (run->page, run->first) != DP_WORD_MATH) {
        run->first++;
        cut = TRUE;
      }
    }
  }
}

/* Takes punctuation and unpaired brackets off the end (or a bracket off the front) into text. */
static void
trim_atoms (GArray *atoms, GString *before, GString *after)
{
  gint depth = 0;

  while (atoms->len > 1) {
    const DpMathAtom *last = &g_array_index (atoms, DpMathAtom, atoms->len - 1);
    depth = 0;
    for (guint i = 0; i < atoms->len; i++)
      depth += (g_array_index (atoms, DpMathAtom, i).kind == DP_ATOM_OPEN) - (g_array_index (atoms, DpMathAtom, i).kind == DP_ATOM_CLOSE);
    if (!(last->kind == DP_ATOM_PUNCT || last->ch == ':' || (last->kind == DP_ATOM_CLOSE && depth < 0 && last->ch < 0x80)))
      break;
    g_string_prepend_unichar (after, last->ch);
    g_array_set_size (atoms, atoms->len - 1);
  }
  while (atoms->len > 1 && depth > 0 && g_array_index (atoms, DpMathAtom, 0).kind == DP_ATOM_OPEN
         && g_array_index (atoms, DpMathAtom, 0).ch < 0x80) {
    g_string_append_unichar (before, g_array_index (atoms, DpMathAtom, 0).ch);
    g_array_remove_index (atoms, 0);
    depth--;
  }
}

/* ---- what stands off the line: fractions, large brackets ------------------------------------------- */

static void
add_orphans (const DpFormulaPage *page, DpRect box, float em, GArray *atoms)
{
  for (guint i = dp_formula_orphan_at (page, box.y0 - 3 * em); i < page->orphans->len; i++) {
    const DpMathAtom *atom = dp_formula_atom (page, g_array_index (page->orphans, guint, i));
    float cx = dp_rect_cx (atom->box);
    if (atom->box.y0 > box.y1)
      break;
    if (cx > box.x0 - 0.5f * em && cx < box.x1 + 0.5f * em && dp_rect_overlap_y (atom->box, box) > 0.3f * em)
      g_array_append_val (atoms, *atom);
  }
}

static guint
add_bars (const DpFormulaPage *page, DpRect box, float em, GArray *bars)
{
  for (guint i = dp_formula_bar_at (page, box.y0 - 0.5f * em); i < page->bars->len; i++) {
    const DpRule *bar = &g_array_index (page->bars, DpRule, i);
    if (bar->pos > box.y1)
      break;
    if (bar->from > box.x0 - 0.3f * em && bar->to < box.x1 + 0.3f * em)
      g_array_append_val (bars, *bar);
  }
  return bars->len;
}

/* ---- runs ------------------------------------------------------------------------------------------- */

static DpRect
run_box (const Run *run)
{
  DpRect box = word_at (run->page, run->first)->box;

  for (guint w = run->first + 1; w < run->last; w++)
    box = dp_rect_union (box, word_at (run->page, w)->box);
  return box;
}

static gboolean
has_variable (const GArray *atoms)
{
  for (guint i = 0; i < atoms->len; i++)
    if (g_unichar_isalpha (g_array_index (atoms, DpMathAtom, i).ch))
      return TRUE;
  return FALSE;
}

static void
make_formula (Run *run)
{
  DpPageLayout *layout = run->page->layout;
  g_autoptr (GArray) atoms = NULL, bars = g_array_new (FALSE, FALSE, sizeof (DpRule));
  g_autoptr (GString) before = g_string_new (NULL), after = g_string_new (NULL);
  g_autofree char *latex = NULL;
  DpLatexFacts facts;
  DpInlineFormula *formula;
  DpRect box;

  trim_run (run);
  if (run->first >= run->last)
    return;
  box = run_box (run);
  atoms = run_atoms (run);
  trim_atoms (atoms, before, after);
  add_orphans (run->page, box, run->line->size, atoms);
  add_bars (run->page, box, run->line->size, bars);
  latex = dp_latex_new ((const DpMathAtom *) atoms->data, atoms->len, (const DpRule *) bars->data, bars->len, &facts);
  if (facts.quality < 1 || !*latex || !has_variable (atoms) || !(facts.structured || (facts.relates && atoms->len >= 3)))
    if (facts.quality < 1 || !facts.structured || atoms->len < 2)
      return;
  formula = g_new0 (DpInlineFormula, 1);
  formula->latex = g_steal_pointer (&latex);
  formula->before = g_strdup (before->str);
  formula->after = g_strdup (after->str);
  g_ptr_array_add (layout->inlines, formula);
  for (guint w = run->first; w < run->last; w++)
    g_array_index (layout->words, DpWord, w).formula = layout->inlines->len;
}

static void
runs_of_line (DpFormulaPage *page, const DpLine *line)
{
  guint end = line->first_word + line->n_words;

  for (guint i = line->first_word; i < end;) {
    Run run = { .page = page, .line = line, .first = i };
    gboolean math = FALSE;
    for (; i < end; i++) {
      DpWordRole role = role_in_line (page, line, i);
      if (role == DP_WORD_PROSE)
        break;
      math |= role == DP_WORD_MATH || is_variable (page, line, i);
    }
    run.last = i;
    if (math)
      make_formula (&run);
    if (i == run.first)
      i++;
  }
}

void
dp_formulas_inline (DpFormulaPage *page)
{
  for (guint i = 0; i < page->layout->lines->len; i++) {
    const DpLine *line = &g_array_index (page->layout->lines, DpLine, i);
    if (!line->taken && line->angle == 0 && !line->rtl)
      runs_of_line (page, line);
  }
}
