/* layout/math_fonts.c - what a glyph of a mathematical font stands for.
 *
 * TeX's symbol fonts carry no Unicode: poppler names what Adobe's glyph list names and passes
 * raw codes for the rest, so codes are read by the encodings of the fonts: OML, OMS and OMX
 * (The TeXbook, appendix F; the LaTeX fonts guide encguide.pdf keeps the tables).  OMX glyphs
 * hang from their baseline and say nothing of their height: the heights of cmex10.tfm hold for
 * all fonts of that encoding.
 */
#include "layout/latex.h"
#include "layout/math_extension.h"
#include "layout/text.h"

#include <string.h>

/* ---- families ------------------------------------------------------------------------------- */

/* Searched in this order in the upper-case name. */
static const struct {
  const char *part;
  DpMathFont font;
} families[] = {
  { "MATHA", DP_MATH_FONT_ABX },
  { "MATHB1", DP_MATH_FONT_ABX },
  { "CMEX", DP_MATH_FONT_EXTENSION },
  { "MATHEXTENSION", DP_MATH_FONT_EXTENSION },
  { "TXEX", DP_MATH_FONT_EXTENSION },
  { "PXEX", DP_MATH_FONT_EXTENSION },
  { "EUEX", DP_MATH_FONT_EXTENSION },
  { "-M-EX", DP_MATH_FONT_EXTENSION },
  { "REGULAR-EXTENSION", DP_MATH_FONT_EXTENSION },
  { "MTEX", DP_MATH_FONT_EXTENSION },
  { "MATHX", DP_MATH_FONT_EXTENSION },
  { "CMMI", DP_MATH_FONT_ITALIC },
  { "MATHITALIC", DP_MATH_FONT_ITALIC },
  { "RTXMI", DP_MATH_FONT_ITALIC },
  { "RTXBMI", DP_MATH_FONT_ITALIC },
  { "TXMI", DP_MATH_FONT_ITALIC },
  { "PXMI", DP_MATH_FONT_ITALIC },
  { "RPXMI", DP_MATH_FONT_ITALIC },
  { "-M-ITALIC", DP_MATH_FONT_ITALIC },
  { "-M-BOLD-ITALIC", DP_MATH_FONT_ITALIC },
  { "EURM", DP_MATH_FONT_ITALIC },
  { "EURB", DP_MATH_FONT_ITALIC },
  { "MTMI", DP_MATH_FONT_ITALIC },
  { "CMSY", DP_MATH_FONT_SYMBOL },
  { "CMBSY", DP_MATH_FONT_SYMBOL },
  { "MATHSYMBOLS", DP_MATH_FONT_SYMBOL },
  { "TXSY", DP_MATH_FONT_SYMBOL },
  { "PXSY", DP_MATH_FONT_SYMBOL },
  { "TXBSY", DP_MATH_FONT_SYMBOL },
  { "-M-SY", DP_MATH_FONT_SYMBOL },
  { "REGULAR-SYMBOL", DP_MATH_FONT_SYMBOL },
  { "BOLD-SYMBOL", DP_MATH_FONT_SYMBOL },
  { "MTSY", DP_MATH_FONT_SYMBOL },
  { "EUSM", DP_MATH_FONT_SYMBOL },
  { "EUSB", DP_MATH_FONT_SYMBOL },
  { "MSBM", DP_MATH_FONT_BLACKBOARD },
  { "SYMBOLA", DP_MATH_FONT_BLACKBOARD },
  { "TXSYB", DP_MATH_FONT_BLACKBOARD },
  { "BBOLD", DP_MATH_FONT_BLACKBOARD },
  { "DSROM", DP_MATH_FONT_BLACKBOARD },
  { "BBM", DP_MATH_FONT_BLACKBOARD },
  { "MSAM", DP_MATH_FONT_PI },
  { "EUFM", DP_MATH_FONT_FRAKTUR },
  { "EUFB", DP_MATH_FONT_FRAKTUR },
  { "RSFS", DP_MATH_FONT_SCRIPT },
  { "CALLIGRA", DP_MATH_FONT_SCRIPT },
  { "SCRIPT10", DP_MATH_FONT_SCRIPT },
  { "RTXR", DP_MATH_FONT_ROMAN },
  { "RPXR", DP_MATH_FONT_ROMAN },
  { "-M-REGULAR", DP_MATH_FONT_ROMAN },
  { "REGULAR-OT1", DP_MATH_FONT_ROMAN },
  { "MATHDESIGN", DP_MATH_FONT_ROMAN },
  { "MATH", DP_MATH_FONT_UNICODE },
  { "SYMBOL", DP_MATH_FONT_PI },
  { "MT-EXTRA", DP_MATH_FONT_PI },
  { "MTEXTRA", DP_MATH_FONT_PI },
  { "EUCLIDEXTRA", DP_MATH_FONT_PI },
  { "STIX", DP_MATH_FONT_PI },
};

