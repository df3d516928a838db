/* ops/selftest.c - runs the conformance cases and prints the table; ops/selftest_case.c is the harness. */
#include "ops/selftest_run.h"

#include "ops/private.h"

static void
line_free (gpointer data)
{
  g_free (((DpSelftestLine *) data)->message);
  g_free (data);
}

static DpSelftestLine *
line_new (GPtrArray *lines, const char *name)
{
  DpSelftestLine *line = g_new0 (DpSelftestLine, 1);
  line->name = name;
  g_ptr_array_add (lines, line);
  return line;
}

static void
test_operator (DpBackend *reference, DpBackend *backend, DpOp op, const DpSelftestOptions *options, DpSelftestLine *line)
{
  static void (*const generate[DP_N_OPS]) (DpCase *) = {
#define X(id, name, NAME, Name) [id] = dp_selftest_##name,
    DP_OPS (X)
#undef X
  };
  guint cases = options->cases ? options->cases : 40;
  if (!dp_op_table_has (backend->klass->ops, op)) {
    line->refused = cases;
    line->message = g_strdup ("the back end does not have this operator");
    return;
  }
  for (guint i = 0; i < cases && line->failed < 5; i++) {
    DpCase *c = dp_case_new (reference, backend, op, options->seed * 1000003u + op * 10007u + i, line);
    if (c)
      generate[op](c);
    dp_case_free (c);
  }
}

GPtrArray *
dp_selftest (const char *device, const DpSelftestOptions *options, GError **error)
{
  gboolean model = !options->op || g_str_equal (options->op, "model");
  int only = options->op && !model ? dp_op_from_name (options->op) : -1;
  if (options->op && !model && only < 0) {
    g_set_error (error, DP_OPS_ERROR, DP_OPS_ERROR_NOT_FOUND, "There is no operator '%s'", options->op);
    return NULL;
  }
  DpBackendOptions strict = options->backend;
  strict.struct_size = sizeof strict;
  strict.strict_backend = TRUE;
  g_autoptr (DpBackend) backend = dp_backend_open (device, &strict, error);
  g_autoptr (DpBackend) reference = backend ? dp_backend_open ("reference", NULL, error) : NULL;
  if (!reference)
    return NULL;
  GPtrArray *lines = g_ptr_array_new_with_free_func (line_free);
  for (guint op = 0; op < DP_N_OPS; op++)
    if (!options->op || only == (int) op)
      test_operator (reference, backend, op, options, line_new (lines, dp_op_name (op)));
  if (model)
    dp_selftest_model (backend, options->seed, line_new (lines, "model"));
  return lines;
}

gboolean
dp_selftest_print (const GPtrArray *lines, GString *out)
{
  guint failed = 0, absent = 0;
  g_string_append_printf (out, "%-24s %6s %8s %8s  %s\n", "operator", "cases", "refused", "error", "result");
  for (guint i = 0; i < lines->len; i++) {
    const DpSelftestLine *l = lines->pdata[i];
    const char *result = l->failed ? "FAILED" : l->run ? "ok" : "absent";
    failed += l->failed > 0;
    absent += !l->failed && !l->run;
    g_string_append_printf (out, "%-24s %6u %8u ", l->name, l->run, l->refused);
    if (l->run)
      g_string_append_printf (out, "%7.0f%%", 100 * MIN (l->worst, 99));
    else
      g_string_append_printf (out, "%8s", "-");
    g_string_append_printf (out, "  %s%s%s\n", result, l->message ? ": " : "", l->message ? l->message : "");
  }
  g_string_append_printf (out,
                          "\nerror: the largest deviation from the reference as a share of what is allowed, which is 1e-4 for f32,\n"
                          "4e-3 for f16, 3e-2 for bf16 and integers, of the value or the root mean square of its tensor\n"
                          "%u of %u failed, %u absent\n",
                          failed, lines->len, absent);
  return failed == 0;
}
