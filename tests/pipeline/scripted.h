/* tests/pipeline/scripted.h - somebody who answers a model's questions from a script.
 *
 * A script is an array with one object per page: "layout" is the answer to the page's layout question, "text", "table", "formula",
 * "image" are arrays whose answers are given in the order of asking, "merge" answers questions about table rows.  A question that the
 * script has no answer for fails.  An answer that is an object {"text", "finish", "confidence"} ends as it says ("loop", "length", "failed").
 * With a gate, questions have to come together or the test fails.
 */
#pragma once

#include "vlm/engine.h"
#include "vlm/protocols/mineru.h"

#include <cjson/cJSON.h>
#include <string.h>

typedef struct {
  DpAnswerer answerer;
  cJSON *script;
  GMutex lock;
  GHashTable *asked; /* "page/question" -> how often */
  GPtrArray *log;    /* char *: "3 layout", in the order of asking */
  GCond asked_more;
  guint gate; /* no answer comes before so many questions are asked */
  guint waiting, most_waiting;
  gsize pixels, most_pixels; /* of pictures that wait */
} Scripted;

typedef struct {
  DpAnswer *answer;
  gsize pixels;
} ScriptedTicket;

static inline DpMineruQuestion
scripted_question (const DpRequest *request)
{
  for (guint q = 0; q < DP_MINERU_ASK_MERGE; q++) {
    DpRequest known = { 0 };
    dp_mineru_fill_request ((DpMineruQuestion) q, &known);
    if (g_str_equal (known.prompt, request->prompt))
      return (DpMineruQuestion) q;
  }
  g_assert_true (g_str_has_prefix (request->prompt, "Please merge"));
  g_assert_null (request->image);
  return DP_MINERU_ASK_MERGE;
}

static inline DpAnswer *
scripted_answer (const cJSON *item)
{
  DpAnswer *answer = g_new0 (DpAnswer, 1);
  const cJSON *text = cJSON_IsObject (item) ? cJSON_GetObjectItem (item, "text") : item;
  const cJSON *finish = cJSON_IsObject (item) ? cJSON_GetObjectItem (item, "finish") : NULL,
              *confidence = cJSON_IsObject (item) ? cJSON_GetObjectItem (item, "confidence") : NULL;

  answer->tokens = g_array_new (FALSE, FALSE, sizeof (guint32));
  answer->confidence = confidence ? (float) confidence->valuedouble : 0.9f;
  answer->finish = !finish                                          ? DP_FINISH_STOP
                   : g_str_equal (finish->valuestring, "loop")      ? DP_FINISH_LOOP
                   : g_str_equal (finish->valuestring, "length")    ? DP_FINISH_LENGTH
                   : g_str_equal (finish->valuestring, "cancelled") ? DP_FINISH_CANCELLED
                                                                    : DP_FINISH_FAILED;
  if (!cJSON_IsString (text))
    answer->finish = DP_FINISH_FAILED;
  if (answer->finish == DP_FINISH_FAILED)
    answer->error = g_error_new_literal (g_quark_from_static_string ("scripted"), 0, "the script has no answer");
  else
    answer->text = g_strdup (text->valuestring);
  return answer;
}

static inline gpointer
scripted_ask (DpAnswerer *self, const DpRequest *request)
{
  Scripted *s = (Scripted *) (gpointer) self;
  const DpMineruQuestion question = scripted_question (request);
  const char *name = question == DP_MINERU_ASK_MERGE ? "merge" : dp_mineru_question_name (question);
  g_autofree char *key = g_strdup_printf ("%d %s", request->priority, name);
  ScriptedTicket *ticket = g_new0 (ScriptedTicket, 1);

  g_mutex_lock (&s->lock);
  const guint n = GPOINTER_TO_UINT (g_hash_table_lookup (s->asked, key));
  g_hash_table_insert (s->asked, g_strdup (key), GUINT_TO_POINTER (n + 1));
  const cJSON *page = cJSON_GetArrayItem (s->script, request->priority), *given = page ? cJSON_GetObjectItem (page, name) : NULL;
  ticket->answer = scripted_answer (cJSON_IsArray (given) ? cJSON_GetArrayItem (given, (int) n) : given);
  if (request->image)
    ticket->pixels = (gsize) cairo_image_surface_get_width (request->image) * (gsize) cairo_image_surface_get_height (request->image);
  s->pixels += ticket->pixels;
  s->most_pixels = MAX (s->most_pixels, s->pixels);
  s->waiting++;
  s->most_waiting = MAX (s->most_waiting, s->waiting);
  g_ptr_array_add (s->log, g_steal_pointer (&key));
  g_cond_broadcast (&s->asked_more);
  g_mutex_unlock (&s->lock);
  return ticket;
}

static inline DpAnswer *
scripted_wait (DpAnswerer *self, gpointer data)
{
  Scripted *s = (Scripted *) (gpointer) self;
  g_autofree ScriptedTicket *ticket = data;
  const gint64 patience = g_get_monotonic_time () + 120 * G_TIME_SPAN_SECOND;

  g_mutex_lock (&s->lock);
  while (s->log->len < s->gate)
    if (!g_cond_wait_until (&s->asked_more, &s->lock, patience))
      g_error ("%u questions were asked and nobody asks more, though %u should be on their way together", s->log->len, s->gate);
  s->waiting--;
  s->pixels -= ticket->pixels;
  g_mutex_unlock (&s->lock);
  return ticket->answer;
}

/* Takes script. */
static inline Scripted *
scripted_new (cJSON *script)
{
  Scripted *s = g_new0 (Scripted, 1);

  g_assert_nonnull (script);
  s->answerer = (DpAnswerer){ .ask = scripted_ask, .wait = scripted_wait, .digest = "scripted" };
  s->script = script;
  g_mutex_init (&s->lock);
  g_cond_init (&s->asked_more);
  s->asked = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  s->log = g_ptr_array_new_with_free_func (g_free);
  return s;
}

static inline void
scripted_free (Scripted *s)
{
  g_assert_cmpuint (s->waiting, ==, 0); /* every question was waited for */
  cJSON_Delete (s->script);
  g_hash_table_unref (s->asked);
  g_ptr_array_unref (s->log);
  g_mutex_clear (&s->lock);
  g_cond_clear (&s->asked_more);
  g_free (s);
}

static inline guint
scripted_asked (const Scripted *s, guint page, const char *question)
{
  g_autofree char *key = g_strdup_printf ("%u %s", page, question);

  return GPOINTER_TO_UINT (g_hash_table_lookup (s->asked, key));
}
