/* pipeline/pdf_extract.c - one page: text layer and tap joined into flat arrays. */
#include "pipeline/pdf_extract.h"

#include <math.h>
#include <string.h>

#include "pipeline/pdf_bidi.h"
#include "pipeline/pdf_complaints.h"
#include "pipeline/pdf_fonts.h"
#include "pipeline/pdf_match.h"
#include "pipeline/pdf_notes.h"
#include "pipeline/pdf_pitch.h"
#include "pipeline/pdf_profiles.h"
#include "pipeline/pdf_rise.h"
#include "pipeline/pdf_tap.h"
#include "pipeline/pdf_underscore.h"

G_DEFINE_QUARK (dp - extract - error - quark, dp_extract_error)

/* ---- arrays ------------------------------------------------------------------------------ */

DpPageArrays *
dp_page_arrays_new (void)
{
  DpPageArrays *a = g_new0 (DpPageArrays, 1);

  a->glyphs = g_array_new (FALSE, TRUE, sizeof (DpGlyph));
  a->fonts = g_array_new (FALSE, TRUE, sizeof (DpFont));
  a->paths = g_array_new (FALSE, TRUE, sizeof (DpPath));
  a->images = g_array_new (FALSE, TRUE, sizeof (DpImage));
  a->links = g_array_new (FALSE, TRUE, sizeof (DpLink));
  a->notes = g_array_new (FALSE, TRUE, sizeof (DpNote));
  a->strings = g_byte_array_new ();
  g_byte_array_append (a->strings, (const guint8 *) "", 1);
  return a;
}

void
dp_page_arrays_free (DpPageArrays *a)
{
  if (!a)
    return;
  g_array_unref (a->glyphs);
  g_array_unref (a->fonts);
  g_array_unref (a->paths);
  g_array_unref (a->images);
  g_array_unref (a->links);
  g_array_unref (a->notes);
  g_byte_array_unref (a->strings);
  g_free (a);
}

guint32
dp_page_arrays_add_string (DpPageArrays *a, const char *utf8)
{
  guint32 offset = a->strings->len;
  g_autofree char *valid = NULL;

  if (!utf8 || !*utf8)
    return 0;
  valid = g_utf8_make_valid (utf8, -1);
  g_byte_array_append (a->strings, (const guint8 *) valid, (guint) strlen (valid) + 1);
  return offset;
}

static DpPopplerPage *
load_page (PopplerDocument *document, guint number)
{
  gint n = dp_poppler ()->document_get_n_pages (document);

  return number >= 1 && n > 0 && number <= (guint) n ? dp_poppler ()->document_get_page (document, (gint) number - 1) : NULL;
}

/* The size of a page in its own units, and its unit. */
static gboolean
measure_page (PopplerPage *page, const DpPdfUnits *units, guint number, double *width, DpPdfSpace *space)
{
  dp_poppler ()->page_get_size (page, width, &space->height);
  space->unit = dp_pdf_units_of (units, number, *width, space->height);
  return *width > 0 && space->height > 0 && *width < DP_PDF_MAX_SIDE && space->height < DP_PDF_MAX_SIDE;
}

DpRect
dp_pdf_extract_box (PopplerDocument *document, const DpPdfUnits *units, guint number)
{
  g_autoptr (DpPopplerPage) page = load_page (document, number);
  DpPdfSpace space;
  double width;

  if (!page || !measure_page (page, units, number, &width, &space))
    return (DpRect){ 0 };
  return (DpRect){ 0, 0, (float) (width * space.unit), (float) (space.height * space.unit) };
}

/* ---- the text layer ------------------------------------------------------------------------ */

static gboolean
sane (double v)
{
  return fabs (v) < 1e6; /* false for NaN, too */
}

DpRect
dp_pdf_rect (PopplerRectangle r, const DpPdfSpace *space)
{
  const double unit = space->unit;

  if (!sane (r.x1) || !sane (r.y1) || !sane (r.x2) || !sane (r.y2))
    return (DpRect){ 0 };
  return (DpRect){ (float) (MIN (r.x1, r.x2) * unit), (float) (MIN (r.y1, r.y2) * unit), (float) (MAX (r.x1, r.x2) * unit),
                   (float) (MAX (r.y1, r.y2) * unit) };
}

