/* layout/words.c - glyphs -> words.
 *
 * The text layer's own order and spaces come first, geometry corrects them: a gap the
 * layer did not see splits, a "space" inside a ligature pair (`veri fi cation`) joins,
 * letters of wide-tracked titles come together (words_tracked.c), glyphs drawn twice for
 * weight or shadow count once and mark the word bold.  Thresholds are in em (font size) and lie between
 * those of poppler (0.1), MuPDF (0.15) and opendataloader (0.17).
 *
 * All geometry is done in the frame of the glyph's writing direction (frame.h).
 */
#include "layout/frame.h"
#include "layout/layout.h"
#include "layout/text.h"
#include "layout/words_capitals.h"
#include "layout/words_skewed.h"
#include "layout/words_tracked.h"

#include <math.h>
#include <string.h>

#define SPACE_GAP 0.17f     /* em: without a flag of the layer, a wider gap is a space */
#define TRACKED_GAP 0.45f   /* em: ... also inside letter-spaced text */
#define LIGATURE_GAP 0.15f  /* em: a flagged space smaller than this may be a drawn-apart ligature */
#define SMALL_CAP_GAP 0.15f /* em: a flagged space smaller than this beside small capitals is none */
#define SCRIPT_SIZE 0.85f   /* size ratio below which a shifted glyph is a script */
#define N_LINK_BANDS 64

/* The word under construction. */
typedef struct {
  DpPageLayout *layout;
  const DpPage *page;
  GPtrArray *link_bands; /* N_LINK_BANDS GArrays of guint: links by height on the page */
  GString *scratch;
  const DpGlyph *last; /* glyph the word ends with, NULL = no word open */
  gint angle;
  gsize part;     /* byte where the layer's own token began, after a torn ligature was joined */
  guint carry;    /* space and break flags of copies that were left out since */
  float last_gap; /* em, between the last two glyphs */
  DpWord word;
  guint n_glyphs, n_bold, n_italic, n_mono, n_underline, n_rtl, n_letters, n_size;
  gboolean hidden;
  float big, small; /* sizes of its capitals, when they are of two; 0 = not so */
  GArray *capitals; /* DpSmallCapitals */
} Builder;

/* ---- duplicates ------------------------------------------------------------------------ */

typedef struct {
  guint32 code;
  gint32 cx, cy;
} DupKey;

/* Which glyph came last in a cell: slots by the hash of its key, the next free one where that is taken. */
typedef struct {
  const DupKey *keys; /* of the glyphs */
  guint32 *slots;     /* 1 + glyph, 0 = free; a power of two, at least four for each glyph */
  guint bits;
} DupTable;

static guint32 *
dup_slot (const DupTable *table, const DupKey *key)
{
  const guint32 hash = ((key->code * 2654435761u) ^ ((guint32) key->cx * 40503u) ^ ((guint32) key->cy * 2246822519u)) * 2654435769u;
  const guint32 mask = (1u << table->bits) - 1;
  guint32 at = hash >> (32 - table->bits);

  while (table->slots[at] && memcmp (&table->keys[table->slots[at] - 1], key, sizeof *key) != 0)
    at = (at + 1) & mask;
  return &table->slots[at];
}

static gboolean
is_copy (const DpGlyph *g, const DpGlyph *of)
{
  const gboolean turned = g->angle == 90 || g->angle == 270;
  const float along = (turned ? 0.2f : 0.1f) * g->size, across = (turned ? 0.1f : 0.2f) * g->size;

  return fabsf (of->box.x0 - g->box.x0) <= along && fabsf (of->box.y0 - g->box.y0) <= across
         && fabsf (of->size - g->size) <= 0.1f * g->size;
}

/* Marks glyphs drawn a second time at (almost) the same place: equal code and size within
 * 0.1 em along and 0.2 em across, as poppler does.  dup[i] = 1 for the copy, 2 for the
 * original that has copies.  A table of cells of 0.2 em, so small that two equal letters
 * side by side never share one, keeps it linear; most of the nine cells around a glyph are
 * empty, which one look at a slot says. */
