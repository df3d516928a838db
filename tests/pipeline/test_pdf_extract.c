/* tests/pipeline/test_pdf_extract.c - what the extractor and the cairo tap see on tiny pages. */
#include "pipeline/pdf_extract.h"
#include "pipeline/pdf_fonts.h"
#include "tests/pipeline/content_pdf.h"

static const DpPdfLimits limits = DP_PDF_LIMITS_DEFAULT;

static DpPageArrays *
extract_bytes (GBytes *pdf, const DpPdfLimits *l)
{
  GError *error = NULL;
  PopplerDocument *document = poppler_document_new_from_bytes (pdf, NULL, &error);
  DpPageArrays *arrays = dp_page_arrays_new ();

  g_assert_no_error (error);
  g_assert_true (dp_pdf_extract_page (document, NULL, 1, l, arrays, &error));
  g_assert_no_error (error);
  g_object_unref (document);
  return arrays;
}

static DpPageArrays *
extract_with (const char *content, const char *page_extra, const DpPdfLimits *l)
{
  g_autoptr (GBytes) pdf = tiny_pdf (content, page_extra);

  return extract_bytes (pdf, l);
}

static DpPageArrays *
extract (const char *content)
{
  return extract_with (content, NULL, &limits);
}

static const DpGlyph *
glyph (const DpPageArrays *a, guint i)
{
  g_assert_cmpuint (i, <, a->glyphs->len);
  return &g_array_index (a->glyphs, DpGlyph, i);
}

static const DpGlyph *
glyph_of (const DpPageArrays *a, gunichar code)
{
  for (guint i = 0; i < a->glyphs->len; i++)
    if (glyph (a, i)->code == code)
      return glyph (a, i);
  g_assert_not_reached ();
}

static guint
count_kind (const DpPageArrays *a, DpPathKind kind)
{
  guint n = 0;

  for (guint i = 0; i < a->paths->len; i++)
    n += g_array_index (a->paths, DpPath, i).kind == kind;
  return n;
}

static void
assert_box (DpRect r, float x0, float y0, float x1, float y1)
{
  g_assert_cmpfloat_with_epsilon (r.x0, x0, 0.06);
  g_assert_cmpfloat_with_epsilon (r.y0, y0, 0.06);
  g_assert_cmpfloat_with_epsilon (r.x1, x1, 0.06);
  g_assert_cmpfloat_with_epsilon (r.y1, y1, 0.06);
}

static void
test_text (void)
{
  g_autoptr (DpPageArrays) a = extract ("BT /F1 12 Tf 1 0 0 rg 20 150 Td (Ab c) Tj /F2 18 Tf 0 0 1 rg 0 -50 Td (Z) Tj ET");

  g_assert_cmpuint (a->glyphs->len, ==, 4);
  g_assert_cmpuint (glyph (a, 0)->code, ==, 'A');
  g_assert_cmpfloat_with_epsilon (glyph (a, 0)->baseline, 50, 0.01);
  g_assert_cmpfloat_with_epsilon (glyph (a, 0)->size, 12, 0.01);
  g_assert_cmpfloat_with_epsilon (glyph (a, 0)->box.x0, 20, 0.01);
  g_assert_cmphex (glyph (a, 0)->colour, ==, 0xff0000);
  g_assert_cmphex (glyph (a, 0)->flags, ==, 0);
  g_assert_true (glyph (a, 1)->flags & DP_GLYPH_SPACE);
  g_assert_true (glyph (a, 2)->flags & DP_GLYPH_BREAK);
  g_assert_cmphex (glyph (a, 3)->flags & DP_GLYPH_BOLD, ==, DP_GLYPH_BOLD);
  g_assert_cmpfloat_with_epsilon (glyph (a, 3)->size, 18, 0.01);
  g_assert_cmpuint (glyph (a, 0)->paint, <, glyph (a, 3)->paint);
  g_assert_cmpuint (a->fonts->len, ==, 2);
  /* the space is painted too, but has no ink and so needs no character */
  g_assert_cmpuint (a->n_painted, ==, 4);
  g_assert_cmpuint (a->n_painted_unmapped, ==, 0);
}

