/* pipeline/model_page.c - the stations of a page: picture -> layout asked -> regions asked -> finished. */
#include "pipeline/model_page.h"

#include "pipeline/model_blocks.h"

#include <string.h>

/* Texts with less agreement are doubtful, if they are long enough to tell. */
#define LEAST_AGREEMENT 0.8f
#define SHORTEST_DOUBT 20 /* characters */
/* Text outside of all regions: more than this share is doubtful where it is kept, more than so many characters (a line) where not. */
#define MOST_OUTSIDE 0.1
#define MOST_MISSING 60

typedef struct {
  DpMineruQuestion question;
  gpointer ticket;
  DpMineruBlock *region; /* borrowed */
} Reading;

/* What went wrong on a page. */
typedef struct {
  guint failed, looped, cut, doubtful;
  char *message;      /* of the first failure */
  gboolean no_answer; /* about the layout, which is what failed */
  gboolean no_layout; /* in the answer */
  gboolean outside, missing;
} Troubles;

typedef struct {
  DpModelFlow *flow;
  guint item;
  DpPage *page;
  DpModelText use;
  cairo_surface_t *picture; /* until the regions are cut out */
  DpModelPage parts;
  GArray *readings; /* Reading */
  Troubles troubles;
} Page;

struct DpModelFlow {
  DpModelFlowOptions options;
  DpModelDone done;
  gpointer data;
  DpModelPlaces *places, *own; /* own: the same, or NULL */
  GMutex lock;
  GCond finished;
  guint under_way;   /* pages; under lock */
  gboolean given_up; /* done() is not called any more; under lock, which it is called under */
};

/* ---- life ------------------------------------------------------------------------------------------------ */

DpModelFlow *
dp_model_flow_new (const DpModelFlowOptions *options, DpModelDone done, gpointer data)
{
  DpModelFlow *flow = g_new0 (DpModelFlow, 1);

  flow->options = *options;
  flow->done = done;
  flow->data = data;
  flow->own = options->places ? NULL : dp_model_places_new (DP_MODEL_PLACES);
  flow->places = options->places ? options->places : flow->own;
  g_mutex_init (&flow->lock);
  g_cond_init (&flow->finished);
  return flow;
}

static void
page_free (Page *p)
{
  dp_model_page_clear (&p->parts);
  g_clear_pointer (&p->picture, cairo_surface_destroy);
  g_clear_pointer (&p->readings, g_array_unref);
  g_free (p->troubles.message);
  dp_page_free (p->page);
  g_free (p);
}

/* ---- questions -------------------------------------------------------------------------------------------- */

static gpointer
ask (const DpModelFlow *flow, DpMineruQuestion question, guint item, cairo_surface_t *image)
{
  DpRequest request = { .image = image, .priority = (gint) MIN (item, (guint) G_MAXINT) };

  dp_mineru_fill_request (question, &request);
  if (flow->options.no_penalties) {
    request.sampling.presence = request.sampling.frequency = 0;
    request.sampling.no_repeat_ngram = 0;
  }
  return dp_ask (flow->options.answerer, &request); /* cppcheck-suppress returnDanglingLifetime ; it copies what it keeps */
}

static DpAnswer *
wait_for (const DpModelFlow *flow, gpointer ticket)
{
  return flow->options.answerer->wait (flow->options.answerer, ticket);
}

static void
note_failure (Troubles *t, DpMineruQuestion question, const char *why)
{
  if (question == DP_MINERU_ASK_LAYOUT)
    t->no_answer = TRUE;
  else
    t->failed++;
  if (!t->message)
    t->message = g_strdup_printf ("%s: %s", dp_mineru_question_name (question), why);
}

