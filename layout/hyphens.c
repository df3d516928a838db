/* layout/hyphens.c - a hyphen at the end of a line: part of a compound, or of the division of a word?
 *
 * The document itself answers most often: "well-known" in the middle of a line keeps the hyphen of
 * "well-/known", "wellknown" would drop it.  Where neither occurs but both parts are words of the
 * document, the hyphen joins two words: a syllable that is left over by a division is seldom one
 * (in manuals in five languages, none of 480 such pairs was a word divided but adverbs in -mente).
 * Without such evidence a few first parts are written with a hyphen before a whole word nearly
 * always (self-, non-, pre-, one-), and a few second parts after one (-based, -related, -level).
 * Anything else is a word divided.  No word list: it would know one language.
 */
#include "layout/hyphens.h"

#include "layout/flow.h"

#include <string.h>

#define MAX_PART 40u /* bytes of a part that is looked at */

typedef struct {
  guint compound, joined, second; /* how often "a-b", "ab", "b" occur inside lines */
  guint first, plain;             /* "a"; "b" without a capital */
} Seen;

struct DpHyphens {
  GHashTable *pairs;   /* "a-b" -> Seen */
  GHashTable *joined;  /* "ab" -> Seen, borrowed from pairs */
  GHashTable *firsts;  /* "a" -> GPtrArray of Seen, borrowed from pairs */
  GHashTable *seconds; /* the same for "b" */
};

/* ---- words ------------------------------------------------------------------------------------ */

/* Bytes of the word (letters, and hyphens between them) at text. */
static gsize
word_length (const char *text)
{
  const char *p = text;

  while (*p) {
    gunichar c = g_utf8_get_char (p);
    gboolean inside = p > text && (c == '-' || c == 0x2010 || c == 0x2011) && g_unichar_isalpha (g_utf8_get_char (g_utf8_next_char (p)));
    if (!g_unichar_isalpha (c) && !inside)
      break;
    p = g_utf8_next_char (p);
  }
  return (gsize) (p - text);
}

/* Lower case, all hyphens plain; the caller frees. */
static char *
fold (const char *text, gsize n)
{
  g_autofree char *lower = NULL;
  GString *out;

  for (gsize i = 0; i < n; i++)
    if ((guchar) text[i] >= 0x80) {
      lower = g_utf8_strdown (text, (gssize) n);
      break;
    }
  if (!lower)
    return g_ascii_strdown (text, (gssize) n);
  out = g_string_new (NULL);
  for (const char *p = lower; *p; p = g_utf8_next_char (p)) {
    gunichar c = g_utf8_get_char (p);
    g_string_append_unichar (out, c == 0x2010 || c == 0x2011 ? '-' : c);
  }
  return g_string_free (out, FALSE);
}

/* The parts of a word that is divided between end and next, folded; FALSE if it is none.
 * first: what stands right before the hyphen, back to a blank or another hyphen. */
static gboolean
read_parts (const char *end, gsize n, const char *next, char **first, char **second)
{
  const char *stop = g_utf8_find_prev_char (end, end + n), *p = stop;
  gsize length;

  if (!stop)
    return FALSE;
  while (p > end) {
    const char *q = g_utf8_prev_char (p);
    if (!g_unichar_isalpha (g_utf8_get_char (q)) || (gsize) (stop - q) > MAX_PART)
      break;
    p = q;
  }
  while (*next == ' ')
    next++;
  length = word_length (next);
  if (memchr (next, '-', length)) /* the second of three parts */
    length = (gsize) ((const char *) memchr (next, '-', length) - next);
  if (p == stop || length == 0 || length > MAX_PART)
    return FALSE;
  *first = fold (p, (gsize) (stop - p));
  *second = fold (next, length);
  return TRUE;
}

/* The Seen of one part, added if it is new. */
static GPtrArray *
same_part (GHashTable *table, const char *part)
{
  GPtrArray *same = g_hash_table_lookup (table, part);

  if (!same)
    g_hash_table_insert (table, g_strdup (part), same = g_ptr_array_new ());
  return same;
}

/* ---- counting ------------------------------------------------------------------------------------ */

static gboolean
ends_in_hyphen (const char *text, gsize n)
{
  return n > 1 && (text[n - 1] == '-' || (n > 3 && memcmp (text + n - 3, "\342\200\220", 3) == 0));
}

