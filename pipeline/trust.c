/* pipeline/trust.c - can a page's own text be believed?  See trust.h. */
#include "pipeline/trust.h"

#include <math.h>
#include <string.h>

#include "pipeline/trust_stats.h"

static const char *const reason_names[DP_N_TRUST_REASONS] = {
  [DP_TRUST_TEXT] = "text",
  [DP_TRUST_OCR_LAYER] = "ocr-layer",
  [DP_TRUST_BLANK] = "blank",
  [DP_TRUST_NO_TEXT] = "no-text",
  [DP_TRUST_TOO_LITTLE] = "too-little-text",
  [DP_TRUST_BAD_CHARS] = "bad-characters",
  [DP_TRUST_UNMAPPED] = "unmapped-glyphs",
  [DP_TRUST_BAD_FONT] = "bad-font",
  [DP_TRUST_PUNCTUATION] = "punctuation",
  [DP_TRUST_MIXED] = "mixed-scripts",
  [DP_TRUST_SHIFTED] = "shifted-letters",
};

const char *
dp_trust_reason_name (DpTrustReason reason)
{
  g_return_val_if_fail ((guint) reason < DP_N_TRUST_REASONS, "unknown");
  return reason_names[reason];
}

/* ---- what is painted -------------------------------------------------------------------------------- */

#define GRID 256

/* Share of the page under images: each adds one to the cells whose centres it holds, as
 * differences that are summed at the end, so that many tiles cost no more than few. */
static float
image_cover (const DpPage *page)
{
  g_autofree gint32 *cells = NULL;
  guint covered = 0;

  if (page->n_images == 0)
    return 0;
  cells = g_new0 (gint32, (GRID + 1) * (GRID + 1));
  for (gsize i = 0; i < page->n_images; i++) {
    DpRect b = page->images[i].box;
    int x0 = (int) CLAMP (ceilf (b.x0 / page->width * GRID - 0.5f), 0, GRID),
        x1 = (int) CLAMP (ceilf (b.x1 / page->width * GRID - 0.5f), 0, GRID);
    int y0 = (int) CLAMP (ceilf (b.y0 / page->height * GRID - 0.5f), 0, GRID),
        y1 = (int) CLAMP (ceilf (b.y1 / page->height * GRID - 0.5f), 0, GRID);

    cells[y0 * (GRID + 1) + x0]++;
    cells[y0 * (GRID + 1) + x1]--;
    cells[y1 * (GRID + 1) + x0]--;
    cells[y1 * (GRID + 1) + x1]++;
  }
  for (int y = 0; y < GRID; y++) {
    gint32 row = 0;
    for (int x = 0; x < GRID; x++) {
      row += cells[y * (GRID + 1) + x];
      cells[(y + 1) * (GRID + 1) + x] += cells[y * (GRID + 1) + x];
      covered += row > 0;
    }
  }
  return (float) covered / (GRID * GRID);
}

/* Whether anything is painted that could be writing: pictures, curves, strokes at an angle,
 * glyphs.  Straight rules, boxes and white paint are a form without words. */
static gboolean
paints_something (const DpPage *page)
{
  if (page->n_images > 0 || page->n_painted > 0)
    return TRUE;
  for (gsize i = 0; i < page->n_paths; i++) {
    const DpPath *p = &page->paths[i];

    if ((p->kind == DP_PATH_CURVE || p->kind == DP_PATH_SLANTED) && p->colour != 0xffffff && p->alpha > 0)
      return TRUE;
  }
  return FALSE;
}

/* Shapes of the size of letters: where type was turned into outlines there are hundreds, and hardly a glyph. */
static guint32
count_outlines (const DpPage *page)
{
  guint32 n = 0;

  for (gsize i = 0; i < page->n_paths; i++) {
    const DpPath *p = &page->paths[i];
    const float w = dp_rect_width (p->box), h = dp_rect_height (p->box);

    n += p->kind == DP_PATH_CURVE && p->alpha > 0 && h >= 3 && h <= 40 && w <= 2 * h;
  }
  return n;
}

static gboolean
seen (const DpGlyph *g)
{
  return !(g->flags & (DP_GLYPH_UNPAINTED | DP_GLYPH_COVERED));
}

/* Whether all glyphs lie in the margins (tenths of the page): stamps, running headers. */
static gboolean
all_in_margins (const DpPage *page)
{
  for (gsize i = 0; i < page->n_glyphs; i++) {
    float x = dp_rect_cx (page->glyphs[i].box) / page->width, y = dp_rect_cy (page->glyphs[i].box) / page->height;

    if (x > 0.1f && x < 0.9f && y > 0.1f && y < 0.9f)
      return FALSE;
  }
  return TRUE;
}

/* ---- fonts -------------------------------------------------------------------------------------------- */

