/* backends/cpu/team.c - see team.h. */
#include "backends/cpu/team.h"

#include <errno.h>
#include <linux/futex.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

#define MAX_THREADS 256
#define SPINS 2000 /* about 5-20 us of pauses before a thread goes to sleep */
#define N_LOOPS 64 /* loops of one region that may be under way at once; a power of two */

/* A shared loop.  `next` counts items and carries the loop's number, so that a slot can be used again
 * without a reset that every thread would have to wait for. */
typedef struct {
  _Alignas(64) _Atomic guint64 next; /* loop number << 40 | first item not handed out */
} Loop;

#define ITEM_BITS 40

typedef struct {
  _Alignas(64) guint64 n_loops; /* loops this thread has entered in this team's life */
  DpTeam *team;
  pthread_t handle;
  guint index;
} Member;

struct DpTeam {
  guint n;
  _Alignas(64) _Atomic guint32 epoch; /* futex: goes up when a region begins */
  _Alignas(64) _Atomic guint32 left;  /* futex: members still inside the region, caller excluded */
  _Alignas(64) _Atomic guint32 arrived;
  _Alignas(64) _Atomic guint32 phase; /* futex of the barrier */
  DpTeamRegion region;
  gpointer data;
  gboolean stop;
  Loop loops[N_LOOPS];
  Member members[];
};

/* ---- waiting ------------------------------------------------------------------------------ */

static inline void
pause_cpu (void)
{
#if defined(__x86_64__)
  __builtin_ia32_pause ();
#elif defined(__aarch64__)
  __asm__ volatile("yield");
#endif
}

static void
wait_while (_Atomic guint32 *word, guint32 value)
{
  for (int i = 0; i < SPINS; i++) {
    if (atomic_load_explicit (word, memory_order_acquire) != value)
      return;
    pause_cpu ();
  }
  while (atomic_load_explicit (word, memory_order_acquire) == value)
    syscall (SYS_futex, word, FUTEX_WAIT_PRIVATE, value, NULL, NULL, 0);
}

static void
wake_all (_Atomic guint32 *word)
{
  syscall (SYS_futex, word, FUTEX_WAKE_PRIVATE, G_MAXINT, NULL, NULL, 0);
}

/* ---- how many ------------------------------------------------------------------------------ */

/* Quota of the cgroup this process sees as its root, in processors; 0 = none. */
static guint
cgroup_quota (void)
{
  g_autofree char *text = NULL;
  char *end;
  guint64 quota, period;

  if (!g_file_get_contents ("/sys/fs/cgroup/cpu.max", &text, NULL, NULL))
    return 0;
  quota = g_ascii_strtoull (text, &end, 10);
  if (end == text)
    return 0;
  period = g_ascii_strtoull (end, NULL, 10);
  return period ? (guint) MIN ((quota + period - 1) / period, MAX_THREADS) : 0;
}

guint
dp_team_processors (void)
{
  cpu_set_t set;
  guint n = 0, quota = cgroup_quota ();

  if (sched_getaffinity (0, sizeof set, &set) == 0)
    n = (guint) CPU_COUNT (&set);
  if (n == 0)
    n = 1;
  if (quota)
    n = MIN (n, quota);
  return CLAMP (n, 1, MAX_THREADS);
}

/* ---- members ------------------------------------------------------------------------------- */

static void *
member_main (void *data)
{
  Member *self = data;
  DpTeam *team = self->team;
  guint32 seen = 0;

  for (;;) {
    wait_while (&team->epoch, seen);
    seen++;
    if (team->stop)
      return NULL;
    team->region (team, team->data, self->index);
    if (atomic_fetch_sub_explicit (&team->left, 1, memory_order_acq_rel) == 1)
      wake_all (&team->left);
  }
}

