/* tests/layout/test_tags.c - the structure tree helps when it is sane and is ignored otherwise. */
#include "tests/layout/flow_page.h"

static void
add_tag (FlowDoc *doc, const char *kind, const char *text, guint depth)
{
  DpTag tag = { .text = g_strdup (text), .alt = g_strdup (""), .depth = depth, .page = 1, .row_span = 1, .col_span = 1 };

  g_strlcpy (tag.kind, kind, sizeof tag.kind);
  g_array_append_val (doc->info->tags, tag);
}

/* A heading in the body's own face: only the tree knows. */
static void
fill (FlowDoc *doc)
{
  add_page (doc);
  add_region (doc, DP_REGION_TEXT, 0);
  add_line (doc, 80, 80, 16, DP_SPAN_BOLD, "Rivers");
  add_region (doc, DP_REGION_TEXT, 0);
  add_prose (doc, 80, 100, 2);
  add_region (doc, DP_REGION_TEXT, 0);
  add_line (doc, 80, 150, 10, 0, "Their springs");
  add_region (doc, DP_REGION_TEXT, 0);
  add_prose (doc, 80, 170, 2);
}

/* What heads everything. */
static const char prose[] = "So the quick brown fox jumps over the lazy dogs and runs on to the river where it drinks and rests a while "
                            "before it goes on and end.";

static void
test_sane (void)
{
  FlowDoc doc = flow_doc ();
  fill (&doc);
  add_tag (&doc, "H1", "Rivers", 0);
  add_tag (&doc, "P", "", 0);
  add_tag (&doc, "H2", "", 0);
  add_tag (&doc, "Span", "Their springs", 1);
  add_tag (&doc, "P", "", 0);
  g_autoptr (DpDocument) document = grow (&doc);
  g_assert_cmpuint (count_blocks (document, DP_BLOCK_HEADING), ==, 2);
  assert_text (nth_block (document, DP_BLOCK_HEADING, 1), "Their springs");
  g_assert_cmpuint (nth_block (document, DP_BLOCK_HEADING, 1)->level, ==, 2);
  flow_doc_free (&doc);
}

/* The tree holds a fraction of the text: what the page looks like decides. */
static void
test_partial (void)
{
  FlowDoc doc = flow_doc ();
  fill (&doc);
  add_tag (&doc, "H1", "Their springs", 0);
  g_autoptr (DpDocument) document = grow (&doc);
  g_assert_cmpuint (count_blocks (document, DP_BLOCK_HEADING), ==, 1);
  assert_text (nth_block (document, DP_BLOCK_HEADING, 0), "Rivers");
  flow_doc_free (&doc);
}

/* Everything a heading, absurdly deep: ignored, and quickly. */
static void
test_absurd (void)
{
  FlowDoc doc = flow_doc ();
  fill (&doc);
  for (guint i = 0; i < 20000; i++)
    add_tag (&doc, "H1", i == 19999 ? prose : "", i);
  add_tag (&doc, "H1", prose, 0);
  add_tag (&doc, "H1", "Their springs", 0);
  g_autoptr (DpDocument) document = grow (&doc);
  g_assert_cmpuint (count_blocks (document, DP_BLOCK_HEADING), ==, 1);
  flow_doc_free (&doc);
}

/* ---- places known --------------------------------------------------------------------------------- */

static guint
add_element (FlowDoc *doc, const char *kind, guint depth)
{
  add_tag (doc, kind, "", depth);
  return doc->info->tags->len - 1;
}

static void
mark (FlowDoc *doc, gint tag, float x, float y)
{
  const DpMark m = { .page = doc->pages->len, .tag = tag, .x = x, .y = y };

  g_array_append_val (doc->info->marks, m);
}

/* A page of prose, whose lines are marked as one paragraph. */
static void
add_marked_prose (FlowDoc *doc, float y, guint n)
{
  const guint paragraph = add_element (doc, "P", 1);

  add_region (doc, DP_REGION_TEXT, 0);
  add_prose (doc, 80, y, n);
  for (guint i = 0; i < n; i++)
    mark (doc, (gint) paragraph, 80, y + 12 * (float) i);
}

