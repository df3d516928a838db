/* pipeline/crops.c - from boxes to pictures.
 *
 * Pages go in windows whose pixels fit a budget: a window is rendered by several threads,
 * then written and forgotten before the next one.
 */
#include "pipeline/crops.h"

#include "output/output.h"
#include "pipeline/upright.h"

#include <math.h>

#define WINDOW_BYTES (64u << 20)    /* pixels in flight when pictures are written */
#define EMBEDDED_BYTES (512u << 20) /* pixels kept when pictures are embedded */
#define MOST_PIXELS 16e6            /* of one crop: A4 at 400 dpi, A3 at 280 */
/* From so many crops on, one rendering of the page is cheaper than one of each box. */
#define WHOLE_PAGE_FROM 4

typedef struct {
  guint page;
  float width, height;       /* of the page, points */
  const DpPageInfo *upright; /* how its picture has to be turned */
  GPtrArray *blocks;         /* DpBlock, in reading order */
  double bytes;              /* of the pixels this page will take, about */
  gboolean tried;
  char *problem;
} CropPage;

static void
crop_page_clear (gpointer data)
{
  CropPage *page = data;

  g_ptr_array_unref (page->blocks);
  g_free (page->problem);
}

static void
problem_clear (gpointer data)
{
  g_free (((DpCropProblem *) data)->reason);
}

/* ---- what there is to cut -------------------------------------------------------------------- */

typedef struct {
  GHashTable *by_number; /* page number -> CropPage */
} Plan;

static gboolean
is_empty (DpRect box)
{
  return !(box.x1 > box.x0 && box.y1 > box.y0); /* NaN is empty too */
}

static DpRect
crop_box (const DpBlock *block, const CropPage *page)
{
  const DpRect whole = { 0, 0, page->width, page->height };

  /* A page picture without a box means the page. */
  return is_empty (block->box) && block->kind == DP_BLOCK_PAGE_PICTURE ? whole : dp_rect_intersect (block->box, whole);
}

static double
crop_dpi (DpRect box, double dpi)
{
  const double square_inches = dp_rect_area (box) / (72.0 * 72.0);

  return square_inches * dpi * dpi > MOST_PIXELS ? sqrt (MOST_PIXELS / square_inches) : dpi;
}

static double
pixel_bytes (DpRect box, double dpi)
{
  return 4.0 * dp_rect_area (box) / (72.0 * 72.0) * dpi * dpi;
}

static gboolean
collect (DpBlock *block, guint depth, gpointer data)
{
  const Plan *plan = data;
  CropPage *page = NULL;

  (void) depth;
  if (dp_block_is_picture (block))
    page = g_hash_table_lookup (plan->by_number, GUINT_TO_POINTER (block->page));
  if (page && !is_empty (crop_box (block, page)))
    g_ptr_array_add (page->blocks, block);
  return TRUE;
}

/* The pages that have something to cut, ascending. */
static GArray *
plan_pages (DpDocument *document, double dpi)
{
  GArray *pages = g_array_sized_new (FALSE, TRUE, sizeof (CropPage), document->pages->len);
  g_autoptr (GHashTable) by_number = g_hash_table_new (NULL, NULL);
  Plan plan = { by_number };
  guint kept = 0;

  for (guint i = 0; i < document->pages->len; i++) {
    const DpPageInfo *info = &g_array_index (document->pages, DpPageInfo, i);
    const CropPage page
        = { .page = info->number, .width = info->width, .height = info->height, .upright = info, .blocks = g_ptr_array_new () };
    g_array_append_val (pages, page);
  }
  for (guint i = 0; i < pages->len; i++)
    if (!g_array_index (document->pages, DpPageInfo, i).failed) {
      CropPage *page = &g_array_index (pages, CropPage, i);
      g_hash_table_insert (by_number, GUINT_TO_POINTER (page->page), page);
    }
  dp_document_foreach (document, collect, &plan);

  for (guint i = 0; i < pages->len; i++) {
    CropPage page = g_array_index (pages, CropPage, i);
    for (guint b = 0; b < page.blocks->len; b++) {
      const DpRect box = crop_box (g_ptr_array_index (page.blocks, b), &page);
      page.bytes += pixel_bytes (box, crop_dpi (box, dpi));
    }
    if (page.blocks->len)
      g_array_index (pages, CropPage, kept++) = page;
    else
      g_ptr_array_unref (page.blocks);
  }
  g_array_set_size (pages, kept);
  g_array_set_clear_func (pages, crop_page_clear); /* only now: dropped ones are gone already */
  return pages;
}

/* ---- rendering -------------------------------------------------------------------------------- */

typedef struct {
  GArray *pages; /* CropPage */
  guint first;   /* of the window */
  double dpi;
} Window;

