/* tests/layout/table_page.h - pages for the rule, table and figure passes, made by hand.
 *
 * A character is half an em wide, a blank ends a word; boxes reach from 0.8 em above the
 * baseline to 0.2 below.  Paths and images go to the DpPage, so that rules.c reads them
 * as the extractor would deliver them.  The passes run in the order of layout.h.
 */
#pragma once

#include <string.h>

#include "layout/combs.h"
#include "layout/tables.h"

typedef struct {
  DpPage page;
  DpPageLayout *layout;
  GArray *paths, *images;
} TablePage;

static inline TablePage
table_page (void)
{
  TablePage t = { .page = { .number = 1, .width = 600, .height = 800 } };

  t.layout = dp_page_layout_new (&t.page);
  t.layout->body_size = 10;
  t.paths = g_array_new (FALSE, TRUE, sizeof (DpPath));
  t.images = g_array_new (FALSE, TRUE, sizeof (DpImage));
  return t;
}

static inline void
table_page_free (TablePage *t)
{
  dp_page_layout_free (t->layout);
  g_array_unref (t->paths);
  g_array_unref (t->images);
}

static inline void
put_words (TablePage *t, float x, float base, const char *text, float size, gint angle)
{
  for (const char *p = text; *p;) {
    gsize n = strcspn (p, " ");
    float w = 0.5f * size * (float) g_utf8_strlen (p, (gssize) n);
    DpWord word = { .baseline = base, .size = size, .angle = (gint16) angle, .n_chars = (guint8) n, .space_before = p > text };
    word.text = (guint32) t->layout->text->len;
    word.text_len = (guint32) n;
    word.box = (DpRect){ x, base - 0.8f * size, x + w, base + 0.2f * size };
    if (angle == 90) {
      /* x runs down the page, base counts from its right edge */
      word.box = (DpRect){ t->page.width - base - 0.2f * size, x, t->page.width - base + 0.8f * size, x + w };
      word.baseline = t->page.width - base;
    }
    g_string_append_len (t->layout->text, p, (gssize) n);
    g_array_append_val (t->layout->words, word);
    x += w + 0.3f * size;
    p += n + (p[n] == ' ');
  }
}

static inline void
put (TablePage *t, float x, float base, const char *text)
{
  put_words (t, x, base, text, 10, 0);
}

static inline void
put_path (TablePage *t, DpPathKind kind, float x0, float y0, float x1, float y1, guint32 colour)
{
  const DpPath path = { .box = { x0, y0, x1, y1 }, .kind = kind, .colour = colour, .paint = t->paths->len + 1, .alpha = 1 };

  g_array_append_val (t->paths, path);
}

static inline void
put_h (TablePage *t, float y, float x0, float x1)
{
  put_path (t, DP_PATH_HLINE, x0, y - 0.25f, x1, y + 0.25f, 0);
}

static inline void
put_v (TablePage *t, float x, float y0, float y1)
{
  put_path (t, DP_PATH_VLINE, x - 0.25f, y0, x + 0.25f, y1, 0);
}

/* Runs rules, lines, tables and figures. */
static inline void
run_passes (TablePage *t)
{
  t->page.paths = (const DpPath *) t->paths->data;
  t->page.n_paths = t->paths->len;
  t->page.images = (const DpImage *) t->images->data;
  t->page.n_images = t->images->len;
  dp_layout_rules (t->layout, &t->page);
  dp_layout_combs (t->layout);
  dp_layout_lines (t->layout);
  dp_layout_charts (t->layout, &t->page);
  dp_layout_tables_statement (t->layout);
  dp_layout_tables_ruled (t->layout, FALSE);
  dp_layout_tables_framed (t->layout);
  dp_layout_tables_ruled (t->layout, TRUE);
  dp_layout_tables_aligned (t->layout);
  dp_layout_figures (t->layout, &t->page);
}

static inline guint
count_regions (const TablePage *t, DpRegionKind kind)
{
  guint n = 0;

  for (guint i = 0; i < t->layout->regions->len; i++)
    n += g_array_index (t->layout->regions, DpRegion, i).kind == kind ? 1 : 0;
  return n;
}

static inline const DpRegion *
nth_region (const TablePage *t, DpRegionKind kind, guint nth)
{
  for (guint i = 0; i < t->layout->regions->len; i++) {
    const DpRegion *region = &g_array_index (t->layout->regions, DpRegion, i);
    if (region->kind == kind && nth-- == 0)
      return region;
  }
  g_assert_not_reached ();
}

/* The table as text: cells "a|b", rows ";", spans "a^2x1" (columns x rows), breaks "/". */
static inline char *
table_text (const TablePage *t, guint nth)
{
  const DpTable *table = nth_region (t, DP_REGION_TABLE, nth)->table;
  GString *out = g_string_new (NULL);

  for (guint i = 0; i < table->cells->len; i++) {
    const DpCell *cell = g_ptr_array_index (table->cells, i);
    const DpCell *before = i ? g_ptr_array_index (table->cells, i - 1) : NULL;
    g_autofree char *text = dp_spans_to_text (cell->spans);
    if (before)
      g_string_append_c (out, before->row == cell->row ? '|' : ';');
    g_string_append (out, g_strdelimit (text, "\n", '/'));
    if (cell->row_span > 1 || cell->col_span > 1)
      g_string_append_printf (out, "^%ux%u", cell->col_span, cell->row_span);
  }
  return g_string_free (out, FALSE);
}

#define assert_table(t, nth, expected)                                                                                                     \
  G_STMT_START                                                                                                                             \
  {                                                                                                                                        \
    g_autofree char *text_ = table_text (t, nth);                                                                                          \
    g_assert_cmpstr (text_, ==, expected);                                                                                                 \
  }                                                                                                                                        \
  G_STMT_END