/* A heading in the body's face, a bold line that is none, nested items without any bullet, a foot. */
static void
test_places (void)
{
  FlowDoc doc = flow_doc ();

  add_page (&doc);
  add_element (&doc, "Document", 0);
  add_region (&doc, DP_REGION_TEXT, 0);
  add_line (&doc, 80, 60, 10, 0, "Their springs");
  add_element (&doc, "H2", 1);
  mark (&doc, (gint) add_element (&doc, "Span", 2), 80, 60);
  add_marked_prose (&doc, 90, 6);
  add_element (&doc, "L", 1);
  add_element (&doc, "LI", 2);
  add_region (&doc, DP_REGION_TEXT, 0);
  add_line (&doc, 90, 200, 10, 0, "x The upper river, which is");
  mark (&doc, (gint) add_element (&doc, "Lbl", 3), 90, 200);
  mark (&doc, (gint) add_element (&doc, "LBody", 3), 100, 200);
  add_line (&doc, 100, 212, 10, 0, "the longer part");
  mark (&doc, (gint) doc.info->tags->len - 1, 100, 212);
  add_element (&doc, "L", 4);
  add_element (&doc, "LI", 5);
  add_line (&doc, 90, 224, 10, 0, "Springs");
  mark (&doc, (gint) add_element (&doc, "LBody", 6), 90, 224);
  add_element (&doc, "LI", 2);
  add_line (&doc, 90, 236, 10, 0, "The lower river");
  mark (&doc, (gint) add_element (&doc, "LBody", 3), 90, 236);
  add_marked_prose (&doc, 300, 6);
  add_region (&doc, DP_REGION_TEXT, 0);
  add_line (&doc, 80, 780, 8, 0, "Only printed on Mondays");
  mark (&doc, -1, 80, 780);

  g_autoptr (DpDocument) document = grow (&doc);
  g_assert_cmpuint (count_blocks (document, DP_BLOCK_HEADING), ==, 1);
  assert_text (nth_block (document, DP_BLOCK_HEADING, 0), "Their springs");
  g_assert_cmpuint (nth_block (document, DP_BLOCK_HEADING, 0)->level, ==, 1);
  g_assert_cmpuint (count_blocks (document, DP_BLOCK_LIST), ==, 2);
  g_assert_cmpuint (count_blocks (document, DP_BLOCK_LIST_ITEM), ==, 3);
  assert_text (nth_block (document, DP_BLOCK_LIST_ITEM, 0), "The upper river, which is the longer part");
  g_assert_true (g_ptr_array_index (nth_block (document, DP_BLOCK_LIST_ITEM, 0)->children, 0) == nth_block (document, DP_BLOCK_LIST, 1));
  assert_text (nth_block (document, DP_BLOCK_LIST_ITEM, 1), "Springs");
  assert_text (nth_block (document, DP_BLOCK_LIST_ITEM, 2), "The lower river");
  g_assert_cmpuint (count_blocks (document, DP_BLOCK_FOOTER), ==, 1);
  flow_doc_free (&doc);
}

/* "H" has no number: its sections say the level.  PDF 2.0 has H7 and deeper ones. */
static void
test_places_sections (void)
{
  FlowDoc doc = flow_doc ();
  static const struct {
    const char *kind, *text;
    guint sections, level;
  } headings[]
      = { { "H", "Rivers", 1, 1 }, { "H", "Springs", 2, 2 }, { "H", "Wells", 3, 3 }, { "H9", "Names", 1, 4 }, { "H", "Lakes", 1, 1 } };
  add_page (&doc);
  for (guint i = 0; i < G_N_ELEMENTS (headings); i++) {
    const float y = 60 + 120 * (float) i;
    for (guint k = 0; k < headings[i].sections; k++)
      add_element (&doc, "Sect", 1 + k);
    add_region (&doc, DP_REGION_TEXT, 0);
    add_line (&doc, 80, y, 10, 0, headings[i].text);
    mark (&doc, (gint) add_element (&doc, headings[i].kind, 1 + headings[i].sections), 80, y);
    add_marked_prose (&doc, y + 20, 6);
  }
  g_autoptr (DpDocument) document = grow (&doc);
  g_assert_cmpuint (count_blocks (document, DP_BLOCK_HEADING), ==, G_N_ELEMENTS (headings));
  for (guint i = 0; i < G_N_ELEMENTS (headings); i++) {
    assert_text (nth_block (document, DP_BLOCK_HEADING, i), headings[i].text);
    g_assert_cmpuint (nth_block (document, DP_BLOCK_HEADING, i)->level, ==, headings[i].level);
  }
  flow_doc_free (&doc);
}

