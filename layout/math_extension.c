/* layout/math_extension.c - see math_extension.h; codes are those of Knuth's cmex10, heights and advances from its TFM file.
 *
 * Some producers number the glyphs of a font anew when they make a subset.  Those whose names Adobe's glyph list knows then come
 * with their character, the others with a number that says nothing, and both may be the code of something else in the encoding.
 * But a glyph still advances as it did: a font most of whose advances are not those of its codes is read by its advances.
 */
#include "layout/math_extension.h"

#include <math.h>
#include <string.h>

#define BIG_1 0.04f, 1.16f
#define BIG_2 0.04f, 1.76f
#define BIG_3 0.04f, 2.36f
#define BIG_4 0.04f, 2.96f

/* OMX; heights from cmex10.tfm. */
static const DpMathExtension extension[] = {
  { 0x00, 0x00, '(', DP_ATOM_OPEN, BIG_1 },
  { 0x01, 0x01, ')', DP_ATOM_CLOSE, BIG_1 },
  { 0x02, 0x02, '[', DP_ATOM_OPEN, BIG_1 },
  { 0x03, 0x03, ']', DP_ATOM_CLOSE, BIG_1 },
  { 0x04, 0x04, 0x230a, DP_ATOM_OPEN, BIG_1 },
  { 0x05, 0x05, 0x230b, DP_ATOM_CLOSE, BIG_1 },
  { 0x06, 0x06, 0x2308, DP_ATOM_OPEN, BIG_1 },
  { 0x07, 0x07, 0x2309, DP_ATOM_CLOSE, BIG_1 },
  { 0x08, 0x08, '{', DP_ATOM_OPEN, BIG_1 },
  { 0x09, 0x09, '}', DP_ATOM_CLOSE, BIG_1 },
  { 0x0a, 0x0a, 0x27e8, DP_ATOM_OPEN, BIG_1 },
  { 0x0b, 0x0b, 0x27e9, DP_ATOM_CLOSE, BIG_1 },
  { 0x0c, 0x0c, '|', DP_ATOM_PIECE, 0, 0.6f },
  { 0x0d, 0x0d, 0x2225, DP_ATOM_PIECE, 0, 0.6f },
  { 0x0e, 0x0e, '/', DP_ATOM_ORD, BIG_1 },
  { 0x0f, 0x0f, '\\', DP_ATOM_ORD, BIG_1 },
  { 0x10, 0x10, '(', DP_ATOM_OPEN, BIG_2 },
  { 0x11, 0x11, ')', DP_ATOM_CLOSE, BIG_2 },
  { 0x12, 0x12, '(', DP_ATOM_OPEN, BIG_3 },
  { 0x13, 0x13, ')', DP_ATOM_CLOSE, BIG_3 },
  { 0x14, 0x14, '[', DP_ATOM_OPEN, BIG_3 },
  { 0x15, 0x15, ']', DP_ATOM_CLOSE, BIG_3 },
  { 0x16, 0x16, 0x230a, DP_ATOM_OPEN, BIG_3 },
  { 0x17, 0x17, 0x230b, DP_ATOM_CLOSE, BIG_3 },
  { 0x18, 0x18, 0x2308, DP_ATOM_OPEN, BIG_3 },
  { 0x19, 0x19, 0x2309, DP_ATOM_CLOSE, BIG_3 },
  { 0x1a, 0x1a, '{', DP_ATOM_OPEN, BIG_3 },
  { 0x1b, 0x1b, '}', DP_ATOM_CLOSE, BIG_3 },
  { 0x1c, 0x1c, 0x27e8, DP_ATOM_OPEN, BIG_3 },
  { 0x1d, 0x1d, 0x27e9, DP_ATOM_CLOSE, BIG_3 },
  { 0x1e, 0x1e, '/', DP_ATOM_ORD, BIG_3 },
  { 0x1f, 0x1f, '\\', DP_ATOM_ORD, BIG_3 },
  { 0x20, 0x20, '(', DP_ATOM_OPEN, BIG_4 },
  { 0x21, 0x21, ')', DP_ATOM_CLOSE, BIG_4 },
  { 0x22, 0x22, '[', DP_ATOM_OPEN, BIG_4 },
  { 0x23, 0x23, ']', DP_ATOM_CLOSE, BIG_4 },
  { 0x24, 0x24, 0x230a, DP_ATOM_OPEN, BIG_4 },
  { 0x25, 0x25, 0x230b, DP_ATOM_CLOSE, BIG_4 },
  { 0x26, 0x26, 0x2308, DP_ATOM_OPEN, BIG_4 },
  { 0x27, 0x27, 0x2309, DP_ATOM_CLOSE, BIG_4 },
  { 0x28, 0x28, '{', DP_ATOM_OPEN, BIG_4 },
  { 0x29, 0x29, '}', DP_ATOM_CLOSE, BIG_4 },
  { 0x2a, 0x2a, 0x27e8, DP_ATOM_OPEN, BIG_4 },
  { 0x2b, 0x2b, 0x27e9, DP_ATOM_CLOSE, BIG_4 },
  { 0x2c, 0x2c, '/', DP_ATOM_ORD, BIG_4 },
  { 0x2d, 0x2d, '\\', DP_ATOM_ORD, BIG_4 },
  { 0x2e, 0x2e, '/', DP_ATOM_ORD, BIG_2 },
  { 0x2f, 0x2f, '\\', DP_ATOM_ORD, BIG_2 },
  { 0x30, 0x30, '(', DP_ATOM_PIECE, BIG_2 },
  { 0x31, 0x31, ')', DP_ATOM_PIECE, BIG_2 },
  { 0x32, 0x32, '[', DP_ATOM_PIECE, BIG_2 },
  { 0x33, 0x33, ']', DP_ATOM_PIECE, BIG_2 },
  { 0x34, 0x34, '[', DP_ATOM_PIECE, BIG_2 },
  { 0x35, 0x35, ']', DP_ATOM_PIECE, BIG_2 },
  { 0x36, 0x36, '[', DP_ATOM_PIECE, 0, 0.6f },
  { 0x37, 0x37, ']', DP_ATOM_PIECE, 0, 0.6f },
  { 0x38, 0x38, '{', DP_ATOM_PIECE, 0, 0.9f },
  { 0x39, 0x39, '}', DP_ATOM_PIECE, 0, 0.9f },
  { 0x3a, 0x3a, '{', DP_ATOM_PIECE, 0, 0.9f },
  { 0x3b, 0x3b, '}', DP_ATOM_PIECE, 0, 0.9f },
  { 0x3c, 0x3c, '{', DP_ATOM_PIECE, 0, 1.8f },
  { 0x3d, 0x3d, '}', DP_ATOM_PIECE, 0, 1.8f },
  { 0x3e, 0x3e, '{', DP_ATOM_PIECE, 0, 0.3f },
  { 0x40, 0x40, '(', DP_ATOM_PIECE, BIG_2 },
  { 0x41, 0x41, ')', DP_ATOM_PIECE, BIG_2 },
  { 0x42, 0x42, '(', DP_ATOM_PIECE, 0, 0.6f },
  { 0x43, 0x43, ')', DP_ATOM_PIECE, 0, 0.6f },
  { 0x44, 0x44, 0x27e8, DP_ATOM_OPEN, BIG_2 },
  { 0x45, 0x45, 0x27e9, DP_ATOM_CLOSE, BIG_2 },
  { 0x46, 0x46, 0x2a06, DP_ATOM_OP, 0, 1.0f },
  { 0x47, 0x47, 0x2a06, DP_ATOM_OP, 0.1f, 1.5f },
  { 0x48, 0x48, 0x222e, DP_ATOM_OP, 0, 1.11f },
  { 0x49, 0x49, 0x222e, DP_ATOM_OP, 0, 2.22f },
  { 0x4a, 0x4a, 0x2a00, DP_ATOM_OP, 0, 1.0f },
  { 0x4b, 0x4b, 0x2a00, DP_ATOM_OP, 0.1f, 1.5f },
  { 0x4c, 0x4c, 0x2a01, DP_ATOM_OP, 0, 1.0f },
  { 0x4d, 0x4d, 0x2a01, DP_ATOM_OP, 0.1f, 1.5f },
  { 0x4e, 0x4e, 0x2a02, DP_ATOM_OP, 0, 1.0f },
  { 0x4f, 0x4f, 0x2a02, DP_ATOM_OP, 0.1f, 1.5f },
  { 0x50, 0x50, 0x2211, DP_ATOM_OP, 0, 1.0f },
  { 0x51, 0x51, 0x220f, DP_ATOM_OP, 0, 1.0f },
  { 0x52, 0x52, 0x222b, DP_ATOM_OP, 0, 1.11f },
  { 0x53, 0x53, 0x22c3, DP_ATOM_OP, 0, 1.0f },
  { 0x54, 0x54, 0x22c2, DP_ATOM_OP, 0, 1.0f },
  { 0x55, 0x55, 0x2a04, DP_ATOM_OP, 0, 1.0f },
  { 0x56, 0x56, 0x22c0, DP_ATOM_OP, 0, 1.0f },
  { 0x57, 0x57, 0x22c1, DP_ATOM_OP, 0, 1.0f },
  { 0x58, 0x58, 0x2211, DP_ATOM_OP, 0, 1.4f },
  { 0x59, 0x59, 0x220f, DP_ATOM_OP, 0, 1.4f },
  { 0x5a, 0x5a, 0x222b, DP_ATOM_OP, 0, 2.22f },
  { 0x5b, 0x5b, 0x22c3, DP_ATOM_OP, 0, 1.4f },
  { 0x5c, 0x5c, 0x22c2, DP_ATOM_OP, 0, 1.4f },
  { 0x5d, 0x5d, 0x2a04, DP_ATOM_OP, 0, 1.4f },
  { 0x5e, 0x5e, 0x22c0, DP_ATOM_OP, 0, 1.4f },
  { 0x5f, 0x5f, 0x22c1, DP_ATOM_OP, 0, 1.4f },
  { 0x60, 0x60, 0x2210, DP_ATOM_OP, 0, 1.0f },
  { 0x61, 0x61, 0x2210, DP_ATOM_OP, 0, 1.4f },
  { 0x62, 0x64, 0x0302, DP_ATOM_ACCENT, 0.75f, -0.55f },
  { 0x65, 0x67, 0x0303, DP_ATOM_ACCENT, 0.75f, -0.55f },
  { 0x68, 0x68, '[', DP_ATOM_OPEN, BIG_2 },
  { 0x69, 0x69, ']', DP_ATOM_CLOSE, BIG_2 },
  { 0x6a, 0x6a, 0x230a, DP_ATOM_OPEN, BIG_2 },
  { 0x6b, 0x6b, 0x230b, DP_ATOM_CLOSE, BIG_2 },
  { 0x6c, 0x6c, 0x2308, DP_ATOM_OPEN, BIG_2 },
  { 0x6d, 0x6d, 0x2309, DP_ATOM_CLOSE, BIG_2 },
  { 0x6e, 0x6e, '{', DP_ATOM_OPEN, BIG_2 },
  { 0x6f, 0x6f, '}', DP_ATOM_CLOSE, BIG_2 },
  { 0x70, 0x70, 0x221a, DP_ATOM_RADICAL, BIG_1 },
  { 0x71, 0x71, 0x221a, DP_ATOM_RADICAL, BIG_2 },
  { 0x72, 0x72, 0x221a, DP_ATOM_RADICAL, BIG_3 },
  { 0x73, 0x73, 0x221a, DP_ATOM_RADICAL, BIG_4 },
  { 0x74, 0x74, 0x221a, DP_ATOM_PIECE, BIG_2 },
  { 0x75, 0x76, 0x221a, DP_ATOM_PIECE, 0.04f, 0.6f },
};

