/* pipeline/model_lists.c - lists, references, contents pages and marks of footnotes: what has a label in front or a number behind.
 *
 * A list's members are the texts with 0.8 of their area in its box (MinerU); labels are read as on pages without a model (layout/labels.h).
 */
#include "pipeline/model_pieces.h"

#include "layout/flow.h"
#include "layout/labels.h"

#include <string.h>

#define MEMBER 0.8
#define INDENT 0.012f /* of the page's width: deeper by more is a list of its own */

/* ---- items ------------------------------------------------------------------------------------------- */

/* Takes a label off the spans' text; FALSE: there is none. */
static gboolean
take_label (GPtrArray *spans, char **label, DpLabel *parsed)
{
  g_autofree char *text = dp_spans_to_text (spans);

  if (!dp_label_parse (text, parsed))
    return FALSE;
  *label = g_strndup (text, parsed->length);
  dp_spans_drop (spans, parsed->length);
  return TRUE;
}

/* Turns a paragraph into an item. */
static gboolean
make_item (DpBlock *block, DpLabel *parsed)
{
  block->kind = DP_BLOCK_LIST_ITEM;
  return take_label (block->spans, &block->label, parsed);
}

static DpBlock *
new_list (const DpBlock *like)
{
  DpBlock *list = dp_block_new (DP_BLOCK_LIST, like->page, like->box);

  list->source = like->source;
  list->confidence = like->confidence;
  return list;
}

static DpBlock *
last_of (const GPtrArray *blocks)
{
  return blocks->len ? g_ptr_array_index (blocks, blocks->len - 1) : NULL;
}

/* Open lists from the outermost to the innermost, with the left edge of their items. */
typedef struct {
  DpBlock *list;
  float left;
} Level;

/* The list that an item at this left edge belongs to: a new one under the last item where it stands further right. */
static DpBlock *
list_for (GArray *levels, const DpBlock *item, float indent)
{
  Level *top = &g_array_index (levels, Level, levels->len - 1);
  const DpBlock *last = last_of (top->list->children);

  if (last && item->box.y0 < last->box.y0) { /* the next column */
    g_array_set_size (levels, 1);
    top = &g_array_index (levels, Level, 0);
    top->left = item->box.x0;
    return top->list;
  }
  while (levels->len > 1 && item->box.x0 < top->left - indent) {
    g_array_set_size (levels, levels->len - 1);
    top = &g_array_index (levels, Level, levels->len - 1);
  }
  DpBlock *under = last_of (top->list->children);
  if (under && item->box.x0 > top->left + indent && levels->len < 6) {
    const Level deeper = { new_list (item), item->box.x0 };
    g_ptr_array_add (under->children, deeper.list);
    g_array_append_val (levels, deeper);
    return deeper.list;
  }
  if (!under)
    top->left = item->box.x0;
  return top->list;
}

static void
add_item (DpBlock *list, DpBlock *item)
{
  DpLabel parsed;
  const gboolean labelled = make_item (item, &parsed);

  if (list->children->len == 0 && labelled) {
    list->ordered = parsed.kind != DP_LABEL_BULLET;
    list->start = list->ordered ? parsed.value : 0;
  }
  g_ptr_array_add (list->children, item);
  if (list->children->len == 1)
    list->source = item->source;
  list->confidence = list->children->len == 1 ? item->confidence : MIN (list->confidence, item->confidence);
}

/* Lines of the page's own text: a line with a label begins an item, others go on with it. */
static void
items_of_rows (DpBlock *list, const DpBlock *own)
{
  g_autofree char *text = dp_spans_to_text (own->spans);
  g_auto (GStrv) lines = g_strsplit (text, "\n", -1);
  DpBlock *item = NULL;

  for (char **line = lines; *line; line++) {
    DpLabel parsed;
    if (!*g_strstrip (*line))
      continue;
    if (item && !dp_label_parse (*line, &parsed)) {
      dp_block_add_text (item, " ", 0, NULL);
      dp_block_add_text (item, *line, 0, NULL);
      continue;
    }
    item = dp_block_new (DP_BLOCK_LIST_ITEM, list->page, list->box);
    item->source = DP_SOURCE_TEXT_LAYER;
    dp_block_add_text (item, *line, 0, NULL);
    add_item (list, item);
  }
}

/* ---- lists of a page ------------------------------------------------------------------------------------- */

static gboolean
is_member (const DpPiece *piece, const DpPiece *list)
{
  const DpMineruType type = piece->region->type;

  return piece->block && piece->block->kind == DP_BLOCK_PARAGRAPH && (type == DP_MINERU_TEXT || type == DP_MINERU_REF_TEXT)
         && dp_mineru_cover (piece->region->box, list->region->box) >= MEMBER;
}

