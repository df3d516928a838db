/* layout/text.h - characters: what belongs to which script, and how pieces of text join.
 *
 * Lines of a paragraph are joined in one place only (dp_text_joint), whoever holds the
 * pieces: hyphens, CJK without spaces, one space elsewhere.  Unicode facts come from
 * utf8proc and GLib.
 */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* Written without spaces between lines: Han, kana, Bopomofo, CJK and full-width
 * punctuation.  Hangul is not: Korean has spaces. */
gboolean dp_text_is_cjk (gunichar c);

/* Hebrew, Arabic, Syriac, Thaana, N'Ko and their presentation forms. */
gboolean dp_text_is_rtl (gunichar c);

/* A mark that belongs to the character before it. */
gboolean dp_text_is_mark (gunichar c);

/* Appends one character of a text layer to out as a reader would type it: ligatures
 * (U+FB00-FB06) and Arabic presentation forms become letters, every kind of space one
 * blank, controls, zero-width characters and lone surrogates vanish. */
void dp_text_append (GString *out, gunichar c);

/* UTF-8 in, NFC out with the replacements of dp_text_append; bad bytes are dropped.
 * len < 0: up to the NUL.  The caller frees. */
char *dp_text_normalise (const char *text, gssize len);

/* Composes out from byte `from` to its end (NFC). */
void dp_text_compose (GString *out, gsize from);

/* Letters and digits only, case folded: what two texts are compared by.  The caller frees. */
char *dp_text_squeeze (const char *text);
void dp_text_squeeze_into (GString *out, const char *text);

typedef enum {
  DP_JOINT_SPACE,       /* one space between the pieces */
  DP_JOINT_NONE,        /* nothing: CJK, or a hyphen or dash that stays */
  DP_JOINT_DROP_HYPHEN, /* the last character, a hyphen, goes: a word broken at the line end */
} DpJoint;

/* How a line that ends with `end` goes on with `next` (both UTF-8; only the last two
 * characters of end and the first two of next matter).  Letter, hyphen, lower-case
 * letter is one word; a hyphen before anything else but a space stays. */
DpJoint dp_text_joint (const char *end, gssize end_len, const char *next);

/* Appends next_line to out by that rule.  Blanks at the joint count once. */
void dp_text_join (GString *out, const char *next_line);

G_END_DECLS
