/* pipeline/image_look.c - see image_look.h. */
#include "pipeline/image_look.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define LOOK_DPI 100.0
#define CELL 4.0 /* points: the side of a cell */
#define CORE 2u  /* cells: the side of a square of an area; letters on a ground leave few such free */
#define BITS 4u  /* of each colour, for the histogram */
#define EVEN 40  /* a cell is of one colour if its brightest and darkest pixel differ by less */
#define APART 40 /* two colours are, if red, green or blue differ by that much */
#define LEAST_PAPER 0.35
#define LEAST_MARKS 0.14
#define AREAS_TO_MARKS 0.3
#define MOST_CELLS (4u << 20)
#define MOST_PICTURE (4u << 20) /* pixels */

#define SIDE (1u << BITS)

typedef struct {
  guint32 sum[3], n;
  guint8 least, most;
} Sum;

typedef struct {
  guint8 rgb[3];
  guint8 even;
} Cell;

struct DpImageLook {
  guint width, height, step, cell; /* step: of each so many rows and columns one shows the colours; cell: of these */
  guint stride;                    /* each so many are looked at: for the picture, half a step */
  guint rows;                      /* that came */
  guint columns, rows_in;          /* of cells; rows of pixels in the unfinished row of cells */
  guint32 bins[SIDE * SIDE * SIDE];
  guint64 n_pixels;
  Sum *sums;           /* of the unfinished row */
  GArray *cells;       /* Cell, row by row */
  guint32 *light;      /* sums of the unfinished row of the picture: a pixel of it is a mean over step x step */
  GByteArray *picture; /* finished rows of width / step */
};

DpImageLook *
dp_image_look_new (guint width, guint height, double dpi)
{
  DpImageLook *look = g_new0 (DpImageLook, 1);
  const double ratio = dpi / LOOK_DPI;

  look->width = width;
  look->height = height;
  look->step = ratio > 1 && ratio < 1e4 ? (guint) ratio : 1;
  look->stride = height ? MAX (1, look->step / 2) : look->step;
  const double side = dpi / look->step * CELL / 72;
  look->cell = side > 2 && side < 1e4 ? (guint) lround (side) : 2;
  look->columns = width / look->step / look->cell;
  look->sums = g_new0 (Sum, look->columns + 1);
  look->cells = g_array_new (FALSE, FALSE, sizeof (Cell));
  look->light = g_new0 (guint32, width / look->step + 1);
  look->picture = g_byte_array_new ();
  return look;
}

void
dp_image_look_free (DpImageLook *look)
{
  if (!look)
    return;
  g_free (look->sums);
  g_array_unref (look->cells);
  g_free (look->light);
  g_byte_array_unref (look->picture);
  g_free (look);
}

static void
finish_row_of_cells (DpImageLook *look)
{
  for (guint i = 0; i < look->columns; i++) {
    Sum *s = &look->sums[i];
    const Cell cell
        = { { (guint8) (s->sum[0] / s->n), (guint8) (s->sum[1] / s->n), (guint8) (s->sum[2] / s->n) }, s->most - s->least < EVEN };
    g_array_append_val (look->cells, cell);
    *s = (Sum){ 0 };
  }
  look->rows_in = 0;
}

/* Eight times the luminance. */
static guint
light_of (const guint8 *p)
{
  return 2u * p[0] + 5u * p[1] + p[2];
}

/* The next row of a cell, from its first pixel on. */
static void
add_to_cell (DpImageLook *look, Sum *s, const guint8 *p)
{
  const gsize next = 3 * (gsize) look->step;
  guint32 red = 0, green = 0, blue = 0;
  guint least = s->n ? 8u * s->least : G_MAXUINT, most = 8u * s->most;

  for (guint k = 0; k < look->cell; k++, p += next) {
    const guint light = light_of (p);
    look->bins[(guint) (p[0] >> (8 - BITS)) << 2 * BITS | (guint) (p[1] >> (8 - BITS)) << BITS | p[2] >> (8 - BITS)]++;
    least = MIN (least, light);
    most = MAX (most, light);
    red += p[0], green += p[1], blue += p[2];
  }
  s->least = (guint8) (least / 8);
  s->most = (guint8) (most / 8);
  s->sum[0] += red, s->sum[1] += green, s->sum[2] += blue;
  s->n += look->cell;
}

static void
add_to_picture (DpImageLook *look, const guint8 *rgb)
{
  const guint step = look->step, stride = look->stride, n = look->width / step, side = (step + stride - 1) / stride;

  if (look->picture->len + n > MOST_PICTURE)
    return;
  for (guint x = 0; x < n && rgb; x++, rgb += 3 * (gsize) step) {
    guint sum = 0;
    for (guint k = 0; k < step; k += stride)
      sum += light_of (rgb + 3 * (gsize) k);
    look->light[x] += sum;
  }
  if (look->rows % look->step)
    return;
  const guint at = look->picture->len, area = 8 * side * side;
  g_byte_array_set_size (look->picture, at + n);
  for (guint x = 0; x < n; x++)
    look->picture->data[at + x] = (guint8) (look->light[x] / area);
  memset (look->light, 0, n * sizeof *look->light);
}

