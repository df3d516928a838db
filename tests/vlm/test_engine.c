/* The engine over a model that notices every row out of place (fake_model.h): the same answers whatever else runs, however little
 * memory there is; order, limits, loops, faults, taking back; and nothing left behind. */
#include "tests/vlm/fake_model.h"
#include "vlm/engine_private.h"

#include <malloc.h>
#include <math.h>

enum { QUESTIONS = 40 };

static cairo_surface_t *
picture (guint32 seed, int width, int height)
{
  cairo_surface_t *s = cairo_image_surface_create (CAIRO_FORMAT_RGB24, width, height);
  const int stride = cairo_image_surface_get_stride (s) / 4;
  guint32 *pixels = (guint32 *) (gpointer) cairo_image_surface_get_data (s);

  for (int y = 0; y < height; y++)
    for (int x = 0; x < width; x++)
      pixels[y * stride + x] = seed ? (guint32) mix (seed, (guint64) (y * width + x)) | 0x404040u : 0;
  cairo_surface_mark_dirty (s);
  return s;
}

/* Question i: most with a picture, some long, some drawn. */
static gpointer
ask (DpAnswerer *a, guint i)
{
  g_autofree char *prompt = g_strdup_printf ("\n%c question %u about%*s", 'A' + i % 26, i, (int) (i * 37 % 120), "it");
  cairo_surface_t *image = i % 4 ? picture (i, 8 + (int) (i * 5 % 40), 8 + (int) (i * 11 % 50)) : NULL;
  DpRequest r = {
    .prompt = prompt, .image = image, .sampling = DP_SAMPLING_GREEDY, .max_tokens = 20 + i * 7 % 60, .priority = (gint) (i * 13 % 5)
  };

  if (i % 3 == 0)
    r.sampling.temperature = 1, r.sampling.seed = i;
  if (i % 5 == 0)
    r.sampling.frequency = 0.05f;
  gpointer ticket = dp_ask (a, &r);
  g_clear_pointer (&image, cairo_surface_destroy);
  // cppcheck-suppress returnDanglingLifetime ; a ticket holds nothing of the request
  return ticket;
}

static DpEngine *
engine_new (DpModel *m, const DpEngineOptions *o)
{
  g_autoptr (GError) error = NULL;
  DpEngine *e = dp_engine_new (m, o, &error);

  g_assert_no_error (error);
  return e;
}

static gpointer
ask_text (DpEngine *e, const char *prompt, gint priority, guint32 max_tokens)
{
  const DpRequest r = { .prompt = prompt, .priority = priority, .max_tokens = max_tokens, .sampling = DP_SAMPLING_GREEDY };

  // cppcheck-suppress returnDanglingLifetime ; a ticket holds nothing of the request
  return dp_ask (dp_engine_answerer (e), &r);
}

static DpAnswer *
wait_for (DpEngine *e, gpointer ticket)
{
  return dp_wait (dp_engine_answerer (e), ticket);
}

static void
cancel (DpEngine *e, gpointer ticket)
{
  dp_engine_answerer (e)->cancel (dp_engine_answerer (e), ticket);
}

static void
check_same (const DpAnswer *a, const DpAnswer *b)
{
  g_assert_cmpint (a->finish, ==, b->finish);
  g_assert_cmpmem (a->tokens->data, a->tokens->len * 4, b->tokens->data, b->tokens->len * 4);
  g_assert_cmpstr (a->text, ==, b->text);
  g_assert_cmpfloat (a->confidence, ==, b->confidence);
  g_assert_cmpfloat (a->min_logprob, ==, b->min_logprob);
  g_assert_cmpuint (a->n_prompt, ==, b->n_prompt);
}

/* After all is answered every page is free again, and nobody runs. */
static void
check_empty (DpEngine *e)
{
  g_assert_cmpuint (g_hash_table_size (e->open), ==, 0);
  g_assert_cmpuint (e->running->len, ==, 0);
  g_assert_true (g_sequence_is_empty (e->waiting));
  g_assert_cmpuint (dp_kv_pages_available (e->pages), ==, e->o.kv_pages - 1);
  dp_kv_pages_check (e->pages);
}

