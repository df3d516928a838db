/* output/overlay.c - the layout drawn over the pages, for eyes that look for mistakes.
 *
 * One PDF page per page of the document: its picture if there is one, a box per block in
 * the colour of its kind with its reading index, and arrows through the top-level blocks
 * in reading order.  A strip below the page explains the colours that occur on it.
 */
#include <math.h>
#include <string.h>

#include "output/pdf_file.h"

#define STRIP 18.0    /* height of the legend, points */
#define MIN_LABEL 4.0 /* font size of labels, points */
#define MAX_LABEL 7.0

/* ---- colours -------------------------------------------------------------------------------------- */

typedef struct {
  double r, g, b;
} Colour;

/* Related kinds share a hue. */
static Colour
kind_colour (DpBlockKind kind)
{
  switch (kind) {
  case DP_BLOCK_HEADING: return (Colour){ 0.80, 0.10, 0.10 };
  case DP_BLOCK_LIST:
  case DP_BLOCK_LIST_ITEM:
  case DP_BLOCK_TOC:
  case DP_BLOCK_TOC_ENTRY: return (Colour){ 0.10, 0.55, 0.20 };
  case DP_BLOCK_TABLE:
  case DP_BLOCK_TABLE_NOTE: return (Colour){ 0.85, 0.45, 0.00 };
  case DP_BLOCK_FIGURE:
  case DP_BLOCK_FIGURE_TEXT:
  case DP_BLOCK_PAGE_PICTURE: return (Colour){ 0.60, 0.10, 0.65 };
  case DP_BLOCK_CAPTION: return (Colour){ 0.85, 0.20, 0.55 };
  case DP_BLOCK_CODE:
  case DP_BLOCK_FORMULA: return (Colour){ 0.00, 0.55, 0.60 };
  case DP_BLOCK_FOOTNOTE: return (Colour){ 0.55, 0.40, 0.10 };
  case DP_BLOCK_HEADER:
  case DP_BLOCK_FOOTER:
  case DP_BLOCK_PAGE_NUMBER:
  case DP_BLOCK_ASIDE:
  case DP_BLOCK_HIDDEN: return (Colour){ 0.45, 0.45, 0.45 };
  case DP_BLOCK_FIELD:
  case DP_BLOCK_ANNOTATION: return (Colour){ 0.60, 0.60, 0.00 };
  default: return (Colour){ 0.10, 0.30, 0.80 };
  }
}

static gboolean
in_reading_order (DpBlockKind kind)
{
  return kind < DP_BLOCK_HEADER;
}

/* ---- blocks by page --------------------------------------------------------------------------------- */

typedef struct {
  const DpBlock *block;
  DpRect box;
  guint depth;
} Piece;

static void
add_piece (GHashTable *pages, guint page, Piece piece)
{
  GArray *pieces = g_hash_table_lookup (pages, GUINT_TO_POINTER (page));

  if (!isfinite (piece.box.x0) || !isfinite (piece.box.y0) || !isfinite (piece.box.x1) || !isfinite (piece.box.y1))
    return;
  if (!pieces) {
    pieces = g_array_new (FALSE, FALSE, sizeof (Piece));
    g_hash_table_insert (pages, GUINT_TO_POINTER (page), pieces);
  }
  g_array_append_val (pieces, piece);
}

static gboolean
collect_block (DpBlock *block, guint depth, gpointer pages)
{
  const GArray *parts = block->table && block->table->parts->len > 1 ? block->table->parts : block->parts;

  add_piece (pages, block->page, (Piece){ block, block->box, depth });
  for (guint i = 0; parts && i < parts->len; i++) {
    const DpTablePart *part = &g_array_index (parts, DpTablePart, i);
    if (part->page != block->page || memcmp (&part->box, &block->box, sizeof part->box) != 0)
      add_piece (pages, part->page, (Piece){ block, part->box, depth });
  }
  return TRUE;
}

/* ---- drawing ------------------------------------------------------------------------------------------ */

/* The reading index: left of a block, so that it hides no text; nested ones inside on the
 * right.  The colour says the kind. */
static void
draw_label (cairo_t *cr, const Piece *piece, Colour colour, double size)
{
  g_autofree char *label = g_strdup_printf ("%u", piece->block->index);
  cairo_text_extents_t extents;
  double x;

  cairo_set_font_size (cr, size);
  cairo_text_extents (cr, label, &extents);
  x = piece->depth > 0 ? piece->box.x1 - extents.x_advance - 2 : piece->box.x0 - extents.x_advance - 2;
  x = MAX (x, 0.0);
  cairo_set_source_rgba (cr, colour.r, colour.g, colour.b, 0.85);
  cairo_rectangle (cr, x, piece->box.y0, extents.x_advance + 2, size + 1);
  cairo_fill (cr);
  cairo_set_source_rgb (cr, 1, 1, 1);
  cairo_move_to (cr, x + 1, piece->box.y0 + size * 0.85);
  cairo_show_text (cr, label);
}

static void
draw_piece (cairo_t *cr, const Piece *piece, double size)
{
  Colour colour = kind_colour (piece->block->kind);

  cairo_rectangle (cr, piece->box.x0, piece->box.y0, dp_rect_width (piece->box), dp_rect_height (piece->box));
  cairo_set_source_rgba (cr, colour.r, colour.g, colour.b, piece->depth ? 0.05 : 0.12);
  cairo_fill_preserve (cr);
  cairo_set_source_rgb (cr, colour.r, colour.g, colour.b);
  cairo_set_line_width (cr, piece->depth ? 0.4 : 0.8);
  cairo_stroke (cr);
  draw_label (cr, piece, colour, size);
}

