/* vlm/tokenizer_split.c - Unicode for the tokenizer: character classes, the pieces of the Qwen2 pre-tokenizer, NFC.
 *
 * The pieces are those of the regular expression in Qwen2's tokenizer.json,
 *
 *   (?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+
 *
 * matched by hand, alternative by alternative, in one pass without backtracking.
 */
#include "vlm/tokenizer_private.h"

#include <string.h>
#include <utf8proc.h>

typedef enum {
  CLASS_LETTER,
  CLASS_NUMBER,
  CLASS_NEWLINE, /* \r, \n; also white space */
  CLASS_SPACE,
  CLASS_OTHER,
  CLASS_END,
} Class;

gboolean
dp_is_space (gunichar c)
{
  return (c >= 9 && c <= 13) || c == ' ' || c == 0x85 || c == 0xa0 || c == 0x1680 || (c >= 0x2000 && c <= 0x200a) || c == 0x2028
         || c == 0x2029 || c == 0x202f || c == 0x205f || c == 0x3000;
}

gboolean
dp_is_word (gunichar c)
{
  const utf8proc_category_t k = utf8proc_category ((utf8proc_int32_t) c);

  return (k >= UTF8PROC_CATEGORY_LU && k <= UTF8PROC_CATEGORY_NL) || k == UTF8PROC_CATEGORY_PC || c == 0x200c || c == 0x200d
         || (c >= 0x24b6 && c <= 0x24e9) || (c >= 0x1f130 && c <= 0x1f149) || (c >= 0x1f150 && c <= 0x1f169)
         || (c >= 0x1f170 && c <= 0x1f189); /* joiners; letters in circles and squares are symbols and yet alphabetic */
}

static Class
class_of (gunichar c)
{
  if (c == '\r' || c == '\n')
    return CLASS_NEWLINE;
  if (dp_is_space (c))
    return CLASS_SPACE;
  const utf8proc_category_t k = utf8proc_category ((utf8proc_int32_t) c);
  if (k >= UTF8PROC_CATEGORY_LU && k <= UTF8PROC_CATEGORY_LO)
    return CLASS_LETTER;
  return k >= UTF8PROC_CATEGORY_ND && k <= UTF8PROC_CATEGORY_NO ? CLASS_NUMBER : CLASS_OTHER;
}

/* The class at a byte, and where the next character begins. */
static Class
class_at (const char *text, gsize n, gsize at, gsize *next)
{
  if (at >= n) {
    *next = n;
    return CLASS_END;
  }
  *next = (gsize) (g_utf8_next_char (text + at) - text);
  return class_of (g_utf8_get_char (text + at));
}

static gsize
run (const char *text, gsize n, gsize at, Class class)
{
  gsize next;

  while (class_at (text, n, at, &next) == class)
    at = next;
  return at;
}

/* What follows an apostrophe: s t m d re ve ll in any case; the long s folds to s.  0: no contraction. */
static gsize
contraction (const char *after, gsize n)
{
  if (n >= 1 && strchr ("stmdSTMD", *after))
    return 1;
  if (n >= 2
      && (g_ascii_strncasecmp (after, "re", 2) == 0 || g_ascii_strncasecmp (after, "ve", 2) == 0
          || g_ascii_strncasecmp (after, "ll", 2) == 0 || memcmp (after, "\xc5\xbf", 2) == 0))
    return 2;
  return 0;
}

/* White space that no letter or sign takes along: up to its last newline, else all but the last, else all. */
static gsize
blanks (const char *text, gsize n, gsize at)
{
  gsize end = at, next, last = at, newline = 0;
  Class class;

  while ((class = class_at (text, n, end, &next)) == CLASS_SPACE || class == CLASS_NEWLINE) {
    last = end;
    end = next;
    if (class == CLASS_NEWLINE)
      newline = end;
  }
  if (newline)
    return newline;
  return end == n || last == at ? end : last;
}

gsize
dp_split_qwen2 (const char *text, gsize n, gsize at)
{
  gsize second, third;
  const Class first = class_at (text, n, at, &second), then = class_at (text, n, second, &third);

  if (text[at] == '\'') {
    const gsize more = contraction (text + second, n - second);
    if (more)
      return second + more;
  }
  if (first == CLASS_LETTER || (then == CLASS_LETTER && (first == CLASS_OTHER || first == CLASS_SPACE)))
    return run (text, n, second, CLASS_LETTER);
  if (first == CLASS_NUMBER)
    return second;
  if (first == CLASS_OTHER || (text[at] == ' ' && then == CLASS_OTHER))
    return run (text, n, run (text, n, second, CLASS_OTHER), CLASS_NEWLINE);
  return blanks (text, n, at);
}

/* ---- NFC ---- */

static int
combining_class (utf8proc_int32_t c)
{
  return utf8proc_get_property (c)->combining_class;
}

typedef struct {
  utf8proc_int32_t c;
  guint32 at;
} Mark;

static int
by_class (gconstpointer a, gconstpointer b, gpointer unused)
{
  const Mark *x = a, *y = b;
  const int d = combining_class (x->c) - combining_class (y->c);

  (void) unused;
  return d ? d : x->at < y->at ? -1 : 1;
}

/* Canonical order: runs of marks sorted by class.  utf8proc's own insertion sort is quadratic in a run of 10^5 marks. */
static void
order_marks (utf8proc_int32_t *codes, gsize n)
{
  for (gsize i = 0, end; i < n; i = MAX (end, i + 1)) {
    for (end = i; end < n && combining_class (codes[end]); end++)
      ;
    if (end - i < 2)
      continue;
    g_autofree Mark *marks = g_new (Mark, end - i);
    for (gsize j = i; j < end; j++)
      marks[j - i] = (Mark){ codes[j], (guint32) (j - i) };
    g_qsort_with_data (marks, (int) (end - i), sizeof *marks, by_class, NULL);
    for (gsize j = i; j < end; j++)
      codes[j] = marks[j - i].c;
  }
}

static gboolean
is_ascii (const char *text, gsize n)
{
  for (gsize i = 0; i < n; i++)
    if (text[i] & 0x80)
      return FALSE;
  return TRUE;
}

char *
dp_nfc (const char *text, gsize n, gsize *out_n)
{
  g_autoptr (GArray) codes = NULL;

  if (is_ascii (text, n)) {
    *out_n = n;
    char *copy = g_malloc (n + 1); /* a NUL is a character like another */
    memcpy (copy, text, n);
    copy[n] = 0;
    return copy;
  }
  codes = g_array_sized_new (FALSE, FALSE, sizeof (utf8proc_int32_t), (guint) n + 8);
  for (const char *p = text; p < text + n; p = g_utf8_next_char (p)) {
    utf8proc_int32_t parts[32];
    int last = 0;
    const utf8proc_ssize_t m
        = utf8proc_decompose_char ((utf8proc_int32_t) g_utf8_get_char (p), parts, G_N_ELEMENTS (parts), UTF8PROC_DECOMPOSE, &last);
    g_array_append_vals (codes, parts, (guint) CLAMP (m, 0, 32));
  }
  utf8proc_int32_t *all = (utf8proc_int32_t *) (void *) codes->data;
  order_marks (all, codes->len);
  const utf8proc_ssize_t m = utf8proc_normalize_utf32 (all, (utf8proc_ssize_t) codes->len, UTF8PROC_STABLE | UTF8PROC_COMPOSE);
  GString *out = g_string_sized_new (n + 1);
  for (utf8proc_ssize_t i = 0; i < m; i++)
    g_string_append_unichar (out, (gunichar) all[i]);
  *out_n = out->len;
  return g_string_free (out, FALSE);
}
