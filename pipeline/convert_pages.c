/* pipeline/convert_pages.c - each page of a document: its text layer if that can be believed, else what a recogniser or a model
 * reads, else a picture.  A page's glyphs are freed as soon as its layout is made. */
#include "pipeline/convert_private.h"

#include <string.h>

#include "pipeline/recognise_page.h"
#include "pipeline/text_layer.h"
#include "pipeline/trust.h"
#include "vlm/protocols/mineru.h"

/* Pages a thread takes at a time: enough that opening the document again pays. */
#define LONGEST_CHUNK 16
#define SHORTEST_CHUNK 8
/* Size given to a page that could not be read at all: US Letter. */
#define UNKNOWN_WIDTH 612
#define UNKNOWN_HEIGHT 792
/* Print is read at 0.85 and more even off a bad fax, handwriting and textures at 0.5: words that nobody wrote are worse than a picture. */
#define LEAST_SURE_PAGE 0.65f

/* Layout of a page without text, with the reason why. */
static DpPageLayout *
empty_layout (const DpPage *page, gboolean needs_model, const char *reason)
{
  DpPageLayout *layout = dp_page_layout_new (page);

  layout->needs_model = needs_model;
  g_free (layout->reason);
  layout->reason = g_strdup (reason);
  return layout;
}

/* The PDF stage names the page, and so do all that print a reason. */
static char *
without_number (const char *reason, guint number)
{
  g_autofree char *page = g_strdup_printf ("page %u", number);
  const char *rest = g_str_has_prefix (reason, page) ? reason + strlen (page) : "";

  if (g_str_has_prefix (rest, ": "))
    return g_strdup (rest + 2);
  return *rest == ' ' ? g_strconcat ("the page", rest, NULL) : g_strdup (reason);
}

static void
page_failed (DpConversion *c, guint item, const char *reason)
{
  const guint number = g_array_index (c->numbers, guint, item);
  const DpPage unknown = { .number = number, .width = UNKNOWN_WIDTH, .height = UNKNOWN_HEIGHT, .strings = "", .n_strings = 1 };
  DpPageResult *result = &c->results[item];

  result->state = DP_PAGE_FAILED;
  result->reason = without_number (reason, number);
  c->layouts[item] = empty_layout (&unknown, FALSE, result->reason);
}

/* Why a page's own text is not enough, or NULL. */
static const char *
reason_to_recognise (DpMethod method, const DpTrust *trust)
{
  if (trust->reason == DP_TRUST_BLANK)
    return NULL;
  if (method == DP_METHOD_OCR)
    return trust->trusted ? "--method ocr asks for recognition" : trust->sentence;
  if (method == DP_METHOD_TEXT && trust->n_glyphs > 0)
    return NULL;
  return trust->trusted ? NULL : trust->sentence;
}

static void
count_reading (DpConversion *c, const DpReadingCost *cost)
{
  gint64 *stage = c->record->stage;

  g_mutex_lock (&c->lock);
  stage[DP_STAGE_LOOK] += cost->look;
  stage[DP_STAGE_PAINT] += cost->paint;
  stage[DP_STAGE_FIND] += cost->find;
  stage[DP_STAGE_RECOGNISE] += cost->read;
  stage[DP_STAGE_LAYOUT] -= cost->look + cost->paint + cost->find + cost->read; /* the clock of the layout runs all the time */
  g_mutex_unlock (&c->lock);
}

/* What a recogniser makes of a page whose text is not enough, or of pictures of text on one whose text is; NULL if there
 * is nothing to add, with *failure (owned) if it was needed. */
static DpPage *
recognise (DpConversion *c, DpPdf *pdf, const DpPage *page, gboolean needed, guint item, char **failure)
{
  const DpRecogniser *recogniser = c->setup->recogniser;
  DpPageResult *result = &c->results[item];
  g_autoptr (GError) error = NULL;
  guint n_chars = 0;

  result->in_parts = !needed;
  if (!needed && c->setup->options->method != DP_METHOD_AUTO)
    return NULL;
  DpReadingCost cost = { 0 };
  DpPage *read = needed ? dp_recognise_page (recogniser, pdf, page, &result->reading, &cost, &error)
                        : dp_recognise_parts (recogniser, pdf, page, &result->reading, &cost);
  count_reading (c, &cost);
  if (!needed)
    return read;
  if (!read) {
    *failure = g_strdup (error->message);
    return NULL;
  }
  const float sure = dp_page_reading_confidence (result->reading, &n_chars);
  if (n_chars > 0 && sure < LEAST_SURE_PAGE)
    *failure = g_strdup_printf ("the built-in reader is not sure of what it read (confidence %.2f): handwriting, or too faint or too small",
                                (double) sure);
  if (*failure || (n_chars == 0 && page->n_glyphs > 0)) { /* its own text is wrong, and nothing better was found */
    g_clear_pointer (&read, dp_page_free);
    g_clear_pointer (&result->reading, dp_page_reading_free);
  }
  return read;
}

