/* layout/lists.c - list items: labels, sequences, nesting, continuation lines.
 *
 * Runs after headings.c.  A bullet makes an item by itself (a dash only in company); an ordered
 * label counts only in a sequence whose values rise by one in one family at about one left
 * edge (opendataloader: 0.3 em, 4 times that for the search).  Lines that follow belong to the
 * item while they are set under its text, or go on with a full line.
 */
#include "layout/flow.h"
#include "layout/labels.h"

#include <math.h>
#include <string.h>

#define SAME_EDGE 1.2f /* em: left edges of one list */
#define REACH 60u      /* entries between two items of one sequence */
#define MAX_DEPTH 8u   /* lists in lists */
#define ITEM_GAP 0.75f /* em between the boxes of lines of one item */

typedef struct {
  guint line;
  DpLabel label;
  guint value;
  gboolean valid; /* part of a list */
} Candidate;

static gboolean
usable (const DpFlowLine *line)
{
  return line->role == DP_ROLE_BODY && !line->astray;
}

/* ---- sequences ------------------------------------------------------------------------------ */

static void
collect (const DpFlow *flow, GArray *candidates)
{
  for (guint i = 0; i < flow->lines->len; i++) {
    const DpFlowLine *line = dp_flow_line (flow, i);
    Candidate c = { .line = i };
    if (!usable (line) || !dp_label_parse (line->text, &c.label))
      continue;
    c.value = c.label.value;
    g_array_append_val (candidates, c);
  }
}

static gboolean
same_family (const DpLabel *a, const DpLabel *b)
{
  if (a->open != b->open || a->close != b->close)
    return FALSE;
  if (a->kind == b->kind)
    return TRUE;
  /* i) ii): a single letter that is a numeral goes with numerals. */
  return (a->roman && b->roman)
         && ((a->kind == DP_LABEL_LOWER && b->kind == DP_LABEL_ROMAN_LOWER)
             || (a->kind == DP_LABEL_ROMAN_LOWER && b->kind == DP_LABEL_LOWER)
             || (a->kind == DP_LABEL_UPPER && b->kind == DP_LABEL_ROMAN_UPPER)
             || (a->kind == DP_LABEL_ROMAN_UPPER && b->kind == DP_LABEL_UPPER));
}

static gboolean
follows (const DpLabel *a, const DpLabel *b)
{
  if (a->kind == DP_LABEL_BULLET)
    return TRUE;
  if (a->kind == b->kind && b->value == a->value + 1)
    return TRUE;
  return a->roman && b->roman == a->roman + 1;
}

static gboolean
same_edge (const DpFlow *flow, const Candidate *a, const Candidate *b)
{
  const DpFlowLine *x = dp_flow_line (flow, a->line), *y = dp_flow_line (flow, b->line);
  float edge = SAME_EDGE * MAX (x->size, y->size);

  if (x->page == y->page && y->at.y0 >= x->at.y0 && fabsf (x->at.x0 - y->at.x0) <= edge)
    return TRUE;
  /* Right-aligned numbers: 9. and 10. */
  if (x->page == y->page && y->at.y0 >= x->at.y0 && b->label.kind == DP_LABEL_ARABIC && fabsf (x->at.x0 - y->at.x0) <= 2 * edge)
    return b->label.length != a->label.length;
  if (x->page == y->page && y->at.y0 >= x->at.y0)
    return FALSE;
  /* Another column or page: compare what is left of the column's edge. */
  return fabsf ((x->at.x0 - dp_flow_column (flow, x).x0) - (y->at.x0 - dp_flow_column (flow, y).x0)) <= 2 * edge;
}

/* Headings between two items end a list; everything else may stand there. */
static gboolean
heading_between (const DpFlow *flow, guint a, guint b)
{
  for (guint i = a + 1; i < b; i++)
    if (dp_flow_line (flow, i)->role == DP_ROLE_HEADING)
      return TRUE;
  return FALSE;
}