static void
test_hidden (void)
{
  g_autoptr (DpPageArrays) invisible = extract ("BT /F1 12 Tf 20 150 Td (A) Tj 3 Tr 40 0 Td (B) Tj ET");
  g_autoptr (DpPageArrays) clipped = extract ("q 0 0 100 100 re W n BT /F1 12 Tf 20 50 Td (A) Tj 150 0 Td (B) Tj ET Q");
  g_autoptr (DpPageArrays) covered = extract ("BT /F1 12 Tf 20 150 Td (A) Tj 50 0 Td (B) Tj ET 1 g 60 140 60 30 re f");
  g_autoptr (DpPageArrays) under_image = extract ("BT /F1 12 Tf 20 150 Td (A) Tj 50 0 Td (B) Tj ET q 60 0 0 40 60 140 cm /Im Do Q");

  g_assert_cmphex (glyph (invisible, 0)->flags & DP_GLYPH_UNPAINTED, ==, 0);
  g_assert_true (glyph (invisible, 1)->flags & DP_GLYPH_UNPAINTED);
  g_assert_cmphex (glyph (clipped, 0)->flags & DP_GLYPH_UNPAINTED, ==, 0);
  g_assert_true (glyph (clipped, 1)->flags & DP_GLYPH_UNPAINTED);
  g_assert_cmphex (glyph (covered, 0)->flags & DP_GLYPH_COVERED, ==, 0);
  g_assert_true (glyph (covered, 1)->flags & DP_GLYPH_COVERED);
  g_assert_cmphex (glyph (under_image, 0)->flags & DP_GLYPH_COVERED, ==, 0);
  g_assert_true (glyph (under_image, 1)->flags & DP_GLYPH_COVERED);
}

/* Text above an area painted before it stays visible. */
static void
test_on_top (void)
{
  g_autoptr (DpPageArrays) a = extract ("0.9 g 10 140 100 30 re f 0 g BT /F1 12 Tf 20 150 Td (A) Tj ET");

  g_assert_cmphex (glyph (a, 0)->flags, ==, 0);
  g_assert_cmpuint (count_kind (a, DP_PATH_FILL), ==, 1);
}

/* The border of a box is one rectangle cut out of another, whichever comes first. */
static void
test_cut_out_frames (void)
{
  g_autoptr (DpPageArrays) outer = extract ("20 100 160 60 re 21 101 158 58 re f*");
  g_autoptr (DpPageArrays) inner = extract ("21 101 158 58 re 20 100 160 60 re f*");
  const DpPageArrays *both[] = { outer, inner };

  for (guint i = 0; i < 2; i++) {
    g_assert_cmpuint (count_kind (both[i], DP_PATH_FRAME), ==, 1);
    g_assert_cmpuint (count_kind (both[i], DP_PATH_HLINE), ==, 2);
    g_assert_cmpuint (count_kind (both[i], DP_PATH_VLINE), ==, 2);
    g_assert_cmpuint (count_kind (both[i], DP_PATH_FILL), ==, 0);
    assert_box (g_array_index (both[i]->paths, DpPath, 0).box, 21, 41, 179, 99);
  }
}

static void
test_outlined (void)
{
  g_autoptr (DpPageArrays) a = extract ("BT /F1 12 Tf 2 Tr 20 150 Td (A) Tj ET");

  g_assert_true (glyph (a, 0)->flags & DP_GLYPH_BOLD);
  g_assert_cmphex (glyph (a, 0)->flags & DP_GLYPH_UNPAINTED, ==, 0);
  g_assert_cmpuint (a->paths->len, ==, 0);
}

