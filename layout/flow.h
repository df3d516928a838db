/* layout/flow.h - inside the document passes: the document's lines in reading order.
 *
 * The page passes leave regions; the document passes want lines.  A DpFlow is the list of
 * all visual lines of the asked pages in reading order, with tables and figures as single
 * entries between them.  Every pass looks at the entries that nobody has claimed yet
 * (role BODY), gives some of them a role, and says where blocks begin; assemble.c turns
 * runs of equal role into blocks.  No pass moves or removes an entry, so each can be
 * tested alone and a pass that finds nothing costs nothing.
 *
 * Order of the passes: furniture, margins, tags, code, toc, notes, captions, headings, lists,
 * definitions, endnotes, paragraphs.  Headings come before lists on purpose: a numbered heading taken for a list
 * item is the commonest fault of rule-based converters.
 *
 * Space: points.  box is page space; at is the same box turned so that the line reads
 * left to right, top to bottom, and is what passes compare; on pages that run right to left it is mirrored.
 */
#pragma once

#include "layout/hyphens.h"
#include "layout/layout.h"

G_BEGIN_DECLS

typedef enum {
  DP_ROLE_BODY,   /* not claimed: running text */
  DP_ROLE_OBJECT, /* a table, figure or formula region */
  DP_ROLE_HEADING,
  DP_ROLE_ITEM, /* a line of a list item */
  DP_ROLE_CAPTION,
  DP_ROLE_FOOTNOTE,
  DP_ROLE_CODE,
  DP_ROLE_TOC,
  DP_ROLE_QUOTE,
  DP_ROLE_HEADER,
  DP_ROLE_FOOTER,
  DP_ROLE_PAGE_NUMBER,
  DP_ROLE_ASIDE,
  DP_ROLE_ADOPTED, /* its text went into another entry */
} DpFlowRole;

typedef struct {
  /* facts, filled by dp_flow_new() */
  guint page;                /* index into DpFlow.pages */
  guint region;              /* index into that page's regions */
  guint first_frag, n_frags; /* range in DpFlow.frags: indices into the page's lines */
  char *text;                /* owned, trimmed; "" for an object */
  guint n_chars;             /* characters in text, spaces included */
  DpRect box;                /* page space */
  DpRect at;                 /* reading frame, see above */
  float baseline;            /* reading frame */
  float size;                /* font size of most characters */
  guint32 colour;
  guint16 font;        /* index into the page's font_names */
  guint16 style;       /* DpSpanStyle of (almost) all characters */
  float run_in;        /* share of the characters that a bold or italic opening takes; 0 = none, 1 = all */
  gboolean small_caps; /* most of its characters stand in words of small capitals */
  gboolean astray;     /* written at another angle than the page's text */
  /* decisions of the passes */
  DpFlowRole role;
  gboolean starts; /* first line of its block */
  gboolean breaks; /* the line break before this line must stay */
  gboolean joins;  /* first line after a gap that goes on with the last block of its role */
  guint level;     /* headings 1..6; list items: nesting from 0; TOC entries from 1; footnotes: 1 = at a chapter's end */
  guint label;     /* bytes of text that are the label of an item, note or TOC entry's page (at its end) */
  gboolean ordered;
  guint number;    /* value of an ordered label */
  gint owner;      /* captions: index of the object's entry, -1 = none */
  guint inside;    /* running text and code between items: 1 + nesting of the item that it belongs to; 0 = to none */
  guint paragraph; /* running text: number of the paragraph in a sane structure tree, from 1; 0 = not said (tag_blocks.c) */
} DpFlowLine;

/* The measure of a page's or document's running text. */
typedef struct {
  float size;       /* body size: largest size holding a fair share of multi-line text; 0 = no text */
  float leading;    /* baseline distance inside its blocks, 0 = not known */
  gboolean bold;    /* most of it is bold */
  gboolean italic;  /* most of it is italic */
  const char *font; /* face of most of its characters; borrowed, may be NULL */
  guint n_chars;    /* characters in multi-line blocks */
} DpFlowBody;