/* Takes the answer's text out of it; NULL: there is none. */
static char *
text_of (Troubles *t, DpMineruQuestion question, DpAnswer *answer)
{
  t->looped += answer->finish == DP_FINISH_LOOP;
  t->cut += answer->finish == DP_FINISH_LENGTH;
  if (answer->finish == DP_FINISH_FAILED || answer->finish == DP_FINISH_CANCELLED || !answer->text) {
    note_failure (t, question, answer->error ? answer->error->message : "stopped before it was answered");
    return NULL;
  }
  return g_utf8_make_valid (answer->text, -1);
}

/* ---- first step: the layout --------------------------------------------------------------------------------- */

/* The ticket of the question, or NULL. */
static gpointer
ask_layout (const DpModelFlow *flow, Page *p)
{
  g_autoptr (GError) error = NULL;
  cairo_surface_t *small = dp_mineru_layout_picture (p->picture, &error);
  gpointer ticket = NULL;

  if (small) {
    ticket = ask (flow, DP_MINERU_ASK_LAYOUT, p->item, small);
    cairo_surface_destroy (small);
  } else
    note_failure (&p->troubles, DP_MINERU_ASK_LAYOUT, error->message);
  return ticket;
}

/* Regions of the page, or NULL: the model could not say. */
static GPtrArray *
read_layout (const DpModelFlow *flow, Page *p)
{
  static const double everywhere[4] = { 0, 0, 1, 1 };
  gpointer ticket = ask_layout (flow, p);

  if (!ticket)
    return NULL;
  g_autoptr (DpAnswer) answer = wait_for (flow, ticket);
  g_autofree char *text = text_of (&p->troubles, DP_MINERU_ASK_LAYOUT, answer);
  if (!text)
    return NULL;
  g_autoptr (DpMineruLayout) layout = dp_mineru_layout_parse (text, -1);
  if (layout->unmatched) {
    p->troubles.no_layout = TRUE;
    if (p->use == DP_MODEL_TEXT_USE)
      return NULL; /* the page's own text has a layout, too */
    g_ptr_array_add (layout->blocks, dp_mineru_block_new (DP_MINERU_TEXT, everywhere, 0));
  }
  return g_steal_pointer (&layout->blocks);
}

/* ---- second step: the regions ----------------------------------------------------------------------------------- */

static void
ask_region (const DpModelFlow *flow, Page *p, const DpMineruReading *wanted)
{
  Reading reading = { .question = wanted->question, .region = g_ptr_array_index (p->parts.regions, wanted->block) };
  g_autoptr (GError) error = NULL;

  if (dp_model_has_text (&p->parts, reading.region))
    return;
  if (dp_model_is_repeated (&p->parts, reading.region)) {
    reading.region->content = g_strdup ("");
    return;
  }
  cairo_surface_t *crop = dp_mineru_crop (p->picture, reading.region, &error);
  if (!crop) {
    note_failure (&p->troubles, reading.question, error->message);
    return;
  }
  reading.ticket = ask (flow, reading.question, p->item, crop);
  cairo_surface_destroy (crop);
  g_array_append_val (p->readings, reading);
}

static void
ask_regions (const DpModelFlow *flow, Page *p)
{
  const DpMineruSelection selection = { .image_analysis = flow->options.image_analysis };

  p->parts.regions = read_layout (flow, p);
  if (p->parts.regions) {
    p->parts.number = p->page->number;
    p->parts.width = p->page->width;
    p->parts.height = p->page->height;
    p->parts.use_text = p->use == DP_MODEL_TEXT_USE;
    if (p->use != DP_MODEL_TEXT_NONE)
      p->parts.text = dp_region_text_new (p->page, &flow->options.layout);
    g_autoptr (GArray) wanted = dp_mineru_select (p->parts.regions, &selection);
    dp_model_take_text (&p->parts);
    for (guint i = 0; i < wanted->len; i++)
      ask_region (flow, p, &g_array_index (wanted, DpMineruReading, i));
  }
  g_clear_pointer (&p->picture, cairo_surface_destroy);
}

