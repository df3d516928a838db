/* MinerU2.5's questions and answers against mineru-vl-utils (tests/fixtures/vlm/mineru.py). */
#include "tests/vlm/golden.h"
#include "tests/vlm/picture.h"
#include "vlm/protocols/mineru.h"

static cJSON *tree;

/* Reports every difference, then fails. */
static void
compare (const char *input, const char *got, const char *wanted)
{
  if (g_strcmp0 (got, wanted) == 0)
    return;
  g_test_message ("\n--- input\n%s\n--- gives\n%s\n--- wanted\n%s", input, got ? got : "(null)", wanted ? wanted : "(null)");
  g_test_fail ();
}

static const char *
optional_string (const cJSON *object, const char *key)
{
  const cJSON *item = cJSON_GetObjectItemCaseSensitive (object, key);

  return cJSON_IsString (item) ? item->valuestring : NULL;
}

/* ---- blocks ---- */

static DpMineruBlock *
read_block (const cJSON *b)
{
  const cJSON *angle = golden_get (b, "angle");
  const char *type = golden_string (b, "type");
  double box[4];

  for (int i = 0; i < 4; i++)
    box[i] = cJSON_GetArrayItem (golden_get (b, "bbox"), i)->valuedouble;
  DpMineruBlock *block = dp_mineru_block_new ((DpMineruType) dp_mineru_type_from_name (type, strlen (type)), box,
                                              cJSON_IsNull (angle) ? -1 : angle->valueint);
  block->content = g_strdup (optional_string (b, "content"));
  block->merge_prev = cJSON_IsTrue (cJSON_GetObjectItem (b, "merge_prev"));
  return block;
}

static GPtrArray *
read_blocks (const cJSON *array)
{
  GPtrArray *blocks = g_ptr_array_new_with_free_func ((GDestroyNotify) dp_mineru_block_free);
  const cJSON *b;

  cJSON_ArrayForEach (b, array) g_ptr_array_add (blocks, read_block (b));
  return blocks;
}

/* ---- questions ---- */

static void
test_questions (void)
{
  DpRequest request = { .priority = 7 };

  dp_mineru_fill_request (DP_MINERU_ASK_LAYOUT, &request);
  g_assert_cmpstr (request.prompt, ==, "\nLayout Detection:");
  g_assert_cmpint (request.priority, ==, 7);
  g_assert_cmpfloat (request.sampling.presence, ==, 0);
  g_assert_cmpfloat (request.sampling.repetition, ==, 1);
  g_assert_cmpfloat (request.sampling.temperature, ==, 0);
  g_assert_cmpuint (request.sampling.no_repeat_ngram, ==, 100);
  g_assert_true (request.loop_guard);
  g_assert_cmpuint (request.max_tokens, >=, 4096);
  dp_mineru_fill_request (DP_MINERU_ASK_MERGE, &request);
  g_assert_null (request.prompt);
  g_assert_cmpfloat (dp_mineru_page_dpi (612, 792), ==, 200);
  g_assert_cmpfloat_with_epsilon (dp_mineru_page_dpi (3024, 1000) * 3024 / 72, 3500, 1e-6);
}

static void
check_reading (const cJSON *c, int i, const DpMineruReading *reading)
{
  DpRequest request = { 0 };

  g_assert_cmpuint (reading->block, ==, (guint) cJSON_GetArrayItem (golden_get (c, "indices"), i)->valueint);
  dp_mineru_fill_request (reading->question, &request);
  g_assert_cmpstr (request.prompt, ==, cJSON_GetArrayItem (golden_get (c, "prompts"), i)->valuestring);
  g_assert_cmpfloat (request.sampling.presence, ==, cJSON_GetArrayItem (golden_get (c, "presence"), i)->valuedouble);
  g_assert_cmpfloat_with_epsilon (request.sampling.frequency, cJSON_GetArrayItem (golden_get (c, "frequency"), i)->valuedouble, 1e-7);
}

static void
check_absorbed (const GPtrArray *blocks, const cJSON *wanted)
{
  int n = 0, pictures = 0;

  for (guint i = 0; i < blocks->len; i++) {
    const DpMineruBlock *b = g_ptr_array_index (blocks, i);
    if (b->absorbed)
      g_assert_cmpint ((int) i, ==, cJSON_GetArrayItem (wanted, n++)->valueint);
    pictures += b->pictures ? (int) b->pictures->len : 0;
  }
  g_assert_cmpint (n, ==, cJSON_GetArraySize (wanted));
  g_assert_cmpint (n, ==, pictures);
}

