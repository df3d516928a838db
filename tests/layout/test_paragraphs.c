/* tests/layout/test_paragraphs.c - lines to paragraphs; joins over columns, pages and figures; verse, quotes. */
#include "tests/layout/flow_page.h"

static void
test_breaks (void)
{
  FlowDoc doc = flow_doc ();
  add_page (&doc);
  add_region (&doc, DP_REGION_TEXT, 0);
  add_line (&doc, 80, 100, 10, 0, "The first paragraph of this page fills its lines to the right edge");
  add_line (&doc, 80, 112, 10, 0, "and ends here.");
  add_line (&doc, 80, 124, 10, 0, "A second begins because the line before had room; it is hyphen-");
  add_line (&doc, 80, 136, 10, 0, "ated and goes on to the edge of its column as all lines here do so");
  add_line (&doc, 95, 148, 10, 0, "An indent begins the third, though the line before was full of it");
  add_line (&doc, 80, 160, 10, 0, "and it goes on at the left edge.");
  add_line (&doc, 80, 184, 10, 0, "A gap begins the fourth.");
  g_autoptr (DpDocument) document = grow (&doc);
  g_assert_cmpuint (count_blocks (document, DP_BLOCK_PARAGRAPH), ==, 4);
  assert_text (
      nth_block (document, DP_BLOCK_PARAGRAPH, 1),
      "A second begins because the line before had room; it is hyphenated and goes on to the edge of its column as all lines here do so");
  flow_doc_free (&doc);
}

/* Over a column, around a figure, over a page with furniture between. */
static void
test_joins (void)
{
  FlowDoc doc = flow_doc ();
  add_page (&doc);
  add_region (&doc, DP_REGION_TEXT, 0);
  add_line (&doc, 40, 600, 10, 0, "the words of the first column go down to its very end and then go");
  add_line (&doc, 40, 612, 10, 0, "on, as columns do that hold a text without an end, at the head of");
  add_region (&doc, DP_REGION_FIGURE, 1);
  doc.region->box = (DpRect){ 400, 100, 560, 200 };
  add_region (&doc, DP_REGION_TEXT, 1);
  add_line (&doc, 400, 220, 10, 0, "the second column");
  add_line (&doc, 400, 232, 10, 0, "until they stop at its");
  add_page (&doc);
  add_region (&doc, DP_REGION_TEXT, 0);
  add_line (&doc, 40, 100, 10, 0, "foot.");
  g_autoptr (DpDocument) document = grow (&doc);
  DpBlock *paragraph = nth_block (document, DP_BLOCK_PARAGRAPH, 0);
  g_assert_cmpuint (count_blocks (document, DP_BLOCK_PARAGRAPH), ==, 1);
  assert_text (paragraph,
               "the words of the first column go down to its very end and then go on, as columns do that hold a text without an end, "
               "at the head of the second column until they stop at its foot.");
  g_assert_cmpuint (paragraph->parts->len, ==, 2);
  g_assert_cmpuint (g_array_index (paragraph->parts, DpTablePart, 1).page, ==, 2);
  flow_doc_free (&doc);
}

/* A full stop, a capital and a new page: two paragraphs. */
static void
test_no_join (void)
{
  FlowDoc doc = flow_doc ();
  add_page (&doc);
  add_region (&doc, DP_REGION_TEXT, 0);
  add_prose (&doc, 80, 600, 4);
  add_page (&doc);
  add_region (&doc, DP_REGION_TEXT, 0);
  add_prose (&doc, 80, 100, 4);
  g_autoptr (DpDocument) document = grow (&doc);
  g_assert_cmpuint (count_blocks (document, DP_BLOCK_PARAGRAPH), ==, 2);
  flow_doc_free (&doc);
}

/* Where paragraphs are indented, a page that begins at the margin goes on with the paragraph before, though a sentence ended there;
 * a decimal at a page's end is no full stop, and a word may be parted behind any letter. */
