/* pipeline/ocr.h - the built-in reader of page pictures: layout/scan finds lines, vlm/line_reader reads them.
 *
 *   ocr.c       readers shared by all pages of a run, resolution
 *   ocr_page.c  one picture: stand it up, read its lines, size and weight of the type
 *   ocr_line.c  one line: characters to places on the page
 */
#pragma once

#include "pipeline/options.h"
#include "pipeline/recognise.h"

G_BEGIN_DECLS

typedef struct DpOcr DpOcr;

/* Cheap: the model is opened when the first page needs it.  model is borrowed and has to live as long.
 * dpi: resolution of page pictures, 0 = automatic. */
DpOcr *dp_ocr_new (const DpModelOptions *model, guint dpi);
void dp_ocr_free (DpOcr *ocr);

/* What convert_pages.c needs; owned by ocr. */
const DpRecogniser *dp_ocr_recogniser (DpOcr *ocr);

/* The resolution at which a page picture is read when nobody asked for one: that of the image which covers most of
 * the page, as long as the letters of usual type come out between 20 and 35 pixels high; 200 without such an image, 160 on
 * sheets larger than A3. */
double dp_ocr_automatic_dpi (const DpPage *page);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (DpOcr, dp_ocr_free)

G_END_DECLS