/* Text of an item that goes on behind the list in it stays in the item. */
static void
test_places_inside (void)
{
  FlowDoc doc = flow_doc ();
  guint outer;

  add_page (&doc);
  add_marked_prose (&doc, 60, 8);
  add_element (&doc, "L", 1);
  add_element (&doc, "LI", 2);
  outer = add_element (&doc, "LBody", 3);
  add_region (&doc, DP_REGION_TEXT, 0);
  add_line (&doc, 90, 200, 10, 0, "The upper river");
  mark (&doc, (gint) outer, 90, 200);
  add_element (&doc, "L", 4);
  add_element (&doc, "LI", 5);
  add_line (&doc, 110, 212, 10, 0, "Springs");
  mark (&doc, (gint) add_element (&doc, "LBody", 6), 110, 212);
  add_region (&doc, DP_REGION_TEXT, 0);
  add_line (&doc, 90, 240, 10, 0, "It is the longer part of the two.");
  mark (&doc, (gint) outer, 90, 240);
  add_marked_prose (&doc, 300, 6);
  g_autoptr (DpDocument) document = grow (&doc);
  const DpBlock *item = nth_block (document, DP_BLOCK_LIST_ITEM, 0);
  g_assert_cmpuint (item->children->len, ==, 2);
  assert_text ((DpBlock *) g_ptr_array_index (item->children, 1), "It is the longer part of the two.");
  flow_doc_free (&doc);
}

/* Half of the lines stand in no element: what the page looks like decides. */
static void
test_places_partial (void)
{
  FlowDoc doc = flow_doc ();

  add_page (&doc);
  add_region (&doc, DP_REGION_TEXT, 0);
  add_line (&doc, 80, 60, 10, 0, "Their springs");
  mark (&doc, (gint) add_element (&doc, "H2", 1), 80, 60);
  add_marked_prose (&doc, 90, 4);
  add_region (&doc, DP_REGION_TEXT, 0);
  add_prose (&doc, 80, 200, 6);
  g_autoptr (DpDocument) document = grow (&doc);
  g_assert_cmpuint (count_blocks (document, DP_BLOCK_HEADING), ==, 0);
  flow_doc_free (&doc);
}

/* A title that runs into its paragraph, and a paragraph that says it is a heading, are no headings. */
static void
test_places_run_in (void)
{
  FlowDoc doc = flow_doc ();
  guint long_heading;

  add_page (&doc);
  add_region (&doc, DP_REGION_TEXT, 0);
  add_line (&doc, 80, 60, 10, 0, "Springs. They lie high up in the hills and");
  mark (&doc, (gint) add_element (&doc, "H2", 1), 80, 60);
  mark (&doc, (gint) add_element (&doc, "P", 1), 130, 60);
  add_line (&doc, 80, 72, 10, 0, "never run dry.");
  mark (&doc, (gint) doc.info->tags->len - 1, 80, 72);
  add_marked_prose (&doc, 100, 20);
  long_heading = add_element (&doc, "H2", 1);
  add_region (&doc, DP_REGION_TEXT, 0);
  add_prose (&doc, 80, 400, 4);
  for (guint i = 0; i < 4; i++)
    mark (&doc, (gint) long_heading, 80, 400 + 12 * (float) i);
  g_autoptr (DpDocument) document = grow (&doc);
  g_assert_cmpuint (count_blocks (document, DP_BLOCK_HEADING), ==, 0);
  flow_doc_free (&doc);
}

