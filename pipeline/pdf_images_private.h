/* pipeline/pdf_images_private.h - between pdf_images.c and pdf_image_grey.c. */
#pragma once

#include "pipeline/pdf_images.h"
#include "pipeline/pdf_objects.h"

G_BEGIN_DECLS

#define DP_PDF_IMAGE_MOST_SIDE 32000u

/* An image without mask, palette or table of values, in grey or RGB. */
typedef struct {
  guint width, height;
  guint components, bits; /* of the samples: 1 or 3 of 8 bits, or 1 of 1 bit; a JPEG knows its own */
  gboolean jpeg;          /* else deflated */
  gboolean predicted;     /* each row begins with the kind of its predictor (image_png.h) */
  DpPdfText data;         /* as stored */
} DpPdfPlain;

/* FALSE: the file has no image of that size, or several, or it is not plain. */
gboolean dp_pdf_images_plain (DpPdfImages *images, guint width, guint height, DpPdfPlain *plain);

G_END_DECLS
