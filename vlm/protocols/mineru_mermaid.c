/* vlm/protocols/mineru_mermaid.c - flowcharts: the slips that a model makes in Mermaid, repaired line by line.
 *
 * In this order: names of nodes at the ends of edges (names with blanks get a legal one and keep their words as label), edges
 * with half a label, names of subgraphs, the fence, the first word, arrows, labels in quotes (mineru-vl-utils: mermaid_*.py and
 * extract_and_validate_mermaid_strict()).
 */
#include "vlm/protocols/mineru.h"
#include "vlm/protocols/text.h"

/* ---- names ---- */

static gboolean
is_id_char (char c)
{
  return g_ascii_isalnum (c) || c == '_';
}

/* Bytes of the legal name at p: a letter or _, then letters, digits and _. */
static gsize
id_length (const char *p)
{
  gsize n = 0;

  if (g_ascii_isdigit (*p))
    return 0;
  while (is_id_char (p[n]))
    n++;
  return n;
}

typedef struct {
  GHashTable *named;    /* words -> name */
  GHashTable *declared; /* names with a label */
  GHashTable *given;    /* names that were made here */
} Names;

/* top LAYER two -> topLAYERTwo as str.capitalize() does: topLayerTwo. */
static char *
make_name (const char *words)
{
  GString *name = g_string_new (NULL);
  guint parts = 0;

  for (const char *p = words; *p;) {
    gsize n = 0;
    while (g_ascii_isalnum (p[n]))
      n++;
    for (gsize i = 0; i < n; i++)
      g_string_append_c (name, parts == 0 ? p[i] : i == 0 ? g_ascii_toupper (p[i]) : g_ascii_tolower (p[i]));
    parts += n > 0;
    p += n ? n : 1;
  }
  for (const char *p = words; parts == 0 && *p; p++)
    if (*p == '_')
      g_string_append_c (name, *p);
  if (!name->len)
    g_string_assign (name, "node");
  if (g_ascii_isdigit (name->str[0]))
    g_string_prepend_c (name, 'n');
  return g_string_free (name, FALSE);
}

/* The name for words, never one that is taken; owned by names. */
static const char *
name_of (Names *names, const char *words)
{
  const char *known = g_hash_table_lookup (names->named, words);

  if (known)
    return known;
  g_autofree char *base = make_name (words);
  char *name = g_strdup (base);
  for (guint i = 2; g_hash_table_contains (names->declared, name) || g_hash_table_contains (names->given, name); i++) {
    g_free (name);
    name = g_strdup_printf ("%s%u", base, i);
  }
  g_hash_table_insert (names->named, g_strdup (words), name);
  g_hash_table_add (names->given, g_strdup (name));
  return name;
}

static void
append_endpoint (GString *out, DpSpan part, Names *names)
{
  const DpSpan s = dp_protocol_strip (part);
  g_autofree char *words = g_strndup (s.start, s.n);

  if (!s.n || strpbrk (words, "[](){}\"|") || id_length (words) == s.n) {
    g_string_append (out, words);
    return;
  }
  const char *name = name_of (names, words);
  g_string_append (out, name);
  if (g_hash_table_add (names->declared, g_strdup (name)))
    g_string_append_printf (out, "[\"%s\"]", words);
}

/* Parentheses in a label on an edge stop some readers. */
static void
append_edge_label (GString *out, DpSpan label)
{
  g_autoptr (GString) text = g_string_new (NULL);

  for (gsize i = 0; i < label.n; i++)
    if (!strchr ("()", label.start[i]) && !(label.start[i] == ' ' && text->len && text->str[text->len - 1] == ' '))
      g_string_append_c (text, label.start[i]);
  const DpSpan s = dp_protocol_strip (dp_span (text->str, text->len));
  g_string_append_c (out, '|');
  dp_protocol_append (out, s);
  g_string_append_c (out, '|');
}

