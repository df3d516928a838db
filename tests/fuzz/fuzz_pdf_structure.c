/* tests/fuzz/fuzz_pdf_structure.c - libFuzzer target: any bytes as a tagged PDF, and as the content of a page.
 *
 * What is found keeps the promises of layout/page.h: depths that grow by one, marks sorted by page that point at tags.
 *
 *   fuzz_pdf_structure --seed DIR    writes small files to start from
 */
#include "layout/page.h"
#include "pipeline/pdf_content.h"
#include "pipeline/pdf_structure.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define N_PAGES 5

int LLVMFuzzerTestOneInput (const guint8 *data, size_t size);
int LLVMFuzzerInitialize (int *argc, char ***argv);

static void
check_tags (const GArray *tags)
{
  for (guint i = 0; i < tags->len; i++) {
    const DpTag *tag = &g_array_index (tags, DpTag, i);
    const guint deepest = i ? g_array_index (tags, DpTag, i - 1).depth + 1 : 0;

    if (tag->page > N_PAGES || tag->depth > deepest || !memchr (tag->kind, 0, sizeof tag->kind))
      abort ();
  }
}

static void
check_marks (const GArray *marks, guint n_tags)
{
  for (guint i = 0; i < marks->len; i++) {
    const DpMark *mark = &g_array_index (marks, DpMark, i);

    if (mark->page < 1 || mark->page > N_PAGES || mark->tag >= (gint) n_tags || !isfinite (mark->x) || !isfinite (mark->y))
      abort ();
    if (i > 0 && g_array_index (marks, DpMark, i - 1).page > mark->page)
      abort ();
  }
}

static gint
stands_for (const char *name, gpointer data)
{
  (void) data;
  return (gint) strlen (name) - 3; /* < 0: none */
}

int
LLVMFuzzerTestOneInput (const guint8 *data, size_t size)
{
  g_autofree guint8 *copy = g_memdup2 (data, size); /* exactly as long */
  g_autoptr (DpDocumentInfo) info = dp_document_info_new ();
  g_autoptr (DpPdfUnits) units = dp_pdf_units_read (copy, size, N_PAGES);
  g_autoptr (GArray) places = g_array_new (FALSE, FALSE, sizeof (DpContentMark));

  dp_pdf_structure_read (copy, size, N_PAGES, units, info->tags, info->marks);
  check_tags (info->tags);
  check_marks (info->marks, info->tags->len);
  dp_content_scan (copy, size, stands_for, NULL, places);
  return 0;
}

#define STREAM(number, text) number " 0 obj<<>>stream\n" text "\nendstream endobj\n"

static const char tagged[]
    = "1 0 obj<</Type/Catalog/Pages 2 0 R/StructTreeRoot 10 0 R>>endobj\n"
      "2 0 obj<</Type/Pages/Kids[3 0 R 4 0 R]/MediaBox[0 0 300 200]/CropBox[10 20 400 190]>>endobj\n"
      "3 0 obj<</Type/Page/Contents[5 0 R 6 0 R]/Resources<</Properties<</MC0<</MCID 1>>>>>>>>endobj\n"
      "4 0 obj<</Type/Page/Contents 7 0 R/Rotate 90/UserUnit 2>>endobj\n" STREAM ("5", "/X<</MCID 0>>BDC BT 30 150 Td (Title)")
          STREAM ("6", "Tj ET EMC /P/MC0 BDC BT 1 0 0 1 30 100 Tm [(Te)-20(xt)]TJ ET EMC /Artifact BMC BT 15 TL T* "
                       "(1) ' ET EMC")
              STREAM ("7", "q 2 0 0 2 0 0 cm /P<</MCID 0>>BDC BT 30 100 Td <5475726e> Tj ET EMC Q BI /W 1 /H 1 ID x "
                           "EI") "10 0 obj<</Type/StructTreeRoot/K 11 0 "
                                 "R/RoleMap<</Big#20Title/Head/Head/H2>>>>endobj\n"
                                 "11 0 obj<</S/Document/K[12 0 R<</S/P/Pg 3 0 R/K<</Type/MCR/MCID 1>>>>13 0 "
                                 "R]>>endobj\n"
                                 "12 0 obj<</S/Big#20Title/Pg 3 0 R/K 0>>endobj\n"
                                 "13 0 obj<</S/Table/K[<</S/TR/K[<</S/TH/A<</O/Table/ColSpan 2/Scope/Row>>>> 14 0 "
                                 "R]>>]>>endobj\n"
                                 "14 0 obj<</S/TD/Alt(x)/ActualText<FEFF00E9>/Pg 4 0 R/K[<</Type/OBJR/Obj 9 0 "
                                 "R>>0]>>endobj\n"
                                 "trailer<</Root 1 0 R>>\n";
static const char content[]
    = "/P<</MCID 0/Lang(en)>>BDC q 1 0 0 -1 0 792 cm BT /F 9 Tf 12 TL 10 20 TD (a\\)b) Tj 3 0 T* Tr (c) \" ET Q EMC";

static void
write_seed (const char *directory, const char *name, const char *bytes)
{
  g_autofree char *path = g_build_filename (directory, name, NULL);

  g_file_set_contents (path, bytes, -1, NULL);
}

int
LLVMFuzzerInitialize (int *argc, char ***argv)
{
  g_autofree char *sample = NULL;
  gsize length;

  if (*argc != 3 || strcmp ((*argv)[1], "--seed") != 0)
    return 0;
  write_seed ((*argv)[2], "tagged", tagged);
  write_seed ((*argv)[2], "content", content);
  if (g_file_get_contents ("samples/tagged.pdf", &sample, &length, NULL)) { /* packed objects, as programs write them */
    g_autofree char *path = g_build_filename ((*argv)[2], "sample", NULL);
    g_file_set_contents (path, sample, (gssize) length, NULL);
  }
  exit (0);
}