/* Pieces of tall delimiters that Adobe's names put into the private use area, and Unicode's own. */

/* Advances in thousandths of an em. */
static const guint16 advances[0x80] = {
  458,  458,  417,  417,  472,  472,  472,  472,  583,  583,  472,  472,  333,  556,  578,  578,  597, 597, 736, 736, 528, 528,
  583,  583,  583,  583,  750,  750,  750,  750,  1044, 1044, 792,  792,  583,  583,  639,  639,  639, 639, 806, 806, 806, 806,
  1278, 1278, 811,  811,  875,  875,  667,  667,  667,  667,  667,  667,  889,  889,  889,  889,  889, 889, 889, 667, 875, 875,
  875,  875,  611,  611,  833,  1111, 472,  556,  1111, 1511, 1111, 1511, 1111, 1511, 1056, 944,  472, 833, 833, 833, 833, 833,
  1444, 1278, 556,  1111, 1111, 1111, 1111, 1111, 944,  1278, 556,  1000, 1444, 556,  1000, 1444, 472, 472, 528, 528, 528, 528,
  667,  667,  1000, 1000, 1000, 1000, 1056, 1056, 1056, 778,  667,  667,  450,  450,  450,  450,  778, 778,
};

#define CODES 0x80u
#define NEAR 12.0f    /* thousandths of an em: boxes are rounded */
#define LEAST 0.3f    /* em: nothing in the font is narrower; a narrower box is shared with another glyph */
#define UNKNOWN 0xffu /* codes[]: nobody can say */

