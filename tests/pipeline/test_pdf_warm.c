/* tests/pipeline/test_pdf_warm.c - when fontconfig may start late, and libraries that are not there. */
#include <glib/gstdio.h>
#include <math.h>

#include "layout/library.h"
#include "pipeline/pdf_warm.h"

typedef struct {
  char *root, *home;
} Machine;

static void
write_below (const char *base, const char *below)
{
  g_autofree char *path = g_strconcat (base, below, NULL);
  g_autofree char *dir = g_path_get_dirname (path);

  g_assert_cmpint (g_mkdir_with_parents (dir, 0700), ==, 0);
  g_assert_true (g_file_set_contents (path, "", 0, NULL));
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
  g_assert_cmpint (g_remove (path), ==, 0);
}

/* A machine with fontconfig as Debian installs it. */
static void
set_up (Machine *m, gconstpointer unused)
{
  (void) unused;
  m->root = g_dir_make_tmp ("docparse-root-XXXXXX", NULL);
  m->home = g_dir_make_tmp ("docparse-home-XXXXXX", NULL);
  write_below (m->root, "/etc/fonts/fonts.conf");
  write_below (m->root, "/var/cache/fontconfig/0123-le64.cache-8");
}

static void
tear_down (Machine *m, gconstpointer unused)
{
  (void) unused;
  remove_tree (m->root);
  remove_tree (m->home);
  g_free (m->root);
  g_free (m->home);
}

static gboolean
plain (const Machine *m, const char *variable)
{
  const char *const environment[] = { "HOME=/root", "PATH=/bin", variable, NULL };

  return dp_fontconfig_is_plain (m->root, m->home, environment);
}

static void
test_usual (Machine *m, gconstpointer unused)
{
  (void) unused;
  g_assert_true (plain (m, NULL));
  g_assert_true (plain (m, "LANG=C"));
  g_assert_false (plain (m, "FONTCONFIG_FILE=/opt/fonts.conf"));
  g_assert_false (plain (m, "XDG_CACHE_HOME=/tmp"));
}

/* fontconfig writes its caches at the first start, which the sandbox would forbid. */
static void
test_without_cache (Machine *m, gconstpointer unused)
{
  g_autofree char *cache = g_strconcat (m->root, "/var/cache/fontconfig/0123-le64.cache-8", NULL);

  (void) unused;
  g_assert_cmpint (g_remove (cache), ==, 0);
  g_assert_false (plain (m, NULL));
  write_below (m->root, "/var/cache/fontconfig/CACHEDIR.TAG");
  g_assert_false (plain (m, NULL));
  write_below (m->home, "/.cache/fontconfig/0123-le64.cache-8");
  g_assert_true (plain (m, NULL));
}

static void
test_own_places (Machine *m, gconstpointer below)
{
  write_below (g_str_has_prefix (below, "/etc") ? m->root : m->home, below);
  g_assert_false (plain (m, NULL));
}

/* Where fonts lie is asked where the places are not the usual ones: text in a font that cannot be opened would be lost. */
static void
test_font_places (Machine *m, gconstpointer unused)
{
  g_autofree char *configuration = g_strconcat (m->root, "/etc/fonts/fonts.conf", NULL), *fonts = g_strconcat (m->root, "/fonts", NULL);
  g_autofree char *text = g_strdup_printf ("<fontconfig><dir>%s</dir></fontconfig>", fonts);
  g_autoptr (GError) error = NULL;

  (void) unused;
  write_below (m->root, "/fonts/none.txt");
  g_assert_true (g_file_set_contents (configuration, text, -1, NULL));
  g_setenv ("FONTCONFIG_FILE", configuration, TRUE);
  g_auto (GStrv) places = dp_pdf_warm_up (FALSE, &error);
  g_unsetenv ("FONTCONFIG_FILE");
  g_assert_no_error (error);
  g_assert_true (g_strv_contains ((const char *const *) places, fonts));
}

/* ---- libraries --------------------------------------------------------------------------------------- */

static void
test_library (void)
{
  static const char *const names[] = { "cos", "sin" }, *const wrong[] = { "cos", "no_such_function" };
  static struct {
    double (*cosine) (double);
    double (*sine) (double);
  } table, other;
  static DpLibrary good = { .soname = "libm.so.6", .names = names, .table = &table, .n = 2 };
  static DpLibrary lacking = { .soname = "libm.so.6", .names = wrong, .table = &other, .n = 2 };
  static DpLibrary missing = { .soname = "libdocparse-none.so.1", .names = names, .table = &other, .n = 2 };
  g_autoptr (GError) error = NULL;

  g_assert_true (dp_library_load (&good, &error) == &table);
  g_assert_no_error (error);
  g_assert_cmpfloat (table.cosine (0), ==, 1);
  g_assert_cmpfloat (table.sine (0), ==, 0);
  g_assert_true (dp_library_need (&good) == &table);

  g_assert_null (dp_library_load (&lacking, &error));
  g_assert_error (error, DP_LIBRARY_ERROR, DP_LIBRARY_ERROR_MISSING);
  g_assert_nonnull (strstr (error->message, "no_such_function"));
  g_clear_error (&error);
  for (guint again = 0; again < 2; again++) {
    g_assert_null (dp_library_load (&missing, &error));
    g_assert_error (error, DP_LIBRARY_ERROR, DP_LIBRARY_ERROR_MISSING);
    g_assert_nonnull (strstr (error->message, "libdocparse-none.so.1"));
    g_clear_error (&error);
  }
}

int
main (int argc, char **argv)
{
  static const char *const places[] = { "/etc/fonts/local.conf", "/.config/fontconfig/fonts.conf", "/.fonts.conf", "/.fonts.conf.d/a" };

  g_test_init (&argc, &argv, NULL);
  g_test_add ("/warm/fontconfig/usual", Machine, NULL, set_up, test_usual, tear_down);
  g_test_add ("/warm/fontconfig/without-cache", Machine, NULL, set_up, test_without_cache, tear_down);
  for (guint i = 0; i < G_N_ELEMENTS (places); i++) {
    g_autofree char *path = g_strconcat ("/warm/fontconfig/own", places[i], NULL);
    g_test_add (path, Machine, places[i], set_up, test_own_places, tear_down);
  }
  g_test_add ("/warm/fontconfig/places", Machine, NULL, set_up, test_font_places, tear_down);
  g_test_add_func ("/warm/library", test_library);
  return g_test_run ();
}
