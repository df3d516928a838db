/* vlm/protocols/mineru_repeats.c - Mermaid graphs in which the model went round in circles.
 *
 * Signs and thresholds: mineru-vl-utils, mermaid_repetition.py.  Patterns are bounded to one line or anchored where a name begins, so
 * that the work stays linear; where PCRE gives up, nothing is found.
 */
#include "vlm/protocols/mineru.h"
#include "vlm/protocols/text.h"

#define IN_A_ROW 8u
#define IN_ALL 20u
#define LONG_LABEL 2000u
#define LEAST_VARIETY 0.2
#define LONGEST_ID 128u

#define ID "[A-Za-z0-9_\\x{4e00}-\\x{9fa5}\\-]+"
#define NOT_INSIDE_ID "(?<![A-Za-z0-9_\\x{4e00}-\\x{9fa5}\\-])"

/* ---- small helpers ---- */

static GRegex *
pattern (const char *regex)
{
  return g_regex_new (regex, G_REGEX_DOTALL, 0, NULL);
}

/* \n written out, one or more backslashes before it, and <br> become line ends. */
static char *
with_line_ends (const char *text)
{
  GString *out = g_string_new (NULL);

  for (const char *p = text; *p;) {
    const gsize slashes = strspn (p, "\\");
    if (slashes && p[slashes] == 'n') {
      g_string_append_c (out, '\n');
      p += slashes + 1;
    } else if (slashes) {
      g_string_append_len (out, p, (gssize) slashes);
      p += slashes;
    } else if (g_ascii_strncasecmp (p, "<br", 3) == 0) {
      const char *q = dp_protocol_skip (p + 3);
      q += *q == '/';
      g_string_append_c (out, *q == '>' ? '\n' : *p);
      p = *q == '>' ? q + 1 : p + 1;
    } else
      g_string_append_c (out, *p++);
  }
  return g_string_free (out, FALSE);
}

typedef struct {
  guint run, most, different, n; /* equal in a row; of one kind in all */
} Counts;

/* spans: non-empty ones. */
static Counts
count_spans (const GArray *spans)
{
  g_autoptr (GHashTable) seen = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  Counts c = { .n = spans->len };
  guint run = 0;

  for (guint i = 0; i < spans->len; i++) {
    const DpSpan s = dp_protocol_line (spans, i);
    char *key = g_strndup (s.start, s.n);
    const guint n = GPOINTER_TO_UINT (g_hash_table_lookup (seen, key)) + 1;
    g_hash_table_replace (seen, key, GUINT_TO_POINTER (n));
    run = i && dp_span_equal (s, dp_protocol_line (spans, i - 1)) ? run + 1 : 1;
    c.run = MAX (c.run, run);
    c.most = MAX (c.most, n);
  }
  c.different = g_hash_table_size (seen);
  return c;
}

/* ---- names of nodes ---- */

static gboolean
is_pair (const char *p)
{
  return g_ascii_isupper (p[0]) && g_ascii_isalpha (p[1]);
}

/* Names run together (AnAoApAn...): one pair of letters too often. */
static gboolean
pairs_repeat (const char *id)
{
  guint16 counts[52 * 52] = { 0 };
  gboolean any = FALSE;

  for (const char *p = id; *p; p++)
    if (is_pair (p)) {
      if (++counts[(p[0] - 'A') * 52 + (g_ascii_isupper (p[1]) ? p[1] - 'A' : p[1] - 'a' + 26)] >= IN_A_ROW)
        return TRUE;
      any = TRUE;
      p++;
    }
  for (const char *p = id; *p && !any;) { /* any two letters of long words */
    gsize n = 0;
    while (g_ascii_isalpha (p[n]))
      n++;
    for (gsize i = 0; n >= 8 && i + 1 < n; i++) {
      const int a = g_ascii_isupper (p[i]) ? p[i] - 'A' : p[i] - 'a' + 26,
                b = g_ascii_isupper (p[i + 1]) ? p[i + 1] - 'A' : p[i + 1] - 'a' + 26;
      if (++counts[a * 52 + b] >= IN_A_ROW)
        return TRUE;
    }
    p += n ? n : 1;
  }
  return FALSE;
}