static void
find_duplicates (const DpPage *page, guint8 *dup)
{
  const guint bits = CLAMP (g_bit_storage (page->n_glyphs) + 2, 8, 30);
  g_autofree DupKey *keys = g_new (DupKey, page->n_glyphs);
  g_autofree guint32 *slots = g_new0 (guint32, (gsize) 1 << bits);
  const DupTable table = { keys, slots, bits };

  for (gsize i = 0; i < page->n_glyphs; i++) {
    const DpGlyph *g = &page->glyphs[i];
    const float cell = 0.2f * CLAMP (roundf (4 * g->size) / 4, 1.0f, 1000.0f);
    const gint32 cx = (gint32) CLAMP (g->box.x0 / cell, -1e6f, 1e6f), cy = (gint32) CLAMP (g->box.y0 / cell, -1e6f, 1e6f);

    for (gint k = 0; k < 9 && !dup[i]; k++) {
      const DupKey near = { g->code, cx + k % 3 - 1, cy + k / 3 - 1 };
      const guint32 found = *dup_slot (&table, &near);

      if (found && is_copy (g, &page->glyphs[found - 1])) {
        dup[i] = 1;
        dup[found - 1] = 2;
      }
    }
    keys[i] = (DupKey){ g->code, cx, cy };
    if (!dup[i])
      *dup_slot (&table, &keys[i]) = (guint32) i + 1;
  }
}

/* ---- links ------------------------------------------------------------------------------- */

static guint
link_band (const DpPage *page, float y)
{
  float h = page->height > 0 ? page->height : 1;

  return (guint) CLAMP (y / h * N_LINK_BANDS, 0, N_LINK_BANDS - 1);
}

static GPtrArray *
index_links (DpPageLayout *layout, const DpPage *page)
{
  GPtrArray *bands = g_ptr_array_new_with_free_func ((GDestroyNotify) g_array_unref);

  for (guint b = 0; b < N_LINK_BANDS; b++)
    g_ptr_array_add (bands, g_array_new (FALSE, FALSE, sizeof (guint)));
  for (guint i = 0; i < page->n_links; i++) {
    const DpLink *link = &page->links[i];
    const char *uri = dp_page_string (page, link->uri);

    g_ptr_array_add (layout->links, *uri || !link->page ? g_strdup (uri) : g_strdup_printf ("#page=%u", link->page));
    if (!*uri && !link->page)
      continue;
    for (guint b = link_band (page, link->box.y0); b <= link_band (page, link->box.y1); b++)
      g_array_append_val (g_ptr_array_index (bands, b), i);
  }
  return bands;
}

static guint32
link_at (const Builder *b, DpRect box)
{
  const GArray *band = g_ptr_array_index (b->link_bands, link_band (b->page, dp_rect_cy (box)));

  for (guint i = 0; i < band->len; i++) {
    guint link = g_array_index (band, guint, i);

    if (dp_rect_contains_point (b->page->links[link].box, dp_rect_cx (box), dp_rect_cy (box)))
      return link + 1;
  }
  return 0;
}

/* ---- building words ---------------------------------------------------------------------- */

static gint
glyph_angle (const DpGlyph *g)
{
  if (g->flags & DP_GLYPH_VERTICAL)
    return 90;
  return g->flags & DP_GLYPH_SKEWED ? g->angle : dp_frame_snap (g->angle);
}

static guint16
glyph_style (const DpGlyph *g)
{
  return g->flags & (DP_GLYPH_BOLD | DP_GLYPH_ITALIC | DP_GLYPH_MONO);
}

/* The baseline lies in the lower part of a glyph's box; one that does not belongs to
 * another glyph, and the box says better (descenders take about a fifth). */
