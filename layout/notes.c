/* layout/notes.c - footnotes at the foot of a page or column, and the marks that point to them.
 *
 * A note begins with a raised number or a dagger, in smaller print or below a short rule, in
 * the lower part of the page, with no running text under it (edgeparse: lower third, size
 * <= 0.85 body; veraPDF adds weight when the text has the same raised mark).  After assembly
 * a raised mark whose text is the label of a note of the same page becomes a reference; a
 * note that nothing points to goes back to plain text, as readers would lose it otherwise.
 */
#include "layout/flow.h"
#include "layout/labels.h"

#include <math.h>
#include <string.h>

#define LOWER_PART 0.4f /* of the page height, from the top: notes do not begin above */
#define SMALLER 0.935f  /* of the body size */
#define RULE_SHARE 0.6f /* of the page width: longer rules separate other things */
#define MAX_NOTES 200u  /* candidates per page, so that odd pages stay linear */

/* Bytes of the mark at the start of a note's line, 0 if there is none. */
static gsize
note_mark (const DpFlow *flow, const DpFlowLine *line, gboolean *raised)
{
  static const char *const signs[] = { "***", "**", "*", "††", "†", "‡", "§", "¶", "∗", "#" };
  const DpPageLayout *layout = dp_flow_page (flow, line)->layout;
  const DpLine *fragment = &g_array_index (layout->lines, DpLine, g_array_index (flow->frags, guint, line->first_frag));
  const DpWord *word;
  gsize n = strspn (line->text, "0123456789");

  *raised = FALSE;
  if (fragment->n_words > 0) {
    word = &g_array_index (layout->words, DpWord, fragment->first_word);
    if ((word->style & DP_SPAN_SUPER) && word->text_len <= 6 && strlen (line->text) > word->text_len + 1) {
      *raised = TRUE;
      return word->text_len;
    }
  }
  for (guint i = 0; i < G_N_ELEMENTS (signs); i++)
    if (g_str_has_prefix (line->text, signs[i]) && line->text[strlen (signs[i])] != '\0')
      return strlen (signs[i]);
  if (n >= 1 && n <= 3 && (line->text[n] == '.' || line->text[n] == ')') && line->text[n + 1] == ' ')
    return n + 1;
  if (n >= 1 && n <= 3 && line->text[n] != '\0'
      && (line->text[n] == ' ' || g_ascii_isalpha (line->text[n]) || (guchar) line->text[n] >= 0x80))
    return n;
  return 0;
}

/* A horizontal rule just above the line, of at most this share of the page's width, as printers set it over notes. */
static gboolean
rule_above (const DpFlow *flow, const DpFlowLine *line, float share)
{
  const DpFlowPage *page = dp_flow_page (flow, line);
  const GArray *rules = page->layout->hrules;

  if (page->angle != 0)
    return FALSE;
  for (guint i = 0; i < rules->len; i++) {
    const DpRule *rule = &g_array_index (rules, DpRule, i);
    float length = rule->to - rule->from;
    if (rule->pos > line->box.y0 + 0.3f * line->size)
      break; /* sorted */
    if (rule->pos < line->box.y0 - 2 * line->size || length < 20 || length > share * page->width)
      continue;
    if (rule->from < line->box.x1 && rule->to > line->box.x0 - line->size)
      return TRUE;
  }
  return FALSE;
}

/* Running text of body size under the line in its column. */
static gboolean
body_below (const DpFlow *flow, const DpFlowLine *line, gboolean ruled)
{
  const DpFlowPage *page = dp_flow_page (flow, line);
  float limit = ruled ? 1.08f * line->size : SMALLER * page->body.size;

  for (guint i = page->first; i < page->first + page->n; i++) {
    const DpFlowLine *other = dp_flow_line (flow, i);
    if ((other->role == DP_ROLE_BODY && !other->astray && other->size > limit) || other->role == DP_ROLE_OBJECT)
      if (other->at.y0 > line->at.y0 && dp_rect_overlap_x (other->at, line->at) > 0 && other->n_chars > 3)
        return TRUE;
  }
  return FALSE;
}

