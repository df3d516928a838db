/* pipeline/bundle.c - reads what the child wrote, believing nothing.
 *
 * First the header and the section table are checked as a whole (no section leaves the
 * bundle, no product overflows, everything is aligned), then each array element by
 * element.  After that a DpPage can point into the memory without further checks.
 */
#include "pipeline/bundle.h"

#include <math.h>
#include <string.h>

G_DEFINE_QUARK (dp - bundle - error - quark, dp_bundle_error)

gsize
dp_bundle_section_size (DpBundleSectionId id)
{
  static const gsize sizes[DP_N_SECTIONS] = {
    [DP_SECTION_GLYPHS] = sizeof (DpGlyph),
    [DP_SECTION_FONTS] = sizeof (DpFont),
    [DP_SECTION_PATHS] = sizeof (DpPath),
    [DP_SECTION_IMAGES] = sizeof (DpImage),
    [DP_SECTION_LINKS] = sizeof (DpLink),
    [DP_SECTION_NOTES] = sizeof (DpNote),
    [DP_SECTION_STRINGS] = 1,
    [DP_SECTION_PIXELS] = 1,
    [DP_SECTION_INFO] = sizeof (DpBundleInfo),
    [DP_SECTION_OUTLINE] = sizeof (DpBundleOutline),
    [DP_SECTION_TAGS] = sizeof (DpBundleTag),
    [DP_SECTION_MARKS] = sizeof (DpMark),
  };

  return sizes[id];
}

static gboolean fail (GError **error, const char *format, ...) G_GNUC_PRINTF (2, 3);

static gboolean
fail (GError **error, const char *format, ...)
{
  va_list args;
  g_autofree char *text = NULL;

  va_start (args, format);
  text = g_strdup_vprintf (format, args);
  va_end (args);
  g_set_error (error, DP_BUNDLE_ERROR, DP_BUNDLE_ERROR_FORMAT, "damaged page bundle: %s", text);
  return FALSE;
}

/* ---- header and sections ------------------------------------------------------------------ */

static gboolean
check_section (const DpBundleSection *section, DpBundleSectionId id, gsize size, GError **error)
{
  if (section->size != dp_bundle_section_size (id))
    return fail (error, "section %u has elements of %u bytes, not %zu", id, section->size, dp_bundle_section_size (id));
  if (section->offset % DP_BUNDLE_ALIGN != 0 || section->offset < sizeof (DpBundleHeader) || section->offset > size)
    return fail (error, "section %u begins at %" G_GUINT64_FORMAT, id, section->offset);
  /* a division, since the product of the two could overflow */
  if (section->count > (size - section->offset) / section->size)
    return fail (error, "section %u has %" G_GUINT64_FORMAT " elements, more than fit", id, section->count);
  return TRUE;
}

static const DpBundleHeader *
check_header (gconstpointer data, gsize size, DpBundleKind kind, GError **error)
{
  const DpBundleHeader *header = data;

  if (!data || size < sizeof *header || (guintptr) data % DP_BUNDLE_ALIGN != 0) {
    fail (error, "%zu bytes are too few, or not aligned", size);
    return NULL;
  }
  if (header->magic != DP_BUNDLE_MAGIC || header->version != DP_BUNDLE_VERSION || header->kind != kind) {
    fail (error, "magic %08x, version %u, kind %u", header->magic, header->version, header->kind);
    return NULL;
  }
  if (header->total != size) {
    fail (error, "%zu bytes where the header says %" G_GUINT64_FORMAT, size, header->total);
    return NULL;
  }
  for (guint i = 0; i < DP_N_SECTIONS; i++)
    if (!check_section (&header->sections[i], i, size, error))
      return NULL;
  return header;
}

static gconstpointer
section_data (const DpBundleHeader *header, DpBundleSectionId id)
{
  return (const guint8 *) header + header->sections[id].offset;
}

/* ---- strings -------------------------------------------------------------------------------- */

