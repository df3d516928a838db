/* tests/layout/test_headings.c - which lines are headings, and their levels. */
#include "tests/layout/flow_page.h"
#include "layout/labels.h"

static void
heading (FlowDoc *doc, float y, float size, guint style, const char *text)
{
  add_region (doc, DP_REGION_TEXT, 0);
  add_line (doc, 80, y, size, style, text);
}

static void
prose (FlowDoc *doc, float y, guint n)
{
  add_region (doc, DP_REGION_TEXT, 0);
  add_prose (doc, 80, y, n);
}

static void
assert_heading (DpDocument *document, guint nth, const char *text, guint level)
{
  DpBlock *block = nth_block (document, DP_BLOCK_HEADING, nth);

  assert_text (block, text);
  g_assert_cmpuint (block->level, ==, level);
}

/* Title, sections by number, a deeper one at body size; none of them becomes a list item. */
static void
test_numbered (void)
{
  FlowDoc doc = flow_doc ();
  add_page (&doc);
  heading (&doc, 100, 20, DP_SPAN_BOLD, "On the Flow of Rivers");
  prose (&doc, 130, 4);
  heading (&doc, 200, 12, DP_SPAN_BOLD, "1 Introduction");
  prose (&doc, 220, 6);
  heading (&doc, 310, 10, DP_SPAN_BOLD, "1.1 Earlier work");
  prose (&doc, 330, 6);
  heading (&doc, 420, 12, DP_SPAN_BOLD, "2 Methods");
  prose (&doc, 440, 6);
  g_autoptr (DpDocument) document = grow (&doc);
  g_assert_cmpuint (count_blocks (document, DP_BLOCK_HEADING), ==, 4);
  g_assert_cmpuint (count_blocks (document, DP_BLOCK_LIST), ==, 0);
  assert_heading (document, 0, "On the Flow of Rivers", 1);
  assert_heading (document, 1, "1 Introduction", 2);
  assert_heading (document, 2, "1.1 Earlier work", 3);
  assert_heading (document, 3, "2 Methods", 2);
  flow_doc_free (&doc);
}

/* I. and A. are two families: letters lie below numerals when their face differs. */
static void
test_families (void)
{
  FlowDoc doc = flow_doc ();
  add_page (&doc);
  heading (&doc, 100, 12, DP_SPAN_BOLD, "I. MATERIALS");
  prose (&doc, 120, 6);
  heading (&doc, 210, 10, DP_SPAN_ITALIC | DP_SPAN_BOLD, "A. Sensors");
  prose (&doc, 230, 6);
  heading (&doc, 320, 10, DP_SPAN_ITALIC | DP_SPAN_BOLD, "B. Recording");
  prose (&doc, 340, 6);
  heading (&doc, 430, 12, DP_SPAN_BOLD, "II. RESULTS");
  prose (&doc, 450, 6);
  g_autoptr (DpDocument) document = grow (&doc);
  assert_heading (document, 0, "I. MATERIALS", 1);
  assert_heading (document, 1, "A. Sensors", 2);
  assert_heading (document, 2, "B. Recording", 2);
  assert_heading (document, 3, "II. RESULTS", 1);
  flow_doc_free (&doc);
}

