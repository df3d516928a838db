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
  guint first, last;         /* words of the run, last not included */
  const DpAttached *hanging; /* fragments attached to the line, by left edge */
  guint n_hanging;
  gboolean cell; /* in a table's cell */
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

static const DpMathAtom *
first_atom (const DpFormulaPage *page, guint word)
{
  return page->words[word].n ? dp_formula_atom (page, page->words[word].first) : NULL;
}

static const DpMathAtom *
last_atom (const DpFormulaPage *page, guint word)
{
  return page->words[word].n ? dp_formula_atom (page, page->words[word].first + page->words[word].n - 1) : NULL;
}

static gboolean
is_operator (const DpMathAtom *atom)
{
  return atom && (atom->kind == DP_ATOM_REL || atom->kind == DP_ATOM_BIN || atom->ch == '/') && atom->ch != ':';
}

/* A backslash of the symbol font right before program text, or a bullet that begins the line: no symbols of a formula. */
static gboolean
is_plain_sign (const DpFormulaPage *page, const DpLine *line, guint word)
{
  const DpMathAtom *atom = page->words[word].n == 1 ? first_atom (page, word) : NULL;
  const DpWord *w = word_at (page, word);

  if (!atom)
    return FALSE;
  if (atom->ch == '\\' || atom->ch == 0x2216)
    return word + 1 < line->first_word + line->n_words && !w[1].space_before && (w[1].style & DP_SPAN_MONO);
  return word == line->first_word && (atom->ch == 0x2022 || atom->ch == 0x2219) && line->n_words > 1;
}

/* A name of upright letters right before a bracket or a symbol, right behind a symbol; slanted
 * names beside an operator. */
static gboolean
is_name (const DpFormulaPage *page, const DpLine *line, guint word)
{
  guint end = line->first_word + line->n_words;
  const DpWord *w = word_at (page, word);
  const DpMathAtom *next = word + 1 < end ? first_atom (page, word + 1) : NULL, *own = last_atom (page, word);
  const DpMathAtom *last = word > line->first_word ? last_atom (page, word - 1) : NULL;

  if (w->n_chars > 9 || !all_letters (page, word))
    return FALSE;
  if (word > line->first_word && !w->space_before && dp_formula_word_role (page, word - 1) == DP_WORD_MATH
      && !is_plain_sign (page, line, word - 1))
    return TRUE;
  if (next && !w[1].space_before) {
    if (dp_formula_word_role (page, word + 1) == DP_WORD_MATH || (next->kind == DP_ATOM_OPEN && w->n_chars <= 5))
      return TRUE;
    if (own && own->kind == DP_ATOM_OPEN && dp_formula_word_role (page, word + 1) == DP_WORD_NEUTRAL)
      return TRUE;
  }
  return (w->style & DP_SPAN_ITALIC) && w->n_chars <= 5
         && ((is_operator (next) && next->ch != '-') || (is_operator (last) && last->ch != '-'));
}

/* The role in the line: names that touch a symbol are part of it, scripts go with what they stand at. */
static DpWordRole
role_in_line (const DpFormulaPage *page, const DpLine *line, guint word)
{
  DpWordRole role = dp_formula_word_role (page, word);
  const DpWord *w = word_at (page, word);

  if (role != DP_WORD_PROSE)
    return is_plain_sign (page, line, word) ? DP_WORD_PROSE : role;
  if (is_script (w) && word > line->first_word && !w->space_before && w->n_chars < 12 && all_letters (page, word))
    return DP_WORD_NEUTRAL;
  return is_name (page, line, word) ? DP_WORD_NEUTRAL : DP_WORD_PROSE;
}

/* A letter with raised letters and capitals of one face right behind it, without a space: a name that is set with a shifted
 * letter, as that of LaTeX, not a power before a word. */
static gboolean
begins_name (const DpFormulaPage *page, const DpLine *line, guint word)
{
  const DpWord *w = word_at (page, word);
  guint next = word + 1, end = line->first_word + line->n_words;
  gsize n;

  while (next < end && is_script (word_at (page, next)) && !word_at (page, next)->space_before && all_letters (page, next))
    next++;
  if (next == word + 1 || next >= end || w[next - word].space_before || w[next - word].n_chars < 2 || is_script (&w[next - word])
      || ((w->style ^ w[next - word].style) & (DP_SPAN_BOLD | DP_SPAN_ITALIC)))
    return FALSE;
  const char *text = dp_word_text (page->layout, &w[next - word], &n);
  return n > 1 && g_ascii_isupper (text[0]) && g_ascii_isupper (text[1]);
}

