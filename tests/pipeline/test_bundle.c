/* tests/pipeline/test_bundle.c - the wire format: round trips, and a reader that believes nothing. */
#include <math.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "pipeline/bundle.h"

/* ---- a page to travel ---------------------------------------------------------------------- */

static DpPageArrays *
make_arrays (void)
{
  DpPageArrays *a = dp_page_arrays_new ();
  DpFont font = { .name = dp_page_arrays_add_string (a, "Garamond"), .flags = DP_GLYPH_BOLD, .n_glyphs = 2 };
  DpGlyph x = { .code = 'x', .box = { 10, 20, 15, 30 }, .baseline = 28, .size = 10, .colour = 0x112233, .paint = 1 };
  DpGlyph han = { .code = 0x20bb7, .box = { 15, 20, 25, 30 }, .baseline = 28, .size = 10, .rise = -2.5f, .angle = 90, .paint = 2 };
  DpPath path = { .box = { 0, 40, 100, 41 }, .kind = DP_PATH_HLINE, .paint = 3, .alpha = 0.5f };
  DpImage image = { .box = { 0, 50, 100, 90 }, .width = 640, .height = 480, .paint = 4 };
  DpLink link = { .box = { 10, 20, 25, 30 }, .uri = dp_page_arrays_add_string (a, "https://example.org/\xc3\xa9") };
  DpNote note = { .box = { 1, 2, 3, 4 },
                  .kind = DP_NOTE_FIELD_TEXT,
                  .name = dp_page_arrays_add_string (a, "city"),
                  .text = dp_page_arrays_add_string (a, "Ulm") };

  a->number = 7;
  a->width = 612;
  a->height = 792;
  a->rotation = 90;
  a->n_painted = 3;
  a->n_painted_unmapped = 1;
  g_array_append_val (a->fonts, font);
  g_array_append_val (a->glyphs, x);
  g_array_append_val (a->glyphs, han);
  g_array_append_val (a->paths, path);
  g_array_append_val (a->images, image);
  g_array_append_val (a->links, link);
  g_array_append_val (a->notes, note);
  return a;
}

/* Everything in fd, in memory of the right alignment; closes fd. */
static guint8 *
slurp (int fd, gsize *size)
{
  struct stat st;
  guint8 *data;

  g_assert_cmpint (fstat (fd, &st), ==, 0);
  *size = (gsize) st.st_size;
  data = g_malloc (*size + 1);
  g_assert_cmpint (pread (fd, data, *size, 0), ==, (gssize) *size);
  close (fd);
  return data;
}

static guint8 *
write_page (DpPageArrays *a, gsize *size)
{
  int fd = memfd_create ("bundle", MFD_CLOEXEC);
  g_autoptr (GError) error = NULL;

  g_assert_true (dp_bundle_write_page (a, fd, &error));
  g_assert_no_error (error);
  return slurp (fd, size);
}

static void
test_page (void)
{
  g_autoptr (DpPageArrays) a = make_arrays ();
  g_autoptr (GError) error = NULL;
  gsize size;
  guint8 *data = write_page (a, &size);
  DpPage *page = dp_bundle_read_page (data, size, data, g_free, &error);

  g_assert_no_error (error);
  g_assert_cmpuint (page->number, ==, 7);
  g_assert_cmpfloat (page->width, ==, 612);
  g_assert_cmpint (page->rotation, ==, 90);
  g_assert_cmpuint (page->n_painted_unmapped, ==, 1);
  g_assert_cmpuint (page->n_glyphs, ==, 2);
  g_assert_cmpuint (page->glyphs[1].code, ==, 0x20bb7);
  g_assert_cmpint (page->glyphs[1].angle, ==, 90);
  g_assert_cmpfloat (page->glyphs[1].rise, ==, -2.5f);
  g_assert_cmpfloat (page->glyphs[0].box.x1, ==, 15);
  g_assert_cmpuint (page->glyphs[0].colour, ==, 0x112233);
  g_assert_cmpstr (dp_page_string (page, page->fonts[0].name), ==, "Garamond");
  g_assert_cmpuint (page->n_paths, ==, 1);
  g_assert_cmpfloat (page->paths[0].alpha, ==, 0.5f);
  g_assert_cmpuint (page->images[0].width, ==, 640);
  g_assert_cmpstr (dp_page_string (page, page->links[0].uri), ==, "https://example.org/\xc3\xa9");
  g_assert_cmpstr (dp_page_string (page, page->notes[0].name), ==, "city");
  g_assert_cmpstr (dp_page_string (page, page->notes[0].text), ==, "Ulm");
  /* no copy: the arrays lie in the bundle */
  g_assert_true ((const guint8 *) page->glyphs > data && (const guint8 *) page->glyphs < data + size);
  dp_page_free (page);
}