static void
read_regions (const DpModelFlow *flow, Page *p)
{
  for (guint i = 0; i < p->readings->len; i++) {
    Reading *reading = &g_array_index (p->readings, Reading, i);
    g_autoptr (DpAnswer) answer = wait_for (flow, g_steal_pointer (&reading->ticket));
    reading->region->content = text_of (&p->troubles, reading->question, answer);
    reading->region->confidence = answer->confidence;
  }
}

/* ---- the end -------------------------------------------------------------------------------------------------------- */

static void
count_doubts (const GPtrArray *blocks, Troubles *t)
{
  for (guint i = 0; i < blocks->len; i++) {
    const DpBlock *block = g_ptr_array_index (blocks, i);
    g_autofree char *text
        = block->agreement >= 0 && block->agreement < LEAST_AGREEMENT && !block->table ? dp_spans_to_text (block->spans) : NULL;
    t->doubtful += block->agreement >= 0 && block->agreement < LEAST_AGREEMENT
                   && (block->table || block->text || g_utf8_strlen (text, -1) >= SHORTEST_DOUBT);
    count_doubts (block->children, t);
  }
}

static void
append_count (GString *out, guint n, const char *what)
{
  if (n)
    g_string_append_printf (out, "%s%u region%s %s", out->len ? "; " : "", n, n == 1 ? "" : "s", what);
}

/* What the report says of the page. */
static void
judge (const Troubles *t, guint n_truncated, DpModelResult *result)
{
  g_autoptr (GString) reason = g_string_new (NULL);

  append_count (reason, t->failed, "could not be read");
  if (t->no_answer)
    g_string_append (reason, "the model could not look for regions");
  if (t->message)
    g_string_append_printf (reason, " (%s)", t->message);
  append_count (reason, t->looped, "made the model go round in circles, what it had read is kept");
  append_count (reason, t->cut, "had more text than the model may write");
  if (n_truncated)
    g_string_append_printf (reason, "%s%u objects beyond the limit of a page were left out", reason->len ? "; " : "", n_truncated);
  if (t->no_layout && !result->layout)
    g_string_append_printf (reason, "%sthe model found no regions", reason->len ? "; " : "");
  if (t->no_answer && result->layout)
    g_string_append (reason, "; the page's own text was laid out");
  if (reason->len)
    result->state = DP_PAGE_INCOMPLETE;
  if (t->no_layout && result->layout) /* nothing is missing */
    g_string_append_printf (reason, "%sthe model found no regions, %s", reason->len ? "; " : "",
                            result->layout->blocks ? "the page was read as one" : "the page's own text was laid out");
  append_count (reason, t->doubtful, "on which the model and the page's own text differ");
  if (t->outside)
    g_string_append_printf (reason, "%stext outside of the regions that the model found is kept", reason->len ? "; " : "");
  if (t->missing)
    g_string_append_printf (reason, "%sthe page has text outside of the regions that the model found, which is missing",
                            reason->len ? "; " : "");
  if (reason->len && result->state == DP_PAGE_READ)
    result->state = DP_PAGE_DOUBTFUL;
  result->reason = reason->len ? g_string_free (g_steal_pointer (&reason), FALSE) : NULL;
}

/* Words that a reader would not see stay known as such. */
static void
add_hidden_words (DpPageLayout *layout, const DpPage *page, const DpLayoutOptions *options)
{
  g_autofree guint8 *hidden = g_malloc0 (page->n_glyphs + 1);

  dp_layout_hidden (layout, page, options, hidden);
  if (memchr (hidden, 1, page->n_glyphs))
    dp_layout_words (layout, page, hidden);
}

static void
note_outside (Page *p)
{
  const gsize left = p->parts.text ? dp_region_text_left (p->parts.text) : 0;

  p->troubles.outside = p->parts.use_text && (double) left > MOST_OUTSIDE * (double) p->page->n_glyphs;
  p->troubles.missing = !p->parts.use_text && left > MOST_MISSING;
}