/* What follows an arrow: |label| target, or a target. */
static void
append_target (GString *out, DpSpan segment, Names *names)
{
  const DpSpan s = dp_protocol_strip (segment);
  const char *bar = s.n && s.start[0] == '|' ? memchr (s.start + 1, '|', s.n - 1) : NULL;
  const DpSpan rest = bar ? dp_protocol_strip (dp_span (bar + 1, s.n - (gsize) (bar + 1 - s.start))) : s;

  if (bar && rest.n && !memchr (s.start, '\n', s.n)) {
    g_string_append (out, " -->");
    append_edge_label (out, dp_span (s.start + 1, (gsize) (bar - s.start - 1)));
    g_string_append_c (out, ' ');
    append_endpoint (out, rest, names);
    return;
  }
  g_autoptr (GString) target = g_string_new (NULL);
  append_endpoint (target, s, names);
  g_string_append (out, target->str[0] == '|' ? " -->" : " --> ");
  g_string_append_len (out, target->str, (gssize) target->len);
}

/* ---- statements ---- */

/* Parts of s at a separator that stands in no quotes, brackets or |label| (DpSpan). */
static GArray *
split_outside (DpSpan s, const char *separator)
{
  GArray *parts = g_array_new (FALSE, FALSE, sizeof (DpSpan));
  gboolean quoted = FALSE, label = FALSE;
  guint depth = 0;
  gsize first = 0, n = strlen (separator);

  for (gsize i = 0; i < s.n; i++) {
    const char c = s.start[i];
    if (quoted && c == '\\')
      i++;
    else if (c == '"')
      quoted = !quoted;
    else if (quoted)
      continue;
    else if (strchr ("[({", c))
      depth++;
    else if (strchr ("])}", c))
      depth -= depth > 0;
    else if (c == '|' && depth == 0)
      label = !label;
    else if (depth == 0 && !label && s.n - i >= n && memcmp (s.start + i, separator, n) == 0) {
      const DpSpan part = dp_span (s.start + first, i - first);
      g_array_append_val (parts, part);
      first = i + n;
      i += n - 1;
    }
  }
  const DpSpan part = dp_span (s.start + first, s.n - first);
  g_array_append_val (parts, part);
  return parts;
}

static gboolean
has (DpSpan s, const char *text)
{
  return g_strstr_len (s.start, (gssize) s.n, text) != NULL;
}

static void
append_statement (GString *out, DpSpan statement, Names *names)
{
  const DpSpan s = dp_protocol_strip (statement);
  g_autoptr (GArray) chain = split_outside (s, "-->");

  if ((s.n >= 2 && memcmp (s.start, "%%", 2) == 0) || chain->len < 2) {
    dp_protocol_append (out, s);
    return;
  }
  append_endpoint (out, dp_protocol_line (chain, 0), names);
  for (guint i = 1; i < chain->len; i++)
    append_target (out, dp_protocol_line (chain, i), names);
}

static gboolean
is_bidirectional (DpSpan line)
{
  for (gsize i = 0; i < line.n; i++) {
    gsize k = i + 1;
    guint dashes = 0;
    if (line.start[i] != '<')
      continue;
    for (; k < line.n && (line.start[k] == '-' || g_ascii_isspace (line.start[k])); k++)
      dashes += line.start[k] == '-';
    if (dashes == 2 && k < line.n && line.start[k] == '>')
      return TRUE;
  }
  return FALSE;
}

static void
append_named_line (GString *out, DpSpan line, Names *names)
{
  g_autoptr (GArray) statements = split_outside (line, ";");
  gboolean last_empty = statements->len > 1 && !dp_protocol_strip (dp_protocol_line (statements, statements->len - 1)).n, any = FALSE;

  for (guint i = 0; i < statements->len; i++) {
    if (!dp_protocol_strip (dp_protocol_line (statements, i)).n)
      continue;
    g_string_append (out, any ? "; " : "  ");
    append_statement (out, dp_protocol_line (statements, i), names);
    any = TRUE;
  }
  if (!any)
    dp_protocol_append (out, line);
  else if (last_empty)
    g_string_append_c (out, ';');
}

/* ---- passes over the lines ---- */

typedef struct {
  Names names;
  GHashTable *subgraphs;
} Passes;

/* Appends what becomes of a line; FALSE: it goes. */
typedef gboolean (*LinePass) (GString *out, DpSpan line, Passes *passes);