static guint32
rgb (PopplerColor c)
{
  return (guint32) (c.red >> 8) << 16 | (guint32) (c.green >> 8) << 8 | (guint32) (c.blue >> 8);
}

static guint16
find_font (DpPageArrays *out, GHashTable *seen, const char *name)
{
  gpointer found;
  const char *base = dp_font_base_name (name);

  if (g_hash_table_lookup_extended (seen, base, NULL, &found))
    return (guint16) GPOINTER_TO_UINT (found);
  if (out->fonts->len >= G_MAXUINT16)
    return 0;
  DpFont font = { .name = dp_page_arrays_add_string (out, base), .flags = dp_font_flags (base) };
  g_array_append_val (out->fonts, font);
  g_hash_table_insert (seen, g_strdup (base), GUINT_TO_POINTER (out->fonts->len - 1));
  return (guint16) (out->fonts->len - 1);
}

static void
add_glyph (DpPageArrays *out, gunichar c, DpRect box, const PopplerTextAttributes *attr, double unit, guint16 font)
{
  DpGlyph glyph = { .code = c, .box = box, .font = font };

  if (attr) {
    float size = (float) (attr->font_size * unit);
    glyph.size = size > 0 && size < 1e5f ? size : dp_rect_height (box);
    glyph.colour = rgb (attr->color);
    glyph.flags = (guint16) g_array_index (out->fonts, DpFont, font).flags | (attr->is_underlined ? DP_GLYPH_UNDERLINE : 0);
  } else {
    glyph.size = dp_rect_height (box);
  }
  /* Until the tap knows better: descenders take about a fifth. */
  glyph.baseline = box.y1 - 0.2f * dp_rect_height (box);
  g_array_append_val (out->glyphs, glyph);
}

static void
mark_last (DpPageArrays *out, guint16 flags)
{
  if (out->glyphs->len)
    g_array_index (out->glyphs, DpGlyph, out->glyphs->len - 1).flags |= flags;
}

/* Walks text, boxes and attribute runs, which count characters alike. */
static void
read_text_layer (PopplerPage *page, const DpPdfSpace *space, const DpPdfLimits *limits, DpPageArrays *out)
{
  DpPdfText text;
  guint i = 0;
  GList *attributes, *run;
  GHashTable *seen;
  guint16 font = 0;
  gboolean fresh = TRUE;

  if (!dp_pdf_text_read (page, &text))
    return;
  attributes = run = dp_poppler ()->page_get_text_attributes_for_area (page, &text.area);
  seen = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  for (const char *p = text.text; *p && i < text.n_boxes; p = g_utf8_next_char (p), i++) {
    gunichar c = g_utf8_get_char (p);
    while (run && ((PopplerTextAttributes *) run->data)->end_index < (gint) i) {
      run = run->next;
      fresh = TRUE;
    }
    if (c == '\n' || c == '\r' || c == '\f') {
      mark_last (out, DP_GLYPH_BREAK | DP_GLYPH_SPACE);
      continue;
    }
    if (g_unichar_isspace (c)) {
      mark_last (out, DP_GLYPH_SPACE);
      continue;
    }
    if (out->glyphs->len >= limits->max_glyphs) {
      out->n_truncated++;
      continue;
    }
    if (fresh && run)
      font = find_font (out, seen, ((PopplerTextAttributes *) run->data)->font_name);
    if (!out->fonts->len)
      font = find_font (out, seen, NULL);
    fresh = FALSE;
    /* U+0000 and surrogates cannot travel; they count as unmapped. */
    if (c == 0 || c > 0x10ffff || (c >= 0xd800 && c <= 0xdfff))
      c = 0xfffd;
    add_glyph (out, c, dp_pdf_rect (text.boxes[text.box_of ? text.box_of[i] : i], space), run ? run->data : NULL, space->unit, font);
  }
  g_hash_table_unref (seen);
  dp_poppler ()->page_free_text_attributes (attributes);
  dp_pdf_text_clear (&text);
}

