/* layout/region_text.c - the page's own text, given away part by part.
 *
 * Somebody else (a model) says where the parts are; a glyph belongs to the part that its centre lies in, as in MinerU's hybrid mode.
 * The glyphs of a part are laid out as if they were all of the page, so words, columns, formulas and styles come out as they do
 * for a whole page.
 */
#include "layout/flow.h"

#include <math.h>
#include <string.h>

#define TAKEN 2

struct DpRegionText {
  const DpPage *page;
  guint8 *gone; /* per glyph: hidden (1) or TAKEN */
};

/* A page with some of another one's glyphs. */
typedef struct {
  DpPage page;
  GArray *glyphs, *paths;
} Part;

DpRegionText *
dp_region_text_new (const DpPage *page, const DpLayoutOptions *options)
{
  DpRegionText *text = g_new0 (DpRegionText, 1);
  g_autoptr (DpPageLayout) layout = dp_page_layout_new (page);

  text->page = page;
  text->gone = g_malloc0 (page->n_glyphs + 1);
  dp_layout_hidden (layout, page, options, text->gone);
  return text;
}

void
dp_region_text_free (DpRegionText *text)
{
  if (!text)
    return;
  g_free (text->gone);
  g_free (text);
}

gsize
dp_region_text_left (const DpRegionText *text)
{
  gsize n = 0;

  for (gsize i = 0; i < text->page->n_glyphs; i++)
    n += !text->gone[i];
  return n;
}

static gboolean
is_inside (DpRect r, DpRect box)
{
  return dp_rect_contains_point (box, dp_rect_cx (r), dp_rect_cy (r));
}

static gboolean
meets (DpRect r, DpRect box)
{
  return dp_rect_overlap_x (r, box) > 0 && r.y0 < box.y1 && box.y0 < r.y1;
}

/* Letters may be painted as curves, and no panel or rule is one. */
static gboolean
has_picture (const DpPage *page, DpRect box)
{
  for (gsize i = 0; i < page->n_images; i++)
    if (meets (page->images[i].box, box))
      return TRUE;
  for (gsize i = 0; i < page->n_notes; i++)
    if (meets (page->notes[i].box, box))
      return TRUE;
  for (gsize i = 0; i < page->n_paths; i++)
    if (page->paths[i].kind >= DP_PATH_SLANTED && is_inside (page->paths[i].box, box))
      return TRUE;
  return FALSE;
}

DpUnder
dp_region_text_under (const DpRegionText *text, DpRect box)
{
  const DpPage *page = text->page;

  if (has_picture (page, box))
    return DP_UNDER_PICTURE;
  for (gsize i = 0; i < page->n_glyphs; i++)
    if (text->gone[i] != 1 && is_inside (page->glyphs[i].box, box))
      return DP_UNDER_TEXT;
  return DP_UNDER_NOTHING;
}

/* ---- parts ------------------------------------------------------------------------------------------ */

/* The glyphs that are still there and whose centre lies in box are marked as gone and copied, with the paths there. */
static Part
take_part (DpRegionText *text, DpRect box)
{
  Part part = { .page = *text->page,
                .glyphs = g_array_new (FALSE, FALSE, sizeof (DpGlyph)),
                .paths = g_array_new (FALSE, FALSE, sizeof (DpPath)) };

  for (gsize i = 0; i < text->page->n_glyphs; i++)
    if (!text->gone[i] && is_inside (text->page->glyphs[i].box, box)) {
      g_array_append_val (part.glyphs, text->page->glyphs[i]);
      text->gone[i] = TAKEN;
    }
  for (gsize i = 0; part.glyphs->len > 0 && i < text->page->n_paths; i++)
    if (is_inside (text->page->paths[i].box, box))
      g_array_append_val (part.paths, text->page->paths[i]);
  part.page.glyphs = (const DpGlyph *) (gconstpointer) part.glyphs->data;
  part.page.n_glyphs = part.glyphs->len;
  part.page.paths = (const DpPath *) (gconstpointer) part.paths->data;
  part.page.n_paths = part.paths->len;
  part.page.n_images = part.page.n_notes = 0;
  return part;
}

static void
part_clear (Part *part)
{
  g_array_unref (part->glyphs);
  g_array_unref (part->paths);
}

static DpPageLayout *
lay_out_part (const Part *part, gboolean formulas)
{
  DpPageLayout *layout = dp_page_layout_new (&part->page);
  g_autofree guint8 *hidden = g_malloc0 (part->page.n_glyphs + 1);

  dp_layout_words (layout, &part->page, hidden);
  dp_layout_rules (layout, &part->page);
  dp_layout_lines (layout);
  if (formulas) {
    dp_layout_formula_glyphs (layout, &part->page, hidden);
    dp_layout_formulas (layout);
  }
  dp_layout_columns (layout);
  dp_layout_order (layout);
  return layout;
}

DpBlock *
dp_region_text_take (DpRegionText *text, DpRect box, DpRegionForm form, float *size)
{
  Part part = take_part (text, box);
  DpBlock *block = NULL;

  if (part.glyphs->len > 0) {
    g_autoptr (DpPageLayout) layout = lay_out_part (&part, form == DP_REGION_FLOWING);
    g_autoptr (GPtrArray) pages = g_ptr_array_new ();
    g_ptr_array_add (pages, layout);
    g_autoptr (DpFlow) flow = dp_flow_new (pages, NULL);
    if (size)
      *size = flow->lines->len ? dp_flow_line (flow, 0)->size : 0;
    block = dp_assemble_one (flow, form == DP_REGION_LISTING ? DP_ROLE_CODE : DP_ROLE_BODY, form == DP_REGION_ROWS);
  }
  part_clear (&part);
  return block;
}

/* ---- the rest ------------------------------------------------------------------------------------------- */

/* Each region of text as a paragraph. */
static void
add_regions (DpPageLayout *layout, GPtrArray *blocks)
{
  g_autoptr (GPtrArray) pages = g_ptr_array_new ();

  g_ptr_array_add (pages, layout);
  g_autoptr (DpFlow) flow = dp_flow_new (pages, NULL);
  guint region = G_MAXUINT;
  for (guint i = 0; i < flow->lines->len; i++) {
    const DpFlowLine *line = dp_flow_line (flow, i);
    if (line->role != DP_ROLE_BODY)
      continue;
    if (line->region != region) {
      DpBlock *block = dp_block_new (DP_BLOCK_PARAGRAPH, layout->number, line->box);
      block->source = DP_SOURCE_TEXT_LAYER;
      g_ptr_array_add (blocks, block);
    }
    region = line->region;
    DpBlock *block = g_ptr_array_index (blocks, blocks->len - 1);
    block->box = dp_rect_union (block->box, line->box);
    dp_flow_add_line (flow, line, block, TRUE, FALSE);
  }
}

GPtrArray *
dp_region_text_rest (DpRegionText *text)
{
  const DpRect everywhere = { -G_MAXFLOAT, -G_MAXFLOAT, G_MAXFLOAT, G_MAXFLOAT };
  GPtrArray *blocks = g_ptr_array_new_with_free_func ((GDestroyNotify) dp_block_free);
  Part part = take_part (text, everywhere);

  if (part.glyphs->len > 0) {
    g_autoptr (DpPageLayout) layout = lay_out_part (&part, FALSE);
    add_regions (layout, blocks);
  }
  part_clear (&part);
  return blocks;
}
