/* layout/table_assign.c - which columns the text of a table fills.
 *
 * A fragment fills the columns it overlaps and is cut at the channels it crosses by a gap.
 * In the header a rule under a title says what it spans, else its place over the titles
 * below; in the body a line of its own may be the title of the rows below it.
 */
#include <math.h>

#include "layout/table_columns.h"

static guint
column_of (const GArray *columns, float x)
{
  guint c = 0;

  while (c + 1 < columns->len && x >= dp_table_column (columns, c)->b1)
    c++;
  return c;
}

void
dp_table_set_columns (DpTableFragment *f, const GArray *columns)
{
  guint first = G_MAXUINT, last = 0;

  for (guint c = 0; c < columns->len; c++) {
    const DpTableColumn *column = dp_table_column (columns, c);
    float overlap = MIN (f->x1, column->x1) - MAX (f->x0, column->x0);
    if (overlap > 0.4f * MIN (column->x1 - column->x0, f->x1 - f->x0) && overlap > 0) {
      first = MIN (first, c);
      last = c;
    }
  }
  if (first == G_MAXUINT)
    first = last = column_of (columns, 0.5f * (f->x0 + f->x1));
  f->col = first;
  f->col_span = last - first + 1;
}

/* Word number (from the fragment's first) before which it can be cut between columns c and c + 1; 0 = nowhere. */
static guint
cut_place (const DpTableText *text, const DpTableFragment *f, const GArray *columns, guint c, float em, float min_gap)
{
  float from = dp_table_column (columns, c)->x1 - 0.35f * em, to = dp_table_column (columns, c + 1)->x0 + 0.35f * em, widest = min_gap;
  guint best = 0;

  for (guint i = 1; i < f->n; i++) {
    float left = g_array_index (text->words, DpTableWord, f->first + i - 1).box.x1;
    float right = g_array_index (text->words, DpTableWord, f->first + i).box.x0;
    if (g_array_index (text->words, DpTableWord, f->first + i - 1).sign && i == 1 && f->n > 1
        && g_array_index (text->words, DpTableWord, f->first + 1).number)
      continue; /* a currency sign stays with its number */
    if (right - left > widest && right > from && left < to) {
      widest = right - left;
      best = i;
    }
  }
  return best;
}

static void
measure (const DpTableText *text, DpTableFragment *f)
{
  for (guint i = 0; i < f->n; i++) {
    DpRect box = g_array_index (text->words, DpTableWord, f->first + i).box;
    if (i && g_array_index (text->words, DpTableWord, f->first + i).leader)
      continue;
    f->x0 = i ? MIN (f->x0, box.x0) : box.x0;
    f->x1 = i ? MAX (f->x1, box.x1) : box.x1;
  }
}

/* Appends the fragment to out, cut at the channels it crosses where there is a gap to cut. */
static void
cut_fragment (const DpTableText *text, DpTableFragment f, const GArray *columns, float em, float min_gap, GArray *out)
{
  dp_table_set_columns (&f, columns);
  for (guint c = f.col; c + 1 < f.col + f.col_span; c++) {
    guint n = cut_place (text, &f, columns, c, em, min_gap);
    if (n) {
      DpTableFragment left = f;
      left.n = n;
      measure (text, &left);
      dp_table_set_columns (&left, columns);
      g_array_append_val (out, left);
      f.first += n;
      f.n -= n;
      measure (text, &f);
      dp_table_set_columns (&f, columns);
    }
  }
  g_array_append_val (out, f);
}

/* No two fragments of a line may claim the same column: the later one gives way. */
static void
settle (GArray *fragments, guint first, const GArray *columns)
{
  for (guint i = first + 1; i < fragments->len; i++) {
    DpTableFragment *left = &g_array_index (fragments, DpTableFragment, i - 1), *f = left + 1;
    guint end = left->col + left->col_span, last = f->col + f->col_span;
    if (end <= f->col)
      continue;
    if (left->col_span > 1 && left->col < f->col)
      left->col_span = f->col - left->col;
    else if (last > end) {
      f->col = end;
      f->col_span = last - end;
    } else if (f->col == left->col && f->col_span == 1 && left->col_span == 1) {
      /* both over one column: push the one that leans outwards to a free neighbour */
      guint before = i - 1 > first ? (left - 1)->col + (left - 1)->col_span : 0;
      if (left->col > before && left->x1 < dp_table_column (columns, left->col)->x0 + 1)
        left->col--;
      else if (f->col + 1 < columns->len && f->x0 > dp_table_column (columns, f->col)->x1 - 1)
        f->col++;
    }
  }
}

/* The fullest of the next lines below: what the titles of line i may stand over; NULL = none has more.
 * Lines of the body count only under a header of one line. */
static const DpTableLine *
line_below (const DpTableText *text, guint i, guint n_header)
{
  guint end = MIN (n_header > 1 ? n_header : text->lines->len, i + 5);
  const DpTableLine *fullest = dp_table_line (text, i);

  for (guint k = i + 1; k < end; k++)
    if (dp_table_line (text, k)->n > fullest->n)
      fullest = dp_table_line (text, k);
  return fullest == dp_table_line (text, i) ? NULL : fullest;
}

