/* layout/code.c - program text: lines set in a fixed-pitch face.
 *
 * As in pymupdf4llm a line is code when every span of it is monospaced; two such lines in a
 * row, or one that cannot be prose, make a block.  Columns are rebuilt from x positions.  A
 * document that is set in a typewriter face throughout has no code by this test.
 */
#include "layout/flow.h"
#include "layout/labels.h"

#include <math.h>
#include <string.h>

#define GAP_LINES 2.6f  /* em between baselines inside one listing */
#define PANEL_GAP 8.0f  /* the same where a painted box holds it together */
#define MOST_BLANK 2    /* blank lines in a row in a listing without a box */
#define MOST_FILLS 400u /* a page with more of them is a drawing */

/* A link or a mail address alone, in angle brackets or not, is often set so; it is no program. */
static gboolean
is_address (const char *text)
{
  const char *space = strchr (text, ' ');

  if ((space && strchr (space + 1, ' ')) /* two words at most: a note's mark may stand before it */
      || strpbrk (text + (*text == '<'), "<{}\"|"))
    return FALSE;
  return strstr (text, "://") || strchr (text, '@') || g_str_has_prefix (text, "www.");
}

/* A listing that the page passes found. */
static gboolean
is_listing (const DpFlow *flow, const DpFlowLine *line)
{
  return line->role == DP_ROLE_BODY && dp_flow_region (flow, line)->kind == DP_REGION_CODE;
}

/* An item of a list, whatever face its text is in; signs on a keyboard may be code. */
static gboolean
has_bullet (const char *text)
{
  DpLabel label;

  return !g_ascii_isprint (*text) && dp_label_parse (text, &label) && label.kind == DP_LABEL_BULLET;
}

static gboolean
is_mono (const DpFlowLine *line)
{
  return line->role == DP_ROLE_BODY && !line->astray && (line->style & DP_SPAN_MONO) && !is_address (line->text)
         && !has_bullet (line->text);
}

static gboolean
looks_like_code (const char *text)
{
  return strpbrk (text, "{};=<>()$#/\\|_") != NULL;
}

static gboolean
mostly_mono (const DpFlow *flow)
{
  gsize mono = 0, all = 0;

  for (guint i = 0; i < flow->lines->len; i++) {
    const DpFlowLine *line = dp_flow_line (flow, i);
    all += line->n_chars;
    mono += line->style & DP_SPAN_MONO ? line->n_chars : 0;
  }
  return mono * 10 > all * 7;
}

/* ---- one listing ----------------------------------------------------------------------------- */

/* The painted box that a listing stands in: the smallest fill around the line that is wider and higher than a word's
 * ground; no box: a rectangle without width. */
static DpRect
panel_of (const DpFlow *flow, const DpFlowLine *line)
{
  const GArray *fills = dp_flow_page (flow, line)->layout->fills;
  DpRect best = { 0 };

  if (fills->len > MOST_FILLS)
    return best;
  for (guint i = 0; i < fills->len; i++) {
    const DpRect box = g_array_index (fills, DpPath, i).box;
    if (dp_rect_width (box) >= 10 * line->size && dp_rect_inside (line->box, box) > 0.9f
        && (dp_rect_width (best) <= 0 || dp_rect_height (box) < dp_rect_height (best)))
      best = box;
  }
  return best;
}

static gboolean
same_rect (DpRect a, DpRect b)
{
  return a.x0 == b.x0 && a.y0 == b.y0 && a.x1 == b.x1 && a.y1 == b.y1;
}

/* A rule crosses between the lines (upright text: rules lie the other way, and none is looked for). */
static gboolean
rule_between (const DpFlow *flow, const DpFlowLine *a, const DpFlowLine *b)
{
  const GArray *rules = dp_flow_page (flow, a)->layout->hrules;

  if (dp_flow_page (flow, a)->angle != 0)
    return FALSE;
  for (guint i = dp_rules_from (rules, a->box.y1 - 0.3f * a->size); i < rules->len; i++) {
    const DpRule *rule = &g_array_index (rules, DpRule, i);
    if (rule->pos > b->box.y0 + 0.3f * b->size)
      break;
    if (rule->from < MIN (a->box.x0, b->box.x0) + a->size && rule->to > MAX (a->box.x1, b->box.x1) - a->size)
      return TRUE;
  }
  return FALSE;
}

