/* layout/heading_levels.c - levels 1 to 6 for the headings of the whole document.
 *
 * Three witnesses, in this order: the outline (its depth, shifted by one if the document has a
 * title that the outline does not list), the numbering (3.1 lies below 3), and the rank of
 * faces by size, weight and capitals (heading_faces.c).  Going down, levels never jump by more
 * than one.
 */
#include "layout/heading_levels.h"
#include "layout/labels.h"
#include "layout/headings.h"
#include "layout/text.h"

#include <math.h>
#include <string.h>

#define SURE_CAPITALS 5u /* letters by which a word set in capitals is no abbreviation */
#define TITLE_SIZE 1.2f  /* body sizes: least of a title that is smaller than chapters */

/* ---- collecting -------------------------------------------------------------------------- */

/* Set in capitals; a word such as "FAQ" may be an abbreviation in any face: *unsure. */
static gboolean
all_capitals (const char *text, gboolean *unsure)
{
  const DpHeadingCount n = dp_heading_count (text);

  *unsure = n.upper > 0 && n.upper == n.letters && n.upper < SURE_CAPITALS;
  return n.upper >= 3 && n.upper == n.letters;
}

/* Bold but for names in a fixed-pitch face, which has no bold one. */
static gboolean
is_bold (const DpFlow *flow, const DpFlowLine *line)
{
  DpFlowWalk walk = { 0 };
  guint bold = 0;

  if (line->style & DP_SPAN_BOLD)
    return TRUE;
  for (const DpWord *word; (word = dp_flow_next_word (flow, line, &walk));) {
    if (!(word->style & (DP_SPAN_BOLD | DP_SPAN_MONO)))
      return FALSE;
    bold += word->style & DP_SPAN_BOLD ? 1 : 0;
  }
  return bold > 0;
}

static gint
find_face (const GArray *faces, const DpHeadingFace *like)
{
  for (guint i = 0; i < faces->len; i++) {
    const DpHeadingFace *face = &g_array_index (faces, DpHeadingFace, i);
    if (fabsf (face->size - like->size) <= 0.04f * face->size && face->bold == like->bold && face->italic == like->italic
        && face->caps == like->caps)
      return (gint) i;
  }
  return -1;
}

/* Gives each heading its face.  What may be an abbreviation comes last: it joins what is there, capitals first. */
static void
find_faces (const DpFlow *flow, GArray *headings, GArray *faces)
{
  for (guint pass = 0; pass < 2; pass++)
    for (guint i = 0; i < headings->len; i++) {
      DpLevelled *h = &g_array_index (headings, DpLevelled, i);
      const DpFlowLine *line = dp_flow_line (flow, h->first);
      DpHeadingFace face = { .size = line->size, .bold = is_bold (flow, line), .italic = (line->style & DP_SPAN_ITALIC) != 0 };
      gboolean unsure;
      gint found;
      face.caps = all_capitals (line->text, &unsure) || line->small_caps;
      if ((unsure && !line->small_caps) != (pass == 1))
        continue;
      face.caps = face.caps || unsure;
      found = find_face (faces, &face);
      if (found < 0 && unsure) {
        face.caps = FALSE;
        found = find_face (faces, &face);
      }
      if (found < 0)
        g_array_append_val (faces, face);
      h->face = found < 0 ? faces->len - 1 : (guint) found;
    }
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
      g_hash_table_insert (table, g_steal_pointer (&key), GUINT_TO_POINTER (CLAMP (entry->level, 1, DP_MAX_LEVEL)));
  }
  return table;
}

static guint
outline_level (GHashTable *outline, const DpFlow *flow, const DpLevelled *h, const DpHeadingNumber *number)
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