static void
test_directions (void)
{
  g_autoptr (DpPageArrays) a
      = extract ("BT /F1 10 Tf 0 1 -1 0 50 50 Tm (AB) Tj ET BT /F1 10 Tf 0.7071 0.7071 -0.7071 0.7071 150 50 Tm (C) Tj ET");
  g_autoptr (DpPageArrays) turned = extract_with ("BT /F1 10 Tf 0 1 -1 0 50 50 Tm (AB) Tj ET", "/Rotate 90", &limits);

  g_assert_cmpint (glyph_of (a, 'A')->angle, ==, 270);
  g_assert_cmpfloat_with_epsilon (glyph_of (a, 'A')->baseline, 50, 0.01);
  g_assert_cmphex (glyph_of (a, 'A')->flags & DP_GLYPH_SKEWED, ==, 0);
  g_assert_cmpint (glyph_of (a, 'C')->angle, ==, 315);
  g_assert_true (glyph_of (a, 'C')->flags & DP_GLYPH_SKEWED);
  g_assert_cmpfloat (turned->width, ==, 200);
  g_assert_cmpint (turned->rotation, ==, 90);
  g_assert_cmpint (a->rotation, ==, 0);
  for (gint rotation = 90; rotation < 360; rotation += 90) {
    g_autofree char *rotate = g_strdup_printf ("/Rotate %d", rotation);
    g_autoptr (DpPageArrays) page = extract_with ("BT /F1 10 Tf 50 50 Td (A) Tj ET", rotate, &limits);
    g_assert_cmpint (page->rotation, ==, rotation);
  }
  g_assert_cmpint (glyph (turned, 0)->angle, ==, 0);
}

/* A set rise and a moved pen look alike, in every direction; what stands in another column or on another line does not rise. */
static void
test_rise (void)
{
  g_autoptr (DpPageArrays) set
      = extract ("BT /F1 12 Tf 20 150 Td (Energy) Tj 5 Ts /F1 8 Tf (2) Tj -3 Ts (n) Tj 0 Ts /F1 12 Tf (more) Tj ET");
  g_autoptr (DpPageArrays) moved = extract ("BT /F1 12 Tf 20 150 Td (Energy) Tj /F1 8 Tf 39.35 4.5 Td (2) Tj ET");
  g_autoptr (DpPageArrays) columns = extract ("BT /F1 12 Tf 20 150 Td (Left) Tj 100 2 Td (Right) Tj -100 -30 Td (Below) Tj ET");
  const char *upwards = "BT /F1 12 Tf 0 1 -1 0 150 20 Tm (Energy) Tj 5 Ts /F1 8 Tf (2) Tj ET";

  g_assert_cmpfloat (glyph_of (set, 'E')->rise, ==, 0);
  g_assert_cmpfloat (glyph_of (set, 'm')->rise, ==, 0);
  g_assert_cmpfloat_with_epsilon (glyph_of (set, '2')->rise, 5, 0.01);
  g_assert_cmpfloat_with_epsilon (glyph (set, 7)->rise, -3, 0.01);
  g_assert_cmpfloat_with_epsilon (glyph_of (moved, '2')->rise, 4.5, 0.01);
  for (guint i = 0; i < columns->glyphs->len; i++)
    g_assert_cmpfloat (glyph (columns, i)->rise, ==, 0);
  for (gint rotation = 0; rotation < 360; rotation += 90) {
    g_autofree char *rotate = g_strdup_printf ("/Rotate %d", rotation);
    g_autoptr (DpPageArrays) page = extract_with (upwards, rotate, &limits);
    g_assert_cmpfloat (glyph_of (page, 'E')->rise, ==, 0);
    g_assert_cmpfloat_with_epsilon (glyph_of (page, '2')->rise, 5, 0.01);
  }
}

static void
test_rules (void)
{
  g_autoptr (DpPageArrays) stroked = extract ("1 w 20 100 m 220 100 l S 20 20 m 20 100 l S");
  g_autoptr (DpPageArrays) filled = extract ("20 99.5 200 1 re f 19.5 20 1 80 re f");
  const DpPath *p = &g_array_index (stroked->paths, DpPath, 0), *f = &g_array_index (filled->paths, DpPath, 0);

  g_assert_cmpuint (count_kind (stroked, DP_PATH_HLINE), ==, 1);
  g_assert_cmpuint (count_kind (stroked, DP_PATH_VLINE), ==, 1);
  assert_box (p->box, 20, 99.5f, 220, 100.5f);
  g_assert_cmpuint (count_kind (filled, DP_PATH_HLINE), ==, 1);
  g_assert_cmpuint (count_kind (filled, DP_PATH_VLINE), ==, 1);
  assert_box (f->box, 20, 99.5f, 220, 100.5f);
}

