/* tests/output/test_html.c - HTML: what blocks look like, and that any tree gives well-formed markup. */
#include "tests/output/build.h"

/* The body, checked to be well-formed: void elements closed, then GLib's XML parser. */
static char *
body_of (DpDocument *document, const DpOutputOptions *options)
{
  gsize len;
  g_autofree char *html = dp_output_html (document, options, &len);
  char *from, *to;
  g_auto (GStrv) pieces = NULL;
  g_autofree char *xml = NULL;
  static const GMarkupParser parser = { 0 };
  GMarkupParseContext *context = g_markup_parse_context_new (&parser, 0, NULL, NULL);
  GError *error = NULL;

  g_assert_cmpuint (len, ==, strlen (html));
  g_assert_true (g_utf8_validate (html, (gssize) len, NULL));
  g_assert_true (g_str_has_prefix (html, "<!DOCTYPE html>\n<html>\n<head>\n<meta charset=\"utf-8\">\n"));
  from = strstr (html, "<body>\n") + strlen ("<body>\n");
  to = strstr (html, "</body>\n</html>\n");
  g_assert_nonnull (to);
  *to = '\0';
  pieces = g_strsplit (from, "<br>", -1);
  xml = g_strjoinv ("<br/>", pieces);
  if (!g_markup_parse_context_parse (context, "<body>", 6, &error) || !g_markup_parse_context_parse (context, xml, -1, &error)
      || !g_markup_parse_context_parse (context, "</body>", 7, &error) || !g_markup_parse_context_end_parse (context, &error))
    g_test_message ("%s\n%s", from, error->message);
  g_assert_no_error (error);
  g_markup_parse_context_free (context);
  return g_strdup (from);
}

static void
test_blocks (void)
{
  g_autoptr (DpDocumentInfo) info = dp_document_info_new ();
  g_autoptr (DpDocument) document = dp_document_new (info);
  DpBlock *block;
  g_autofree char *body = NULL, *html = NULL;

  g_free (info->title);
  info->title = g_strdup ("A <b> & \"c\"");
  add_block (document->blocks, DP_BLOCK_HEADING, "One < two")->level = 1;
  block = add_block (document->blocks, DP_BLOCK_PARAGRAPH, "a*b* ");
  dp_block_add_text (block, "bold", DP_SPAN_BOLD, NULL);
  dp_block_add_text (block, "1", DP_SPAN_NOTE_REF, NULL);
  dp_block_add_text (block, "x<y", DP_SPAN_FORMULA, NULL);
  dp_block_add_text (block, "end", DP_SPAN_BREAK, "https://a.b/?c&d");
  block = add_block (document->blocks, DP_BLOCK_FOOTNOTE, "the note");
  block->label = g_strdup ("1");
  block = add_block (document->blocks, DP_BLOCK_FIGURE, NULL);
  add_block (block->children, DP_BLOCK_CAPTION, "Figure 1");
  block = add_block (document->blocks, DP_BLOCK_LIST, NULL);
  add_block (block->children, DP_BLOCK_LIST_ITEM, "item");
  body = body_of (document, NULL);
  g_assert_cmpstr (body, ==,
                   "<h1>One &lt; two</h1>\n"
                   "<p>a*b* <strong>bold</strong><sup><a href=\"#note-1\">1</a></sup><span class=\"math\">\\(x&lt;y\\)</span><br />\n"
                   "<a href=\"https://a.b/?c&amp;d\">end</a></p>\n"
                   "<figure>\n<div class=\"caption\">\n<p>Figure 1</p>\n</div>\n</figure>\n"
                   "<ul>\n<li>item</li>\n</ul>\n"
                   "<aside class=\"footnote\" id=\"note-1\">\n<p><sup>1</sup> the note</p>\n</aside>\n");
  html = dp_output_html (document, NULL, NULL);
  g_assert_nonnull (strstr (html, "<title>A &lt;b&gt; &amp; &quot;c&quot;</title>"));
}

