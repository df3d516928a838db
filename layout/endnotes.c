/* layout/endnotes.c - notes at the end of a chapter or of the document.
 *
 * Under a heading such as "Notes" stand entries that count from one; the text before has raised
 * marks for most of them.  They become notes of kind FOOTNOTE with level 1: a mark looks for its
 * note on its own page first, then in the next such section (notes.c).
 */
#include "layout/flow.h"
#include "layout/labels.h"

#include <string.h>

#define MIN_NOTES 2u
#define MAX_LABEL 4u /* digits */

static gboolean
is_notes_title (const char *text)
{
  static const char *const names[]
      = { "notes",    "endnotes",  "end notes", "notes and references", "chapter notes", "anmerkungen", "endnoten",
          "fußnoten", "remarques", "notes fin", "notes de fin",         "notas",         "note",        "poznámky",
          "注释",     "註",        "注" };
  g_autofree char *folded = g_utf8_strdown (text, -1);
  gsize n = strlen (folded);

  while (n && strchr (":. ", folded[n - 1]))
    folded[--n] = '\0';
  for (gsize i = 0; i < G_N_ELEMENTS (names); i++)
    if (strcmp (folded, names[i]) == 0)
      return TRUE;
  return FALSE;
}

/* Bytes of the number that begins the line, 0 if there is none; *value: what it says. */
static guint
note_number (const DpFlowLine *line, guint *value)
{
  gsize open = line->text[0] == '[' || line->text[0] == '(' ? 1 : 0, n = strspn (line->text + open, "0123456789");
  const char *end = line->text + open + n;

  if (n == 0 || n >= MAX_LABEL)
    return 0;
  *value = (guint) g_ascii_strtoull (line->text + open, NULL, 10);
  if (open && (*end == ']' || *end == ')'))
    return (guint) (open + n + 1);
  if (open || (*end != '.' && *end != ')' && *end != ' ' && !g_unichar_isalpha (g_utf8_get_char (end))))
    return 0;
  return (guint) (n + (*end == '.' || *end == ')' ? 1 : 0));
}

static gboolean
is_note_text (const DpFlowLine *line)
{
  return (line->role == DP_ROLE_BODY || line->role == DP_ROLE_ITEM) && !line->astray;
}

/* Raised marks of pages [from, to], as text. */
static void
collect_marks (const DpFlow *flow, guint from, guint to, GHashTable *marks)
{
  for (guint p = from; p <= to && p < flow->pages->len; p++) {
    const DpPageLayout *layout = g_array_index (flow->pages, DpFlowPage, p).layout;
    for (guint i = 0; i < layout->words->len; i++) {
      const DpWord *word = &g_array_index (layout->words, DpWord, i);
      gsize n;
      const char *text = dp_word_text (layout, word, &n);
      if ((word->style & DP_SPAN_SUPER) && n < MAX_LABEL)
        g_hash_table_add (marks, GUINT_TO_POINTER ((guint) g_ascii_strtoull (text, NULL, 10)));
    }
  }
}

/* Entries [first, last) under the heading: first lines of notes that count from one. */
static void
find_notes (const DpFlow *flow, guint first, guint last, GArray *starts)
{
  guint expected = 1;

  for (guint i = first; i < last; i++) {
    const DpFlowLine *line = dp_flow_line (flow, i);
    guint value = 0;
    if (!is_note_text (line) || note_number (line, &value) == 0 || value != expected)
      continue;
    g_array_append_val (starts, i);
    expected++;
  }
}

static void
claim_notes (DpFlow *flow, const GArray *starts, guint last)
{
  for (guint k = 0; k < starts->len; k++) {
    guint first = g_array_index (starts, guint, k), end = k + 1 < starts->len ? g_array_index (starts, guint, k + 1) : last, value;
    for (guint i = first; i < end; i++) {
      DpFlowLine *line = dp_flow_line (flow, i);
      if (!is_note_text (line))
        continue;
      line->role = DP_ROLE_FOOTNOTE;
      line->starts = i == first;
      line->label = i == first ? note_number (line, &value) : 0;
      line->level = 1;
      line->breaks = FALSE;
    }
  }
}

void
dp_flow_endnotes (DpFlow *flow)
{
  g_autoptr (GArray) starts = g_array_new (FALSE, FALSE, sizeof (guint));
  g_autoptr (GHashTable) marks = g_hash_table_new (NULL, NULL);
  guint from = 0; /* page on which this chapter's marks begin */

  for (guint i = 0; i < flow->lines->len; i++) {
    const DpFlowLine *heading = dp_flow_line (flow, i);
    guint last = i + 1, marked = 0;
    if (heading->role != DP_ROLE_HEADING || !is_notes_title (heading->text))
      continue;
    while (last < flow->lines->len && dp_flow_line (flow, last)->role != DP_ROLE_HEADING)
      last++;
    g_array_set_size (starts, 0);
    g_hash_table_remove_all (marks);
    find_notes (flow, i + 1, last, starts);
    collect_marks (flow, from, heading->page, marks);
    for (guint k = 0; k < starts->len; k++)
      marked += g_hash_table_contains (marks, GUINT_TO_POINTER (k + 1)) ? 1 : 0;
    if (starts->len >= MIN_NOTES && marked * 2 >= starts->len) {
      claim_notes (flow, starts, last);
      from = heading->page;
    }
    i = last - 1;
  }
}
