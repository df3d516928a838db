/* pipeline/convert.c - the life of one document, from top to bottom of this file's last function:
 *
 *   open -> which pages -> each page: glyphs, trust, layout -> the document's tree
 *        -> pictures -> every format -> names of files
 *
 * A page that fails costs that page: it stays in the document as a placeholder, and the
 * record says why.  A page's glyphs are freed as soon as its layout is made.
 */
#include "pipeline/convert.h"

#include "layout/layout.h"
#include "output/output.h"
#include "pipeline/crops.h"
#include "pipeline/exit_code.h"
#include "pipeline/model_document.h"
#include "pipeline/readers.h"
#include "pipeline/recognise_page.h"
#include "pipeline/spool.h"
#include "pipeline/text_layer.h"
#include "pipeline/trust.h"
#include "pipeline/upright.h"
#include "vlm/protocols/mineru.h"

#include <string.h>

/* Pages a thread takes at a time: enough that opening the document again pays. */
#define LONGEST_CHUNK 16
#define SHORTEST_CHUNK 8
/* A page count above this is a lie or a mistake. */
#define MOST_PAGES 1000000u
/* Size given to a page that could not be read at all: US Letter. */
#define UNKNOWN_WIDTH 612
#define UNKNOWN_HEIGHT 792
#define OVERLAY_DPI 96
/* Print is read at 0.85 and more even off a bad fax, handwriting and textures at 0.5: words that nobody wrote are worse than a picture. */
#define LEAST_SURE_PAGE 0.65f

typedef struct {
  DpPageState state;
  char *reason;
  GArray *words;          /* DpLayerWord, for a searchable PDF; NULL = none is wanted */
  DpPageReading *reading; /* of a page that a recogniser read; NULL = text layer */
  gboolean in_parts;      /* it read only pictures on the page */
} PageResult;

typedef struct {
  const DpConvertSetup *setup;
  const DpInput *input;
  const DpTarget *target;
  DpRecord *record;
  DpSpool *spool;         /* stdin or a pipe, else NULL */
  DpReaders *readers;     /* the open document */
  DpDocumentInfo info;    /* as the PDF stage says, with the path the user knows; all borrowed */
  GArray *numbers;        /* guint: pages wanted, ascending */
  guint chunk;            /* so many of them a thread takes at a time */
  DpPageLayout **layouts; /* per number */
  PageResult *results;    /* per number */
  DpModelFlow *flow;      /* pages on their way through a model, or NULL */
  gboolean *goes_on;      /* per number: the model says that its first text goes on from the page before */
  GMutex lock;            /* guards record->stage while several threads read */
} Conversion;

/* ---- time ------------------------------------------------------------------------------------ */

/* Adds the time since *since to a stage and starts anew. */
static void
clock_stage (Conversion *c, DpStage stage, gint64 *since)
{
  const gint64 now = g_get_monotonic_time ();

  g_mutex_lock (&c->lock);
  c->record->stage[stage] += now - *since;
  g_mutex_unlock (&c->lock);
  *since = now;
}

static gboolean
stopped (const Conversion *c)
{
  return g_atomic_int_get (c->setup->stop) != 0;
}

/* ---- opening ------------------------------------------------------------------------------------- */

static gboolean
open_document (Conversion *c, GError **error)
{
  const DpOptions *o = c->setup->options;
  const char *path = c->input->path;

  if (dp_spool_is_needed (path)) {
    c->spool = dp_spool_new (path, error);
    if (!c->spool)
      return FALSE;
    path = c->spool->path;
  }
  c->readers = dp_readers_open (c->setup->crew, path, o->password, &o->limits, c->setup->stop, error);
  if (!c->readers)
    return FALSE;
  c->info = *dp_readers_info (c->readers);
  c->info.path = c->input->path;
  return TRUE;
}

