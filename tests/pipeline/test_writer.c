/* tests/pipeline/test_writer.c - files appear whole or not at all, inputs are never overwritten. */
#include "pipeline/writer.h"

#include <fcntl.h>
#include <glib/gstdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

typedef struct {
  char *directory;
} Fixture;

static void
set_up (Fixture *f, gconstpointer unused)
{
  (void) unused;
  f->directory = g_dir_make_tmp ("docparse-test-XXXXXX", NULL);
  g_assert_nonnull (f->directory);
}

static void
remove_tree (const char *path)
{
  GDir *dir = g_dir_open (path, 0, NULL);
  const char *name;

  while (dir && (name = g_dir_read_name (dir))) {
    g_autofree char *child = g_build_filename (path, name, NULL);
    remove_tree (child);
  }
  if (dir)
    g_dir_close (dir);
  g_remove (path);
}

static void
tear_down (Fixture *f, gconstpointer unused)
{
  (void) unused;
  remove_tree (f->directory);
  g_free (f->directory);
}

static guint
count_files (const char *directory)
{
  g_autoptr (GDir) dir = g_dir_open (directory, 0, NULL);
  guint n = 0;

  while (dir && g_dir_read_name (dir))
    n++;
  return n;
}

static char *
contents (const char *path)
{
  char *text = NULL;

  g_file_get_contents (path, &text, NULL, NULL);
  return text;
}

static void
test_commit (Fixture *f, gconstpointer unused)
{
  g_autofree char *file = g_build_filename (f->directory, "a", "b", "out.md", NULL);
  g_autoptr (DpWriter) writer = dp_writer_new (NULL);
  g_autoptr (GError) error = NULL;

  (void) unused;
  g_assert_true (dp_writer_add (writer, file, "text", 4, &error));
  g_assert_false (g_file_test (file, G_FILE_TEST_EXISTS));
  g_assert_true (dp_writer_commit (writer, &error));
  g_autofree char *text = contents (file);
  g_assert_cmpstr (text, ==, "text");
  g_autofree char *folder = g_path_get_dirname (file);
  g_assert_cmpuint (count_files (folder), ==, 1);
}

/* Nothing stays of a document that was not finished, not even the directories. */
static void
test_drop (Fixture *f, gconstpointer unused)
{
  g_autofree char *file = g_build_filename (f->directory, "a", "b", "out.md", NULL);
  g_autofree char *picture = g_build_filename (f->directory, "a", "b_images", "1.png", NULL);
  DpWriter *writer = dp_writer_new (NULL);

  (void) unused;
  g_assert_true (dp_writer_add (writer, file, "text", 4, NULL));
  g_assert_true (dp_writer_add (writer, picture, "png", 3, NULL));
  g_assert_nonnull (dp_writer_reserve (writer, picture, NULL));
  dp_writer_free (writer);
  g_assert_cmpuint (count_files (f->directory), ==, 0);
}

static void
test_replace (Fixture *f, gconstpointer unused)
{
  g_autofree char *file = g_build_filename (f->directory, "out.md", NULL);
  g_autofree char *link = g_build_filename (f->directory, "link.md", NULL);
  g_autoptr (DpWriter) writer = dp_writer_new (NULL);
  struct stat st;

  (void) unused;
  g_assert_true (g_file_set_contents (file, "old", -1, NULL));
  g_assert_cmpint (g_chmod (file, 0600), ==, 0);
  g_assert_cmpint (symlink ("out.md", link), ==, 0);
  g_assert_true (dp_writer_add (writer, link, "new", 3, NULL));
  g_assert_true (dp_writer_commit (writer, NULL));
  g_autofree char *text = contents (file);
  g_assert_cmpstr (text, ==, "new");
  g_assert_cmpint (lstat (link, &st), ==, 0);
  g_assert_true (S_ISLNK (st.st_mode)); /* the link still is one */
  g_assert_cmpint (stat (file, &st), ==, 0);
  g_assert_cmpuint (st.st_mode & 0777, ==, 0600);
}

static void
test_inputs (Fixture *f, gconstpointer unused)
{
  g_autofree char *input = g_build_filename (f->directory, "in.pdf", NULL);
  g_autofree char *other = g_build_filename (f->directory, "hard.md", NULL);
  g_autoptr (DpFileSet) inputs = dp_file_set_new ();
  g_autoptr (GError) error = NULL;

  (void) unused;
  g_assert_true (g_file_set_contents (input, "precious", -1, NULL));
  g_assert_cmpint (link (input, other), ==, 0);
  dp_file_set_add (inputs, input);
  dp_file_set_add (inputs, "/nonexistent");
  g_assert_true (dp_file_set_contains (inputs, other));
  g_assert_false (dp_file_set_contains (inputs, f->directory));

  g_autoptr (DpWriter) writer = dp_writer_new (inputs);
  g_assert_false (dp_writer_add (writer, other, "x", 1, &error)); /* the same file by another name */
  g_assert_error (error, DP_WRITER_ERROR, DP_WRITER_ERROR_IS_INPUT);
  g_autofree char *text = contents (input);
  g_assert_cmpstr (text, ==, "precious");
}

static void
test_refused (Fixture *f, gconstpointer unused)
{
  g_autofree char *file = g_build_filename (f->directory, "file", NULL);
  g_autofree char *below = g_build_filename (file, "out.md", NULL);
  g_autoptr (DpWriter) writer = dp_writer_new (NULL);
  g_autoptr (GError) error = NULL;

  (void) unused;
  g_assert_true (g_file_set_contents (file, "", -1, NULL));
  g_assert_false (dp_writer_add (writer, below, "x", 1, &error));
  g_assert_error (error, DP_WRITER_ERROR, DP_WRITER_ERROR_WRITE);
  g_assert_nonnull (strstr (error->message, file));
  g_clear_error (&error);
  /* a directory of that name shows when names are given */
  g_assert_true (dp_writer_add (writer, f->directory, "x", 1, &error));
  g_assert_false (dp_writer_commit (writer, &error));
  g_assert_error (error, DP_WRITER_ERROR, DP_WRITER_ERROR_WRITE);
}

/* A device is written to and stays what it is. */
static void
test_device (void)
{
  g_autoptr (DpWriter) writer = dp_writer_new (NULL);
  g_autoptr (DpWriter) full = dp_writer_new (NULL);
  g_autoptr (GError) error = NULL;
  struct stat st;

  g_assert_true (dp_writer_add (writer, "/dev/null", "text", 4, NULL));
  g_assert_true (dp_writer_commit (writer, NULL));
  g_assert_cmpint (stat ("/dev/null", &st), ==, 0);
  g_assert_true (S_ISCHR (st.st_mode));

  g_assert_true (dp_writer_add (full, "/dev/full", "text", 4, NULL));
  g_assert_false (dp_writer_commit (full, &error));
  g_assert_error (error, DP_WRITER_ERROR, DP_WRITER_ERROR_WRITE);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add ("/writer/commit", Fixture, NULL, set_up, test_commit, tear_down);
  g_test_add ("/writer/drop", Fixture, NULL, set_up, test_drop, tear_down);
  g_test_add ("/writer/replace", Fixture, NULL, set_up, test_replace, tear_down);
  g_test_add ("/writer/inputs", Fixture, NULL, set_up, test_inputs, tear_down);
  g_test_add ("/writer/refused", Fixture, NULL, set_up, test_refused, tear_down);
  g_test_add_func ("/writer/device", test_device);
  return g_test_run ();
}