static void
test_empty (void)
{
  g_autoptr (DpPageArrays) a = dp_page_arrays_new ();
  g_autoptr (GError) error = NULL;
  gsize size;
  guint8 *data;
  DpPage *page;

  a->number = 1;
  a->width = a->height = 100;
  data = write_page (a, &size);
  page = dp_bundle_read_page (data, size, data, g_free, &error);
  g_assert_no_error (error);
  g_assert_cmpuint (page->n_glyphs, ==, 0);
  g_assert_cmpstr (dp_page_string (page, 0), ==, "");
  g_assert_cmpstr (dp_page_string (page, 99), ==, "");
  dp_page_free (page);
}

/* What a strange PDF makes of numbers is mended by the writer and then passes the reader. */
static void
test_mending (void)
{
  g_autoptr (DpPageArrays) a = make_arrays ();
  g_autoptr (GError) error = NULL;
  DpGlyph lost = { .code = 'l', .box = { NAN, 0, 1, 1 } };
  DpGlyph odd = {
    .code = 0xd800, .box = { 9, 9, 3, 3 }, .baseline = INFINITY, .size = -4, .rise = NAN, .colour = 0xff00ff00, .font = 999, .angle = 810
  };
  DpGlyph far_out = { .code = 'f', .box = { -1e20f, 0, 1e20f, 1 } };
  DpPath no_kind = { .kind = 77 };
  DpLink cut_name = { .uri = dp_page_arrays_add_string (a, "abc") + 1 };
  gsize size;
  guint8 *data;
  DpPage *page;

  g_array_append_val (a->glyphs, lost);
  g_array_append_val (a->glyphs, odd);
  g_array_append_val (a->glyphs, far_out);
  g_array_append_val (a->paths, no_kind);
  g_array_append_val (a->links, cut_name);
  g_byte_array_append (a->strings, (const guint8 *) "\xff\xfe!", 3); /* neither UTF-8 nor ended */
  a->n_painted_unmapped = 1000;
  data = write_page (a, &size);
  page = dp_bundle_read_page (data, size, data, g_free, &error);
  g_assert_no_error (error);
  g_assert_cmpuint (page->n_glyphs, ==, 4);
  g_assert_cmpuint (page->n_paths, ==, 1);
  g_assert_cmpuint (page->n_truncated, ==, 2);
  g_assert_cmpuint (page->glyphs[2].code, ==, 0xfffd);
  g_assert_cmpfloat (page->glyphs[2].box.x0, ==, 3);
  g_assert_cmpfloat (page->glyphs[2].box.x1, ==, 9);
  g_assert_cmpfloat (page->glyphs[2].baseline, ==, 9);
  g_assert_cmpfloat (page->glyphs[2].size, ==, 0);
  g_assert_cmpfloat (page->glyphs[2].rise, ==, 0);
  g_assert_cmpuint (page->glyphs[2].font, ==, 0);
  g_assert_cmpint (page->glyphs[2].angle, ==, 90);
  g_assert_cmpfloat (page->glyphs[3].box.x0, ==, -DP_BUNDLE_MAX_COORDINATE);
  g_assert_cmpuint (page->links[1].uri, ==, 0);
  g_assert_cmpuint (page->n_painted_unmapped, ==, page->n_painted);
  dp_page_free (page);
}

/* ---- lies ------------------------------------------------------------------------------------ */

static DpBundleHeader *
header_of (guint8 *data)
{
  return (DpBundleHeader *) data;
}

static gpointer
section_of (guint8 *data, DpBundleSectionId id)
{
  return data + header_of (data)->sections[id].offset;
}

typedef void (*Lie) (guint8 *data);

