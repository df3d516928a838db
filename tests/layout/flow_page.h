/* tests/layout/flow_page.h - pages for the document passes: regions of lines, made by hand.
 *
 * A line is a text, a place and a face; characters are half an em wide, a word in ^carets^ is
 * a raised mark of 0.6 of the size.  Boxes reach from 0.8 em above the baseline to 0.2 below.
 */
#pragma once

#include <math.h>
#include <string.h>

#include "layout/layout.h"

typedef struct {
  GPtrArray *pages;
  DpDocumentInfo *info;
  DpPageLayout *page; /* the last one */
  DpRegion *region;   /* the last one */
} FlowDoc;

static inline FlowDoc
flow_doc (void)
{
  return (FlowDoc){ .pages = g_ptr_array_new_with_free_func ((GDestroyNotify) dp_page_layout_free), .info = dp_document_info_new () };
}

static inline void
flow_doc_free (FlowDoc *doc)
{
  g_ptr_array_unref (doc->pages);
  dp_document_info_free (doc->info);
}

static inline void
add_page (FlowDoc *doc)
{
  const DpPage page = { .number = doc->pages->len + 1, .width = 600, .height = 800 };

  doc->page = dp_page_layout_new (&page);
  g_ptr_array_add (doc->page->font_names, g_strdup ("Serif"));
  g_ptr_array_add (doc->page->font_names, g_strdup ("Mono"));
  g_ptr_array_add (doc->pages, doc->page);
}

static inline void
add_region (FlowDoc *doc, DpRegionKind kind, guint column)
{
  DpRegion region = { .kind = kind, .column = column, .caption = -1, .lines = g_array_new (FALSE, TRUE, sizeof (guint)) };

  g_array_append_val (doc->page->regions, region);
  doc->region = &g_array_index (doc->page->regions, DpRegion, doc->page->regions->len - 1);
}

static inline float
add_word (DpPageLayout *page, const char *text, gsize n, float x, float base, float size, guint style)
{
  gboolean raised = n > 2 && text[0] == '^' && text[n - 1] == '^';
  float em = raised ? 0.6f * size : size, y = raised ? base - 0.4f * size : base;
  DpWord word = { .baseline = y, .size = em, .text = (guint32) page->text->len, .style = (guint16) style, .space_before = !raised };

  if (raised) {
    text++;
    n -= 2;
    word.style |= DP_SPAN_SUPER;
  }
  word.text_len = (guint32) n;
  word.n_chars = (guint8) g_utf8_strlen (text, (gssize) n);
  word.font = style & DP_SPAN_MONO ? 1 : 0;
  word.box = (DpRect){ x, y - 0.8f * em, x + 0.5f * em * (float) word.n_chars, y + 0.2f * em };
  g_string_append_len (page->text, text, (gssize) n);
  g_array_append_val (page->words, word);
  return word.box.x1;
}

/* A line with its baseline at y; returns the x where it ends. */
static inline float
add_line (FlowDoc *doc, float x, float y, float size, guint style, const char *text)
{
  DpPageLayout *page = doc->page;
  DpLine line = { .first_word = page->words->len,
                  .baseline = y,
                  .size = size,
                  .style = (guint16) style,
                  .font = style & DP_SPAN_MONO ? 1 : 0,
                  .region = (gint) page->regions->len - 1 };
  g_auto (GStrv) words = g_strsplit (text, " ", -1);
  guint index = page->lines->len;
  float at = x;

  for (guint i = 0; words[i]; i++) {
    const char *mark = strchr (words[i], '^');
    gsize n = mark ? (gsize) (mark - words[i]) : strlen (words[i]);
    if (n > 0)
      at = add_word (page, words[i], n, at, y, size, style);
    if (mark)
      at = add_word (page, mark, strlen (mark), at, y, size, style);
    at += 0.5f * size;
  }
  line.n_words = page->words->len - line.first_word;
  line.box = (DpRect){ x, y - 0.8f * size, at - 0.5f * size, y + 0.2f * size };
  g_array_append_val (page->lines, line);
  g_array_append_val (doc->region->lines, index);
  doc->region->box = doc->region->lines->len == 1 ? line.box : dp_rect_union (doc->region->box, line.box);
  return line.box.x1;
}

/* n lines of running text that fill a column from x on, 60 characters wide, 10 pt; ends in a full stop. */
static inline void
add_prose (FlowDoc *doc, float x, float y, guint n)
{
  static const char *const lines[] = { "the quick brown fox jumps over the lazy dogs and runs on to the",
                                       "river where it drinks and rests a while before it goes on and" };

  for (guint i = 0; i < n; i++) {
    g_autofree char *text = g_strdup_printf ("%s%s%s", i == 0 ? "So " : "", lines[i % 2], i + 1 == n ? " end." : "");
    add_line (doc, x, y + 12 * (float) i, 10, 0, text);
  }
}

static inline DpDocument *
grow (FlowDoc *doc)
{
  return dp_layout_document (doc->pages, doc->info, NULL);
}

typedef struct {
  DpBlockKind kind;
  guint nth;
  DpBlock *found;
} FlowFind;

static gboolean
find_visit (DpBlock *block, guint depth, gpointer data)
{
  FlowFind *find = data;

  (void) depth;
  if (block->kind == find->kind && find->nth-- == 0) {
    find->found = block;
    return FALSE;
  }
  return TRUE;
}

/* The nth block of a kind anywhere in the tree, or NULL. */
static inline DpBlock *
nth_block (DpDocument *document, DpBlockKind kind, guint nth)
{
  FlowFind find = { kind, nth, NULL };

  dp_document_foreach (document, find_visit, &find);
  return find.found;
}

static inline guint
count_blocks (DpDocument *document, DpBlockKind kind)
{
  guint n = 0;

  while (nth_block (document, kind, n))
    n++;
  return n;
}

#define assert_text(block, expected)                                                                                                       \
  G_STMT_START                                                                                                                             \
  {                                                                                                                                        \
    g_autofree char *text_ = NULL;                                                                                                         \
    g_assert_nonnull (block);                                                                                                              \
    text_ = dp_spans_to_text ((block)->spans);                                                                                             \
    g_assert_cmpstr (text_, ==, expected);                                                                                                 \
  }                                                                                                                                        \
  G_STMT_END