static void
test_frames (void)
{
  g_autoptr (DpPageArrays) stroked = extract ("1 w 20 20 100 60 re S");
  g_autoptr (DpPageArrays) ring = extract ("20 20 100 60 re 21 21 98 58 re f*");
  g_autoptr (DpPageArrays) thick = extract ("30 w 20 100 m 120 100 l S");

  g_assert_cmpuint (count_kind (stroked, DP_PATH_FRAME), ==, 1);
  g_assert_cmpuint (count_kind (stroked, DP_PATH_HLINE), ==, 2);
  g_assert_cmpuint (count_kind (stroked, DP_PATH_VLINE), ==, 2);
  g_assert_cmpuint (count_kind (ring, DP_PATH_FRAME), ==, 1);
  g_assert_cmpuint (count_kind (ring, DP_PATH_FILL), ==, 0);
  g_assert_cmpuint (count_kind (thick, DP_PATH_FILL), ==, 1);
  assert_box (g_array_index (thick->paths, DpPath, 0).box, 20, 85, 120, 115);
}

static void
test_drawings (void)
{
  g_autoptr (DpPageArrays) a = extract ("10 10 m 60 90 l S 100 100 m 120 140 160 140 180 100 c f");
  g_autoptr (DpPageArrays) clipped = extract ("q 0 0 50 200 re W n 0 1 0 rg 20 20 200 100 re f Q 100 20 30 30 re f");

  g_assert_cmpuint (count_kind (a, DP_PATH_SLANTED), ==, 1);
  g_assert_cmpuint (count_kind (a, DP_PATH_CURVE), ==, 1);
  assert_box (g_array_index (clipped->paths, DpPath, 0).box, 20, 80, 50, 180);
  g_assert_cmphex (g_array_index (clipped->paths, DpPath, 0).colour, ==, 0x00ff00);
  /* the clip ended with its saved state */
  assert_box (g_array_index (clipped->paths, DpPath, 1).box, 100, 150, 130, 180);
}

static void
test_images (void)
{
  g_autoptr (DpPageArrays) a = extract ("q 120 0 0 90 30 40 cm /Im Do Q");

  g_assert_cmpuint (a->images->len, ==, 1);
  assert_box (g_array_index (a->images, DpImage, 0).box, 30, 70, 150, 160);
  g_assert_cmphex (g_array_index (a->images, DpImage, 0).flags, ==, DP_IMAGE_STORED);
  /* pixels of the file */
  g_assert_cmpuint (g_array_index (a->images, DpImage, 0).width, ==, 2000);
  g_assert_cmpuint (g_array_index (a->images, DpImage, 0).height, ==, 2000);
}

/* Mirrored, turned or cut off, an image does not look as it is stored. */
static void
test_images_changed (void)
{
  static const char *const changed[]
      = { "q -120 0 0 90 150 40 cm /Im Do Q", "q 120 0 0 -90 30 130 cm /Im Do Q", "q 0 90 -120 0 150 40 cm /Im Do Q",
          "q 120 30 0 90 30 40 cm /Im Do Q", "q 30 40 60 90 re W n 120 0 0 90 30 40 cm /Im Do Q" };

  for (guint i = 0; i < G_N_ELEMENTS (changed); i++) {
    g_autoptr (DpPageArrays) a = extract (changed[i]);
    g_test_message ("%s", changed[i]);
    g_assert_cmpuint (a->images->len, ==, 1);
    g_assert_cmphex (g_array_index (a->images, DpImage, 0).flags, ==, 0);
  }
}

