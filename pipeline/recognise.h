/* pipeline/recognise.h - who reads what has no text layer.
 *
 * The interface between the life of a page (convert_pages.c) and a reader of pictures: the former hands it
 * the picture of a page, or of a part of one, and gets lines of text with their boxes, rules and pictures;
 * dp_recognise_page() makes a page of glyphs out of them, so that everything after it is the same as for a
 * page that had text.  The built-in reader is in ocr.h.
 */
#pragma once

#include "layout/page.h"

G_BEGIN_DECLS

/* One character of a line, spaces included. */
typedef struct {
  float x0, x1;   /* points */
  gunichar code;  /* what stands in the text, or a plain figure for a raised one; 0 = as in the text */
  guint16 raised; /* 1: it is small and stands above the baseline */
  guint16 flags;  /* DpGlyphFlags that can be seen: DP_GLYPH_BOLD, DP_GLYPH_MONO */
} DpReadingChar;

/* One line of text, as read. */
typedef struct {
  DpRect box;           /* points, on the page */
  char *text;           /* UTF-8, one line; NULL or "" = nothing there; owned by the reading */
  float confidence;     /* 0..1 */
  float baseline;       /* points; 0 = not known: a fifth of the box above its foot */
  float size;           /* of the type, points; 0 = not known: from the box */
  DpReadingChar *chars; /* one per character of text, owned; NULL = they share the box evenly */
  gboolean joined;      /* the next line of the page goes on in the same row */
} DpReading;

void dp_reading_clear (gpointer reading);

/* What was read on a picture; boxes on the upright picture. */
typedef struct {
  GArray *lines;       /* DpReading, in reading order */
  GArray *paths;       /* DpPath: rules and fills; paint and colour as they are */
  GArray *pictures;    /* DpRect */
  GArray *formulas;    /* DpRect: displayed formulas, which are better shown than read */
  double text_share;   /* of what is dark, how much lies in lines and rules, 0..1 */
  float width, height; /* points, of the upright page; 0 = those of the page, turned */
  float fold;          /* as in DpPage */
  struct DpWarp *warp; /* as in DpPage; owned, NULL: turn and skew say it */
  gint turn;           /* how the picture was turned to stand upright (DpPage.turn) and straight (DpPage.skew) */
  double skew;
} DpPageReading;

DpPageReading *dp_page_reading_new (void);
void dp_page_reading_free (DpPageReading *reading);
/* Takes all that stands on another reading, moved to the right; that one keeps nothing of it. */
void dp_page_reading_add (DpPageReading *reading, DpPageReading *other, float right);

/* Mean confidence over the characters of usable lines, and how many those are. */
float dp_page_reading_confidence (const DpPageReading *reading, guint *n_chars);

/* What reading pictures took, microseconds, added up: a look at stored images, the picture of the page painted, its lines found, read. */
typedef struct {
  gint64 look, paint, find, read;
} DpReadingCost;

/* Adds the time since *since to *sum; *since becomes now. */
void dp_reading_clock (gint64 *sum, gint64 *since);

typedef struct {
  const char *name; /* in reports: "nano" */
  gpointer data;
  /* The resolution it wants the picture of a page, or of a box of it, at. */
  double (*dpi) (gpointer data, const DpPage *page);
  /* Finds and reads the lines of a picture (CAIRO_FORMAT_A8 luminance, 0 = black).  part: of a page that stands
   * upright, else which way the sheet lies is found out.  cost: may be NULL.  Any thread.  NULL with an error. */
  DpPageReading *(*read_page) (gpointer data, cairo_surface_t *picture, double dpi, gboolean part, DpReadingCost *cost, GError **error);
} DpRecogniser;

/* A page (free with dp_page_free) with the size and number of `like`, upright, whose text layer is the
 * reading: white space becomes DP_GLYPH_SPACE and the end of a row DP_GLYPH_BREAK.  Lines without text or with a
 * box that is empty or not finite are passed over. */
DpPage *dp_recognised_page (const DpPage *like, const DpPageReading *reading);

/* A reading of a part of a page. */
typedef struct {
  DpRect box; /* of the part, on the page */
  DpPageReading *reading;
} DpPartReading;

/* The page with what was read in parts of it, after its own text: images that lie in such a part go, its rules and
 * pictures come.  parts: DpPartReading.  page is borrowed and has to live as long (free with dp_page_free). */
DpPage *dp_page_with_parts (const DpPage *page, const GArray *parts);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (DpPageReading, dp_page_reading_free)

G_END_DECLS
