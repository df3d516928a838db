/* pipeline/model_page.h - pages read by a document model in two steps, several pages on their way at a time.
 *
 * A page that has a place (pipeline/model_places.h) is added with its picture and lives on a thread of its own, which hardly ever has
 * anything to do: it asks for the layout and waits, cuts out the regions, asks for them all and waits, and finishes the page.  So the
 * layout of one page, the regions of another and the pictures of the next are worked on side by side, over documents too, no page
 * waits for another one's answer, and the number of page pictures and crops in memory is bounded.  Earlier pages are answered first.
 */
#pragma once

#include "layout/layout.h"
#include "pipeline/model_places.h"
#include "pipeline/report.h"
#include "vlm/engine.h"

G_BEGIN_DECLS

typedef struct {
  DpAnswerer *answerer;  /* borrowed */
  DpModelPlaces *places; /* borrowed, shared by all flows of a run; NULL: DP_MODEL_PLACES of its own */
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

/* Takes layout and reason out of result or leaves them to be freed.  Called on the page's thread, for one page at a time. */
typedef void (*DpModelDone) (DpModelResult *result, gpointer data);

typedef struct DpModelFlow DpModelFlow;

DpModelFlow *dp_model_flow_new (const DpModelFlowOptions *options, DpModelDone done, gpointer data);
/* Nobody is told of a page any more. */
void dp_model_flow_give_up (DpModelFlow *flow);
/* Gives up, and waits for the pages that are on their way. */
void dp_model_flow_free (DpModelFlow *flow);

/* How the page's own text is used. */
typedef enum {
  DP_MODEL_TEXT_NONE,    /* it cannot be believed, or there is none */
  DP_MODEL_TEXT_COMPARE, /* the model reads everything; the text only shows how far the two agree */
  DP_MODEL_TEXT_USE,     /* it is printed; the model reads tables, formulas, pictures and what has no text */
} DpModelText;

/* Waits for a place for a page, so that its picture can be made.  One dp_model_flow_add() or dp_model_flow_leave() follows.  From any
 * thread, as the others. */
void dp_model_flow_enter (DpModelFlow *flow);
/* The place is not needed. */
void dp_model_flow_leave (DpModelFlow *flow);

/* Puts a page into the place: item is its number for done() and its priority with the model; page and picture (RGB24, of the whole page)
 * are taken.  Where no thread can be started, the page is finished before this returns. */
void dp_model_flow_add (DpModelFlow *flow, guint item, DpPage *page, DpModelText text, cairo_surface_t *picture);

/* TRUE while pages are on their way. */
gboolean dp_model_flow_is_busy (DpModelFlow *flow);

/* Waits until all pages are finished; nobody adds any meanwhile. */
void dp_model_flow_drain (DpModelFlow *flow);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (DpModelFlow, dp_model_flow_free)

G_END_DECLS
