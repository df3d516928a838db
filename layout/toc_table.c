/* layout/toc_table.c - tables of contents that were laid out, or found, as tables.
 *
 * Titles in the first columns, page numbers that never fall in the last, leaders between them
 * or a heading such as "Contents" above: then a row is an entry.  Rows above the first page
 * number stand before the contents; a row without one is a wrapped title.
 */
#include "layout/flow.h"
#include "layout/labels.h"

#include <string.h>

/* Entries of contents right above, on this page or the one before. */
static gboolean
goes_on_with_contents (const DpFlow *flow, guint entry)
{
  while (entry > 0 && dp_flow_line (flow, entry - 1)->role >= DP_ROLE_HEADER)
    entry--;
  return entry > 0 && dp_flow_line (flow, entry - 1)->role == DP_ROLE_TOC;
}

static gboolean
heading_before (const DpFlow *flow, guint entry)
{
  for (guint i = entry, seen = 0; i-- > 0 && seen < 6; seen++)
    if (dp_flow_line (flow, i)->page == dp_flow_line (flow, entry)->page && dp_toc_is_title (dp_flow_line (flow, i)->text))
      return TRUE;
  return FALSE;
}

/* Dots, as they lead the eye from a title to its page. */
static gboolean
ends_in_leaders (const char *text)
{
  const char *p = text + strlen (text);
  guint dots = 0;

  while (p > text) {
    const char *q = g_utf8_prev_char (p);
    gunichar c = g_utf8_get_char (q);
    if (c == '.' || c == 0xB7 || c == '_' || c == 0x2025)
      dots++;
    else if (c == 0x2026)
      dots += 3;
    else if (c != ' ')
      break;
    p = q;
  }
  return dots >= 3;
}

typedef struct {
  guint rows, numbered, ascending, value, leaders;
  gboolean titled;
} TableEntries;

/* The last column holds page numbers, the others titles and leaders. */
static void
count_cell (TableEntries *e, const DpTable *table, const DpCell *cell)
{
  g_autofree char *text = dp_spans_to_text (cell->spans);
  guint page = 0;

  g_strdelimit (text, "\n", ' ');
  e->titled = e->titled || dp_toc_is_title (text);
  e->leaders += ends_in_leaders (text) ? 1 : 0;
  if (cell->col + cell->col_span != table->n_cols || cell->col == 0)
    return;
  e->rows += text[0] ? 1 : 0;
  if (!dp_label_page_number (text, &page))
    return;
  e->numbered++;
  e->ascending += page >= e->value ? 1 : 0;
  e->value = page;
}

gboolean
dp_toc_is_contents (const DpFlow *flow, guint entry)
{
  const DpTable *table = dp_flow_region (flow, dp_flow_line (flow, entry))->table;
  TableEntries e = { 0 };

  if (!table || table->n_rows < 3 || table->n_cols < 2 || table->n_cols > 3)
    return FALSE;
  for (guint i = 0; i < table->cells->len; i++)
    count_cell (&e, table, g_ptr_array_index (table->cells, i));
  if (e.numbered < 3 || e.numbered * 10 < e.rows * 8 || e.ascending * 10 < e.numbered * 8)
    return FALSE;
  if (e.leaders * 2 >= e.numbered)
    return TRUE;
  return !dp_table_has_spans (table) && e.ascending * 10 >= e.numbered * 9
         && (e.titled || heading_before (flow, entry) || goes_on_with_contents (flow, entry));
}

/* ---- rows to entries ------------------------------------------------------------------------- */

/* Takes leaders and blanks off the end. */
static void
strip_leaders (char *text)
{
  char *end = text + strlen (text);

  while (end > text) {
    char *q = g_utf8_prev_char (end);
    gunichar c = g_utf8_get_char (q);
    /* The full stop of a title is one; leaders are many. */
    if (c != ' ' && c != '.' && c != 0xB7 && c != '_' && c != 0x2025 && c != 0x2026)
      break;
    end = q;
  }
  *end = '\0';
}

typedef struct {
  GString *title;
  char *page;
  DpRect box;
} Row;