/* A third of the line's characters at least are monospaced; the others are signs that the face lacks. */
static gboolean
partly_mono (const DpFlow *flow, const DpFlowLine *line)
{
  DpFlowWalk walk = { 0 };
  guint mono = 0, all = 0;

  for (const DpWord *word; (word = dp_flow_next_word (flow, line, &walk));) {
    all += word->n_chars;
    mono += word->style & DP_SPAN_MONO ? word->n_chars : 0;
  }
  return 3 * mono >= all;
}

/* The next entry of the text after i: furniture stands between columns and pages. */
static guint
next_of_text (const DpFlow *flow, guint i)
{
  for (i++; i < flow->lines->len; i++) {
    DpFlowRole role = dp_flow_line (flow, i)->role;
    if (role != DP_ROLE_HEADER && role != DP_ROLE_FOOTER && role != DP_ROLE_PAGE_NUMBER && role != DP_ROLE_ASIDE && role != DP_ROLE_ADOPTED)
      break;
  }
  return i;
}

/* A step that only blank lines of the listing make. */
static gboolean
is_blank_lines (float step, float pitch)
{
  const float n = pitch > 0 ? step / pitch : 0, whole = roundf (n);

  return whole >= 2 && whole <= MOST_BLANK + 1 && fabsf (n - whole) < 0.04f * whole;
}

/* b, the next line, stands in the same listing as a. */
static gboolean
goes_on (const DpFlow *flow, const DpFlowLine *a, const DpFlowLine *b, float pitch)
{
  const float step = b->baseline - a->baseline;
  const DpRect panel = panel_of (flow, a), next = panel_of (flow, b);

  if (fabsf (a->size - b->size) > 0.12f * MAX (a->size, b->size))
    return FALSE;
  if (a->page != b->page || step <= 0) /* the end of a page or column: framed on both sides, or on none */
    return b->page <= a->page + 1 && (dp_rect_width (panel) > 0) == (dp_rect_width (next) > 0);
  if (!same_rect (panel, next) || rule_between (flow, a, b))
    return FALSE;
  return step <= (dp_rect_width (panel) > 0 ? PANEL_GAP : GAP_LINES) * a->size || is_blank_lines (step, pitch);
}

/* A line with other signs than those of the face, with code before and behind it. */
static gboolean
is_inner (const DpFlow *flow, guint i, const DpFlowLine *before, float pitch)
{
  const DpFlowLine *line = dp_flow_line (flow, i), *behind = i + 1 < flow->lines->len ? dp_flow_line (flow, i + 1) : NULL;
  const DpRect panel = panel_of (flow, line);

  if (line->role != DP_ROLE_BODY || line->page != before->page || line->astray || line->baseline <= before->baseline)
    return FALSE;
  if (dp_rect_width (panel) > 0 && same_rect (panel, panel_of (flow, before)) && partly_mono (flow, line))
    return TRUE;
  return behind && is_mono (behind) && behind->page == line->page && pitch > 0 && partly_mono (flow, line)
         && fabsf (line->baseline - before->baseline - pitch) < 0.06f * pitch
         && fabsf (behind->baseline - line->baseline - pitch) < 0.06f * pitch;
}

/* Distance of baselines in the listing that begins at first, 0 = not known. */
static float
pitch_of (const DpFlow *flow, guint first)
{
  float pitch = 0;

  for (guint i = first + 1; i < flow->lines->len && i < first + 40; i++) {
    const DpFlowLine *a = dp_flow_line (flow, i - 1), *b = dp_flow_line (flow, i);
    const float step = b->baseline - a->baseline;
    if (!is_mono (b) || a->page != b->page || step > PANEL_GAP * a->size)
      break;
    if (step > 0.8f * a->size && (pitch == 0 || step < pitch))
      pitch = step;
  }
  return pitch;
}

/* Lines of a listing that the page passes found: of one region, or of neighbours that blank lines or the end of a page part. */
static gboolean
same_listing (const DpFlow *flow, const DpFlowLine *a, const DpFlowLine *b, float pitch)
{
  return dp_flow_same_region (a, b)
         || ((is_listing (flow, a) || is_mono (a)) && (is_listing (flow, b) || is_mono (b)) && goes_on (flow, a, b, pitch));
}

