/* layout/tag_blocks.c - headings, list items, artifacts and paragraphs that the structure tree says.
 *
 * A tree is believed if nearly all lines stand in one of its elements, and if its headings are short and few.  What it
 * does not say is left to the passes that look at the page: a tree without lists does not forbid lists.
 */
#include "layout/labels.h"
#include "layout/tags.h"

#include <math.h>
#include <string.h>

#define COVERAGE 0.85      /* share of the lines that must stand in an element or be an artifact */
#define ARTIFACTS 0.3      /* share of them that may be artifacts */
#define HEADING_SHARE 0.25 /* of all characters: beyond that everything is a heading */
#define ITEM_SHARE 0.95    /* the same for list items */
#define MAX_HEADING 160u   /* characters */
#define MAX_HEADING_LINES 6u
#define MAX_PARAGRAPH 80u /* lines */
#define MAX_STEPS 48u     /* up the tree */
#define MARGIN 0.15f      /* of the page's height: where artifacts are heads and feet */

typedef struct {
  DpFlow *flow;
  const GArray *tags;
  DpLineTags *lines; /* of the flow's entries */
  gint *parents;
  gint *heading; /* of each entry: the heading element that it stands in, -1 = none */
  gint *item;    /* the same for list items */
} Tree;

static const DpTag *
tag_at (const Tree *tree, gint index)
{
  return &g_array_index (tree->tags, DpTag, index);
}

static gboolean
is_kind (const Tree *tree, gint index, const char *kind)
{
  return strcmp (tag_at (tree, index)->kind, kind) == 0;
}

/* The nearest element from index upwards that is a heading; only spans, links and the like may stand between. */
static gint
heading_above (const Tree *tree, gint index)
{
  for (guint step = 0; index >= 0 && step < MAX_STEPS; step++, index = tree->parents[index]) {
    if (dp_tag_heading_level (tag_at (tree, index)))
      return index;
    if (is_kind (tree, index, "LI") || is_kind (tree, index, "TD") || is_kind (tree, index, "Note") || is_kind (tree, index, "Caption"))
      return -1;
  }
  return -1;
}

/* Level of a heading element: its own number, or for "H", which has none, how many sections it stands in. */
static guint
level_of (const Tree *tree, gint heading)
{
  guint sections = 0;

  if (!is_kind (tree, heading, "H"))
    return dp_tag_heading_level (tag_at (tree, heading));
  for (gint i = tree->parents[heading], step = 0; i >= 0 && step < (gint) MAX_STEPS; step++, i = tree->parents[i])
    sections += is_kind (tree, i, "Sect") || is_kind (tree, i, "Part") || is_kind (tree, i, "Art") ? 1 : 0;
  return CLAMP (sections, 1, 6);
}

/* The list item from index upwards. */
static gint
item_above (const Tree *tree, gint index)
{
  for (guint step = 0; index >= 0 && step < MAX_STEPS; step++, index = tree->parents[index]) {
    if (is_kind (tree, index, "LI"))
      return index;
    if (is_kind (tree, index, "Table") || is_kind (tree, index, "Note") || is_kind (tree, index, "Caption") || is_kind (tree, index, "TOC")
        || dp_tag_heading_level (tag_at (tree, index)))
      return -1;
  }
  return -1;
}

/* Lists that the item stands in. */
static guint
nesting (const Tree *tree, gint index)
{
  guint depth = 0;

  for (guint step = 0; index >= 0 && step < MAX_STEPS; step++, index = tree->parents[index])
    depth += is_kind (tree, index, "L") ? 1 : 0;
  return depth;
}

/* ---- is it sane -------------------------------------------------------------------------------------------------- */

static gboolean
is_sane (Tree *tree)
{
  const DpFlow *flow = tree->flow;
  gsize n = 0, known = 0, artifacts = 0, chars = 0, headed = 0, listed = 0;

  for (guint i = 0; i < flow->lines->len; i++) {
    const DpFlowLine *line = dp_flow_line (flow, i);
    const DpLineTags *tags = &tree->lines[i];
    tree->heading[i] = tree->item[i] = -1;
    if (line->role == DP_ROLE_HEADER && tags->first >= 0)
      tree->heading[i] = heading_above (tree, tags->first);
    if (line->role != DP_ROLE_BODY || line->astray)
      continue;
    n++;
    known += tags->first != -2 ? 1 : 0;
    artifacts += tags->artifact ? 1 : 0;
    chars += line->n_chars;
    if (tags->first < 0)
      continue;
    tree->heading[i] = heading_above (tree, tags->first);
    tree->item[i] = item_above (tree, tags->first);
    headed += tree->heading[i] >= 0 ? line->n_chars : 0;
    listed += tree->item[i] >= 0 ? line->n_chars : 0;
  }
  if (headed > HEADING_SHARE * chars)
    memset (tree->heading, -1, flow->lines->len * sizeof tree->heading[0]);
  if (listed > ITEM_SHARE * chars)
    memset (tree->item, -1, flow->lines->len * sizeof tree->item[0]);
  return n > 0 && known >= COVERAGE * n && artifacts <= ARTIFACTS * n;
}

