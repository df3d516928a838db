/* layout/tag_tables.c - tables that the structure tree of a tagged PDF describes come into their pages.
 *
 * The tree gives rows and cells, the places of marked content say which words stand in which cell (tag_grid.c).  A table is
 * taken if whole regions of the page are in it and others tables of the tree; it replaces what was found there.  Of
 * a frame around tables the inner ones count.
 */
#include "layout/tag_grid.h"

#include <string.h>

#define MAX_TABLES 64u /* of one page */
#define MAX_STEPS 48u  /* up the tree */

/* ---- words and their elements --------------------------------------------------------------------------- */

static void
name_words (const DpPageLayout *layout, const GArray *marks, gint *word_tags)
{
  for (guint i = 0; i < layout->words->len; i++) {
    const DpWord *word = &g_array_index (layout->words, DpWord, i);
    word_tags[i]
        = word->hidden || word->angle != 0 ? -1 : dp_tag_mark_before (marks, layout->number, word->box.x0, word->baseline, word->size);
  }
}

/* ---- the page's regions -------------------------------------------------------------------------------------------- */

typedef enum { OUTSIDE, PARTLY, WHOLLY } Share;

static Share
share_of_line (const DpLine *line, const guint8 *in_table)
{
  guint inside = 0;

  for (guint w = 0; w < line->n_words; w++)
    inside += in_table[line->first_word + w];
  return inside == 0 ? OUTSIDE : inside == line->n_words ? WHOLLY : PARTLY;
}

/* How much of a region is in the table: by its lines where it has any, by the words in its box elsewhere. */
static Share
share_of_region (const DpPageLayout *layout, const DpRegion *region, const guint8 *in_table)
{
  guint inside = 0, all = 0;

  if (region->kind == DP_REGION_TEXT || region->kind == DP_REGION_CODE) {
    for (guint i = 0; i < region->lines->len; i++) {
      const Share share = share_of_line (&g_array_index (layout->lines, DpLine, g_array_index (region->lines, guint, i)), in_table);
      if (share == PARTLY)
        return PARTLY;
      inside += share == WHOLLY ? 1 : 0;
    }
    return inside == 0 ? OUTSIDE : inside == region->lines->len ? WHOLLY : PARTLY;
  }
  for (guint i = 0; i < layout->words->len; i++) {
    const DpWord *word = &g_array_index (layout->words, DpWord, i);
    if (!dp_tag_holds_word (region->box, word))
      continue;
    all++;
    inside += in_table[i];
  }
  if ((float) inside >= DP_TAG_ALONE * (float) all)
    return inside == 0 ? OUTSIDE : WHOLLY;
  return inside == 0 || region->kind == DP_REGION_FIGURE ? OUTSIDE : PARTLY;
}

/* ---- the tables of one page ------------------------------------------------------------------------------------------ */

/* How much of each region is in tables; drops those that would tear a region, until none does. */
static void
settle (const DpTagPage *page, GArray *candidates, Share *shares)
{
  const DpPageLayout *layout = page->layout;
  g_autofree guint8 *in_any = g_new (guint8, layout->words->len + 1);
  gboolean again = TRUE;

  while (again) {
    again = FALSE;
    memset (in_any, 0, layout->words->len);
    for (guint k = 0; k < candidates->len; k++) {
      const DpTagTable *c = &g_array_index (candidates, DpTagTable, k);
      for (guint w = 0; !c->dropped && w < layout->words->len; w++)
        in_any[w] |= c->in_table[w];
    }
    for (guint r = 0; r < layout->regions->len; r++) {
      const DpRegion *region = &g_array_index (layout->regions, DpRegion, r);
      shares[r] = share_of_region (layout, region, in_any);
      for (guint k = 0; shares[r] == PARTLY && k < candidates->len; k++) {
        DpTagTable *c = &g_array_index (candidates, DpTagTable, k);
        if (!c->dropped && share_of_region (layout, region, c->in_table) != OUTSIDE)
          c->dropped = again = TRUE;
      }
    }
  }
}

/* A table comes where the first region was that it takes, of those found as tables before others. */
static gint
place_of (const DpTagPage *page, const DpTagTable *c, const Share *shares)
{
  const GArray *regions = page->layout->regions;
  gint place = -1;

  for (guint r = 0; r < regions->len; r++) {
    const DpRegion *region = &g_array_index (regions, DpRegion, r);
    if (shares[r] != WHOLLY || share_of_region (page->layout, region, c->in_table) == OUTSIDE)
      continue;
    if (place < 0 || (region->kind == DP_REGION_TABLE && g_array_index (regions, DpRegion, place).kind != DP_REGION_TABLE))
      place = (gint) r;
  }
  return place;
}

static void
empty_region (DpRegion *region)
{
  g_clear_pointer (&region->table, dp_table_free);
  region->kind = DP_REGION_TEXT; /* of no lines */
  if (region->lines)
    g_array_set_size (region->lines, 0);
  else
    region->lines = g_array_new (FALSE, FALSE, sizeof (guint));
}

