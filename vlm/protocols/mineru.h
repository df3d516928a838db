/* vlm/protocols/mineru.h - how MinerU2.5 is asked and what becomes of its answers.
 *
 * A page is read in two steps: one question on a small square picture of the page gives blocks (mineru_layout.h), one question on
 * a crop at full resolution gives the content of each block that needs it; a third kind, without a picture, asks whether the cells of a
 * table go on over a page break.  Prompts, sampling, sizes and thresholds are those of mineru-vl-utils 1.2 (client and post_process).
 * Nothing here talks to a model: questions are filled in, answers are put into blocks and repaired, so recorded answers test it all.
 */
#pragma once

#include "vlm/engine.h"
#include "vlm/protocols/mineru_layout.h"

G_BEGIN_DECLS

/* ---- questions (mineru_prompts.c) ---------------------------------------------------------------- */

typedef enum {
  DP_MINERU_ASK_LAYOUT,
  DP_MINERU_ASK_TEXT,
  DP_MINERU_ASK_TABLE,
  DP_MINERU_ASK_FORMULA,
  DP_MINERU_ASK_IMAGE, /* image analysis */
  DP_MINERU_ASK_MERGE, /* text only; the prompt is dp_mineru_merge_prompt() */
  DP_MINERU_N_QUESTIONS
} DpMineruQuestion;

/* "layout", "text", ...: in messages. */
const char *dp_mineru_question_name (DpMineruQuestion question);

/* Which question a block of this type is read with. */
DpMineruQuestion dp_mineru_question_of (DpMineruType type);

/* The first token that answers to the layout question are spelled with and that the tokenizer lacks; NULL: it has them all.  One that
 * lacks any is not of a model of this kind. */
const char *dp_mineru_missing_token (const DpTokenizer *tokenizer);

/* Fills prompt (static; NULL for MERGE), sampling, max_tokens and loop_guard; leaves image and priority.  Greedy after presence and
 * frequency penalties on output tokens, no 100 tokens twice.  The caps on answers are docparse's own, far above what a
 * region of a page holds: the reference stops where the model's context ends. */
void dp_mineru_fill_request (DpMineruQuestion question, DpRequest *request);

/* Resolution to render a page of so many points at: 200 dpi, the longer side at most 3500 pixels. */
double dp_mineru_page_dpi (double width, double height);

#define DP_MINERU_LAYOUT_SIDE 1036

/* The page as the layout question wants it: a square of so many pixels, aspect ratio not kept.  New surface, or NULL with an error. */
cairo_surface_t *dp_mineru_layout_picture (cairo_surface_t *page, GError **error);

/* ---- what is read (mineru_select.c) --------------------------------------------------------------- */

typedef struct {
  gboolean image_analysis;
  guint32 leave; /* bits 1 << DpMineruType: types that somebody else reads */
} DpMineruSelection;

typedef struct {
  guint block; /* index */
  DpMineruQuestion question;
} DpMineruReading;

/* Drops captions inside pictures, gives the pictures inside tables to their tables (absorbed, DpMineruBlock.pictures, with codes
 * that depend on nothing but their order) and says which blocks to read: an array of DpMineruReading by block; g_array_unref().
 * Containers are not read; pictures are where analysis is on, they are large enough and not part of an image_block. */
GArray *dp_mineru_select (GPtrArray *blocks, const DpMineruSelection *selection);

/* ---- crops (mineru_crop.c) -------------------------------------------------------------------------- */

/* The block's picture out of the page's, turned upright, the pictures of a table painted over with their codes, then padded and
 * scaled where it is too thin.  New surface; NULL with an error, also when less than one pixel would be left. */
cairo_surface_t *dp_mineru_crop (cairo_surface_t *page, const DpMineruBlock *block, GError **error);

/* ---- answers (mineru_answer.c) ----------------------------------------------------------------------- */

/* All contents are there (NULL: not asked, or no answer): tables become HTML with spans, formulas in them <eq>..</eq>, pictures
 * <img src="#N"/> (N: index into pictures); analysed images take their class's type; [Non-Text] goes; list_item becomes text; formulas and
 * texts are repaired (latex.h), equation blocks joined, formulas wrapped in \[ \]; absorbed pictures leave. */
void dp_mineru_finish (GPtrArray *blocks);

/* The answer to image analysis (mineru_image.c): type, sub_type, caption and content of an image or chart block. */
void dp_mineru_take_analysis (DpMineruBlock *block, const char *answer);

/* ---- parts of it, each its own file ------------------------------------------------------------------- */

/* A chart's Markdown table without endless repetition (mineru_chart.c): unchanged where nothing repeats, else the largest well-formed
 * table in it, normalised; "" where the rows do not form a table. */
char *dp_mineru_chart (const char *content);
/* TRUE: something repeats as in a loop. */
gboolean dp_mineru_chart_repeats (const char *content);
/* A Markdown table as HTML, its first row as th; NULL if content is anything else. */
char *dp_mineru_markdown_table (const char *content);

/* A flowchart as a fenced Mermaid graph with the model's common slips repaired (mineru_mermaid.c); "" where it repeats
 * itself as in a loop. */
char *dp_mineru_flowchart (const char *content);
/* mineru_repeats.c */
gboolean dp_mineru_mermaid_repeats (const char *content);

/* ---- tables over page breaks (mineru_merge.c) ----------------------------------------------------------- */

/* The question whether the cells of a row go on in the row at the top of the next page; caller frees. */
char *dp_mineru_merge_prompt (const char *const *last_row, const char *const *first_row, guint n);

/* One flag per cell from the answer; FALSE (flags untouched) unless it is a list of n zeros and ones. */
gboolean dp_mineru_merge_answer (const char *answer, guint n, guint8 *flags);

G_END_DECLS
