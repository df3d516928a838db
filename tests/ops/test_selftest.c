/* Every built-in back end conforms; the reference also with memory that only operators can read. */
#include "ops/selftest.h"

static void
run (const char *device, gboolean strict_memory, guint cases)
{
  const DpSelftestOptions options
      = { .backend = { .struct_size = sizeof options.backend, .strict_memory = strict_memory }, .cases = cases, .seed = 1 };
  g_autoptr (GError) error = NULL;
  g_autoptr (GString) table = g_string_new (NULL);
  g_autoptr (GPtrArray) lines = dp_selftest (device, &options, &error);
  g_assert_no_error (error);
  gboolean good = dp_selftest_print (lines, table);
  if (!good)
    g_test_message ("%s", table->str);
  g_assert_true (good);
  g_assert_cmpuint (lines->len, ==, DP_N_OPS + 1);
  for (guint i = 0; i < lines->len; i++) {
    const DpSelftestLine *line = lines->pdata[i];
    if (g_str_equal (device, "reference")) /* which lacks nothing and refuses nothing */
      g_assert_cmpuint (line->refused, ==, 0);
    g_assert_cmpuint (line->run + line->refused, >, 0);
  }
}

static void
test_backend (gconstpointer name)
{
  run (name, FALSE, 0);
}

static void
test_strict_memory (void)
{
  run ("reference", TRUE, 8);
}

static void
test_unknown (void)
{
  g_autoptr (GError) error = NULL;
  const DpSelftestOptions options = { .op = "no_such_operator" };
  g_assert_null (dp_selftest ("reference", &options, &error));
  g_assert_error (error, DP_OPS_ERROR, DP_OPS_ERROR_NOT_FOUND);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_autoptr (GPtrArray) list = dp_backend_list ();
  for (guint i = 0; i < list->len; i++) {
    const DpBackendEntry *entry = list->pdata[i];
    g_autofree char *path = g_strconcat ("/selftest/", entry->name, NULL);
    if (!entry->path)
      g_test_add_data_func (path, entry->klass->name, test_backend);
  }
  g_test_add_func ("/selftest/strict-memory", test_strict_memory);
  g_test_add_func ("/selftest/unknown", test_unknown);
  return g_test_run ();
}
