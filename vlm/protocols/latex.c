/* vlm/protocols/latex.c - the other steps: delimiters, subscripts, big fences, braces; text blocks. */
#include "vlm/protocols/latex.h"

#include "vlm/protocols/text.h"

#include <string.h>

/* g_string_replace() moves the rest of the text at every hit. */
static char *
replace (const char *text, const char *what, const char *with)
{
  GString *s = g_string_new (NULL);

  for (const char *hit; (hit = strstr (text, what)) != NULL; text = hit + strlen (what)) {
    g_string_append_len (s, text, hit - text);
    g_string_append (s, with);
  }
  return g_string_free (g_string_append (s, text), FALSE);
}

/* Takes text; the result of the next step. */
static char *
then_replace (char *text, const char *what, const char *with)
{
  char *out = replace (text, what, with);

  g_free (text);
  return out;
}

/* ---- 1, 9: delimiters ---- */

static char *
strip_delimiters (const char *latex)
{
  DpSpan s = dp_protocol_strip (dp_span (latex, strlen (latex)));

  if (s.n >= 2 && memcmp (s.start, "\\[", 2) == 0)
    s = dp_span (s.start + 2, s.n - 2);
  if (s.n >= 2 && memcmp (s.start + s.n - 2, "\\]", 2) == 0)
    s.n -= 2;
  s = dp_protocol_strip (s);
  return g_strndup (s.start, s.n);
}

char *
dp_latex_display (const char *latex)
{
  const DpSpan s = dp_protocol_strip (dp_span (latex, strlen (latex)));
  g_autofree char *text = g_strndup (s.start, s.n);
  g_autofree char *opened = g_str_has_prefix (text, "\\[") ? g_strdup (text) : g_strconcat ("\\[\n", text, NULL);

  return g_str_has_suffix (opened, "\\]") ? g_strdup (opened) : g_strconcat (opened, "\n\\]", NULL);
}

/* ---- 3: double subscripts ---- */

/* Behind _ { .. } with braces nested once at most, blanks between _ and {; NULL: p begins none. */
static const char *
subscript_end (const char *p)
{
  gboolean inside = FALSE;

  if (*p != '_')
    return NULL;
  p = dp_protocol_skip (p + 1);
  if (*p != '{')
    return NULL;
  for (p++; *p; p++) {
    if (*p == '{') {
      if (inside)
        return NULL;
      inside = TRUE;
    } else if (*p == '}') {
      if (!inside)
        return p + 1;
      inside = FALSE;
    }
  }
  return NULL;
}

static char *
drop_double_subscripts (const char *latex)
{
  GString *out = g_string_new (NULL);

  for (const char *p = latex; *p;) {
    const char *first = subscript_end (p), *second = first ? subscript_end (dp_protocol_skip (first)) : NULL;
    if (second)
      p = second;
    else
      g_string_append_c (out, *p++);
  }
  return g_string_free (out, FALSE);
}

/* ---- 5: big fences ---- */

/* \big, \Bigg, \biggl ...: bytes of the command at p, 0: none. */
static gsize
big_at (const char *p)
{
  gsize n = 4;

  if (p[0] != '\\' || (p[1] != 'b' && p[1] != 'B') || p[2] != 'i' || p[3] != 'g')
    return 0;
  if (p[n] == 'g')
    n++;
  if (p[n] && strchr ("rml", p[n]))
    n++;
  return n;
}

static char *
unbrace_big (const char *latex)
{
  static const char *const fences[] = { ")", "(", "\\}", "\\{", "|", "\\|", "]", "[", "\\rangle", "\\langle" };
  GString *out = g_string_new (NULL);

  for (const char *p = latex; *p;) {
    const gsize n = big_at (p);
    const char *q = p + n + (n && p[n] == ' '), *fence = NULL;
    for (guint i = 0; n && *q == '{' && i < G_N_ELEMENTS (fences); i++)
      if (g_str_has_prefix (q + 1, fences[i]) && q[1 + strlen (fences[i])] == '}')
        fence = fences[i];
    if (!fence) {
      g_string_append_c (out, *p++);
      continue;
    }
    g_string_append_len (out, p, (gssize) n);
    g_string_append (out, fence);
    if (strlen (fence) > 2) /* a command must not run into the letter behind it */
      g_string_append_c (out, ' ');
    p = q + strlen (fence) + 2;
  }
  return g_string_free (out, FALSE);
}

