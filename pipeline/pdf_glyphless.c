/* pipeline/pdf_glyphless.c - see pdf_glyphless.h. */
#include "pipeline/pdf_glyphless.h"

#include <math.h>
#include <string.h>

#define CODES 255u  /* of a font; 0 is none */
#define ADVANCE 0.5 /* em */
#define LARGEST_TYPE 1000.0f
#define MOST_STRETCH 50.0
#define BLOCK 100u /* entries that a table of a CMap may have (Adobe technical note 5014) */

struct DpGlyphless {
  guint id;
  GHashTable *codes;  /* character -> 1 + its place in characters */
  GArray *characters; /* gunichar; CODES to a font */
};

DpGlyphless *
dp_glyphless_new (guint id)
{
  DpGlyphless *fonts = g_new (DpGlyphless, 1);

  fonts->id = id;
  fonts->codes = g_hash_table_new (NULL, NULL);
  fonts->characters = g_array_new (FALSE, FALSE, sizeof (gunichar));
  return fonts;
}

void
dp_glyphless_free (DpGlyphless *fonts)
{
  if (!fonts)
    return;
  g_hash_table_unref (fonts->codes);
  g_array_unref (fonts->characters);
  g_free (fonts);
}

guint
dp_glyphless_n_fonts (const DpGlyphless *fonts)
{
  return (fonts->characters->len + CODES - 1) / CODES;
}

void
dp_glyphless_name (const DpGlyphless *fonts, guint font, GString *out)
{
  g_string_append_printf (out, "/docparse%u-%u", fonts->id, font);
}

/* ---- words -------------------------------------------------------------------------------------------- */

static guint
place_of (DpGlyphless *fonts, gunichar c)
{
  const gpointer known = g_hash_table_lookup (fonts->codes, GUINT_TO_POINTER (c));

  if (known)
    return GPOINTER_TO_UINT (known) - 1;
  g_array_append_val (fonts->characters, c);
  g_hash_table_insert (fonts->codes, GUINT_TO_POINTER (c), GUINT_TO_POINTER (fonts->characters->len));
  return fonts->characters->len - 1;
}

static void
append_number (GString *out, double v)
{
  char digits[G_ASCII_DTOSTR_BUF_SIZE];

  g_ascii_formatd (digits, sizeof digits, "%.2f", v);
  if (strchr (digits, '.')) { /* "3.10" is "3.1", and "3.00" is "3" */
    char *end = digits + strlen (digits);
    while (end[-1] == '0')
      *--end = '\0';
    if (end[-1] == '.')
      *--end = '\0';
  }
  g_string_append (out, digits);
  g_string_append_c (out, ' ');
}

/* A byte of a literal string (ISO 32000-2, 7.3.4.2). */
static void
append_byte (GString *out, guint8 byte)
{
  if (byte == '\r')
    g_string_append (out, "\\r");
  else {
    if (byte == '(' || byte == ')' || byte == '\\')
      g_string_append_c (out, '\\');
    g_string_append_c (out, (char) byte);
  }
}

/* As one string for each run of characters that are of one font. */
static void
append_text (DpGlyphless *fonts, const char *text, guint *font, GString *out)
{
  gboolean open = FALSE;

  for (const char *p = text; *p; p = g_utf8_next_char (p)) {
    const guint place = place_of (fonts, g_utf8_get_char (p));
    if (place / CODES != *font) {
      g_string_append (out, open ? ")Tj " : "");
      open = FALSE;
      *font = place / CODES;
      dp_glyphless_name (fonts, *font, out);
      g_string_append (out, " 1 Tf ");
    }
    g_string_append (out, open ? "" : "(");
    open = TRUE;
    append_byte (out, (guint8) (1 + place % CODES));
  }
  g_string_append (out, ")Tj\n");
}

static gboolean
is_drawable (const DpLayerWord *word)
{
  const DpRect b = word->box;

  return word->text && *word->text && isfinite (b.x0) && isfinite (b.y0) && isfinite (b.x1) && isfinite (b.y1) && isfinite (word->baseline)
         && b.x1 > b.x0 && b.y1 > b.y0 && word->size > 0 && word->size < LARGEST_TYPE && g_utf8_validate (word->text, -1, NULL);
}

