/* pipeline/model_blocks.c - the page's tree: every region a block, members to their containers, text joined, nothing lost. */
#include "pipeline/model_pieces.h"

#include "pipeline/model_text.h"

#include "layout/text.h"

#include <string.h>

#define SWALLOWED 0.9
#define SAME_WIDTH 2.0f /* a text that goes on is at most so many times as wide */

/* ---- pieces --------------------------------------------------------------------------------------------- */

static GArray *
make_pieces (const DpModelPage *page)
{
  GArray *pieces = g_array_new (FALSE, TRUE, sizeof (DpPiece));

  for (guint i = 0; i < page->regions->len; i++) {
    const DpMineruBlock *region = g_ptr_array_index (page->regions, i);
    const DpPiece piece = { region, dp_model_block (page, region), -1 };
    g_array_append_val (pieces, piece);
  }
  return pieces;
}

/* Pictures inside an image_block are part of its picture. */
static void
swallow_pictures (GArray *pieces)
{
  for (guint i = 0; i < pieces->len; i++) {
    for (guint k = 0; dp_piece_is (pieces, i, DP_MINERU_IMAGE_BLOCK) && k < pieces->len; k++) {
      DpPiece *inner = dp_piece (pieces, k);
      if ((inner->region->type == DP_MINERU_IMAGE || inner->region->type == DP_MINERU_CHART)
          && dp_mineru_cover (inner->region->box, dp_piece (pieces, i)->region->box) >= SWALLOWED)
        g_clear_pointer (&inner->block, dp_block_free);
    }
  }
}

/* ---- texts that go on --------------------------------------------------------------------------------------- */

gboolean
dp_model_is_aside (DpBlockKind kind)
{
  switch (kind) {
  case DP_BLOCK_FIGURE:
  case DP_BLOCK_TABLE:
  case DP_BLOCK_CODE:
  case DP_BLOCK_CAPTION:
  case DP_BLOCK_TABLE_NOTE:
  case DP_BLOCK_FOOTNOTE:
  case DP_BLOCK_HEADER:
  case DP_BLOCK_FOOTER:
  case DP_BLOCK_PAGE_NUMBER:
  case DP_BLOCK_ASIDE: return TRUE;
  default: return FALSE;
  }
}

/* What a line end between the two means for the end of the first one's text. */
static void
join_ends (DpBlock *first, const char *next)
{
  DpSpan *last = first->spans->len ? g_ptr_array_index (first->spans, first->spans->len - 1) : NULL;

  if (!last)
    return;
  const gsize n = strlen (last->text);
  switch (last->style & DP_SPAN_FORMULA ? DP_JOINT_SPACE : dp_text_joint (last->text, (gssize) n, next)) {
  case DP_JOINT_SPACE: dp_block_add_text (first, " ", 0, NULL); break;
  case DP_JOINT_DROP_HYPHEN: *g_utf8_find_prev_char (last->text, last->text + n) = '\0'; break;
  case DP_JOINT_NONE: break;
  }
}

void
dp_model_join (DpBlock *first, const DpBlock *second)
{
  const DpTablePart part = { .page = second->page, .box = second->box };

  if (second->spans->len)
    join_ends (first, ((const DpSpan *) g_ptr_array_index (second->spans, 0))->text);
  for (guint i = 0; i < second->spans->len; i++) {
    const DpSpan *span = g_ptr_array_index (second->spans, i);
    dp_block_add_text (first, span->text, span->style, span->uri);
  }
  if (!first->parts)
    first->parts = g_array_new (FALSE, TRUE, sizeof (DpTablePart));
  g_array_append_val (first->parts, part);
  if (second->parts)
    g_array_append_vals (first->parts, second->parts->data, second->parts->len);
  first->confidence = MIN (first->confidence, second->confidence);
}

static gboolean
may_join (const DpBlock *first, const DpBlock *second)
{
  const float a = dp_rect_width (first->box), b = dp_rect_width (second->box);
  g_autofree char *text = dp_spans_to_text (first->spans), *next = dp_spans_to_text (second->spans);

  return a < SAME_WIDTH * b && b < SAME_WIDTH * a && dp_model_goes_on (text, next);
}

/* Joins each text that the model says goes on to the one before.  Returns TRUE if the first text of all goes on from another page. */
static gboolean
join_texts (GArray *pieces)
{
  DpBlock *open = NULL;
  gboolean any = FALSE, goes_on = FALSE;

  for (guint i = 0; i < pieces->len; i++) {
    DpPiece *piece = dp_piece (pieces, i);
    if (!piece->block || piece->owner >= 0 || dp_model_is_aside (piece->block->kind))
      continue;
    const gboolean text = piece->block->kind == DP_BLOCK_PARAGRAPH && piece->region->type == DP_MINERU_TEXT;
    if (text && piece->region->merge_prev && !any)
      goes_on = TRUE;
    any = TRUE;
    if (text && piece->region->merge_prev && open && may_join (open, piece->block)) {
      dp_model_join (open, piece->block);
      g_clear_pointer (&piece->block, dp_block_free);
    } else
      open = text ? piece->block : NULL;
  }
  return goes_on;
}

/* ---- the tree ---------------------------------------------------------------------------------------------------- */

/* Children to their owners, the others in order. */
static GPtrArray *
gather (GArray *pieces)
{
  GPtrArray *blocks = g_ptr_array_new_with_free_func ((GDestroyNotify) dp_block_free);

  for (guint i = 0; i < pieces->len; i++) {
    DpPiece *piece = dp_piece (pieces, i);
    if (!piece->block)
      continue;
    g_ptr_array_add (piece->owner < 0 ? blocks : dp_piece (pieces, (guint) piece->owner)->block->children, piece->block);
  }
  return blocks;
}

/* Before the first block that stands below it in its column, else at the end. */
static guint
place_for (const GPtrArray *blocks, DpRect box)
{
  for (guint i = 0; i < blocks->len; i++) {
    const DpBlock *block = g_ptr_array_index (blocks, i);
    if (block->kind < DP_BLOCK_HEADER && block->box.y0 >= dp_rect_cy (box) && dp_rect_overlap_x (block->box, box) > 0)
      return i;
  }
  return blocks->len;
}

/* Text of the page that no region covers is not lost. */
static void
add_rest (DpModelPage *page, GPtrArray *blocks)
{
  g_autoptr (GPtrArray) rest = dp_region_text_rest (page->text);

  g_ptr_array_set_free_func (rest, NULL);
  for (guint i = 0; i < rest->len; i++) {
    DpBlock *block = g_ptr_array_index (rest, i);
    g_ptr_array_insert (blocks, (gint) place_for (blocks, block->box), block);
  }
}

GPtrArray *
dp_model_blocks (DpModelPage *page, gboolean *goes_on)
{
  g_autoptr (GArray) pieces = make_pieces (page);

  swallow_pictures (pieces);
  dp_model_lists (page, pieces);
  dp_model_bind (pieces);
  *goes_on = join_texts (pieces);
  GPtrArray *blocks = gather (pieces);
  if (page->use_text && page->text)
    add_rest (page, blocks);
  return blocks;
}