static void
link_sequences (const DpFlow *flow, GArray *candidates)
{
  for (guint i = 0; i < candidates->len; i++) {
    Candidate *a = &g_array_index (candidates, Candidate, i);
    for (guint k = i + 1; k < candidates->len; k++) {
      Candidate *b = &g_array_index (candidates, Candidate, k);
      if (b->line - a->line > REACH || k - i > 30)
        break;
      if (!same_family (&a->label, &b->label) || !follows (&a->label, &b->label) || !same_edge (flow, a, b))
        continue;
      if (heading_between (flow, a->line, b->line))
        break;
      if (a->label.kind != b->label.kind || b->label.value != a->label.value + 1) {
        a->value = a->label.roman ? a->label.roman : a->value;
        b->value = b->label.roman ? b->label.roman : b->value;
      }
      a->valid = b->valid = TRUE;
      break;
    }
    if (a->label.kind == DP_LABEL_BULLET && !a->label.weak)
      a->valid = TRUE;
  }
}

/* A dash or an "o" alone may be prose; it is a bullet when the line is indented or stands apart. */
static void
judge_weak (const DpFlow *flow, Candidate *c)
{
  const DpFlowLine *line = dp_flow_line (flow, c->line);
  const DpFlowLine *before = c->line > 0 ? dp_flow_line (flow, c->line - 1) : NULL;

  if (c->valid || c->label.kind != DP_LABEL_BULLET)
    return;
  if (before && dp_flow_same_region (before, line) && before->at.x1 > dp_flow_column (flow, line).x1 - 2 * line->size)
    return;
  c->valid = line->at.x0 > dp_flow_column (flow, line).x0 + 0.8f * line->size;
}

/* A list of one item inside another: "a)" set in below 2., whose line ended early, before 3. goes on. */
static void
judge_single (const DpFlow *flow, const GArray *candidates, guint i)
{
  Candidate *c = &g_array_index (candidates, Candidate, i);
  const Candidate *outer = i > 0 ? &g_array_index (candidates, Candidate, i - 1) : NULL;
  const Candidate *next = i + 1 < candidates->len ? &g_array_index (candidates, Candidate, i + 1) : NULL;

  if (c->valid || c->label.kind == DP_LABEL_BULLET || (c->value != 1 && c->label.roman != 1) || !outer || !outer->valid || !next
      || !next->valid || !same_family (&outer->label, &next->label) || !follows (&outer->label, &next->label))
    return;
  const DpFlowLine *line = dp_flow_line (flow, c->line), *above = dp_flow_line (flow, outer->line),
                   *before = dp_flow_line (flow, c->line - 1);
  c->valid = dp_flow_same_region (above, line) && line->at.x0 > above->at.x0 + 0.8f * line->size
             && before->at.x1 < dp_flow_column (flow, line).x1 - 2 * line->size;
}

/* ---- items ------------------------------------------------------------------------------------- */

/* x where the item's text begins, behind its label. */
static float
text_edge (const DpFlow *flow, const DpFlowLine *line, gsize label)
{
  DpFlowWalk walk = { 0 };
  gsize seen = 0;

  if (dp_flow_page (flow, line)->angle != 0)
    return line->at.x0 + 1.5f * line->size;
  for (const DpWord *word; (word = dp_flow_next_word (flow, line, &walk)); seen += word->text_len)
    if (seen >= label)
      return dp_flow_word_start (flow, line, word);
  return line->at.x0 + 1.5f * line->size;
}

/* Does line b go on with the item whose label stands at label_x and text at text_x? */
static gboolean
continues_item (const DpFlow *flow, const DpFlowLine *a, const DpFlowLine *b, float label_x, float text_x)
{
  float em = b->size, gap = b->at.y0 - a->at.y1;
  DpFlowColumn column = dp_flow_column (flow, a);
  gboolean full = a->at.x1 > column.x1 - 5 * em;

  if (!usable (b) || fabsf (a->size - b->size) > 0.12f * MAX (a->size, b->size))
    return FALSE;
  if (b->page != a->page || b->at.y0 < a->at.y0) { /* next column or page */
    gunichar c = g_utf8_get_char (b->text);
    float shift = dp_flow_column (flow, b).x0 - column.x0;
    return full && g_unichar_islower (c) && b->at.x0 - shift >= label_x - 0.3f * em;
  }
  if (gap > ITEM_GAP * em || dp_rect_overlap_x (a->at, b->at) <= 0)
    return FALSE;
  if (fabsf (b->at.x0 - text_x) <= 0.8f * em || (b->at.x0 > label_x + 0.5f * em && b->at.x0 < text_x + 2 * em))
    return TRUE;
  /* No hanging indent: the line goes on at the label's edge or at the margin when the one before is full. */
  return b->at.x0 <= label_x + 0.5f * em && dp_flow_same_region (a, b) && full;
}