static Row
read_row (const DpTable *table, guint *at)
{
  guint number = ((const DpCell *) g_ptr_array_index (table->cells, *at))->row;
  Row row = { .title = g_string_new (NULL), .box = ((const DpCell *) g_ptr_array_index (table->cells, *at))->box };

  for (; *at < table->cells->len; (*at)++) {
    const DpCell *cell = g_ptr_array_index (table->cells, *at);
    g_autofree char *text = NULL;
    guint value;
    if (cell->row != number)
      break;
    text = dp_spans_to_text (cell->spans);
    g_strdelimit (text, "\n", ' ');
    g_strstrip (text);
    row.box = dp_rect_union (row.box, cell->box);
    if (cell->col > 0 && cell->col + cell->col_span == table->n_cols && dp_label_page_number (text, &value)) {
      g_free (row.page);
      row.page = g_strdup (text);
      continue;
    }
    if (ends_in_leaders (text))
      strip_leaders (text);
    if (row.title->len && text[0])
      g_string_append_c (row.title, ' ');
    g_string_append (row.title, text);
  }
  return row;
}

static DpBlock *
add_entry (DpBlock *toc, const Row *row, guint page)
{
  DpBlock *entry = dp_block_new (DP_BLOCK_TOC_ENTRY, page, row->box);
  DpHeadingNumber number;

  entry->level = dp_label_heading (row->title->str, &number) ? CLAMP (number.depth, 1, 6) : 1;
  dp_block_add_text (entry, row->title->str, 0, NULL);
  g_ptr_array_add (toc->children, entry);
  return entry;
}

DpBlock *
dp_toc_from_table (const DpTable *table, guint page, DpRect box)
{
  DpBlock *toc = dp_block_new (DP_BLOCK_TOC, page, box), *open = NULL;
  gboolean begun = FALSE;

  for (guint i = 0; i < table->cells->len;) {
    Row row = read_row (table, &i);
    if (row.page || begun) {
      begun = TRUE;
      if (open && !open->label && g_unichar_islower (g_utf8_get_char (row.title->str))) {
        dp_block_add_text (open, " ", 0, NULL); /* a wrapped title goes on */
        dp_block_add_text (open, row.title->str, 0, NULL);
      } else if (row.title->len || row.page)
        open = add_entry (toc, &row, page);
      if (row.page)
        open->label = g_steal_pointer (&row.page);
    } else if (row.title->len) {
      gboolean title = dp_toc_is_title (row.title->str);
      DpBlock *block = dp_block_new (title ? DP_BLOCK_HEADING : DP_BLOCK_PARAGRAPH, page, row.box);
      block->level = title ? 1 : 0;
      dp_block_add_text (block, row.title->str, 0, NULL);
      g_ptr_array_add (toc->children, block);
    }
    g_string_free (row.title, TRUE);
    g_free (row.page);
  }
  return toc;
}

/* Rows above the entries leave the contents and stand before it. */
void
dp_toc_release_lead (DpBlock *toc, GPtrArray *into)
{
  while (toc->children->len) {
    DpBlock *first = g_ptr_array_index (toc->children, 0);
    if (first->kind == DP_BLOCK_TOC_ENTRY)
      return;
    g_ptr_array_add (into, g_ptr_array_steal_index (toc->children, 0));
  }
}

/* The level of the last heading: the one over the contents. */
static guint
level_above (const GPtrArray *blocks)
{
  for (guint i = blocks->len; i-- > 0;) {
    const DpBlock *block = g_ptr_array_index (blocks, i);
    if (block->kind == DP_BLOCK_HEADING)
      return block->level;
  }
  return 1;
}

/* Rows below the last page number leave the contents and stand behind it; one with a number is the first heading of the text. */
void
dp_toc_release_tail (DpBlock *toc, GPtrArray *into)
{
  guint keep = toc->children->len;

  while (keep > 0 && !((const DpBlock *) g_ptr_array_index (toc->children, keep - 1))->label)
    keep--;
  while (keep > 0 && toc->children->len > keep) {
    DpBlock *entry = g_ptr_array_steal_index (toc->children, keep);
    g_autofree char *text = dp_spans_to_text (entry->spans);
    DpHeadingNumber number;
    if (dp_label_heading (text, &number) && !number.bare) {
      entry->kind = DP_BLOCK_HEADING;
      entry->level = CLAMP (level_above (into) + number.depth - 1, 1, 6);
    } else {
      entry->kind = DP_BLOCK_PARAGRAPH;
      entry->level = 0;
    }
    g_ptr_array_add (into, entry);
  }
}
