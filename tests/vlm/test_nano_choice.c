/* tests/vlm/test_nano_choice.c - candidates between a draft and the decoder's text, and how both models judge them. */
#include "vlm/line_choice.h"

#include <math.h>
#include <string.h>

enum { BLANK = 0, BOS = 1, EOS = 2, SYMBOLS = 4, FRAMES = 6 };

/* Candidates of a draft and a text, each character a letter. */
static guint
candidates_of (const char *draft, const char *text, DpLineCandidate out[DP_LINE_CANDIDATES])
{
  const guint32 n = (guint32) strlen (draft), m = (guint32) strlen (text);
  gint32 ids[64];
  gint32 frames[64] = { 0 };
  float sure[64] = { 0 };
  DpLineDraft line;

  for (guint32 i = 0; i < n; i++)
    ids[i] = draft[i];
  dp_line_draft_init (&line, ids, frames, sure, n, BOS, EOS, FALSE);
  g_assert_cmpuint (m + 1, <=, line.limit);
  for (guint32 i = 0; i < m; i++)
    line.text[i] = text[i], line.sure[i] = -(float) i;
  line.text[m] = EOS, line.sure[m] = -50;
  line.n_text = m + 1, line.done = line.ended = TRUE;
  const guint found = dp_line_candidates (&line, out);
  dp_line_draft_clear (&line);
  return found;
}

static void
expect (const char *draft, const char *text, const char *const *expected)
{
  DpLineCandidate found[DP_LINE_CANDIDATES];
  const guint n = candidates_of (draft, text, found);

  g_assert_cmpuint (n, ==, g_strv_length ((char **) expected));
  for (guint i = 0; i < n; i++) {
    g_autoptr (GString) s = g_string_new (NULL);
    g_assert_cmpint (found[i].ids[0], ==, BOS);
    for (guint32 j = 1; j <= found[i].n; j++)
      g_string_append_c (s, (char) found[i].ids[j]);
    g_assert_cmpstr (s->str, ==, expected[i]);
    g_assert_cmpint (found[i].own, ==, i + 1 == n);
    dp_line_candidate_clear (&found[i]);
  }
}

static void
test_candidates (void)
{
  expect ("kitten", "mitten", (const char *[]){ "kitten", "mitten", NULL });
  expect ("kitten", "mittens", (const char *[]){ "kitten", "mitten", "kittens", "mittens", NULL });
  expect ("a quick fox", "a quik  fx",
          (const char *[]){ "a quick fox", "a quik fox", "a quick  fox", "a quik  fox", "a quick fx", "a quik fx", "a quick  fx",
                            "a quik  fx", NULL });
  expect ("abcdefgh", "AbCdEfGh", (const char *[]){ "abcdefgh", "AbCdEfGh", NULL }); /* four places */
  expect ("", "x", (const char *[]){ "", "x", NULL });
  expect ("xy", "", (const char *[]){ "xy", "", NULL });
}

/* What the decoder said of its own text comes along. */
static void
test_own (void)
{
  DpLineCandidate found[DP_LINE_CANDIDATES];
  const guint n = candidates_of ("abc", "abd", found);

  g_assert_cmpuint (n, ==, 2);
  g_assert_cmpfloat (found[1].sure[2], ==, -2);
  g_assert_cmpfloat (found[1].sure[3], ==, -50);
  for (guint i = 0; i < n; i++)
    dp_line_candidate_clear (&found[i]);
}

/* The sum over all paths, one by one. */
static double
all_paths (const float *logprob, const gint32 *ids, guint32 n)
{
  double sum = 0;

  for (guint path = 0; path < 1u << (2 * FRAMES); path++) {
    gint32 last = BLANK, said[FRAMES] = { 0 };
    guint32 count = 0;
    double chance = 0;
    for (guint t = 0; t < FRAMES; t++) {
      const gint32 symbol = (gint32) (path >> (2 * t) & 3);
      chance += (double) logprob[t * SYMBOLS + (guint) symbol];
      if (symbol != last && symbol != BLANK)
        said[count++] = symbol;
      last = symbol;
    }
    if (count == n && (n == 0 || memcmp (said, ids, n * sizeof *ids) == 0))
      sum += exp (chance);
  }
  return sum > 0 ? log (sum) : -HUGE_VAL;
}

