/* backends/cpu/team.c - see team.h. */
#include "backends/cpu/team.h"

#include <linux/futex.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

#define MAX_THREADS 256
#define SPINS 1000 /* some 10 us of pauses before a thread goes to sleep */
#define N_LOOPS 64 /* loops of one region that may be under way at once; a power of two */

/* A shared loop.  Its items are cut into a range per thread: a thread takes chunks of its own range first, so that it
 * meets the same weights, rows and cache pages in loop after loop, and then helps the others.  All words carry the
 * loop's number above a count, so that a slot can be used again without a reset that every thread would wait for. */
typedef struct {
  _Alignas(64) _Atomic guint64 done; /* number << ITEM_BITS | items finished */
} Loop;

typedef struct {
  _Alignas(64) _Atomic guint64 next; /* number << ITEM_BITS | items handed out */
} Range;

#define ITEM_BITS 32
#define ITEMS(word) ((word) & ((1ull << ITEM_BITS) - 1))
/* After so many loops words that no loop has touched since are brought up to date, before numbers can wrap. */
#define REFRESH ((guint64) 1 << 24)

typedef struct {
  _Alignas(64) DpTeam *team;
  pthread_t handle;
  guint index;
  guint64 n_loops;       /* loops this thread has come by, in the team's life */
  guint64 waited;        /* it has waited for all up to this one */
  guint64 size[N_LOOPS]; /* items of the loops in between */
} Member;

/* The gate word: region number << 16 | GATE_* | members inside, the caller not counted. */
#define GATE_OPEN 0x8000u
#define GATE_STOP 0x4000u
#define GATE_INSIDE 0x3fffu
#define GATE_NUMBER(gate) ((gate) >> 16)

struct DpTeam {
  guint n;
  _Alignas(64) _Atomic guint32 event; /* futex: goes up when something happened that a thread may sleep for */
  _Atomic guint32 sleepers;
  _Alignas(64) _Atomic guint64 gate;
  /* what only members inside the gate read */
  DpTeamRegion region;
  gpointer data;
  guint64 first_loop; /* loops before this region */
  guint64 refreshed;  /* loops at the last refresh */
  Range *ranges;      /* [N_LOOPS, n] */
  Loop loops[N_LOOPS];
  Member members[];
};

/* ---- waiting ------------------------------------------------------------------------------ */

typedef gboolean (*Ready) (DpTeam *team, guint64 what);

static inline void
pause_cpu (void)
{
#if defined(__x86_64__)
  __builtin_ia32_pause ();
#elif defined(__aarch64__)
  __asm__ volatile("yield");
#endif
}

/* The change waited for, its announcement and the sleeper's steps are all sequentially consistent: either the
 * sleeper sees the change or notify() sees the sleeper. */
static void
wait_until (DpTeam *team, Ready ready, guint64 what, DpTeamIdle idle, gpointer data)
{
  for (int i = 0; i < SPINS; i++) {
    if (ready (team, what))
      return;
    if (!idle || !idle (data)) {
      idle = NULL;
      pause_cpu ();
    }
  }
  atomic_fetch_add (&team->sleepers, 1);
  for (;;) {
    guint32 event = atomic_load (&team->event);
    if (ready (team, what))
      break;
    syscall (SYS_futex, &team->event, FUTEX_WAIT_PRIVATE, event, NULL, NULL, 0);
  }
  atomic_fetch_sub (&team->sleepers, 1);
}

