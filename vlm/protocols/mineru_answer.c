/* vlm/protocols/mineru_answer.c - from the raw answers of a page to its content (mineru-vl-utils, post_process/__init__.py). */
#include "vlm/protocols/latex.h"
#include "vlm/protocols/mineru.h"
#include "vlm/protocols/otsl.h"
#include "vlm/protocols/text.h"

#define BIT(type) (1u << DP_MINERU_##type)

static DpMineruBlock *
block_at (const GPtrArray *blocks, guint i)
{
  return g_ptr_array_index (blocks, i);
}

static void
set_content (DpMineruBlock *b, char *content)
{
  g_free (b->content);
  b->content = content;
}

/* ---- tables ---- */

/* Behind "[ CODE ]" at p, or NULL. */
static const char *
match_code (const char *p, const char *code)
{
  p = dp_protocol_skip (p + 1);
  if (!g_str_has_prefix (p, code))
    return NULL;
  p = dp_protocol_skip (p + strlen (code));
  return *p == ']' ? p + 1 : NULL;
}

/* [CODE] -> <img src="#N"/> */
static char *
show_pictures (const char *html, const GArray *pictures)
{
  GString *out = g_string_new (NULL);

  for (const char *p = html; *p;) {
    const char *behind = NULL;
    for (guint i = 0; *p == '[' && i < pictures->len && !behind; i++)
      if ((behind = match_code (p, g_array_index (pictures, DpMineruPicture, i).code)) != NULL)
        g_string_append_printf (out, "<img src=\"#%u\"/>", i);
    if (!behind)
      g_string_append_c (out, *p);
    p = behind ? behind : p + 1;
  }
  return g_string_free (out, FALSE);
}

static void
finish_table (DpMineruBlock *b)
{
  g_autofree char *html = dp_otsl_to_html (b->content, NULL);

  if (!html)
    html = g_strdup (b->content);
  if (b->pictures) {
    char *shown = show_pictures (html, b->pictures);
    g_free (html);
    html = shown;
  }
  set_content (b, dp_otsl_mark_formulas (html));
}

/* ---- what is not text ---- */

/* TRUE: the block goes. */
static gboolean
is_non_text (DpMineruBlock *b)
{
  static const guint32 keep
      = BIT (IMAGE) | BIT (CHART) | BIT (TABLE) | BIT (EQUATION) | BIT (LIST) | BIT (IMAGE_BLOCK) | BIT (EQUATION_BLOCK);

  if (!b->content || !dp_span_is (dp_protocol_strip (dp_span (b->content, strlen (b->content))), "[Non-Text]"))
    return FALSE;
  if (b->type == DP_MINERU_HEADER || b->type == DP_MINERU_FOOTER) { /* their boxes still say where they are */
    set_content (b, g_strdup (""));
    return FALSE;
  }
  return !(keep >> b->type & 1);
}

static void
drop_non_text (GPtrArray *blocks)
{
  guint n = 0;

  for (guint i = 0; i < blocks->len; i++) {
    DpMineruBlock *b = block_at (blocks, i);
    if (is_non_text (b))
      dp_mineru_block_free (b);
    else
      blocks->pdata[n++] = b;
  }
  g_ptr_array_set_free_func (blocks, NULL); /* those behind n have moved or are free */
  g_ptr_array_set_size (blocks, (gint) n);
  g_ptr_array_set_free_func (blocks, (GDestroyNotify) dp_mineru_block_free);
}

/* ---- the page ---- */

static void
read_content (DpMineruBlock *b)
{
  if (b->type == DP_MINERU_TABLE)
    finish_table (b);
  else if (b->type == DP_MINERU_IMAGE || b->type == DP_MINERU_CHART) {
    g_autofree char *answer = g_steal_pointer (&b->content);
    dp_mineru_take_analysis (b, answer);
  }
}

static void
repair (DpMineruBlock *b)
{
  if (b->type == DP_MINERU_EQUATION)
    set_content (b, dp_latex_formula (b->content));
  else if (b->type == DP_MINERU_TEXT)
    set_content (b, dp_latex_text (b->content));
}

void
dp_mineru_finish (GPtrArray *blocks)
{
  for (guint i = 0; i < blocks->len; i++) {
    DpMineruBlock *b = block_at (blocks, i);
    if (b->content && *b->content)
      read_content (b);
    if (b->type == DP_MINERU_LIST_ITEM)
      b->type = DP_MINERU_TEXT;
  }
  drop_non_text (blocks);
  for (guint i = 0; i < blocks->len; i++)
    if (block_at (blocks, i)->content && *block_at (blocks, i)->content)
      repair (block_at (blocks, i));
  dp_mineru_join_equations (blocks);
  for (guint i = 0; i < blocks->len;) {
    DpMineruBlock *b = block_at (blocks, i);
    if (b->absorbed && b->type == DP_MINERU_IMAGE) {
      g_ptr_array_remove_index (blocks, i);
      continue;
    }
    if (b->type == DP_MINERU_EQUATION && b->content && *b->content)
      set_content (b, dp_latex_display (b->content));
    i++;
  }
}
