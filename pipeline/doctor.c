/* pipeline/doctor.c - facts about the installation, for reports of faults. */
#include "pipeline/doctor.h"

#include "ops/stream.h"
#include "pipeline/log.h"
#include "pipeline/model_host.h"
#include "pipeline/options.h"
#include "pipeline/pictures.h"
#include "pipeline/processors.h"
#include "pipeline/sandbox.h"

#include <cairo.h>
#include <cjson/cJSON.h>
#include <cmark.h>
#include <fontconfig/fontconfig.h>
#include <png.h>
#include <seccomp.h>
#include <string.h>
#include <sys/utsname.h>
#include <utf8proc.h>

static void
say_libraries (void)
{
  const struct scmp_version *seccomp = seccomp_version ();
  g_autofree char *leptonica = dp_picture_decoders ();

  dp_say ("Libraries\n");
  dp_say ("  GLib        %u.%u.%u\n", glib_major_version, glib_minor_version, glib_micro_version);
  dp_say ("  poppler     %s\n", dp_poppler ()->get_version ());
  dp_say ("  cairo       %s\n", cairo_version_string ());
  dp_say ("  libpng      %s\n", png_get_libpng_ver (NULL));
  dp_say ("  cJSON       %s\n", cJSON_Version ());
  dp_say ("  cmark       %s\n", cmark_version_string ());
  dp_say ("  Leptonica   %s\n", g_str_has_prefix (leptonica, "leptonica-") ? leptonica + strlen ("leptonica-") : leptonica);
  dp_say ("  utf8proc    %s\n", utf8proc_version ());
  if (seccomp)
    dp_say ("  libseccomp  %u.%u.%u\n", seccomp->major, seccomp->minor, seccomp->micro);
}

/* First value of a field of /proc/cpuinfo, or NULL. */
static char *
cpuinfo_field (const char *cpuinfo, const char *field)
{
  g_auto (GStrv) lines = g_strsplit (cpuinfo, "\n", -1);

  for (char **line = lines; *line; line++) {
    const char *colon = strchr (*line, ':');
    if (colon && g_str_has_prefix (*line, field) && strchr (" \t:", (*line)[strlen (field)]))
      return g_strstrip (g_strdup (colon + 1));
  }
  return NULL;
}

/* The instruction sets that kernels may use, of those the processor has. */
static void
say_processor (void)
{
  static const char *const interesting[]
      = { "sse4_2",   "avx",      "f16c",     "fma",   "avx2",    "avx_vnni", "avx512f", "avx512bw", "avx512_vnni", "avx512_bf16",
          "amx_tile", "amx_int8", "amx_bf16", "asimd", "asimddp", "i8mm",     "bf16",    "sve",      "sve2" };
  g_autofree char *cpuinfo = NULL;
  struct utsname system;

  dp_say ("Processor\n");
  if (uname (&system) == 0)
    dp_say ("  system      %s %s, %s\n", system.sysname, system.release, system.machine);
  dp_say ("  usable      %u\n", dp_processors ());
  if (!g_file_get_contents ("/proc/cpuinfo", &cpuinfo, NULL, NULL))
    return;
  g_autofree char *model = cpuinfo_field (cpuinfo, "model name");
  g_autofree char *flags = cpuinfo_field (cpuinfo, "flags");
  if (!flags)
    flags = cpuinfo_field (cpuinfo, "Features");
  if (model)
    dp_say ("  model       %s\n", model);
  g_auto (GStrv) words = g_strsplit (flags ? flags : "", " ", -1);
  dp_say ("  features   ");
  for (gsize i = 0; i < G_N_ELEMENTS (interesting); i++)
    if (g_strv_contains ((const char *const *) words, interesting[i]))
      dp_say (" %s", interesting[i]);
  dp_say ("\n");
}

