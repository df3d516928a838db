/* layout/page.c - pages and document facts: strings, rectangles, clean-up. */
#include "layout/page.h"

const char *
dp_page_string (const DpPage *page, guint32 offset)
{
  return offset < page->n_strings ? page->strings + offset : "";
}

void
dp_page_free (DpPage *page)
{
  if (!page)
    return;
  g_clear_pointer (&page->raster, cairo_surface_destroy);
  if (page->backing_free)
    page->backing_free (page->backing);
  g_free (page);
}

static void
outline_entry_clear (gpointer data)
{
  g_free (((DpOutlineEntry *) data)->title);
}

static void
tag_clear (gpointer data)
{
  DpTag *tag = data;

  g_free (tag->text);
  g_free (tag->alt);
}

DpDocumentInfo *
dp_document_info_new (void)
{
  DpDocumentInfo *info = g_new0 (DpDocumentInfo, 1);

  info->title = g_strdup ("");
  info->author = g_strdup ("");
  info->subject = g_strdup ("");
  info->producer = g_strdup ("");
  info->outline = g_array_new (FALSE, TRUE, sizeof (DpOutlineEntry));
  g_array_set_clear_func (info->outline, outline_entry_clear);
  info->tags = g_array_new (FALSE, TRUE, sizeof (DpTag));
  g_array_set_clear_func (info->tags, tag_clear);
  info->marks = g_array_new (FALSE, TRUE, sizeof (DpMark));
  return info;
}

void
dp_document_info_free (DpDocumentInfo *info)
{
  if (!info)
    return;
  g_free (info->path);
  g_free (info->title);
  g_free (info->author);
  g_free (info->subject);
  g_free (info->producer);
  g_array_unref (info->outline);
  g_array_unref (info->tags);
  g_array_unref (info->marks);
  g_free (info);
}

DpRect
dp_rect_union (DpRect a, DpRect b)
{
  return (DpRect){ MIN (a.x0, b.x0), MIN (a.y0, b.y0), MAX (a.x1, b.x1), MAX (a.y1, b.y1) };
}

DpRect
dp_rect_intersect (DpRect a, DpRect b)
{
  DpRect r = { MAX (a.x0, b.x0), MAX (a.y0, b.y0), MIN (a.x1, b.x1), MIN (a.y1, b.y1) };

  if (r.x0 > r.x1 || r.y0 > r.y1)
    return (DpRect){ 0 };
  return r;
}

float
dp_rect_overlap_x (DpRect a, DpRect b)
{
  return MAX (0.0f, MIN (a.x1, b.x1) - MAX (a.x0, b.x0));
}

float
dp_rect_overlap_y (DpRect a, DpRect b)
{
  return MAX (0.0f, MIN (a.y1, b.y1) - MAX (a.y0, b.y0));
}

gboolean
dp_rect_contains_point (DpRect r, float x, float y)
{
  return x >= r.x0 && x <= r.x1 && y >= r.y0 && y <= r.y1;
}

float
dp_rect_inside (DpRect a, DpRect b)
{
  float area = dp_rect_area (a);

  if (area <= 0)
    return dp_rect_contains_point (b, dp_rect_cx (a), dp_rect_cy (a)) ? 1 : 0;
  return dp_rect_overlap_x (a, b) * dp_rect_overlap_y (a, b) / area;
}
