/* output/tree_lists.c - lists and tables of contents in the libcmark tree.
 *
 * Markdown knows bullets and ascending numbers with "." or ")".  Any other label, "(iv)"
 * or "a)", stays in front of its item's text in a bullet list; a list whose numbers jump
 * becomes several lists, so that every reader shows the numbers that were printed.
 */
#include "output/tree_parts.h"

#include <string.h>

#include "output/clean.h"

#define MAX_NUMBER 999999999u /* CommonMark 5.2: nine digits */

gboolean
dp_label_is_bullet (const char *label)
{
  g_autofree char *clean = dp_clean_line (label);
  const char *p = g_strstrip (clean);

  if (strcmp (p, "o") == 0)
    return TRUE;
  for (; *p; p = g_utf8_next_char (p)) {
    gunichar c = g_utf8_get_char (p);
    /* a ticked or empty box says more than "item" */
    if (g_unichar_isalnum (c) || (c >= 0x2610 && c <= 0x2612) || (c >= 0x2713 && c <= 0x2718) || c == '(' || c == '[')
      return FALSE;
  }
  return TRUE;
}

gboolean
dp_label_number (const char *label, guint *number, char *delimiter)
{
  g_autofree char *clean = dp_clean_line (label);
  const char *p = g_strstrip (clean);
  gsize n = strspn (p, "0123456789");

  if (n < 1 || n > 9 || (p[n] != '.' && p[n] != ')') || p[n + 1] != '\0' || (n > 1 && p[0] == '0'))
    return FALSE;
  *number = (guint) g_ascii_strtoull (p, NULL, 10);
  *delimiter = p[n];
  return TRUE;
}

/* Can Markdown's numbers say the labels of this list?  An item without a label goes on counting. */
static gboolean
is_numbered (const DpBlock *list)
{
  gboolean any = FALSE;

  for (guint i = 0; i < list->children->len; i++) {
    const DpBlock *item = g_ptr_array_index (list->children, i);
    guint number;
    char delimiter;
    if (item->kind != DP_BLOCK_LIST_ITEM || !item->label || !*item->label)
      continue;
    if (!dp_label_number (item->label, &number, &delimiter))
      return FALSE;
    any = TRUE;
  }
  return any || list->ordered;
}

/* ---- the list node ---------------------------------------------------------------------------------- */

typedef struct {
  DpTree *tree;
  cmark_node *parent;
  cmark_node *list; /* being filled; NULL = none yet */
  gboolean numbered;
  guint next; /* number the next item has by counting */
  char delimiter;
} Listing;

static cmark_node *
open_list (cmark_node *parent, gboolean numbered, guint start, char delimiter)
{
  cmark_node *list = cmark_node_new (CMARK_NODE_LIST);

  cmark_node_set_list_type (list, numbered ? CMARK_ORDERED_LIST : CMARK_BULLET_LIST);
  if (numbered) {
    cmark_node_set_list_start (list, (int) start);
    cmark_node_set_list_delim (list, delimiter == ')' ? CMARK_PAREN_DELIM : CMARK_PERIOD_DELIM);
  }
  cmark_node_append_child (parent, list);
  return list;
}

/* Nothing but a line of text and lists that may follow it without a blank line (CommonMark
 * 5.3; a numbered list interrupts a paragraph only if it begins with 1). */
static gboolean
item_is_tight (cmark_node *item)
{
  for (cmark_node *child = cmark_node_first_child (item); child; child = cmark_node_next (child)) {
    cmark_node *before = cmark_node_previous (child);
    if (cmark_node_get_type (child) == CMARK_NODE_PARAGRAPH ? before != NULL : cmark_node_get_type (child) != CMARK_NODE_LIST)
      return FALSE;
    if (before && cmark_node_get_type (before) == CMARK_NODE_PARAGRAPH && cmark_node_get_list_type (child) == CMARK_ORDERED_LIST
        && cmark_node_get_list_start (child) != 1)
      return FALSE;
  }
  return TRUE;
}

static void
close_list (cmark_node *list)
{
  gboolean tight = TRUE;

  if (!list)
    return;
  for (cmark_node *item = cmark_node_first_child (list); item && tight; item = cmark_node_next (item))
    tight = item_is_tight (item);
  cmark_node_set_list_tight (list, tight);
  if (!cmark_node_first_child (list))
    cmark_node_free (list);
}

/* Opens the list that an item with this label belongs to, if it is not open. */
static void
choose_list (Listing *listing, const DpBlock *item)
{
  guint number = listing->next;
  char delimiter = listing->delimiter;

  if (listing->numbered && item->label && *item->label)
    dp_label_number (item->label, &number, &delimiter);
  if (number > MAX_NUMBER)
    number = MAX_NUMBER;
  if (!listing->list || (listing->numbered && (number != listing->next || delimiter != listing->delimiter))) {
    close_list (listing->list);
    listing->list = open_list (listing->parent, listing->numbered, number, delimiter);
  }
  listing->delimiter = delimiter;
  listing->next = number + 1;
}

