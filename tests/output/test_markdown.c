/* tests/output/test_markdown.c - what each kind of block looks like in Markdown. */
#include "tests/output/build.h"

static void
expect (DpDocument *document, const DpOutputOptions *options, const char *wanted)
{
  gsize len;
  g_autofree char *got = dp_output_markdown (document, options, &len);

  g_assert_cmpstr (got, ==, wanted);
  g_assert_cmpuint (len, ==, strlen (wanted));
}

/* One paragraph of spans. */
static void
expect_spans (const DpSpan *spans, gsize n, const char *wanted)
{
  g_autoptr (DpDocument) document = dp_document_new (NULL);
  DpBlock *block = add_block (document->blocks, DP_BLOCK_PARAGRAPH, NULL);

  for (gsize i = 0; i < n; i++)
    g_ptr_array_add (block->spans, dp_span_new (spans[i].text, spans[i].style, spans[i].uri));
  expect (document, NULL, wanted);
}
#define EXPECT_SPANS(wanted, ...)                                                                                                          \
  expect_spans ((const DpSpan[]){ __VA_ARGS__ }, sizeof ((const DpSpan[]){ __VA_ARGS__ }) / sizeof (DpSpan), wanted)
#define T(text_, style_)                                                                                                                   \
  {                                                                                                                                        \
    .text = (char *) text_, .style = style_                                                                                                \
  }
#define L(text_, style_, uri_)                                                                                                             \
  {                                                                                                                                        \
    .text = (char *) text_, .style = style_, .uri = (char *) uri_                                                                          \
  }

/* ---- text ---------------------------------------------------------------------------------------- */

static void
test_clean_text (void)
{
  /* prose stays as it was typed */
  EXPECT_SPANS ("snake_case, 3.5, a-b, [1], C#, 50 % * 3, R&D, x < y, ~5 km, $5 and more!\n",
                T ("snake_case, 3.5, a-b, [1], C#, 50 % * 3, R&D, x < y, ~5 km, $5 and more!", 0));
  EXPECT_SPANS ("p < 0.05* and n = 12**\n", T ("p < 0.05* and n = 12**", 0));
  EXPECT_SPANS ("The ` sign, C:\\dir and a|b; (see [2]: 3) -- #1\n", T ("The ` sign, C:\\dir and a|b; (see [2]: 3) -- #1", 0));
  /* and what would be markup does not become it */
  EXPECT_SPANS ("\\*a\\* \\_b\\_ \\`c\\` \\<b>d\\</b> \\&amp; [x\\](y) \\$e\\$ \\~f\\~\n",
                T ("*a* _b_ `c` <b>d</b> &amp; [x](y) $e$ ~f~", 0));
  EXPECT_SPANS ("\\<~me@x.org> p <0.05 > 3\n", T ("<~me@x.org> p <0.05 > 3", 0));
  EXPECT_SPANS ("\\# a\n", T ("# a", 0));
  EXPECT_SPANS ("1\\. a\n", T ("1. a", 0));
  EXPECT_SPANS ("\\- a\n", T ("- a", 0));
  EXPECT_SPANS ("\\> a\n", T ("> a", 0));
  EXPECT_SPANS ("\\---\n", T ("---", 0));
  EXPECT_SPANS ("\\[a]: b\n", T ("[a]: b", 0));
  EXPECT_SPANS ("a \\[^1] b\n", T ("a [^1] b", 0));
  EXPECT_SPANS ("a  \n=== b  \n\\===\n", T ("a", 0), T ("=== b", DP_SPAN_BREAK), T ("===", DP_SPAN_BREAK));
}