static char *
each_line (const char *content, LinePass pass, Passes *passes)
{
  const gsize n = strlen (content);
  g_autoptr (GArray) lines = dp_protocol_lines (dp_span (content, n));
  GString *out = g_string_new (NULL);
  gboolean first = TRUE;

  for (guint i = 0; i < lines->len; i++) {
    const gsize before = out->len;
    if (!first)
      g_string_append_c (out, '\n');
    if (pass (out, dp_protocol_line (lines, i), passes))
      first = FALSE;
    else
      g_string_truncate (out, before);
  }
  if (n && content[n - 1] == '\n')
    g_string_append_c (out, '\n');
  return g_string_free (out, FALSE);
}

static gboolean
name_nodes (GString *out, DpSpan line, Passes *passes)
{
  const DpSpan s = dp_protocol_strip (line);

  if (is_bidirectional (line) || !has (line, "-->") || (s.n >= 2 && memcmp (s.start, "%%", 2) == 0))
    dp_protocol_append (out, line);
  else
    append_named_line (out, line, &passes->names);
  return TRUE;
}

/* G -->node(DRAM)| H: half a label. */
static gboolean
is_half_label (DpSpan line)
{
  const DpSpan s = dp_protocol_strip (line);
  const char *arrow = g_strstr_len (s.start, (gssize) s.n, "-->"), *end = s.start + s.n;
  guint bars = 0;
  char quote = 0;

  if (!arrow || (s.n >= 2 && memcmp (s.start, "%%", 2) == 0))
    return FALSE;
  for (const char *p = s.start; p < end; p++) {
    if (*p == '\\')
      p++;
    else if (quote ? *p == quote : *p == '\'' || *p == '"')
      quote = quote ? 0 : *p;
    else if (*p == '|' && !quote)
      bars++;
  }
  const char *bar = memchr (arrow + 3, '|', (gsize) (end - arrow - 3));
  return bars == 1 && bar && bar + 1 < end && !memchr (bar + 1, '|', (gsize) (end - bar - 1));
}

/* A -->|label| B somewhere in the line. */
static gboolean
has_whole_label (DpSpan line)
{
  g_autofree char *text = g_strndup (line.start, line.n);

  for (const char *arrow = strstr (text, "-->"); arrow; arrow = strstr (arrow + 3, "-->")) {
    const char *p = dp_protocol_skip (arrow + 3), *bar = *p == '|' ? strchr (p + 1, '|') : NULL;
    if (bar && bar > p + 1 && *dp_protocol_skip (bar + 1))
      return TRUE;
  }
  return FALSE;
}

static gboolean
drop_half_labels (GString *out, DpSpan line, Passes *passes)
{
  (void) passes;
  if (is_half_label (line) && !has_whole_label (line))
    return FALSE;
  dp_protocol_append (out, line);
  return TRUE;
}

/* A legal name for a subgraph's title. */
static char *
subgraph_name (const char *title, GHashTable *taken)
{
  g_autoptr (GString) base = g_string_new (NULL);

  for (const char *p = title; *p; p++) {
    const char c = is_id_char (*p) ? *p : '_';
    if (c != '_' || (base->len && base->str[base->len - 1] != '_'))
      g_string_append_c (base, c);
  }
  if (base->len && base->str[base->len - 1] == '_')
    g_string_truncate (base, base->len - 1);
  if (!base->len)
    g_string_assign (base, "sg");
  if (g_ascii_isdigit (base->str[0]))
    g_string_prepend (base, "sg_");
  char *name = g_strdup (base->str);
  for (guint i = 2; g_hash_table_contains (taken, name); i++) {
    g_free (name);
    name = g_strdup_printf ("%s_%u", base->str, i);
  }
  g_hash_table_add (taken, g_strdup (name));
  return name;
}

