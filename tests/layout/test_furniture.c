/* tests/layout/test_furniture.c - running heads, page numbers, stamps; and what must stay text. */
#include "layout/furniture.h"
#include "layout/line_numbers.h"
#include "layout/running.h"
#include "tests/layout/flow_page.h"

static void
body (FlowDoc *doc)
{
  add_region (doc, DP_REGION_TEXT, 0);
  add_prose (doc, 80, 150, 12);
}

static void
test_repeated (void)
{
  FlowDoc doc = flow_doc ();
  for (guint p = 0; p < 4; p++) {
    g_autofree char *folio = g_strdup_printf ("Annals of Water %u", 17 + p);
    add_page (&doc);
    add_region (&doc, DP_REGION_TEXT, 0);
    add_line (&doc, 80, 120, 10, 0, folio); /* inside the band, but too low to be judged on one page */
    body (&doc);
  }
  g_autoptr (DpDocument) document = grow (&doc);
  g_assert_cmpuint (count_blocks (document, DP_BLOCK_HEADER), ==, 4);
  assert_text (nth_block (document, DP_BLOCK_HEADER, 2), "Annals of Water 19");
  flow_doc_free (&doc);
}

static void
put_panel (FlowDoc *doc, float y, const char *left, const char *right)
{
  const DpRect box = { 80, y, 500, y + 24 };

  add_region (doc, DP_REGION_TABLE, 0);
  doc->region->box = box;
  doc->region->table = dp_table_new (1, 2);
  g_ptr_array_add (dp_table_add_cell (doc->region->table, 0, 0, 1, 1, box)->spans, dp_span_new (left, DP_SPAN_BOLD, NULL));
  g_ptr_array_add (dp_table_add_cell (doc->region->table, 0, 1, 1, 1, box)->spans, dp_span_new (right, 0, NULL));
}

/* A head that is set as a table on every page: the page's number in it may count.  The same labels with other figures are content,
 * as is a table in the middle of the page. */
static void
test_panels (void)
{
  static const char *const figures[] = { "Flow 17", "Flow 40", "Flow 12", "Flow 88" };

  for (guint k = 0; k < 3; k++) {
    FlowDoc doc = flow_doc ();
    for (guint p = 0; p < 4; p++) {
      g_autofree char *counted = g_strdup_printf ("Page %u of 4", p + 1);
      add_page (&doc);
      put_panel (&doc, k == 2 ? 320 : 30, "Work instruction QP-7", k == 1 ? figures[p] : counted);
      body (&doc);
    }
    g_autoptr (DpDocument) document = grow (&doc);
    g_assert_cmpuint (count_blocks (document, DP_BLOCK_HEADER), ==, k == 0 ? 4 : 0);
    g_assert_cmpuint (count_blocks (document, DP_BLOCK_TABLE) > 0, ==, k > 0);
    if (k == 0)
      assert_text (nth_block (document, DP_BLOCK_HEADER, 2), "Work instruction QP-7 Page 3 of 4");
    flow_doc_free (&doc);
  }
}

/* Three of eight slides have one title, in the largest type of their pages, and the second has little but that: a title, not a
 * running head as on sheets of paper, or on all slides. */
static void
test_slide_titles (void)
{
  for (guint k = 0; k < 3; k++) {
    FlowDoc doc = flow_doc ();
    for (guint p = 0; p < 8; p++) {
      g_autofree char *other = g_strdup_printf ("%c title of its own", 'A' + p);
      add_page (&doc);
      if (k != 1) {
        doc.page->width = 1000;
        doc.page->height = 600;
      }
      add_region (&doc, DP_REGION_TEXT, 0);
      add_line (&doc, 80, 60, 26, 0, k == 2 || (p > 1 && p < 5) ? "What boats need" : other);
      if (p == 2) {
        add_region (&doc, DP_REGION_TEXT, 0);
        add_line (&doc, 80, 250, 20, 0, "Deep water");
        continue;
      }
      for (guint i = 0; i < 4; i++) { /* single lines: no page has text that tells its size */
        add_region (&doc, DP_REGION_TEXT, 0);
        add_line (&doc, 80, 150 + 80 * (float) i, 20, 0, "Light at night");
      }
    }
    g_autoptr (DpDocument) document = grow (&doc);
    g_assert_cmpuint (count_blocks (document, DP_BLOCK_HEADER), ==, k == 0 ? 0 : k == 1 ? 3 : 8);
    if (k == 0) {
      g_assert_cmpuint (count_blocks (document, DP_BLOCK_HEADING), ==, 8);
      assert_text (nth_block (document, DP_BLOCK_HEADING, 2), "What boats need");
    }
    flow_doc_free (&doc);
  }
}