static void
test_selection (void)
{
  const cJSON *c, *type;

  cJSON_ArrayForEach (c, golden_get (tree, "selections"))
  {
    g_autoptr (GPtrArray) blocks = read_blocks (golden_get (c, "before"));
    DpMineruSelection selection = { .image_analysis = cJSON_IsTrue (golden_get (c, "analysis")) };
    cJSON_ArrayForEach (type, golden_get (c, "leave")) selection.leave
        |= 1u << dp_mineru_type_from_name (type->valuestring, strlen (type->valuestring));
    g_autoptr (GArray) readings = dp_mineru_select (blocks, &selection);

    g_assert_cmpint ((int) blocks->len, ==, cJSON_GetArraySize (golden_get (c, "kept")));
    for (guint i = 0; i < blocks->len; i++)
      g_assert_cmpstr (dp_mineru_type_name (((DpMineruBlock *) g_ptr_array_index (blocks, i))->type), ==,
                       cJSON_GetArrayItem (golden_get (c, "kept"), (int) i)->valuestring);
    g_assert_cmpint ((int) readings->len, ==, cJSON_GetArraySize (golden_get (c, "indices")));
    for (guint i = 0; i < readings->len; i++)
      check_reading (c, (int) i, &g_array_index (readings, DpMineruReading, i));
    check_absorbed (blocks, golden_get (c, "absorbed"));
  }
}

/* ---- crops ---- */

static void
test_crops (void)
{
  const cJSON *c;

  cJSON_ArrayForEach (c, golden_get (tree, "crops"))
  {
    cairo_surface_t *page = picture (golden_int (c, "width"), golden_int (c, "height"), "edges");
    g_autoptr (GError) error = NULL;
    const cJSON *wanted = golden_get (c, "crop"), *angle = golden_get (c, "angle");
    double box[4];
    for (int i = 0; i < 4; i++)
      box[i] = cJSON_GetArrayItem (golden_get (c, "bbox"), i)->valuedouble;
    DpMineruBlock *block = dp_mineru_block_new (DP_MINERU_TEXT, box, cJSON_IsNull (angle) ? -1 : angle->valueint);
    cairo_surface_t *crop = dp_mineru_crop (page, block, &error);
    if (cJSON_IsNull (wanted)) {
      g_assert_null (crop);
      g_assert_nonnull (error);
    } else {
      g_assert_no_error (error);
      check_picture (crop, golden_int (wanted, "width"), golden_int (wanted, "height"), golden_string (wanted, "sha256"));
    }
    cairo_surface_destroy (page);
    dp_mineru_block_free (block);
  }
}

static guint32
pixel_at (cairo_surface_t *s, int x, int y)
{
  guint32 v;

  memcpy (&v, cairo_image_surface_get_data (s) + y * cairo_image_surface_get_stride (s) + 4 * x, 4);
  return v & 0xffffff;
}

/* A black picture in a grey table: gone, its place has the grey and a dark code; the same twice. */
static void
test_masks (void)
{
  static const double table_box[4] = { 0.1, 0.1, 0.9, 0.9 }, picture_box[4] = { 0.3, 0.4, 0.7, 0.6 };
  cairo_surface_t *page = cairo_image_surface_create (CAIRO_FORMAT_RGB24, 400, 300), *crops[2];
  cairo_t *cr = cairo_create (page);
  guint dark = 0;

  cairo_set_source_rgb (cr, 0.8, 0.8, 0.8);
  cairo_paint (cr);
  cairo_set_source_rgb (cr, 0, 0, 0);
  cairo_rectangle (cr, 120, 120, 160, 60);
  cairo_fill (cr);
  cairo_destroy (cr);
  for (int k = 0; k < 2; k++) {
    g_autoptr (GPtrArray) blocks = g_ptr_array_new_with_free_func ((GDestroyNotify) dp_mineru_block_free);
    DpMineruSelection selection = { 0 };
    g_ptr_array_add (blocks, dp_mineru_block_new (DP_MINERU_TABLE, table_box, 90));
    g_ptr_array_add (blocks, dp_mineru_block_new (DP_MINERU_IMAGE, picture_box, 0));
    g_autoptr (GArray) readings = dp_mineru_select (blocks, &selection);
    g_assert_cmpuint (readings->len, ==, 1);
    crops[k] = dp_mineru_crop (page, g_ptr_array_index (blocks, 0), NULL);
  }
  g_assert_cmpint (cairo_image_surface_get_width (crops[0]), ==, 240); /* turned */
  g_assert_cmpint (cairo_image_surface_get_height (crops[0]), ==, 320);
  for (int y = 0; y < 320; y++)
    for (int x = 0; x < 240; x++) {
      g_assert_cmphex (pixel_at (crops[0], x, y), ==, pixel_at (crops[1], x, y));
      dark += (pixel_at (crops[0], x, y) & 255) < 100;
    }
  g_assert_cmphex (pixel_at (crops[0], 92, 82), ==, 0xcccccc); /* a corner of the picture that was black */
  g_assert_cmpuint (dark, >, 20);
  g_assert_cmpuint (dark, <, 160 * 60 / 2);
  cairo_surface_destroy (crops[0]);
  cairo_surface_destroy (crops[1]);
  cairo_surface_destroy (page);
}

