/* pipeline/model_blocks.h - one page's regions, as a model found and read them, as blocks of the document.
 *
 * Nothing here talks to a model or to the PDF: regions and answers in, blocks out.
 */
#pragma once

#include "layout/layout.h"
#include "vlm/protocols/mineru.h"

G_BEGIN_DECLS

typedef struct {
  guint number; /* of the page, 1-based */
  float width, height;
  GPtrArray *regions; /* DpMineruBlock in reading order; tag = 1 + index into own */
  DpRegionText *text; /* the page's own text, or NULL: there is none that can be believed */
  gboolean use_text;  /* it is printed for whatever is text; FALSE: it is only compared with what the model reads */
  GPtrArray *own;     /* DpBlock or NULL by tag: that text, region by region; dp_model_take_text() */
} DpModelPage;

void dp_model_page_clear (DpModelPage *page);

/* Gives every region its tag and its part of the page's own text. */
void dp_model_take_text (DpModelPage *page);

/* TRUE where the page's own text answers for the region: the model need not be asked. */
gboolean dp_model_has_text (const DpModelPage *page, const DpMineruBlock *region);

/* TRUE where the page's own text is used and all that the region shows is other regions' text: it would be printed twice. */
gboolean dp_model_is_repeated (const DpModelPage *page, const DpMineruBlock *region);

/* The page's blocks (DpBlock, new) in reading order; regions are finished (dp_mineru_finish()).  Captions and notes are
 * bound, members of lists and pictures gathered, formulas numbered, texts joined that go on inside of the page.  Text of the page that no
 * region covers comes as paragraphs.  goes_on: the model says that the page's first text goes on from the page before. */
GPtrArray *dp_model_blocks (DpModelPage *page, gboolean *goes_on);

/* TRUE for what running text is made of and joins pass over: figures, tables, code, notes, furniture. */
gboolean dp_model_is_aside (DpBlockKind kind);

/* Appends the second paragraph's text and place to the first one's. */
void dp_model_join (DpBlock *first, const DpBlock *second);

G_END_DECLS