static void
count_fonts (DpPageArrays *out)
{
  for (guint i = 0; i < out->glyphs->len; i++) {
    const DpGlyph *g = &g_array_index (out->glyphs, DpGlyph, i);
    DpFont *font = &g_array_index (out->fonts, DpFont, g->font);
    font->n_glyphs++;
    font->n_bad += g->code == 0xfffd || g_unichar_iscntrl (g->code) || g_unichar_type (g->code) == G_UNICODE_PRIVATE_USE;
  }
}

/* ---- what is painted ---------------------------------------------------------------------------- */

/* Draws the page on a new tap.  If poppler has not read the page's text yet it does so on the way. */
static DpTap *
paint (PopplerPage *page, const DpPdfSpace *space, const DpPdfLimits *limits, const DpPageArrays *out)
{
  cairo_t *cr;
  DpTap *tap = dp_tap_open (out->width, out->height, space->unit, limits->max_glyphs, limits->max_objects, &cr);

  dp_poppler ()->page_render (page, cr);
  dp_tap_close (tap);
  return tap;
}

static void
take_painting (const DpTap *tap, DpPageArrays *out)
{
  g_array_append_vals (out->paths, tap->paths->data, tap->paths->len);
  g_array_append_vals (out->images, tap->images->data, tap->images->len);
  out->n_truncated += tap->n_dropped;
  out->rotation = tap->rotation;
  dp_pdf_match (tap, out);
  dp_pdf_rise (out);
}

/* Whether annotations that poppler would paint are on the page: all but links have appearances. */
static gboolean
has_appearances (PopplerPage *page)
{
  GList *annotations = dp_poppler ()->page_get_annot_mapping (page);
  gboolean any = FALSE;

  for (GList *l = annotations; l && !any; l = l->next)
    any = dp_poppler ()->annot_get_annot_type (((const PopplerAnnotMapping *) l->data)->annot) != POPPLER_ANNOT_LINK;
  dp_poppler ()->page_free_annot_mapping (annotations);
  return any;
}

/* The text layer and the painting, in one pass over the page where possible: poppler notes the text
 * while it paints, but then with the text of annotations and of tiles of patterns, which its text
 * layer leaves out.  A page that has those is read once more. */
static DpTap *
read_and_paint (PopplerDocument *document, PopplerPage *page, const DpPdfSpace *space, const DpPdfLimits *limits, DpPageArrays *out)
{
  g_autoptr (DpTap) tap = has_appearances (page) ? NULL : paint (page, space, limits, out);
  g_autoptr (DpPopplerPage) again = NULL;

  if (tap && tap->n_inside) /* it knows its text already, and knows it wrong */
    page = again = load_page (document, out->number);
  if (page)
    read_text_layer (page, space, limits, out);
  return tap ? g_steal_pointer (&tap) : paint (page, space, limits, out);
}

/* The border a viewer draws around a link is no rule and no frame of the page (LaTeX puts one around
 * every citation).  It lies on the link's own rectangle. */
static gboolean
on_link_border (const DpPath *path, const DpLink *link)
{
  const float slack = 2;
  DpRect b = path->box, l = link->box;
  gboolean inside = b.x0 > l.x0 - slack && b.x1 < l.x1 + slack && b.y0 > l.y0 - slack && b.y1 < l.y1 + slack;
  gboolean wide = dp_rect_width (b) > dp_rect_width (l) - 2 * slack, high = dp_rect_height (b) > dp_rect_height (l) - 2 * slack;

  if (!inside)
    return FALSE;
  switch (path->kind) {
  case DP_PATH_FRAME: return wide && high;
  case DP_PATH_HLINE: return wide && (fabsf (b.y0 - l.y0) < slack || fabsf (b.y1 - l.y1) < slack);
  case DP_PATH_VLINE: return high && (fabsf (b.x0 - l.x0) < slack || fabsf (b.x1 - l.x1) < slack);
  default: return FALSE;
  }
}

