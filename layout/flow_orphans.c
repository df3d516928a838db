/* layout/flow_orphans.c - labels that stand apart from their line are put back.
 *
 * A wide gap or a small raised face often leaves the label of a list item, the mark of a note
 * or the number of a formula as a fragment of its own, in a region of its own.  It belongs to
 * the line on its baseline: labels to the line on their right, formula numbers to the one on
 * their left.
 */
#include "layout/flow.h"
#include "layout/labels.h"

#include <math.h>
#include <string.h>

#define REACH 3.5f         /* em between a label and its text */
#define NUMBER_REACH 25.0f /* em between a formula and its number */
#define ROW_LIMIT 64u      /* lines of one height looked at, so that odd pages stay linear */

typedef enum { ORPHAN_NONE, ORPHAN_LABEL, ORPHAN_NUMBER } Orphan;

static gboolean
is_mark (const char *text)
{
  static const char *const signs[] = { "*", "**", "†", "‡", "§", "¶" };
  gsize n = strspn (text, "0123456789");

  if (n > 0 && n <= 3 && text[n] == '\0')
    return TRUE;
  for (guint i = 0; i < G_N_ELEMENTS (signs); i++)
    if (strcmp (text, signs[i]) == 0)
      return TRUE;
  return FALSE;
}

static Orphan
orphan_of (const DpFlowLine *line)
{
  g_autofree char *probe = NULL;
  DpLabel label;
  gsize n;

  if (line->role != DP_ROLE_BODY || line->astray || line->n_chars > 7)
    return ORPHAN_NONE;
  n = strlen (line->text);
  if (line->text[0] == '(' && line->text[n - 1] == ')' && strpbrk (line->text, "0123456789"))
    return ORPHAN_NUMBER;
  if (is_mark (line->text))
    return ORPHAN_LABEL;
  probe = g_strconcat (line->text, " x", NULL); /* a label needs text behind it */
  return dp_label_parse (probe, &label) && label.length == n ? ORPHAN_LABEL : ORPHAN_NONE;
}

static int
compare_baseline (gconstpointer a, gconstpointer b, gpointer data)
{
  const DpFlowLine *x = dp_flow_line (data, *(const guint *) a), *y = dp_flow_line (data, *(const guint *) b);

  return x->baseline < y->baseline ? -1 : x->baseline > y->baseline;
}

static gboolean
fits (const DpFlowLine *orphan, const DpFlowLine *line, Orphan kind)
{
  float em = MAX (line->size, 1), gap = kind == ORPHAN_LABEL ? line->at.x0 - orphan->at.x1 : orphan->at.x0 - line->at.x1;
  float rise = line->baseline - orphan->baseline;

  if (line->role != DP_ROLE_BODY || line->astray || line->n_chars < 4 || gap < -0.2f * em)
    return FALSE;
  if (kind == ORPHAN_NUMBER)
    return gap < NUMBER_REACH * em && fabsf (rise) < 0.6f * em;
  /* A bare number is a mark only if it is raised and small. */
  if (is_mark (orphan->text))
    return gap < 1.2f * em && orphan->size < 0.9f * line->size && rise > 0.1f * em && rise < 0.8f * em;
  return gap < REACH * em && fabsf (rise) < 0.3f * em;
}

/* The fragments of both lines, the orphan's first or last, as a new range. */
void
dp_flow_adopt (DpFlow *flow, guint into, guint from, gboolean front)
{
  DpFlowLine *line = dp_flow_line (flow, into), *orphan = dp_flow_line (flow, from);
  guint first = flow->frags->len;
  char *text = front ? g_strconcat (orphan->text, " ", line->text, NULL) : g_strconcat (line->text, " ", orphan->text, NULL);

  for (guint pass = 0; pass < 2; pass++) {
    const DpFlowLine *part = (pass == 0) == front ? orphan : line;
    for (guint i = 0; i < part->n_frags; i++) {
      guint frag = g_array_index (flow->frags, guint, part->first_frag + i);
      g_array_append_val (flow->frags, frag);
    }
  }
  line->first_frag = first;
  line->n_frags += orphan->n_frags;
  line->box = dp_rect_union (line->box, orphan->box);
  line->at = dp_rect_union (line->at, orphan->at);
  line->n_chars += orphan->n_chars + 1;
  g_free (line->text);
  line->text = text;
  orphan->role = DP_ROLE_ADOPTED;
}

static gint
find_home (const DpFlow *flow, const GArray *order, guint at, guint orphan, Orphan kind)
{
  const DpFlowLine *line = dp_flow_line (flow, orphan);
  float best = G_MAXFLOAT;
  gint home = -1;

  for (gint step = -1; step <= 1; step += 2) {
    guint seen = 0;
    for (gint k = (gint) at + step; k >= 0 && k < (gint) order->len && seen < ROW_LIMIT; k += step, seen++) {
      guint i = g_array_index (order, guint, k);
      const DpFlowLine *other = dp_flow_line (flow, i);
      float gap = kind == ORPHAN_LABEL ? other->at.x0 - line->at.x1 : line->at.x0 - other->at.x1;
      if (fabsf (other->baseline - line->baseline) > 12)
        break;
      if (i != orphan && gap < best && orphan_of (other) == ORPHAN_NONE && fits (line, other, kind)) {
        best = gap;
        home = (gint) i;
      }
    }
  }
  return home;
}

void
dp_flow_adopt_orphans (DpFlow *flow)
{
  for (guint p = 0; p < flow->pages->len; p++) {
    const DpFlowPage *page = &g_array_index (flow->pages, DpFlowPage, p);
    g_autoptr (GArray) order = g_array_sized_new (FALSE, FALSE, sizeof (guint), page->n);
    for (guint i = page->first; i < page->first + page->n; i++)
      if (dp_flow_line (flow, i)->role == DP_ROLE_BODY)
        g_array_append_val (order, i);
    g_array_sort_with_data (order, compare_baseline, flow);
    for (guint k = 0; k < order->len; k++) {
      guint i = g_array_index (order, guint, k);
      Orphan kind = orphan_of (dp_flow_line (flow, i));
      gint home = kind == ORPHAN_NONE ? -1 : find_home (flow, order, k, i, kind);
      if (home >= 0)
        dp_flow_adopt (flow, (guint) home, i, kind == ORPHAN_LABEL);
    }
  }
}