static float
plausible_baseline (const DpGlyph *g, gint angle)
{
  DpRect r = dp_frame_rect (g->box, angle);
  float base = dp_frame_base (g->baseline, angle), h = dp_rect_height (r);

  if (g->flags & DP_GLYPH_VERTICAL || h <= 0 || (base > r.y0 + 0.3f * h && base < r.y1 + 0.25f * h))
    return g->baseline;
  return dp_frame_base (r.y1 - 0.2f * h, angle);
}

/* Free space between two glyphs along the line, in em; negative when they overlap.  Works
 * for both directions, as the text layer is in logical order. */
static float
gap_em (const DpGlyph *a, const DpGlyph *b, gint angle)
{
  DpRect ra = dp_frame_rect (a->box, angle), rb = dp_frame_rect (b->box, angle);

  return MAX (rb.x0 - ra.x1, ra.x0 - rb.x1) / MAX (MAX (a->size, b->size), 0.1f);
}

static void
close_word (Builder *b)
{
  DpWord *w = &b->word;

  if (!b->last)
    return;
  w->text = (guint32) b->layout->text->len;
  g_string_append_len (b->layout->text, b->scratch->str, (gssize) b->scratch->len);
  dp_text_compose (b->layout->text, w->text);
  w->text_len = (guint32) (b->layout->text->len - w->text);
  w->n_chars = (guint8) MIN (255, g_utf8_strlen (b->scratch->str, (gssize) b->scratch->len));
  w->style = (guint16) ((2 * b->n_bold > b->n_glyphs ? DP_SPAN_BOLD : 0) | (2 * b->n_italic > b->n_glyphs ? DP_SPAN_ITALIC : 0)
                        | (2 * b->n_mono > b->n_glyphs ? DP_SPAN_MONO : 0) | (2 * b->n_underline > b->n_glyphs ? DP_SPAN_UNDERLINE : 0));
  w->rtl = 2 * b->n_rtl > b->n_letters;
  w->hidden = b->hidden;
  w->break_after = (b->last->flags & DP_GLYPH_BREAK) != 0;
  w->link = link_at (b, w->box);
  w->layer = b->layout->words->len;
  if (b->small > 0) {
    w->small_caps = TRUE;
    w->size = b->big;
  }
  if (w->text_len && b->small > 0)
    g_array_append_vals (b->capitals, &(DpSmallCapitals){ b->layout->words->len, b->small }, 1);
  if (w->text_len)
    g_array_append_val (b->layout->words, *w);
  b->last = NULL;
}

static void
open_word (Builder *b, const DpGlyph *g, gboolean hidden, gboolean space)
{
  b->word = (DpWord){ .box = g->box,
                      .baseline = g->baseline,
                      .size = g->size,
                      .colour = g->colour,
                      .font = g->font,
                      .angle = (gint16) glyph_angle (g),
                      .space_before = space,
                      .first_glyph = (guint32) (g - b->page->glyphs) };
  b->word.vertical = (g->flags & DP_GLYPH_VERTICAL) != 0;
  b->angle = b->word.angle;
  b->n_glyphs = b->n_bold = b->n_italic = b->n_mono = b->n_underline = b->n_rtl = b->n_letters = b->n_size = 0;
  b->hidden = hidden;
  b->last_gap = b->big = b->small = 0;
  b->part = 0;
  g_string_truncate (b->scratch, 0);
}

/* Is g, a capital, smaller than a capital before it in its word? */
static gboolean
is_small_capital (Builder *b, const DpGlyph *g)
{
  if (dp_glyphs_small_capitals (b->last, g) && g->size < b->last->size && g_unichar_isupper (b->last->code)) {
    b->big = b->last->size;
    b->small = g->size;
  }
  return b->big > 0 && fabsf (g->size - b->small) < 0.03f * b->small;
}

