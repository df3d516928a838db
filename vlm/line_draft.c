/* vlm/line_draft.c - see the header. */
#include "vlm/line_draft.h"

#include <string.h>

guint32
dp_line_draft_limit (guint32 n)
{
  return (5 * n + 3) / 4 + 4;
}

void
dp_line_draft_init (DpLineDraft *line, const gint32 *draft, const gint32 *frames, const float *sure, guint32 n, gint32 bos, gint32 eos,
                    gboolean plain)
{
  *line = (DpLineDraft){ .bos = bos, .eos = eos, .plain = plain, .n_draft = n, .limit = dp_line_draft_limit (n) };
  line->draft = g_memdup2 (draft, n * sizeof *draft);
  line->frames = g_memdup2 (frames, n * sizeof *frames);
  line->draft_sure = g_memdup2 (sure, n * sizeof *sure);
  line->text = g_new (gint32, line->limit);
  line->sure = g_new (float, line->limit);
  line->feed = g_new (gint32, line->limit + 1);
  line->feed[0] = bos;
  if (n && !plain)
    memcpy (line->feed + 1, draft, n * sizeof *draft);
  line->n_feed = plain ? 1 : 1 + n;
}

void
dp_line_draft_clear (DpLineDraft *line)
{
  g_free (line->draft), g_free (line->frames), g_free (line->draft_sure);
  g_free (line->text), g_free (line->sure), g_free (line->feed);
  memset (line, 0, sizeof *line);
}

/* ---- guessing --------------------------------------------------------------------------------------- */

static guint
agreement (const gint32 *a, guint32 n_a, const gint32 *b, guint32 n_b)
{
  guint n = 0;

  for (guint32 i = 0; i < 3 && i < n_a && i < n_b; i++)
    n += a[i] == b[i];
  return n;
}

/* The decoder wrote `token` behind feed[i], where the feed has something else or nothing.  What will follow?  If it skipped a
 * character of the feed, what stands behind the skipped one; if it put one in, the rest of the feed; if it replaced one, its own
 * words behind the replaced one, which differ from the feed where it has more to correct. */
static void
guess (DpLineDraft *line, guint32 i, gint32 token, const gint32 *ids)
{
  const gint32 *feed = line->feed + i + 1, *own = ids + i + 1, *tail;
  guint32 n_feed = line->n_feed - i - 1, n_own = n_feed, n;

  if (n_feed >= 2 && feed[1] == token)
    tail = feed + 2, n = n_feed - 2;
  else if (agreement (own, n_own, feed, n_feed) > agreement (own, n_own, feed + MIN (1, n_feed), n_feed - MIN (1, n_feed)))
    tail = feed, n = n_feed;
  else
    tail = own, n = n_own;
  n = line->plain ? 0 : MIN (n, line->limit - line->n_text);
  for (guint32 j = 0; j < n; j++)
    if (tail[j] == line->eos) {
      n = j;
      break;
    }
  memmove (line->feed + 1, tail, n * sizeof *tail);
  line->feed[0] = token;
  line->n_feed = 1 + n;
}

void
dp_line_draft_take (DpLineDraft *line, const gint32 *ids, const float *sure)
{
  guint32 i = 0;

  line->passes++;
  for (;; i++) {
    line->text[line->n_text] = ids[i], line->sure[line->n_text++] = sure[i];
    line->ended = ids[i] == line->eos;
    line->done = line->ended || line->n_text == line->limit;
    if (line->done || i + 1 == line->n_feed || line->feed[i + 1] != ids[i])
      break;
  }
  if (line->done)
    return;
  line->kept += i + 1;
  guess (line, i, ids[i], ids);
}

/* ---- the answer -------------------------------------------------------------------------------------- */

guint32
dp_line_edits (const gint32 *a, guint32 n, const gint32 *b, guint32 m, guint32 substitute, gint32 *match)
{
  const gsize width = (gsize) m + 1;
  g_autofree guint32 *d = g_new (guint32, ((gsize) n + 1) * width);

  for (guint32 i = 0; i <= n; i++)
    for (guint32 j = 0; j <= m; j++) {
      guint32 *to = &d[i * width + j];
      if (i == 0 || j == 0)
        *to = i + j;
      else
        *to = MIN (MIN (d[(i - 1) * width + j], d[i * width + j - 1]) + 1,
                   d[(i - 1) * width + j - 1] + (a[i - 1] != b[j - 1] ? substitute : 0));
    }
  for (guint32 i = n, j = m; match && i > 0;) {
    if (j > 0 && d[i * width + j] == d[(i - 1) * width + j - 1] + (a[i - 1] != b[j - 1] ? substitute : 0))
      i--, j--, match[i] = (gint32) j;
    else if (d[i * width + j] == d[(i - 1) * width + j] + 1)
      match[--i] = -1;
    else
      j--;
  }
  return d[n * width + m];
}

static gboolean
holds (const gint32 *a, guint32 n, const gint32 *piece, guint32 period)
{
  for (guint32 i = 0; i + 4 * period <= n; i++) {
    guint32 j = 0;
    while (j < 4 * period && a[i + j] == piece[j % period])
      j++;
    if (j == 4 * period)
      return TRUE;
  }
  return FALSE;
}

/* The loop guard: the text ends in a period of at most 8 tokens four times over that the draft does not hold. */
static gboolean
loops (const DpLineDraft *line, guint32 n)
{
  for (guint32 period = 1; period <= 8 && 4 * period <= n; period++) {
    const gint32 *tail = line->text + n - period;
    gboolean same = TRUE;
    for (guint32 i = 0; same && i < 4 * period; i++)
      same = line->text[n - 4 * period + i] == tail[i % period];
    if (same && !holds (line->draft, line->n_draft, tail, period))
      return TRUE;
  }
  return FALSE;
}

DpLineVerdict
dp_line_draft_verdict (const DpLineDraft *line, gint32 first)
{
  const guint32 n = line->n_text - line->ended;

  if (!line->ended)
    return DP_LINE_BROKEN;
  if (n == line->n_draft && (n == 0 || memcmp (line->text, line->draft, n * sizeof *line->text) == 0))
    return DP_LINE_SAME;
  for (guint32 i = 0; i < n; i++)
    if (line->text[i] < first)
      return DP_LINE_BROKEN;
  return loops (line, n) ? DP_LINE_BROKEN : DP_LINE_OTHER;
}