static void
test_link_borders (void)
{
  g_autoptr (DpPageArrays) a = extract_with ("20 30 200 60 re S",
                                             "/Annots[<</Type/Annot/Subtype/Link/Rect[40 100 90 112]/Border[0 0 1]/C[0 1 0]"
                                             "/A<</S/URI/URI(https://example.org/a)>>>>]",
                                             &limits);

  g_assert_cmpuint (a->links->len, ==, 1);
  assert_box (g_array_index (a->links, DpLink, 0).box, 40, 88, 90, 100);
  g_assert_cmpstr ((const char *) a->strings->data + g_array_index (a->links, DpLink, 0).uri, ==, "https://example.org/a");
  /* the page's own frame stays, the link's border goes */
  g_assert_cmpuint (count_kind (a, DP_PATH_FRAME), ==, 1);
  g_assert_cmpuint (a->paths->len, ==, 5);
}

/* What an annotation or the tiles of a pattern paint is no text of the page, and its own text is whole. */
static void
test_foreign_text (void)
{
  static const char body[] = "BT /F1 12 Tf 20 150 Td (Body) Tj ET /Pattern cs /P scn 20 20 200 100 re f";
  g_autoptr (GBytes) tiled = tiny_pdf_with (body, NULL, "/Pattern<</P 9 0 R>>",
                                            "<</Type/Pattern/PatternType 1/PaintType 1/TilingType 1/BBox[0 0 60 20]/XStep 60/YStep 20"
                                            "/Resources<</Font<</F1 5 0 R>>>>/Length 33>>\nstream\n"
                                            "BT /F1 10 Tf 2 5 Td (DRAFT) Tj ET\nendstream");
  g_autoptr (GBytes) noted = tiny_pdf_with ("BT /F1 12 Tf 20 150 Td (Body) Tj ET",
                                            "/Annots[<</Type/Annot/Subtype/FreeText/Rect[50 50 200 80]/Contents(Note)/DA(/F1 12 Tf)"
                                            "/AP<</N 9 0 R>>>>]",
                                            NULL,
                                            "<</Type/XObject/Subtype/Form/BBox[0 0 150 30]/Resources<</Font<</F1 5 0 R>>>>/Length 32>>\n"
                                            "stream\nBT /F1 12 Tf 2 5 Td (Note) Tj ET\nendstream");
  g_autoptr (DpPageArrays) a = extract_bytes (tiled, &limits), b = extract_bytes (noted, &limits);

  g_assert_cmpuint (a->glyphs->len, ==, 4);
  g_assert_cmpuint (b->glyphs->len, ==, 4);
  for (guint i = 0; i < 4; i++) {
    g_assert_cmpuint (glyph (a, i)->code, ==, "Body"[i]);
    g_assert_cmpuint (glyph (b, i)->code, ==, "Body"[i]);
    g_assert_cmpuint (glyph (a, i)->paint, >, 0);
    g_assert_cmpuint (glyph (b, i)->paint, >, 0);
  }
  g_assert_cmpuint (count_kind (a, DP_PATH_FILL), ==, 1);
  g_assert_cmpuint (b->notes->len, ==, 1);
  g_assert_cmpuint (b->n_painted, ==, 8); /* the note is painted, too */
}

/* A mask of a group's brightness in a space that is skewed: poppler sizes its surface there. */
static void
test_soft_mask (void)
{
  static const char content[] = "q 1 0.9 0.9 1 0 0 cm /G gs 0 0 50 50 re f Q BT /F1 12 Tf 20 150 Td (Body) Tj ET";
  g_autoptr (GBytes) pdf
      = tiny_pdf_with (content, NULL, "/ExtGState<</G<</SMask<</S/Luminosity/G 9 0 R>>>>>>",
                       "<</Type/XObject/Subtype/Form/BBox[0 0 90 90]/Group<</S/Transparency/CS/DeviceGray>>/Length 18>>\n"
                       "stream\n1 g 0 0 50 50 re f\nendstream");
  g_autoptr (DpPageArrays) a = extract_bytes (pdf, &limits);

  g_assert_cmpuint (a->glyphs->len, ==, 4);
  g_assert_cmpuint (a->images->len, ==, 0);
}

