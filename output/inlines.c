/* output/inlines.c - spans as inline nodes of a libcmark tree.
 *
 * Spans are first cut into atoms (a word run, a space, a line break), because markers may
 * not touch spaces; then atoms with a common link, weight and slant are grouped, a space
 * or break going with the group when it stands between two of its members.
 */
#include "output/inlines.h"

#include <string.h>

#include "output/clean.h"

typedef enum { ATOM_TEXT, ATOM_SPACE, ATOM_BREAK } AtomKind;

typedef struct {
  AtomKind kind;
  char *text;      /* owned */
  const char *uri; /* borrowed, checked */
  guint style;
  gboolean tail; /* punctuation at the end of a link's text */
} Atom;

#define LEAF_STYLES                                                                                                                        \
  (DP_SPAN_MONO | DP_SPAN_SUPER | DP_SPAN_SUB | DP_SPAN_STRIKE | DP_SPAN_UNDERLINE | DP_SPAN_FORMULA | DP_SPAN_NOTE_REF | DP_SPAN_PICTURE)

/* Never run together with a neighbour of the same style. */
#define ALONE (DP_SPAN_NOTE_REF | DP_SPAN_FORMULA | DP_SPAN_PICTURE)

const char *
dp_link_target (const char *uri)
{
  static const char *const schemes[] = { "http://", "https://", "ftp://", "mailto:" };

  for (gsize i = 0; uri && i < G_N_ELEMENTS (schemes); i++)
    if (g_ascii_strncasecmp (uri, schemes[i], strlen (schemes[i])) == 0 && uri[strlen (schemes[i])] && strlen (uri) < 8192
        && g_utf8_validate (uri, -1, NULL))
      return uri;
  return NULL;
}

char *
dp_latex_line (const char *latex)
{
  g_autofree char *clean = dp_clean_line (latex);
  GString *out = g_string_new (NULL);

  for (const char *p = g_strstrip (clean); *p; p++) {
    if (*p == '\\' && p[1]) {
      g_string_append_c (out, *p++);
    } else if (*p == '$') {
      g_string_append_c (out, '\\');
    }
    g_string_append_c (out, *p);
  }
  /* a lone backslash would take the closing $ */
  if (out->len && out->str[out->len - 1] == '\\' && (out->len < 2 || out->str[out->len - 2] != '\\'))
    g_string_truncate (out, out->len - 1);
  return g_string_free (out, FALSE);
}

/* ---- spans to atoms -------------------------------------------------------------------------- */

static void
atom_clear (gpointer data)
{
  g_free (((Atom *) data)->text);
}

static void
add_gap (GArray *atoms, AtomKind kind)
{
  Atom *last = atoms->len ? &g_array_index (atoms, Atom, atoms->len - 1) : NULL;
  Atom gap = { .kind = kind };

  if (!last)
    return; /* nothing begins with white space */
  if (last->kind == ATOM_TEXT)
    g_array_append_val (atoms, gap);
  else if (kind == ATOM_BREAK)
    last->kind = ATOM_BREAK;
}

/* Takes n bytes of text; in a link, punctuation at its end becomes an atom of its own. */
static void
add_text_atom (GArray *atoms, Atom atom, const char *text, gsize n)
{
  gsize end = n;

  while (atom.uri && end > 0 && strchr (".,;:", text[end - 1]))
    end--;
  if (end == 0 || (end < n && g_str_has_suffix (atom.uri, text + end)))
    end = n;
  g_array_append_val (atoms, atom);
  g_array_index (atoms, Atom, atoms->len - 1).text = g_strndup (text, end);
  if (end < n) {
    atom.tail = TRUE;
    g_array_append_val (atoms, atom);
    g_array_index (atoms, Atom, atoms->len - 1).text = g_strndup (text + end, n - end);
  }
}

