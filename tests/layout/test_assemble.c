/* tests/layout/test_assemble.c - the tree: code, contents, tables over pages, pages without text, hidden words. */
#include "tests/layout/flow_page.h"

static void
cell (DpTable *table, DpRect box, guint row, guint col, const char *text)
{
  DpCell *c = dp_table_add_cell (
      table, row, col, 1, 1,
      (DpRect){ box.x0 + 100 * (float) col, box.y0 + 12 * (float) row, box.x0 + 100 * (float) (col + 1), box.y0 + 12 * (float) (row + 1) });

  c->header = row == 0;
  g_ptr_array_add (c->spans, dp_span_new (text, 0, NULL));
}

static void
table_page (FlowDoc *doc, const char *first, const char *second)
{
  add_page (doc);
  add_region (doc, DP_REGION_TABLE, 0);
  doc->region->box = (DpRect){ 80, 100, 280, 136 };
  doc->region->table = dp_table_new (2, 2);
  doc->region->table->n_header_rows = 1;
  cell (doc->region->table, doc->region->box, 0, 0, "Year");
  cell (doc->region->table, doc->region->box, 0, 1, "Flood");
  cell (doc->region->table, doc->region->box, 1, 0, first);
  cell (doc->region->table, doc->region->box, 1, 1, second);
}

static void
test_table_over_pages (void)
{
  FlowDoc doc = flow_doc ();
  table_page (&doc, "1901", "yes");
  table_page (&doc, "1902", "no");
  g_autoptr (DpDocument) document = grow (&doc);
  DpBlock *block = nth_block (document, DP_BLOCK_TABLE, 0);
  const DpCell *last;
  g_assert_cmpuint (count_blocks (document, DP_BLOCK_TABLE), ==, 1);
  g_assert_cmpuint (block->table->n_rows, ==, 3);
  g_assert_cmpuint (block->table->cells->len, ==, 6);
  g_assert_cmpuint (block->table->parts->len, ==, 2);
  last = g_ptr_array_index (block->table->cells, 4);
  g_assert_cmpuint (last->row, ==, 2);
  g_assert_cmpstr (((DpSpan *) g_ptr_array_index (last->spans, 0))->text, ==, "1902");
  flow_doc_free (&doc);
}

/* Three rows of labels and text from y on; a row without label is the rest of one. */
static void
put_labelled (FlowDoc *doc, const char *const rows[3][2])
{
  add_page (doc);
  add_region (doc, DP_REGION_TABLE, 0);
  doc->region->box = (DpRect){ 80, 100, 280, 136 };
  doc->region->table = dp_table_new (3, 2);
  for (guint r = 0; r < 3; r++)
    for (guint c = 0; c < 2; c++)
      cell (doc->region->table, doc->region->box, r, c, rows[r][c]);
}

static void
check_cut_row (const char *const above[3][2], const char *const below[3][2], guint n_rows, const char *expected)
{
  FlowDoc doc = flow_doc ();
  put_labelled (&doc, above);
  put_labelled (&doc, below);
  g_autoptr (DpDocument) document = grow (&doc);
  DpBlock *block = nth_block (document, DP_BLOCK_TABLE, 0);
  g_autofree char *text = NULL;
  g_assert_cmpuint (block->table->n_rows, ==, n_rows);
  g_assert_cmpuint (block->table->cells->len, ==, 2 * n_rows);
  text = dp_spans_to_text (((DpCell *) g_ptr_array_index (block->table->cells, 5))->spans);
  g_assert_cmpstr (text, ==, expected);
  flow_doc_free (&doc);
}

/* The end of the page cuts a row: its text goes on below, with the label blank. */
static void
test_cut_row (void)
{
  static const char *const head[3][2] = { { "Station", "Duty" }, { "S1", "Depth." }, { "S2", "Measure depth and pres-" } };
  static const char *const rest[3][2] = { { "", "sure each morning." }, { "S3", "Flow." }, { "S4", "Silt." } };
  static const char *const again[3][2] = { { "Station", "Duty" }, { "", "sure each morning." }, { "S3", "Flow." } };
  static const char *const label[3][2] = { { "Station", "Duty" }, { "S1", "Depth." }, { "S2", "" } };
  static const char *const ended[3][2] = { { "Station", "Duty" }, { "S1", "Depth." }, { "S2", "Pressure." } };
  static const char *const blanks[3][2] = { { "", "sure each morning." }, { "S3", "Flow." }, { "", "silt." } };
  static const char *const numbers[3][2] = { { "", "12.5" }, { "S3", "13.5" }, { "S4", "14.5" } };
  check_cut_row (head, rest, 5, "Measure depth and pressure each morning.");
  check_cut_row (head, again, 4, "Measure depth and pressure each morning.");
  check_cut_row (label, rest, 5, "sure each morning.");
  check_cut_row (ended, rest, 6, "Pressure.");                /* a sentence that is over */
  check_cut_row (head, blanks, 6, "Measure depth and pres-"); /* rows of this table have no label at times */
  check_cut_row (head, numbers, 6, "Measure depth and pres-");
}