typedef struct {
  float x0, x1; /* reading frame: extent of the column that a region stands in */
} DpFlowColumn;

typedef struct {
  DpPageLayout *layout;  /* borrowed */
  guint first, n;        /* range of entries in DpFlow.lines */
  gint16 angle;          /* of most of its text */
  gboolean rtl;          /* most of its upright text runs right to left: the frame is mirrored */
  float width, height;   /* reading frame */
  DpFlowBody body;       /* of this page where it has enough text, else the document's */
  DpFlowColumn *columns; /* per region, owned */
} DpFlowPage;

struct DpFlow {
  GArray *lines; /* DpFlowLine */
  GArray *frags; /* guint */
  GArray *pages; /* DpFlowPage */
  DpFlowBody body;
  const DpDocumentInfo *info; /* borrowed, may be NULL */
  DpHyphens *hyphens;         /* owned; NULL until the lines have their roles */
  guint tagged_headings;      /* headings that a sane structure tree gave (tags.c) */
};

/* Lines of all pages (DpPageLayout, borrowed, must outlive the flow) in reading order. */
DpFlow *dp_flow_new (GPtrArray *pages, const DpDocumentInfo *info);
void dp_flow_free (DpFlow *flow);
/* Measures the body again over entries of role BODY: once at the start and once when furniture is known. */
void dp_flow_measure (DpFlow *flow);

static inline DpFlowLine *
dp_flow_line (const DpFlow *flow, guint i)
{
  return &g_array_index (flow->lines, DpFlowLine, i);
}
static inline DpFlowPage *
dp_flow_page (const DpFlow *flow, const DpFlowLine *line)
{
  return &g_array_index (flow->pages, DpFlowPage, line->page);
}
static inline DpRegion *
dp_flow_region (const DpFlow *flow, const DpFlowLine *line)
{
  return &g_array_index (dp_flow_page (flow, line)->layout->regions, DpRegion, line->region);
}
static inline DpFlowColumn
dp_flow_column (const DpFlow *flow, const DpFlowLine *line)
{
  return dp_flow_page (flow, line)->columns[line->region];
}
/* Where a walk over the words of a line stands; begins as { 0 }. */
typedef struct {
  guint frag, word; /* of the next word: fragment of the line, word of the fragment */
} DpFlowWalk;

/* The next word of the line, NULL behind the last; walk->word is 1 after the first word of a fragment. */
static inline const DpWord *
dp_flow_next_word (const DpFlow *flow, const DpFlowLine *line, DpFlowWalk *walk)
{
  const DpPageLayout *layout = line->n_frags ? dp_flow_page (flow, line)->layout : NULL; /* a model's headings have no page here */

  for (; walk->frag < line->n_frags; walk->frag++, walk->word = 0) {
    const DpLine *fragment = &g_array_index (layout->lines, DpLine, g_array_index (flow->frags, guint, line->first_frag + walk->frag));
    if (walk->word < fragment->n_words)
      return &g_array_index (layout->words, DpWord, fragment->first_word + walk->word++);
  }
  return NULL;
}
/* Where an upright word begins, in the reading frame of its line. */
static inline float
dp_flow_word_start (const DpFlow *flow, const DpFlowLine *line, const DpWord *word)
{
  return line->at.x0 + (dp_flow_page (flow, line)->rtl ? line->box.x1 - word->box.x1 : word->box.x0 - line->box.x0);
}
/* Both lines stand in one region of one page. */
static inline gboolean
dp_flow_same_region (const DpFlowLine *a, const DpFlowLine *b)
{
  return a->page == b->page && a->region == b->region;
}
/* Same size within 6 %, same weight, slant and capitals. */
gboolean dp_flow_same_face (const DpFlowLine *a, const DpFlowLine *b);
/* Name of the line's font, "" if not known. */
const char *dp_flow_font (const DpFlow *flow, const DpFlowLine *line);

