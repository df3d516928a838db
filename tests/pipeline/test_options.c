/* tests/pipeline/test_options.c - the command line: values, defaults, contradictions, names of outputs. */
#include "pipeline/inputs.h"
#include "pipeline/options.h"
#include "pipeline/processors.h"
#include "pipeline/targets.h"

#include <glib/gstdio.h>
#include <string.h>

/* Splits at spaces; what stands between quotes of a shell stays together. */
static DpOptions *
parse (const char *line, GError **error)
{
  g_auto (GStrv) argv = NULL;
  g_autofree char *whole = g_strconcat ("docparse ", line, NULL);

  g_assert_true (g_shell_parse_argv (whole, NULL, &argv, NULL));
  return dp_options_parse (argv, error);
}

static DpOptions *
parse_good (const char *line)
{
  g_autoptr (GError) error = NULL;
  DpOptions *o = parse (line, &error);

  g_assert_no_error (error);
  return o;
}

/* A letter's value may stand at the letter; what is a value itself, or follows "--", is left as it is. */
static void
test_attached_values (void)
{
  g_autoptr (DpOptions) o = parse_good ("-j4 -p2-3,5 -oout/ -tmd,json -mocr --page-break -j9 -q -- -p1.pdf");
  g_autoptr (DpOptions) reused = parse_good ("-o -j9 a.pdf");
  g_autoptr (GError) error = NULL;

  g_assert_cmpuint (o->jobs, ==, 4);
  g_autoptr (GArray) pages = dp_ranges_pages (o->pages, 9, &error);
  g_assert_no_error (error);
  g_assert_cmpuint (pages->len, ==, 3);
  g_assert_cmpstr (o->output, ==, "out/");
  g_assert_cmpuint (o->formats, ==, 1u << DP_FORMAT_MARKDOWN | 1u << DP_FORMAT_JSON);
  g_assert_cmpint (o->method, ==, DP_METHOD_OCR);
  g_assert_cmpstr (o->page_break, ==, "-j9");
  g_assert_true (o->quiet);
  g_assert_cmpstr (o->inputs[0], ==, "-p1.pdf");
  g_assert_cmpstr (reused->output, ==, "-j9");
  g_assert_null (parse ("-jx a.pdf", &error));
  g_assert_nonnull (strstr (error->message, "'x'"));
}

static void
test_defaults (void)
{
  g_autoptr (DpOptions) o = parse_good ("a.pdf");

  g_assert_cmpuint (g_strv_length (o->inputs), ==, 1);
  g_assert_cmpstr (o->inputs[0], ==, "a.pdf");
  g_assert_cmpuint (o->formats, ==, 1u << DP_FORMAT_MARKDOWN);
  g_assert_cmpint (o->images, ==, DP_IMAGES_REFERENCED);
  g_assert_cmpint (o->tables, ==, DP_TABLES_AUTO);
  g_assert_cmpint (o->method, ==, DP_METHOD_AUTO);
  g_assert_cmpuint (o->image_dpi, ==, 150);
  g_assert_cmpuint (o->jobs, ==, 0);
  g_assert_cmpuint (o->keep, ==, 0);
  g_assert_null (o->pages);
  g_assert_null (o->page_break);
  g_assert_false (o->resume);
  g_assert_false (dp_options_to_stdout (o));
  g_assert_cmpuint (o->limits.page_cpu_ms, >, 0);
}