static void
add_glyph (Builder *b, const DpGlyph *g, gboolean doubled)
{
  gunichar code = g->code;
  DpRect run = dp_frame_rect (g->box, b->angle);

  /* A soft hyphen that takes up room is a hyphen somebody sees; others are only a hint. */
  if (code == 0xad && !(g->flags & DP_GLYPH_UNPAINTED) && dp_rect_width (run) > 0.1f * g->size)
    code = '-';
  if (b->last && g_unichar_isupper (code) && is_small_capital (b, g))
    code = g_unichar_tolower (code);
  dp_text_append (b->scratch, code);
  if (b->last)
    b->last_gap = gap_em (b->last, g, b->angle);
  b->word.box = b->n_glyphs ? dp_rect_union (b->word.box, g->box) : g->box;
  /* Majority vote for size, font and colour (Boyer and Moore). */
  if (!b->n_size) {
    b->word.size = g->size;
    b->word.font = g->font;
    b->word.colour = g->colour;
    b->word.baseline = plausible_baseline (g, b->angle);
    b->n_size = 1;
  } else if (fabsf (b->word.size - g->size) < 0.02f * g->size && b->word.font == g->font)
    b->n_size++;
  else
    b->n_size--;
  b->n_glyphs++;
  b->n_bold += doubled || (g->flags & DP_GLYPH_BOLD);
  b->n_italic += (g->flags & DP_GLYPH_ITALIC) != 0;
  b->n_mono += (g->flags & DP_GLYPH_MONO) != 0;
  b->n_underline += (g->flags & DP_GLYPH_UNDERLINE) != 0;
  b->n_rtl += dp_text_is_rtl (g->code);
  b->n_letters += dp_text_is_rtl (g->code) || g_unichar_isalpha (g->code);
  b->word.n_glyphs = (guint32) (g - b->page->glyphs) - b->word.first_glyph + 1;
  b->last = g;
  b->carry = 0;
}

typedef enum { SAME_WORD, NEW_PART, NEW_WORD } Step; /* NEW_PART: no space between */

static gboolean
is_ligature_part (const char *s, gsize len)
{
  static const char *const parts[] = { "fi", "fl", "ff", "ffi", "ffl", "ft", "fj", "tt", "ti" };

  for (gsize i = 0; i < G_N_ELEMENTS (parts); i++)
    if (strlen (parts[i]) == len && memcmp (parts[i], s, len) == 0)
      return TRUE;
  return FALSE;
}

/* Length of the layer's token that begins at glyph i, as far as the next flagged space. */
static gsize
token_at (const DpPage *page, gsize i, char *out, gsize max)
{
  gsize n = 0;

  for (gsize k = i; k < page->n_glyphs && n < max; k++) {
    GString piece = { 0 };
    char bytes[64];

    piece.str = bytes;
    piece.allocated_len = sizeof bytes;
    piece.str[0] = 0;
    if (page->glyphs[k].code < 0x80)
      out[n++] = (char) page->glyphs[k].code;
    else if (page->glyphs[k].code >= 0xfb00 && page->glyphs[k].code <= 0xfb06) {
      dp_text_append (&piece, page->glyphs[k].code);
      for (gsize c = 0; c < piece.len && n < max; c++)
        out[n++] = piece.str[c];
    } else
      return 0;
    if (page->glyphs[k].flags & (DP_GLYPH_SPACE | DP_GLYPH_BREAK))
      return n;
  }
  return n < max ? n : 0;
}

/* `veri fi cation`: the layer claims a space beside a lone ligature, but there is hardly
 * a gap, the font is the same and the word goes on in lower case. */