DpTeam *
dp_team_new (guint n_threads)
{
  guint n = n_threads ? MIN (n_threads, MAX_THREADS) : dp_team_processors ();
  gsize size = sizeof (DpTeam) + n * sizeof (Member);
  DpTeam *team = aligned_alloc (64, (size + 63) / 64 * 64);

  if (!team)
    g_error ("out of memory for a team of %u threads", n);
  *team = (DpTeam){ .n = 1 };
  for (guint i = 0; i < n; i++)
    team->members[i] = (Member){ .team = team, .index = i };
  while (team->n < n && pthread_create (&team->members[team->n].handle, NULL, member_main, &team->members[team->n]) == 0)
    team->n++;
  return team;
}

void
dp_team_free (DpTeam *team)
{
  if (!team)
    return;
  team->stop = TRUE;
  atomic_fetch_add_explicit (&team->epoch, 1, memory_order_release);
  wake_all (&team->epoch);
  for (guint i = 1; i < team->n; i++)
    pthread_join (team->members[i].handle, NULL);
  free (team);
}

guint
dp_team_size (const DpTeam *team)
{
  return team->n;
}

/* ---- regions, loops, barriers ------------------------------------------------------------------ */

void
dp_team_region (DpTeam *team, DpTeamRegion region, gpointer data)
{
  guint32 left;

  team->region = region;
  team->data = data;
  atomic_store_explicit (&team->left, team->n - 1, memory_order_relaxed);
  if (team->n > 1) {
    atomic_fetch_add_explicit (&team->epoch, 1, memory_order_release);
    wake_all (&team->epoch);
  }
  region (team, data, 0);
  while ((left = atomic_load_explicit (&team->left, memory_order_acquire)) != 0)
    wait_while (&team->left, left);
}

void
dp_team_barrier (DpTeam *team, guint thread)
{
  guint32 phase;

  (void) thread;
  if (team->n == 1)
    return;
  phase = atomic_load_explicit (&team->phase, memory_order_relaxed);
  if (atomic_fetch_add_explicit (&team->arrived, 1, memory_order_acq_rel) == team->n - 1) {
    atomic_store_explicit (&team->arrived, 0, memory_order_relaxed);
    atomic_store_explicit (&team->phase, phase + 1, memory_order_release);
    wake_all (&team->phase);
  } else {
    wait_while (&team->phase, phase);
  }
}

void
dp_team_share (DpTeam *team, guint thread, gsize n, gsize chunk, DpTeamWork work, gpointer data, gboolean wait)
{
  guint64 number = ++team->members[thread].n_loops;
  _Atomic guint64 *next = &team->loops[number % N_LOOPS].next;
  guint64 mine = number << ITEM_BITS, value = atomic_load_explicit (next, memory_order_relaxed);

  if (chunk == 0)
    chunk = 1;
  if (team->n == 1) {
    if (n)
      work (data, 0, n, thread);
    return;
  }
  for (;;) {
    /* Numbers wrap, so their distance is signed. Older: nobody has begun this loop. Newer: others are already
     * N_LOOPS ahead, this one is long done. */
    gint64 ahead = (gint64) (value - mine) >> ITEM_BITS;
    guint64 first = ahead < 0 ? 0 : value & ((1ull << ITEM_BITS) - 1);
    if (ahead > 0 || first >= n)
      break;
    guint64 last = MIN (first + chunk, n);
    if (atomic_compare_exchange_weak_explicit (next, &value, mine | last, memory_order_relaxed, memory_order_relaxed)) {
      work (data, first, last, thread);
      value = atomic_load_explicit (next, memory_order_relaxed);
    }
  }
  if (wait)
    dp_team_barrier (team, thread);
}

typedef struct {
  gsize n, chunk;
  DpTeamWork work;
  gpointer data;
} ForLoop;

static void
for_region (DpTeam *team, gpointer data, guint thread)
{
  const ForLoop *loop = data;

  dp_team_share (team, thread, loop->n, loop->chunk, loop->work, loop->data, FALSE);
}

void
dp_team_for (DpTeam *team, gsize n, gsize chunk, DpTeamWork work, gpointer data)
{
  ForLoop loop = { n, chunk, work, data };

  if (n == 0)
    return;
  if (team->n == 1 || n <= chunk)
    work (data, 0, n, 0);
  else
    dp_team_region (team, for_region, &loop);
}