static void
test_codes_differ (void)
{
  g_autoptr (GPtrArray) blocks = g_ptr_array_new_with_free_func ((GDestroyNotify) dp_mineru_block_free);
  g_autoptr (GHashTable) seen = g_hash_table_new (g_str_hash, g_str_equal);
  DpMineruSelection selection = { 0 };

  for (guint i = 0; i < 500; i++) {
    const double box[4] = { 0.1, 0.1 + i * 0.001, 0.2, 0.1 + (i + 1) * 0.001 }, all[4] = { 0, 0, 1, 1 };
    if (i == 0)
      g_ptr_array_add (blocks, dp_mineru_block_new (DP_MINERU_TABLE, all, 0));
    g_ptr_array_add (blocks, dp_mineru_block_new (DP_MINERU_IMAGE, box, 0));
  }
  g_autoptr (GArray) readings = dp_mineru_select (blocks, &selection);
  const GArray *pictures = ((DpMineruBlock *) g_ptr_array_index (blocks, 0))->pictures;
  for (guint i = 0; i < pictures->len; i++) {
    const DpMineruPicture *p = &g_array_index (pictures, DpMineruPicture, i);
    g_assert_cmpuint (strspn (p->code, "ACDGHKTWXYZ2345678"), ==, 4);
    g_assert_true (g_hash_table_add (seen, (gpointer) p->code));
    g_assert_cmpfloat_with_epsilon (p->box[1], 0.1 + i * 0.001, 1e-9);
  }
  g_assert_cmpuint (g_hash_table_size (seen), ==, 500);
}

/* ---- image analysis ---- */

static void
test_charts (void)
{
  const cJSON *c;
  guint n = 0;

  cJSON_ArrayForEach (c, golden_get (tree, "charts"))
  {
    const char *text = golden_string (c, "text");
    g_autofree char *fixed = dp_mineru_chart (text), *html = dp_mineru_markdown_table (text);
    if (dp_mineru_chart_repeats (text) != cJSON_IsTrue (golden_get (c, "repeats")))
      compare (text, "repeats or not", "the opposite");
    compare (text, fixed, golden_string (c, "fixed"));
    compare (text, html, optional_string (c, "html"));
    n++;
  }
  g_assert_cmpuint (n, >, 250);
}

static void
test_flowcharts (void)
{
  const cJSON *c;
  guint n = 0;

  cJSON_ArrayForEach (c, golden_get (tree, "flowcharts"))
  {
    const char *text = golden_string (c, "text");
    g_autofree char *fixed = dp_mineru_flowchart (text);
    if (dp_mineru_mermaid_repeats (text) != cJSON_IsTrue (golden_get (c, "repeats")))
      compare (text, "repeats or not", "the opposite");
    compare (text, fixed, golden_string (c, "fixed"));
    n++;
  }
  g_assert_cmpuint (n, >, 400);
}

/* ---- whole pages ---- */

static void
compare_block (const DpMineruBlock *b, const cJSON *wanted, const char *input)
{
  const char *content = optional_string (wanted, "content");

  compare (input, dp_mineru_type_name (b->type), golden_string (wanted, "type"));
  compare (input, b->content ? b->content : "", content ? content : "");
  compare (input, b->sub_type, optional_string (wanted, "sub_type"));
}

static void
test_finished (void)
{
  const cJSON *c;

  cJSON_ArrayForEach (c, golden_get (tree, "finished"))
  {
    g_autoptr (GPtrArray) blocks = read_blocks (golden_get (c, "before"));
    const cJSON *after = golden_get (c, "after");
    g_autofree char *input = cJSON_PrintUnformatted (golden_get (c, "before"));
    dp_mineru_finish (blocks);
    g_assert_cmpint ((int) blocks->len, ==, cJSON_GetArraySize (after));
    for (guint i = 0; i < blocks->len; i++)
      compare_block (g_ptr_array_index (blocks, i), cJSON_GetArrayItem (after, (int) i), input);
  }
}

