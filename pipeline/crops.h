/* pipeline/crops.h - pictures of figures, and of pages nobody could read, cut out of the
 * rendered pages and written or kept for embedding.
 */
#pragma once

#include "layout/document.h"
#include "pipeline/readers.h"
#include "pipeline/writer.h"

G_BEGIN_DECLS

typedef struct {
  double dpi;            /* resolution; huge boxes get less */
  DpWriter *writer;      /* pictures go here, crops are released at once; NULL: crops stay in the blocks */
  const char *image_dir; /* folder of the pictures, when there is a writer */
} DpCropOptions;

/* A page whose pictures are not all there. */
typedef struct {
  guint page;
  char *reason;
} DpCropProblem;

/* Renders every FIGURE and PAGE_PICTURE of the document, several pages at a time, except on
 * pages marked failed.  Returns the pages where that did not work (DpCropProblem, ascending;
 * free with g_array_unref), or NULL with an error of the writer.  Memory: a few dozen
 * megabytes of pixels at a time with a writer; without one, crops above half a gigabyte are
 * left out and reported. */
GArray *dp_crops_make (DpReaders *readers, DpDocument *document, const DpCropOptions *options, GError **error);

G_END_DECLS
