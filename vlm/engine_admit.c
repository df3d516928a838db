/* vlm/engine_admit.c - who runs: pages for a question, prefixes shared with others, and who gives way when pages run short. */
#include "vlm/engine_private.h"

gint
dp_question_compare (gconstpointer a, gconstpointer b, G_GNUC_UNUSED gpointer unused)
{
  const DpQuestion *p = a, *q = b;

  if (p->priority != q->priority)
    return p->priority < q->priority ? -1 : 1;
  return p->serial < q->serial ? -1 : p->serial > q->serial;
}

void
dp_engine_release (DpEngine *e, DpQuestion *q, gboolean comes_back)
{
  while (q->pages->len) {
    dp_kv_pages_unref (e->pages, g_array_index (q->pages, guint32, q->pages->len - 1), comes_back);
    g_array_set_size (q->pages, q->pages->len - 1);
  }
  q->cached = q->published = 0;
  q->node = DP_KV_ROOT;
}

void
dp_engine_publish (DpEngine *e, DpQuestion *q)
{
  const guint32 size = e->o.page_size, full = MIN (q->cached, q->prompt.n) / size;

  for (; q->published < full; q->published++)
    q->node
        = dp_kv_pages_publish (e->pages, g_array_index (q->pages, guint32, q->published), q->node, q->marks + (gsize) q->published * size);
}

static void
take (DpEngine *e, DpQuestion *q)
{
  const guint32 page = dp_kv_pages_take (e->pages);

  g_array_append_val (q->pages, page);
}

/* The rows that the donor has in common with what comes next, copied into the page after the shared ones. */
static void
copy_head (DpEngine *e, DpQuestion *q, const DpKvMatch *match)
{
  g_autoptr (GError) error = NULL;

  dp_decoder_copy_page (e->decoder, match->donor, g_array_index (q->pages, guint32, match->n_pages));
  if (dp_stream_sync (e->stream, &error))
    q->cached += match->donor_rows;
  else /* they are computed then */
    g_debug ("engine: %s", error->message);
  dp_kv_pages_unref (e->pages, match->donor, TRUE);
}

/* Pages for everything that q has so far and one token more; the last row of a prompt is never taken from others, as its hidden
 * state chooses the first token.  A page is left to each that runs already, or they would push q out at once. */
static gboolean
reserve (DpEngine *e, DpQuestion *q)
{
  const guint32 need = dp_engine_pages_for (e, MIN (q->history->len + 1, e->o.max_len)), spare = e->running->len;
  g_autofree guint32 *shared = g_new (guint32, q->prompt.n / e->o.page_size + 1);
  DpKvMatch match;

  dp_kv_pages_match (e->pages, q->marks, q->prompt.n - 1, shared, &match);
  g_array_append_vals (q->pages, shared, match.n_pages);
  if (match.donor && dp_kv_pages_available (e->pages) < need - match.n_pages + spare) {
    dp_kv_pages_unref (e->pages, match.donor, TRUE); /* it may be the very page that is missing */
    match.donor = 0;
  }
  if (dp_kv_pages_available (e->pages) < need - match.n_pages + spare) {
    dp_engine_release (e, q, TRUE);
    return FALSE;
  }
  while (q->pages->len < need)
    take (e, q);
  q->published = match.n_pages;
  q->node = match.node;
  q->cached = match.n_pages * e->o.page_size;
  if (match.donor)
    copy_head (e, q, &match);
  pthread_mutex_lock (&e->lock);
  e->stats.prefix_hits += q->cached;
  e->stats.most_running = MAX (e->stats.most_running, spare + 1);
  pthread_mutex_unlock (&e->lock);
  return TRUE;
}

static void
run (DpEngine *e, DpQuestion *q)
{
  guint at = e->running->len;

  g_sequence_remove (q->place);
  q->place = NULL;
  while (at && dp_question_compare (q, e->running->pdata[at - 1], NULL) < 0)
    at--;
  g_ptr_array_insert (e->running, (gint) at, q);
}

/* Whether the next prefill call has its work: rows for a chunk, or a picture to encode. */
static gboolean
is_busy (const DpEngine *e)
{
  guint32 rows = 0;

  for (guint i = 0; i < e->running->len; i++) {
    const DpQuestion *q = e->running->pdata[i];
    if (dp_question_prefilled (q))
      continue;
    rows += q->prompt.n - q->cached;
    if (rows >= e->o.prefill_chunk || q->prompt.n_image)
      return TRUE;
  }
  return FALSE;
}

/* No sooner than its prompt is computed, so that it can share what those before it have computed and takes no pages while it
 * waits.  In order: who does not fit is waited for, so that nobody starves. */
void
dp_engine_admit (DpEngine *e)
{
  while (e->running->len < e->o.max_batch && !g_sequence_is_empty (e->waiting) && !is_busy (e)) {
    DpQuestion *q = g_sequence_get (g_sequence_get_begin_iter (e->waiting));
    if (!reserve (e, q))
      return;
    run (e, q);
  }
}

/* The least urgent, youngest one waits again; what it has said is kept. */
static void
push_out (DpEngine *e, DpQuestion *q)
{
  dp_engine_release (e, q, TRUE);
  g_ptr_array_remove (e->running, q);
  q->place = g_sequence_insert_sorted (e->waiting, q, dp_question_compare, NULL);
  pthread_mutex_lock (&e->lock);
  e->stats.preemptions++;
  pthread_mutex_unlock (&e->lock);
}

void
dp_engine_make_room (DpEngine *e, DpQuestion *q)
{
  while (!q->place && q->cached / e->o.page_size >= q->pages->len) {
    if (dp_kv_pages_available (e->pages))
      take (e, q);
    else
      push_out (e, e->running->pdata[e->running->len - 1]);
  }
}