/* A., B. under I., II. or 1., 2. are one level deeper if they are set in another face; not 1., 2. if 1.1 counts in them. */
static void
deepen_second_family (GArray *headings)
{
  char first = 0;
  guint face = 0;
  gboolean dotted = FALSE;

  for (guint i = 0; i < headings->len; i++)
    dotted = dotted || (g_array_index (headings, DpLevelled, i).depth == 2 && !g_array_index (headings, DpLevelled, i).word);
  for (guint i = 0; i < headings->len; i++) {
    DpLevelled *h = &g_array_index (headings, DpLevelled, i);
    if (h->depth != 1 || h->family == 0 || (h->family == '1' && first != 0 && first != '1' && dotted))
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
  guint rank[DP_MAX_LEVEL + 1] = { 0 }, used = 0;

  for (guint i = 0; i < headings->len; i++)
    rank[MIN (g_array_index (headings, DpLevelled, i).level, DP_MAX_LEVEL)] = 1;
  for (guint level = 1; level <= DP_MAX_LEVEL; level++)
    rank[level] = rank[level] ? ++used : 0;
  for (guint i = 0; i < headings->len; i++) {
    DpLevelled *h = &g_array_index (headings, DpLevelled, i);
    h->tagged = h->level > 0;
    h->level = h->tagged ? rank[MIN (h->level, DP_MAX_LEVEL)] : 0;
  }
}

/* "Part I" and the title right below it, which is not smaller, are of one kind: both have the number and the title's face. */
static void
join_parts (const DpFlow *flow, GArray *headings, const GArray *faces)
{
  for (guint i = 0; i + 1 < headings->len; i++) {
    DpLevelled *part = &g_array_index (headings, DpLevelled, i), *title = part + 1;
    DpHeadingNumber number;
    if (!part->word || title->first != part->last || title->depth > 0 || !dp_label_heading (dp_flow_line (flow, part->first)->text, &number)
        || !number.bare || dp_flow_line (flow, part->first)->page != dp_flow_line (flow, title->first)->page
        || g_array_index (faces, DpHeadingFace, title->face).size < 0.95f * g_array_index (faces, DpHeadingFace, part->face).size)
      continue;
    part->face = title->face;
    title->word = TRUE;
    title->depth = part->depth;
    title->value = part->value;
    title->top = part->top;
  }
}

static void
collect (const DpFlow *flow, GArray *headings, GArray *faces)
{
  g_autoptr (GHashTable) outline = outline_levels (flow);
  Counters last = { 0 };

  for (guint i = 0; i < flow->lines->len;) {
    DpLevelled h = { .first = i, .last = i + 1 };
    DpHeadingNumber number;
    if (dp_flow_line (flow, i)->role != DP_ROLE_HEADING) {
      i++;
      continue;
    }
    while (h.last < flow->lines->len && dp_flow_line (flow, h.last)->role == DP_ROLE_HEADING && !dp_flow_line (flow, h.last)->starts)
      h.last++;
    i = h.last;
    h.level = dp_flow_line (flow, h.first)->level; /* given by the structure tree */
    if (dp_label_heading (dp_flow_line (flow, h.first)->text, &number)) {
      h.depth = MIN (number.depth, DP_MAX_LEVEL);
      h.value = number.value;
      h.top = number.top;
      h.word = number.word;
      h.family = family_of (&number, &last);
    }
    h.outline = outline_level (outline, flow, &h, &number);
    g_array_append_val (headings, h);
  }
  find_faces (flow, headings, faces);
  join_parts (flow, headings, faces);
  deepen_second_family (headings);
  compact_tagged (headings);
  for (guint i = 0; i < headings->len; i++) {
    const DpLevelled *h = &g_array_index (headings, DpLevelled, i);
    DpHeadingFace *face = &g_array_index (faces, DpHeadingFace, h->face);
    face->first = face->n++ == 0 ? i : face->first;
    face->worded += h->word ? 1 : 0;
    face->first_number = h->depth && face->numbered == 0 ? i : face->first_number;
    face->tag_count[h->level]++;
    face->numbered += h->depth ? 1 : 0;
    face->depth_sum[h->depth]++;
    face->outlined += h->outline ? 1 : 0;
    face->outline_count[h->outline]++;
  }
}

/* ---- the title ----------------------------------------------------------------------------- */

/* Set on the axis of its page or of its column, away from both margins. */
static gboolean
is_centred (const DpFlow *flow, const DpLevelled *h)
{
  const DpFlowLine *line = dp_flow_line (flow, h->first);
  if (line->page >= flow->pages->len) /* dp_layout_heading_levels(): headings without pages */
    return FALSE;
  const DpFlowPage *page = dp_flow_page (flow, line);
  const DpFlowColumn column = dp_flow_column (flow, line);
  DpRect box = line->at;

  for (guint i = h->first + 1; i < h->last; i++)
    box = dp_rect_union (box, dp_flow_line (flow, i)->at);
  return dp_rect_width (box) < 0.6f * page->width
         && (fabsf (dp_rect_cx (box) - 0.5f * page->width) < 0.03f * page->width
             || (column.x1 - column.x0 > 0.5f * page->width && box.x0 > column.x0 + line->size
                 && fabsf (dp_rect_cx (box) - 0.5f * (column.x0 + column.x1)) < 0.02f * page->width));
}

/* The first heading of all stands on the axis of its page, the others of its face do not: a title
 * that is not larger than the sections. */
static gboolean
is_centred_title (const DpFlow *flow, const GArray *headings)
{
  const DpLevelled *first = &g_array_index (headings, DpLevelled, 0);
  guint same = 0, centred = 0;

  if (dp_flow_line (flow, first->first)->page > 0 || first->depth > 0 || !is_centred (flow, first))
    return FALSE;
  for (guint i = 1; i < headings->len; i++) {
    const DpLevelled *h = &g_array_index (headings, DpLevelled, i);
    if (h->face != first->face)
      continue;
    same++;
    centred += is_centred (flow, h) ? 1 : 0;
  }
  return same >= 2 && centred * 3 <= same;
}

/* "Contents", "Abstract": a section, however large. */
static gboolean
is_section (const DpFlow *flow, const DpLevelled *h)
{
  return dp_heading_is_section_name (dp_flow_line (flow, h->first)->text);
}

/* The first heading of all, on the first page's axis, alone in its face: a title smaller than the chapters. */
static gboolean
is_small_title (const DpFlow *flow, const DpLevelled *h, const DpHeadingFace *face)
{
  return dp_flow_line (flow, h->first)->page == 0 && h->depth == 0 && face->n == 1 && face->size >= TITLE_SIZE * flow->body.size
         && is_centred (flow, h);
}

/* All headings of its face are this one and the next. */
static gboolean
is_alone (const GArray *headings, const GArray *faces, guint i)
{
  const guint face = g_array_index (headings, DpLevelled, i).face, n = g_array_index (faces, DpHeadingFace, face).n;

  return n == 1 || (n == 2 && i + 1 < headings->len && g_array_index (headings, DpLevelled, i + 1).face == face);
}

/* The document's title: on the first page, in the largest face, alone in it, and followed by
 * headings of smaller faces.  Returns its index or -1. */
static gint
find_title (const DpFlow *flow, const GArray *headings, const GArray *faces)
{
  float largest = 0, second = 0;

  for (guint i = 0; i < faces->len; i++) {
    float size = g_array_index (faces, DpHeadingFace, i).size;
    if (size > largest) {
      second = largest;
      largest = size;
    } else
      second = MAX (second, size);
  }
  for (guint i = 0; i < headings->len && i < 4 && headings->len > 1; i++) {
    const DpLevelled *h = &g_array_index (headings, DpLevelled, i);
    const DpHeadingFace *face = &g_array_index (faces, DpHeadingFace, h->face);
    if (dp_flow_line (flow, h->first)->page > 1 || h->depth > 0)
      break;
    if (face->size >= largest * 0.99f && is_alone (headings, faces, i) && (second < largest * 0.97f || i == 0) && !is_section (flow, h))
      return (gint) i;
  }
  if (headings->len > 1) {
    const DpLevelled *h = &g_array_index (headings, DpLevelled, 0);
    const DpHeadingFace *face = &g_array_index (faces, DpHeadingFace, h->face);
    if (!is_section (flow, h) && (is_small_title (flow, h, face) || (face->size >= 0.97f * largest && is_centred_title (flow, headings))))
      return 0;
  }
  return -1;
}

/* ---- the document ------------------------------------------------------------------------------ */

/* Levels never jump down by more than one, and headings of one face below the same heading stay level with each other; those of
 * the structure tree are the author's word. */
static void
smooth (GArray *headings)
{
  guint raw[DP_MAX_LEVEL + 1], out[DP_MAX_LEVEL + 1], depth = 0; /* the headings above, outermost first: levels before and after */

  for (guint i = 0; i < headings->len; i++) {
    DpLevelled *h = &g_array_index (headings, DpLevelled, i);
    const guint level = MIN (h->level, DP_MAX_LEVEL);
    while (depth > 0 && raw[depth - 1] >= level)
      depth--;
    if (depth > 0 && !h->tagged && level > out[depth - 1] + 1)
      h->level = out[depth - 1] + 1;
    raw[depth] = level;
    out[depth++] = h->level;
  }
}

/* The level of one heading: its place in the outline, the depth of its number below first, the level of what is numbered
 * 1, or that of its face. */
static guint
level_of (const DpLevelled *h, const GArray *faces, guint outline_shift, guint first)
{
  if (h->outline)
    return MIN (h->outline + outline_shift, DP_MAX_LEVEL);
  if (h->depth > 1 && !h->word)
    return MIN (first + h->depth - 1, DP_MAX_LEVEL);
  return g_array_index (faces, DpHeadingFace, h->face).level;
}

void
dp_flow_heading_levels (DpFlow *flow)
{
  g_autoptr (GArray) headings = g_array_new (FALSE, FALSE, sizeof (DpLevelled));
  g_autoptr (GArray) faces = g_array_new (FALSE, TRUE, sizeof (DpHeadingFace));
  guint outline_shift = 0, first, skip = G_MAXUINT; /* first: level of what is numbered 1; skip: the title's own face */
  gint title;

  collect (flow, headings, faces);
  title = find_title (flow, headings, faces);
  if (title >= 0) {
    const DpLevelled *h = &g_array_index (headings, DpLevelled, title);
    outline_shift = h->outline == 0 ? 1 : 0;
    skip = g_array_index (faces, DpHeadingFace, h->face).n == 1 ? h->face : G_MAXUINT;
  }
  first = dp_heading_rank_faces (headings, faces, skip, title >= 0 ? 1 : 0, outline_shift);
  for (guint i = 0; i < headings->len; i++) {
    DpLevelled *h = &g_array_index (headings, DpLevelled, i);
    if (h->level == 0)
      h->level = (gint) i == title ? 1 : level_of (h, faces, outline_shift, first);
  }
  smooth (headings);
  for (guint i = 0; i < headings->len; i++) {
    const DpLevelled *h = &g_array_index (headings, DpLevelled, i);
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
