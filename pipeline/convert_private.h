/* pipeline/convert_private.h - inside pipeline/convert*.c: one document on its way.
 *
 *   convert.c        its life from beginning to end
 *   convert_pages.c  each page: glyphs, trust, who reads it, layout
 *   convert_tree.c   the document's tree, and what it may not say
 *   convert_files.c  pictures and formats
 *   convert_searchable.c  the PDF that can be searched
 */
#pragma once

#include "layout/layout.h"
#include "pipeline/convert.h"
#include "pipeline/readers.h"
#include "pipeline/spool.h"

G_BEGIN_DECLS

typedef struct {
  DpPageState state;
  char *reason;
  GArray *words;          /* DpLayerWord, for a searchable PDF; NULL = none is wanted */
  GArray *added;          /* those of them that its own text layer lacks; NULL = none */
  gboolean twice;         /* it was read although it has text of its own, which says the same */
  DpPageReading *reading; /* of a page that a recogniser read; NULL = text layer */
  gboolean in_parts;      /* it read only pictures on the page */
} DpPageResult;

typedef struct {
  const DpConvertSetup *setup;
  const DpInput *input;
  const DpTarget *target;
  DpRecord *record;
  DpSpool *spool;         /* stdin or a pipe, else NULL */
  DpReaders *readers;     /* the open document */
  DpDocumentInfo info;    /* as the PDF stage says, with the path the user knows; all borrowed */
  GArray *numbers;        /* guint: pages wanted, ascending */
  guint chunk;            /* so many of them a thread takes at a time */
  DpPageLayout **layouts; /* per number */
  DpPageResult *results;  /* per number */
  DpModelFlow *flow;      /* pages on their way through a model, or NULL */
  gboolean *goes_on;      /* per number: the model says that its first text goes on from the page before */
  GMutex lock;            /* guards record->stage while several threads read */
} DpConversion;

/* ---- convert.c ---- */
/* Adds the time since *since to a stage and starts anew.  Any thread. */
void dp_conversion_clock (DpConversion *c, DpStage stage, gint64 *since);
/* Whether somebody has asked to drop what is not finished. */
gboolean dp_conversion_stopped (const DpConversion *c);
/* Which of the wanted pages number is, or -1. */
gint dp_conversion_find_page (const DpConversion *c, guint number);

/* ---- convert_pages.c ---- */
/* Fills layouts and results; a page that fails costs that page. */
void dp_convert_pages (DpConversion *c);

/* ---- convert_tree.c ---- */
/* The document; the layouts are gone after it. */
DpDocument *dp_convert_tree (DpConversion *c);

/* ---- convert_files.c ---- */
/* The pictures of the document, as files or attached to its blocks; what could not be drawn stands in results. */
gboolean dp_convert_pictures (DpConversion *c, DpDocument *document, DpWriter *writer, GError **error);
/* All formats that are wanted. */
gboolean dp_convert_formats (DpConversion *c, DpDocument *document, DpWriter *writer, GError **error);

/* The picture of a page, upright; NULL without one. */
cairo_surface_t *dp_conversion_page_picture (DpConversion *c, const DpPageInfo *page, double dpi);

/* ---- convert_searchable.c ---- */
gboolean dp_convert_searchable (DpConversion *c, DpDocument *document, DpWriter *writer, GError **error);

G_END_DECLS
