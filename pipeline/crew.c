/* pipeline/crew.c - a GThreadPool whose tasks can be helped by idle threads. */
#include "pipeline/crew.h"

struct DpCrew {
  GThreadPool *pool; /* its threads take from jobs; what is pushed to it only wakes one */
  guint size;
  GMutex lock;
  GCond idle;       /* a job is done, or a thread rests: for who waits for the end, and for who wants to go on */
  GQueue jobs;      /* Job not begun, helpers first; under lock */
  guint unfinished; /* jobs added and not yet done; under lock */
  guint threads;    /* of the pool, at most; under lock */
  guint active;     /* threads in a job that do not rest, at most size; under lock */
  guint resting;    /* threads in a job that wait for somebody else; under lock */
  guint returning;  /* of these those that want to go on, before anything new begins; under lock */
  gboolean alone;   /* a caller does the jobs, since no thread could be started; under lock */
};

typedef struct {
  DpCrewTask task;
  gpointer data;
  gboolean helps; /* goes before tasks that start something new */
} Job;

/* The next job that may begin now, or NULL. */
static Job *
begin (DpCrew *crew)
{
  Job *job = NULL;

  g_mutex_lock (&crew->lock);
  if (crew->active < crew->size && !crew->returning && (job = g_queue_pop_head (&crew->jobs)))
    crew->active++;
  g_mutex_unlock (&crew->lock);
  return job;
}

/* FALSE if there is none, or none may begin. */
static gboolean
run_next (DpCrew *crew)
{
  Job *job = begin (crew);

  if (!job)
    return FALSE;
  job->task (job->data);
  g_free (job);
  g_mutex_lock (&crew->lock);
  crew->active--;
  crew->unfinished--;
  g_cond_broadcast (&crew->idle);
  g_mutex_unlock (&crew->lock);
  return TRUE;
}

/* A job that may not begin when its thread is woken is begun by the thread whose end or rest makes room for it. */
static void
wake (G_GNUC_UNUSED gpointer data, gpointer user_data)
{
  while (run_next (user_data))
    ;
}

/* Helping comes first: a document that is begun holds memory, one that waits does not. */
static GList *
first_that_starts (GQueue *jobs)
{
  GList *link = jobs->head;

  while (link && ((const Job *) link->data)->helps)
    link = link->next;
  return link;
}

DpCrew *
dp_crew_new (guint size)
{
  DpCrew *crew = g_new0 (DpCrew, 1);

  crew->size = crew->threads = MAX (size, 1);
  g_mutex_init (&crew->lock);
  g_cond_init (&crew->idle);
  g_queue_init (&crew->jobs);
  crew->pool = g_thread_pool_new (wake, crew, (gint) crew->size, FALSE, NULL);
  return crew;
}

void
dp_crew_free (DpCrew *crew)
{
  if (!crew)
    return;
  /* Tasks may still ask for helpers, which a pool that is being freed would refuse. */
  g_mutex_lock (&crew->lock);
  while (crew->unfinished > 0)
    g_cond_wait (&crew->idle, &crew->lock);
  g_mutex_unlock (&crew->lock);
  g_thread_pool_free (crew->pool, TRUE, TRUE); /* no jobs are left, though perhaps calls to wake up */
  g_mutex_clear (&crew->lock);
  g_cond_clear (&crew->idle);
  g_free (crew);
}

guint
dp_crew_size (const DpCrew *crew)
{
  return crew->size;
}

/* A job that helps need not be done: who asked for help does the work as well. */
static void
push (DpCrew *crew, DpCrewTask task, gpointer data, gboolean helps)
{
  Job *job = g_new (Job, 1);

  *job = (Job){ .task = task, .data = data, .helps = helps };
  g_mutex_lock (&crew->lock);
  crew->unfinished++;
  if (helps)
    g_queue_insert_before (&crew->jobs, first_that_starts (&crew->jobs), job);
  else
    g_queue_push_tail (&crew->jobs, job);
  g_mutex_unlock (&crew->lock);

  /* Without a further thread those there are do the job later; without any at all, we. */
  if (g_thread_pool_push (crew->pool, crew, NULL) || g_thread_pool_get_num_threads (crew->pool) > 0)
    return;
  g_mutex_lock (&crew->lock);
  const gboolean nested = crew->alone;
  crew->alone = TRUE;
  g_mutex_unlock (&crew->lock);
  if (nested) /* a task added this one and goes on; the loop below comes to it */
    return;
  while (run_next (crew))
    ;
  g_mutex_lock (&crew->lock);
  crew->alone = FALSE;
  g_mutex_unlock (&crew->lock);
}

