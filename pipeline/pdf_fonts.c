/* pipeline/pdf_fonts.c - weight, slant and pitch from a PostScript name.
 *
 * PDF font descriptors carry flags too, but producers fill them carelessly and poppler-glib
 * does not show them; the name is what every engine ends up using.
 */
#include "pipeline/pdf_fonts.h"

#include <string.h>

const char *
dp_font_base_name (const char *name)
{
  if (!name)
    return "";
  for (int i = 0; i < 6; i++)
    if (!g_ascii_isupper (name[i]))
      return name;
  return name[6] == '+' ? name + 7 : name;
}

typedef struct {
  const char *part; /* lower case */
  guint flag;
} NamePart;

/* "medi" and "ital" are the URW names (NimbusRomNo9L-Medi, -ReguItal), "demi" ITC's. */
static const NamePart parts[] = {
  { "bold", DP_GLYPH_BOLD },       { "black", DP_GLYPH_BOLD },       { "heavy", DP_GLYPH_BOLD },      { "demi", DP_GLYPH_BOLD },
  { "italic", DP_GLYPH_ITALIC },   { "oblique", DP_GLYPH_ITALIC },   { "slanted", DP_GLYPH_ITALIC },  { "ital", DP_GLYPH_ITALIC },
  { "courier", DP_GLYPH_MONO },    { "mono", DP_GLYPH_MONO },        { "consola", DP_GLYPH_MONO },    { "menlo", DP_GLYPH_MONO },
  { "typewriter", DP_GLYPH_MONO }, { "inconsolata", DP_GLYPH_MONO }, { "lucidacons", DP_GLYPH_MONO }, { "monaco", DP_GLYPH_MONO },
  { "sourcecode", DP_GLYPH_MONO }, { "firacode", DP_GLYPH_MONO },
};

/* Names that only count as a whole beginning (TeX's Computer Modern and its kin). */
static const NamePart starts[] = {
  { "cmb", DP_GLYPH_BOLD },      { "cmssbx", DP_GLYPH_BOLD }, { "sfbx", DP_GLYPH_BOLD },    { "sfsx", DP_GLYPH_BOLD },
  { "cmti", DP_GLYPH_ITALIC },   { "cmsl", DP_GLYPH_ITALIC }, { "cmssi", DP_GLYPH_ITALIC }, { "sfti", DP_GLYPH_ITALIC },
  { "cmbxti", DP_GLYPH_ITALIC }, { "cmmi", DP_GLYPH_ITALIC }, { "cmmib", DP_GLYPH_BOLD },   { "cmtt", DP_GLYPH_MONO },
  { "cmsltt", DP_GLYPH_MONO },   { "sftt", DP_GLYPH_MONO },   { "lmmono", DP_GLYPH_MONO },  { "cmcsc", 0 },
};

/* Abbreviations that count only after a hyphen or comma at the end of the name. */
static const NamePart ends[] = {
  { "bd", DP_GLYPH_BOLD },
  { "b", DP_GLYPH_BOLD },
  { "bi", DP_GLYPH_BOLD | DP_GLYPH_ITALIC },
  { "it", DP_GLYPH_ITALIC },
  { "i", DP_GLYPH_ITALIC },
  { "medi", DP_GLYPH_BOLD },
  { "boldit", DP_GLYPH_BOLD | DP_GLYPH_ITALIC },
  { "semi", DP_GLYPH_BOLD },
  { "obl", DP_GLYPH_ITALIC },
  { "bdit", DP_GLYPH_BOLD | DP_GLYPH_ITALIC },
  { "mediital", DP_GLYPH_BOLD | DP_GLYPH_ITALIC },
  { "bol", DP_GLYPH_BOLD },
  { "bdcn", DP_GLYPH_BOLD },
  { "blk", DP_GLYPH_BOLD },
  { "hv", DP_GLYPH_BOLD },
};

guint
dp_font_flags (const char *base_name)
{
  g_autofree char *name = g_ascii_strdown (base_name, -1);
  const char *tail = strpbrk (name, "-,");
  guint flags = 0;

  for (gsize i = 0; i < G_N_ELEMENTS (parts); i++)
    if (strstr (name, parts[i].part))
      flags |= parts[i].flag;
  for (gsize i = 0; i < G_N_ELEMENTS (starts); i++)
    if (g_str_has_prefix (name, starts[i].part))
      flags |= starts[i].flag;
  for (gsize i = 0; tail && i < G_N_ELEMENTS (ends); i++)
    if (strcmp (tail + 1, ends[i].part) == 0)
      flags |= ends[i].flag;
  /* "Monotype" is a foundry, "Monotype Corsiva" is not monospaced. */
  if (strstr (name, "monotype"))
    flags &= ~(guint) DP_GLYPH_MONO;
  return flags;
}
