/* tests/vlm/test_nano.c - the built-in line reader: the texts and logits of PyTorch on the pictures of
 * tests/fixtures/vlm/nano.pgm (made by tests/vlm/nano_parity.py), and the same text in every mode, batch and back end. */
#include "tests/vlm/line_pictures.h"
#include "vlm/family_nano.h"
#include "vlm/json.h"
#include "vlm/line_crop.h"

#include <glib/gstdio.h>
#include <string.h>

static GArray *lines; /* DpLineCrop */
static cJSON *expected;

static const char *
expected_text (guint i)
{
  const char *text = NULL;

  g_assert_true (dp_json_get_string (cJSON_GetArrayItem (dp_json_get (expected, "lines"), (int) i), "text", &text, NULL));
  return text;
}

static DpLineReader *
reader_new (const DpLineReaderOptions *options)
{
  GError *error = NULL;
  DpLineReader *reader = dp_line_reader_new (options, &error);

  g_assert_no_error (error);
  return reader;
}

static DpLineResult *
read_crops (DpLineReader *reader, const DpLineCrop *crops, guint n)
{
  GError *error = NULL;
  DpLineResult *results = g_new0 (DpLineResult, n);
  const gboolean good = dp_line_reader_read (reader, crops, n, results, &error);

  g_assert_no_error (error);
  g_assert_true (good);
  return results;
}

static void
free_results (DpLineResult *results, guint n)
{
  for (guint i = 0; i < n; i++)
    dp_line_result_clear (&results[i]);
  g_free (results);
}

static void
assert_same (const DpLineResult *a, const DpLineResult *b)
{
  g_assert_cmpstr (a->text, ==, b->text);
  g_assert_cmpfloat (a->confidence, ==, b->confidence);
  g_assert_cmpint (a->doubtful, ==, b->doubtful);
  g_assert_cmpuint (a->n_chars, ==, b->n_chars);
  g_assert_cmpmem (a->chars, a->n_chars * sizeof *a->chars, b->chars, b->n_chars * sizeof *b->chars);
}

/* The lines, and noise of several widths, on which the decoder says things that the draft does not. */
static GArray *
lines_and_noise (void)
{
  g_autoptr (GRand) r = g_rand_new_with_seed (7);
  GArray *crops = g_array_new (FALSE, FALSE, sizeof (DpLineCrop));

  g_array_set_clear_func (crops, line_picture_clear);
  for (guint i = 0; i < lines->len; i++) {
    DpLineCrop crop = g_array_index (lines, DpLineCrop, i);
    crop.pixels = g_memdup2 (crop.pixels, (gsize) crop.width * crop.height);
    g_array_append_val (crops, crop);
  }
  for (guint i = 0; i < 12; i++) {
    const guint32 width = (guint32) g_rand_int_range (r, 9, 300), height = i % 2 ? 32 : (guint32) g_rand_int_range (r, 12, 70);
    const DpLineCrop *from = &g_array_index (lines, DpLineCrop, i % lines->len);
    guint8 *pixels = g_new (guint8, (gsize) width * height);
    for (guint32 y = 0; y < height; y++)
      for (guint32 x = 0; x < width; x++)
        pixels[(gsize) y * width + x] = g_rand_int_range (r, 0, 3) ? from->pixels[(gsize) (y * 31 / height) * from->width + x % from->width]
                                                                   : (guint8) g_rand_int_range (r, 0, 256);
    const DpLineCrop crop = { pixels, width, height, width };
    g_array_append_val (crops, crop);
  }
  return crops;
}

static void
test_texts (void)
{
  g_autoptr (DpLineReader) reader = reader_new (NULL);
  DpLineResult *results = read_crops (reader, (const DpLineCrop *) (gpointer) lines->data, lines->len);
  DpLineCounts counts;

  g_assert_cmpint (cJSON_GetArraySize (dp_json_get (expected, "lines")), ==, (int) lines->len);
  g_assert_cmpuint (lines->len, >=, 8);
  for (guint i = 0; i < lines->len; i++)
    g_assert_cmpstr (results[i].text, ==, expected_text (i));
  dp_line_reader_counts (reader, &counts);
  g_assert_cmpuint (counts.lines, ==, lines->len);
  g_assert_cmpuint (counts.accepted, >=, lines->len / 2);
  dp_line_reader_counts (reader, &counts);
  g_assert_cmpuint (counts.lines, ==, 0);
  free_results (results, lines->len);
}