/* A single italic or bold letter counts as a variable when it stands in upright text. */
static gboolean
is_variable (const DpFormulaPage *page, const DpLine *line, guint word)
{
  const DpMathAtom *atom = first_atom (page, word);
  guint end = line->first_word + line->n_words;

  if (page->words[word].n != 1 || atom->face == DP_FACE_ROMAN || !g_unichar_isalpha (atom->ch) || begins_name (page, line, word))
    return FALSE;
  for (gint step = -1; step <= 1; step += 2) {
    guint other = word + (guint) step;
    if (other >= line->first_word && other < end && dp_formula_word_role (page, other) == DP_WORD_PROSE
        && (word_at (page, other)->style & word_at (page, word)->style & (DP_SPAN_ITALIC | DP_SPAN_BOLD))
        && !is_script (word_at (page, other)))
      return FALSE;
  }
  return TRUE;
}

/* ---- the ends of a run ------------------------------------------------------------------------------ */

/* The word of the line that a fragment stands in front of. */
static guint
place_of (const Run *run, const DpAttached *fragment)
{
  guint w = run->line->first_word, end = w + run->line->n_words;

  while (w < end && dp_rect_cx (word_at (run->page, w)->box) < dp_rect_cx (fragment->ink))
    w++;
  return w;
}

/* Does a space part the word from what stands before it, fragments counted? */
static gboolean
is_spaced (const Run *run, guint word)
{
  const DpWord *w = word_at (run->page, word);

  for (guint i = 0; i < run->n_hanging; i++)
    if (place_of (run, &run->hanging[i]) == word && w->box.x0 - run->hanging[i].ink.x1 < 0.22f * run->line->size)
      return FALSE;
  return w->space_before;
}

static GArray *
run_atoms (const Run *run)
{
  GArray *atoms = g_array_new (FALSE, FALSE, sizeof (DpMathAtom));

  for (guint w = run->first; w < run->last; w++)
    dp_formula_add_word (run->page, w, atoms);
  return atoms;
}

/* Appends the fragments that stand inside or at the ends of the run; their lines are used up if use. */
static DpRect
add_hanging (const Run *run, DpRect box, GArray *atoms, gboolean use)
{
  DpPageLayout *layout = run->page->layout;

  for (guint i = 0; i < run->n_hanging; i++) {
    DpLine *line = &g_array_index (layout->lines, DpLine, run->hanging[i].line);
    guint at = place_of (run, &run->hanging[i]);
    if (at < run->first || at > run->last || line->taken)
      continue;
    box = dp_rect_width (box) > 0 ? dp_rect_union (box, run->hanging[i].ink) : run->hanging[i].ink;
    for (guint w = line->first_word; w < line->first_word + line->n_words; w++) {
      if (atoms)
        dp_formula_add_word (run->page, w, atoms);
      g_array_index (layout->words, DpWord, w).taken |= use;
    }
    line->taken |= use;
  }
  return box;
}

static gint
brackets (const DpFormulaPage *page, guint word)
{
  const DpAtomRange *range = &page->words[word];
  gint depth = 0;

  for (guint i = range->first; i < range->first + range->n; i++) {
    const DpMathAtom *atom = dp_formula_atom (page, i);
    depth += (atom->kind == DP_ATOM_OPEN) - (atom->kind == DP_ATOM_CLOSE);
  }
  return depth;
}

/* Digits, dots and commas: what a list of values goes on with. */
static gboolean
is_values (const DpFormulaPage *page, guint word)
{
  const DpAtomRange *range = &page->words[word];

  for (guint i = range->first; i < range->first + range->n; i++) {
    const DpMathAtom *atom = dp_formula_atom (page, i);
    if (!g_unichar_isdigit (atom->ch) && atom->kind != DP_ATOM_PUNCT && atom->ch != 0x2026)
      return FALSE;
  }
  return TRUE;
}

/* A fragment stands at the end of the run. */
static gboolean
has_fragment_at (const Run *run, guint word)
{
  for (guint i = 0; i < run->n_hanging; i++)
    if (place_of (run, &run->hanging[i]) == word)
      return TRUE;
  return FALSE;
}

/* From its symbols the run grows over neutral words that are tied to it: without a space, by an
 * operator, inside an open bracket, in a list of values behind a relation.  limit: words it may reach. */
