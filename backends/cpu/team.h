/* backends/cpu/team.h - a resident team of threads.
 *
 * One parallel region costs one wake-up; inside it, work is handed out in chunks from an
 * atomic counter, so a thread whose core is taken by a neighbour holds up the others by
 * one chunk at most.  Waiting is a short spin and then a futex: on a shared machine a
 * spinning barrier steals the very core it waits for (c_anchors.md 3.3: 34 -> 2-5 tok/s).
 */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

typedef struct DpTeam DpTeam;

/* Called once per chunk: items first .. last-1, by thread 0 .. n_threads-1. */
typedef void (*DpTeamWork) (gpointer data, gsize first, gsize last, guint thread);

/* Called once per thread inside dp_team_region(). */
typedef void (*DpTeamRegion) (DpTeam *team, gpointer data, guint thread);

/* n_threads 0: processors this process may use (affinity and cgroup v2 cpu.max).  The caller is
 * thread 0; n_threads - 1 are started.  Never fails: fewer threads if the system has no more. */
DpTeam *dp_team_new (guint n_threads);
void dp_team_free (DpTeam *team);
guint dp_team_size (const DpTeam *team);

/* Runs work over items 0 .. n-1 in chunks and returns when all are done.  One caller at a time; not from
 * inside a region. */
void dp_team_for (DpTeam *team, gsize n, gsize chunk, DpTeamWork work, gpointer data);

/* One wake-up for many steps: runs region on every thread and returns when all have left it. */
void dp_team_region (DpTeam *team, DpTeamRegion region, gpointer data);

/* Inside a region, called by every thread in the same order: the loop, and a barrier behind it when
 * wait is TRUE.  Loops without a barrier between them may overlap. */
void dp_team_share (DpTeam *team, guint thread, gsize n, gsize chunk, DpTeamWork work, gpointer data, gboolean wait);
void dp_team_barrier (DpTeam *team, guint thread);

/* Processors this process may use, at least 1. */
guint dp_team_processors (void);

G_END_DECLS
