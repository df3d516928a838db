/* pipeline/convert.c - the life of one document, told by convert(); its parts are in convert_*.c (convert_private.h).
 *
 *   open -> which pages -> each page: glyphs, trust, layout -> the document's tree
 *        -> pictures -> every format -> names of files
 *
 * A page that fails costs that page: it stays in the document as a placeholder, and the
 * record says why.
 */
#include "pipeline/convert_private.h"

#include "pipeline/exit_code.h"

/* A page count above this is a lie or a mistake. */
#define MOST_PAGES 1000000u

/* ---- time ------------------------------------------------------------------------------------ */

void
dp_conversion_clock (DpConversion *c, DpStage stage, gint64 *since)
{
  const gint64 now = g_get_monotonic_time ();

  g_mutex_lock (&c->lock);
  c->record->stage[stage] += now - *since;
  g_mutex_unlock (&c->lock);
  *since = now;
}

gboolean
dp_conversion_stopped (const DpConversion *c)
{
  return g_atomic_int_get (c->setup->stop) != 0;
}

static gint
compare_pages (gconstpointer a, gconstpointer b)
{
  const guint x = *(const guint *) a, y = *(const guint *) b;

  return x < y ? -1 : x > y;
}

gint
dp_conversion_find_page (const DpConversion *c, guint number)
{
  guint item;
  const gboolean found = g_array_binary_search (c->numbers, &number, compare_pages, &item);

  return found ? (gint) item : -1;
}

/* ---- opening ------------------------------------------------------------------------------------- */

static gboolean
open_document (DpConversion *c, GError **error)
{
  const DpOptions *o = c->setup->options;
  const char *path = c->input->path;

  if (dp_spool_is_needed (path)) {
    c->spool = dp_spool_new (path, c->setup->stop, error);
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
choose_pages (DpConversion *c, GError **error)
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
  c->results = g_new0 (DpPageResult, c->numbers->len);
  c->goes_on = g_new0 (gboolean, c->numbers->len);
  if (c->setup->progress)
    dp_progress_document_opened (c->setup->progress, c->numbers->len);
  return TRUE;
}

static void
record_outputs (DpConversion *c)
{
  for (guint f = 0; f < DP_N_FORMATS; f++)
    if (c->target->files[f])
      g_ptr_array_add (c->record->outputs, g_strdup (c->target->files[f]));
  if (c->target->overlay)
    g_ptr_array_add (c->record->outputs, g_strdup (c->target->overlay));
}

static void
record_pages (DpConversion *c)
{
  for (guint i = 0; i < c->numbers->len; i++)
    dp_record_page (c->record, g_array_index (c->numbers, guint, i), c->results[i].state, c->results[i].reason);
}

/* ---- from beginning to end ------------------------------------------------------------------------------- */

static gboolean
convert (DpConversion *c, GError **error)
{
  g_autoptr (DpWriter) writer = dp_writer_new (c->setup->inputs);
  gint64 since = g_get_monotonic_time ();

  const gboolean opened = open_document (c, error) && choose_pages (c, error);
  dp_conversion_clock (c, DP_STAGE_OPEN, &since);
  if (!opened)
    return FALSE;

  dp_convert_pages (c);
  if (dp_conversion_stopped (c))
    return TRUE;

  since = g_get_monotonic_time ();
  g_autoptr (DpDocument) document = dp_convert_tree (c);
  dp_conversion_clock (c, DP_STAGE_DOCUMENT, &since);

  const gboolean pictured = dp_convert_pictures (c, document, writer, error);
  dp_conversion_clock (c, DP_STAGE_PICTURES, &since);
  if (!pictured)
    return FALSE;

  if (!c->target->overlay && !c->target->files[DP_FORMAT_PDF]) /* these show pages */
    dp_readers_rest (c->readers);
  const gboolean printed = dp_convert_formats (c, document, writer, error);
  if (!printed || dp_conversion_stopped (c) || !dp_writer_commit (writer, error))
    return printed && dp_conversion_stopped (c);
  dp_conversion_clock (c, DP_STAGE_WRITE, &since);

  record_outputs (c);
  record_pages (c);
  return TRUE;
}

static void
conversion_clear (DpConversion *c)
{
  dp_model_flow_free (c->flow); /* pages still on their way hold nothing of ours */
  for (guint i = 0; c->numbers && i < c->numbers->len; i++) {
    g_clear_pointer (&c->layouts[i], dp_page_layout_free);
    g_free (c->results[i].reason);
    g_clear_pointer (&c->results[i].reading, dp_page_reading_free);
    g_clear_pointer (&c->results[i].words, g_array_unref);
    g_clear_pointer (&c->results[i].added, g_array_unref);
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
  DpConversion c = { .setup = setup, .input = input, .target = target, .record = record };
  g_autoptr (GError) error = NULL;

  g_mutex_init (&c.lock);
  if (dp_conversion_stopped (&c)) {
    record->dropped = TRUE;
  } else if (input->problem) {
    dp_record_fail (record, DP_EXIT_NO_INPUT, input->problem);
  } else if (setup->options->resume && dp_target_up_to_date (target, input->path)) {
    record->skipped = TRUE;
  } else if (!convert (&c, &error) && !dp_conversion_stopped (&c)) {
    dp_record_fail (record, dp_exit_code_of (error), error->message);
  } else if (record->outputs->len == 0) {
    record->dropped = TRUE; /* stopped on the way */
  }
  dp_record_finish (record);
  conversion_clear (&c);
  return record;
}
