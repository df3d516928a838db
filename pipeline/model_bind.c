/* pipeline/model_bind.c - what belongs to a table, a picture, a listing or a formula (MinerU's rules for captions and footnotes).
 *
 * Between a caption and its body only other captions may stand in reading order, between a footnote and its body captions and
 * footnotes; a footnote stands behind its body.  The nearest body in reading order wins, then the nearest edge; where both are the
 * same, tables have their captions above.  What finds no body is text.
 */
#include "pipeline/model_pieces.h"

#include <math.h>
#include <string.h>

#define SAME_GAP 2.0f   /* points */
#define LONGEST_MARK 40 /* characters of a text that says that a table goes on */

static gboolean
is_caption (DpMineruType type)
{
  return type == DP_MINERU_CAPTION || type == DP_MINERU_TABLE_CAPTION || type == DP_MINERU_IMAGE_CAPTION || type == DP_MINERU_CODE_CAPTION;
}

static gboolean
is_note (DpMineruType type)
{
  return type == DP_MINERU_FOOTNOTE || type == DP_MINERU_TABLE_FOOTNOTE || type == DP_MINERU_IMAGE_FOOTNOTE;
}

/* May a caption or note of this type belong to such a body? */
static gboolean
fits (DpMineruType type, const DpPiece *body)
{
  const DpMineruType of = body->region->type;
  const gboolean table = of == DP_MINERU_TABLE, code = of == DP_MINERU_CODE || of == DP_MINERU_ALGORITHM,
                 picture = of == DP_MINERU_IMAGE || of == DP_MINERU_CHART || of == DP_MINERU_IMAGE_BLOCK;

  if (!body->block || body->block->kind == DP_BLOCK_PAGE_PICTURE)
    return FALSE;
  switch (type) {
  case DP_MINERU_TABLE_CAPTION:
  case DP_MINERU_TABLE_FOOTNOTE: return table;
  case DP_MINERU_IMAGE_CAPTION:
  case DP_MINERU_IMAGE_FOOTNOTE: return picture;
  case DP_MINERU_CODE_CAPTION: return code;
  default: return table || picture || code;
  }
}

/* May stand between a caption (note: a footnote) and its body. */
static gboolean
may_stand_between (const DpPiece *piece, gboolean note)
{
  return !piece->block || is_caption (piece->region->type) || (note && is_note (piece->region->type));
}

/* The body before (step -1) or behind (1) piece i, or -1. */
static gint
body_from (const GArray *pieces, guint i, gint step)
{
  const DpMineruType type = dp_piece (pieces, i)->region->type;

  for (gint k = (gint) i + step; k >= 0 && k < (gint) pieces->len; k += step) {
    const DpPiece *piece = dp_piece (pieces, (guint) k);
    if (may_stand_between (piece, is_note (type)))
      continue;
    return fits (type, piece) ? k : -1;
  }
  return -1;
}

static float
gap_between (DpRect a, DpRect b)
{
  const float x = MAX (0, MAX (a.x0, b.x0) - MIN (a.x1, b.x1)), y = MAX (0, MAX (a.y0, b.y0) - MIN (a.y1, b.y1));

  return hypotf (x, y);
}

static float
centre_distance (DpRect a, DpRect b)
{
  return hypotf (dp_rect_cx (a) - dp_rect_cx (b), dp_rect_cy (a) - dp_rect_cy (b));
}

/* TRUE: the body behind is the better one. */
static gboolean
prefer_behind (const GArray *pieces, guint i, gint before, gint behind)
{
  const DpRect box = dp_piece (pieces, i)->block->box, a = dp_piece (pieces, (guint) before)->block->box,
               b = dp_piece (pieces, (guint) behind)->block->box;
  const gint to_a = (gint) i - before, to_b = behind - (gint) i;
  const float gap_a = gap_between (box, a), gap_b = gap_between (box, b);

  if (to_a != to_b)
    return to_b < to_a;
  if (fabsf (gap_a - gap_b) > SAME_GAP)
    return gap_b < gap_a;
  if (dp_piece_is (pieces, (guint) behind, DP_MINERU_TABLE) != dp_piece_is (pieces, (guint) before, DP_MINERU_TABLE))
    return dp_piece_is (pieces, (guint) behind, DP_MINERU_TABLE);
  return dp_piece_is (pieces, (guint) behind, DP_MINERU_TABLE) || centre_distance (box, b) < centre_distance (box, a);
}

static void
bind_piece (GArray *pieces, guint i)
{
  DpPiece *piece = dp_piece (pieces, i);
  const gboolean note = is_note (piece->region->type);
  const gint before = body_from (pieces, i, -1), behind = note ? -1 : body_from (pieces, i, 1);

  if (before < 0 && behind < 0)
    return; /* stays a paragraph */
  piece->owner = before < 0 || (behind >= 0 && prefer_behind (pieces, i, before, behind)) ? behind : before;
  piece->block->kind = note ? DP_BLOCK_TABLE_NOTE : DP_BLOCK_CAPTION;
}

/* ---- "Table 3 (continued)" as plain text above a table ------------------------------------------------------ */

static gboolean
says_continued (const DpBlock *block)
{
  static const char *const marks[] = {
    "continued", "(cont", "cont.", "\347\273\255\350\241\250", "(\347\273\255", "\357\274\210\347\273\255", "\347\272\214\350\241\250"
  };
  g_autofree char *text = dp_spans_to_text (block->spans), *folded = g_utf8_strdown (text, -1);

  for (guint i = 0; g_utf8_strlen (text, -1) <= LONGEST_MARK && i < G_N_ELEMENTS (marks); i++)
    if (strstr (folded, marks[i]))
      return TRUE;
  return FALSE;
}