/* ---- 7: braces ---- */

static char *
drop_lone_braces (const char *latex)
{
  const gsize n = strlen (latex);
  g_autoptr (GArray) open = g_array_new (FALSE, FALSE, sizeof (gsize));
  g_autofree guint8 *lone = g_malloc0 (n + 1);
  GString *out = g_string_new (NULL);
  gboolean escaped = FALSE; /* an odd number of backslashes stands before i */

  for (gsize i = 0; i < n; i++) {
    if (latex[i] == '{' && !escaped)
      g_array_append_val (open, i);
    else if (latex[i] == '}' && !escaped) {
      if (open->len)
        g_array_set_size (open, open->len - 1);
      else
        lone[i] = TRUE;
    }
    escaped = latex[i] == '\\' && !escaped;
  }
  for (guint i = 0; i < open->len; i++)
    lone[g_array_index (open, gsize, i)] = TRUE;
  for (gsize i = 0; i < n; i++)
    if (!lone[i])
      g_string_append_c (out, latex[i]);
  return g_string_free (out, FALSE);
}

char *
dp_latex_formula (const char *latex)
{
  g_autofree char *bare = strip_delimiters (latex), *fenced = dp_latex_balance_fences (bare);
  char *s = drop_double_subscripts (fenced);

  s = then_replace (s, "\\eqqcolon", "=:");
  s = then_replace (s, "\\coloneqq", ":=");
  g_autofree char *colons = s;
  s = then_replace (unbrace_big (colons), "\\bigtimes", "\\times");
  g_autofree char *spaced = then_replace (s, "<", "< ");
  return drop_lone_braces (spaced);
}

/* ---- 8: equation blocks ---- */

/* \tag{..} at p: bytes, and what is in it; 0: none.  last: the text's last }. */
static gsize
tag_at (const char *p, const char *last, DpSpan *inner)
{
  if (!g_str_has_prefix (p, "\\tag"))
    return 0;
  const char *open = dp_protocol_skip (p + 4), *close = *open == '{' && open < last ? strchr (open, '}') : NULL;
  if (!close)
    return 0;
  *inner = dp_span (open + 1, (gsize) (close - open - 1));
  return (gsize) (close + 1 - p);
}

static void
append_untagged (GString *out, const char *p, gboolean untag, guint *tags)
{
  const char *last = strrchr (p, '}');
  DpSpan inner;

  for (gsize k; *p; p += k ? k : 1) {
    k = last ? tag_at (p, last, &inner) : 0;
    *tags += k > 0;
    if (k && untag) {
      g_string_append_c (out, '(');
      dp_protocol_append (out, inner);
      g_string_append_c (out, ')');
    } else
      g_string_append_len (out, p, k ? (gssize) k : 1);
  }
}

char *
dp_latex_join (const char *const *formulas, guint n)
{
  for (gboolean untag = FALSE;; untag = TRUE) {
    GString *out = g_string_new ("\\begin{array}{l} ");
    guint tags = 0;
    for (guint i = 0; i < n; i++) {
      append_untagged (out, formulas[i], untag, &tags);
      g_string_append (out, " \\\\ ");
    }
    g_string_append (out, "\\end{array}");
    if (tags <= 1 || untag)
      return g_string_free (out, FALSE);
    g_string_free (out, TRUE);
  }
}

/* ---- text blocks ---- */

typedef void (*AppendFormula) (GString *out, DpSpan inner);

