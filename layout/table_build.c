/* layout/table_build.c - a grid and words become a table of the document tree.
 *
 * Every finder ends here: words go to cells, a cell's words become spans line by line,
 * header rows are told from the body, and an accepted table takes its words out of the
 * running text.  Header test after PyMuPDF's _table_headers.py: the first rows differ
 * from the body in what their cells hold (words against numbers) or how they are set.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "layout/formulas.h"
#include "layout/hyphens.h"
#include "layout/tables.h"
#include "layout/text.h"

/* ---- the text of one cell -------------------------------------------------------------------- */

void
dp_spans_join (GPtrArray *spans, GPtrArray *next)
{
  DpSpan *last = spans->len ? g_ptr_array_index (spans, spans->len - 1) : NULL;
  DpSpan *first = next->len ? g_ptr_array_index (next, 0) : NULL;

  if (last && first && !(first->style & DP_SPAN_BREAK)) {
    DpJoint joint = dp_text_joint (last->text, -1, first->text);
    gsize length = strlen (last->text);
    char *text = NULL;
    if (joint == DP_JOINT_DROP_HYPHEN && length && !dp_hyphens_keep (NULL, last->text, length, first->text))
      *g_utf8_prev_char (last->text + length) = '\0';
    else if (joint == DP_JOINT_SPACE && !g_str_has_suffix (last->text, " ") && first->text[0] != ' ')
      text = g_strconcat (last->text, " ", NULL);
    if (text) {
      g_free (last->text);
      last->text = text;
    }
    if (last->style == first->style && g_strcmp0 (last->uri, first->uri) == 0) {
      text = g_strconcat (last->text, first->text, NULL);
      g_free (last->text);
      last->text = text;
      g_ptr_array_remove_index (next, 0);
    }
  }
  g_ptr_array_extend_and_steal (spans, next);
}

/* TRUE if a word is read on from the one before it: no leader, no gap as wide as between cells, and no number
 * far from its currency sign. */
static gboolean
follows (const DpTableText *text, guint i)
{
  const DpTableWord *w = &g_array_index (text->words, DpTableWord, i);
  const float gap = MAX (w->box.x0 - w[-1].box.x1, w[-1].box.x0 - w->box.x1); /* right to left, it lies on the other side */

  return !w->leader && gap < 0.8f * w->size && !(w[-1].sign && gap > 0.25f * w->size);
}

/* Spans of one line of a cell: word ranges that follow each other in the page's own order. */
static GPtrArray *
line_spans (const DpPageLayout *layout, const DpTableText *text, const DpTableLine *line, gboolean brk)
{
  GPtrArray *spans = g_ptr_array_new_with_free_func ((GDestroyNotify) dp_span_free);
  const DpTableFragment *first = &g_array_index (text->fragments, DpTableFragment, line->first);
  const DpTableFragment *last = &g_array_index (text->fragments, DpTableFragment, line->first + line->n - 1);
  guint end = last->first + last->n;

  for (guint i = first->first; i < end;) {
    guint start = g_array_index (text->words, DpTableWord, i).index, n = 1;
    GPtrArray *part;
    if (g_array_index (text->words, DpTableWord, i).leader) {
      i++;
      continue;
    }
    while (i + n < end && g_array_index (text->words, DpTableWord, i + n).index == start + n && follows (text, i + n))
      n++;
    part = g_ptr_array_new_with_free_func ((GDestroyNotify) dp_span_free);
    if (layout->formulas)
      dp_formulas_in_cell (layout->formulas, start, n);
    dp_words_to_spans (layout, start, n, part, brk && spans->len == 0);
    dp_spans_join (spans, part);
    i += n;
  }
  return spans;
}