/* Its thread ends first, so that a test may look into it. */
static void
engine_end (DpEngine *e, DpEngineStats *stats)
{
  dp_engine_stop (e);
  g_thread_join (g_steal_pointer (&e->thread));
  check_empty (e);
  if (stats)
    dp_engine_stats (e, stats);
  dp_engine_free (e);
}

static void
answers_alone (DpModel *m, DpAnswer **alone)
{
  DpEngine *e = engine_new (m, &(DpEngineOptions){ .max_batch = 1 });
  guint stops = 0;

  for (guint i = 0; i < QUESTIONS; i++) {
    alone[i] = wait_for (e, ask (dp_engine_answerer (e), i));
    g_assert_true (alone[i]->finish == DP_FINISH_STOP || alone[i]->finish == DP_FINISH_LENGTH);
    g_assert_true (alone[i]->finish != DP_FINISH_LENGTH || alone[i]->tokens->len == 20 + i * 7 % 60);
    g_assert_true (g_utf8_validate (alone[i]->text, -1, NULL));
    stops += alone[i]->finish == DP_FINISH_STOP;
  }
  g_assert_cmpuint (stops, >, 5);
  g_assert_cmpuint (stops, <, QUESTIONS - 5);
  engine_end (e, NULL);
}

/* The point of it all. */
static void
test_batches (void)
{
  static const struct {
    DpEngineOptions o;
    gboolean tight;
  } cases[] = {
    { { .max_batch = 2 }, FALSE },
    { { .max_batch = 7, .prefill_chunk = 16 }, FALSE },
    { { .max_batch = 32 }, FALSE },
    { { .max_batch = 32, .prefill_chunk = 1, .page_size = 4 }, FALSE },
    { { .max_batch = 16, .prefill_chunk = 3, .page_size = 1 }, FALSE },
    { { .max_batch = 32, .prefill_chunk = 37, .page_size = 5 }, FALSE },
    { { .max_batch = 32, .page_size = 16, .kv_pages = 1 + 25, .max_len = 400 }, TRUE },
    { { .max_batch = 8, .page_size = 4, .kv_pages = 1 + 100, .max_len = 400 }, TRUE },
    { { .max_batch = 32, .prefill_chunk = 11, .page_size = 7, .kv_pages = 1 + 58, .max_len = 400 }, TRUE },
  };
  DpModel *m = fake_model_new ();
  DpAnswer *alone[QUESTIONS];

  answers_alone (m, alone);
  for (guint c = 0; c < G_N_ELEMENTS (cases); c++) {
    DpEngine *e = engine_new (m, &cases[c].o);
    gpointer tickets[QUESTIONS];
    DpEngineStats stats;
    guint64 prompts = 0;
    for (guint i = 0; i < QUESTIONS; i++)
      tickets[i] = ask (dp_engine_answerer (e), i);
    for (guint i = QUESTIONS; i-- > 0;) {
      g_autoptr (DpAnswer) answer = wait_for (e, tickets[i]);
      check_same (answer, alone[i]);
      prompts += answer->n_prompt;
    }
    engine_end (e, &stats);
    g_assert_cmpuint (stats.requests, ==, QUESTIONS);
    g_assert_cmpuint (stats.prompt_tokens, ==, prompts);
    g_assert_cmpuint (stats.most_running, <=, cases[c].o.max_batch);
    g_assert_cmpuint (stats.prefix_hits, >=, 9 * (QUESTIONS * 3 / 4)); /* the chat's own words */
    if (cases[c].tight) {
      g_assert_cmpuint (stats.preemptions, >, 0);
      g_assert_cmpuint (stats.replayed, >, 0);
      g_assert_cmpuint (stats.prefilled_tokens + stats.prefix_hits, >, prompts);
    } else {
      g_assert_cmpuint (stats.preemptions, ==, 0);
      g_assert_cmpuint (stats.replayed, ==, 0);
      g_assert_cmpuint (stats.images, ==, QUESTIONS * 3 / 4);
      g_assert_cmpuint (stats.prefilled_tokens + stats.prefix_hits, ==, prompts);
    }
  }
  for (guint i = 0; i < QUESTIONS; i++)
    dp_answer_free (alone[i]);
  fake_model_free (m);
}