/* A sentence ended with room to spare, and this line is set in against the one after it: a paragraph
 * with an indent, not the item's next line.  Where the next line begins at or before the label, lines of
 * items do so too, and no room need be left. */
static gboolean
opens_paragraph (const DpFlow *flow, const DpFlowLine *a, guint i, float label_x, const GHashTable *starts)
{
  const DpFlowLine *b = dp_flow_line (flow, i), *next = i + 1 < flow->lines->len ? dp_flow_line (flow, i + 1) : NULL;
  gsize n = strlen (a->text);
  char last = n ? a->text[n - 1] : 0;
  gboolean room, hung;

  if (!next || !usable (next) || !dp_flow_same_region (b, next) || g_unichar_islower (g_utf8_get_char (b->text)))
    return FALSE;
  room = a->at.x1 < dp_flow_column (flow, a).x1 - 5 * a->size;
  hung = next->at.x0 > label_x + 0.3f * b->size || g_hash_table_contains ((GHashTable *) starts, GUINT_TO_POINTER (i + 1));
  return (last == '.' || last == ';' || last == ':' || last == '!' || last == '?' || last == ')') && (room || (last == '.' && !hung))
         && next->at.x0 < b->at.x0 - 0.6f * b->size && next->at.y0 > b->at.y0 && next->at.x1 > b->at.x0 + 5 * b->size;
}

static guint
claim_item (DpFlow *flow, Candidate *c, const GHashTable *starts)
{
  DpFlowLine *line = dp_flow_line (flow, c->line);
  float label_x = line->at.x0, text_x = text_edge (flow, line, c->label.length);
  guint last = c->line, i;

  line->role = DP_ROLE_ITEM;
  line->starts = TRUE;
  line->label = (guint) c->label.length;
  line->ordered = c->label.kind != DP_LABEL_BULLET;
  line->number = c->value;
  for (i = c->line + 1; i < flow->lines->len; i++) {
    DpFlowLine *b = dp_flow_line (flow, i);
    if (b->role >= DP_ROLE_HEADER || b->role == DP_ROLE_FOOTNOTE)
      continue; /* furniture does not end an item */
    if (g_hash_table_contains ((GHashTable *) starts, GUINT_TO_POINTER (i))
        || opens_paragraph (flow, dp_flow_line (flow, last), i, label_x, starts)
        || !continues_item (flow, dp_flow_line (flow, last), b, label_x, text_x))
      break;
    if (b->page != line->page || b->at.y0 < dp_flow_line (flow, last)->at.y0) {
      float shift = b->at.x0 - text_x;
      label_x += shift;
      text_x += shift;
    }
    b->role = DP_ROLE_ITEM;
    last = i;
  }
  return i;
}

/* ---- nesting -------------------------------------------------------------------------------------- */

typedef struct {
  float x;
  DpLabel label;
  guint value;
} Level;

/* A heading between two items, or running text at the margin, ends the list. */
static gboolean
list_ended (const DpFlow *flow, guint a, guint b, float x)
{
  for (guint i = a + 1; i < b; i++) {
    const DpFlowLine *line = dp_flow_line (flow, i);
    if (line->role == DP_ROLE_HEADING || (line->role == DP_ROLE_BODY && line->at.x0 < x + 0.3f * line->size))
      return TRUE;
  }
  return FALSE;
}

