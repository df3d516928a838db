/* pipeline/bundle.h - what travels from the sandboxed child to the parent.
 *
 * A bundle is one memory file: a header, then flat arrays of the structs of
 * layout/page.h, then a string table or pixels.  The child that writes it has parsed
 * hostile input and may be in hostile hands, so the reader believes nothing: it checks
 * every offset, count, number and string before it hands out a pointer.  Reader and
 * writer are the same binary on the same machine; the version and the struct sizes in
 * the header are there to refuse anything else.
 *
 *   offset 0          DpBundleHeader
 *   8-byte aligned    the sections of the table in the header, in any order
 *
 * The reading functions are pure functions of memory (tests/fuzz/fuzz_bundle.c).
 */
#pragma once

#include "layout/page.h"
#include "pipeline/pdf_extract.h"

G_BEGIN_DECLS

#define DP_BUNDLE_MAGIC 0x42445044u /* "DPDB", little-endian */
#define DP_BUNDLE_VERSION 2
#define DP_BUNDLE_ALIGN 8
#define DP_BUNDLE_MAX_COORDINATE 1e6f /* points: 70 times the largest page a PDF viewer shows */
#define DP_BUNDLE_MAX_PAGES 10000000u

typedef enum { DP_BUNDLE_PAGE = 1, DP_BUNDLE_RASTER = 2, DP_BUNDLE_INFO = 3 } DpBundleKind;

typedef enum {
  DP_SECTION_GLYPHS,
  DP_SECTION_FONTS,
  DP_SECTION_PATHS,
  DP_SECTION_IMAGES,
  DP_SECTION_LINKS,
  DP_SECTION_NOTES,
  DP_SECTION_STRINGS, /* bytes: "", then NUL-terminated UTF-8 strings */
  DP_SECTION_PIXELS,  /* bytes: height * stride */
  DP_SECTION_INFO,    /* one DpBundleInfo */
  DP_SECTION_OUTLINE, /* DpBundleOutline */
  DP_SECTION_TAGS,    /* DpBundleTag */
  DP_SECTION_MARKS,   /* DpMark */
  DP_N_SECTIONS
} DpBundleSectionId;

typedef struct {
  guint64 offset; /* bytes from the start of the bundle */
  guint64 count;  /* elements */
  guint32 size;   /* bytes of one element */
  guint32 reserved;
} DpBundleSection;

typedef struct {
  guint32 magic;
  guint16 version;
  guint16 kind; /* DpBundleKind */
  guint64 total;
  /* PAGE */
  guint32 number;
  gint32 rotation;
  float width, height;
  guint32 n_painted, n_painted_unmapped, n_truncated;
  /* RASTER */
  guint32 pixel_format; /* cairo_format_t: RGB24 or A8 */
  guint32 pixel_width, pixel_height, pixel_stride;
  guint32 reserved;
  DpBundleSection sections[DP_N_SECTIONS];
} DpBundleHeader;

/* DpDocumentInfo without pointers; strings are offsets. */
typedef struct {
  guint32 n_pages;
  guint32 title, author, subject, producer;
  guint32 is_picture, encrypted;
  guint32 reserved;
} DpBundleInfo;

typedef struct {
  guint32 title, level, page;
  float y;
} DpBundleOutline;

typedef struct {
  char kind[16];
  guint32 text, alt, depth, page, row_span, col_span;
} DpBundleTag;

#define DP_BUNDLE_ERROR (dp_bundle_error_quark ())
GQuark dp_bundle_error_quark (void);
typedef enum {
  DP_BUNDLE_ERROR_FORMAT, /* not a bundle of this kind, or a number in it is wrong: the message names it */
  DP_BUNDLE_ERROR_WRITE,
} DpBundleError;

/* Bytes of one element of a section; id < DP_N_SECTIONS. */
gsize dp_bundle_section_size (DpBundleSectionId id);

/* ---- writing, in the child (bundle_write.c) --------------------------------------------- */

/* Appends a bundle to the empty file fd.  Values that the reader would refuse are mended
 * first, in place: boxes without finite corners are dropped, others are ordered and cut
 * to +-DP_BUNDLE_MAX_COORDINATE, code 0 and surrogates become U+FFFD, and so on; a page
 * without fonts but with glyphs gets a nameless one.  FALSE: DP_BUNDLE_ERROR_WRITE. */
gboolean dp_bundle_write_page (DpPageArrays *arrays, int fd, GError **error);
/* surface: CAIRO_FORMAT_RGB24 or _A8 image surface, at least 1 x 1. */
gboolean dp_bundle_write_raster (cairo_surface_t *surface, int fd, GError **error);
gboolean dp_bundle_write_info (const DpDocumentInfo *info, int fd, GError **error);

/* ---- reading, in the parent (bundle.c) ---------------------------------------------------- */

/* Checks size bytes at data (8-byte aligned) and points a new DpPage into them.  On
 * success the page owns data through free_data (data) (NULL: the caller keeps it alive);
 * on failure nothing is taken.  NULL: DP_BUNDLE_ERROR_FORMAT. */
DpPage *dp_bundle_read_page (gpointer data, gsize size, gpointer backing, GDestroyNotify free_backing, GError **error);

/* The same for pixels; data must be writable, cairo says so.  backing is freed with the surface. */
cairo_surface_t *dp_bundle_read_raster (gpointer data, gsize size, gpointer backing, GDestroyNotify free_backing, GError **error);

/* Copies what it needs; path is left NULL. */
DpDocumentInfo *dp_bundle_read_info (gconstpointer data, gsize size, GError **error);

G_END_DECLS