/* Target of the picture that a span stands for, or NULL: its text stands for it. */
static const char *
picture_of (const DpInlineContext *context, const DpSpan *span)
{
  guint64 n;

  if (!(span->style & DP_SPAN_PICTURE) || !context->pictures || !span->uri || span->uri[0] != '#'
      || !g_ascii_string_to_unsigned (span->uri + 1, 10, 0, G_MAXINT, &n, NULL) || n >= context->pictures->len)
    return NULL;
  return g_ptr_array_index (context->pictures, (guint) n);
}

static GArray *
atoms_of (const GPtrArray *spans, const DpInlineContext *context)
{
  GArray *atoms = g_array_new (FALSE, TRUE, sizeof (Atom));

  g_array_set_clear_func (atoms, atom_clear);
  for (guint i = 0; spans && i < spans->len; i++) {
    const DpSpan *span = g_ptr_array_index (spans, i);
    const char *picture = picture_of (context, span);
    g_autofree char *clean = dp_clean_line (picture ? picture : span->text);
    gsize n = strlen (clean);
    const guint dropped = context->drop_styles | DP_SPAN_BREAK | (picture ? 0 : DP_SPAN_PICTURE);
    Atom atom = { .kind = ATOM_TEXT, .style = span->style & ~dropped, .uri = dp_link_target (span->uri) };

    if (span->style & DP_SPAN_BREAK)
      add_gap (atoms, context->drop_styles & DP_SPAN_BREAK ? ATOM_SPACE : ATOM_BREAK);
    if (clean[0] == ' ')
      add_gap (atoms, ATOM_SPACE);
    if (n > (clean[0] == ' ')) {
      gsize end = clean[n - 1] == ' ' ? n - 1 : n, start = clean[0] == ' ';
      clean[end] = '\0';
      add_text_atom (atoms, atom, clean + start, end - start);
      if (end < n)
        add_gap (atoms, ATOM_SPACE);
    }
  }
  while (atoms->len && g_array_index (atoms, Atom, atoms->len - 1).kind != ATOM_TEXT)
    g_array_set_size (atoms, atoms->len - 1);
  return atoms;
}

/* The area of a link is often a word wide: the punctuation behind it belongs to the
 * sentence.  add_text_atom() has set it apart. */
static void
trim_links (GArray *atoms)
{
  const char *next_uri = NULL;

  for (guint i = atoms->len; i-- > 0;) {
    Atom *atom = &g_array_index (atoms, Atom, i);
    if (atom->kind != ATOM_TEXT)
      continue;
    if (atom->tail && g_strcmp0 (next_uri, atom->uri) != 0)
      atom->uri = NULL;
    next_uri = atom->uri;
  }
}

/* ---- atoms to nodes ---------------------------------------------------------------------------- */

static cmark_node *
append_node (cmark_node *parent, cmark_node_type type)
{
  cmark_node *node = cmark_node_new (type);

  if (!cmark_node_append_child (parent, node)) {
    cmark_node_free (node);
    return NULL;
  }
  return node;
}

void
dp_inlines_text (cmark_node *parent, const char *text)
{
  cmark_node *node = *text ? append_node (parent, CMARK_NODE_TEXT) : NULL;
  if (node)
    cmark_node_set_literal (node, text);
}

void
dp_inlines_raw (cmark_node *parent, const char *raw)
{
  cmark_node *node = *raw ? append_node (parent, CMARK_NODE_CUSTOM_INLINE) : NULL;
  if (node)
    cmark_node_set_on_enter (node, raw);
}

static void
append_html (cmark_node *parent, const char *tag)
{
  cmark_node_set_literal (append_node (parent, CMARK_NODE_HTML_INLINE), tag);
}

static void
append_formula (cmark_node *parent, const char *latex, const DpInlineContext *context)
{
  g_autofree char *line = dp_latex_line (latex);
  g_autoptr (GString) raw = g_string_new (NULL);

  if (!*line)
    return;
  if (context->into != DP_INTO_HTML) {
    g_string_append_printf (raw, "$%s$", line);
  } else if (context->dollars) {
    g_string_append_c (raw, '$');
    dp_append_html (raw, line);
    g_string_append_c (raw, '$');
  } else {
    g_string_append (raw, "<span class=\"math\">\\(");
    dp_append_html (raw, line);
    g_string_append (raw, "\\)</span>");
  }
  dp_inlines_raw (parent, raw->str);
}

