/* tests/tools/scan.c - what layout/scan*.c finds in a page picture.
 *
 *   scan FILE [PAGE [DPI]]           one line of text per line: x0 y0 x1 y1 baseline em, then rules and pictures
 *   scan --draw OUT.png FILE ...     the same as boxes over the page
 *
 * For looking at pages while working on them; the product goes through pipeline/recognise.c.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "layout/scan.h"
#include "pipeline/ocr.h"
#include "pipeline/pdf.h"

static void
outline (cairo_t *cr, double r, double g, double b, double x0, double y0, double x1, double y1)
{
  cairo_set_source_rgb (cr, r, g, b);
  cairo_rectangle (cr, x0 + 0.5, y0 + 0.5, x1 - x0 - 1, y1 - y0 - 1);
  cairo_stroke (cr);
}

static void
draw (const DpScan *scan, const char *out)
{
  cairo_surface_t *surface = cairo_image_surface_create (CAIRO_FORMAT_RGB24, dp_scan_width (scan), dp_scan_height (scan));
  cairo_t *cr = cairo_create (surface);
  const double k = 1 / dp_scan_scale (scan);

  cairo_set_source_rgb (cr, 1, 1, 1);
  cairo_paint (cr);
  cairo_set_line_width (cr, 1);
  for (guint i = 0; i < dp_scan_lines (scan)->len; i++) {
    const DpScanLine *l = &g_array_index (dp_scan_lines (scan), DpScanLine, i);
    DpScanCrop crop;
    dp_scan_crop (scan, i, &crop);
    for (gint y = 0; y < crop.height; y++)
      for (gint x = 0; x < crop.width; x++) {
        const double v = crop.pixels[y * crop.width + x] / 255.0;
        if (v < 0.8) {
          cairo_set_source_rgb (cr, v, v, v);
          cairo_rectangle (cr, crop.x + x, crop.y + y, 1, 1);
          cairo_fill (cr);
        }
      }
    dp_scan_crop_clear (&crop);
    outline (cr, 0.9, 0.1, 0.1, l->x0, l->y0, l->x1, l->y1);
    outline (cr, 0.1, 0.1, 0.9, l->x0, l->baseline, l->x1, l->baseline + 1);
  }
  for (guint i = 0; i < dp_scan_paths (scan)->len; i++) {
    const DpRect b = g_array_index (dp_scan_paths (scan), DpPath, i).box;
    outline (cr, 0, 0.7, 0, k * b.x0, k * b.y0, k * b.x1, k * b.y1);
  }
  for (guint i = 0; i < dp_scan_pictures (scan)->len; i++) {
    const DpRect b = g_array_index (dp_scan_pictures (scan), DpRect, i);
    outline (cr, 0.8, 0, 0.8, k * b.x0, k * b.y0, k * b.x1, k * b.y1);
  }
  cairo_destroy (cr);
  cairo_surface_write_to_png (surface, out);
  cairo_surface_destroy (surface);
}

static void
print (const DpScan *scan)
{
  printf ("# turn %d skew %.2f certainty %.1f text %.2f\n", dp_scan_turn (scan), dp_scan_skew (scan), dp_scan_certainty (scan),
          dp_scan_text_share (scan, NULL));
  for (guint i = 0; i < dp_scan_lines (scan)->len; i++) {
    const DpScanLine *l = &g_array_index (dp_scan_lines (scan), DpScanLine, i);
    printf ("line %d %d %d %d %.1f %.1f\n", l->x0, l->y0, l->x1, l->y1, (double) l->baseline, (double) l->em);
  }
  for (guint i = 0; i < dp_scan_paths (scan)->len; i++) {
    const DpPath *p = &g_array_index (dp_scan_paths (scan), DpPath, i);
    printf ("path %u %.1f %.1f %.1f %.1f\n", p->kind, (double) p->box.x0, (double) p->box.y0, (double) p->box.x1, (double) p->box.y1);
  }
  for (guint i = 0; i < dp_scan_pictures (scan)->len; i++) {
    const DpRect b = g_array_index (dp_scan_pictures (scan), DpRect, i);
    printf ("picture %.1f %.1f %.1f %.1f\n", (double) b.x0, (double) b.y0, (double) b.x1, (double) b.y1);
  }
}

int
main (int argc, char **argv)
{
  g_autoptr (GError) error = NULL;
  const char *out = NULL;

  if (argc > 1 && strcmp (argv[1], DP_PDF_CHILD_OPTION) == 0)
    return dp_pdf_child_main (argc, argv);
  if (argc > 3 && strcmp (argv[1], "--draw") == 0) {
    out = argv[2];
    argv += 2, argc -= 2;
  }
  if (argc < 2)
    return 64;
  g_autoptr (DpPdf) pdf = dp_pdf_open (argv[1], NULL, NULL, &error);
  const guint number = argc > 2 ? (guint) atoi (argv[2]) : 1;
  g_autoptr (DpPage) page = pdf ? dp_pdf_page (pdf, number, &error) : NULL;
  double dpi = argc > 3 ? atof (argv[3]) : 0;

  if (page && dpi == 0)
    dpi = dp_ocr_automatic_dpi (page);
  cairo_surface_t *picture = page ? dp_pdf_render (pdf, number, (DpRect){ 0, 0, 0, 0 }, dpi, TRUE, &error) : NULL;
  const gint64 since = g_get_monotonic_time ();
  g_autoptr (DpScan) scan = picture ? dp_scan_new (picture, dpi, FALSE, &error) : NULL;

  if (!scan) {
    fprintf (stderr, "%s\n", error ? error->message : "no picture");
    return 1;
  }
  fprintf (stderr, "%.0f dpi, %d x %d, %.0f ms\n", dpi, dp_scan_width (scan), dp_scan_height (scan),
           (double) (g_get_monotonic_time () - since) / 1000);
  if (out)
    draw (scan, out);
  else
    print (scan);
  cairo_surface_destroy (picture);
  dp_pdf_shutdown ();
  return 0;
}