DpMathFont
dp_math_font (const char *name)
{
  g_autofree char *upper = g_ascii_strup (name ? name : "", -1);

  for (guint i = 0; i < G_N_ELEMENTS (families); i++)
    if (strstr (upper, families[i].part))
      return families[i].font;
  return DP_MATH_FONT_NONE;
}

/* ---- TeX's encodings --------------------------------------------------------------------------- */

/* OMS from 0x30: codes whose names Adobe's list lacks come through as they are. */
static const guint16 oms_digits[] = { 0x2032, 0x221e, 0x2208, 0x220b, 0x25b3, 0x25bd, 0x0338, 0x21a6, 0x2200, 0x2203 };
static const guint16 oms_lower[]
    = { 0x22a3, 0x230a, 0x230b, 0x2308, 0x2309, '{',    '}',    0x27e8, 0x27e9, '|',    0x2225, 0x2195, 0x21d5,
        '\\',   0x2240, 0x221a, 0x2210, 0x2207, 0x222b, 0x2294, 0x2293, 0x2291, 0x2292, 0xa7,   0x2020, 0x2021 };

static gunichar
piece_of (gunichar c)
{
  if ((c >= 0xf8eb && c <= 0xf8ed) || (c >= 0x239b && c <= 0x239d))
    return '(';
  if ((c >= 0xf8f6 && c <= 0xf8f8) || (c >= 0x239e && c <= 0x23a0))
    return ')';
  if ((c >= 0xf8ee && c <= 0xf8f0) || (c >= 0x23a1 && c <= 0x23a3))
    return '[';
  if ((c >= 0xf8f9 && c <= 0xf8fb) || (c >= 0x23a4 && c <= 0x23a6))
    return ']';
  if ((c >= 0xf8f1 && c <= 0xf8f4) || (c >= 0x23a7 && c <= 0x23aa))
    return '{';
  if ((c >= 0xf8fc && c <= 0xf8fe) || (c >= 0x23ab && c <= 0x23ad))
    return '}';
  return 0;
}

static float
piece_depth (gunichar c)
{
  switch (c) {
  case 0xf8f2:
  case 0x23a8:
  case 0xf8fd:
  case 0x23ac: return 1.8f; /* middle of a brace */
  case 0xf8f1:
  case 0xf8f3:
  case 0xf8fc:
  case 0xf8fe: return 0.9f;
  case 0xf8f4:
  case 0x23aa: return 0.3f;
  case 0xf8ec:
  case 0xf8ef:
  case 0xf8f7:
  case 0xf8fa: return 0.6f;
  default: return 1.76f;
  }
}