/* Two lines of one face are one heading; a bold sentence, a run-in opening and a caption are none. */
static void
test_guards (void)
{
  FlowDoc doc = flow_doc ();
  add_page (&doc);
  add_region (&doc, DP_REGION_TEXT, 0);
  add_line (&doc, 80, 100, 16, DP_SPAN_BOLD, "A Long Title Over");
  add_line (&doc, 80, 119, 16, DP_SPAN_BOLD, "Two Lines");
  prose (&doc, 150, 6);
  add_region (&doc, DP_REGION_TEXT, 0);
  add_line (&doc, 80, 240, 10, DP_SPAN_BOLD, "This bold sentence says something at length, and goes on and ends.");
  prose (&doc, 260, 6);
  add_region (&doc, DP_REGION_TEXT, 0);
  add_line (&doc, 80, 350, 10, DP_SPAN_BOLD, "Figure 3. The river in spring");
  prose (&doc, 370, 6);
  add_region (&doc, DP_REGION_TEXT, 0);
  add_line (&doc, 80, 460, 10, DP_SPAN_BOLD, "Note that the bold words of this line end in");
  add_line (&doc, 80, 472, 10, 0, "plain words on the next line, as run-in words do, and so on they go");
  add_line (&doc, 80, 484, 10, 0, "until the end.");
  g_autoptr (DpDocument) document = grow (&doc);
  g_assert_cmpuint (count_blocks (document, DP_BLOCK_HEADING), ==, 1);
  assert_heading (document, 0, "A Long Title Over Two Lines", 1);
  g_assert_cmpuint (count_blocks (document, DP_BLOCK_CAPTION), ==, 1);
  flow_doc_free (&doc);
}

/* Names as programs write them head sections although they begin small; "Note" over a note and words that go on do not. */
static void
test_small_letters (void)
{
  FlowDoc doc = flow_doc ();
  add_page (&doc);
  heading (&doc, 100, 14, DP_SPAN_BOLD, "Settings");
  prose (&doc, 120, 6);
  heading (&doc, 230, 10, DP_SPAN_BOLD, "build.target-dir");
  prose (&doc, 250, 6);
  heading (&doc, 360, 10, DP_SPAN_BOLD, "Remarque :");
  prose (&doc, 380, 6);
  heading (&doc, 490, 10, DP_SPAN_BOLD, "of the river");
  prose (&doc, 510, 6);
  heading (&doc, 620, 12, DP_SPAN_BOLD, "install");
  prose (&doc, 640, 4);
  g_autoptr (DpDocument) document = grow (&doc);
  g_assert_cmpuint (count_blocks (document, DP_BLOCK_HEADING), ==, 3);
  assert_heading (document, 0, "Settings", 1);
  assert_heading (document, 1, "build.target-dir", 2);
  assert_heading (document, 2, "install", 2);
  flow_doc_free (&doc);
}

/* A title with a plain remark in brackets is one; a byline and a bold line that leads into a list are none, although others
 * in their style are; a numbered word may end in a full stop. */
static void
test_remarks (void)
{
  FlowDoc doc = flow_doc ();
  float x;
  add_page (&doc);
  heading (&doc, 100, 14, DP_SPAN_BOLD, "Rivers");
  heading (&doc, 125, 12, DP_SPAN_BOLD, "Prepared by the Working Group");
  prose (&doc, 160, 6);
  heading (&doc, 260, 10, DP_SPAN_BOLD, "Appendix B: Review of the guides and reports that are used for it.");
  prose (&doc, 280, 6);
  add_region (&doc, DP_REGION_TEXT, 0);
  x = add_line (&doc, 80, 370, 11, DP_SPAN_BOLD, "Postal address of owner");
  add_line (&doc, x + 5, 370, 11, 0, "(if other than above)");
  prose (&doc, 390, 6);
  heading (&doc, 480, 11, DP_SPAN_BOLD, "Street");
  prose (&doc, 500, 6);
  heading (&doc, 590, 10, DP_SPAN_BOLD, "Rivers are measured if:");
  prose (&doc, 610, 3);
  g_autoptr (DpDocument) document = grow (&doc);
  g_assert_cmpuint (count_blocks (document, DP_BLOCK_HEADING), ==, 4);
  assert_text (nth_block (document, DP_BLOCK_HEADING, 0), "Rivers");
  assert_text (nth_block (document, DP_BLOCK_HEADING, 1), "Appendix B: Review of the guides and reports that are used for it.");
  assert_text (nth_block (document, DP_BLOCK_HEADING, 2), "Postal address of owner (if other than above)");
  assert_text (nth_block (document, DP_BLOCK_HEADING, 3), "Street");
  flow_doc_free (&doc);
}