static gboolean
is_bad_id (const char *id)
{
  return g_utf8_strlen (id, -1) > (glong) LONGEST_ID || pairs_repeat (id);
}

/* ---- labels ---- */

static gboolean
is_bad_label (const char *raw)
{
  g_autofree char *label = with_line_ends (raw);
  g_autoptr (GArray) lines = dp_protocol_lines (dp_span (label, strlen (label))), full = g_array_new (FALSE, FALSE, sizeof (DpSpan));

  for (guint i = 0; i < lines->len; i++) {
    const DpSpan line = dp_protocol_strip (dp_protocol_line (lines, i));
    if (line.n)
      g_array_append_val (full, line);
  }
  if (full->len == 0)
    return FALSE;
  const Counts c = count_spans (full);
  return c.run >= IN_A_ROW || c.most >= IN_ALL || (g_utf8_strlen (label, -1) >= (glong) LONG_LABEL && c.different <= LEAST_VARIETY * c.n);
}

static gboolean
labels_repeat (const char *content)
{
  g_autoptr (GRegex) regex = pattern (NOT_INSIDE_ID "(" ID ")\\s*+\\[\"((?:[^\"\\\\]|\\\\.)*+)\"\\]");
  g_autoptr (GMatchInfo) match = NULL;

  for (g_regex_match (regex, content, 0, &match); g_match_info_matches (match); g_match_info_next (match, NULL)) {
    g_autofree char *id = g_match_info_fetch (match, 1), *label = g_match_info_fetch (match, 2);
    if (is_bad_id (id) || is_bad_label (label))
      return TRUE;
  }
  return FALSE;
}

/* ---- edges ---- */

/* TRUE once key was counted IN_A_ROW times; takes key. */
static gboolean
count_key (GHashTable *seen, char *key)
{
  const guint n = GPOINTER_TO_UINT (g_hash_table_lookup (seen, key)) + 1;

  g_hash_table_replace (seen, key, GUINT_TO_POINTER (n));
  return n >= IN_A_ROW;
}

/* The name at the start of one end of an edge, an edge's label before it left out. */
static char *
endpoint (const char *segment)
{
  const char *p = dp_protocol_skip (segment), *end;

  if (*p == '|' && (end = strchr (p + 1, '|')) != NULL)
    p = dp_protocol_skip (end + 1);
  for (end = p; *end; end = g_utf8_next_char (end)) {
    const gunichar c = g_utf8_get_char (end);
    if (!(c < 0x80 && g_ascii_isalnum ((char) c)) && c != '_' && c != '-' && !(c >= 0x4e00 && c <= 0x9fa5))
      break;
  }
  return g_strndup (p, (gsize) (end - p));
}

static gboolean
chain_is_bad (const char *line)
{
  g_auto (GStrv) segments = g_strsplit (line, "-->", -1);

  for (char **s = segments; *s; s++) {
    g_autofree char *id = endpoint (*s);
    if (is_bad_id (id))
      return TRUE;
  }
  return FALSE;
}

typedef struct {
  GRegex *edge, *labelled;
  GHashTable *edges, *labels;
} Edges;

static gboolean
edge_is_bad (const Edges *e, const char *line)
{
  g_autoptr (GMatchInfo) match = NULL, labelled = NULL;
  const char *arrow = strstr (line, "-->");

  if (!arrow)
    return FALSE;
  if (g_regex_match (e->edge, line, 0, &match)) {
    g_autofree char *from = g_match_info_fetch (match, 1), *to = g_match_info_fetch (match, 2);
    if (count_key (e->edges, g_strconcat (from, "-->", to, NULL)) || is_bad_id (from) || is_bad_id (to))
      return TRUE;
  }
  if (strstr (arrow + 3, "-->") && chain_is_bad (line))
    return TRUE;
  if (!g_regex_match (e->labelled, line, 0, &labelled))
    return FALSE;
  g_autofree char *label = g_strstrip (g_match_info_fetch (labelled, 1));
  return *label && count_key (e->labels, g_steal_pointer (&label));
}