/* mathabx: its symbols come under the names of the T1 encoding's letters. */
static const guint16 abx[][2] = {
  { '$', 0x22a2 },    { '1', 0x2032 },    { '8', 0x221e },    { '@', 0x2200 },    { 'B', 0x2202 },    { 'D', 0x2203 },   { 'H', 0x2205 },
  { 'J', 0x22a4 },    { 'K', 0x22a5 },    { 'P', 0x2208 },    { 'R', 0x2209 },    { 'X', 0x2229 },    { 'Y', 0x222a },   { '^', 0x2227 },
  { '_', 0x2228 },    { '`', '+' },       { 'a', 0x2296 },    { 'b', 0x2297 },    { 'd', 0x2299 },    { 'p', '(' },      { 'q', ')' },
  { 'r', '[' },       { 's', ']' },       { 't', '{' },       { 'u', '}' },       { 'x', 0x27e8 },    { 'y', 0x27e9 },   { 'z', 0x2216 },
  { '}', 0x2225 },    { 0xa8, 0x22c5 },   { 0xab, 0x2248 },   { 0xaf, 0x2213 },   { 0xb4, 0x2212 },   { 0xbb, 0x2243 },  { 0xd0, 0x2190 },
  { 0xd1, 0x2192 },   { 0xde, 0x21a6 },   { 0xf0, 0x21d0 },   { 0xf1, 0x21d2 },   { 0xf4, 0x21d4 },   { 0x102, 0x2282 }, { 0x103, '<' },
  { 0x104, 0x2283 },  { 0x105, '>' },     { 0x10e, 0x2286 },  { 0x10f, 0x2264 },  { 0x11a, 0x2287 },  { 0x11b, 0x2265 }, { 0x2c6, 0xd7 },
  { 0x2d8, 0xb1 },    { 0x2da, 0x2217 },  { 0x2dd, 0x2218 },  { 0x2013, 0x2245 }, { 0x2018, 0x2295 }, { 0x201c, '=' },   { 0x201d, 0x2261 },
  { 0x201e, 0x223c }, { 0x2030, 0x2260 }, { 0x2039, 0x22c6 },
};

static gunichar
abx_code (gunichar c)
{
  for (guint i = 0; i < G_N_ELEMENTS (abx); i++)
    if (abx[i][0] == c)
      return abx[i][1];
  return c == '|' ? c : 0xfffd;
}

/* ---- kinds and ink of plain characters ------------------------------------------------------------ */

static const gunichar large_operators[]
    = { 0x2211, 0x220f, 0x2210, 0x222b, 0x222c, 0x222d, 0x222e, 0x22c0, 0x22c1, 0x22c2, 0x22c3, 0x2a00, 0x2a01, 0x2a02, 0x2a04, 0x2a06 };

static gboolean
is_relation (gunichar c)
{
  if (c < 0x80)
    return strchr ("=<>:", (int) c) != NULL && c;
  return (c >= 0x2190 && c <= 0x21ff) || (c >= 0x2208 && c <= 0x220d) || c == 0x221d || (c >= 0x2223 && c <= 0x2226)
         || (c >= 0x2234 && c <= 0x228b && c != 0x2240) || (c >= 0x228f && c <= 0x2292) || (c >= 0x22a2 && c <= 0x22af)
         || (c >= 0x22b0 && c <= 0x22b8) || (c >= 0x22c8 && c <= 0x22ed && c != 0x22ce && c != 0x22cf) || (c >= 0x27f5 && c <= 0x27ff)
         || (c >= 0x2a7d && c <= 0x2ae0);
}

static gboolean
is_binary (gunichar c)
{
  if (c < 0x80)
    return c && strchr ("+-*", (int) c) != NULL;
  return c == 0xb1 || c == 0xb7 || c == 0xd7 || c == 0xf7 || c == 0x2022 || c == 0x25e6 || (c >= 0x2212 && c <= 0x2219)
         || (c >= 0x2227 && c <= 0x222a) || c == 0x2240 || (c >= 0x228c && c <= 0x228e) || (c >= 0x2293 && c <= 0x22a1)
         || (c >= 0x22c4 && c <= 0x22c7) || c == 0x29f5;
}

static guint8
kind_of (gunichar c)
{
  for (guint i = 0; i < G_N_ELEMENTS (large_operators); i++)
    if (large_operators[i] == c)
      return DP_ATOM_OP;
  switch (c) {
  case '(':
  case '[':
  case '{':
  case 0x2308:
  case 0x230a:
  case 0x2329:
  case 0x27e8: return DP_ATOM_OPEN;
  case ')':
  case ']':
  case '}':
  case 0x2309:
  case 0x230b:
  case 0x232a:
  case 0x27e9: return DP_ATOM_CLOSE;
  case '|':
  case 0x2016:
  case 0x2223:
  case 0x2225: return DP_ATOM_FENCE;
  case ',':
  case ';':
  case '.': return DP_ATOM_PUNCT;
  case 0x221a: return DP_ATOM_RADICAL;
  case 0x0338: return DP_ATOM_SLASH;
  default: return is_relation (c) ? DP_ATOM_REL : is_binary (c) ? DP_ATOM_BIN : DP_ATOM_ORD;
  }
}