static void
test_values (void)
{
  g_autoptr (DpOptions) o = parse_good (
      "-o out/ -t md,json,content-list --pages 2-3 --jobs 7 --keep header,field --tables pipe --images embedded --image-dpi 300 "
      "--figure-text --no-tags --page-break '— %n —' --overlay --method text --page-timeout 9 --max-memory 2048 --resume --log-format json "
      "-v -v --report r.json --password 'pä ss' x.pdf y.pdf");

  g_assert_cmpuint (g_strv_length (o->inputs), ==, 2);
  g_assert_cmpstr (o->inputs[1], ==, "y.pdf");
  g_assert_cmpstr (o->output, ==, "out/");
  g_assert_cmpuint (o->formats, ==, 1u << DP_FORMAT_MARKDOWN | 1u << DP_FORMAT_JSON | 1u << DP_FORMAT_CONTENT_LIST);
  g_assert_nonnull (o->pages);
  g_assert_cmpuint (o->jobs, ==, 7);
  g_assert_cmpuint (o->keep, ==, DP_KEEP_HEADER | DP_KEEP_FIELD);
  g_assert_cmpint (o->tables, ==, DP_TABLES_PIPE);
  g_assert_cmpint (o->images, ==, DP_IMAGES_EMBEDDED);
  g_assert_cmpuint (o->image_dpi, ==, 300);
  g_assert_true (o->figure_text);
  g_assert_true (o->no_tags);
  g_assert_true (o->overlay);
  g_assert_true (o->resume);
  g_assert_true (o->log_json);
  g_assert_cmpstr (o->page_break, ==, "— %n —");
  g_assert_cmpint (o->method, ==, DP_METHOD_TEXT);
  g_assert_cmpuint (o->limits.page_cpu_ms, ==, 9000);
  g_assert_cmpuint (o->limits.page_wall_ms, ==, 9000);
  g_assert_cmpuint (o->limits.max_memory, ==, (guint64) 2048 << 20);
  g_assert_cmpuint (o->verbose, ==, 2);
  g_assert_cmpstr (o->report, ==, "r.json");
  g_assert_cmpstr (o->password, ==, "pä ss");
}

/* The format follows the ending of -o unless -t says otherwise. */
static void
test_formats (void)
{
  static const struct {
    const char *line;
    guint formats;
  } cases[] = {
    { "a.pdf -o x.json", 1u << DP_FORMAT_JSON },
    { "a.pdf -o x.html", 1u << DP_FORMAT_HTML },
    { "a.pdf -o x.txt", 1u << DP_FORMAT_TEXT },
    { "a.pdf -o x_content_list.json", 1u << DP_FORMAT_CONTENT_LIST },
    { "a.pdf -o x.out", 1u << DP_FORMAT_MARKDOWN },
    { "a.pdf -o x.json -t html", 1u << DP_FORMAT_HTML },
    { "a.pdf -t txt -t html", 1u << DP_FORMAT_TEXT | 1u << DP_FORMAT_HTML },
    { "a.pdf --layout mineru -o o", 1u << DP_FORMAT_MARKDOWN | 1u << DP_FORMAT_CONTENT_LIST },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++) {
    g_autoptr (DpOptions) o = parse_good (cases[i].line);
    g_assert_cmpuint (o->formats, ==, cases[i].formats);
  }
}

static void
test_model (void)
{
  g_autoptr (DpOptions) plain = parse_good ("a.pdf");
  g_autoptr (DpOptions) full = parse_good ("a.pdf --device cuda:3 --threads 5 --eager --strict-backend");
  g_autoptr (DpOptions) last = parse_good ("a.pdf --device cuda:3 --device cpu");

  g_assert_null (plain->model.device);
  g_assert_cmpuint (plain->model.threads, ==, 0);
  g_assert_false (plain->model.eager || plain->model.strict_backend);
  g_assert_cmpstr (full->model.device, ==, "cuda");
  g_assert_cmpuint (full->model.index, ==, 3);
  g_assert_cmpuint (full->model.threads, ==, 5);
  g_assert_true (full->model.eager);
  g_assert_true (full->model.strict_backend);
  g_assert_cmpstr (last->model.device, ==, "cpu");
  g_assert_cmpuint (last->model.index, ==, 0);
}

