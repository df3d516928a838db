/* pipeline/pdf_structure.c - see pdf_structure.h: ISO 32000-2, 14.7 (tree) and 14.8 (standard types). */
#include "pipeline/pdf_structure.h"

#include <math.h>
#include <string.h>

#include "layout/page.h"
#include "pipeline/pdf_content.h"
#include "pipeline/pdf_pages.h"

#define WALK_BUDGET ((gssize) 128 << 20)  /* bytes of dictionaries looked at */
#define CONTENT_BUDGET ((gsize) 64 << 20) /* decoded bytes of all pages' content streams */
#define MAX_TAGS 100000
#define MAX_MARKS 1000000
#define MAX_DEPTH 48
#define MAX_ATTRIBUTES 16 /* of one element that are looked at */
#define MAX_ROLES 8       /* steps from a type of the producer's own to a standard one */

/* Piece of marked content that belongs to an element. */
typedef struct {
  guint page; /* from 0 */
  guint mcid;
  guint tag; /* index */
} Piece;

typedef struct {
  DpPdfObjects *objects;
  GArray *pages;       /* DpPdfPageNode */
  GHashTable *page_of; /* number of a page's object -> 1 + its index */
  GHashTable *roles;   /* owned name of a type -> owned name of another */
  GHashTable *kinds;   /* owned name of a type -> owned standard type */
  GArray *tags, *pieces;
  const DpPdfUnits *units;
} Reader;

/* ---- the tree ------------------------------------------------------------------------------------------------ */

/* The role map: names are compared decoded, "Heading#201" is "Heading 1". */
static void
read_roles (Reader *reader, DpPdfText map)
{
  char name[64], role[64];

  dp_pdf_text_space (&map);
  if (!dp_pdf_text_accept (&map, "<<"))
    return;
  for (;;) {
    DpPdfText value;
    dp_pdf_text_space (&map);
    if (!dp_pdf_text_name (&map, name, sizeof name))
      return;
    dp_pdf_text_space (&map);
    value = map;
    if (!dp_pdf_text_skip (&map))
      return;
    if (dp_pdf_text_name (&value, role, sizeof role))
      g_hash_table_insert (reader->roles, g_strdup (name), g_strdup (role));
  }
}

/* The standard type that the role map gives for a type, or the type itself. */
static const char *
kind_of (const Reader *reader, const char *type)
{
  for (guint i = 0; i < MAX_ROLES; i++) {
    const char *role = g_hash_table_lookup (reader->roles, type);
    if (!role)
      break;
    type = role;
  }
  return type;
}

/* The page that the dictionary names, or the one handed down; -1 = none. */
static gint
page_of (Reader *reader, DpPdfText dictionary, gint above)
{
  DpPdfText value;
  guint number, page;

  if (!dp_pdf_text_key (reader->objects, dictionary, "/Pg", &value) || !dp_pdf_text_reference (&value, &number))
    return above;
  page = GPOINTER_TO_UINT (g_hash_table_lookup (reader->page_of, GUINT_TO_POINTER (number)));
  return page ? (gint) page - 1 : above;
}

static void
add_piece (Reader *reader, gint page, guint mcid, guint tag)
{
  const Piece piece = { (guint) page, mcid, tag };

  if (page >= 0 && reader->pieces->len < MAX_MARKS)
    g_array_append_val (reader->pieces, piece);
}

static void read_list (Reader *reader, DpPdfText kids, guint depth, gint page, gint tag);

