/* output/output.h - document tree in, files out.
 *
 * The writers of docparse: Markdown, HTML, plain text, JSON, MinerU's content list, a
 * layout overlay, and the pictures they refer to.  They take any DpDocument, wherever
 * it came from, and are total: empty blocks, empty tables, text that is not UTF-8 and
 * very deep or very long documents all give a well-formed result.
 *
 * Every writer returns one string, UTF-8, NUL-terminated, that the caller frees; its
 * length in bytes goes to *len where len is not NULL.  Writers do not touch the tree,
 * with two exceptions: dp_output_markdown() sets md_start and md_end of every block,
 * dp_output_pictures() sets picture.  The order that serves all of them is therefore
 * pictures, Markdown, then the rest.
 */
#pragma once

#include <glib.h>

#include "layout/document.h"

G_BEGIN_DECLS

#define DP_OUTPUT_ERROR (dp_output_error_quark ())
GQuark dp_output_error_quark (void);
typedef enum {
  DP_OUTPUT_ERROR_NO_PIXELS, /* an empty picture */
  DP_OUTPUT_ERROR_WRITE,     /* the file system, cairo or libpng said no; the message tells why */
} DpOutputError;

typedef enum {
  DP_TABLES_AUTO, /* a pipe table where it says everything, HTML otherwise */
  DP_TABLES_HTML,
  DP_TABLES_PIPE, /* cells covered by a span stay empty */
} DpOutputTables;

typedef enum {
  DP_IMAGES_OFF,
  DP_IMAGES_PLACEHOLDER, /* a comment that says where a picture was */
  DP_IMAGES_EMBEDDED,    /* data: URI of the block's crop */
  DP_IMAGES_REFERENCED,  /* link to image_dir_name/picture */
} DpOutputImages;

/* What a reader of the page's text does not want, unless asked for. */
typedef enum {
  DP_KEEP_HEADER = 1u << 0,
  DP_KEEP_FOOTER = 1u << 1,
  DP_KEEP_PAGE_NUMBER = 1u << 2,
  DP_KEEP_FOOTNOTE = 1u << 3, /* footnotes stay where they stand on the page instead of closing their section */
  DP_KEEP_ASIDE = 1u << 4,
  DP_KEEP_HIDDEN = 1u << 5,
  DP_KEEP_ANNOTATION = 1u << 6,
  DP_KEEP_FIELD = 1u << 7,
} DpOutputKeep;

/* All zero is a sensible default. */
typedef struct {
  DpOutputTables tables;
  DpOutputImages images;
  const char *page_break;     /* printed between pages, %n = number of the page that begins, %% = %; NULL = nothing */
  guint keep;                 /* DpOutputKeep */
  gboolean figure_text;       /* words inside pictures and charts too */
  gboolean drop_footnotes;    /* leave footnotes and the marks that point to them out */
  const char *image_dir_name; /* as written into links, e.g. "paper_images"; NULL or "" = the same folder */
} DpOutputOptions;

/* CommonMark with GFM's tables and footnotes, formulas between $ or $$.  Text survives a
 * CommonMark reader unchanged (white space folded).  Sets md_start and md_end of every
 * block: the bytes it takes in the result, -1 if it is not printed.  options may be NULL. */
char *dp_output_markdown (DpDocument *document, const DpOutputOptions *options, gsize *len);

/* One standalone HTML5 page. */
char *dp_output_html (DpDocument *document, const DpOutputOptions *options, gsize *len);

/* Text without markup; tables with their columns separated by tabs. */
char *dp_output_text (DpDocument *document, const DpOutputOptions *options, gsize *len);

/* The whole tree with pages, boxes, styles and sources; schema in output/README.md.
 * Furniture is always in it.  Only image_dir_name of the options matters. */
char *dp_output_json (DpDocument *document, const DpOutputOptions *options, gsize *len);

/* MinerU's content_list.json: a flat list in reading order, boxes in thousandths of the page. */
char *dp_output_content_list (DpDocument *document, const DpOutputOptions *options, gsize *len);

/* ---- pictures ------------------------------------------------------------------------- */

/* Takes one PNG (not owned); FALSE with error set stops. */
typedef gboolean (*DpPictureWrite) (const char *name, const guint8 *png, gsize len, gpointer data, GError **error);

/* Names every FIGURE and PAGE_PICTURE that has a crop ("page-003-figure-02.png", counted
 * on each page in reading order) and hands its PNG to write.  Crops are freed after that
 * when release is set: a long document need not hold them.  FALSE with error set when write says so. */
gboolean dp_output_pictures (DpDocument *document, DpPictureWrite write, gpointer data, gboolean release, GError **error);

/* The surface as PNG: 8-bit grey if it has no colour, else RGB; transparency on white.
 * PNG bytes that are attached to it (CAIRO_MIME_TYPE_PNG) are taken as they are, so that
 * threads can encode ahead of the writers.
 * NULL with error (DP_OUTPUT_ERROR) for a surface that has no pixels or cannot be encoded. */
GBytes *dp_picture_png (cairo_surface_t *surface, double dpi, GError **error);

/* ---- layout overlay --------------------------------------------------------------------- */

/* Picture of a page to draw below the boxes (a new reference, given to the writer), or NULL. */
typedef cairo_surface_t *(*DpOverlayPage) (const DpPageInfo *page, gpointer data);

/* A PDF with one page per page of the document: the page's picture if there is one, each
 * block's box coloured by kind with its index, arrows from each block to the next
 * in reading order, a legend.  FALSE with error (DP_OUTPUT_ERROR) if path cannot be written. */
gboolean dp_output_overlay (DpDocument *document, DpOverlayPage page_picture, gpointer data, const char *path, GError **error);

/* The same into a cairo stream. */
gboolean dp_output_overlay_stream (DpDocument *document, DpOverlayPage page_picture, gpointer data, cairo_write_func_t write,
                                   gpointer closure, GError **error);

/* ---- searchable PDF ---------------------------------------------------------------------- */

/* A word where it stands on its page. */
typedef struct {
  DpRect box;     /* points */
  float baseline; /* y of its baseline; x of it where angle is 90 or 270 */
  float size;     /* of its type, points */
  gint angle;     /* writing direction in degrees, clockwise: 0, 90, 180, 270 */
  char *text;     /* UTF-8; owned by the word */
} DpLayerWord;

void dp_layer_word_clear (gpointer word);

/* The words of a page (DpLayerWord, in reading order), owned by the callee; NULL if it has none. */
typedef const GArray *(*DpTextLayer) (const DpPageInfo *page, gpointer data);

/* A PDF with one page per page of the document: its picture, and under it the words, which can be searched, selected and
 * copied but not seen.  FALSE with error (DP_OUTPUT_ERROR) if path cannot be written. */
gboolean dp_output_searchable (const DpDocument *document, DpOverlayPage page_picture, DpTextLayer page_words, gpointer data,
                               const char *path, GError **error);
/* The same into a cairo stream. */
gboolean dp_output_searchable_stream (const DpDocument *document, DpOverlayPage page_picture, DpTextLayer page_words, gpointer data,
                                      cairo_write_func_t write, gpointer closure, GError **error);

G_END_DECLS
