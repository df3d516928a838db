/* vlm/protocols/mineru_layout.c - parsing the layout answer; the grammar is in the header. */
#include "vlm/protocols/mineru_layout.h"

#include "vlm/protocols/latex.h"
#include "vlm/protocols/text.h"

#include <string.h>

#define BOX_START "<|box_start|>"
#define INSIDE 0.9 /* of its area: lies in */

static const char *const type_names[] = {
#define X(NAME, name) name,
  DP_MINERU_TYPES (X)
#undef X
};

const char *
dp_mineru_type_name (DpMineruType type)
{
  return type < DP_MINERU_N_TYPES ? type_names[type] : "?";
}

int
dp_mineru_type_from_name (const char *name, gsize n)
{
  for (guint i = 0; i < G_N_ELEMENTS (type_names); i++)
    if (strlen (type_names[i]) == n && g_ascii_strncasecmp (type_names[i], name, n) == 0)
      return (int) i;
  return -1;
}

DpMineruBlock *
dp_mineru_block_new (DpMineruType type, const double box[4], int angle)
{
  DpMineruBlock *b = g_new0 (DpMineruBlock, 1);

  b->type = type;
  b->angle = angle;
  memcpy (b->box, box, sizeof b->box);
  return b;
}

void
dp_mineru_block_free (DpMineruBlock *b)
{
  if (!b)
    return;
  g_free (b->content);
  g_free (b->sub_type);
  g_free (b->caption);
  g_clear_pointer (&b->pictures, g_array_unref);
  g_free (b);
}

void
dp_mineru_layout_free (DpMineruLayout *l)
{
  if (!l)
    return;
  g_clear_pointer (&l->blocks, g_ptr_array_unref); /* the caller may have taken them */
  g_free (l);
}

/* ---- one block ---- */

/* p behind a literal, or NULL. */
static const char *
expect (const char *p, const char *literal)
{
  return p && g_str_has_prefix (p, literal) ? p + strlen (literal) : NULL;
}

/* Digits; what is above 1000 counts as 1001, however long. */
static const char *
number (const char *p, guint *value)
{
  const char *start = p;

  for (*value = 0; p && g_ascii_isdigit (*p); p++)
    *value = MIN (*value * 10 + (guint) (*p - '0'), 1001);
  return p == start ? NULL : p;
}

static const char *
four_numbers (const char *p, guint v[4])
{
  for (int i = 0; i < 4 && p; i++) {
    if (i > 0) {
      const char *gap = dp_protocol_skip (p);
      p = gap == p ? NULL : gap;
    }
    p = number (p, &v[i]);
  }
  return p;
}

typedef struct {
  guint numbers[4];
  DpSpan type;
  int angle;
  const char *tail;
} Entry;

static const char *
read_angle (const char *p, int *angle)
{
  static const struct {
    const char *token;
    int angle;
  } angles[] = { { "<|rotate_up|>", 0 }, { "<|rotate_right|>", 90 }, { "<|rotate_down|>", 180 }, { "<|rotate_left|>", 270 } };

  *angle = -1;
  for (guint i = 0; i < G_N_ELEMENTS (angles); i++)
    if (g_str_has_prefix (p, angles[i].token)) {
      *angle = angles[i].angle;
      return p + strlen (angles[i].token);
    }
  return p;
}

/* The entry that begins at p (a BOX_START); FALSE: something else does. */
static gboolean
read_entry (const char *p, Entry *e)
{
  p = expect (expect (four_numbers (expect (p, BOX_START), e->numbers), "<|box_end|>"), "<|ref_start|>");
  if (!p)
    return FALSE;
  const char *type = p;
  while (*p && (*p == '_' || g_unichar_isalnum (g_utf8_get_char (p))))
    p = g_utf8_next_char (p);
  e->type = dp_span (type, (gsize) (p - type));
  p = p > type ? expect (p, "<|ref_end|>") : NULL;
  if (!p)
    return FALSE;
  e->tail = read_angle (p, &e->angle);
  return TRUE;
}

/* Thousandths to 0..1, corners in order; FALSE: no box. */
static gboolean
make_box (const guint v[4], double box[4])
{
  const guint x0 = MIN (v[0], v[2]), x1 = MAX (v[0], v[2]), y0 = MIN (v[1], v[3]), y1 = MAX (v[1], v[3]);

  if (x1 > 1000 || y1 > 1000 || x0 == x1 || y0 == y1)
    return FALSE;
  box[0] = x0 / 1000.0, box[1] = y0 / 1000.0, box[2] = x1 / 1000.0, box[3] = y1 / 1000.0;
  return TRUE;
}

/* end: where the tail ends. */
static void
add_entry (DpMineruLayout *l, const Entry *e, const char *end)
{
  static const char formula[] = "inline_formula", merge[] = "txt_contd_tgt";
  double box[4];

  if (!make_box (e->numbers, box)) {
    l->bad_boxes++;
    return;
  }
  int type = dp_mineru_type_from_name (e->type.start, e->type.n);
  if (type < 0) {
    if (e->type.n != strlen (formula) || g_ascii_strncasecmp (e->type.start, formula, e->type.n) != 0) /* those are left out knowingly */
      l->unknown_types++;
    return;
  }
  l->no_angle += e->angle < 0;
  DpMineruBlock *b = dp_mineru_block_new (type == DP_MINERU_UNKNOWN ? DP_MINERU_IMAGE : (DpMineruType) type, box, e->angle);
  b->merge_prev = b->type == DP_MINERU_TEXT && g_strstr_len (e->tail, end - e->tail, merge) != NULL;
  g_ptr_array_add (l->blocks, b);
}