/* TRUE if the fragment begins, ends or has its middle where the column's text has it. */
static gboolean
is_aligned (const GArray *columns, const DpTableFragment *f, float em)
{
  const DpTableColumn *c = dp_table_column (columns, f->col);

  return f->col_span == 1
         && (fabsf (f->x0 - c->x0) < 0.4f * em || fabsf (f->x1 - c->x1) < 0.4f * em || fabsf (f->x0 + f->x1 - c->x0 - c->x1) < 0.8f * em);
}

/* Titles set closer than words usually are may be cut at any blank if all pieces then stand over columns. */
static void
cut_titles (const DpTableText *text, DpTableFragment f, const GArray *columns, float em, gboolean lowest, GArray *out)
{
  guint first = out->len;

  if (lowest) {
    gboolean aligned = TRUE;
    cut_fragment (text, f, columns, em, 0.15f * em, out);
    for (guint i = first; i < out->len; i++)
      aligned = aligned && is_aligned (columns, &g_array_index (out, DpTableFragment, i), em);
    if (aligned)
      return;
    g_array_set_size (out, first);
  }
  cut_fragment (text, f, columns, em, 0.42f * em, out);
}

/* Appends the fragments of header line i, with the columns they span. */
static void
assign_header (const DpFrame *frame, const DpTableText *text, guint i, guint n_header, const GArray *columns, GArray *out)
{
  const DpTableLine *line = dp_table_line (text, i), *below = line_below (text, i, n_header);
  guint first = out->len;
  g_autoptr (GArray) fixed = g_array_new (FALSE, TRUE, sizeof (gboolean));
  g_autoptr (GArray) under = g_array_new (FALSE, FALSE, sizeof (DpTableFragment));

  for (guint k = 0; k < line->n; k++) {
    DpTableFragment f = *dp_table_fragment (text, line->first + k);
    const DpRule *rule = dp_table_group_rule (frame, text, i, &f);
    const gboolean by_rule = rule != NULL;
    if (rule) {
      dp_table_set_columns (&f, columns);
      dp_table_span_rule (rule, columns, &f);
      g_array_append_val (out, f);
    } else
      cut_titles (text, f, columns, line->size, !below, out);
    while (fixed->len < out->len - first)
      g_array_append_val (fixed, by_rule);
  }
  if (!below)
    return;
  for (guint k = 0; k < below->n; k++)
    cut_fragment (text, *dp_table_fragment (text, below->first + k), columns, below->size, 0.42f * below->size, under);
  dp_table_span_groups (columns, &g_array_index (out, DpTableFragment, first), (gboolean *) fixed->data, out->len - first,
                        (DpTableFragment *) under->data, under->len, line->size);
}

/* TRUE if a rule of some length lies right above or below a line. */
static gboolean
is_ruled_off (const DpFrame *frame, const DpTableLine *line)
{
  for (guint i = 0; i < frame->rules->len; i++) {
    const DpRule *rule = &g_array_index (frame->rules, DpRule, i);
    if (rule->pos > line->baseline - 1.9f * line->size && rule->pos < line->baseline + 1.1f * line->size
        && rule->to - rule->from > 0.8f * dp_rect_width (frame->box))
      return TRUE;
  }
  return FALSE;
}

static void
assign_body (const DpFrame *frame, const DpTableText *text, guint i, const GArray *columns, GArray *out)
{
  const DpTableLine *line = dp_table_line (text, i);
  guint first = out->len;

  for (guint k = 0; k < line->n; k++)
    cut_fragment (text, *dp_table_fragment (text, line->first + k), columns, line->size, (line->n > 1 ? 0.2f : 0.5f) * line->size, out);
  if (line->n == 1 && !frame->statement) {
    DpTableFragment whole = *dp_table_fragment (text, line->first);
    dp_table_set_columns (&whole, columns);
    if (dp_table_is_row_title (frame, columns, &whole, is_ruled_off (frame, line), line->size)) {
      g_array_set_size (out, first);
      g_array_append_val (out, whole);
    }
  }
}

void
dp_table_assign_columns (const DpFrame *frame, DpTableText *text, const GArray *columns, guint n_header)
{
  GArray *out = g_array_new (FALSE, FALSE, sizeof (DpTableFragment));
  g_autoptr (GArray) lines = g_array_sized_new (FALSE, FALSE, sizeof (DpTableLine), text->lines->len);

  for (guint i = 0; i < text->lines->len; i++) {
    DpTableLine line = *dp_table_line (text, i);
    guint first = out->len;
    if (i < n_header)
      assign_header (frame, text, i, n_header, columns, out);
    else
      assign_body (frame, text, i, columns, out);
    settle (out, first, columns);
    line.first = first;
    line.n = out->len - first;
    g_array_append_val (lines, line);
  }
  g_array_set_size (text->lines, 0);
  g_array_append_vals (text->lines, lines->data, lines->len);
  dp_table_cover_groups (text, out, MIN (n_header, text->lines->len));
  g_array_unref (text->fragments);
  text->fragments = out;
}