/* The list at i takes its members; one without any takes the page's own lines, or goes. */
static void
fill_list (const DpModelPage *page, GArray *pieces, guint i)
{
  DpPiece *list = dp_piece (pieces, i);
  g_autoptr (GArray) levels = g_array_new (FALSE, FALSE, sizeof (Level));
  const Level first = { list->block, 0 };
  guint references = 0, members = 0;

  g_array_append_val (levels, first);
  for (guint k = 0; k < pieces->len; k++) {
    DpPiece *piece = dp_piece (pieces, k);
    if (k == i || !is_member (piece, list))
      continue;
    references += piece->region->type == DP_MINERU_REF_TEXT;
    members++;
    DpBlock *item = g_steal_pointer (&piece->block);
    add_item (list_for (levels, item, INDENT * page->width), item);
  }
  const DpBlock *own = page->use_text ? dp_model_own (page, list->region) : NULL;
  if (members == 0 && own)
    items_of_rows (list->block, own);
  if (2 * references > members)
    list->block->sub_type = g_strdup ("ref_text");
  if (list->block->children->len == 0)
    g_clear_pointer (&list->block, dp_block_free);
}

/* References that stand in no list, one after the other. */
static void
gather_references (GArray *pieces)
{
  DpBlock *list = NULL;

  for (guint i = 0; i < pieces->len; i++) {
    DpPiece *piece = dp_piece (pieces, i);
    if (!piece->block)
      continue;
    if (piece->region->type != DP_MINERU_REF_TEXT || piece->block->kind != DP_BLOCK_PARAGRAPH) {
      list = NULL;
      continue;
    }
    DpBlock *item = g_steal_pointer (&piece->block);
    if (!list) {
      list = piece->block = new_list (item);
      list->sub_type = g_strdup ("ref_text");
    }
    list->box = dp_rect_union (list->box, item->box);
    add_item (list, item);
  }
}

void
dp_model_lists (const DpModelPage *page, GArray *pieces)
{
  for (guint i = 0; i < pieces->len; i++)
    if (dp_piece_is (pieces, i, DP_MINERU_LIST) && dp_piece (pieces, i)->block)
      fill_list (page, pieces, i);
  gather_references (pieces);
}

/* ---- contents ------------------------------------------------------------------------------------------------ */

/* Start of the page number at the end of line, or its end; *title: where the title ends, without leaders. */
static gsize
page_number_at (const char *line, gsize *title)
{
  const gsize n = strlen (line);
  gsize number = n;

  while (number > 0 && g_ascii_isdigit (line[number - 1]))
    number--;
  if (number == n) /* roman */
    while (number > 0 && strchr ("ivxlc", line[number - 1]))
      number--;
  gsize end = number;
  while (end > 0 && strchr (" .\t", line[end - 1]))
    end--;
  if (number == n || end == number || end == 0 || n - number > 6)
    return *title = n;
  *title = end;
  return number;
}

void
dp_model_toc (DpBlock *toc, const char *text)
{
  g_auto (GStrv) lines = g_strsplit (text, "\n", -1);

  g_ptr_array_set_size (toc->spans, 0);
  for (char **line = lines; *line; line++) {
    DpHeadingNumber number;
    gsize title;
    if (!*g_strstrip (*line))
      continue;
    DpBlock *entry = dp_block_new (DP_BLOCK_TOC_ENTRY, toc->page, toc->box);
    const gsize at = page_number_at (*line, &title);
    entry->source = toc->source;
    entry->confidence = toc->confidence;
    entry->level = dp_label_heading (*line, &number) ? CLAMP (number.depth, 1, 6) : 1;
    entry->label = (*line)[at] ? g_strdup (*line + at) : NULL;
    (*line)[title] = '\0';
    dp_block_add_text (entry, *line, 0, NULL);
    g_ptr_array_add (toc->children, entry);
  }
}

/* ---- footnotes --------------------------------------------------------------------------------------------------- */

void
dp_model_note_label (DpBlock *note)
{
  static const char *const signs[]
      = { "***", "**", "*", "\342\200\240\342\200\240", "\342\200\240", "\342\200\241", "\302\247", "\302\266" };
  const DpSpan *first = note->spans->len ? g_ptr_array_index (note->spans, 0) : NULL;
  gsize n = 0;

  if (!first)
    return;
  const char *text = first->text;
  if ((first->style & DP_SPAN_SUPER) && strlen (text) <= 6)
    n = strlen (text);
  for (guint i = 0; n == 0 && i < G_N_ELEMENTS (signs); i++)
    if (g_str_has_prefix (text, signs[i]))
      n = strlen (signs[i]);
  if (n == 0) {
    n = strspn (text, "0123456789");
    if (n > 3 || (text[n] && !strchr (" .)", text[n]) && !g_ascii_isupper (text[n])))
      n = 0;
  }
  if (n == 0)
    return;
  note->label = g_strstrip (g_strndup (text, n));
  dp_spans_drop (note->spans, n + (text[n] == '.' || text[n] == ')'));
}
