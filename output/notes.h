/* output/notes.h - inside the room: footnotes and the marks that point to them. */
#pragma once

#include "layout/document.h"

/* Says whether marks inside a table can be links. */
typedef gboolean (*DpNotesInTable) (const DpTable *table, gpointer data);

G_BEGIN_DECLS

typedef struct DpNotes DpNotes;

/* Gives every footnote of the document a label of its own and finds the mark of each. */
DpNotes *dp_notes_new (DpDocument *document, DpNotesInTable in_table, gpointer data);
void dp_notes_free (DpNotes *notes);

/* Label of the footnote that a mark in block means, or NULL if there is none.  Owned by notes. */
const char *dp_notes_resolve (const DpNotes *notes, const DpBlock *block, const char *mark);

/* Label of a footnote some mark points to; NULL for a footnote nobody points to. */
const char *dp_notes_label (const DpNotes *notes, const DpBlock *footnote);

/* DpNotesInTable that says yes. */
gboolean dp_notes_in_any_table (const DpTable *table, gpointer data);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (DpNotes, dp_notes_free)

G_END_DECLS