/* Fonts of signs rather than letters: their private-use codes are bullets, brackets and
 * operators, and no reading of the page would gain from doubting them. */
static gboolean
is_sign_font (const char *name)
{
  static const char *const parts[]
      = { "symbol",  "dingbat",  "wingding", "webding", "math",  "cmsy", "cmex",    "cmmi",   "cmbsy", "msam",     "msbm",
          "mtextra", "mt-extra", "mtmi",     "mtsy",    "rmtmi", "icon", "awesome", "bullet", "lasy",  "esint",    "stmary",
          "wasy",    "euex",     "eufm",     "eusm",    "rsfs",  "txsy", "txex",    "pxsy",   "pxex",  "marvosym", "music" };
  g_autofree char *lower = g_ascii_strdown (name, -1);

  for (guint i = 0; i < G_N_ELEMENTS (parts); i++)
    if (strstr (lower, parts[i]))
      return TRUE;
  return FALSE;
}

/* MinerU's limits; with few characters only the flagrant cases count. */
static gboolean
too_many_bad (guint32 n_bad, guint32 n)
{
  return n >= 300 ? n_bad >= 0.03 * n : n_bad >= 10 && n_bad >= 0.2 * n;
}

static gboolean
is_soup (const DpTrustStats *s)
{
  return s->n >= 100 && s->n_punct >= 0.25 * s->n && s->n_punct_runs >= 0.1 * s->n;
}

static gboolean
is_mixed (const DpTrustStats *s)
{
  if (s->n_cjk < 100)
    return FALSE;
  return (s->n >= 300 && s->n_strange >= 120 && s->n_strange >= 0.18 * s->n && dp_trust_stats_n_strange_scripts (s) >= 3)
         || (s->n_dog_cjk >= 30 && s->n_dog_cjk >= 0.026 * s->n_cjk) || s->n_rare_cjk >= 0.15 * s->n_cjk;
}

/* Letters that spell nothing: moved by a constant, or words without vowels (in any language
 * in Latin script fewer than 1 in 30 words of 4 letters). */
static gboolean
is_shifted (const DpTrustStats *s)
{
  return dp_trust_stats_shift (s) != 0 || (s->n_words >= 60 && s->n_no_vowel >= 0.4 * s->n_words);
}

static void
judge_font (const DpTrustStats *s, gboolean signs, DpTrustFont *out)
{
  out->n_glyphs = s->n;
  out->n_bad = signs ? 0 : s->n_bad;
  out->reason = DP_TRUST_TEXT;
  if (!signs && s->n >= 30) {
    if (s->n_bad >= 0.5 * s->n)
      out->reason = DP_TRUST_BAD_CHARS;
    else if (is_soup (s))
      out->reason = DP_TRUST_PUNCTUATION;
    else if (is_mixed (s))
      out->reason = DP_TRUST_MIXED;
    else if (is_shifted (s))
      out->reason = DP_TRUST_SHIFTED;
  }
  out->trusted = out->reason == DP_TRUST_TEXT;
}

/* ---- the page --------------------------------------------------------------------------------------------- */

static void verdict (DpTrust *out, gboolean trusted, DpTrustReason reason, const char *format, ...) G_GNUC_PRINTF (4, 5);

static void
verdict (DpTrust *out, gboolean trusted, DpTrustReason reason, const char *format, ...)
{
  va_list args;

  va_start (args, format);
  out->trusted = trusted;
  out->reason = reason;
  out->sentence = g_strdup_vprintf (format, args);
  va_end (args);
}

/* Statistics of the whole page (returned) and of each font (judged into out). */
static DpTrustStats
gather (const DpPage *page, DpTrust *out)
{
  DpTrustStats all = { 0 };
  g_autofree DpTrustStats *per_font = g_new0 (DpTrustStats, MAX (page->n_fonts, 1));

  for (gsize i = 0; i < page->n_glyphs; i++) {
    const DpGlyph *g = &page->glyphs[i];

    dp_trust_stats_add (&all, g);
    if (g->font < page->n_fonts)
      dp_trust_stats_add (&per_font[g->font], g);
    out->n_painted += seen (g);
  }
  dp_trust_stats_end (&all);
  out->n_fonts = page->n_fonts;
  out->fonts = page->n_fonts ? g_new0 (DpTrustFont, page->n_fonts) : NULL;
  for (gsize i = 0; i < page->n_fonts; i++) {
    dp_trust_stats_end (&per_font[i]);
    judge_font (&per_font[i], is_sign_font (dp_page_string (page, page->fonts[i].name)), &out->fonts[i]);
    out->n_bad += out->fonts[i].n_bad;
  }
  if (page->n_fonts == 0)
    out->n_bad = all.n_bad;
  return all;
}