static void
test_limits (void)
{
  DpPdfLimits tight = limits;
  g_autoptr (GString) many = g_string_new (NULL);
  g_autoptr (DpPageArrays) a = NULL;

  tight.max_glyphs = 3, tight.max_objects = 2;
  for (int i = 0; i < 5; i++)
    g_string_append_printf (many, "%d 20 10 10 re f ", 20 * i);
  g_string_append (many, "BT /F1 12 Tf 20 150 Td (ABCDE) Tj ET");
  a = extract_with (many->str, NULL, &tight);
  g_assert_cmpuint (a->glyphs->len, ==, 3);
  g_assert_cmpuint (a->paths->len, ==, 2);
  g_assert_cmpuint (a->n_truncated, >=, 5);
}

static void
test_render (void)
{
  g_autoptr (GBytes) pdf = tiny_pdf ("0 g 100 50 100 100 re f", NULL);
  PopplerDocument *document = poppler_document_new_from_bytes (pdf, NULL, NULL);
  DpPdfLimits tight = limits;
  cairo_surface_t *grey, *small;
  GError *error = NULL;
  const guint8 *p;

  grey = dp_pdf_extract_render (document, NULL, 1, (DpRect){ 90, 40, 210, 160 }, 72, TRUE, &limits, &error);
  g_assert_no_error (error);
  g_assert_cmpint (cairo_image_surface_get_format (grey), ==, CAIRO_FORMAT_A8);
  g_assert_cmpint (cairo_image_surface_get_width (grey), ==, 120);
  p = cairo_image_surface_get_data (grey);
  g_assert_cmpuint (p[0], ==, 255);
  g_assert_cmpuint (p[60 * cairo_image_surface_get_stride (grey) + 60], ==, 0);
  cairo_surface_destroy (grey);

  tight.max_pixels = 100;
  small = dp_pdf_extract_render (document, NULL, 1, (DpRect){ 0, 0, 300, 200 }, 300, FALSE, &tight, &error);
  g_assert_no_error (error);
  g_assert_cmpint (cairo_image_surface_get_width (small) * cairo_image_surface_get_height (small), <=, 120);
  cairo_surface_destroy (small);

  g_assert_null (dp_pdf_extract_render (document, NULL, 1, (DpRect){ 5, 5, 5, 5 }, 72, FALSE, &limits, &error));
  g_assert_nonnull (error);
  g_clear_error (&error);
  g_assert_null (dp_pdf_extract_render (document, NULL, 7, (DpRect){ 0, 0, 9, 9 }, 72, FALSE, &limits, &error));
  g_assert_nonnull (error);
  g_clear_error (&error);
  g_object_unref (document);
}

/* Lines set so tight that boxes reach over the baseline above, where a space was painted at the same x. */
static void
test_solid_lines (void)
{
  g_autoptr (DpPageArrays) a
      = extract ("BT /F3 10 Tf 20 150 Td (top line) Tj 0 -7 Td (a b c d) Tj 0 -7 Td (efghijk) Tj 0 -7 Td (l m n o) Tj ET");

  for (guint i = 0; i < a->glyphs->len; i++) {
    const gunichar c = glyph (a, i)->code;
    const float want = i < 7 ? 50 : c < 'e' ? 57 : c < 'l' ? 64 : 71;
    g_assert_cmpuint (c, !=, 0xfffd);
    g_assert_cmpfloat_with_epsilon (glyph (a, i)->baseline, want, 0.05);
  }
  g_assert_cmpuint (a->glyphs->len, ==, 7 + 4 + 7 + 4);
}

static char *
text_of (const DpPageArrays *a)
{
  GString *text = g_string_new (NULL);

  for (guint i = 0; i < a->glyphs->len; i++) {
    g_string_append_unichar (text, glyph (a, i)->code);
    if (glyph (a, i)->flags & (DP_GLYPH_SPACE | DP_GLYPH_BREAK) && i + 1 < a->glyphs->len)
      g_string_append_c (text, ' ');
  }
  return g_string_free (text, FALSE);
}