/* How many rows or columns a cell spans: its attributes are a dictionary, or a list of them with numbers of revisions between. */
static guint32
span_of (Reader *reader, DpPdfText cell, const char *key)
{
  DpPdfText value, list, span;
  guint n;

  if (!dp_pdf_text_key (reader->objects, cell, "/A", &value) || !dp_pdf_objects_resolve (reader->objects, &value))
    return 1;
  dp_pdf_text_space (&value);
  list = value;
  if (dp_pdf_text_accept (&list, "[")) {
    value = list;
    for (guint i = 0; i < MAX_ATTRIBUTES; i++) {
      DpPdfText entry = list;
      guint number;
      dp_pdf_text_space (&entry);
      if (dp_pdf_objects_resolve (reader->objects, &entry) && dp_pdf_text_key (reader->objects, entry, key, &span)) {
        value = entry;
        break;
      }
      if (!dp_pdf_text_reference (&list, &number) && !dp_pdf_text_skip (&list))
        break;
    }
  }
  if (!dp_pdf_text_key (reader->objects, value, key, &span) || !dp_pdf_objects_resolve (reader->objects, &span))
    return 1;
  dp_pdf_text_space (&span);
  if (!dp_pdf_text_integer (&span, &n))
    return 1;
  return CLAMP (n, 1, G_MAXINT16);
}

/* An element, or a reference to marked content or to an object; tag: the element above. */
static void
read_node (Reader *reader, DpPdfText node, guint depth, gint page, gint tag)
{
  DpTag element = { .depth = depth, .row_span = 1, .col_span = 1 };
  DpPdfText value;
  char type[64];
  guint mcid;

  page = page_of (reader, node, page);
  if (!dp_pdf_text_key (reader->objects, node, "/S", &value) || !dp_pdf_text_name (&value, type, sizeof type)) {
    /* content of a form or an appearance has identifiers of its own: /Stm says whose */
    if (tag >= 0 && dp_pdf_text_key (reader->objects, node, "/MCID", &value) && dp_pdf_text_integer (&value, &mcid)
        && !dp_pdf_text_key (reader->objects, node, "/Stm", &value))
      add_piece (reader, page, mcid, (guint) tag);
    return;
  }
  g_strlcpy (element.kind, kind_of (reader, type), sizeof element.kind);
  if (strcmp (element.kind, "TD") == 0 || strcmp (element.kind, "TH") == 0) {
    element.row_span = span_of (reader, node, "/RowSpan");
    element.col_span = span_of (reader, node, "/ColSpan");
  }
  element.page = (guint32) (page + 1);
  element.text = g_strdup ("");
  element.alt = g_strdup ("");
  g_array_append_val (reader->tags, element);
  if (depth < MAX_DEPTH && dp_pdf_text_key (reader->objects, node, "/K", &value))
    read_list (reader, value, depth + 1, page, (gint) reader->tags->len - 1);
}

/* One kid; t is moved past it.  FALSE at the end of the list. */
static gboolean
read_kid (Reader *reader, DpPdfText *t, guint depth, gint page, gint tag)
{
  DpPdfText node;
  guint number;

  dp_pdf_text_space (t);
  if (t->p >= t->end || *t->p == ']' || reader->tags->len >= MAX_TAGS || reader->objects->budget <= 0)
    return FALSE;
  reader->objects->budget -= 16;
  if (dp_pdf_text_reference (t, &number)) {
    if (dp_pdf_objects_find (reader->objects, number, &node))
      read_node (reader, node, depth, page, tag);
    return TRUE;
  }
  if (g_ascii_isdigit (*t->p)) {
    if (!dp_pdf_text_integer (t, &number))
      return FALSE;
    if (tag >= 0)
      add_piece (reader, page, number, (guint) tag);
    return TRUE;
  }
  node = *t;
  if (!dp_pdf_text_skip (t))
    return FALSE;
  if (*node.p == '<')
    read_node (reader, node, depth, page, tag);
  return TRUE;
}

/* A list of kids, or a single one. */
static void
read_list (Reader *reader, DpPdfText kids, guint depth, gint page, gint tag)
{
  DpPdfText list = kids;

  if (dp_pdf_objects_resolve (reader->objects, &list)) {
    dp_pdf_text_space (&list);
    if (dp_pdf_text_accept (&list, "[")) {
      while (read_kid (reader, &list, depth, page, tag))
        ;
      return;
    }
  }
  read_kid (reader, &kids, depth, page, tag);
}