static gboolean
choose_pages (Conversion *c, GError **error)
{
  const guint n_pages = c->info.n_pages;

  if (n_pages == 0) {
    g_set_error_literal (error, DP_PDF_ERROR, DP_PDF_ERROR_NOT_PDF, "the document has no pages");
    return FALSE;
  }
  if (n_pages > MOST_PAGES) {
    g_set_error (error, DP_PDF_ERROR, DP_PDF_ERROR_NOT_PDF, "the document claims %u pages, more than docparse reads (%u)", n_pages,
                 MOST_PAGES);
    return FALSE;
  }
  c->numbers = dp_ranges_pages (c->setup->options->pages, n_pages, error);
  if (!c->numbers)
    return FALSE;
  c->record->n_pages = c->numbers->len;
  c->layouts = g_new0 (DpPageLayout *, c->numbers->len);
  c->results = g_new0 (PageResult, c->numbers->len);
  c->goes_on = g_new0 (gboolean, c->numbers->len);
  if (c->setup->progress)
    dp_progress_document_opened (c->setup->progress, c->numbers->len);
  return TRUE;
}

/* ---- pages ----------------------------------------------------------------------------------------- */

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

static void
page_failed (Conversion *c, guint item, const char *reason)
{
  const guint number = g_array_index (c->numbers, guint, item);
  const DpPage unknown = { .number = number, .width = UNKNOWN_WIDTH, .height = UNKNOWN_HEIGHT, .strings = "", .n_strings = 1 };
  g_autofree char *prefix = g_strdup_printf ("page %u: ", number);

  if (g_str_has_prefix (reason, prefix)) /* the PDF stage names the page, and so do all that print the reason */
    reason += strlen (prefix);
  c->results[item].state = DP_PAGE_FAILED;
  c->results[item].reason = g_strdup (reason);
  c->layouts[item] = empty_layout (&unknown, FALSE, reason);
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

/* What a recogniser makes of a page whose text is not enough, or of pictures of text on one whose text is; NULL if there
 * is nothing to add, with *failure (owned) if it was needed. */
static DpPage *
recognise (Conversion *c, DpPdf *pdf, const DpPage *page, gboolean needed, guint item, char **failure)
{
  const DpRecogniser *recogniser = c->setup->recogniser;
  PageResult *result = &c->results[item];
  g_autoptr (GError) error = NULL;
  guint n_chars = 0;

  result->in_parts = !needed;
  if (!needed)
    return c->setup->options->method == DP_METHOD_AUTO ? dp_recognise_parts (recogniser, pdf, page, &result->reading) : NULL;
  DpPage *read = dp_recognise_page (recogniser, pdf, page, &result->reading, &error);
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
  Conversion *c = data;
  PageResult *mine = &c->results[result->item];

  mine->state = result->state;
  mine->reason = g_steal_pointer (&result->reason);
  c->layouts[result->item] = g_steal_pointer (&result->layout);
  c->goes_on[result->item] = result->goes_on;
  if (c->setup->progress)
    dp_progress_page_done (c->setup->progress);
}

/* Sends the page to the model, which takes it; FALSE: the model is not asked, or there is no picture of the page. */
static gboolean
send_to_model (Conversion *c, DpPdf *pdf, DpPage **page, guint item)
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
needs_model (Conversion *c, const DpPage *page, guint item, const char *reason)
{
  PageResult *result = &c->results[item];

  result->state = DP_PAGE_NEEDS_MODEL;
  result->reason = g_strdup (reason);
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

/* One page: its text layer if it can be believed, else what a recogniser reads, else a picture. */
static void
lay_out (Conversion *c, DpPdf *pdf, const DpPage *page, guint item)
{
  const DpOptions *o = c->setup->options;
  const DpLayoutOptions layout_options = { .figure_text = o->figure_text, .no_tags = o->no_tags };
  PageResult *result = &c->results[item];
  g_auto (DpTrust) trust = { 0 };
  g_autoptr (DpPage) read = NULL;

  dp_trust_judge (page, &trust);
  const char *reason = reason_to_recognise (o->method, &trust);
  g_autofree char *failure = NULL;
  if (c->setup->recogniser)
    read = recognise (c, pdf, page, reason != NULL, item, &failure);

  if (reason && !read) {
    needs_model (c, page, item, failure ? failure : reason);
    return;
  }
  if (page->n_truncated) {
    result->state = DP_PAGE_INCOMPLETE;
    result->reason = g_strdup_printf ("%u objects beyond the limit of a page were left out", page->n_truncated);
  }
  c->layouts[item] = dp_layout_page (read ? read : page, &layout_options);
  if (read && !result->in_parts && came_out_empty (result->reading, c->layouts[item])) {
    dp_page_layout_free (c->layouts[item]);
    needs_model (c, page, item, "no text could be read on its picture");
    return;
  }
  if (o->formats & 1u << DP_FORMAT_PDF)
    result->words = dp_text_layer_of (c->layouts[item]);
}

/* While this page is laid out, the PDF process reads the next. */
static void
ask_ahead (const Conversion *c, DpPdf *pdf, guint item)
{
  if (item < c->numbers->len && !stopped (c))
    dp_pdf_page_ahead (pdf, g_array_index (c->numbers, guint, item));
}

static void
read_page (DpReaders *readers, DpPdf *pdf, guint item, gpointer data)
{
  Conversion *c = data;
  gint64 since = g_get_monotonic_time ();
  g_autoptr (GError) error = NULL;
  g_autoptr (DpPage) page = dp_pdf_page (pdf, g_array_index (c->numbers, guint, item), &error);

  clock_stage (c, DP_STAGE_READ, &since);
  if ((item + 1) % c->chunk) /* the next one is this thread's, too */
    ask_ahead (c, pdf, item + 1);
  if (page && send_to_model (c, pdf, &page, item)) {
    clock_stage (c, DP_STAGE_LAYOUT, &since);
    return; /* model_done() goes on */
  }
  if (page) {
    lay_out (c, pdf, page, item);
    clock_stage (c, DP_STAGE_LAYOUT, &since);
  } else {
    dp_readers_given_up (readers, error);
    page_failed (c, item, error->message);
  }
  if (c->setup->progress)
    dp_progress_page_done (c->setup->progress);
}

/* Pages that a model could not read fall to the recogniser. */
static void
read_again (Conversion *c)
{
  DpPdf *pdf = dp_readers_own (c->readers);

  for (guint i = 0; c->setup->recogniser && i < c->numbers->len && !stopped (c); i++) {
    PageResult *result = &c->results[i];
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
wait_for_model (Conversion *c)
{
  if (!dp_model_flow_is_busy (c->flow))
    return;
  dp_crew_rest (c->setup->crew);
  dp_model_flow_drain (c->flow);
  dp_crew_return (c->setup->crew);
}

static void
read_pages (Conversion *c)
{
  const guint fair = c->numbers->len / (4 * dp_crew_size (c->setup->crew));

  c->chunk = CLAMP (fair, SHORTEST_CHUNK, LONGEST_CHUNK);
  if (c->setup->model)
    c->flow = dp_model_flow_new (c->setup->model, model_done, c);
  dp_readers_each (c->readers, c->numbers->len, c->chunk, read_page, c);
  if (c->flow && !stopped (c))
    wait_for_model (c);
  if (c->flow)
    read_again (c);
  if (stopped (c))
    return;
  for (guint i = 0; i < c->numbers->len; i++)
    if (!c->layouts[i])
      page_failed (c, i, "not tried, the document was given up after two pages that broke the PDF library");
}

/* ---- the document ------------------------------------------------------------------------------------ */

static gint
compare_pages (gconstpointer a, gconstpointer b)
{
  const guint x = *(const guint *) a, y = *(const guint *) b;

  return x < y ? -1 : x > y;
}

/* Which of the wanted pages number is, or -1. */
static gint
find_page (const Conversion *c, guint number)
{
  guint item;
  const gboolean found = g_array_binary_search (c->numbers, &number, compare_pages, &item);

  return found ? (gint) item : -1;
}

static gboolean
mark_recognised (DpBlock *block, guint depth, gpointer data)
{
  const Conversion *c = data;
  const gint item = find_page (c, block->page);

  (void) depth;
  if (item >= 0 && c->results[item].reading && c->results[item].state != DP_PAGE_NEEDS_MODEL)
    dp_mark_recognised (block, c->results[item].reading, !c->results[item].in_parts);
  return TRUE;
}

static gboolean
is_printed (DpBlock *block, guint depth, gpointer data)
{
  static const guint left_out
      = 1u << DP_BLOCK_HEADER | 1u << DP_BLOCK_FOOTER | 1u << DP_BLOCK_PAGE_NUMBER | 1u << DP_BLOCK_ASIDE | 1u << DP_BLOCK_HIDDEN;

  (void) depth;
  *(gboolean *) data |= !(left_out & 1u << block->kind);
  return !*(gboolean *) data;
}

static gboolean
has_visible_words (const DpPageLayout *layout)
{
  for (guint i = 0; i < layout->words->len; i++)
    if (!g_array_index (layout->words, DpWord, i).hidden)
      return TRUE;
  return FALSE;
}

/* Pages with text that is not printed (GUINT_TO_POINTER (number)). */
static gboolean
note_unprinted (DpBlock *block, guint depth, gpointer data)
{
  (void) depth;
  if (block->kind != DP_BLOCK_HIDDEN && block->spans->len)
    g_hash_table_add (data, GUINT_TO_POINTER (block->page));
  return TRUE;
}

/* A document whose every line was taken for a header or footer would come out empty without
 * a word: then its pages say so. */
static void
never_silently_empty (Conversion *c, DpDocument *document)
{
  g_autoptr (GHashTable) unprinted = g_hash_table_new (NULL, NULL);
  gboolean any = FALSE;

  dp_document_foreach (document, is_printed, &any);
  if (!any)
    dp_document_foreach (document, note_unprinted, unprinted);
  for (guint i = 0; !any && i < c->numbers->len; i++)
    if (c->results[i].state == DP_PAGE_READ
        && (has_visible_words (c->layouts[i])
            || g_hash_table_contains (unprinted, GUINT_TO_POINTER (g_array_index (c->numbers, guint, i))))) {
      c->results[i].state = DP_PAGE_INCOMPLETE;
      c->results[i].reason = g_strdup ("all of its text was taken for headers and footers, so nothing is printed; see --keep");
    }
}

static DpDocument *
grow_document (Conversion *c)
{
  const DpOptions *o = c->setup->options;
  const DpLayoutOptions options = { .figure_text = o->figure_text, .no_tags = o->no_tags };
  g_autoptr (GPtrArray) pages = g_ptr_array_sized_new (c->numbers->len);

  for (guint i = 0; i < c->numbers->len; i++)
    g_ptr_array_add (pages, c->layouts[i]);
  if (c->flow)
    dp_model_join_pages (c->layouts, c->goes_on, c->numbers->len, c->setup->model->answerer);
  DpDocument *document = dp_layout_document (pages, &c->info, &options);
  if (c->flow) {
    dp_model_heading_levels (document);
    document->model = g_strdup (c->setup->model->answerer->digest);
  }

  for (guint i = 0; i < document->pages->len; i++) {
    DpPageInfo *info = &g_array_index (document->pages, DpPageInfo, i);
    const gint item = find_page (c, info->number);
    if (item >= 0 && c->results[item].state == DP_PAGE_FAILED)
      info->failed = TRUE;
  }
  if (c->setup->recogniser)
    dp_document_foreach (document, mark_recognised, c);
  never_silently_empty (c, document);
  for (guint i = 0; i < c->numbers->len; i++) /* the tree owns what it needs */
    g_clear_pointer (&c->layouts[i], dp_page_layout_free);
  return document;
}

/* ---- pictures and files -------------------------------------------------------------------------------- */

static gboolean
make_pictures (Conversion *c, DpDocument *document, DpWriter *writer, GError **error)
{
  const DpOptions *o = c->setup->options;
  const gboolean referenced = c->target->image_dir != NULL;
  const DpCropOptions options = { .dpi = o->image_dpi, .writer = referenced ? writer : NULL, .image_dir = c->target->image_dir };

  if (!referenced && o->images != DP_IMAGES_EMBEDDED)
    return TRUE;
  g_autoptr (GArray) problems = dp_crops_make (c->readers, document, &options, error);
  if (!problems)
    return FALSE;
  for (guint i = 0; i < problems->len; i++) {
    DpCropProblem *problem = &g_array_index (problems, DpCropProblem, i);
    const gint item = find_page (c, problem->page);

    if (item >= 0 && c->results[item].state == DP_PAGE_READ) {
      c->results[item].state = DP_PAGE_INCOMPLETE;
      c->results[item].reason = g_steal_pointer (&problem->reason);
    }
  }
  return TRUE;
}

static cairo_surface_t *
page_picture (Conversion *c, const DpPageInfo *page, double dpi)
{
  const DpRect whole = { 0, 0, 0, 0 };
  const gint item = find_page (c, page->number);

  if (item < 0 || c->results[item].state == DP_PAGE_FAILED || dp_readers_given_up (c->readers, NULL))
    return NULL;
  g_autoptr (GError) error = NULL;
  cairo_surface_t *picture = dp_upright_render (dp_readers_own (c->readers), page, whole, dpi, &error);
  dp_readers_given_up (c->readers, error);
  return picture; /* without one the page stays white */
}

static cairo_surface_t *
overlay_picture (const DpPageInfo *page, gpointer data)
{
  return page_picture (data, page, OVERLAY_DPI);
}

static cairo_surface_t *
searchable_picture (const DpPageInfo *page, gpointer data)
{
  Conversion *c = data;

  return page_picture (c, page, c->setup->options->image_dpi);
}

static const GArray *
searchable_words (const DpPageInfo *page, gpointer data)
{
  const Conversion *c = data;
  const gint item = find_page (c, page->number);

  return item >= 0 ? c->results[item].words : NULL;
}

static cairo_status_t
append_bytes (void *closure, const unsigned char *bytes, unsigned int n)
{
  g_byte_array_append (closure, bytes, n);
  return CAIRO_STATUS_SUCCESS;
}

static gboolean
write_searchable (Conversion *c, DpDocument *document, DpWriter *writer, GError **error)
{
  const char *file = c->target->files[DP_FORMAT_PDF];

  if (strcmp (file, "-") == 0) {
    g_autoptr (GByteArray) bytes = g_byte_array_new ();
    return dp_output_searchable_stream (document, searchable_picture, searchable_words, c, append_bytes, bytes, error)
           && dp_writer_add (writer, file, (const char *) bytes->data, bytes->len, error);
  }
  const char *temporary = dp_writer_reserve (writer, file, error);
  return temporary && dp_output_searchable (document, searchable_picture, searchable_words, c, temporary, error);
}

static gboolean
write_formats (Conversion *c, DpDocument *document, DpWriter *writer, GError **error)
{
  /* In this order: Markdown tells JSON where each block lies in it. */
  static char *(*const print[DP_N_FORMATS]) (DpDocument *, const DpOutputOptions *, gsize *)
      = { dp_output_markdown, dp_output_html, dp_output_text, dp_output_json, dp_output_content_list, NULL };
  const DpOptions *o = c->setup->options;
  const DpOutputOptions options = { .tables = o->tables,
                                    .images = o->images,
                                    .page_break = o->page_break,
                                    .keep = o->keep,
                                    .figure_text = o->figure_text,
                                    .image_dir_name = c->target->image_dir_name };

  for (guint f = 0; f < DP_N_FORMATS; f++) {
    gsize length;
    if (!c->target->files[f] || !print[f])
      continue;
    g_autofree char *text = print[f](document, &options, &length);
    if (!dp_writer_add (writer, c->target->files[f], text, length, error))
      return FALSE;
  }
  if (c->target->files[DP_FORMAT_PDF] && !write_searchable (c, document, writer, error))
    return FALSE;
  if (c->target->overlay) {
    const char *temporary = dp_writer_reserve (writer, c->target->overlay, error);
    return temporary && dp_output_overlay (document, overlay_picture, c, temporary, error);
  }
  return TRUE;
}

static void
record_outputs (Conversion *c)
{
  for (guint f = 0; f < DP_N_FORMATS; f++)
    if (c->target->files[f])
      g_ptr_array_add (c->record->outputs, g_strdup (c->target->files[f]));
  if (c->target->overlay)
    g_ptr_array_add (c->record->outputs, g_strdup (c->target->overlay));
}

static void
record_pages (Conversion *c)
{
  for (guint i = 0; i < c->numbers->len; i++)
    dp_record_page (c->record, g_array_index (c->numbers, guint, i), c->results[i].state, c->results[i].reason);
}

/* ---- from beginning to end ------------------------------------------------------------------------------- */

static gboolean
convert (Conversion *c, GError **error)
{
  g_autoptr (DpWriter) writer = dp_writer_new (c->setup->inputs);
  gint64 since = g_get_monotonic_time ();

  const gboolean opened = open_document (c, error) && choose_pages (c, error);
  clock_stage (c, DP_STAGE_OPEN, &since);
  if (!opened)
    return FALSE;

  read_pages (c);
  if (stopped (c))
    return TRUE;

  since = g_get_monotonic_time ();
  g_autoptr (DpDocument) document = grow_document (c);
  clock_stage (c, DP_STAGE_DOCUMENT, &since);

  const gboolean pictured = make_pictures (c, document, writer, error);
  clock_stage (c, DP_STAGE_PICTURES, &since);
  if (!pictured)
    return FALSE;

  const gboolean printed = write_formats (c, document, writer, error);
  if (!printed || stopped (c) || !dp_writer_commit (writer, error))
    return printed && stopped (c);
  clock_stage (c, DP_STAGE_WRITE, &since);

  record_outputs (c);
  record_pages (c);
  return TRUE;
}

static void
conversion_clear (Conversion *c)
{
  dp_model_flow_free (c->flow); /* pages still on their way hold nothing of ours */
  for (guint i = 0; c->numbers && i < c->numbers->len; i++) {
    g_clear_pointer (&c->layouts[i], dp_page_layout_free);
    g_free (c->results[i].reason);
    g_clear_pointer (&c->results[i].reading, dp_page_reading_free);
    g_clear_pointer (&c->results[i].words, g_array_unref);
  }
  g_free (c->layouts);
  g_free (c->results);
  g_free (c->goes_on);
  g_clear_pointer (&c->numbers, g_array_unref);
  dp_readers_close (c->readers);
  dp_spool_free (c->spool);
  g_mutex_clear (&c->lock);
}

DpRecord *
dp_convert_document (const DpConvertSetup *setup, const DpInput *input, guint index, const DpTarget *target)
{
  DpRecord *record = dp_record_new (input->path, index);
  Conversion c = { .setup = setup, .input = input, .target = target, .record = record };
  g_autoptr (GError) error = NULL;

  g_mutex_init (&c.lock);
  if (stopped (&c)) {
    record->dropped = TRUE;
  } else if (input->problem) {
    dp_record_fail (record, DP_EXIT_NO_INPUT, input->problem);
  } else if (setup->options->resume && dp_target_up_to_date (target, input->path)) {
    record->skipped = TRUE;
  } else if (!convert (&c, &error) && !stopped (&c)) {
    dp_record_fail (record, dp_exit_code_of (error), error->message);
  } else if (record->outputs->len == 0) {
    record->dropped = TRUE; /* stopped on the way */
  }
  dp_record_finish (record);
  conversion_clear (&c);
  return record;
}