/* A logo beside the running head that alternates; on a single page a logo hides what stands below it from judgement. */
static void
test_logo (void)
{
  for (guint n = 1; n <= 6; n += 5) {
    FlowDoc doc = flow_doc ();
    for (guint p = 0; p < n; p++) {
      g_autofree char *folio = g_strdup_printf (p % 2 ? "%u CHAPTER 1. BOATS" : "1.5. LIST OF ALL BOATS %u", 17 + p);
      add_page (&doc);
      add_region (&doc, DP_REGION_FIGURE, 0);
      doc.region->box = (DpRect){ 20, 20, 60, 56 };
      add_region (&doc, DP_REGION_TEXT, 0);
      add_line (&doc, 80, 50, 10, DP_SPAN_ITALIC, folio);
      body (&doc);
    }
    g_autoptr (DpDocument) document = grow (&doc);
    g_assert_cmpuint (count_blocks (document, DP_BLOCK_HEADER), ==, n > 1 ? n : 0);
    flow_doc_free (&doc);
  }
}

static void
test_single_page (void)
{
  FlowDoc doc = flow_doc ();
  add_page (&doc);
  add_region (&doc, DP_REGION_TEXT, 0);
  add_line (&doc, 80, 40, 9, 0, "Chapter Two 31");
  body (&doc);
  add_region (&doc, DP_REGION_TEXT, 0);
  add_line (&doc, 290, 770, 10, 0, "- 31 -");
  g_autoptr (DpDocument) document = grow (&doc);
  g_assert_cmpuint (count_blocks (document, DP_BLOCK_HEADER), ==, 1);
  assert_text (nth_block (document, DP_BLOCK_PAGE_NUMBER, 0), "- 31 -");
  flow_doc_free (&doc);
}

/* A large bold line at the top is a heading, not a running head; so is a sentence at the foot text. */
static void
test_heading_stays (void)
{
  FlowDoc doc = flow_doc ();
  add_page (&doc);
  add_region (&doc, DP_REGION_TEXT, 0);
  add_line (&doc, 80, 80, 16, DP_SPAN_BOLD, "Water Rights");
  body (&doc);
  add_region (&doc, DP_REGION_TEXT, 0);
  add_line (&doc, 80, 740, 10, 0, "the last words of a paragraph that ends here at the foot.");
  g_autoptr (DpDocument) document = grow (&doc);
  g_assert_cmpuint (count_blocks (document, DP_BLOCK_HEADER), ==, 0);
  g_assert_cmpuint (count_blocks (document, DP_BLOCK_FOOTER), ==, 0);
  assert_text (nth_block (document, DP_BLOCK_HEADING, 0), "Water Rights");
  flow_doc_free (&doc);
}

/* Below the head that all pages have, a bold line near the edge is a section, not a second head. */
static void
test_heading_below_head (void)
{
  FlowDoc doc = flow_doc ();
  static const char *const names[] = { "1 Rivers", "Lakes of it", "2 Shores", "Wells and springs" };
  for (guint p = 0; p < 4; p++) {
    add_page (&doc);
    add_region (&doc, DP_REGION_TEXT, 0);
    add_line (&doc, 80, 20, 10, 0, "Annals of Water");
    add_region (&doc, DP_REGION_TEXT, 0);
    add_line (&doc, 80, 38, 10, DP_SPAN_BOLD, names[p]);
    body (&doc);
  }
  g_autoptr (DpDocument) document = grow (&doc);
  g_assert_cmpuint (count_blocks (document, DP_BLOCK_HEADER), ==, 4);
  assert_text (nth_block (document, DP_BLOCK_HEADING, 3), names[3]);
  flow_doc_free (&doc);
}

