/* pipeline/pdf_warm.c - see pdf_warm.h. */
#include "pipeline/pdf_warm.h"

#include <fontconfig/fontconfig.h>
#include <string.h>

#include "layout/scan_leptonica.h"
#include "pipeline/poppler.h"

/* Kept for the life of the process, so that poppler's and glibc's tables stay loaded.  Nobody reads it, so the compiler would
 * forget it, and LeakSanitizer then sees nobody who holds what is kept. */
static struct {
  PopplerDocument *document;
  GIConv utf16, latin1;
} kept __attribute__ ((used));

/* ---- fontconfig ------------------------------------------------------------------------------------ */

/* A directory with at least one cache file of fontconfig (fonts.conf(5): "*.cache-N"). */
static gboolean
has_font_cache (const char *directory)
{
  GDir *dir = g_dir_open (directory, 0, NULL);
  gboolean found = FALSE;
  const char *name;

  while (dir && !found && (name = g_dir_read_name (dir)))
    found = strstr (name, ".cache-") != NULL;
  if (dir)
    g_dir_close (dir);
  return found;
}

static gboolean
is_there (const char *base, const char *below)
{
  g_autofree char *path = g_strconcat (base, below, NULL);

  return g_file_test (path, G_FILE_TEST_EXISTS);
}

/* Reading its configuration and caches costs fontconfig 6 ms on a machine with a thousand fonts, as
 * much as a short document takes, and poppler asks it only for fonts that a PDF does not bring.  So
 * it is left to poppler, which then reads the same files inside the sandbox.  Not where that would
 * not do: the caches must be written first, or somebody has named other places for fonts. */
gboolean
dp_fontconfig_is_plain (const char *root, const char *home, const char *const *environment)
{
  static const char *const variables[] = { "FONTCONFIG_", "FC_", "XDG_CONFIG_HOME=", "XDG_CACHE_HOME=", "XDG_DATA_HOME=" };
  g_autofree char *system_cache = g_strconcat (root, "/var/cache/fontconfig", NULL);
  g_autofree char *own_cache = g_strconcat (home, "/.cache/fontconfig", NULL);

  for (const char *const *e = environment; e && *e; e++)
    for (guint i = 0; i < G_N_ELEMENTS (variables); i++)
      if (g_str_has_prefix (*e, variables[i]))
        return FALSE;
  if (is_there (root, "/etc/fonts/local.conf") || is_there (home, "/.config/fontconfig") || is_there (home, "/.fonts.conf")
      || is_there (home, "/.fonts.conf.d"))
    return FALSE;
  return is_there (root, "/etc/fonts/fonts.conf") && (has_font_cache (system_cache) || has_font_cache (own_cache));
}

static void
add_places (GPtrArray *places, FcStrList *list)
{
  const FcChar8 *path;

  if (!list)
    return;
  while ((path = FcStrListNext (list)))
    g_ptr_array_add (places, g_strdup ((const char *) path));
  FcStrListDone (list);
}

static char **
prepare_fonts (void)
{
  GPtrArray *places = g_ptr_array_new ();
  g_auto (GStrv) environment = g_get_environ ();

  if (!dp_fontconfig_is_plain ("", g_get_home_dir (), (const char *const *) environment)) {
    FcInit ();
    add_places (places, FcConfigGetConfigDirs (NULL));
    add_places (places, FcConfigGetCacheDirs (NULL));
    add_places (places, FcConfigGetFontDirs (NULL));
  }
  g_ptr_array_add (places, NULL);
  return (char **) g_ptr_array_free (places, FALSE);
}

/* ---- the rest ---------------------------------------------------------------------------------------- */

/* A PDF of one empty page, without a cross-reference table; poppler makes one. */
static const char warm_pdf[] = "%PDF-1.4\n"
                               "1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj\n"
                               "2 0 obj<</Type/Pages/Kids[3 0 R]/Count 1>>endobj\n"
                               "3 0 obj<</Type/Page/Parent 2 0 R/MediaBox[0 0 9 9]>>endobj\n"
                               "trailer<</Root 1 0 R>>\n%%EOF\n";

char **
dp_pdf_warm_up (gboolean pictures, GError **error)
{
  g_autoptr (GBytes) bytes = g_bytes_new_static (warm_pdf, sizeof warm_pdf - 1);

  if (!dp_poppler_load (error) || (pictures && !dp_leptonica_load (error)))
    return NULL;
  kept.utf16 = g_iconv_open ("UTF-8", "UTF-16BE");
  kept.latin1 = g_iconv_open ("ISO-8859-1", "UTF-8");
  kept.document = dp_poppler ()->document_new_from_bytes (bytes, NULL, NULL);
  return prepare_fonts ();
}