/* The combining character of a free-standing accent, or 0. */
static gunichar
accent_of (gunichar c)
{
  switch (c) {
  case 0x02c6: return 0x0302;
  case 0x02dc: return 0x0303;
  case 0x00af:
  case 0x02c9: return 0x0304;
  case 0x02d9: return 0x0307;
  case 0x00a8: return 0x0308;
  case 0x02c7: return 0x030c;
  case 0x02d8: return 0x0306;
  case 0x02da: return 0x030a;
  case 0x00b4:
  case 0x02ca: return 0x0301;
  case 0x02cb: return 0x0300;
  default: return c == 0x20d7 || (c >= 0x0300 && c <= 0x030c) ? c : 0;
  }
}

/* Height and depth in em, as letters usually have them. */
static void
ink_of (gunichar c, guint8 kind, float *height, float *depth)
{
  *height = 0.69f;
  *depth = 0;
  if (kind == DP_ATOM_OPEN || kind == DP_ATOM_CLOSE || kind == DP_ATOM_FENCE || c == '/')
    *height = 0.75f, *depth = 0.25f;
  else if (kind == DP_ATOM_RADICAL)
    *height = 0.04f, *depth = 0.96f;
  else if (kind == DP_ATOM_ACCENT)
    *height = 0.72f, *depth = -0.52f;
  else if (kind == DP_ATOM_OP)
    *height = 0.95f, *depth = 0.45f;
  else if (kind == DP_ATOM_PUNCT)
    *height = 0.12f, *depth = c == '.' ? 0 : 0.19f;
  else if (c == 0x2212 || c == '-' || c == 0xb7 || c == 0x22c5)
    *height = 0.35f, *depth = -0.18f;
  else if (kind == DP_ATOM_REL || kind == DP_ATOM_BIN)
    *height = 0.52f, *depth = 0.04f;
  else if (c == 0x2032)
    *height = 0.56f;
  else if (g_unichar_islower (c) && c < 0x250) {
    *height = c < 0x80 && !strchr ("bdfhklit", (int) c) ? 0.44f : 0.69f;
    *depth = c < 0x80 && strchr ("gjpqy", (int) c) ? 0.2f : 0;
  } else if (c >= 0x3b1 && c <= 0x3f5) {
    static const gunichar tall[] = { 0x3b2, 0x3b4, 0x3b6, 0x3b8, 0x3bb, 0x3be, 0x3c8, 0x3d1, 0x3d5 };
    static const gunichar deep[] = { 0x3b2, 0x3b3, 0x3b6, 0x3b7, 0x3bc, 0x3be, 0x3c1, 0x3c6, 0x3c7, 0x3c8, 0x3d5 };
    *height = 0.44f;
    for (guint i = 0; i < G_N_ELEMENTS (tall); i++)
      *height = tall[i] == c ? 0.69f : *height;
    for (guint i = 0; i < G_N_ELEMENTS (deep); i++)
      *depth = deep[i] == c ? 0.2f : *depth;
  }
}

static void
set_ink (DpMathAtom *atom, float height, float depth)
{
  atom->box.y0 = atom->base - height * atom->size;
  atom->box.y1 = atom->base + depth * atom->size;
}

/* ---- letters ------------------------------------------------------------------------------------------ */