/* The largest logit of the first frames of each line. */
static void
test_logits (void)
{
  GError *error = NULL;
  g_autoptr (DpBackend) backend = dp_backend_open ("cpu", NULL, &error);
  g_autoptr (DpStream) stream = dp_stream_new (backend, &error);
  g_autoptr (DpNano) nano = dp_nano_load (backend, g_getenv ("DOCPARSE_NANO_DIR"), &error);

  g_assert_no_error (error);
  for (guint i = 0; i < lines->len; i++) {
    const cJSON *peak = dp_json_get (cJSON_GetArrayItem (dp_json_get (expected, "lines"), (int) i), "peak");
    DpLinePicture picture;
    g_assert_true (
        dp_line_pictures (stream, &g_array_index (lines, DpLineCrop, i), 1, nano->config.column_multiple, DP_NANO_COLUMNS, &picture, NULL));
    g_autofree guint16 *pixels = g_new (guint16, (gsize) picture.width * DP_NANO_HEIGHT);
    dp_line_picture_append (&picture, pixels);
    DpNanoEncoded e = dp_nano_encode (stream, nano, &(DpNanoLines){ .n = 1, .widths = &picture.width }, pixels);
    g_assert_cmpuint (e.n_frames, ==, dp_nano_frames (&nano->config, picture.width));
    g_autofree float *logits = g_malloc (dp_tensor_bytes (&e.logits));
    dp_stream_download (stream, logits, &e.logits, dp_tensor_bytes (&e.logits));
    dp_stream_sync (stream, &error);
    g_assert_no_error (error);
    g_assert_cmpint (cJSON_GetArraySize (peak), >=, 4);
    for (int f = 0; f < cJSON_GetArraySize (peak); f++) {
      float best = -1e9f;
      for (guint32 v = 0; v < nano->config.vocabulary; v++)
        best = MAX (best, logits[(gsize) f * nano->config.vocabulary + v]);
      g_assert_cmpfloat_with_epsilon (best, cJSON_GetArrayItem (peak, f)->valuedouble, 0.5);
    }
    dp_line_picture_clear (&picture);
  }
}

static void
test_modes (void)
{
  static const DpLineReaderOptions ways[] = {
    { .mode = DP_LINE_PLAIN },
    { .mode = DP_LINE_PLAIN, .eager = TRUE },
    { .mode = DP_LINE_VERIFIED, .n_threads = 1 },
    { .mode = DP_LINE_VERIFIED, .n_threads = 3, .eager = TRUE },
  };
  g_autoptr (GArray) crops = lines_and_noise ();
  g_autoptr (DpLineReader) reader = reader_new (NULL);
  DpLineResult *results = read_crops (reader, (const DpLineCrop *) (gpointer) crops->data, crops->len);

  for (guint w = 0; w < G_N_ELEMENTS (ways); w++) {
    g_autoptr (DpLineReader) other = reader_new (&ways[w]);
    DpLineResult *others = read_crops (other, (const DpLineCrop *) (gpointer) crops->data, crops->len);
    for (guint i = 0; i < crops->len; i++)
      assert_same (&results[i], &others[i]);
    free_results (others, crops->len);
  }
  free_results (results, crops->len);
}