/* Text and listings between two items of one list that are set in further than a label belong to that item. */
static void
mark_inside (DpFlow *flow, guint a, guint b, const Level *stack, guint depth)
{
  for (guint i = a + 1; i < b; i++) {
    DpFlowLine *line = dp_flow_line (flow, i);
    const float x = line->at.x0 - dp_flow_column (flow, line).x0;
    guint level = depth;
    if (line->role != DP_ROLE_BODY && line->role != DP_ROLE_CODE)
      continue;
    while (level > 0 && x < stack[level - 1].x + 0.8f * line->size)
      level--;
    /* a listing is one block, wherever its lines begin */
    line->inside = line->role == DP_ROLE_CODE && !line->starts ? dp_flow_line (flow, i - 1)->inside : level;
  }
}

/* The level that an item goes on with in another column or on another page, where indents tell little: the one whose count
 * it continues, or whose bullet it has, counted from 1; 0 = none. */
static guint
level_continued (const DpFlow *flow, const Candidate *before, const Candidate *c, const Level *stack, guint depth)
{
  const DpFlowLine *a = dp_flow_line (flow, before->line), *b = dp_flow_line (flow, c->line);

  if (a->page == b->page && b->at.y0 >= a->at.y0)
    return 0;
  for (guint level = depth; level > 0; level--) {
    const Level *at = &stack[level - 1];
    if (same_family (&at->label, &c->label) && (c->label.kind == DP_LABEL_BULLET || c->value == at->value + 1))
      return level;
  }
  return 0;
}

/* Levels by indent; at one indent a new family opens a level (1. then a.).  Returns the item's level, from 1. */
static guint
level_by_indent (const Candidate *c, float x, float em, const Level *stack, guint depth)
{
  guint same;

  while (depth > 0 && x < stack[depth - 1].x - 0.6f * em)
    depth--;
  if (depth == 0 || fabsf (x - stack[depth - 1].x) > 0.6f * em)
    return MIN (depth + 1, MAX_DEPTH);
  for (same = depth; same > 0; same--)
    if (same_family (&stack[same - 1].label, &c->label))
      return same;
  if (c->label.kind != DP_LABEL_BULLET && c->value == 1 && stack[depth - 1].label.kind != DP_LABEL_BULLET)
    return MIN (depth + 1, MAX_DEPTH);
  return depth;
}

static void
nest (DpFlow *flow, const GArray *candidates)
{
  Level stack[MAX_DEPTH];
  guint depth = 0;
  const Candidate *before = NULL;

  for (guint i = 0; i < candidates->len; i++) {
    const Candidate *c = &g_array_index (candidates, Candidate, i);
    DpFlowLine *line = dp_flow_line (flow, c->line);
    const float x = line->at.x0 - dp_flow_column (flow, line).x0;
    guint level;
    if (line->role != DP_ROLE_ITEM)
      continue;
    if (before && list_ended (flow, before->line, c->line, line->at.x0))
      depth = 0;
    else if (before)
      mark_inside (flow, before->line, c->line, stack, depth);
    level = before ? level_continued (flow, before, c, stack, depth) : 0;
    depth = level ? level : level_by_indent (c, x, line->size, stack, depth);
    stack[depth - 1] = (Level){ x, c->label, c->value };
    line->level = depth - 1;
    before = c;
  }
}

void
dp_flow_lists (DpFlow *flow)
{
  g_autoptr (GArray) candidates = g_array_new (FALSE, FALSE, sizeof (Candidate));
  g_autoptr (GHashTable) starts = g_hash_table_new (NULL, NULL);

  collect (flow, candidates);
  link_sequences (flow, candidates);
  for (guint i = 0; i < candidates->len; i++) {
    Candidate *c = &g_array_index (candidates, Candidate, i);
    judge_weak (flow, c);
    judge_single (flow, candidates, i);
    if (c->valid)
      g_hash_table_add (starts, GUINT_TO_POINTER (c->line));
  }
  for (guint i = 0; i < candidates->len; i++) {
    Candidate *c = &g_array_index (candidates, Candidate, i);
    if (c->valid && dp_flow_line (flow, c->line)->role == DP_ROLE_BODY)
      claim_item (flow, c, starts);
  }
  nest (flow, candidates);
}