/* ---- headings ------------------------------------------------------------------------------------------------------ */

/* What was taken for a running head and stands there once only is a heading if the tree says so. */
static void
return_heads (Tree *tree)
{
  DpFlow *flow = tree->flow;
  g_autoptr (GHashTable) seen = g_hash_table_new (g_str_hash, g_str_equal); /* borrowed text -> how often */

  for (guint pass = 0; pass < 2; pass++)
    for (guint i = 0; i < flow->lines->len; i++) {
      DpFlowLine *line = dp_flow_line (flow, i);
      const guint n = GPOINTER_TO_UINT (g_hash_table_lookup (seen, line->text));
      if (line->role != DP_ROLE_HEADER)
        continue;
      if (pass == 0)
        g_hash_table_insert (seen, line->text, GUINT_TO_POINTER (n + 1));
      else if (tree->heading[i] >= 0 && n == 1)
        line->role = DP_ROLE_BODY;
    }
}

/* Lines from first on that stand in its heading; furniture may lie between. */
static guint
end_of_heading (const Tree *tree, guint first, guint *chars)
{
  guint last = first;

  *chars = 0;
  for (guint i = first; i < tree->flow->lines->len; i++) {
    const DpFlowLine *line = dp_flow_line (tree->flow, i);
    if (tree->heading[i] != tree->heading[first] || line->role != DP_ROLE_BODY)
      break;
    *chars += line->n_chars;
    last = i + 1;
  }
  return last;
}

/* The line goes on with text that is no part of the heading: a run-in title. */
static gboolean
runs_in (const Tree *tree, guint i)
{
  const DpLineTags *tags = &tree->lines[i];

  return tags->last >= 0 && tags->last != tags->first && heading_above (tree, tags->last) != tree->heading[i];
}

static void
claim_headings (Tree *tree)
{
  DpFlow *flow = tree->flow;

  return_heads (tree);
  for (guint i = 0, end; i < flow->lines->len; i = end) {
    guint chars;
    end = i + 1;
    if (tree->heading[i] < 0 || dp_flow_line (flow, i)->role != DP_ROLE_BODY)
      continue;
    end = MAX (end_of_heading (tree, i, &chars), i + 1);
    if (chars > MAX_HEADING || end - i > MAX_HEADING_LINES || runs_in (tree, end - 1))
      continue;
    for (guint k = i; k < end; k++) {
      DpFlowLine *line = dp_flow_line (flow, k);
      line->role = DP_ROLE_HEADING;
      line->starts = k == i;
      line->level = level_of (tree, tree->heading[i]);
    }
    flow->tagged_headings++;
  }
}

/* ---- list items --------------------------------------------------------------------------------------------------- */

/* Bytes of the line's text before x: those of a label that is no letter or number. */
static guint
bytes_before (const DpFlow *flow, const DpFlowLine *line, float x)
{
  DpFlowWalk walk = { 0 };
  guint bytes = 0;

  for (const DpWord *word; (word = dp_flow_next_word (flow, line, &walk)); bytes += word->text_len)
    if (word->box.x0 > x - 0.3f * line->size)
      return bytes;
  return 0; /* nothing stands behind it */
}

static void
claim_item (Tree *tree, guint i, guint level)
{
  DpFlow *flow = tree->flow;
  DpFlowLine *line = dp_flow_line (flow, i);
  const DpLineTags *tags = &tree->lines[i];
  DpLabel label;

  line->role = DP_ROLE_ITEM;
  line->starts = TRUE;
  line->level = level;
  if (dp_label_parse (line->text, &label)) {
    line->label = (guint) label.length;
    line->ordered = label.kind != DP_LABEL_BULLET;
    line->number = label.value;
  } else if (is_kind (tree, tags->first, "Lbl") && tags->body >= 0) {
    guint bytes = bytes_before (flow, line, tags->body_x);
    line->label = bytes <= 8 ? bytes : 0;
  }
}

/* Between two items that belong together stands nothing but furniture. */
static gboolean
goes_on (const Tree *tree, guint a, guint b)
{
  for (guint i = a + 1; i < b; i++) {
    const DpFlowLine *line = dp_flow_line (tree->flow, i);
    if (line->role < DP_ROLE_HEADER && line->role != DP_ROLE_FOOTNOTE && line->role != DP_ROLE_ITEM)
      return FALSE;
  }
  return TRUE;
}