/* Text between the pieces: two tables. */
static void
test_two_tables (void)
{
  FlowDoc doc = flow_doc ();
  table_page (&doc, "1901", "yes");
  add_region (&doc, DP_REGION_TEXT, 0);
  add_prose (&doc, 80, 200, 4);
  table_page (&doc, "1902", "no");
  g_autoptr (DpDocument) document = grow (&doc);
  g_assert_cmpuint (count_blocks (document, DP_BLOCK_TABLE), ==, 2);
  flow_doc_free (&doc);
}

static void
test_code (void)
{
  FlowDoc doc = flow_doc ();
  add_page (&doc);
  add_region (&doc, DP_REGION_TEXT, 0);
  add_prose (&doc, 80, 100, 6);
  add_region (&doc, DP_REGION_TEXT, 0);
  add_line (&doc, 80, 200, 10, DP_SPAN_MONO, "if (x > 0) {");
  add_line (&doc, 90, 212, 10, DP_SPAN_MONO, "flood (x);");
  add_line (&doc, 80, 224, 10, DP_SPAN_MONO, "}");
  g_autoptr (DpDocument) document = grow (&doc);
  g_assert_cmpstr (nth_block (document, DP_BLOCK_CODE, 0)->text, ==, "if (x > 0) {\n  flood (x);\n}");
  flow_doc_free (&doc);
}

/* Blank lines inside a listing, whatever its line spacing; an upward step is the next column, where the listing goes on. */
static void
test_code_blank_lines (void)
{
  FlowDoc doc = flow_doc ();
  add_page (&doc);
  add_region (&doc, DP_REGION_TEXT, 0);
  add_prose (&doc, 80, 100, 8);
  add_region (&doc, DP_REGION_TEXT, 0);
  add_line (&doc, 80, 300, 10, DP_SPAN_MONO, "use std;");
  add_line (&doc, 80, 330, 10, DP_SPAN_MONO, "fn main() {");
  add_line (&doc, 90, 345, 10, DP_SPAN_MONO, "run();");
  add_line (&doc, 80, 360, 10, DP_SPAN_MONO, "}");
  add_line (&doc, 80, 405, 10, DP_SPAN_MONO, "fn run() {");
  add_page (&doc);
  add_region (&doc, DP_REGION_TEXT, 0);
  add_line (&doc, 90, 60, 10, DP_SPAN_MONO, "stop();");
  add_line (&doc, 80, 75, 10, DP_SPAN_MONO, "}");
  add_line (&doc, 80, 103, 10, DP_SPAN_MONO, "another(); // at no multiple of the line spacing");
  add_region (&doc, DP_REGION_TEXT, 0);
  add_prose (&doc, 80, 300, 8);
  g_autoptr (DpDocument) document = grow (&doc);
  g_assert_cmpuint (count_blocks (document, DP_BLOCK_CODE), ==, 2);
  g_assert_cmpstr (nth_block (document, DP_BLOCK_CODE, 0)->text, ==, "use std;\n\nfn main() {\n  run();\n}\n\n\nfn run() {\n  stop();\n}");
  flow_doc_free (&doc);
}

/* An address in a typewriter face that the end of a line divides: with the same target on both sides it is no listing. */
static void
check_divided_address (const char *target, guint listings)
{
  FlowDoc doc = flow_doc ();
  DpPageLayout *layout;

  add_page (&doc);
  add_region (&doc, DP_REGION_TEXT, 0);
  add_prose (&doc, 80, 100, 8);
  add_region (&doc, DP_REGION_TEXT, 0);
  add_line (&doc, 80, 300, 10, 0, "Tantau, Manual. See https:");
  layout = doc.page;
  g_ptr_array_add (layout->links, g_strdup ("https://example.org/a_b.pdf"));
  g_array_index (layout->words, DpWord, layout->words->len - 1).link = 1;
  add_line (&doc, 100, 312, 10, DP_SPAN_MONO, "//example.org/a_b.pdf");
  g_ptr_array_add (layout->links, g_strdup (target));
  g_array_index (layout->words, DpWord, layout->words->len - 1).link = 2;
  g_autoptr (DpDocument) document = grow (&doc);
  g_assert_cmpuint (count_blocks (document, DP_BLOCK_CODE), ==, listings);
  flow_doc_free (&doc);
}

