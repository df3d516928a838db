/* layout/layout.h - inside the room: what the passes of layout/ hand to each other.
 *
 * Page passes, in this order, each one file and testable alone:
 *
 *   hidden.c        which glyphs a reader would not see
 *   words.c         glyphs -> words (words_tracked.c: letters set wide apart; words_skewed.c: stamps)
 *   line_numbers.c  numbers of lines in the margin
 *   rules.c         paths -> rules, cell fills; underlines leave
 *   combs.c         boxes for one letter each: letters -> words; the boxes leave the rules
 *   bullets.c       small drawings that are the bullets of lists -> words
 *   inline_images.c small images that stand in lines of text
 *   lines.c         words -> line fragments (one column, one baseline); word_grid.c finds
 *                   neighbours, line_facts.c says what a line is like
 *   formulas_unread.c  displayed formulas of a scan, shown as pictures
 *   charts.c        where charts stand, by the scales of their axes
 *   listings.c      program text: numbered, in a box     -> regions of kind CODE
 *   tables_statement.c, tables_ruled.c, tables_framed.c, tables_aligned.c     -> regions of kind TABLE
 *   figures.c       images and clusters of paths          -> regions of kind FIGURE
 *   formulas.c      display formulas -> regions of kind FORMULA (formulas_groups.c: their pieces); formulas_inline.c: formulas in
 *                   the text; formulas_page.c gathers their glyphs, latex.h makes LaTeX of them
 *   columns.c       remaining fragments -> text regions (lines of one column that belong together)
 *   order.c         regions -> reading order (recursive XY-cut with guards: order_bands.c,
 *                   order_cut.c, order_judge.c)
 *
 * After that a page's glyphs can be freed: DpPageLayout owns all it needs.
 * Document passes (over all pages' layouts):
 *
 *   spreads.c       an open book on one page: each of its two pages is laid out as one (spreads.h)
 *   flow.c          all lines in reading order (flow.h), measure of the running text
 *   furniture.c     running headers, footers, page numbers
 *   margins.c       margin notes, ornaments, watermarks
 *   tags.c          the structure tree, where it is sane
 *   code.c, toc.c   program text, tables of contents
 *   notes.c         footnotes and the marks that point to them
 *   captions.c      captions to figures and tables
 *   headings.c      which lines are headings; heading_levels.c: outline, numbering, faces -> levels
 *   lists.c         labels, nesting
 *   definitions.c   terms and senses; endnotes.c: notes at the end of chapters
 *   paragraphs.c    lines -> paragraphs; verse.c: lines that stay lines; paragraph_joins.c: over columns and pages
 *   hyphens.c       compounds and words divided at line ends
 *   assemble.c      the tree of document.h; assemble_text.c: lines to blocks, assemble_objects.c: regions
 *                   to blocks; tables_joined.c: tables over pages
 */
#pragma once

#include "layout/document.h"
#include "layout/page.h"

G_BEGIN_DECLS

/* ---- words ------------------------------------------------------------------------- */

typedef struct {
  DpRect box;             /* union of its glyphs */
  float baseline;         /* of its first glyph */
  float size;             /* of most of its glyphs */
  guint32 text, text_len; /* bytes in DpPageLayout.text */
  guint32 colour;         /* 0xRRGGBB */
  guint32 link;           /* 1 + index into DpPageLayout.links, 0 = none */
  guint16 font;           /* index into DpPage.fonts */
  guint16 style;          /* DpSpanStyle, by majority of glyphs; SUPER/SUB set by lines.c */
  gint16 angle;           /* 0, 90, 180, 270; other = skewed */
  guint8 n_chars;         /* saturates at 255 */
  guint space_before : 1; /* a space separates it from the word before on its line */
  guint hidden : 1;       /* hidden.c */
  guint taken : 1;        /* belongs to a table or figure, not to running text */
  guint break_after : 1;  /* the text layer ends a line after it */
  guint rtl : 1;          /* most of its letters run right to left */
  guint vertical : 1;     /* upright characters stacked downwards; angle is 90 */
  guint aside : 1;        /* part of no text: numbers a line, in the margin (line_numbers.c), or tells how to read it (ruby.c) */
  guint small_caps : 1;   /* set in small capitals; its text has the case back, its size is the capitals' */
  guint32 layer;          /* place in the text layer's own order, from 0 */
  guint32 first_glyph;    /* its glyphs in DpPage.glyphs, copies that were left out among them */
  guint32 n_glyphs;
  guint32 formula; /* 1 + index into DpPageLayout.inlines: part of a formula inside the text, 0 = none */
} DpWord;

/* A formula inside running text: what is printed in place of its words. */
typedef struct {
  char *latex;
  char *before, *after; /* plain text that its first and last word have around it, "" if none */
} DpInlineFormula;

/* ---- line fragments ---------------------------------------------------------------- */