static void
append_mark (cmark_node *parent, const char *mark, const DpInlineContext *context)
{
  const char *label = context->notes ? dp_notes_resolve (context->notes, context->block, mark) : NULL;
  g_autofree char *raw = NULL;

  if (context->drop_notes)
    return;
  if (!label) {
    append_html (parent, "<sup>");
    dp_inlines_text (parent, mark);
    append_html (parent, "</sup>");
    return;
  }
  if (context->into == DP_INTO_MARKDOWN) {
    raw = g_strdup_printf ("[^%s]", label);
  } else if (context->into == DP_INTO_TEXT) {
    raw = g_strdup_printf ("[%s]", label);
  } else {
    g_autoptr (GString) shown = g_string_new (NULL);
    dp_append_html (shown, mark);
    raw = g_strdup_printf ("<sup><a href=\"#note-%s\">%s</a></sup>", label, shown->str);
  }
  dp_inlines_raw (parent, raw);
}

/* An address that leads to itself is an address in whatever face it is set. */
static gboolean
is_own_address (cmark_node *parent, const char *text)
{
  return cmark_node_get_type (parent) == CMARK_NODE_LINK && g_strcmp0 (cmark_node_get_url (parent), text) == 0;
}

static void
append_leaf (cmark_node *parent, const char *text, guint style, const DpInlineContext *context)
{
  static const struct {
    guint style;
    const char *open, *close;
  } tags[] = { { DP_SPAN_STRIKE, "<del>", "</del>" }, { DP_SPAN_SUPER, "<sup>", "</sup>" }, { DP_SPAN_SUB, "<sub>", "</sub>" } };

  if (style & DP_SPAN_FORMULA) {
    append_formula (parent, text, context);
    return;
  }
  if (style & DP_SPAN_PICTURE) {
    g_autoptr (GString) tag = g_string_new ("<img src=\"");
    dp_append_html (tag, text);
    g_string_append (tag, "\"/>");
    append_html (parent, tag->str);
    return;
  }
  if (style & DP_SPAN_NOTE_REF) {
    append_mark (parent, text, context);
    return;
  }
  for (gsize i = 0; i < G_N_ELEMENTS (tags); i++)
    if (style & tags[i].style)
      append_html (parent, tags[i].open);
  if (style & DP_SPAN_MONO && !is_own_address (parent, text))
    cmark_node_set_literal (append_node (parent, CMARK_NODE_CODE), text);
  else
    dp_inlines_text (parent, text);
  for (gsize i = G_N_ELEMENTS (tags); i-- > 0;)
    if (style & tags[i].style)
      append_html (parent, tags[i].close);
}

/* Atoms from..to, which share link, weight and slant. */
static void
append_leaves (cmark_node *parent, const GArray *atoms, guint from, guint to, const DpInlineContext *context)
{
  g_autoptr (GString) text = g_string_new (NULL);
  guint style = 0;

  for (guint i = from; i < to; i++) {
    const Atom *atom = &g_array_index (atoms, Atom, i);
    guint own = atom->style & LEAF_STYLES;

    if (atom->kind == ATOM_SPACE) {
      const Atom *next = &g_array_index (atoms, Atom, i + 1); /* a gap is never last */
      own = (next->style & LEAF_STYLES) == style && !(style & ALONE) ? style : 0;
    }
    if (text->len && (own != style || atom->kind == ATOM_BREAK || (own & ALONE))) {
      append_leaf (parent, text->str, style, context);
      g_string_truncate (text, 0);
    }
    style = own;
    if (atom->kind == ATOM_BREAK)
      append_node (parent, CMARK_NODE_LINEBREAK);
    else
      g_string_append (text, atom->kind == ATOM_SPACE ? " " : atom->text);
  }
  if (text->len)
    append_leaf (parent, text->str, style, context);
}