static gunichar
first_char (const DpPageLayout *layout, const DpTableText *text, const DpTableLine *line)
{
  const DpTableFragment *f = &g_array_index (text->fragments, DpTableFragment, line->first);
  const DpWord *w = &g_array_index (layout->words, DpWord, g_array_index (text->words, DpTableWord, f->first).index);
  gsize len;
  const char *s = dp_word_text (layout, w, &len);
  gunichar c = len ? g_utf8_get_char_validated (s, (gssize) len) : 0;

  return c == (gunichar) -1 || c == (gunichar) -2 ? 0 : c;
}

static gunichar
last_char (const DpPageLayout *layout, const DpTableText *text, const DpTableLine *line)
{
  const DpTableFragment *f = dp_table_fragment (text, line->first + line->n - 1);
  const DpWord *w = &g_array_index (layout->words, DpWord, g_array_index (text->words, DpTableWord, f->first + f->n - 1).index);
  gsize len;
  const char *s = dp_word_text (layout, w, &len), *p = len ? g_utf8_find_prev_char (s, s + len) : NULL;
  gunichar c = p ? g_utf8_get_char_validated (p, (gssize) (s + len - p)) : 0;

  return c == (gunichar) -1 || c == (gunichar) -2 ? 0 : c;
}

/* TRUE if text without blanks between words (Chinese, Japanese) was broken although the line had room for
 * characters of the next one: the break was meant. */
static gboolean
is_meant_break (const DpPageLayout *layout, const DpTableText *text, guint i, float width)
{
  const DpTableLine *line = dp_table_line (text, i), *before = dp_table_line (text, i - 1);

  return (g_unichar_iswide (first_char (layout, text, line)) || g_unichar_iswide (last_char (layout, text, before)))
         && dp_rect_width (before->box) + 3 * line->size < width;
}

/* The smallest distance of two lines of a cell that has three and more; 0 = not known. */
static float
closest (const DpTableText *text)
{
  float least = 0;

  for (guint i = 1; i < text->lines->len && text->lines->len > 2; i++) {
    const float pitch = dp_table_line (text, i)->baseline - dp_table_line (text, i - 1)->baseline;
    least = least > 0 ? MIN (least, pitch) : pitch;
  }
  return least;
}

/* TRUE if a line of a cell begins something new: a bullet, a paragraph, or a line although
 * its first word would have fitted on the one before. */
static gboolean
starts_anew (const DpPageLayout *layout, const DpTableText *text, guint i, float right, float width, float least)
{
  const DpTableLine *line = &g_array_index (text->lines, DpTableLine, i);
  const DpTableLine *before = &g_array_index (text->lines, DpTableLine, i - 1);
  const DpTableFragment *f = &g_array_index (text->fragments, DpTableFragment, line->first);
  DpRect word = g_array_index (text->words, DpTableWord, f->first).box;
  gunichar c = first_char (layout, text, line);
  float em = MAX (line->size, 1), pitch = line->baseline - before->baseline;

  if (c == 0x2022 || c == 0x25cf || c == 0x25aa || c == 0x25a0 || c == 0x2013 || c == 0x00b7 || (c >= 0xf000 && c <= 0xf0ff))
    return TRUE;
  if (pitch > 1.9f * MAX (em, before->size) && pitch > 1.3f * least) /* of all lines: code is set smaller on the same pitch */
    return TRUE;
  if (is_meant_break (layout, text, i, width))
    return TRUE;
  return before->box.x1 + 0.4f * em + dp_rect_width (word) < right - 1.5f * em && (g_unichar_isupper (c) || g_unichar_isdigit (c))
         && fabsf (line->box.x0 - before->box.x0) < 0.5f * em;
}

/* Dots that lead from a label to its number may hang on its last word. */
static void
drop_leader (GPtrArray *spans)
{
  DpSpan *last = spans->len ? g_ptr_array_index (spans, spans->len - 1) : NULL;
  gsize len = last ? strlen (last->text) : 0, end = len;

  while (end && (last->text[end - 1] == '.' || last->text[end - 1] == ' '))
    end--;
  if (len - end >= 5 && end)
    last->text[end] = '\0';
}

