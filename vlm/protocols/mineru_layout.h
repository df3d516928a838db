/* vlm/protocols/mineru_layout.h - the answer of MinerU2.5's layout pass: blocks of a page in reading order.
 *
 * One block per line of the generated text,
 *
 *   <|box_start|>x1 y1 x2 y2<|box_end|><|ref_start|>TYPE<|ref_end|><|rotate_up|> tail
 *
 * with whole coordinates 0..1000 (thousandths of the page).  A model writes what it likes: whatever does not fit costs its own block,
 * is counted, and the rest is kept.
 */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* X (enum name, name as the model writes it): all 31 types of mineru-vl-utils. */
#define DP_MINERU_TYPES(X)                                                                                                                 \
  X (TEXT, "text")                                                                                                                         \
  X (TITLE, "title")                                                                                                                       \
  X (DOC_TITLE, "doc_title")                                                                                                               \
  X (PARAGRAPH_TITLE, "paragraph_title")                                                                                                   \
  X (TABLE, "table")                                                                                                                       \
  X (EQUATION, "equation")                                                                                                                 \
  X (FORMULA_NUMBER, "formula_number")                                                                                                     \
  X (CODE, "code")                                                                                                                         \
  X (ALGORITHM, "algorithm")                                                                                                               \
  X (ASIDE_TEXT, "aside_text")                                                                                                             \
  X (REF_TEXT, "ref_text")                                                                                                                 \
  X (INDEX, "index")                                                                                                                       \
  X (PHONETIC, "phonetic")                                                                                                                 \
  X (LIST_ITEM, "list_item")                                                                                                               \
  X (CAPTION, "caption")                                                                                                                   \
  X (TABLE_CAPTION, "table_caption")                                                                                                       \
  X (IMAGE_CAPTION, "image_caption")                                                                                                       \
  X (CODE_CAPTION, "code_caption")                                                                                                         \
  X (FOOTNOTE, "footnote")                                                                                                                 \
  X (TABLE_FOOTNOTE, "table_footnote")                                                                                                     \
  X (IMAGE_FOOTNOTE, "image_footnote")                                                                                                     \
  X (HEADER, "header")                                                                                                                     \
  X (FOOTER, "footer")                                                                                                                     \
  X (PAGE_NUMBER, "page_number")                                                                                                           \
  X (PAGE_FOOTNOTE, "page_footnote")                                                                                                       \
  X (IMAGE, "image")                                                                                                                       \
  X (CHART, "chart")                                                                                                                       \
  X (LIST, "list")                                                                                                                         \
  X (IMAGE_BLOCK, "image_block")                                                                                                           \
  X (EQUATION_BLOCK, "equation_block")                                                                                                     \
  X (UNKNOWN, "unknown")

typedef enum {
#define X(NAME, name) DP_MINERU_##NAME,
  DP_MINERU_TYPES (X)
#undef X
      DP_MINERU_N_TYPES
} DpMineruType;

/* "text" etc.; and the type of a name, or -1. */
const char *dp_mineru_type_name (DpMineruType type);
int dp_mineru_type_from_name (const char *name, gsize n);

/* A picture inside a table: the model reads its code in the picture's place (mineru.h). */
typedef struct {
  char code[5];  /* "C4KT"; stands as [C4KT] in the answer */
  double box[4]; /* as of a block */
} DpMineruPicture;

typedef struct {
  DpMineruType type;
  double box[4];       /* x0, y0, x1, y1 in 0..1 of the page; x0 < x1, y0 < y1 */
  int angle;           /* 0, 90, 180, 270; -1: the model did not say.  Turn the crop counter-clockwise by it (dp_image_rotate()) */
  gboolean merge_prev; /* text only: goes on from the text before */
  gboolean absorbed;   /* image only: shown inside a table, which has it among its pictures */
  char *content;       /* owned; what recognition gave, NULL: nothing yet */
  char *sub_type;      /* owned; image: its class, chart: its sub-class, as the model says; else NULL */
  char *caption;       /* owned; image and chart: what the model sees in it, or NULL */
  GArray *pictures;    /* table: DpMineruPicture, or NULL */
  float confidence;    /* of the answer that content came from; 0: none; the least of those that were joined */
  guint tag;           /* the caller's own number for it; 0 for blocks that were made of others */
} DpMineruBlock;

typedef struct {
  GPtrArray *blocks;   /* DpMineruBlock *, in reading order */
  guint bad_boxes;     /* skipped: a coordinate above 1000, no width or no height */
  guint unknown_types; /* skipped */
  guint no_angle;      /* kept without an angle */
  guint inside_tables; /* dropped: text, equation, equation_block with 0.9 of their area in one table */
  gboolean unmatched;  /* the text is not blank and holds no block at all */
} DpMineruLayout;

/* Never fails; n bytes, or up to the NUL with n = -1. */
DpMineruLayout *dp_mineru_layout_parse (const char *text, gssize n);
void dp_mineru_layout_free (DpMineruLayout *layout);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (DpMineruLayout, dp_mineru_layout_free)

DpMineruBlock *dp_mineru_block_new (DpMineruType type, const double box[4], int angle);
void dp_mineru_block_free (DpMineruBlock *block);

/* The part of inner's area that lies in outer, 0..1; 0 for an inner without area. */
double dp_mineru_cover (const double inner[4], const double outer[4]);

/* After recognition: an equation_block that covers more than one equation (over 0.9 of each) takes their place as one equation,
 * dp_latex_join() of their contents; other equation_blocks go.  blocks: DpMineruBlock * with dp_mineru_block_free. */
void dp_mineru_join_equations (GPtrArray *blocks);

G_END_DECLS