/* Words on one baseline without a gap wide enough to be a gutter or a cell border. */
typedef struct {
  DpRect box;
  float baseline;
  float size;                /* size that holds most characters */
  guint first_word, n_words; /* range in DpPageLayout.words, left to right (reading direction) */
  guint32 colour;
  guint16 font;
  guint16 style; /* BOLD etc. only if (almost) every character has it */
  gint16 angle;
  guint rtl : 1;
  guint taken : 1; /* in a table or figure */
  gint region;     /* index into DpPageLayout.regions, -1 = none yet */
} DpLine;

/* ---- rules -------------------------------------------------------------------------- */

typedef struct {
  float pos;      /* y of a horizontal, x of a vertical rule */
  float from, to; /* extent along it */
  float thickness;
  guint32 colour;
} DpRule;

/* ---- regions ------------------------------------------------------------------------ */

typedef enum { DP_REGION_TEXT, DP_REGION_TABLE, DP_REGION_FIGURE, DP_REGION_FORMULA, DP_REGION_CODE } DpRegionKind;

typedef struct {
  DpRegionKind kind;
  DpRect box;
  GArray *lines;    /* guint: indices into DpPageLayout.lines, top to bottom (TEXT, CODE, FIGURE text) */
  DpTable *table;   /* TABLE; owned; spans already in the cells */
  guint column;     /* number of the column on this page, from 0; G_MAXUINT = across columns */
  gint caption;     /* region index of its caption, -1 = none */
  guint32 n_images; /* FIGURE: how many images and paths went into it */
  guint32 n_paths;
  char *latex; /* FORMULA; owned; NULL: its glyphs could not be explained, show a picture */
  char *label; /* FORMULA: its number as printed, or NULL; owned */
} DpRegion;

/* Frees what a region holds (GDestroyNotify of DpPageLayout.regions). */
void dp_region_clear (gpointer region);

typedef struct DpFormulaPage DpFormulaPage;
typedef struct DpTableViews DpTableViews;

/* ---- one page after its passes ------------------------------------------------------- */

typedef struct DpPageLayout {
  guint number;
  float width, height;
  gint rotation;
  gint turn; /* as in DpPage */
  double skew;
  const struct DpWarp *warp;
  struct DpPageLayout *facing; /* the second page of an open book, from width on; owned (spreads.h); NULL: there is one page */
  GArray *words;               /* DpWord */
  GArray *lines;               /* DpLine */
  GArray *regions;             /* DpRegion in reading order once order.c has run */
  GArray *hrules, *vrules;     /* DpRule, joined and sorted */
  GArray *fills;               /* DpPath of kind FILL that are not page background */
  GArray *underlines;          /* DpRule: text decoration, left the rules */
  GArray *charts;              /* DpRect: charts with a scale; no tables there */
  GArray *pictures;            /* DpRect: images hardly higher than a line, by their middles */
  GString *text;               /* the words' bytes */
  GPtrArray *links;            /* char *: targets */
  GPtrArray *font_names;       /* char *, per DpPage.fonts */
  GPtrArray *inlines;          /* DpInlineFormula */
  DpFormulaPage *formulas;     /* while the page is laid out: its glyphs as formulas have them, or NULL */
  DpTableViews *views;         /* while tables are looked for: the page as their finders see it, or NULL */
  GPtrArray *notes;            /* DpBlock: FIELD and ANNOTATION, owned */
  GPtrArray *blocks;           /* DpBlock, owned: a page that came laid out (by a model), in reading order, in place of regions; or NULL */
  float body_size;             /* size of most running text on this page, 0 = no text */
  float line_pitch;            /* usual baseline distance of the body, 0 = not known */
  gboolean needs_model;        /* filled by the caller: page kept as a picture */
  char *reason;                /* why, or NULL */
} DpPageLayout;

DpPageLayout *dp_page_layout_new (const DpPage *page);
void dp_page_layout_free (DpPageLayout *layout);

/* Appends an empty region (no caption, column 0, an empty list of lines) and returns it:
 * owned by the layout, valid until the next one is added. */
DpRegion *dp_page_layout_add_region (DpPageLayout *layout, DpRegionKind kind, DpRect box);

/* Word's text; not NUL-terminated, length in len. */
static inline const char *
dp_word_text (const DpPageLayout *l, const DpWord *w, gsize *len)
{
  *len = w->text_len;
  return l->text->str + w->text;
}

/* Appends the line's text to out, words separated as on the page. */
void dp_line_text (const DpPageLayout *layout, const DpLine *line, GString *out);

/* Appends spans for a word range, with styles and links, one space between words.
 * brk: the first span starts a new line that must stay. */
void dp_words_to_spans (const DpPageLayout *layout, guint first, guint n, GPtrArray *spans, gboolean brk);

/* ---- options ------------------------------------------------------------------------- */

typedef struct {
  gboolean keep_hidden; /* treat hidden text as text */
  gboolean figure_text; /* text inside figures also in the prose */
  gboolean no_tags;     /* ignore the structure tree */
} DpLayoutOptions;

/* ---- page passes ---------------------------------------------------------------------- */

void dp_layout_hidden (DpPageLayout *layout, const DpPage *page, const DpLayoutOptions *options,
                       guint8 *hidden); /* hidden: one byte per glyph, 1 = not for the reader */
