/* pipeline/trust_stats.h - what the characters of a page or font look like in numbers.
 *
 * One pass over glyphs fills a DpTrustStats; pipeline/trust.c draws the conclusions.
 */
#pragma once

#include "layout/page.h"

G_BEGIN_DECLS

#define DP_TRUST_ASCII 95 /* U+0020 .. U+007E */
#define DP_TRUST_SCRIPTS 16

typedef struct {
  guint32 n;            /* characters */
  guint32 n_bad;        /* U+FFFD, controls, private use, noncharacters */
  guint32 n_letters;    /* of any script */
  guint32 n_cjk;        /* Han, Kana, Hangul, Bopomofo */
  guint32 n_rare_cjk;   /* of those: CJK extensions and compatibility forms */
  guint32 n_dog_cjk;    /* of those: U+7280..72DF, where wrongly decoded text piles up */
  guint32 n_strange;    /* letters of scripts that do not mix with CJK or Latin text */
  guint32 n_punct;      /* ASCII punctuation, without leaders (the same sign again and again) */
  guint32 n_punct_runs; /* of those: in runs of 4 and more, of at least 3 kinds */
  guint32 n_words;      /* Latin words of at least 4 letters, small after the first */
  guint32 n_no_vowel;   /* of those: without any vowel */
  guint32 ascii[DP_TRUST_ASCII];
  guint16 strange[DP_TRUST_SCRIPTS]; /* letters per strange script, by hash; enough to count scripts */
  /* where the pass is */
  guint32 word_letters, word_vowels, run, last;
  guint32 run_kinds; /* one bit per sign */
  gboolean word_broken;
} DpTrustStats;

/* Adds the next character of the text layer. */
void dp_trust_stats_add (DpTrustStats *stats, const DpGlyph *glyph);
/* Ends the word and run that are open.  Call once, after the last character. */
void dp_trust_stats_end (DpTrustStats *stats);

gboolean dp_trust_char_is_bad (gunichar c);

/* Strange scripts with at least 5 letters. */
guint dp_trust_stats_n_strange_scripts (const DpTrustStats *stats);

/* The shift s, -35..35, for which the ASCII characters c read as c + s spell a language
 * that they do not spell as they stand; 0 if there is none or too little text. */
gint dp_trust_stats_shift (const DpTrustStats *stats);

G_END_DECLS
