/* output/tree.c - a document as a libcmark tree.
 *
 * One walk over the blocks decides what is printed where: captions above or below their
 * table, footnotes at the end of their section, page breaks, labels that Markdown's lists
 * can and cannot say.  Markdown and HTML are then two printings of the same tree.
 */
#include "output/tree.h"

#include <string.h>

#include "output/clean.h"
#include "output/tree_parts.h"

/* Deeper containers are opened no more, what is in them is printed at this depth. */
#define MAX_DEPTH 120

/* ---- nodes ------------------------------------------------------------------------------------- */

cmark_node *
dp_tree_append (cmark_node *parent, cmark_node_type type, DpBlock *block)
{
  cmark_node *node = cmark_node_new (type);

  cmark_node_set_user_data (node, block);
  cmark_node_append_child (parent, node);
  return node;
}

void
dp_tree_append_raw (cmark_node *parent, const char *raw, DpBlock *block)
{
  cmark_node_set_on_enter (dp_tree_append (parent, CMARK_NODE_CUSTOM_BLOCK, block), raw);
}

void
dp_tree_append_comment (const DpTree *tree, cmark_node *parent, const char *text, DpBlock *block)
{
  g_autofree char *clean = dp_clean_line (text);
  g_autoptr (GString) out = g_string_new (tree->into == DP_INTO_TEXT ? "[" : "<!-- ");

  for (const char *p = clean; *p; p++) {
    if (*p == '-' && out->str[out->len - 1] == '-')
      g_string_append_c (out, ' ');
    g_string_append_c (out, *p);
  }
  g_string_append (out, tree->into == DP_INTO_TEXT ? "]" : " -->");
  dp_tree_append_raw (parent, out->str, block);
}

/* A wrapper that only HTML shows. */
cmark_node *
dp_tree_append_wrapper (const DpTree *tree, cmark_node *parent, const char *open, const char *close)
{
  cmark_node *node;

  if (tree->into != DP_INTO_HTML)
    return parent;
  node = dp_tree_append (parent, CMARK_NODE_CUSTOM_BLOCK, NULL);
  cmark_node_set_on_enter (node, open);
  cmark_node_set_on_exit (node, close);
  return node;
}

void
dp_tree_inlines (const DpTree *tree, cmark_node *node, const DpBlock *block, guint drop_styles)
{
  DpInlineContext context = {
    .into = tree->into, .notes = tree->notes, .drop_notes = tree->options->drop_footnotes, .block = block, .drop_styles = drop_styles
  };

  dp_inlines_append (node, block->spans, &context);
}

void
dp_tree_drop_if_empty (cmark_node *node)
{
  if (!cmark_node_first_child (node))
    cmark_node_free (node); /* unlinks it */
}

void
dp_tree_add_paragraph (const DpTree *tree, cmark_node *parent, DpBlock *block)
{
  cmark_node *node = dp_tree_append (parent, CMARK_NODE_PARAGRAPH, block);

  dp_tree_inlines (tree, node, block, 0);
  dp_tree_drop_if_empty (node);
}

static void
add_children (DpTree *tree, cmark_node *parent, DpBlock *block, guint depth)
{
  for (guint i = 0; i < block->children->len; i++)
    dp_tree_add (tree, parent, g_ptr_array_index (block->children, i), depth + 1);
}

/* ---- headings, code, quotes, formulas ------------------------------------------------------------- */

static void
add_heading (const DpTree *tree, cmark_node *parent, DpBlock *block)
{
  cmark_node *node = dp_tree_append (parent, CMARK_NODE_HEADING, block);

  cmark_node_set_heading_level (node, (int) CLAMP (block->level, 1, 6));
  dp_tree_inlines (tree, node, block, DP_SPAN_BOLD | DP_SPAN_ITALIC | DP_SPAN_MONO | DP_SPAN_BREAK);
  dp_tree_drop_if_empty (node);
}

