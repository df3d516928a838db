/* tests/cpu/test_team.c - every item exactly once, in loops, regions and barriers. */
#include "backends/cpu/team.h"

#include <stdatomic.h>

static void
count_items (gpointer data, gsize first, gsize last, guint thread)
{
  _Atomic guint *hits = data;

  (void) thread;
  for (gsize i = first; i < last; i++)
    atomic_fetch_add (&hits[i], 1);
}

static void
test_for (gconstpointer threads)
{
  DpTeam *team = dp_team_new (GPOINTER_TO_UINT (threads));
  static _Atomic guint hits[5000];

  for (gsize n = 0; n <= 5000; n = n * 3 + 1)
    for (gsize chunk = 1; chunk < 200; chunk = chunk * 5 + 1) {
      for (gsize i = 0; i < 5000; i++)
        hits[i] = 0;
      dp_team_for (team, n, chunk, count_items, hits);
      for (gsize i = 0; i < 5000; i++)
        g_assert_cmpuint (hits[i], ==, i < n ? 1 : 0);
    }
  dp_team_free (team);
}

enum { STEPS = 1000, WIDTH = 64 };

typedef struct {
  guint values[WIDTH];
} Chain;

/* Each step needs all of the step before it, so a missing barrier shows. */
static void
add_neighbour (gpointer data, gsize first, gsize last, guint thread)
{
  Chain *c = data; /* c[0] before, c[1] after */

  (void) thread;
  for (gsize i = first; i < last; i++)
    c[1].values[i] = c[0].values[i] + c[0].values[(i + 1) % WIDTH] % 7;
}

static void
chain_region (DpTeam *team, gpointer data, guint thread)
{
  Chain *chain = data;

  for (int s = 0; s < STEPS; s++) {
    dp_team_share (team, thread, WIDTH, 3, add_neighbour, &chain[s]);
    dp_team_wait (team, thread);
  }
}

static void
test_region (gconstpointer threads)
{
  DpTeam *team = dp_team_new (GPOINTER_TO_UINT (threads));
  Chain *parallel = g_new0 (Chain, STEPS + 1), *serial = g_new0 (Chain, STEPS + 1);

  for (guint i = 0; i < WIDTH; i++)
    parallel[0].values[i] = serial[0].values[i] = i * 31;
  for (int s = 0; s < STEPS; s++)
    add_neighbour (&serial[s], 0, WIDTH, 0);
  dp_team_region (team, chain_region, parallel);
  g_assert_cmpmem (parallel, (STEPS + 1) * sizeof (Chain), serial, (STEPS + 1) * sizeof (Chain));
  g_free (parallel);
  g_free (serial);
  dp_team_free (team);
}

/* Many loops without a barrier: threads may be far apart and still share no item twice. */
static void
free_running_region (DpTeam *team, gpointer data, guint thread)
{
  _Atomic guint *hits = data;

  for (int s = 0; s < 500; s++)
    dp_team_share (team, thread, 10, 1, count_items, hits + 10 * s);
}

static void
test_free_running (gconstpointer threads)
{
  DpTeam *team = dp_team_new (GPOINTER_TO_UINT (threads));
  static _Atomic guint hits[5000];

  for (gsize i = 0; i < 5000; i++)
    hits[i] = 0;
  dp_team_region (team, free_running_region, hits);
  for (gsize i = 0; i < 5000; i++)
    g_assert_cmpuint (hits[i], ==, 1);
  dp_team_free (team);
}

/* A sum that only one thread may take follows each loop, and the next loop needs it: plain memory, so that a second run, a run
 * before the last item, or a waiter that comes too early shows (and is a race for ThreadSanitizer). */
typedef struct {
  guint64 values[WIDTH], sums[STEPS + 1], step;
} Sums;

static void
add_sum (gpointer data, gsize first, gsize last, guint thread)
{
  Sums *s = data;

  (void) thread;
  for (gsize i = first; i < last; i++)
    s->values[i] = s->values[i] * 3 + s->sums[s->step] + i;
}

static void
take_sum (gpointer data, guint thread)
{
  Sums *s = data;
  guint64 sum = 0;

  (void) thread;
  for (guint i = 0; i < WIDTH; i++)
    sum += s->values[i];
  s->sums[++s->step] = sum;
}

static gboolean
count_down (gpointer data)
{
  guint *left = data;

  return *left > 0 && --*left > 0;
}

/* Every seventh loop is empty, and every fifth has a single item. */
static gsize
items_of (int step)
{
  return step % 7 == 3 ? 0 : step % 5 == 4 ? 1 : WIDTH;
}

static void
then_region (DpTeam *team, gpointer data, guint thread)
{
  guint left = 100;

  for (int s = 0; s < STEPS; s++) {
    dp_team_share_then (team, thread, items_of (s), 5, add_sum, data, take_sum, data);
    dp_team_wait_idle (team, thread, s % 2 ? count_down : NULL, &left);
  }
}

static void
test_then (gconstpointer threads)
{
  DpTeam *team = dp_team_new (GPOINTER_TO_UINT (threads));
  Sums *parallel = g_new0 (Sums, 1), *serial = g_new0 (Sums, 1);

  for (int s = 0; s < STEPS; s++) {
    add_sum (serial, 0, items_of (s), 0);
    take_sum (serial, 0);
  }
  dp_team_region (team, then_region, parallel);
  g_assert_cmpuint (parallel->step, ==, STEPS);
  g_assert_cmpmem (parallel->sums, sizeof parallel->sums, serial->sums, sizeof serial->sums);
  g_free (parallel);
  g_free (serial);
  dp_team_free (team);
}

static void
test_processors (void)
{
  DpTeam *team = dp_team_new (0);

  g_assert_cmpuint (dp_team_processors (), >=, 1);
  g_assert_cmpuint (dp_team_size (team), ==, dp_team_processors ());
  dp_team_free (team);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  for (guint n = 1; n <= 5; n += n == 2 ? 3 : 1) {
    g_autofree char *loop = g_strdup_printf ("/team/for/%u", n), *region = g_strdup_printf ("/team/region/%u", n);
    g_autofree char *running = g_strdup_printf ("/team/free-running/%u", n), *then = g_strdup_printf ("/team/then/%u", n);
    g_test_add_data_func (loop, GUINT_TO_POINTER (n), test_for);
    g_test_add_data_func (region, GUINT_TO_POINTER (n), test_region);
    g_test_add_data_func (running, GUINT_TO_POINTER (n), test_free_running);
    g_test_add_data_func (then, GUINT_TO_POINTER (n), test_then);
  }
  g_test_add_func ("/team/processors", test_processors);
  return g_test_run ();
}
