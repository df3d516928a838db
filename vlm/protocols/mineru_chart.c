/* vlm/protocols/mineru_chart.c - charts as Markdown tables, and how to notice that the model went round in circles.
 *
 * Signs of a loop and their thresholds: mineru-vl-utils, chart_invalid_repetition.py.  Where there is one, the largest well-formed
 * table without noisy rows is kept.
 */
#include "vlm/protocols/mineru.h"
#include "vlm/protocols/mineru_rows.h"

#define LONGEST_CELL 300u
#define MOST_DOUBLE_COLONS 20u
#define MOST_SEMICOLONS 30u
#define FRAGMENTS 8u   /* of one cell that are equal */
#define LONG_LINE 30u  /* characters */
#define SAME_RUN 20u   /* characters */
#define SAME_TOKENS 8u /* in a row */
#define SHORTEST_WHOLE 80u

/* ---- rows ---- */

/* Cells of a line (char *, stripped); bars in `code` or behind a backslash are text, which stays as it is.  NULL: no bar in it. */
static GPtrArray *
split_row (DpSpan line)
{
  const DpSpan stripped = dp_protocol_strip (line), s = dp_markdown_inner (line);
  gboolean code = FALSE;
  gsize first = 0;

  if (!stripped.n || !memchr (stripped.start, '|', stripped.n))
    return NULL;
  GPtrArray *cells = g_ptr_array_new_with_free_func (g_free);
  for (gsize i = 0; i <= s.n; i++) {
    if (i < s.n && s.start[i] == '\\') {
      i += i + 1 < s.n;
      continue;
    }
    code ^= i < s.n && s.start[i] == '`';
    if (i == s.n || (s.start[i] == '|' && !code)) {
      const DpSpan cell = dp_protocol_strip (dp_span (s.start + first, i - first));
      g_ptr_array_add (cells, g_strndup (cell.start, cell.n));
      first = i + 1;
    }
  }
  return cells;
}

/* :---: with nothing else, blanks anywhere. */
static gboolean
is_dashes (const char *cell)
{
  g_autoptr (GString) compact = g_string_new (NULL);

  for (const char *p = cell; *p; p++)
    if (*p != ' ')
      g_string_append_c (compact, *p);
  const char *p = compact->str + (compact->str[0] == ':');
  const gsize n = strspn (p, "-");
  return n >= 3 && (p[n] == '\0' || (p[n] == ':' && p[n + 1] == '\0'));
}

static gboolean
is_rule (const GPtrArray *cells)
{
  for (guint i = 0; cells && i < cells->len; i++)
    if (!is_dashes (g_ptr_array_index (cells, i)))
      return FALSE;
  return cells && cells->len > 0;
}

static gboolean
is_rule_line (DpSpan line)
{
  g_autoptr (GPtrArray) cells = split_row (line);

  return is_rule (cells);
}

/* ---- loops inside a cell ---- */

/* White space as single blanks, small letters. */
static char *
fold (DpSpan s)
{
  g_autoptr (GString) out = g_string_new (NULL);
  const DpSpan text = dp_protocol_strip (s);

  for (const char *p = text.start; p < text.start + text.n; p = g_utf8_next_char (p)) {
    const gunichar c = g_utf8_get_char (p);
    if (!dp_protocol_space (c))
      g_string_append_unichar (out, g_unichar_tolower (c));
    else if (out->str[out->len - 1] != ' ')
      g_string_append_c (out, ' ');
  }
  return g_string_free (g_steal_pointer (&out), FALSE);
}

/* TRUE once the same fragment has been seen often enough. */
static gboolean
count_fragment (GHashTable *seen, DpSpan fragment, guint most)
{
  char *key = fold (fragment);
  const guint n = GPOINTER_TO_UINT (g_hash_table_lookup (seen, key)) + 1;

  if (g_utf8_strlen (key, -1) < 3) {
    g_free (key);
    return FALSE;
  }
  g_hash_table_replace (seen, key, GUINT_TO_POINTER (n));
  return n >= most;
}

static gboolean
fragments_repeat (const char *cell)
{
  g_autoptr (GHashTable) seen = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  const char *first = cell;

  for (const char *p = cell;; p++) {
    const gboolean colons = p[0] == ':' && p[1] == ':';
    if (*p && !colons && !strchr (";,|", *p))
      continue;
    if (count_fragment (seen, dp_span (first, (gsize) (p - first)), FRAGMENTS))
      return TRUE;
    if (!*p)
      return FALSE;
    p += colons;
    first = p + 1;
  }
}