/* Sections of a curriculum under its title, with names of universities below, are sections. */
static void
test_sections_not_bylines (void)
{
  FlowDoc doc = flow_doc ();
  static const char *const names[] = { "Personal details", "Education", "Work", "Languages" };
  add_page (&doc);
  heading (&doc, 90, 20, 0, "Curriculum vitae");
  for (guint i = 0; i < G_N_ELEMENTS (names); i++) {
    heading (&doc, 130 + 150 * (float) i, 16, 0, names[i]);
    add_region (&doc, DP_REGION_TEXT, 0);
    add_line (&doc, 80, 155 + 150 * (float) i, 10, 0, "2003 to 2005: University of the North");
    prose (&doc, 175 + 150 * (float) i, 6);
  }
  g_autoptr (DpDocument) document = grow (&doc);
  g_assert_cmpuint (count_blocks (document, DP_BLOCK_HEADING), ==, 5);
  assert_text (nth_block (document, DP_BLOCK_HEADING, 2), "Education");
  flow_doc_free (&doc);
}

/* A face that stands two levels down where the level between is missing: all of one section stay level. */
static void
test_missing_level (void)
{
  FlowDoc doc = flow_doc ();
  static const struct {
    float size;
    const char *text;
    guint level;
  } headings[] = { { 16, "Options", 1 },     { 11, "Pattern syntax", 2 }, { 11, "Matching control", 2 }, { 11, "Output control", 2 },
                   { 16, "Environment", 1 }, { 13, "Variables", 2 },      { 11, "Their values", 3 },     { 16, "Remarks on it", 1 } };
  for (guint i = 0; i < G_N_ELEMENTS (headings); i++) {
    if (i % 5 == 0)
      add_page (&doc);
    heading (&doc, 100 + 110 * (float) (i % 5), headings[i].size, DP_SPAN_BOLD, headings[i].text);
    prose (&doc, 120 + 110 * (float) (i % 5), 6);
  }
  g_autoptr (DpDocument) document = grow (&doc);
  for (guint i = 0; i < G_N_ELEMENTS (headings); i++)
    assert_heading (document, i, headings[i].text, headings[i].level);
  flow_doc_free (&doc);
}

/* Two faces whose headings are numbered alike: the smaller lies below the larger. */
static void
test_numbers_twice (void)
{
  FlowDoc doc = flow_doc ();
  static const struct {
    float size;
    const char *text;
    guint level;
  } headings[] = { { 16, "Section 1 Persons", 1 },
                   { 16, "Section 2 Places", 1 },
                   { 13, "Instructions", 2 },
                   { 11, "Section 1 Persons", 3 },
                   { 11, "Section 2 Places", 3 } };
  add_page (&doc);
  for (guint i = 0; i < G_N_ELEMENTS (headings); i++) {
    heading (&doc, 100 + 110 * (float) i, headings[i].size, DP_SPAN_BOLD, headings[i].text);
    prose (&doc, 120 + 110 * (float) i, 6);
  }
  g_autoptr (DpDocument) document = grow (&doc);
  for (guint i = 0; i < G_N_ELEMENTS (headings); i++)
    assert_heading (document, i, headings[i].text, headings[i].level);
  flow_doc_free (&doc);
}

/* Chinese sentences set larger than the rest of their page are none; what is short and has no stop is one. */
static void
test_cjk_sentences (void)
{
  FlowDoc doc = flow_doc ();
  add_page (&doc);
  prose (&doc, 80, 6);
  heading (&doc, 180, 12, 0, "与河流类似，用于将水的高度转换为数字的单位。例如");
  prose (&doc, 200, 6);
  heading (&doc, 300, 12, 0, "以中文格式输出河流的名称与其长度，其中还输出河水");
  prose (&doc, 320, 6);
  heading (&doc, 420, 12, 0, "河流的名称");
  prose (&doc, 440, 6);
  g_autoptr (DpDocument) document = grow (&doc);
  g_assert_cmpuint (count_blocks (document, DP_BLOCK_HEADING), ==, 1);
  assert_text (nth_block (document, DP_BLOCK_HEADING, 0), "河流的名称");
  flow_doc_free (&doc);
}