/* Behind the last line of the code that begins at first; *sure: it can be nothing else. */
static guint
code_end (const DpFlow *flow, guint first, gboolean *sure)
{
  const gboolean listing = is_listing (flow, dp_flow_line (flow, first));
  const float pitch = pitch_of (flow, first);
  guint last = first;

  *sure = listing || looks_like_code (dp_flow_line (flow, first)->text);
  for (guint i; (i = next_of_text (flow, last)) < flow->lines->len; last = i) {
    const DpFlowLine *a = dp_flow_line (flow, last), *b = dp_flow_line (flow, i);
    if (listing || is_listing (flow, b) ? !same_listing (flow, a, b, pitch)
                                        : !(is_mono (b) && goes_on (flow, a, b, pitch)) && !is_inner (flow, i, a, pitch))
      break;
    *sure = *sure || looks_like_code (b->text);
  }
  return last + 1;
}

/* The target of the line's first word, or of its last; NULL: it is no link. */
static const char *
link_of (const DpFlow *flow, const DpFlowLine *line, gboolean last)
{
  DpFlowWalk walk = { 0 };
  guint link = 0;

  for (const DpWord *word; (word = dp_flow_next_word (flow, line, &walk));) {
    link = word->link;
    if (!last)
      break;
  }
  return link ? g_ptr_array_index (dp_flow_page (flow, line)->layout->links, link - 1) : NULL;
}

/* An address that the end of a line divides. */
static gboolean
shares_link (const DpFlow *flow, const DpFlowLine *before, const DpFlowLine *line)
{
  const char *end = link_of (flow, before, TRUE);

  return end && g_strcmp0 (end, link_of (flow, line, FALSE)) == 0;
}

/* A line alone that goes on with the prose before it: a long path, a name or an address inside a sentence. */
static gboolean
is_inline (const DpFlow *flow, guint i, guint end)
{
  const DpFlowLine *line = dp_flow_line (flow, i), *before = i > 0 ? dp_flow_line (flow, i - 1) : NULL;

  if (end != i + 1 || !before || before->role != DP_ROLE_BODY || !dp_flow_same_region (before, line)
      || dp_rect_width (panel_of (flow, line)) > 0)
    return FALSE;
  if (line->baseline <= before->baseline || line->baseline - before->baseline > 1.5f * MAX (before->size, line->size))
    return FALSE;
  return shares_link (flow, before, line)
         || (line->at.x0 < before->at.x0 + 0.5f * line->size && before->at.x1 > dp_flow_column (flow, before).x1 - 8 * before->size);
}

/* One bold line alone, with prose or code of another size behind it, is the heading of a function's description. */
static gboolean
may_be_heading (const DpFlow *flow, guint i, guint end)
{
  return end == i + 1 && dp_flow_line (flow, i)->style & DP_SPAN_BOLD && end < flow->lines->len;
}

void
dp_flow_code (DpFlow *flow)
{
  gboolean typewriter = mostly_mono (flow);

  for (guint i = 0, end; i < flow->lines->len; i = end) {
    gboolean sure = FALSE;
    end = i + 1;
    if (!is_listing (flow, dp_flow_line (flow, i)) && (typewriter || !is_mono (dp_flow_line (flow, i))))
      continue;
    end = code_end (flow, i, &sure);
    if ((end - i < 2 && !sure) || may_be_heading (flow, i, end) || is_inline (flow, i, end))
      continue;
    for (guint k = i; k < end; k = next_of_text (flow, k)) {
      DpFlowLine *line = dp_flow_line (flow, k);
      line->role = DP_ROLE_CODE;
      line->starts = k == i;
    }
  }
}

/* ---- its text ---------------------------------------------------------------------------------- */

/* Where prose begins above, below or beside the listing's entry i: the column's own edge may be that of the listing. On
 * pages that hold nothing else: on the next of the same side; NAN: nowhere. */
static float
prose_left (const DpFlow *flow, guint i)
{
  const DpFlowLine *code = dp_flow_line (flow, i);
  float left[2] = { NAN, NAN }; /* on the page; on those of the same side beside it */

  for (gint step = -1; step <= 1; step += 2)
    for (guint k = i; k < flow->lines->len; k += (guint) step) { /* below 0 is above all */
      const DpFlowLine *line = dp_flow_line (flow, k);
      const guint far = line->page > code->page ? line->page - code->page : code->page - line->page;
      if (far > 2)
        break;
      if (far == 1 || line->role != DP_ROLE_BODY || line->box.x1 <= code->box.x0 || line->box.x0 > code->box.x0 + code->size)
        continue;
      left[far / 2] = fminf (left[far / 2], dp_flow_column (flow, line).x0);
    }
  return isnan (left[0]) ? left[1] : left[0];
}

