/* pipeline/ocr.c - line readers shared by the pages of a run; see ocr.h.
 *
 * Pages are read by many threads, a reader belongs to one at a time and has threads of its own.  So there
 * are few readers, for a few processors each, opened as they are needed: one on small machines.
 */
#include "pipeline/ocr_private.h"
#include "pipeline/processors.h"

#include <math.h>

#define THREADS_OF_A_READER 4u
/* Resolutions at which letters of usual type (10 points) are of the size that the model reads best. */
#define LEAST_DPI 160.0
#define MOST_DPI 300.0
#define USUAL_DPI 200.0
#define FINE_SIDE 1850u   /* pixels: A4 at 160 dpi */
#define LARGE_SIDE 1191.0 /* points: A3.  The type of posters and plans is larger than usual, their pixels are many */

struct DpOcr {
  const DpModelOptions *model;
  guint dpi;
  DpRecogniser recogniser;
  GMutex lock;
  GCond freed;
  GPtrArray *idle; /* DpLineReader */
  guint n_open, most;
};

/* ---- readers ---------------------------------------------------------------------------------------------- */

static DpLineReader *
open_reader (const DpOcr *ocr, GError **error)
{
  const guint processors = dp_processors ();
  const DpLineReaderOptions options = { .device = ocr->model->device,
                                        .index = ocr->model->index,
                                        .n_threads = ocr->model->threads ? ocr->model->threads : MIN (processors, THREADS_OF_A_READER),
                                        .strict = ocr->model->strict_backend,
                                        .eager = ocr->model->eager };

  return dp_line_reader_new (&options, error);
}

DpLineReader *
dp_ocr_take_reader (DpOcr *ocr, GError **error)
{
  DpLineReader *reader = NULL;

  g_mutex_lock (&ocr->lock);
  while (ocr->idle->len == 0 && ocr->n_open >= ocr->most)
    g_cond_wait (&ocr->freed, &ocr->lock);
  if (ocr->idle->len)
    reader = g_ptr_array_steal_index_fast (ocr->idle, ocr->idle->len - 1);
  else
    ocr->n_open++;
  g_mutex_unlock (&ocr->lock);
  if (!reader)
    reader = open_reader (ocr, error);
  if (!reader) {
    g_mutex_lock (&ocr->lock);
    ocr->n_open--;
    g_cond_signal (&ocr->freed);
    g_mutex_unlock (&ocr->lock);
  }
  return reader;
}

void
dp_ocr_give_back (DpOcr *ocr, DpLineReader *reader)
{
  g_mutex_lock (&ocr->lock);
  g_ptr_array_add (ocr->idle, reader);
  g_cond_signal (&ocr->freed);
  g_mutex_unlock (&ocr->lock);
}

/* ---- the recogniser --------------------------------------------------------------------------------------------- */

double
dp_ocr_automatic_dpi (const DpPage *page)
{
  double area = 0, dpi = USUAL_DPI;
  guint32 side = 0;

  for (gsize i = 0; i < page->n_images; i++) {
    const DpImage *image = &page->images[i];
    const double shown = dp_rect_area (image->box);
    if (!(shown > area) || !image->width || !image->height)
      continue;
    area = shown;
    side = MAX (image->width, image->height);
    dpi = sqrt ((double) image->width * image->height / shown) * 72;
  }
  if (area < 0.3 * page->width * page->height)
    return MAX (page->width, page->height) > LARGE_SIDE ? LEAST_DPI : USUAL_DPI;
  if (side >= FINE_SIDE) /* a large picture that does not know its resolution is fine enough as it is */
    return MIN (dpi, MOST_DPI);
  if (dpi < LEAST_DPI) /* letters of few pixels part better when there are more of them */
    dpi = MIN (2 * dpi, USUAL_DPI);
  return CLAMP (dpi, LEAST_DPI, MOST_DPI);
}

static double
resolution (gpointer data, const DpPage *page)
{
  const DpOcr *ocr = data;

  return ocr->dpi ? ocr->dpi : dp_ocr_automatic_dpi (page);
}

static DpPageReading *
read_page (gpointer data, cairo_surface_t *picture, double dpi, gboolean part, DpReadingCost *cost, GError **error)
{
  return dp_ocr_read (data, picture, dpi, part, cost, error);
}

DpOcr *
dp_ocr_new (const DpModelOptions *model, guint dpi)
{
  DpOcr *ocr = g_new0 (DpOcr, 1);

  ocr->model = model;
  ocr->dpi = dpi;
  ocr->recogniser = (DpRecogniser){ .name = "nano", .data = ocr, .dpi = resolution, .read_page = read_page };
  g_mutex_init (&ocr->lock);
  g_cond_init (&ocr->freed);
  ocr->idle = g_ptr_array_new_with_free_func ((GDestroyNotify) dp_line_reader_free);
  ocr->most = MAX (1, dp_processors () / THREADS_OF_A_READER);
  return ocr;
}

void
dp_ocr_free (DpOcr *ocr)
{
  if (!ocr)
    return;
  g_ptr_array_unref (ocr->idle);
  g_mutex_clear (&ocr->lock);
  g_cond_clear (&ocr->freed);
  g_free (ocr);
}

const DpRecogniser *
dp_ocr_recogniser (DpOcr *ocr)
{
  return &ocr->recogniser;
}