/* From glyph space of one unit to the page: along the word stretched, up from the baseline; where it begins. */
static void
append_matrix (const DpLayerWord *word, GString *out)
{
  const DpRect b = word->box;
  const gboolean upright = word->angle == 90 || word->angle == 270;
  const double length = upright ? dp_rect_height (b) : dp_rect_width (b);
  const double natural = ADVANCE * (double) g_utf8_strlen (word->text, -1);
  const double along = CLAMP (length / natural, word->size / MOST_STRETCH, word->size * MOST_STRETCH), up = word->size;
  double m[6] = { along, 0, 0, -up, b.x0, word->baseline };

  if (word->angle == 90)
    memcpy (m, (const double[]){ 0, along, up, 0, word->baseline, b.y0 }, sizeof m);
  else if (word->angle == 180)
    memcpy (m, (const double[]){ -along, 0, 0, up, b.x1, word->baseline }, sizeof m);
  else if (word->angle == 270)
    memcpy (m, (const double[]){ 0, -along, -up, 0, word->baseline, b.y1 }, sizeof m);
  for (guint i = 0; i < 6; i++)
    append_number (out, m[i]);
  g_string_append (out, "Tm ");
}

void
dp_glyphless_show (DpGlyphless *fonts, const GArray *words, GString *out)
{
  guint font = G_MAXUINT;

  g_string_append (out, "BT 3 Tr\n");
  for (guint i = 0; i < words->len; i++) {
    const DpLayerWord *word = &g_array_index (words, DpLayerWord, i);
    if (!is_drawable (word))
      continue;
    append_matrix (word, out);
    append_text (fonts, word->text, &font, out);
  }
  g_string_append (out, "ET\n");
}

/* ---- fonts -------------------------------------------------------------------------------------------- */

static guint
n_codes (const DpGlyphless *fonts, guint font)
{
  return MIN (CODES, fonts->characters->len - font * CODES);
}

void
dp_glyphless_dictionary (const DpGlyphless *fonts, guint font, guint to_unicode, guint program, GString *out)
{
  const guint n = n_codes (fonts, font);

  g_string_append_printf (out,
                          "<</Type/Font/Subtype/Type3/FontBBox[0 -200 500 800]/FontMatrix[.001 0 0 .001 0 0]/Resources<<>>"
                          "/FirstChar 1/LastChar %u/ToUnicode %u 0 R/CharProcs<</g %u 0 R>>/Widths[",
                          n, to_unicode, program);
  for (guint i = 0; i < n; i++)
    g_string_append (out, i ? " 500" : "500");
  g_string_append (out, "]/Encoding<</Type/Encoding/Differences[1");
  for (guint i = 0; i < n; i++)
    g_string_append (out, "/g");
  g_string_append (out, "]>>>>");
}

static void
append_utf16 (GString *out, gunichar c)
{
  if (c > 0xffff)
    g_string_append_printf (out, "%04X%04X", 0xd800 + ((c - 0x10000) >> 10), 0xdc00 + ((c - 0x10000) & 0x3ff));
  else
    g_string_append_printf (out, "%04X", c);
}

void
dp_glyphless_to_unicode (const DpGlyphless *fonts, guint font, GString *out)
{
  const guint n = n_codes (fonts, font);

  g_string_append (out, "/CIDInit/ProcSet findresource begin 12 dict begin begincmap/CMapName/docparse def/CMapType 2 def\n"
                        "1 begincodespacerange<01><FF>endcodespacerange\n");
  for (guint first = 0; first < n; first += BLOCK) {
    const guint end = MIN (n, first + BLOCK);
    g_string_append_printf (out, "%u beginbfchar\n", end - first);
    for (guint i = first; i < end; i++) {
      g_string_append_printf (out, "<%02X><", i + 1);
      append_utf16 (out, g_array_index (fonts->characters, gunichar, font * CODES + i));
      g_string_append (out, ">\n");
    }
    g_string_append (out, "endbfchar\n");
  }
  g_string_append (out, "endcmap CMapName currentdict/CMap defineresource pop end end");
}