/* A page with one line only keeps it, wherever it stands. */
static void
test_short_page (void)
{
  FlowDoc doc = flow_doc ();
  add_page (&doc);
  add_region (&doc, DP_REGION_TEXT, 0);
  add_line (&doc, 80, 40, 10, 0, "Hello World");
  g_autoptr (DpDocument) document = grow (&doc);
  assert_text (nth_block (document, DP_BLOCK_PARAGRAPH, 0), "Hello World");
  flow_doc_free (&doc);
}

static void
test_stamp_and_line_numbers (void)
{
  FlowDoc doc = flow_doc ();
  add_page (&doc);
  add_region (&doc, DP_REGION_TEXT, 0);
  add_line (&doc, 20, 400, 20, 0, "arXiv:2112.02325 [cs.CL]");
  g_array_index (doc.page->lines, DpLine, 0).angle = 270;
  for (guint i = 0; i < 12; i++) {
    g_autofree char *number = g_strdup_printf ("%u", i + 1);
    add_region (&doc, DP_REGION_TEXT, 1);
    add_line (&doc, 50, 150 + 12 * (float) i, 8, 0, number);
  }
  body (&doc);
  dp_layout_line_numbers (doc.page);
  g_autoptr (DpDocument) document = grow (&doc);
  g_assert_cmpuint (count_blocks (document, DP_BLOCK_ASIDE), ==, 13);
  g_assert_cmpuint (count_blocks (document, DP_BLOCK_PARAGRAPH), ==, 1);
  flow_doc_free (&doc);
}

/* Headers and headings found on a page whose first line is text. */
static void
check_top (float x, float y, float size, guint style, const char *text, gboolean header)
{
  FlowDoc doc = flow_doc ();
  add_page (&doc);
  add_region (&doc, DP_REGION_TEXT, 0);
  add_line (&doc, x, y, size, style, text);
  body (&doc);
  g_autoptr (DpDocument) document = grow (&doc);
  g_assert_cmpuint (count_blocks (document, DP_BLOCK_HEADER), ==, header ? 1 : 0);
  flow_doc_free (&doc);
}

/* A company's name, a phrase that runs over pages, a lone text in the right corner; but not a date. */
static void
test_words_of_headers (void)
{
  check_top (80, 76, 12, DP_SPAN_BOLD, "Water Works Limited", TRUE);
  check_top (80, 76, 12, DP_SPAN_BOLD, "Water Works Limits", FALSE);
  check_top (80, 76, 10, DP_SPAN_BOLD, "Notes to the Accounts (continued)", TRUE);
  check_top (80, 76, 10, DP_SPAN_BOLD, "Notes to the Accounts", FALSE);
  check_top (480, 56, 10, DP_SPAN_BOLD, "Exhibit 31.1", TRUE);
  check_top (80, 76, 10, DP_SPAN_BOLD, "Exhibit 31.1", FALSE);
  check_top (80, 100, 13, DP_SPAN_BOLD, "RESULTS FOR THE QUARTER THAT BEGAN DECEMBER 31", FALSE);
  check_top (80, 60, 10, 0, "and the end of a sentence.", FALSE);
}