static void
test_styles (void)
{
  EXPECT_SPANS ("a **b** *c* ***d*** `e_f` 5<sup>2</sup> H<sub>2</sub>O <del>g</del> u $x_1$\n", T ("a ", 0), T ("b ", DP_SPAN_BOLD),
                T ("c", DP_SPAN_ITALIC), T (" ", 0), T ("d", DP_SPAN_BOLD | DP_SPAN_ITALIC), T (" ", 0), T ("e_f", DP_SPAN_MONO),
                T (" 5", 0), T ("2", DP_SPAN_SUPER), T (" H", 0), T ("2", DP_SPAN_SUB), T ("O ", 0), T ("g", DP_SPAN_STRIKE), T (" ", 0),
                T ("u", DP_SPAN_UNDERLINE), T (" ", 0), T ("x_1", DP_SPAN_FORMULA));
  /* neighbours are joined over the space between them, weight outside of slant */
  EXPECT_SPANS ("**a b *c*** d\n", T ("a", DP_SPAN_BOLD), T (" ", 0), T ("b ", DP_SPAN_BOLD), T ("c", DP_SPAN_BOLD | DP_SPAN_ITALIC),
                T (" d", 0));
  /* inside a word where CommonMark can read it, plain where it cannot */
  EXPECT_SPANS ("un**believ**able\n", T ("un", 0), T ("believ", DP_SPAN_BOLD), T ("able", 0));
  EXPECT_SPANS ("a(b)c\n", T ("a", 0), T ("(b)", DP_SPAN_BOLD), T ("c", 0));
  EXPECT_SPANS ("**a**b c\n", T ("a", DP_SPAN_BOLD), T ("b", DP_SPAN_ITALIC), T (" c", 0));
  /* a marker behind a letter inside other emphasis would close it */
  EXPECT_SPANS ("***a*-bc**\n", T ("a", DP_SPAN_BOLD | DP_SPAN_ITALIC), T ("-b", DP_SPAN_BOLD), T ("c", DP_SPAN_BOLD | DP_SPAN_ITALIC));
  /* stars in the text do not pair with markers */
  EXPECT_SPANS ("**a** b\\*\n", T ("a", DP_SPAN_BOLD), T (" b*", 0));
  EXPECT_SPANS ("`/usr/name/doc` *`x`*\n", T ("/usr/", DP_SPAN_MONO), T ("name", DP_SPAN_MONO | DP_SPAN_ITALIC), T ("/doc", DP_SPAN_MONO),
                T (" ", 0), T ("x", DP_SPAN_MONO | DP_SPAN_ITALIC));
  EXPECT_SPANS ("``a`b``, `` ` ``\n", T ("a`b", DP_SPAN_MONO), T (", ", 0), T ("`", DP_SPAN_MONO));
  EXPECT_SPANS ("", T ("  ", DP_SPAN_BOLD), T ("", DP_SPAN_ITALIC), T ("\t", DP_SPAN_BREAK));
  EXPECT_SPANS ("a  \nb\n", T ("a ", 0), T ("", DP_SPAN_BREAK), T (" b", DP_SPAN_BREAK));
}

static void
test_links (void)
{
  EXPECT_SPANS ("see [the **site**](https://a.b/x_y?q=1&r), [m](mailto:a@b.c)\n", T ("see ", 0), L ("the ", 0, "https://a.b/x_y?q=1&r"),
                L ("site", DP_SPAN_BOLD, "https://a.b/x_y?q=1&r"), T (", ", 0), L ("m", 0, "mailto:a@b.c"));
  EXPECT_SPANS ("[a; b](http://c/); [d](http://c/.) <http://e/>.\n", L ("a; ", 0, "http://c/"), L ("b; ", 0, "http://c/"),
                L ("d", 0, "http://c/."), T (" ", 0), L ("http://e/.", 0, "http://e/"));
  EXPECT_SPANS ("<https://a.b/c>\n", L ("https://a.b/c", 0, "https://a.b/c"));
  EXPECT_SPANS ("<https://a.b/c>\n", L ("https://a.b/c", DP_SPAN_MONO, "https://a.b/c"));
  EXPECT_SPANS ("[`a.b`](https://a.b/c)\n", L ("a.b", DP_SPAN_MONO, "https://a.b/c"));
  EXPECT_SPANS ("[\\[1\\]](http://a/%28b%29%20c)\n", L ("[1]", 0, "http://a/(b) c"));
  /* what could harm or leads nowhere is text */
  EXPECT_SPANS ("a b c d\n", L ("a ", 0, "javascript:alert(1)"), L ("b ", 0, "file:///etc/passwd"), L ("c ", 0, "#page=3"), L ("d", 0, ""));
}

/* ---- blocks ---------------------------------------------------------------------------------------- */