static void
rescue_continuation (GArray *pieces, guint i)
{
  DpPiece *piece = dp_piece (pieces, i);

  if (i + 1 >= pieces->len || !piece->block || piece->block->kind != DP_BLOCK_PARAGRAPH || !dp_piece (pieces, i + 1)->block
      || dp_piece (pieces, i + 1)->block->kind != DP_BLOCK_TABLE || !says_continued (piece->block))
    return;
  piece->owner = (gint) i + 1;
  piece->block->kind = DP_BLOCK_CAPTION;
}

/* ---- pieces of captions that the model took for text ---------------------------------------------------------- */

static gboolean
is_text_piece (const GArray *pieces, gint i)
{
  const DpPiece *piece = i >= 0 && i < (gint) pieces->len ? dp_piece (pieces, (guint) i) : NULL;

  return piece && piece->block && piece->owner < 0 && piece->region->type == DP_MINERU_TEXT && piece->block->kind == DP_BLOCK_PARAGRAPH;
}

static void
make_caption (GArray *pieces, guint i, gint owner)
{
  dp_piece (pieces, i)->owner = owner;
  dp_piece (pieces, i)->block->kind = DP_BLOCK_CAPTION;
}

/* The rest of the line that the caption i, above its body, stands on. */
static void
rescue_beside (GArray *pieces, guint i)
{
  const DpPiece *caption = dp_piece (pieces, i);
  const DpRect box = caption->block->box;

  for (gint step = -1; step <= 1; step += 2) {
    const gint k = (gint) i + step;
    if (!is_text_piece (pieces, k) || dp_piece (pieces, (guint) caption->owner)->block->box.y0 < dp_rect_cy (box))
      continue;
    const DpRect other = dp_piece (pieces, (guint) k)->block->box;
    if (dp_rect_overlap_y (box, other) >= 0.5f * MIN (dp_rect_height (box), dp_rect_height (other)) && dp_rect_overlap_x (box, other) <= 0)
      make_caption (pieces, (guint) k, caption->owner);
  }
}

/* A line between the caption i and the table below it, close to both: the caption's second line. */
static void
rescue_between (GArray *pieces, guint i)
{
  if (i + 2 >= pieces->len || !is_text_piece (pieces, (gint) i + 1) || !fits (dp_piece (pieces, i)->region->type, dp_piece (pieces, i + 2))
      || !dp_piece_is (pieces, i + 2, DP_MINERU_TABLE))
    return;
  const DpRect first = dp_piece (pieces, i)->block->box, second = dp_piece (pieces, i + 1)->block->box,
               table = dp_piece (pieces, i + 2)->block->box;
  const float line = MIN (dp_rect_height (first), dp_rect_height (second)), most = MAX (12, 1.5f * line);
  if (second.y0 < first.y0 || second.y0 - first.y1 > most || table.y0 - second.y1 > most || dp_rect_height (second) > 2 * line)
    return;
  make_caption (pieces, i, (gint) i + 2);
  make_caption (pieces, i + 1, (gint) i + 2);
}

/* before: before captions are bound, else after. */
static void
rescue_fragments (GArray *pieces, gboolean before)
{
  for (guint i = 0; i < pieces->len; i++) {
    const DpPiece *piece = dp_piece (pieces, i);
    if (!piece->block || !is_caption (piece->region->type))
      continue;
    if (before && piece->block->kind == DP_BLOCK_PARAGRAPH)
      rescue_between (pieces, i);
    else if (!before && piece->owner >= 0)
      rescue_beside (pieces, i);
  }
}

/* ---- numbers of formulas --------------------------------------------------------------------------------------- */

static gboolean
takes_number (const GArray *pieces, gint i)
{
  const DpPiece *piece = i >= 0 && i < (gint) pieces->len ? dp_piece (pieces, (guint) i) : NULL;

  return piece && piece->block && piece->block->kind == DP_BLOCK_FORMULA && !piece->block->label;
}

static void
number_formula (GArray *pieces, guint i)
{
  DpPiece *piece = dp_piece (pieces, i);
  const gint at = takes_number (pieces, (gint) i - 1) ? (gint) i - 1 : takes_number (pieces, (gint) i + 1) ? (gint) i + 1 : -1;

  if (at < 0 || piece->block->kind != DP_BLOCK_PARAGRAPH)
    return;
  g_autofree char *text = dp_spans_to_text (piece->block->spans);
  dp_piece (pieces, (guint) at)->block->label = g_strdup (g_strstrip (text));
  g_clear_pointer (&piece->block, dp_block_free);
}

void
dp_model_bind (GArray *pieces)
{
  rescue_fragments (pieces, TRUE);
  for (guint i = 0; i < pieces->len; i++) {
    const DpPiece *piece = dp_piece (pieces, i);
    if (!piece->block || piece->owner >= 0)
      continue;
    if ((is_caption (piece->region->type) || is_note (piece->region->type)) && piece->block->kind == DP_BLOCK_PARAGRAPH)
      bind_piece (pieces, i);
    else if (piece->region->type == DP_MINERU_FORMULA_NUMBER)
      number_formula (pieces, i);
    else if (piece->region->type == DP_MINERU_TEXT)
      rescue_continuation (pieces, i);
  }
  rescue_fragments (pieces, FALSE);
}
