/* Rotary tables and positions against transformers' Qwen2-VL. */
#include "tests/vlm/golden.h"
#include "vlm/rotary.h"

static void
check_positions (const gint32 *got, gsize n, const cJSON *wanted)
{
  const gsize m = (gsize) cJSON_GetArraySize (wanted);
  const cJSON *item;
  gsize i = 0;

  g_assert_cmpuint (m, <=, n);
  cJSON_ArrayForEach (item, wanted)
  { /* long ones are kept as their first and last half */
    g_assert_cmpint (got[m < n && i >= m / 2 ? n - m + i : i], ==, item->valueint);
    i++;
  }
}

static void
test_mrope_positions (void)
{
  cJSON *tree = golden_load ("rotary.json");
  const cJSON *c, *part;

  cJSON_ArrayForEach (c, golden_get (tree, "positions"))
  {
    DpPromptPart parts[16];
    guint32 n = 0;
    cJSON_ArrayForEach (part, golden_get (c, "parts"))
    {
      const gboolean text = cJSON_IsNumber (part);
      g_assert_cmpuint (n, <, 16);
      parts[n] = (DpPromptPart){
        .n = text ? (guint32) part->valueint : 0,
        .rows = text ? 0 : (guint32) cJSON_GetArrayItem (part, 0)->valueint / 2,
        .cols = text ? 0 : (guint32) cJSON_GetArrayItem (part, 1)->valueint / 2,
      };
      n++;
    }
    const guint32 tokens = dp_prompt_tokens (parts, n);
    g_autofree gint32 *positions = g_new (gint32, 3 * tokens);
    g_assert_cmpuint (dp_mrope_positions (parts, n, positions), ==, (guint32) golden_int (c, "next"));
    check_positions (positions, 3 * tokens, golden_get (c, "positions"));
  }
  cJSON_Delete (tree);
}

static void
test_grids (void)
{
  cJSON *tree = golden_load ("rotary.json");
  const cJSON *c;

  cJSON_ArrayForEach (c, golden_get (tree, "grids"))
  {
    const guint32 rows = (guint32) golden_int (c, "rows"), cols = (guint32) golden_int (c, "cols");
    g_autofree gint32 *positions = g_new (gint32, 2 * rows * cols);
    dp_rotary_vision_positions (rows, cols, (guint32) golden_int (c, "merge"), positions);
    g_assert_cmpint (cJSON_GetArraySize (golden_get (c, "positions")), ==, (int) (2 * rows * cols));
    check_positions (positions, 2 * rows * cols, golden_get (c, "positions"));
  }
  cJSON_Delete (tree);
}

/* Little-endian f32 in hexadecimal. */
static float
hex_float (const char *hex, gsize i)
{
  guint32 bits = 0;
  float f;

  for (int byte = 0; byte < 4; byte++)
    bits |= (guint32) (g_ascii_xdigit_value (hex[8 * i + 2 * byte]) << 4 | g_ascii_xdigit_value (hex[8 * i + 2 * byte + 1])) << (8 * byte);
  memcpy (&f, &bits, 4);
  return f;
}

static void
check_table (const float *table, const char *hex, const cJSON *at, guint32 half)
{
  const cJSON *row;
  gsize i = 0;

  cJSON_ArrayForEach (row, at)
  {
    for (guint32 j = 0; j < half; j++, i++) { /* at position p the last bit of a frequency weighs p ulp: libraries differ there */
      const float wanted = hex_float (hex, i), got = table[(gsize) row->valueint * half + j];
      g_assert_cmpfloat_with_epsilon (got, wanted, 2e-7f + 1.2e-7f * (float) row->valueint);
      if (row->valueint < 2)
        g_assert_cmpfloat_with_epsilon (got, wanted, 1.2e-7f);
    }
  }
  g_assert_cmpuint (strlen (hex), ==, 8 * i);
}

static void
test_tables (void)
{
  cJSON *tree = golden_load ("rotary.json");
  const cJSON *c;

  cJSON_ArrayForEach (c, golden_get (tree, "tables"))
  {
    const guint32 dim = (guint32) golden_int (c, "dim"), n = 16384, half = dim / 2;
    const double theta = golden_get (c, "theta")->valuedouble;
    g_autofree float *cos_table = g_new (float, (gsize) n *half), *sin_table = g_new (float, (gsize) n *half);

    (g_str_equal (golden_string (c, "kind"), "text") ? dp_rotary_table : dp_rotary_table_vision) (theta, dim, n, cos_table, sin_table);
    check_table (cos_table, golden_string (c, "cos"), golden_get (c, "at"), half);
    check_table (sin_table, golden_string (c, "sin"), golden_get (c, "at"), half);
  }
  cJSON_Delete (tree);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/rotary/mrope-positions", test_mrope_positions);
  g_test_add_func ("/rotary/grids", test_grids);
  g_test_add_func ("/rotary/tables", test_tables);
  return g_test_run ();
}