/* Lines that go on with the note that begins at first. */
static guint
note_end (const DpFlow *flow, guint first)
{
  const DpFlowLine *head = dp_flow_line (flow, first);
  guint i = first + 1;
  gboolean raised;

  for (; i < flow->lines->len; i++) {
    const DpFlowLine *a = dp_flow_line (flow, i - 1), *b = dp_flow_line (flow, i);
    if (b->role != DP_ROLE_BODY || b->astray || b->page != head->page || fabsf (b->size - head->size) > 0.1f * head->size)
      break;
    if (b->at.y0 < a->at.y0 || dp_rect_overlap_x (a->at, b->at) <= 0 || b->at.y0 - a->at.y1 > 1.2f * head->size)
      break;
    if (note_mark (flow, b, &raised) > 0 && (raised || b->at.x0 < head->at.x0 + 0.5f * head->size))
      break;
  }
  return i;
}

/* Two words at least: a fraction's denominator or a numbered axis is no note. */
static gboolean
has_words (const char *text)
{
  guint words = 0, letters = 0;

  for (const char *p = text; *p && words < 2; p = g_utf8_next_char (p)) {
    letters = g_unichar_isalpha (g_utf8_get_char (p)) ? letters + 1 : 0;
    words += letters == 2 || (letters == 1 && g_unichar_iswide (g_utf8_get_char (p))) ? 1 : 0;
  }
  return words >= 2;
}

/* The page has a raised mark of this text. */
static gboolean
is_marked (const DpFlowLine *line, gsize mark, GHashTable *marks)
{
  g_autofree char *label = g_strndup (line->text, mark);

  return g_hash_table_contains (marks, g_strdelimit (label, ".) ", '\0'));
}

/* The raised marks of a page; none for NULL. */
static GHashTable *
raised_marks (const DpFlowPage *page)
{
  GHashTable *marks = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);

  for (guint i = 0; page && i < page->layout->words->len; i++) {
    const DpWord *word = &g_array_index (page->layout->words, DpWord, i);
    gsize n;
    const char *text = dp_word_text (page->layout, word, &n);
    if ((word->style & DP_SPAN_SUPER) && n <= 6)
      g_hash_table_add (marks, g_strndup (text, n));
  }
  return marks;
}

typedef struct {
  GHashTable *here, *before; /* raised marks of the page, and of the page before */
} Marks;

static gboolean
begins_note (const DpFlow *flow, guint i, gboolean after_note, const Marks *marks)
{
  const DpFlowLine *line = dp_flow_line (flow, i);
  const DpFlowPage *page = dp_flow_page (flow, line);
  gboolean raised, small = page->body.size > 0 && line->size <= SMALLER * page->body.size, ruled;

  gsize mark;

  if (line->role != DP_ROLE_BODY || line->astray || line->at.y0 < LOWER_PART * page->height
      || (mark = note_mark (flow, line, &raised)) == 0)
    return FALSE;
  if (!has_words (line->text + mark) || line->at.x0 > dp_flow_column (flow, line).x0 + 3 * line->size)
    return FALSE;
  if (after_note)
    return TRUE;
  ruled = rule_above (flow, line, RULE_SHARE);
  if (!ruled && !(small && (raised || !g_ascii_isdigit (line->text[0]) || is_marked (line, mark, marks->here)))) {
    /* a note for which its own page had no room */
    if (!small || !is_marked (line, mark, marks->before) || !rule_above (flow, line, 1))
      return FALSE;
  }
  return !body_below (flow, line, ruled);
}

static void
page_notes (DpFlow *flow, const DpFlowPage *page, const Marks *marks)
{
  guint looked = 0;
  gboolean after_note = FALSE;

  for (guint i = page->first; i < page->first + page->n && looked < MAX_NOTES;) {
    DpFlowLine *line = dp_flow_line (flow, i);
    guint last;
    gboolean raised;
    if (line->role == DP_ROLE_BODY)
      looked += line->at.y0 >= LOWER_PART * page->height ? 1 : 0;
    if (!begins_note (flow, i, after_note, marks)) {
      after_note = FALSE;
      i++;
      continue;
    }
    last = note_end (flow, i);
    line->label = (guint) note_mark (flow, line, &raised);
    for (guint k = i; k < last; k++) {
      dp_flow_line (flow, k)->role = DP_ROLE_FOOTNOTE;
      dp_flow_line (flow, k)->starts = k == i;
    }
    after_note = last < page->first + page->n && dp_flow_line (flow, last)->at.y0 >= line->at.y0;
    i = last;
  }
}

