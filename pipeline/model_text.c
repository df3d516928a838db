/* pipeline/model_text.c - see the header. */
#include "pipeline/model_text.h"

#include "layout/text.h"

#include <string.h>

/* ---- spans ------------------------------------------------------------------------------------------ */

static guint
count_of (const char *text, const char *part)
{
  guint n = 0;

  for (const char *p = strstr (text, part); p; p = strstr (p + strlen (part), part))
    n++;
  return n;
}

static gunichar
narrow (gunichar c)
{
  const gboolean wide = (c >= 0xff10 && c <= 0xff19) || (c >= 0xff21 && c <= 0xff3a) || (c >= 0xff41 && c <= 0xff5a);

  return wide ? c - 0xfee0 : c;
}

static void
add_span (GPtrArray *spans, const char *text, guint style)
{
  DpSpan *last = spans->len ? g_ptr_array_index (spans, spans->len - 1) : NULL;

  if (!*text && !(style & DP_SPAN_BREAK))
    return;
  if (last && last->style == style && !style && !last->uri) {
    char *joined = g_strconcat (last->text, text, NULL);
    g_free (last->text);
    last->text = joined;
  } else
    g_ptr_array_add (spans, dp_span_new (text, style, NULL));
}

/* What stands before the line end at the end of spans: joined as dp_text_join() would, a hyphen dropped, a blank added. */
static void
join_lines (GPtrArray *spans, const char *next)
{
  DpSpan *last = spans->len ? g_ptr_array_index (spans, spans->len - 1) : NULL;

  if (!last)
    return;
  if (last->style & DP_SPAN_FORMULA) {
    add_span (spans, " ", 0);
    return;
  }
  g_autoptr (GString) both = g_string_new (last->text);
  g_autofree char *first = g_utf8_substring (next, 0, MIN (2, g_utf8_strlen (next, -1)));
  dp_text_join (both, first);
  g_string_truncate (both, both->len - MIN (both->len, strlen (first)));
  g_free (last->text);
  last->text = g_string_free (g_steal_pointer (&both), FALSE);
}

typedef struct {
  GPtrArray *spans;
  gboolean breaks;
  gboolean broken; /* the next span starts a line */
  guint style;
} Out;

/* A stretch without formulas, tags or line ends. */
static void
put_plain (Out *out, const char *text, gsize n)
{
  g_autoptr (GString) s = g_string_new (NULL);

  for (const char *p = text; p < text + n; p = g_utf8_next_char (p)) {
    if (p[0] == '\\' && (p[1] == '[' || p[1] == ']') && p + 1 < text + n)
      continue; /* \[12\] is a citation, printed as [12] */
    dp_text_append (s, narrow (g_utf8_get_char (p)));
  }
  if (s->len)
    add_span (out->spans, s->str, out->style | (out->broken ? DP_SPAN_BREAK : 0));
  out->broken = out->broken && s->len == 0;
}

static void
put_line_end (Out *out, const char *next)
{
  while (*next == ' ' || *next == '\t')
    next++;
  if (out->spans->len == 0 || !*next)
    return;
  if (out->breaks)
    out->broken = TRUE;
  else
    join_lines (out->spans, next);
}

/* ^{12}, ^*: what is raised and nothing else, or NULL. */
static char *
raised (const char *latex, gsize n)
{
  g_autofree char *text = g_strstrip (g_strndup (latex, n));
  const char *p = text + (g_str_has_prefix (text, "{}") ? 2 : 0);
  gsize length;

  if (*p++ != '^')
    return NULL;
  length = strlen (p);
  if (*p == '{' && length > 2 && p[length - 1] == '}')
    p++, length -= 2;
  while (length && *p == ' ')
    p++, length--;
  while (length && p[length - 1] == ' ')
    length--;
  if (length == 7 && memcmp (p, "\\dagger", 7) == 0)
    return g_strdup ("\342\200\240");
  if (length == 8 && memcmp (p, "\\ddagger", 8) == 0)
    return g_strdup ("\342\200\241");
  if (length == 4 && memcmp (p, "\\ast", 4) == 0)
    return g_strdup ("*");
  for (gsize i = 0; i < length; i++)
    if (!g_ascii_isalnum (p[i]) && !strchr ("*,", p[i]) && (guchar) p[i] < 0x80)
      return NULL;
  return length && length <= 6 ? g_strndup (p, length) : NULL;
}

static void
put_formula (Out *out, const char *latex, gsize n)
{
  g_autofree char *sign = raised (latex, n), *text = g_strstrip (g_strndup (latex, n));
  const guint brk = out->broken ? DP_SPAN_BREAK : 0;

  out->broken = FALSE;
  if (sign)
    add_span (out->spans, sign, DP_SPAN_SUPER | brk);
  else
    add_span (out->spans, text, DP_SPAN_FORMULA | brk);
}