static void
add_pair (DpHyphens *hyphens, const char *text, const char *next)
{
  g_autofree char *first = NULL, *second = NULL;
  char *pair;
  Seen *seen;

  if (!read_parts (text, strlen (text), next, &first, &second))
    return;
  pair = g_strconcat (first, "-", second, NULL);
  if (g_hash_table_contains (hyphens->pairs, pair)) {
    g_free (pair);
    return;
  }
  seen = g_new0 (Seen, 1);
  g_hash_table_insert (hyphens->pairs, pair, seen);
  g_hash_table_insert (hyphens->joined, g_strconcat (first, second, NULL), seen);
  g_ptr_array_add (same_part (hyphens->firsts, first), seen);
  g_ptr_array_add (same_part (hyphens->seconds, second), seen);
}

static void
count_word (DpHyphens *hyphens, const char *text, gsize n)
{
  g_autofree char *word = fold (text, n);
  Seen *seen = g_hash_table_lookup (hyphens->pairs, word);
  GPtrArray *same;

  if (seen)
    seen->compound++;
  if ((seen = g_hash_table_lookup (hyphens->joined, word)))
    seen->joined++;
  same = g_hash_table_lookup (hyphens->firsts, word);
  for (guint i = 0; same && i < same->len; i++)
    ((Seen *) g_ptr_array_index (same, i))->first++;
  same = g_hash_table_lookup (hyphens->seconds, word);
  for (guint i = 0; same && i < same->len; i++) {
    ((Seen *) g_ptr_array_index (same, i))->second++;
    ((Seen *) g_ptr_array_index (same, i))->plain += g_unichar_islower (g_utf8_get_char (text)) ? 1 : 0;
  }
}

/* The words of a line but those that its ends may have cut. */
static void
count_line (DpHyphens *hyphens, const char *text, gboolean cut_before)
{
  gsize length = strlen (text);
  gboolean first = cut_before;

  for (const char *p = text; *p;) {
    gsize n = word_length (p);
    if (n == 0) {
      p = g_utf8_next_char (p);
      continue;
    }
    if (!first && n <= 2 * MAX_PART && !(p + n + 1 >= text + length && ends_in_hyphen (text, length)))
      count_word (hyphens, p, n);
    first = FALSE;
    p += n;
  }
}

DpHyphens *
dp_hyphens_new (const DpFlow *flow)
{
  DpHyphens *hyphens = g_new0 (DpHyphens, 1);
  gboolean cut = FALSE;

  hyphens->pairs = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, g_free);
  hyphens->joined = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  hyphens->firsts = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, (GDestroyNotify) g_ptr_array_unref);
  hyphens->seconds = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, (GDestroyNotify) g_ptr_array_unref);
  for (guint i = 0; i + 1 < flow->lines->len; i++) {
    const DpFlowLine *line = dp_flow_line (flow, i);
    guint next = i + 1;
    if (!ends_in_hyphen (line->text, strlen (line->text)))
      continue;
    while (next + 1 < flow->lines->len && dp_flow_line (flow, next)->role >= DP_ROLE_HEADER)
      next++;
    add_pair (hyphens, line->text, dp_flow_line (flow, next)->text);
  }
  for (guint i = 0; i < flow->lines->len && g_hash_table_size (hyphens->pairs) > 0; i++) {
    const DpFlowLine *line = dp_flow_line (flow, i);
    count_line (hyphens, line->text, cut);
    cut = ends_in_hyphen (line->text, strlen (line->text));
  }
  return hyphens;
}

void
dp_hyphens_free (DpHyphens *hyphens)
{
  if (!hyphens)
    return;
  g_hash_table_unref (hyphens->pairs);
  g_hash_table_unref (hyphens->joined);
  g_hash_table_unref (hyphens->firsts);
  g_hash_table_unref (hyphens->seconds);
  g_free (hyphens);
}

/* ---- the answer ------------------------------------------------------------------------------------ */

static gboolean
is_one_of (const char *part, const char *const *words, gsize n)
{
  for (gsize i = 0; i < n; i++)
    if (strcmp (part, words[i]) == 0)
      return TRUE;
  return FALSE;
}

/* Parts that English, and much of what borrows from it, sets off by a hyphen. */
static gboolean
takes_hyphen (const char *first, const char *second, const Seen *seen)
{
  static const char *const always[] = { "self", "well" };
  static const char *const before_words[]
      = { "non",  "pre", "post",  "anti",  "semi", "mid", "half",   "cross",  "quasi", "ex",    "one",   "two",     "three",  "four",
          "five", "six", "seven", "eight", "nine", "ten", "twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety" };

  if (g_utf8_strlen (second, -1) < 4)
    return FALSE;
  if (is_one_of (first, always, G_N_ELEMENTS (always)))
    return TRUE;
  if (strcmp (first, "cross") == 0 && g_utf8_strlen (second, -1) >= 7) /* "cross-section", but "crossroads" */
    return TRUE;
  return seen && seen->second > 0 && is_one_of (first, before_words, G_N_ELEMENTS (before_words));
}

