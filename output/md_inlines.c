/* output/md_inlines.c - the inlines of one block, flattened for escaping.
 *
 * Emphasis needs care: CommonMark reads '*' by what stands on either side of it (section
 * 6.2), so each pair is printed only if both markers will be read as meant; otherwise its
 * text is printed without them.
 */
#include "output/md_inlines.h"

#include <string.h>

#include "output/clean.h"

/* A node on the way in or out. */
typedef struct {
  cmark_node *node;
  gboolean leave;
  gboolean skip; /* emphasis that is not printed */
  gsize partner; /* of an entry: its exit */
} Step;

typedef struct {
  DpMdInlines *in;
  GArray *steps; /* Step */
  gboolean one_line, plain;
  gboolean closed; /* the last thing printed is a closing marker */
  gsize markers;   /* bytes of opening markers that end the output */
  guint open;      /* printed emphasis that is open */
  guint links;     /* open links */
} Flat;

static gboolean
is_emphasis (cmark_node *node)
{
  cmark_node_type type = cmark_node_get_type (node);
  return type == CMARK_NODE_EMPH || type == CMARK_NODE_STRONG;
}

/* ---- what stands around a marker ------------------------------------------------------------ */

/* What a leaf prints first or last, as far as flanking is concerned. */
static gunichar
edge_of_leaf (cmark_node *node, gboolean last)
{
  const char *text;

  switch (cmark_node_get_type (node)) {
  case CMARK_NODE_TEXT:
    text = cmark_node_get_literal (node);
    if (!text || !*text)
      return 0;
    return last ? g_utf8_get_char (g_utf8_prev_char (text + strlen (text))) : g_utf8_get_char (text);
  case CMARK_NODE_LINEBREAK:
  case CMARK_NODE_SOFTBREAK: return ' ';
  default: return '`'; /* all other markup begins and ends with punctuation */
  }
}

/* The character that follows step i, past emphasis that may or may not be printed. */
static gunichar
char_from (const Flat *flat, gsize i)
{
  for (; i < flat->steps->len; i++) {
    const Step *step = &g_array_index (flat->steps, Step, i);
    gunichar c;

    if (is_emphasis (step->node))
      continue;
    c = edge_of_leaf (step->node, FALSE);
    if (c)
      return c;
  }
  return ' ';
}

static gunichar
char_until (const Flat *flat, gsize i)
{
  while (i-- > 0) {
    const Step *step = &g_array_index (flat->steps, Step, i);
    gunichar c;

    if (is_emphasis (step->node))
      continue;
    c = edge_of_leaf (step->node, TRUE);
    if (c)
      return c;
  }
  return ' ';
}

static gboolean
emphasis_holds (const Flat *flat, gsize enter, gsize leave)
{
  gunichar before, first, last, after;
  const char *s = flat->in->bytes->str;
  gsize at = flat->in->bytes->len - flat->markers;

  if (flat->closed)
    return FALSE; /* "*a***b**" is not what it looks like */
  before = at == 0 ? ' ' : g_utf8_get_char (g_utf8_prev_char (s + at));
  first = char_from (flat, enter + 1);
  last = char_until (flat, leave);
  after = char_from (flat, leave + 1);
  if (dp_char_is_space (first) || dp_char_is_space (last))
    return FALSE;
  /* behind a letter the marker could also close what is open */
  if (flat->open && !flat->markers && !dp_char_is_space (before) && !(before < 0x80 && g_ascii_ispunct ((char) before)))
    return FALSE;
  return (!dp_char_is_punct (first) || dp_char_is_space (before)) && (!dp_char_is_punct (last) || dp_char_is_space (after));
}

/* ---- leaves ------------------------------------------------------------------------------------ */

static void
add (Flat *flat, const char *s, gsize n, DpMdByte kind)
{
  if (n == 0)
    return;
  dp_md_inlines_add (flat->in, s, n, kind);
  flat->closed = FALSE;
  flat->markers = 0;
}

static void
add_markup (Flat *flat, const char *s)
{
  if (s)
    add (flat, s, strlen (s), DP_MD_MARKUP);
}

