/* tests/layout/glyph_page.h - a page typed glyph by glyph, for the tests of layout/.
 *
 * Every character is half an em wide, ascent 0.8 and descent 0.2 em, so that the place of
 * everything on the page can be worked out by head.
 */
#pragma once

#include <string.h>

#include "layout/frame.h"
#include "layout/layout.h"

typedef struct {
  DpPage page;
  GArray *glyphs, *fonts, *paths, *images, *links;
  GString *strings;
  guint32 paint;
} GlyphPage;

static inline GlyphPage *
glyph_page_new (float width, float height)
{
  GlyphPage *g = g_new0 (GlyphPage, 1);
  DpFont font = { 0 };

  g->page.number = 1;
  g->page.width = width;
  g->page.height = height;
  g->glyphs = g_array_new (FALSE, TRUE, sizeof (DpGlyph));
  g->fonts = g_array_new (FALSE, TRUE, sizeof (DpFont));
  g->paths = g_array_new (FALSE, TRUE, sizeof (DpPath));
  g->images = g_array_new (FALSE, TRUE, sizeof (DpImage));
  g->links = g_array_new (FALSE, TRUE, sizeof (DpLink));
  g->strings = g_string_new_len ("", 1);
  for (guint i = 0; i < 4; i++)
    g_array_append_val (g->fonts, font);
  return g;
}

static inline void
glyph_page_free (GlyphPage *g)
{
  g_array_unref (g->glyphs);
  g_array_unref (g->fonts);
  g_array_unref (g->paths);
  g_array_unref (g->images);
  g_array_unref (g->links);
  g_string_free (g->strings, TRUE);
  g_free (g);
}

/* The page, valid until the next change. */
static inline const DpPage *
glyph_page_done (GlyphPage *g)
{
  g->page.glyphs = (const DpGlyph *) g->glyphs->data;
  g->page.n_glyphs = g->glyphs->len;
  g->page.fonts = (const DpFont *) g->fonts->data;
  g->page.n_fonts = g->fonts->len;
  g->page.paths = (const DpPath *) g->paths->data;
  g->page.n_paths = g->paths->len;
  g->page.images = (const DpImage *) g->images->data;
  g->page.n_images = g->images->len;
  g->page.links = (const DpLink *) g->links->data;
  g->page.n_links = g->links->len;
  g->page.strings = g->strings->str;
  g->page.n_strings = g->strings->len;
  return &g->page;
}

/* One glyph at u along and base across the writing direction `angle`. */
static inline DpGlyph *
type_glyph (GlyphPage *g, gunichar c, float u, float base, float size, float width, gint angle)
{
  DpGlyph glyph = { .code = c, .size = size, .angle = (gint16) angle, .paint = ++g->paint };

  glyph.box = dp_frame_unrect ((DpRect){ u, base - 0.8f * size, u + width, base + 0.2f * size }, angle);
  glyph.baseline = dp_frame_base (base, angle);
  g_array_append_val (g->glyphs, glyph);
  return &g_array_index (g->glyphs, DpGlyph, g->glyphs->len - 1);
}

/* A string with its own step between characters; a blank is a flag and a gap.  Returns the
 * place behind it.  The last glyph gets `end` (DP_GLYPH_SPACE, DP_GLYPH_BREAK or 0). */
static inline float
type_at (GlyphPage *g, float u, float base, float size, const char *text, guint16 flags, guint16 end, gint angle, float step)
{
  for (const char *p = text; *p; p = g_utf8_next_char (p)) {
    gunichar c = g_utf8_get_char (p);

    if (c == ' ') {
      if (g->glyphs->len)
        g_array_index (g->glyphs, DpGlyph, g->glyphs->len - 1).flags |= DP_GLYPH_SPACE;
    } else {
      DpGlyph *glyph = type_glyph (g, c, u, base, size, 0.5f * size, angle);

      glyph->flags = flags;
      glyph->font = flags & DP_GLYPH_BOLD ? 1 : 0;
    }
    u += step * size;
  }
  if (g->glyphs->len)
    g_array_index (g->glyphs, DpGlyph, g->glyphs->len - 1).flags |= end;
  return u;
}