static gboolean
same_group (const Atom *a, const Atom *b, guint depth)
{
  switch (depth) {
  case 0: return g_strcmp0 (a->uri, b->uri) == 0;
  case 1: return !((a->style ^ b->style) & DP_SPAN_BOLD);
  default: return !((a->style ^ b->style) & DP_SPAN_ITALIC);
  }
}

static cmark_node *
group_node (cmark_node *parent, const Atom *atom, guint depth)
{
  cmark_node *node = NULL;

  if (depth == 0 && atom->uri) {
    node = append_node (parent, CMARK_NODE_LINK);
    if (node)
      cmark_node_set_url (node, atom->uri);
  } else if (depth == 1 && (atom->style & DP_SPAN_BOLD)) {
    node = append_node (parent, CMARK_NODE_STRONG);
  } else if (depth == 2 && (atom->style & DP_SPAN_ITALIC)) {
    node = append_node (parent, CMARK_NODE_EMPH);
  }
  return node ? node : parent;
}

/* depth 0 groups by link, 1 by weight, 2 by slant; 3 prints. */
static void
append_groups (cmark_node *parent, const GArray *atoms, guint from, guint to, guint depth, const DpInlineContext *context)
{
  if (depth == 3) {
    append_leaves (parent, atoms, from, to, context);
    return;
  }
  while (from < to) {
    const Atom *first = &g_array_index (atoms, Atom, from);
    guint end = from + 1;

    if (first->kind != ATOM_TEXT) { /* a gap between two groups belongs to neither */
      append_leaves (parent, atoms, from, from + 1, context);
      from++;
      continue;
    }
    for (guint i = end; i < to; i++) {
      const Atom *atom = &g_array_index (atoms, Atom, i);
      if (atom->kind != ATOM_TEXT)
        continue;
      if (!same_group (first, atom, depth))
        break;
      end = i + 1;
    }
    append_groups (group_node (parent, first, depth), atoms, from, end, depth + 1, context);
    from = end;
  }
}

/* Pieces of code that touch are one piece, of the weight and slant that they share: `/usr/`, *`name`* and `/doc` are one path. */
static void
join_code (GArray *atoms)
{
  const guint face = DP_SPAN_BOLD | DP_SPAN_ITALIC;

  for (guint i = 0, end; i < atoms->len; i = end) {
    const Atom *first = &g_array_index (atoms, Atom, i);
    guint shared = first->style;
    end = i + 1;
    if (first->kind != ATOM_TEXT || !(first->style & DP_SPAN_MONO))
      continue;
    for (; end < atoms->len; end++) {
      const Atom *atom = &g_array_index (atoms, Atom, end);
      if (atom->kind != ATOM_TEXT || (atom->style | face) != (first->style | face) || g_strcmp0 (atom->uri, first->uri) != 0)
        break;
      shared &= atom->style;
    }
    for (guint k = i; k < end; k++)
      g_array_index (atoms, Atom, k).style = shared;
  }
}

void
dp_inlines_append (cmark_node *parent, const GPtrArray *spans, const DpInlineContext *context)
{
  g_autoptr (GArray) atoms = atoms_of (spans, context);

  trim_links (atoms);
  join_code (atoms);
  append_groups (parent, atoms, 0, atoms->len, 0, context);
}

char *
dp_spans_plain (const GPtrArray *spans, gboolean keep_breaks)
{
  DpInlineContext context = { .drop_styles = keep_breaks ? 0 : DP_SPAN_BREAK };
  g_autoptr (GArray) atoms = atoms_of (spans, &context);
  GString *out = g_string_new (NULL);

  for (guint i = 0; i < atoms->len; i++) {
    const Atom *atom = &g_array_index (atoms, Atom, i);
    if (atom->kind != ATOM_TEXT)
      g_string_append_c (out, atom->kind == ATOM_BREAK ? '\n' : ' ');
    else if (atom->style & DP_SPAN_FORMULA)
      g_string_append_printf (out, "$%s$", atom->text);
    else
      g_string_append (out, atom->text);
  }
  return g_string_free (out, FALSE);
}