static void
test_blocks (void)
{
  g_autoptr (DpDocument) document = dp_document_new (NULL);
  DpBlock *block, *quote;

  block = add_block (document->blocks, DP_BLOCK_HEADING, NULL);
  block->level = 2;
  dp_block_add_text (block, "1. Bold ", DP_SPAN_BOLD, NULL);
  dp_block_add_text (block, "C# #", DP_SPAN_BREAK, NULL);
  block = add_block (document->blocks, DP_BLOCK_HEADING, "deep");
  block->level = 9;
  add_block (document->blocks, DP_BLOCK_HEADING, "  ");
  block = add_block (document->blocks, DP_BLOCK_CODE, NULL);
  block->text = g_strdup ("if (a)\n\n  `b` ````\n\n");
  quote = add_block (document->blocks, DP_BLOCK_QUOTE, NULL);
  add_block (quote->children, DP_BLOCK_PARAGRAPH, "said");
  add_block (quote->children, DP_BLOCK_CODE, NULL)->text = g_strdup ("x\n\ny");
  block = add_block (document->blocks, DP_BLOCK_FORMULA, NULL);
  block->text = g_strdup (" a = b\n+ c ");
  block->label = g_strdup ("(3)");
  expect (document, NULL,
          "## 1. Bold C# \\#\n\n###### deep\n\n`````\nif (a)\n\n  `b` ````\n`````\n\n"
          "> said\n>\n> ```\n> x\n>\n> y\n> ```\n\n$$\na = b + c \\tag{3}\n$$\n");
}

static DpBlock *
add_item (DpBlock *list, const char *label, const char *text)
{
  DpBlock *item = add_block (list->children, DP_BLOCK_LIST_ITEM, text);

  item->label = g_strdup (label);
  return item;
}

static void
test_lists (void)
{
  g_autoptr (DpDocument) document = dp_document_new (NULL);
  DpBlock *list, *inner;

  add_block (document->blocks, DP_BLOCK_PARAGRAPH, "Before:");
  list = add_block (document->blocks, DP_BLOCK_LIST, NULL);
  add_item (list, "\xe2\x80\xa2", "one");
  inner = add_block (add_item (list, "o", "two")->children, DP_BLOCK_LIST, NULL);
  add_item (inner, "a)", "first");
  add_item (inner, "b)", "second");
  add_item (list, "\xe2\x98\x90", "box");
  /* next to a list of the same kind */
  list = add_block (document->blocks, DP_BLOCK_LIST, NULL);
  add_item (list, NULL, "other");
  add_item (list, NULL, "");
  /* numbers as printed, jumps and all */
  list = add_block (document->blocks, DP_BLOCK_LIST, NULL);
  list->ordered = TRUE;
  list->start = 3;
  add_item (list, "3)", "three");
  add_block (add_item (list, "4)", "four")->children, DP_BLOCK_PARAGRAPH, "more");
  add_item (list, "10)", "ten");
  expect (document, NULL,
          "Before:\n\n- one\n- two\n  - a) first\n  - b) second\n- \xe2\x98\x90 box\n\n* other\n\n"
          "3) three\n\n4) four\n\n   more\n\n<!-- -->\n\n10) ten\n");
}

static void
test_toc (void)
{
  g_autoptr (DpDocument) document = dp_document_new (NULL);
  DpBlock *toc = add_block (document->blocks, DP_BLOCK_TOC, NULL), *entry;
  static const struct {
    const char *title, *page;
    guint level;
  } entries[] = { { "1 Start", "1", 1 }, { "1.1 More", "2", 2 }, { "1.2 Most", "3", 2 }, { "2 End", "iv", 1 } };

  for (gsize i = 0; i < G_N_ELEMENTS (entries); i++) {
    entry = add_block (toc->children, DP_BLOCK_TOC_ENTRY, entries[i].title);
    entry->label = g_strdup (entries[i].page);
    entry->level = entries[i].level;
  }
  expect (document, NULL, "- 1 Start 1\n  - 1.1 More 2\n  - 1.2 Most 3\n- 2 End iv\n");
}