static gboolean
check_strings (const char *strings, gsize n, GError **error)
{
  const char *end = strings + n;

  if (n == 0 || n > G_MAXUINT32 || strings[0] != '\0' || end[-1] != '\0')
    return fail (error, "string table of %zu bytes does not begin and end with NUL", n);
  for (const char *s = strings; s < end; s += strlen (s) + 1)
    if (!g_utf8_validate (s, -1, NULL))
      return fail (error, "string at %zu is not UTF-8", (gsize) (s - strings));
  return TRUE;
}

/* An offset must be the beginning of a string, so that no character is cut. */
static gboolean
string_ok (const char *strings, gsize n, guint32 offset)
{
  return offset == 0 || (offset < n && strings[offset - 1] == '\0');
}

/* ---- elements ---------------------------------------------------------------------------------- */

static gboolean
coordinate_ok (float x)
{
  return fabsf (x) <= DP_BUNDLE_MAX_COORDINATE; /* false for NaN, too */
}

static gboolean
rect_ok (DpRect r)
{
  return coordinate_ok (r.x0) && coordinate_ok (r.y0) && coordinate_ok (r.x1) && coordinate_ok (r.y1) && r.x0 <= r.x1 && r.y0 <= r.y1;
}

static gboolean
glyph_ok (const DpGlyph *g, const DpPage *page)
{
  return rect_ok (g->box) && coordinate_ok (g->baseline) && g->size >= 0 && coordinate_ok (g->size) && coordinate_ok (g->rise)
         && g->code != 0 && g_unichar_validate (g->code) && g->colour <= 0xffffff && g->font < page->n_fonts && g->angle > -360
         && g->angle < 360;
}

static gboolean
font_ok (const DpFont *f, const DpPage *page)
{
  return string_ok (page->strings, page->n_strings, f->name) && f->n_glyphs <= page->n_glyphs && f->n_bad <= f->n_glyphs;
}

static gboolean
path_ok (const DpPath *p)
{
  return rect_ok (p->box) && p->kind <= DP_PATH_CURVE && p->colour <= 0xffffff && p->alpha >= 0 && p->alpha <= 1;
}

static gboolean
note_ok (const DpNote *n, const DpPage *page)
{
  return rect_ok (n->box) && n->kind <= DP_NOTE_ANNOTATION && string_ok (page->strings, page->n_strings, n->name)
         && string_ok (page->strings, page->n_strings, n->text) && n->state <= 1;
}

/* Runs the test over an array of the page; the message says which element failed. */
#define CHECK_ALL(what, array, count, test)                                                                                                \
  for (gsize i = 0; i < (count); i++)                                                                                                      \
    if (!(test))                                                                                                                           \
  return fail (error, what " %zu has a value out of range", i)

static gboolean
check_page (const DpPage *page, GError **error)
{
  if (!coordinate_ok (page->width) || !coordinate_ok (page->height) || page->width <= 0 || page->height <= 0)
    return fail (error, "page of %g by %g points", page->width, page->height);
  if (page->number == 0 || page->rotation < 0 || page->rotation > 270 || page->rotation % 90 != 0)
    return fail (error, "page number %u, rotation %d", page->number, page->rotation);
  if (page->n_painted_unmapped > page->n_painted)
    return fail (error, "%u of %u painted glyphs unmapped", page->n_painted_unmapped, page->n_painted);
  if (!check_strings (page->strings, page->n_strings, error))
    return FALSE;
  CHECK_ALL ("glyph", page->glyphs, page->n_glyphs, glyph_ok (&page->glyphs[i], page));
  CHECK_ALL ("font", page->fonts, page->n_fonts, font_ok (&page->fonts[i], page));
  CHECK_ALL ("path", page->paths, page->n_paths, path_ok (&page->paths[i]));
  CHECK_ALL ("image", page->images, page->n_images, rect_ok (page->images[i].box));
  CHECK_ALL ("link", page->links, page->n_links,
             rect_ok (page->links[i].box) && string_ok (page->strings, page->n_strings, page->links[i].uri)
                 && page->links[i].page <= DP_BUNDLE_MAX_PAGES);
  CHECK_ALL ("note", page->notes, page->n_notes, note_ok (&page->notes[i], page));
  return TRUE;
}

