/* pipeline/main.c - the door: which command, and what to say when the line makes no sense. */
#include "pipeline/batch.h"
#include "pipeline/devices.h"
#include "pipeline/doctor.h"
#include "pipeline/exit_code.h"
#include "pipeline/inputs.h"
#include "pipeline/inspect.h"
#include "pipeline/log.h"
#include "pipeline/pdf.h"

#include <cairo.h>
#include <fcntl.h>
#include <fontconfig/fontconfig.h>
#include <string.h>
#include <unistd.h>

typedef int (*Command) (int argc, char **argv);

typedef struct {
  const char *name;
  Command run; /* gets argv with its own name as argv[0] */
  const char *help;
} Entry;

static int cmd_convert (int argc, char **argv);
static int cmd_help (int argc, char **argv);

static const Entry commands[] = {
  { "convert", cmd_convert, "turn documents into Markdown; the default" },
  { "inspect", dp_cmd_inspect, "say page by page, as JSON, what docparse sees and what it would do" },
  { "devices", dp_cmd_devices, "what can compute here: back ends, devices, operators" },
  { "selftest", dp_cmd_selftest, "test a back end against the reference" },
  { "doctor", dp_cmd_doctor, "versions, processor, sandbox, fonts, models of this installation" },
  { "help", cmd_help, "this text" },
};

static int
usage_error (char *const *argv, const char *message)
{
  g_autofree char *line = g_strdup_printf ("%s (docparse --help lists the options)", message);

  dp_complain (dp_options_ask_for_json (argv), line);
  return DP_EXIT_USAGE;
}

static void
print_help (void)
{
  g_autofree char *options = dp_options_help ();

  dp_say ("%s", options);
  dp_say ("Commands:\n");
  for (gsize i = 0; i < G_N_ELEMENTS (commands); i++)
    dp_say ("  docparse %-10s %s\n", commands[i].name, commands[i].help);
  dp_say ("\nExamples:\n"
          "  docparse paper.pdf                   writes paper.md and paper_images/ beside it\n"
          "  docparse paper.pdf -o - | less       shows the Markdown\n"
          "  docparse -t md,json papers/ -o out/  a whole directory, two formats\n"
          "\nExit status: 0 good, 1 some pages or documents failed or need a model, 64 usage,\n"
          "65 not a PDF, 66 no such input, 69 no such back end, 74 cannot write, 77 password needed,\n"
          "130 interrupted.\n"
          "The manual is docparse(1).\n");
}

static int
cmd_help (int argc, char **argv)
{
  (void) argc;
  (void) argv;
  print_help ();
  return DP_EXIT_OK;
}

static int
cmd_convert (int argc, char **argv)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (DpOptions) options = dp_options_parse (argv, &error);

  (void) argc;
  if (!options)
    return usage_error (argv, error->message);
  if (options->help) {
    print_help ();
    return DP_EXIT_OK;
  }
  if (options->version) {
    dp_say ("docparse " DP_VERSION "\n");
    return DP_EXIT_OK;
  }
  if (!dp_options_load_password (options, &error)) {
    dp_complain (options->log_json, error->message);
    return (int) dp_exit_code_of (error);
  }
  const DpLogLevel show = options->quiet         ? DP_LOG_WARNING
                          : options->verbose > 1 ? DP_LOG_DEBUG
                          : options->verbose     ? DP_LOG_DETAIL
                                                 : DP_LOG_NOTICE;
  g_autoptr (DpLog) log = dp_log_new (STDERR_FILENO, options->log_json, show);
  g_log_set_writer_func (dp_log_glib_writer, log, NULL); /* once in a process, GLib says */
  dp_pdf_prewarm (dp_input_is_named_picture (options->inputs[0]));
  const int code = dp_batch_run (options, log);
  dp_pdf_shutdown ();
  if (options->overlay
      || options->formats & 1u << DP_FORMAT_PDF) { /* cairo's and fontconfig's caches of fonts, or leak checkers list them */
    cairo_debug_reset_static_data ();
    FcFini ();
  }
  return code;
}

static int
run_command (int argc, char **argv)
{
  for (gsize i = 0; argc > 1 && i < G_N_ELEMENTS (commands); i++)
    if (strcmp (argv[1], commands[i].name) == 0)
      return commands[i].run (argc - 1, argv + 1);
  return cmd_convert (argc, argv);
}

/* A standard descriptor that came closed would go to the first socket or file that is opened, and the Markdown be
 * written there.  What takes its place cannot be used, so that using it is an error (as gnulib's stdopen). */
static void
occupy_standard_descriptors (void)
{
  for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
    if (fcntl (fd, F_GETFD) < 0 && open ("/dev/null", fd == STDIN_FILENO ? O_WRONLY : O_RDONLY) != fd)
      _exit (DP_EXIT_PARTLY); /* not even that: nowhere to say so */
}

int
main (int argc, char **argv)
{
  g_set_prgname ("docparse"); /* however it was called: the texts name the command that the manual names */
  if (argc > 1 && strcmp (argv[1], DP_PDF_CHILD_OPTION) == 0)
    return dp_pdf_child_main (argc, argv);
  occupy_standard_descriptors ();
  const int code = run_command (argc, argv);
  if (dp_was_heard ())
    return code;
  dp_complain (dp_options_ask_for_json (argv), "cannot write standard output");
  return DP_EXIT_CANNOT_WRITE;
}
