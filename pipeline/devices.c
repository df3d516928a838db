/* pipeline/devices.c - `docparse devices` and `docparse selftest`. */
#include "pipeline/devices.h"

#include "ops/selftest.h"
#include "pipeline/log.h"
#include "pipeline/options.h"

#include <string.h>

static int
complain (int code, const char *message)
{
  dp_complain (FALSE, message);
  return code;
}

/* Reads the options of a command; -1: go on, else the exit code. */
static int
read_options (int *argc, char ***argv, const char *command, const char *summary, const GOptionEntry *entries)
{
  g_autoptr (GOptionContext) context = g_option_context_new (NULL);
  g_autoptr (GError) error = NULL;
  gboolean help = FALSE;
  const GOptionEntry help_entry[] = { { "help", 'h', 0, G_OPTION_ARG_NONE, &help, "Show this help", NULL }, { NULL } };
  g_autofree char *program = g_strconcat ("docparse ", command, NULL);
  g_set_prgname (program);
  g_option_context_set_help_enabled (context, FALSE);
  g_option_context_set_summary (context, summary);
  g_option_context_add_main_entries (context, help_entry, NULL);
  g_option_context_add_main_entries (context, entries, NULL);
  if (!g_option_context_parse (context, argc, argv, &error))
    return complain (DP_EXIT_USAGE, error->message);
  if (help) {
    g_autofree char *text = g_option_context_get_help (context, TRUE, NULL);
    dp_say ("%s", text);
    return DP_EXIT_OK;
  }
  if (*argc > 1) {
    g_autofree char *message = g_strdup_printf ("%s takes no argument '%s'", command, (*argv)[1]);
    return complain (DP_EXIT_USAGE, message);
  }
  return -1;
}

/* ---- devices ---- */

static void
say_operators (const DpBackendClass *klass)
{
  g_autoptr (GString) missing = g_string_new (NULL);
  guint n = 0;
  for (guint op = 0; op < DP_N_OPS; op++)
    if (dp_backend_class_has (klass, op))
      n++;
    else
      g_string_append_printf (missing, " %s", dp_op_name (op));
  if (missing->len)
    dp_say ("  operators   %u of %u; missing:%s\n", n, (guint) DP_N_OPS, missing->str);
  else
    dp_say ("  operators   all %u\n", n);
}

static void
say_device (const DpBackendClass *klass, guint i)
{
  DpDeviceInfo info = { .struct_size = sizeof info };
  g_autoptr (GError) error = NULL;
  if (!klass->device_info (i, &info, &error)) {
    dp_say ("  device %u    cannot be asked: %s\n", i, error ? error->message : "no reason given");
    return;
  }
  dp_say ("  device %u    %.128s", i, info.name);
  if (info.memory_total)
    dp_say (", %.1f GB memory, %.1f free", (double) info.memory_total / 1e9, (double) info.memory_free / 1e9);
  if (info.max_buffer)
    dp_say (", buffers up to %.1f GB", (double) info.max_buffer / 1e9);
  dp_say (", likes");
  for (guint type = 0; type < DP_N_TYPES; type++)
    if (info.activation_types & DP_TYPE_BIT (type))
      dp_say (" %s", dp_type_name (type));
  dp_say (", pages of %u tokens\n", info.kv_page_size);
}

static void
say_backend (const DpBackendEntry *entry)
{
  const DpBackendClass *klass = entry->klass;
  if (!klass) {
    dp_say ("%s: not usable: %s\n\n", entry->name, entry->error->message);
    return;
  }
  dp_say ("%s %s - %s\n", klass->name, klass->version, klass->description);
  dp_say ("  from        %s (%s)\n", entry->path ? entry->path : "built in", klass->licence);
  dp_say ("  memory      %s\n", klass->flags & DP_BACKEND_HOST_MEMORY ? "shared with the processor" : "its own");
  say_operators (klass);
  guint n = klass->n_devices ();
  for (guint i = 0; i < n; i++)
    say_device (klass, i);
  if (n == 0)
    dp_say ("  device      none found\n");
  dp_say ("\n");
}

int
dp_cmd_devices (int argc, char **argv)
{
  const GOptionEntry none[] = { { NULL } };
  int code = read_options (&argc, &argv, "devices", "Lists what can compute: back ends, their devices, the operators they have.", none);
  if (code >= 0)
    return code;
  g_autoptr (GPtrArray) list = dp_backend_list ();
  for (guint i = 0; i < list->len; i++)
    say_backend (list->pdata[i]);
  return DP_EXIT_OK;
}

/* ---- selftest ---- */

int
dp_cmd_selftest (int argc, char **argv)
{
  g_autofree char *device = NULL, *op = NULL;
  int cases = 0, seed = 1, threads = 0, index = 0;
  const GOptionEntry entries[] = {
    { "device", 'd', 0, G_OPTION_ARG_STRING, &device, "Back end to test (docparse devices lists them)", "NAME" },
    { "index", 0, 0, G_OPTION_ARG_INT, &index, "Which of its devices; default 0", "N" },
    { "op", 0, 0, G_OPTION_ARG_STRING, &op, "Only this operator, or \"model\"", "OP" },
    { "cases", 0, 0, G_OPTION_ARG_INT, &cases, "Random cases per operator; default 40", "N" },
    { "seed", 0, 0, G_OPTION_ARG_INT, &seed, "Other random cases; default 1", "N" },
    { "threads", 0, 0, G_OPTION_ARG_INT, &threads, "Threads of the back end; default: its own choice", "N" },
    { NULL },
  };
  int code = read_options (&argc, &argv, "selftest", "Tests a back end: every operator against the reference, graphs against eager runs.",
                           entries);
  if (code >= 0)
    return code;
  if (!device || cases < 0 || threads < 0 || index < 0)
    return complain (DP_EXIT_USAGE, device ? "selftest: numbers must not be negative" : "selftest needs --device NAME");
  const DpSelftestOptions options
      = { .backend = { .struct_size = sizeof options.backend, .device = (guint) index, .n_threads = (guint) threads },
          .op = op,
          .cases = (guint) cases,
          .seed = (guint32) seed };
  g_autoptr (GError) error = NULL;
  g_autoptr (GPtrArray) lines = dp_selftest (device, &options, &error);
  if (!lines)
    return complain (op && dp_op_from_name (op) < 0 && strcmp (op, "model") != 0 ? DP_EXIT_USAGE : DP_EXIT_NO_DEVICE, error->message);
  g_autoptr (GString) table = g_string_new (NULL);
  gboolean good = dp_selftest_print (lines, table);
  dp_say ("%s", table->str);
  return good ? DP_EXIT_OK : DP_EXIT_PARTLY;
}