/* Lines of one paragraph although one ends early, and two paragraphs without indent or room between them. */
static void
test_places_paragraphs (void)
{
  static const struct {
    float y;
    guint paragraph;
    const char *text;
  } lines[] = { { 100, 0, "So the quick brown fox jumps over the lazy dogs and runs on to." },
                { 112, 0, "The river where it drinks." },
                { 124, 0, "And rests a while before it goes on and jumps over the lazy do" },
                { 136, 1, "The other paragraph begins here although nothing shows it, and" },
                { 148, 1, "the river where it drinks and rests a while before it goes on." } };
  FlowDoc doc = flow_doc ();
  const guint elements[] = { add_element (&doc, "P", 0), add_element (&doc, "P", 0) };

  add_page (&doc);
  add_region (&doc, DP_REGION_TEXT, 0);
  for (guint i = 0; i < G_N_ELEMENTS (lines); i++) {
    add_line (&doc, 80, lines[i].y, 10, 0, lines[i].text);
    mark (&doc, (gint) elements[lines[i].paragraph], 80, lines[i].y);
  }
  g_autoptr (DpDocument) document = grow (&doc);
  g_assert_cmpuint (count_blocks (document, DP_BLOCK_PARAGRAPH), ==, 2);
  assert_text (nth_block (document, DP_BLOCK_PARAGRAPH, 1),
               "The other paragraph begins here although nothing shows it, and the river where "
               "it drinks and rests a while before it goes on.");
  flow_doc_free (&doc);
  /* the same lines, each a paragraph of its own: what the page looks like decides */
  FlowDoc single = flow_doc ();
  add_page (&single);
  add_region (&single, DP_REGION_TEXT, 0);
  add_prose (&single, 80, 100, 5);
  for (guint i = 0; i < 5; i++)
    mark (&single, (gint) add_element (&single, "P", 0), 80, 100 + 12 * (float) i);
  g_autoptr (DpDocument) whole = grow (&single);
  g_assert_cmpuint (count_blocks (whole, DP_BLOCK_PARAGRAPH), ==, 1);
  flow_doc_free (&single);
}

/* ---- tables ------------------------------------------------------------------------------------------ */

typedef struct {
  const char *kind, *text; /* text NULL: an element without text of its own */
  guint depth, col_span, row_span;
  float x, y;
} TableTag;

static void
add_table (FlowDoc *doc, const TableTag *tags, guint n)
{
  add_region (doc, DP_REGION_TEXT, 0);
  for (guint i = 0; i < n; i++) {
    const guint tag = add_element (doc, tags[i].kind, tags[i].depth);
    g_array_index (doc->info->tags, DpTag, tag).col_span = MAX (tags[i].col_span, 1);
    g_array_index (doc->info->tags, DpTag, tag).row_span = MAX (tags[i].row_span, 1);
    if (!tags[i].text)
      continue;
    add_line (doc, tags[i].x, tags[i].y, 10, 0, tags[i].text);
    mark (doc, -1, tags[i].x, tags[i].y); /* producers put empty artifacts before the text */
    mark (doc, (gint) tag, tags[i].x, tags[i].y);
  }
}

static void
assert_cell (const DpTable *table, guint i, guint row, guint col, guint row_span, guint col_span, const char *text)
{
  g_assert_cmpuint (i, <, table->cells->len);
  const DpCell *cell = g_ptr_array_index (table->cells, i);
  g_assert_cmpuint (cell->row, ==, row);
  g_assert_cmpuint (cell->col, ==, col);
  g_assert_cmpuint (cell->row_span, ==, row_span);
  g_assert_cmpuint (cell->col_span, ==, col_span);
  assert_text (cell, text);
}