static void
read_tree (Reader *reader)
{
  DpPdfText root, tree, value;

  if (!dp_pdf_objects_find (reader->objects, reader->objects->root, &root)
      || !dp_pdf_text_key (reader->objects, root, "/StructTreeRoot", &tree) || !dp_pdf_objects_resolve (reader->objects, &tree))
    return;
  if (dp_pdf_text_key (reader->objects, tree, "/RoleMap", &value) && dp_pdf_objects_resolve (reader->objects, &value))
    read_roles (reader, value);
  if (dp_pdf_text_key (reader->objects, tree, "/K", &value))
    read_list (reader, value, 0, -1, -1);
}

/* ---- the pages ------------------------------------------------------------------------------------------------- */

static gint
compare_pieces (gconstpointer a, gconstpointer b)
{
  const Piece *x = a, *y = b;

  return x->page != y->page ? (x->page < y->page ? -1 : 1) : x->mcid != y->mcid ? (x->mcid < y->mcid ? -1 : 1) : 0;
}

/* Index of the element that marked content belongs to, -1 = none. */
static gint
tag_of (const Reader *reader, guint page, gint mcid)
{
  guint low = 0, high = reader->pieces->len;
  const Piece want = { page, (guint) mcid, 0 };

  while (low < high) {
    const guint mid = low + (high - low) / 2;
    const Piece *piece = &g_array_index (reader->pieces, Piece, mid);
    const gint order = compare_pieces (piece, &want);
    if (order == 0)
      return (gint) piece->tag;
    if (order < 0)
      low = mid + 1;
    else
      high = mid;
  }
  return -1;
}

typedef struct {
  DpPdfObjects *objects;
  DpPdfText list; /* the page's property lists; p NULL: none */
} Properties;

static gint
named_mcid (const char *name, gpointer data)
{
  Properties *properties = data;
  DpPdfText value;
  char key[40];
  guint mcid;

  g_snprintf (key, sizeof key, "/%s", name);
  if (!properties->list.p || !dp_pdf_text_key (properties->objects, properties->list, key, &value)
      || !dp_pdf_objects_resolve (properties->objects, &value) || !dp_pdf_text_key (properties->objects, value, "/MCID", &value)
      || !dp_pdf_text_integer (&value, &mcid))
    return -1;
  return (gint) mcid;
}

/* Decoded content of a page: one stream or a list of them. */
static GByteArray *
read_content (Reader *reader, const DpPdfPageNode *page, gsize room)
{
  GByteArray *out = g_byte_array_new ();
  DpPdfText value, list, body;
  guint number;

  if (!dp_pdf_text_key (reader->objects, page->body, "/Contents", &value))
    return out;
  list = value;
  if (!dp_pdf_objects_resolve (reader->objects, &list))
    return out;
  dp_pdf_text_space (&list);
  if (!dp_pdf_text_accept (&list, "[")) {
    dp_pdf_objects_stream (reader->objects, list, room, out);
    return out;
  }
  while (out->len < room && reader->objects->budget > 0 && dp_pdf_text_reference (&list, &number)) {
    reader->objects->budget -= 16;
    if (dp_pdf_objects_find (reader->objects, number, &body))
      dp_pdf_objects_stream (reader->objects, body, room - out->len, out);
    g_byte_array_append (out, (const guint8 *) "\n", 1);
  }
  return out;
}