/* A page with narrow margins: its first line, and its title, are set like the text and like titles are, and run over no pages. */
static void
test_narrow_margin (void)
{
  static const struct {
    float size, next;
    guint style;
    gboolean header;
  } firsts[] = { { 10, 55, 0, FALSE }, { 12, 62, DP_SPAN_BOLD, FALSE }, { 8, 55, 0, TRUE },
                 { 10, 75, 0, TRUE },  { 10, 75, DP_SPAN_BOLD, FALSE }, { 10, 95, DP_SPAN_BOLD, TRUE } };
  for (guint i = 0; i < G_N_ELEMENTS (firsts); i++) {
    FlowDoc doc = flow_doc ();
    add_page (&doc);
    add_region (&doc, DP_REGION_TEXT, 0);
    add_line (&doc, 80, 36, firsts[i].size, firsts[i].style, "Of the rivers and their banks");
    add_region (&doc, DP_REGION_TEXT, 0);
    add_prose (&doc, 80, firsts[i].next, 16);
    g_autoptr (DpDocument) document = grow (&doc);
    g_assert_cmpuint (count_blocks (document, DP_BLOCK_HEADER), ==, firsts[i].header ? 1 : 0);
    flow_doc_free (&doc);
  }
}

/* Notes, the numbers of an axis, its names and the end of a sentence stand above the page's number, and are text; the name of a report
 * is not, nor in French what notes belong to. */
static void
test_above_number (void)
{
  static const struct {
    const char *text;
    gboolean footer;
  } lasts[] = { { "9 As far as the survey went", FALSE },  { "0 5 10 15", FALSE },       { "Source: the survey.", FALSE },
                { "OFTEN SOMETIMES RARELY NEVER", FALSE }, { "Rivers and banks", TRUE }, { "2019 Annual Report", TRUE } };
  for (guint i = 0; i < G_N_ELEMENTS (lasts); i++) {
    FlowDoc doc = flow_doc ();
    g_auto (GStrv) parts = g_strsplit (g_ascii_isupper (lasts[i].text[1]) ? lasts[i].text : "", " ", -1);
    add_page (&doc);
    body (&doc);
    for (guint k = 0; parts[k]; k++) { /* names of an axis, wide apart */
      add_region (&doc, DP_REGION_TEXT, 0);
      add_line (&doc, 80 + 110 * (float) k, 745, 9.5f, 0, parts[k]);
    }
    if (!parts[0]) {
      add_region (&doc, DP_REGION_TEXT, 0);
      add_line (&doc, 80, 745, 9, 0, lasts[i].text);
    }
    add_region (&doc, DP_REGION_TEXT, 0);
    add_line (&doc, 290, 770, 9, 0, "31");
    g_autoptr (DpDocument) document = grow (&doc);
    g_assert_cmpuint (count_blocks (document, DP_BLOCK_FOOTER), ==, lasts[i].footer ? 1 : 0);
    g_assert_cmpuint (count_blocks (document, DP_BLOCK_PAGE_NUMBER), ==, 1);
    flow_doc_free (&doc);
  }
  g_assert_cmpfloat (dp_running_phrase ("Notes afférentes aux états financiers"), >, 0);
  g_assert_cmpfloat (dp_running_phrase ("Pour les exercices terminés le 30 novembre"), >, 0);
}

/* A page number far from the edge: the margins are wide, and the head stands further in. */
static void
test_wide_margins (void)
{
  for (guint number = 0; number < 2; number++) {
    FlowDoc doc = flow_doc ();
    add_page (&doc);
    add_region (&doc, DP_REGION_TEXT, 0);
    add_line (&doc, 80, 112, 12, 0, "Water Works Limited");
    body (&doc);
    add_region (&doc, DP_REGION_TEXT, 0);
    add_line (&doc, 290, 690, 10, 0, number ? "31" : "the last line.");
    g_autoptr (DpDocument) document = grow (&doc);
    g_assert_cmpuint (count_blocks (document, DP_BLOCK_HEADER), ==, number);
    g_assert_cmpuint (count_blocks (document, DP_BLOCK_PAGE_NUMBER), ==, number);
    flow_doc_free (&doc);
  }
}