/* A table without rules whose cells wrap: spans, an empty cell, a list inside a cell. */
static void
test_table (void)
{
  static const TableTag tags[] = {
    { "Table", NULL, 0, 0, 0, 0, 0 },      { "THead", NULL, 1, 0, 0, 0, 0 },
    { "TR", NULL, 2, 0, 0, 0, 0 },         { "TH", "Rivers of the north", 3, 2, 0, 80, 100 },
    { "TH", "Length", 3, 0, 0, 300, 100 }, { "TBody", NULL, 1, 0, 0, 0, 0 },
    { "TR", NULL, 2, 0, 0, 0, 0 },         { "TD", "Upper", 3, 0, 2, 80, 112 },
    { "TD", NULL, 3, 0, 0, 0, 0 },         { "P", "The Ouse, which", 4, 0, 0, 150, 112 },
    { "P", "is long", 4, 0, 0, 150, 124 }, { "TD", "90", 3, 0, 0, 300, 112 },
    { "TR", NULL, 2, 0, 0, 0, 0 },         { "TD", "The Aire", 3, 0, 0, 150, 136 },
    { "TD", NULL, 3, 0, 0, 0, 0 },
  };
  FlowDoc doc = flow_doc ();
  add_page (&doc);
  add_table (&doc, tags, G_N_ELEMENTS (tags));
  add_marked_prose (&doc, 200, 6);
  g_autoptr (DpDocument) document = grow (&doc);
  g_assert_cmpuint (count_blocks (document, DP_BLOCK_TABLE), ==, 1);
  const DpTable *table = nth_block (document, DP_BLOCK_TABLE, 0)->table;
  g_assert_cmpuint (table->n_rows, ==, 3);
  g_assert_cmpuint (table->n_cols, ==, 3);
  g_assert_cmpuint (table->n_header_rows, ==, 1);
  assert_cell (table, 0, 0, 0, 1, 2, "Rivers of the north");
  assert_cell (table, 1, 0, 2, 1, 1, "Length");
  assert_cell (table, 2, 1, 0, 2, 1, "Upper");
  assert_cell (table, 3, 1, 1, 1, 1, "The Ouse, which is long");
  assert_cell (table, 4, 1, 2, 1, 1, "90");
  assert_cell (table, 5, 2, 1, 1, 1, "The Aire");
  assert_cell (table, 6, 2, 2, 1, 1, "");
  g_assert_cmpuint (count_blocks (document, DP_BLOCK_PARAGRAPH), ==, 1);
  flow_doc_free (&doc);
}

/* Two tables of the tree in what was found as one region come one behind the other; one that tears a region stays out. */
static void
test_tables_in_one_region (void)
{
  static const TableTag tags[] = {
    { "Table", NULL, 0, 0, 0, 0, 0 },    { "TR", NULL, 1, 0, 0, 0, 0 },        { "TD", "one", 2, 0, 0, 80, 100 },
    { "TD", "two", 2, 0, 0, 200, 100 },  { "TR", NULL, 1, 0, 0, 0, 0 },        { "TD", "three", 2, 0, 0, 80, 112 },
    { "TD", "four", 2, 0, 0, 200, 112 }, { "Table", NULL, 0, 0, 0, 0, 0 },     { "TR", NULL, 1, 0, 0, 0, 0 },
    { "TD", "five", 2, 0, 0, 80, 124 },  { "TD", "six", 2, 0, 0, 200, 124 },   { "TR", NULL, 1, 0, 0, 0, 0 },
    { "TD", "seven", 2, 0, 0, 80, 136 }, { "TD", "eight", 2, 0, 0, 200, 136 },
  };

  for (guint torn = 0; torn < 2; torn++) {
    FlowDoc doc = flow_doc ();
    add_page (&doc);
    add_table (&doc, tags, G_N_ELEMENTS (tags));
    if (torn) {
      add_line (&doc, 80, 148, 10, 0, "And this is no table");
      mark (&doc, (gint) add_element (&doc, "P", 0), 80, 148);
    }
    add_marked_prose (&doc, 200, 6);
    g_autoptr (DpDocument) document = grow (&doc);
    g_assert_cmpuint (count_blocks (document, DP_BLOCK_TABLE), ==, torn ? 0 : 2);
    if (!torn) {
      assert_cell (nth_block (document, DP_BLOCK_TABLE, 0)->table, 0, 0, 0, 1, 1, "one");
      assert_cell (nth_block (document, DP_BLOCK_TABLE, 1)->table, 3, 1, 1, 1, 1, "eight");
    }
    flow_doc_free (&doc);
  }
}