void
dp_flow_notes (DpFlow *flow)
{
  g_autoptr (GHashTable) before = raised_marks (NULL);

  for (guint p = 0; p < flow->pages->len; p++) {
    const DpFlowPage *page = &g_array_index (flow->pages, DpFlowPage, p);
    GHashTable *here = raised_marks (page);
    page_notes (flow, page, &(Marks){ here, before });
    g_hash_table_unref (before);
    before = here;
  }
}

/* ---- binding ---------------------------------------------------------------------------------- */

typedef struct {
  GHashTable *notes; /* "page label" -> DpBlock */
  GHashTable *ends;  /* label -> GPtrArray of DpBlock: notes at the ends of chapters, in their order */
  GHashTable *bound; /* DpBlock of notes that something points to */
  gboolean later;    /* look for notes that nothing points to yet on the page behind the mark's */
} Binding;

static char *
note_key (guint page, const char *label)
{
  return g_strdup_printf ("%u %s", page, label);
}

static gboolean
collect_note (DpBlock *block, guint depth, gpointer data)
{
  Binding *binding = data;
  char *key;

  (void) depth;
  if (block->kind != DP_BLOCK_FOOTNOTE || !block->label)
    return TRUE;
  if (block->level > 0) {
    GPtrArray *same = g_hash_table_lookup (binding->ends, block->label);
    if (!same)
      g_hash_table_insert (binding->ends, g_strdup (block->label), same = g_ptr_array_new ());
    g_ptr_array_add (same, block);
    return TRUE;
  }
  key = note_key (block->page, block->label);
  if (g_hash_table_contains (binding->notes, key))
    g_free (key);
  else
    g_hash_table_insert (binding->notes, key, block);
  return TRUE;
}

/* The next note of this label at the end of a chapter. */
static DpBlock *
find_endnote (const Binding *binding, const DpBlock *block, const char *label)
{
  const GPtrArray *same = g_hash_table_lookup (binding->ends, label);

  for (guint i = 0; same && i < same->len; i++) {
    DpBlock *note = g_ptr_array_index (same, i);
    if (note->page >= block->page)
      return note;
  }
  return NULL;
}

static DpBlock *
note_of_page (const Binding *binding, guint page, const char *label)
{
  g_autofree char *key = note_key (page, label);

  return g_hash_table_lookup (binding->notes, key);
}

static DpBlock *
find_note (const Binding *binding, const DpBlock *block, const char *label)
{
  DpBlock *note = note_of_page (binding, block->page, label);
  guint last = block->page;

  for (guint i = 0; !note && block->parts && i < block->parts->len; i++) {
    last = g_array_index (block->parts, DpTablePart, i).page;
    note = note_of_page (binding, last, label);
  }
  if (!note && binding->later) {
    note = note_of_page (binding, last + 1, label);
    note = note && !g_hash_table_contains (binding->bound, note) ? note : NULL;
  }
  return note ? note : find_endnote (binding, block, label);
}

/* A daggered mark is often not raised: "word* and". Cuts the span there and returns the mark's span. */
static void
split_sign (DpBlock *block, guint index, const char *sign, gsize at)
{
  DpSpan *span = g_ptr_array_index (block->spans, index);
  DpSpan *mark = dp_span_new (sign, DP_SPAN_NOTE_REF, NULL);
  DpSpan *rest = dp_span_new (span->text + at + strlen (sign), span->style & ~(guint) DP_SPAN_BREAK, span->uri);

  span->text[at] = '\0';
  g_ptr_array_insert (block->spans, (gint) index + 1, mark);
  if (rest->text[0] != '\0')
    g_ptr_array_insert (block->spans, (gint) index + 2, rest);
  else
    dp_span_free (rest);
}

static void
bind_sign (const Binding *binding, DpBlock *block, guint index)
{
  static const char *const signs[] = { "***", "**", "*", "††", "†", "‡", "∗" };
  const DpSpan *span = g_ptr_array_index (block->spans, index);

  for (guint i = 0; i < G_N_ELEMENTS (signs); i++) {
    const char *at = strstr (span->text, signs[i]);
    DpBlock *note = at && at > span->text && at[-1] != ' ' ? find_note (binding, block, signs[i]) : NULL;
    if (!note || (at[strlen (signs[i])] != '\0' && !strchr (" ,.;:)", at[strlen (signs[i])])))
      continue;
    g_hash_table_add (binding->bound, note);
    split_sign (block, index, signs[i], (gsize) (at - span->text));
    return;
  }
}