static void
notify (DpTeam *team)
{
  if (atomic_load (&team->sleepers) == 0)
    return;
  atomic_fetch_add (&team->event, 1);
  syscall (SYS_futex, &team->event, FUTEX_WAKE_PRIVATE, G_MAXINT, NULL, NULL, 0);
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

/* ---- loops --------------------------------------------------------------------------------------- */

/* How far the loop in a word is ahead of loop `number`; numbers wrap, so the distance is signed. */
static inline gint64
ahead (guint64 word, guint64 number)
{
  return (gint64) (word - (number << ITEM_BITS)) >> ITEM_BITS;
}

/* Adds to the finished items of a loop of n; whoever finishes the last one tells. Returns how many are finished. */
static gsize
finish_items (DpTeam *team, guint64 number, gsize items, gsize n)
{
  _Atomic guint64 *done = &team->loops[number % N_LOOPS].done;
  guint64 value = atomic_load_explicit (done, memory_order_relaxed), sum;

  do
    sum = ahead (value, number) < 0 ? items : ITEMS (value) + items;
  while (!atomic_compare_exchange_weak (done, &value, number << ITEM_BITS | sum));
  if (sum == n)
    notify (team);
  return sum;
}

static void wait_for (DpTeam *team, Member *self, guint64 last, DpTeamIdle idle, gpointer data);

/* Chunks of one range until none is left; how many items that were. */
static gsize
take_range (_Atomic guint64 *next, guint64 number, gsize begin, gsize end, gsize chunk, DpTeamWork work, gpointer data, guint thread)
{
  guint64 value = atomic_load_explicit (next, memory_order_relaxed);
  gsize taken = 0;

  for (;;) {
    gint64 distance = ahead (value, number);
    gsize first = distance < 0 ? 0 : (gsize) ITEMS (value);
    if (distance > 0 || first >= end - begin)
      return taken;
    gsize last = MIN (first + chunk, end - begin);
    if (atomic_compare_exchange_weak_explicit (next, &value, number << ITEM_BITS | last, memory_order_acq_rel, memory_order_relaxed)) {
      work (data, begin + first, begin + last, thread);
      taken += last - first;
      value = number << ITEM_BITS | last;
    }
  }
}

/* What follows the last item counts as one more. */
static void
share_items (DpTeam *team, Member *self, gsize n, gsize chunk, DpTeamWork work, gpointer data, DpTeamThen then, gpointer then_data)
{
  guint64 number = self->n_loops;
  Range *ranges = team->ranges + number % N_LOOPS * team->n;
  gsize taken = 0, n_chunks = (n + chunk - 1) / chunk;

  for (guint i = 0; i < team->n; i++) {
    guint owner = (self->index + i) % team->n;
    /* whole chunks; a single one is the first thread's */
    gsize begin = (n_chunks * owner + team->n - 1) / team->n * chunk,
          end = MIN ((n_chunks * (owner + 1) + team->n - 1) / team->n * chunk, n);
    if (begin < end)
      taken += take_range (&ranges[owner].next, number, begin, end, chunk, work, data, self->index);
  }
  if (!taken)
    return;
  gsize all = n + (then != NULL);
  if (finish_items (team, number, taken, all) == n && then) {
    then (then_data, self->index);
    finish_items (team, number, 1, all);
  }
}

static void
nothing (G_GNUC_UNUSED gpointer data, G_GNUC_UNUSED gsize first, G_GNUC_UNUSED gsize last, G_GNUC_UNUSED guint thread)
{
}

void
dp_team_share_then (DpTeam *team, guint thread, gsize n, gsize chunk, DpTeamWork work, gpointer data, DpTeamThen then, gpointer then_data)
{
  Member *self = &team->members[thread];

  if (n == 0) {
    if (!then)
      return;
    n = 1;
    work = nothing;
  }
  if (team->n == 1) {
    work (data, 0, n, thread);
    if (then)
      then (then_data, thread);
    return;
  }
  chunk = MAX (MAX (chunk, 1), (n >> ITEM_BITS) + 1);
  self->n_loops++;
  if (self->n_loops - self->waited >= N_LOOPS)
    wait_for (team, self, self->n_loops - N_LOOPS / 2, NULL, NULL);
  self->size[self->n_loops % N_LOOPS] = n + (then != NULL);
  share_items (team, self, n, chunk, work, data, then, then_data);
}

void
dp_team_share (DpTeam *team, guint thread, gsize n, gsize chunk, DpTeamWork work, gpointer data)
{
  dp_team_share_then (team, thread, n, chunk, work, data, NULL, NULL);
}

typedef struct {
  guint64 number, n;
} Awaited;

/* The slot belongs to a later loop, or all items are done. */
static gboolean
loop_done (DpTeam *team, guint64 awaited)
{
  const Awaited *a = (const Awaited *) (guintptr) awaited;
  guint64 value = atomic_load (&team->loops[a->number % N_LOOPS].done);
  gint64 distance = ahead (value, a->number);

  return distance > 0 || (distance == 0 && ITEMS (value) == a->n);
}

static void
wait_for (DpTeam *team, Member *self, guint64 last, DpTeamIdle idle, gpointer data)
{
  while (self->waited < last) {
    Awaited a = { ++self->waited, self->size[self->waited % N_LOOPS] };
    wait_until (team, loop_done, (guintptr) &a, idle, data);
  }
}

void
dp_team_wait (DpTeam *team, guint thread)
{
  dp_team_wait_idle (team, thread, NULL, NULL);
}

void
dp_team_wait_idle (DpTeam *team, guint thread, DpTeamIdle idle, gpointer data)
{
  Member *self = &team->members[thread];

  wait_for (team, self, self->n_loops, idle, data);
}

/* ---- regions ------------------------------------------------------------------------------------- */

static gboolean
gate_open (DpTeam *team, guint64 last_number)
{
  guint64 gate = atomic_load (&team->gate);

  return (gate & GATE_STOP) || ((gate & GATE_OPEN) && GATE_NUMBER (gate) != last_number);
}

static gboolean
nobody_inside (DpTeam *team, G_GNUC_UNUSED guint64 unused)
{
  return (atomic_load (&team->gate) & GATE_INSIDE) == 0;
}

static void
run_region (DpTeam *team, Member *self)
{
  self->n_loops = self->waited = team->first_loop;
  team->region (team, team->data, self->index);
}

static void *
member_main (void *data)
{
  Member *self = data;
  DpTeam *team = self->team;
  guint64 last_number = 0;

  for (;;) {
    wait_until (team, gate_open, last_number, NULL, NULL);
    guint64 gate = atomic_load (&team->gate);
    if (gate & GATE_STOP)
      return NULL;
    /* too late if it closed meanwhile */
    if (!(gate & GATE_OPEN) || !atomic_compare_exchange_strong (&team->gate, &gate, gate + 1))
      continue;
    last_number = GATE_NUMBER (gate);
    run_region (team, self);
    gate = atomic_fetch_sub (&team->gate, 1) - 1;
    if (!(gate & (GATE_OPEN | GATE_INSIDE)))
      notify (team);
  }
}

/* Nobody is inside. */
static void
refresh (DpTeam *team, guint64 number)
{
  for (guint i = 0; i < N_LOOPS; i++)
    atomic_store (&team->loops[i].done, number << ITEM_BITS);
  for (guint i = 0; i < N_LOOPS * team->n; i++)
    atomic_store (&team->ranges[i].next, number << ITEM_BITS);
  team->refreshed = number;
}

void
dp_team_region (DpTeam *team, DpTeamRegion region, gpointer data)
{
  Member *self = &team->members[0];

  if (self->n_loops - team->refreshed > REFRESH)
    refresh (team, self->n_loops);
  team->region = region;
  team->data = data;
  team->first_loop = self->n_loops;
  if (team->n == 1) {
    run_region (team, self);
    return;
  }
  atomic_store (&team->gate, (GATE_NUMBER (atomic_load (&team->gate)) + 1) << 16 | GATE_OPEN);
  notify (team);
  run_region (team, self);
  dp_team_wait (team, 0);
  atomic_fetch_and (&team->gate, ~(guint64) GATE_OPEN);
  wait_until (team, nobody_inside, 0, NULL, NULL);
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

  dp_team_share (team, thread, loop->n, loop->chunk, loop->work, loop->data);
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

/* ---- life ---------------------------------------------------------------------------------------- */

DpTeam *
dp_team_new (guint n_threads)
{
  guint n = n_threads ? MIN (n_threads, MAX_THREADS) : dp_team_processors ();
  gsize size = sizeof (DpTeam) + n * sizeof (Member);
  DpTeam *team = aligned_alloc (64, (size + 63) / 64 * 64);
  Range *ranges = aligned_alloc (64, N_LOOPS * n * sizeof (Range));

  if (!team || !ranges) {
    free (team);
    free (ranges);
    return NULL;
  }
  *team = (DpTeam){ .n = 1, .ranges = ranges };
  for (guint i = 0; i < n; i++)
    team->members[i] = (Member){ .team = team, .index = i };
  for (guint i = 0; i < N_LOOPS * n; i++)
    ranges[i] = (Range){ 0 };
  while (team->n < n && pthread_create (&team->members[team->n].handle, NULL, member_main, &team->members[team->n]) == 0)
    team->n++;
  return team;
}

void
dp_team_free (DpTeam *team)
{
  if (!team)
    return;
  atomic_fetch_or (&team->gate, GATE_STOP);
  notify (team);
  for (guint i = 1; i < team->n; i++)
    pthread_join (team->members[i].handle, NULL);
  free (team->ranges);
  free (team);
}

guint
dp_team_size (const DpTeam *team)
{
  return team->n;
}
