/* pipeline/recognise.c - recognised lines as a page of glyphs. */
#include "pipeline/recognise.h"
#include "layout/warp.h"

#include <math.h>
#include <string.h>

/* Share of a line's box below the baseline; typical of Latin faces (descent 0.2 em of 1.2). */
#define DESCENT_SHARE 0.2f
/* Font size in heights of the line box: ascent to descent is about 1.15 em. */
#define SIZE_SHARE 0.87f
/* Of a glyph's box, in em, where the size is known. */
#define ASCENT 0.77f
#define DESCENT 0.23f
/* Raised figures, in em of their line; usual in typesetting programs. */
#define RAISED_SIZE 0.6f
#define RAISED_BY 0.35f

void
dp_reading_clear (gpointer data)
{
  DpReading *reading = data;

  g_clear_pointer (&reading->text, g_free);
  g_clear_pointer (&reading->chars, g_free);
}

DpPageReading *
dp_page_reading_new (void)
{
  DpPageReading *reading = g_new0 (DpPageReading, 1);

  reading->lines = g_array_new (FALSE, TRUE, sizeof (DpReading));
  g_array_set_clear_func (reading->lines, dp_reading_clear);
  reading->paths = g_array_new (FALSE, TRUE, sizeof (DpPath));
  reading->pictures = g_array_new (FALSE, TRUE, sizeof (DpRect));
  reading->formulas = g_array_new (FALSE, TRUE, sizeof (DpRect));
  return reading;
}

void
dp_page_reading_free (DpPageReading *reading)
{
  if (!reading)
    return;
  g_array_unref (reading->lines);
  g_array_unref (reading->paths);
  g_array_unref (reading->pictures);
  g_array_unref (reading->formulas);
  dp_warp_free (reading->warp);
  g_free (reading);
}

void
dp_reading_clock (gint64 *sum, gint64 *since)
{
  const gint64 now = g_get_monotonic_time ();

  *sum += now - *since;
  *since = now;
}

static void
move_boxes (GArray *boxes, float right)
{
  for (guint i = 0; i < boxes->len; i++) {
    g_array_index (boxes, DpRect, i).x0 += right;
    g_array_index (boxes, DpRect, i).x1 += right;
  }
}

void
dp_page_reading_add (DpPageReading *reading, DpPageReading *other, float right)
{
  for (guint i = 0; i < other->lines->len; i++) {
    DpReading *line = &g_array_index (other->lines, DpReading, i);
    line->box.x0 += right;
    line->box.x1 += right;
    for (glong k = 0; line->chars && k < g_utf8_strlen (line->text, -1); k++) {
      line->chars[k].x0 += right;
      line->chars[k].x1 += right;
    }
  }
  for (guint i = 0; i < other->paths->len; i++) {
    g_array_index (other->paths, DpPath, i).box.x0 += right;
    g_array_index (other->paths, DpPath, i).box.x1 += right;
  }
  move_boxes (other->pictures, right);
  move_boxes (other->formulas, right);
  g_array_append_vals (reading->lines, other->lines->data, other->lines->len);
  g_array_append_vals (reading->paths, other->paths->data, other->paths->len);
  g_array_append_vals (reading->pictures, other->pictures->data, other->pictures->len);
  g_array_append_vals (reading->formulas, other->formulas->data, other->formulas->len);
  g_array_set_clear_func (other->lines, NULL); /* their texts are the reading's now */
  g_array_set_size (other->lines, 0);
  g_array_set_size (other->paths, 0);
  g_array_set_size (other->pictures, 0);
  g_array_set_size (other->formulas, 0);
}

static gboolean
is_box (DpRect b)
{
  return isfinite (b.x0) && isfinite (b.y0) && isfinite (b.x1) && isfinite (b.y1) && b.x1 > b.x0 && b.y1 > b.y0;
}

static gboolean
usable (const DpReading *reading)
{
  return reading->text && *reading->text && g_utf8_validate (reading->text, -1, NULL) && is_box (reading->box);
}

float
dp_page_reading_confidence (const DpPageReading *reading, guint *n_chars)
{
  double sum = 0, characters = 0;

  for (guint i = 0; i < reading->lines->len; i++) {
    const DpReading *line = &g_array_index (reading->lines, DpReading, i);
    if (usable (line)) {
      const double n = (double) g_utf8_strlen (line->text, -1);
      sum += n * line->confidence;
      characters += n;
    }
  }
  *n_chars = (guint) characters;
  return characters > 0 ? (float) (sum / characters) : 0;
}

/* ---- a page in the making ---------------------------------------------------------------------------- */

typedef struct {
  GArray *glyphs; /* DpGlyph */
  GArray *paths;  /* DpPath */
  GArray *images; /* DpImage */
  GArray *fonts;  /* DpFont */
  GArray *unread; /* DpRect */
  guint16 font;   /* of what is read: index into fonts */
} Draft;

