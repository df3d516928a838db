/* layout/scan_components.c - connected pieces of a binary picture, as boxes.
 *
 * Leptonica fills each piece from a seed, pixel by pixel.  Here each row is cut into its runs, a run joins what it touches of the row
 * above, and pieces that meet later are joined, too (union-find; Rosenfeld and Pfaltz 1966, by runs as He, Chao and Suzuki 2008): the
 * time goes with the number of runs, and white costs next to nothing.  The boxes and their order are those of pixConnCompBB(): by the
 * first pixel of each piece, from the top and from the left.
 */
#include "layout/scan_private.h"

typedef struct {
  guint x0, x1; /* x1 outside */
  guint piece;
} Run;

typedef struct {
  GArray *boxes;  /* DpScanRule, by piece */
  GArray *joined; /* guint: the piece that this one belongs to, itself or an earlier one */
} Pieces;

/* The runs of a row of w pixels: where a pixel differs from the one before it, one begins or ends. */
static guint
runs_of (const l_uint32 *row, guint w, Run *runs)
{
  guint n = 0;
  gboolean inside = FALSE;

  for (guint x = 0; x < w; x += 32) {
    const l_uint32 word = row[x / 32] & (w - x < 32 ? ~(G_MAXUINT32 >> (w - x)) : G_MAXUINT32);
    l_uint32 changes = word ^ (word >> 1 | (inside ? 1u << 31 : 0));
    while (changes) {
      const guint bit = (guint) __builtin_clz (changes);
      changes &= ~(1u << 31 >> bit);
      if (inside)
        runs[n++].x1 = x + bit;
      else
        runs[n].x0 = x + bit;
      inside = !inside;
    }
  }
  if (inside)
    runs[n++].x1 = w;
  return n;
}

static guint
root_of (const Pieces *pieces, guint piece)
{
  guint *joined = (guint *) (gpointer) pieces->joined->data;

  while (joined[piece] != piece)
    piece = joined[piece] = joined[joined[piece]];
  return piece;
}

static guint
new_piece (Pieces *pieces, const Run *run, gint y)
{
  const guint piece = pieces->boxes->len;
  const DpScanRule box = { (gint) run->x0, y, (gint) run->x1, y + 1, FALSE };

  g_array_append_val (pieces->boxes, box);
  g_array_append_val (pieces->joined, piece);
  return piece;
}

static void
grow (DpScanRule *box, const DpScanRule *by)
{
  box->x0 = MIN (box->x0, by->x0), box->y0 = MIN (box->y0, by->y0);
  box->x1 = MAX (box->x1, by->x1), box->y1 = MAX (box->y1, by->y1);
}

/* The earlier of two pieces takes the other in. */
static guint
join (Pieces *pieces, guint a, guint b)
{
  const guint first = MIN (a, b), second = MAX (a, b);

  if (first != second) {
    g_array_index (pieces->joined, guint, second) = first;
    grow (&g_array_index (pieces->boxes, DpScanRule, first), &g_array_index (pieces->boxes, DpScanRule, second));
  }
  return first;
}

/* Gives each run of row y its piece.  touch: 1 where corners connect, else 0. */
static void
place_runs (Pieces *pieces, Run *runs, guint n, const Run *above, guint n_above, guint touch, gint y)
{
  for (guint i = 0, k = 0; i < n; i++) {
    Run *run = &runs[i];
    guint piece = G_MAXUINT;

    while (k < n_above && above[k].x1 + touch <= run->x0)
      k++;
    for (guint m = k; m < n_above && above[m].x0 < run->x1 + touch; m++) {
      const guint other = root_of (pieces, above[m].piece);
      piece = piece == G_MAXUINT ? other : join (pieces, piece, other);
    }
    if (piece == G_MAXUINT) {
      run->piece = new_piece (pieces, run, y);
      continue;
    }
    run->piece = piece;
    grow (&g_array_index (pieces->boxes, DpScanRule, piece), &(DpScanRule){ (gint) run->x0, y, (gint) run->x1, y + 1, FALSE });
  }
}

GArray *
dp_scan_components (PIX *ink, gboolean corners)
{
  const DpLeptonica *l = dp_leptonica ();
  const guint w = (guint) l->pixGetWidth (ink), h = (guint) l->pixGetHeight (ink);
  const gsize wpl = (gsize) l->pixGetWpl (ink);
  const l_uint32 *row = l->pixGetData (ink);
  Pieces pieces = { g_array_new (FALSE, FALSE, sizeof (DpScanRule)), g_array_new (FALSE, FALSE, sizeof (guint)) };
  g_autofree Run *one = g_new (Run, w / 2 + 1), *other = g_new (Run, w / 2 + 1);
  Run *runs = one, *above = other;
  guint n_above = 0, kept = 0;

  for (guint y = 0; y < h; y++, row += wpl) {
    const guint n = runs_of (row, w, runs);
    place_runs (&pieces, runs, n, above, n_above, corners ? 1 : 0, (gint) y);
    Run *swap = above;
    above = runs, runs = swap;
    n_above = n;
  }
  for (guint i = 0; i < pieces.boxes->len; i++)
    if (g_array_index (pieces.joined, guint, i) == i)
      g_array_index (pieces.boxes, DpScanRule, kept++) = g_array_index (pieces.boxes, DpScanRule, i);
  g_array_set_size (pieces.boxes, kept);
  g_array_unref (pieces.joined);
  return pieces.boxes;
}