static void
test_joins_unindented (void)
{
  static const char *const ends[] = { "and the water rose through all of that long night and the next day.",
                                      "and from the first of May the water rose in every hour by about 4.5",
                                      "for the works of the old mill nobody ever heard of any other procé-" };
  static const char *const heads[] = { "It fell again in the morning.", "Feet were under water.", "dure than to wait." };
  static const char *const joints[] = { "day. It fell", "4.5 Feet", "procédure than" };

  for (guint i = 0; i < G_N_ELEMENTS (ends); i++) {
    FlowDoc doc = flow_doc ();
    for (guint p = 0; p < 2; p++) {
      add_page (&doc);
      add_region (&doc, DP_REGION_TEXT, 0);
      if (p == 1)
        add_line (&doc, 80, 100, 10, 0, heads[i]);
      for (guint k = 0; k < 3; k++) {
        add_line (&doc, 95, 112 + 36 * (float) k, 10, 0, "An indent begins the next, though the line before was full of it,");
        add_line (&doc, 80, 124 + 36 * (float) k, 10, 0, "as it may be; and on and on it goes at the left edge of its column");
        add_line (&doc, 80, 136 + 36 * (float) k, 10, 0, p == 0 && k == 2 ? ends[i] : "until its end.");
      }
    }
    g_autoptr (DpDocument) document = grow (&doc);
    g_autofree char *text = dp_spans_to_text (nth_block (document, DP_BLOCK_PARAGRAPH, 2)->spans);
    g_assert_nonnull (strstr (text, joints[i]));
    flow_doc_free (&doc);
  }
}

/* An opening stands alone, though the letter goes on with a small letter. */
static void
test_opening (void)
{
  FlowDoc doc = flow_doc ();
  add_page (&doc);
  add_region (&doc, DP_REGION_TEXT, G_MAXUINT);
  add_line (&doc, 80, 100, 10, 0, "Dear Anna and all,");
  add_region (&doc, DP_REGION_TEXT, 0);
  add_line (&doc, 80, 124, 10, 0, "the water rose through all of that long night and then the next day");
  add_line (&doc, 80, 136, 10, 0, "it fell.");
  g_autoptr (DpDocument) document = grow (&doc);
  assert_text (nth_block (document, DP_BLOCK_PARAGRAPH, 0), "Dear Anna and all,");
  flow_doc_free (&doc);
}

/* The first line of a paragraph ends as far from the right edge as it is indented at the left: it is not centred for that. */
static void
test_indent_not_centred (void)
{
  FlowDoc doc = flow_doc ();
  add_page (&doc);
  add_region (&doc, DP_REGION_TEXT, 0);
  add_line (&doc, 80, 100, 10, 0, "the quick brown fox jumps over the lazy dogs and runs on to its own");
  add_line (&doc, 80, 112, 10, 0, "river where it drinks and rests a while before it goes on to sleep.");
  add_line (&doc, 95, 124, 10, 0, "An indent begins the next, and it ends before the edge as if");
  add_line (&doc, 80, 136, 10, 0, "unreasonably it had been set around the middle of the column, which");
  add_line (&doc, 80, 148, 10, 0, "it is not.");
  g_autoptr (DpDocument) document = grow (&doc);
  g_assert_cmpuint (count_blocks (document, DP_BLOCK_PARAGRAPH), ==, 2);
  flow_doc_free (&doc);
}