static Draft *
draft_new (void)
{
  Draft *draft = g_new0 (Draft, 1);

  draft->glyphs = g_array_new (FALSE, TRUE, sizeof (DpGlyph));
  draft->paths = g_array_new (FALSE, TRUE, sizeof (DpPath));
  draft->images = g_array_new (FALSE, TRUE, sizeof (DpImage));
  draft->fonts = g_array_new (FALSE, TRUE, sizeof (DpFont));
  draft->unread = g_array_new (FALSE, TRUE, sizeof (DpRect));
  return draft;
}

static void
draft_free (gpointer data)
{
  Draft *draft = data;

  g_array_unref (draft->glyphs);
  g_array_unref (draft->paths);
  g_array_unref (draft->images);
  g_array_unref (draft->fonts);
  g_array_unref (draft->unread);
  g_free (draft);
}

static guint32
next_paint (const Draft *draft)
{
  return draft->glyphs->len + draft->paths->len + draft->images->len + 1;
}

static DpRect
moved (DpRect box, float dx, float dy)
{
  return (DpRect){ box.x0 + dx, box.y0 + dy, box.x1 + dx, box.y1 + dy };
}

/* A line's glyphs, moved by dx, dy. */
static void
add_line (Draft *draft, const DpReading *line, float dx, float dy)
{
  const DpRect b = line->box;
  const float step = dp_rect_width (b) / (float) g_utf8_strlen (line->text, -1);
  const gboolean measured = line->size > 0 && isfinite (line->size) && isfinite (line->baseline);
  const float baseline = measured ? line->baseline : b.y1 - DESCENT_SHARE * dp_rect_height (b);
  const float size = measured ? line->size : SIZE_SHARE * dp_rect_height (b);
  const float top = measured ? baseline - ASCENT * size : b.y0, foot = measured ? baseline + DESCENT * size : b.y1;
  const guint first = draft->glyphs->len;
  guint i = 0;

  for (const char *p = line->text; *p; p = g_utf8_next_char (p), i++) {
    const gunichar c = g_utf8_get_char (p);
    const DpReadingChar even = { .x0 = b.x0 + (float) i * step, .x1 = b.x0 + (float) (i + 1) * step };
    const DpReadingChar *at = line->chars ? &line->chars[i] : &even;

    if (g_unichar_isspace (c) || g_unichar_iscntrl (c)) {
      if (draft->glyphs->len > first)
        g_array_index (draft->glyphs, DpGlyph, draft->glyphs->len - 1).flags |= DP_GLYPH_SPACE;
      continue;
    }
    const float own = at->raised ? RAISED_SIZE * size : size, base = at->raised ? baseline - RAISED_BY * size : baseline;
    const DpRect box = { at->x0, at->raised ? base - ASCENT * own : top, MAX (at->x1, at->x0), at->raised ? base + DESCENT * own : foot };
    const DpGlyph glyph = { .code = at->code ? at->code : c,
                            .box = moved (box, dx, dy),
                            .baseline = base + dy,
                            .size = own,
                            .rise = baseline - base,
                            .font = draft->font,
                            .flags = at->flags,
                            .paint = next_paint (draft) };
    g_array_append_val (draft->glyphs, glyph);
  }
  if (draft->glyphs->len > first)
    g_array_index (draft->glyphs, DpGlyph, draft->glyphs->len - 1).flags |= line->joined ? DP_GLYPH_SPACE : DP_GLYPH_SPACE | DP_GLYPH_BREAK;
}

static gboolean
in_a_picture (const DpPageReading *reading, DpRect box)
{
  for (guint i = 0; i < reading->pictures->len; i++)
    if (dp_rect_inside (box, g_array_index (reading->pictures, DpRect, i)) > 0.9f)
      return TRUE;
  return FALSE;
}

static void
add_lines (Draft *draft, const DpPageReading *reading, float dx, float dy)
{
  for (guint i = 0; i < reading->lines->len; i++) {
    const DpReading *line = &g_array_index (reading->lines, DpReading, i);
    const guint first = draft->glyphs->len;
    if (usable (line))
      add_line (draft, line, dx, dy);
    /* What was read inside a picture lies under it: it can be searched, but it is the picture that shows it. */
    for (guint k = first; k < draft->glyphs->len && in_a_picture (reading, line->box); k++)
      g_array_index (draft->glyphs, DpGlyph, k).flags |= DP_GLYPH_COVERED;
  }
}

