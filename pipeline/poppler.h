/* pipeline/poppler.h - the functions of poppler-glib that docparse uses; see library.h.
 *
 *   dp_poppler ()->page_get_size (page, &width, &height);      is poppler_page_get_size ()
 */
#pragma once

#include <poppler.h>

#include "layout/library.h"

G_BEGIN_DECLS

#define DP_POPPLER_FUNCTIONS(F)                                                                                                            \
  F (action_free)                                                                                                                          \
  F (annot_get_annot_type)                                                                                                                 \
  F (annot_get_contents)                                                                                                                   \
  F (annot_markup_get_label)                                                                                                               \
  F (annot_markup_get_type)                                                                                                                \
  F (dest_free)                                                                                                                            \
  F (document_find_dest)                                                                                                                   \
  F (document_get_author)                                                                                                                  \
  F (document_get_n_pages)                                                                                                                 \
  F (document_get_page)                                                                                                                    \
  F (document_get_producer)                                                                                                                \
  F (document_get_subject)                                                                                                                 \
  F (document_get_title)                                                                                                                   \
  F (document_new_from_bytes)                                                                                                              \
  F (document_new_from_fd)                                                                                                                 \
  F (error_quark)                                                                                                                          \
  F (form_field_button_get_button_type)                                                                                                    \
  F (form_field_button_get_state)                                                                                                          \
  F (form_field_choice_get_item)                                                                                                           \
  F (form_field_choice_get_n_items)                                                                                                        \
  F (form_field_choice_get_text)                                                                                                           \
  F (form_field_choice_is_item_selected)                                                                                                   \
  F (form_field_get_field_type)                                                                                                            \
  F (form_field_get_name)                                                                                                                  \
  F (form_field_text_get_text)                                                                                                             \
  F (get_version)                                                                                                                          \
  F (index_iter_free)                                                                                                                      \
  F (index_iter_get_action)                                                                                                                \
  F (index_iter_get_child)                                                                                                                 \
  F (index_iter_new)                                                                                                                       \
  F (index_iter_next)                                                                                                                      \
  F (page_free_annot_mapping)                                                                                                              \
  F (page_free_form_field_mapping)                                                                                                         \
  F (page_free_link_mapping)                                                                                                               \
  F (page_free_text_attributes)                                                                                                            \
  F (page_get_annot_mapping)                                                                                                               \
  F (page_get_form_field_mapping)                                                                                                          \
  F (page_get_link_mapping)                                                                                                                \
  F (page_get_size)                                                                                                                        \
  F (page_get_text_attributes_for_area)                                                                                                    \
  F (page_get_text_for_area)                                                                                                               \
  F (page_get_text_layout_for_area)                                                                                                        \
  F (page_render)                                                                                                                          \
  F (structure_element_get_alt_text)                                                                                                       \
  F (structure_element_get_kind)                                                                                                           \
  F (structure_element_get_page)                                                                                                           \
  F (structure_element_get_text)                                                                                                           \
  F (structure_element_is_content)                                                                                                         \
  F (structure_element_iter_free)                                                                                                          \
  F (structure_element_iter_get_child)                                                                                                     \
  F (structure_element_iter_get_element)                                                                                                   \
  F (structure_element_iter_new)                                                                                                           \
  F (structure_element_iter_next)

typedef struct {
#define DP_POPPLER_MEMBER(name) __typeof__ (&poppler_##name) name;
  DP_POPPLER_FUNCTIONS (DP_POPPLER_MEMBER)
#undef DP_POPPLER_MEMBER
  /* of GObject and GIO, which poppler-glib brings: the program itself does without them */
  __typeof__ (&g_object_unref) object_unref;
  __typeof__ (&g_type_check_instance_is_a) type_check_instance_is_a;
  __typeof__ (&g_zlib_compressor_new) zlib_compressor_new;
  __typeof__ (&g_zlib_decompressor_new) zlib_decompressor_new;
  __typeof__ (&g_converter_convert) converter_convert;
} DpPoppler;

/* The functions, or NULL and a DP_LIBRARY_ERROR if poppler-glib is not there; the first call loads it. */
const DpPoppler *dp_poppler_load (GError **error);
/* The same for those who know that it is loaded: NULL cannot be, else the process ends. */
const DpPoppler *dp_poppler (void);

static inline gboolean
dp_poppler_is_markup (const PopplerAnnot *annot)
{
  return dp_poppler ()->type_check_instance_is_a ((GTypeInstance *) annot, dp_poppler ()->annot_markup_get_type ());
}

/* poppler-glib has no autoptr of its own yet; the alias keeps clear of the day it does. */
typedef PopplerPage DpPopplerPage;
static inline void
dp_poppler_page_free (DpPopplerPage *page)
{
  dp_poppler ()->object_unref (page);
}
G_DEFINE_AUTOPTR_CLEANUP_FUNC (DpPopplerPage, dp_poppler_page_free)

G_END_DECLS
