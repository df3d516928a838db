/* layout/heading_groups.c - candidates for headings: lines of one title, and the sum of their evidence.
 *
 * See headings.h.
 */
#include "layout/headings.h"
#include "layout/compare.h"
#include "layout/labels.h"
#include "layout/text.h"

#include <math.h>
#include <string.h>

#define MAX_LINES 4u
#define MAX_TITLE_LINES 6u /* of display type */
#define MAX_CHARS 200u
#define MOST_CODE 4000u /* words of program text that are measured */
#define LINE_GAP 0.8f   /* em between the boxes of two lines of one heading */

static char *
group_text (const DpFlow *flow, guint first, guint last)
{
  GString *text = g_string_new (NULL);

  for (guint i = first; i < last; i++)
    dp_text_join (text, dp_flow_line (flow, i)->text);
  return g_string_free (text, FALSE);
}

/* Lines of one title whose sizes differ a little: of one colour and weight, large, and either on one
 * axis or in the middle of a phrase. */
static gboolean
same_title (const DpFlow *flow, const DpFlowLine *a, const DpFlowLine *b)
{
  const DpFlowBody *body = &dp_flow_page (flow, a)->body;
  float small = MIN (a->size, b->size), large = MAX (a->size, b->size);

  if (a->colour != b->colour || ((a->style ^ b->style) & (DP_SPAN_BOLD | DP_SPAN_ITALIC)) || small < 0.85f * large
      || small < DP_HEADING_DISPLAY * body->size)
    return FALSE;
  return dp_heading_ends_open (a->text)
         || (fabsf (dp_rect_cx (a->at) - dp_rect_cx (b->at)) < 0.4f * small && fabsf (a->at.x0 - b->at.x0) > small);
}

/* The line begins further in than the one above, which had room for more, and on no common axis: a term under a title. */
static gboolean
is_set_in (const DpFlow *flow, const DpFlowLine *a, const DpFlowLine *b)
{
  const float em = MAX (a->size, 1);
  DpHeadingNumber number;

  return b->at.x0 > a->at.x0 + em && a->at.x1 < dp_flow_column (flow, a).x1 - 8 * em
         && fabsf (dp_rect_cx (a->at) - dp_rect_cx (b->at)) > 0.6f * em && fabsf (a->at.x1 - b->at.x1) > 0.6f * em
         && !dp_label_heading (a->text, &number);
}

static gboolean
continues_group (const DpFlow *flow, guint first, guint i)
{
  const DpFlowLine *a = dp_flow_line (flow, i - 1), *b = dp_flow_line (flow, i);
  DpHeadingNumber number;

  if (b->role != DP_ROLE_BODY || b->astray || b->page != a->page || !(dp_flow_same_face (a, b) || same_title (flow, a, b)))
    return FALSE;
  if (!dp_flow_same_region (a, b) && (b->at.y0 < a->at.y1 - 0.3f * a->size || dp_rect_overlap_x (a->at, b->at) <= 0))
    return FALSE;
  if (b->at.y0 - a->at.y1 > LINE_GAP * a->size || b->baseline <= a->baseline)
    return FALSE;
  if (is_set_in (flow, a, b) || dp_label_is_option (b->text))
    return FALSE;
  /* "4 Results" and "4.1 Data" under it are two. */
  if (dp_label_heading (b->text, &number) && !number.bare && dp_label_heading (dp_flow_line (flow, first)->text, &number))
    return FALSE;
  return TRUE;
}

static gboolean
matches_outline (const DpFlow *flow, const DpHeadingGroup *g, const char *text, GHashTable *outline)
{
  g_autofree char *key = dp_text_squeeze (text);
  const DpOutlineEntry *entry;
  guint number = dp_flow_page (flow, dp_flow_line (flow, g->first))->layout->number;

  if (strlen (key) < 3)
    return FALSE;
  entry = g_hash_table_lookup (outline, key);
  if (!entry && g->numbered) {
    g_autofree char *bare = dp_text_squeeze (text + g->number.length);
    entry = strlen (bare) < 3 ? NULL : g_hash_table_lookup (outline, bare);
  }
  return entry && (entry->page == 0 || (entry->page + 1 >= number && entry->page <= number + 1));
}

/* Size of the group; of text in capitals that of the largest word, as small capitals are set smaller. */
static float
group_size (const DpFlow *flow, guint first, guint last, gboolean capitals)
{
  float size = dp_flow_line (flow, first)->size;

  for (guint i = first; i < last && capitals; i++) {
    DpFlowWalk walk = { 0 };
    for (const DpWord *word; (word = dp_flow_next_word (flow, dp_flow_line (flow, i), &walk));)
      size = MAX (size, word->size);
  }
  return size;
}

/* The first text of its page: one short line without a full stop, set off from the prose under it. */
static gboolean
opens_page (const DpFlow *flow, const DpHeadingGroup *g)
{
  const DpFlowLine *line = dp_flow_line (flow, g->first), *before = dp_heading_neighbour (flow, g->first, FALSE),
                   *after = dp_heading_neighbour (flow, g->last - 1, TRUE);

  if (g->n_lines != 1 || g->n_chars > 60 || g->n_words < 2 || (before && before->page == line->page) || !after || after->page != line->page)
    return FALSE;
  return after->role == DP_ROLE_BODY && after->n_chars >= 60 && !dp_heading_ends_sentence (line->text)
         && after->at.y0 - line->at.y1 >= 0.5f * line->size && after->at.y0 > line->at.y1;
}

