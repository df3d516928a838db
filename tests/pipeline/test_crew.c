/* tests/pipeline/test_crew.c - every task and every shared item is done once, also when helpers cannot help. */
#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>

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

/* ---- no threads ------------------------------------------------------------------------------- */

static gboolean no_threads; /* set while nobody else runs */

/* GLib's calls come here, too: the program's symbols go before its libraries'. */
int
pthread_create (pthread_t *thread, const pthread_attr_t *attributes, void *(*run_thread) (void *), void *data)
{
  static int (*next) (pthread_t *, const pthread_attr_t *, void *(*) (void *), void *);

  if (no_threads)
    return EAGAIN;
  if (!next)
    *(void **) &next = dlsym (RTLD_NEXT, "pthread_create");
  return next (thread, attributes, run_thread, data);
}

typedef struct {
  DpCrew *crew;
  guint left, done, depth, deepest;
} Chain;

/* A task that adds the next one, as documents of a batch do. */
static void
add_next (gpointer data)
{
  Chain *c = data;

  c->depth++;
  c->deepest = MAX (c->deepest, c->depth);
  c->done++;
  if (--c->left > 0)
    dp_crew_add (c->crew, add_next, c);
  c->depth--;
}

static void
test_no_threads (void)
{
  g_autoptr (DpCrew) crew = dp_crew_new (4);
  g_autofree Shared *s = g_new0 (Shared, 1);
  Chain chain = { .crew = crew, .left = 1000 };

  g_thread_pool_stop_unused_threads (); /* those of other tests would be taken again */
  no_threads = TRUE;
  s->crew = crew, s->stop_at = -1;
  dp_crew_add (crew, share, s);
  check_once (s, N_ITEMS); /* already */
  dp_crew_add (crew, add_next, &chain);
  g_assert_cmpuint (chain.done, ==, 1000);
  g_assert_cmpuint (chain.deepest, ==, 1); /* one after the other, not one inside the other */
  no_threads = FALSE;
}

/* ---- resting ---------------------------------------------------------------------------------- */

#define RESTING 12u

typedef struct {
  DpCrew *crew;
  gint working, most; /* atomic: tasks between rests */
  gint resting, ended;
  GMutex lock;
  GCond all_rest;
} Rest;

static void
begin_work (Rest *r)
{
  const gint now = g_atomic_int_add (&r->working, 1) + 1;

  for (gint most; (most = g_atomic_int_get (&r->most)) < now;)
    g_atomic_int_compare_and_exchange (&r->most, most, now);
}

/* Rests until all others do, which only comes about when their threads work in place of those that rest. */
static void
rest (gpointer data)
{
  Rest *r = data;

  begin_work (r);
  g_atomic_int_add (&r->working, -1);
  dp_crew_rest (r->crew);
  g_mutex_lock (&r->lock);
  r->resting++;
  g_cond_broadcast (&r->all_rest);
  while (r->resting < (gint) RESTING)
    g_cond_wait (&r->all_rest, &r->lock);
  g_mutex_unlock (&r->lock);
  dp_crew_return (r->crew);
  begin_work (r);
  g_thread_yield ();
  g_atomic_int_add (&r->working, -1);
  g_atomic_int_inc (&r->ended);
}

static void
rest_all (guint size)
{
  Rest r = { .crew = dp_crew_new (size) };
  g_autofree Shared *s = g_new0 (Shared, 1);

  for (guint i = 0; i < RESTING; i++)
    dp_crew_add (r.crew, rest, &r);
  s->crew = r.crew, s->stop_at = -1;
  dp_crew_add (r.crew, share, s);
  dp_crew_free (r.crew);
  g_assert_cmpint (r.ended, ==, RESTING);
  g_assert_cmpint (r.most, <=, (gint) size);
  check_once (s, N_ITEMS);
}

/* The second task comes when the first one rests already. */
static void
test_rest_early (void)
{
  Rest r = { .crew = dp_crew_new (1), .resting = (gint) RESTING - 2 };

  dp_crew_add (r.crew, rest, &r);
  g_mutex_lock (&r.lock);
  while (r.resting < (gint) RESTING - 1)
    g_cond_wait (&r.all_rest, &r.lock);
  g_mutex_unlock (&r.lock);
  dp_crew_add (r.crew, rest, &r);
  dp_crew_free (r.crew);
  g_assert_cmpint (r.ended, ==, 2);
}

static void
test_rest (void)
{
  for (guint i = 0; i < 50; i++) {
    rest_all (1);
    rest_all (3);
  }
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
  g_test_add_func ("/crew/no-threads", test_no_threads);
  g_test_add_func ("/crew/one-thread", test_one_thread);
  g_test_add_func ("/crew/many-threads", test_many_threads);
  g_test_add_func ("/crew/helpers-fail", test_helpers_fail);
  g_test_add_func ("/crew/rest", test_rest);
  g_test_add_func ("/crew/rest-early", test_rest_early);
  g_test_add_func ("/crew/stop", test_stop);
  return g_test_run ();
}