void
dp_table_fill_cell (const DpTableView *view, DpCell *cell, const GArray *words)
{
  g_autoptr (DpTableText) text = dp_table_text_new (words);
  gboolean sideways = view->angle == 90 || view->angle == 270;
  const float least = closest (text);
  float right = 0, width = sideways ? dp_rect_height (cell->box) : dp_rect_width (cell->box);

  for (guint i = 0; i < text->lines->len; i++)
    dp_table_order_line (view, text, dp_table_line (text, i));
  for (guint i = 0; i < text->lines->len; i++)
    right = MAX (right, g_array_index (text->lines, DpTableLine, i).box.x1);
  for (guint i = 0; i < text->lines->len; i++) {
    const DpTableLine *line = &g_array_index (text->lines, DpTableLine, i);
    dp_spans_join (cell->spans, line_spans (view->layout, text, line, i && starts_anew (view->layout, text, i, right, width, least)));
    drop_leader (cell->spans);
  }
}

/* ---- words to cells ---------------------------------------------------------------------------- */

/* Index of the band that holds value; borders ascending. */
static guint
band_of (const GArray *borders, float value)
{
  guint low = 0, high = borders->len - 1;

  while (high - low > 1) {
    guint mid = (low + high) / 2;
    if (g_array_index (borders, float, mid) <= value)
      low = mid;
    else
      high = mid;
  }
  return low;
}

/* Cell index of every place of the grid; free with g_free. */
static guint *
map_cells (const DpGrid *grid)
{
  guint n_cols = dp_grid_n_cols (grid), n_rows = dp_grid_n_rows (grid);
  guint *map = g_new0 (guint, (gsize) n_cols * n_rows);

  for (guint i = 0; i < grid->cells->len; i++) {
    const DpGridCell *c = &g_array_index (grid->cells, DpGridCell, i);
    for (guint r = c->row; r < c->row + c->row_span; r++)
      for (guint k = c->col; k < c->col + c->col_span; k++)
        map[(gsize) r * n_cols + k] = i;
  }
  return map;
}

static void
put_words (const DpTableView *view, const DpGrid *grid, const GArray *words, const guint *owner, DpTable *table)
{
  guint n_cols = dp_grid_n_cols (grid);
  g_autofree guint *map = map_cells (grid);
  GArray **content = g_new0 (GArray *, grid->cells->len);

  for (guint i = 0; i < words->len; i++) {
    DpTableWord w = g_array_index (words, DpTableWord, i);
    guint cell;
    if (owner)
      cell = owner[i];
    else
      cell = map[(gsize) band_of (grid->ys, dp_rect_cy (w.box)) * n_cols + band_of (grid->xs, dp_rect_cx (w.box))];
    if (!content[cell])
      content[cell] = g_array_new (FALSE, FALSE, sizeof (DpTableWord));
    g_array_append_val (content[cell], w);
  }
  for (guint i = 0; i < grid->cells->len; i++)
    if (content[i]) {
      dp_table_fill_cell (view, g_ptr_array_index (table->cells, i), content[i]);
      g_array_unref (content[i]);
    }
  g_free (content);
}

/* ---- header rows -------------------------------------------------------------------------------- */

typedef struct {
  guint filled, numeric, bold, multi;
} RowFacts;

/* Digits rather than letters; the names of a formula's commands are no letters of the text. */
static gboolean
is_numeric (const char *text)
{
  guint digits = 0, letters = 0;

  for (const char *p = text; *p; p = g_utf8_next_char (p)) {
    gunichar c = g_utf8_get_char (p);
    while (c == '\\' && g_ascii_isalpha (p[1]))
      p++;
    digits += g_unichar_isdigit (c) ? 1 : 0;
    letters += g_unichar_isalpha (c) ? 1 : 0;
  }
  return digits > 0 && letters <= digits / 2;
}