/* An address close under the name: a letter begins.  A date or the name of a report there are those of a running head. */
static void
test_letterhead (void)
{
  static const struct {
    const char *below;
    gboolean header;
  } seconds[] = { { "14 Quay Street", FALSE }, { "31 December 2019", TRUE }, { "Annual Report", TRUE } };

  for (guint i = 0; i < G_N_ELEMENTS (seconds); i++) {
    FlowDoc doc = flow_doc ();
    add_page (&doc);
    add_region (&doc, DP_REGION_TEXT, 0);
    add_line (&doc, 80, 76, 12, DP_SPAN_BOLD, "Water Works Limited");
    add_line (&doc, 80, 90, 12, DP_SPAN_BOLD, seconds[i].below);
    body (&doc);
    g_autoptr (DpDocument) document = grow (&doc);
    g_assert_cmpint (count_blocks (document, DP_BLOCK_HEADER) > 0, ==, seconds[i].header);
    flow_doc_free (&doc);
  }
}

/* Two lines of a head share the distance to the text. */
static void
test_band (void)
{
  for (guint below = 60; below <= 150; below += 90) {
    FlowDoc doc = flow_doc ();
    add_page (&doc);
    add_region (&doc, DP_REGION_TEXT, 0);
    add_line (&doc, 80, 40, 8, 0, "Survey of the rivers");
    add_line (&doc, 80, 49, 8, 0, "The northern half");
    add_region (&doc, DP_REGION_TEXT, 0);
    add_prose (&doc, 80, (float) below, 20);
    g_autoptr (DpDocument) document = grow (&doc);
    g_assert_cmpint (count_blocks (document, DP_BLOCK_HEADER) > 0, ==, below == 150);
    flow_doc_free (&doc);
  }
}

/* The name of a company runs over the pages that follow the first, where it is a title or a sender's. */
static void
test_company (void)
{
  FlowDoc doc = flow_doc ();
  for (guint p = 0; p < 2; p++) {
    add_page (&doc);
    add_region (&doc, DP_REGION_TEXT, 0);
    add_line (&doc, 80, 76, 12, DP_SPAN_BOLD, "Water Works Limited");
    body (&doc);
  }
  g_autoptr (DpDocument) document = grow (&doc);
  g_assert_cmpuint (count_blocks (document, DP_BLOCK_HEADER), ==, 1);
  g_assert_cmpuint (nth_block (document, DP_BLOCK_HEADER, 0)->page, ==, 2);
  flow_doc_free (&doc);
}

/* Small type at the foot that begins with a raised mark is a note. */
static void
test_marked (void)
{
  for (guint marked = 0; marked < 2; marked++) {
    FlowDoc doc = flow_doc ();
    add_page (&doc);
    body (&doc);
    add_region (&doc, DP_REGION_TEXT, 0);
    add_line (&doc, 80, 745, 8, 0, marked ? "^a^ Survey of the rivers" : "Survey of the rivers");
    g_autoptr (DpDocument) document = grow (&doc);
    g_assert_cmpuint (count_blocks (document, DP_BLOCK_FOOTER), ==, marked ? 0 : 1);
    flow_doc_free (&doc);
  }
}

/* Little text on the page: only what stands at the very edge is furniture. */
static void
test_edge (void)
{
  for (guint low = 0; low < 2; low++) {
    FlowDoc doc = flow_doc ();
    add_page (&doc);
    add_region (&doc, DP_REGION_TEXT, 0);
    add_line (&doc, 400, low ? 56 : 12, 9, 0, "Annual Report of the Works");
    add_region (&doc, DP_REGION_TEXT, 0);
    add_prose (&doc, 80, 150, 4);
    g_autoptr (DpDocument) document = grow (&doc);
    g_assert_cmpuint (count_blocks (document, DP_BLOCK_HEADER), ==, low ? 0 : 1);
    flow_doc_free (&doc);
  }
}

static void
test_running_words (void)
{
  g_assert_true (dp_running_has_folio ("Annual Report 58"));
  g_assert_true (dp_running_has_folio ("62 Water"));
  g_assert_false (dp_running_has_folio ("Months ended December 31"));
  g_assert_false (dp_running_has_folio ("Report of the year 2016"));
  g_assert_false (dp_running_has_folio ("31 December"));
  g_assert_false (dp_running_has_folio ("Water"));
  g_assert_cmpuint (dp_running_folio ("Annals 17", FALSE), ==, 17);
  g_assert_cmpuint (dp_running_folio ("xii Preface", TRUE), ==, 12);
  g_assert_true (dp_running_company ("DCM FINANCIAL SERVICES LTD."));
  g_assert_true (dp_running_company ("ＪＫホールディングス株式会社"));
  g_assert_false (dp_running_company ("Limited liability"));
}