static void
test_model_folder (void)
{
  g_autoptr (DpOptions) plain = parse_good ("a.pdf"), none = parse_good ("a.pdf --model ''");
  g_autoptr (DpOptions) full = parse_good (
      "a.pdf --model m/x --weights int8 --kv-type f32 --kv-page-size 64 --memory-budget 1.5G --image-analysis --no-penalties");
  g_autoptr (DpOptions) bare = parse_good ("a.pdf --memory-budget 300 --weights int4 --kv-type int8");

  g_assert_null (plain->model.dir);
  g_assert_cmpint (plain->model.weights, ==, DP_BF16);
  g_assert_cmpint (plain->model.kv, ==, DP_BF16);
  g_assert_cmpuint (plain->model.memory, ==, 0);
  g_assert_cmpstr (none->model.dir, ==, "");
  g_assert_cmpstr (full->model.dir, ==, "m/x");
  g_assert_cmpint (full->model.weights, ==, DP_I8);
  g_assert_cmpint (full->model.kv, ==, DP_F32);
  g_assert_cmpuint (full->model.kv_page, ==, 64);
  g_assert_cmpuint (bare->model.kv_page, ==, 0);
  g_assert_cmpuint (full->model.memory, ==, G_GUINT64_CONSTANT (1536) << 20);
  g_assert_true (full->model.image_analysis && full->model.no_penalties);
  g_assert_cmpuint (bare->model.memory, ==, G_GUINT64_CONSTANT (300) << 20);
  g_assert_cmpint (bare->model.weights, ==, DP_I4);
  g_assert_cmpint (bare->model.kv, ==, DP_I8);
}

static void
test_stdout (void)
{
  g_autoptr (DpOptions) piped = parse_good ("-");
  g_autoptr (DpOptions) shown = parse_good ("a.pdf -o -");
  g_autoptr (DpOptions) kept = parse_good ("- -o x.md");
  g_autoptr (DpOptions) dashed = parse_good ("-q -- -a.pdf");

  g_assert_true (dp_options_to_stdout (piped));
  g_assert_cmpint (piped->images, ==, DP_IMAGES_PLACEHOLDER);
  g_assert_true (dp_options_to_stdout (shown));
  g_assert_false (dp_options_to_stdout (kept));
  g_assert_cmpstr (dashed->inputs[0], ==, "-a.pdf");
}

static void
test_refused (void)
{
  static const struct {
    const char *line, *says;
  } cases[] = {
    { "", "no input" },
    { "--nope a.pdf", "--nope" },
    { "a.pdf -t docx", "'docx'" },
    { "a.pdf -t md,", "''" },
    { "a.pdf -t ''", "names nothing" },
    { "a.pdf --pages 0", "counted from 1" },
    { "a.pdf --pages 3-2", "backwards" },
    { "a.pdf --jobs 0", "from 1 to" },
    { "a.pdf --jobs 99999999999999", "from 1 to" },
    { "a.pdf --jobs two", "'two'" },
    { "a.pdf --image-dpi 5", "from 18 to 1200" },
    { "a.pdf --tables grid", "auto, html, pipe" },
    { "a.pdf --keep footer,everything", "'everything'" },
    { "a.pdf -o ''", "not a file name" },
    { "a.pdf -o", "-o" },
    { "''", "empty name" },
    { "- -", "only once" },
    { "a.pdf b.pdf -o -", "several inputs" },
    { "a.pdf -o - -t md,json", "only one format" },
    { "a.pdf -o - --images referenced", "referenced" },
    { "a.pdf -o - --overlay", "overlay" },
    { "a.pdf --device ''", "docparse devices" },
    { "a.pdf --device ../cpu", "docparse devices" },
    { "a.pdf --device cpu:x", "whole number" },
    { "a.pdf --threads 0", "from 1 to" },
    { "a.pdf --weights fp16", "bf16, int8, int4, f32" },
    { "a.pdf --kv-type int4", "bf16, int8, f32" },
    { "a.pdf --kv-page-size 0", "from 1 to 1024" },
    { "a.pdf --memory-budget 1", "from 16M" },
    { "a.pdf --memory-budget 2T", "from 16M" },
    { "a.pdf --memory-budget nan", "from 16M" },
    { "a.pdf --memory-budget 9e9G", "from 16M" },
    { "a.pdf -q -v", "contradict" },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++) {
    g_autoptr (GError) error = NULL;
    g_autoptr (DpOptions) o = parse (cases[i].line, &error);
    g_test_message ("%s", cases[i].line);
    g_assert_null (o);
    g_assert_nonnull (strstr (error->message, cases[i].says));
    g_assert_null (strchr (error->message, '\n'));
  }
}

