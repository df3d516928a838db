/* pipeline/pdf_info.c - the document around the pages: metadata, outline, structure tree. */
#include <math.h>
#include <string.h>
#include <time.h>

#include "pipeline/pdf_extract.h"
#include "pipeline/pdf_structure.h"

#define MAX_OUTLINE 20000 /* entries; a cyclic outline stops here */
#define MAX_TAGS 100000
#define MAX_DEPTH 48 /* cyclic and absurdly nested trees */

/* poppler finds the text of a structure element by interpreting its whole page again, once for
 * every piece of marked content: hundreds of passes on a dense page.  The text of the tree is
 * therefore read only as long as that is cheap; a tree without all its text is not used. */
#define TAG_TEXT_BUDGET (150 * CLOCKS_PER_SEC / 1000) /* of processor time: a busy machine does not change what is read */

static char *
text_or_empty (char *text)
{
  char *valid;

  if (!text)
    return g_strdup ("");
  valid = g_utf8_make_valid (text, -1);
  g_free (text);
  return g_strstrip (valid);
}

/* ---- outline ----------------------------------------------------------------------------------- */

static void
resolve_dest (PopplerDocument *document, const DpPdfUnits *units, const PopplerDest *dest, DpOutlineEntry *entry)
{
  PopplerDest *named = NULL;

  if (dest && dest->type == POPPLER_DEST_NAMED && dest->named_dest)
    dest = named = dp_poppler ()->document_find_dest (document, dest->named_dest);
  if (dest && dest->page_num > 0) {
    entry->page = (guint32) dest->page_num;
    PopplerPage *page = dp_poppler ()->document_get_page (document, dest->page_num - 1);
    double width, height;
    if (page) {
      dp_poppler ()->page_get_size (page, &width, &height);
      if (dest->change_top && isfinite (dest->top) && dest->top >= 0 && dest->top <= height)
        entry->y = (float) ((height - dest->top) * dp_pdf_units_of (units, entry->page, width, height));
      dp_poppler ()->object_unref (page);
    }
  }
  if (named)
    dp_poppler ()->dest_free (named);
}

static void
read_outline (PopplerDocument *document, const DpPdfUnits *units, PopplerIndexIter *iter, guint level, GArray *outline)
{
  if (!iter)
    return;
  do {
    PopplerAction *action = dp_poppler ()->index_iter_get_action (iter);
    if (action) {
      DpOutlineEntry entry = { .level = level, .y = -1 };
      entry.title = text_or_empty (g_strdup (action->any.title));
      if (action->type == POPPLER_ACTION_GOTO_DEST)
        resolve_dest (document, units, action->goto_dest.dest, &entry);
      g_array_append_val (outline, entry);
      dp_poppler ()->action_free (action);
    }
    if (level < MAX_DEPTH && outline->len < MAX_OUTLINE) {
      PopplerIndexIter *child = dp_poppler ()->index_iter_get_child (iter);
      read_outline (document, units, child, level + 1, outline);
      if (child)
        dp_poppler ()->index_iter_free (child);
    }
  } while (outline->len < MAX_OUTLINE && dp_poppler ()->index_iter_next (iter));
}

/* ---- structure tree ------------------------------------------------------------------------------ */

/* Only the types that layout/tags.c can use keep their names; the rest says "Other". */
static const struct {
  PopplerStructureElementKind kind;
  const char *name;
} tag_names[] = {
  { POPPLER_STRUCTURE_ELEMENT_DOCUMENT, "Document" },
  { POPPLER_STRUCTURE_ELEMENT_PART, "Part" },
  { POPPLER_STRUCTURE_ELEMENT_ARTICLE, "Art" },
  { POPPLER_STRUCTURE_ELEMENT_SECTION, "Sect" },
  { POPPLER_STRUCTURE_ELEMENT_DIV, "Div" },
  { POPPLER_STRUCTURE_ELEMENT_SPAN, "Span" },
  { POPPLER_STRUCTURE_ELEMENT_QUOTE, "Quote" },
  { POPPLER_STRUCTURE_ELEMENT_NOTE, "Note" },
  { POPPLER_STRUCTURE_ELEMENT_REFERENCE, "Reference" },
  { POPPLER_STRUCTURE_ELEMENT_CODE, "Code" },
  { POPPLER_STRUCTURE_ELEMENT_LINK, "Link" },
  { POPPLER_STRUCTURE_ELEMENT_BLOCKQUOTE, "BlockQuote" },
  { POPPLER_STRUCTURE_ELEMENT_CAPTION, "Caption" },
  { POPPLER_STRUCTURE_ELEMENT_NONSTRUCT, "NonStruct" },
  { POPPLER_STRUCTURE_ELEMENT_TOC, "TOC" },
  { POPPLER_STRUCTURE_ELEMENT_TOC_ITEM, "TOCI" },
  { POPPLER_STRUCTURE_ELEMENT_INDEX, "Index" },
  { POPPLER_STRUCTURE_ELEMENT_PARAGRAPH, "P" },
  { POPPLER_STRUCTURE_ELEMENT_HEADING, "H" },
  { POPPLER_STRUCTURE_ELEMENT_HEADING_1, "H1" },
  { POPPLER_STRUCTURE_ELEMENT_HEADING_2, "H2" },
  { POPPLER_STRUCTURE_ELEMENT_HEADING_3, "H3" },
  { POPPLER_STRUCTURE_ELEMENT_HEADING_4, "H4" },
  { POPPLER_STRUCTURE_ELEMENT_HEADING_5, "H5" },
  { POPPLER_STRUCTURE_ELEMENT_HEADING_6, "H6" },
  { POPPLER_STRUCTURE_ELEMENT_LIST, "L" },
  { POPPLER_STRUCTURE_ELEMENT_LIST_ITEM, "LI" },
  { POPPLER_STRUCTURE_ELEMENT_LIST_LABEL, "Lbl" },
  { POPPLER_STRUCTURE_ELEMENT_LIST_BODY, "LBody" },
  { POPPLER_STRUCTURE_ELEMENT_TABLE, "Table" },
  { POPPLER_STRUCTURE_ELEMENT_TABLE_ROW, "TR" },
  { POPPLER_STRUCTURE_ELEMENT_TABLE_HEADING, "TH" },
  { POPPLER_STRUCTURE_ELEMENT_TABLE_DATA, "TD" },
  { POPPLER_STRUCTURE_ELEMENT_TABLE_HEADER, "THead" },
  { POPPLER_STRUCTURE_ELEMENT_TABLE_FOOTER, "TFoot" },
  { POPPLER_STRUCTURE_ELEMENT_TABLE_BODY, "TBody" },
  { POPPLER_STRUCTURE_ELEMENT_FIGURE, "Figure" },
  { POPPLER_STRUCTURE_ELEMENT_FORMULA, "Formula" },
  { POPPLER_STRUCTURE_ELEMENT_FORM, "Form" },
};