/* The address of whoever writes stands at the very top of a first page. */
static void
test_sender (void)
{
  FlowDoc doc = flow_doc ();
  add_page (&doc);
  add_region (&doc, DP_REGION_TEXT, 0);
  add_line (&doc, 80, 34, 8, 0, "Anna Aarons");
  add_line (&doc, 80, 44, 8, 0, "Mill Lane by the river");
  add_line (&doc, 80, 54, 8, 0, "Leeds");
  body (&doc);
  g_autoptr (DpDocument) document = grow (&doc);
  g_assert_cmpuint (count_blocks (document, DP_BLOCK_HEADER), ==, 0);
  flow_doc_free (&doc);
}

/* A letter of two pages whose second holds a few lines: what stands in its margins is judged by the first. */
static void
test_last_page (void)
{
  FlowDoc doc = flow_doc ();
  add_page (&doc);
  body (&doc);
  add_page (&doc);
  add_region (&doc, DP_REGION_TEXT, 0);
  add_line (&doc, 80, 50, 8, 0, "Draft of 12 March");
  add_region (&doc, DP_REGION_TEXT, 0);
  add_line (&doc, 80, 150, 10, 0, "Yours sincerely,");
  add_line (&doc, 80, 190, 10, 0, "Anna Aarons");
  add_region (&doc, DP_REGION_TEXT, 0);
  add_line (&doc, 80, 745, 8, 0, "See the long quarrel in the newsletter");
  add_region (&doc, DP_REGION_TEXT, 0);
  add_line (&doc, 290, 765, 8, 0, "2");
  g_autoptr (DpDocument) document = grow (&doc);
  assert_text (nth_block (document, DP_BLOCK_HEADER, 0), "Draft of 12 March");
  assert_text (nth_block (document, DP_BLOCK_PAGE_NUMBER, 0), "2");
  g_assert_cmpuint (count_blocks (document, DP_BLOCK_FOOTER), ==, 0); /* a last note stands apart as well */
  flow_doc_free (&doc);
}

