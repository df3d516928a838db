/* pipeline/model_document.c - paragraphs and headings over pages; tables are model_tables.c. */
#include "pipeline/model_document.h"

#include "pipeline/model_blocks.h"
#include "pipeline/model_tables.h"
#include "pipeline/model_text.h"

#define SAME_SIZE 0.9f  /* letters of headings whose boxes differ by less are the same: boxes are drawn in thousandths of the page */
#define TITLE_SIZE 1.3f /* a title of the document counts as so much larger than all others */

/* ---- paragraphs ------------------------------------------------------------------------------------------ */

/* Without the model's word only a small letter says that a text goes on. */
static gboolean
starts_small (const char *text)
{
  while (g_unichar_isspace (g_utf8_get_char (text)))
    text = g_utf8_next_char (text);
  return g_unichar_islower (g_utf8_get_char (text));
}

static gboolean
belongs (const DpBlock *open, const DpBlock *next, gboolean says_so)
{
  g_autofree char *text = dp_spans_to_text (open->spans), *more = dp_spans_to_text (next->spans);

  return dp_model_goes_on (text, more) && (says_so || starts_small (more));
}

/* Index of the page's first block that is not aside, or the number of blocks. */
static guint
first_of (const GPtrArray *blocks)
{
  guint i = 0;

  while (i < blocks->len && dp_model_is_aside (((const DpBlock *) g_ptr_array_index (blocks, i))->kind))
    i++;
  return i;
}

static DpBlock *
last_of (const GPtrArray *blocks)
{
  for (guint i = blocks->len; i-- > 0;) {
    DpBlock *block = g_ptr_array_index (blocks, i);
    if (!dp_model_is_aside (block->kind))
      return block;
  }
  return NULL;
}

static gboolean
is_prose (const DpBlock *block)
{
  return block && block->kind == DP_BLOCK_PARAGRAPH && !block->sub_type;
}

static void
join_paragraphs (DpPageLayout *const *layouts, const gboolean *goes_on, guint n)
{
  DpBlock *open = NULL;
  guint page = 0;

  for (guint i = 0; i < n; i++) {
    GPtrArray *blocks = layouts[i]->blocks;
    if (!blocks) {
      open = NULL;
      continue;
    }
    const guint first = first_of (blocks);
    const DpBlock *next = first < blocks->len ? g_ptr_array_index (blocks, first) : NULL;
    if (is_prose (open) && is_prose (next) && layouts[i]->number == page + 1 && belongs (open, next, goes_on[i])) {
      dp_model_join (open, next);
      g_ptr_array_remove_index (blocks, first);
    }
    page = layouts[i]->number;
    if (last_of (blocks))
      open = last_of (blocks);
  }
}

void
dp_model_join_pages (DpPageLayout *const *layouts, const gboolean *goes_on, guint n, DpAnswerer *answerer)
{
  join_paragraphs (layouts, goes_on, n);
  if (answerer)
    dp_model_merge_tables (layouts, n, answerer);
}

/* ---- headings ---------------------------------------------------------------------------------------------- */

typedef struct {
  GPtrArray *blocks; /* DpBlock, borrowed */
  GArray *headings;  /* DpHeading */
  GPtrArray *texts;
} Headings;

static gboolean
collect (DpBlock *block, guint depth, gpointer data)
{
  Headings *h = data;
  guint bold = 0;

  (void) depth;
  if (block->kind != DP_BLOCK_HEADING || !(block->size > 0))
    return TRUE;
  for (guint i = 0; i < block->spans->len; i++)
    bold += (((const DpSpan *) g_ptr_array_index (block->spans, i))->style & DP_SPAN_BOLD) != 0;
  g_ptr_array_add (h->texts, dp_spans_to_text (block->spans));
  const DpHeading heading = { .text = g_ptr_array_index (h->texts, h->texts->len - 1),
                              .size = block->size,
                              .bold = 2 * bold > block->spans->len,
                              .page = block->page,
                              .level = block->level };
  g_array_append_val (h->headings, heading);
  g_ptr_array_add (h->blocks, block);
  return TRUE;
}

static gint
compare_sizes (gconstpointer a, gconstpointer b)
{
  const float x = *(const float *) a, y = *(const float *) b;

  return x > y ? -1 : x < y;
}

/* Sizes that are nearly the same become the largest of them; pages count from the first. */
static void
level_out (GArray *headings, guint first_page)
{
  g_autoptr (GArray) sizes = g_array_new (FALSE, FALSE, sizeof (float));

  for (guint i = 0; i < headings->len; i++)
    g_array_append_val (sizes, g_array_index (headings, DpHeading, i).size);
  g_array_sort (sizes, compare_sizes);
  guint n = 0; /* the first of each group is kept */
  for (guint i = 0; i < sizes->len; i++)
    if (n == 0 || g_array_index (sizes, float, i) < SAME_SIZE * g_array_index (sizes, float, n - 1))
      g_array_index (sizes, float, n++) = g_array_index (sizes, float, i);
  g_array_set_size (sizes, n);
  for (guint i = 0; i < headings->len; i++) {
    DpHeading *h = &g_array_index (headings, DpHeading, i);
    float best = h->size;
    for (guint k = 0; k < sizes->len && g_array_index (sizes, float, k) >= h->size; k++) {
      best = g_array_index (sizes, float, k);
      if (h->size >= SAME_SIZE * best)
        break;
    }
    h->page -= MIN (first_page, h->page);
    h->size = h->level == 1 ? TITLE_SIZE * g_array_index (sizes, float, 0) : best;
  }
}

void
dp_model_heading_levels (DpDocument *document)
{
  Headings h = { g_ptr_array_new (), g_array_new (FALSE, TRUE, sizeof (DpHeading)), g_ptr_array_new_with_free_func (g_free) };

  dp_document_foreach (document, collect, &h);
  if (h.headings->len) {
    level_out (h.headings, document->pages->len ? g_array_index (document->pages, DpPageInfo, 0).number : 0);
    dp_layout_heading_levels (h.headings, document->info);
  }
  for (guint i = 0; i < h.headings->len; i++)
    ((DpBlock *) g_ptr_array_index (h.blocks, i))->level = g_array_index (h.headings, DpHeading, i).level;
  g_ptr_array_unref (h.blocks);
  g_array_unref (h.headings);
  g_ptr_array_unref (h.texts);
}