typedef struct {
  gsize font;
  guint8 codes[CODES];  /* of the encoding, by the producer's */
  float advance[CODES]; /* em; 0: not seen */
} Font;

struct DpMathNumbers {
  GArray *fonts; /* Font */
};

const DpMathExtension *
dp_math_extension (gunichar code)
{
  for (guint i = 0; i < G_N_ELEMENTS (extension); i++)
    if (code >= extension[i].first && code <= extension[i].last)
      return &extension[i];
  return NULL;
}

static gboolean
advances_as (guint code, float em)
{
  return fabsf (1000 * em - (float) advances[code]) <= NEAR;
}

/* The glyph that a code, if it is a character, and an advance fit. */
static guint8
code_of (guint character, float em)
{
  for (guint i = 0; i < G_N_ELEMENTS (extension); i++)
    if (extension[i].ch == character && advances_as (extension[i].first, em))
      return extension[i].first;
  return advances_as (0x0c, em) ? 0x0c : UNKNOWN; /* the bar: it has no name in the list, and nothing else is as narrow */
}

/* Reads a font by its advances if most of them are not those of its codes. */
static gboolean
is_renumbered (Font *font)
{
  guint seen = 0, strange = 0;

  for (guint c = 0; c < CODES; c++)
    if (font->advance[c] > 0) {
      seen++;
      strange += !advances_as (c, font->advance[c]);
    }
  if (2 * strange <= seen)
    return FALSE;
  for (guint c = 0; c < CODES; c++)
    font->codes[c] = font->advance[c] > 0 ? code_of (c, font->advance[c]) : UNKNOWN;
  return TRUE;
}