/* What one thing more or less about a row changes, from a row at a tenth of the page, as far from the text as lines are high. */
static void
test_weights (void)
{
  static const struct {
    const char *text;
    gboolean top;
    float depth, gap, size;
    gboolean bold, flank;
    guint rank, parts;
    float weight;
  } rows[] = {
    { "Rivers and banks", TRUE, .1f, 10, 10, FALSE, FALSE, 0, 1, .5f },
    /* place */
    { "Rivers and banks", TRUE, .04f, 10, 10, FALSE, FALSE, 0, 1, 2.75f },
    { "Rivers and banks", TRUE, .06f, 10, 10, FALSE, FALSE, 0, 1, 1.75f },
    { "Rivers and banks", TRUE, .08f, 10, 10, FALSE, FALSE, 0, 1, 1.25f },
    { "Rivers and banks", TRUE, .14f, 10, 10, FALSE, FALSE, 0, 1, -9 },
    { "Rivers and banks", TRUE, .1f, 30, 10, FALSE, FALSE, 0, 1, 1.5f },
    { "Rivers and banks", TRUE, .1f, 15, 10, FALSE, FALSE, 0, 1, 1 },
    { "Rivers and banks", TRUE, .1f, 6, 10, FALSE, FALSE, 0, 1, -1 },
    /* numbers of pages reach further in, but only as the outermost row and off the text */
    { "31", FALSE, .1f, 10, 10, FALSE, FALSE, 0, 1, 2.5f },
    { "31", FALSE, .19f, 10, 10, FALSE, FALSE, 0, 1, 2.5f },
    { "31", FALSE, .19f, 10, 10, FALSE, FALSE, 1, 1, -7 },
    { "31", FALSE, .19f, 7, 10, FALSE, FALSE, 0, 1, -7 },
    { "31", FALSE, .21f, 10, 10, FALSE, FALSE, 0, 1, -7 },
    /* words */
    { "Rivers and banks 31", TRUE, .1f, 10, 10, FALSE, FALSE, 0, 1, 1.75f },
    { "RIVERS AND BANKS", FALSE, .1f, 10, 10, FALSE, FALSE, 0, 1, 1 },
    { "Downloaded from the river", TRUE, .1f, 10, 10, FALSE, FALSE, 0, 1, 1.5f },
    { "rivers and banks", TRUE, .1f, 10, 10, FALSE, FALSE, 0, 1, -.25f },
    { "rivers and banks", TRUE, .1f, 10, 10, FALSE, FALSE, 1, 1, -1 },
    { "rivers and banks.", TRUE, .1f, 10, 10, FALSE, FALSE, 0, 1, -2.25f },
    { "Rivers and banks,", TRUE, .1f, 10, 10, FALSE, FALSE, 0, 1, -1 },
    { "Look at the rivers and their banks.", TRUE, .1f, 10, 10, FALSE, FALSE, 0, 1, -.5f },
    { "Look at the rivers and their banks.", FALSE, .1f, 10, 10, FALSE, FALSE, 0, 1, .5f },
    { "Look at the rivers and their banks, all of them.", FALSE, .1f, 10, 10, FALSE, FALSE, 0, 1, -.5f },
    { "Rivers and banks and what else there was to see on that long day", FALSE, .1f, 10, 10, FALSE, FALSE, 0, 1, 0 },
    { "Rivers and banks and what else there was to see on that long day in the year of all the floods", TRUE, .1f, 10, 10, FALSE, FALSE, 0,
      1, -1 },
    { "Rivers and banks and what else there was to see on that long day in the year of all the floods", FALSE, .1f, 10, 10, FALSE, FALSE, 0,
      1, 0 },
    /* labels */
    { "\xe2\x80\xa2 Rivers and banks", TRUE, .1f, 10, 10, FALSE, FALSE, 0, 1, -1 },
    { "Figure 3: Rivers and banks", TRUE, .1f, 10, 10, FALSE, FALSE, 0, 1, -2.5f },
    { "2.1 Rivers and banks", TRUE, .1f, 10, 10, FALSE, FALSE, 0, 1, -1 },
    { "Chapter 2: Rivers", TRUE, .1f, 10, 10, FALSE, FALSE, 0, 1, -.5f },
    /* several texts beside each other, one in the corner */
    { "Rivers and banks", TRUE, .1f, 10, 10, FALSE, FALSE, 0, 2, 1 },
    { "Rivers and banks", TRUE, .1f, 10, 10, FALSE, FALSE, 0, 3, 1.5f },
    { "Rivers and banks", TRUE, .1f, 10, 10, FALSE, TRUE, 0, 1, 1.5f },
    { "Rivers and banks", FALSE, .1f, 10, 10, FALSE, TRUE, 0, 1, .5f },
    /* type, which counts double where headings begin */
    { "Rivers and banks", TRUE, .1f, 10, 9, FALSE, FALSE, 0, 1, 1 },
    { "Rivers and banks", FALSE, .1f, 10, 12, FALSE, FALSE, 0, 1, -.25f },
    { "Rivers and banks", FALSE, .1f, 10, 15, FALSE, FALSE, 0, 1, -1.5f },
    { "Rivers and banks", FALSE, .1f, 10, 19, FALSE, FALSE, 0, 1, -2.5f },
    { "Rivers and banks", FALSE, .1f, 10, 10, TRUE, FALSE, 0, 1, -.25f },
    { "Rivers and banks", TRUE, .1f, 10, 10, TRUE, FALSE, 0, 1, -1 },
    { "RIVERS AND BANKS", TRUE, .1f, 10, 10, FALSE, FALSE, 0, 1, .5f },
  };

  for (guint i = 0; i < G_N_ELEMENTS (rows); i++) {
    const float middle = 800 * (rows[i].top ? rows[i].depth : 1 - rows[i].depth);
    g_autoptr (GArray) lines = g_array_new (FALSE, TRUE, sizeof (guint));
    const DpFlowRow row = { .top = rows[i].top,
                            .y0 = middle - 5,
                            .y1 = middle + 5,
                            .gap = rows[i].gap,
                            .size = rows[i].size,
                            .bold = rows[i].bold,
                            .flank = rows[i].flank,
                            .rank = rows[i].rank,
                            .lines = lines,
                            .text = (char *) rows[i].text,
                            .n_chars = (guint) g_utf8_strlen (rows[i].text, -1) };
    g_array_set_size (lines, rows[i].parts);
    g_test_message ("%u: %s", i, rows[i].text);
    g_assert_cmpfloat_with_epsilon (dp_flow_row_weight (&row, 800, 10), rows[i].weight, 0.001f);
  }
}