/* Unicode's mathematical alphabets, U+1D400 on: one face per 52 letters. */
static guint8
alphabet_face (gunichar c, guint8 face)
{
  static const guint8 latin[] = { DP_FACE_BOLD,    DP_FACE_ITALIC,     DP_FACE_BOLD_ITALIC, DP_FACE_CALLIGRAPHIC, DP_FACE_CALLIGRAPHIC,
                                  DP_FACE_FRAKTUR, DP_FACE_BLACKBOARD, DP_FACE_FRAKTUR,     DP_FACE_SANS,         DP_FACE_SANS,
                                  DP_FACE_SANS,    DP_FACE_SANS,       DP_FACE_MONO };

  if (c >= 0x1d400 && c < 0x1d6a4)
    return latin[(c - 0x1d400) / 52];
  if (c >= 0x1d6a8 && c < 0x1d7ca)
    return (c - 0x1d6a8) / 58 == 1 ? DP_FACE_ITALIC : (c - 0x1d6a8) / 58 == 0 ? DP_FACE_BOLD : DP_FACE_BOLD_ITALIC;
  if (c >= 0x1d7ce && c <= 0x1d7ff)
    return c < 0x1d7d8 ? DP_FACE_BOLD : c < 0x1d7e2 ? DP_FACE_BLACKBOARD : c < 0x1d7f6 ? DP_FACE_SANS : DP_FACE_MONO;
  switch (c) {
  case 0x210e: return DP_FACE_ITALIC;
  case 0x2102:
  case 0x210d:
  case 0x2115:
  case 0x2119:
  case 0x211a:
  case 0x211d:
  case 0x2124: return DP_FACE_BLACKBOARD;
  case 0x210b:
  case 0x2110:
  case 0x2112:
  case 0x211b:
  case 0x212c:
  case 0x2130:
  case 0x2131:
  case 0x2133: return DP_FACE_CALLIGRAPHIC;
  case 0x210c:
  case 0x2128:
  case 0x212d: return DP_FACE_FRAKTUR;
  default: return face;
  }
}

/* A letter of an alphabet becomes the plain letter and a face; an accented letter its parts. */
static void
plain_letter (DpMathAtom *atom)
{
  gunichar parts[4];
  gsize n;

  if (atom->ch >= 0x1d400 || (atom->ch >= 0x2102 && atom->ch <= 0x2133 && atom->ch != 0x210f && atom->ch != 0x2113 && atom->ch != 0x2126)) {
    atom->face = alphabet_face (atom->ch, atom->face);
    n = g_unichar_fully_decompose (atom->ch, TRUE, parts, G_N_ELEMENTS (parts));
    atom->ch = n == 1 ? parts[0] : atom->ch;
  } else if (atom->ch >= 0xc0 && g_unichar_isalpha (atom->ch)) {
    n = g_unichar_fully_decompose (atom->ch, FALSE, parts, G_N_ELEMENTS (parts));
    if (n == 2 && g_unichar_ismark (parts[1])) {
      atom->ch = parts[0];
      atom->accent = parts[1];
    }
  }
  switch (atom->ch) {
  case 0xb5: atom->ch = 0x3bc; break;
  case 0x2126: atom->ch = 0x3a9; break;
  case 0x2206: atom->ch = 0x394; break;
  case 0x2329: atom->ch = 0x27e8; break;
  case 0x232a: atom->ch = 0x27e9; break;
  case 0x2223: atom->ch = '|'; break;
  case 0x2016: atom->ch = 0x2225; break;
  default: break;
  }
}

/* The face that a glyph's own font gives. */
static guint8
font_face (DpMathFont font, const char *name, const DpGlyph *glyph)
{
  gboolean bold = (glyph->flags & DP_GLYPH_BOLD) != 0, italic = (glyph->flags & DP_GLYPH_ITALIC) != 0;

  switch (font) {
  case DP_MATH_FONT_ITALIC: return bold ? DP_FACE_BOLD_ITALIC : DP_FACE_ITALIC;
  case DP_MATH_FONT_BLACKBOARD: return DP_FACE_BLACKBOARD;
  case DP_MATH_FONT_FRAKTUR: return DP_FACE_FRAKTUR;
  case DP_MATH_FONT_SCRIPT:
  case DP_MATH_FONT_SYMBOL: return DP_FACE_CALLIGRAPHIC;
  default: break;
  }
  if (glyph->flags & DP_GLYPH_MONO)
    return DP_FACE_MONO;
  if (bold)
    return italic ? DP_FACE_BOLD_ITALIC : DP_FACE_BOLD;
  if (italic)
    return DP_FACE_ITALIC;
  return strstr (name, "CMSS") || strstr (name, "LMSans") || g_str_has_prefix (name, "Sf-") ? DP_FACE_SANS : DP_FACE_ROMAN;
}

/* ---- atoms ------------------------------------------------------------------------------------------------ */