/* The text itself: TRUE if something is wrong with it, and then the verdict is given. */
static gboolean
condemn_text (const DpPage *page, const DpTrustStats *all, DpTrust *out)
{
  guint32 in_bad_fonts = 0;
  gsize worst = 0;

  for (gsize i = 0; i < out->n_fonts; i++) {
    in_bad_fonts += out->fonts[i].trusted ? 0 : out->fonts[i].n_glyphs;
    if (!out->fonts[i].trusted && (out->fonts[worst].trusted || out->fonts[i].n_glyphs > out->fonts[worst].n_glyphs))
      worst = i;
  }
  if (too_many_bad (out->n_bad, out->n_glyphs))
    verdict (out, FALSE, DP_TRUST_BAD_CHARS, "%.0f %% of the text layer is not text (%u of %u characters)", 100.0 * out->bad_share,
             out->n_bad, out->n_glyphs);
  else if (page->n_painted_unmapped >= 30 && out->unmapped_share >= 0.04f)
    verdict (out, FALSE, DP_TRUST_UNMAPPED, "%.0f %% of the painted glyphs have no character (%u of %u)", 100.0 * out->unmapped_share,
             page->n_painted_unmapped, page->n_painted);
  else if (in_bad_fonts >= 0.1 * out->n_glyphs && in_bad_fonts > 0)
    verdict (out, FALSE, out->fonts[worst].reason == DP_TRUST_SHIFTED ? DP_TRUST_SHIFTED : DP_TRUST_BAD_FONT,
             "the font %s decodes to nonsense (%s, %u of %u characters)", dp_page_string (page, page->fonts[worst].name),
             dp_trust_reason_name (out->fonts[worst].reason), in_bad_fonts, out->n_glyphs);
  else if (is_soup (all))
    verdict (out, FALSE, DP_TRUST_PUNCTUATION, "the text layer is mostly runs of punctuation");
  else if (is_mixed (all))
    verdict (out, FALSE, DP_TRUST_MIXED, "the text layer mixes scripts as no language does");
  else if (is_shifted (all))
    verdict (out, FALSE, DP_TRUST_SHIFTED, "the letters of the text layer spell no language");
  else
    return FALSE;
  return TRUE;
}

void
dp_trust_judge (const DpPage *page, DpTrust *out)
{
  DpTrustStats all;

  memset (out, 0, sizeof *out);
  all = gather (page, out);
  out->n_glyphs = (guint32) page->n_glyphs;
  out->image_cover = image_cover (page);
  out->bad_share = page->n_glyphs ? (float) out->n_bad / (float) page->n_glyphs : 0;
  out->unmapped_share = page->n_painted ? (float) page->n_painted_unmapped / (float) page->n_painted : 0;

  if (page->n_glyphs == 0) {
    if (paints_something (page))
      verdict (out, FALSE, DP_TRUST_NO_TEXT, "no text layer (images cover %.0f %% of the page)", 100.0 * out->image_cover);
    else
      verdict (out, TRUE, DP_TRUST_BLANK, "the page is blank");
  } else if (condemn_text (page, &all, out)) {
    const gboolean holes
        = out->reason == DP_TRUST_UNMAPPED || (out->reason == DP_TRUST_BAD_CHARS && out->n_bad <= page->n_painted_unmapped);
    out->foreign = holes && 2 * (all.n_strange + all.n_cjk) > all.n_letters;
  } else if (out->n_painted < 0.1 * out->n_glyphs) {
    if (out->image_cover >= 0.5f)
      verdict (out, TRUE, DP_TRUST_OCR_LAYER, "an OCR layer of fair quality over a page picture");
    else if (paints_something (page))
      verdict (out, FALSE, DP_TRUST_NO_TEXT, "the text layer is invisible and does not belong to a page picture");
    else
      /* said and not passed over: a font that cannot be loaded looks the same as hidden text */
      verdict (out, FALSE, DP_TRUST_NO_TEXT, "the page has a text layer, but nothing of it is painted (hidden text, or a broken font)");
  } else if (out->image_cover >= 0.8f && (out->n_glyphs < 10 || (out->n_glyphs < 300 && all_in_margins (page)))) {
    verdict (out, FALSE, DP_TRUST_TOO_LITTLE, "a page picture with only a stamp or header as text (%u characters)", out->n_glyphs);
  } else if (out->n_glyphs < 30 && count_outlines (page) >= 300) {
    verdict (out, FALSE, DP_TRUST_TOO_LITTLE, "hardly any text (%u characters), but hundreds of shapes of the size of letters",
             out->n_glyphs);
  } else {
    verdict (out, TRUE, DP_TRUST_TEXT, "text layer");
  }
}

void
dp_trust_clear (DpTrust *trust)
{
  g_clear_pointer (&trust->sentence, g_free);
  g_clear_pointer (&trust->fonts, g_free);
  trust->n_fonts = 0;
}