/* Of a question that begins as an earlier one did only the rest is computed, and never less than its last row. */
static void
test_prefix (void)
{
  static const struct {
    const char *prompt;
    guint common; /* with one of those before it, after the ten tokens of chat and line ends */
  } cases[] = { { "\nabc", 0 }, { "\nabc", 3 + 1 }, { "\nabdef", 2 }, { "\nabdxy", 3 }, { "\nabdexy", 4 }, { "\nabdexy", 6 + 1 } };
  DpModel *m = fake_model_new ();

  for (guint32 size = 1; size <= 4; size += 3) {
    DpEngine *e = engine_new (m, &(DpEngineOptions){ .page_size = size });
    guint64 hits = 0;
    for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
      DpEngine *fresh = engine_new (m, NULL);
      g_autoptr (DpAnswer) a = wait_for (e, ask_text (e, cases[i].prompt, 0, 20)),
                           b = wait_for (fresh, ask_text (fresh, cases[i].prompt, 0, 20));
      DpEngineStats stats;
      check_same (a, b);
      dp_engine_stats (e, &stats);
      if (size == 1)
        g_assert_cmpuint (stats.prefix_hits - hits, ==, i ? 10 + cases[i].common : 0);
      else
        g_assert_cmpuint (stats.prefix_hits - hits, >=, i ? 8 : 0);
      hits = stats.prefix_hits;
      engine_end (fresh, NULL);
    }
    engine_end (e, NULL);
  }
  fake_model_free (m);
}

/* The same seed draws the same, another one something else. */
static void
test_seeds (void)
{
  DpModel *m = fake_model_new ();
  DpEngine *e = engine_new (m, NULL);
  DpAnswerer *a = dp_engine_answerer (e);
  DpRequest r = { .prompt = "\nA", .max_tokens = 12, .sampling = DP_SAMPLING_GREEDY };
  gpointer tickets[6];
  DpAnswer *answers[6];

  r.sampling.temperature = 0.7f;
  for (guint i = 0; i < 6; i++) {
    r.sampling.seed = i / 2;
    tickets[i] = dp_ask (a, &r);
  }
  for (guint i = 0; i < 6; i++)
    answers[i] = dp_wait (a, tickets[i]);
  for (guint i = 0; i < 6; i += 2)
    check_same (answers[i], answers[i + 1]);
  g_assert_cmpstr (answers[0]->text, !=, answers[2]->text);
  g_assert_cmpstr (answers[2]->text, !=, answers[4]->text);
  for (guint i = 0; i < 6; i++)
    dp_answer_free (answers[i]);
  engine_end (e, NULL);
  fake_model_free (m);
}

/* While one runs, others arrive: smaller numbers first, equal ones in the order of asking. */
static void
test_priorities (void)
{
  static const struct {
    const char *prompt;
    gint priority;
  } cases[] = { { "\nC", 2 }, { "\nE", 7 }, { "\nA", -1 }, { "\nD", 2 }, { "\nB", 0 } };
  DpModel *m = fake_model_new ();
  DpEngine *e = engine_new (m, &(DpEngineOptions){ .max_batch = 1 });
  gpointer tickets[G_N_ELEMENTS (cases)], first;

  fake_gate (m, TRUE);
  first = ask_text (e, "\nZ", 100, 3);
  fake_await (m);
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    tickets[i] = ask_text (e, cases[i].prompt, cases[i].priority, 3);
  fake_gate (m, FALSE);
  dp_answer_free (wait_for (e, first));
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    dp_answer_free (wait_for (e, tickets[i]));
  g_assert_cmpstr (m->log->str, ==, "ZABCDE");
  engine_end (e, NULL);
  fake_model_free (m);
}

static void
test_cancel (void)
{
  DpModel *m = fake_model_new ();
  DpEngine *e = engine_new (m, &(DpEngineOptions){ .max_batch = 2 });
  gpointer runs, waits, other;
  g_autoptr (DpAnswer) a = NULL, b = NULL, c = NULL, alone = NULL;

  alone = wait_for (e, ask_text (e, "\nOther", 0, 9));
  fake_gate (m, TRUE);
  runs = ask_text (e, "\n@", 0, 300);
  other = ask_text (e, "\nOther", 0, 9);
  waits = ask_text (e, "\nWaits", 0, 300);
  fake_await (m);
  cancel (e, waits);
  cancel (e, waits); /* twice is once */
  cancel (e, runs);
  fake_gate (m, FALSE);
  a = wait_for (e, runs);
  b = wait_for (e, waits);
  c = wait_for (e, other);
  g_assert_true (a->finish == DP_FINISH_CANCELLED && a->text && !a->error && a->tokens->len <= 3);
  g_assert_true (b->finish == DP_FINISH_CANCELLED && b->tokens->len == 0);
  check_same (c, alone);
  engine_end (e, NULL);
  fake_model_free (m);
}