static gboolean
is_torn_ligature (const Builder *b, gsize i, float gap)
{
  const DpGlyph *g = &b->page->glyphs[i];
  char token[8];
  gsize n;

  if (gap >= LIGATURE_GAP || b->last->font != g->font || !(g_unichar_islower (g->code) || (g->code >= 0xfb00 && g->code <= 0xfb06)))
    return FALSE;
  if (b->scratch->len >= 2 && b->last->code >= 0xfb00 && b->last->code <= 0xfb06)
    return TRUE;
  if (is_ligature_part (b->scratch->str + b->part, b->scratch->len - b->part))
    return TRUE;
  n = token_at (b->page, i, token, sizeof token);
  if (n && is_ligature_part (token, n))
    return TRUE;
  return gap < 0.02f && b->scratch->len >= 2 && is_ligature_part (b->scratch->str + b->scratch->len - 2, 2);
}

static Step
step_to (const Builder *b, gsize i, gboolean hidden)
{
  const DpGlyph *p = b->last, *g = &b->page->glyphs[i];
  float big = MAX (MAX (p->size, g->size), 0.1f), ratio = MIN (p->size, g->size) / big;
  float shift = fabsf (plausible_baseline (p, b->angle) - plausible_baseline (g, b->angle)) / big, gap = gap_em (p, g, b->angle);
  guint flags = p->flags | b->carry;
  gboolean flagged = (flags & DP_GLYPH_SPACE) != 0;

  if ((flags & DP_GLYPH_BREAK) || hidden != b->hidden || glyph_angle (g) != b->angle)
    return NEW_WORD;
  if (p->flags & DP_GLYPH_SKEWED)
    return flagged ? NEW_WORD : SAME_WORD;
  if (shift > 0.8f || gap > 2.5f)
    return NEW_WORD;
  if (flagged && shift < 0.05f && gap < SMALL_CAP_GAP && dp_glyphs_small_capitals (p, g))
    return SAME_WORD;
  if (flagged)
    return is_torn_ligature (b, i, gap) ? SAME_WORD : NEW_WORD;
  if (dp_text_is_mark (g->code))
    return SAME_WORD;
  if (gap > TRACKED_GAP || (gap > SPACE_GAP && b->last_gap < 0.5f * gap && !dp_text_is_cjk (p->code)))
    return NEW_WORD;
  /* Scripts stand apart without a space; small capitals on the same baseline do not. */
  if ((ratio < SCRIPT_SIZE && shift > 0.08f) || shift > 0.3f || ratio < 0.6f)
    return NEW_PART;
  if (glyph_style (p) != glyph_style (g))
    return NEW_PART;
  return SAME_WORD;
}

void
dp_layout_words (DpPageLayout *layout, const DpPage *page, const guint8 *hidden)
{
  g_autofree guint8 *dup = g_malloc0 (page->n_glyphs + 1);
  g_autoptr (GPtrArray) bands = index_links (layout, page);
  g_autoptr (GArray) capitals = g_array_new (FALSE, FALSE, sizeof (DpSmallCapitals));
  Builder b = { .layout = layout, .page = page, .link_bands = bands, .scratch = g_string_new (NULL), .capitals = capitals };

  find_duplicates (page, dup);
  for (gsize i = 0; i < page->n_glyphs; i++) {
    const DpGlyph *g = &page->glyphs[i];
    gboolean is_hidden = hidden && hidden[i];
    Step step = b.last ? step_to (&b, i, is_hidden) : NEW_WORD;

    if (dup[i] == 1) {
      b.carry |= g->flags & (DP_GLYPH_SPACE | DP_GLYPH_BREAK);
      continue;
    }
    if (step != SAME_WORD) {
      gboolean space = step == NEW_WORD;

      close_word (&b);
      open_word (&b, g, is_hidden, space);
    } else if ((b.last->flags | b.carry) & DP_GLYPH_SPACE)
      b.part = b.scratch->len;
    add_glyph (&b, g, dup[i] == 2);
  }
  close_word (&b);
  g_string_free (b.scratch, TRUE);
  dp_words_lower_capitals (layout, capitals);
  dp_words_join_skewed (layout);
  dp_words_join_tracked (layout);
}