/* Links that lead nowhere that is known, as those to names: they were here for their borders. */
static void
drop_blind_links (DpPageArrays *out)
{
  guint kept = 0;

  for (guint i = 0; i < out->links->len; i++) {
    const DpLink link = g_array_index (out->links, DpLink, i);
    if (link.uri || link.page)
      g_array_index (out->links, DpLink, kept++) = link;
  }
  g_array_set_size (out->links, kept);
}

static gint
by_top (gconstpointer a, gconstpointer b)
{
  float x = ((const DpLink *) a)->box.y0, y = ((const DpLink *) b)->box.y0;

  return x < y ? -1 : x > y;
}

static void
drop_link_borders (DpPageArrays *out)
{
  g_autoptr (GArray) links = g_array_copy (out->links);
  float tallest = 0;
  guint kept = 0;

  g_array_sort (links, by_top);
  for (guint i = 0; i < links->len; i++)
    tallest = MAX (tallest, dp_rect_height (g_array_index (links, DpLink, i).box));
  for (guint i = 0; i < out->paths->len; i++) {
    DpPath path = g_array_index (out->paths, DpPath, i);
    guint lo = 0, hi = links->len;
    gboolean border = FALSE;
    while (lo < hi) { /* first link that could reach down to the path */
      guint mid = (lo + hi) / 2;
      if (g_array_index (links, DpLink, mid).box.y0 < path.box.y0 - tallest - 2)
        lo = mid + 1;
      else
        hi = mid;
    }
    for (; lo < links->len && !border && g_array_index (links, DpLink, lo).box.y0 < path.box.y1 + 2; lo++)
      border = on_link_border (&path, &g_array_index (links, DpLink, lo));
    if (!border)
      g_array_index (out->paths, DpPath, kept++) = path;
  }
  g_array_set_size (out->paths, kept);
}

static gboolean
extract_page (PopplerDocument *document, const DpPdfUnits *units, guint number, const DpPdfLimits *limits, DpPageArrays *out,
              GError **error)
{
  g_autoptr (DpPopplerPage) page = load_page (document, number);
  DpPdfSpace space;
  double width;

  if (!page) {
    g_set_error (error, DP_EXTRACT_ERROR, DP_EXTRACT_ERROR_DAMAGED, "page %u is missing or damaged in the file", number);
    return FALSE;
  }
  if (!measure_page (page, units, number, &width, &space)) {
    g_set_error (error, DP_EXTRACT_ERROR, DP_EXTRACT_ERROR_DAMAGED, "page %u has no usable size (%g by %g points)", number, width,
                 space.height);
    return FALSE;
  }
  out->number = number;
  out->width = (float) (width * space.unit);
  out->height = (float) (space.height * space.unit);
  g_autoptr (DpTap) tap = read_and_paint (document, page, &space, limits, out);
  dp_pdf_read_fields (page, limits, &space, out); /* before the painting, which finds the places of their values */
  take_painting (tap, out);
  dp_pdf_read_underscores (out);
  count_fonts (out);
  dp_pdf_mark_pitch (out);
  dp_pdf_read_links (page, limits, &space, out);
  drop_link_borders (out);
  drop_blind_links (out);
  dp_pdf_read_annotations (page, limits, &space, out);
  return TRUE;
}

static gboolean
is_blank (const DpPageArrays *page)
{
  return page->glyphs->len + page->paths->len + page->images->len + page->notes->len + page->n_painted == 0;
}

gboolean
dp_pdf_extract_page (PopplerDocument *document, const DpPdfUnits *units, guint number, const DpPdfLimits *limits, DpPageArrays *out,
                     GError **error)
{
  g_auto (DpPdfComplaints) complaints;

  dp_pdf_complaints_begin (&complaints);
  if (!extract_page (document, units, number, limits, out, error))
    return FALSE;
  if (!is_blank (out) || !complaints.first)
    return TRUE;
  g_set_error (error, DP_EXTRACT_ERROR, DP_EXTRACT_ERROR_DAMAGED, "page %u is damaged, nothing of it could be read (%s)", number,
               complaints.first);
  return FALSE;
}

/* ---- pictures ------------------------------------------------------------------------------------ */