typedef struct {
  float size;
  guint style;
  const char *text;
  guint level;
} LevelCase;

/* Headings with prose below each, five on a page, and their levels. */
static void
check_levels (const LevelCase *cases, guint n)
{
  FlowDoc doc = flow_doc ();

  for (guint i = 0; i < n; i++) {
    const float y = 100 + 110 * (float) (i % 5);
    if (i % 5 == 0)
      add_page (&doc);
    add_region (&doc, DP_REGION_TEXT, 0);
    add_line (&doc, cases[i].size < 24 ? 80 : 300 - 0.25f * cases[i].size * (float) strlen (cases[i].text), y, cases[i].size,
              cases[i].style, cases[i].text);
    prose (&doc, y + 20, 6);
  }
  g_autoptr (DpDocument) document = grow (&doc);
  for (guint i = 0; i < n; i++)
    assert_heading (document, i, cases[i].text, cases[i].level);
  flow_doc_free (&doc);
}

/* Larger headings that part the numbered ones stand above them, and 1.1 stands below the 1 that it counts in. */
static void
test_parts (void)
{
  static const LevelCase words[] = { { 18, 1, "Part I Rivers", 1 }, { 14, 1, "1 Springs", 2 }, { 12, 1, "1.1 Of water", 3 },
                                     { 18, 1, "Part II Lakes", 1 }, { 14, 1, "2 Depth", 2 },   { 12, 1, "2.1 Of basins", 3 } };
  static const LevelCase anew[] = { { 18, 1, "Rivers", 1 }, { 14, 1, "1. Springs", 2 }, { 14, 1, "2. Mouths", 2 },
                                    { 18, 1, "Lakes", 1 },  { 14, 1, "1. Depth", 2 },   { 12, 1, "1.1. Of basins", 3 } };
  static const LevelCase example[] = { { 14, 1, "Contents of it", 1 },   { 14, 1, "第1节 Springs", 1 }, { 12, 1, "1.1 Of water", 2 },
                                       { 20, 1, "第1章 Shown only", 1 }, { 14, 1, "第2节 Lakes", 1 },   { 12, 1, "2.1 Of basins", 2 } };

  static const LevelCase few[]
      = { { 18, 1, "Part I Rivers", 1 }, { 14, 1, "1 Springs", 2 },  { 12, 1, "1.1 Of water", 3 },  { 14, 1, "Sources of it", 2 },
          { 14, 1, "Words used", 2 },    { 14, 1, "Names used", 2 }, { 18, 1, "Part II Lakes", 1 }, { 14, 1, "Places of it", 2 } };

  static const LevelCase steps[]
      = { { 14, 1, "Names of it", 1 },      { 14, 1, "Rivers", 1 }, { 14, 1, "Lakes", 1 },        { 12, 1, "1. Measure", 2 },
          { 12, 1, "2. Write it down", 2 }, { 14, 1, "Wells", 1 },  { 12, 0, "Springs of it", 2 } };
  static const LevelCase stray[] = { { 14, 1, "Names of it", 1 }, { 14, 1, "Rivers", 1 }, { 14, 1, "Lakes", 1 },  { 12, 1, "Shores", 2 },
                                     { 18, 1, "Longer", 1 },      { 14, 1, "Wells", 1 },  { 12, 1, "Springs", 2 } };

  check_levels (steps, G_N_ELEMENTS (steps));
  check_levels (stray, G_N_ELEMENTS (stray));
  check_levels (words, G_N_ELEMENTS (words));
  check_levels (few, G_N_ELEMENTS (few));
  check_levels (anew, G_N_ELEMENTS (anew));
  check_levels (example, G_N_ELEMENTS (example));
}