static guint
count_of (const char *text, const char *part)
{
  guint n = 0;

  for (const char *p = strstr (text, part); p; p = strstr (p + strlen (part), part))
    n++;
  return n;
}

static gboolean
cell_repeats (const char *cell)
{
  if (!*cell)
    return FALSE;
  return g_utf8_strlen (cell, -1) > (glong) LONGEST_CELL || count_of (cell, "::") > MOST_DOUBLE_COLONS
         || count_of (cell, ";") > MOST_SEMICOLONS || fragments_repeat (cell);
}

static gboolean
row_repeats (const GPtrArray *cells)
{
  for (guint i = 0; i < cells->len; i++)
    if (cell_repeats (g_ptr_array_index (cells, i)))
      return TRUE;
  return FALSE;
}

/* Rows below a table's rule only. */
static gboolean
cells_repeat (const GArray *lines)
{
  gboolean inside = FALSE, ruled = FALSE;

  for (guint i = 0; i < lines->len; i++) {
    g_autoptr (GPtrArray) row = split_row (dp_protocol_line (lines, i));
    if (!row)
      inside = ruled = FALSE;
    else if (!inside)
      inside = TRUE;
    else if (!ruled)
      ruled = is_rule (row);
    else if (row_repeats (row))
      return TRUE;
  }
  return FALSE;
}

/* ---- loops in the whole ---- */

/* The text, white space as single blanks, is one part over and over. */
static gboolean
whole_repeats (const char *content)
{
  g_autoptr (GString) s = g_string_new (NULL);
  const DpSpan text = dp_protocol_strip (dp_span (content, strlen (content)));

  for (const char *p = text.start; p < text.start + text.n; p = g_utf8_next_char (p)) {
    const gunichar c = g_utf8_get_char (p);
    if (!dp_protocol_space (c))
      g_string_append_unichar (s, c);
    else if (s->len && s->str[s->len - 1] != ' ')
      g_string_append_c (s, ' ');
  }
  if (g_utf8_strlen (s->str, -1) < (glong) SHORTEST_WHOLE)
    return FALSE;
  g_autofree gsize *border = g_new0 (gsize, s->len + 1); /* Knuth, Morris, Pratt */
  for (gsize i = 1, k = 0; i < s->len; i++) {
    while (k && s->str[i] != s->str[k])
      k = border[k - 1];
    k += s->str[i] == s->str[k];
    border[i] = k;
  }
  const gsize period = s->len - border[s->len - 1];
  return period < s->len && s->len % period == 0;
}

static gboolean
characters_repeat (const char *content)
{
  guint lines = 0, same = 0;

  for (const char *p = content; *p; p++) {
    lines = *p == '\n' ? lines + 1 : 0;
    same = g_ascii_isalnum (*p) ? (p > content && p[-1] == *p ? same + 1 : 1) : 0;
    if (lines >= 5 || same >= SAME_RUN)
      return TRUE;
  }
  return FALSE;
}

/* lines: stripped. */
static gboolean
lines_repeat (const GArray *lines)
{
  g_autoptr (GHashTable) seen = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  guint run = 0;

  for (guint i = 0; i < lines->len; i++) {
    const DpSpan line = dp_protocol_line (lines, i);
    const gboolean is_long = dp_span_length (line) >= LONG_LINE;
    run = i && dp_span_equal (line, dp_protocol_line (lines, i - 1)) ? run + 1 : 1;
    if (line.n && (run >= 3 || (run >= 2 && is_long)))
      return TRUE;
    if (!is_long || is_rule_line (line))
      continue;
    char *key = g_strndup (line.start, line.n);
    const guint n = GPOINTER_TO_UINT (g_hash_table_lookup (seen, key)) + 1;
    g_hash_table_replace (seen, key, GUINT_TO_POINTER (n));
    if (n >= 4)
      return TRUE;
  }
  return FALSE;
}