static void
add_label (cmark_node *text, const DpBlock *block)
{
  g_autofree char *label = NULL;

  if (!block->label || dp_label_is_bullet (block->label))
    return;
  label = dp_clean_line (block->label);
  dp_inlines_text (text, g_strstrip (label));
  dp_inlines_text (text, " ");
}

static void
add_item (Listing *listing, DpBlock *block, guint depth)
{
  cmark_node *item = cmark_node_new (CMARK_NODE_ITEM);
  cmark_node *text = cmark_node_new (CMARK_NODE_PARAGRAPH);

  choose_list (listing, block);
  cmark_node_append_child (listing->list, item);
  cmark_node_append_child (item, text);
  cmark_node_set_user_data (text, block);
  if (block->kind == DP_BLOCK_LIST_ITEM) {
    if (!listing->numbered)
      add_label (text, block);
    dp_tree_inlines (listing->tree, text, block, 0);
    for (guint i = 0; i < block->children->len; i++)
      dp_tree_add (listing->tree, item, g_ptr_array_index (block->children, i), depth + 2);
  } else { /* something that is no item stands in the list */
    dp_tree_add (listing->tree, item, block, depth + 1);
  }
  if (!cmark_node_first_child (text))
    cmark_node_free (text);
  if (!cmark_node_first_child (item)) {
    cmark_node_free (item);
    listing->next--;
  }
}

void
dp_tree_add_stray_item (DpTree *tree, cmark_node *parent, DpBlock *block)
{
  cmark_node *text = cmark_node_new (CMARK_NODE_PARAGRAPH);

  cmark_node_append_child (parent, text);
  cmark_node_set_user_data (text, block);
  add_label (text, block);
  dp_tree_inlines (tree, text, block, 0);
  if (!cmark_node_first_child (text))
    cmark_node_free (text);
}

/* Too deep for another level: one paragraph per item. */
static void
add_flat (DpTree *tree, cmark_node *parent, DpBlock *block, guint depth)
{
  for (guint i = 0; i < block->children->len; i++)
    dp_tree_add (tree, parent, g_ptr_array_index (block->children, i), depth + 1);
}

void
dp_tree_add_list (DpTree *tree, cmark_node *parent, DpBlock *block, guint depth, gboolean open)
{
  Listing listing = { .tree = tree, .parent = parent, .numbered = is_numbered (block), .next = block->start, .delimiter = '.' };

  if (!open) {
    add_flat (tree, parent, block, depth);
    return;
  }
  if (listing.next == 0 && listing.numbered)
    listing.next = 1;
  for (guint i = 0; i < block->children->len; i++)
    add_item (&listing, g_ptr_array_index (block->children, i), depth);
  close_list (listing.list);
}

/* ---- table of contents --------------------------------------------------------------------------------- */

static cmark_node *
append_entry (const DpTree *tree, cmark_node *list, DpBlock *entry)
{
  cmark_node *item = cmark_node_new (CMARK_NODE_ITEM);
  cmark_node *text = cmark_node_new (CMARK_NODE_PARAGRAPH);
  g_autofree char *page = dp_clean_line (entry->label);

  cmark_node_append_child (list, item);
  cmark_node_append_child (item, text);
  cmark_node_set_user_data (text, entry);
  dp_tree_inlines (tree, text, entry, DP_SPAN_BREAK);
  if (*g_strstrip (page)) {
    if (cmark_node_first_child (text))
      dp_inlines_text (text, " ");
    dp_inlines_text (text, page);
  }
  return item;
}

void
dp_tree_add_toc (DpTree *tree, cmark_node *parent, DpBlock *block)
{
  struct {
    cmark_node *list, *item;
    guint level;
  } open[8] = { 0 };
  gint top = -1;

  for (guint i = 0; i < block->children->len; i++) {
    DpBlock *entry = g_ptr_array_index (block->children, i);
    g_autofree char *title = dp_spans_plain (entry->spans, FALSE);

    if (!*title && !(entry->label && *entry->label))
      continue;
    while (top > 0 && open[top].level > entry->level)
      top--;
    if (top < 0 || (open[top].level < entry->level && top + 1 < (gint) G_N_ELEMENTS (open))) {
      cmark_node *into = top < 0 ? parent : open[top].item;
      top++;
      open[top].list = open_list (into, FALSE, 0, 0);
      cmark_node_set_list_tight (open[top].list, TRUE);
    }
    open[top].level = entry->level;
    open[top].item = append_entry (tree, open[top].list, entry);
  }
}
