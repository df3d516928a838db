/* layout/document.h - what goes out: the document tree.
 *
 * layout/assemble.c grows it, output/ prints it; neither knows the other.  A document
 * is a list of blocks in reading order; containers (list, quote, figure, table) hold
 * their parts as children.  Every block says where it came from: page, box, source,
 * confidence.  Furniture (headers, footers, page numbers) stays in the tree, flagged
 * by its kind, and the writers decide what to print.
 *
 * Space: points, origin top left, as in page.h.
 */
#pragma once

#include "layout/page.h"

G_BEGIN_DECLS

typedef enum {
  DP_BLOCK_PARAGRAPH,
  DP_BLOCK_HEADING,   /* level 1..6 */
  DP_BLOCK_LIST,      /* children: LIST_ITEM; ordered + start, or bullets */
  DP_BLOCK_LIST_ITEM, /* spans hold the text without its label; children: nested lists, paragraphs */
  DP_BLOCK_TABLE,     /* table; children: CAPTION, TABLE_NOTE */
  DP_BLOCK_FIGURE,    /* picture; children: CAPTION, FIGURE_TEXT */
  DP_BLOCK_CAPTION,
  DP_BLOCK_TABLE_NOTE,
  DP_BLOCK_FIGURE_TEXT,  /* words inside a picture or chart, in visual rows */
  DP_BLOCK_CODE,         /* text: lines with their spaces */
  DP_BLOCK_QUOTE,        /* children */
  DP_BLOCK_FORMULA,      /* display formula: text is LaTeX without delimiters, NULL = picture only; number in label */
  DP_BLOCK_FOOTNOTE,     /* label "1" or "*"; spans */
  DP_BLOCK_TOC,          /* children: TOC_ENTRY */
  DP_BLOCK_TOC_ENTRY,    /* spans: title; label: page number as printed; level */
  DP_BLOCK_PAGE_PICTURE, /* a page (or region) nobody could read yet: picture only */
  /* furniture and what is not meant for the reader */
  DP_BLOCK_HEADER,
  DP_BLOCK_FOOTER,
  DP_BLOCK_PAGE_NUMBER,
  DP_BLOCK_ASIDE,  /* margin notes, line numbers, stamps, watermarks */
  DP_BLOCK_HIDDEN, /* text a reader of the page would not see */
  DP_BLOCK_FIELD,  /* form field: label = name, spans = value */
  DP_BLOCK_ANNOTATION,
  DP_N_BLOCK_KINDS
} DpBlockKind;

/* The kind's name in JSON and in the overlay: "paragraph", "list-item", ... */
const char *dp_block_kind_name (DpBlockKind kind);

typedef enum {
  DP_SPAN_BOLD = 1u << 0,
  DP_SPAN_ITALIC = 1u << 1,
  DP_SPAN_MONO = 1u << 2,
  DP_SPAN_SUPER = 1u << 3,
  DP_SPAN_SUB = 1u << 4,
  DP_SPAN_STRIKE = 1u << 5,
  DP_SPAN_UNDERLINE = 1u << 6,
  DP_SPAN_FORMULA = 1u << 7,  /* text is LaTeX, printed between $ and $ */
  DP_SPAN_NOTE_REF = 1u << 8, /* text is the label of a footnote of this document */
  DP_SPAN_BREAK = 1u << 9,    /* a line break that must stay, before this span */
  DP_SPAN_PICTURE = 1u << 10, /* a picture inside a table: uri is "#N", the table's child FIGURE number N (from 0); text: "[image N+1]" */
} DpSpanStyle;

typedef struct {
  char *text;  /* UTF-8, NFC, owned */
  char *uri;   /* link target or NULL, owned; "#page=N" inside the document */
  guint style; /* DpSpanStyle */
} DpSpan;

typedef struct {
  guint row, col;           /* top left place in the grid */
  guint row_span, col_span; /* >= 1 */
  gboolean header;
  DpRect box;
  GPtrArray *spans; /* DpSpan; a line break inside a cell is DP_SPAN_BREAK */
} DpCell;

typedef struct {
  guint n_rows, n_cols;
  guint n_header_rows;
  GPtrArray *cells; /* DpCell in row-major order, covering the grid without overlap */
  GArray *parts;    /* DpTablePart: where each page's piece lies (tables over several pages) */
  float quality;    /* 0..1, how sure the finder was */
  guint element;    /* of the structure tree that told it, from 1; 0 = found on the page */
} DpTable;

