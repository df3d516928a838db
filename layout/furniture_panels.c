/* layout/furniture_panels.c - heads and feet of pages that are set as tables.
 *
 * Forms, procedures and drawings carry the firm, the number of the document and the page in a ruled panel on every page.  It is
 * a table like any other, but it says the same at the same place on page after page.  Numbers are not masked as in running
 * heads: the sheets of a series of measurements have the same labels and other figures.  Only a number that counts along with
 * the pages may differ.
 */
#include "layout/furniture.h"

#include <math.h>
#include <string.h>

#define HEAD 0.25f      /* of the page's height, in which all of a panel stands */
#define FOOT 0.2f       /* ... from below */
#define SAME_PLACE 6.0f /* points */
#define MIN_PAGES 3u    /* with the same panel */
#define NONE G_MAXUINT
#define MOST_CHARS 2000u /* bytes; what says more is content */
#define LANDSCAPE 1.2f   /* width by height of slides: one that grows repeats what it has */

typedef struct {
  guint entry; /* of the flow */
  guint page;
  gboolean top;
  char **words;
} Panel;

static void
panel_clear (gpointer data)
{
  g_strfreev (((Panel *) data)->words);
}

/* The text of all cells, with a blank between them. */
static char *
table_text (const DpTable *table)
{
  GString *text = g_string_new (NULL);

  for (guint i = 0; i < table->cells->len && text->len <= MOST_CHARS; i++) {
    g_autofree char *cell = dp_spans_to_text (((const DpCell *) g_ptr_array_index (table->cells, i))->spans);
    if (*cell && text->len)
      g_string_append_c (text, ' ');
    g_string_append (text, cell);
  }
  return g_string_free (text, FALSE);
}

/* Tables at the head or foot of their pages, page by page. */
static GArray *
find_panels (const DpFlow *flow)
{
  GArray *panels = g_array_new (FALSE, FALSE, sizeof (Panel));

  g_array_set_clear_func (panels, panel_clear);
  for (guint i = 0; i < flow->lines->len; i++) {
    const DpFlowLine *line = dp_flow_line (flow, i);
    const float height = dp_flow_page (flow, line)->height;
    const gboolean top = line->at.y1 <= HEAD * height;
    if (line->role != DP_ROLE_OBJECT || !dp_flow_region (flow, line)->table || !(top || line->at.y0 >= (1 - FOOT) * height))
      continue;
    g_autofree char *text = table_text (dp_flow_region (flow, line)->table);
    const Panel panel = { i, line->page, top, g_strsplit_set (text, " \n", -1) };
    g_array_append_val (panels, panel);
  }
  return panels;
}

/* A whole number of a page, -1 if the word is none. */
static gint64
number_of (const char *word)
{
  const gsize n = strspn (word, "0123456789");

  return n > 0 && n <= 5 && word[n] == '\0' ? g_ascii_strtoll (word, NULL, 10) : -1;
}

static gboolean
says_the_same (const Panel *a, const Panel *b)
{
  const gint64 pages = (gint64) b->page - (gint64) a->page;

  for (guint i = 0;; i++) {
    const char *x = a->words[i], *y = b->words[i];
    if (!x || !y)
      return x == y && i > 0;
    if (strcmp (x, y) != 0 && !(number_of (x) >= 0 && number_of (y) == number_of (x) + pages))
      return FALSE;
  }
}

static gboolean
is_same_panel (const DpFlow *flow, const Panel *a, const Panel *b)
{
  const DpFlowLine *x = dp_flow_line (flow, a->entry), *y = dp_flow_line (flow, b->entry);

  return a->top == b->top && a->page < b->page && fabsf (x->at.y0 - y->at.y0) <= SAME_PLACE && fabsf (x->at.y1 - y->at.y1) <= SAME_PLACE
         && fabsf (x->at.x0 - y->at.x0) <= SAME_PLACE && says_the_same (a, b);
}

static gboolean
are_enough (const DpFlow *flow, const Panel *first, guint pages)
{
  const DpFlowPage *page = dp_flow_page (flow, dp_flow_line (flow, first->entry));

  return pages >= MIN_PAGES && (page->width < LANDSCAPE * page->height || 2 * pages >= flow->pages->len);
}

static void
claim (DpFlow *flow, const Panel *panel)
{
  DpFlowLine *line = dp_flow_line (flow, panel->entry);

  line->role = panel->top ? DP_ROLE_HEADER : DP_ROLE_FOOTER;
  line->starts = TRUE;
  g_free (line->text);
  line->text = g_strjoinv (" ", panel->words);
  line->n_chars = (guint) g_utf8_strlen (line->text, -1);
}

/* The same panel on one of the next two pages, as left and right pages may differ; NONE: there is none. */
static guint
next_panel (const DpFlow *flow, const GArray *panels, guint i)
{
  const Panel *panel = &g_array_index (panels, Panel, i);

  for (guint k = i + 1; k < panels->len; k++) {
    const Panel *other = &g_array_index (panels, Panel, k);
    if (other->page > panel->page + 2)
      break;
    if (is_same_panel (flow, panel, other))
      return k;
  }
  return NONE;
}

void
dp_flow_panels (DpFlow *flow)
{
  g_autoptr (GArray) panels = find_panels (flow);
  g_autofree guint *next = g_new (guint, panels->len + 1);
  g_autofree guint8 *follows = g_new0 (guint8, panels->len + 1); /* it is the next of another one */

  for (guint i = 0; i < panels->len; i++) {
    next[i] = next_panel (flow, panels, i);
    if (next[i] != NONE)
      follows[next[i]] = 1;
  }
  for (guint i = 0; i < panels->len; i++) {
    guint pages = 0;
    for (guint k = i; k != NONE && !follows[i]; k = next[k])
      pages++;
    for (guint k = i; k != NONE && are_enough (flow, &g_array_index (panels, Panel, i), pages); k = next[k])
      claim (flow, &g_array_index (panels, Panel, k));
  }
}
