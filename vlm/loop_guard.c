/* vlm/loop_guard.c - see the header. */
#include "vlm/loop_guard.h"

enum { EVERY = 64, WINDOW = 4096 + EVERY, LONGEST_PERIOD = 1024, LONGEST_BROKEN = 32 };

/* Tokens of a periodic tail that prove a loop. */
static guint32
proof (guint32 period)
{
  return MAX (CLAMP (64 * period, 256, 1280), 4 * period);
}

/* z[k] = length of the longest common beginning of the reversed tail and the reversed tail from k on, k < n. */
static void
z_of_tail (const gint32 *end, guint32 n, guint32 *z)
{
  guint32 left = 0, right = 0; /* the match that reaches farthest is [left, right) */

  z[0] = n;
  for (guint32 k = 1; k < n; k++) {
    guint32 m = k < right ? MIN (z[k - left], right - k) : 0;
    while (k + m < n && end[-1 - (gint) m] == end[-1 - (gint) (k + m)])
      m++;
    z[k] = m;
    if (k + m > right)
      left = k, right = k + m;
  }
}

/* The tail's length with exact period *period, or 0. */
static guint32
exact (const gint32 *end, guint32 n, guint32 *period)
{
  g_autofree guint32 *z = g_new (guint32, n);

  z_of_tail (end, n, z);
  for (guint32 p = 1; p < n && p <= LONGEST_PERIOD; p++)
    if (p + z[p] >= proof (p)) {
      *period = p;
      return p + z[p];
    }
  return 0;
}

/* The tail's length with a period that the ban broke, or 0.  Walking back, a match counts 1 and a break costs a quarter of the
 * n tokens that lie between breaks; the tail ends where the sum was largest, and that is where the loop began. */
static guint32
broken (const gint32 *end, guint32 n, guint32 period, guint32 ngram)
{
  const gint cost = (gint) (ngram / 4), most = 3 * cost;
  gint score = 0, best = 0;
  guint32 breaks = 0, breaks_then = 0, length = 0;

  for (guint32 k = 0; k + period < n && score >= best - most; k++) {
    if (end[-1 - (gint) k] == end[-1 - (gint) (k + period)])
      score++;
    else
      score -= cost, breaks++;
    if (score > best)
      best = score, breaks_then = breaks, length = k + 1 + period;
  }
  return length >= proof (period) && breaks_then <= 2 + 2 * length / ngram ? length : 0;
}

guint32
dp_loop_guard_check (const gint32 *tokens, guint32 n, guint32 ngram)
{
  const guint32 seen = MIN (n, WINDOW);
  guint32 length, period = 1;

  if (!n || n % EVERY)
    return 0;
  length = exact (tokens + n, seen, &period);
  ngram = MIN (ngram, WINDOW);
  for (guint32 p = 1; !length && p <= MIN (ngram / 3, LONGEST_BROKEN); p++)
    length = broken (tokens + n, seen, period = p, ngram);
  return length ? n - length + period : 0;
}