static void
test_divided_address (void)
{
  check_divided_address ("https://example.org/a_b.pdf", 0);
  check_divided_address ("https://example.org/other", 1);
}

/* A listing over two pages, set in a little: the second page holds nothing else, so its column begins with the code, and has
 * the margin of a left page. */
static void
test_code_over_pages (void)
{
  FlowDoc doc = flow_doc ();
  for (guint page = 0; page < 4; page++) {
    const float margin = page % 2 ? 60 : 80;
    add_page (&doc);
    add_region (&doc, DP_REGION_TEXT, 0);
    if (page != 2)
      add_prose (&doc, margin, 60, 30);
    else
      for (guint i = 0; i < 3; i++)
        add_line (&doc, margin + 28, 60 + 12 * (float) i, 10, DP_SPAN_MONO, "within (2);");
    if (page == 1) {
      add_region (&doc, DP_REGION_TEXT, 0);
      add_line (&doc, margin + 18, 700, 10, DP_SPAN_MONO, "begin {");
    }
  }
  g_autoptr (DpDocument) document = grow (&doc);
  g_assert_cmpuint (count_blocks (document, DP_BLOCK_CODE), ==, 1);
  g_assert_cmpstr (nth_block (document, DP_BLOCK_CODE, 0)->text, ==, "begin {\n  within (2);\n  within (2);\n  within (2);");
  flow_doc_free (&doc);
}

/* A path in a sentence that fills the line's end and the next line is no listing; a function's bold name alone is none either. */
static void
test_code_in_prose (void)
{
  FlowDoc doc = flow_doc ();
  add_page (&doc);
  add_region (&doc, DP_REGION_TEXT, 0);
  add_prose (&doc, 80, 100, 8);
  add_region (&doc, DP_REGION_TEXT, 0);
  add_line (&doc, 80, 300, 10, DP_SPAN_BOLD | DP_SPAN_MONO, "wasi.start(instance)");
  add_region (&doc, DP_REGION_TEXT, 0);
  add_prose (&doc, 80, 330, 8);
  add_line (&doc, 80, 426, 10, 0, "The rules that apply to such lines are read once at the start from the file");
  add_line (&doc, 80, 438, 10, DP_SPAN_MONO, "/etc/logcheck/violations.ignore.d/");
  g_autoptr (DpDocument) document = grow (&doc);
  g_assert_cmpuint (count_blocks (document, DP_BLOCK_CODE), ==, 0);
  flow_doc_free (&doc);
}

static void
test_contents (void)
{
  FlowDoc doc = flow_doc ();
  add_page (&doc);
  add_region (&doc, DP_REGION_TEXT, 0);
  add_line (&doc, 80, 80, 14, DP_SPAN_BOLD, "Contents");
  add_region (&doc, DP_REGION_TEXT, 0);
  add_line (&doc, 80, 100, 10, 0, "1 Rivers . . . . . . . . . . 3");
  add_line (&doc, 95, 112, 10, 0, "1.1 Springs . . . . . . . . 5");
  add_line (&doc, 80, 124, 10, 0, "2 Lakes . . . . . . . . . . 12");
  g_autoptr (DpDocument) document = grow (&doc);
  DpBlock *entry = nth_block (document, DP_BLOCK_TOC_ENTRY, 1);
  g_assert_cmpuint (count_blocks (document, DP_BLOCK_HEADING), ==, 1);
  g_assert_cmpuint (count_blocks (document, DP_BLOCK_TOC_ENTRY), ==, 3);
  assert_text (entry, "1.1 Springs");
  g_assert_cmpstr (entry->label, ==, "5");
  g_assert_cmpuint (entry->level, ==, 2);
  flow_doc_free (&doc);
}