static void
test_stop (void)
{
  DpModel *m = fake_model_new ();
  DpEngine *e = engine_new (m, &(DpEngineOptions){ .max_batch = 2 });
  gpointer tickets[5];

  fake_gate (m, TRUE);
  for (guint i = 0; i < 4; i++)
    tickets[i] = ask_text (e, "\n@", 0, 300);
  fake_await (m);
  dp_engine_stop (e);
  tickets[4] = ask_text (e, "\nToo late", 0, 3);
  fake_gate (m, FALSE);
  for (guint i = 0; i < 5; i++) {
    g_autoptr (DpAnswer) a = wait_for (e, tickets[i]);
    g_assert_true (a->finish == DP_FINISH_CANCELLED && a->text && !a->error);
  }
  engine_end (e, NULL);

  e = engine_new (m, NULL); /* answers that nobody fetches are no leak */
  ask_text (e, "\nA", 0, 3);
  ask_text (e, "\n!", 0, 3);
  dp_engine_free (e);
  fake_model_free (m);
}

/* What goes wrong with one costs that one; in a call that broke, all that were in it. */
static void
test_faults (void)
{
  static const char *const faults[] = { "\n!", "\n?", "\n%" };
  DpModel *m = fake_model_new ();
  DpEngine *e = engine_new (m, &(DpEngineOptions){ .prefill_chunk = 16, .max_batch = 1 });
  g_autoptr (DpAnswer) alone = wait_for (e, ask_text (e, "\nOther", 0, 30));

  for (guint i = 0; i < G_N_ELEMENTS (faults); i++) {
    gpointer bad = ask_text (e, faults[i], 0, 30), good = ask_text (e, "\nOther", 0, 30);
    g_autoptr (DpAnswer) a = wait_for (e, bad), b = wait_for (e, good);
    g_assert_true (a->finish == DP_FINISH_FAILED && a->error && !a->text);
    g_assert_cmpuint (a->tokens->len, ==, i == 2 ? 3 : 0); /* what it had said before is there for reports */
    check_same (b, alone);
  }
  engine_end (e, NULL);
  fake_model_free (m);
}

static void
test_pictures (void)
{
  DpModel *m = fake_model_new ();
  DpEngine *e = engine_new (m, NULL);
  DpAnswerer *a = dp_engine_answerer (e);
  cairo_surface_t *wrong[] = { picture (1, 3, 900), picture (0, 40, 40), cairo_image_surface_create (CAIRO_FORMAT_A8, 9, 9),
                               cairo_image_surface_create (CAIRO_FORMAT_RGB24, -1, 9) };
  gpointer tickets[G_N_ELEMENTS (wrong)], good = ask (a, 1);

  for (guint i = 0; i < G_N_ELEMENTS (wrong); i++) {
    tickets[i] = dp_ask (a, &(DpRequest){ .prompt = "\nA", .image = wrong[i], .sampling = DP_SAMPLING_GREEDY, .max_tokens = 5 });
    cairo_surface_destroy (wrong[i]);
  }
  for (guint i = 0; i < G_N_ELEMENTS (wrong); i++) {
    g_autoptr (DpAnswer) answer = dp_wait (a, tickets[i]);
    g_assert_true (answer->finish == DP_FINISH_FAILED && answer->error && answer->error->message[0]);
  }
  g_autoptr (DpAnswer) answer = dp_wait (a, good);
  g_assert_true (answer->finish != DP_FINISH_FAILED);
  engine_end (e, NULL);
  fake_model_free (m);
}