/* A slide's one line says the same on all pages and is all they hold: it is the text. */
static void
test_bare_pages (void)
{
  for (guint more = 0; more < 2; more++) {
    FlowDoc doc = flow_doc ();
    for (guint p = 0; p < 4; p++) {
      add_page (&doc);
      add_region (&doc, DP_REGION_TEXT, 0);
      add_line (&doc, 80, 80, 10, 0, "Annals of Water");
      if (more)
        body (&doc);
    }
    g_autoptr (DpDocument) document = grow (&doc);
    g_assert_cmpuint (count_blocks (document, DP_BLOCK_HEADER), ==, more ? 4 : 0);
    flow_doc_free (&doc);
  }
}

/* Numbers that count along with the pages show the head, though its words change with the chapter. */
static void
test_counting (void)
{
  static const char *const chapters[] = { "Of rivers", "Of lakes", "Of wells", "Of floods" };
  for (guint step = 1; step <= 2; step++) {
    FlowDoc doc = flow_doc ();
    for (guint p = 0; p < 4; p++) {
      g_autofree char *text = g_strdup_printf ("%u %s", 17 + step * p, chapters[p]);
      add_page (&doc);
      add_region (&doc, DP_REGION_TEXT, 0);
      add_line (&doc, 80, 118, 10, 0, text);
      body (&doc);
    }
    g_autoptr (DpDocument) document = grow (&doc);
    g_assert_cmpuint (count_blocks (document, DP_BLOCK_HEADER), ==, step == 1 ? 4 : 0);
    flow_doc_free (&doc);
  }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/furniture/repeated", test_repeated);
  g_test_add_func ("/furniture/panels", test_panels);
  g_test_add_func ("/furniture/single-page", test_single_page);
  g_test_add_func ("/furniture/logo", test_logo);
  g_test_add_func ("/furniture/slide-titles", test_slide_titles);
  g_test_add_func ("/furniture/heading-stays", test_heading_stays);
  g_test_add_func ("/furniture/heading-below-head", test_heading_below_head);
  g_test_add_func ("/furniture/short-page", test_short_page);
  g_test_add_func ("/furniture/stamp-and-line-numbers", test_stamp_and_line_numbers);
  g_test_add_func ("/furniture/words-of-headers", test_words_of_headers);
  g_test_add_func ("/furniture/narrow-margin", test_narrow_margin);
  g_test_add_func ("/furniture/above-number", test_above_number);
  g_test_add_func ("/furniture/wide-margins", test_wide_margins);
  g_test_add_func ("/furniture/letterhead", test_letterhead);
  g_test_add_func ("/furniture/sender", test_sender);
  g_test_add_func ("/furniture/last-page", test_last_page);
  g_test_add_func ("/furniture/band", test_band);
  g_test_add_func ("/furniture/company", test_company);
  g_test_add_func ("/furniture/marked", test_marked);
  g_test_add_func ("/furniture/weights", test_weights);
  g_test_add_func ("/furniture/bare-pages", test_bare_pages);
  g_test_add_func ("/furniture/counting", test_counting);
  g_test_add_func ("/furniture/edge", test_edge);
  g_test_add_func ("/furniture/running-words", test_running_words);
  return g_test_run ();
}