/* The title stands where running heads do; chapters have no dots, sections do; the next page goes on with one entry. */
static void
test_contents_over_pages (void)
{
  FlowDoc doc = flow_doc ();
  static const char *const titles[] = { "1 Rivers", "1.1 Springs . . . . . . . . . . .", "1.2 Mouths . . . . . . . . . . .", "2 Lakes" };
  add_page (&doc);
  add_region (&doc, DP_REGION_TEXT, 0);
  add_line (&doc, 420, 20, 9, 0, "Inhaltsverzeichnis");
  for (guint i = 0; i < 20; i++) {
    g_autofree char *page = g_strdup_printf ("%2u", 11 + i);
    add_region (&doc, DP_REGION_TEXT, 0);
    add_line (&doc, 80, 150 + 20 * (float) i, 10, i % 4 == 0 || i % 4 == 3 ? DP_SPAN_BOLD : 0, titles[i % 4]);
    add_line (&doc, 400, 150 + 20 * (float) i, 10, 0, page);
  }
  add_page (&doc);
  add_region (&doc, DP_REGION_TEXT, 0);
  add_line (&doc, 80, 150, 10, 0, "9.9 Sources . . . . . . . . . . . . . . . . . . 40");
  add_region (&doc, DP_REGION_TEXT, 0);
  add_prose (&doc, 80, 200, 12);
  g_autoptr (DpDocument) document = grow (&doc);
  assert_text (nth_block (document, DP_BLOCK_HEADING, 0), "Inhaltsverzeichnis");
  g_assert_cmpuint (count_blocks (document, DP_BLOCK_TOC), ==, 1);
  g_assert_cmpuint (count_blocks (document, DP_BLOCK_TOC_ENTRY), ==, 21);
  assert_text (nth_block (document, DP_BLOCK_TOC_ENTRY, 20), "9.9 Sources");
  flow_doc_free (&doc);
}

/* The first heading of the text got into the table below the last page number. */
static void
test_contents_table_tail (void)
{
  FlowDoc doc = flow_doc ();
  DpTable *table = dp_table_new (5, 2);
  DpRect box = { 80, 110, 280, 170 };
  add_page (&doc);
  add_region (&doc, DP_REGION_TEXT, 0);
  add_line (&doc, 80, 80, 14, DP_SPAN_BOLD, "Contents");
  add_region (&doc, DP_REGION_TABLE, 0);
  doc.region->box = box;
  doc.region->table = table;
  for (guint i = 0; i < 5; i++) {
    g_autofree char *page = i < 4 ? g_strdup_printf ("%u", 3 + 4 * i) : g_strdup ("");
    cell (table, box, i, 0, i < 4 ? "Rivers" : "1 Springs");
    cell (table, box, i, 1, page);
  }
  add_region (&doc, DP_REGION_TEXT, 0);
  add_prose (&doc, 80, 220, 4);
  g_autoptr (DpDocument) document = grow (&doc);
  g_assert_cmpuint (count_blocks (document, DP_BLOCK_TOC_ENTRY), ==, 4);
  g_assert_cmpuint (count_blocks (document, DP_BLOCK_HEADING), ==, 2);
  assert_text (nth_block (document, DP_BLOCK_HEADING, 1), "1 Springs");
  g_assert_cmpuint (nth_block (document, DP_BLOCK_HEADING, 1)->level, ==, nth_block (document, DP_BLOCK_HEADING, 0)->level);
  flow_doc_free (&doc);
}

