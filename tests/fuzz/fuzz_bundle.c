/* tests/fuzz/fuzz_bundle.c - libFuzzer target: the reader of page bundles.
 *
 * The first byte says which reader gets the rest.  After a yes everything is used as the
 * layout would use it, so that AddressSanitizer sees every promise of the reader broken.
 *
 *   fuzz_bundle --seed DIR    writes small valid bundles to start from
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "pipeline/bundle.h"

int LLVMFuzzerTestOneInput (const guint8 *data, gsize size);
int LLVMFuzzerInitialize (int *argc, char ***argv);

static volatile gsize sink; /* keeps reads alive */

static void
use_page (const DpPage *page)
{
  for (gsize i = 0; i < page->n_glyphs; i++)
    sink += strlen (dp_page_string (page, page->fonts[page->glyphs[i].font].name))
            + (gsize) (page->glyphs[i].box.x1 - page->glyphs[i].box.x0);
  for (gsize i = 0; i < page->n_paths; i++)
    sink += (gsize) dp_rect_width (page->paths[i].box);
  for (gsize i = 0; i < page->n_links; i++)
    sink += strlen (dp_page_string (page, page->links[i].uri));
  for (gsize i = 0; i < page->n_notes; i++)
    sink += strlen (dp_page_string (page, page->notes[i].name)) + strlen (dp_page_string (page, page->notes[i].text));
  for (gsize i = 0; i < page->n_images; i++)
    sink += (gsize) dp_rect_height (page->images[i].box);
}

static void
use_raster (cairo_surface_t *surface)
{
  const guint8 *pixels = cairo_image_surface_get_data (surface);
  gsize n = (gsize) cairo_image_surface_get_height (surface) * (gsize) cairo_image_surface_get_stride (surface);

  for (gsize i = 0; i < n; i++)
    sink += pixels[i];
  cairo_surface_destroy (surface);
}

int
LLVMFuzzerTestOneInput (const guint8 *data, gsize size)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (DpDocumentInfo) info = NULL;
  g_autofree guint8 *copy = NULL; /* exactly as long and well aligned */
  DpPage *page;
  cairo_surface_t *surface;

  if (size < 1)
    return 0;
  copy = g_malloc (size - 1 ? size - 1 : 1);
  memcpy (copy, data + 1, size - 1);
  switch (data[0] % 3) {
  case 0:
    page = dp_bundle_read_page (copy, size - 1, NULL, NULL, &error);
    if (page)
      use_page (page);
    dp_page_free (page);
    break;
  case 1:
    surface = dp_bundle_read_raster (copy, size - 1, NULL, NULL, &error);
    if (surface)
      use_raster (surface);
    break;
  default: info = dp_bundle_read_info (copy, size - 1, &error); break;
  }
  return 0;
}

/* ---- seeds ------------------------------------------------------------------------------------- */

static void
save_seed (const char *folder, guint8 which, int fd)
{
  g_autofree char *path = g_strdup_printf ("%s/seed-%u", folder, which);
  g_autofree guint8 *bytes = NULL;
  struct stat st;

  if (fstat (fd, &st) != 0)
    return;
  bytes = g_malloc ((gsize) st.st_size + 1);
  bytes[0] = which;
  if (pread (fd, bytes + 1, (gsize) st.st_size, 0) == (gssize) st.st_size)
    g_file_set_contents (path, (const char *) bytes, (gssize) st.st_size + 1, NULL);
  close (fd);
}

static void
seed_page (const char *folder)
{
  g_autoptr (DpPageArrays) a = dp_page_arrays_new ();
  DpFont font = { .name = dp_page_arrays_add_string (a, "Garamond"), .n_glyphs = 1 };
  DpGlyph glyph = { .code = 'x', .box = { 10, 20, 15, 30 }, .baseline = 28, .size = 10, .rise = 3.5f };
  DpPath path = { .box = { 0, 40, 100, 41 }, .alpha = 1 };
  DpImage image = { .box = { 0, 50, 100, 90 } };
  DpLink link = { .box = { 1, 2, 3, 4 }, .uri = dp_page_arrays_add_string (a, "a:b") };
  DpNote note = { .box = { 1, 2, 3, 4 }, .text = dp_page_arrays_add_string (a, "\xc3\xa9") };
  int fd = memfd_create ("page", MFD_CLOEXEC);

  a->number = 1;
  a->width = a->height = 100;
  g_array_append_val (a->fonts, font);
  g_array_append_val (a->glyphs, glyph);
  g_array_append_val (a->paths, path);
  g_array_append_val (a->images, image);
  g_array_append_val (a->links, link);
  g_array_append_val (a->notes, note);
  if (dp_bundle_write_page (a, fd, NULL))
    save_seed (folder, 0, fd);
}

static void
seed_others (const char *folder)
{
  cairo_surface_t *surface = cairo_image_surface_create (CAIRO_FORMAT_A8, 5, 4);
  g_autoptr (DpDocumentInfo) info = dp_document_info_new ();
  DpOutlineEntry entry = { .title = g_strdup ("One"), .level = 1, .page = 1, .y = 5 };
  DpTag tag = { .kind = "P", .text = g_strdup ("text"), .alt = g_strdup (""), .page = 1, .row_span = 1, .col_span = 1 };
  int raster = memfd_create ("raster", MFD_CLOEXEC), facts = memfd_create ("info", MFD_CLOEXEC);

  if (dp_bundle_write_raster (surface, raster, NULL))
    save_seed (folder, 1, raster);
  cairo_surface_destroy (surface);
  info->n_pages = 1;
  g_array_append_val (info->outline, entry);
  g_array_append_val (info->tags, tag);
  if (dp_bundle_write_info (info, facts, NULL))
    save_seed (folder, 2, facts);
}

int
LLVMFuzzerInitialize (int *argc, char ***argv)
{
  if (*argc == 3 && strcmp ((*argv)[1], "--seed") == 0) {
    seed_page ((*argv)[2]);
    seed_others ((*argv)[2]);
    exit (0);
  }
  return 0;
}