/* By place, and downwards in one place. */
static gint
compare_places (gconstpointer a, gconstpointer b)
{
  const DpTagTable *x = a, *y = b;

  if (x->place != y->place)
    return x->place < y->place ? -1 : 1;
  return x->box.y0 < y->box.y0 ? -1 : x->box.y0 > y->box.y0;
}

static void
put_table (const DpTagPage *page, DpTagTable *c)
{
  DpPageLayout *layout = page->layout;
  const DpTablePart part = { .page = layout->number, .box = c->box };
  DpRegion region = g_array_index (layout->regions, DpRegion, c->place), *here;

  for (guint w = 0; w < layout->words->len; w++)
    if (c->in_table[w])
      g_array_index (layout->words, DpWord, w).taken = 1;
  if (region.table) { /* one of the same place stands there */
    region = (DpRegion){ .caption = -1, .column = region.column, .lines = g_array_new (FALSE, FALSE, sizeof (guint)) };
    g_array_insert_val (layout->regions, (guint) c->place, region);
  }
  here = &g_array_index (layout->regions, DpRegion, c->place);
  here->kind = DP_REGION_TABLE;
  here->box = c->box;
  here->table = dp_tag_table_make (page, c);
  g_array_append_val (here->table->parts, part);
}

static void
put_tables (const DpTagPage *page, GArray *candidates)
{
  GArray *regions = page->layout->regions;
  g_autofree Share *shares = g_new0 (Share, regions->len + 1);

  settle (page, candidates, shares);
  for (guint k = 0; k < candidates->len; k++) {
    DpTagTable *c = &g_array_index (candidates, DpTagTable, k);
    c->place = c->dropped ? -1 : place_of (page, c, shares);
  }
  for (guint r = 0; r < regions->len; r++)
    if (shares[r] == WHOLLY)
      empty_region (&g_array_index (regions, DpRegion, r));
  g_array_sort (candidates, compare_places);
  for (guint k = candidates->len; k-- > 0;) /* from the last place, as new regions move what is behind them */
    if (g_array_index (candidates, DpTagTable, k).place >= 0)
      put_table (page, &g_array_index (candidates, DpTagTable, k));
  for (guint r = 0; r < regions->len; r++) {
    const DpRegion *region = &g_array_index (regions, DpRegion, r);
    for (guint i = 0; region->lines && i < region->lines->len; i++)
      g_array_index (page->layout->lines, DpLine, g_array_index (region->lines, guint, i)).region = (gint) r;
  }
}

/* The tables that words of the page stand in, outer ones first. */
static GArray *
tables_of_page (const DpTagPage *page)
{
  GArray *tables = g_array_new (FALSE, FALSE, sizeof (gint));
  g_autoptr (GHashTable) seen = g_hash_table_new (NULL, NULL);

  for (guint i = 0; i < page->layout->words->len; i++) {
    gint index = page->word_tags[i];
    for (guint step = 0; index >= 0 && step < MAX_STEPS && !g_hash_table_contains (seen, GINT_TO_POINTER (index)); step++) {
      g_hash_table_add (seen, GINT_TO_POINTER (index));
      if (dp_tag_is (page, index, "Table") && tables->len < MAX_TABLES)
        g_array_append_val (tables, index);
      index = page->parents[index];
    }
  }
  return tables;
}

static gint
compare_index (gconstpointer a, gconstpointer b)
{
  return *(const gint *) a - *(const gint *) b;
}

static void
take_tables (const DpTagPage *page, gint *cell_of)
{
  g_autoptr (GArray) tables = tables_of_page (page);
  g_autoptr (GArray) candidates = g_array_new (FALSE, FALSE, sizeof (DpTagTable));

  g_array_set_clear_func (candidates, dp_tag_table_clear);
  g_array_sort (tables, compare_index); /* in pre-order an outer table comes before its inner ones */
  for (guint i = 0; i < tables->len; i++) {
    const gint table = g_array_index (tables, gint, i);
    DpTagTable c;
    if (candidates->len
        && dp_tag_cell_in (page, page->parents[table], g_array_index (candidates, DpTagTable, candidates->len - 1).tag) >= 0)
      continue;
    if (dp_tag_table_read (page, table, cell_of, &c))
      g_array_append_val (candidates, c);
  }
  if (candidates->len)
    put_tables (page, candidates);
}

void
dp_tag_tables (GPtrArray *pages, const DpDocumentInfo *info)
{
  g_autofree gint *parents = NULL, *cell_of = NULL;
  g_autoptr (GArray) marks = NULL;

  if (!info || info->marks->len == 0)
    return;
  parents = dp_tag_parents (info->tags);
  marks = dp_tag_marks_sorted (info);
  cell_of = g_new (gint, info->tags->len + 1);
  for (guint i = 0; i < info->tags->len; i++)
    cell_of[i] = -1;
  for (guint p = 0; p < pages->len; p++) {
    DpPageLayout *layout = g_ptr_array_index (pages, p);
    g_autofree gint *word_tags = g_new (gint, layout->words->len + 1);
    const DpTagPage page = { info->tags, parents, layout, word_tags };
    if (layout->needs_model)
      continue;
    name_words (layout, marks, word_tags);
    take_tables (&page, cell_of);
  }
}
