/* pipeline/pdf_units.c - see pdf_units.h. */
#include "pipeline/pdf_units.h"

#include "pipeline/pdf_pages.h"

#define WALK_BUDGET ((gssize) 256 << 20) /* bytes of dictionaries looked at */
#define MAX_UNIT 75000.0                 /* what Acrobat takes */
#define MIN_UNIT 0.01

struct DpPdfUnits {
  guint n_pages;
  float unit[];
};

/* ---- the pages ----------------------------------------------------------------------------------------- */

static float
unit_of (DpPdfObjects *objects, DpPdfText page)
{
  DpPdfText value;
  double unit;

  if (!dp_pdf_text_key (objects, page, "/UserUnit", &value) || !dp_pdf_objects_resolve (objects, &value))
    return 1;
  return dp_pdf_text_real (&value, &unit) && unit >= MIN_UNIT && unit <= MAX_UNIT ? (float) unit : 1;
}

static DpPdfUnits *
units_of_pages (DpPdfObjects *objects, guint n_pages)
{
  g_autoptr (GArray) pages = dp_pdf_pages_read (objects, n_pages);
  gboolean any = FALSE;
  g_autofree DpPdfUnits *units = g_malloc (sizeof *units + n_pages * sizeof units->unit[0]);

  units->n_pages = n_pages;
  for (guint i = 0; i < n_pages; i++) {
    units->unit[i] = i < pages->len ? unit_of (objects, g_array_index (pages, DpPdfPageNode, i).body) : 1;
    any |= units->unit[i] != 1;
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
  return objects.has_word && objects.root ? units_of_pages (&objects, n_pages) : NULL;
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
