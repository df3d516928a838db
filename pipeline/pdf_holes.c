/* pipeline/pdf_holes.c - see pdf_holes.h. */
#include "pipeline/pdf_holes.h"
#include "pipeline/pdf_insert.h"

#include <math.h>

/* More than this is a font without any map: a matter for pipeline/trust.c. */
#define MAX_HOLES 1000

typedef struct {
  gint left, right; /* neighbours in the text, -1 = none */
  gboolean covered; /* lies in a character's box */
  gint inside;      /* a character in the middle of the painted glyph, -1 = none */
} Surroundings;

static gint
in_writing_order (gconstpointer a, gconstpointer b, gpointer data)
{
  const GArray *glyphs = data;
  const DpTapGlyph *x = &g_array_index (glyphs, DpTapGlyph, *(const guint *) a),
                   *y = &g_array_index (glyphs, DpTapGlyph, *(const guint *) b);

  if (x->y != y->y)
    return x->y < y->y ? -1 : 1;
  return x->x < y->x ? -1 : x->x > y->x;
}

/* One look at every character: what stands beside the painted glyph on its line. */
static Surroundings
look_around (const DpPageArrays *out, const DpTapGlyph *g, float advance)
{
  Surroundings s = { -1, -1, FALSE, -1 };
  const float reach = 0.35f * g->size;
  float best_left = reach, best_right = reach;

  for (guint i = 0; i < out->glyphs->len; i++) {
    const DpGlyph *t = &g_array_index (out->glyphs, DpGlyph, i);
    float gap;
    if (t->angle != 0 || fabsf (t->baseline - g->y) > 0.15f * g->size || fabsf (t->size - g->size) > 0.3f * g->size)
      continue;
    if (g->x + 0.1f * g->size > t->box.x0 && g->x + 0.1f * g->size < t->box.x1) {
      s.covered = TRUE;
      return s;
    }
    if (fabsf (dp_rect_cx (t->box) - (g->x + 0.5f * advance)) < 0.12f * g->size && dp_rect_width (t->box) < 0.8f * advance)
      s.inside = (gint) i;
    gap = g->x - t->box.x1;
    if (gap > -0.15f * g->size && fabsf (gap) < best_left)
      best_left = fabsf (gap), s.left = (gint) i;
    gap = t->box.x0 - (g->x + advance);
    if (gap > -0.15f * g->size && fabsf (gap) < best_right)
      best_right = fabsf (gap), s.right = (gint) i;
  }
  return s;
}

/* The glyph before wrote a space because it saw a gap: the hole fills it, wholly or in part. */
static void
hand_over_space (DpGlyph *before, DpGlyph *hole, const DpGlyph *next)
{
  const guint16 ends = DP_GLYPH_SPACE | DP_GLYPH_BREAK;
  guint16 had = before->flags & ends;

  if (hole->box.x0 - before->box.x1 > 0.15f * hole->size)
    return; /* the space is in front of the hole */
  before->flags &= (guint16) ~ends;
  if (next && next->box.x0 - hole->box.x1 < 0.15f * hole->size && fabsf (next->baseline - hole->baseline) < 0.15f * hole->size)
    return;
  hole->flags |= had ? had : DP_GLYPH_SPACE;
}

/* TeX draws its signs of copyright and trade mark as a letter in a circle, and the circle has no character. */
static gboolean
is_circled (DpGlyph *letter)
{
  switch (letter->code) {
  case 'c':
  case 'C': letter->code = 0xa9; return TRUE;
  case 'r':
  case 'R': letter->code = 0xae; return TRUE;
  case 'p':
  case 'P': letter->code = 0x2117; return TRUE;
  default: return FALSE;
  }
}

/* The hyphen of a divided word: tagged files say that it is no part of the text. */
static gboolean
divides_word (const DpPageArrays *out, const Surroundings *s, float advance, float size)
{
  const DpGlyph *left, *next;

  if (s->left < 0 || s->right >= 0 || s->left + 1 >= (gint) out->glyphs->len || advance > 0.5f * size)
    return FALSE;
  left = &g_array_index (out->glyphs, DpGlyph, s->left);
  next = left + 1;
  return g_unichar_isalpha (left->code) && g_unichar_islower (next->code) && fabsf (next->baseline - left->baseline) > 0.3f * size;
}