static void
assert_text (const char *content, const char *want, guint rules)
{
  g_autoptr (DpPageArrays) a = extract (content);
  g_autofree char *text = text_of (a);

  g_assert_cmpstr (text, ==, want);
  g_assert_cmpuint (count_kind (a, DP_PATH_HLINE), ==, rules);
}

/* TeX draws underscores; "file" is 12.78 pt wide. */
static void
test_underscores (void)
{
  assert_text ("BT /F1 10 Tf 20 150 Td (file) Tj 17 0 Td (name) Tj ET 33.4 150 3 0.4 re f", "file_name", 0);
  assert_text ("BT /F1 10 Tf 20 150 Td (file) Tj 21 0 Td (name) Tj ET 33.4 150 3 0.4 re f 37 150 3 0.4 re f", "file__name", 0);
  assert_text ("BT /F1 10 Tf 20 150 Td (file) Tj 17 0 Td (name) Tj ET 33.4 153 3 0.4 re f", "file name", 1);  /* a minus */
  assert_text ("BT /F1 10 Tf 20 150 Td (file) Tj 30 0 Td (name) Tj ET 33.4 150 16 0.4 re f", "file name", 1); /* a blank */
  assert_text ("BT /F1 10 Tf 20 150 Td (file) Tj 17 0 Td (name) Tj ET 38 149.5 5 0.4 re f", "file name", 1);  /* underlines */
  assert_text ("BT /F1 10 Tf 20 150 Td (file) Tj ET 33.4 150 3 0.4 re f", "file", 1);                         /* leads nowhere */
}

static void
test_font_names (void)
{
  g_assert_cmpstr (dp_font_base_name ("ABCDEF+Times-Bold"), ==, "Times-Bold");
  g_assert_cmpstr (dp_font_base_name ("ABCdEF+Times-Bold"), ==, "ABCdEF+Times-Bold");
  g_assert_cmpstr (dp_font_base_name (NULL), ==, "");
  g_assert_cmphex (dp_font_flags ("Times-BoldItalic"), ==, DP_GLYPH_BOLD | DP_GLYPH_ITALIC);
  g_assert_cmphex (dp_font_flags ("CMBX12"), ==, DP_GLYPH_BOLD);
  g_assert_cmphex (dp_font_flags ("CMTT10"), ==, DP_GLYPH_MONO);
  g_assert_cmphex (dp_font_flags ("NimbusRomNo9L-Medi"), ==, DP_GLYPH_BOLD);
  g_assert_cmphex (dp_font_flags ("NimbusRomNo9L-ReguItal"), ==, DP_GLYPH_ITALIC);
  g_assert_cmphex (dp_font_flags ("Courier-Oblique"), ==, DP_GLYPH_MONO | DP_GLYPH_ITALIC);
  g_assert_cmphex (dp_font_flags ("MonotypeCorsiva"), ==, 0);
  g_assert_cmphex (dp_font_flags ("Helvetica"), ==, 0);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/extract/text", test_text);
  g_test_add_func ("/extract/hidden", test_hidden);
  g_test_add_func ("/extract/on-top", test_on_top);
  g_test_add_func ("/extract/cut-out-frames", test_cut_out_frames);
  g_test_add_func ("/extract/outlined", test_outlined);
  g_test_add_func ("/extract/directions", test_directions);
  g_test_add_func ("/extract/rise", test_rise);
  g_test_add_func ("/extract/rules", test_rules);
  g_test_add_func ("/extract/frames", test_frames);
  g_test_add_func ("/extract/drawings", test_drawings);
  g_test_add_func ("/extract/images", test_images);
  g_test_add_func ("/extract/images-changed", test_images_changed);
  g_test_add_func ("/extract/link-borders", test_link_borders);
  g_test_add_func ("/extract/foreign-text", test_foreign_text);
  g_test_add_func ("/extract/soft-mask", test_soft_mask);
  g_test_add_func ("/extract/limits", test_limits);
  g_test_add_func ("/extract/render", test_render);
  g_test_add_func ("/extract/solid-lines", test_solid_lines);
  g_test_add_func ("/extract/underscores", test_underscores);
  g_test_add_func ("/extract/font-names", test_font_names);
  return g_test_run ();
}