/* Header cells say of what, pictures without a text that they are pictures. */
static void
test_accessible (void)
{
  const DpOutputOptions options = { .images = DP_IMAGES_REFERENCED, .image_dir_name = "i" };
  g_autoptr (DpDocument) document = dp_document_new (NULL);
  DpBlock *block = add_block (document->blocks, DP_BLOCK_TABLE, NULL);
  g_autofree char *body = NULL;

  block->table = dp_table_new (2, 3);
  block->table->n_header_rows = 1;
  add_cell (block->table, 0, 1, 1, 2, "both");
  add_cell (block->table, 1, 0, 1, 1, "row")->header = TRUE;
  add_cell (block->table, 1, 1, 1, 1, "a");
  block = add_block (document->blocks, DP_BLOCK_FIGURE, NULL);
  block->picture = g_strdup ("p.png");
  block->page = 3;
  block = add_block (document->blocks, DP_BLOCK_FIGURE, NULL);
  block->picture = g_strdup ("q.png");
  block->alt = g_strdup ("a ladder");
  body = body_of (document, &options);
  g_assert_nonnull (strstr (body, "<tr><th></th><th scope=\"colgroup\" colspan=\"2\">both</th></tr>"));
  g_assert_nonnull (strstr (body, "<tr><th scope=\"row\">row</th><td>a</td><td></td></tr>"));
  g_assert_nonnull (strstr (body, "<img src=\"i/p.png\" alt=\"Figure of page 3\" />"));
  g_assert_nonnull (strstr (body, "<img src=\"i/q.png\" alt=\"a ladder\" />"));
}

static void
test_random_tables (void)
{
  static const char *const texts[] = { "<td>", "a & b", "\"", "</table>", "x\ny", "\xff\xfe", "", "<!--", "&#0;", "]]>", "*" };
  GRand *rand = g_rand_new_with_seed (3);

  for (guint i = 0; i < 2000; i++) {
    g_autoptr (DpDocument) document = dp_document_new (NULL);
    DpBlock *block = add_block (document->blocks, DP_BLOCK_TABLE, NULL);
    guint rows = (guint) g_rand_int_range (rand, 0, 6), cols = (guint) g_rand_int_range (rand, 0, 6), n = 0, places = 0;
    g_autofree char *body = NULL;

    block->table = dp_table_new (rows, cols);
    block->table->n_header_rows = (guint) g_rand_int_range (rand, 0, 9);
    for (guint k = 0; k < 12; k++) {
      DpCell *cell = add_cell (block->table, (guint) g_rand_int_range (rand, 0, 7), (guint) g_rand_int_range (rand, 0, 7),
                               (guint) g_rand_int_range (rand, 0, 4), (guint) g_rand_int_range (rand, 0, 4), NULL);
      for (guint s = 0; s < 3; s++)
        g_ptr_array_add (cell->spans, dp_span_new (texts[g_rand_int_range (rand, 0, G_N_ELEMENTS (texts))],
                                                   (guint) g_rand_int_range (rand, 0, 1024), s ? NULL : "http://a/\"><b>"));
    }
    body = body_of (document, NULL);
    /* spans and cells cover the grid exactly */
    for (const char *p = body; (p = strstr (p, "<t")); p++) {
      guint row_span = 1, col_span = 1;
      const char *end = strchr (p, '>'), *at;
      if (p[2] != 'd' && p[2] != 'h')
        continue;
      n++;
      if ((at = g_strstr_len (p, end - p, "rowspan=\"")))
        row_span = (guint) g_ascii_strtoull (at + 9, NULL, 10);
      if ((at = g_strstr_len (p, end - p, "colspan=\"")))
        col_span = (guint) g_ascii_strtoull (at + 9, NULL, 10);
      places += row_span * col_span;
    }
    g_assert_cmpuint (places, ==, rows * cols);
    g_assert_cmpuint (n, <=, rows * cols);
  }
  g_rand_free (rand);
}

/* All kinds in all kinds, with text that looks like markup. */
static void
test_random_trees (void)
{
  GRand *rand = g_rand_new_with_seed (4);

  for (guint i = 0; i < 2000; i++) {
    g_autoptr (DpDocument) document = dp_document_new (NULL);
    GPtrArray *to = document->blocks;
    DpOutputOptions options = { .keep = ~0u, .figure_text = TRUE, .images = DP_IMAGES_PLACEHOLDER, .page_break = "<b> %n" };
    g_autofree char *body = NULL;

    add_page (document, 1);
    add_page (document, 2);
    for (guint k = 0; k < 8; k++) {
      DpBlock *block = add_block (to, (DpBlockKind) g_rand_int_range (rand, 0, DP_N_BLOCK_KINDS), k % 2 ? "<p> & *x*" : NULL);
      block->label = g_strdup (k % 3 ? "<1>" : NULL);
      block->text = g_strdup (k % 5 ? NULL : "a < b\n\n</pre>");
      block->level = k;
      block->page = 1 + k / 4;
      if (g_rand_boolean (rand))
        to = block->children;
    }
    body = body_of (document, &options);
    g_assert_null (strstr (body, "<p> & *x*"));
  }
  g_rand_free (rand);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/output/html/blocks", test_blocks);
  g_test_add_func ("/output/html/accessible", test_accessible);
  g_test_add_func ("/output/html/random-tables", test_random_tables);
  g_test_add_func ("/output/html/random-trees", test_random_trees);
  return g_test_run ();
}
