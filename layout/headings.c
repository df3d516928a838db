/* layout/headings.c - which lines are headings: the whole picture of the document.
 *
 * A candidate is a group of up to four lines of one face.  Its evidence (size, weight,
 * capitals, numbering, white space, a matching outline title) is added up, and the guards
 * are those measured on hand-marked pages: what is larger than 1.12 body sizes or bold where
 * the body is not holds 95 % of all headings, and nearly all false ones are captions, table
 * cells, run-in openings, running heads and bold sentences.  A false heading costs more than
 * a missed one, so doubt decides against it; only a page with none promotes its best.
 */
#include "layout/flow.h"
#include "layout/headings.h"

#include <math.h>
#include <string.h>

#define ACCEPT_ONLY 1.45f /* best candidate of a document without headings */
#define NEARLY 0.5f       /* below ACCEPT: enough in a style that other headings have */
#define DATE 4u           /* characters of the shortest, a year */
#define BYLINES 12u       /* lines that authors and their addresses may take */
#define MAX_STYLES 32u    /* of headings in one document that are compared */

static gboolean
adjacent (const DpFlow *flow, const DpHeadingGroup *a, const DpHeadingGroup *b)
{
  const DpFlowLine *next = dp_heading_neighbour (flow, a->last - 1, TRUE);

  return next == dp_flow_line (flow, b->first) && next->page == dp_flow_line (flow, a->first)->page;
}

/* Three and more in a row in one face with nothing under them are a list, an address, a cover. */
static void
demote_runs (const DpFlow *flow, GArray *groups)
{
  for (guint i = 0, j; i < groups->len; i = j) {
    DpHeadingGroup *g = &g_array_index (groups, DpHeadingGroup, i);
    for (j = i + 1; j < groups->len; j++) {
      const DpHeadingGroup *a = &g_array_index (groups, DpHeadingGroup, j - 1), *b = &g_array_index (groups, DpHeadingGroup, j);
      if (a->score < DP_HEADING_ACCEPT || b->score < DP_HEADING_ACCEPT || !adjacent (flow, a, b)
          || !dp_flow_same_face (dp_flow_line (flow, a->first), dp_flow_line (flow, b->first)))
        break;
    }
    if (j - i < 3 || g->score < DP_HEADING_ACCEPT)
      continue;
    for (guint k = i; k < j; k++) {
      DpHeadingGroup *member = &g_array_index (groups, DpHeadingGroup, k);
      if (!member->strong && (j - i >= 4 || !member->numbered))
        member->score -= j - i >= 4 ? 3 : 1;
    }
  }
}

/* An address within the next lines. */
static gboolean
address_follows (const DpFlow *flow, const DpHeadingGroup *g)
{
  static const char *const words[]
      = { "@", "Universit", "Institut", "Department", "Laborator", "College", "School of", "Facult", "Inc.", "GmbH", "Ltd" };

  for (guint i = g->first; i < flow->lines->len && i < g->last + 4; i++)
    for (guint k = 0; k < G_N_ELEMENTS (words); k++)
      if (strstr (dp_flow_line (flow, i)->text, words[k]))
        return TRUE;
  return FALSE;
}

/* Three and more in this style, not all of them within a few lines: sections, not names under the title. */
static gboolean
recurs (const DpFlow *flow, const GArray *groups, const DpHeadingGroup *g)
{
  guint n = 0, last = g->first;

  for (guint i = 0; i < groups->len; i++) {
    const DpHeadingGroup *other = &g_array_index (groups, DpHeadingGroup, i);
    if (other->score < DP_HEADING_ACCEPT || !dp_heading_same_style (flow, g, other))
      continue;
    n++;
    last = other->first;
  }
  return n >= 3 && last > g->first + BYLINES;
}

/* Names under the title: authors, places; not sections. */
static void
demote_bylines (const DpFlow *flow, GArray *groups)
{
  const DpHeadingGroup *title = NULL;

  for (guint i = 0; i < groups->len && i < 8; i++) {
    DpHeadingGroup *g = &g_array_index (groups, DpHeadingGroup, i);
    if (dp_flow_line (flow, g->first)->page > 0)
      return;
    if (g->score < DP_HEADING_ACCEPT)
      continue;
    if (!title) {
      title = g;
      continue;
    }
    if (g->numbered || g->strong || g->named || recurs (flow, groups, g))
      return;
    if (g->n_words <= 12 && address_follows (flow, g))
      g->score -= 2.5f;
    else if (title->ratio > g->ratio * 1.1f && title->ratio >= 1.2f && adjacent (flow, title, g) && !g->bold && !g->caps)
      g->score -= 1.5f;
  }
}