static void
test_bytes (void)
{
  char *const argv[] = { "docparse", "b\xff.pdf", "--page-break", "\xff", NULL };
  char *const name_only[] = { "docparse", "b\xff.pdf", "-o", "\xfe/", NULL };
  g_autoptr (GError) error = NULL;
  g_autoptr (DpOptions) bad = dp_options_parse (argv, &error);
  g_autoptr (DpOptions) good = dp_options_parse (name_only, NULL);

  g_assert_null (bad);
  g_assert_nonnull (strstr (error->message, "UTF-8"));
  g_assert_cmpstr (good->inputs[0], ==, "b\xff.pdf");
  g_assert_cmpstr (good->output, ==, "\xfe/");
}

/* Help and version win over everything that would be wrong with the line. */
static void
test_help (void)
{
  g_autoptr (DpOptions) help = parse_good ("--help");
  g_autoptr (DpOptions) version = parse_good ("-V");
  g_autofree char *text = dp_options_help ();

  g_assert_true (help->help);
  g_assert_true (version->version);
  g_assert_nonnull (strstr (text, "--page-timeout"));
  g_assert_nonnull (strstr (text, "--keep"));
}

static void
test_password (void)
{
  g_autofree char *directory = g_dir_make_tmp ("docparse-test-XXXXXX", NULL);
  g_autofree char *file = g_build_filename (directory, "secret", NULL);
  g_autofree char *line = g_strdup_printf ("a.pdf --password-file %s", file);
  g_autoptr (DpOptions) from_file = parse_good (line);
  g_autoptr (DpOptions) from_line = parse_good ("a.pdf --password here");
  g_autoptr (DpOptions) from_environment = parse_good ("a.pdf");
  g_autoptr (DpOptions) missing = parse_good ("a.pdf --password-file /nonexistent/secret");
  g_autoptr (GError) error = NULL;

  g_assert_true (g_file_set_contents (file, "two words\r\nmore\n", -1, NULL));
  g_setenv ("DOCPARSE_PASSWORD", "of the environment", TRUE);
  g_assert_true (dp_options_load_password (from_file, NULL));
  g_assert_cmpstr (from_file->password, ==, "two words");
  g_assert_true (dp_options_load_password (from_line, NULL));
  g_assert_cmpstr (from_line->password, ==, "here");
  g_assert_true (dp_options_load_password (from_environment, NULL));
  g_assert_cmpstr (from_environment->password, ==, "of the environment");
  g_assert_false (dp_options_load_password (missing, &error));
  g_assert_error (error, G_FILE_ERROR, G_FILE_ERROR_NOENT);
  g_unlink (file);
  g_rmdir (directory);
}

/* ---- names of outputs ------------------------------------------------------------------------ */

static DpInput *
input_new (const char *path, const char *relative)
{
  DpInput *input = g_new0 (DpInput, 1);

  input->path = g_strdup (path);
  input->relative = g_strdup (relative);
  return input;
}

/* Markdown names of inputs "path|relative", as planned for a line of options. */
static char *
planned (const char *line, const char *const *names)
{
  g_autoptr (DpOptions) o = parse_good (line);
  g_autoptr (GPtrArray) inputs = g_ptr_array_new_with_free_func ((GDestroyNotify) dp_input_free);
  GString *out = g_string_new (NULL);

  for (; *names; names++) {
    g_auto (GStrv) parts = g_strsplit (*names, "|", 2);
    g_ptr_array_add (inputs, input_new (parts[0], parts[1]));
  }
  g_autoptr (GPtrArray) targets = dp_targets_plan (o, inputs, NULL);
  for (guint i = 0; i < targets->len; i++)
    g_string_append_printf (out, "%s%s", i ? " " : "", ((DpTarget *) g_ptr_array_index (targets, i))->files[DP_FORMAT_MARKDOWN]);
  return g_string_free (out, FALSE);
}