static void
add_code (const DpTree *tree, cmark_node *parent, DpBlock *block)
{
  g_autofree char *clean = block->text ? dp_clean_verbatim (block->text) : dp_spans_plain (block->spans, TRUE);
  g_autofree char *lines = g_strconcat (clean, "\n", NULL);
  cmark_node *node;

  (void) tree;
  if (!*clean)
    return;
  node = dp_tree_append (parent, CMARK_NODE_CODE_BLOCK, block);
  cmark_node_set_literal (node, lines);
  if (block->sub_type && strspn (block->sub_type, G_CSET_a_2_z G_CSET_A_2_Z G_CSET_DIGITS "+-#_.") == strlen (block->sub_type))
    cmark_node_set_fence_info (node, block->sub_type);
}

static void
add_quote (DpTree *tree, cmark_node *parent, DpBlock *block, guint depth)
{
  cmark_node *quote = depth < MAX_DEPTH ? dp_tree_append (parent, CMARK_NODE_BLOCK_QUOTE, NULL) : parent;

  dp_tree_add_paragraph (tree, quote, block);
  add_children (tree, quote, block, depth);
  if (quote != parent)
    dp_tree_drop_if_empty (quote);
}

/* The number of a formula as \tag takes it, or NULL. */
static char *
formula_tag (const char *label)
{
  g_autofree char *clean = dp_clean_line (label);
  gsize n;
  char *tag = g_strstrip (clean);

  n = strlen (tag);
  if (n > 2 && tag[0] == '(' && tag[n - 1] == ')') {
    tag[n - 1] = '\0';
    tag++;
  }
  return *tag && strcspn (tag, "{}\\$%#&~^_") == strlen (tag) ? g_strdup (tag) : NULL;
}

static void
add_formula (const DpTree *tree, cmark_node *parent, DpBlock *block)
{
  g_autofree char *latex = dp_latex_line (block->text);
  g_autofree char *tag = formula_tag (block->label);
  g_autofree char *tagged = tag && !strstr (latex, "\\tag") ? g_strdup_printf ("%s \\tag{%s}", latex, tag) : g_strdup (latex);

  if (!*latex) {
    if (!dp_tree_add_formula_picture (tree, parent, block))
      dp_tree_add_paragraph (tree, parent, block);
  } else if (tree->into == DP_INTO_MARKDOWN) {
    /* "{}" keeps a reader that knows no formulas from seeing a list or heading in it */
    gboolean guard = strchr ("-+*#>=_~`|:<[", tagged[0]) || g_ascii_isdigit (tagged[0]);
    g_autofree char *raw = g_strdup_printf ("$$\n%s%s\n$$", guard ? "{}" : "", tagged);
    dp_tree_append_raw (parent, raw, block);
  } else if (tree->into == DP_INTO_TEXT) {
    dp_tree_append_raw (parent, tagged, block);
  } else {
    g_autoptr (GString) raw = g_string_new ("<div class=\"math\">\\[");
    dp_append_html (raw, tagged);
    g_string_append (raw, "\\]</div>");
    dp_tree_append_raw (parent, raw->str, block);
  }
}

/* ---- footnotes ------------------------------------------------------------------------------------------ */

static void
append_footnote_text (const DpTree *tree, cmark_node *node, const DpBlock *block)
{
  dp_tree_inlines (tree, node, block, DP_SPAN_BREAK);
  for (guint i = 0; i < block->children->len; i++) {
    const DpBlock *child = g_ptr_array_index (block->children, i);
    if (child->spans->len) {
      if (cmark_node_first_child (node))
        dp_inlines_text (node, " ");
      dp_tree_inlines (tree, node, child, DP_SPAN_BREAK);
    }
  }
}

static void
add_footnote (const DpTree *tree, cmark_node *parent, DpBlock *block)
{
  const char *label = dp_notes_label (tree->notes, block);
  g_autofree char *printed = dp_clean_line (block->label);
  g_autofree char *raw = NULL;
  cmark_node *node;

  if (tree->into == DP_INTO_HTML) {
    g_autoptr (GString) mark = g_string_new (NULL);
    g_autofree char *open
        = label ? g_strdup_printf ("<aside class=\"footnote\" id=\"note-%s\">", label) : g_strdup ("<aside class=\"footnote\">");
    parent = dp_tree_append_wrapper (tree, parent, open, "</aside>");
    dp_append_html (mark, printed);
    raw = *printed ? g_strdup_printf ("<sup>%s</sup> ", mark->str) : g_strdup ("");
  } else if (label) {
    raw = g_strdup_printf (tree->into == DP_INTO_TEXT ? "[%s] " : "[^%s]: ", label);
  }
  node = dp_tree_append (parent, CMARK_NODE_PARAGRAPH, block);
  if (raw) {
    dp_inlines_raw (node, raw);
  } else if (*printed) {
    dp_inlines_text (node, printed);
    dp_inlines_text (node, " ");
  }
  append_footnote_text (tree, node, block);
  dp_tree_drop_if_empty (node);
}