/* Each open .. close of text through append, the rest as it is. */
static char *
each_formula (const char *text, const char *open, const char *close, gboolean more, AppendFormula append)
{
  GString *out = g_string_new (NULL);
  const char *p = text, *end = text + strlen (text);
  DpSpan inner;

  for (const char *start; (start = dp_protocol_find_pair (p, end, open, close, more, &inner)) != NULL; p = inner.start + inner.n + 2) {
    g_string_append_len (out, p, start - p);
    append (out, inner);
  }
  g_string_append (out, p);
  return g_string_free (out, FALSE);
}

static void
append_inline (GString *out, DpSpan inner)
{
  g_string_append (out, "\\(");
  dp_protocol_append (out, inner);
  g_string_append (out, "\\)");
}

/* [12, 14-16] */
static void
append_display_as_inline (GString *out, DpSpan inner)
{
  gboolean citation = inner.n > 0;

  for (const char *p = inner.start; p < inner.start + inner.n; p = g_utf8_next_char (p)) {
    const gunichar c = g_utf8_get_char (p);
    citation &= c == 0x2013 || c == '-' || c == ',' || dp_protocol_space (c) || g_unichar_type (c) == G_UNICODE_DECIMAL_NUMBER;
  }
  if (!citation) {
    append_inline (out, inner);
    return;
  }
  g_string_append (out, "\\[");
  dp_protocol_append (out, inner);
  g_string_append (out, "\\]");
}

/* The command in front of a single letter that runs into it: its bytes, 0: none. */
static gsize
glued_at (const char *p, gsize n)
{
  static const char *const commands[] = { "\\cong", "\\to", "\\times", "\\subset", "\\in" };

  for (guint i = 0; i < G_N_ELEMENTS (commands); i++) {
    const gsize k = strlen (commands[i]);
    if (n <= k || memcmp (p, commands[i], k) != 0 || !g_ascii_isalpha (p[k]) || (n > k + 1 && g_ascii_isalpha (p[k + 1])))
      continue;
    if (memcmp (p, "\\top", MIN (n, 4)) == 0 || memcmp (p, "\\int", MIN (n, 4)) == 0 || memcmp (p, "\\inf", MIN (n, 4)) == 0)
      return 0; /* commands of their own */
    return k;
  }
  return 0;
}

static void
append_unglued (GString *out, DpSpan inner)
{
  g_string_append (out, "\\(");
  for (gsize i = 0; i < inner.n; i++) {
    const gsize k = glued_at (inner.start + i, inner.n - i);
    g_string_append_len (out, inner.start + i, (gssize) MAX (k, 1));
    if (k) {
      g_string_append_c (out, ' ');
      i += k - 1;
    }
  }
  g_string_append (out, "\\)");
}

/* Blanks to fill in leave the formula: \(a ___ b\) -> \(a \) ___ \( b\). */
static void
append_blanks_outside (GString *out, DpSpan inner)
{
  const char *end = inner.start + inner.n, *from = inner.start;
  const gsize start = out->len;
  gboolean found = FALSE;

  for (const char *p = from; p <= end; p++) {
    const gsize k = p < end && *p == '_' ? strspn (p, "_") : 0, run = MIN (k, (gsize) (end - p));
    if (p < end && run < 3) {
      p += run ? run - 1 : 0;
      continue;
    }
    const DpSpan part = dp_span (from, (gsize) (p - from));
    found |= run >= 3;
    if (dp_protocol_strip (part).n) {
      g_string_append (out, out->len > start ? " " : "");
      append_inline (out, part);
    }
    if (run >= 3) {
      g_string_append (out, out->len > start ? " " : "");
      g_string_append_len (out, p, (gssize) run);
      p += run - 1;
      from = p + 1;
    }
  }
  if (!found) {
    g_string_truncate (out, start);
    append_inline (out, inner);
  }
}

char *
dp_latex_text (const char *text)
{
  g_autofree char *inlined = each_formula (text, "\\[", "\\]", FALSE, append_display_as_inline);
  g_autofree char *unglued = each_formula (inlined, "\\(", "\\)", FALSE, append_unglued);

  return each_formula (unglued, "\\(", "\\)", TRUE, append_blanks_outside);
}
