/* layout/labels.h - what stands before a list item, a heading, a caption: bullets and numbers.
 *
 * Pure functions over UTF-8 text, shared by lists, headings, captions, notes and contents.
 * Families of list labels follow opendataloader's BulletedParagraphUtils; words before a
 * number are those of English, French, German, Spanish, Italian, Portuguese, Czech and CJK
 * documents.
 */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

typedef enum {
  DP_LABEL_NONE,
  DP_LABEL_BULLET,
  DP_LABEL_ARABIC,      /* 1. 1) (1) [1] */
  DP_LABEL_LOWER,       /* a) */
  DP_LABEL_UPPER,       /* A. */
  DP_LABEL_ROMAN_LOWER, /* iv) */
  DP_LABEL_ROMAN_UPPER, /* IV. */
  DP_LABEL_CIRCLED,     /* ① */
} DpLabelKind;

typedef struct {
  DpLabelKind kind;
  gsize length;   /* bytes of the label with its punctuation, without the space behind it */
  char open;      /* '(' '[' or 0 */
  gunichar close; /* '.' ')' ']' ':' or 0; the character itself for bullets */
  guint value;    /* from 1 */
  guint roman;    /* a single letter that may also be a roman numeral: that value; else 0 */
  gboolean weak;  /* a bullet that may as well be a dash or a letter of prose: "-", "–", "o", "*" */
} DpLabel;

/* Reads a list label at the start of text.  FALSE if there is none, or nothing follows it. */
gboolean dp_label_parse (const char *text, DpLabel *label);
/* "• text": a point of a list.  No dash, which may be a minus, and no box or mark of a choice, as forms have them. */
gboolean dp_label_is_point (const char *text);

/* TRUE if text begins with an option of a command: -v, --verbose, -1. */
gboolean dp_label_is_option (const char *text);

/* Value of a roman numeral of n bytes (one case, canonical form, 1..3999), 0 if it is none. */
guint dp_roman_value (const char *text, gsize n);

typedef struct {
  gsize length;  /* bytes of the number and its punctuation */
  guint depth;   /* 1 for "3" or "IV.", 2 for "3.1" or "A.2" */
  gboolean word; /* with a word before it: Chapter 3, Appendix A, Article 5, § 7 */
  gboolean bare; /* the number is all there is */
  guint value;   /* last component, 0 if it is not a number */
  guint top;     /* first component, the same */
  char family;   /* of the first component: '1', 'A' or 'I'; 0 after a word or in CJK */
  guint roman;   /* a single letter that may be a numeral too: that value, else 0 */
} DpHeadingNumber;

/* Reads the numbering of a heading at the start of text. */
gboolean dp_label_heading (const char *text, DpHeadingNumber *number);

/* TRUE if text starts as captions do: a word such as Figure, Table, Abb., 図 and a number.
 * table: TRUE if the word says table. length: bytes of word and number. */
gboolean dp_label_caption (const char *text, gboolean *table, gsize *length);

/* TRUE if all of text is a page number: 12, xii, - 12 -, Page 3 of 9, 3/9.  value may be NULL. */
gboolean dp_label_page_number (const char *text, guint *value);

/* ---- shared by labels.c and label_words.c ------------------------------------------------- */

#define DP_LABEL_FOLDED 48u

/* Bytes of blanks at the start of text. */
gsize dp_label_spaces (const char *text);
/* Bytes of the number at the start of text, 0 if there is none or it has more than four digits. */
gsize dp_label_digits (const char *text, guint *value);
/* TRUE if text starts with a full-width form of an ASCII character. */
gboolean dp_label_is_wide (const char *text);
/* The start of text with full-width forms as ASCII ("１．" is "1."); out has DP_LABEL_FOLDED bytes. */
void dp_label_fold (const char *text, char *out);
/* Bytes of text that became the first n bytes of its folded form. */
gsize dp_label_unfold (const char *text, gsize n);

G_END_DECLS