void dp_layout_words (DpPageLayout *layout, const DpPage *page, const guint8 *hidden);
void dp_layout_rules (DpPageLayout *layout, const DpPage *page);
/* The first of rules (DpRule, sorted by pos) at or behind a place; their number if there is none. */
guint dp_rules_from (const GArray *rules, float pos);
void dp_layout_lines (DpPageLayout *layout);
/* DpPage.unread as regions of formulas without LaTeX: before all that looks for text and tables. */
void dp_layout_unread (DpPageLayout *layout, const DpPage *page);
void dp_layout_listings (DpPageLayout *layout);
/* Gathers the page's glyphs as formulas have them, if it has any: after the lines, before the tables. */
void dp_layout_formula_glyphs (DpPageLayout *layout, const DpPage *page, const guint8 *hidden);
void dp_layout_charts (DpPageLayout *layout, const DpPage *page);
/* TRUE if the box's middle lies in a chart. */
gboolean dp_layout_in_chart (const DpPageLayout *layout, DpRect box);
void dp_layout_tables_statement (DpPageLayout *layout);
/* frames: also those whose left or right side is open, which tables_framed.c reads better. */
void dp_layout_tables_ruled (DpPageLayout *layout, gboolean frames);
void dp_layout_tables_framed (DpPageLayout *layout);
void dp_layout_tables_aligned (DpPageLayout *layout);
/* Frees what the finders of tables share; after the last of them. */
void dp_layout_tables_end (DpPageLayout *layout);
void dp_layout_figures (DpPageLayout *layout, const DpPage *page);
/* Display formulas become regions, formulas in the text get their LaTeX; frees the glyphs of dp_layout_formula_glyphs. */
void dp_layout_formulas (DpPageLayout *layout);
void dp_layout_columns (DpPageLayout *layout);
void dp_layout_order (DpPageLayout *layout);

/* All page passes in order.  Never fails: a page without text gives no regions. */
DpPageLayout *dp_layout_page (const DpPage *page, const DpLayoutOptions *options);

/* Form fields and annotations of the page become layout->notes. */
void dp_layout_notes (DpPageLayout *layout, const DpPage *page);

/* ---- text of parts that somebody else found (region_text.c) --------------------------------- */

/* A page whose glyphs are given away part by part; a glyph belongs to the part that its centre lies in and that asks first. */
typedef struct DpRegionText DpRegionText;

/* page: borrowed.  What a reader would not see is never given, unless the options keep it. */
DpRegionText *dp_region_text_new (const DpPage *page, const DpLayoutOptions *options);
void dp_region_text_free (DpRegionText *text);

typedef enum {
  DP_REGION_FLOWING, /* lines joined as in a paragraph; formulas in the text as FORMULA spans */
  DP_REGION_ROWS,    /* line breaks kept (DP_SPAN_BREAK) */
  DP_REGION_LISTING, /* a CODE block, its text with blanks */
} DpRegionForm;

/* The visible text in box as one block (PARAGRAPH or CODE, source TEXT_LAYER), or NULL if there is none.  size (may be NULL): of its
 * first line, in points. */
DpBlock *dp_region_text_take (DpRegionText *text, DpRect box, DpRegionForm form, float *size);

/* What nobody took, as paragraphs from top to bottom (DpBlock; the caller frees); empty if everything is taken. */
GPtrArray *dp_region_text_rest (DpRegionText *text);

/* Visible glyphs that nobody has taken. */
gsize dp_region_text_left (const DpRegionText *text);

typedef enum {
  DP_UNDER_NOTHING, /* paper, rules, panels */
  DP_UNDER_TEXT,    /* glyphs, taken or not, and nothing else that may be read */
  DP_UNDER_PICTURE, /* an image or a field in part, or painted curves: there may be more to read than glyphs */
} DpUnder;

/* What a reader sees in box. */
DpUnder dp_region_text_under (const DpRegionText *text, DpRect box);

/* ---- document passes ------------------------------------------------------------------- */

/* A heading that was found by other means than headings.c. */
typedef struct {
  const char *text;
  float size; /* of its letters, points */
  gboolean bold;
  guint page;  /* index, from 0 */
  guint level; /* 0: to be found; else known */
} DpHeading;

/* Fills in the levels 1..6 from outline, numbers and sizes, as for headings found here.  headings: DpHeading in reading order. */
void dp_layout_heading_levels (GArray *headings, const DpDocumentInfo *info);

/* TRUE if table b, the first of its page, goes on with table a, the last of the page before (tables_joined.c). */
gboolean dp_tables_belong (const DpBlock *a, const DpBlock *b);
/* Rows at the head of b that repeat those of a. */
guint dp_tables_repeated (const DpTable *a, const DpTable *b);

/* Grows the tree from all pages.  pages: DpPageLayout, in page order, borrowed; their tables and
 * notes move into the document, so a page can be used only once. */
DpDocument *dp_layout_document (GPtrArray *pages, DpDocumentInfo *info, const DpLayoutOptions *options);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (DpPageLayout, dp_page_layout_free)
G_DEFINE_AUTOPTR_CLEANUP_FUNC (DpRegionText, dp_region_text_free)

G_END_DECLS
