/* A page's text given away part by part, a page that came laid out, levels of headings found elsewhere. */
#include "tests/layout/glyph_page.h"

static char *
text_of (DpBlock *block)
{
  char *text = !block ? g_strdup ("(none)") : block->text ? g_strdup (block->text) : dp_spans_to_text (block->spans);

  dp_block_free (block);
  return text;
}

#define TAKE(text, form, ...) text_of (dp_region_text_take (text, (DpRect){ __VA_ARGS__ }, form, NULL))

/* Characters are 5 wide at size 10; the border at x = 62.5 cuts through "middle". */
static void
test_centres (void)
{
  GlyphPage *g = glyph_page_new (300, 200);
  type_line (g, 20, 50, 10, "left middle right");
  type_line (g, 20, 62, 10, "next line");
  g_autoptr (DpRegionText) text = dp_region_text_new (glyph_page_done (g), NULL);
  float size = 0;

  g_assert_cmpuint (dp_region_text_left (text), ==, 23);
  assert_string (TAKE (text, DP_REGION_FLOWING, 0, 40, 62.5f, 54), "left midd"); /* the second d has its centre at 62.5 */
  assert_string (TAKE (text, DP_REGION_FLOWING, 0, 40, 300, 54), "le right");    /* each glyph once */
  DpBlock *line = dp_region_text_take (text, (DpRect){ 0, 54, 300, 70 }, DP_REGION_FLOWING, &size);
  g_assert_cmpint (line->source, ==, DP_SOURCE_TEXT_LAYER);
  g_assert_cmpfloat (size, ==, 10);
  g_assert_cmpfloat (line->box.x0, ==, 20);
  dp_block_free (line);
  assert_string (TAKE (text, DP_REGION_FLOWING, 0, 0, 300, 200), "(none)");
  g_assert_cmpuint (dp_region_text_left (text), ==, 0);
  glyph_page_free (g);
}

static void
test_forms (void)
{
  static const struct {
    DpRegionForm form;
    DpBlockKind kind;
    const char *wanted;
  } cases[] = { { DP_REGION_FLOWING, DP_BLOCK_PARAGRAPH, "if broken: wordand end" },
                { DP_REGION_ROWS, DP_BLOCK_PARAGRAPH, "if broken:\nword-\nand end" },
                { DP_REGION_LISTING, DP_BLOCK_CODE, "if broken:\n    word-\nand end" } };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    GlyphPage *g = glyph_page_new (300, 200);
    type_line (g, 20, 50, 10, "if broken:");
    type_line (g, 40, 62, 10, "word-");
    type_line (g, 20, 74, 10, "and end");
    g_autoptr (DpRegionText) text = dp_region_text_new (glyph_page_done (g), NULL);
    DpBlock *block = dp_region_text_take (text, (DpRect){ 0, 0, 300, 200 }, cases[i].form, NULL);
    g_assert_cmpint (block->kind, ==, cases[i].kind);
    assert_string (text_of (block), cases[i].wanted);
    glyph_page_free (g);
  }
}

/* What a reader would not see is in no part and not in the rest. */
static void
test_hidden (void)
{
  GlyphPage *g = glyph_page_new (300, 200);
  type_line (g, 20, 50, 10, "seen");
  type_at (g, 20, 62, 10, "unpainted", DP_GLYPH_UNPAINTED, DP_GLYPH_BREAK, 0, 0.5f);
  type_at (g, 20, 74, 10, "covered", DP_GLYPH_COVERED, DP_GLYPH_BREAK, 0, 0.5f);
  g_autoptr (DpRegionText) text = dp_region_text_new (glyph_page_done (g), NULL);
  const DpLayoutOptions keep = { .keep_hidden = TRUE };
  g_autoptr (DpRegionText) all = dp_region_text_new (glyph_page_done (g), &keep);

  assert_string (TAKE (text, DP_REGION_FLOWING, 0, 0, 300, 200), "seen");
  g_autoptr (GPtrArray) rest = dp_region_text_rest (text);
  g_assert_cmpuint (rest->len, ==, 0);
  assert_string (TAKE (all, DP_REGION_FLOWING, 0, 0, 300, 200), "seen unpainted covered");
  glyph_page_free (g);
}

static void
test_rest (void)
{
  GlyphPage *g = glyph_page_new (400, 300);
  type_prose (g, 20, 40, 10, 12, 3, 40, "a");
  type_prose (g, 20, 150, 10, 12, 2, 40, "b");
  type_prose (g, 20, 230, 10, 12, 3, 40, "c");
  g_autoptr (DpRegionText) text = dp_region_text_new (glyph_page_done (g), NULL);

  dp_block_free (dp_region_text_take (text, (DpRect){ 0, 140, 400, 180 }, DP_REGION_FLOWING, NULL));
  g_autoptr (GPtrArray) rest = dp_region_text_rest (text);
  g_assert_cmpuint (rest->len, ==, 2);
  g_autofree char *first = dp_spans_to_text (((DpBlock *) g_ptr_array_index (rest, 0))->spans),
                  *second = dp_spans_to_text (((DpBlock *) g_ptr_array_index (rest, 1))->spans);
  g_assert_true (g_str_has_prefix (first, "a0 ") && strstr (first, "a2 ") && g_str_has_prefix (second, "c0 "));
  g_assert_cmpuint (dp_region_text_left (text), ==, 0);
  glyph_page_free (g);
}

