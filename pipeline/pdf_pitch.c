/* pipeline/pdf_pitch.c - fixed-pitch faces known by their advances.
 *
 * A name such as "NimbusMonL" or "ABCDEF+F3" does not say that a face is a typewriter's, but an i that is as wide as an m does.
 * Only ASCII is looked at, and fonts for Chinese or Japanese are left alone: in many of them all Latin letters are half as wide as
 * a character of the script, which says nothing.
 */
#include "pipeline/pdf_pitch.h"

#include <string.h>

/* Advances in em may differ by this share of the widest: numbers in a PDF are rounded. */
#define ALIKE 0.02f
/* Fewer different characters prove nothing. */
#define ENOUGH_CHARACTERS 6
/* CJK radicals; what follows in Unicode is mostly East Asian. */
#define FIRST_CJK 0x2e80

typedef struct {
  float least, most; /* advance in em */
  guint64 seen[2];   /* which of ASCII */
  gboolean cjk;
} Pitch;

static const char narrow[] = "iljtfrI.,:;'!|()", wide[] = "mwMWABCDGHKNOQRU@%&";

static void
look (Pitch *pitch, const DpGlyph *glyph)
{
  const float advance = dp_rect_width (glyph->box) / glyph->size;

  if (pitch->most == 0)
    pitch->least = advance;
  pitch->least = MIN (pitch->least, advance);
  pitch->most = MAX (pitch->most, advance);
  pitch->seen[glyph->code >> 6] |= G_GUINT64_CONSTANT (1) << (glyph->code & 63);
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
         && pitch->most - pitch->least <= ALIKE * pitch->most;
}

void
dp_pdf_mark_pitch (DpPageArrays *page)
{
  g_autofree Pitch *pitches = g_new0 (Pitch, page->fonts->len + 1);

  for (guint i = 0; i < page->glyphs->len; i++) {
    const DpGlyph *glyph = &g_array_index (page->glyphs, DpGlyph, i);
    if (glyph->angle == 0 && glyph->code > 0x20 && glyph->code < 0x7f && glyph->size > 0)
      look (&pitches[glyph->font], glyph);
    pitches[glyph->font].cjk |= glyph->code >= FIRST_CJK && glyph->code != 0xfffd;
  }
  for (guint f = 0; f < page->fonts->len; f++)
    if (is_fixed (&pitches[f]))
      g_array_index (page->fonts, DpFont, f).flags |= DP_GLYPH_MONO;
  for (guint i = 0; i < page->glyphs->len; i++) {
    DpGlyph *glyph = &g_array_index (page->glyphs, DpGlyph, i);
    glyph->flags |= (guint16) (g_array_index (page->fonts, DpFont, glyph->font).flags & DP_GLYPH_MONO);
  }
}
