/* pipeline/recognise.c - recognised lines as a page of glyphs. */
#include "pipeline/recognise.h"

#include <math.h>
#include <string.h>

/* Share of a line's box below the baseline; typical of Latin faces (descent 0.2 em of 1.2). */
#define DESCENT_SHARE 0.2f
/* Font size in heights of the line box: ascent to descent is about 1.15 em. */
#define SIZE_SHARE 0.87f

void
dp_reading_clear (gpointer reading)
{
  g_clear_pointer (&((DpReading *) reading)->text, g_free);
}

typedef struct {
  GArray *glyphs; /* DpGlyph */
  DpFont font;
} Recognised;

static void
recognised_free (gpointer data)
{
  Recognised *r = data;

  g_array_unref (r->glyphs);
  g_free (r);
}

static gboolean
usable (const DpReading *reading)
{
  const DpRect b = reading->box;

  return reading->text && *reading->text && g_utf8_validate (reading->text, -1, NULL) && isfinite (b.x0) && isfinite (b.y0)
         && isfinite (b.x1) && isfinite (b.y1) && b.x1 > b.x0 && b.y1 > b.y0;
}

static void
add_line (GArray *glyphs, const DpReading *reading)
{
  const DpRect b = reading->box;
  const float step = dp_rect_width (b) / (float) g_utf8_strlen (reading->text, -1);
  const guint first = glyphs->len;
  float x = b.x0;

  for (const char *p = reading->text; *p; p = g_utf8_next_char (p), x += step) {
    const gunichar c = g_utf8_get_char (p);

    if (g_unichar_isspace (c) || g_unichar_iscntrl (c)) {
      if (glyphs->len > first)
        g_array_index (glyphs, DpGlyph, glyphs->len - 1).flags |= DP_GLYPH_SPACE;
      continue;
    }
    const DpGlyph glyph = { .code = c,
                            .box = { x, b.y0, x + step, b.y1 },
                            .baseline = b.y1 - DESCENT_SHARE * dp_rect_height (b),
                            .size = SIZE_SHARE * dp_rect_height (b),
                            .paint = glyphs->len + 1 };
    g_array_append_val (glyphs, glyph);
  }
  if (glyphs->len > first)
    g_array_index (glyphs, DpGlyph, glyphs->len - 1).flags |= DP_GLYPH_SPACE | DP_GLYPH_BREAK;
}

DpPage *
dp_recognised_page (const DpPage *like, const GArray *readings)
{
  Recognised *r = g_new0 (Recognised, 1);
  DpPage *page = g_new0 (DpPage, 1);

  r->glyphs = g_array_new (FALSE, TRUE, sizeof (DpGlyph));
  for (guint i = 0; i < readings->len; i++) {
    const DpReading *reading = &g_array_index (readings, DpReading, i);
    if (usable (reading))
      add_line (r->glyphs, reading);
  }
  r->font.n_glyphs = r->glyphs->len;
  *page = (DpPage){ .number = like->number,
                    .width = like->width,
                    .height = like->height,
                    .rotation = like->rotation,
                    .glyphs = (const DpGlyph *) (gconstpointer) r->glyphs->data,
                    .n_glyphs = r->glyphs->len,
                    .fonts = &r->font,
                    .n_fonts = 1,
                    .strings = "",
                    .n_strings = 1,
                    .n_painted = r->glyphs->len,
                    .backing = r,
                    .backing_free = recognised_free };
  return page;
}

DpPage *
dp_recognise_page (const DpRecogniser *recogniser, const DpPage *like, cairo_surface_t *picture, double dpi, float *confidence,
                   GError **error)
{
  g_autoptr (GArray) readings = recogniser->read_page (recogniser->data, picture, dpi, error);
  double sum = 0, characters = 0;

  if (!readings)
    return NULL;
  for (guint i = 0; i < readings->len; i++) {
    const DpReading *reading = &g_array_index (readings, DpReading, i);
    if (usable (reading)) {
      const double n = (double) g_utf8_strlen (reading->text, -1);
      sum += n * reading->confidence;
      characters += n;
    }
  }
  *confidence = characters > 0 ? (float) (sum / characters) : 0;
  return dp_recognised_page (like, readings);
}