/* Chapters whose numbers stand elsewhere: what counts from N.1 lies below them.  An abbreviation is no face of its own. */
static void
test_numbers_elsewhere (void)
{
  static const LevelCase chapters[] = { { 14, 1, "Rivers", 1 }, { 14, 0, "1.1 Springs", 2 }, { 14, 0, "1.2 Mouths", 2 },
                                        { 14, 1, "Lakes", 1 },  { 14, 0, "2.1 Depth", 2 },   { 14, 0, "2.2 Shore", 2 } };
  static const LevelCase abbreviation[] = { { 16, 1, "Questions", 1 }, { 12, 1, "Asked", 2 },   { 16, 1, "FAQ", 1 },
                                            { 12, 1, "Not asked", 2 }, { 16, 1, "Answers", 1 }, { 12, 1, "Given", 2 } };

  static const LevelCase capitals[] = { { 11, 1, "NAME", 1 },    { 11, 1, "SYNOPSIS", 1 }, { 11, 1, "Operands", 2 },
                                        { 11, 1, "OPTIONS", 1 }, { 11, 1, "Sets", 2 },     { 11, 1, "BUGS", 1 } };

  check_levels (capitals, G_N_ELEMENTS (capitals));
  check_levels (chapters, G_N_ELEMENTS (chapters));
  check_levels (abbreviation, G_N_ELEMENTS (abbreviation));
}

/* The title may be smaller than the chapters; "Contents", however large, is none. */
static void
test_small_title (void)
{
  FlowDoc doc = flow_doc ();
  static const char *const names[] = { "Contents", "Rivers", "Lakes" };
  add_page (&doc);
  add_region (&doc, DP_REGION_TEXT, 0);
  add_line (&doc, 240, 100, 16, 0, "Waters of it");
  for (guint i = 0; i < 3; i++) {
    heading (&doc, 140 + 130 * (float) i, 20, DP_SPAN_BOLD, names[i]);
    prose (&doc, 165 + 130 * (float) i, 6);
  }
  g_autoptr (DpDocument) document = grow (&doc);
  assert_heading (document, 0, "Waters of it", 1);
  assert_heading (document, 1, "Contents", 2);
  assert_heading (document, 3, "Lakes", 2);
  flow_doc_free (&doc);
}

/* Numbers that count on make headings of lines in the face of the text; numbered paragraphs stay paragraphs. */
static void
test_series (void)
{
  FlowDoc doc = flow_doc ();
  static const char *const titles[] = { "2.1 Springs and wells", "2.1.1 Where they rise", "2.1.2 Where they end" };
  add_page (&doc);
  heading (&doc, 80, 14, DP_SPAN_BOLD, "2 Rivers");
  prose (&doc, 100, 4);
  for (guint i = 0; i < 3; i++) {
    heading (&doc, 180 + 90 * (float) i, i ? 10 : 12, i ? 0 : DP_SPAN_BOLD, titles[i]);
    prose (&doc, 200 + 90 * (float) i, 4);
  }
  heading (&doc, 460, 10, 0, "2.1.4 One step is missing");
  prose (&doc, 480, 4);
  heading (&doc, 550, 10, 0, "2.1.9 Not the next one");
  prose (&doc, 570, 4);
  g_autoptr (DpDocument) document = grow (&doc);
  g_assert_cmpuint (count_blocks (document, DP_BLOCK_HEADING), ==, 5);
  assert_heading (document, 2, titles[1], 3);
  assert_heading (document, 3, titles[2], 3);
  flow_doc_free (&doc);
}

/* A line at the top of a page with the words of a larger heading is a running head. */
static void
test_running_heading (void)
{
  FlowDoc doc = flow_doc ();
  for (guint i = 0; i < 2; i++) {
    add_page (&doc);
    if (i)
      heading (&doc, 50, 10, DP_SPAN_BOLD, "1 Rivers of the north");
    else
      heading (&doc, 140, 16, DP_SPAN_BOLD, "1 Rivers of the north");
    prose (&doc, 200, 8);
  }
  g_autoptr (DpDocument) document = grow (&doc);
  g_assert_cmpuint (count_blocks (document, DP_BLOCK_HEADING), ==, 1);
  g_assert_cmpuint (count_blocks (document, DP_BLOCK_HEADER), ==, 1);
  flow_doc_free (&doc);
}

