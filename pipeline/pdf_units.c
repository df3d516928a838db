/* pipeline/pdf_units.c - see pdf_units.h: the walk through the page tree, with a budget. */
#include "pipeline/pdf_units.h"

#include "pipeline/pdf_objects.h"

#define WALK_BUDGET ((gssize) 256 << 20) /* bytes of dictionaries looked at */
#define MAX_DEPTH 64                     /* of the page tree */
#define MAX_UNIT 75000.0                 /* what Acrobat takes */
#define MIN_UNIT 0.01

struct DpPdfUnits {
  guint n_pages;
  float unit[];
};

/* ---- the page tree ----------------------------------------------------------------------------------------- */

static float
unit_of (DpPdfObjects *objects, DpPdfText page)
{
  DpPdfText value;
  double unit;

  if (!dp_pdf_text_key (objects, page, "/UserUnit", &value) || !dp_pdf_objects_resolve (objects, &value))
    return 1;
  return dp_pdf_text_real (&value, &unit) && unit >= MIN_UNIT && unit <= MAX_UNIT ? (float) unit : 1;
}

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

/* Depth first, as poppler counts pages: a node without kids is one.  Cycles end at MAX_DEPTH or with the budget. */
static DpPdfUnits *
walk (DpPdfObjects *objects, guint n_pages)
{
  DpPdfText stack[MAX_DEPTH], node, value;
  guint depth = 0, n = 0, number;
  gboolean any = FALSE;
  g_autofree DpPdfUnits *units = g_malloc (sizeof *units + n_pages * sizeof units->unit[0]);

  units->n_pages = n_pages;
  for (guint i = 0; i < n_pages; i++)
    units->unit[i] = 1;
  if (!dp_pdf_objects_find (objects, objects->root, &node) || !dp_pdf_text_key (objects, node, "/Pages", &value)
      || !dp_pdf_objects_resolve (objects, &value) || !kids_of (objects, value, &stack[depth++]))
    return NULL;
  while (depth > 0 && n < n_pages && objects->budget > 0) {
    DpPdfText *kids = &stack[depth - 1];
    objects->budget -= 16; /* a reference costs something even where it leads nowhere */
    if (!dp_pdf_text_reference (kids, &number)) {
      depth--;
    } else if (dp_pdf_objects_find (objects, number, &node)) {
      if (depth < MAX_DEPTH && kids_of (objects, node, &stack[depth]))
        depth++;
      else
        units->unit[n] = unit_of (objects, node), any |= units->unit[n] != 1, n++;
    }
  }
  return any ? g_steal_pointer (&units) : NULL;
}

/* ---- public ------------------------------------------------------------------------------------------- */

DpPdfUnits *
dp_pdf_units_read (gconstpointer data, gsize size, guint n_pages)
{
  g_auto (DpPdfObjects) objects;

  dp_pdf_objects_read (&objects, data, size, "/UserUnit");
  objects.budget = WALK_BUDGET;
  return objects.has_word && objects.root ? walk (&objects, n_pages) : NULL;
}

void
dp_pdf_units_free (DpPdfUnits *units)
{
  g_free (units);
}

double
dp_pdf_units_of (const DpPdfUnits *units, guint number, double width, double height)
{
  const double unit = units && number >= 1 && number <= units->n_pages ? units->unit[number - 1] : 1;

  return MAX (width, height) * unit < DP_PDF_MAX_SIDE ? unit : 1;
}
