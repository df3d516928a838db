/* output/md_escape.c - which characters of a text need a backslash, and no more.
 *
 * libcmark's own writer escapes whatever might ever be markup (every '-', '_', '!', '['),
 * which makes prose ugly and knows nothing of GFM and formulas.  Here a character gets a
 * backslash only where CommonMark 0.30/0.31, GFM's tables and strikethrough, or the usual
 * $formula$ rule would read it as markup, judged on the whole block as it will be printed.
 * tests/output/test_markdown.c proves with libcmark's parser that nothing is missing.
 */
#include "output/md_escape.h"

#include <string.h>

#include "output/clean.h"

void
dp_md_inlines_init (DpMdInlines *inlines)
{
  *inlines = (DpMdInlines){ .bytes = g_string_new (NULL), .kinds = g_byte_array_new () };
}

void
dp_md_inlines_clear (DpMdInlines *inlines)
{
  g_string_free (inlines->bytes, TRUE);
  g_byte_array_unref (inlines->kinds);
}

void
dp_md_inlines_add (DpMdInlines *inlines, const char *bytes, gsize n, DpMdByte kind)
{
  gsize at = inlines->kinds->len;

  if (n == 0 || n > G_MAXUINT / 2 - at)
    return;
  g_string_append_len (inlines->bytes, bytes, (gssize) n);
  g_byte_array_set_size (inlines->kinds, (guint) (at + n));
  memset (inlines->kinds->data + at, kind, n);
}

/* ---- runs of delimiters ------------------------------------------------------------------ */

typedef struct {
  gsize at, n;
  char c;
  gboolean opens, closes; /* under some reading of the rules */
} Run;

static gunichar
char_before (const char *s, gsize at)
{
  return at == 0 ? ' ' : g_utf8_get_char (g_utf8_prev_char (s + at));
}

static gunichar
char_after (const char *s, gsize at)
{
  return s[at] == '\0' ? ' ' : g_utf8_get_char (s + at);
}

/* CommonMark 6.2, left- and right-flanking.  A symbol is punctuation for one version and a
 * letter for the other, so each half of a rule takes the reading under which it holds. */
static void
classify_run (const char *s, Run *run)
{
  gunichar before = char_before (s, run->at), after = char_after (s, run->at + run->n);
  gboolean space_before = dp_char_is_space (before), space_after = dp_char_is_space (after);
  gboolean punct_before = dp_char_is_punct (before), punct_after = dp_char_is_punct (after);
  gboolean sure_before = punct_before && g_unichar_ispunct (before) && before < 0x80;
  gboolean sure_after = punct_after && g_unichar_ispunct (after) && after < 0x80;
  gboolean left = !space_after && (!sure_after || space_before || punct_before);
  gboolean right = !space_before && (!sure_before || space_after || punct_after);

  if (run->c == '$') {
    run->opens = after != ' ' && after != '\n';
    run->closes = before != ' ' && before != '\n';
  } else if (run->c == '_') {
    /* Between two characters that are surely letters an underscore is only an underscore. */
    gboolean letters = !space_before && !space_after && !punct_before && !punct_after;
    run->opens = left && !letters;
    run->closes = right && !letters;
  } else {
    run->opens = left;
    run->closes = right;
  }
}

/* Marks in flags the text runs of c that could pair up.  always: markup of the same
 * character is about, so every run that could open or close counts. */
static void
mark_runs (const DpMdInlines *in, char c, gboolean always, guint8 *flags)
{
  const char *s = in->bytes->str;
  g_autoptr (GArray) runs = NULL;
  gsize last_close = 0, first_open = G_MAXSIZE;

  for (const char *p = strchr (s, c); p; p = strchr (p, c)) {
    Run run = { .at = (gsize) (p - s), .c = c };

    while (p[run.n] == c && in->kinds->data[run.at + run.n] == in->kinds->data[run.at])
      run.n++;
    p += run.n;
    if (in->kinds->data[run.at] == DP_MD_MARKUP)
      continue;
    if (!runs)
      runs = g_array_new (FALSE, FALSE, sizeof (Run));
    classify_run (s, &run);
    if (c == '$' && run.n > 1)
      run.opens = run.closes = always = TRUE;
    g_array_append_val (runs, run);
  }
  if (!runs)
    return;
  for (guint i = 0; i < runs->len; i++) {
    const Run *run = &g_array_index (runs, Run, i);
    if (run->opens && run->at < first_open)
      first_open = run->at;
    if (run->closes)
      last_close = run->at;
  }
  for (guint i = 0; i < runs->len; i++) {
    const Run *run = &g_array_index (runs, Run, i);
    if ((run->opens && (always || last_close > run->at)) || (run->closes && (always || first_open < run->at)))
      memset (flags + run->at, 1, run->n);
  }
}