/* Usual size of program text inside sentences, by which the size of a title in that face is judged; 0 = there is none. */
static float
code_size (const DpFlow *flow)
{
  g_autoptr (GArray) sizes = g_array_new (FALSE, FALSE, sizeof (float));

  for (guint i = 0; i < flow->lines->len && sizes->len < MOST_CODE; i++) {
    const DpFlowLine *line = dp_flow_line (flow, i);
    DpFlowWalk walk = { 0 };
    if (line->role != DP_ROLE_BODY || line->style & DP_SPAN_MONO || fabsf (line->size - flow->body.size) > 0.06f * flow->body.size)
      continue;
    for (const DpWord *word; (word = dp_flow_next_word (flow, line, &walk));)
      if (word->style & DP_SPAN_MONO && !(word->style & (DP_SPAN_SUPER | DP_SPAN_SUB)))
        g_array_append_val (sizes, word->size);
  }
  g_array_sort (sizes, dp_compare_floats);
  return sizes->len ? g_array_index (sizes, float, sizes->len / 2) : 0;
}

/* A bold title and a remark in brackets behind it, to the line's end, that is not bold. */
static gboolean
is_bold_before_remark (const DpFlowLine *line)
{
  const char *bracket = strchr (line->text, '(');
  const gsize n = strlen (line->text);

  if (!bracket || line->run_in <= 0.3f || line->run_in >= 1 || n == 0 || line->text[n - 1] != ')' || strchr (bracket + 1, '('))
    return FALSE;
  const float before = (float) g_utf8_strlen (line->text, (gssize) (bracket - line->text)) / (float) MAX (line->n_chars, 1);
  return fabsf (before - line->run_in) < 0.08f;
}

static DpHeadingGroup
make_group (const DpFlow *flow, guint first, guint last, GHashTable *outline, float code)
{
  const DpFlowLine *line = dp_flow_line (flow, first);
  const DpFlowBody *body = &dp_flow_page (flow, line)->body;
  DpHeadingGroup g = { .first = first, .last = last, .n_lines = last - first };
  g_autofree char *text = group_text (flow, first, last);
  DpLabel label;
  DpHeadingCount n = dp_heading_count (text);

  g.n_chars = (guint) g_utf8_strlen (text, -1);
  g.n_words = n.words;
  g.ratio = body->size > 0 ? group_size (flow, first, last, n.lower == 0) / body->size : 1;
  g.bold = ((line->style & DP_SPAN_BOLD) || (g.n_lines == 1 && is_bold_before_remark (line))) && !body->bold;
  g.leads = g_str_has_suffix (text, ":") || g_str_has_suffix (text, "：");
  g.code = g.bold && line->style & DP_SPAN_MONO && g.n_lines == 1 && g.n_words <= 3;
  if (g.code && code > 0 && body->size > code)
    g.ratio *= body->size / code;
  g.caps = line->small_caps || (n.upper >= 4 && n.lower == 0);
  g.numbered = dp_label_heading (text, &g.number);
  g.listed = dp_label_parse (text, &label) && label.kind != DP_LABEL_BULLET;
  g.named = g.n_lines == 1 && dp_heading_is_section_name (text + (g.numbered ? g.number.length : 0));
  g.score = dp_heading_weigh_text (&g, text) + dp_heading_weigh_place (flow, &g);
  g.score += g.named ? 1.25f : 0;
  g.bare = g.score < 0 && g.n_lines == 1 && n.words <= 3 && dp_heading_is_bare (&n) && (g.bold || g.ratio >= 1.12f);
  g.score = g.bare ? DP_HEADING_BARE : g.score;
  g.opener = opens_page (flow, &g);
  if (g.n_lines <= MAX_LINES && matches_outline (flow, &g, text, outline)) {
    g.strong = TRUE;
    g.score += 1.5f;
  }
  return g;
}

/* Titles of the outline, squeezed, and their entries (borrowed). */
static GHashTable *
outline_titles (const DpFlow *flow)
{
  GHashTable *outline = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);

  for (guint i = 0; flow->info && i < flow->info->outline->len; i++) {
    DpOutlineEntry *entry = &g_array_index (flow->info->outline, DpOutlineEntry, i);
    g_hash_table_insert (outline, dp_text_squeeze (entry->title), entry);
  }
  return outline;
}

GArray *
dp_heading_groups (const DpFlow *flow)
{
  g_autoptr (GHashTable) outline = outline_titles (flow);
  GArray *groups = g_array_new (FALSE, FALSE, sizeof (DpHeadingGroup));
  const float code = code_size (flow);

  for (guint i = 0; i < flow->lines->len;) {
    const DpFlowLine *line = dp_flow_line (flow, i);
    guint j = i + 1;
    if (line->role != DP_ROLE_BODY || line->astray) {
      i++;
      continue;
    }
    while (j < flow->lines->len && j - i < 64 && continues_group (flow, i, j))
      j++;
    if (j - i <= (line->size >= DP_HEADING_DISPLAY * dp_flow_page (flow, line)->body.size ? MAX_TITLE_LINES : MAX_LINES)) {
      DpHeadingGroup g = make_group (flow, i, j, outline, code);
      if (g.n_chars <= MAX_CHARS && g.score > 0)
        g_array_append_val (groups, g);
    }
    i = j;
  }
  return groups;
}