static void
lie_magic (guint8 *d)
{
  header_of (d)->magic++;
}
static void
lie_version (guint8 *d)
{
  header_of (d)->version++;
}
static void
lie_kind (guint8 *d)
{
  header_of (d)->kind = DP_BUNDLE_INFO;
}
static void
lie_total (guint8 *d)
{
  header_of (d)->total += 8;
}
static void
lie_count (guint8 *d)
{
  header_of (d)->sections[DP_SECTION_GLYPHS].count = 1000;
}
static void
lie_overflow (guint8 *d)
{
  header_of (d)->sections[DP_SECTION_GLYPHS].count = G_MAXUINT64 / sizeof (DpGlyph) + 2;
}
static void
lie_offset (guint8 *d)
{
  header_of (d)->sections[DP_SECTION_FONTS].offset = G_MAXUINT64 - 7;
}
static void
lie_into_header (guint8 *d)
{
  header_of (d)->sections[DP_SECTION_PATHS].offset = 8;
}
static void
lie_alignment (guint8 *d)
{
  header_of (d)->sections[DP_SECTION_GLYPHS].offset += 4;
}
static void
lie_size (guint8 *d)
{
  header_of (d)->sections[DP_SECTION_GLYPHS].size = 1;
}
static void
lie_width (guint8 *d)
{
  header_of (d)->width = NAN;
}
static void
lie_rotation (guint8 *d)
{
  header_of (d)->rotation = 45;
}
static void
lie_unmapped (guint8 *d)
{
  header_of (d)->n_painted_unmapped = 4;
}
static void
lie_strings_end (guint8 *d)
{
  ((char *) section_of (d, DP_SECTION_STRINGS))[header_of (d)->sections[DP_SECTION_STRINGS].count - 1] = 'x';
}
static void
lie_strings_utf8 (guint8 *d)
{
  ((guint8 *) section_of (d, DP_SECTION_STRINGS))[1] = 0xff;
}
static void
lie_no_strings (guint8 *d)
{
  header_of (d)->sections[DP_SECTION_STRINGS].count = 0;
}
static void
lie_code (guint8 *d)
{
  ((DpGlyph *) section_of (d, DP_SECTION_GLYPHS))->code = 0x110000;
}
static void
lie_surrogate (guint8 *d)
{
  ((DpGlyph *) section_of (d, DP_SECTION_GLYPHS))->code = 0xdc00;
}
static void
lie_nul (guint8 *d)
{
  ((DpGlyph *) section_of (d, DP_SECTION_GLYPHS))->code = 0;
}
static void
lie_box (guint8 *d)
{
  ((DpGlyph *) section_of (d, DP_SECTION_GLYPHS))->box.x1 = 1;
}
static void
lie_infinite (guint8 *d)
{
  ((DpGlyph *) section_of (d, DP_SECTION_GLYPHS))->box.y1 = INFINITY;
}
static void
lie_nan (guint8 *d)
{
  ((DpGlyph *) section_of (d, DP_SECTION_GLYPHS))->size = NAN;
}
static void
lie_rise (guint8 *d)
{
  ((DpGlyph *) section_of (d, DP_SECTION_GLYPHS))->rise = -INFINITY;
}
static void
lie_font (guint8 *d)
{
  ((DpGlyph *) section_of (d, DP_SECTION_GLYPHS))->font = 1;
}
static void
lie_font_name (guint8 *d)
{
  ((DpFont *) section_of (d, DP_SECTION_FONTS))->name = 5000;
}
static void
lie_cut_name (guint8 *d)
{
  ((DpFont *) section_of (d, DP_SECTION_FONTS))->name = 3;
}
static void
lie_font_bad (guint8 *d)
{
  ((DpFont *) section_of (d, DP_SECTION_FONTS))->n_bad = 3;
}
static void
lie_path_kind (guint8 *d)
{
  ((DpPath *) section_of (d, DP_SECTION_PATHS))->kind = DP_PATH_CURVE + 1;
}
static void
lie_alpha (guint8 *d)
{
  ((DpPath *) section_of (d, DP_SECTION_PATHS))->alpha = 2;
}
static void
lie_image (guint8 *d)
{
  ((DpImage *) section_of (d, DP_SECTION_IMAGES))->box.x0 = -2e6f;
}
static void
lie_link (guint8 *d)
{
  ((DpLink *) section_of (d, DP_SECTION_LINKS))->page = G_MAXUINT32;
}
static void
lie_note (guint8 *d)
{
  ((DpNote *) section_of (d, DP_SECTION_NOTES))->kind = 9;
}
static void
lie_note_text (guint8 *d)
{
  ((DpNote *) section_of (d, DP_SECTION_NOTES))->text = G_MAXUINT32;
}

static const struct {
  const char *name;
  Lie lie;
} lies[] = {
#define LIE(name)                                                                                                                          \
  {                                                                                                                                        \
#name, lie_##name                                                                                                                      \
  }
  LIE (magic),        LIE (version),    LIE (kind), LIE (total),     LIE (count),     LIE (overflow), LIE (offset),
  LIE (into_header),  LIE (alignment),  LIE (size), LIE (width),     LIE (rotation),  LIE (unmapped), LIE (strings_end),
  LIE (strings_utf8), LIE (no_strings), LIE (code), LIE (surrogate), LIE (nul),       LIE (box),      LIE (infinite),
  LIE (nan),          LIE (rise),       LIE (font), LIE (font_name), LIE (cut_name),  LIE (font_bad), LIE (path_kind),
  LIE (alpha),        LIE (image),      LIE (link), LIE (note),      LIE (note_text),
};