/* The caption is kept even where there is content, for readers of the picture's description. */
static void
test_captions_kept (void)
{
  static const double box[4] = { 0, 0, 1, 1 };
  DpMineruBlock *b = dp_mineru_block_new (DP_MINERU_IMAGE, box, 0);

  dp_mineru_take_analysis (b,
                           "<|class_start|>Chart<|class_end|><|sub_class_start|>Bar<|sub_class_end|><|caption_start|> Sales <|caption_end|>"
                           "<|content_start|>| a | b |\n| --- | --- |\n| 1 | 2 |<|content_end|>");
  g_assert_cmpint (b->type, ==, DP_MINERU_CHART);
  g_assert_cmpstr (b->caption, ==, "Sales");
  g_assert_cmpstr (b->sub_type, ==, "bar");
  g_assert_cmpstr (b->content, ==, "| a | b |\n| --- | --- |\n| 1 | 2 |");
  dp_mineru_block_free (b);
}

static void
test_table_codes (void)
{
  static const double box[4] = { 0, 0, 1, 1 };
  const cJSON *c;

  cJSON_ArrayForEach (c, golden_get (tree, "codes"))
  {
    g_autoptr (GPtrArray) blocks = g_ptr_array_new_with_free_func ((GDestroyNotify) dp_mineru_block_free);
    DpMineruBlock *b = dp_mineru_block_new (DP_MINERU_TABLE, box, 0);
    const DpMineruPicture picture = { .code = "CODE" };
    b->pictures = g_array_new (FALSE, TRUE, sizeof (DpMineruPicture));
    g_array_append_val (b->pictures, picture);
    b->content = g_strdup_printf ("<table>%s</table>", golden_string (c, "html"));
    g_autofree char *wanted = g_strdup_printf ("<table>%s</table>", golden_string (c, "shown"));
    g_ptr_array_add (blocks, b);
    dp_mineru_finish (blocks);
    compare (golden_string (c, "html"), b->content, wanted);
  }
}

/* ---- merges ---- */

static const char **
strings_of (const cJSON *array)
{
  const char **out = g_new0 (const char *, cJSON_GetArraySize (array) + 1);
  const cJSON *s;
  guint n = 0;

  cJSON_ArrayForEach (s, array) out[n++] = s->valuestring;
  return out;
}

static void
test_merges (void)
{
  const cJSON *merges = golden_get (tree, "merges"), *c;

  cJSON_ArrayForEach (c, golden_get (merges, "prompts"))
  {
    g_autofree const char **last = strings_of (golden_get (c, "last")), **first = strings_of (golden_get (c, "first"));
    g_autofree char *prompt = dp_mineru_merge_prompt (last, first, (guint) cJSON_GetArraySize (golden_get (c, "last")));
    compare ("prompt", prompt, golden_string (c, "prompt"));
  }
  cJSON_ArrayForEach (c, golden_get (merges, "answers"))
  {
    const cJSON *wanted = golden_get (c, "flags");
    guint8 flags[8] = { 9, 9, 9, 9, 9, 9, 9, 9 };
    const gboolean ok = dp_mineru_merge_answer (golden_string (c, "text"), (guint) golden_int (c, "n"), flags);
    if (ok != !cJSON_IsNull (wanted))
      compare (golden_string (c, "text"), ok ? "flags" : "nothing", "the opposite");
    for (int i = 0; ok && i < cJSON_GetArraySize (wanted); i++)
      g_assert_cmpint (flags[i], ==, cJSON_GetArrayItem (wanted, i)->valueint);
    if (!ok)
      g_assert_cmpint (flags[0], ==, 9);
  }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  tree = golden_load ("mineru.json");
  g_test_add_func ("/mineru/questions", test_questions);
  g_test_add_func ("/mineru/selection", test_selection);
  g_test_add_func ("/mineru/crops", test_crops);
  g_test_add_func ("/mineru/masks", test_masks);
  g_test_add_func ("/mineru/codes-differ", test_codes_differ);
  g_test_add_func ("/mineru/charts", test_charts);
  g_test_add_func ("/mineru/flowcharts", test_flowcharts);
  g_test_add_func ("/mineru/finished", test_finished);
  g_test_add_func ("/mineru/captions-kept", test_captions_kept);
  g_test_add_func ("/mineru/table-codes", test_table_codes);
  g_test_add_func ("/mineru/merges", test_merges);
  const int code = g_test_run ();
  cJSON_Delete (tree);
  return code;
}