static void
take_footnote (DpTree *tree, cmark_node *parent, DpBlock *block)
{
  if (tree->options->drop_footnotes)
    return;
  if ((tree->options->keep & DP_KEEP_FOOTNOTE) || !dp_notes_label (tree->notes, block))
    add_footnote (tree, parent, block);
  else
    g_ptr_array_add (tree->waiting, block);
}

static void
print_waiting (DpTree *tree, cmark_node *root)
{
  for (guint i = 0; i < tree->waiting->len; i++)
    add_footnote (tree, root, g_ptr_array_index (tree->waiting, i));
  g_ptr_array_set_size (tree->waiting, 0);
}

/* ---- furniture ---------------------------------------------------------------------------------------------- */

static gboolean
is_kept (const DpOutputOptions *options, DpBlockKind kind)
{
  switch (kind) {
  case DP_BLOCK_HEADER: return (options->keep & DP_KEEP_HEADER) != 0;
  case DP_BLOCK_FOOTER: return (options->keep & DP_KEEP_FOOTER) != 0;
  case DP_BLOCK_PAGE_NUMBER: return (options->keep & DP_KEEP_PAGE_NUMBER) != 0;
  case DP_BLOCK_ASIDE: return (options->keep & DP_KEEP_ASIDE) != 0;
  case DP_BLOCK_HIDDEN: return (options->keep & DP_KEEP_HIDDEN) != 0;
  case DP_BLOCK_FIELD: return (options->keep & DP_KEEP_FIELD) != 0;
  case DP_BLOCK_ANNOTATION: return (options->keep & DP_KEEP_ANNOTATION) != 0;
  case DP_BLOCK_FIGURE_TEXT: return options->figure_text;
  default: return TRUE;
  }
}

gboolean
dp_output_is_kept (const DpOutputOptions *options, const DpBlock *block)
{
  return is_kept (options, block->kind);
}

static void
add_furniture (DpTree *tree, cmark_node *parent, DpBlock *block, guint depth)
{
  g_autofree char *open = g_strdup_printf ("<aside class=\"%s\">", dp_block_kind_name (block->kind));
  cmark_node *aside = dp_tree_append_wrapper (tree, parent, open, "</aside>");

  if (block->kind == DP_BLOCK_FIELD && block->label && *block->label) {
    cmark_node *node = dp_tree_append (aside, CMARK_NODE_PARAGRAPH, block);
    g_autofree char *clean = dp_clean_line (block->label), *label = g_strconcat (clean, ": ", NULL);
    dp_inlines_text (node, label);
    dp_tree_inlines (tree, node, block, 0);
  } else {
    dp_tree_add_paragraph (tree, aside, block);
  }
  add_children (tree, aside, block, depth);
  if (aside != parent)
    dp_tree_drop_if_empty (aside);
}

/* ---- any block -------------------------------------------------------------------------------------------------- */