static const char *
tag_name (PopplerStructureElementKind kind)
{
  for (gsize i = 0; i < G_N_ELEMENTS (tag_names); i++)
    if (tag_names[i].kind == kind)
      return tag_names[i].name;
  return "Other";
}

typedef struct {
  GArray *tags;
  clock_t deadline; /* for texts */
  gboolean out_of_time;
} TagReader;

static void
read_tag (TagReader *reader, guint depth, PopplerStructureElement *element)
{
  /* poppler-glib 22.12 answers the spans of cells only for tables, so they stay 1. */
  DpTag tag = { .depth = depth, .row_span = 1, .col_span = 1 };
  PopplerStructureElementKind kind = dp_poppler ()->structure_element_get_kind (element);
  gint page = dp_poppler ()->structure_element_get_page (element);

  g_strlcpy (tag.kind, tag_name (kind), sizeof tag.kind);
  tag.page = page >= 0 ? (guint32) page + 1 : 0;
  tag.alt = text_or_empty (dp_poppler ()->structure_element_get_alt_text (element));
  /* Each text costs poppler a walk through the whole page: only headings are worth it. */
  if (kind >= POPPLER_STRUCTURE_ELEMENT_HEADING && kind <= POPPLER_STRUCTURE_ELEMENT_HEADING_6 && !reader->out_of_time) {
    tag.text = text_or_empty (dp_poppler ()->structure_element_get_text (element, POPPLER_STRUCTURE_GET_TEXT_RECURSIVE));
    reader->out_of_time = clock () > reader->deadline;
  } else {
    tag.text = g_strdup ("");
  }
  g_array_append_val (reader->tags, tag);
}

static void
read_tags (TagReader *reader, PopplerStructureElementIter *iter, guint depth)
{
  if (!iter)
    return;
  do {
    PopplerStructureElement *element = dp_poppler ()->structure_element_iter_get_element (iter);
    if (!element)
      continue;
    if (!dp_poppler ()->structure_element_is_content (element))
      read_tag (reader, depth, element);
    dp_poppler ()->object_unref (element);
    if (depth < MAX_DEPTH && !reader->out_of_time) {
      PopplerStructureElementIter *child = dp_poppler ()->structure_element_iter_get_child (iter);
      read_tags (reader, child, depth + 1);
      if (child)
        dp_poppler ()->structure_element_iter_free (child);
    }
  } while (reader->tags->len < MAX_TAGS && !reader->out_of_time && dp_poppler ()->structure_element_iter_next (iter));
}

/* ---- all of it -------------------------------------------------------------------------------------- */

static void
replace (char **field, char *text)
{
  g_free (*field);
  *field = text_or_empty (text);
}

DpDocumentInfo *
dp_pdf_extract_info (PopplerDocument *document, const DpPdfUnits *units, GBytes *bytes)
{
  DpDocumentInfo *info = dp_document_info_new ();
  PopplerIndexIter *outline = dp_poppler ()->index_iter_new (document);
  PopplerStructureElementIter *tags = dp_poppler ()->structure_element_iter_new (document);
  TagReader reader = { info->tags, clock () + TAG_TEXT_BUDGET, FALSE };
  gint n = dp_poppler ()->document_get_n_pages (document);

  info->n_pages = n > 0 ? (guint32) n : 0;
  replace (&info->title, dp_poppler ()->document_get_title (document));
  replace (&info->author, dp_poppler ()->document_get_author (document));
  replace (&info->subject, dp_poppler ()->document_get_subject (document));
  replace (&info->producer, dp_poppler ()->document_get_producer (document));
  read_outline (document, units, outline, 1, info->outline);
  if (tags && bytes)
    dp_pdf_structure_read (g_bytes_get_data (bytes, NULL), g_bytes_get_size (bytes), info->n_pages, units, info->tags, info->marks);
  if (info->marks->len == 0)
    read_tags (&reader, tags, 0);
  if (reader.out_of_time)
    g_array_set_size (info->tags, 0);
  if (outline)
    dp_poppler ()->index_iter_free (outline);
  if (tags)
    dp_poppler ()->structure_element_iter_free (tags);
  return info;
}