static gboolean
name_subgraphs (GString *out, DpSpan line, Passes *passes)
{
  static const char word[] = "subgraph";
  g_autofree char *text = g_strndup (line.start, line.n);
  const char *start = dp_protocol_skip (text), *title;

  if (!g_str_has_prefix (start, word) || (title = dp_protocol_skip (start + strlen (word))) == start + strlen (word) || !*title) {
    dp_protocol_append (out, line);
    return TRUE;
  }
  const DpSpan body = dp_protocol_strip (dp_span (title, strlen (title)));
  const gsize id = id_length (title);
  const char *behind = dp_protocol_skip (title + id);
  if (id && (*behind == '[' || *behind == '(' || behind > title + id || !title[id])) { /* has a name of its own */
    g_hash_table_add (passes->subgraphs, g_strndup (title, id));
    dp_protocol_append (out, line);
    return TRUE;
  }
  g_autofree char *words = g_strndup (body.start, body.n), *name = subgraph_name (words, passes->subgraphs);
  g_autoptr (GString) escaped = g_string_new (words);
  g_string_replace (escaped, "\"", "\\\"", 0);
  g_string_append_len (out, text, start - text);
  g_string_append_printf (out, "subgraph %s[\"%s\"]", name, escaped->str);
  return TRUE;
}

static void
collect_declared (const char *content, GHashTable *declared)
{
  g_autoptr (GArray) lines = dp_protocol_lines (dp_span (content, strlen (content)));

  for (guint i = 0; i < lines->len; i++) {
    const DpSpan s = dp_protocol_strip (dp_protocol_line (lines, i));
    g_autofree char *line = g_strndup (s.start, s.n);
    const gsize n = id_length (line);
    const char *behind = dp_protocol_skip (line + n);
    if (n && *behind && strchr ("[({", *behind))
      g_hash_table_add (declared, g_strndup (line, n));
  }
}

static GHashTable *
name_set (void)
{
  return g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
}

static char *
repair_lines (const char *content)
{
  Passes passes = { { g_hash_table_new_full (g_str_hash, g_str_equal, g_free, g_free), name_set (), name_set () }, name_set () };

  collect_declared (content, passes.names.declared);
  g_autofree char *named = each_line (content, name_nodes, &passes), *whole = each_line (named, drop_half_labels, &passes);
  char *out = each_line (whole, name_subgraphs, &passes);
  g_hash_table_unref (passes.names.named);
  g_hash_table_unref (passes.names.declared);
  g_hash_table_unref (passes.names.given);
  g_hash_table_unref (passes.subgraphs);
  return out;
}

/* ---- the whole ---- */

/* What stands in the first fence, or everything; without a leading "mermaid". */
static char *
unfence (const char *content)
{
  static const char fence[] = "```", name[] = "mermaid";
  DpSpan s = dp_protocol_strip (dp_span (content, strlen (content)));
  const char *open = strstr (s.start, "```mermaid"), *from = open ? open + 10 : NULL, *close = from ? strstr (from, fence) : NULL;

  if (!close) {
    open = strstr (s.start, fence);
    from = open ? open + 3 : NULL;
    close = from ? strstr (from, fence) : NULL;
  }
  if (close)
    s = dp_protocol_strip (dp_span (from, (gsize) (close - from)));
  if (s.n >= strlen (name) && g_ascii_strncasecmp (s.start, name, strlen (name)) == 0)
    s = dp_protocol_strip (dp_span (s.start + strlen (name), s.n - strlen (name)));
  return g_strndup (s.start, s.n);
}

/* "grap TD" -> "graph TD" */
static void
correct_first_word (GString *code)
{
  static const char *const words[][2]
      = { { "grapg", "graph" }, { "graphh", "graph" }, { "grap", "graph" }, { "flowchartt", "flowchart" }, { "flowchar", "flowchart" } };
  gsize n = 0;

  while (is_id_char (code->str[n]) || (guchar) code->str[n] >= 0x80)
    n++;
  for (guint i = 0; i < G_N_ELEMENTS (words); i++)
    if (strlen (words[i][0]) == n && g_ascii_strncasecmp (code->str, words[i][0], n) == 0) {
      g_string_erase (code, 0, (gssize) n);
      g_string_prepend (code, words[i][1]);
      return;
    }
}

static void
replace (GString *code, const char *regex, const char *by)
{
  g_autoptr (GRegex) pattern = g_regex_new (regex, 0, 0, NULL);
  g_autofree char *out = g_regex_replace_literal (pattern, code->str, (gssize) code->len, 0, by, 0, NULL);

  if (out)
    g_string_assign (code, out);
}