/* The part of a page's picture that shows box; a copy, so that the page can go. */
static cairo_surface_t *
cut (cairo_surface_t *whole, DpRect box, double dpi)
{
  const double scale = dpi / 72;
  const double x = floor (box.x0 * scale), y = floor (box.y0 * scale);
  const int width = (int) MAX (1, ceil (box.x1 * scale) - x), height = (int) MAX (1, ceil (box.y1 * scale) - y);
  cairo_surface_t *part = cairo_image_surface_create (CAIRO_FORMAT_RGB24, width, height);
  cairo_t *cr = cairo_create (part);

  cairo_set_source_rgb (cr, 1, 1, 1);
  cairo_paint (cr);
  cairo_set_source_surface (cr, whole, -x, -y);
  cairo_pattern_set_filter (cairo_get_source (cr), CAIRO_FILTER_NEAREST);
  cairo_paint (cr);
  cairo_destroy (cr);
  return part;
}

/* Encodes the picture on this thread: the writers find the PNG attached to the pixels. */
static void
encode (cairo_surface_t *crop, double dpi, GError **error)
{
  GBytes *png = dp_picture_png (crop, dpi, error);
  gsize length;

  if (!png)
    return;
  const guchar *data = g_bytes_get_data (png, &length);
  if (cairo_surface_set_mime_data (crop, CAIRO_MIME_TYPE_PNG, data, length, (cairo_destroy_func_t) g_bytes_unref, png)
      != CAIRO_STATUS_SUCCESS)
    g_bytes_unref (png); /* then they encode it themselves */
}

static void
render_page (DpReaders *readers, DpPdf *pdf, guint item, gpointer data)
{
  const Window *window = data;
  CropPage *page = &g_array_index (window->pages, CropPage, window->first + item);
  const DpRect all = { 0, 0, page->width, page->height };
  const double page_dpi = crop_dpi (all, window->dpi);
  cairo_surface_t *whole = NULL;
  g_autoptr (GError) error = NULL;

  page->tried = TRUE;
  if (page->blocks->len >= WHOLE_PAGE_FROM && page_dpi >= window->dpi)
    whole = dp_upright_render (pdf, page->upright, all, page_dpi, &error);
  for (guint i = 0; i < page->blocks->len && !error; i++) {
    DpBlock *block = g_ptr_array_index (page->blocks, i);
    const DpRect box = crop_box (block, page);

    block->crop_dpi = crop_dpi (box, window->dpi);
    block->crop = whole ? cut (whole, box, page_dpi) : dp_upright_render (pdf, page->upright, box, block->crop_dpi, &error);
    if (block->crop)
      encode (block->crop, block->crop_dpi, &error);
  }
  g_clear_pointer (&whole, cairo_surface_destroy);
  if (error) {
    dp_readers_given_up (readers, error);
    page->problem = g_strdup_printf ("not all pictures of the page could be drawn: %s", error->message);
  }
}

static gboolean
write_picture (const char *name, const guint8 *png, gsize length, gpointer data, GError **error)
{
  const DpCropOptions *options = data;
  g_autofree char *path = g_build_filename (options->image_dir, name, NULL);

  return dp_writer_add (options->writer, path, (const char *) png, length, error);
}

/* Pages from first on whose pixels fit the budget, at least one. */
static guint
window_length (const GArray *pages, guint first)
{
  double bytes = 0;
  guint n = 0;

  while (first + n < pages->len && (n == 0 || bytes < WINDOW_BYTES))
    bytes += g_array_index (pages, CropPage, first + n++).bytes;
  return n;
}

/* Gives pages that no thread came to a reason. */
static void
explain_untried (GArray *pages, const char *reason)
{
  for (guint i = 0; i < pages->len; i++) {
    CropPage *page = &g_array_index (pages, CropPage, i);
    if (!page->tried && !page->problem)
      page->problem = g_strdup (reason);
  }
}

GArray *
dp_crops_make (DpReaders *readers, DpDocument *document, const DpCropOptions *options, GError **error)
{
  g_autoptr (GArray) pages = plan_pages (document, options->dpi);
  Window window = { .pages = pages, .dpi = options->dpi };
  double kept = 0;
  guint n;

  for (; window.first < pages->len; window.first += n) {
    n = window_length (pages, window.first);
    if (!options->writer && kept > EMBEDDED_BYTES)
      break;
    for (guint i = 0; i < n; i++)
      kept += g_array_index (pages, CropPage, window.first + i).bytes;
    dp_readers_each (readers, n, 1, render_page, &window);
    if (options->writer && !dp_output_pictures (document, write_picture, (gpointer) options, TRUE, error))
      return NULL;
  }

  explain_untried (pages, dp_readers_given_up (readers, NULL) ? "pictures left out, the document was given up"
                                                              : "pictures left out, there are too many to embed; use --images referenced");
  GArray *problems = g_array_new (FALSE, TRUE, sizeof (DpCropProblem));
  g_array_set_clear_func (problems, problem_clear);
  for (guint i = 0; i < pages->len; i++) {
    CropPage *page = &g_array_index (pages, CropPage, i);
    if (page->problem) {
      const DpCropProblem problem = { .page = page->page, .reason = g_steal_pointer (&page->problem) };
      g_array_append_val (problems, problem);
    }
  }
  return problems;
}