/* A slide, a poster, a cover: more display lines than text. Only the largest face stays. */
static void
demote_displays (const DpFlow *flow, GArray *groups)
{
  for (guint i = 0, j; i < groups->len; i = j) {
    guint page = dp_flow_line (flow, g_array_index (groups, DpHeadingGroup, i).first)->page, n = 0, chars = 0, text = 0;
    const DpFlowPage *p = &g_array_index (flow->pages, DpFlowPage, page);
    float largest = 0;
    for (j = i; j < groups->len && dp_flow_line (flow, g_array_index (groups, DpHeadingGroup, j).first)->page == page; j++) {
      const DpHeadingGroup *g = &g_array_index (groups, DpHeadingGroup, j);
      if (g->score < DP_HEADING_ACCEPT)
        continue;
      n++;
      chars += g->n_chars;
      largest = MAX (largest, g->ratio);
    }
    for (guint k = p->first; k < p->first + p->n; k++)
      text += dp_flow_line (flow, k)->role == DP_ROLE_BODY ? dp_flow_line (flow, k)->n_chars : 0;
    if (n < 6 || text > 4 * chars)
      continue;
    for (guint k = i; k < j; k++) {
      DpHeadingGroup *g = &g_array_index (groups, DpHeadingGroup, k);
      if (g->ratio < 0.96f * largest && !g->strong)
        g->score -= 2;
    }
  }
}

/* On a slide, under its title, a bold line with a colon leads into the points below it. */
static void
demote_slide_leads (const DpFlow *flow, GArray *groups)
{
  const DpHeadingGroup *title = NULL;

  for (guint i = 0; i < groups->len; i++) {
    DpHeadingGroup *g = &g_array_index (groups, DpHeadingGroup, i);
    const DpFlowLine *line = dp_flow_line (flow, g->first);
    const DpFlowPage *page = dp_flow_page (flow, line);
    if (g->score < DP_HEADING_ACCEPT || page->width < 1.2f * page->height)
      continue;
    if (!title || dp_flow_line (flow, title->first)->page != line->page)
      title = g;
    else if (g->leads && !g->numbered && !g->strong && g->ratio < 0.9f * title->ratio)
      g->score -= 2;
  }
}

/* A page where a third of the lines are bold at body size has bold text, not headings. */
static void
demote_bold_pages (const DpFlow *flow, GArray *groups)
{
  g_autofree guint *bold = g_new0 (guint, flow->pages->len + 1);
  g_autofree guint *plain = g_new0 (guint, flow->pages->len + 1);

  for (guint i = 0; i < flow->lines->len; i++) {
    const DpFlowLine *line = dp_flow_line (flow, i);
    if (line->role != DP_ROLE_BODY && line->role != DP_ROLE_OBJECT)
      continue;
    if ((line->style & DP_SPAN_BOLD) && line->role == DP_ROLE_BODY)
      bold[line->page]++;
    else
      plain[line->page] += line->role == DP_ROLE_OBJECT ? 4 : 1;
  }
  for (guint i = 0; i < groups->len; i++) {
    DpHeadingGroup *g = &g_array_index (groups, DpHeadingGroup, i);
    guint page = dp_flow_line (flow, g->first)->page;
    if (g->bold && g->ratio < 1.12f && !g->numbered && !g->strong && bold[page] > 3 && bold[page] * 2 > plain[page])
      g->score -= 1;
  }
}

/* Digits as long as a date or a version, and surely display type. */
static gboolean
is_date (const DpHeadingGroup *g)
{
  return g->bare && g->n_chars >= DATE && g->ratio >= 1.12f;
}

/* What looks like several headings that were found, and nearly was one, is one. */
static void
promote_style (const DpFlow *flow, GArray *groups)
{
  g_autoptr (GArray) found = g_array_new (FALSE, FALSE, sizeof (guint)); /* one group of each style that has two */
  g_autoptr (GArray) once = g_array_new (FALSE, FALSE, sizeof (guint));

  for (guint i = 0; i < groups->len && found->len < MAX_STYLES && once->len < MAX_STYLES; i++) {
    const DpHeadingGroup *g = &g_array_index (groups, DpHeadingGroup, i);
    guint k = 0;
    if (g->score < DP_HEADING_ACCEPT || !(g->bold || g->caps || g->ratio >= 1.08f))
      continue;
    while (k < once->len && !dp_heading_same_style (flow, g, &g_array_index (groups, DpHeadingGroup, g_array_index (once, guint, k))))
      k++;
    if (k == once->len)
      g_array_append_val (once, i);
    else
      g_array_append_val (found, i);
  }
  for (guint i = 0; i < groups->len; i++) {
    DpHeadingGroup *g = &g_array_index (groups, DpHeadingGroup, i);
    if ((g->leads && g->ratio < 1.04f) || !(g->score >= DP_HEADING_ACCEPT - NEARLY || is_date (g)))
      continue;
    for (guint k = 0; k < found->len && g->score < DP_HEADING_ACCEPT; k++)
      if (dp_heading_same_style (flow, g, &g_array_index (groups, DpHeadingGroup, g_array_index (found, guint, k))))
        g->score = DP_HEADING_ACCEPT;
  }
}