static void
test_lie (gconstpointer which)
{
  g_autoptr (DpPageArrays) a = make_arrays ();
  g_autoptr (GError) error = NULL;
  gsize size;
  g_autofree guint8 *data = write_page (a, &size);

  ((Lie) lies[GPOINTER_TO_SIZE (which)].lie) (data);
  g_assert_null (dp_bundle_read_page (data, size, NULL, NULL, &error));
  g_assert_error (error, DP_BUNDLE_ERROR, DP_BUNDLE_ERROR_FORMAT);
}

/* Any prefix is refused, as is an address that is not aligned. */
static void
test_short (void)
{
  g_autoptr (DpPageArrays) a = make_arrays ();
  gsize size;
  g_autofree guint8 *data = write_page (a, &size);

  for (gsize n = 0; n < size; n += 5) {
    g_autoptr (GError) error = NULL;
    g_autofree guint8 *prefix = g_memdup2 (data, n ? n : 1);

    g_assert_null (dp_bundle_read_page (prefix, n, NULL, NULL, &error));
    g_assert_error (error, DP_BUNDLE_ERROR, DP_BUNDLE_ERROR_FORMAT);
  }
  memmove (data + 1, data, size);
  g_assert_null (dp_bundle_read_page (data + 1, size, NULL, NULL, NULL));
}

/* Every byte flipped, one after the other: the reader says yes or no, and after a yes every
 * string and box can be used. */
static void
test_flips (void)
{
  g_autoptr (DpPageArrays) a = make_arrays ();
  gsize size, n_read = 0;
  g_autofree guint8 *data = write_page (a, &size);

  for (gsize i = 0; i < size; i++) {
    DpPage *page;

    data[i] ^= 0xa5;
    page = dp_bundle_read_page (data, size, NULL, NULL, NULL);
    if (page) {
      n_read++;
      for (gsize k = 0; k < page->n_fonts; k++)
        g_assert_true (g_utf8_validate (dp_page_string (page, page->fonts[k].name), -1, NULL));
      for (gsize k = 0; k < page->n_glyphs; k++)
        g_assert_true (page->glyphs[k].font < page->n_fonts && page->glyphs[k].box.x0 <= page->glyphs[k].box.x1);
    }
    dp_page_free (page);
    data[i] ^= 0xa5;
  }
  g_assert_cmpuint (n_read, >, 0);
  g_assert_cmpuint (n_read, <, size);
}

/* ---- pixels and facts ----------------------------------------------------------------------------- */

static guint8 *
write_raster (cairo_format_t format, int width, int height, gsize *size)
{
  cairo_surface_t *surface = cairo_image_surface_create (format, width, height);
  int fd = memfd_create ("raster", MFD_CLOEXEC);

  cairo_surface_flush (surface);
  cairo_image_surface_get_data (surface)[cairo_image_surface_get_stride (surface) * (height - 1)] = 0x7b;
  cairo_surface_mark_dirty (surface);
  g_assert_true (dp_bundle_write_raster (surface, fd, NULL));
  cairo_surface_destroy (surface);
  return slurp (fd, size);
}

static void
test_raster (void)
{
  gsize size;
  guint8 *data = write_raster (CAIRO_FORMAT_A8, 13, 5, &size);
  cairo_surface_t *surface = dp_bundle_read_raster (data, size, data, g_free, NULL);

  g_assert_nonnull (surface);
  g_assert_cmpint (cairo_image_surface_get_width (surface), ==, 13);
  g_assert_cmpint (cairo_image_surface_get_height (surface), ==, 5);
  g_assert_cmpint (cairo_image_surface_get_format (surface), ==, CAIRO_FORMAT_A8);
  g_assert_cmpint (cairo_image_surface_get_data (surface)[4 * cairo_image_surface_get_stride (surface)], ==, 0x7b);
  cairo_surface_destroy (surface);
}

static void
test_raster_lies (void)
{
  gsize size;
  g_autofree guint8 *data = write_raster (CAIRO_FORMAT_RGB24, 10, 10, &size);
  DpBundleHeader good = *header_of (data), *h = header_of (data);

#define REFUSED(change)                                                                                                                    \
  *h = good;                                                                                                                               \
  change;                                                                                                                                  \
  g_assert_null (dp_bundle_read_raster (data, size, NULL, NULL, NULL))
  REFUSED (h->pixel_format = CAIRO_FORMAT_ARGB32);
  REFUSED (h->pixel_width = 0);
  REFUSED (h->pixel_height = 11);
  REFUSED (h->pixel_height = G_MAXUINT32);
  REFUSED (h->pixel_stride = 44);
  REFUSED (h->pixel_width = 9);
  REFUSED (h->kind = DP_BUNDLE_PAGE);
#undef REFUSED
  *h = good;
  cairo_surface_t *surface = dp_bundle_read_raster (data, size, NULL, NULL, NULL);
  g_assert_nonnull (surface);
  cairo_surface_destroy (surface);
}