/* From default user space to the page as it is shown, origin top left, in points. */
static DpMark
place_mark (const Reader *reader, guint index, const DpContentMark *mark)
{
  const DpPdfPageNode *page = &g_array_index (reader->pages, DpPdfPageNode, index);
  const double x = mark->x - page->box[0], y = mark->y - page->box[1], w = page->box[2] - page->box[0], h = page->box[3] - page->box[1];
  const double unit = dp_pdf_units_of (reader->units, index + 1, w, h);
  DpMark out = { .page = index + 1, .tag = -1 };

  switch (page->rotate) {
  case 90: out.x = (float) (y * unit), out.y = (float) (x * unit); break;
  case 180: out.x = (float) ((w - x) * unit), out.y = (float) (y * unit); break;
  case 270: out.x = (float) ((h - y) * unit), out.y = (float) ((w - x) * unit); break;
  default: out.x = (float) (x * unit), out.y = (float) ((h - y) * unit); break;
  }
  return out;
}

static void
mark_page (Reader *reader, guint index, gsize *room, GArray *marks)
{
  const DpPdfPageNode *page = &g_array_index (reader->pages, DpPdfPageNode, index);
  g_autoptr (GByteArray) content = read_content (reader, page, *room);
  g_autoptr (GArray) found = g_array_new (FALSE, FALSE, sizeof (DpContentMark));
  Properties properties = { .objects = reader->objects };
  DpPdfText value;

  *room -= MIN (*room, content->len);
  value = page->resources;
  if (value.p && dp_pdf_objects_resolve (reader->objects, &value)
      && dp_pdf_text_key (reader->objects, value, "/Properties", &properties.list)
      && !dp_pdf_objects_resolve (reader->objects, &properties.list))
    properties.list.p = NULL;
  dp_content_scan (content->data, content->len, named_mcid, &properties, found);
  for (guint i = 0; i < found->len && marks->len < MAX_MARKS; i++) {
    const DpContentMark *at = &g_array_index (found, DpContentMark, i);
    DpMark mark = place_mark (reader, index, at);
    mark.tag = at->mcid >= 0 ? tag_of (reader, index, at->mcid) : -1;
    if ((at->mcid < 0 || mark.tag >= 0) && fabsf (mark.x) < DP_PDF_MAX_SIDE && fabsf (mark.y) < DP_PDF_MAX_SIDE)
      g_array_append_val (marks, mark);
  }
}

/* ---- public ------------------------------------------------------------------------------------------------------ */

static void
read_all (Reader *reader, GArray *marks)
{
  gsize room = CONTENT_BUDGET;

  for (guint i = 0; i < reader->pages->len; i++) {
    const guint number = g_array_index (reader->pages, DpPdfPageNode, i).number;
    g_hash_table_insert (reader->page_of, GUINT_TO_POINTER (number), GUINT_TO_POINTER (i + 1));
  }
  read_tree (reader);
  g_array_sort (reader->pieces, compare_pieces);
  for (guint i = 0; i < reader->pages->len && reader->pieces->len > 0; i++)
    mark_page (reader, i, &room, marks);
  /* a tree without its places is of no use, nor is half of one */
  if (marks->len == 0 || room == 0 || reader->objects->budget <= 0 || reader->tags->len >= MAX_TAGS) {
    g_array_set_size (reader->tags, 0);
    g_array_set_size (marks, 0);
  }
}

void
dp_pdf_structure_read (gconstpointer data, gsize size, guint n_pages, const DpPdfUnits *units, GArray *tags, GArray *marks)
{
  g_auto (DpPdfObjects) objects;
  Reader reader = { .objects = &objects, .tags = tags, .units = units };

  dp_pdf_objects_read (&objects, data, size, "/StructTreeRoot");
  objects.budget = WALK_BUDGET;
  if (!objects.has_word || !objects.root)
    return;
  reader.pages = dp_pdf_pages_read (&objects, n_pages);
  reader.page_of = g_hash_table_new (NULL, NULL);
  reader.roles = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, g_free);
  reader.pieces = g_array_new (FALSE, FALSE, sizeof (Piece));
  if (reader.pages->len == n_pages) /* else page numbers cannot be told */
    read_all (&reader, marks);
  g_array_unref (reader.pages);
  g_hash_table_unref (reader.page_of);
  g_hash_table_unref (reader.roles);
  g_array_unref (reader.pieces);
}