static void
hand_over (DpModelFlow *flow, DpModelResult *result)
{
  g_mutex_lock (&flow->lock);
  if (!flow->given_up)
    flow->done (result, flow->data);
  g_mutex_unlock (&flow->lock);
}

static void
finish_page (DpModelFlow *flow, Page *p)
{
  const DpLayoutOptions *options = &flow->options.layout;
  DpModelResult result = { .item = p->item, .state = DP_PAGE_READ };

  if (p->parts.regions) {
    note_outside (p);
    dp_mineru_finish (p->parts.regions);
    result.layout = dp_page_layout_new (p->page);
    if (p->parts.use_text)
      add_hidden_words (result.layout, p->page, options);
    dp_layout_notes (result.layout, p->page);
    result.layout->blocks = dp_model_blocks (&p->parts, &result.goes_on);
    count_doubts (result.layout->blocks, &p->troubles);
  } else if (p->use == DP_MODEL_TEXT_USE)
    result.layout = dp_layout_page (p->page, options);
  judge (&p->troubles, p->use == DP_MODEL_TEXT_USE ? p->page->n_truncated : 0, &result);
  if (!result.layout) {
    result.layout = dp_page_layout_new (p->page);
    result.layout->needs_model = TRUE;
    result.state = DP_PAGE_NEEDS_MODEL;
  }
  if (result.state > DP_PAGE_DOUBTFUL)
    result.layout->reason = g_strdup (result.reason);
  hand_over (flow, &result);
  g_clear_pointer (&result.layout, dp_page_layout_free);
  g_free (result.reason);
}

/* ---- the stations ------------------------------------------------------------------------------------------------------ */

static gpointer
live (gpointer data)
{
  Page *p = data;
  DpModelFlow *flow = p->flow;

  ask_regions (flow, p);
  read_regions (flow, p);
  finish_page (flow, p);
  page_free (p);
  dp_model_places_give (flow->places);
  g_mutex_lock (&flow->lock);
  if (--flow->under_way == 0)
    g_cond_broadcast (&flow->finished);
  g_mutex_unlock (&flow->lock);
  return NULL;
}

void
dp_model_flow_enter (DpModelFlow *flow)
{
  dp_model_places_take (flow->places);
}

void
dp_model_flow_leave (DpModelFlow *flow)
{
  dp_model_places_give (flow->places);
}

void
dp_model_flow_add (DpModelFlow *flow, guint item, DpPage *page, DpModelText text, cairo_surface_t *picture)
{
  Page *p = g_new0 (Page, 1);

  *p = (Page){
    .flow = flow, .item = item, .page = page, .use = text, .picture = picture, .readings = g_array_new (FALSE, FALSE, sizeof (Reading))
  };
  g_mutex_lock (&flow->lock);
  flow->under_way++;
  g_mutex_unlock (&flow->lock);
  GThread *thread = g_thread_try_new ("page", live, p, NULL);
  if (thread)
    g_thread_unref (thread);
  else
    live (p);
}

gboolean
dp_model_flow_is_busy (DpModelFlow *flow)
{
  g_mutex_lock (&flow->lock);
  const gboolean busy = flow->under_way > 0;
  g_mutex_unlock (&flow->lock);
  return busy;
}

void
dp_model_flow_drain (DpModelFlow *flow)
{
  g_mutex_lock (&flow->lock);
  while (flow->under_way > 0)
    g_cond_wait (&flow->finished, &flow->lock);
  g_mutex_unlock (&flow->lock);
}

void
dp_model_flow_give_up (DpModelFlow *flow)
{
  g_mutex_lock (&flow->lock);
  flow->given_up = TRUE;
  g_mutex_unlock (&flow->lock);
}

void
dp_model_flow_free (DpModelFlow *flow)
{
  if (!flow)
    return;
  dp_model_flow_give_up (flow);
  dp_model_flow_drain (flow);
  g_mutex_clear (&flow->lock);
  g_cond_clear (&flow->finished);
  dp_model_places_free (flow->own);
  g_free (flow);
}