/* Text with white space folded, none at the beginning of a line. */
static void
add_text (Flat *flat, const char *text)
{
  g_autofree char *clean = dp_clean_line (text);
  const GString *bytes = flat->in->bytes;
  const char *p = clean;
  char last = bytes->len ? bytes->str[bytes->len - 1] : '\n';

  if (*p == ' ' && (last == ' ' || last == '\n'))
    p++;
  add (flat, p, strlen (p), flat->links ? DP_MD_LINK_TEXT : DP_MD_TEXT);
}

static void
add_break (Flat *flat)
{
  GString *bytes = flat->in->bytes;

  if (flat->one_line) {
    add_text (flat, " ");
    return;
  }
  while (bytes->len && bytes->str[bytes->len - 1] == ' ' && flat->in->kinds->data[bytes->len - 1] != DP_MD_MARKUP) {
    g_string_truncate (bytes, bytes->len - 1);
    g_byte_array_set_size (flat->in->kinds, (guint) bytes->len);
  }
  if (bytes->len && bytes->str[bytes->len - 1] != '\n')
    add_markup (flat, flat->plain ? "\n" : "  \n");
}

static void
add_code (Flat *flat, const char *text)
{
  g_autofree char *clean = dp_clean_line (text);
  g_autofree char *fence = NULL;
  gsize n = strlen (clean);
  gboolean pad;

  /* In a link that begins a paragraph "]:" would make the whole a link definition. */
  if (strspn (clean, " ") == n || (flat->links && strstr (clean, "]:"))) {
    add_text (flat, clean);
    return;
  }
  fence = g_strnfill (dp_longest_run (clean, '`') + 1, '`');
  pad = clean[0] == '`' || clean[n - 1] == '`' || (clean[0] == ' ' && clean[n - 1] == ' ');
  /* Two spans without anything between would be one. */
  if (flat->in->bytes->len && flat->in->bytes->str[flat->in->bytes->len - 1] == '`')
    add_text (flat, " ");
  add_markup (flat, fence);
  if (pad)
    add_markup (flat, " ");
  add_markup (flat, clean);
  if (pad)
    add_markup (flat, " ");
  add_markup (flat, fence);
  flat->in->verbatim = TRUE;
}

/* A destination that needs no quoting: what CommonMark or a careless reader would trip over is percent-encoded. */
static void
add_destination (Flat *flat, const char *url)
{
  g_autoptr (GString) out = g_string_new (NULL);

  for (const char *p = url; *p; p++) {
    if ((guchar) *p <= ' ' || *p == 0x7f || strchr ("<>()\\\"`|[]", *p))
      g_string_append_printf (out, "%%%02X", (guchar) *p);
    else if (*p == '&')
      g_string_append (out, strchr (p, ';') ? "&amp;" : "&");
    else
      g_string_append_c (out, *p);
  }
  add_markup (flat, out->str);
}

static gboolean
is_autolink (cmark_node *link)
{
  cmark_node *child = cmark_node_first_child (link);
  const char *url = cmark_node_get_url (link);
  const char *text;

  if (!child || cmark_node_next (child) || cmark_node_get_type (child) != CMARK_NODE_TEXT)
    return FALSE;
  text = cmark_node_get_literal (child);
  if (g_strcmp0 (text, url) != 0 || !g_str_is_ascii (url) || !strstr (url, "://"))
    return FALSE;
  return strcspn (url, " <>\\\"`|*_$~&[]\t\n") == strlen (url);
}

/* ---- walking ------------------------------------------------------------------------------------- */

static void
take_link (Flat *flat, const Step *step)
{
  const char *url = cmark_node_get_url (step->node);

  if (is_autolink (step->node)) {
    add_markup (flat, step->leave ? ">" : "<");
    flat->links += step->leave ? -1 : 1;
  } else if (!step->leave) {
    add_markup (flat, cmark_node_get_type (step->node) == CMARK_NODE_IMAGE ? "![" : "[");
    flat->links++;
  } else {
    flat->links--;
    add_markup (flat, "](");
    add_destination (flat, url ? url : "");
    add_markup (flat, ")");
  }
}

static void
take_emphasis (Flat *flat, gsize i)
{
  Step *step = &g_array_index (flat->steps, Step, i);
  const char *marker = cmark_node_get_type (step->node) == CMARK_NODE_STRONG ? "**" : "*";
  gsize markers = flat->markers;

  if (!step->leave) {
    gboolean skip = !emphasis_holds (flat, i, step->partner);
    g_array_index (flat->steps, Step, step->partner).skip = skip;
    step->skip = skip;
  }
  if (step->skip)
    return;
  add_markup (flat, marker);
  flat->in->emphasis = TRUE;
  flat->open += step->leave ? -1 : 1;
  flat->closed = step->leave;
  flat->markers = step->leave ? 0 : markers + strlen (marker);
}