static Font *
font_at (const DpMathNumbers *numbers, gsize index)
{
  for (guint i = 0; i < numbers->fonts->len; i++)
    if (g_array_index (numbers->fonts, Font, i).font == index)
      return &g_array_index (numbers->fonts, Font, i);
  return NULL;
}

DpMathNumbers *
dp_math_numbers_new (const DpPage *page, const DpMathFont *fonts)
{
  DpMathNumbers *numbers = g_new0 (DpMathNumbers, 1);

  numbers->fonts = g_array_new (FALSE, TRUE, sizeof (Font));
  for (gsize i = 0; i < page->n_fonts; i++)
    if (fonts[i] == DP_MATH_FONT_EXTENSION && strstr (dp_page_string (page, page->fonts[i].name), "CMEX10"))
      g_array_append_val (numbers->fonts, ((Font){ .font = i }));
  for (gsize i = 0; i < page->n_glyphs && numbers->fonts->len; i++) {
    const DpGlyph *g = &page->glyphs[i];
    const float em = g->size > 0 ? dp_rect_width (g->box) / g->size : 0;
    Font *font = g->code < CODES && em > LEAST && isfinite (em) ? font_at (numbers, g->font) : NULL;
    if (font)
      font->advance[g->code] = em;
  }
  for (guint i = numbers->fonts->len; i-- > 0;)
    if (!is_renumbered (&g_array_index (numbers->fonts, Font, i)))
      g_array_remove_index_fast (numbers->fonts, i);
  if (numbers->fonts->len)
    return numbers;
  dp_math_numbers_free (numbers);
  return NULL;
}

void
dp_math_numbers_free (DpMathNumbers *numbers)
{
  if (!numbers)
    return;
  g_array_unref (numbers->fonts);
  g_free (numbers);
}

void
dp_math_numbers_mend (const DpMathNumbers *numbers, DpGlyph *glyph)
{
  const Font *font = numbers && glyph->code < CODES ? font_at (numbers, glyph->font) : NULL;

  if (!font)
    return;
  if (dp_rect_width (glyph->box) < LEAST * glyph->size)
    glyph->box.x1 = glyph->box.x0 + font->advance[glyph->code] * glyph->size;
  glyph->code = font->codes[glyph->code] == UNKNOWN ? 0xfffd : font->codes[glyph->code];
}
