/* layout/heading_faces.c - which faces of headings stand above which.
 *
 * Larger above smaller, bold above regular, capitals above small letters; where most headings of a face are numbered,
 * the numbers say how far below each other faces stand: 1.1 one level below the 1 that it counts in.  A larger face whose
 * headings part the numbered ones (Part I, a chapter without a number) stands above them.
 */
#include "layout/heading_levels.h"

#define LARGER 1.08f /* sizes that surely differ */
#define MANY 4u      /* headings that make a face the document's usual one */
#define RANKED 64u   /* largest faces that are compared heading by heading, so that odd documents stay linear */

static int
compare_faces (gconstpointer a, gconstpointer b, gpointer data)
{
  const DpHeadingFace *x = &g_array_index ((GArray *) data, DpHeadingFace, *(const guint *) a);
  const DpHeadingFace *y = &g_array_index ((GArray *) data, DpHeadingFace, *(const guint *) b);

  if (x->size != y->size)
    return x->size > y->size ? -1 : 1;
  if (x->bold != y->bold)
    return x->bold ? -1 : 1;
  if (x->caps != y->caps)
    return x->caps ? -1 : 1;
  if (x->italic != y->italic)
    return x->italic ? 1 : -1;
  return 0;
}

/* The entry of counts[1..] that is largest, the smallest index of several; 0 = all are 0. */
static guint
most (const guint *counts)
{
  guint best = 0;

  for (guint d = 1; d <= DP_MAX_LEVEL; d++)
    if (counts[d] > (best ? counts[best] : 0))
      best = d;
  return best;
}

/* Usual depth of the face's numbers, 0 if most of its headings have none. */
static guint
depth_of (const DpHeadingFace *face)
{
  return face->numbered * 2 > face->n ? most (face->depth_sum) : 0;
}

/* The level that the structure tree or the outline give a face; 0 if they are silent. */
static guint
given_level (const DpHeadingFace *face, guint outline_shift)
{
  guint level = most (face->tag_count);

  if (level || face->outlined * 2 <= face->n)
    return level;
  level = most (face->outline_count);
  return level ? MIN (level + outline_shift, DP_MAX_LEVEL) : 0;
}

/* A heading without a number in a face that is not smaller. */
static gboolean
stands_over (const GArray *faces, const DpLevelled *above, const DpLevelled *h)
{
  return above->depth == 0 && above->face != h->face
         && g_array_index (faces, DpHeadingFace, above->face).size >= g_array_index (faces, DpHeadingFace, h->face).size;
}

/* The face of the headings numbered N that stand before those numbered N.1, N.2, or without a number right before N.1, as
 * where chapters have theirs in the margin: that of most of them; -1 = none. */
static gint
face_of_parents (const GArray *headings, const GArray *faces)
{
  g_autofree guint *votes = g_new0 (guint, faces->len + 1);
  const DpLevelled *parent = NULL;
  gint best = -1;

  for (guint i = 0; i < headings->len; i++) {
    const DpLevelled *h = &g_array_index (headings, DpLevelled, i);
    if (h->depth == 1 || (h->depth > 1 && h->word))
      parent = h;
    else if (h->depth == 2 && parent && h->top > 0 && h->top == parent->value)
      votes[parent->face]++;
    else if (h->depth == 2 && h->value == 1 && i > 0 && stands_over (faces, h - 1, h))
      votes[h[-1].face]++;
  }
  for (guint i = 0; i < faces->len; i++)
    if (votes[i] > (best >= 0 ? votes[best] : 0))
      best = (gint) i;
  return best;
}

/* Do headings of the outer face, which has no numbers, hold those of the inner one?  The count begins anew below one of
 * them, two and more stand between numbered ones, or all of a short count stands below one of several. */
static gboolean
holds (const GArray *headings, guint outer, guint inner)
{
  guint parted = 0, last = 0, before = 0, after = 0, numbered = 0;

  for (guint i = 0; i < headings->len; i++) {
    const DpLevelled *h = &g_array_index (headings, DpLevelled, i);
    if (h->face == outer) {
      before += numbered == 0 ? 1 : 0;
      after += numbered > 0 ? 1 : 0;
    } else if (h->face == inner && h->depth == 1) {
      if (after > 0 && h->value == 1)
        return TRUE;
      parted += after > last ? 1 : 0;
      last = after;
      numbered++;
    }
  }
  return parted >= 2 || (parted == 0 && before >= 2 && after >= 1 && numbered < before + after);
}