static void
test_tables (void)
{
  g_autoptr (DpDocument) document = dp_document_new (NULL);
  DpBlock *block = add_block (document->blocks, DP_BLOCK_TABLE, NULL), *caption;
  DpOutputOptions pipe = { .tables = DP_TABLES_PIPE }, html = { .tables = DP_TABLES_HTML };
  DpCell *cell;

  caption = add_block (block->children, DP_BLOCK_CAPTION, "Table 1");
  caption->box.y0 = 0, caption->box.y1 = 10;
  add_block (block->children, DP_BLOCK_TABLE_NOTE, "A note");
  block->table = dp_table_new (2, 2);
  block->table->n_header_rows = 1;
  add_cell (block->table, 0, 0, 1, 1, "a*b");
  add_cell (block->table, 0, 1, 1, 1, "1. b");
  add_cell (block->table, 1, 0, 1, 1, "x < y & z");
  cell = add_cell (block->table, 1, 1, 1, 1, "3");
  expect (document, NULL, "Table 1\n\n| a*b | 1. b |\n| --- | --- |\n| x < y & z | 3 |\n\nA note\n");
  expect (document, &html,
          "Table 1\n\n<table>\n<tr><th>a*b</th><th>1. b</th></tr>\n<tr><td>x &lt; y &amp; z</td><td>3</td></tr>\n</table>\n\nA note\n");
  /* a break or a pipe in a cell is more than pipes can say */
  g_ptr_array_add (cell->spans, dp_span_new ("4|5", DP_SPAN_BREAK | DP_SPAN_BOLD, NULL));
  expect (
      document, NULL,
      "Table 1\n\n<table>\n<tr><th>a*b</th><th>1. b</th></tr>\n<tr><td>x &lt; y &amp; z</td><td>3<br>4|5</td></tr>\n</table>\n\nA note\n");
  expect (document, &pipe, "Table 1\n\n| a*b | 1. b |\n| --- | --- |\n| x < y & z | 3<br>4\\|5 |\n\nA note\n");
}

static void
test_spans (void)
{
  g_autoptr (DpDocument) document = dp_document_new (NULL);
  DpBlock *block = add_block (document->blocks, DP_BLOCK_TABLE, NULL);
  DpOutputOptions pipe = { .tables = DP_TABLES_PIPE };

  block->table = dp_table_new (3, 3);
  add_cell (block->table, 0, 0, 2, 1, "A");
  add_cell (block->table, 0, 1, 1, 9, "B"); /* reaches out of the grid */
  add_cell (block->table, 1, 1, 1, 1, "C");
  add_cell (block->table, 2, 0, 1, 1, "D"); /* and some places have no cell */
  add_cell (block->table, 2, 0, 1, 1, "on top of it");
  add_cell (block->table, 7, 0, 1, 1, "outside");
  expect (document, NULL,
          "<table>\n<tr><td rowspan=\"2\">A</td><td colspan=\"2\">B</td></tr>\n<tr><td>C</td><td></td></tr>\n"
          "<tr><td>D</td><td></td><td></td></tr>\n</table>\n");
  expect (document, &pipe, "|  |  |  |\n| --- | --- | --- |\n| A | B |  |\n|  | C |  |\n| D |  |  |\n");
}

static void
test_figures (void)
{
  g_autoptr (DpDocument) document = dp_document_new (NULL);
  DpBlock *figure = add_block (document->blocks, DP_BLOCK_FIGURE, NULL);
  DpBlock *caption = add_block (figure->children, DP_BLOCK_CAPTION, "Figure 1: bars");
  DpOutputOptions options = { .images = DP_IMAGES_REFERENCED, .image_dir_name = "my paper_images" };
  g_autofree char *embedded = NULL;

  caption->box.y0 = 50, caption->box.y1 = 60;
  add_block (figure->children, DP_BLOCK_FIGURE_TEXT, "10 20");
  figure->alt = g_strdup ("bars [of] *x*");
  expect (document, &options, "<!-- image: page 1 -->\n\nFigure 1: bars\n"); /* nothing was written */
  figure->picture = g_strdup ("page-001-figure-01.png");
  expect (document, &options, "![bars \\[of\\] \\*x\\*](my%20paper_images/page-001-figure-01.png)\n\nFigure 1: bars\n");
  options = (DpOutputOptions){ .images = DP_IMAGES_PLACEHOLDER, .figure_text = TRUE };
  expect (document, &options, "<!-- image: page 1 -->\n\nFigure 1: bars\n\n10 20\n");
  expect (document, NULL, "Figure 1: bars\n");
  options = (DpOutputOptions){ .images = DP_IMAGES_EMBEDDED };
  figure->crop = picture (1, 0, 0);
  embedded = dp_output_markdown (document, &options, NULL);
  g_assert_true (g_str_has_prefix (embedded, "![bars \\[of\\] \\*x\\*](data:image/png;base64,iVBORw0KGgo"));
}

