/* layout/heading_levels.c - levels 1 to 6 for the headings of the whole document.
 *
 * Three witnesses, in this order: the outline (its depth, shifted by one if the document has a
 * title that the outline does not list), the numbering (3.1 lies below 3), and the ranking of
 * faces by size, weight and capitals.  A face whose headings are mostly numbered stands where
 * its numbers say, the faces between take the levels between.  Going down, levels never jump
 * by more than one.
 */
#include "layout/flow.h"
#include "layout/labels.h"
#include "layout/text.h"

#include <math.h>
#include <string.h>

#define MAX_LEVEL 6u

typedef struct {
  guint first, last; /* entries of one heading */
  guint face;        /* index into the faces */
  guint depth;       /* of its number, 0 = not numbered */
  char family;       /* of its number, when that has one component */
  guint outline;     /* outline level, 0 = not listed */
  guint level;
  gboolean tagged; /* the structure tree gave the level */
} Heading;

typedef struct {
  float size;
  gboolean bold, caps, italic;
  guint n, numbered, depth_sum[MAX_LEVEL + 1]; /* how many headings of each depth */
  guint outlined, outline_count[MAX_LEVEL + 1];
  guint tag_count[MAX_LEVEL + 1]; /* how many have each level of the structure tree; 0 = none */
  guint level;
} Face;

/* ---- collecting -------------------------------------------------------------------------- */

static gboolean
all_capitals (const char *text)
{
  guint upper = 0;

  for (const char *p = text; *p; p = g_utf8_next_char (p)) {
    if (g_unichar_islower (g_utf8_get_char (p)))
      return FALSE;
    upper += g_unichar_isupper (g_utf8_get_char (p)) ? 1 : 0;
  }
  return upper >= 3;
}

static guint
face_of (GArray *faces, const DpFlowLine *line)
{
  gboolean bold = (line->style & DP_SPAN_BOLD) != 0, italic = (line->style & DP_SPAN_ITALIC) != 0,
           caps = line->small_caps || all_capitals (line->text);

  for (guint i = 0; i < faces->len; i++) {
    const Face *face = &g_array_index (faces, Face, i);
    if (fabsf (face->size - line->size) <= 0.04f * face->size && face->bold == bold && face->caps == caps && face->italic == italic)
      return i;
  }
  Face face = { .size = line->size, .bold = bold, .caps = caps, .italic = italic };
  g_array_append_val (faces, face);
  return faces->len - 1;
}

static char *
squeezed_text (const DpFlow *flow, guint first, guint last, gsize from)
{
  GString *out = g_string_new (NULL);

  for (guint i = first; i < last; i++) {
    const char *text = dp_flow_line (flow, i)->text;
    dp_text_squeeze_into (out, text + (i == first ? MIN (from, strlen (text)) : 0));
  }
  return g_string_free (out, FALSE);
}

static GHashTable *
outline_levels (const DpFlow *flow)
{
  GHashTable *table = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);

  for (guint i = 0; flow->info && i < flow->info->outline->len; i++) {
    const DpOutlineEntry *entry = &g_array_index (flow->info->outline, DpOutlineEntry, i);
    g_autofree char *key = dp_text_squeeze (entry->title);
    if (strlen (key) >= 3)
      g_hash_table_insert (table, g_steal_pointer (&key), GUINT_TO_POINTER (CLAMP (entry->level, 1, MAX_LEVEL)));
  }
  return table;
}

static guint
outline_level (GHashTable *outline, const DpFlow *flow, const Heading *h, const DpHeadingNumber *number)
{
  g_autofree char *key = squeezed_text (flow, h->first, h->last, 0), *bare = NULL;
  guint level = GPOINTER_TO_UINT (g_hash_table_lookup (outline, key));

  if (level == 0 && number->length > 0) {
    bare = squeezed_text (flow, h->first, h->last, number->length);
    level = GPOINTER_TO_UINT (g_hash_table_lookup (outline, bare));
  }
  return level;
}

typedef struct {
  guint roman, letter;
} Counters;