static void
draw_arrow (cairo_t *cr, const Piece *from, const Piece *to)
{
  double x0 = dp_rect_cx (from->box), y0 = dp_rect_cy (from->box), x1 = dp_rect_cx (to->box), y1 = dp_rect_cy (to->box);
  double angle = atan2 (y1 - y0, x1 - x0), head = 5;

  if (hypot (x1 - x0, y1 - y0) < 1)
    return;
  cairo_set_source_rgba (cr, 0, 0, 0, 0.55);
  cairo_set_line_width (cr, 0.7);
  cairo_move_to (cr, x0, y0);
  cairo_line_to (cr, x1, y1);
  cairo_stroke (cr);
  cairo_move_to (cr, x1, y1);
  cairo_line_to (cr, x1 - head * cos (angle - 0.4), y1 - head * sin (angle - 0.4));
  cairo_line_to (cr, x1 - head * cos (angle + 0.4), y1 - head * sin (angle + 0.4));
  cairo_close_path (cr);
  cairo_fill (cr);
}

static void
draw_legend (cairo_t *cr, const GArray *pieces, guint number, double width, double y)
{
  gboolean seen[DP_N_BLOCK_KINDS] = { FALSE };
  g_autofree char *page = g_strdup_printf ("page %u", number);
  cairo_text_extents_t extents;
  double x = 4;

  for (guint i = 0; pieces && i < pieces->len; i++)
    seen[g_array_index (pieces, Piece, i).block->kind] = TRUE;
  cairo_set_font_size (cr, MAX_LABEL);
  cairo_set_source_rgb (cr, 0, 0, 0);
  cairo_move_to (cr, x, y + 12);
  cairo_show_text (cr, page);
  cairo_text_extents (cr, page, &extents);
  x += extents.x_advance + 8;
  for (guint kind = 0; kind < DP_N_BLOCK_KINDS && x < width; kind++) {
    Colour colour = kind_colour (kind);
    if (!seen[kind])
      continue;
    cairo_set_source_rgb (cr, colour.r, colour.g, colour.b);
    cairo_rectangle (cr, x, y + 6, 6, 6);
    cairo_fill (cr);
    cairo_move_to (cr, x + 8, y + 12);
    cairo_show_text (cr, dp_block_kind_name (kind));
    cairo_text_extents (cr, dp_block_kind_name (kind), &extents);
    x += extents.x_advance + 16;
  }
}

static void
draw_page (cairo_t *cr, const DpPageInfo *info, const GArray *pieces, cairo_surface_t *picture)
{
  double width = dp_pdf_side (info->width, STRIP), height = dp_pdf_side (info->height, STRIP);
  double size = CLAMP (height / 110, MIN_LABEL, MAX_LABEL);
  const Piece *last = NULL;

  cairo_pdf_surface_set_size (cairo_get_target (cr), width, height + STRIP);
  cairo_select_font_face (cr, "sans-serif", CAIRO_FONT_SLANT_NORMAL, CAIRO_FONT_WEIGHT_NORMAL);
  dp_pdf_paint_picture (cr, picture, width, height);
  for (guint i = 0; pieces && i < pieces->len; i++)
    draw_piece (cr, &g_array_index (pieces, Piece, i), size);
  for (guint i = 0; pieces && i < pieces->len; i++) {
    const Piece *piece = &g_array_index (pieces, Piece, i);
    if (piece->depth > 0 || !in_reading_order (piece->block->kind))
      continue;
    if (last)
      draw_arrow (cr, last, piece);
    last = piece;
  }
  draw_legend (cr, pieces, info->number, width, height);
  cairo_show_page (cr);
}

/* ---- all pages ------------------------------------------------------------------------------------------- */

typedef struct {
  DpDocument *document;
  DpOverlayPage page_picture;
  gpointer data;
} Overlay;

static void
draw_pages (cairo_t *cr, gpointer data)
{
  const Overlay *o = data;
  g_autoptr (GHashTable) pages = g_hash_table_new_full (NULL, NULL, NULL, (GDestroyNotify) g_array_unref);

  dp_document_foreach (o->document, collect_block, pages);
  for (guint i = 0; i < o->document->pages->len && cairo_status (cr) == CAIRO_STATUS_SUCCESS; i++) {
    const DpPageInfo *info = &g_array_index (o->document->pages, DpPageInfo, i);
    cairo_surface_t *picture = o->page_picture ? o->page_picture (info, o->data) : NULL;

    draw_page (cr, info, g_hash_table_lookup (pages, GUINT_TO_POINTER (info->number)), picture);
    g_clear_pointer (&picture, cairo_surface_destroy);
  }
}

gboolean
dp_output_overlay_stream (DpDocument *document, DpOverlayPage page_picture, gpointer data, cairo_write_func_t write, gpointer closure,
                          GError **error)
{
  Overlay overlay = { document, page_picture, data };

  return dp_pdf_draw_stream (draw_pages, &overlay, "the layout overlay", write, closure, error);
}

gboolean
dp_output_overlay (DpDocument *document, DpOverlayPage page_picture, gpointer data, const char *path, GError **error)
{
  Overlay overlay = { document, page_picture, data };

  return dp_pdf_draw_file (draw_pages, &overlay, "the layout overlay", path, error);
}