/* Backticks pair up only with a run of the same length: one run alone is harmless. */
static void
mark_backticks (const DpMdInlines *in, guint8 *flags)
{
  const char *s = in->bytes->str;
  guint n_runs = 0;

  for (const char *p = strchr (s, '`'); p; p = strchr (p, '`')) {
    n_runs++;
    p += strspn (p, "`");
  }
  if (n_runs < 2 && !in->verbatim)
    return;
  for (const char *p = strchr (s, '`'); p; p = strchr (p + 1, '`'))
    if (in->kinds->data[p - s] != DP_MD_MARKUP)
      flags[p - s] = 1;
}

/* ---- single characters -------------------------------------------------------------------- */

static gboolean
looks_like_entity (const char *p)
{
  gsize n = 1;

  if (p[n] == '#')
    n++;
  while (n < 34 && g_ascii_isalnum (p[n]))
    n++;
  return n > 1 && p[n] == ';';
}

/* What may follow '<' in a tag, a comment, or an address in angle brackets (CommonMark 6.5, 6.6). */
static gboolean
looks_like_tag (const char *p)
{
  gsize n = strcspn (p + 1, "@<> \n");

  return g_ascii_isalpha (p[1]) || (p[1] && strchr ("/!?", p[1])) || (n > 0 && p[1 + n] == '@');
}

static void
mark_characters (const DpMdInlines *in, DpMdPlace place, guint8 *flags)
{
  const char *s = in->bytes->str;
  const guint8 *kinds = in->kinds->data;
  const char *last_angle = strrchr (s, '>');
  gboolean bracket = FALSE;

  for (gsize i = 0, n = in->bytes->len; i < n; i++) {
    char next = s[i + 1];

    if (kinds[i] == DP_MD_MARKUP)
      continue;
    switch (s[i]) {
    case '\\': flags[i] |= next == '\0' || next == '\n' || g_ascii_ispunct (next) || (next == ' ' && i + 2 >= n); break;
    case '<': flags[i] |= last_angle > s + i && looks_like_tag (s + i); break;
    case '&': flags[i] |= looks_like_entity (s + i); break;
    case '[':
      flags[i] |= kinds[i] == DP_MD_LINK_TEXT || next == '^';
      bracket = TRUE;
      break;
    case ']': flags[i] |= kinds[i] == DP_MD_LINK_TEXT || (bracket && next == '('); break;
    case ':': flags[i] |= i > 0 && s[i - 1] == ']' && kinds[i - 1] == DP_MD_MARKUP; break; /* not a note's definition */
    case '!': flags[i] |= next == '[' && kinds[i + 1] == DP_MD_MARKUP; break;
    case '|': flags[i] |= place == DP_MD_CELL; break;
    default: break;
    }
  }
}

/* ---- the beginning of a line ---------------------------------------------------------------- */

static gboolean
ends_word (char c)
{
  return c == '\0' || c == ' ' || c == '\n';
}

/* Only c (and white space) up to the end of the line. */
static gboolean
line_is_only (const char *p, const char *set)
{
  p += strspn (p, set);
  return *p == '\0' || *p == '\n';
}

/* Where on the line at p a backslash takes away a meaning that its beginning has for blocks; -1 = nowhere. */
static gssize
block_start (const char *p, gboolean first, DpMdPlace place)
{
  gsize n;

  switch (*p) {
  case '#': n = strspn (p, "#"); return n <= 6 && ends_word (p[n]) ? 0 : -1;
  case '>': return 0;
  case '<': return g_ascii_isalpha (p[1]) || (p[1] && strchr ("/!?", p[1])) ? 0 : -1;
  case '+': return ends_word (p[1]) ? 0 : -1;
  case '-': return ends_word (p[1]) || line_is_only (p, "-:| ") ? 0 : -1;
  case ':':
  case '|': return line_is_only (p, "-:| ") ? 0 : -1;
  case '*': return ends_word (p[1]) || line_is_only (p, "* ") ? 0 : -1;
  case '_': return line_is_only (p, "_ ") ? 0 : -1;
  case '=': return line_is_only (p, "= ") ? 0 : -1;
  case '~': return g_str_has_prefix (p, "~~~") ? 0 : -1;
  case '`': return g_str_has_prefix (p, "```") ? 0 : -1;
  case '[': {
    const char *end;
    /* a link definition, or GFM's check box */
    if (!first)
      return -1;
    if (place == DP_MD_ITEM && (p[1] == ' ' || p[1] == 'x' || p[1] == 'X') && p[2] == ']')
      return 0;
    end = g_strstr_len (p, 1100, "]:");
    return end ? 0 : -1;
  }
  default:
    for (n = 0; n < 10 && g_ascii_isdigit (p[n]);)
      n++;
    return n > 0 && n < 10 && (p[n] == '.' || p[n] == ')') && ends_word (p[n + 1]) ? (gssize) n : -1;
  }
}