static void
test_address (void)
{
  FlowDoc doc = flow_doc ();
  add_page (&doc);
  add_region (&doc, DP_REGION_TEXT, 0);
  add_prose (&doc, 80, 100, 6);
  add_region (&doc, DP_REGION_TEXT, 0);
  add_line (&doc, 80, 200, 10, 0, "Water Board");
  add_line (&doc, 80, 212, 10, 0, "12 Mill Lane");
  add_line (&doc, 80, 224, 10, 0, "Leeds");
  /* alone in its column: no line leaves room up to the longest */
  add_region (&doc, DP_REGION_TEXT, 1);
  add_line (&doc, 420, 100, 10, 0, "Anna Moreau");
  add_line (&doc, 420, 112, 10, 0, "High Street 139");
  add_line (&doc, 420, 124, 10, 0, "19403 Leeds");
  g_autoptr (DpDocument) document = grow (&doc);
  assert_text (nth_block (document, DP_BLOCK_PARAGRAPH, 1), "Water Board\n12 Mill Lane\nLeeds");
  assert_text (nth_block (document, DP_BLOCK_PARAGRAPH, 2), "Anna Moreau\nHigh Street 139\n19403 Leeds");
  flow_doc_free (&doc);
}

/* Nothing but an address, in a typewriter's face: that face is forgotten, the breaks of lines are not. */
static void
test_address_alone (void)
{
  FlowDoc doc = flow_doc ();
  add_page (&doc);
  add_region (&doc, DP_REGION_TEXT, 0);
  add_line (&doc, 380, 600, 10, DP_SPAN_MONO, "April Rider");
  add_line (&doc, 380, 612, 10, DP_SPAN_MONO, "555 George Street");
  add_line (&doc, 380, 624, 10, DP_SPAN_MONO, "Kaplan, ND 77777");
  add_line (&doc, 380, 636, 10, DP_SPAN_MONO, "999-999-9999");
  g_autoptr (DpDocument) document = grow (&doc);
  assert_text (nth_block (document, DP_BLOCK_PARAGRAPH, 0), "April Rider\n555 George Street\nKaplan, ND 77777\n999-999-9999");
  flow_doc_free (&doc);
}

static void
test_quote (void)
{
  FlowDoc doc = flow_doc ();
  add_page (&doc);
  add_region (&doc, DP_REGION_TEXT, 0);
  add_prose (&doc, 80, 100, 6);
  add_region (&doc, DP_REGION_TEXT, 0);
  add_line (&doc, 110, 200, 10, 0, "He said that rivers run to the sea and that the sea");
  add_line (&doc, 110, 212, 10, 0, "never fills, and that all the streams return to it;");
  add_line (&doc, 110, 224, 10, 0, "and this he wrote.");
  g_autoptr (DpDocument) document = grow (&doc);
  DpBlock *quote = nth_block (document, DP_BLOCK_QUOTE, 0);
  g_assert_nonnull (quote);
  g_assert_cmpuint (quote->children->len, ==, 1);
  flow_doc_free (&doc);
}

/* Small letters begin the lines too, and none of them is full. */
static void
test_verse (void)
{
  FlowDoc doc = flow_doc ();
  add_page (&doc);
  add_region (&doc, DP_REGION_TEXT, 0);
  add_prose (&doc, 80, 100, 6);
  add_region (&doc, DP_REGION_TEXT, 0);
  add_line (&doc, 110, 200, 10, 0, "Over the bar when the water is high,");
  add_line (&doc, 110, 212, 10, 0, "over and away,");
  add_line (&doc, 110, 224, 10, 0, "nobody asks for the reason why");
  add_line (&doc, 110, 236, 10, 0, "until the end of the day.");
  g_autoptr (DpDocument) document = grow (&doc);
  assert_text (nth_block (document, DP_BLOCK_PARAGRAPH, 1),
               "Over the bar when the water is high,\nover and away,\nnobody asks for the reason why\nuntil the end of the day.");
  flow_doc_free (&doc);
}