/* A heading alone in the largest face amid a document that has begun with another one, which has many: no level above them. */
static gboolean
is_stray (const GArray *faces, const GArray *order)
{
  const DpHeadingFace *face = &g_array_index (faces, DpHeadingFace, g_array_index (order, guint, 0));

  if (face->n > 1 || face->numbered || order->len < 2)
    return FALSE;
  const DpHeadingFace *next = &g_array_index (faces, DpHeadingFace, g_array_index (order, guint, 1));
  return next->first < face->first && next->n >= MANY;
}

/* The level of the innermost face that holds face number k of the order; 0 = none.  Its headings are larger and begin
 * earlier, and are numbered themselves, or hold the others, or stand between a number above and the first one here. */
static guint
level_above (const GArray *headings, const GArray *faces, const GArray *order, guint k)
{
  const guint inner = g_array_index (order, guint, k);
  const DpHeadingFace *face = &g_array_index (faces, DpHeadingFace, inner);
  const guint begin = face->numbered ? face->first_number : face->first;
  guint level = 0, numbered = G_MAXUINT; /* where the count above begins */

  for (guint i = 0; i < k && k < RANKED; i++) {
    const guint outer = g_array_index (order, guint, i);
    const DpHeadingFace *other = &g_array_index (faces, DpHeadingFace, outer);
    const guint depth = depth_of (other);
    if (other->size <= LARGER * face->size || other->first > begin || depth > 1)
      continue;
    if (depth == 1 && (other->n > 1 || other->worded))
      numbered = MIN (numbered, other->first_number);
    else if (depth == 1 || (numbered > other->first && !holds (headings, outer, inner)))
      continue;
    level = MAX (level, other->level);
  }
  return level;
}

/* A face above one whose level is known is not deeper than it. */
static void
lift (GArray *faces, const GArray *order, guint outline_shift)
{
  for (guint k = order->len; k-- > 1;) {
    DpHeadingFace *above = &g_array_index (faces, DpHeadingFace, g_array_index (order, guint, k - 1));
    const DpHeadingFace *below = &g_array_index (faces, DpHeadingFace, g_array_index (order, guint, k));
    if (above->level > below->level && given_level (above, outline_shift) == 0 && depth_of (above) == 0)
      above->level = below->level;
  }
}

guint
dp_heading_rank_faces (const GArray *headings, GArray *faces, guint skip, guint title, guint outline_shift)
{
  g_autoptr (GArray) order = g_array_new (FALSE, FALSE, sizeof (guint));
  const gint parents = face_of_parents (headings, faces);
  guint level = title, first = title + 1; /* the level of 1 */

  for (guint i = 0; i < faces->len; i++)
    if (i != skip)
      g_array_append_val (order, i);
  g_array_sort_with_data (order, compare_faces, faces);
  if (order->len > 0 && is_stray (faces, order)) {
    g_array_index (faces, DpHeadingFace, g_array_index (order, guint, 0)).level = title + 1;
    g_array_remove_index (order, 0);
  }
  for (guint k = 0; k < order->len; k++) {
    const guint index = g_array_index (order, guint, k);
    DpHeadingFace *face = &g_array_index (faces, DpHeadingFace, index);
    const guint given = given_level (face, outline_shift), depth = depth_of (face);
    if (given)
      level = given;
    else if (depth == 1 || (gint) index == parents) {
      const guint above = level_above (headings, faces, order, k);
      level = above ? above + 1 : title + 1;
    } else
      level = depth > 1 ? first + depth - 1 : level + 1;
    face->level = level = CLAMP (level, 1, DP_MAX_LEVEL);
    if (parents < 0 ? depth == 1 : (gint) index == parents)
      first = level;
  }
  lift (faces, order, outline_shift);
  return first;
}