static void
test_targets (void)
{
  g_autofree char *beside = planned ("d/a.pdf", (const char *[]){ "d/a.pdf|a.pdf", NULL });
  g_autofree char *tree = planned ("in -o out/", (const char *[]){ "in/a.pdf|a.pdf", "in/s/a.PNG|s/a.PNG", NULL });
  g_autofree char *equal
      = planned ("x -o out/", (const char *[]){ "x/a.pdf|a.pdf", "y/a.pdf|a.pdf", "x/a.png|a.png", "x/a_2.pdf|a_2.pdf", NULL });
  g_autofree char *mineru = planned ("a.pdf --layout mineru -o out", (const char *[]){ "a.pdf|a.pdf", NULL });
  g_autofree char *dots = planned ("x -o out/", (const char *[]){ "v1.2.pdf|v1.2.pdf", "no-ending|no-ending", ".pdf|.pdf", NULL });

  g_assert_cmpstr (beside, ==, "d/a.md");
  g_assert_cmpstr (tree, ==, "out/a.md out/s/a.md");
  g_assert_cmpstr (equal, ==, "out/a.md out/a_3.md out/a_4.md out/a_2.md");
  g_assert_cmpstr (mineru, ==, "out/a/auto/a.md");
  g_assert_cmpstr (dots, ==, "out/v1.2.md out/no-ending.md out/.pdf.md");
}

static void
test_target_of_file (void)
{
  g_autoptr (DpOptions) o = parse_good ("a.pdf -o d/book.md -t json,md --overlay");
  g_autoptr (GPtrArray) inputs = g_ptr_array_new_with_free_func ((GDestroyNotify) dp_input_free);

  g_ptr_array_add (inputs, input_new ("a.pdf", "a.pdf"));
  g_autoptr (GPtrArray) targets = dp_targets_plan (o, inputs, NULL);
  const DpTarget *target = g_ptr_array_index (targets, 0);
  g_assert_cmpstr (target->files[DP_FORMAT_MARKDOWN], ==, "d/book.md");
  g_assert_cmpstr (target->files[DP_FORMAT_JSON], ==, "d/book.json");
  g_assert_cmpstr (target->overlay, ==, "d/book_layout.pdf");
  g_assert_cmpstr (target->image_dir, ==, "d/book_images");
  g_assert_cmpstr (target->image_dir_name, ==, "book_images");
  g_assert_null (target->files[DP_FORMAT_HTML]);
}

static void
test_long_names (void)
{
  g_autofree char *stem = g_strnfill (250, 'x');
  g_autofree char *first = g_strdup_printf ("%sa.pdf|%sa.pdf", stem, stem);
  g_autofree char *second = g_strdup_printf ("%sb.pdf|%sb.pdf", stem, stem);
  g_autofree char *names = planned ("x -o o/", (const char *[]){ first, second, NULL });
  g_auto (GStrv) both = g_strsplit (names, " ", 2);

  g_assert_cmpstr (both[0], !=, both[1]);
  for (guint i = 0; i < 2; i++) {
    g_assert_cmpuint (strlen (both[i]), ==, strlen ("o/") + 200 + strlen (".md"));
    g_assert_true (g_str_has_prefix (both[i], "o/xxxxxxxx"));
  }
}

static void
test_quota (void)
{
  g_assert_cmpuint (dp_processors_of_quota ("max 100000\n"), ==, 0);
  g_assert_cmpuint (dp_processors_of_quota ("200000 100000\n"), ==, 2);
  g_assert_cmpuint (dp_processors_of_quota ("150000 100000\n"), ==, 2);
  g_assert_cmpuint (dp_processors_of_quota ("1000 100000"), ==, 1);
  g_assert_cmpuint (dp_processors_of_quota ("100000 0"), ==, 0);
  g_assert_cmpuint (dp_processors_of_quota (""), ==, 0);
  g_assert_cmpuint (dp_processors_of_quota ("9223372036854775807 1"), ==, 1u << 20);
  g_assert_cmpuint (dp_processors (), >=, 1);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/options/attached-values", test_attached_values);
  g_test_add_func ("/options/defaults", test_defaults);
  g_test_add_func ("/options/values", test_values);
  g_test_add_func ("/options/formats", test_formats);
  g_test_add_func ("/options/model", test_model);
  g_test_add_func ("/options/model-folder", test_model_folder);
  g_test_add_func ("/options/stdout", test_stdout);
  g_test_add_func ("/options/refused", test_refused);
  g_test_add_func ("/options/bytes", test_bytes);
  g_test_add_func ("/options/help", test_help);
  g_test_add_func ("/options/password", test_password);
  g_test_add_func ("/targets/names", test_targets);
  g_test_add_func ("/targets/file", test_target_of_file);
  g_test_add_func ("/targets/long-names", test_long_names);
  g_test_add_func ("/processors/quota", test_quota);
  return g_test_run ();
}
