/* tests/vlm/test_nano_draft.c - draft and verify against plain decoding, over a made-up decoder that knows what it is fed. */
#include "vlm/line_draft.h"

#include <math.h>
#include <string.h>

enum { BOS = 1, EOS = 2, FIRST = 3, SYMBOLS = 40, LONGEST = 120 };

/* A decoder: what follows is a function of everything before, mostly the next symbol of a text it has in mind. */
typedef struct {
  guint32 seed, stray; /* one answer in `stray` is not the text's */
  guint32 n;
  gint32 text[LONGEST];
} Decoder;

static guint32
hash (guint32 seed, const gint32 *tokens, guint32 n)
{
  guint32 h = seed * 2654435761u;

  for (guint32 i = 0; i < n; i++)
    h = (h ^ (guint32) tokens[i]) * 16777619u, h ^= h >> 13;
  return h;
}

static gint32
follows (const Decoder *d, const gint32 *tokens, guint32 n, float *sure)
{
  const guint32 h = hash (d->seed, tokens, n), at = n - 1;

  *sure = -(float) (h % 1000) / 1000;
  if (h / 1000 % d->stray == 0)
    return FIRST + (gint32) (h / 64000 % SYMBOLS);
  return at < d->n ? d->text[at] : EOS;
}

/* Runs a line to its end; the cache of the decoder is `context`, and what lies behind `kept` tokens in it must not matter. */
static guint32
run (const Decoder *d, DpLineDraft *line)
{
  gint32 context[4 * LONGEST], ids[2 * LONGEST];
  float sure[2 * LONGEST];
  guint32 tokens = 0;

  while (!line->done) {
    g_assert_cmpuint (line->n_feed, >=, 1);
    g_assert_cmpuint (line->kept + line->n_feed, <=, line->limit + 1);
    for (guint32 i = 0; i < line->n_feed; i++) {
      context[line->kept + i] = line->feed[i];
      ids[i] = follows (d, context, line->kept + i + 1, &sure[i]);
    }
    tokens += line->n_feed;
    dp_line_draft_take (line, ids, sure);
  }
  return tokens;
}

static Decoder
decoder_new (GRand *r)
{
  Decoder d
      = { .seed = g_rand_int (r), .stray = (guint32) g_rand_int_range (r, 2, 60), .n = (guint32) g_rand_int_range (r, 0, LONGEST - 20) };

  for (guint32 i = 0; i < d.n; i++)
    d.text[i] = FIRST + g_rand_int_range (r, 0, SYMBOLS);
  return d;
}

/* The decoder's text with changes, gaps and additions. */
static guint32
draft_new (GRand *r, const Decoder *d, gint32 *draft)
{
  const gint32 rate = g_rand_int_range (r, 4, 200);
  guint32 n = 0;

  for (guint32 i = 0; i < d->n && n + 1 < LONGEST; i++) {
    const gint32 kind = g_rand_int_range (r, 0, rate);
    if (kind == 0)
      continue;
    if (kind == 1)
      draft[n++] = FIRST + g_rand_int_range (r, 0, SYMBOLS);
    draft[n++] = kind == 2 ? FIRST + g_rand_int_range (r, 0, SYMBOLS) : d->text[i];
  }
  return n;
}

static void
test_same_text (void)
{
  g_autoptr (GRand) r = g_rand_new_with_seed (20);
  static const gint32 frames[LONGEST];
  static const float sure[LONGEST];
  guint32 plain_passes = 0, passes = 0;

  for (guint round = 0; round < 4000; round++) {
    const Decoder d = decoder_new (r);
    gint32 draft[LONGEST];
    const guint32 n = draft_new (r, &d, draft);
    DpLineDraft a, b;
    dp_line_draft_init (&a, draft, frames, sure, n, BOS, EOS, TRUE);
    dp_line_draft_init (&b, draft, frames, sure, n, BOS, EOS, FALSE);
    run (&d, &a);
    run (&d, &b);
    g_assert_cmpmem (a.text, a.n_text * sizeof *a.text, b.text, b.n_text * sizeof *b.text);
    g_assert_cmpmem (a.sure, a.n_text * sizeof *a.sure, b.sure, b.n_text * sizeof *b.sure);
    g_assert_cmpint (a.ended, ==, b.ended);
    g_assert_cmpuint (a.passes, ==, a.n_text);
    g_assert_cmpuint (b.passes, <=, a.passes);
    plain_passes += a.passes, passes += b.passes;
    dp_line_draft_clear (&a);
    dp_line_draft_clear (&b);
  }
  g_assert_cmpuint (3 * passes, <, plain_passes);
}

/* A decoder without strays meets drafts with one error each: two passes, whatever the error is. */
static void
test_one_error (void)
{
  Decoder d = { .seed = 5, .stray = G_MAXUINT32, .n = 30 };
  static const gint32 frames[LONGEST];
  static const float sure[LONGEST];

  for (guint32 i = 0; i < d.n; i++)
    d.text[i] = FIRST + (gint32) (i * 7 % SYMBOLS);
  for (guint kind = 0; kind < 4; kind++)
    for (guint32 at = 1; at + 4 < d.n; at++) {
      gint32 draft[LONGEST];
      guint32 n = 0;
      DpLineDraft line;
      for (guint32 i = 0; i < d.n; i++) {
        if (kind == 1 && i == at) /* a character is missing */
          continue;
        if (kind == 2 && i == at) /* one too many */
          draft[n++] = FIRST + SYMBOLS;
        draft[n++] = kind == 3 && i == at ? FIRST + SYMBOLS : d.text[i];
      }
      dp_line_draft_init (&line, draft, frames, sure, n, BOS, EOS, FALSE);
      run (&d, &line);
      g_assert_true (line.ended);
      g_assert_cmpmem (line.text, (line.n_text - 1) * sizeof *line.text, d.text, d.n * sizeof *d.text);
      g_assert_cmpuint (line.passes, <=, kind == 0 ? 1 : kind == 1 ? 3 : 2);
      dp_line_draft_clear (&line);
    }
}