static void
test_notes (void)
{
  g_autoptr (DpDocument) document = dp_document_new (NULL);
  DpOutputOptions keep = { .keep = DP_KEEP_FOOTNOTE }, drop = { .drop_footnotes = TRUE };
  DpBlock *block;

  for (guint page = 1; page <= 2; page++) { /* both pages begin with note 1 */
    block = add_block (document->blocks, DP_BLOCK_PARAGRAPH, page == 1 ? "first" : "second");
    dp_block_add_text (block, "1", DP_SPAN_NOTE_REF, NULL);
    dp_block_add_text (block, ".", 0, NULL);
    block->page = page;
    block = add_block (document->blocks, DP_BLOCK_FOOTNOTE, page == 1 ? "- note one" : "note two");
    block->label = g_strdup ("1");
    block->page = page;
    add_block (document->blocks, DP_BLOCK_PARAGRAPH, "text")->page = page;
  }
  /* nobody points to this one, and nothing to that mark */
  block = add_block (document->blocks, DP_BLOCK_FOOTNOTE, "see above");
  block->label = g_strdup ("*");
  block->page = 2;
  block = add_block (document->blocks, DP_BLOCK_HEADING, "End");
  block->level = 1;
  dp_block_add_text (block, "7", DP_SPAN_NOTE_REF, NULL);
  expect (document, NULL,
          "first[^1].\n\ntext\n\nsecond[^1-2].\n\ntext\n\n\\* see above\n\n[^1]: \\- note one\n\n[^1-2]: note two\n\n# End<sup>7</sup>\n");
  expect (document, &keep,
          "first[^1].\n\n[^1]: \\- note one\n\ntext\n\nsecond[^1-2].\n\n[^1-2]: note two\n\ntext\n\n\\* see above\n\n# End<sup>7</sup>\n");
  expect (document, &drop, "first.\n\ntext\n\nsecond.\n\ntext\n\n# End\n");
}

static void
test_pages (void)
{
  g_autoptr (DpDocument) document = dp_document_new (NULL);
  DpOutputOptions options = { .page_break = "<!-- 100 %% page %n -->" };

  for (guint i = 1; i <= 5; i++)
    add_page (document, i);
  g_array_index (document->pages, DpPageInfo, 2).failed = TRUE;
  g_array_index (document->pages, DpPageInfo, 2).reason = g_strdup ("the parser --> crashed");
  g_array_index (document->pages, DpPageInfo, 3).reason = g_strdup ("no text layer");
  add_block (document->blocks, DP_BLOCK_PARAGRAPH, "one");
  add_block (document->blocks, DP_BLOCK_PARAGRAPH, "two")->page = 2;
  add_block (document->blocks, DP_BLOCK_PARAGRAPH, "also two")->page = 2;
  add_block (document->blocks, DP_BLOCK_PAGE_PICTURE, NULL)->page = 4;
  expect (document, &options,
          "one\n\n<!-- 100 % page 2 -->\n\ntwo\n\nalso two\n\n<!-- 100 % page 3 -->\n\n<!-- page 3 could not be read: the parser - -> "
          "crashed -->\n\n"
          "<!-- 100 % page 4 -->\n\n<!-- page 4 needs a model: no text layer -->\n\n<!-- 100 % page 5 -->\n");
}

