/* tests/tools/direct.c - a PDF through the rooms in one process, without sandbox and jobs.
 *
 *   direct FILE.pdf            Markdown on stdout
 *   direct --dump FILE.pdf     what the extractor saw, one line per item
 *   direct --time FILE.pdf...  milliseconds per stage and page
 *
 * For looking at pages while working on layout/; the product goes through pipeline/pdf.c.
 */
#include <stdio.h>
#include <string.h>

#include "layout/layout.h"
#include "output/output.h"
#include "pipeline/pdf_extract.h"

static void
free_arrays (gpointer data)
{
  dp_page_arrays_free (data);
}

static DpPage *
page_over (DpPageArrays *a)
{
  DpPage *p = g_new0 (DpPage, 1);

  p->number = a->number, p->width = a->width, p->height = a->height, p->rotation = a->rotation;
  p->glyphs = (const DpGlyph *) a->glyphs->data, p->n_glyphs = a->glyphs->len;
  p->fonts = (const DpFont *) a->fonts->data, p->n_fonts = a->fonts->len;
  p->paths = (const DpPath *) a->paths->data, p->n_paths = a->paths->len;
  p->images = (const DpImage *) a->images->data, p->n_images = a->images->len;
  p->links = (const DpLink *) a->links->data, p->n_links = a->links->len;
  p->notes = (const DpNote *) a->notes->data, p->n_notes = a->notes->len;
  p->strings = (const char *) a->strings->data, p->n_strings = a->strings->len;
  p->n_painted = a->n_painted, p->n_painted_unmapped = a->n_painted_unmapped, p->n_truncated = a->n_truncated;
  p->backing = a, p->backing_free = free_arrays;
  return p;
}

static void
dump (const DpPage *p)
{
  static const char *const kinds[] = { "hline", "vline", "fill", "frame", "slanted", "curve" };

  printf ("page %u %.1f x %.1f painted %u unmapped %u truncated %u\n", p->number, p->width, p->height, p->n_painted, p->n_painted_unmapped,
          p->n_truncated);
  for (gsize i = 0; i < p->n_fonts; i++)
    printf ("font %zu %s flags %x glyphs %u bad %u\n", i, dp_page_string (p, p->fonts[i].name), p->fonts[i].flags, p->fonts[i].n_glyphs,
            p->fonts[i].n_bad);
  for (gsize i = 0; i < p->n_glyphs; i++) {
    const DpGlyph *g = &p->glyphs[i];
    char utf8[7] = { 0 };
    g_unichar_to_utf8 (g->code, utf8);
    printf ("glyph %s %.2f %.2f %.2f %.2f base %.2f size %.2f rise %.2f col %06x paint %u font %u flags %x angle %d\n", utf8, g->box.x0,
            g->box.y0, g->box.x1, g->box.y1, g->baseline, g->size, g->rise, g->colour, g->paint, g->font, g->flags, g->angle);
  }
  for (gsize i = 0; i < p->n_paths; i++)
    printf ("path %s %.2f %.2f %.2f %.2f col %06x alpha %.2f paint %u\n", kinds[p->paths[i].kind], p->paths[i].box.x0, p->paths[i].box.y0,
            p->paths[i].box.x1, p->paths[i].box.y1, p->paths[i].colour, p->paths[i].alpha, p->paths[i].paint);
  for (gsize i = 0; i < p->n_images; i++)
    printf ("image %.2f %.2f %.2f %.2f paint %u\n", p->images[i].box.x0, p->images[i].box.y0, p->images[i].box.x1, p->images[i].box.y1,
            p->images[i].paint);
  for (gsize i = 0; i < p->n_links; i++)
    printf ("link %.2f %.2f %.2f %.2f %s page %u\n", p->links[i].box.x0, p->links[i].box.y0, p->links[i].box.x1, p->links[i].box.y1,
            dp_page_string (p, p->links[i].uri), p->links[i].page);
  for (gsize i = 0; i < p->n_notes; i++)
    printf ("note kind %u %s = %s\n", p->notes[i].kind, dp_page_string (p, p->notes[i].name), dp_page_string (p, p->notes[i].text));
}

static gint64 t_open, t_info, t_extract, t_layout, t_document, t_output;
static guint n_pages;

static gboolean
run (const char *path, gboolean dumping, gboolean timing, GError **error)
{
  const DpPdfLimits limits = DP_PDF_LIMITS_DEFAULT;
  const DpLayoutOptions options = { 0 };
  g_autofree char *absolute = g_canonicalize_filename (path, NULL);
  g_autofree char *uri = g_filename_to_uri (absolute, NULL, error);
  g_autoptr (GPtrArray) layouts = g_ptr_array_new_with_free_func ((GDestroyNotify) dp_page_layout_free);
  gint64 t = g_get_monotonic_time (), now;
  PopplerDocument *document = uri ? poppler_document_new_from_file (uri, NULL, error) : NULL;

  if (!document)
    return FALSE;
#define LAP(sum) now = g_get_monotonic_time (), sum += now - t, t = now
  LAP (t_open);
  g_autoptr (DpDocumentInfo) info = dp_pdf_extract_info (document, NULL, NULL);
  LAP (t_info);
  for (guint n = 1; n <= info->n_pages; n++) {
    DpPageArrays *arrays = dp_page_arrays_new ();
    g_autoptr (GError) e = NULL;
    n_pages++;
    if (!dp_pdf_extract_page (document, NULL, n, &limits, arrays, &e)) {
      fprintf (stderr, "%s: %s\n", path, e->message);
      dp_page_arrays_free (arrays);
      continue;
    }
    g_autoptr (DpPage) page = page_over (arrays);
    LAP (t_extract);
    if (dumping)
      dump (page);
    else
      g_ptr_array_add (layouts, dp_layout_page (page, &options));
    LAP (t_layout);
  }
  if (!dumping) {
    const DpOutputOptions output = { .images = DP_IMAGES_PLACEHOLDER };
    g_autoptr (DpDocument) tree = dp_layout_document (layouts, info, &options);
    LAP (t_document);
    g_autofree char *markdown = dp_output_markdown (tree, &output, NULL);
    LAP (t_output);
    if (!timing)
      fputs (markdown, stdout);
  }
  g_object_unref (document);
  return TRUE;
}

int
main (int argc, char **argv)
{
  gboolean dumping = argc > 1 && strcmp (argv[1], "--dump") == 0, timing = argc > 1 && strcmp (argv[1], "--time") == 0;
  int rc = 0;

  for (int i = 1 + (dumping || timing); i < argc; i++) {
    g_autoptr (GError) error = NULL;
    if (!run (argv[i], dumping, timing, &error)) {
      fprintf (stderr, "%s: %s\n", argv[i], error->message);
      rc = 1;
    }
  }
  if (timing && n_pages)
    printf ("%u pages, ms per page: open %.2f info %.2f extract %.2f page layout %.2f document %.2f markdown %.2f\n", n_pages,
            (double) t_open / 1e3 / n_pages, (double) t_info / 1e3 / n_pages, (double) t_extract / 1e3 / n_pages,
            (double) t_layout / 1e3 / n_pages, (double) t_document / 1e3 / n_pages, (double) t_output / 1e3 / n_pages);
  return rc;
}
