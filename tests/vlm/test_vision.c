/* The vision encoder against transformers, and eager against graph. */
#include "tests/vlm/network.h"

static const char *const names[] = { "nested", "flat", "untied", "windows" };

/* rows [n, hidden] of one picture. */
static float *
encode (DpModel *model, DpStream *s, const DpPatches *patches, guint32 *n)
{
  const guint32 rows = dp_vision_rows (model, patches->grid), hidden = dp_model_config (model)->text.hidden;
  g_autoptr (GError) error = NULL;
  const gsize mark = dp_stream_mark (s);
  const DpTensor out = dp_stream_temp (s, DP_F32, rows, hidden);
  float *host = g_new (float, (gsize) rows *hidden);

  dp_vision_encode (model, s, patches, out);
  dp_stream_download (s, host, &out, (gsize) rows * hidden * sizeof *host);
  dp_stream_release (s, mark);
  g_assert_true (dp_stream_sync (s, &error) || error);
  g_assert_no_error (error);
  *n = rows * hidden;
  return host;
}

/* The made-up patches of the test are those of the script, bit for bit. */
static void
check_patches (const DpPatches *p, const cJSON *sha)
{
  g_autofree char *sum = g_compute_checksum_for_data (G_CHECKSUM_SHA256, (const guint8 *) p->data, (gsize) p->n * p->dim * sizeof (float));

  g_assert_cmpstr (sum, ==, sha->valuestring);
}

/* Every picture of every case, in order; the largest difference to transformers. */
static double
features_error (const Network *net, DpModel *model, gboolean twice)
{
  g_autoptr (DpStream) s = dp_stream_new (dp_model_backend (model), NULL);
  double most = 0;
  gsize at = 0;

  for (guint i = 0; i < net->n; i++)
    for (guint32 p = 0; p < net->cases[i].n_pictures; p++) {
      DpPatches patches = network_patches (net->cases[i].grids[p], net->cases[i].seeds[p]);
      guint32 n, m;
      check_patches (&patches, cJSON_GetArrayItem (golden_get (net->cases[i].json, "patches"), (int) p));
      g_autofree float *first = encode (model, s, &patches, &n);
      g_assert_cmpuint (at + n, <=, net->n_features);
      for (guint32 k = 0; k < n; k++)
        most = fmax (most, fabs ((double) first[k] - net->features[at + k]));
      at += n;
      for (int again = 0; twice && again < 2; again++) { /* captured, then replayed: the same bits */
        g_autofree float *other = encode (model, s, &patches, &m);
        g_assert_cmpmem (first, n * sizeof *first, other, m * sizeof *other);
      }
      dp_patches_clear (&patches);
    }
  g_assert_cmpuint (at, ==, net->n_features);
  return most;
}

static void
test_features (void)
{
  static const struct {
    const char *device;
    DpType weights;
    double most;
  } kinds[] = {
    { "cpu", DP_F32, 1e-4 }, { "reference", DP_F32, 1e-4 }, { "cpu", DP_BF16, 0.15 }, { "reference", DP_BF16, 0.15 }, { "cpu", DP_I8, 0.15 }
  };

  for (guint i = 0; i < G_N_ELEMENTS (names); i++) {
    Network net;
    network_open (&net, names[i]);
    for (guint k = 0; k < G_N_ELEMENTS (kinds); k++) {
      g_autoptr (DpModel) model = network_model (&net, kinds[k].device, kinds[k].weights, FALSE);
      const double off = features_error (&net, model, TRUE);
      g_test_message ("%s, %s, %s: features within %g", names[i], kinds[k].device, dp_type_name (kinds[k].weights), off);
      g_assert_cmpfloat (off, <, kinds[k].most);
      g_autoptr (DpModel) eager = network_model (&net, kinds[k].device, kinds[k].weights, TRUE);
      g_assert_cmpfloat (features_error (&net, eager, FALSE), ==, off);
    }
    network_close (&net);
  }
}