/* A page is back from the model. */
static void
model_done (DpModelResult *result, gpointer data)
{
  DpConversion *c = data;
  DpPageResult *mine = &c->results[result->item];

  mine->state = result->state;
  mine->reason = g_steal_pointer (&result->reason);
  c->layouts[result->item] = g_steal_pointer (&result->layout);
  c->goes_on[result->item] = result->goes_on;
  if (c->setup->progress)
    dp_progress_page_done (c->setup->progress);
}

/* Sends the page to the model, which takes it; FALSE: the model is not asked, or there is no picture of the page. */
static gboolean
send_to_model (DpConversion *c, DpPdf *pdf, DpPage **page, guint item)
{
  const DpMethod method = c->setup->options->method;
  const DpRect whole = { 0, 0, (*page)->width, (*page)->height };
  g_auto (DpTrust) trust = { 0 };
  g_autoptr (GError) error = NULL;

  if (!c->flow)
    return FALSE;
  dp_trust_judge (*page, &trust);
  if (trust.reason == DP_TRUST_BLANK || (method == DP_METHOD_TEXT && trust.n_glyphs > 0))
    return FALSE;
  dp_model_flow_enter (c->flow);
  cairo_surface_t *picture
      = dp_pdf_render (pdf, (*page)->number, whole, dp_mineru_page_dpi ((*page)->width, (*page)->height), FALSE, &error);
  if (!picture) {
    dp_model_flow_leave (c->flow);
    return FALSE;
  }
  dp_model_flow_add (c->flow, item, g_steal_pointer (page),
                     !trust.trusted            ? DP_MODEL_TEXT_NONE
                     : method == DP_METHOD_OCR ? DP_MODEL_TEXT_COMPARE
                                               : DP_MODEL_TEXT_USE,
                     picture);
  return TRUE;
}

static void
needs_model (DpConversion *c, const DpPage *page, guint item, const char *reason)
{
  DpPageResult *result = &c->results[item];

  result->state = DP_PAGE_NEEDS_MODEL;
  g_free (result->reason); /* that objects were left out */
  result->reason = without_number (reason, page->number);
  c->layouts[item] = empty_layout (page, TRUE, result->reason);
}

/* Something is on the page, but neither text nor a figure came of it. */
static gboolean
came_out_empty (const DpPageReading *reading, const DpPageLayout *layout)
{
  for (guint i = 0; i < layout->regions->len; i++)
    if (g_array_index (layout->regions, DpRegion, i).kind != DP_REGION_TEXT)
      return FALSE;
  return reading->pictures->len + reading->paths->len > 0 && layout->words->len == 0;
}

/* For a searchable PDF.  n_glyphs: of the page before it was read. */
static void
keep_words (DpPageResult *result, const DpPageLayout *layout, gboolean read, gsize n_glyphs)
{
  const gboolean whole = read && !result->in_parts;

  result->words = dp_text_layer_of (layout, whole, 0);
  result->twice = whole && n_glyphs > 0;
  if (read)
    result->added = whole ? g_array_ref (result->words) : dp_text_layer_of (layout, FALSE, n_glyphs);
}

/* One page: its text layer if it can be believed, else what a recogniser reads, else a picture. */
static void
lay_out (DpConversion *c, DpPdf *pdf, const DpPage *page, guint item)
{
  const DpOptions *o = c->setup->options;
  const DpLayoutOptions layout_options = { .figure_text = o->figure_text, .no_tags = o->no_tags };
  DpPageResult *result = &c->results[item];
  g_auto (DpTrust) trust = { 0 };
  g_autoptr (DpPage) read = NULL;

  dp_trust_judge (page, &trust);
  const char *reason = reason_to_recognise (o->method, &trust);
  g_autofree char *failure = NULL;
  if (reason && o->method == DP_METHOD_AUTO && trust.foreign) {
    result->state = DP_PAGE_INCOMPLETE;
    result->reason = without_number (reason, page->number);
    reason = NULL;
  }
  if (c->setup->recogniser)
    read = recognise (c, pdf, page, reason != NULL, item, &failure);

  if (reason && !read) {
    needs_model (c, page, item, failure ? failure : reason);
    return;
  }
  if (page->n_truncated) {
    result->state = DP_PAGE_INCOMPLETE;
    g_free (result->reason);
    result->reason = g_strdup_printf ("%u objects beyond the limit of a page were left out", page->n_truncated);
  }
  c->layouts[item] = dp_layout_page (read ? read : page, &layout_options);
  if (read && !result->in_parts && came_out_empty (result->reading, c->layouts[item])) {
    dp_page_layout_free (c->layouts[item]);
    needs_model (c, page, item, "no text could be read on its picture");
    return;
  }
  if (o->formats & 1u << DP_FORMAT_PDF)
    keep_words (result, c->layouts[item], read != NULL, page->n_glyphs);
}