/* Seconds that follow a word of their own: "rule-based", "time-consuming"; but "unrelated", "interdependent". */
static gboolean
follows_hyphen (const char *first, const char *second)
{
  static const char *const seconds[]
      = { "approaching", "averse",      "aware",    "based",       "bearing",   "centered", "centred",     "consuming",
          "dependent",   "dimensional", "driven",   "effective",   "efficient", "friendly", "independent", "intensive",
          "level",       "minded",      "oriented", "performance", "quality",   "related",  "resistant",   "resolution",
          "scale",       "specific",    "speaking", "term",        "trained",   "tuned",    "tuning",      "year" };
  static const char *const prefixes[]
      = { "inter", "intra", "cor", "non", "dis", "out", "over", "under", "mis", "pre", "col", "sub", "hyper", "super", "uni" };

  return g_utf8_strlen (first, -1) >= 3 && is_one_of (second, seconds, G_N_ELEMENTS (seconds))
         && !is_one_of (first, prefixes, G_N_ELEMENTS (prefixes));
}

/* Both parts are words that the document holds, and the second one has no capital where German would give it one. */
static gboolean
are_words (const char *first, const char *second, const Seen *seen)
{
  static const char *const closed[]
      = { "under", "over", "through", "every", "some", "other", "never", "further", "after", "counter",  "super", "trans",
          "inter", "down", "back",    "with",  "head", "where", "what",  "when",    "break", "straight", "work" };

  return seen && seen->first > 0 && seen->plain > 0 && g_utf8_strlen (first, -1) >= 4 && g_utf8_strlen (second, -1) >= 5
         && strcmp (second, "mente") != 0 && !is_one_of (first, closed, G_N_ELEMENTS (closed));
}

/* "state-of-" before "the-art": a small word between hyphens. */
static gboolean
is_inside_chain (const char *end, gsize n, const char *first)
{
  static const char *const small[]
      = { "of", "to", "the", "in", "on", "by", "and", "or", "at", "for", "de", "la", "le", "en", "et", "\303\240" };
  gsize tail = strlen (first) + (end[n - 1] == '-' ? 1 : 3);
  const char *before = n > tail ? g_utf8_find_prev_char (end, end + n - tail) : NULL;
  gunichar c = before ? g_utf8_get_char (before) : 0;

  return (c == '-' || c == 0x2010 || c == 0x2011) && is_one_of (first, small, G_N_ELEMENTS (small));
}

gboolean
dp_hyphens_keep (const DpHyphens *hyphens, const char *end, gsize n, const char *next)
{
  g_autofree char *first = NULL, *second = NULL, *pair = NULL;
  const Seen *seen;

  if (!ends_in_hyphen (end, n) || !read_parts (end, n, next, &first, &second))
    return FALSE;
  pair = g_strconcat (first, "-", second, NULL);
  seen = hyphens ? g_hash_table_lookup (hyphens->pairs, pair) : NULL;
  if (seen && seen->compound + seen->joined > 0)
    return seen->compound >= seen->joined;
  return is_inside_chain (end, n, first) || takes_hyphen (first, second, seen) || follows_hyphen (first, second)
         || are_words (first, second, seen);
}

/* No small letter in the n bytes that end, or start, at a word's edge. */
static gboolean
is_capital (const char *text, gsize n)
{
  for (const char *p = text; p < text + n; p = g_utf8_next_char (p))
    if (!g_unichar_isupper (g_utf8_get_char (p)))
      return FALSE;
  return n > 0;
}

gboolean
dp_hyphens_drop_in_capitals (const DpHyphens *hyphens, const char *end, gsize n, const char *next)
{
  g_autofree char *first = NULL, *second = NULL, *pair = NULL;
  const Seen *seen;
  gsize hyphen, length;

  if (!hyphens || !ends_in_hyphen (end, n) || !read_parts (end, n, next, &first, &second))
    return FALSE;
  hyphen = end[n - 1] == '-' ? 1 : 3;
  length = strlen (first); /* capitals and small letters may differ in bytes; then this fails, and the hyphen stays */
  if (length + hyphen > n || !g_utf8_validate (end + n - hyphen - length, (gssize) length, NULL)
      || !is_capital (end + n - hyphen - length, length) || !is_capital (next, strcspn (next, " -.,;:)")))
    return FALSE;
  pair = g_strconcat (first, "-", second, NULL);
  seen = g_hash_table_lookup (hyphens->pairs, pair);
  return seen && seen->joined > 0 && seen->compound == 0;
}