/* Length of a <sup>, </sup>, <sub>, </sub> at p, and the style behind it; 0: something else. */
static gsize
style_tag (const char *p, guint *style)
{
  static const struct {
    const char *tag;
    guint style;
  } tags[] = { { "<sup>", DP_SPAN_SUPER }, { "</sup>", 0 }, { "<sub>", DP_SPAN_SUB }, { "</sub>", 0 } };

  for (guint i = 0; i < G_N_ELEMENTS (tags); i++)
    if (g_ascii_strncasecmp (p, tags[i].tag, strlen (tags[i].tag)) == 0) {
      *style = tags[i].style;
      return strlen (tags[i].tag);
    }
  return 0;
}

void
dp_model_spans (GPtrArray *spans, const char *text, gboolean breaks)
{
  const gboolean paired = count_of (text, "\\(") == count_of (text, "\\)");
  Out out = { .spans = spans, .breaks = breaks };
  const char *plain = text;

  for (const char *p = text; *p;) {
    const char *close = paired && p[0] == '\\' && p[1] == '(' ? strstr (p + 2, "\\)") : NULL;
    guint style = 0;
    const gsize tag = *p == '<' ? style_tag (p, &style) : 0;
    if (!close && !tag && *p != '\n') {
      p++;
      continue;
    }
    put_plain (&out, plain, (gsize) (p - plain));
    if (close) {
      put_formula (&out, p + 2, (gsize) (close - p - 2));
      p = close + 2;
    } else if (tag) {
      out.style = style;
      p += tag;
    } else {
      put_line_end (&out, p + 1);
      p++;
      while (*p == ' ' || *p == '\t' || *p == '\n')
        p++;
    }
    plain = p;
  }
  put_plain (&out, plain, strlen (plain));
}

/* ---- sentences --------------------------------------------------------------------------------------- */

gboolean
dp_model_goes_on (const char *text, const char *next)
{
  static const char closing[] = ".!?\343\200\202\357\274\201\357\274\237)\357\274\211\"\342\200\235:\357\274\232;\357\274\233";
  g_autofree char *before = g_strchomp (g_strdup (text));
  const char *p = next;

  while (g_unichar_isspace (g_utf8_get_char (p)))
    p = g_utf8_next_char (p);
  if (!*before || !*p)
    return FALSE;
  const gunichar last = g_utf8_get_char (g_utf8_find_prev_char (before, before + strlen (before))), first = g_utf8_get_char (p);
  return !g_utf8_strchr (closing, -1, last) && !g_unichar_isdigit (first) && !g_unichar_isupper (first);
}

/* ---- agreement ------------------------------------------------------------------------------------------- */

/* Pairs of neighbours in a text: two characters in one word -> how often. */
typedef struct {
  GHashTable *pairs;
  guint n;
} Bag;

static void
add_pair (Bag *bag, gunichar a, gunichar b)
{
  const gpointer key = GSIZE_TO_POINTER ((gsize) a << 32 | b);
  const guint n = GPOINTER_TO_UINT (g_hash_table_lookup (bag->pairs, key));

  g_hash_table_insert (bag->pairs, key, GUINT_TO_POINTER (n + 1));
  bag->n++;
}

static Bag
bag_of (const char *text)
{
  g_autofree char *plain = g_utf8_normalize (text, -1, G_NORMALIZE_ALL_COMPOSE);
  Bag bag = { .pairs = g_hash_table_new (NULL, NULL) };
  gunichar last = 0;

  for (const char *p = plain ? plain : ""; *p;) {
    const gunichar c = g_utf8_get_char (p);
    if (c == '\\') {
      for (p++; g_ascii_isalpha (*p); p++)
        ;
      continue;
    }
    p = g_utf8_next_char (p);
    if (c < 0x80 && strchr ("{}$^_&|", (int) c))
      continue;
    if (g_unichar_isspace (c)) {
      last = 0;
      continue;
    }
    add_pair (&bag, last, c);
    last = c;
  }
  return bag;
}

float
dp_model_agreement (const char *a, const char *b)
{
  const Bag x = bag_of (a), y = bag_of (b);
  GHashTableIter iter;
  gpointer key, n;
  guint common = 0;

  g_hash_table_iter_init (&iter, x.pairs);
  while (g_hash_table_iter_next (&iter, &key, &n))
    common += MIN (GPOINTER_TO_UINT (n), GPOINTER_TO_UINT (g_hash_table_lookup (y.pairs, key)));
  g_hash_table_unref (x.pairs);
  g_hash_table_unref (y.pairs);
  return x.n + y.n ? 2.0f * (float) common / (float) (x.n + y.n) : 1;
}
