/* DOCPARSE_TRACE: valid JSON that says what ran, in both modes. */
#include "ops/graph.h"

#include <cjson/cJSON.h>
#include <glib/gstdio.h>

static void
body (DpStream *s, gpointer data)
{
  DpBuffer *b = data;
  dp_gelu (s, &(DpGeluArgs){ .x = dp_tensor (b, 0, DP_F32, 4, 8), .y = dp_tensor (b, 128, DP_F32, 4, 8) });
}

static double
number (const cJSON *event, const char *key)
{
  const cJSON *item = cJSON_GetObjectItem (event, key);
  g_assert_true (cJSON_IsNumber (item));
  return item->valuedouble;
}

static void
test_trace (void)
{
  g_autofree char *path = g_build_filename (g_get_tmp_dir (), "docparse-trace-XXXXXX", NULL);
  int fd = g_mkstemp (path);
  g_assert_cmpint (fd, >=, 0);
  g_close (fd, NULL);
  g_setenv ("DOCPARSE_TRACE", path, TRUE);
  DpBackend *backend = dp_backend_open ("reference", NULL, NULL), *second = dp_backend_open ("reference", NULL, NULL);
  g_unsetenv ("DOCPARSE_TRACE");
  DpStream *stream = dp_stream_new (backend, NULL);
  DpBuffer *b = dp_buffer_new (backend, 256, NULL);
  float weights[24] = { 0 };
  const DpWeightSource source = {
    .uses = DP_USE_LINEAR, .n = 1, .rows = 3, .cols = 8, .type = DP_F32, .hold = DP_F32, .data = weights, .data_size = sizeof weights
  };
  DpWeight *w = dp_weight_new (backend, &source, NULL);
  body (stream, b);
  dp_linear (stream, &(DpLinearArgs){ .x = dp_tensor (b, 0, DP_F32, 2, 8), .weight = w, .y = dp_tensor (b, 128, DP_F32, 2, 3) });
  DpGraph *graph = dp_graph_capture (backend, body, b, NULL);
  dp_graph_replay (stream, graph, NULL);
  g_assert_true (dp_stream_sync (stream, NULL));
  dp_graph_free (graph);
  dp_weight_free (w);
  dp_buffer_free (b);
  dp_stream_free (stream);
  dp_backend_close (backend);
  dp_backend_close (second); /* the last one closes the file */

  g_autofree char *text = NULL;
  g_assert_true (g_file_get_contents (path, &text, NULL, NULL));
  cJSON *events = cJSON_Parse (text);
  g_assert_true (cJSON_IsArray (events));
  g_assert_cmpint (cJSON_GetArraySize (events), ==, 3);
  const cJSON *linear = cJSON_GetArrayItem (events, 1), *args = cJSON_GetObjectItem (linear, "args");
  g_assert_cmpstr (cJSON_GetObjectItem (linear, "name")->valuestring, ==, "linear");
  g_assert_cmpstr (cJSON_GetObjectItem (linear, "cat")->valuestring, ==, "reference");
  g_assert_cmpstr (cJSON_GetObjectItem (linear, "ph")->valuestring, ==, "X");
  g_assert_cmpstr (cJSON_GetObjectItem (args, "shapes")->valuestring, ==, "x [2, 8] f32, weight [3, 8] f32, y [2, 3] f32");
  g_assert_cmpfloat (number (args, "flop"), ==, 2 * 2 * 3 * 8);
  g_assert_cmpfloat (number (args, "bytes"), ==, 4 * (16 + 24 + 6));
  g_assert_cmpfloat (number (linear, "dur"), >=, 0);
  g_assert_cmpfloat (number (cJSON_GetArrayItem (events, 2), "ts"), >=, number (linear, "ts") + number (linear, "dur"));
  const cJSON *first = cJSON_GetObjectItem (cJSON_GetArrayItem (events, 0), "args"),
              *last = cJSON_GetObjectItem (cJSON_GetArrayItem (events, 2), "args");
  g_assert_cmpstr (cJSON_GetObjectItem (first, "mode")->valuestring, ==, "eager");
  g_assert_cmpstr (cJSON_GetObjectItem (last, "mode")->valuestring, ==, "graph");
  cJSON_Delete (events);
  g_unlink (path);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/trace/events", test_trace);
  return g_test_run ();
}