/* How far the columns of entry b lie to the right of those of a. */
static float
column_shift (const DpFlow *flow, guint a, guint b)
{
  const DpFlowLine *from = dp_flow_line (flow, a), *to = dp_flow_line (flow, b);
  float shift;

  if (from->page == to->page)
    return to->baseline <= from->baseline ? dp_flow_column (flow, to).x0 - dp_flow_column (flow, from).x0 : 0;
  shift = prose_left (flow, b) - prose_left (flow, a);
  return isnan (shift) ? 0 : shift;
}

/* The entry after i that is a line of the same listing, or the end of all. */
static guint
next_of_listing (const DpFlow *flow, guint i)
{
  i = next_of_text (flow, i);
  if (i < flow->lines->len && dp_flow_line (flow, i)->role == DP_ROLE_CODE && !dp_flow_line (flow, i)->starts)
    return i;
  return flow->lines->len;
}

/* Program text runs left to right on every page. */
static float
code_left (const DpFlow *flow, const DpFlowLine *line)
{
  return dp_flow_page (flow, line)->rtl ? line->box.x0 : line->at.x0;
}

typedef struct {
  float left;  /* edge of the listing, in the column of its first line */
  float width; /* of a character */
  float pitch; /* between baselines */
} Measure;

static Measure
measure_listing (const DpFlow *flow, guint first)
{
  guint before = first;
  Measure m = { .left = code_left (flow, dp_flow_line (flow, first)) };
  float width = 0, shift = 0;
  guint chars = 0;

  for (guint i = first; i < flow->lines->len; i = next_of_listing (flow, i)) {
    const DpFlowLine *line = dp_flow_line (flow, i), *above = dp_flow_line (flow, before);
    if (i > first) {
      const float step = line->baseline - above->baseline;
      shift += column_shift (flow, before, i);
      if (line->page == above->page && step > 0.8f * line->size && (m.pitch == 0 || step < m.pitch))
        m.pitch = step;
    }
    m.left = MIN (m.left, code_left (flow, line) - shift);
    if (line->n_frags == 1) {
      width += dp_rect_width (line->at);
      chars += line->n_chars;
    }
    before = i;
  }
  m.width = chars > 0 && width > 0 ? width / (float) chars : 0.6f * MAX (dp_flow_line (flow, first)->size, 1);
  return m;
}

/* The line's text with the blanks that its x positions ask for. */
static void
add_line (const DpFlow *flow, const DpFlowLine *line, float left, float width, GString *out)
{
  const DpPageLayout *layout = dp_flow_page (flow, line)->layout;
  DpFlowWalk walk = { 0 };
  glong column = 0;

  for (const DpWord *word; (word = dp_flow_next_word (flow, line, &walk));) {
    const float x = code_left (flow, line) + (word->box.x0 - line->box.x0);
    glong want = lroundf (CLAMP ((x - left) / width, 0, 400));
    gsize n;
    const char *text = dp_word_text (layout, word, &n);
    if (column > 0 && want <= column)
      want = column + (word->space_before || walk.word == 1 ? 1 : 0);
    for (; column < want; column++)
      g_string_append_c (out, ' ');
    g_string_append_len (out, text, (gssize) n);
    column += g_utf8_strlen (text, (gssize) n);
  }
}

char *
dp_flow_code_text (const DpFlow *flow, guint first)
{
  const Measure m = measure_listing (flow, first);
  guint before = first;
  GString *out = g_string_new (NULL);
  float shift = 0;

  for (guint i = first; i < flow->lines->len; i = next_of_listing (flow, i)) {
    const DpFlowLine *line = dp_flow_line (flow, i), *above = dp_flow_line (flow, before);
    if (i > first) {
      const float step = line->page == above->page ? line->baseline - above->baseline : 0;
      glong lines = 1;
      if (m.pitch > 0 && step > 0)
        lines = is_blank_lines (step, m.pitch) ? lroundf (step / m.pitch) : step > 1.6f * m.pitch ? 2 : 1;
      shift += column_shift (flow, before, i);
      for (; lines > 0; lines--)
        g_string_append_c (out, '\n');
    }
    add_line (flow, line, m.left + shift, m.width, out);
    before = i;
  }
  return g_string_free (out, FALSE);
}