/* A plain line that the text layer ends. */
static inline float
type_line (GlyphPage *g, float x, float y, float size, const char *text)
{
  return type_at (g, x, y, size, text, 0, DP_GLYPH_BREAK | DP_GLYPH_SPACE, 0, 0.5f);
}

/* `n` lines of prose of `chars` characters from (x, y) at the given pitch; every line
 * begins with its tag, so that order can be read off. */
static inline void
type_prose (GlyphPage *g, float x, float y, float size, float pitch, guint n, guint chars, const char *tag)
{
  static const char filler[] = "lorem ipsum dolor sit amet consetetur sadipscing elitr sed diam nonumy eirmod tempor invidunt ut labore";

  static const guint8 starts[] = { 0, 6, 12, 18, 22, 27 };

  for (guint i = 0; i < n; i++) {
    g_autofree char *line = g_strdup_printf ("%s%u %s", tag, i, filler + starts[i % 6]);

    line[MIN (chars, strlen (line))] = 0;
    g_strchomp (line);
    type_line (g, x, y + (float) i * pitch, size, line);
  }
}

static inline DpPath *
draw_path (GlyphPage *g, DpPathKind kind, DpRect box, guint32 colour)
{
  DpPath path = { .box = box, .kind = kind, .colour = colour, .paint = ++g->paint, .alpha = 1 };

  g_array_append_val (g->paths, path);
  return &g_array_index (g->paths, DpPath, g->paths->len - 1);
}

static inline char *
word_string (const DpPageLayout *l, guint i)
{
  gsize len;
  const char *s = dp_word_text (l, &g_array_index (l->words, DpWord, i), &len);

  return g_strndup (s, len);
}

/* All words, parted by '|', or by '+' where no space stands between them. */
static inline char *
words_string (const DpPageLayout *l)
{
  GString *out = g_string_new (NULL);

  for (guint i = 0; i < l->words->len; i++) {
    const DpWord *w = &g_array_index (l->words, DpWord, i);

    if (i)
      g_string_append_c (out, w->space_before ? '|' : '+');
    g_string_append_len (out, l->text->str + w->text, w->text_len);
  }
  return g_string_free (out, FALSE);
}

/* All lines in order, one a row. */
static inline char *
lines_string (const DpPageLayout *l)
{
  GString *out = g_string_new (NULL);

  for (guint i = 0; i < l->lines->len; i++) {
    if (i)
      g_string_append_c (out, '\n');
    dp_line_text (l, &g_array_index (l->lines, DpLine, i), out);
  }
  return g_string_free (out, FALSE);
}

/* The first word of every region, in the order of the regions. */
static inline char *
regions_string (const DpPageLayout *l)
{
  GString *out = g_string_new (NULL);

  for (guint i = 0; i < l->regions->len; i++) {
    const DpRegion *region = &g_array_index (l->regions, DpRegion, i);

    if (i)
      g_string_append_c (out, ' ');
    if (region->kind == DP_REGION_TABLE || region->kind == DP_REGION_FIGURE || !region->lines->len)
      g_string_append_c (out, region->kind == DP_REGION_TABLE ? 'T' : 'F');
    else {
      const DpLine *line = &g_array_index (l->lines, DpLine, g_array_index (region->lines, guint, 0));
      gsize len;
      const char *s = dp_word_text (l, &g_array_index (l->words, DpWord, line->first_word), &len);

      g_string_append_len (out, s, (gssize) len);
    }
  }
  return g_string_free (out, FALSE);
}

#define assert_string(call, want)                                                                                                          \
  G_STMT_START                                                                                                                             \
  {                                                                                                                                        \
    g_autofree char *got_ = (call);                                                                                                        \
    g_assert_cmpstr (got_, ==, (want));                                                                                                    \
  }                                                                                                                                        \
  G_STMT_END