static void
mark_line_starts (const DpMdInlines *in, DpMdPlace place, guint8 *flags)
{
  const char *s = in->bytes->str;
  gboolean first = TRUE;

  for (const char *p = s; p; first = FALSE) {
    gssize at;

    /* the label of a footnote is followed by block content */
    if (first && g_str_has_prefix (p, "[^") && in->kinds->data[0] == DP_MD_MARKUP) {
      const char *end = strstr (p, "]: ");
      p = end ? end + 3 : p;
    }
    at = block_start (p, first, place);
    if (at >= 0 && in->kinds->data[p - s + at] != DP_MD_MARKUP) {
      flags[p - s + at] = 1;
      /* the rest of a run would have other neighbours than it was judged by */
      for (const char *q = p + at; strchr ("*_~`", *p) && *q == *p && in->kinds->data[q - s] != DP_MD_MARKUP; q++)
        flags[q - s] = 1;
    }
    p = strchr (p, '\n');
    if (p)
      p++;
  }
}

/* "# title #" would lose its last word. */
static void
mark_closing_hashes (const DpMdInlines *in, guint8 *flags)
{
  const char *s = in->bytes->str;
  gsize n = in->bytes->len, from;

  while (n > 0 && s[n - 1] == ' ')
    n--;
  for (from = n; from > 0 && s[from - 1] == '#';)
    from--;
  if (from < n && (from == 0 || s[from - 1] == ' ') && in->kinds->data[from] != DP_MD_MARKUP)
    flags[from] = 1;
}

/* ---- all of it -------------------------------------------------------------------------------- */

static void
mark_all (const DpMdInlines *in, DpMdPlace place, guint8 *flags)
{
  mark_runs (in, '*', in->emphasis, flags);
  mark_runs (in, '_', FALSE, flags);
  mark_runs (in, '~', FALSE, flags);
  mark_runs (in, '$', in->formula, flags);
  mark_backticks (in, flags);
  mark_characters (in, place, flags);
  if (place == DP_MD_PARAGRAPH || place == DP_MD_ITEM)
    mark_line_starts (in, place, flags);
  else if (place == DP_MD_HEADING)
    mark_closing_hashes (in, flags);
}

void
dp_md_escape (const DpMdInlines *in, DpMdPlace place, const char *prefix, GString *out)
{
  g_autofree guint8 *flags = g_malloc0 (in->bytes->len + 1);
  const char *s = in->bytes->str;
  gsize done = 0;

  if (in->bytes->len == 0)
    return;
  if (place != DP_MD_PLAIN)
    mark_all (in, place, flags);
  for (gsize i = 0; i < in->bytes->len; i++) {
    if (!flags[i] && s[i] != '\n')
      continue;
    g_string_append_len (out, s + done, (gssize) (i - done));
    done = i;
    if (s[i] == '\n') {
      g_string_append_c (out, '\n');
      g_string_append (out, prefix);
      done = i + 1;
    } else {
      g_string_append_c (out, '\\');
    }
  }
  g_string_append_len (out, s + done, (gssize) (in->bytes->len - done));
}

/* ---- code ---------------------------------------------------------------------------------------- */

gsize
dp_longest_run (const char *text, char c)
{
  gsize longest = 0;

  for (const char *p = strchr (text, c); p; p = strchr (p, c)) {
    gsize n = 0;
    while (p[n] == c)
      n++;
    longest = MAX (longest, n);
    p += n;
  }
  return longest;
}

char *
dp_code_fence (const char *code)
{
  gsize n = dp_longest_run (code, '`');

  return g_strnfill (MAX (n + 1, 3), '`');
}
