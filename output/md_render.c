/* output/md_render.c - a libcmark tree as Markdown.
 *
 * The same tree that libcmark's parser would build is printed with the spelling people
 * use: "- " bullets, "1." without padding, one line per paragraph, and backslashes only
 * where they are needed (md_escape.c).  CommonMark chapter 5 says how containers nest;
 * the prefix is what every further line of the open containers begins with.
 */
#include "output/md_render.h"

#include <string.h>

#include "output/md_inlines.h"

typedef struct {
  GString *out;
  GString *prefix;
  GArray *widths;         /* gsize: bytes each open container added to prefix */
  GArray *lists;          /* OpenList */
  gsize block_start;      /* where the block begun last has its first byte */
  gboolean after_marker;  /* a list or quote marker was just written: go on behind it */
  char closed_bullet;     /* bullet of the list that has just ended, 0 = none */
  gboolean closed_number; /* an ordered list has just ended */
  gboolean plain;         /* text without markup */
  DpMdRange range;
} Render;

typedef struct {
  guint next;
  char bullet;
} OpenList;

/* ---- lines ------------------------------------------------------------------------------------- */

/* Nothing but a line feed between node and what stands before it? */
static gboolean
in_tight_list (cmark_node *node)
{
  cmark_node *list = cmark_node_parent (node);

  if (cmark_node_get_type (node) == CMARK_NODE_ITEM && cmark_node_previous (node))
    return cmark_node_get_list_tight (list);
  /* the first item of a nested list follows its parent item's text */
  if (cmark_node_get_type (node) == CMARK_NODE_ITEM)
    list = cmark_node_parent (list);
  list = list && cmark_node_get_type (list) == CMARK_NODE_ITEM ? cmark_node_parent (list) : NULL;
  return list && cmark_node_get_list_tight (list);
}

static void
new_line (Render *render)
{
  gsize blanks = render->prefix->len;

  g_string_append_c (render->out, '\n');
  while (blanks > 0 && render->prefix->str[blanks - 1] == ' ')
    blanks--;
  g_string_append_len (render->out, render->prefix->str, (gssize) blanks);
}

/* Goes to where the block that node begins is to be written. */
static void
begin (Render *render, cmark_node *node)
{
  if (!render->after_marker) {
    if (render->out->len) {
      if (!in_tight_list (node))
        new_line (render);
      g_string_append_c (render->out, '\n');
    }
    g_string_append (render->out, render->prefix->str);
  }
  render->after_marker = FALSE;
  render->block_start = render->out->len;
}

/* Verbatim lines, each but the first behind the prefix. */
static void
put_lines (Render *render, const char *text)
{
  const char *eol;

  for (; (eol = strchr (text, '\n')); text = eol + 1) {
    g_string_append_len (render->out, text, eol - text);
    if (eol[1] == '\n') {
      new_line (render);
    } else {
      g_string_append_c (render->out, '\n');
      g_string_append (render->out, render->prefix->str);
    }
  }
  g_string_append (render->out, text);
}

/* ---- leaves -------------------------------------------------------------------------------------- */

static void
put_inlines (Render *render, cmark_node *node, DpMdPlace place)
{
  DpMdInlines inlines;

  dp_md_inlines_init (&inlines);
  dp_md_flatten (node, place == DP_MD_HEADING, render->plain, &inlines);
  if (inlines.bytes->len) {
    begin (render, node);
    if (place == DP_MD_HEADING && !render->plain) {
      for (int i = 0; i < cmark_node_get_heading_level (node); i++)
        g_string_append_c (render->out, '#');
      g_string_append_c (render->out, ' ');
    }
    dp_md_escape (&inlines, render->plain ? DP_MD_PLAIN : place, render->prefix->str, render->out);
  }
  dp_md_inlines_clear (&inlines);
}

static void
put_code (Render *render, cmark_node *node)
{
  const char *info = cmark_node_get_fence_info (node);
  g_autofree char *text = g_strdup (cmark_node_get_literal (node));
  g_autofree char *fence = dp_code_fence (text), *fenced = NULL;

  if (g_str_has_suffix (text, "\n"))
    text[strlen (text) - 1] = '\0';
  fenced = g_strdup_printf ("%s%s\n%s%s%s", fence, info ? info : "", text, *text ? "\n" : "", fence);
  begin (render, node);
  put_lines (render, render->plain ? text : fenced);
}

static gboolean
begins_item (cmark_node *node)
{
  return !cmark_node_previous (node) && cmark_node_get_type (cmark_node_parent (node)) == CMARK_NODE_ITEM;
}

static void
put_leaf (Render *render, cmark_node *node)
{
  const char *raw;

  switch (cmark_node_get_type (node)) {
  case CMARK_NODE_PARAGRAPH: put_inlines (render, node, begins_item (node) ? DP_MD_ITEM : DP_MD_PARAGRAPH); break;
  case CMARK_NODE_HEADING: put_inlines (render, node, DP_MD_HEADING); break;
  case CMARK_NODE_CODE_BLOCK: put_code (render, node); break;
  case CMARK_NODE_THEMATIC_BREAK:
    begin (render, node);
    g_string_append (render->out, "***");
    break;
  case CMARK_NODE_HTML_BLOCK:
  case CMARK_NODE_CUSTOM_BLOCK:
    raw = cmark_node_get_type (node) == CMARK_NODE_HTML_BLOCK ? cmark_node_get_literal (node) : cmark_node_get_on_enter (node);
    if (raw && *raw) {
      begin (render, node);
      put_lines (render, raw);
    }
    break;
  default: break;
  }
}