/* A line says the same alone, in a batch, and in one of many batches. */
static void
test_batches (void)
{
  g_autoptr (GArray) crops = lines_and_noise ();
  g_autoptr (DpLineReader) reader = reader_new (NULL);
  DpLineResult *results = read_crops (reader, (const DpLineCrop *) (gpointer) crops->data, crops->len);
  g_autoptr (GArray) many = g_array_new (FALSE, FALSE, sizeof (DpLineCrop));

  for (guint i = 0; i < crops->len; i += 3) {
    DpLineResult *alone = read_crops (reader, &g_array_index (crops, DpLineCrop, i), 1);
    assert_same (&results[i], alone);
    free_results (alone, 1);
  }
  for (guint i = 0; i < 150; i++)
    g_array_append_val (many, g_array_index (crops, DpLineCrop, i % 8));
  DpLineResult *others = read_crops (reader, (const DpLineCrop *) (gpointer) many->data, many->len);
  for (guint i = 0; i < many->len; i++)
    assert_same (&results[i % 8], &others[i]);
  free_results (others, many->len);
  free_results (results, crops->len);
}

/* The oracle reads the shortest line, and nothing reads memory that it should not. */
static void
test_reference (void)
{
  guint shortest = 0;

  for (guint i = 1; i < lines->len; i++)
    if (g_array_index (lines, DpLineCrop, i).width < g_array_index (lines, DpLineCrop, shortest).width)
      shortest = i;
  for (guint plain = 0; plain < 2; plain++) {
    g_autoptr (DpLineReader) reader = reader_new (
        &(DpLineReaderOptions){ .device = "reference", .strict_memory = TRUE, .mode = plain ? DP_LINE_PLAIN : DP_LINE_VERIFIED });
    DpLineResult *result = read_crops (reader, &g_array_index (lines, DpLineCrop, shortest), 1);
    g_assert_cmpstr (result->text, ==, expected_text (shortest));
    free_results (result, 1);
  }
}

static void
test_places (void)
{
  g_autoptr (DpLineReader) reader = reader_new (NULL);
  DpLineResult *results = read_crops (reader, (const DpLineCrop *) (gpointer) lines->data, lines->len);

  for (guint i = 0; i < lines->len; i++) {
    const DpLineResult *r = &results[i];
    const float width = (float) g_array_index (lines, DpLineCrop, i).width;
    const char *at = r->text;
    g_assert_cmpint (g_utf8_strlen (r->text, -1), ==, r->n_chars);
    g_assert_cmpfloat (r->confidence, >, 0.3);
    g_assert_cmpfloat (r->confidence, <=, 1);
    for (guint32 j = 0; j < r->n_chars; j++, at = g_utf8_next_char (at)) {
      g_assert_cmpuint (r->chars[j].offset, ==, at - r->text);
      g_assert_cmpfloat (r->chars[j].confidence, >, 0);
      g_assert_cmpfloat (r->chars[j].x0, >=, j ? r->chars[j - 1].x1 - 1e-3f : 0);
      g_assert_cmpfloat (r->chars[j].x1, >=, r->chars[j].x0);
      g_assert_cmpfloat (r->chars[j].x1, <=, width);
    }
    if (r->n_chars == 0)
      continue;
    /* the characters fill the picture but for its margins */
    g_assert_cmpfloat (r->chars[0].x0, <, 48);
    g_assert_cmpfloat (r->chars[r->n_chars - 1].x1, >, width - 64);
  }
  free_results (results, lines->len);
}

/* Twice and three times as large, in rows with gaps between them: the same text for nearly all. */
static void
test_scaled (void)
{
  g_autoptr (DpLineReader) reader = reader_new (NULL);
  guint same = 0;

  for (guint i = 0; i < lines->len; i++) {
    const DpLineCrop *line = &g_array_index (lines, DpLineCrop, i);
    const guint32 by = 2 + i % 2, stride = line->width * by + 13;
    g_autofree guint8 *pixels = g_malloc0 ((gsize) stride * line->height * by);
    for (guint32 y = 0; y < line->height * by; y++)
      for (guint32 x = 0; x < line->width * by; x++)
        pixels[(gsize) y * stride + x] = line->pixels[(gsize) (y / by) * line->width + x / by];
    DpLineResult *result = read_crops (reader, &(DpLineCrop){ pixels, line->width * by, line->height * by, stride }, 1);
    same += g_str_equal (result->text, expected_text (i));
    if (result->n_chars)
      g_assert_cmpfloat (result->chars[result->n_chars - 1].x1, >, ((float) line->width - 64) * (float) by);
    free_results (result, 1);
  }
  g_assert_cmpuint (10 * same, >=, 9 * lines->len);
}