/* - -> and -- > and -> are -->; <-- > is an arrow of its own. */
static void
correct_arrows (GString *code)
{
  static const char both[] = "\001BOTH\001";

  replace (code, "<\\s*+-\\s*+-\\s*+>", both);
  replace (code, "-\\s++->", "-->");
  replace (code, "--\\s++>", "-->");
  replace (code, "-\\s++-\\s++>", "-->");
  replace (code, "(?<![-=\\s])\\s++->\\s++", " --> ");
  g_string_replace (code, both, "<-->", 0);
}

static gboolean
is_node_char (gunichar c)
{
  return (c < 0x80 && is_id_char ((char) c)) || c == '-' || (c >= 0x4e00 && c <= 0x9fa5);
}

/* Where the name of one or more words that ends at end begins, not before start; end if there is none. */
static const char *
name_start (const char *start, const char *end)
{
  const char *name = end, *p = end;

  for (;;) {
    const char *word = p;
    while (word > start && is_node_char (g_utf8_get_char (g_utf8_prev_char (word))))
      word = g_utf8_prev_char (word);
    if (word == p)
      return name;
    name = p = word;
    while (p > start && (p[-1] == ' ' || p[-1] == '\t'))
      p--;
    if (p == name)
      return name;
  }
}

/* The name with _ for blanks and the label in quotes, those inside escaped. */
static void
append_node (GString *out, DpSpan name, DpSpan label)
{
  for (gsize i = 0; i < name.n; i++)
    if (name.start[i] != ' ' && name.start[i] != '\t')
      g_string_append_c (out, name.start[i]);
    else if (i && name.start[i - 1] != ' ' && name.start[i - 1] != '\t')
      g_string_append_c (out, '_');
  if (!label.n) {
    g_string_append (out, "[]");
    return;
  }
  if (label.start[0] == '"' && label.start[label.n - 1] == '"')
    label = label.n > 1 ? dp_span (label.start + 1, label.n - 2) : dp_span (label.start, 0);
  g_string_append (out, "[\"");
  for (gsize i = 0; i < label.n; i++)
    if (label.start[i] == '"')
      g_string_append (out, "&quot;");
    else if (label.start[i] == '\n')
      g_string_append (out, "<br>");
    else
      g_string_append_c (out, label.start[i]);
  g_string_append (out, "\"]");
}

/* name[label] for every [ ] behind a name. */
static char *
quote_labels (const char *code)
{
  GString *out = g_string_new (NULL);
  const char *p = code;

  for (const char *open = strchr (code, '['); open;) {
    const char *close = strchr (open, ']'), *end = open;
    if (!close)
      break;
    while (end > p && (end[-1] == ' ' || end[-1] == '\t'))
      end--;
    const char *start = name_start (p, end);
    const DpSpan name = dp_span (start, (gsize) (end - start)), label = dp_span (open + 1, (gsize) (close - open - 1));
    if (!name.n) {
      open = strchr (open + 1, '[');
      continue;
    }
    g_string_append_len (out, p, start - p);
    if ((name.n >= 9 && g_ascii_strncasecmp (name.start, "subgraph ", 9) == 0) || g_str_has_prefix (open + 1, "\"["))
      g_string_append_len (out, start, close + 1 - start);
    else
      append_node (out, name, label);
    p = close + 1;
    open = strchr (p, '[');
  }
  g_string_append (out, p);
  return g_string_free (out, FALSE);
}

char *
dp_mineru_flowchart (const char *content)
{
  if (!*dp_protocol_skip (content) || dp_mineru_mermaid_repeats (content))
    return g_strdup ("");
  g_autofree char *lines = repair_lines (content), *bare = unfence (lines);
  if (!*dp_protocol_skip (lines))
    return g_strdup ("");
  g_autoptr (GString) code = g_string_new (bare);
  correct_first_word (code);
  correct_arrows (code);
  g_autofree char *quoted = quote_labels (code->str);
  return g_strconcat ("```mermaid\n", quoted, "\n```", NULL);
}