static gboolean
edges_repeat (const GArray *lines)
{
  Edges e
      = { pattern ("^\\s*+(" ID ")\\s*-->\\s*(?:\\|[^|\\n]*\\|\\s*)?(" ID ")(?:\\s*(?:\\[[^\\]]*\\]|\\([^)]*\\)|\\{[^}]*\\}))?\\s*$"),
          pattern ("^\\s*+" ID "\\s*-->\\s*" ID "\\s*\\[\"((?:[^\"\\\\]|\\\\\\\\.)*+)\"\\]\\s*$"),
          g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL), g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL) };
  gboolean bad = FALSE;

  for (guint i = 0; i < lines->len && !bad; i++) {
    const DpSpan s = dp_protocol_line (lines, i);
    g_autofree char *line = g_strndup (s.start, s.n);
    bad = edge_is_bad (&e, line);
  }
  g_regex_unref (e.edge);
  g_regex_unref (e.labelled);
  g_hash_table_unref (e.edges);
  g_hash_table_unref (e.labels);
  return bad;
}

/* ---- lines that are neither ---- */

static gboolean
starts_with (DpSpan s, const char *word)
{
  return s.n >= strlen (word) && g_ascii_strncasecmp (s.start, word, strlen (word)) == 0;
}

static gboolean
is_structure (DpSpan line)
{
  return starts_with (line, "graph ") || starts_with (line, "flowchart ") || starts_with (line, "subgraph ")
         || (line.n == 3 && starts_with (line, "end")) || starts_with (line, "direction ") || starts_with (line, "%%")
         || g_strstr_len (line.start, (gssize) line.n, "-->");
}

static gboolean
is_any (gunichar c, const char *signs)
{
  return dp_protocol_space (c) || (c < 0x80 && strchr (signs, (int) c));
}

/* Brackets and quotes around the line go, blanks inside count once; appended to out. */
static gsize
append_bare (GString *out, DpSpan line)
{
  const gsize before = out->len;
  const char *p = line.start, *end = line.start + line.n;

  while (p < end && is_any (g_utf8_get_char (p), "[]()\"'>"))
    p = g_utf8_next_char (p);
  while (end > p && is_any (g_utf8_get_char (g_utf8_prev_char (end)), "[]()\"',.;:"))
    end = g_utf8_prev_char (end);
  for (; p < end; p = g_utf8_next_char (p)) {
    const gunichar c = g_utf8_get_char (p);
    if (!dp_protocol_space (c))
      g_string_append_unichar (out, c);
    else if (out->str[out->len - 1] != ' ')
      g_string_append_c (out, ' ');
  }
  return out->len - before;
}

static gboolean
bare_lines_repeat (const GArray *lines, gsize room)
{
  g_autoptr (GArray) spans = g_array_new (FALSE, FALSE, sizeof (DpSpan));
  g_autoptr (GString) text = g_string_sized_new (room + 1); /* never grows: bare lines are no longer than lines */

  for (guint i = 0; i < lines->len; i++) {
    const DpSpan line = dp_protocol_strip (dp_protocol_line (lines, i));
    if (!line.n || is_structure (line))
      continue;
    const gsize n = append_bare (text, line);
    const DpSpan bare = dp_span (text->str + text->len - n, n);
    if (n)
      g_array_append_val (spans, bare);
  }
  const Counts c = count_spans (spans);
  return c.run >= IN_A_ROW || c.most >= IN_ALL;
}

gboolean
dp_mineru_mermaid_repeats (const char *content)
{
  g_autofree char *text = with_line_ends (content);
  g_autoptr (GArray) lines = dp_protocol_lines (dp_span (text, strlen (text)));

  return labels_repeat (content) || edges_repeat (lines) || bare_lines_repeat (lines, strlen (text));
}
