/* pipeline/model_page.h - pages read by a document model in two steps, several pages on their way at a time.
 *
 * A page is added with its picture; its layout is asked for at once.  When enough later pages have been added, its regions are cut
 * out and asked for, and when enough of those are on their way, the oldest page is waited for and finished.  So the layout of one page, the
 * regions of the one before and the pictures of the next are worked on side by side, questions never wait for one another, and the
 * number of page pictures and crops in memory is bounded.  Earlier pages are answered first.
 */
#pragma once

#include "layout/layout.h"
#include "pipeline/report.h"
#include "vlm/engine.h"

G_BEGIN_DECLS

typedef struct {
  DpAnswerer *answerer; /* borrowed */
  DpLayoutOptions layout;
  gboolean image_analysis; /* charts, flowcharts and pictures are described */
  gboolean no_penalties;   /* plain greedy decoding, as Hugging Face transformers does */
} DpModelFlowOptions;

/* What became of a page. */
typedef struct {
  guint item;
  DpPageLayout *layout; /* with blocks; without where the model failed: the page's own text laid out, or nothing (needs_model) */
  DpPageState state;
  char *reason;     /* NULL where state is READ */
  gboolean goes_on; /* its first text goes on from the page before, the model says */
} DpModelResult;

/* Takes layout and reason out of result or leaves them to be freed.  Called on the thread that adds or drains. */
typedef void (*DpModelDone) (DpModelResult *result, gpointer data);

typedef struct DpModelFlow DpModelFlow;

DpModelFlow *dp_model_flow_new (const DpModelFlowOptions *options, DpModelDone done, gpointer data);
/* Pages that were not finished are waited for and dropped. */
void dp_model_flow_free (DpModelFlow *flow);

/* How the page's own text is used. */
typedef enum {
  DP_MODEL_TEXT_NONE,    /* it cannot be believed, or there is none */
  DP_MODEL_TEXT_COMPARE, /* the model reads everything; the text only shows how far the two agree */
  DP_MODEL_TEXT_USE,     /* it is printed; the model reads tables, formulas, pictures and what has no text */
} DpModelText;

/* Adds a page: item is its number for done() and its place in the queue, page and picture (RGB24, of the whole page) are taken.  Finishes
 * the oldest pages where too many are on their way.  From any thread. */
void dp_model_flow_add (DpModelFlow *flow, guint item, DpPage *page, DpModelText text, cairo_surface_t *picture);

/* Finishes all pages; nobody adds any meanwhile. */
void dp_model_flow_drain (DpModelFlow *flow);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (DpModelFlow, dp_model_flow_free)

G_END_DECLS
