/* pipeline/pdf_pitch.c - fixed-pitch faces known by their advances.
 *
 * A name such as "NimbusMonL" or "ABCDEF+F3" does not say that a face is a typewriter's, but an i that is as wide as an m does.
 * Only ASCII is looked at, and fonts for Chinese or Japanese are left alone: in many of them all Latin letters are half as wide as
 * a character of the script, which says nothing.
 */
#include "pipeline/pdf_pitch.h"

#include <math.h>

/* Advances in em may differ by this share: numbers in a PDF are rounded, and a design for 12 points is narrower than that for 8. */
#define ALIKE 0.04f
/* One glyph in so many may be wider or narrower: a slanted f before an upright sign, a star that was moved, are given room. */
#define ODD_ONES 20u
/* Fewer different characters prove nothing. */
#define ENOUGH_CHARACTERS 6
/* CJK radicals; what follows in Unicode is mostly East Asian. */
#define FIRST_CJK 0x2e80

typedef struct {
  float usual;     /* advance in em of most glyphs, if one is */
  guint votes;     /* for it; Boyer and Moore's count of the majority */
  guint n, n_odd;  /* glyphs of ASCII, and how many of them have another advance */
  guint64 seen[2]; /* which of ASCII have the usual one */
  gboolean cjk;
} Pitch;

static const char narrow[] = "iljtfrI.,:;'!|()", wide[] = "mwMWABCDGHKNOQRU@%&";

static gboolean
counts (const DpGlyph *glyph)
{
  return glyph->angle == 0 && glyph->code > 0x20 && glyph->code < 0x7f && glyph->size > 0;
}

static gboolean
is_usual (const Pitch *pitch, float advance)
{
  return fabsf (advance - pitch->usual) <= ALIKE * pitch->usual;
}

static void
vote (Pitch *pitch, float advance)
{
  if (pitch->votes == 0)
    pitch->usual = advance;
  pitch->votes += is_usual (pitch, advance) ? 1 : -1u;
}

static void
compare (Pitch *pitch, gunichar code, float advance)
{
  pitch->n++;
  if (is_usual (pitch, advance))
    pitch->seen[code >> 6] |= G_GUINT64_CONSTANT (1) << (code & 63);
  else
    pitch->n_odd++;
}

static guint
n_seen (const Pitch *pitch)
{
  return (guint) (__builtin_popcountll (pitch->seen[0]) + __builtin_popcountll (pitch->seen[1]));
}

static gboolean
any_seen (const Pitch *pitch, const char *characters)
{
  for (const char *c = characters; *c; c++)
    if (pitch->seen[*c >> 6] >> (*c & 63) & 1)
      return TRUE;
  return FALSE;
}

static gboolean
is_fixed (const Pitch *pitch)
{
  return !pitch->cjk && n_seen (pitch) >= ENOUGH_CHARACTERS && any_seen (pitch, narrow) && any_seen (pitch, wide)
         && pitch->n_odd <= pitch->n / ODD_ONES;
}

void
dp_pdf_mark_pitch (DpPageArrays *page)
{
  g_autofree Pitch *pitches = g_new0 (Pitch, page->fonts->len + 1);

  for (guint i = 0; i < page->glyphs->len; i++) {
    const DpGlyph *glyph = &g_array_index (page->glyphs, DpGlyph, i);
    if (counts (glyph))
      vote (&pitches[glyph->font], dp_rect_width (glyph->box) / glyph->size);
    pitches[glyph->font].cjk |= glyph->code >= FIRST_CJK && glyph->code != 0xfffd;
  }
  for (guint i = 0; i < page->glyphs->len; i++) {
    const DpGlyph *glyph = &g_array_index (page->glyphs, DpGlyph, i);
    if (counts (glyph))
      compare (&pitches[glyph->font], glyph->code, dp_rect_width (glyph->box) / glyph->size);
  }
  for (guint f = 0; f < page->fonts->len; f++)
    if (is_fixed (&pitches[f]))
      g_array_index (page->fonts, DpFont, f).flags |= DP_GLYPH_MONO;
  for (guint i = 0; i < page->glyphs->len; i++) {
    DpGlyph *glyph = &g_array_index (page->glyphs, DpGlyph, i);
    glyph->flags |= (guint16) (g_array_index (page->fonts, DpFont, glyph->font).flags & DP_GLYPH_MONO);
  }
}