/* 'C', 'D', 'I', 'L', 'M', 'V', 'X' are letters or numerals: what the count so far asks for. */
static char
family_of (const DpHeadingNumber *number, Counters *last)
{
  if (number->depth != 1 || number->family == 0 || number->family == '1')
    return number->depth == 1 ? number->family : 0;
  if (number->roman > 0 && (number->family == 'I' || number->roman == last->roman + 1) && number->value != last->letter + 1) {
    last->roman = number->roman;
    last->letter = 0;
    return 'I';
  }
  if (number->family == 'I' || (number->roman == 1 && last->letter == 0)) {
    last->roman = number->roman;
    last->letter = 0;
    return 'I';
  }
  last->letter = number->value;
  return 'A';
}

/* A., B. under I., II. or 1., 2. are one level deeper if they are set in another face. */
static void
deepen_second_family (GArray *headings)
{
  char first = 0;
  guint face = 0;

  for (guint i = 0; i < headings->len; i++) {
    Heading *h = &g_array_index (headings, Heading, i);
    if (h->depth != 1 || h->family == 0)
      continue;
    if (first == 0) {
      first = h->family;
      face = h->face;
    } else if (h->family != first && h->face != face)
      h->depth = 2;
  }
}

/* Levels that the structure tree leaves out are left out everywhere: headings of one level stay together. */
static void
compact_tagged (GArray *headings)
{
  guint rank[MAX_LEVEL + 1] = { 0 }, used = 0;

  for (guint i = 0; i < headings->len; i++)
    rank[MIN (g_array_index (headings, Heading, i).level, MAX_LEVEL)] = 1;
  for (guint level = 1; level <= MAX_LEVEL; level++)
    rank[level] = rank[level] ? ++used : 0;
  for (guint i = 0; i < headings->len; i++) {
    Heading *h = &g_array_index (headings, Heading, i);
    h->tagged = h->level > 0;
    h->level = h->tagged ? rank[MIN (h->level, MAX_LEVEL)] : 0;
  }
}

static void
collect (const DpFlow *flow, GArray *headings, GArray *faces)
{
  g_autoptr (GHashTable) outline = outline_levels (flow);
  Counters last = { 0 };

  for (guint i = 0; i < flow->lines->len;) {
    Heading h = { .first = i, .last = i + 1 };
    DpHeadingNumber number;
    if (dp_flow_line (flow, i)->role != DP_ROLE_HEADING) {
      i++;
      continue;
    }
    while (h.last < flow->lines->len && dp_flow_line (flow, h.last)->role == DP_ROLE_HEADING && !dp_flow_line (flow, h.last)->starts)
      h.last++;
    i = h.last;
    h.level = dp_flow_line (flow, h.first)->level; /* given by the structure tree */
    h.face = face_of (faces, dp_flow_line (flow, h.first));
    if (dp_label_heading (dp_flow_line (flow, h.first)->text, &number)) {
      h.depth = MIN (number.depth, MAX_LEVEL);
      h.family = family_of (&number, &last);
    }
    h.outline = outline_level (outline, flow, &h, &number);
    g_array_append_val (headings, h);
  }
  deepen_second_family (headings);
  compact_tagged (headings);
  for (guint i = 0; i < headings->len; i++) {
    const Heading *h = &g_array_index (headings, Heading, i);
    Face *face = &g_array_index (faces, Face, h->face);
    face->n++;
    face->tag_count[h->level]++;
    face->numbered += h->depth ? 1 : 0;
    face->depth_sum[h->depth]++;
    face->outlined += h->outline ? 1 : 0;
    face->outline_count[h->outline]++;
  }
}

/* ---- the title ----------------------------------------------------------------------------- */

/* Set on the axis of its page, away from both margins. */
static gboolean
is_centred (const DpFlow *flow, const Heading *h)
{
  if (dp_flow_line (flow, h->first)->page >= flow->pages->len) /* dp_layout_heading_levels(): headings without pages */
    return FALSE;
  const DpFlowPage *page = dp_flow_page (flow, dp_flow_line (flow, h->first));
  DpRect box = dp_flow_line (flow, h->first)->at;

  for (guint i = h->first + 1; i < h->last; i++)
    box = dp_rect_union (box, dp_flow_line (flow, i)->at);
  return fabsf (dp_rect_cx (box) - 0.5f * page->width) < 0.03f * page->width && dp_rect_width (box) < 0.6f * page->width;
}