/* Nothing was found in the whole document: the single best candidate, if it stands out at all. */
static void
promote_best (GArray *groups)
{
  DpHeadingGroup *best = NULL;

  for (guint i = 0; i < groups->len; i++) {
    DpHeadingGroup *g = &g_array_index (groups, DpHeadingGroup, i);
    if (g->score >= DP_HEADING_ACCEPT)
      return;
    if (g->opener && g->score > 0.4f) /* shows only when nothing else does */
      g->score = MAX (g->score, ACCEPT_ONLY);
    if (g->score >= ACCEPT_ONLY && (g->bold || g->ratio >= 1.08f || g->caps || g->numbered || g->opener)
        && (!best || g->score > best->score))
      best = g;
  }
  if (best)
    best->score = DP_HEADING_ACCEPT;
}

static guint
count_accepted (const GArray *groups)
{
  guint n = 0;

  for (guint i = 0; i < groups->len; i++)
    n += g_array_index (groups, DpHeadingGroup, i).score >= DP_HEADING_ACCEPT ? 1 : 0;
  return n;
}

static void
claim_group (DpFlow *flow, const DpHeadingGroup *g)
{
  for (guint i = g->first; i < g->last; i++) {
    DpFlowLine *line = dp_flow_line (flow, i);
    line->role = DP_ROLE_HEADING;
    line->starts = i == g->first;
    line->level = 0;
  }
}

/* A number alone and its title on the next line are one heading. */
static void
join_bare_numbers (DpFlow *flow, const GArray *groups)
{
  for (guint i = 0; i + 1 < groups->len; i++) {
    const DpHeadingGroup *a = &g_array_index (groups, DpHeadingGroup, i), *b = &g_array_index (groups, DpHeadingGroup, i + 1);
    DpFlowLine *line = dp_flow_line (flow, b->first);
    const DpFlowLine *last = dp_flow_line (flow, a->last - 1);
    if (line->role != DP_ROLE_HEADING || last->role != DP_ROLE_HEADING || !adjacent (flow, a, b))
      continue;
    if (a->numbered && a->number.bare && !a->number.word && !b->numbered && line->at.y0 - last->at.y1 < 4 * MAX (line->size, last->size))
      line->starts = FALSE;
  }
}

/* A number alone right above a heading that has none belongs to it: "3" over "The ferry". */
static void
adopt_numbers (DpFlow *flow)
{
  for (guint i = 0; i + 1 < flow->lines->len; i++) {
    DpFlowLine *line = dp_flow_line (flow, i), *next = dp_flow_line (flow, i + 1);
    DpHeadingNumber number;
    if (line->role != DP_ROLE_BODY || line->astray || next->role != DP_ROLE_HEADING || !next->starts || line->page != next->page)
      continue;
    if (!dp_label_heading (line->text, &number) || !number.bare || number.value > 99 || dp_label_heading (next->text, &number))
      continue;
    if (line->size < 0.9f * next->size || next->at.y0 - line->at.y1 > 2.5f * next->size || next->at.y0 < line->at.y0
        || dp_rect_overlap_x (line->at, next->at) <= 0)
      continue;
    line->role = DP_ROLE_HEADING;
    line->starts = TRUE;
    line->level = 0;
    next->starts = FALSE;
  }
}

void
dp_flow_headings (DpFlow *flow)
{
  g_autoptr (GArray) groups = dp_heading_groups (flow);

  dp_heading_drop_running (flow, groups);
  demote_bold_pages (flow, groups);
  demote_runs (flow, groups);
  demote_bylines (flow, groups);
  demote_displays (flow, groups);
  demote_slide_leads (flow, groups);
  promote_style (flow, groups);
  dp_heading_promote_series (flow, groups);
  dp_heading_promote_letters (flow, groups);
  /* A sane tree that marks most of what looks like a heading is the author's word. */
  if (flow->tagged_headings > 0 && flow->tagged_headings * 2 >= count_accepted (groups))
    return;
  if (flow->tagged_headings == 0)
    promote_best (groups);
  for (guint i = 0; i < groups->len; i++)
    if (g_array_index (groups, DpHeadingGroup, i).score >= DP_HEADING_ACCEPT)
      claim_group (flow, &g_array_index (groups, DpHeadingGroup, i));
  join_bare_numbers (flow, groups);
  adopt_numbers (flow);
}