static void
add_reading (Draft *draft, const DpPageReading *reading, float dx, float dy)
{
  const guint first = draft->glyphs->len;
  DpFont font = { 0 };

  draft->font = (guint16) MIN (draft->fonts->len, G_MAXUINT16);
  for (guint i = 0; i < reading->paths->len; i++) {
    DpPath path = g_array_index (reading->paths, DpPath, i);
    path.box = moved (path.box, dx, dy);
    path.paint = next_paint (draft);
    g_array_append_val (draft->paths, path);
  }
  for (guint i = 0; i < reading->pictures->len; i++) {
    const DpImage image = { .box = moved (g_array_index (reading->pictures, DpRect, i), dx, dy), .paint = next_paint (draft) };
    if (is_box (image.box))
      g_array_append_val (draft->images, image);
  }
  for (guint i = 0; i < reading->formulas->len; i++) {
    const DpRect box = moved (g_array_index (reading->formulas, DpRect, i), dx, dy);
    g_array_append_val (draft->unread, box);
  }
  add_lines (draft, reading, dx, dy);
  font.n_glyphs = draft->glyphs->len - first;
  g_array_append_val (draft->fonts, font);
}

/* Takes draft. */
static DpPage *
finish (const DpPage *like, Draft *draft)
{
  DpPage *page = g_new0 (DpPage, 1);

  *page = (DpPage){ .number = like->number,
                    .width = like->width,
                    .height = like->height,
                    .rotation = like->rotation,
                    .glyphs = (const DpGlyph *) (gconstpointer) draft->glyphs->data,
                    .n_glyphs = draft->glyphs->len,
                    .fonts = (const DpFont *) (gconstpointer) draft->fonts->data,
                    .n_fonts = draft->fonts->len,
                    .paths = (const DpPath *) (gconstpointer) draft->paths->data,
                    .n_paths = draft->paths->len,
                    .images = (const DpImage *) (gconstpointer) draft->images->data,
                    .n_images = draft->images->len,
                    .unread = (const DpRect *) (gconstpointer) draft->unread->data,
                    .n_unread = draft->unread->len,
                    .strings = "",
                    .n_strings = 1,
                    .n_painted = draft->glyphs->len,
                    .n_truncated = like->n_truncated,
                    .backing = draft,
                    .backing_free = draft_free };
  return page;
}

DpPage *
dp_recognised_page (const DpPage *like, const DpPageReading *reading)
{
  Draft *draft = draft_new ();

  add_reading (draft, reading, 0, 0);
  DpPage *page = finish (like, draft);
  page->turn = reading->turn;
  page->skew = reading->skew;
  page->warp = reading->warp;
  page->fold = reading->fold;
  if (reading->turn == 90 || reading->turn == 270) {
    page->width = like->height;
    page->height = like->width;
  }
  if (reading->width > 0 && reading->height > 0) {
    page->width = reading->width;
    page->height = reading->height;
  }
  return page;
}

/* ---- pages of which parts were read ---------------------------------------------------------------------- */

static gboolean
in_a_part (DpRect box, const GArray *parts)
{
  for (guint i = 0; i < parts->len; i++)
    if (dp_rect_inside (box, g_array_index (parts, DpPartReading, i).box) > 0.9f)
      return TRUE;
  return FALSE;
}

DpPage *
dp_page_with_parts (const DpPage *page, const GArray *parts)
{
  Draft *draft = draft_new ();
  guint32 last = 0;

  g_array_append_vals (draft->glyphs, page->glyphs, (guint) page->n_glyphs);
  g_array_append_vals (draft->paths, page->paths, (guint) page->n_paths);
  g_array_append_vals (draft->fonts, page->fonts, (guint) page->n_fonts);
  for (gsize i = 0; i < page->n_images; i++)
    if (!in_a_part (page->images[i].box, parts))
      g_array_append_val (draft->images, page->images[i]);
  const guint n_glyphs = draft->glyphs->len, n_paths = draft->paths->len, n_images = draft->images->len;
  for (guint i = 0; i < parts->len; i++) {
    const DpPartReading *part = &g_array_index (parts, DpPartReading, i);
    add_reading (draft, part->reading, part->box.x0, part->box.y0);
  }
  /* What was read is painted last of all. */
  for (gsize i = 0; i < page->n_paths; i++)
    last = MAX (last, page->paths[i].paint);
  for (gsize i = 0; i < page->n_images; i++)
    last = MAX (last, page->images[i].paint);
  for (gsize i = 0; i < page->n_glyphs; i++)
    last = MAX (last, page->glyphs[i].paint);
  for (guint i = n_glyphs; i < draft->glyphs->len; i++)
    g_array_index (draft->glyphs, DpGlyph, i).paint += last;
  for (guint i = n_paths; i < draft->paths->len; i++)
    g_array_index (draft->paths, DpPath, i).paint += last;
  for (guint i = n_images; i < draft->images->len; i++)
    g_array_index (draft->images, DpImage, i).paint += last;

  DpPage *with = finish (page, draft);
  with->links = page->links, with->n_links = page->n_links;
  with->notes = page->notes, with->n_notes = page->n_notes;
  with->strings = page->strings, with->n_strings = page->n_strings;
  return with;
}