/* Plain text knows fewer things; FALSE = it is the same as in Markdown. */
static gboolean
take_plain (Flat *flat, cmark_node *node)
{
  switch (cmark_node_get_type (node)) {
  case CMARK_NODE_CODE: add_text (flat, cmark_node_get_literal (node)); return TRUE;
  case CMARK_NODE_HTML_INLINE:
  case CMARK_NODE_LINK:
  case CMARK_NODE_IMAGE:
  case CMARK_NODE_EMPH:
  case CMARK_NODE_STRONG: return TRUE;
  default: return FALSE;
  }
}

static void
take_step (Flat *flat, gsize i)
{
  const Step *step = &g_array_index (flat->steps, Step, i);

  if (flat->plain && take_plain (flat, step->node))
    return;
  switch (cmark_node_get_type (step->node)) {
  case CMARK_NODE_TEXT: add_text (flat, cmark_node_get_literal (step->node)); break;
  case CMARK_NODE_SOFTBREAK: add_text (flat, " "); break;
  case CMARK_NODE_LINEBREAK: add_break (flat); break;
  case CMARK_NODE_CODE: add_code (flat, cmark_node_get_literal (step->node)); break;
  case CMARK_NODE_HTML_INLINE: add_markup (flat, cmark_node_get_literal (step->node)); break;
  case CMARK_NODE_CUSTOM_INLINE:
    if (!step->leave) {
      const char *raw = cmark_node_get_on_enter (step->node);
      flat->in->formula |= raw && raw[0] == '$';
      add_markup (flat, raw);
    } else {
      add_markup (flat, cmark_node_get_on_exit (step->node));
    }
    break;
  case CMARK_NODE_LINK:
  case CMARK_NODE_IMAGE: take_link (flat, step); break;
  case CMARK_NODE_EMPH:
  case CMARK_NODE_STRONG: take_emphasis (flat, i); break;
  default: break;
  }
}

static gboolean
has_exit (cmark_node *node)
{
  switch (cmark_node_get_type (node)) {
  case CMARK_NODE_EMPH:
  case CMARK_NODE_STRONG:
  case CMARK_NODE_LINK:
  case CMARK_NODE_IMAGE:
  case CMARK_NODE_CUSTOM_INLINE: return TRUE;
  default: return FALSE;
  }
}

/* The events below block as an array, each entry knowing its exit. */
static GArray *
collect_steps (cmark_node *block)
{
  GArray *steps = g_array_new (FALSE, TRUE, sizeof (Step));
  g_autoptr (GArray) open = g_array_new (FALSE, FALSE, sizeof (gsize));
  cmark_iter *iter = cmark_iter_new (block);
  cmark_event_type event;

  while ((event = cmark_iter_next (iter)) != CMARK_EVENT_DONE) {
    Step step = { .node = cmark_iter_get_node (iter), .leave = event == CMARK_EVENT_EXIT };
    gsize at = steps->len;

    if (step.node == block)
      continue;
    if (step.leave) {
      g_array_index (steps, Step, g_array_index (open, gsize, open->len - 1)).partner = at;
      g_array_set_size (open, open->len - 1);
    } else if (has_exit (step.node)) {
      g_array_append_val (open, at);
    }
    g_array_append_val (steps, step);
  }
  cmark_iter_free (iter);
  return steps;
}

void
dp_md_flatten (cmark_node *block, gboolean one_line, gboolean plain, DpMdInlines *inlines)
{
  Flat flat = { .in = inlines, .steps = collect_steps (block), .one_line = one_line, .plain = plain };
  GString *bytes = inlines->bytes;

  for (gsize i = 0; i < flat.steps->len; i++)
    take_step (&flat, i);
  while (bytes->len && (bytes->str[bytes->len - 1] == ' ' || bytes->str[bytes->len - 1] == '\n')) {
    g_string_truncate (bytes, bytes->len - 1);
    g_byte_array_set_size (inlines->kinds, (guint) bytes->len);
  }
  g_array_unref (flat.steps);
}