static void
grow_run (Run *run, guint from, guint to)
{
  gint depth = 0;
  gboolean related = FALSE;

  for (guint w = run->first; w < run->last; w++) {
    depth += brackets (run->page, w);
    related |= is_operator (first_atom (run->page, w));
  }
  while (run->last < to) {
    const DpMathAtom *before = last_atom (run->page, run->last - 1), *next = first_atom (run->page, run->last);
    gboolean listed = related && before && before->ch == ',' && is_values (run->page, run->last);
    if (is_spaced (run, run->last) && depth <= 0 && !is_operator (before) && !is_operator (next) && !listed
        && !(before && before->kind == DP_ATOM_OPEN))
      break;
    related |= is_operator (next);
    depth += brackets (run->page, run->last++);
  }
  for (; run->first > from; run->first--) {
    guint w = run->first - 1;
    const DpMathAtom *before = last_atom (run->page, w), *next = first_atom (run->page, run->first);
    if (is_spaced (run, run->first) && depth >= 0 && !is_operator (before) && !is_operator (next)
        && !(before && before->kind == DP_ATOM_OPEN && depth < 0))
      break;
    depth += brackets (run->page, w);
  }
  /* An operator at an end has lost its partner to the prose; a cell has none. */
  while (!(run->cell && run->page->tex) && run->last > run->first + 1 && !has_fragment_at (run, run->last)) {
    const DpMathAtom *last = last_atom (run->page, run->last - 1);
    if (run->page->words[run->last - 1].n > 1 || !last || !(is_operator (last) || last->kind == DP_ATOM_PUNCT || last->ch == ':'))
      break;
    run->last--;
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

/* In a cell the brackets around all of a formula belong to the text, "(V = 1)", if they hold no list. */
static void
trim_brackets (GArray *atoms, GString *before, GString *after)
{
  gint depth = 0;

  for (guint i = 0; i < atoms->len; i++) {
    const DpMathAtom *atom = &g_array_index (atoms, DpMathAtom, i);
    depth += (atom->kind == DP_ATOM_OPEN) - (atom->kind == DP_ATOM_CLOSE);
    if ((depth <= 0) != (i + 1 == atoms->len) || (depth == 1 && atom->ch == ',') || ((i == 0 || i + 1 == atoms->len) && atom->ch >= 0x80))
      return;
  }
  /* A lone script keeps the bracket that shows it raised. */
  if (atoms->len < 3
      || fabsf (g_array_index (atoms, DpMathAtom, 1).base - g_array_index (atoms, DpMathAtom, 0).base)
             > 0.1f * g_array_index (atoms, DpMathAtom, 0).size)
    return;
  g_string_append_unichar (before, g_array_index (atoms, DpMathAtom, 0).ch);
  g_string_prepend_unichar (after, g_array_index (atoms, DpMathAtom, atoms->len - 1).ch);
  g_array_set_size (atoms, atoms->len - 1);
  g_array_remove_index (atoms, 0);
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

/* A number that plain text says as well: a sign or relation before it, an upright unit behind it. */
static gboolean
is_quantity (const GArray *atoms)
{
  const DpMathAtom *first = &g_array_index (atoms, DpMathAtom, 0);
  gboolean digits = FALSE, unit = FALSE;

  for (guint i = 0; i < atoms->len; i++) {
    const DpMathAtom *atom = &g_array_index (atoms, DpMathAtom, i);
    gboolean letter = g_unichar_isalpha (atom->ch) || atom->ch == '%', digit = g_unichar_isdigit (atom->ch);
    if (fabsf (atom->base - first->base) > 0.1f * first->size || (letter && atom->face != DP_FACE_ROMAN && atom->face != DP_FACE_BOLD))
      return FALSE;
    if (!letter && (unit || !(digit || atom->ch == '.' || atom->ch == ',' || (i == 0 && (is_operator (atom) || atom->ch == '+')))))
      return FALSE;
    digits |= digit;
    unit |= letter;
  }
  return digits;
}

/* A glyph of a formula's font, or a lone slanted letter. */
static gboolean
has_symbol (const Run *run)
{
  for (guint w = run->first; w < run->last; w++)
    for (guint i = run->page->words[w].first; i < run->page->words[w].first + run->page->words[w].n; i++)
      if (g_array_index (run->page->evidence, guint8, i) == 1)
        return TRUE;
  return run->line->n_words == 1 && is_variable (run->page, run->line, run->line->first_word);
}

/* Can plain text not say it? */
static gboolean
is_worth_it (const Run *run, const DpLatexFacts *facts, const GArray *atoms)
{
  if (run->cell && is_quantity (atoms))
    return FALSE;
  if (run->cell && run->page->tex && facts->quality >= 1 && has_symbol (run))
    return TRUE;
  if (facts->quality < 1 || !has_variable (atoms))
    return facts->quality >= 1 && facts->structured && atoms->len >= 2;
  return facts->structured || (facts->relates && atoms->len >= 3) || atoms->len >= 6;
}

/* "⟨file name⟩", as manuals write what a reader has to put in: letters between angle brackets, or one end of several words, all on
 * one line. */
static gboolean
is_placeholder (const GArray *atoms)
{
  const DpMathAtom *first = &g_array_index (atoms, DpMathAtom, 0);
  guint letters = 0, brackets = 0;

  for (guint i = 0; i < atoms->len; i++) {
    const DpMathAtom *atom = &g_array_index (atoms, DpMathAtom, i);
    gboolean bracket = (i == 0 && atom->ch == 0x27E8) || (i + 1 == atoms->len && atom->ch == 0x27E9), letter = g_unichar_isalpha (atom->ch);
    if (fabsf (atom->base - first->base) > 0.1f * first->size
        || (!bracket && !letter && !(atom->ch > 0 && atom->ch < 0x80 && strchr ("-_./", (int) atom->ch))))
      return FALSE;
    letters += letter ? 1 : 0;
    brackets += bracket ? 1 : 0;
  }
  return letters >= 3 && brackets > 0;
}

/* The words of the run in the characters that its glyphs stand for: fonts of symbols often name them otherwise.  Brackets
 * around program text are set in another face, and belong to it. */
static void
spell_out (const Run *run)
{
  DpPageLayout *layout = run->page->layout;
  guint mono = 0;

  for (guint w = run->first; w < run->last; w++)
    mono |= word_at (run->page, w)->style & DP_SPAN_MONO;

  for (guint w = run->first; w < run->last; w++) {
    DpWord *word = &g_array_index (layout->words, DpWord, w);
    const DpAtomRange *range = &run->page->words[w];
    word->style |= (guint16) mono;
    if (range->n != word->n_chars)
      continue;
    word->text = (guint32) layout->text->len;
    for (guint i = range->first; i < range->first + range->n; i++)
      g_string_append_unichar (layout->text, dp_formula_atom (run->page, i)->ch);
    word->text_len = (guint32) layout->text->len - word->text;
  }
}

static void
make_formula (Run *run)
{
  DpPageLayout *layout = run->page->layout;
  g_autoptr (GArray) atoms = run_atoms (run), bars = g_array_new (FALSE, FALSE, sizeof (DpRule));
  g_autoptr (GString) before = g_string_new (NULL), after = g_string_new (NULL);
  g_autofree char *latex = NULL;
  gboolean alone = run->first == run->last;
  DpRect box = { 0 };
  DpLatexFacts facts;
  DpInlineFormula *formula;

  if (!alone)
    box = run_box (run);
  if (!has_fragment_at (run, run->last))
    trim_atoms (atoms, before, after);
  if (run->cell)
    trim_brackets (atoms, before, after);
  box = add_hanging (run, box, atoms, FALSE);
  add_orphans (run->page, box, run->line->size, atoms);
  add_bars (run->page, box, run->line->size, bars);
  if (!alone && is_placeholder (atoms)) {
    spell_out (run);
    return;
  }
  latex = dp_latex_new ((const DpMathAtom *) atoms->data, atoms->len, (const DpRule *) bars->data, bars->len, &facts);
  if (!*latex || !is_worth_it (run, &facts, atoms))
    return;
  add_hanging (run, box, NULL, TRUE);
  if (alone) { /* it has no word of its own in the line: the neighbour carries it */
    guint end = run->line->first_word + run->line->n_words;
    gboolean next = run->last < end;
    const DpWord *w = word_at (run->page, next ? run->last : run->last - 1);
    gsize n;
    const char *text = dp_word_text (layout, w, &n);
    g_string_append_len (next ? after : before, text, (gssize) n);
    if (next)
      g_string_prepend_c (after, ' ');
    else
      g_string_append_c (before, ' ');
    run->first = next ? run->last : run->last - 1;
    run->last = run->first + 1;
  }
  formula = g_new0 (DpInlineFormula, 1);
  formula->latex = g_steal_pointer (&latex);
  formula->before = g_strdup (before->str);
  formula->after = g_strdup (after->str);
  g_ptr_array_add (layout->inlines, formula);
  for (guint w = run->first; w < run->last; w++)
    g_array_index (layout->words, DpWord, w).formula = layout->inlines->len;
}

/* A part of a small fraction: a bar on the line's axis runs over or under it. */
static gboolean
is_on_bar (const Run *run, guint word)
{
  const DpWord *w = word_at (run->page, word);
  float axis = run->line->baseline - 0.25f * run->line->size, em = run->line->size, cx = dp_rect_cx (w->box);

  if (w->size > 0.85f * em)
    return FALSE;
  for (guint i = dp_formula_bar_at (run->page, axis - 0.15f * em); i < run->page->bars->len; i++) {
    const DpRule *bar = &g_array_index (run->page->bars, DpRule, i);
    if (bar->pos > axis + 0.15f * em)
      break;
    if (cx > bar->from - 1 && cx < bar->to + 1 && bar->to - bar->from < 8 * em)
      return TRUE;
  }
  return FALSE;
}

/* Words [from, to) may be parts of formulas: from the first symbol to the last one, and what is
 * tied to them. */
static void
run_between (Run run, guint from, guint to)
{
  run.first = G_MAXUINT;
  for (guint i = from; i < to; i++)
    if (dp_formula_word_role (run.page, i) == DP_WORD_MATH || is_variable (run.page, run.line, i) || is_on_bar (&run, i)) {
      run.first = MIN (run.first, i);
      run.last = i + 1;
    }
  for (guint i = 0; i < run.n_hanging; i++) {
    guint at = place_of (&run, &run.hanging[i]);
    if (at < from || at > to)
      continue;
    run.last = run.first == G_MAXUINT ? at : MAX (run.last, at);
    run.first = MIN (run.first, at);
  }
  if (run.first == G_MAXUINT)
    return;
  if (run.first == run.last && run.last < to && (!is_spaced (&run, run.last) || is_operator (first_atom (run.page, run.last))))
    run.last++;
  else if (run.first == run.last && run.first > from)
    run.first--;
  if (run.first < run.last)
    grow_run (&run, from, to);
  make_formula (&run);
}

/* A bracket behind a space begins something else in a cell: a unit, a remark. */
static gboolean
begins_remark (const Run *run, guint word)
{
  const DpMathAtom *atom = first_atom (run->page, word);

  return run->cell && atom && atom->kind == DP_ATOM_OPEN && word_at (run->page, word)->space_before
         && !is_operator (last_atom (run->page, word - 1));
}

static void
runs_of_line (Run run)
{
  guint end = run.line->first_word + run.line->n_words;

  for (guint i = run.line->first_word, k; i <= end; i = k) {
    for (k = i; k < end && role_in_line (run.page, run.line, k) != DP_WORD_PROSE && !(k > i && begins_remark (&run, k)); k++)
      ;
    run_between (run, i, k);
    if (k == end || role_in_line (run.page, run.line, k) == DP_WORD_PROSE)
      k++;
  }
}

void
dp_formulas_inline (DpFormulaPage *page)
{
  g_autoptr (GArray) attached = dp_formulas_attached (page);
  guint at = 0;

  for (guint i = 0; i < page->layout->lines->len; i++) {
    Run run = { .page = page, .line = &g_array_index (page->layout->lines, DpLine, i) };
    while (at < attached->len && g_array_index (attached, DpAttached, at).host < i)
      at++;
    run.hanging = at < attached->len ? &g_array_index (attached, DpAttached, at) : NULL;
    while (at + run.n_hanging < attached->len && g_array_index (attached, DpAttached, at + run.n_hanging).host == i)
      run.n_hanging++;
    if (run.line->taken)
      continue;
    /* What a table that was given up left behind. */
    for (guint w = run.line->first_word; w < run.line->first_word + run.line->n_words; w++)
      g_array_index (page->layout->words, DpWord, w).formula = 0;
    if (run.line->angle == 0 && !run.line->rtl)
      runs_of_line (run);
  }
}

void
dp_formulas_in_cell (DpFormulaPage *page, guint first, guint n)
{
  DpLine line = { .first_word = first, .n_words = n };
  Run run = { .page = page, .line = &line, .cell = TRUE };
  guint chars = 0;

  for (guint i = first; i < first + n; i++) {
    DpWord *w = &g_array_index (page->layout->words, DpWord, i);
    w->formula = 0;
    line.box = i == first ? w->box : dp_rect_union (line.box, w->box);
    if (!is_script (w) && w->n_chars >= chars) {
      chars = w->n_chars;
      line.size = w->size;
      line.baseline = w->baseline;
    }
    if (w->angle || w->rtl)
      return;
  }
  if (chars)
    runs_of_line (run);
}
