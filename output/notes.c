/* output/notes.c - footnotes and the marks that point to them.
 *
 * Printed labels start again on every page or chapter; Markdown wants them unique over
 * the document.  A mark means the footnote with its label on the same page, else the next
 * one after it, else the last one before.  A footnote without a mark would be swallowed
 * by GFM's readers, so the writers print it as a plain paragraph.
 */
#include "output/notes.h"

#include <string.h>

#include "output/clean.h"

struct DpNotes {
  GHashTable *by_mark; /* printed label -> GPtrArray of DpBlock, in page order */
  GHashTable *labels;  /* DpBlock -> unique label */
  GHashTable *used;    /* set of DpBlock */
};

/* What can stand in [^...]: letters and digits stay, symbols get a name. */
static char *
plain_label (const char *printed)
{
  g_autofree char *clean = dp_clean_line (printed);
  GString *out = g_string_new (NULL);

  for (const char *p = clean; *p && out->len < 40; p = g_utf8_next_char (p)) {
    gunichar c = g_utf8_get_char (p);
    if (g_unichar_isalnum (c) || c == '-' || c == '_')
      g_string_append_unichar (out, c);
    else if (c == '*')
      g_string_append (out, "star");
    else if (c == 0x2020)
      g_string_append (out, "dagger");
    else if (c == 0x2021)
      g_string_append (out, "ddagger");
    else if (c == 0xa7)
      g_string_append (out, "section");
    else if (c == 0xb6)
      g_string_append (out, "par");
  }
  if (out->len == 0)
    g_string_append (out, "note");
  return g_string_free (out, FALSE);
}

static char *
mark_key (const char *mark)
{
  g_autofree char *clean = dp_clean_line (mark);
  return g_strdup (g_strstrip (clean));
}

typedef struct {
  DpNotes *notes;
  GHashTable *taken; /* label -> last number tried with it */
} Naming;

static gboolean
name_footnote (DpBlock *block, guint depth, gpointer data)
{
  Naming *naming = data;
  g_autofree char *base = NULL;
  char *label, *key;
  GPtrArray *same;
  guint n = 1;

  (void) depth;
  if (block->kind != DP_BLOCK_FOOTNOTE)
    return TRUE;
  base = plain_label (block->label);
  label = g_strdup (base);
  if (g_hash_table_contains (naming->taken, base))
    n = GPOINTER_TO_UINT (g_hash_table_lookup (naming->taken, base));
  while (g_hash_table_contains (naming->taken, label)) {
    g_free (label);
    label = g_strdup_printf ("%s-%u", base, ++n);
  }
  g_hash_table_insert (naming->taken, g_strdup (label), GUINT_TO_POINTER (1));
  g_hash_table_insert (naming->taken, g_strdup (base), GUINT_TO_POINTER (n));
  g_hash_table_insert (naming->notes->labels, block, label);

  key = mark_key (block->label);
  same = g_hash_table_lookup (naming->notes->by_mark, key);
  if (!same) {
    same = g_ptr_array_new ();
    g_hash_table_insert (naming->notes->by_mark, key, same);
  } else {
    g_free (key);
  }
  g_ptr_array_add (same, block);
  return TRUE;
}

static DpBlock *
find_footnote (const DpNotes *notes, const DpBlock *block, const char *mark)
{
  g_autofree char *key = mark_key (mark);
  GPtrArray *same = g_hash_table_lookup (notes->by_mark, key);
  guint low = 0, high;

  if (!same)
    return NULL;
  high = same->len;
  while (low < high) { /* first on this page or later */
    guint middle = low + (high - low) / 2;
    if (((DpBlock *) g_ptr_array_index (same, middle))->page < block->page)
      low = middle + 1;
    else
      high = middle;
  }
  return g_ptr_array_index (same, MIN (low, same->len - 1));
}

static void
use_marks (DpNotes *notes, const DpBlock *block, const GPtrArray *spans)
{
  for (guint i = 0; i < spans->len; i++) {
    const DpSpan *span = g_ptr_array_index (spans, i);
    if (span->style & DP_SPAN_NOTE_REF) {
      DpBlock *footnote = find_footnote (notes, block, span->text);
      if (footnote && footnote != block)
        g_hash_table_add (notes->used, footnote);
    }
  }
}

typedef struct {
  DpNotes *notes;
  DpNotesInTable in_table;
  gpointer data;
} Using;

static gboolean
use_marks_of_block (DpBlock *block, guint depth, gpointer data)
{
  const Using *using = data;

  (void) depth;
  use_marks (using->notes, block, block->spans);
  if (block->table && using->in_table (block->table, using->data))
    for (guint i = 0; i < block->table->cells->len; i++)
      use_marks (using->notes, block, ((DpCell *) g_ptr_array_index (block->table->cells, i))->spans);
  return TRUE;
}

static gint
by_page (gconstpointer a, gconstpointer b)
{
  guint x = (*(DpBlock *const *) a)->page, y = (*(DpBlock *const *) b)->page;
  return x < y ? -1 : x > y;
}

DpNotes *
dp_notes_new (DpDocument *document, DpNotesInTable in_table, gpointer data)
{
  DpNotes *notes = g_new0 (DpNotes, 1);
  Naming naming = { .notes = notes };
  Using using = { .notes = notes, .in_table = in_table, .data = data };
  GHashTableIter iter;
  gpointer same;

  notes->by_mark = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, (GDestroyNotify) g_ptr_array_unref);
  notes->labels = g_hash_table_new_full (NULL, NULL, NULL, g_free);
  notes->used = g_hash_table_new (NULL, NULL);
  naming.taken = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  dp_document_foreach (document, name_footnote, &naming);
  g_hash_table_iter_init (&iter, notes->by_mark);
  while (g_hash_table_iter_next (&iter, NULL, &same))
    g_ptr_array_sort (same, by_page);
  dp_document_foreach (document, use_marks_of_block, &using);
  g_hash_table_unref (naming.taken);
  return notes;
}

void
dp_notes_free (DpNotes *notes)
{
  if (!notes)
    return;
  g_hash_table_unref (notes->by_mark);
  g_hash_table_unref (notes->labels);
  g_hash_table_unref (notes->used);
  g_free (notes);
}

const char *
dp_notes_resolve (const DpNotes *notes, const DpBlock *block, const char *mark)
{
  DpBlock *footnote = block ? find_footnote (notes, block, mark) : NULL;

  return footnote && footnote != block ? g_hash_table_lookup (notes->labels, footnote) : NULL;
}

const char *
dp_notes_label (const DpNotes *notes, const DpBlock *footnote)
{
  return g_hash_table_contains (notes->used, footnote) ? g_hash_table_lookup (notes->labels, footnote) : NULL;
}

gboolean
dp_notes_in_any_table (const DpTable *table, gpointer data)
{
  (void) table;
  (void) data;
  return TRUE;
}