/* A tree that tells no spans and rows of different lengths: cells reach up to the next one, which stands where its column does. */
static void
test_table_ragged (void)
{
  static const TableTag tags[] = {
    { "Table", NULL, 0, 0, 0, 0, 0 },    { "TR", NULL, 1, 0, 0, 0, 0 },       { "TD", "Who applies", 2, 0, 0, 80, 100 },
    { "TR", NULL, 1, 0, 0, 0, 0 },       { "TD", "Name", 2, 0, 0, 80, 112 },  { "TD", "Ann", 2, 0, 0, 150, 112 },
    { "TD", "Born", 2, 0, 0, 220, 112 }, { "TD", "1990", 2, 0, 0, 290, 112 }, { "TR", NULL, 1, 0, 0, 0, 0 },
    { "TD", "Place", 2, 0, 0, 80, 124 }, { "TD", "York", 2, 0, 0, 220, 124 },
  };
  FlowDoc doc = flow_doc ();
  add_page (&doc);
  add_table (&doc, tags, G_N_ELEMENTS (tags));
  add_marked_prose (&doc, 200, 6);
  g_autoptr (DpDocument) document = grow (&doc);
  g_assert_cmpuint (count_blocks (document, DP_BLOCK_TABLE), ==, 1);
  const DpTable *table = nth_block (document, DP_BLOCK_TABLE, 0)->table;
  g_assert_cmpuint (table->cells->len, ==, 7);
  assert_cell (table, 0, 0, 0, 1, 4, "Who applies");
  assert_cell (table, 1, 1, 0, 1, 1, "Name");
  assert_cell (table, 5, 2, 0, 1, 2, "Place");
  assert_cell (table, 6, 2, 2, 1, 2, "York");
  flow_doc_free (&doc);
}

/* Pieces on following pages are one table if they are of one element of the tree, and else are not, however alike they look. */
static void
test_table_pages (void)
{
  static const TableTag first[] = {
    { "Table", NULL, 0, 0, 0, 0, 0 },    { "TR", NULL, 1, 0, 0, 0, 0 }, { "TD", "one", 2, 0, 0, 80, 700 },
    { "TD", "two", 2, 0, 0, 200, 700 },  { "TR", NULL, 1, 0, 0, 0, 0 }, { "TD", "three", 2, 0, 0, 80, 712 },
    { "TD", "four", 2, 0, 0, 200, 712 },
  };
  static const TableTag second[] = {
    { "Table", NULL, 0, 0, 0, 0, 0 },    { "TR", NULL, 1, 0, 0, 0, 0 }, { "TD", "five", 2, 0, 0, 80, 80 },
    { "TD", "six", 2, 0, 0, 200, 80 },   { "TR", NULL, 1, 0, 0, 0, 0 }, { "TD", "seven", 2, 0, 0, 80, 92 },
    { "TD", "eight", 2, 0, 0, 200, 92 },
  };

  for (guint one = 0; one < 2; one++) {
    FlowDoc doc = flow_doc ();
    add_page (&doc);
    add_marked_prose (&doc, 100, 6);
    add_table (&doc, first, G_N_ELEMENTS (first));
    add_page (&doc);
    add_table (&doc, second + one, G_N_ELEMENTS (second) - one);
    add_marked_prose (&doc, 300, 6);
    g_autoptr (DpDocument) document = grow (&doc);
    g_assert_cmpuint (count_blocks (document, DP_BLOCK_TABLE), ==, one ? 1 : 2);
    g_assert_cmpuint (nth_block (document, DP_BLOCK_TABLE, 0)->table->n_rows, ==, one ? 4 : 2);
    flow_doc_free (&doc);
  }
}

