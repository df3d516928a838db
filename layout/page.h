/* layout/page.h - what comes in: one page as flat arrays.
 *
 * A page is what the PDF stage (pipeline/pdf_extract.c) saw: glyphs of the text
 * layer, what was painted (paths, images), links, fields, notes.  The arrays are
 * also the wire format between the sandboxed child and the parent (pipeline/bundle.c),
 * which is why every struct here has a fixed size, no pointers and no padding holes,
 * and why strings are offsets into one string table.
 *
 * Space: PDF points (1/72 in), origin top left, y down, after /Rotate, CropBox and UserUnit
 * are applied.  Rasters say their dpi.  Text is Unicode, NFC when printed.
 */
#pragma once

#include <cairo.h>
#include <glib.h>

G_BEGIN_DECLS

typedef struct {
  float x0, y0, x1, y1; /* x0 <= x1, y0 <= y1, points */
} DpRect;

typedef enum {
  DP_GLYPH_BOLD = 1u << 0,
  DP_GLYPH_ITALIC = 1u << 1,
  DP_GLYPH_MONO = 1u << 2,
  DP_GLYPH_UNDERLINE = 1u << 3,
  DP_GLYPH_UNPAINTED = 1u << 4, /* in the text layer, never drawn: render mode 3, clipped away, hidden layer */
  DP_GLYPH_COVERED = 1u << 5,   /* drawn, then painted over by an opaque image or fill */
  DP_GLYPH_SPACE = 1u << 6,     /* the text layer has white space after this glyph */
  DP_GLYPH_BREAK = 1u << 7,     /* the text layer ends a line after this glyph */
  DP_GLYPH_SKEWED = 1u << 8,    /* written at an angle that is not a multiple of 90 degrees */
  DP_GLYPH_VERTICAL = 1u << 9,  /* vertical writing mode (upright glyphs, top to bottom) */
} DpGlyphFlags;

/* One character of the text layer, in the layer's own order.  Never a white space:
 * spaces are the flag DP_GLYPH_SPACE on the glyph before. */
typedef struct {
  guint32 code;     /* Unicode scalar value; U+FFFD where the PDF has none */
  DpRect box;       /* advance wide, ascent to descent high */
  float baseline;   /* y of the baseline (x of it when angle is 90 or 270) */
  float size;       /* font size in points as shown on the page */
  float rise;       /* points from the baseline of its line, upwards as the line is written: > 0 superscripts, < 0 subscripts.
                     * Measured, since poppler does not tell PDF's Ts (pipeline/pdf_rise.h): the line is what the text
                     * layer has up to DP_GLYPH_BREAK or a wide gap, its baseline the one with the most ink on it.  0 if
                     * that is its own, or the writing is slanted or vertical. */
  guint32 colour;   /* 0xRRGGBB */
  guint32 paint;    /* place in paint order (see DpPath.paint); 0 = never painted */
  guint16 font;     /* index into fonts */
  guint16 flags;    /* DpGlyphFlags */
  gint16 angle;     /* writing direction in degrees, clockwise: 0, 90, 180, 270 or between */
  guint16 reserved; /* 0 */
} DpGlyph;

typedef struct {
  guint32 name;     /* string offset: PostScript name without subset prefix */
  guint32 flags;    /* DpGlyphFlags: BOLD, ITALIC, MONO, as the name or the face says */
  guint32 n_glyphs; /* glyphs of this page set in it */
  guint32 n_bad;    /* of those: U+FFFD, private use, controls (see pipeline/trust.c) */
} DpFont;

typedef enum {
  DP_PATH_HLINE, /* axis-parallel stroke or thin filled rectangle; box has its thickness */
  DP_PATH_VLINE,
  DP_PATH_FILL,    /* filled axis-parallel rectangle, both sides > 3 pt */
  DP_PATH_FRAME,   /* stroked axis-parallel rectangle; its four sides also come as H/VLINE */
  DP_PATH_SLANTED, /* straight stroke at an angle, box only */
  DP_PATH_CURVE,   /* anything else that was stroked or filled: box only */
} DpPathKind;

/* Something painted that is not text and not an image, clipped to what shows. */
typedef struct {
  DpRect box;
  guint32 kind;   /* DpPathKind */
  guint32 colour; /* 0xRRGGBB */
  guint32 paint;  /* paint order over the page, from 1; glyphs, paths and images share the count */
  float alpha;    /* 0..1 */
} DpPath;

typedef struct {
  DpRect box;            /* where it lands on the page, clipped to the page */
  guint32 width, height; /* pixels of the source image; 0 if not known */
  guint32 paint;
  guint32 flags; /* DpImageFlags */
} DpImage;

typedef enum {
  DP_IMAGE_MASK = 1u << 0,   /* a stencil, or an image with a mask or in a group: what is under it may show */
  DP_IMAGE_STORED = 1u << 1, /* shown as it is stored: all of it, neither turned nor mirrored */
} DpImageFlags;

typedef struct {
  DpRect box;
  guint32 uri;  /* string offset; 0 = link inside the document */
  guint32 page; /* target page, 1-based, or 0 */
} DpLink;

typedef enum { DP_NOTE_FIELD_TEXT, DP_NOTE_FIELD_CHOICE, DP_NOTE_FIELD_BUTTON, DP_NOTE_ANNOTATION } DpNoteKind;