static void
count_row_facts (const DpTable *table, RowFacts *rows)
{
  for (guint i = 0; i < table->cells->len; i++) {
    const DpCell *cell = g_ptr_array_index (table->cells, i);
    RowFacts *row = &rows[cell->row];
    g_autofree char *text = dp_spans_to_text (cell->spans);
    gboolean bold = cell->spans->len > 0;
    row->multi = MAX (row->multi, cell->row_span);
    if (!*text)
      continue;
    for (guint s = 0; s < cell->spans->len; s++)
      bold = bold && (((const DpSpan *) g_ptr_array_index (cell->spans, s))->style & DP_SPAN_BOLD);
    row->filled++;
    row->numeric += is_numeric (text) ? 1 : 0;
    row->bold += bold ? 1 : 0;
  }
}

/* Rows at the top that look unlike the body. */
static guint
guess_header_rows (const DpTable *table)
{
  g_autofree RowFacts *rows = g_new0 (RowFacts, table->n_rows);
  guint limit = MIN (4u, table->n_rows > 1 ? table->n_rows - 1 : 0), n = 0, body_numeric = 0, body_filled = 0, body_bold = 0;

  count_row_facts (table, rows);
  for (guint r = table->n_rows / 2; r < table->n_rows; r++) {
    body_numeric += rows[r].numeric;
    body_filled += rows[r].filled;
    body_bold += rows[r].bold;
  }
  for (guint r = 0; r < limit; r++) {
    gboolean words_over_numbers = rows[r].filled && rows[r].numeric * 4 < rows[r].filled && body_numeric * 3 >= body_filled && body_numeric;
    gboolean bold_over_plain = rows[r].filled && rows[r].bold == rows[r].filled && body_bold * 2 < body_filled;
    gboolean stub = r > 0 && n == r && rows[r].filled * 3 <= table->n_cols; /* a group's title, not a header */
    if (!(words_over_numbers || bold_over_plain) || stub)
      break;
    n = r + 1;
  }
  /* numbers under words: years and codes as column titles do not show that way; one row is the custom */
  if (n > 1 && !dp_table_has_spans (table) && rows[0].filled == table->n_cols)
    n = 1;
  return n ? n : (table->n_rows > 1 && table->n_cols > 1 ? 1 : 0);
}

static void
mark_header (DpTable *table, guint n)
{
  /* a header never ends inside a cell that spans rows */
  for (guint i = 0; i < table->cells->len; i++) {
    const DpCell *cell = g_ptr_array_index (table->cells, i);
    if (cell->row < n && cell->row + cell->row_span > n && cell->row_span < table->n_rows)
      n = cell->row + cell->row_span;
  }
  table->n_header_rows = MIN (n, table->n_rows);
  for (guint i = 0; i < table->cells->len; i++) {
    DpCell *cell = g_ptr_array_index (table->cells, i);
    cell->header = cell->row < table->n_header_rows;
  }
}

DpTable *
dp_table_build (const DpTableView *view, const DpGrid *grid, const GArray *words, const guint *owner)
{
  DpTable *table = dp_table_new (dp_grid_n_rows (grid), dp_grid_n_cols (grid));

  for (guint i = 0; i < grid->cells->len; i++) {
    const DpGridCell *c = &g_array_index (grid->cells, DpGridCell, i);
    DpRect box = { g_array_index (grid->xs, float, c->col), g_array_index (grid->ys, float, c->row),
                   g_array_index (grid->xs, float, c->col + c->col_span), g_array_index (grid->ys, float, c->row + c->row_span) };
    dp_table_add_cell (table, c->row, c->col, c->row_span, c->col_span, dp_table_view_to_page (view, box));
  }
  table->quality = grid->quality;
  put_words (view, grid, words, owner, table);
  if (dp_table_runs_rtl (view, words))
    dp_table_mirror (table);
  mark_header (table, grid->n_header_rows ? grid->n_header_rows : guess_header_rows (table));
  return table;
}

/* ---- taking words --------------------------------------------------------------------------------- */

