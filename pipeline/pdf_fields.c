/* pipeline/pdf_fields.c - what was filled into a form, as characters of the page.
 *
 * poppler's text layer leaves the appearances of form fields out, although they are painted:
 * a reader of the page sees the values, a reader of the text layer does not.  The field knows
 * its value, the tap knows where its glyphs were painted; one after the other they belong
 * together.
 */
#include "pipeline/pdf_fields.h"

#include <math.h>

#define TICKED 0x2611
#define EMPTY 0x2610

typedef struct {
  float x, y;
  guint index; /* in tap->glyphs */
} Place;

static gint
by_place (gconstpointer a, gconstpointer b)
{
  const Place *p = a, *q = b;

  return p->y != q->y ? (p->y < q->y ? -1 : 1) : p->x < q->x ? -1 : p->x > q->x;
}

/* Painted glyphs without a character, top to bottom, left to right. */
static GArray *
places_left (const DpTap *tap, const guint8 *used)
{
  GArray *places = g_array_new (FALSE, FALSE, sizeof (Place));

  for (guint i = 0; i < tap->glyphs->len; i++) {
    const DpTapGlyph *g = &g_array_index (tap->glyphs, DpTapGlyph, i);
    if (!used[i] && g->visible && g->angle == 0 && g->size > 0 && isfinite (g->x) && isfinite (g->y))
      g_array_append_vals (places, &(Place){ g->x, g->y, i }, 1);
  }
  g_array_sort (places, by_place);
  return places;
}

/* Those inside box that have ink; all inside it are marked used. */
static GArray *
places_inside (const DpTap *tap, guint8 *used, const GArray *left, DpRect box)
{
  GArray *inside = g_array_new (FALSE, FALSE, sizeof (Place));
  guint lo = 0, hi = left->len;

  while (lo < hi) {
    guint mid = (lo + hi) / 2;
    if (g_array_index (left, Place, mid).y < box.y0 - 1)
      lo = mid + 1;
    else
      hi = mid;
  }
  for (; lo < left->len && g_array_index (left, Place, lo).y <= box.y1 + 1; lo++) {
    const Place *p = &g_array_index (left, Place, lo);
    if (used[p->index] || p->x < box.x0 - 1 || p->x > box.x1 + 1)
      continue;
    used[p->index] = 1;
    if (!dp_tap_glyph_is_blank (tap, &g_array_index (tap->glyphs, DpTapGlyph, p->index)))
      g_array_append_val (inside, *p);
  }
  return inside;
}

/* Index of the face that stands for all fields, added when first asked for. */
static guint16
field_font (DpPageArrays *out, gint *font)
{
  if (*font < 0) {
    DpFont face = { .name = dp_page_arrays_add_string (out, "form-field") };
    if (out->fonts->len < G_MAXUINT16)
      g_array_append_val (out->fonts, face);
    *font = (gint) out->fonts->len - 1;
  }
  return (guint16) *font;
}

static void
add_glyph (DpPageArrays *out, gunichar code, const DpTapGlyph *painted, float x0, float x1, guint16 font)
{
  DpGlyph glyph = { .code = code,
                    .box = { x0, painted->y - 0.75f * painted->size, MAX (x0, x1), painted->y + 0.25f * painted->size },
                    .baseline = painted->y,
                    .size = painted->size,
                    .colour = painted->colour,
                    .paint = painted->paint,
                    .font = font };

  g_array_append_val (out->glyphs, glyph);
}

static void
mark_last (DpPageArrays *out, guint flags)
{
  if (out->glyphs->len)
    g_array_index (out->glyphs, DpGlyph, out->glyphs->len - 1).flags |= (guint16) flags;
}

/* Left edge of character i of n_chars: its glyph's, or spread evenly where a ligature or a comb
 * makes their numbers differ. */
static float
edge (const DpTap *tap, const GArray *inside, guint i, guint n_chars)
{
  const Place *first = &g_array_index (inside, Place, 0), *last = &g_array_index (inside, Place, inside->len - 1);
  float end;

  if (n_chars == inside->len && i < inside->len)
    return g_array_index (inside, Place, i).x;
  end = last->x + 0.55f * g_array_index (tap->glyphs, DpTapGlyph, last->index).size;
  return n_chars == inside->len ? end : first->x + (end - first->x) * (float) i / (float) n_chars;
}

static void
add_value (const DpTap *tap, const GArray *inside, const char *value, guint16 font, DpPageArrays *out)
{
  guint n_chars = 0, i = 0;

  for (const char *p = value; *p; p = g_utf8_next_char (p))
    n_chars += !g_unichar_isspace (g_utf8_get_char (p));
  if (n_chars > 2 * inside->len + 2) /* most of it is scrolled out of sight */
    return;
  for (const char *p = value; *p; p = g_utf8_next_char (p)) {
    gunichar c = g_utf8_get_char (p);
    const Place *place = &g_array_index (inside, Place, n_chars == inside->len ? MIN (i, inside->len - 1) : 0);
    const DpTapGlyph *painted = &g_array_index (tap->glyphs, DpTapGlyph, place->index);
    float x0, next;
    gboolean ends_word;
    if (g_unichar_isspace (c)) {
      if (i > 0)
        mark_last (out, DP_GLYPH_SPACE);
      continue;
    }
    x0 = edge (tap, inside, i, n_chars);
    next = edge (tap, inside, i + 1, n_chars);
    if (i > 0 && x0 < g_array_index (out->glyphs, DpGlyph, out->glyphs->len - 1).box.x0)
      mark_last (out, DP_GLYPH_SPACE | DP_GLYPH_BREAK);
    ends_word = !*g_utf8_next_char (p) || g_unichar_isspace (g_utf8_get_char (g_utf8_next_char (p)));
    add_glyph (out, c, painted, x0, next > x0 && !ends_word ? next : x0 + 0.55f * painted->size, font);
    i++;
  }
  mark_last (out, DP_GLYPH_SPACE | DP_GLYPH_BREAK);
}

/* A box as high as the button; forms print the frame themselves or let the field do so. */
static void
add_button (const DpTap *tap, const DpNote *note, guint16 font, DpPageArrays *out)
{
  float size = dp_rect_height (note->box);
  DpTapGlyph box = { .y = note->box.y1 - 0.2f * size, .size = size, .paint = tap->n_paint + 1 };

  if (size < 3 || size > 40 || dp_rect_width (note->box) > 40)
    return;
  add_glyph (out, note->state ? TICKED : EMPTY, &box, note->box.x0, note->box.x1, font);
  mark_last (out, DP_GLYPH_SPACE | DP_GLYPH_BREAK);
}

void
dp_pdf_fields (const DpTap *tap, guint8 *used, DpPageArrays *out)
{
  g_autoptr (GArray) left = NULL;
  gint font = -1;

  for (guint i = 0; i < out->notes->len; i++) {
    const DpNote *note = &g_array_index (out->notes, DpNote, i);
    if (note->kind == DP_NOTE_ANNOTATION)
      continue;
    if (!left) {
      left = places_left (tap, used);
      mark_last (out, DP_GLYPH_SPACE | DP_GLYPH_BREAK);
    }
    g_autoptr (GArray) inside = places_inside (tap, used, left, note->box);
    if (note->kind == DP_NOTE_FIELD_BUTTON)
      add_button (tap, note, field_font (out, &font), out);
    else if (inside->len)
      add_value (tap, inside, (const char *) out->strings->data + note->text, field_font (out, &font), out);
  }
}