static gboolean
extension_atom (DpMathAtom *atom, gunichar code)
{
  const DpMathExtension *e = dp_math_extension (code == 0x80 ? 0 : code); /* pipeline/pdf_match.c: code 0 */

  if (!e)
    return FALSE;
  atom->ch = e->ch;
  atom->kind = e->kind;
  atom->big = e->kind != DP_ATOM_ACCENT;
  set_ink (atom, e->height, e->depth);
  return TRUE;
}

static gunichar
symbol_code (gunichar c)
{
  if (c >= '0' && c <= '9')
    return oms_digits[c - '0'];
  return c >= 'a' && c <= 'z' ? oms_lower[c - 'a'] : c;
}

/* Adobe's "phi" is the open letter, TeX's the straight one (\phi); fonts that name their glyphs
 * as Computer Modern does give the two characters the wrong way round. */
static gunichar
straight_phi (const char *name, gunichar c)
{
  if ((c != 0x3c6 && c != 0x3d5) || !(strstr (name, "CMMI") || strstr (name, "MathDesign") || strstr (name, "-M-Italic")))
    return c;
  return c == 0x3c6 ? 0x3d5 : 0x3c6;
}

DpMathAtom
dp_math_atom (DpMathFont font, const char *name, const DpGlyph *glyph)
{
  DpMathAtom atom = { .box = glyph->box, .base = glyph->baseline, .size = MAX (glyph->size, 0.5f), .ch = glyph->code };
  gunichar piece = piece_of (glyph->code);
  float height, depth;

  /* Two glyphs at one place (both scripts of a letter) share a box, and one of them gets none of it. */
  if (dp_rect_width (atom.box) < 0.1f * atom.size && !dp_text_is_mark (glyph->code))
    atom.box.x1 = atom.box.x0 + 0.5f * atom.size;
  atom.space = (glyph->flags & (DP_GLYPH_SPACE | DP_GLYPH_BREAK)) != 0;
  if (piece) {
    atom.ch = piece;
    atom.kind = DP_ATOM_PIECE;
    atom.big = TRUE;
    set_ink (&atom, 0, piece_depth (glyph->code));
    return atom;
  }
  if (font == DP_MATH_FONT_EXTENSION && extension_atom (&atom, glyph->code))
    return atom;
  if (font == DP_MATH_FONT_SYMBOL)
    atom.ch = symbol_code (atom.ch);
  else if (font == DP_MATH_FONT_ABX)
    atom.ch = abx_code (atom.ch);
  else if (font == DP_MATH_FONT_ITALIC)
    atom.ch = straight_phi (name, atom.ch);
  atom.face = font_face (font, name, glyph);
  plain_letter (&atom);
  if (accent_of (atom.ch)) {
    atom.kind = DP_ATOM_ACCENT;
    atom.ch = accent_of (atom.ch);
  } else
    atom.kind = kind_of (atom.ch);
  if (atom.ch < 0x20 || atom.ch == 0xfffd || atom.ch == 0x7f || g_unichar_type (atom.ch) == G_UNICODE_PRIVATE_USE
      || (atom.ch >= 0x80 && !g_unichar_isalpha (atom.ch) && atom.kind != DP_ATOM_ACCENT && atom.kind != DP_ATOM_SLASH
          && !dp_latex_symbol (atom.ch)))
    atom.kind = DP_ATOM_BAD;
  atom.big = font == DP_MATH_FONT_SYMBOL && atom.kind == DP_ATOM_RADICAL; /* hangs from its baseline as those of OMX do */
  ink_of (atom.ch, atom.kind, &height, &depth);
  set_ink (&atom, height, depth);
  return atom;
}

gboolean
dp_math_is_symbol (gunichar c)
{
  return (c >= 0x2190 && c <= 0x22ff && c != 0x2191 && c != 0x2193 && c != 0x2219) || (c >= 0x27c0 && c <= 0x27ff)
         || (c >= 0x2900 && c <= 0x2aff) || (c >= 0x1d400 && c <= 0x1d7ff) || c == 0x2032 || c == 0x210e || c == 0x210f || c == 0x2113
         || c == 0x211d || c == 0x2102 || c == 0x2115 || c == 0x2124 || c == 0x211a;
}