/* Box, size and style of a piece of a line, from its words. */
static void
measure_piece (const DpPageLayout *layout, DpLine *line)
{
  guint style = G_MAXUINT, chars = 0;

  for (guint i = 0; i < line->n_words; i++) {
    const DpWord *w = &g_array_index (layout->words, DpWord, line->first_word + i);
    line->box = i ? dp_rect_union (line->box, w->box) : w->box;
    style &= w->style;
    if (w->n_chars > chars) {
      chars = w->n_chars;
      line->size = w->size;
      line->font = w->font;
      line->colour = w->colour;
    }
  }
  line->style = (guint16) style;
}

/* Cuts one line where it enters or leaves the taken words; appends the pieces to out. */
static void
split_line (const DpPageLayout *layout, const DpLine *line, const guint8 *inside, gint region, GArray *out)
{
  for (guint i = 0; i < line->n_words;) {
    DpLine piece = *line;
    gboolean in = inside[line->first_word + i];
    guint n = 1;
    while (i + n < line->n_words && (gboolean) inside[line->first_word + i + n] == in)
      n++;
    piece.first_word = line->first_word + i;
    piece.n_words = n;
    if (n != line->n_words)
      measure_piece (layout, &piece);
    if (in) {
      piece.taken = TRUE;
      piece.region = region;
    }
    g_array_append_val (out, piece);
    i += n;
  }
}

void
dp_layout_take_words (DpPageLayout *layout, const GArray *words, gint region)
{
  g_autofree guint8 *inside = g_new0 (guint8, layout->words->len + 1);
  g_autofree guint *moved = g_new0 (guint, layout->lines->len + 1);
  GArray *lines = g_array_sized_new (FALSE, TRUE, sizeof (DpLine), layout->lines->len + 8);

  for (guint i = 0; i < words->len; i++) {
    guint w = g_array_index (words, guint, i);
    inside[w] = 1;
    g_array_index (layout->words, DpWord, w).taken = 1;
  }
  for (guint i = 0; i < layout->lines->len; i++) {
    const DpLine *line = &g_array_index (layout->lines, DpLine, i);
    moved[i] = lines->len;
    split_line (layout, line, inside, region, lines);
  }
  /* earlier regions know their lines by number; only untaken lines are ever split */
  for (guint r = 0; r < layout->regions->len; r++) {
    const DpRegion *known = &g_array_index (layout->regions, DpRegion, r);
    for (guint i = 0; known->lines && i < known->lines->len; i++) {
      guint *number = &g_array_index (known->lines, guint, i);
      *number = moved[*number];
    }
  }
  g_array_set_size (layout->lines, 0);
  g_array_append_vals (layout->lines, lines->data, lines->len);
  g_array_unref (lines);
}

void
dp_table_accept (DpTableView *view, DpTable *table, DpRect view_box, const GArray *words)
{
  DpPageLayout *layout = view->layout;
  DpRegion region = { .kind = DP_REGION_TABLE, .table = table, .caption = -1 };
  DpTablePart part = { .page = layout->number, .box = dp_table_view_to_page (view, view_box) };
  g_autoptr (GArray) indices = g_array_new (FALSE, FALSE, sizeof (guint));
  guint kept = 0;

  region.box = part.box;
  region.lines = g_array_new (FALSE, FALSE, sizeof (guint));
  g_array_append_val (table->parts, part);
  for (guint i = 0; i < words->len; i++)
    g_array_append_val (indices, g_array_index (words, DpTableWord, i).index);
  g_array_append_val (layout->regions, region);
  dp_layout_take_words (layout, indices, (gint) layout->regions->len - 1);
  for (guint i = 0; i < view->words->len; i++) {
    DpTableWord w = g_array_index (view->words, DpTableWord, i);
    if (!g_array_index (layout->words, DpWord, w.index).taken)
      g_array_index (view->words, DpTableWord, kept++) = w;
  }
  g_array_set_size (view->words, kept);
}