void
dp_tree_add (DpTree *tree, cmark_node *parent, DpBlock *block, guint depth)
{
  if (!is_kept (tree->options, block->kind))
    return;
  switch (block->kind) {
  case DP_BLOCK_HEADING: add_heading (tree, parent, block); break;
  case DP_BLOCK_LIST: dp_tree_add_list (tree, parent, block, depth, depth < MAX_DEPTH); return;
  case DP_BLOCK_TOC: dp_tree_add_toc (tree, parent, block); return;
  case DP_BLOCK_TABLE: dp_tree_add_table (tree, parent, block, depth); return;
  case DP_BLOCK_FIGURE: dp_tree_add_figure (tree, parent, block, depth); return;
  case DP_BLOCK_CODE: add_code (tree, parent, block); break;
  case DP_BLOCK_QUOTE: add_quote (tree, parent, block, depth); return;
  case DP_BLOCK_FORMULA: add_formula (tree, parent, block); break;
  case DP_BLOCK_FOOTNOTE: take_footnote (tree, parent, block); return;
  case DP_BLOCK_PAGE_PICTURE: dp_tree_add_page_picture (tree, parent, block); break;
  case DP_BLOCK_CAPTION: {
    cmark_node *caption = dp_tree_append_wrapper (tree, parent, "<div class=\"caption\">", "</div>");
    dp_tree_add_paragraph (tree, caption, block);
    break;
  }
  case DP_BLOCK_HEADER:
  case DP_BLOCK_FOOTER:
  case DP_BLOCK_PAGE_NUMBER:
  case DP_BLOCK_ASIDE:
  case DP_BLOCK_HIDDEN:
  case DP_BLOCK_ANNOTATION:
  case DP_BLOCK_FIELD: add_furniture (tree, parent, block, depth); return;
  case DP_BLOCK_LIST_ITEM: dp_tree_add_stray_item (tree, parent, block); break;
  default: dp_tree_add_paragraph (tree, parent, block); break;
  }
  add_children (tree, parent, block, depth);
}

/* ---- pages and the whole ------------------------------------------------------------------------------------------ */

static void
add_page_break (const DpTree *tree, cmark_node *root, guint number)
{
  g_autofree char *text = NULL;

  if (!tree->options->page_break)
    return;
  text = dp_page_break_text (tree->options->page_break, number);
  if (tree->into == DP_INTO_HTML) {
    g_free (text);
    text = g_strdup_printf ("<hr class=\"page\" id=\"page-%u\" />", number);
  }
  dp_tree_append_raw (root, text, NULL);
}

/* Breaks and complaints of the pages that begin up to number. */
static void
turn_pages (DpTree *tree, cmark_node *root, guint number)
{
  const GArray *pages = tree->document->pages;

  for (; tree->next_page < pages->len; tree->next_page++) {
    const DpPageInfo *info = &g_array_index (pages, DpPageInfo, tree->next_page);
    if (info->number > number)
      break;
    if (tree->next_page > 0)
      add_page_break (tree, root, info->number);
    if (info->failed) {
      g_autofree char *comment
          = g_strdup_printf ("page %u could not be read%s%s", info->number, info->reason ? ": " : "", info->reason ? info->reason : "");
      dp_tree_append_comment (tree, root, comment, NULL);
    }
  }
}

char *
dp_page_break_text (const char *format, guint number)
{
  g_autofree char *clean = dp_clean_verbatim (format);
  GString *out = g_string_new (NULL);

  for (const char *p = clean; *p; p++) {
    if (p[0] == '%' && p[1] == 'n') {
      g_string_append_printf (out, "%u", number);
      p++;
    } else {
      g_string_append_c (out, *p);
      p += p[0] == '%' && p[1] == '%';
    }
  }
  return g_string_free (out, FALSE);
}

cmark_node *
dp_tree_new (DpDocument *document, const DpOutputOptions *options, DpInto into)
{
  cmark_node *root = cmark_node_new (CMARK_NODE_DOCUMENT);
  DpTree tree = { .document = document, .options = options, .into = into };

  tree.notes = dp_notes_new (document, into == DP_INTO_MARKDOWN ? dp_tree_table_is_pipe : dp_notes_in_any_table, &tree);
  tree.waiting = g_ptr_array_new ();
  tree.pages = g_hash_table_new (NULL, NULL);
  for (guint i = 0; i < document->pages->len; i++) {
    DpPageInfo *info = &g_array_index (document->pages, DpPageInfo, i);
    g_hash_table_insert (tree.pages, GUINT_TO_POINTER (info->number), info);
  }
  for (guint i = 0; i < document->blocks->len; i++) {
    DpBlock *block = g_ptr_array_index (document->blocks, i);
    if (block->kind == DP_BLOCK_HEADING && block->level <= 2)
      print_waiting (&tree, root);
    turn_pages (&tree, root, block->page);
    dp_tree_add (&tree, root, block, 0);
  }
  print_waiting (&tree, root);
  turn_pages (&tree, root, G_MAXUINT);
  dp_notes_free (tree.notes);
  g_ptr_array_unref (tree.waiting);
  g_hash_table_unref (tree.pages);
  return root;
}