/* The next word (with - _ . / inside) or sign at or after p; n = 0: none. */
static DpSpan
next_token (const char *p, const char *end)
{
  while (p < end && dp_protocol_space (g_utf8_get_char (p)))
    p = g_utf8_next_char (p);
  const char *start = p;
  if (p < end && !g_ascii_isalnum (*p))
    return dp_span (start, (gsize) (g_utf8_next_char (p) - start));
  while (p < end && (g_ascii_isalnum (*p) || (strchr ("-_./", *p) && p + 1 < end && g_ascii_isalnum (p[1]))))
    p++;
  return dp_span (start, (gsize) (p - start));
}

/* The same token in a row, over lines as well; rules of tables do not count. */
static gboolean
tokens_repeat (const GArray *lines)
{
  g_autofree char *last = NULL;
  guint run = 0;

  for (guint i = 0; i < lines->len; i++) {
    const DpSpan line = dp_protocol_line (lines, i);
    const char *end = line.start + line.n;
    if (is_rule_line (line))
      continue;
    for (DpSpan t = next_token (line.start, end); t.n; t = next_token (t.start + t.n, end)) {
      char *lower = g_utf8_strdown (t.start, (gssize) t.n);
      run = last && g_str_equal (last, lower) ? run + 1 : 1;
      g_free (last);
      last = lower;
      if (run >= SAME_TOKENS)
        return TRUE;
    }
  }
  return FALSE;
}

gboolean
dp_mineru_chart_repeats (const char *content)
{
  g_autoptr (GArray) lines = dp_protocol_lines (dp_span (content, strlen (content))), stripped = g_array_copy (lines);

  for (guint i = 0; i < stripped->len; i++)
    g_array_index (stripped, DpSpan, i) = dp_protocol_strip (dp_protocol_line (lines, i));
  return strstr (content, "\\|") || characters_repeat (content) || whole_repeats (content) || cells_repeat (lines)
         || lines_repeat (stripped) || tokens_repeat (lines);
}

/* ---- the largest table ---- */

/* Cells of a line after common slips: wide bars, escaped bars.  NULL: fewer than two. */
static GPtrArray *
split_slips (DpSpan line)
{
  const DpSpan s = dp_protocol_strip (line);
  g_autoptr (GString) text = g_string_new_len (s.start, (gssize) s.n);

  g_string_replace (text, "\357\275\234", "|", 0);
  g_string_replace (text, "\302\246", "|", 0);
  g_string_replace (text, "\\|", "|", 0);
  GPtrArray *cells = split_row (dp_span (text->str, text->len));
  if (cells && cells->len < 2)
    g_clear_pointer (&cells, g_ptr_array_unref);
  return cells;
}

static void
append_cell (GString *out, const char *cell)
{
  guint ticks = 0;
  gboolean blank = FALSE;

  for (const char *p = cell; *p; p = g_utf8_next_char (p)) {
    const gunichar c = g_utf8_get_char (p);
    ticks += c == '`';
    if (dp_protocol_space (c)) {
      blank = TRUE;
      continue;
    }
    if (blank)
      g_string_append_c (out, ' ');
    blank = FALSE;
    if (c == '|')
      g_string_append_c (out, '\\');
    g_string_append_unichar (out, c);
  }
  if (ticks % 2)
    g_string_append_c (out, '`');
}

static void
append_row (GString *out, const GPtrArray *cells)
{
  g_string_append (out, out->len ? "\n| " : "| ");
  for (guint i = 0; i < cells->len; i++) {
    g_string_append (out, i ? " | " : "");
    append_cell (out, g_ptr_array_index (cells, i));
  }
  g_string_append (out, " |");
}

typedef struct {
  GPtrArray *rows; /* GPtrArray of char *, of the run of lines that is looked at */
  char *best;
  guint best_rows, best_columns;
  gsize best_length;
} Search;

static GPtrArray *
row_at (const Search *s, guint i)
{
  return g_ptr_array_index (s->rows, i);
}

/* Every line of the table still has so many cells when it is read again. */
static gboolean
is_sound (const char *table, guint columns)
{
  g_autoptr (GArray) lines = dp_protocol_lines (dp_span (table, strlen (table)));

  for (guint i = 0; i < lines->len; i++) {
    g_autoptr (GPtrArray) cells = split_row (dp_protocol_line (lines, i));
    if (!cells || cells->len != columns)
      return FALSE;
  }
  return lines->len >= 3;
}

