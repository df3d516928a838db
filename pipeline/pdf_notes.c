/* pipeline/pdf_notes.c - links, form fields and comments of a page; see pdf_notes.h. */
#include "pipeline/pdf_notes.h"

/* poppler's link and annotation boxes have their origin at the bottom. */
static DpRect
flipped_rect (PopplerRectangle r, const DpPdfSpace *space)
{
  return dp_pdf_rect ((PopplerRectangle){ .x1 = r.x1, .y1 = space->height - r.y2, .x2 = r.x2, .y2 = space->height - r.y1 }, space);
}

void
dp_pdf_read_links (PopplerPage *page, const DpPdfLimits *limits, const DpPdfSpace *space, DpPageArrays *out)
{
  GList *links = dp_poppler ()->page_get_link_mapping (page);

  for (GList *l = links; l; l = l->next) {
    const PopplerLinkMapping *m = l->data;
    DpLink link = { .box = flipped_rect (m->area, space) };
    if (!m->action)
      continue;
    if (out->links->len >= limits->max_objects) {
      out->n_truncated++;
      continue;
    }
    if (m->action->type == POPPLER_ACTION_URI)
      link.uri = dp_page_arrays_add_string (out, m->action->uri.uri);
    else if (m->action->type == POPPLER_ACTION_GOTO_DEST && m->action->goto_dest.dest && m->action->goto_dest.dest->page_num > 0)
      link.page = (guint32) m->action->goto_dest.dest->page_num;
    g_array_append_val (out->links, link);
  }
  dp_poppler ()->page_free_link_mapping (links);
}

static gboolean
field_note (PopplerFormField *field, DpPageArrays *out, DpNote *note)
{
  g_autofree char *name = dp_poppler ()->form_field_get_name (field);
  g_autofree char *text = NULL;

  switch (dp_poppler ()->form_field_get_field_type (field)) {
  case POPPLER_FORM_FIELD_TEXT:
    note->kind = DP_NOTE_FIELD_TEXT;
    text = dp_poppler ()->form_field_text_get_text (field);
    break;
  case POPPLER_FORM_FIELD_CHOICE:
    note->kind = DP_NOTE_FIELD_CHOICE;
    text = dp_poppler ()->form_field_choice_get_text (field);
    for (gint i = 0, n = dp_poppler ()->form_field_choice_get_n_items (field); !text && i < n; i++)
      if (dp_poppler ()->form_field_choice_is_item_selected (field, i))
        text = dp_poppler ()->form_field_choice_get_item (field, i);
    break;
  case POPPLER_FORM_FIELD_BUTTON:
    note->kind = DP_NOTE_FIELD_BUTTON;
    if (dp_poppler ()->form_field_button_get_button_type (field) == POPPLER_FORM_BUTTON_PUSH)
      return FALSE;
    note->state = dp_poppler ()->form_field_button_get_state (field) ? 1 : 0;
    break;
  default: return FALSE;
  }
  note->name = dp_page_arrays_add_string (out, name);
  note->text = dp_page_arrays_add_string (out, text);
  return TRUE;
}

void
dp_pdf_read_fields (PopplerPage *page, const DpPdfLimits *limits, const DpPdfSpace *space, DpPageArrays *out)
{
  GList *fields = dp_poppler ()->page_get_form_field_mapping (page);

  for (GList *l = fields; l; l = l->next) {
    const PopplerFormFieldMapping *m = l->data;
    DpNote note = { .box = flipped_rect (m->area, space) };
    if (out->notes->len >= limits->max_objects)
      out->n_truncated++;
    else if (m->field && field_note (m->field, out, &note))
      g_array_append_val (out->notes, note);
  }
  dp_poppler ()->page_free_form_field_mapping (fields);
}

/* Annotations whose words are nowhere on the page itself: comments, not links or fields. */
static gboolean
is_comment (PopplerAnnotType type)
{
  switch (type) {
  case POPPLER_ANNOT_TEXT:
  case POPPLER_ANNOT_HIGHLIGHT:
  case POPPLER_ANNOT_UNDERLINE:
  case POPPLER_ANNOT_SQUIGGLY:
  case POPPLER_ANNOT_STRIKE_OUT:
  case POPPLER_ANNOT_CARET:
  case POPPLER_ANNOT_STAMP:
  case POPPLER_ANNOT_FREE_TEXT: return TRUE;
  default: return FALSE;
  }
}

void
dp_pdf_read_annotations (PopplerPage *page, const DpPdfLimits *limits, const DpPdfSpace *space, DpPageArrays *out)
{
  GList *annotations = dp_poppler ()->page_get_annot_mapping (page);

  for (GList *l = annotations; l; l = l->next) {
    const PopplerAnnotMapping *m = l->data;
    g_autofree char *text = NULL;
    g_autofree char *name = NULL;
    if (!is_comment (dp_poppler ()->annot_get_annot_type (m->annot)))
      continue;
    text = dp_poppler ()->annot_get_contents (m->annot);
    if (!text || !*g_strchug (text))
      continue;
    if (out->notes->len >= limits->max_objects) {
      out->n_truncated++;
      continue;
    }
    if (dp_poppler_is_markup (m->annot))
      name = dp_poppler ()->annot_markup_get_label ((PopplerAnnotMarkup *) m->annot);
    DpNote note = { .box = flipped_rect (m->area, space), .kind = DP_NOTE_ANNOTATION };
    note.name = dp_page_arrays_add_string (out, name);
    note.text = dp_page_arrays_add_string (out, text);
    g_array_append_val (out->notes, note);
  }
  dp_poppler ()->page_free_annot_mapping (annotations);
}