DpPage *
dp_bundle_read_page (gpointer data, gsize size, gpointer backing, GDestroyNotify free_backing, GError **error)
{
  const DpBundleHeader *header = check_header (data, size, DP_BUNDLE_PAGE, error);
  g_autofree DpPage *page = NULL;

  if (!header)
    return NULL;
  page = g_new0 (DpPage, 1);
  page->number = header->number;
  page->width = header->width;
  page->height = header->height;
  page->rotation = header->rotation;
  page->n_painted = header->n_painted;
  page->n_painted_unmapped = header->n_painted_unmapped;
  page->n_truncated = header->n_truncated;
#define POINT(field, ID)                                                                                                                   \
  page->field = section_data (header, DP_SECTION_##ID);                                                                                    \
  page->n_##field = header->sections[DP_SECTION_##ID].count
  POINT (glyphs, GLYPHS);
  POINT (fonts, FONTS);
  POINT (paths, PATHS);
  POINT (images, IMAGES);
  POINT (links, LINKS);
  POINT (notes, NOTES);
  POINT (strings, STRINGS);
#undef POINT
  if (!check_page (page, error))
    return NULL;
  page->backing = backing;
  page->backing_free = free_backing;
  return g_steal_pointer (&page);
}

/* ---- pixels ------------------------------------------------------------------------------------- */

static const cairo_user_data_key_t backing_key;

cairo_surface_t *
dp_bundle_read_raster (gpointer data, gsize size, gpointer backing, GDestroyNotify free_backing, GError **error)
{
  const DpBundleHeader *header = check_header (data, size, DP_BUNDLE_RASTER, error);
  cairo_surface_t *surface;
  guint64 n_bytes;

  if (!header)
    return NULL;
  if ((header->pixel_format != CAIRO_FORMAT_RGB24 && header->pixel_format != CAIRO_FORMAT_A8) || header->pixel_width == 0
      || header->pixel_height == 0 || header->pixel_width > G_MAXINT16 || header->pixel_height > G_MAXINT16) {
    fail (error, "%u by %u pixels of format %u", header->pixel_width, header->pixel_height, header->pixel_format);
    return NULL;
  }
  n_bytes = (guint64) header->pixel_height * header->pixel_stride;
  if ((gint) header->pixel_stride != cairo_format_stride_for_width (header->pixel_format, (int) header->pixel_width)
      || n_bytes > header->sections[DP_SECTION_PIXELS].count) {
    fail (error, "rows of %u bytes, %u of them", header->pixel_stride, header->pixel_height);
    return NULL;
  }
  surface = cairo_image_surface_create_for_data ((guint8 *) data + header->sections[DP_SECTION_PIXELS].offset, header->pixel_format,
                                                 (int) header->pixel_width, (int) header->pixel_height, (int) header->pixel_stride);
  if (cairo_surface_status (surface) != CAIRO_STATUS_SUCCESS
      || (free_backing && cairo_surface_set_user_data (surface, &backing_key, backing, free_backing) != CAIRO_STATUS_SUCCESS)) {
    fail (error, "no memory for a surface of %u by %u pixels", header->pixel_width, header->pixel_height);
    cairo_surface_destroy (surface);
    return NULL;
  }
  return surface;
}

/* ---- facts about the document ---------------------------------------------------------------------- */

static gboolean
read_outline (const DpBundleHeader *header, const char *strings, gsize n_strings, DpDocumentInfo *info, GError **error)
{
  const DpBundleOutline *in = section_data (header, DP_SECTION_OUTLINE);

  for (guint64 i = 0; i < header->sections[DP_SECTION_OUTLINE].count; i++) {
    DpOutlineEntry entry = { .level = in[i].level, .page = in[i].page, .y = in[i].y };

    if (!string_ok (strings, n_strings, in[i].title) || in[i].level == 0 || in[i].level > G_MAXINT16 || in[i].page > info->n_pages
        || !coordinate_ok (in[i].y))
      return fail (error, "outline entry %" G_GUINT64_FORMAT " has a value out of range", i);
    entry.title = g_strdup (strings + in[i].title);
    g_array_append_val (info->outline, entry);
  }
  return TRUE;
}

static gboolean
read_tags (const DpBundleHeader *header, const char *strings, gsize n_strings, DpDocumentInfo *info, GError **error)
{
  const DpBundleTag *in = section_data (header, DP_SECTION_TAGS);

  for (guint64 i = 0; i < header->sections[DP_SECTION_TAGS].count; i++) {
    DpTag tag = { .depth = in[i].depth, .page = in[i].page, .row_span = in[i].row_span, .col_span = in[i].col_span };

    if (!memchr (in[i].kind, '\0', sizeof in[i].kind) || !g_str_is_ascii (in[i].kind) || !string_ok (strings, n_strings, in[i].text)
        || !string_ok (strings, n_strings, in[i].alt) || in[i].depth > G_MAXINT16 || in[i].page > info->n_pages || in[i].row_span == 0
        || in[i].row_span > G_MAXINT16 || in[i].col_span == 0 || in[i].col_span > G_MAXINT16)
      return fail (error, "tag %" G_GUINT64_FORMAT " has a value out of range", i);
    g_strlcpy (tag.kind, in[i].kind, sizeof tag.kind);
    tag.text = g_strdup (strings + in[i].text);
    tag.alt = g_strdup (strings + in[i].alt);
    g_array_append_val (info->tags, tag);
  }
  return TRUE;
}

static gboolean
read_marks (const DpBundleHeader *header, DpDocumentInfo *info, GError **error)
{
  const DpMark *in = section_data (header, DP_SECTION_MARKS);

  for (guint64 i = 0; i < header->sections[DP_SECTION_MARKS].count; i++) {
    if (in[i].page == 0 || in[i].page > info->n_pages || in[i].tag < -1 || in[i].tag >= (gint64) info->tags->len || !coordinate_ok (in[i].x)
        || !coordinate_ok (in[i].y))
      return fail (error, "mark %" G_GUINT64_FORMAT " has a value out of range", i);
    g_array_append_val (info->marks, in[i]);
  }
  return TRUE;
}

static void
replace_string (char **field, const char *value)
{
  g_free (*field);
  *field = g_strdup (value);
}

DpDocumentInfo *
dp_bundle_read_info (gconstpointer data, gsize size, GError **error)
{
  const DpBundleHeader *header = check_header (data, size, DP_BUNDLE_INFO, error);
  g_autoptr (DpDocumentInfo) info = NULL;
  const DpBundleInfo *in;
  const char *strings;
  gsize n;

  if (!header)
    return NULL;
  strings = section_data (header, DP_SECTION_STRINGS);
  n = header->sections[DP_SECTION_STRINGS].count;
  if (!check_strings (strings, n, error))
    return NULL;
  in = section_data (header, DP_SECTION_INFO);
  if (header->sections[DP_SECTION_INFO].count != 1 || in->n_pages > DP_BUNDLE_MAX_PAGES || in->is_picture > 1 || in->encrypted > 1
      || !string_ok (strings, n, in->title) || !string_ok (strings, n, in->author) || !string_ok (strings, n, in->subject)
      || !string_ok (strings, n, in->producer)) {
    fail (error, "document facts have a value out of range");
    return NULL;
  }
  info = dp_document_info_new ();
  info->n_pages = in->n_pages;
  info->is_picture = (gboolean) in->is_picture;
  info->encrypted = (gboolean) in->encrypted;
  replace_string (&info->title, strings + in->title);
  replace_string (&info->author, strings + in->author);
  replace_string (&info->subject, strings + in->subject);
  replace_string (&info->producer, strings + in->producer);
  if (!read_outline (header, strings, n, info, error) || !read_tags (header, strings, n, info, error) || !read_marks (header, info, error))
    return NULL;
  return g_steal_pointer (&info);
}