static void
test_limit (void)
{
  Decoder d = { .seed = 9, .stray = G_MAXUINT32, .n = 100 };
  const gint32 draft[] = { 5, 6, 7 }, frames[] = { 0, 4, 8 };
  const float sure[] = { 0, 0, 0 };
  DpLineDraft line;

  for (guint32 i = 0; i < d.n; i++)
    d.text[i] = 5 + (gint32) i % 3;
  g_assert_cmpuint (dp_line_draft_limit (0), ==, 4);
  g_assert_cmpuint (dp_line_draft_limit (3), ==, 8);
  g_assert_cmpuint (dp_line_draft_limit (8), ==, 14);
  dp_line_draft_init (&line, draft, frames, sure, 3, BOS, EOS, FALSE);
  run (&d, &line);
  g_assert_cmpuint (line.n_text, ==, 8);
  g_assert_true (line.done && !line.ended);
  g_assert_cmpint (dp_line_draft_verdict (&line, FIRST), ==, DP_LINE_BROKEN);
  dp_line_draft_clear (&line);
}

static void
test_edits (void)
{
  const gint32 kitten[] = { 'k', 'i', 't', 't', 'e', 'n' }, sitting[] = { 's', 'i', 't', 't', 'i', 'n', 'g' };
  const gint32 more[] = { 1, 2, 9, 3 }, less[] = { 1, 2, 3 };
  gint32 match[7];

  g_assert_cmpuint (dp_line_edits (kitten, 6, sitting, 7, 1, match), ==, 3);
  g_assert_cmpint (match[1], ==, 1);
  g_assert_cmpint (match[5], ==, 5);
  g_assert_cmpuint (dp_line_edits (more, 4, less, 3, 1, match), ==, 1);
  g_assert_cmpint (match[2], ==, -1);
  g_assert_cmpint (match[3], ==, 2);
  g_assert_cmpuint (dp_line_edits (NULL, 0, sitting, 7, 1, NULL), ==, 7);
  g_assert_cmpuint (dp_line_edits (sitting, 7, NULL, 0, 1, match), ==, 7);
  g_assert_cmpint (match[6], ==, -1);
  const gint32 ck[] = { 'c', 'k', ' ' }, k[] = { 'k', ' ', ' ' };
  g_assert_cmpuint (dp_line_edits (k, 3, ck, 3, 1, match), ==, 2);
  g_assert_cmpuint (dp_line_edits (k, 3, ck, 3, 2, match), ==, 2);
  g_assert_cmpint (match[0], ==, 1);
}

static void
expect_verdict (DpLineVerdict expected, const gint32 *draft, guint32 n_draft, const gint32 *text, guint32 n)
{
  g_autofree gint32 *frames = g_new0 (gint32, n_draft + 1);
  g_autofree float *sure = g_new0 (float, n_draft + 1);
  DpLineDraft line;

  dp_line_draft_init (&line, draft, frames, sure, n_draft, BOS, EOS, TRUE);
  g_assert_cmpuint (n + 1, <=, line.limit);
  memcpy (line.text, text, n * sizeof *text);
  line.text[n] = EOS;
  line.n_text = n + 1, line.done = line.ended = TRUE;
  const DpLineVerdict verdict = dp_line_draft_verdict (&line, FIRST);
  dp_line_draft_clear (&line);
  g_assert_cmpint (verdict, ==, expected);
}

static void
test_verdict (void)
{
  gint32 draft[40], text[48];

  for (guint i = 0; i < 40; i++)
    draft[i] = text[i] = 10 + (gint32) i;
  expect_verdict (DP_LINE_SAME, draft, 40, text, 40);
  expect_verdict (DP_LINE_OTHER, draft, 40, text, 39);
  text[5] = 99;
  expect_verdict (DP_LINE_OTHER, draft, 40, text, 40);
  text[5] = BOS;
  expect_verdict (DP_LINE_BROKEN, draft, 40, text, 40);
  /* four times the same at the end, which the draft has not */
  text[5] = draft[5];
  for (guint i = 36; i < 40; i++)
    text[i] = draft[35];
  expect_verdict (DP_LINE_BROKEN, draft, 40, text, 40);
  for (guint i = 36; i < 40; i++)
    draft[i] = draft[35];
  text[0] = 97;
  expect_verdict (DP_LINE_OTHER, draft, 40, text, 40); /* the draft has it as well */
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/vlm/nano-draft/same-text", test_same_text);
  g_test_add_func ("/vlm/nano-draft/one-error", test_one_error);
  g_test_add_func ("/vlm/nano-draft/limit", test_limit);
  g_test_add_func ("/vlm/nano-draft/edits", test_edits);
  g_test_add_func ("/vlm/nano-draft/verdict", test_verdict);
  return g_test_run ();
}