void
dp_crew_add (DpCrew *crew, DpCrewTask task, gpointer data)
{
  push (crew, task, data, FALSE);
}

/* ---- resting --------------------------------------------------------------------------------- */

/* For a job that could begin now and whose thread has turned back. */
static void
wake_another (DpCrew *crew)
{
  g_mutex_lock (&crew->lock);
  const gboolean wanted = crew->jobs.length && crew->active < crew->size && !crew->returning;
  g_mutex_unlock (&crew->lock);
  if (wanted)
    g_thread_pool_push (crew->pool, crew, NULL);
}

/* Jobs that come later find a thread too.  Where none can be started they wait for those there are. */
void
dp_crew_rest (DpCrew *crew)
{
  g_mutex_lock (&crew->lock);
  crew->active--;
  crew->resting++;
  g_cond_broadcast (&crew->idle);
  if (crew->threads < crew->size + crew->resting) {
    crew->threads = crew->size + crew->resting;
    g_thread_pool_set_max_threads (crew->pool, (gint) crew->threads, NULL);
  }
  g_mutex_unlock (&crew->lock);
  wake_another (crew);
}

void
dp_crew_return (DpCrew *crew)
{
  g_mutex_lock (&crew->lock);
  crew->returning++;
  while (crew->active >= crew->size)
    g_cond_wait (&crew->idle, &crew->lock);
  crew->returning--;
  crew->resting--;
  crew->active++;
  g_mutex_unlock (&crew->lock);
  wake_another (crew);
}

/* ---- shared work ----------------------------------------------------------------------------- */

typedef struct {
  const DpCrewShare *share;
  gpointer data;
  guint n_items, chunk;
  guint next;    /* first item nobody has taken; under lock */
  guint working; /* threads inside, besides the owner; under lock */
  gboolean over; /* late helpers turn back; under lock */
  GMutex lock;
  GCond left;
} Shared;

static void
shared_clear (gpointer data)
{
  Shared *shared = data;

  g_mutex_clear (&shared->lock);
  g_cond_clear (&shared->left);
}

/* Takes the next chunk: first..end-1; FALSE if there is none. */
static gboolean
take (Shared *shared, guint *first, guint *end)
{
  g_mutex_lock (&shared->lock);
  *first = shared->next;
  *end = shared->n_items - *first > shared->chunk ? *first + shared->chunk : shared->n_items;
  shared->next = *end;
  g_mutex_unlock (&shared->lock);
  return *first < *end;
}

static void
take_part (Shared *shared, gboolean own)
{
  gpointer place = shared->share->enter (own, shared->data);
  gboolean going = place != NULL;
  guint first, end;

  while (going && take (shared, &first, &end))
    for (guint item = first; going && item < end; item++)
      going = shared->share->work (place, item, shared->data);
  if (place)
    shared->share->leave (place, own, shared->data);
}

static void
help (gpointer data)
{
  Shared *shared = data;

  g_mutex_lock (&shared->lock);
  const gboolean late = shared->over || shared->next >= shared->n_items;
  if (!late)
    shared->working++;
  g_mutex_unlock (&shared->lock);

  if (!late) {
    take_part (shared, FALSE);
    g_mutex_lock (&shared->lock);
    shared->working--;
    g_cond_signal (&shared->left);
    g_mutex_unlock (&shared->lock);
  }
  g_atomic_rc_box_release_full (shared, shared_clear);
}

void
dp_crew_share (DpCrew *crew, const DpCrewShare *share, guint n_items, guint chunk, gpointer data)
{
  Shared *shared = g_atomic_rc_box_new0 (Shared);
  const guint n_chunks = n_items / MAX (chunk, 1) + (n_items % MAX (chunk, 1) != 0);

  shared->share = share;
  shared->data = data;
  shared->n_items = n_items;
  shared->chunk = MAX (chunk, 1);
  g_mutex_init (&shared->lock);
  g_cond_init (&shared->left);

  for (guint i = 1; i < MIN (crew->size, n_chunks); i++)
    push (crew, help, g_atomic_rc_box_acquire (shared), TRUE);
  take_part (shared, TRUE);

  g_mutex_lock (&shared->lock);
  shared->over = TRUE;
  while (shared->working > 0)
    g_cond_wait (&shared->left, &shared->lock);
  g_mutex_unlock (&shared->lock);
  g_atomic_rc_box_release_full (shared, shared_clear);
}