static gboolean
make_hole (const DpTap *tap, DpPageArrays *out, const DpTapGlyph *g, DpGlyphInsert *hole)
{
  float advance = CLAMP (dp_tap_glyph_advance (tap, g), 0.1f * g->size, 2 * g->size);
  Surroundings s = look_around (out, g, advance);
  const DpGlyph *like;

  if (s.covered || (s.inside >= 0 && is_circled (&g_array_index (out->glyphs, DpGlyph, s.inside))) || (s.left < 0 && s.right < 0))
    return FALSE;
  like = &g_array_index (out->glyphs, DpGlyph, s.left >= 0 ? s.left : s.right);
  hole->after = s.left >= 0 ? s.left : s.right - 1;
  hole->glyph = *like;
  hole->glyph.code = divides_word (out, &s, advance, g->size) ? 0xad : 0xfffd;
  hole->glyph.box.x0 = g->x;
  hole->glyph.box.x1 = g->x + advance;
  hole->glyph.baseline = g->y;
  hole->glyph.size = g->size;
  hole->glyph.colour = g->colour;
  hole->glyph.paint = g->paint;
  hole->glyph.flags &= (guint16) ~(DP_GLYPH_SPACE | DP_GLYPH_BREAK);
  if (s.left >= 0)
    hand_over_space (&g_array_index (out->glyphs, DpGlyph, s.left), &hole->glyph,
                     s.left + 1 < (gint) out->glyphs->len ? &g_array_index (out->glyphs, DpGlyph, s.left + 1) : NULL);
  return TRUE;
}

/* A second hole behind the first leans on it, not on the text. */
static gboolean
continue_hole (const DpTap *tap, const DpGlyphInsert *last, const DpTapGlyph *g, DpGlyphInsert *hole)
{
  if (last->glyph.baseline != g->y || fabsf (g->x - last->glyph.box.x1) > 0.35f * g->size)
    return FALSE;
  *hole = *last;
  hole->order++;
  hole->glyph.paint = g->paint;
  hole->glyph.box.x0 = g->x;
  hole->glyph.box.x1 = g->x + CLAMP (dp_tap_glyph_advance (tap, g), 0.1f * g->size, 2 * g->size);
  return TRUE;
}

void
dp_pdf_fill_holes (const DpTap *tap, const GArray *unmapped, DpPageArrays *out)
{
  g_autoptr (GArray) order = NULL;
  g_autoptr (GArray) holes = g_array_new (FALSE, TRUE, sizeof (DpGlyphInsert));

  if (unmapped->len == 0 || unmapped->len > MAX_HOLES)
    return;
  order = g_array_copy ((GArray *) unmapped);
  g_array_sort_with_data (order, in_writing_order, tap->glyphs);
  for (guint i = 0; i < order->len; i++) {
    const DpTapGlyph *g = &g_array_index (tap->glyphs, DpTapGlyph, g_array_index (order, guint, i));
    DpGlyphInsert hole = { 0 }, *last = holes->len ? &g_array_index (holes, DpGlyphInsert, holes->len - 1) : NULL;
    if (g->angle != 0 || g->size <= 0)
      continue;
    if (last && continue_hole (tap, last, g, &hole)) {
      hole.glyph.flags |= last->glyph.flags & (DP_GLYPH_SPACE | DP_GLYPH_BREAK);
      last->glyph.flags &= (guint16) ~(DP_GLYPH_SPACE | DP_GLYPH_BREAK);
      g_array_append_val (holes, hole);
    } else if (make_hole (tap, out, g, &hole)) {
      g_array_append_val (holes, hole);
    }
  }
  if (holes->len)
    dp_pdf_insert_glyphs (out, holes);
}
