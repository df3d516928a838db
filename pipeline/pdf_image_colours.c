/* pipeline/pdf_image_colours.c - see pdf_image_colours.h. */
#include "pipeline/pdf_image_colours.h"

#include <string.h>

static gboolean
accept_name (DpPdfText *t, const char *name)
{
  dp_pdf_text_space (t);
  return dp_pdf_text_accept (t, name);
}

/* One byte of a literal string after another; -1 at its end. */
static gint
next_of_string (DpPdfText *t, guint *depth)
{
  static const char escapes[] = "nrtbf", values[] = "\n\r\t\b\f";
  const char *found;

  while (t->p < t->end) {
    const guint8 c = *t->p++;
    if (c == ')' && --*depth == 0)
      return -1;
    *depth += c == '(';
    if (c != '\\' || t->p >= t->end)
      return c;
    const guint8 e = *t->p++;
    if (e >= '0' && e <= '7') {
      guint value = e - '0';
      for (guint i = 0; i < 2 && t->p < t->end && *t->p >= '0' && *t->p <= '7'; i++)
        value = value * 8 + *t->p++ - '0';
      return (gint) (value & 255);
    }
    if (e == '\n')
      continue;
    found = memchr (escapes, e, 5);
    return found ? values[found - escapes] : e;
  }
  return -1;
}

static guint
read_string (DpPdfText t, guint8 *out, guint room)
{
  guint n = 0, depth = 1;

  if (dp_pdf_text_accept (&t, "("))
    for (gint c; n < room && (c = next_of_string (&t, &depth)) >= 0; n++)
      out[n] = (guint8) c;
  else if (dp_pdf_text_accept (&t, "<"))
    for (gint high = -1; t.p < t.end && *t.p != '>' && n < room; t.p++) {
      const gint digit = g_ascii_xdigit_value ((char) *t.p);
      if (digit >= 0 && high >= 0)
        out[n++] = (guint8) (high * 16 + digit);
      high = digit < 0 ? high : high < 0 ? digit : -1;
    }
  return n;
}

/* The table of an indexed colour space, a string or a stream. */
static guint
read_table (DpPdfObjects *objects, DpPdfText value, guint8 *out, guint room)
{
  g_autoptr (GByteArray) bytes = g_byte_array_new ();

  if (!dp_pdf_objects_resolve (objects, &value))
    return 0;
  dp_pdf_text_space (&value);
  if (!dp_pdf_objects_stream (objects, value, room, bytes))
    return read_string (value, out, room);
  if (bytes->len)
    memcpy (out, bytes->data, bytes->len);
  return bytes->len;
}

static guint
components_of (DpPdfObjects *objects, DpPdfText *space)
{
  DpPdfText profile;
  guint n = 0;

  if (!dp_pdf_objects_resolve (objects, space))
    return 0;
  if (accept_name (space, "/DeviceGray"))
    return 1;
  if (accept_name (space, "/DeviceRGB"))
    return 3;
  if (!accept_name (space, "["))
    return 0;
  if (accept_name (space, "/CalGray"))
    return 1;
  if (accept_name (space, "/CalRGB"))
    return 3;
  if (accept_name (space, "/ICCBased")) {
    profile = *space;
    if (dp_pdf_objects_resolve (objects, &profile) && dp_pdf_objects_integer (objects, profile, "/N", &n))
      return n == 1 || n == 3 ? n : 0;
  }
  return 0;
}

/* [/Indexed base highest table], with the array open and its name read. */
static gboolean
read_palette (DpPdfObjects *objects, DpPdfText space, DpPdfColours *colours)
{
  guint8 table[3 * 256] = { 0 };
  DpPdfText base = space;
  guint number;
  double highest;

  const guint n = components_of (objects, &base);
  if (n == 0)
    return FALSE;
  dp_pdf_text_space (&space); /* past the base: a reference, a name, or an array */
  if (!dp_pdf_text_reference (&space, &number) && !dp_pdf_text_skip (&space))
    return FALSE;
  if (!dp_pdf_text_real (&space, &highest))
    return FALSE;
  const guint got = read_table (objects, space, table, n * 256) / n;
  if (got == 0)
    return FALSE;
  colours->n = 1;
  colours->palette = g_new0 (guint8, 3 * 256);
  for (guint i = 0; i < got; i++)
    for (guint c = 0; c < 3; c++)
      colours->palette[3 * i + c] = table[n * i + (n == 3 ? c : 0)];
  return TRUE;
}

void
dp_pdf_colours_read (DpPdfObjects *objects, DpPdfText dictionary, DpPdfColours *colours)
{
  DpPdfText space, indexed;

  *colours = (DpPdfColours){ 0 };
  if (!dp_pdf_text_key (objects, dictionary, "/ColorSpace", &space))
    return;
  indexed = space;
  if (dp_pdf_objects_resolve (objects, &indexed) && accept_name (&indexed, "[") && accept_name (&indexed, "/Indexed"))
    read_palette (objects, indexed, colours);
  else
    colours->n = components_of (objects, &space);
}

void
dp_pdf_colours_clear (DpPdfColours *colours)
{
  g_clear_pointer (&colours->palette, g_free);
}

void
dp_pdf_colours_to_rgb (const DpPdfColours *colours, const guint8 *row, guint width, guint8 *rgb)
{
  if (colours->n == 3) {
    memcpy (rgb, row, 3 * (gsize) width);
    return;
  }
  for (guint x = 0; x < width; x++, rgb += 3)
    if (colours->palette)
      memcpy (rgb, colours->palette + 3 * row[x], 3);
    else
      memset (rgb, row[x], 3);
}