/* One long line of a stanza fills its column and is turned over; every other line is set in. */
static void
test_verse_turned_over (void)
{
  FlowDoc doc = flow_doc ();
  add_page (&doc);
  add_region (&doc, DP_REGION_TEXT, 0);
  add_prose (&doc, 80, 100, 6);
  add_region (&doc, DP_REGION_TEXT, 0);
  add_line (&doc, 80, 200, 10, 0, "Over the bar when the water is high,");
  add_line (&doc, 95, 212, 10, 0, "over and away,");
  add_line (&doc, 80, 224, 10, 0, "nobody asks for the reason why but those who were there all");
  add_line (&doc, 250, 236, 10, 0, "[the night");
  add_line (&doc, 95, 248, 10, 0, "until the end of the day,");
  add_line (&doc, 80, 260, 10, 0, "and on to the sea.");
  g_autoptr (DpDocument) document = grow (&doc);
  assert_text (nth_block (document, DP_BLOCK_PARAGRAPH, 1),
               "Over the bar when the water is high,\nover and away,\nnobody asks for the reason why but those who were there "
               "all\n[the night\nuntil the end of the day,\nand on to the sea.");
  flow_doc_free (&doc);
}

/* Hardly a line leaves room for the next word, but each begins with a capital and ends long before its column does. */
static void
test_verse_capitals (void)
{
  FlowDoc doc = flow_doc ();
  add_page (&doc);
  add_region (&doc, DP_REGION_TEXT, 0);
  add_prose (&doc, 80, 100, 6);
  add_region (&doc, DP_REGION_TEXT, 0);
  add_line (&doc, 110, 200, 10, 0, "Over the bar when the water");
  add_line (&doc, 110, 212, 10, 0, "Rises and carries the boats");
  add_line (&doc, 110, 224, 10, 0, "Nobody asks for the reason");
  add_line (&doc, 110, 236, 10, 0, "Stranded ashore with their");
  add_line (&doc, 110, 248, 10, 0, "Nets in the sand they");
  add_line (&doc, 110, 260, 10, 0, "Wait for a wind out of north");
  g_autoptr (DpDocument) document = grow (&doc);
  assert_text (nth_block (document, DP_BLOCK_PARAGRAPH, 1),
               "Over the bar when the water\nRises and carries the boats\nNobody asks for the reason\nStranded ashore with "
               "their\nNets in the sand they\nWait for a wind out of north");
  flow_doc_free (&doc);
}

/* Nothing on the page comes near its right margin: the longest line does not fill a column. */
static void
test_verse_alone (void)
{
  FlowDoc doc = flow_doc ();
  add_page (&doc);
  add_region (&doc, DP_REGION_TEXT, 0);
  add_line (&doc, 80, 200, 10, 0, "and who was there when the night");
  add_line (&doc, 80, 212, 10, 0, "fell on the stones of the town");
  add_line (&doc, 80, 224, 10, 0, "nobody only a");
  add_line (&doc, 80, 236, 10, 0, "lamp that went up and down");
  g_autoptr (DpDocument) document = grow (&doc);
  assert_text (nth_block (document, DP_BLOCK_PARAGRAPH, 0),
               "and who was there when the night\nfell on the stones of the town\nnobody only a\nlamp that went up and down");
  flow_doc_free (&doc);
}

/* Writing without blanks: a line that ends early is a title above its text, and the text is no verse for it. */
static void
test_cjk_breaks (void)
{
  FlowDoc doc = flow_doc ();
  add_page (&doc);
  add_region (&doc, DP_REGION_TEXT, 0);
  add_line (&doc, 80, 100, 10, 0, "安全部品部門");
  add_line (&doc, 80, 112, 10, 0, "制御装置は主回路の圧力を確認する二台目のポンプは水の温度を改善する担当者は以前の設定を");
  add_line (&doc, 80, 124, 10, 0, "交換する委員会は前回の会議の提案を検討する年次調査は相当な数の申請を説明する北部地区は");
  add_line (&doc, 80, 136, 10, 0, "輸送の費用を承認する。");
  g_autoptr (DpDocument) document = grow (&doc);
  assert_text (nth_block (document, DP_BLOCK_PARAGRAPH, 0),
               "安全部品部門\n制御装置は主回路の圧力を確認する二台目のポンプは水の温度を改善する担当者は以前の設定を交換する委員会は"
               "前回の会議の提案を検討する年次調査は相当な数の申請を説明する北部地区は輸送の費用を承認する。");
  flow_doc_free (&doc);
}