cairo_surface_t *
dp_surface_to_grey (cairo_surface_t *colour)
{
  int w = cairo_image_surface_get_width (colour), h = cairo_image_surface_get_height (colour);
  cairo_surface_t *grey = cairo_image_surface_create (CAIRO_FORMAT_A8, w, h);
  guint32 last = 0;
  guint8 light = 0; /* of last */

  if (cairo_surface_status (grey) != CAIRO_STATUS_SUCCESS)
    return grey;
  cairo_surface_flush (colour);
  for (int y = 0; y < h; y++) {
    const guint8 *src = cairo_image_surface_get_data (colour) + (gsize) y * (gsize) cairo_image_surface_get_stride (colour);
    guint8 *dst = cairo_image_surface_get_data (grey) + (gsize) y * (gsize) cairo_image_surface_get_stride (grey);
    for (int x = 0; x < w; x++) { /* most pixels are as the one before */
      guint32 p;
      memcpy (&p, src + 4 * (gsize) x, 4);
      if (p != last)
        light = (guint8) ((((p >> 16) & 255) * 299 + ((p >> 8) & 255) * 587 + (p & 255) * 114 + 500) / 1000);
      last = p;
      dst[x] = light;
    }
  }
  cairo_surface_mark_dirty (grey);
  return grey;
}

gboolean
dp_canvas_fits (DpRect box, double dpi)
{
  double width = dp_rect_width (box), height = dp_rect_height (box);

  return width > 0 && height > 0 && dpi > 0 && isfinite (width * height * dpi);
}

cairo_surface_t *
dp_canvas_new (DpRect box, double dpi, const DpPdfLimits *limits, cairo_t **cr)
{
  double scale = dpi / 72, width = dp_rect_width (box), height = dp_rect_height (box);
  cairo_surface_t *surface;

  /* cairo images are at most 32767 pixels wide and high. */
  scale = MIN (scale, sqrt ((double) limits->max_pixels / (width * height)));
  scale = MIN (scale, 32000 / MAX (width, height));
  surface = cairo_image_surface_create (CAIRO_FORMAT_RGB24, MAX (1, (int) ceil (width * scale)), MAX (1, (int) ceil (height * scale)));
  *cr = cairo_create (surface);
  cairo_set_source_rgb (*cr, 1, 1, 1);
  cairo_paint (*cr);
  cairo_scale (*cr, scale, scale);
  cairo_translate (*cr, -box.x0, -box.y0);
  return surface;
}

cairo_surface_t *
dp_pdf_extract_render (PopplerDocument *document, const DpPdfUnits *units, guint number, DpRect box, double dpi, gboolean grey,
                       const DpPdfLimits *limits, GError **error)
{
  g_autoptr (DpPopplerPage) page = load_page (document, number);
  cairo_surface_t *surface;
  DpPdfSpace space;
  double width;
  cairo_t *cr;

  if (!page || !measure_page (page, units, number, &width, &space) || !dp_canvas_fits (box, dpi)) {
    g_set_error (error, DP_EXTRACT_ERROR, DP_EXTRACT_ERROR_DAMAGED, "page %u cannot be painted (%s)", number,
                 page ? "its box is empty" : "it is missing or damaged in the file");
    return NULL;
  }
  surface = dp_canvas_new (box, dpi, limits, &cr);
  cairo_scale (cr, space.unit, space.unit);
  dp_pdf_ignore_profiles (grey);
  dp_poppler ()->page_render (page, cr);
  dp_pdf_ignore_profiles (FALSE);
  cairo_destroy (cr);
  if (grey) {
    cairo_surface_t *converted = dp_surface_to_grey (surface);
    cairo_surface_destroy (surface);
    surface = converted;
  }
  if (cairo_surface_status (surface) != CAIRO_STATUS_SUCCESS) {
    g_set_error (error, DP_EXTRACT_ERROR, DP_EXTRACT_ERROR_DAMAGED, "page %u cannot be painted: %s", number,
                 cairo_status_to_string (cairo_surface_status (surface)));
    cairo_surface_destroy (surface);
    return NULL;
  }
  return surface;
}
