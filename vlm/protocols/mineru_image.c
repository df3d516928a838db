/* vlm/protocols/mineru_image.c - the answer to "Image Analysis:" (mineru-vl-utils, image_analysis_postprocess.py).
 *
 *   <|class_start|>C<|class_end|><|sub_class_start|>S<|sub_class_end|><|caption_start|>..<|caption_end|><|content_start|>..<|content_end|>
 *
 * The class says what the picture is: a table or formula that was taken for one becomes what it is; a chart keeps its numbers as a
 * Markdown table, a flowchart becomes Mermaid, the structure of a chemical formula is not believed.
 */
#include "vlm/protocols/mineru.h"
#include "vlm/protocols/otsl.h"
#include "vlm/protocols/text.h"

/* What stands between <|NAME_start|> and <|NAME_end|>, stripped; "" if one of them is missing. */
static char *
field (const char *answer, const char *name)
{
  g_autofree char *open = g_strdup_printf ("<|%s_start|>", name), *close = g_strdup_printf ("<|%s_end|>", name);
  const char *start = strstr (answer, open), *end = start ? strstr (start + strlen (open), close) : NULL;

  if (!end)
    return g_strdup ("");
  start += strlen (open);
  const DpSpan inner = dp_protocol_strip (dp_span (start, (gsize) (end - start)));
  return g_strndup (inner.start, inner.n);
}

static char *
lower_field (const char *answer, const char *name)
{
  g_autofree char *text = field (answer, name);

  return g_utf8_strdown (text, -1);
}

/* A content that was cut off has no end. */
static char *
content_field (const char *answer)
{
  static const char open[] = "<|content_start|>";
  char *content = field (answer, "content");
  const char *start = strstr (answer, open);

  if (!*content && start && !strstr (start + 1, open) && !strstr (answer, "<|content_end|>")) {
    g_free (content);
    return g_strdup (start + strlen (open));
  }
  return content;
}

static gboolean
has_otsl (const char *content)
{
  static const char *const tokens[] = { "<nl>", "<fcel>", "<ecel>", "<lcel>", "<ucel>", "<xcel>" };

  for (guint i = 0; i < G_N_ELEMENTS (tokens); i++)
    if (strstr (content, tokens[i]))
      return TRUE;
  return FALSE;
}

/* HTML of a picture that is a table: HTML, Markdown or OTSL; "" for anything else. */
static char *
table_html (const char *content)
{
  const DpSpan s = dp_protocol_strip (dp_span (content, strlen (content)));

  if (s.n >= 14 && g_ascii_strncasecmp (s.start, "<table", 6) == 0 && g_ascii_strncasecmp (s.start + s.n - 8, "</table>", 8) == 0)
    return g_strndup (s.start, s.n);
  char *html = dp_mineru_markdown_table (content);
  if (!html && has_otsl (content))
    html = dp_otsl_to_html (content, NULL);
  return html ? html : g_strdup ("");
}

/* Owned by the caller. */
static char *
content_of_class (const char *class, const char *content)
{
  if (g_str_equal (class, "chemical"))
    return g_strdup ("");
  if (g_str_equal (class, "flowchart"))
    return dp_mineru_flowchart (content);
  if (g_str_equal (class, "chart"))
    return dp_mineru_chart (content);
  return g_strdup (content);
}

static void
become (DpMineruBlock *block, DpMineruType type, char *content)
{
  block->type = type;
  g_free (block->content);
  block->content = content;
}

void
dp_mineru_take_analysis (DpMineruBlock *block, const char *answer)
{
  g_autofree char *class = lower_field (answer, "class"), *sub_class = lower_field (answer, "sub_class"), *raw = content_field (answer),
                  *content = content_of_class (class, raw);

  g_free (block->caption);
  block->caption = field (answer, "caption");
  g_clear_pointer (&block->sub_type, g_free);
  if (g_str_equal (class, "pure_table")) {
    g_autofree char *html = table_html (content);
    become (block, DP_MINERU_TABLE, dp_otsl_mark_formulas (html));
  } else if (g_str_equal (class, "pure_formula")) {
    become (block, DP_MINERU_EQUATION, g_steal_pointer (&content));
  } else if (g_str_equal (class, "chart")) {
    block->sub_type = g_steal_pointer (&sub_class);
    become (block, DP_MINERU_CHART, g_steal_pointer (&content));
  } else {
    const gboolean describe = g_str_equal (class, "natural_image") || !*content;
    become (block, DP_MINERU_IMAGE, describe ? g_strdup (block->caption) : g_steal_pointer (&content));
    block->sub_type = g_steal_pointer (&class);
  }
}