static void
claim_items (Tree *tree)
{
  DpFlow *flow = tree->flow;
  g_autofree guint *begun = g_new0 (guint, tree->tags->len + 1); /* 1 + level of the items that have begun */
  gint last = -1;                                                /* entry */
  guint level = 0;

  for (guint i = 0; i < flow->lines->len; i++) {
    DpFlowLine *line = dp_flow_line (flow, i);
    const gint item = tree->item[i];
    gboolean joined;
    if (item < 0 || line->role != DP_ROLE_BODY)
      continue;
    if (begun[item] && (line->style & DP_SPAN_MONO)) {
      line->inside = begun[item]; /* a listing in the item */
      continue;
    }
    joined = last >= 0 && goes_on (tree, (guint) last, i);
    if (joined && item == tree->item[last]) {
      const char *before = dp_flow_line (flow, (guint) last)->text;
      line->role = DP_ROLE_ITEM;
      line->breaks = tree->lines[i].first != tree->lines[last].first && g_str_has_suffix (before, ".");
    } else if (begun[item]) {
      line->inside = begun[item]; /* the item's text goes on behind another list in it: a paragraph */
      continue;
    } else {
      const guint depth = nesting (tree, item);
      level = MIN (depth > 0 ? depth - 1 : 0, joined ? level + 1 : 0);
      claim_item (tree, i, level);
      begun[item] = level + 1;
    }
    last = (gint) i;
  }
}

/* ---- artifacts ------------------------------------------------------------------------------------------------------ */

static void
claim_artifacts (Tree *tree)
{
  for (guint i = 0; i < tree->flow->lines->len; i++) {
    DpFlowLine *line = dp_flow_line (tree->flow, i);
    const float height = dp_flow_page (tree->flow, line)->height;
    if (line->role != DP_ROLE_BODY || !tree->lines[i].artifact)
      continue;
    if (line->at.y1 < MARGIN * height)
      line->role = DP_ROLE_HEADER;
    else if (line->at.y0 > (1 - MARGIN) * height)
      line->role = DP_ROLE_FOOTER;
    else
      continue;
    if (dp_label_page_number (line->text, NULL))
      line->role = DP_ROLE_PAGE_NUMBER;
    line->starts = TRUE;
  }
}

/* ---- paragraphs ------------------------------------------------------------------------------------------------------ */

/* The paragraph from index upwards; only what stands in a line may lie between. */
static gint
paragraph_above (const Tree *tree, gint index)
{
  static const char *const inlines[] = { "Span", "Link", "Quote", "Code", "Reference", "NonStruct", "Other", "Em", "Strong", "Annot" };

  for (guint step = 0; index >= 0 && step < MAX_STEPS; step++, index = tree->parents[index]) {
    gboolean within = FALSE;
    if (is_kind (tree, index, "P"))
      return index;
    for (guint k = 0; k < G_N_ELEMENTS (inlines); k++)
      within = within || is_kind (tree, index, inlines[k]);
    if (!within)
      return -1;
  }
  return -1;
}

/* Running text is told which paragraph it stands in; not where each line, or half of the document, is called a paragraph. */
static void
name_paragraphs (Tree *tree)
{
  DpFlow *flow = tree->flow;
  g_autofree guint *lines = g_new0 (guint, tree->tags->len + 1);
  guint n = 0, together = 0;

  for (guint i = 0; i < flow->lines->len; i++) {
    DpFlowLine *line = dp_flow_line (flow, i);
    const gint above = line->role == DP_ROLE_BODY ? paragraph_above (tree, tree->lines[i].first) : -1;
    if (above < 0)
      continue;
    line->paragraph = (guint) above + 1;
    lines[above]++;
    n++;
  }
  for (guint k = 0; k < tree->tags->len; k++)
    together += lines[k] > 1 && lines[k] <= MAX_PARAGRAPH ? lines[k] : 0;
  for (guint i = 0; i < flow->lines->len; i++) {
    DpFlowLine *line = dp_flow_line (flow, i);
    if (line->paragraph && (together * 2 < n || lines[line->paragraph - 1] > MAX_PARAGRAPH))
      line->paragraph = 0;
  }
}

void
dp_tag_blocks (DpFlow *flow)
{
  Tree tree = { .flow = flow,
                .tags = flow->info->tags,
                .lines = dp_tag_places (flow),
                .parents = dp_tag_parents (flow->info->tags),
                .heading = g_new (gint, flow->lines->len + 1),
                .item = g_new (gint, flow->lines->len + 1) };

  if (is_sane (&tree)) {
    claim_headings (&tree);
    claim_items (&tree);
    claim_artifacts (&tree);
    name_paragraphs (&tree);
  }
  g_free (tree.lines);
  g_free (tree.parents);
  g_free (tree.heading);
  g_free (tree.item);
}