/* ---- the page ---- */

double
dp_mineru_cover (const double inner[4], const double outer[4])
{
  const double area = MAX (0, inner[2] - inner[0]) * MAX (0, inner[3] - inner[1]);
  const double w = MIN (inner[2], outer[2]) - MAX (inner[0], outer[0]), h = MIN (inner[3], outer[3]) - MAX (inner[1], outer[1]);

  return area > 0 && w > 0 && h > 0 ? w * h / area : 0;
}

static gboolean
in_a_table (const GPtrArray *blocks, const DpMineruBlock *b)
{
  if (b->type != DP_MINERU_TEXT && b->type != DP_MINERU_EQUATION && b->type != DP_MINERU_EQUATION_BLOCK)
    return FALSE;
  for (guint i = 0; i < blocks->len; i++) {
    const DpMineruBlock *table = g_ptr_array_index (blocks, i);
    if (table->type == DP_MINERU_TABLE && dp_mineru_cover (b->box, table->box) >= INSIDE)
      return TRUE;
  }
  return FALSE;
}

/* Keeps blocks without a flag; put[i], where it is not NULL, takes a flagged block's place. */
static void
keep (GPtrArray *blocks, const guint8 *gone, DpMineruBlock **put)
{
  gsize n;
  g_autofree gpointer *old = g_ptr_array_steal (blocks, &n);

  for (gsize i = 0; i < n; i++) {
    if (!gone[i])
      g_ptr_array_add (blocks, old[i]);
    else {
      dp_mineru_block_free (old[i]);
      if (put && put[i])
        g_ptr_array_add (blocks, put[i]);
    }
  }
}

/* The model sees the cells of a table as blocks, too. */
static void
drop_inside_tables (DpMineruLayout *l)
{
  g_autofree guint8 *gone = g_malloc0 (l->blocks->len + 1);

  for (guint i = 0; i < l->blocks->len; i++) {
    gone[i] = in_a_table (l->blocks, g_ptr_array_index (l->blocks, i));
    l->inside_tables += gone[i];
  }
  keep (l->blocks, gone, NULL);
}

DpMineruLayout *
dp_mineru_layout_parse (const char *text, gssize n)
{
  DpMineruLayout *l = g_new0 (DpMineruLayout, 1);
  g_autofree char *valid = g_utf8_make_valid (text, n);
  gboolean matched = FALSE;
  Entry e;

  l->blocks = g_ptr_array_new_with_free_func ((GDestroyNotify) dp_mineru_block_free);
  for (const char *p = strstr (valid, BOX_START); p;) {
    const gboolean found = read_entry (p, &e);
    const char *next = strstr (found ? e.tail : p + 1, BOX_START);
    matched |= found;
    if (found)
      add_entry (l, &e, next ? next : e.tail + strlen (e.tail));
    p = next;
  }
  l->unmatched = !matched && *dp_protocol_skip (valid);
  drop_inside_tables (l);
  return l;
}

/* ---- equation blocks ---- */

/* One equation in the place of members (indices), at the block's. */
static DpMineruBlock *
joined (const GPtrArray *blocks, const DpMineruBlock *block, const GArray *members)
{
  DpMineruBlock *b = dp_mineru_block_new (DP_MINERU_EQUATION, block->box, block->angle);
  g_autofree const char **contents = g_new (const char *, members->len);

  for (guint i = 0; i < members->len; i++) {
    const DpMineruBlock *m = g_ptr_array_index (blocks, g_array_index (members, guint, i));
    contents[i] = m->content ? m->content : "";
    b->confidence = i ? MIN (b->confidence, m->confidence) : m->confidence;
  }
  b->content = dp_latex_join (contents, members->len);
  return b;
}

static GArray *
members_of (const GPtrArray *blocks, const DpMineruBlock *block)
{
  GArray *members = g_array_new (FALSE, FALSE, sizeof (guint));

  for (guint i = 0; i < blocks->len; i++) {
    const DpMineruBlock *b = g_ptr_array_index (blocks, i);
    if (b->type == DP_MINERU_EQUATION && dp_mineru_cover (b->box, block->box) > INSIDE)
      g_array_append_val (members, i);
  }
  return members;
}

void
dp_mineru_join_equations (GPtrArray *blocks)
{
  const guint n = blocks->len;
  g_autofree guint8 *gone = g_malloc0 (n + 1);
  g_autofree DpMineruBlock **put = g_new0 (DpMineruBlock *, n + 1);

  for (guint i = 0; i < n; i++) {
    const DpMineruBlock *b = g_ptr_array_index (blocks, i);
    if (b->type != DP_MINERU_EQUATION_BLOCK)
      continue;
    g_autoptr (GArray) members = members_of (blocks, b);
    gone[i] = TRUE;
    if (members->len < 2)
      continue;
    put[i] = joined (blocks, b, members);
    for (guint m = 0; m < members->len; m++)
      gone[g_array_index (members, guint, m)] = TRUE;
  }
  keep (blocks, gone, put);
}