/* A head, a rule of its own, rows [first, last). */
static void
offer (Search *s, guint head, guint first, guint last)
{
  const guint columns = row_at (s, head)->len, n = 2 + last - first;
  g_autoptr (GString) out = g_string_new (NULL);

  append_row (out, row_at (s, head));
  g_string_append (out, "\n|");
  for (guint i = 0; i < columns; i++)
    g_string_append (out, " --- |");
  for (guint i = first; i < last; i++)
    append_row (out, row_at (s, i));
  const gsize length = (gsize) g_utf8_strlen (out->str, -1);
  const gboolean more = n > s->best_rows || (n == s->best_rows && columns > s->best_columns)
                        || (n == s->best_rows && columns == s->best_columns && length > s->best_length);
  if (!more || !is_sound (out->str, columns))
    return;
  g_free (s->best);
  s->best = g_string_free (g_steal_pointer (&out), FALSE);
  s->best_rows = n;
  s->best_columns = columns;
  s->best_length = length;
}

/* End of the rows from i on that have so many cells and are no rule. */
static guint
run_end (const Search *s, guint i, guint columns)
{
  while (i < s->rows->len && row_at (s, i)->len == columns && !is_rule (row_at (s, i)))
    i++;
  return i;
}

static void
search_run (Search *s)
{
  for (guint i = 1; i < s->rows->len; i++) { /* tables with a rule first */
    const guint columns = row_at (s, i - 1)->len;
    if (!is_rule (row_at (s, i)) || is_rule (row_at (s, i - 1)))
      continue;
    const guint end = run_end (s, i + 1, columns);
    if (end > i + 1)
      offer (s, i - 1, i + 1, end);
  }
  for (guint i = 0; i < s->rows->len;) {
    const guint end = run_end (s, i, row_at (s, i)->len);
    if (end >= i + 2)
      offer (s, i, i + 1, end);
    i = MAX (end, i + 1);
  }
  g_ptr_array_set_size (s->rows, 0);
}

static char *
largest_table (const char *content)
{
  g_autoptr (GArray) lines = dp_protocol_lines (dp_span (content, strlen (content)));
  Search s = { .rows = g_ptr_array_new_with_free_func ((GDestroyNotify) g_ptr_array_unref) };
  gboolean ruled = FALSE;

  for (guint i = 0; i < lines->len; i++) {
    GPtrArray *cells = split_slips (dp_protocol_line (lines, i));
    if (!cells) {
      search_run (&s);
      ruled = FALSE;
    } else if (s.rows->len > 0 && ruled && !is_rule (cells) && row_repeats (cells)) {
      g_ptr_array_unref (cells);
    } else {
      ruled = s.rows->len > 0 && (ruled || is_rule (cells));
      g_ptr_array_add (s.rows, cells);
    }
  }
  search_run (&s);
  g_ptr_array_unref (s.rows);
  return s.best;
}

/* ---- sound tables ---- */

/* The rows below the rule at i have as many columns as head; FALSE: one has not. */
static gboolean
rows_agree (const GArray *lines, guint i, guint columns)
{
  for (i++; i < lines->len && dp_markdown_is_row (dp_protocol_line (lines, i)); i++)
    if (dp_markdown_count (dp_protocol_line (lines, i)) != columns)
      return FALSE;
  return TRUE;
}

static gboolean
is_malformed (const char *content)
{
  g_autoptr (GArray) lines = dp_protocol_lines (dp_span (content, strlen (content)));
  guint rows = 0, sound = 0;

  for (guint i = 0; i < lines->len; i++) {
    gint head = (gint) i - 1;
    rows += dp_markdown_is_row (dp_protocol_line (lines, i));
    if (!dp_markdown_is_separator (dp_protocol_line (lines, i)))
      continue;
    while (head >= 0 && dp_protocol_strip (dp_protocol_line (lines, (guint) head)).n == 0)
      head--;
    if (head < 0 || !dp_markdown_is_row (dp_protocol_line (lines, (guint) head)))
      return TRUE;
    const guint columns = dp_markdown_count (dp_protocol_line (lines, (guint) head));
    if (columns != dp_markdown_count (dp_protocol_line (lines, i)) || !rows_agree (lines, i, columns))
      return TRUE;
    sound++;
  }
  return rows >= 2 && sound == 0;
}

char *
dp_mineru_chart (const char *content)
{
  g_autofree char *table = dp_mineru_chart_repeats (content) ? largest_table (content) : NULL;

  if (!table)
    table = g_strdup (content);
  return is_malformed (table) ? g_strdup ("") : g_steal_pointer (&table);
}