static void
test_refused (void)
{
  const DpSampling greedy = DP_SAMPLING_GREEDY;
  DpModel *m = fake_model_new ();
  DpEngine *e = engine_new (m, NULL);
  DpAnswerer *a = dp_engine_answerer (e);
  g_autofree char *endless = g_strnfill (500, 'x');
  DpRequest wrong[]
      = { { .prompt = "\xff", .sampling = greedy }, { .prompt = endless, .sampling = greedy }, { .prompt = "x" },
          { .prompt = "x", .sampling = greedy },    { .prompt = "x", .sampling = greedy },     { .prompt = "x", .sampling = greedy },
          { .prompt = NULL, .sampling = greedy } };

  wrong[3].sampling.temperature = NAN;
  wrong[4].sampling.top_p = 1.5f;
  wrong[5].sampling.frequency = INFINITY;
  for (guint i = 0; i < G_N_ELEMENTS (wrong); i++) {
    g_autoptr (DpAnswer) answer = dp_wait (a, dp_ask (a, &wrong[i]));
    g_assert_true (answer->finish == DP_FINISH_FAILED && answer->error);
    g_assert_true (answer->error->domain == DP_VLM_ERROR && answer->error->code == DP_VLM_ERROR_INPUT);
  }
  engine_end (e, NULL);
  fake_model_free (m);
}

static void
test_loop (void)
{
  DpModel *m = fake_model_new ();
  DpEngine *e = engine_new (m, NULL);
  DpAnswerer *a = dp_engine_answerer (e);
  DpRequest r = { .prompt = "\n@", .sampling = DP_SAMPLING_GREEDY, .loop_guard = TRUE };
  g_autoptr (DpAnswer) guarded = dp_wait (a, dp_ask (a, &r)), free = NULL;

  g_assert_cmpint (guarded->finish, ==, DP_FINISH_LOOP);
  g_assert_cmpuint (guarded->tokens->len, <=, 6); /* the first token is not part of it */
  g_assert_cmpuint (strlen (guarded->text), >=, 5);
  g_assert_nonnull (strstr ("abcdeabcde", guarded->text + strlen (guarded->text) - 5));
  r.loop_guard = FALSE;
  free = dp_wait (a, dp_ask (a, &r));
  g_assert_cmpint (free->finish, ==, DP_FINISH_LENGTH);
  g_assert_cmpuint (free->tokens->len, ==, 400 - free->n_prompt);      /* to the end of the model's positions */
  g_assert_cmpfloat_with_epsilon (free->confidence, 0.904837f, 0.01f); /* exp (-0.1), but for the first */
  engine_end (e, NULL);
  fake_model_free (m);
}

static void
test_budget (void)
{
  DpModel *m = fake_model_new ();
  g_autoptr (GError) error = NULL, other = NULL;
  DpEngine *e = dp_engine_new (m, &(DpEngineOptions){ .memory_budget = 20000 }, &error);
  DpAnswerer *a;
  DpDeviceInfo info;
  cairo_surface_t *large = picture (3, 64, 64), *small = picture (3, 20, 20);

  g_assert_null (e);
  g_assert_error (error, DP_VLM_ERROR, DP_VLM_ERROR_INPUT);
  g_assert_nonnull (strstr (error->message, "--memory-budget"));

  /* half of the budget is for a picture at most: of 1,024 patches, too little */
  e = engine_new (m, &(DpEngineOptions){ .memory_budget = 150000, .max_batch = 2, .prefill_chunk = 16 });
  g_assert_cmpuint (e->vision_budget, <=, 150000 / 2);
  g_assert_cmpuint (e->stats.kv_bytes + e->vision_budget + e->vision_keep, <=, 150000);
  g_assert_cmpuint (e->o.kv_pages, >=, 3);
  dp_backend_info (dp_model_backend (m), &info);
  g_assert_cmpuint (info.kv_page_size, >, 0);
  g_assert_cmpuint (e->o.page_size, ==, info.kv_page_size);
  a = dp_engine_answerer (e);
  g_autoptr (DpAnswer) refused = dp_wait (a, dp_ask (a, &(DpRequest){ .prompt = "\nA", .image = large, .sampling = DP_SAMPLING_GREEDY }));
  g_assert_true (refused->finish == DP_FINISH_FAILED && strstr (refused->error->message, "--memory-budget"));
  g_assert_true (dp_engine_can_see (e, 20, 20, NULL));
  g_assert_false (dp_engine_can_see (e, 64, 64, &other));
  g_assert_cmpstr (other->message, ==, refused->error->message);
  g_autoptr (DpAnswer) good
      = dp_wait (a, dp_ask (a, &(DpRequest){ .prompt = "\nA", .image = small, .max_tokens = 2, .sampling = DP_SAMPLING_GREEDY }));
  g_assert_true (good->finish != DP_FINISH_FAILED);
  cairo_surface_destroy (large);
  cairo_surface_destroy (small);
  engine_end (e, NULL);
  fake_model_free (m);
}