/* The first heading of all stands on the axis of its page, the others of its face do not: a title
 * that is not larger than the sections. */
static gboolean
is_centred_title (const DpFlow *flow, const GArray *headings)
{
  const Heading *first = &g_array_index (headings, Heading, 0);
  guint same = 0, centred = 0;

  if (dp_flow_line (flow, first->first)->page > 0 || first->depth > 0 || !is_centred (flow, first))
    return FALSE;
  for (guint i = 1; i < headings->len; i++) {
    const Heading *h = &g_array_index (headings, Heading, i);
    if (h->face != first->face)
      continue;
    same++;
    centred += is_centred (flow, h) ? 1 : 0;
  }
  return same >= 2 && centred * 3 <= same;
}

/* The document's title: on the first page, in the largest face, alone in it or nearly so, and
 * followed by headings of smaller faces.  Returns its index or -1. */
static gint
find_title (const DpFlow *flow, const GArray *headings, const GArray *faces)
{
  gint best = -1;
  float largest = 0, second = 0;

  for (guint i = 0; i < faces->len; i++) {
    float size = g_array_index (faces, Face, i).size;
    if (size > largest) {
      second = largest;
      largest = size;
    } else
      second = MAX (second, size);
  }
  for (guint i = 0; i < headings->len && i < 4; i++) {
    const Heading *h = &g_array_index (headings, Heading, i);
    const Face *face = &g_array_index (faces, Face, h->face);
    if (dp_flow_line (flow, h->first)->page > 1 || h->depth > 0)
      break;
    if (face->size >= largest * 0.99f && face->n <= 2 && (second < largest * 0.97f || i == 0)) {
      best = (gint) i;
      break;
    }
  }
  if (best < 0 && headings->len > 1 && is_centred_title (flow, headings)
      && g_array_index (faces, Face, g_array_index (headings, Heading, 0).face).size >= 0.97f * largest)
    best = 0;
  return headings->len > 1 ? best : -1;
}

/* ---- ranking ---------------------------------------------------------------------------------- */