static void
test_ctc (void)
{
  static const struct {
    guint32 n;
    gint32 ids[FRAMES];
  } cases[] = {
    { 0, { 0 } }, { 1, { 2 } }, { 2, { 1, 3 } }, { 2, { 2, 2 } }, { 3, { 1, 1, 2 } }, { 4, { 3, 2, 3, 2 } }, { 6, { 1, 2, 3, 1, 2, 3 } }
  };
  g_autoptr (GRand) r = g_rand_new_with_seed (3);

  for (guint round = 0; round < 5; round++) {
    float logprob[FRAMES * SYMBOLS];
    for (guint i = 0; i < FRAMES * SYMBOLS; i++)
      logprob[i] = (float) g_rand_double_range (r, -6, 6);
    dp_line_log_softmax (logprob, FRAMES, SYMBOLS);
    for (guint i = 0; i < FRAMES; i++) {
      double sum = 0;
      for (guint v = 0; v < SYMBOLS; v++)
        sum += exp ((double) logprob[i * SYMBOLS + v]);
      g_assert_cmpfloat_with_epsilon (sum, 1, 1e-5);
    }
    for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
      g_assert_cmpfloat_with_epsilon (dp_line_ctc (logprob, FRAMES, SYMBOLS, BLANK, cases[i].ids, cases[i].n),
                                      all_paths (logprob, cases[i].ids, cases[i].n), 1e-4);
  }
  const float flat[FRAMES * SYMBOLS] = { 0 };
  const gint32 seven[] = { 1, 2, 1, 2, 1, 2, 1 }, twice[] = { 1, 1, 1, 1 };
  g_assert_true (isinf (dp_line_ctc (flat, FRAMES, SYMBOLS, BLANK, seven, 7)));
  g_assert_true (isinf (dp_line_ctc (flat, FRAMES, SYMBOLS, BLANK, twice, 4))); /* three blanks must part them */
}

static void
test_choose (void)
{
  float near[] = { -1, -1 }, far[] = { -3, -1 }, own[] = { -1, -2 };
  gint32 ids[] = { BOS, 3 };
  DpLineCandidate c[] = { { .ids = ids, .n = 1, .sure = near, .ctc = -4 },
                          { .ids = ids, .n = 1, .sure = far, .ctc = -2 },
                          { .ids = ids, .n = 1, .sure = own, .ctc = -3, .own = TRUE } };

  g_assert_cmpuint (dp_line_choose (c, 3), ==, 2); /* -6, -6, -6: the decoder's */
  c[1].ctc = -1.5;
  g_assert_cmpuint (dp_line_choose (c, 3), ==, 1);
  c[0].ctc = -3.5;
  g_assert_cmpuint (dp_line_choose (c, 3), ==, 0);
  c[0].ctc = c[1].ctc = -INFINITY;
  g_assert_cmpuint (dp_line_choose (c, 3), ==, 2);
}

static void
test_judge (void)
{
  const float logprob[2 * SYMBOLS] = { -1, -2, -3, -4, -5, -6, -7, -8 };
  gint32 ids[] = { BOS, 3 };
  float sure[2];
  DpLineCandidate c = { .ids = ids, .n = 1, .sure = sure };

  dp_line_candidate_judge (&c, logprob, SYMBOLS, EOS);
  g_assert_cmpfloat (sure[0], ==, -4);
  g_assert_cmpfloat (sure[1], ==, -7);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/vlm/nano-choice/candidates", test_candidates);
  g_test_add_func ("/vlm/nano-choice/own", test_own);
  g_test_add_func ("/vlm/nano-choice/ctc", test_ctc);
  g_test_add_func ("/vlm/nano-choice/choose", test_choose);
  g_test_add_func ("/vlm/nano-choice/judge", test_judge);
  return g_test_run ();
}