typedef struct {
  guint page; /* 1-based */
  DpRect box;
} DpTablePart;

typedef enum { DP_SOURCE_TEXT_LAYER, DP_SOURCE_VLM, DP_SOURCE_TAGS, DP_SOURCE_NONE } DpSource;

typedef struct DpBlock DpBlock;
struct DpBlock {
  DpBlockKind kind;
  guint page;            /* 1-based page of its beginning */
  DpRect box;            /* on that page */
  GArray *parts;         /* DpTablePart of pieces on later pages or columns; NULL if one piece */
  guint level;           /* headings 1..6, TOC entries; footnotes: 1 = note at the end of a chapter */
  gboolean ordered;      /* lists */
  guint start;           /* ordered lists: first number */
  char *label;           /* item label as printed, footnote label, formula number; or NULL */
  GPtrArray *spans;      /* DpSpan; never NULL */
  char *text;            /* code and formulas: verbatim; else NULL */
  DpTable *table;        /* tables */
  char *picture;         /* figures: name of the crop (set when written), or NULL */
  cairo_surface_t *crop; /* figures: pixels, owned, may be NULL */
  double crop_dpi;
  char *alt;      /* alternative text of a figure, or NULL */
  char *sub_type; /* figures: what kind of picture a model saw ("bar", "flowchart"); code: its language or "algorithm"; else NULL */
  gboolean chart; /* figures: a chart, sub_type is its kind */
  float size;     /* headings that a model found: height of their letters in points; else 0 */
  DpSource source;
  float confidence;        /* 0..1 */
  float agreement;         /* 0..1, how far the text layer and what a model read are the same; < 0: only one of them was asked */
  guint index;             /* reading index, given by dp_document_finish() */
  gint64 md_start, md_end; /* byte range in the Markdown, set by output/markdown.c; -1 = not printed */
  GPtrArray *children;     /* DpBlock; never NULL */
};

typedef struct {
  guint number; /* 1-based */
  float width, height;
  gint rotation;
  gint turn; /* as in DpPage: what was done to a scan's picture; boxes are on the upright page */
  double skew;
  const struct DpWarp *warp; /* as in DpPage; borrowed, or NULL */
  gboolean needs_model;      /* no trustworthy text layer and nobody read it */
  gboolean failed;           /* could not be read at all */
  char *reason;              /* why, or NULL: a sentence */
} DpPageInfo;

typedef struct {
  DpDocumentInfo *info; /* borrowed */
  GPtrArray *blocks;    /* DpBlock, top level, reading order */
  GArray *pages;        /* DpPageInfo, the pages that were asked for */
  char *model;          /* digest of the document model that read pages, or NULL; owned */
} DpDocument;

/* TRUE for what a crop of the page shows: figures, unread pages, formulas without LaTeX. */
gboolean dp_block_is_picture (const DpBlock *block);

DpBlock *dp_block_new (DpBlockKind kind, guint page, DpRect box);
void dp_block_free (DpBlock *block);
/* Appends a span; joins it to the last one when style and uri are equal. Copies text and uri. */
void dp_block_add_text (DpBlock *block, const char *text, guint style, const char *uri);
/* The plain text of the spans (caller frees); a BREAK becomes '\n'. */
char *dp_spans_to_text (const GPtrArray *spans);

DpSpan *dp_span_new (const char *text, guint style, const char *uri);
void dp_span_free (DpSpan *span);

DpTable *dp_table_new (guint n_rows, guint n_cols);
void dp_table_free (DpTable *table);
/* Adds a cell (spans empty) and returns it, owned by the table. */
DpCell *dp_table_add_cell (DpTable *table, guint row, guint col, guint row_span, guint col_span, DpRect box);
gboolean dp_table_has_spans (const DpTable *table);

DpDocument *dp_document_new (DpDocumentInfo *info);
void dp_document_free (DpDocument *document);
/* Numbers the blocks in reading order (pre-order). Call once when the tree is complete. */
void dp_document_finish (DpDocument *document);
/* Calls visit for every block in pre-order until it returns FALSE. */
typedef gboolean (*DpBlockVisit) (DpBlock *block, guint depth, gpointer data);
void dp_document_foreach (DpDocument *document, DpBlockVisit visit, gpointer data);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (DpBlock, dp_block_free)
G_DEFINE_AUTOPTR_CLEANUP_FUNC (DpTable, dp_table_free)
G_DEFINE_AUTOPTR_CLEANUP_FUNC (DpDocument, dp_document_free)

G_END_DECLS