/* Listings set small do not make the text large, even if there is more of them. */
static void
test_listings_are_no_body (void)
{
  FlowDoc doc = flow_doc ();
  add_page (&doc);
  heading (&doc, 80, 14, DP_SPAN_BOLD, "Rivers");
  prose (&doc, 100, 4);
  add_region (&doc, DP_REGION_TEXT, 0);
  for (guint i = 0; i < 30; i++)
    add_line (&doc, 80, 180 + 10 * (float) i, 8, DP_SPAN_MONO, "flow (river, 12); /* a line of program text, longer than others */");
  add_region (&doc, DP_REGION_TEXT, 0);
  add_line (&doc, 80, 520, 10, 0, "A line of text that stands alone");
  prose (&doc, 545, 4);
  g_autoptr (DpDocument) document = grow (&doc);
  g_assert_cmpuint (count_blocks (document, DP_BLOCK_HEADING), ==, 1);
  flow_doc_free (&doc);
}

static void
test_outline (void)
{
  FlowDoc doc = flow_doc ();
  DpOutlineEntry top = { .title = g_strdup ("Rivers"), .level = 1, .page = 1, .y = -1 },
                 sub = { .title = g_strdup ("Their springs"), .level = 2, .page = 1, .y = -1 };
  g_array_append_val (doc.info->outline, top);
  g_array_append_val (doc.info->outline, sub);
  add_page (&doc);
  heading (&doc, 100, 10, DP_SPAN_BOLD, "Rivers");
  prose (&doc, 120, 6);
  heading (&doc, 210, 10, DP_SPAN_BOLD, "Their springs");
  prose (&doc, 230, 6);
  g_autoptr (DpDocument) document = grow (&doc);
  assert_heading (document, 0, "Rivers", 1);
  assert_heading (document, 1, "Their springs", 2);
  flow_doc_free (&doc);
}

/* Levels never jump downwards by more than one. */
static void
test_no_jump (void)
{
  FlowDoc doc = flow_doc ();
  add_page (&doc);
  heading (&doc, 100, 14, DP_SPAN_BOLD, "1 Scope");
  prose (&doc, 120, 6);
  heading (&doc, 210, 11, DP_SPAN_BOLD, "1.1.1.1 Deep");
  prose (&doc, 230, 6);
  g_autoptr (DpDocument) document = grow (&doc);
  assert_heading (document, 0, "1 Scope", 1);
  assert_heading (document, 1, "1.1.1.1 Deep", 2);
  flow_doc_free (&doc);
}

static void
test_numbers (void)
{
  static const struct {
    const char *text;
    gboolean found;
    guint depth;
    gsize length;
  } cases[] = { { "3.2 Data", TRUE, 2, 3 },           { "IV. Results", TRUE, 1, 3 },        { "A.3 Proofs", TRUE, 2, 3 },
                { "Chapter 4", TRUE, 1, 9 },          { "Appendix B Tables", TRUE, 1, 10 }, { "§ 7 Fees", TRUE, 1, 4 },
                { "第3章 水", TRUE, 1, 7 },           { "Глава 3 Реки", TRUE, 1, 12 },      { "A river", FALSE, 0, 0 },
                { "Civic duties", FALSE, 0, 0 },      { "3.5m wide", FALSE, 0, 0 },         { "１．水", TRUE, 1, 6 },
                { "2017 – 2022: Mate", FALSE, 0, 0 }, { "1993-1996: Boy", FALSE, 0, 0 },    { "1905. Fees", TRUE, 1, 5 },
                { "1001 Terms", TRUE, 1, 4 } };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    DpHeadingNumber number;
    gboolean found = dp_label_heading (cases[i].text, &number);
    g_test_message ("%s", cases[i].text);
    g_assert_cmpint (found, ==, cases[i].found);
    if (found) {
      g_assert_cmpuint (number.depth, ==, cases[i].depth);
      g_assert_cmpuint (number.length, ==, cases[i].length);
    }
  }
}