/* Which file stands in for a font that a PDF names but does not bring. */
static void
say_font (FcConfig *config, const char *label, const char *family, const char *language)
{
  FcPattern *wanted = FcPatternCreate ();
  FcResult result;
  FcChar8 *name = NULL, *file = NULL;

  if (family)
    FcPatternAddString (wanted, FC_FAMILY, (const FcChar8 *) family);
  if (language) {
    FcLangSet *languages = FcLangSetCreate ();
    FcLangSetAdd (languages, (const FcChar8 *) language);
    FcPatternAddLangSet (wanted, FC_LANG, languages);
    FcLangSetDestroy (languages);
  }
  FcConfigSubstitute (config, wanted, FcMatchPattern);
  FcDefaultSubstitute (wanted);
  FcPattern *found = FcFontMatch (config, wanted, &result);

  FcLangSet *spoken = NULL;
  gboolean speaks = TRUE;
  if (found && language && FcPatternGetLangSet (found, FC_LANG, 0, &spoken) == FcResultMatch)
    speaks = FcLangSetHasLang (spoken, (const FcChar8 *) language) != FcLangDifferentLang;
  if (!found || !speaks || FcPatternGetString (found, FC_FAMILY, 0, &name) != FcResultMatch
      || FcPatternGetString (found, FC_FILE, 0, &file) != FcResultMatch)
    dp_say ("  %-11s none\n", label);
  else
    dp_say ("  %-11s %s (%s)\n", label, (const char *) name, (const char *) file);
  if (found)
    FcPatternDestroy (found);
  FcPatternDestroy (wanted);
}

static void
say_fonts (void)
{
  const int version = FcGetVersion ();
  FcConfig *config = FcInitLoadConfigAndFonts ();

  dp_say ("Fonts that stand in for those a PDF does not bring (fontconfig %d.%d.%d)\n", version / 10000, version / 100 % 100,
          version % 100);
  if (!config) {
    dp_say ("  fontconfig has no configuration\n");
    return;
  }
  say_font (config, "Helvetica", "Helvetica", NULL);
  say_font (config, "Times", "Times", NULL);
  say_font (config, "Courier", "Courier", NULL);
  say_font (config, "Chinese", NULL, "zh-cn");
  say_font (config, "Japanese", NULL, "ja");
  say_font (config, "Korean", NULL, "ko");
  FcConfigDestroy (config);
}

/* Back ends in one line each; `docparse devices` says more. */
static void
say_backends (void)
{
  g_autoptr (GPtrArray) entries = dp_backend_list ();

  dp_say ("Back ends (docparse devices says more)\n");
  for (guint i = 0; i < entries->len; i++) {
    const DpBackendEntry *entry = g_ptr_array_index (entries, i);
    if (entry->klass)
      dp_say ("  %-11s %u device%s\n", entry->name, entry->klass->n_devices (), entry->klass->n_devices () == 1 ? "" : "s");
    else
      dp_say ("  %-11s not usable: %s\n", entry->name, entry->error->message);
  }
}

/* The document model that a run without options would use. */
static void
say_model (void)
{
  static const DpModelOptions standard = { 0 };
  const char *dir = dp_model_host_dir (&standard);
  g_autoptr (GError) error = NULL;
  DpModelConfig config;

  dp_say ("\nDocument model\n");
  if (!dir) {
    dp_say ("  none (--model DIR or DOCPARSE_MODEL)\n");
    return;
  }
  g_autofree char *name = g_filename_display_name (dir);
  dp_say ("  folder      %s\n", name);
  if (!dp_model_config_load (dir, &config, &error)) {
    dp_say ("  not usable: %s\n", error->message);
    return;
  }
  dp_say ("  type        %s, %u layers of %u, vision %u layers of %u\n", config.model_type, config.text.layers, config.text.hidden,
          config.vision.depth, config.vision.width);
  dp_say ("  context     %u tokens, pictures up to %u pixels\n", config.text.max_positions, config.image.max_pixels);
}

int
dp_cmd_doctor (int argc, char **argv)
{
  (void) argv;
  if (argc > 1 && strcmp (argv[1], "--help") == 0) {
    dp_say ("Usage:\n  docparse doctor\n\nPrints what this installation is made of.\n");
    return DP_EXIT_OK;
  }
  if (argc > 1) {
    dp_complain (FALSE, "doctor takes no arguments");
    return DP_EXIT_USAGE;
  }
  g_autofree char *sandbox = dp_sandbox_describe ();

  dp_say ("docparse " DP_VERSION "\n\n");
  say_libraries ();
  dp_say ("\n");
  say_processor ();
  dp_say ("\n");
  say_backends ();
  dp_say ("\nSandbox of the PDF library\n  %s\n\n", sandbox);
  say_fonts ();
  say_model ();
  return DP_EXIT_OK;
}