/* A note's mark stands behind a word, a year or punctuation; h² and 10² are powers. */
static gboolean
follows_word (const DpBlock *block, guint index)
{
  const DpSpan *before = index > 0 ? g_ptr_array_index (block->spans, index - 1) : NULL;
  const char *end, *p;
  guint letters = 0, digits = 0;

  if (!before || before->text[0] == '\0')
    return index == 0 ? FALSE : TRUE;
  end = before->text + strlen (before->text);
  p = g_utf8_prev_char (end);
  if (!g_unichar_isalnum (g_utf8_get_char (p)))
    return TRUE;
  for (; g_unichar_isalnum (g_utf8_get_char (p)); p = g_utf8_prev_char (p)) {
    letters += g_unichar_isalpha (g_utf8_get_char (p)) ? 1 : 0;
    letters += g_unichar_iswide (g_utf8_get_char (p)) ? 1 : 0;
    digits += g_unichar_isdigit (g_utf8_get_char (p)) ? 1 : 0;
    if (p == before->text)
      break;
  }
  return letters >= 2 || digits == 4;
}

static gboolean
bind_block (DpBlock *block, guint depth, gpointer data)
{
  const Binding *binding = data;

  (void) depth;
  if (block->kind == DP_BLOCK_FOOTNOTE || block->kind >= DP_BLOCK_HEADER)
    return TRUE;
  for (guint i = 0; i < block->spans->len; i++) {
    DpSpan *span = g_ptr_array_index (block->spans, i);
    g_autofree char *label = NULL;
    DpBlock *note;
    if (!(span->style & DP_SPAN_SUPER)) {
      bind_sign (binding, block, i);
      continue;
    }
    label = g_strstrip (g_strdup (span->text));
    note = follows_word (block, i) ? find_note (binding, block, label) : NULL;
    if (!note)
      continue;
    g_hash_table_add (binding->bound, note);
    span->style = (span->style & DP_SPAN_BREAK) | DP_SPAN_NOTE_REF;
    /* The blank at a line's end hangs on the mark and must not go with it. */
    if (g_str_has_suffix (span->text, " ") && i + 1 < block->spans->len
        && !(((const DpSpan *) g_ptr_array_index (block->spans, i + 1))->style & DP_SPAN_BREAK))
      g_ptr_array_insert (block->spans, (gint) i + 1, dp_span_new (" ", 0, NULL));
    g_free (span->text);
    span->text = g_steal_pointer (&label);
  }
  return TRUE;
}

/* A note without a reference: its label goes back in front of its text. */
static gboolean
release_note (DpBlock *block, guint depth, gpointer data)
{
  const Binding *binding = data;

  (void) depth;
  if (block->kind != DP_BLOCK_FOOTNOTE || g_hash_table_contains (binding->bound, block))
    return TRUE;
  block->kind = DP_BLOCK_PARAGRAPH;
  if (block->label) {
    g_ptr_array_insert (block->spans, 0, dp_span_new (block->label, DP_SPAN_SUPER, NULL));
    g_ptr_array_insert (block->spans, 1, dp_span_new (" ", 0, NULL));
    g_clear_pointer (&block->label, g_free);
  }
  return TRUE;
}

void
dp_notes_bind (DpDocument *document)
{
  Binding binding = { .notes = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL),
                      .ends = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, (GDestroyNotify) g_ptr_array_unref),
                      .bound = g_hash_table_new (NULL, NULL) };

  dp_document_foreach (document, collect_note, &binding);
  if (g_hash_table_size (binding.notes) + g_hash_table_size (binding.ends) > 0)
    dp_document_foreach (document, bind_block, &binding);
  binding.later = TRUE;
  if (g_hash_table_size (binding.notes) > g_hash_table_size (binding.bound))
    dp_document_foreach (document, bind_block, &binding);
  dp_document_foreach (document, release_note, &binding);
  g_hash_table_unref (binding.notes);
  g_hash_table_unref (binding.ends);
  g_hash_table_unref (binding.bound);
}
