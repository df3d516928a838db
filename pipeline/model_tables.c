/* pipeline/model_tables.c - the model is asked about boundary rows (vlm/protocols/mineru.h); all questions first, then all answers. */
#include "pipeline/model_tables.h"

#include "pipeline/model_text.h"
#include "vlm/protocols/mineru.h"

typedef struct {
  DpTable *a, *b;
  guint row; /* of b */
  guint n;   /* cells of either row */
  gpointer ticket;
} Pair;

/* ---- rows ---------------------------------------------------------------------------------------------------- */

/* Cells that show in a row, those that reach into it from above included, from left to right. */
static GPtrArray *
cells_of (const DpTable *table, guint row)
{
  GPtrArray *cells = g_ptr_array_new ();
  g_autofree DpCell **at = g_new0 (DpCell *, table->n_cols + 1);

  for (guint i = 0; i < table->cells->len; i++) {
    DpCell *cell = g_ptr_array_index (table->cells, i);
    if (cell->row <= row && row < cell->row + cell->row_span && cell->col < table->n_cols)
      at[cell->col] = cell;
  }
  for (guint c = 0; c < table->n_cols; c++)
    if (at[c])
      g_ptr_array_add (cells, at[c]);
  return cells;
}

static char **
texts_of (const GPtrArray *cells)
{
  char **texts = g_new0 (char *, cells->len + 1);

  for (guint i = 0; i < cells->len; i++)
    texts[i] = dp_spans_to_text (((const DpCell *) g_ptr_array_index (cells, i))->spans);
  return texts;
}

static void
remove_row (DpTable *table, guint row)
{
  for (guint i = 0; i < table->cells->len;) {
    DpCell *cell = g_ptr_array_index (table->cells, i);
    if (cell->row == row && cell->row_span == 1) {
      g_ptr_array_remove_index (table->cells, i);
      continue;
    }
    if (cell->row > row)
      cell->row--;
    else if (cell->row + cell->row_span > row)
      cell->row_span--;
    i++;
  }
  table->n_rows--;
}

static void
move_text (DpCell *up, DpCell *down)
{
  if (up->spans->len && down->spans->len)
    g_ptr_array_add (up->spans, dp_span_new (" ", 0, NULL));
  g_ptr_array_extend_and_steal (up->spans, g_steal_pointer (&down->spans));
  down->spans = g_ptr_array_new_with_free_func ((GDestroyNotify) dp_span_free);
}

void
dp_model_merge_rows (DpTable *a, DpTable *b, guint row, const guint8 *flags, guint n)
{
  g_autoptr (GPtrArray) last = cells_of (a, a->n_rows - 1), first = cells_of (b, row);
  gboolean empty = TRUE, any = FALSE;

  if (last->len != n || first->len != n)
    return;
  for (guint k = 0; k < n; k++) {
    DpCell *up = g_ptr_array_index (last, k), *down = g_ptr_array_index (first, k);
    any |= flags[k];
    if (flags[k])
      move_text (up, down);
    empty &= down->spans->len == 0;
  }
  if (any && empty && b->n_rows > 1)
    remove_row (b, row);
}

/* ---- pairs ------------------------------------------------------------------------------------------------------- */

static gboolean
is_skipped (const DpBlock *block)
{
  return block->kind == DP_BLOCK_FOOTNOTE || block->kind >= DP_BLOCK_HEADER;
}

/* The page's outermost block at one end, furniture and notes passed over, if it is a table. */
static DpBlock *
table_at (const GPtrArray *blocks, gboolean end)
{
  for (guint i = 0; i < blocks->len; i++) {
    DpBlock *block = g_ptr_array_index (blocks, end ? blocks->len - 1 - i : i);
    if (!is_skipped (block))
      return block->kind == DP_BLOCK_TABLE && block->table && block->table->n_rows > 0 ? block : NULL;
  }
  return NULL;
}

static gboolean
ask_pair (const DpBlock *a, const DpBlock *b, DpAnswerer *answerer, Pair *pair)
{
  DpRequest request = { 0 };

  *pair = (Pair){ .a = a->table, .b = b->table, .row = dp_tables_repeated (a->table, b->table) };
  if (!dp_tables_belong (a, b) || pair->row >= pair->b->n_rows)
    return FALSE;
  g_autoptr (GPtrArray) last = cells_of (pair->a, pair->a->n_rows - 1), first = cells_of (pair->b, pair->row);
  if (last->len != first->len)
    return FALSE;
  g_auto (GStrv) above = texts_of (last), below = texts_of (first);
  g_autofree char *prompt = dp_mineru_merge_prompt ((const char *const *) above, (const char *const *) below, last->len);
  dp_mineru_fill_request (DP_MINERU_ASK_MERGE, &request);
  request.prompt = prompt;
  pair->n = last->len;
  pair->ticket = dp_ask (answerer, &request);
  return TRUE;
}

void
dp_model_merge_tables (DpPageLayout *const *layouts, guint n, DpAnswerer *answerer)
{
  g_autoptr (GArray) pairs = g_array_new (FALSE, FALSE, sizeof (Pair));

  for (guint i = 0; i + 1 < n; i++) {
    Pair pair;
    const gboolean follow = layouts[i]->blocks && layouts[i + 1]->blocks && layouts[i + 1]->number == layouts[i]->number + 1;
    const DpBlock *a = follow ? table_at (layouts[i]->blocks, TRUE) : NULL, *b = a ? table_at (layouts[i + 1]->blocks, FALSE) : NULL;
    if (b && ask_pair (a, b, answerer, &pair))
      g_array_append_val (pairs, pair);
  }
  for (guint i = pairs->len; i-- > 0;) { /* from the end: a table of one row may lose it to the one above */
    const Pair *pair = &g_array_index (pairs, Pair, i);
    g_autoptr (DpAnswer) answer = answerer->wait (answerer, pair->ticket);
    g_autofree guint8 *flags = g_malloc0 (pair->n + 1);
    if (answer->text && dp_mineru_merge_answer (answer->text, pair->n, flags))
      dp_model_merge_rows (pair->a, pair->b, pair->row, flags, pair->n);
  }
}