/* Cells that stand from right to left, a frame around the page's text, a layout of prose, and absurd spans are no tables. */
static void
test_table_absurd (void)
{
  static const TableTag backwards[] = {
    { "Table", NULL, 0, 0, 0, 0, 0 },    { "TR", NULL, 1, 0, 0, 0, 0 },       { "TD", "one", 2, 0, 0, 300, 100 },
    { "TD", "two", 2, 0, 0, 200, 100 },  { "TD", "three", 2, 0, 0, 80, 100 }, { "TR", NULL, 1, 0, 0, 0, 0 },
    { "TD", "four", 2, 0, 0, 300, 112 }, { "TD", "five", 2, 0, 0, 200, 112 }, { "TD", "six", 2, 0, 0, 80, 112 },
  };
  static const TableTag frame[] = {
    { "Table", NULL, 0, 0, 0, 0, 0 },  { "TR", NULL, 1, 0, 0, 0, 0 }, { "TD", "one", 2, 0, 0, 80, 100 },   { "TR", NULL, 1, 0, 0, 0, 0 },
    { "TD", "two", 2, 0, 0, 80, 112 }, { "TR", NULL, 1, 0, 0, 0, 0 }, { "TD", "three", 2, 0, 0, 80, 124 },
  };
  static const TableTag wide[] = {
    { "Table", NULL, 0, 0, 0, 0, 0 },         { "TR", NULL, 1, 0, 0, 0, 0 }, { "TD", "one", 2, 9000, 9000, 80, 100 },
    { "TD", "two", 2, 9000, 9000, 180, 100 }, { "TR", NULL, 1, 0, 0, 0, 0 }, { "TD", "three", 2, 0, 0, 80, 112 },
    { "TD", "four", 2, 0, 0, 180, 112 },
  };
  static const char long_cell[] = "a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a";
  static const TableTag prose_cells[] = {
    { "Table", NULL, 0, 0, 0, 0, 0 },       { "TR", NULL, 1, 0, 0, 0, 0 }, { "TD", "1", 2, 0, 0, 80, 100 },
    { "TD", long_cell, 2, 0, 0, 110, 100 }, { "TR", NULL, 1, 0, 0, 0, 0 }, { "TD", "2", 2, 0, 0, 80, 112 },
    { "TD", long_cell, 2, 0, 0, 110, 112 },
  };
  const struct {
    const TableTag *tags;
    guint n;
  } cases[] = { { prose_cells, G_N_ELEMENTS (prose_cells) },
                { backwards, G_N_ELEMENTS (backwards) },
                { frame, G_N_ELEMENTS (frame) },
                { wide, G_N_ELEMENTS (wide) } };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    FlowDoc doc = flow_doc ();
    add_page (&doc);
    add_table (&doc, cases[i].tags, cases[i].n);
    add_marked_prose (&doc, 200, 6);
    g_autoptr (DpDocument) document = grow (&doc);
    g_assert_cmpuint (count_blocks (document, DP_BLOCK_TABLE), ==, 0);
    flow_doc_free (&doc);
  }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/tags/sane", test_sane);
  g_test_add_func ("/tags/partial", test_partial);
  g_test_add_func ("/tags/absurd", test_absurd);
  g_test_add_func ("/tags/places", test_places);
  g_test_add_func ("/tags/places/sections", test_places_sections);
  g_test_add_func ("/tags/places/inside", test_places_inside);
  g_test_add_func ("/tags/places/partial", test_places_partial);
  g_test_add_func ("/tags/places/run-in", test_places_run_in);
  g_test_add_func ("/tags/places/paragraphs", test_places_paragraphs);
  g_test_add_func ("/tags/table", test_table);
  g_test_add_func ("/tags/table/one-region", test_tables_in_one_region);
  g_test_add_func ("/tags/table/ragged", test_table_ragged);
  g_test_add_func ("/tags/table/pages", test_table_pages);
  g_test_add_func ("/tags/table/absurd", test_table_absurd);
  return g_test_run ();
}
