/* pipeline/crew.h - the threads that convert: documents side by side, pages of one document
 * side by side.
 *
 * Work comes as tasks (one per document).  A task that has many equal items (pages,
 * pictures) shares them: threads without a task of their own take chunks of it, and the
 * task goes on when all items are done.  Nobody ever waits for a thread that has not
 * started, so a crew cannot lock up.
 */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

typedef struct DpCrew DpCrew;

/* size >= 1 threads; they are started as work comes. */
DpCrew *dp_crew_new (guint size);
/* Waits for all tasks. */
void dp_crew_free (DpCrew *crew);
guint dp_crew_size (const DpCrew *crew);

/* Runs task (data) on a thread of the crew some time. */
typedef void (*DpCrewTask) (gpointer data);
void dp_crew_add (DpCrew *crew, DpCrewTask task, gpointer data);

/* Between these two calls a task waits for somebody who is not of the crew (a model): another thread works in its place, and the
 * task goes on before anything new begins.  Only from inside a task. */
void dp_crew_rest (DpCrew *crew);
void dp_crew_return (DpCrew *crew);

/* How threads take part in shared work.  Every function runs on the thread that takes part. */
typedef struct {
  /* A place for one thread: its own open document.  own: for the thread that called
   * dp_crew_share().  NULL means that this thread cannot help. */
  gpointer (*enter) (gboolean own, gpointer data);
  /* Does item; FALSE stops this thread's part (not the others'). */
  gboolean (*work) (gpointer place, guint item, gpointer data);
  void (*leave) (gpointer place, gboolean own, gpointer data);
} DpCrewShare;

/* Does items 0..n_items-1 in chunks on this thread and on idle ones; returns when no thread
 * works on them any more.  Only from inside a task. */
void dp_crew_share (DpCrew *crew, const DpCrewShare *share, guint n_items, guint chunk, gpointer data);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (DpCrew, dp_crew_free)

G_END_DECLS
