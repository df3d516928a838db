/* pipeline/trust_stats.c - see trust_stats.h. */
#include "pipeline/trust_stats.h"

#include <math.h>
#include <string.h>

gboolean
dp_trust_char_is_bad (gunichar c)
{
  return c == 0xfffd || c < 0x20 || (c >= 0x7f && c < 0xa0) || (c >= 0xe000 && c <= 0xf8ff) || c >= 0xf0000 || (c & 0xfffe) == 0xfffe
         || (c >= 0xfdd0 && c <= 0xfdef);
}

/* ---- words and runs ------------------------------------------------------------------------------------ */

static void
end_word (DpTrustStats *s)
{
  if (s->word_letters >= 4 && !s->word_broken) {
    s->n_words++;
    s->n_no_vowel += s->word_vowels == 0;
  }
  s->word_letters = s->word_vowels = 0;
  s->word_broken = FALSE;
}

static void
end_run (DpTrustStats *s)
{
  if (s->run >= 4 && __builtin_popcount (s->run_kinds) >= 3)
    s->n_punct_runs += s->run;
  s->run = s->run_kinds = 0;
}

/* Most characters are ASCII, of which the tables of Unicode need not be asked. */
static gboolean
is_letter (gunichar c)
{
  return c < 0x80 ? g_ascii_isalpha ((char) c) : g_unichar_isalpha (c);
}

static gboolean
is_upper (gunichar c)
{
  return c < 0x80 ? g_ascii_isupper ((char) c) : g_unichar_isupper (c);
}

/* The letter under its accents, in lower case; 0 if it is not Latin. */
static gunichar
latin_base (gunichar c)
{
  gunichar base[4];

  if (c < 0x80)
    return (gunichar) g_ascii_tolower ((char) c);
  if (g_unichar_fully_decompose (c, FALSE, base, G_N_ELEMENTS (base)) > 0)
    c = base[0];
  c = g_unichar_tolower (c);
  return (c >= 'a' && c <= 'z') || g_unichar_get_script (c) == G_UNICODE_SCRIPT_LATIN ? c : 0;
}

static void
add_to_word (DpTrustStats *s, gunichar c)
{
  static const guint32 vowels
      = 1u << ('a' - 'a') | 1u << ('e' - 'a') | 1u << ('i' - 'a') | 1u << ('o' - 'a') | 1u << ('u' - 'a') | 1u << ('y' - 'a');
  gunichar base = is_letter (c) ? latin_base (c) : 0;

  if (!base) {
    s->word_broken = s->word_broken || g_unichar_isalnum (c); /* a part number, another script */
    return;
  }
  if (s->word_letters > 0 && is_upper (c))
    s->word_broken = TRUE; /* capitals: abbreviations have no vowels either */
  s->word_letters++;
  /* what is Latin but has no base in a..z (ae, oe, dotless i) counts as a vowel, in doubt for the text */
  s->word_vowels += base >= 0x80 || vowels >> (base - 'a') & 1;
}

static void
add_punctuation (DpTrustStats *s, gunichar c)
{
  if (c == s->last) { /* a leader */
    end_run (s);
    return;
  }
  s->n_punct++;
  s->run++;
  s->run_kinds |= 1u << (c % 32);
}

/* ---- scripts ----------------------------------------------------------------------------------------------- */

static void
add_letter (DpTrustStats *s, gunichar c)
{
  s->n_letters++;
  if (c < 0x80) /* Latin */
    return;
  GUnicodeScript script = g_unichar_get_script (c);
  switch (script) {
  case G_UNICODE_SCRIPT_HAN:
    s->n_rare_cjk += (c >= 0x3400 && c <= 0x4dbf) || c >= 0x20000 || (c >= 0xf900 && c <= 0xfaff);
    s->n_dog_cjk += c >= 0x7280 && c <= 0x72df;
    s->n_cjk++;
    break;
  case G_UNICODE_SCRIPT_HIRAGANA:
  case G_UNICODE_SCRIPT_KATAKANA:
  case G_UNICODE_SCRIPT_HANGUL:
  case G_UNICODE_SCRIPT_BOPOMOFO: s->n_cjk++; break;
  case G_UNICODE_SCRIPT_COMMON:
  case G_UNICODE_SCRIPT_INHERITED:
  case G_UNICODE_SCRIPT_LATIN:
  case G_UNICODE_SCRIPT_GREEK:
  case G_UNICODE_SCRIPT_CYRILLIC: break;
  default:
    s->n_strange++;
    if (s->strange[(guint) script % DP_TRUST_SCRIPTS] < G_MAXUINT16)
      s->strange[(guint) script % DP_TRUST_SCRIPTS]++;
  }
}