/* The page as in a mirror: what was its left edge is its right one. */
static void
turn_right_to_left (DpPageLayout *page)
{
  for (guint i = 0; i < page->words->len; i++) {
    DpRect *box = &g_array_index (page->words, DpWord, i).box;
    *box = (DpRect){ page->width - box->x1, box->y0, page->width - box->x0, box->y1 };
  }
  for (guint i = 0; i < page->lines->len; i++) {
    DpLine *line = &g_array_index (page->lines, DpLine, i);
    line->box = (DpRect){ page->width - line->box.x1, line->box.y0, page->width - line->box.x0, line->box.y1 };
    line->rtl = TRUE;
  }
  for (guint i = 0; i < page->regions->len; i++) {
    DpRect *box = &g_array_index (page->regions, DpRegion, i).box;
    *box = (DpRect){ page->width - box->x1, box->y0, page->width - box->x0, box->y1 };
  }
}

/* Indents, short last lines and items are seen from the right where the page is read from there. */
static void
test_right_to_left (void)
{
  FlowDoc doc = flow_doc ();
  add_page (&doc);
  add_region (&doc, DP_REGION_TEXT, 0);
  add_line (&doc, 80, 100, 10, 0, "the quick brown fox jumps over the lazy dogs and runs on to the");
  add_line (&doc, 80, 112, 10, 0, "river.");
  add_line (&doc, 80, 124, 10, 0, "It drinks and rests a while before it goes on and runs on to the");
  add_line (&doc, 80, 136, 10, 0, "sea, where it stays and where nobody asks for it or knows its name.");
  add_line (&doc, 95, 148, 10, 0, "An indent begins the third, though the line before was full of it");
  add_line (&doc, 80, 160, 10, 0, "and it goes on at the edge.");
  add_region (&doc, DP_REGION_TEXT, 0);
  add_line (&doc, 80, 200, 10, 0, "1. the first item, which goes on over the end of its own line and");
  add_line (&doc, 95, 212, 10, 0, "ends here");
  add_line (&doc, 95, 224, 10, 0, "1. an item of its own");
  add_line (&doc, 95, 236, 10, 0, "2. and another");
  add_line (&doc, 80, 248, 10, 0, "2. the second item");
  turn_right_to_left (doc.page);
  g_autoptr (DpDocument) document = grow (&doc);
  assert_text (nth_block (document, DP_BLOCK_PARAGRAPH, 0), "the quick brown fox jumps over the lazy dogs and runs on to the river.");
  assert_text (nth_block (document, DP_BLOCK_PARAGRAPH, 2), "An indent begins the third, though the line before was full of it and it goes "
                                                            "on at the edge.");
  g_assert_cmpuint (count_blocks (document, DP_BLOCK_LIST), ==, 2);
  g_assert_cmpuint (nth_block (document, DP_BLOCK_LIST, 0)->children->len, ==, 2);
  assert_text (nth_block (document, DP_BLOCK_LIST_ITEM, 0), "the first item, which goes on over the end of its own line and ends here");
  flow_doc_free (&doc);
}

