/* pipeline/trust.h - can a page's own text be believed?
 *
 * A text layer can be missing (scan), be somebody's OCR under the picture, or decode
 * to garbage because a font lies about its characters.  The tests are those that
 * MinerU's classifier samples over a document (at least 50 characters, bad characters
 * >= 3 %, unmapped glyphs >= 4 %, punctuation soup >= 25 %, mixed scripts >= 18 %,
 * image cover >= 0.8), applied here to every page and every font, since one bad font
 * should cost its page and not its document.  When in doubt the text is trusted:
 * re-reading good text is slow and adds errors.
 */
#pragma once

#include "layout/page.h"

G_BEGIN_DECLS

typedef enum {
  DP_TRUST_TEXT,        /* trusted: ordinary text layer */
  DP_TRUST_OCR_LAYER,   /* trusted: invisible text over a page picture, of fair quality */
  DP_TRUST_BLANK,       /* trusted: nothing is painted, nothing to read */
  DP_TRUST_NO_TEXT,     /* painted, but no text layer: scan, drawing, outlined text */
  DP_TRUST_TOO_LITTLE,  /* a few characters (stamp, page number) over a page picture */
  DP_TRUST_BAD_CHARS,   /* U+FFFD, controls, private use */
  DP_TRUST_UNMAPPED,    /* painted glyphs without characters */
  DP_TRUST_BAD_FONT,    /* a font that sets much of the page decodes to garbage */
  DP_TRUST_PUNCTUATION, /* runs of ASCII punctuation where words should be */
  DP_TRUST_MIXED,       /* scripts mixed as no language does */
  DP_TRUST_SHIFTED,     /* letters that spell no language: shifted or substituted codes */
  DP_N_TRUST_REASONS
} DpTrustReason;

/* Name in reports and JSON: "text", "ocr-layer", "blank", "no-text", ... */
const char *dp_trust_reason_name (DpTrustReason reason);

typedef struct {
  guint32 n_glyphs;
  guint32 n_bad; /* bad characters */
  gboolean trusted;
  DpTrustReason reason; /* DP_TRUST_TEXT, _BAD_CHARS, _PUNCTUATION, _MIXED or _SHIFTED */
} DpTrustFont;

typedef struct {
  gboolean trusted;
  DpTrustReason reason;
  char *sentence;       /* why, for the reader of a report; never NULL; no full stop */
  gboolean foreign;     /* not trusted, but only because of glyphs without characters, and most letters are of scripts that the
                         * built-in reader does not know: it would make Latin letters of all of them */
  float image_cover;    /* share of the page under images, 0..1 */
  guint32 n_glyphs;     /* of the text layer */
  guint32 n_painted;    /* of those, painted and not covered */
  guint32 n_bad;        /* bad characters outside fonts of signs */
  float bad_share;      /* bad characters / glyphs, 0..1 */
  float unmapped_share; /* painted glyphs without a character / painted glyphs */
  DpTrustFont *fonts;   /* per DpPage.fonts; NULL if none */
  gsize n_fonts;
} DpTrust;

/* Judges page; fills *out (clear with dp_trust_clear).  Linear in glyphs and images. */
void dp_trust_judge (const DpPage *page, DpTrust *out);
void dp_trust_clear (DpTrust *trust);

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (DpTrust, dp_trust_clear)

G_END_DECLS
