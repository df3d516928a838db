/* backends/cpu/team.h - a resident team of threads that never waits for one it does not need.
 *
 * One parallel region costs one wake-up.  Inside it every thread walks the same sequence of loops.  Each thread takes
 * chunks of its own part of a loop's items first and then of the others' parts, and waiting means waiting until all
 * items are done, not until all threads have come by.  A thread whose core a neighbour has taken holds up the others
 * by the chunk it is in and by nothing else: it skips the loops it missed, and a region it comes too late for ends
 * without it.  Waiting is a short spin and then a futex: on a shared machine a spinning barrier steals the very core
 * it waits for (llama.cpp fell from 34 to 2-5 tokens/s that way).
 */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

typedef struct DpTeam DpTeam;

/* Called once per chunk: items first .. last-1, by thread 0 .. size-1. */
typedef void (*DpTeamWork) (gpointer data, gsize first, gsize last, guint thread);

/* Called by thread 0 (the caller) and by every other thread that comes in time.  Outside of work functions it
 * may read only what stays constant over the region: a late thread walks through it when the rest is far ahead. */
typedef void (*DpTeamRegion) (DpTeam *team, gpointer data, guint thread);

/* n_threads 0: processors this process may use (affinity and cgroup v2 cpu.max).  The caller is
 * thread 0; n_threads - 1 are started, fewer if the system has no more. NULL: out of memory. */
DpTeam *dp_team_new (guint n_threads);
void dp_team_free (DpTeam *team);
guint dp_team_size (const DpTeam *team);

/* Runs work over items 0 .. n-1 in chunks and returns when all are done.  One caller at a time; not from
 * inside a region. */
void dp_team_for (DpTeam *team, gsize n, gsize chunk, DpTeamWork work, gpointer data);

/* One wake-up for many loops: returns when region has returned here and every item of its loops is done. */
void dp_team_region (DpTeam *team, DpTeamRegion region, gpointer data);

/* Inside a region, called by every thread in the same order with the same n: does what is left of the items. Items of
 * loops without dp_team_wait between them may run at the same time. */
void dp_team_share (DpTeam *team, guint thread, gsize n, gsize chunk, DpTeamWork work, gpointer data);
/* The same, and when its last item is done, then (data, thread) runs once, on the thread that did it, before the loop counts as
 * done: a short piece that only one thread can do follows without a word to the others.  With n = 0 the first to come runs it. */
typedef void (*DpTeamThen) (gpointer data, guint thread);
void dp_team_share_then (DpTeam *team, guint thread, gsize n, gsize chunk, DpTeamWork work, gpointer data, DpTeamThen then,
                         gpointer then_data);
/* Returns when every item of all loops so far is done. */
void dp_team_wait (DpTeam *team, guint thread);
/* The same; meanwhile does something useful in short bits until that returns FALSE. */
typedef gboolean (*DpTeamIdle) (gpointer data);
void dp_team_wait_idle (DpTeam *team, guint thread, DpTeamIdle idle, gpointer data);

/* Processors this process may use, at least 1. */
guint dp_team_processors (void);

G_END_DECLS