/* More grids than are remembered, again and again: the same rows as at first. */
static void
test_many_grids (void)
{
  enum { GRIDS = 24 };
  Network net;
  float *first[GRIDS];
  guint32 n[GRIDS], m;

  network_open (&net, "untied");
  g_autoptr (DpModel) model = network_model (&net, "cpu", DP_BF16, FALSE);
  g_autoptr (DpStream) s = dp_stream_new (dp_model_backend (model), NULL);
  for (guint round = 0; round < 4; round++)
    for (guint i = 0; i < GRIDS; i++) {
      const guint32 grid[3] = { 1, 2 + 2 * (i % 4), 2 + 2 * (i / 4) };
      DpPatches patches = network_patches (grid, i);
      float *rows = encode (model, s, &patches, &m);
      if (!round)
        first[i] = rows, n[i] = m;
      else {
        g_assert_cmpmem (rows, m * sizeof *rows, first[i], n[i] * sizeof *rows);
        g_free (rows);
      }
      if (i % 3 == round) { /* some come twice in a row and are captured */
        g_autofree float *again = encode (model, s, &patches, &m);
        g_assert_cmpmem (again, m * sizeof *again, first[i], n[i] * sizeof *again);
      }
      dp_patches_clear (&patches);
    }
  for (guint i = 0; i < GRIDS; i++)
    g_free (first[i]);
  network_close (&net);
}

/* Graphs hold no more than they may, whatever comes; none if they may hold nothing. */
static void
test_keep (void)
{
  Network net;
  guint32 n;

  network_open (&net, "untied");
  g_autoptr (DpModel) model = network_model (&net, "cpu", DP_F32, FALSE);
  g_autoptr (DpStream) s = dp_stream_new (dp_model_backend (model), NULL);
  const guint32 large[3] = { 1, 8, 8 };
  const gsize limits[] = { DP_VISION_KEEP, dp_vision_bytes (model, 64) * 3, dp_vision_bytes (model, 64), 0 };
  for (guint l = 0; l < G_N_ELEMENTS (limits); l++) {
    dp_vision_set_keep (model, limits[l]);
    g_assert_cmpuint (dp_vision_kept (model), <=, limits[l]);
    for (guint i = 0; i < 12; i++) {
      const guint32 small[3] = { 1, 2 + 2 * (i / 2 % 3), 4 };
      DpPatches patches = network_patches (i % 4 < 2 ? large : small, i);
      g_autofree float *rows = encode (model, s, &patches, &n);
      g_autofree float *again = encode (model, s, &patches, &n);
      g_assert_cmpmem (rows, n * sizeof *rows, again, n * sizeof *again);
      g_assert_cmpuint (dp_vision_kept (model), <=, limits[l]);
      dp_patches_clear (&patches);
    }
    g_assert_true ((dp_vision_kept (model) > 0) == (limits[l] > 0));
  }
  network_close (&net);
}

static void
test_refuses (void)
{
  Network net;

  network_open (&net, "untied");
  g_autoptr (DpModel) model = network_model (&net, "cpu", DP_F32, FALSE);
  g_autoptr (DpStream) s = dp_stream_new (dp_model_backend (model), NULL);
  const guint32 grid[3] = { 1, 2, 4 }, odd[3] = { 1, 3, 4 };
  DpPatches patches = network_patches (grid, 1), uneven = network_patches (odd, 1);
  const guint32 hidden = dp_model_config (model)->text.hidden;
  g_assert_cmpuint (dp_vision_rows (model, grid), ==, 2);
  g_assert_cmpuint (dp_vision_bytes (model, 8), >, 8 * 1176 * 4);
  const DpTensor out = dp_stream_temp (s, DP_F32, 2, hidden), small = dp_stream_temp (s, DP_F32, 1, hidden);
  struct {
    DpPatches patches;
    DpTensor out;
    const char *says;
  } cases[] = { { patches, small, "another shape" }, { uneven, out, "multiples" }, { patches, out, "belong" }, { patches, out, "belong" } };
  cases[2].patches.grid[1] = 4;
  cases[3].patches.dim = 1000;
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    g_autoptr (GError) error = NULL;
    dp_vision_encode (model, s, &cases[i].patches, cases[i].out);
    g_assert_false (dp_stream_sync (s, &error));
    if (!strstr (error->message, cases[i].says))
      g_error ("case %u: \"%s\" does not say \"%s\"", i, error->message, cases[i].says);
  }
  dp_patches_clear (&patches);
  dp_patches_clear (&uneven);
  network_close (&net);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/vision/features", test_features);
  g_test_add_func ("/vision/many-grids", test_many_grids);
  g_test_add_func ("/vision/keep", test_keep);
  g_test_add_func ("/vision/refuses", test_refuses);
  return g_test_run ();
}