static int
compare_faces (gconstpointer a, gconstpointer b, gpointer data)
{
  const Face *x = &g_array_index ((GArray *) data, Face, *(const guint *) a);
  const Face *y = &g_array_index ((GArray *) data, Face, *(const guint *) b);

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

/* The level that the structure tree, the outline or numbers give a face; 0 if they are silent. */
static guint
anchor_of (const Face *face, guint shift, guint outline_shift)
{
  guint best = 0;

  for (guint d = 1; d <= MAX_LEVEL; d++)
    if (face->tag_count[d] > (best ? face->tag_count[best] : 0))
      best = d;
  if (best)
    return best;
  if (face->outlined * 2 > face->n) {
    for (guint d = 1; d <= MAX_LEVEL; d++)
      if (face->outline_count[d] > face->outline_count[best] || best == 0)
        best = face->outline_count[d] ? d : best;
    return best ? MIN (best + outline_shift, MAX_LEVEL) : 0;
  }
  if (face->numbered * 2 <= face->n)
    return 0;
  for (guint d = 1; d <= MAX_LEVEL; d++)
    if (face->depth_sum[d] > (best ? face->depth_sum[best] : 0))
      best = d;
  return best ? MIN (best + shift, MAX_LEVEL) : 0;
}

/* A larger face, not the same within a few per cent, whose numbers are of the same depth: "Section 1" of the form
 * and "Section 1" of its instructions. */
static gboolean
outranked (const GArray *faces, const GArray *order, guint k, guint anchor, guint shift)
{
  const Face *face = &g_array_index (faces, Face, g_array_index (order, guint, k));

  for (guint i = 0; i < k; i++) {
    const Face *other = &g_array_index (faces, Face, g_array_index (order, guint, i));
    if (other->size > 1.08f * face->size && other->numbered * 2 > other->n && other->level == anchor && anchor > shift)
      return TRUE;
  }
  return FALSE;
}

static void
rank_faces (GArray *faces, guint skip, guint shift, guint outline_shift)
{
  g_autoptr (GArray) order = g_array_new (FALSE, FALSE, sizeof (guint));
  guint level = shift;

  for (guint i = 0; i < faces->len; i++)
    if (i != skip)
      g_array_append_val (order, i);
  g_array_sort_with_data (order, compare_faces, faces);
  for (guint k = 0; k < order->len; k++) {
    Face *face = &g_array_index (faces, Face, g_array_index (order, guint, k));
    guint anchor = anchor_of (face, shift, outline_shift);
    if (anchor > 0 && face->numbered * 2 > face->n && outranked (faces, order, k, anchor, shift))
      anchor = 0;
    level = CLAMP (anchor > 0 ? anchor : level + 1, 1, MAX_LEVEL);
    face->level = level;
  }
  /* A face above an anchored one is not deeper than it. */
  for (guint k = order->len; k-- > 1;) {
    Face *above = &g_array_index (faces, Face, g_array_index (order, guint, k - 1));
    const Face *below = &g_array_index (faces, Face, g_array_index (order, guint, k));
    if (above->level > below->level && anchor_of (above, shift, outline_shift) == 0)
      above->level = below->level;
  }
}

/* Levels never jump down by more than one, and headings of one face below the same heading stay level with each other; those of
 * the structure tree are the author's word. */
static void
smooth (GArray *headings)
{
  guint raw[MAX_LEVEL + 1], out[MAX_LEVEL + 1], depth = 0; /* the headings above, outermost first: levels before and after */

  for (guint i = 0; i < headings->len; i++) {
    Heading *h = &g_array_index (headings, Heading, i);
    const guint level = MIN (h->level, MAX_LEVEL);
    while (depth > 0 && raw[depth - 1] >= level)
      depth--;
    if (depth > 0 && !h->tagged && level > out[depth - 1] + 1)
      h->level = out[depth - 1] + 1;
    raw[depth] = level;
    out[depth++] = h->level;
  }
}

void
dp_flow_heading_levels (DpFlow *flow)
{
  g_autoptr (GArray) headings = g_array_new (FALSE, FALSE, sizeof (Heading));
  g_autoptr (GArray) faces = g_array_new (FALSE, TRUE, sizeof (Face));
  guint shift, outline_shift;
  gint title;

  collect (flow, headings, faces);
  title = find_title (flow, headings, faces);
  shift = title >= 0 ? 1 : 0;
  outline_shift = title >= 0 && g_array_index (headings, Heading, title).outline == 0 ? 1 : 0;
  rank_faces (faces,
              title >= 0 && g_array_index (faces, Face, g_array_index (headings, Heading, title).face).n == 1
                  ? g_array_index (headings, Heading, title).face
                  : G_MAXUINT,
              shift, outline_shift);
  for (guint i = 0; i < headings->len; i++) {
    Heading *h = &g_array_index (headings, Heading, i);
    if (h->level > 0)
      continue;
    if ((gint) i == title)
      h->level = 1;
    else if (h->outline)
      h->level = MIN (h->outline + outline_shift, MAX_LEVEL);
    else if (h->depth > 1)
      h->level = MIN (h->depth + shift, MAX_LEVEL);
    else
      h->level = g_array_index (faces, Face, h->face).level;
  }
  smooth (headings);
  for (guint i = 0; i < headings->len; i++) {
    const Heading *h = &g_array_index (headings, Heading, i);
    for (guint k = h->first; k < h->last; k++)
      dp_flow_line (flow, k)->level = h->level;
  }
}

void
dp_layout_heading_levels (GArray *headings, const DpDocumentInfo *info)
{
  g_autoptr (GPtrArray) none = g_ptr_array_new ();
  g_autoptr (DpFlow) flow = dp_flow_new (none, info);

  for (guint i = 0; i < headings->len; i++) {
    const DpHeading *h = &g_array_index (headings, DpHeading, i);
    const DpFlowLine line = { .page = h->page,
                              .size = h->size,
                              .style = h->bold ? DP_SPAN_BOLD : 0,
                              .role = DP_ROLE_HEADING,
                              .starts = TRUE,
                              .level = h->level,
                              .text = g_strdup (h->text) };
    g_array_append_val (flow->lines, line);
  }
  dp_flow_heading_levels (flow);
  for (guint i = 0; i < headings->len; i++)
    g_array_index (headings, DpHeading, i).level = dp_flow_line (flow, i)->level;
}
