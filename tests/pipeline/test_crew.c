/* tests/pipeline/test_crew.c - every task and every shared item is done once, also when helpers cannot help. */
#include "pipeline/crew.h"

#define N_ITEMS 1000

typedef struct {
  DpCrew *crew;
  gint done[N_ITEMS]; /* atomic */
  gint entered, left; /* atomic */
  gboolean helpers_fail;
  gint stop_at; /* item at which the owner stops, -1 = never */
} Shared;

static gpointer
enter (gboolean own, gpointer data)
{
  Shared *s = data;

  if (!own && s->helpers_fail)
    return NULL;
  g_atomic_int_inc (&s->entered);
  return s;
}

static gboolean
work (gpointer place, guint item, gpointer data)
{
  Shared *s = data;

  g_assert_true (place == s);
  if (s->stop_at >= 0 && (gint) item >= s->stop_at)
    return FALSE;
  g_atomic_int_inc (&s->done[item]);
  return TRUE;
}

static void
leave (gpointer place, gboolean own, gpointer data)
{
  (void) place;
  (void) own;
  g_atomic_int_inc (&((Shared *) data)->left);
}

static void
share (gpointer data)
{
  static const DpCrewShare how = { enter, work, leave };
  Shared *s = data;

  dp_crew_share (s->crew, &how, N_ITEMS, 7, s);
  /* Nobody is inside any more. */
  g_assert_cmpint (g_atomic_int_get (&s->entered), ==, g_atomic_int_get (&s->left));
}

static void
check_once (const Shared *s, guint n)
{
  for (guint i = 0; i < N_ITEMS; i++)
    g_assert_cmpint (s->done[i], ==, i < n ? 1 : 0);
}

static void
run (guint size, gboolean helpers_fail, gint stop_at, guint n_done)
{
  g_autofree Shared *tasks = g_new0 (Shared, 20);
  g_autoptr (DpCrew) crew = dp_crew_new (size);

  for (guint t = 0; t < 20; t++) {
    tasks[t].crew = crew;
    tasks[t].helpers_fail = helpers_fail;
    tasks[t].stop_at = stop_at;
    dp_crew_add (crew, share, &tasks[t]);
  }
  g_clear_pointer (&crew, dp_crew_free); /* waits */
  for (guint t = 0; t < 20; t++)
    check_once (&tasks[t], n_done);
}

static void
test_one_thread (void)
{
  run (1, FALSE, -1, N_ITEMS);
}

static void
test_many_threads (void)
{
  run (8, FALSE, -1, N_ITEMS);
}

static void
test_helpers_fail (void)
{
  run (4, TRUE, -1, N_ITEMS);
}

static void
test_stop (void)
{
  run (1, FALSE, 10, 10);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/crew/one-thread", test_one_thread);
  g_test_add_func ("/crew/many-threads", test_many_threads);
  g_test_add_func ("/crew/helpers-fail", test_helpers_fail);
  g_test_add_func ("/crew/stop", test_stop);
  return g_test_run ();
}