static void
test_furniture (void)
{
  g_autoptr (DpDocument) document = dp_document_new (NULL);
  static const struct {
    DpBlockKind kind;
    guint keep;
  } kinds[] = { { DP_BLOCK_HEADER, DP_KEEP_HEADER }, { DP_BLOCK_FOOTER, DP_KEEP_FOOTER }, { DP_BLOCK_PAGE_NUMBER, DP_KEEP_PAGE_NUMBER },
                { DP_BLOCK_ASIDE, DP_KEEP_ASIDE },   { DP_BLOCK_HIDDEN, DP_KEEP_HIDDEN }, { DP_BLOCK_ANNOTATION, DP_KEEP_ANNOTATION },
                { DP_BLOCK_FIELD, DP_KEEP_FIELD } };
  guint all = 0;

  for (gsize i = 0; i < G_N_ELEMENTS (kinds); i++)
    add_block (document->blocks, kinds[i].kind, dp_block_kind_name (kinds[i].kind))->label = g_strdup ("name");
  expect (document, NULL, "");
  for (gsize i = 0; i < G_N_ELEMENTS (kinds); i++) {
    DpOutputOptions one = { .keep = kinds[i].keep };
    g_autofree char *wanted
        = g_strdup_printf ("%s%s\n", kinds[i].kind == DP_BLOCK_FIELD ? "name: " : "", dp_block_kind_name (kinds[i].kind));
    expect (document, &one, wanted);
    all |= kinds[i].keep;
  }
  expect (document, &(DpOutputOptions){ .keep = all }, "header\n\nfooter\n\npage-number\n\naside\n\nhidden\n\nannotation\n\nname: field\n");
}

/* Every block knows its bytes. */
static void
test_ranges (void)
{
  g_autoptr (DpDocument) document = dp_document_new (NULL);
  DpBlock *list, *item, *inner, *deep, *figure, *hidden;
  g_autofree char *md = NULL;

  add_block (document->blocks, DP_BLOCK_HEADING, "T\xc3\xa9");
  list = add_block (document->blocks, DP_BLOCK_LIST, NULL);
  item = add_block (list->children, DP_BLOCK_LIST_ITEM, "one");
  inner = add_block (item->children, DP_BLOCK_LIST, NULL);
  deep = add_block (inner->children, DP_BLOCK_LIST_ITEM, "two");
  hidden = add_block (document->blocks, DP_BLOCK_HIDDEN, "secret");
  figure = add_block (document->blocks, DP_BLOCK_FIGURE, NULL);
  add_block (figure->children, DP_BLOCK_CAPTION, "cap*t*");
  hidden->md_start = 77; /* from an earlier run */
  md = dp_output_markdown (document, NULL, NULL);
#define BYTES(block) ((char *) g_strndup (md + (block)->md_start, (gsize) ((block)->md_end - (block)->md_start)))
  {
    g_autofree char *heading = BYTES ((DpBlock *) g_ptr_array_index (document->blocks, 0)), *all = BYTES (list), *two = BYTES (deep);
    g_autofree char *caption = BYTES (figure);
    g_assert_cmpstr (heading, ==, "# T\xc3\xa9");
    g_assert_cmpstr (all, ==, "one\n  - two");
    g_assert_cmpstr (two, ==, "two");
    g_assert_cmpstr (caption, ==, "cap\\*t\\*");
  }
  g_assert_cmpint (hidden->md_start, ==, -1);
  g_assert_cmpint (hidden->md_end, ==, -1);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/output/markdown/clean-text", test_clean_text);
  g_test_add_func ("/output/markdown/styles", test_styles);
  g_test_add_func ("/output/markdown/links", test_links);
  g_test_add_func ("/output/markdown/blocks", test_blocks);
  g_test_add_func ("/output/markdown/lists", test_lists);
  g_test_add_func ("/output/markdown/toc", test_toc);
  g_test_add_func ("/output/markdown/tables", test_tables);
  g_test_add_func ("/output/markdown/spans", test_spans);
  g_test_add_func ("/output/markdown/figures", test_figures);
  g_test_add_func ("/output/markdown/notes", test_notes);
  g_test_add_func ("/output/markdown/pages", test_pages);
  g_test_add_func ("/output/markdown/furniture", test_furniture);
  g_test_add_func ("/output/markdown/ranges", test_ranges);
  return g_test_run ();
}