/* A date above the heading is no entry; behind the entries stand titles whose numbers have no dots, the last on the next page. */
static void
test_contents_around (void)
{
  FlowDoc doc = flow_doc ();
  add_page (&doc);
  add_region (&doc, DP_REGION_TEXT, 0);
  add_line (&doc, 80, 60, 10, 0, "2 March 2016");
  add_region (&doc, DP_REGION_TEXT, 0);
  add_line (&doc, 80, 80, 14, DP_SPAN_BOLD, "Sommario");
  add_region (&doc, DP_REGION_TEXT, 0);
  add_line (&doc, 80, 100, 10, 0, "1 Rivers . . . . . . . . . . 3");
  add_line (&doc, 95, 112, 10, 0, "1.1 Springs . . . . . . . . 5");
  const float right = add_line (&doc, 80, 124, 10, 0, "2 Lakes . . . . . . . . . . . 12");
  add_region (&doc, DP_REGION_TEXT, 0);
  add_line (&doc, 80, 142, 10, DP_SPAN_BOLD, "A Sources");
  add_region (&doc, DP_REGION_TEXT, 0);
  add_line (&doc, right - 10, 142, 10, DP_SPAN_BOLD, "20");
  add_page (&doc);
  add_region (&doc, DP_REGION_TEXT, 0);
  add_line (&doc, 80, 80, 10, DP_SPAN_BOLD, "Index");
  add_region (&doc, DP_REGION_TEXT, 0);
  add_line (&doc, right - 10, 80, 10, DP_SPAN_BOLD, "22");
  add_region (&doc, DP_REGION_TEXT, 0);
  add_prose (&doc, 80, 120, 4);
  g_autoptr (DpDocument) document = grow (&doc);
  g_assert_cmpuint (count_blocks (document, DP_BLOCK_HEADING), ==, 1);
  g_assert_cmpuint (count_blocks (document, DP_BLOCK_TOC_ENTRY), ==, 5);
  assert_text (nth_block (document, DP_BLOCK_PARAGRAPH, 0), "2 March 2016");
  assert_text (nth_block (document, DP_BLOCK_TOC_ENTRY, 3), "A Sources");
  g_assert_cmpstr (nth_block (document, DP_BLOCK_TOC_ENTRY, 3)->label, ==, "20");
  assert_text (nth_block (document, DP_BLOCK_TOC_ENTRY, 4), "Index");
  g_assert_cmpstr (nth_block (document, DP_BLOCK_TOC_ENTRY, 4)->label, ==, "22");
  flow_doc_free (&doc);
}

/* The same laid out as a table, its first row apart: still contents. */
static void
test_contents_table (void)
{
  FlowDoc doc = flow_doc ();
  DpTable *table = dp_table_new (3, 2);
  DpRect box = { 80, 110, 280, 146 };
  add_page (&doc);
  add_region (&doc, DP_REGION_TEXT, 0);
  add_line (&doc, 80, 80, 14, DP_SPAN_BOLD, "Contents");
  add_region (&doc, DP_REGION_TEXT, 0);
  add_line (&doc, 80, 100, 10, 0, "Preface");
  add_region (&doc, DP_REGION_TEXT, 0);
  add_line (&doc, 270, 100, 10, 0, "1");
  add_region (&doc, DP_REGION_TABLE, 0);
  doc.region->box = box;
  doc.region->table = table;
  for (guint i = 0; i < 3; i++) {
    g_autofree char *page = g_strdup_printf ("%u", 3 + 4 * i);
    cell (table, box, i, 0, "Rivers");
    cell (table, box, i, 1, page);
  }
  g_autoptr (DpDocument) document = grow (&doc);
  g_assert_cmpuint (count_blocks (document, DP_BLOCK_TABLE), ==, 0);
  g_assert_cmpuint (count_blocks (document, DP_BLOCK_TOC_ENTRY), ==, 4);
  assert_text (nth_block (document, DP_BLOCK_TOC_ENTRY, 0), "Preface");
  g_assert_cmpstr (nth_block (document, DP_BLOCK_TOC_ENTRY, 0)->label, ==, "1");
  assert_text (nth_block (document, DP_BLOCK_TOC_ENTRY, 3), "Rivers");
  g_assert_cmpstr (nth_block (document, DP_BLOCK_TOC_ENTRY, 3)->label, ==, "11");
  flow_doc_free (&doc);
}

static void
test_pages (void)
{
  FlowDoc doc = flow_doc ();
  add_page (&doc);
  doc.page->needs_model = TRUE;
  doc.page->reason = g_strdup ("no text");
  add_page (&doc);
  add_region (&doc, DP_REGION_TEXT, 0);
  add_prose (&doc, 80, 100, 4);
  add_word (doc.page, "secret", 6, 80, 700, 10, 0);
  g_array_index (doc.page->words, DpWord, doc.page->words->len - 1).hidden = 1;
  g_ptr_array_add (doc.page->notes, dp_block_new (DP_BLOCK_FIELD, 2, (DpRect){ 0, 0, 1, 1 }));
  g_autoptr (DpDocument) document = grow (&doc);
  g_assert_cmpuint (document->pages->len, ==, 2);
  g_assert_cmpstr (g_array_index (document->pages, DpPageInfo, 0).reason, ==, "no text");
  g_assert_cmpuint (nth_block (document, DP_BLOCK_PAGE_PICTURE, 0)->page, ==, 1);
  assert_text (nth_block (document, DP_BLOCK_HIDDEN, 0), "secret");
  g_assert_nonnull (nth_block (document, DP_BLOCK_FIELD, 0));
  g_assert_cmpuint (nth_block (document, DP_BLOCK_FIELD, 0)->index, ==, document->blocks->len - 1);
  flow_doc_free (&doc);
}