static guint8 *
write_info (gsize *size)
{
  g_autoptr (DpDocumentInfo) info = dp_document_info_new ();
  DpOutlineEntry entry = { .title = g_strdup ("Chapter \xe2\x85\xa0"), .level = 2, .page = 3, .y = 12.5f };
  DpTag tag = { .kind = "TD", .text = g_strdup ("cell"), .alt = g_strdup (""), .depth = 4, .page = 1, .row_span = 2, .col_span = 1 };
  /* the second names an element that is not there, the third a page */
  const DpMark marks[] = { { 1, 0, 10, 20 }, { 1, 1, 30, 40 }, { 4, 0, 50, 60 }, { 3, -1, 70, INFINITY }, { 3, -1, 70, 80 } };
  int fd = memfd_create ("info", MFD_CLOEXEC);

  g_free (info->title);
  info->title = g_strdup ("A \xff title"); /* not UTF-8 */
  info->n_pages = 3;
  info->encrypted = TRUE;
  g_array_append_val (info->outline, entry);
  g_array_append_val (info->tags, tag);
  g_array_append_vals (info->marks, marks, G_N_ELEMENTS (marks));
  g_assert_true (dp_bundle_write_info (info, fd, NULL));
  return slurp (fd, size);
}

static void
test_info (void)
{
  gsize size;
  g_autofree guint8 *data = write_info (&size);
  g_autoptr (DpDocumentInfo) info = dp_bundle_read_info (data, size, NULL);

  g_assert_nonnull (info);
  g_assert_cmpuint (info->n_pages, ==, 3);
  g_assert_cmpstr (info->title, ==, "A ? title");
  g_assert_cmpstr (info->author, ==, "");
  g_assert_true (info->encrypted);
  g_assert_cmpuint (info->outline->len, ==, 1);
  g_assert_cmpstr (g_array_index (info->outline, DpOutlineEntry, 0).title, ==, "Chapter \xe2\x85\xa0");
  g_assert_cmpfloat (g_array_index (info->outline, DpOutlineEntry, 0).y, ==, 12.5f);
  g_assert_cmpstr (g_array_index (info->tags, DpTag, 0).kind, ==, "TD");
  g_assert_cmpuint (g_array_index (info->tags, DpTag, 0).row_span, ==, 2);
  g_assert_cmpuint (info->marks->len, ==, 2);
  g_assert_cmpfloat (g_array_index (info->marks, DpMark, 0).y, ==, 20);
  g_assert_cmpint (g_array_index (info->marks, DpMark, 1).tag, ==, -1);
  ((DpMark *) section_of (data, DP_SECTION_MARKS))->tag = 1;
  g_assert_null (dp_bundle_read_info (data, size, NULL));
  ((DpMark *) section_of (data, DP_SECTION_MARKS))->tag = -1;
  /* a page that the document does not have */
  ((DpBundleOutline *) section_of (data, DP_SECTION_OUTLINE))->page = 4;
  g_assert_null (dp_bundle_read_info (data, size, NULL));
  ((DpBundleOutline *) section_of (data, DP_SECTION_OUTLINE))->page = 3;
  memset (((DpBundleTag *) section_of (data, DP_SECTION_TAGS))->kind, 'T', 16);
  g_assert_null (dp_bundle_read_info (data, size, NULL));
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/bundle/page", test_page);
  g_test_add_func ("/bundle/empty", test_empty);
  g_test_add_func ("/bundle/mending", test_mending);
  for (gsize i = 0; i < G_N_ELEMENTS (lies); i++) {
    g_autofree char *path = g_strdup_printf ("/bundle/lie/%s", lies[i].name);
    g_test_add_data_func (path, GSIZE_TO_POINTER (i), test_lie);
  }
  g_test_add_func ("/bundle/short", test_short);
  g_test_add_func ("/bundle/flips", test_flips);
  g_test_add_func ("/bundle/raster", test_raster);
  g_test_add_func ("/bundle/raster-lies", test_raster_lies);
  g_test_add_func ("/bundle/info", test_info);
  return g_test_run ();
}