void
dp_trust_stats_add (DpTrustStats *s, const DpGlyph *glyph)
{
  gunichar c = glyph->code;

  s->n++;
  if (dp_trust_char_is_bad (c)) {
    s->n_bad++;
    s->word_broken = TRUE;
  } else if (is_letter (c)) {
    add_letter (s, c);
  }
  if (c >= 0x20 && c < 0x7f)
    s->ascii[c - 0x20]++;
  add_to_word (s, c);
  /* programs are full of punctuation, and set in such fonts */
  if (c < 0x80 && g_ascii_ispunct ((char) c) && !(glyph->flags & DP_GLYPH_MONO))
    add_punctuation (s, c);
  else
    end_run (s);
  s->last = c;
  if (glyph->flags & (DP_GLYPH_SPACE | DP_GLYPH_BREAK)) {
    end_word (s);
    end_run (s);
  }
}

void
dp_trust_stats_end (DpTrustStats *s)
{
  end_word (s);
  end_run (s);
}

guint
dp_trust_stats_n_strange_scripts (const DpTrustStats *s)
{
  guint n = 0;

  for (guint i = 0; i < DP_TRUST_SCRIPTS; i++)
    n += s->strange[i] >= 5;
  return n;
}

/* ---- shifted codes ------------------------------------------------------------------------------------------- */

/* Share of each letter in English text, in percent (Lewand, Cryptological Mathematics,
 * 2000, p. 36); other languages in Latin script are nearer to it than any shift of it. */
static const float letter_percent[26] = { 8.17f, 1.49f, 2.78f, 4.25f, 12.70f, 2.23f, 2.02f, 6.09f, 6.97f, 0.15f, 0.77f, 4.03f, 2.41f,
                                          6.75f, 7.51f, 1.93f, 0.10f, 5.99f,  6.33f, 9.06f, 2.76f, 0.98f, 2.36f, 0.15f, 1.97f, 0.07f };
#define NO_LETTER_PERCENT 0.05f

/* Mean log-likelihood of the printable characters moved by shift.  Moved text must come out
 * in small letters to count; text as it stands may be in capitals.  logs: of the letters, then of what is none. */
static double
likelihood (const DpTrustStats *s, gint shift, const double logs[27], double *letters)
{
  double sum = 0, n = 0;

  *letters = 0;
  for (gint c = 0x21; c < 0x7f; c++) {
    gint moved = shift == 0 ? g_ascii_tolower ((char) c) : c + shift;
    double count = s->ascii[c - 0x20];
    gboolean letter = moved >= 'a' && moved <= 'z';

    sum += count * logs[letter ? moved - 'a' : 26];
    *letters += letter ? count : 0;
    n += count;
  }
  *letters /= MAX (n, 1);
  return sum / MAX (n, 1);
}

/* English prose with its punctuation scores about -3.0, other languages in Latin script -3.0
 * to -3.4 (letters with accents do not count), text under a wrong shift -3.6 and less. */
gint
dp_trust_stats_shift (const DpTrustStats *s)
{
  guint32 n = 0;
  double letters, as_is, logs[27];
  gint best = 0;
  double best_score = -3.4;

  for (guint i = 1; i < DP_TRUST_ASCII; i++)
    n += s->ascii[i];
  if (n < 100 || n < s->n * 0.6)
    return 0;
  for (guint i = 0; i < 27; i++)
    logs[i] = log ((i < 26 ? letter_percent[i] : NO_LETTER_PERCENT) / 100.0);
  as_is = likelihood (s, 0, logs, &letters);
  if (as_is > -3.5)
    return 0;
  for (gint shift = -35; shift <= 35; shift++) {
    double score = shift == 0 ? -G_MAXFLOAT : likelihood (s, shift, logs, &letters);

    if (score > best_score && score > as_is + 0.4 && letters >= 0.75) {
      best = shift;
      best_score = score;
    }
  }
  return best;
}