/* A number over the title, a pull quote, a run-in opening. */
static void
test_number_above (void)
{
  FlowDoc doc = flow_doc ();
  add_page (&doc);
  heading (&doc, 100, 18, 0, "3");
  heading (&doc, 130, 18, DP_SPAN_BOLD, "The ferry at Ebb Sand");
  prose (&doc, 160, 8);
  heading (&doc, 290, 16, DP_SPAN_ITALIC, "\342\200\234The bush was cut in March\342\200\235");
  prose (&doc, 320, 8);
  g_autoptr (DpDocument) document = grow (&doc);
  g_assert_cmpuint (count_blocks (document, DP_BLOCK_HEADING), ==, 1);
  assert_heading (document, 0, "3 The ferry at Ebb Sand", 1);
  flow_doc_free (&doc);
}

/* A cover: a title over three lines among few short lines is still larger than the text. */
static void
test_cover (void)
{
  FlowDoc doc = flow_doc ();
  add_page (&doc);
  add_region (&doc, DP_REGION_TEXT, 0);
  add_line (&doc, 120, 200, 24, DP_SPAN_BOLD, "Restrictions on the Ownership of");
  add_line (&doc, 120, 228, 24, DP_SPAN_BOLD, "Land by Foreigners in Selected");
  add_line (&doc, 120, 256, 24, DP_SPAN_BOLD, "Countries of the North and South");
  add_region (&doc, DP_REGION_TEXT, 0);
  add_line (&doc, 250, 330, 12, 0, "June 2023");
  add_region (&doc, DP_REGION_TEXT, 0);
  add_line (&doc, 200, 420, 12, 0, "Report number 17 of the river commission");
  add_region (&doc, DP_REGION_TEXT, 0);
  add_line (&doc, 200, 520, 12, 0, "Published by the river commission of the county at Westport");
  g_autoptr (DpDocument) document = grow (&doc);
  g_assert_cmpuint (count_blocks (document, DP_BLOCK_HEADING), ==, 1);
  assert_heading (document, 0, "Restrictions on the Ownership of Land by Foreigners in Selected Countries of the North and South", 1);
  flow_doc_free (&doc);
}

/* The first heading stands on the axis, the others of its face at the margin: it is the title. */
static void
test_centred_title (void)
{
  FlowDoc doc = flow_doc ();
  add_page (&doc);
  add_region (&doc, DP_REGION_TEXT, 0);
  add_line (&doc, 230, 100, 14, DP_SPAN_BOLD, "Request for Payment");
  for (guint i = 0; i < 3; i++) {
    static const char *const names[] = { "Patient", "Services", "Insurance" };
    prose (&doc, 130 + 120 * (float) i, 5);
    heading (&doc, 220 + 120 * (float) i, 14, DP_SPAN_BOLD, names[i]);
  }
  prose (&doc, 490, 5);
  g_autoptr (DpDocument) document = grow (&doc);
  assert_heading (document, 0, "Request for Payment", 1);
  assert_heading (document, 1, "Patient", 2);
  assert_heading (document, 3, "Insurance", 2);
  flow_doc_free (&doc);
}