cairo_surface_t *
dp_image_look_picture (const DpImageLook *look)
{
  const guint n = look->width / look->step, height = look->height / look->step;

  if (look->rows != look->height || n == 0 || height == 0 || look->picture->len != n * height)
    return NULL;
  cairo_surface_t *picture = cairo_image_surface_create (CAIRO_FORMAT_A8, (int) n, (int) height);
  if (cairo_surface_status (picture) != CAIRO_STATUS_SUCCESS) {
    cairo_surface_destroy (picture);
    return NULL;
  }
  guint8 *pixels = cairo_image_surface_get_data (picture);
  const gsize stride = (gsize) cairo_image_surface_get_stride (picture);
  for (guint y = 0; y < height; y++)
    memcpy (pixels + y * stride, look->picture->data + (gsize) y * n, n);
  cairo_surface_mark_dirty (picture);
  return picture;
}

gboolean
dp_image_look_wants_row (const DpImageLook *look)
{
  return look->rows % look->step % look->stride == 0;
}

void
dp_image_look_row (DpImageLook *look, const guint8 *rgb)
{
  const guint8 *seen = dp_image_look_wants_row (look) ? rgb : NULL;

  look->rows++;
  if (look->height)
    add_to_picture (look, seen);
  if ((look->rows - 1) % look->step)
    return;
  if (look->columns == 0 || look->cells->len >= MOST_CELLS)
    return;
  for (guint i = 0; i < look->columns; i++)
    add_to_cell (look, &look->sums[i], rgb + 3 * (gsize) look->step * look->cell * i);
  look->n_pixels += look->columns * look->cell;
  if (++look->rows_in == look->cell)
    finish_row_of_cells (look);
}

/* The colour with most pixels, and the share of it and the colours beside it. */
static double
find_paper (const DpImageLook *look, guint8 paper[3])
{
  guint best = 0;
  guint64 sum = 0;

  for (guint i = 0; i < G_N_ELEMENTS (look->bins); i++)
    if (look->bins[i] > look->bins[best])
      best = i;
  const guint at[3] = { best >> 2 * BITS, best >> BITS & (SIDE - 1), best & (SIDE - 1) };
  for (guint r = at[0] - (at[0] > 0); r <= MIN (at[0] + 1, SIDE - 1); r++)
    for (guint g = at[1] - (at[1] > 0); g <= MIN (at[1] + 1, SIDE - 1); g++)
      for (guint b = at[2] - (at[2] > 0); b <= MIN (at[2] + 1, SIDE - 1); b++)
        sum += look->bins[r << 2 * BITS | g << BITS | b];
  for (guint c = 0; c < 3; c++)
    paper[c] = (guint8) ((at[c] << (8 - BITS)) + (1u << (7 - BITS)));
  return look->n_pixels ? (double) sum / (double) look->n_pixels : 0;
}

static gboolean
apart (const guint8 a[3], const guint8 b[3])
{
  return abs (a[0] - b[0]) >= APART || abs (a[1] - b[1]) >= APART || abs (a[2] - b[2]) >= APART;
}

/* Whether the square of cells from here on is filled by one colour other than the paper's. */
static gboolean
is_area (const DpImageLook *look, guint row, guint column, const guint8 paper[3])
{
  const Cell *first = &g_array_index (look->cells, Cell, row * look->columns + column);

  if (!first->even || !apart (first->rgb, paper))
    return FALSE;
  for (guint y = 0; y < CORE; y++)
    for (guint x = 0; x < CORE; x++) {
      const Cell *c = first + y * look->columns + x;
      if (!c->even || apart (c->rgb, first->rgb))
        return FALSE;
    }
  return TRUE;
}

/* Share of the cells in such squares: an opening of what is not paper. */
static double
share_of_areas (const DpImageLook *look, const guint8 paper[3])
{
  const guint rows = look->columns ? look->cells->len / look->columns : 0;
  g_autofree guint8 *marks = g_new0 (guint8, look->cells->len + 1);
  gsize n = 0;

  for (guint row = 0; row + CORE <= rows; row++)
    for (guint column = 0; column + CORE <= look->columns; column++)
      for (guint y = 0; is_area (look, row, column, paper) && y < CORE; y++)
        memset (marks + (row + y) * look->columns + column, 1, CORE);
  for (guint i = 0; i < look->cells->len; i++)
    n += marks[i];
  return look->cells->len ? (double) n / look->cells->len : 0;
}

DpImageColours
dp_image_look_colours (DpImageLook *look)
{
  guint8 paper[3];
  DpImageColours colours = { .paper = find_paper (look, paper) };

  if (look->cells->len == 0) /* nothing was seen: nothing speaks against it */
    return (DpImageColours){ .paper = 1, .marks = 1 };
  colours.dark = MAX (MAX (paper[0], paper[1]), paper[2]) < 128;
  colours.areas = share_of_areas (look, paper);
  for (guint i = 0; i < look->cells->len; i++)
    colours.marks += !g_array_index (look->cells, Cell, i).even;
  colours.marks /= look->cells->len;
  return colours;
}

gboolean
dp_image_colours_may_be_text (DpImageColours colours)
{
  return colours.paper >= LEAST_PAPER && colours.marks >= LEAST_MARKS && colours.areas <= AREAS_TO_MARKS * colours.marks;
}