/* Lines that end early stand above a block that is set in; a stack of centred lines keeps its lines. */
static void
test_blocks (void)
{
  FlowDoc doc = flow_doc ();
  add_page (&doc);
  add_region (&doc, DP_REGION_TEXT, 0);
  add_prose (&doc, 80, 100, 6);
  add_region (&doc, DP_REGION_TEXT, 0);
  add_line (&doc, 80, 200, 10, 0, "Copyright 1990 Anna Aarons");
  add_line (&doc, 80, 212, 10, 0, "Copyright 1992 Anna Aarons and Bert Bell");
  add_line (&doc, 80, 224, 10, 0, "Copyright 1997 Cecil Cook");
  add_line (&doc, 100, 238, 10, 0, "Permission is granted to make copies of this book as long as");
  add_line (&doc, 100, 250, 10, 0, "they are printed in red, bound in green and given to all who");
  add_line (&doc, 100, 262, 10, 0, "ask for them.");
  add_region (&doc, DP_REGION_TEXT, 0);
  add_line (&doc, 200, 320, 10, 0, "Anna Aarons, Ph.D");
  add_line (&doc, 211, 332, 10, 0, "The Red School");
  add_line (&doc, 190, 344, 10, 0, "Long Lane, Suite 200");
  g_autoptr (DpDocument) document = grow (&doc);
  assert_text (nth_block (document, DP_BLOCK_PARAGRAPH, 1),
               "Copyright 1990 Anna Aarons\nCopyright 1992 Anna Aarons and Bert Bell\nCopyright 1997 Cecil Cook");
  assert_text (nth_block (document, DP_BLOCK_PARAGRAPH, 2), "Permission is granted to make copies of this book as long as they are "
                                                            "printed in red, bound in green and given to all who ask for them.");
  assert_text (nth_block (document, DP_BLOCK_PARAGRAPH, 3), "Anna Aarons, Ph.D\nThe Red School\nLong Lane, Suite 200");
  flow_doc_free (&doc);
}

/* The first line of a quote is the last one of its page. */
static void
test_quote_over_pages (void)
{
  FlowDoc doc = flow_doc ();
  add_page (&doc);
  add_region (&doc, DP_REGION_TEXT, 0);
  add_prose (&doc, 80, 600, 6);
  add_region (&doc, DP_REGION_TEXT, 0);
  add_line (&doc, 110, 700, 10, 0, "He said that rivers run to the sea and that the sea");
  add_page (&doc);
  add_region (&doc, DP_REGION_TEXT, 0);
  add_line (&doc, 110, 100, 10, 0, "never fills, and that all the streams return to it");
  add_line (&doc, 110, 112, 10, 0, "once more; and this he wrote into a book which was");
  add_line (&doc, 110, 124, 10, 0, "lost at sea.");
  add_region (&doc, DP_REGION_TEXT, 0);
  add_prose (&doc, 80, 150, 6);
  g_autoptr (DpDocument) document = grow (&doc);
  g_assert_cmpuint (count_blocks (document, DP_BLOCK_QUOTE), ==, 1);
  assert_text ((DpBlock *) g_ptr_array_index (nth_block (document, DP_BLOCK_QUOTE, 0)->children, 0),
               "He said that rivers run to the sea and that the sea never fills, and that all the streams return to it once more; and this "
               "he wrote into a book which was lost at sea.");
  flow_doc_free (&doc);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/paragraphs/breaks", test_breaks);
  g_test_add_func ("/paragraphs/joins", test_joins);
  g_test_add_func ("/paragraphs/no-join", test_no_join);
  g_test_add_func ("/paragraphs/joins-unindented", test_joins_unindented);
  g_test_add_func ("/paragraphs/indent-not-centred", test_indent_not_centred);
  g_test_add_func ("/paragraphs/opening", test_opening);
  g_test_add_func ("/paragraphs/address", test_address);
  g_test_add_func ("/paragraphs/address-alone", test_address_alone);
  g_test_add_func ("/paragraphs/quote", test_quote);
  g_test_add_func ("/paragraphs/verse", test_verse);
  g_test_add_func ("/paragraphs/verse-turned-over", test_verse_turned_over);
  g_test_add_func ("/paragraphs/verse-capitals", test_verse_capitals);
  g_test_add_func ("/paragraphs/verse-alone", test_verse_alone);
  g_test_add_func ("/paragraphs/cjk-breaks", test_cjk_breaks);
  g_test_add_func ("/paragraphs/right-to-left", test_right_to_left);
  g_test_add_func ("/paragraphs/blocks", test_blocks);
  g_test_add_func ("/paragraphs/quote-over-pages", test_quote_over_pages);
  return g_test_run ();
}
