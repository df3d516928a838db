/* tests/fuzz/fuzz_pdf_units.c - libFuzzer target: any bytes as a PDF whose UserUnits are asked for.
 *
 *   fuzz_pdf_units --seed DIR    writes small files to start from
 */
#include "pipeline/pdf_units.h"

#include <gio/gio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput (const guint8 *data, size_t size);
int LLVMFuzzerInitialize (int *argc, char ***argv);

int
LLVMFuzzerTestOneInput (const guint8 *data, size_t size)
{
  enum { N_PAGES = 5 };
  g_autofree guint8 *copy = g_memdup2 (data, size); /* exactly as long */
  g_autoptr (DpPdfUnits) units = dp_pdf_units_read (copy, size, N_PAGES);

  for (guint i = 0; i <= N_PAGES + 1; i++) {
    const double unit = dp_pdf_units_of (units, i, 13, 7);
    if (!(unit >= 0.01 && unit <= 75000) || ((i == 0 || i > N_PAGES) && unit != 1))
      abort ();
  }
  return 0;
}

static void
write_seed (const char *directory, const char *name, const GString *bytes)
{
  g_autofree char *path = g_build_filename (directory, name, NULL);

  g_file_set_contents (path, bytes->str, (gssize) bytes->len, NULL);
}

int
LLVMFuzzerInitialize (int *argc, char ***argv)
{
  static const char objects[] = "1 0 2 29 3 51 <</Type/Catalog/Pages 2 0 R>><</Kids[3 0 R 3 0 R]>> <</Type/Page/UserUnit 2.5>>";
  g_autoptr (GString) plain
      = g_string_new ("1 0 obj<</Pages 2 0 R>>endobj 2 0 obj<</Kids[3 0 R]>>endobj\n3 0 obj<</A(\\))/UserUnit 4 0 R>>endobj\n"
                      "4 0 obj 2 endobj 5 0 obj<</Length 3>>stream\nabc\nendstream endobj trailer<</Root 1 0 R>>");
  g_autoptr (GString) packed = g_string_new (NULL);
  g_autoptr (GConverter) zlib = G_CONVERTER (g_zlib_compressor_new (G_ZLIB_COMPRESSOR_FORMAT_ZLIB, 6));
  char buffer[512];
  gsize taken, made;

  if (*argc != 3 || strcmp ((*argv)[1], "--seed") != 0)
    return 0;
  if (g_converter_convert (zlib, objects, sizeof objects - 1, buffer, sizeof buffer, G_CONVERTER_INPUT_AT_END, &taken, &made, NULL)
      != G_CONVERTER_FINISHED)
    abort ();
  g_string_append_printf (packed, "9 0 obj<</Type/ObjStm/N 3/First 15/Filter/FlateDecode/Length %zu>>stream\n", made);
  g_string_append_len (packed, buffer, (gssize) made);
  g_string_append (packed, "\nendstream endobj 8 0 obj<</Type/XRef/Root 1 0 R/Length 1>>stream\nx\nendstream endobj");
  write_seed ((*argv)[2], "plain", plain);
  write_seed ((*argv)[2], "packed", packed);
  g_string_replace (packed, "/Filter/FlateDecode", "", 1);
  write_seed ((*argv)[2], "damaged", packed);
  exit (0);
}