/* Letters over what begins with them are the parts of an index; answers A, B, C are none, nor letters out of order. */
static void
test_letters (void)
{
  static const char *const orders[] = { "ABDFK", "ABC", "TAWIS" };

  for (guint k = 0; k < G_N_ELEMENTS (orders); k++) {
    FlowDoc doc = flow_doc ();
    add_page (&doc);
    heading (&doc, 100, 14, DP_SPAN_BOLD, "Index");
    add_region (&doc, DP_REGION_TEXT, 0);
    for (guint i = 0; i < strlen (orders[k]); i++) {
      const char letter[] = { orders[k][i], '\0' };
      add_line (&doc, 180, 140 + 60 * (float) i, 10, DP_SPAN_BOLD, letter);
      add_line (&doc, 80, 155 + 60 * (float) i, 10, 0, "anchors . . . . . . . . . . . . . . 12");
      add_line (&doc, 80, 167 + 60 * (float) i, 10, 0, "boats . . . . . . . . . . . . . . . 14");
    }
    g_autoptr (DpDocument) document = grow (&doc);
    g_assert_cmpuint (count_blocks (document, DP_BLOCK_HEADING), ==, k == 0 ? 6 : 1);
    if (k == 0)
      assert_heading (document, 3, "D", 2);
    flow_doc_free (&doc);
  }
}

/* A history by date: set like the sections that have words, so these are sections too; a large number by itself is none. */
static void
test_dates (void)
{
  for (guint k = 0; k < 2; k++) {
    FlowDoc doc = flow_doc ();
    add_page (&doc);
    heading (&doc, 100, 12, DP_SPAN_BOLD, "Usage of boats");
    prose (&doc, 120, 5);
    heading (&doc, 200, 12, DP_SPAN_BOLD, "History of boats");
    prose (&doc, 220, 5);
    heading (&doc, 300, k ? 14 : 12, DP_SPAN_BOLD, "[2004/07/18 v0.5]");
    prose (&doc, 320, 5);
    g_autoptr (DpDocument) document = grow (&doc);
    g_assert_cmpuint (count_blocks (document, DP_BLOCK_HEADING), ==, k ? 2 : 3);
    flow_doc_free (&doc);
  }
}

/* Three dots leave open what follows; one ends a sentence. */
static void
test_left_open (void)
{
  for (guint k = 0; k < 2; k++) {
    FlowDoc doc = flow_doc ();
    add_page (&doc);
    heading (&doc, 100, 12, DP_SPAN_BOLD, "The river");
    prose (&doc, 120, 5);
    heading (&doc, 200, 12, 0,
             k ? "We can cross the river by boat easily, and often do." : "We can cross the river by boat easily, but . . .");
    prose (&doc, 220, 5);
    g_autoptr (DpDocument) document = grow (&doc);
    g_assert_cmpuint (count_blocks (document, DP_BLOCK_HEADING), ==, k ? 1 : 2);
    flow_doc_free (&doc);
  }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/headings/numbered", test_numbered);
  g_test_add_func ("/headings/families", test_families);
  g_test_add_func ("/headings/guards", test_guards);
  g_test_add_func ("/headings/small-letters", test_small_letters);
  g_test_add_func ("/headings/remarks", test_remarks);
  g_test_add_func ("/headings/sections-not-bylines", test_sections_not_bylines);
  g_test_add_func ("/headings/numbers-twice", test_numbers_twice);
  g_test_add_func ("/headings/missing-level", test_missing_level);
  g_test_add_func ("/headings/cjk-sentences", test_cjk_sentences);
  g_test_add_func ("/headings/parts", test_parts);
  g_test_add_func ("/headings/numbers-elsewhere", test_numbers_elsewhere);
  g_test_add_func ("/headings/small-title", test_small_title);
  g_test_add_func ("/headings/series", test_series);
  g_test_add_func ("/headings/running", test_running_heading);
  g_test_add_func ("/headings/listings", test_listings_are_no_body);
  g_test_add_func ("/headings/outline", test_outline);
  g_test_add_func ("/headings/no-jump", test_no_jump);
  g_test_add_func ("/headings/numbers", test_numbers);
  g_test_add_func ("/headings/number-above", test_number_above);
  g_test_add_func ("/headings/cover", test_cover);
  g_test_add_func ("/headings/centred-title", test_centred_title);
  g_test_add_func ("/headings/letters", test_letters);
  g_test_add_func ("/headings/dates", test_dates);
  g_test_add_func ("/headings/left-open", test_left_open);
  return g_test_run ();
}