static void
test_nothing (void)
{
  g_autoptr (DpLineReader) reader = reader_new (NULL);
  g_autofree guint8 *white = g_malloc (40 * 500), *black = g_malloc0 (40 * 500), *slope = g_malloc (40 * 500);

  memset (white, 255, 40 * 500);
  for (guint i = 0; i < 40 * 500; i++)
    slope[i] = (guint8) (120 + i % 500 / 5);
  const DpLineCrop crops[] = {
    { white, 500, 40, 500 }, { black, 500, 40, 500 },  { slope, 500, 40, 500 },
    { NULL, 500, 40, 500 },  { white, 0, 40, 500 },    { white, 500, 0, 500 },
    { white, 500, 40, 499 }, { white, 2400, 1, 2400 }, { white, G_MAXUINT32, G_MAXUINT32, 1 },
    { white, 1, 1, 1 },      { white, 1, 4000, 1 },    { white, 300, 4, 300 },
  };
  DpLineResult *results = read_crops (reader, crops, G_N_ELEMENTS (crops));
  for (guint i = 0; i < G_N_ELEMENTS (crops); i++) {
    g_assert_cmpstr (results[i].text, ==, "");
    g_assert_cmpuint (results[i].n_chars, ==, 0);
  }
  free_results (results, G_N_ELEMENTS (crops));
  g_assert_true (dp_line_reader_read (reader, NULL, 0, NULL, NULL));
}

static void
test_refused (void)
{
  static const struct {
    const char *config, *says;
  } bad[] = {
    { NULL, "config.json cannot be read" },
    { "{\"model_type\": \"docparse-nano\"}", "is missing" },
    { "{\"hidden_size\": -5}", "hidden_size" },
    { "[1, 2", "config.json" },
  };
  g_autofree char *dir = g_dir_make_tmp ("nano-XXXXXX", NULL), *path = g_build_filename (dir, "config.json", NULL);
  GError *error = NULL;

  for (guint i = 0; i < G_N_ELEMENTS (bad); i++) {
    if (bad[i].config)
      g_assert_true (g_file_set_contents (path, bad[i].config, -1, NULL));
    g_assert_null (dp_line_reader_new (&(DpLineReaderOptions){ .weights = dir }, &error));
    g_assert_nonnull (error);
    g_assert_nonnull (strstr (error->message, bad[i].says));
    g_clear_error (&error);
  }
  g_unlink (path);
  g_rmdir (dir);
  g_assert_null (dp_line_reader_new (&(DpLineReaderOptions){ .device = "no such device" }, &error));
  g_assert_nonnull (error);
  g_clear_error (&error);
}

int
main (int argc, char **argv)
{
  g_autofree char *json = NULL;
  GError *error = NULL;
  gsize n;

  g_test_init (&argc, &argv, NULL);
  lines = line_pictures ("tests/fixtures/vlm/nano.pgm", &error);
  g_assert_no_error (error);
  g_assert_true (g_file_get_contents ("tests/fixtures/vlm/nano.json", &json, &n, NULL));
  expected = dp_json_parse ("nano.json", json, n, 1 << 20, 8, &error);
  g_assert_no_error (error);
  g_test_add_func ("/vlm/nano/texts", test_texts);
  g_test_add_func ("/vlm/nano/logits", test_logits);
  g_test_add_func ("/vlm/nano/modes", test_modes);
  g_test_add_func ("/vlm/nano/batches", test_batches);
  g_test_add_func ("/vlm/nano/reference", test_reference);
  g_test_add_func ("/vlm/nano/places", test_places);
  g_test_add_func ("/vlm/nano/scaled", test_scaled);
  g_test_add_func ("/vlm/nano/nothing", test_nothing);
  g_test_add_func ("/vlm/nano/refused", test_refused);
  int rc = g_test_run ();
  g_array_unref (lines);
  cJSON_Delete (expected);
  return rc;
}