/* ---- from several threads, and for long ---- */

enum { ASKERS = 4, EACH = 25 };

typedef struct {
  DpEngine *engine;
  guint first;
  DpAnswer **alone;
} Asker;

/* Some are taken back at once; what is not, or too late, is answered as ever. */
static gpointer
ask_many (gpointer data)
{
  const Asker *asker = data;
  gpointer tickets[EACH];

  for (guint i = 0; i < EACH; i++) {
    tickets[i] = ask (dp_engine_answerer (asker->engine), asker->first + i);
    if (i % 7 == 3)
      cancel (asker->engine, tickets[i]);
  }
  for (guint i = 0; i < EACH; i++) {
    g_autoptr (DpAnswer) a = wait_for (asker->engine, tickets[i]);
    if (a->finish == DP_FINISH_CANCELLED)
      g_assert_cmpuint (i % 7, ==, 3);
    else
      check_same (a, asker->alone[asker->first + i]);
  }
  return NULL;
}

static void
test_threads (void)
{
  DpModel *m = fake_model_new ();
  DpEngine *one = engine_new (m, &(DpEngineOptions){ .max_batch = 1 }), *e;
  DpAnswer *alone[ASKERS * EACH];
  Asker askers[ASKERS];
  pthread_t threads[ASKERS];
  DpEngineStats stats;

  for (guint i = 0; i < ASKERS * EACH; i++)
    alone[i] = wait_for (one, ask (dp_engine_answerer (one), i));
  engine_end (one, NULL);
  e = engine_new (m, &(DpEngineOptions){ .page_size = 4, .kv_pages = 1 + 100, .max_len = 400 });
  for (guint i = 0; i < ASKERS; i++) {
    askers[i] = (Asker){ e, i * EACH, alone };
    g_assert_cmpint (pthread_create (&threads[i], NULL, ask_many, &askers[i]), ==, 0);
  }
  for (guint i = 0; i < ASKERS; i++)
    pthread_join (threads[i], NULL);
  engine_end (e, &stats);
  g_assert_cmpuint (stats.requests, ==, ASKERS * EACH);
  g_assert_cmpuint (stats.preemptions, >, 0);
  for (guint i = 0; i < ASKERS * EACH; i++)
    dp_answer_free (alone[i]);
  fake_model_free (m);
}

static gsize
in_use (void)
{
  return mallinfo2 ().uordblks + mallinfo2 ().hblkhd;
}

static void
test_flat_memory (void)
{
  DpModel *m = fake_model_new ();
  DpEngine *e = engine_new (m, &(DpEngineOptions){ .kv_pages = 1 + 60, .max_len = 400, .max_batch = 8 });
  gsize before = 0, after;

  for (guint i = 0; i < 2000; i += 8) {
    gpointer tickets[8];
    for (guint k = 0; k < 8; k++)
      tickets[k] = ask (dp_engine_answerer (e), 4 * (i + k) % 400);
    for (guint k = 0; k < 8; k++)
      dp_answer_free (wait_for (e, tickets[k]));
    g_string_truncate (m->log, 0);
    if (i == 400)
      before = in_use ();
  }
  after = in_use ();
  g_assert_cmpuint (after, <, before + 65536);
  engine_end (e, NULL);
  fake_model_free (m);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/engine/batches", test_batches);
  g_test_add_func ("/engine/prefix", test_prefix);
  g_test_add_func ("/engine/seeds", test_seeds);
  g_test_add_func ("/engine/priorities", test_priorities);
  g_test_add_func ("/engine/cancel", test_cancel);
  g_test_add_func ("/engine/stop", test_stop);
  g_test_add_func ("/engine/faults", test_faults);
  g_test_add_func ("/engine/pictures", test_pictures);
  g_test_add_func ("/engine/refused", test_refused);
  g_test_add_func ("/engine/loop", test_loop);
  g_test_add_func ("/engine/budget", test_budget);
  g_test_add_func ("/engine/threads", test_threads);
  g_test_add_func ("/engine/flat-memory", test_flat_memory);
  return g_test_run ();
}
