/* vlm/protocols/mineru_select.c - between the two steps: which blocks are read, and which pictures belong to tables.
 *
 * Rules and thresholds: mineru-vl-utils, prepare_for_extract() and build_table_image_map().  Codes: 4 of the 18 characters that the
 * reference draws at random; here they count, so that the same page always gives the same picture.
 */
#include "vlm/protocols/mineru.h"

#define INSIDE 0.9
#define LEAST_SIDE 0.1  /* of the page: a picture with both sides longer is analysed, */
#define LEAST_AREA 0.01 /* and one with more area */

#define BIT(type) (1u << DP_MINERU_##type)
#define CONTAINERS (BIT (LIST) | BIT (EQUATION_BLOCK) | BIT (IMAGE_BLOCK))
#define PICTURES (BIT (IMAGE) | BIT (CHART))

static DpMineruBlock *
block_at (const GPtrArray *blocks, guint i)
{
  return g_ptr_array_index (blocks, i);
}

static gboolean
is_one_of (const DpMineruBlock *b, guint32 types)
{
  return (types >> b->type & 1) != 0;
}

static GPtrArray *
blocks_of (const GPtrArray *blocks, guint32 types)
{
  GPtrArray *found = g_ptr_array_new ();

  for (guint i = 0; i < blocks->len; i++)
    if (is_one_of (block_at (blocks, i), types))
      g_ptr_array_add (found, block_at (blocks, i));
  return found;
}

static gboolean
is_covered (const DpMineruBlock *b, const GPtrArray *by)
{
  for (guint i = 0; i < by->len; i++)
    if (block_at (by, i) != b && dp_mineru_cover (b->box, block_at (by, i)->box) >= INSIDE)
      return TRUE;
  return FALSE;
}

static void
drop_inner_captions (GPtrArray *blocks)
{
  g_autoptr (GPtrArray) around = blocks_of (blocks, PICTURES | BIT (IMAGE_BLOCK));

  for (guint i = 0; around->len > 0 && i < blocks->len;)
    if (block_at (blocks, i)->type == DP_MINERU_IMAGE_CAPTION && is_covered (block_at (blocks, i), around))
      g_ptr_array_remove_index (blocks, i);
    else
      i++;
}

/* ---- pictures inside tables ---- */

static double
area_of (const DpMineruBlock *b)
{
  return (b->box[2] - b->box[0]) * (b->box[3] - b->box[1]);
}

/* The table that holds most of the picture, the smallest of equal ones. */
static DpMineruBlock *
table_around (const DpMineruBlock *picture, const GPtrArray *tables)
{
  DpMineruBlock *best = NULL;
  double best_cover = INSIDE;

  for (guint i = 0; i < tables->len; i++) {
    DpMineruBlock *table = block_at (tables, i);
    const double cover = dp_mineru_cover (picture->box, table->box);
    if (cover >= INSIDE && (!best || cover > best_cover || (!(cover < best_cover) && area_of (table) < area_of (best)))) {
      best = table;
      best_cover = cover;
    }
  }
  return best;
}

static int
compare_places (gconstpointer a, gconstpointer b)
{
  const double *x = ((const DpMineruPicture *) a)->box, *y = ((const DpMineruPicture *) b)->box;
  const guint first = x[1] < y[1] || x[1] > y[1] ? 1 : 0;

  return x[first] < y[first] ? -1 : x[first] > y[first];
}

/* Codes of neighbours differ in every place: the step is prime to 18^4 and large. */
static void
write_code (guint k, char code[5])
{
  static const char characters[] = "ACDGHKTWXYZ2345678";
  guint n = (guint) ((k * G_GUINT64_CONSTANT (41687) + 31415) % 104976);

  for (int i = 0; i < 4; i++, n /= 18)
    code[i] = characters[n % 18];
  code[4] = '\0';
}

static void
absorb_pictures (GPtrArray *blocks, const GPtrArray *tables)
{
  for (guint i = 0; i < blocks->len; i++) {
    DpMineruBlock *b = block_at (blocks, i), *table = b->type == DP_MINERU_IMAGE ? table_around (b, tables) : NULL;
    DpMineruPicture picture = { .box = { b->box[0], b->box[1], b->box[2], b->box[3] } };
    if (!table)
      continue;
    if (!table->pictures)
      table->pictures = g_array_new (FALSE, TRUE, sizeof (DpMineruPicture));
    g_array_append_val (table->pictures, picture);
    b->absorbed = TRUE;
  }
  guint k = 0;
  for (guint t = 0; t < tables->len; t++) {
    GArray *pictures = block_at (tables, t)->pictures;
    if (!pictures)
      continue;
    g_array_sort (pictures, compare_places);
    for (guint i = 0; i < pictures->len; i++)
      write_code (k++, g_array_index (pictures, DpMineruPicture, i).code);
  }
}

/* ---- the choice ---- */

static gboolean
is_large (const DpMineruBlock *b)
{
  const double w = b->box[2] - b->box[0], h = b->box[3] - b->box[1];

  return (w > LEAST_SIDE && h > LEAST_SIDE) || w * h > LEAST_AREA;
}

GArray *
dp_mineru_select (GPtrArray *blocks, const DpMineruSelection *selection)
{
  GArray *readings = g_array_new (FALSE, FALSE, sizeof (DpMineruReading));
  const guint32 leave = CONTAINERS | (selection->image_analysis ? 0 : PICTURES) | selection->leave;

  drop_inner_captions (blocks);
  g_autoptr (GPtrArray) tables = blocks_of (blocks, BIT (TABLE) & ~leave), image_blocks = blocks_of (blocks, BIT (IMAGE_BLOCK));
  absorb_pictures (blocks, tables);
  for (guint i = 0; i < blocks->len; i++) {
    const DpMineruBlock *b = block_at (blocks, i);
    const DpMineruReading reading = { i, dp_mineru_question_of (b->type) };
    if (is_one_of (b, leave) || b->absorbed)
      continue;
    if (is_one_of (b, PICTURES) && (!is_large (b) || is_covered (b, image_blocks)))
      continue;
    g_array_append_val (readings, reading);
  }
  return readings;
}