/* Form field or annotation with text in it. */
typedef struct {
  DpRect box;
  guint32 kind;  /* DpNoteKind */
  guint32 name;  /* string offset */
  guint32 text;  /* string offset: the value or the note */
  guint32 state; /* check boxes and radio buttons: 1 = on */
} DpNote;

typedef struct {
  /* identity */
  guint32 number;      /* 1-based, in the document */
  float width, height; /* points */
  gint32 rotation;     /* /Rotate that has been applied: 0, 90, 180, 270 */
  gint32 turn;         /* a scan that lay: degrees clockwise by which this page, as the PDF shows it, was turned to stand upright; */
  double skew;         /* ... and then about its centre to be straight.  0 for pages with a text layer; see pipeline/upright.h */
  float fold;          /* an open book: where its second page begins, 0 = there is one page; both are as high as the page */
  const struct DpWarp
      *warp; /* a photograph or an open book: where this page lies on the painted one (warp.h), in place of turn and skew; borrowed */
  /* arrays: owned by backing, read-only */
  const DpGlyph *glyphs;
  gsize n_glyphs;
  const DpFont *fonts;
  gsize n_fonts;
  const DpPath *paths;
  gsize n_paths;
  const DpImage *images;
  gsize n_images;
  const DpLink *links;
  gsize n_links;
  const DpNote *notes;
  gsize n_notes;
  const char *strings;
  gsize n_strings;      /* bytes; offset 0 is "" and the table ends in NUL */
  const DpRect *unread; /* of a page that was read from its picture: displayed formulas, which no line reader can read; owned by backing */
  gsize n_unread;
  /* counts the trust tests need (pipeline/trust.c) */
  guint32 n_painted;          /* glyphs the page paints */
  guint32 n_painted_unmapped; /* of those: without a character in the text layer */
  guint32 n_truncated;        /* objects left out because a limit was reached; 0 = page complete */
  /* picture, only when asked for */
  cairo_surface_t *raster; /* owned; NULL if none */
  double raster_dpi;
  /* who frees the arrays */
  gpointer backing;
  GDestroyNotify backing_free;
} DpPage;

/* String at an offset; "" for 0 or anything out of range.  Owned by the page. */
const char *dp_page_string (const DpPage *page, guint32 offset);

/* Frees the page, its raster and its backing.  NULL is fine. */
void dp_page_free (DpPage *page);

/* ---- the document around the pages ------------------------------------------------ */

typedef struct {
  char *title;   /* UTF-8, never NULL */
  guint32 level; /* 1 = top */
  guint32 page;  /* 1-based, 0 = none */
  float y;       /* points from the top of that page, < 0 = not known */
} DpOutlineEntry;

/* One element of the structure tree of a tagged PDF, in document order (pre-order). */
typedef struct {
  char kind[16];              /* standard type: "H1", "P", "Table", "TD", "LI", "Figure", ... */
  char *text;                 /* where the marks are not known: all text below a heading; else "" */
  char *alt;                  /* /Alt, "" if none */
  guint32 depth;              /* 0 = top */
  guint32 page;               /* 1-based, 0 = not known */
  guint32 row_span, col_span; /* cells; 1 elsewhere */
} DpTag;

/* Where a piece of an element's text begins on its page: origin of its first glyph. */
typedef struct {
  guint32 page; /* 1-based */
  gint32 tag;   /* index into the tags; -1: an artifact, which no element has */
  float x, y;   /* page space */
} DpMark;

typedef struct {
  char *path; /* as the user gave it; "-" for stdin */
  guint32 n_pages;
  char *title, *author, *subject, *producer; /* never NULL, "" if absent */
  GArray *outline;                           /* DpOutlineEntry */
  GArray *tags;                              /* DpTag; empty if untagged or too broken to use */
  GArray *marks;                             /* DpMark, by page; empty if their places are not known */
  gboolean is_picture;                       /* input was PNG, JPEG or TIFF */
  gboolean encrypted;
} DpDocumentInfo;

DpDocumentInfo *dp_document_info_new (void);
void dp_document_info_free (DpDocumentInfo *info);

/* ---- rectangles -------------------------------------------------------------------- */

static inline float
dp_rect_width (DpRect r)
{
  return r.x1 - r.x0;
}
static inline float
dp_rect_height (DpRect r)
{
  return r.y1 - r.y0;
}
static inline float
dp_rect_area (DpRect r)
{
  return (r.x1 - r.x0) * (r.y1 - r.y0);
}
static inline float
dp_rect_cx (DpRect r)
{
  return 0.5f * (r.x0 + r.x1);
}
static inline float
dp_rect_cy (DpRect r)
{
  return 0.5f * (r.y0 + r.y1);
}
DpRect dp_rect_union (DpRect a, DpRect b);
DpRect dp_rect_intersect (DpRect a, DpRect b); /* empty (all 0) if they do not meet */
float dp_rect_overlap_x (DpRect a, DpRect b);  /* length, >= 0 */
float dp_rect_overlap_y (DpRect a, DpRect b);
gboolean dp_rect_contains_point (DpRect r, float x, float y);
/* Share of a's area that lies inside b, 0..1; an a without area counts by its centre. */
float dp_rect_inside (DpRect a, DpRect b);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (DpPage, dp_page_free)
G_DEFINE_AUTOPTR_CLEANUP_FUNC (DpDocumentInfo, dp_document_info_free)

G_END_DECLS