/* ---- spans (flow_spans.c) -------------------------------------------------------------- */

/* Appends the line's text to the block: hyphenation, CJK and spaces as in layout/text.h, styles
 * and links kept where styled; brk keeps the line break before it. */
void dp_flow_add_line (const DpFlow *flow, const DpFlowLine *line, DpBlock *block, gboolean styled, gboolean brk);
/* Drops the first bytes of the spans' text and the white space behind them. */
void dp_spans_drop (GPtrArray *spans, gsize bytes);
/* Drops the last bytes of the spans' text and the white space before them. */
void dp_spans_drop_end (GPtrArray *spans, gsize bytes);

/* ---- the passes -------------------------------------------------------------------------- */

/* Labels, marks and formula numbers that stand apart go to their lines (flow_orphans.c); after furniture. */
void dp_flow_adopt_orphans (DpFlow *flow);
/* Entry from's fragments go to entry into, before or behind its own; from gets role ADOPTED. */
void dp_flow_adopt (DpFlow *flow, guint into, guint from, gboolean front);
/* TRUE if text is a heading such as "Contents" (toc.c). */
gboolean dp_toc_is_title (const char *text);
/* TRUE if a table is one of contents: titles and ascending page numbers, leaders or such a heading (toc_table.c). */
gboolean dp_toc_is_contents (const DpFlow *flow, guint entry);
/* Its rows as entries; the caller owns the TOC block.  Rows above the first entry are its first children
 * (HEADING or PARAGRAPH) until dp_toc_release_lead() moves them into another array. */
DpBlock *dp_toc_from_table (const DpTable *table, guint page, DpRect box);
void dp_toc_release_lead (DpBlock *toc, GPtrArray *into);
/* The same for rows below the last page number: call when toc is the last of into. */
void dp_toc_release_tail (DpBlock *toc, GPtrArray *into);
void dp_flow_furniture (DpFlow *flow);
void dp_flow_margins (DpFlow *flow); /* margin notes, ornaments, watermarks; after furniture */
void dp_flow_tags (DpFlow *flow);
void dp_flow_code (DpFlow *flow);
/* Text of the listing whose first line is entry first: its line breaks, blank lines and the blanks that x positions ask
 * for.  Caller frees. */
char *dp_flow_code_text (const DpFlow *flow, guint first);
void dp_flow_toc (DpFlow *flow);
void dp_flow_notes (DpFlow *flow);
void dp_flow_captions (DpFlow *flow);
void dp_flow_headings (DpFlow *flow);       /* which lines are headings */
void dp_flow_heading_levels (DpFlow *flow); /* levels of all HEADING entries (heading_levels.c) */
void dp_flow_lists (DpFlow *flow);
void dp_flow_definitions (DpFlow *flow); /* terms and their senses (definitions.c) */
void dp_flow_endnotes (DpFlow *flow);    /* notes at the end of chapters (endnotes.c) */
void dp_flow_paragraphs (DpFlow *flow);

/* All lines of the flow as one block: role BODY gives a PARAGRAPH, its formulas as spans; CODE a CODE block.  NULL: no text. */
DpBlock *dp_assemble_one (DpFlow *flow, DpFlowRole role, gboolean breaks);

/* After assembly: superscripts that name a footnote of the same page become NOTE_REF. */
void dp_notes_bind (DpDocument *document);
/* After assembly: the run-in word "Abstract" becomes a heading (abstract.c). */
void dp_abstract_split (DpDocument *document);

/* Where most of a document is set in a typewriter face, takes that face off its prose and tables (typewriter.c). */
void dp_typewriter_forget (DpDocument *document);
/* After assembly: pieces of one table on following pages become one table (tables_joined.c). */
void dp_tables_join (DpDocument *document);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (DpFlow, dp_flow_free)

G_END_DECLS