/* ---- containers ------------------------------------------------------------------------------------ */

static void
push_prefix (Render *render, const char *marker, gboolean quote)
{
  gsize width = strlen (marker);

  g_string_append (render->out, marker);
  for (gsize i = 0; i < width; i++)
    g_string_append_c (render->prefix, quote ? marker[i] : ' ');
  g_array_append_val (render->widths, width);
  render->after_marker = TRUE;
}

static void
pop_prefix (Render *render)
{
  gsize width = g_array_index (render->widths, gsize, render->widths->len - 1);

  g_array_set_size (render->widths, render->widths->len - 1);
  g_string_truncate (render->prefix, render->prefix->len - width);
  render->after_marker = FALSE;
}

static void
enter_list (Render *render, cmark_node *node)
{
  OpenList list = { .next = (guint) MAX (cmark_node_get_list_start (node), 0), .bullet = '-' };

  if (cmark_node_get_list_type (node) == CMARK_ORDERED_LIST) {
    if (render->closed_number && !render->plain) { /* two lists in a row would be read as one */
      begin (render, node);
      g_string_append (render->out, "<!-- -->");
    }
  } else if (render->closed_bullet == '-') {
    list.bullet = '*';
  }
  g_array_append_val (render->lists, list);
}

static void
enter_item (Render *render, cmark_node *node)
{
  OpenList *list = &g_array_index (render->lists, OpenList, render->lists->len - 1);
  cmark_node *parent = cmark_node_parent (node);
  char marker[24];

  begin (render, node);
  if (cmark_node_get_list_type (parent) == CMARK_ORDERED_LIST)
    g_snprintf (marker, sizeof marker, "%u%c ", list->next++, cmark_node_get_list_delim (parent) == CMARK_PAREN_DELIM ? ')' : '.');
  else
    g_snprintf (marker, sizeof marker, "%c ", list->bullet);
  push_prefix (render, marker, FALSE);
}

static void
leave_list (Render *render, cmark_node *node)
{
  gboolean ordered = cmark_node_get_list_type (node) == CMARK_ORDERED_LIST;

  render->closed_number = ordered;
  render->closed_bullet = ordered ? 0 : g_array_index (render->lists, OpenList, render->lists->len - 1).bullet;
  g_array_set_size (render->lists, render->lists->len - 1);
}

static void
enter (Render *render, cmark_node *node)
{
  switch (cmark_node_get_type (node)) {
  case CMARK_NODE_LIST: enter_list (render, node); break;
  case CMARK_NODE_ITEM: enter_item (render, node); break;
  case CMARK_NODE_BLOCK_QUOTE:
    begin (render, node);
    push_prefix (render, render->plain ? "  " : "> ", TRUE);
    break;
  default: break;
  }
  render->closed_bullet = 0;
  render->closed_number = FALSE;
}

static void
leave (Render *render, cmark_node *node)
{
  render->closed_bullet = 0;
  render->closed_number = FALSE;
  switch (cmark_node_get_type (node)) {
  case CMARK_NODE_LIST: leave_list (render, node); break;
  case CMARK_NODE_ITEM:
  case CMARK_NODE_BLOCK_QUOTE: pop_prefix (render); break;
  default: break;
  }
}

static gboolean
is_container (cmark_node *node)
{
  switch (cmark_node_get_type (node)) {
  case CMARK_NODE_DOCUMENT:
  case CMARK_NODE_BLOCK_QUOTE:
  case CMARK_NODE_LIST:
  case CMARK_NODE_ITEM: return TRUE;
  default: return FALSE;
  }
}

static GString *
render_tree (cmark_node *root, gboolean plain, DpMdRange range)
{
  Render render = { .out = g_string_new (NULL), .prefix = g_string_new (NULL), .plain = plain, .range = range };
  cmark_iter *iter = cmark_iter_new (root);
  cmark_event_type event;

  render.widths = g_array_new (FALSE, FALSE, sizeof (gsize));
  render.lists = g_array_new (FALSE, FALSE, sizeof (OpenList));
  while ((event = cmark_iter_next (iter)) != CMARK_EVENT_DONE) {
    cmark_node *node = cmark_iter_get_node (iter);

    if (is_container (node)) {
      (event == CMARK_EVENT_ENTER ? enter : leave) (&render, node);
    } else {
      gsize before = render.out->len;

      put_leaf (&render, node);
      if (render.out->len > before) {
        render.closed_bullet = 0;
        render.closed_number = FALSE;
        if (range && cmark_node_get_user_data (node))
          range (cmark_node_get_user_data (node), render.block_start, render.out->len);
      }
      /* what is below a leaf has been printed with it */
      cmark_iter_reset (iter, node, CMARK_EVENT_EXIT);
    }
  }
  cmark_iter_free (iter);
  if (render.out->len)
    g_string_append_c (render.out, '\n');
  g_string_free (render.prefix, TRUE);
  g_array_unref (render.widths);
  g_array_unref (render.lists);
  return render.out;
}

GString *
dp_md_render (cmark_node *root, DpMdRange range)
{
  return render_tree (root, FALSE, range);
}

GString *
dp_plain_render (cmark_node *root)
{
  return render_tree (root, TRUE, NULL);
}

void
dp_md_render_cell (cmark_node *node, GString *out)
{
  DpMdInlines inlines;

  dp_md_inlines_init (&inlines);
  dp_md_flatten (node, TRUE, FALSE, &inlines);
  dp_md_escape (&inlines, DP_MD_CELL, "", out);
  dp_md_inlines_clear (&inlines);
}
