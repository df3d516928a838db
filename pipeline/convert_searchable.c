/* pipeline/convert_searchable.c - the PDF that can be searched.
 *
 * Where it can be, that is the file itself with the words added that were read in its pictures (pdf_update.h): nothing is
 * painted anew, so that scans stay as sharp and small, and other pages what they are; pictures are put into a PDF as they are
 * stored (picture_pdf.h).  Else each page becomes its picture over the words (output/searchable.c): a choice of pages, encrypted
 * or damaged files, photographs and open books, whose sheets come out flat, and pages whose own text was not believed and
 * would stand there beside what was read.
 */
#include "pipeline/convert_private.h"

#include <errno.h>
#include <glib/gstdio.h>
#include <stdio.h>
#include <string.h>

#include "output/output.h"
#include "pipeline/upright.h"

/* ---- pages as pictures ------------------------------------------------------------------------------------ */

static cairo_surface_t *
picture_of (const DpPageInfo *page, gpointer data)
{
  DpConversion *c = data;

  return dp_conversion_page_picture (c, page, c->setup->options->image_dpi);
}

static const GArray *
words_of (const DpPageInfo *page, gpointer data)
{
  const DpConversion *c = data;
  const gint item = dp_conversion_find_page (c, page->number);

  return item >= 0 ? c->results[item].words : NULL;
}

static cairo_status_t
append_drawn (void *closure, const unsigned char *bytes, unsigned int n)
{
  g_byte_array_append (closure, bytes, n);
  return CAIRO_STATUS_SUCCESS;
}

/* ---- the file itself ---------------------------------------------------------------------------------------- */

static gboolean
append_bytes (gpointer data, gconstpointer bytes, gsize n, GError **error)
{
  (void) error;
  g_byte_array_append (data, bytes, (guint) n);
  return TRUE;
}

static gboolean
write_bytes (gpointer data, gconstpointer bytes, gsize n, GError **error)
{
  if (fwrite (bytes, 1, n, data) == n)
    return TRUE;
  g_set_error (error, DP_OUTPUT_ERROR, DP_OUTPUT_ERROR_WRITE, "the searchable PDF cannot be written: %s", g_strerror (errno));
  return FALSE;
}

/* Whether the words that were read are all that the file lacks. */
static gboolean
may_be_kept (DpConversion *c, const DpDocument *document)
{
  if (c->info.encrypted || c->numbers->len != dp_pdf_n_pages (dp_readers_own (c->readers)) || document->pages->len != c->numbers->len)
    return FALSE;
  for (guint i = 0; i < c->numbers->len; i++)
    if (c->results[i].twice || g_array_index (document->pages, DpPageInfo, i).warp)
      return FALSE;
  return TRUE;
}

/* DpTextPage; the words stay those of the results. */
static GArray *
added_pages (const DpConversion *c, const DpDocument *document)
{
  GArray *pages = g_array_new (FALSE, FALSE, sizeof (DpTextPage));

  for (guint i = 0; i < document->pages->len; i++) {
    const DpPageInfo *info = &g_array_index (document->pages, DpPageInfo, i);
    const gint item = dp_conversion_find_page (c, info->number);
    const GArray *added = item >= 0 ? c->results[item].added : NULL;
    if (added && (added->len || info->turn || info->skew != 0)) {
      const DpTextPage page = { info->number, info->width, info->height, info->turn, info->skew, (GArray *) added };
      g_array_append_val (pages, page);
    }
  }
  return pages;
}

/* FALSE: the file cannot be kept, or, with an error, cannot be written. */
static gboolean
keep_file (DpConversion *c, const DpDocument *document, DpPdfSink sink, gpointer data, GError **error)
{
  g_autoptr (GError) own = NULL;

  if (!may_be_kept (c, document))
    return FALSE;
  g_autoptr (GArray) pages = added_pages (c, document);
  if (dp_pdf_write_with_text (dp_readers_own (c->readers), (const DpTextPage *) (gconstpointer) pages->data, pages->len, sink, data, &own))
    return TRUE;
  if (own->domain == DP_OUTPUT_ERROR)
    g_propagate_error (error, g_steal_pointer (&own));
  return FALSE;
}

static gboolean
keep_file_at (DpConversion *c, const DpDocument *document, const char *path, GError **error)
{
  FILE *file = g_fopen (path, "wb");
  gboolean kept;

  if (!file) {
    g_set_error (error, DP_OUTPUT_ERROR, DP_OUTPUT_ERROR_WRITE, "the searchable PDF cannot be written: %s", g_strerror (errno));
    return FALSE;
  }
  kept = keep_file (c, document, write_bytes, file, error);
  if (fclose (file) != 0 && kept) {
    g_set_error (error, DP_OUTPUT_ERROR, DP_OUTPUT_ERROR_WRITE, "the searchable PDF cannot be written: %s", g_strerror (errno));
    return FALSE;
  }
  return kept;
}

/* ---- either ----------------------------------------------------------------------------------------------- */

static gboolean
write_stream (DpConversion *c, DpDocument *document, DpWriter *writer, const char *name, GError **error)
{
  g_autoptr (GByteArray) bytes = g_byte_array_new ();

  if (!keep_file (c, document, append_bytes, bytes, error)) {
    g_byte_array_set_size (bytes, 0);
    if (!dp_output_searchable_stream (document, picture_of, words_of, c, append_drawn, bytes, error))
      return FALSE;
  }
  return dp_writer_add (writer, name, (const char *) bytes->data, bytes->len, error);
}

gboolean
dp_convert_searchable (DpConversion *c, DpDocument *document, DpWriter *writer, GError **error)
{
  const char *name = c->target->files[DP_FORMAT_PDF];
  g_autoptr (GError) own = NULL;

  if (strcmp (name, "-") == 0)
    return write_stream (c, document, writer, name, error);
  const char *path = dp_writer_reserve (writer, name, error);
  if (!path)
    return FALSE;
  if (keep_file_at (c, document, path, &own))
    return TRUE;
  if (!own && dp_output_searchable (document, picture_of, words_of, c, path, &own))
    return TRUE;
  g_propagate_prefixed_error (error, g_steal_pointer (&own), "%s: ", name);
  return FALSE;
}
