/* vlm/protocols/mineru_crop.c - the picture that goes with a block's question.
 *
 * Crop and rotation as Pillow makes them; pictures inside a table are painted over with the mean colour around them and a code that
 * the model reads as text (mineru-vl-utils, mask_and_encode_table_image()).
 */
#include "vlm/image.h"
#include "vlm/protocols/mineru.h"

#include <math.h>

#define MOST_RATIO 50
#define LEAST_EDGE 28
#define CODE_FONT "DejaVu Sans"
#define CODE_FILL 0.7 /* of the box that the code may take */
#define AROUND 2      /* pixels outside of a box, where its surroundings are looked at */

typedef struct {
  int x0, y0, x1, y1;
} Box;

static int
upright (int angle)
{
  return angle == 90 || angle == 180 || angle == 270 ? angle : 0;
}

/* A box in a picture of w x h pixels, after the picture was turned counter-clockwise. */
static Box
turn_box (Box b, int w, int h, int angle)
{
  switch (angle) {
  case 90: return (Box){ b.y0, w - b.x1, b.y1, w - b.x0 };
  case 180: return (Box){ w - b.x1, h - b.y1, w - b.x0, h - b.y0 };
  case 270: return (Box){ h - b.y1, b.x0, h - b.y0, b.x1 };
  default: return b;
  }
}

/* ---- codes ---- */

/* Mean of eight points just outside of the box, red, green and blue in 0..255. */
static void
colour_around (cairo_surface_t *image, Box b, int mean[3])
{
  const int w = cairo_image_surface_get_width (image), h = cairo_image_surface_get_height (image);
  const int xs[3] = { b.x0 - AROUND, (b.x0 + b.x1) / 2, b.x1 + AROUND }, ys[3] = { b.y0 - AROUND, (b.y0 + b.y1) / 2, b.y1 + AROUND };
  const guint8 *data = cairo_image_surface_get_data (image);
  const gsize stride = (gsize) cairo_image_surface_get_stride (image);
  int sum[3] = { 0 };

  for (int i = 0; i < 9; i++) {
    if (i == 4) /* the middle is the picture itself */
      continue;
    const int x = CLAMP (xs[i % 3], 0, w - 1), y = CLAMP (ys[i / 3], 0, h - 1);
    const guint32 pixel = ((const guint32 *) (gconstpointer) (data + (gsize) y * stride))[x];
    for (int c = 0; c < 3; c++)
      sum[c] += (int) (pixel >> (16 - 8 * c) & 255);
  }
  for (int c = 0; c < 3; c++)
    mean[c] = sum[c] / 8;
}

/* The code centred in the box, as large as fits. */
static void
draw_code (cairo_t *cr, Box b, const char *code, double ink)
{
  const double w = b.x1 - b.x0, h = b.y1 - b.y0;
  cairo_text_extents_t e;

  cairo_select_font_face (cr, CODE_FONT, CAIRO_FONT_SLANT_NORMAL, CAIRO_FONT_WEIGHT_NORMAL);
  cairo_set_font_size (cr, 100);
  cairo_text_extents (cr, code, &e);
  if (!(e.width > 0 && e.height > 0))
    return;
  const double size = floor (100 * CODE_FILL * MIN (w / e.width, h / e.height));
  if (size < 4)
    return;
  cairo_set_font_size (cr, size);
  cairo_text_extents (cr, code, &e);
  cairo_set_source_rgb (cr, ink, ink, ink);
  cairo_move_to (cr, b.x0 + w / 2 - e.width / 2 - e.x_bearing, b.y0 + h / 2 - e.height / 2 - e.y_bearing);
  cairo_show_text (cr, code);
}

static void
paint_over (cairo_surface_t *image, Box b, const DpMineruPicture *picture)
{
  g_autofree char *code = g_strdup_printf ("[%s]", picture->code);
  int c[3];

  cairo_surface_flush (image);
  colour_around (image, b, c);
  cairo_t *cr = cairo_create (image);
  cairo_set_source_rgb (cr, c[0] / 255.0, c[1] / 255.0, c[2] / 255.0);
  cairo_rectangle (cr, b.x0, b.y0, b.x1 - b.x0 + 1, b.y1 - b.y0 + 1); /* Pillow's rectangle has its last pixels in */
  cairo_fill (cr);
  draw_code (cr, b, code, 0.299 * c[0] + 0.587 * c[1] + 0.114 * c[2] < 128 ? 1 : 0);
  cairo_destroy (cr);
  cairo_surface_flush (image);
}

/* table: the block's crop, w x h pixels before it was turned. */
static void
paint_codes (cairo_surface_t *table, int w, int h, const DpMineruBlock *block, double page_w, double page_h)
{
  const int left = (int) (block->box[0] * page_w), top = (int) (block->box[1] * page_h);

  for (guint i = 0; i < block->pictures->len; i++) {
    const DpMineruPicture *p = &g_array_index (block->pictures, DpMineruPicture, i);
    const Box b = { (int) MAX (0, p->box[0] * page_w - left), (int) MAX (0, p->box[1] * page_h - top),
                    (int) MIN (w, p->box[2] * page_w - left), (int) MIN (h, p->box[3] * page_h - top) };
    if (b.x1 > b.x0 && b.y1 > b.y0)
      paint_over (table, turn_box (b, w, h, upright (block->angle)), p);
  }
}

/* ---- crops ---- */

cairo_surface_t *
dp_mineru_crop (cairo_surface_t *page, const DpMineruBlock *block, GError **error)
{
  const double w = cairo_image_surface_get_width (page), h = cairo_image_surface_get_height (page);
  cairo_surface_t *cut = dp_image_crop (page, block->box[0] * w, block->box[1] * h, block->box[2] * w, block->box[3] * h, error), *turned;

  if (!cut)
    return NULL;
  const int cut_w = cairo_image_surface_get_width (cut), cut_h = cairo_image_surface_get_height (cut);
  turned = upright (block->angle) ? dp_image_rotate (cut, upright (block->angle), error) : cairo_surface_reference (cut);
  cairo_surface_destroy (cut);
  if (!turned)
    return NULL;
  if (block->pictures)
    paint_codes (turned, cut_w, cut_h, block, w, h);
  cairo_surface_t *out = dp_image_fit_ratio (turned, MOST_RATIO, LEAST_EDGE, error);
  cairo_surface_destroy (turned);
  return out;
}