/* Nothing at all, and a page of one empty region. */
static void
test_empty (void)
{
  FlowDoc doc = flow_doc ();
  add_page (&doc);
  add_region (&doc, DP_REGION_TEXT, 0);
  g_autoptr (DpDocument) document = grow (&doc);
  g_assert_cmpuint (document->blocks->len, ==, 0);
  flow_doc_free (&doc);
}

/* 30,000 short lines of every look in one region, and as many regions: no pass may be quadratic. */
static void
test_large (void)
{
  static const char *const looks[] = { "1. a", "Figure 3. b", "• c", "Table 4: d", "4", "Chapter 5 e", "* f", "(7)" };
  FlowDoc doc = flow_doc ();
  add_page (&doc);
  for (guint i = 0; i < 30000; i++) {
    if (i < 15000 || i % 100 == 0)
      add_region (&doc, DP_REGION_TEXT, i % 3);
    add_line (&doc, 80 + (float) (i % 7), 20 + 0.025f * (float) i, 10 + (float) (i % 2), i % 5 == 0 ? DP_SPAN_BOLD : 0,
              looks[i % G_N_ELEMENTS (looks)]);
  }
  g_autoptr (DpDocument) document = grow (&doc);
  g_assert_cmpuint (document->blocks->len, >, 1000);
  flow_doc_free (&doc);
}

/* "Abstract. We ..." is a section like the one that follows; prose that begins so is not. */
static void
test_abstract (void)
{
  for (guint bold = 0; bold < 2; bold++) {
    FlowDoc doc = flow_doc ();
    add_page (&doc);
    add_region (&doc, DP_REGION_TEXT, 0);
    add_line (&doc, 80, 60, 18, DP_SPAN_BOLD, "Of Wells");
    add_region (&doc, DP_REGION_TEXT, 0);
    add_line (&doc, 80, 100, 10, 0, "Abstract. so much water runs under the hill that the wells of the valley");
    if (bold)
      g_array_index (doc.page->words, DpWord, 2).style = DP_SPAN_BOLD;
    add_line (&doc, 80, 112, 10, 0, "never dry up, not even in the years when the river does, as we can show here.");
    add_region (&doc, DP_REGION_TEXT, 0);
    add_line (&doc, 80, 150, 14, DP_SPAN_BOLD, "1 Water");
    add_region (&doc, DP_REGION_TEXT, 0);
    add_prose (&doc, 80, 180, 12);
    g_autoptr (DpDocument) document = grow (&doc);
    g_assert_cmpuint (count_blocks (document, DP_BLOCK_HEADING), ==, 2 + bold);
    if (bold) {
      assert_text (nth_block (document, DP_BLOCK_HEADING, 1), "Abstract");
      g_assert_cmpuint (nth_block (document, DP_BLOCK_HEADING, 1)->level, ==, nth_block (document, DP_BLOCK_HEADING, 2)->level);
      g_autofree char *text = dp_spans_to_text (nth_block (document, DP_BLOCK_PARAGRAPH, 0)->spans);
      g_assert_true (g_str_has_prefix (text, "so much water"));
    }
    flow_doc_free (&doc);
  }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/assemble/table-over-pages", test_table_over_pages);
  g_test_add_func ("/assemble/cut-row", test_cut_row);
  g_test_add_func ("/assemble/two-tables", test_two_tables);
  g_test_add_func ("/assemble/code", test_code);
  g_test_add_func ("/assemble/code-blank-lines", test_code_blank_lines);
  g_test_add_func ("/assemble/divided-address", test_divided_address);
  g_test_add_func ("/assemble/code-over-pages", test_code_over_pages);
  g_test_add_func ("/assemble/code-in-prose", test_code_in_prose);
  g_test_add_func ("/assemble/contents", test_contents);
  g_test_add_func ("/assemble/contents-over-pages", test_contents_over_pages);
  g_test_add_func ("/assemble/contents-table", test_contents_table);
  g_test_add_func ("/assemble/contents-table-tail", test_contents_table_tail);
  g_test_add_func ("/assemble/contents-around", test_contents_around);
  g_test_add_func ("/assemble/pages", test_pages);
  g_test_add_func ("/assemble/empty", test_empty);
  g_test_add_func ("/assemble/large", test_large);
  g_test_add_func ("/assemble/abstract", test_abstract);
  return g_test_run ();
}