/* Two columns inside of one part are read one after the other. */
static void
test_columns (void)
{
  GlyphPage *g = glyph_page_new (500, 300);
  type_prose (g, 20, 40, 10, 12, 8, 38, "l");
  type_prose (g, 260, 40, 10, 12, 8, 38, "r");
  g_autoptr (DpRegionText) text = dp_region_text_new (glyph_page_done (g), NULL);
  g_autofree char *got = TAKE (text, DP_REGION_FLOWING, 0, 0, 500, 300);

  g_assert_nonnull (strstr (got, "l7 "));
  g_assert_true (strstr (got, "l7 ") < strstr (got, "r0 "));
  glyph_page_free (g);
}

/* ---- pages that came laid out --------------------------------------------------------------------------- */

static DpPageLayout *
given_page (guint number, DpBlock *block)
{
  const DpPage page = { .number = number, .width = 300, .height = 400, .strings = "", .n_strings = 1 };
  DpPageLayout *layout = dp_page_layout_new (&page);

  layout->blocks = g_ptr_array_new_with_free_func ((GDestroyNotify) dp_block_free);
  if (block)
    g_ptr_array_add (layout->blocks, block);
  return layout;
}

static DpBlock *
table_block (guint page, const char *first)
{
  DpBlock *block = dp_block_new (DP_BLOCK_TABLE, page, (DpRect){ 20, 20, 280, 100 });

  block->table = dp_table_new (2, 2);
  for (guint i = 0; i < 4; i++) {
    DpCell *cell = dp_table_add_cell (block->table, i / 2, i % 2, 1, 1, (DpRect){ 0 });
    g_ptr_array_add (cell->spans, dp_span_new (i == 0 ? "head" : i == 1 ? "row" : i == 2 ? first : "x", 0, NULL));
  }
  return block;
}

static void
test_given_blocks (void)
{
  GlyphPage *g = glyph_page_new (300, 200);
  type_prose (g, 20, 40, 10, 12, 3, 40, "p");
  g->page.number = 2;
  g_autoptr (GPtrArray) pages = g_ptr_array_new_with_free_func ((GDestroyNotify) dp_page_layout_free);
  g_autoptr (DpDocumentInfo) info = dp_document_info_new ();
  DpBlock *paragraph = dp_block_new (DP_BLOCK_PARAGRAPH, 1, (DpRect){ 20, 20, 280, 40 });

  dp_block_add_text (paragraph, "given", 0, NULL);
  g_ptr_array_add (pages, given_page (1, paragraph));
  g_ptr_array_add (pages, dp_layout_page (glyph_page_done (g), NULL));
  g_ptr_array_add (pages, given_page (3, table_block (3, "1")));
  DpPageLayout *last = given_page (4, table_block (4, "2"));
  DpBlock *note = dp_block_new (DP_BLOCK_FOOTNOTE, 3, (DpRect){ 20, 350, 280, 360 });
  dp_block_add_text (note, "a note at the foot of the page", 0, NULL);
  g_ptr_array_add (((DpPageLayout *) g_ptr_array_index (pages, 2))->blocks, note);
  g_ptr_array_add (pages, last);
  g_autoptr (DpDocument) document = dp_layout_document (pages, info, NULL);

  g_assert_cmpuint (document->blocks->len, ==, 4);
  g_assert_true (g_ptr_array_index (document->blocks, 0) == paragraph);
  g_assert_cmpuint (((DpBlock *) g_ptr_array_index (document->blocks, 1))->page, ==, 2);
  const DpBlock *table = g_ptr_array_index (document->blocks, 2); /* one table, its head once */
  g_assert_cmpuint (table->table->n_rows, ==, 3);
  g_assert_cmpuint (document->pages->len, ==, 4);
  glyph_page_free (g);
}

static void
test_levels (void)
{
  g_autoptr (GArray) headings = g_array_new (FALSE, TRUE, sizeof (DpHeading));
  g_autoptr (DpDocumentInfo) info = dp_document_info_new ();
  const DpHeading all[] = { { "The Title", 24, TRUE, 0, 1 },
                            { "1 Start", 14, TRUE, 0, 0 },
                            { "1.1 More", 12, TRUE, 0, 0 },
                            { "2 End", 14, TRUE, 1, 0 },
                            { "Remarks", 14, TRUE, 2, 0 } };
  static const guint wanted[] = { 1, 2, 3, 2, 2 };

  g_array_append_vals (headings, all, G_N_ELEMENTS (all));
  dp_layout_heading_levels (headings, info);
  for (guint i = 0; i < headings->len; i++)
    g_assert_cmpuint (g_array_index (headings, DpHeading, i).level, ==, wanted[i]);
}

/* All in one face: nobody is the title. */
static void
test_levels_alike (void)
{
  g_autoptr (GArray) headings = g_array_new (FALSE, TRUE, sizeof (DpHeading));
  g_autoptr (DpDocumentInfo) info = dp_document_info_new ();
  const DpHeading all[] = { { "Start", 14, TRUE, 0, 0 }, { "Middle", 14, TRUE, 0, 0 }, { "End", 14, TRUE, 0, 0 } };

  g_array_append_vals (headings, all, G_N_ELEMENTS (all));
  dp_layout_heading_levels (headings, info);
  for (guint i = 0; i < headings->len; i++)
    g_assert_cmpuint (g_array_index (headings, DpHeading, i).level, ==, 1);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/region-text/centres", test_centres);
  g_test_add_func ("/region-text/forms", test_forms);
  g_test_add_func ("/region-text/hidden", test_hidden);
  g_test_add_func ("/region-text/rest", test_rest);
  g_test_add_func ("/region-text/columns", test_columns);
  g_test_add_func ("/region-text/given-blocks", test_given_blocks);
  g_test_add_func ("/region-text/levels", test_levels);
  g_test_add_func ("/region-text/levels-alike", test_levels_alike);
  return g_test_run ();
}
