/* pipeline/pdf_pages.c - see pdf_pages.h: the walk through the page tree, with a budget. */
#include "pipeline/pdf_pages.h"

#include <math.h>
#include <string.h>

#define MAX_DEPTH 64 /* of the page tree */
#define MAX_COORDINATE 1e6

/* What a node hands down to its kids. */
typedef struct {
  DpPdfText kids; /* those still to come */
  DpPdfText media, crop, rotate, resources;
} Level;

/* The list of kids of a node that is no page. */
static gboolean
kids_of (DpPdfObjects *objects, DpPdfText node, DpPdfText *kids)
{
  if (dp_pdf_text_key_is (objects, node, "/Type", "/Page") || !dp_pdf_text_key (objects, node, "/Kids", kids)
      || !dp_pdf_objects_resolve (objects, kids))
    return FALSE;
  dp_pdf_text_space (kids);
  return dp_pdf_text_accept (kids, "[");
}

static void
inherit (DpPdfObjects *objects, DpPdfText node, Level *level)
{
  DpPdfText value;

  if (dp_pdf_text_key (objects, node, "/MediaBox", &value))
    level->media = value;
  if (dp_pdf_text_key (objects, node, "/CropBox", &value))
    level->crop = value;
  if (dp_pdf_text_key (objects, node, "/Rotate", &value))
    level->rotate = value;
  if (dp_pdf_text_key (objects, node, "/Resources", &value))
    level->resources = value;
}

static gboolean
read_box (const DpPdfObjects *objects, DpPdfText value, double box[4])
{
  double v[4];

  if (!value.p || !dp_pdf_objects_resolve (objects, &value))
    return FALSE;
  dp_pdf_text_space (&value);
  if (!dp_pdf_text_accept (&value, "["))
    return FALSE;
  for (int i = 0; i < 4; i++)
    if (!dp_pdf_text_real (&value, &v[i]) || !(fabs (v[i]) < MAX_COORDINATE))
      return FALSE;
  box[0] = MIN (v[0], v[2]);
  box[1] = MIN (v[1], v[3]);
  box[2] = MAX (v[0], v[2]);
  box[3] = MAX (v[1], v[3]);
  return box[0] < box[2] && box[1] < box[3];
}

static DpPdfPageNode
read_page (DpPdfObjects *objects, guint number, DpPdfText body, const Level *above)
{
  Level own = *above;
  DpPdfPageNode page = { .number = number, .body = body };
  double crop[4], rotate;

  inherit (objects, body, &own);
  if (!read_box (objects, own.media, page.box))
    memset (page.box, 0, sizeof page.box);
  else if (read_box (objects, own.crop, crop)) {
    const double cut[4]
        = { MAX (page.box[0], crop[0]), MAX (page.box[1], crop[1]), MIN (page.box[2], crop[2]), MIN (page.box[3], crop[3]) };
    if (cut[0] < cut[2] && cut[1] < cut[3])
      memcpy (page.box, cut, sizeof cut);
  }
  if (own.rotate.p && dp_pdf_objects_resolve (objects, &own.rotate) && dp_pdf_text_real (&own.rotate, &rotate) && fabs (rotate) < 3600)
    page.rotate = (((gint) rotate % 360) + 360) % 360 / 90 * 90;
  page.resources = own.resources;
  return page;
}

/* Depth first, as poppler counts pages: a node without kids is one.  Cycles end at MAX_DEPTH or with the budget. */
GArray *
dp_pdf_pages_read (DpPdfObjects *objects, guint n_pages)
{
  GArray *pages = g_array_new (FALSE, FALSE, sizeof (DpPdfPageNode));
  Level stack[MAX_DEPTH] = { 0 };
  DpPdfText node, value;
  guint depth = 0, number;

  if (!dp_pdf_objects_find (objects, objects->root, &node) || !dp_pdf_text_key (objects, node, "/Pages", &value)
      || !dp_pdf_objects_resolve (objects, &value) || !kids_of (objects, value, &stack[0].kids))
    return pages;
  inherit (objects, value, &stack[depth++]);
  while (depth > 0 && pages->len < n_pages && objects->budget > 0) {
    Level *level = &stack[depth - 1];
    objects->budget -= 16; /* a reference costs something even where it leads nowhere */
    if (!dp_pdf_text_reference (&level->kids, &number)) {
      depth--;
    } else if (dp_pdf_objects_find (objects, number, &node)) {
      DpPdfText kids;
      if (depth < MAX_DEPTH && kids_of (objects, node, &kids)) {
        stack[depth] = *level;
        stack[depth].kids = kids;
        inherit (objects, node, &stack[depth++]);
      } else {
        const DpPdfPageNode page = read_page (objects, number, node, level);
        g_array_append_val (pages, page);
      }
    }
  }
  return pages;
}
