/* Pictures: every byte as Pillow and transformers make it. */
#include "tests/vlm/golden.h"
#include "tests/vlm/picture.h"
#include "vlm/error.h"
#include "vlm/image.h"

static void
check_bytes (cairo_surface_t *s, const cJSON *base64)
{
  gsize n, m;

  if (!base64)
    return;
  g_autofree guint8 *rgb = rgb_of (s, &n), *wanted = g_base64_decode (base64->valuestring, &m);
  g_assert_cmpmem (rgb, n, wanted, m);
}

static void
test_resize (void)
{
  cJSON *tree = golden_load ("pictures.json");
  const cJSON *c;

  cJSON_ArrayForEach (c, golden_get (tree, "resizes"))
  {
    cairo_surface_t *in = picture (golden_int (c, "width"), golden_int (c, "height"), golden_string (c, "kind"));
    g_autoptr (GError) error = NULL;
    cairo_surface_t *out = dp_image_resize (in, golden_int (c, "to_width"), golden_int (c, "to_height"), &error);
    g_assert_no_error (error);
    check_bytes (out, cJSON_GetObjectItem (c, "rgb"));
    check_picture (out, golden_int (c, "to_width"), golden_int (c, "to_height"), golden_string (c, "sha256"));
    cairo_surface_destroy (in);
  }
  cJSON_Delete (tree);
}

static void
test_crop (void)
{
  cJSON *tree = golden_load ("pictures.json");
  cairo_surface_t *in = picture (40, 30, "noise");
  const cJSON *c;

  cJSON_ArrayForEach (c, golden_get (tree, "crops"))
  {
    double b[4];
    for (int i = 0; i < 4; i++)
      b[i] = cJSON_GetArrayItem (golden_get (c, "box"), i)->valuedouble;
    check_picture (dp_image_crop (in, b[0], b[1], b[2], b[3], NULL), golden_int (c, "width"), golden_int (c, "height"),
                   golden_string (c, "sha256"));
  }
  cairo_surface_destroy (in);
  cJSON_Delete (tree);
}

static void
test_rotate (void)
{
  cJSON *tree = golden_load ("pictures.json");
  cairo_surface_t *in = picture (23, 11, "noise");
  const cJSON *c;

  cJSON_ArrayForEach (c, golden_get (tree, "rotations")) check_picture (
      dp_image_rotate (in, golden_int (c, "angle"), NULL), golden_int (c, "width"), golden_int (c, "height"), golden_string (c, "sha256"));
  cairo_surface_destroy (in);
  cJSON_Delete (tree);
}

static void
test_by_need (void)
{
  cJSON *tree = golden_load ("pictures.json");
  const cJSON *c;

  cJSON_ArrayForEach (c, golden_get (tree, "by_need"))
  {
    cairo_surface_t *in = picture (golden_int (c, "width"), golden_int (c, "height"), "edges");
    check_picture (dp_image_fit_ratio (in, 50, 28, NULL), golden_int (c, "to_width"), golden_int (c, "to_height"),
                   golden_string (c, "sha256"));
    cairo_surface_destroy (in);
  }
  cJSON_Delete (tree);
}

static void
test_smart_resize (void)
{
  cJSON *tree = golden_load ("pictures.json");
  const cJSON *c;
  int n = 0;

  cJSON_ArrayForEach (c, golden_get (tree, "smart_resizes"))
  {
    int v[6], w = -1, h = -1;
    g_autoptr (GError) error = NULL;
    for (int i = 0; i < 6; i++)
      v[i] = cJSON_GetArrayItem (c, i)->valueint;
    if (v[4] == 0) {
      g_assert_false (dp_smart_resize (v[0], v[1], 28, (guint32) v[2], (guint32) v[3], &w, &h, &error));
      g_assert_error (error, DP_VLM_ERROR, DP_VLM_ERROR_INPUT);
      continue;
    }
    g_assert_true (dp_smart_resize (v[0], v[1], 28, (guint32) v[2], (guint32) v[3], &w, &h, &error));
    if (w != v[4] || h != v[5])
      g_error ("%d x %d gives %d x %d, transformers %d x %d", v[0], v[1], w, h, v[4], v[5]);
    n++;
  }
  g_assert_cmpint (n, >, 1000);
  cJSON_Delete (tree);
}

