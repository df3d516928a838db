/* Whole conversations with the tiny networks, against transformers: from a picture's pixels and a question to tokens and the end
 * of the turn, through resize, patches, vision encoder, chat text, tokenizer, positions, cache, steps.  Tokens are the same,
 * alone and together (tests/fixtures/vlm/conversations.py). */
#include "tests/vlm/golden.h"
#include "tests/vlm/picture.h"
#include "vlm/engine.h"

enum { MOST = 16 };

static gpointer
ask (DpAnswerer *a, const cJSON *c)
{
  const cJSON *image = golden_get (c, "image"), *repetition = cJSON_GetObjectItemCaseSensitive (c, "repetition_penalty");
  DpRequest r = { .prompt = golden_string (c, "question"), .max_tokens = (guint32) golden_int (c, "most"), .sampling = DP_SAMPLING_GREEDY };

  if (repetition)
    r.sampling.repetition = (float) repetition->valuedouble;
  if (cJSON_IsArray (image))
    r.image = picture (cJSON_GetArrayItem (image, 1)->valueint, cJSON_GetArrayItem (image, 2)->valueint,
                       cJSON_GetArrayItem (image, 0)->valuestring);
  gpointer ticket = dp_ask (a, &r);
  g_clear_pointer (&r.image, cairo_surface_destroy);
  return ticket;
}

static void
check (DpAnswerer *a, gpointer ticket, const cJSON *c, const DpTokenizer *tokenizer)
{
  g_autoptr (DpAnswer) answer = dp_wait (a, ticket);
  const cJSON *wanted = golden_get (c, "answer"), *item;
  g_autofree char *text = NULL;
  guint i = 0;

  g_assert_no_error (answer->error);
  g_assert_cmpuint (answer->n_prompt, ==, (guint) golden_int (c, "n_prompt"));
  g_assert_cmpuint (answer->tokens->len, ==, (guint) cJSON_GetArraySize (wanted));
  cJSON_ArrayForEach (item, wanted) g_assert_cmpuint (g_array_index (answer->tokens, guint32, i++), ==, (guint32) item->valueint);
  g_assert_cmpint (answer->finish, ==, cJSON_IsTrue (golden_get (c, "stop")) ? DP_FINISH_STOP : DP_FINISH_LENGTH);
  text = dp_tokenizer_decode (tokenizer, (const guint32 *) (gpointer) answer->tokens->data, answer->tokens->len, FALSE);
  g_assert_cmpstr (answer->text, ==, text);
}

static void
test_network (gconstpointer data)
{
  const char *name = data;
  g_autofree char *dir = g_build_filename ("tests/fixtures/vlm/networks", name, NULL);
  cJSON *tree = golden_load ("conversations.json");
  const cJSON *cases = golden_get (tree, name), *c;
  static const char *const devices[] = { "cpu", "reference" };

  for (guint d = 0; d < G_N_ELEMENTS (devices); d++) {
    g_autoptr (GError) error = NULL;
    g_autoptr (DpModel) m
        = dp_model_load (dir, &(DpModelLoad){ .device = devices[d], .threads = 1, .weights = DP_F32, .cache_dir = "" }, &error);
    g_assert_no_error (error);
    g_autoptr (DpEngine) e = dp_engine_new (m, NULL, &error);
    g_assert_no_error (error);
    DpAnswerer *a = dp_engine_answerer (e);
    gpointer tickets[MOST];
    guint n = 0;
    cJSON_ArrayForEach (c, cases) check (a, ask (a, c), c, dp_model_tokenizer (m));
    cJSON_ArrayForEach (c, cases)
    {
      g_assert_cmpuint (n, <, MOST);
      tickets[n++] = ask (a, c);
    }
    n = 0;
    cJSON_ArrayForEach (c, cases) check (a, tickets[n++], c, dp_model_tokenizer (m));
    g_assert_cmpuint (n, >=, 7);
  }
  cJSON_Delete (tree);
}

int
main (int argc, char **argv)
{
  static const char *const names[] = { "nested", "flat", "untied", "windows" };

  g_test_init (&argc, &argv, NULL);
  for (guint i = 0; i < G_N_ELEMENTS (names); i++) {
    g_autofree char *path = g_strdup_printf ("/conversation/%s", names[i]);
    g_test_add_data_func (path, names[i], test_network);
  }
  return g_test_run ();
}