/* While this page is laid out, the PDF process reads the next. */
static void
ask_ahead (const DpConversion *c, DpPdf *pdf, guint item)
{
  if (item < c->numbers->len && !dp_conversion_stopped (c))
    dp_pdf_page_ahead (pdf, g_array_index (c->numbers, guint, item));
}

static void
read_page (DpReaders *readers, DpPdf *pdf, guint item, gpointer data)
{
  DpConversion *c = data;
  gint64 since = g_get_monotonic_time ();
  g_autoptr (GError) error = NULL;
  g_autoptr (DpPage) page = dp_pdf_page (pdf, g_array_index (c->numbers, guint, item), &error);

  dp_conversion_clock (c, DP_STAGE_READ, &since);
  if ((item + 1) % c->chunk) /* the next one is this thread's, too */
    ask_ahead (c, pdf, item + 1);
  if (page && send_to_model (c, pdf, &page, item)) {
    dp_conversion_clock (c, DP_STAGE_LAYOUT, &since);
    return; /* model_done() goes on */
  }
  if (page) {
    lay_out (c, pdf, page, item);
    dp_conversion_clock (c, DP_STAGE_LAYOUT, &since);
  } else {
    dp_readers_given_up (readers, error);
    page_failed (c, item, error->message);
  }
  if (c->setup->progress)
    dp_progress_page_done (c->setup->progress);
}

/* Pages that a model could not read fall to the recogniser. */
static void
read_again (DpConversion *c)
{
  DpPdf *pdf = dp_readers_own (c->readers);

  for (guint i = 0; c->setup->recogniser && i < c->numbers->len && !dp_conversion_stopped (c); i++) {
    DpPageResult *result = &c->results[i];
    if (!c->layouts[i] || result->state != DP_PAGE_NEEDS_MODEL || dp_readers_given_up (c->readers, NULL))
      continue;
    g_autoptr (GError) error = NULL;
    g_autoptr (DpPage) page = dp_pdf_page (pdf, g_array_index (c->numbers, guint, i), &error);
    g_autofree char *why = g_steal_pointer (&result->reason);
    g_autoptr (DpPageLayout) picture = g_steal_pointer (&c->layouts[i]);
    if (page) {
      result->state = DP_PAGE_READ;
      lay_out (c, pdf, page, i);
    } else
      c->layouts[i] = g_steal_pointer (&picture);
    if (result->state == DP_PAGE_READ)
      result->state = DP_PAGE_DOUBTFUL;
    if (!result->reason)
      result->reason = page ? g_strconcat (why, "; the built-in reader took over", NULL) : g_steal_pointer (&why);
  }
}

/* While the model has the pages, another document may be read. */
static void
wait_for_model (DpConversion *c)
{
  if (!dp_model_flow_is_busy (c->flow))
    return;
  dp_crew_rest (c->setup->crew);
  dp_model_flow_drain (c->flow);
  dp_crew_return (c->setup->crew);
}

void
dp_convert_pages (DpConversion *c)
{
  const guint fair = c->numbers->len / (4 * dp_crew_size (c->setup->crew));

  c->chunk = CLAMP (fair, SHORTEST_CHUNK, LONGEST_CHUNK);
  if (c->setup->model)
    c->flow = dp_model_flow_new (c->setup->model, model_done, c);
  dp_readers_each (c->readers, c->numbers->len, c->chunk, read_page, c);
  if (c->flow && !dp_conversion_stopped (c))
    wait_for_model (c);
  if (c->flow)
    read_again (c);
  if (dp_conversion_stopped (c))
    return;
  for (guint i = 0; i < c->numbers->len; i++)
    if (!c->layouts[i])
      page_failed (c, i, "not tried, the document was given up after two pages that broke the PDF library");
}