static void
test_patches (void)
{
  cJSON *tree = golden_load ("pictures.json");
  const cJSON *c;

  cJSON_ArrayForEach (c, golden_get (tree, "patches"))
  {
    cairo_surface_t *in = picture (golden_int (c, "width"), golden_int (c, "height"), golden_string (c, "kind"));
    DpImageConfig config;
    DpPatches p;
    g_autoptr (GError) error = NULL;

    dp_image_config_default (&config);
    config.min_pixels = (guint32) golden_int (c, "min_pixels");
    config.max_pixels = (guint32) golden_int (c, "max_pixels");
    g_assert_true (dp_image_patches (in, &config, &p, &error));
    g_assert_no_error (error);
    for (int i = 0; i < 3; i++)
      g_assert_cmpint ((int) p.grid[i], ==, cJSON_GetArrayItem (golden_get (c, "grid"), i)->valueint);
    g_assert_cmpuint (p.n, ==, p.grid[0] * p.grid[1] * p.grid[2]);
    g_assert_cmpint ((int) p.dim, ==, golden_int (c, "dim"));
    for (int i = 0; i < 4; i++)
      g_assert_cmpfloat (p.data[i], ==, (float) cJSON_GetArrayItem (golden_get (c, "first"), i)->valuedouble);
#if G_BYTE_ORDER == G_LITTLE_ENDIAN
    g_autofree char *sum = g_compute_checksum_for_data (G_CHECKSUM_SHA256, (const guint8 *) p.data, (gsize) p.n * p.dim * sizeof (float));
    g_assert_cmpstr (sum, ==, golden_string (c, "sha256"));
#endif
    if (golden_int (c, "width") == 28) { /* value by value, for whom the sum above fails */
      g_autofree char *raw = NULL;
      gsize n;
      g_assert_true (g_file_get_contents ("tests/fixtures/vlm/patches-28x28.f32", &raw, &n, NULL));
      g_assert_cmpuint (n, ==, (gsize) p.n * p.dim * sizeof (float));
      for (gsize i = 0; i < n / 4; i++) {
        guint32 bits;
        float wanted;
        memcpy (&bits, raw + 4 * i, 4);
        bits = GUINT32_FROM_LE (bits);
        memcpy (&wanted, &bits, 4);
        g_assert_cmpfloat (p.data[i], ==, wanted);
      }
    }
    dp_patches_clear (&p);
    g_assert_null (p.data);
    cairo_surface_destroy (in);
  }
  cJSON_Delete (tree);
}

static void
refused (cairo_surface_t *s, GError **error)
{
  g_assert_null (s);
  g_assert_error (*error, DP_VLM_ERROR, DP_VLM_ERROR_INPUT);
  g_clear_error (error);
}

static void
test_refuses (void)
{
  cairo_surface_t *in = picture (20, 10, "noise"), *grey = cairo_image_surface_create (CAIRO_FORMAT_A8, 4, 4);
  g_autoptr (GError) error = NULL;
  DpImageConfig config;
  DpPatches p;

  refused (dp_image_resize (in, 0, 5, &error), &error);
  refused (dp_image_resize (in, 5, -1, &error), &error);
  refused (dp_image_resize (in, 40000, 10, &error), &error);
  refused (dp_image_resize (grey, 5, 5, &error), &error);
  refused (dp_image_crop (in, 5, 5, 5.2, 9, &error), &error); /* less than a pixel wide */
  refused (dp_image_crop (in, 9, 5, 5, 9, &error), &error);
  refused (dp_image_crop (in, 0, 0, 1e300, 9, &error), &error);
  refused (dp_image_crop (in, 0.0 / 0.0, 0, 5, 9, &error), &error);
  refused (dp_image_rotate (in, 45, &error), &error);
  dp_image_config_default (&config);
  g_assert_false (dp_image_patches (grey, &config, &p, &error));
  g_assert_error (error, DP_VLM_ERROR, DP_VLM_ERROR_INPUT);
  g_assert_null (p.data);
  cairo_surface_destroy (in);
  cairo_surface_destroy (grey);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/image/resize", test_resize);
  g_test_add_func ("/image/crop", test_crop);
  g_test_add_func ("/image/rotate", test_rotate);
  g_test_add_func ("/image/by-need", test_by_need);
  g_test_add_func ("/image/smart-resize", test_smart_resize);
  g_test_add_func ("/image/patches", test_patches);
  g_test_add_func ("/image/refuses", test_refuses);
  return g_test_run ();
}
