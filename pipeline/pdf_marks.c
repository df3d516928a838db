/* pipeline/pdf_marks.c - see pdf_marks.h: lines from right to left are read again from what was painted. */
#include "pipeline/pdf_marks.h"

#include <math.h>

#include "layout/text.h"

#define SAME_BASELINE 0.1f /* of the size: letters of one line */
#define MARK_RISE 0.6f     /* of the size: marks are painted no farther above or below their line */
#define SPACE_GAP 0.1f     /* of the size: letters farther apart stand in two words, as poppler has it */
#define LINE_GAP 1.5f      /* of the size: ... and in two columns */
#define EXACT 0.75f        /* points: boxes and origins come from different roundings */
#define REACH 1.5f         /* of the size: a cut box is no farther from its glyph */
#define NO_ADVANCE 0.02f   /* of the size: what marks may move the pen */
#define MAX_LINE 1000      /* characters: what is longer is no line */
#define MAX_PAINTED 8000u  /* glyphs at its height: more are a drawing, and each character is compared with all */

static const DpTapGlyph *
tap_glyph (const DpTap *tap, guint i)
{
  return &g_array_index (tap->glyphs, DpTapGlyph, i);
}

/* Where the pen stands behind a glyph: boxes of letters are cut where a mark begins. */
static float
pen_behind (const DpTap *tap, gint painted, DpRect box)
{
  if (painted < 0)
    return box.x1;
  return MAX (box.x1, tap_glyph (tap, (guint) painted)->x + dp_tap_glyph_advance (tap, tap_glyph (tap, (guint) painted)));
}

static gboolean
is_upright (const DpGlyph *g)
{
  return g->angle == 0 && !(g->flags & (DP_GLYPH_VERTICAL | DP_GLYPH_SKEWED)) && g->size > 0 && g->size < 1e4f;
}

/* Painted without room of its own on the line. */
static gboolean
floats (const DpTap *tap, guint painted)
{
  return dp_tap_glyph_advance (tap, tap_glyph (tap, painted)) < NO_ADVANCE * tap_glyph (tap, painted)->size;
}

/* ---- spaces ------------------------------------------------------------------------------------------------------ */

/* A space beside a mark that is none: the letter under the mark reaches to the next one. */
static void
close_gaps (const DpTap *tap, const gint *painted, DpPageArrays *out)
{
  DpGlyph *g = (DpGlyph *) out->glyphs->data;
  float end = 0; /* of the last letter and its marks */

  for (guint i = 0; i + 1 < out->glyphs->len; i++) {
    const float behind = pen_behind (tap, painted[i], g[i].box);
    end = dp_text_is_mark (g[i].code) ? MAX (end, behind) : behind;
    if (!(g[i].flags & DP_GLYPH_SPACE) || g[i].flags & DP_GLYPH_BREAK || !is_upright (&g[i])
        || !(dp_text_is_mark (g[i].code) || dp_text_is_mark (g[i + 1].code)) || dp_text_is_rtl (g[i].code))
      continue;
    if (fabsf (g[i + 1].box.x0 - end) < SPACE_GAP * g[i].size)
      g[i].flags &= (guint16) ~DP_GLYPH_SPACE;
  }
}

/* ---- the characters of a line ------------------------------------------------------------------------------------- */

/* A character of a line. */
typedef struct {
  guint glyph;   /* its number on the page */
  gint tap;      /* the painted glyph, -1 = none was found */
  float x0, x1;  /* from pen to pen */
  float x0_text; /* of its box in the text */
  gint host;     /* the member it goes behind, -1 = it stands for itself */
  gboolean mark;
} Member;

typedef struct {
  const DpTap *tap;
  guint8 *used;
  const DpGlyph *glyphs; /* of the page */
  GArray *members;       /* Member, in the order of the text */
  GArray *painted;       /* guint: painted glyphs on the line, in the order of painting */
  float baseline, size;
} Line;

static Member *
member (const Line *line, guint i)
{
  return &g_array_index (line->members, Member, i);
}

/* Fonts may name the shape of a letter. */
static gboolean
means (guint32 code, guint32 c)
{
  gunichar base[8];

  return code == c || (code >= 0xfb1d && g_unichar_fully_decompose (code, TRUE, base, G_N_ELEMENTS (base)) > 0 && base[0] == c);
}

/* The nearest painted glyph of this meaning (0: whose meaning is not known, a mark or not as the character is) that nobody has. */
static void
take_nearest (Line *line, Member *m, guint32 code, float reach)
{
  const DpGlyph *g = &line->glyphs[m->glyph];
  guint best = G_MAXUINT;

  for (guint i = 0; i < line->painted->len; i++) {
    const guint k = g_array_index (line->painted, guint, i);
    const DpTapGlyph *t = tap_glyph (line->tap, k);
    const float off = fabsf (t->x - g->box.x0);
    if (!line->used[k] && off <= reach && (code ? means (t->code, code) : t->code == 0 && floats (line->tap, k) == m->mark))
      best = k, reach = off - 0.01f;
  }
  if (best == G_MAXUINT)
    return;
  line->used[best] = 1;
  m->tap = (gint) best;
}

/* By meaning and exact place first, then by meaning; what replaces others in the text (/ActualText) is not named by its glyphs. */
static void
find_painted (Line *line)
{
  const float reaches[] = { EXACT, REACH * line->size, 0.5f * line->size };

  for (guint round = 0; round < G_N_ELEMENTS (reaches); round++)
    for (guint i = 0; i < line->members->len; i++) {
      Member *m = member (line, i);
      if (m->tap < 0)
        take_nearest (line, m, round < 2 ? line->glyphs[m->glyph].code : 0, reaches[round]);
    }
  for (guint i = 0; i < line->members->len; i++) {
    Member *m = member (line, i);
    const DpRect box = line->glyphs[m->glyph].box;
    m->x0_text = box.x0;
    m->x0 = m->tap < 0 ? box.x0 : tap_glyph (line->tap, (guint) m->tap)->x;
    m->x1 = m->tap < 0 ? box.x1 : m->x0 + dp_tap_glyph_advance (line->tap, tap_glyph (line->tap, (guint) m->tap));
  }
}

/* ---- whose mark ---------------------------------------------------------------------------------------------------- */

static gint
by_painting (gconstpointer a, gconstpointer b, gpointer data)
{
  const Line *line = data;
  const Member *x = member (line, *(const guint *) a), *y = member (line, *(const guint *) b);

  return x->tap != y->tap ? (x->tap < y->tap ? -1 : 1) : x->glyph < y->glyph ? -1 : x->glyph > y->glyph;
}

/* Whether the line was painted as it is read, from the right; programs that shape text paint it from the left, marks first. */
static gboolean
painted_in_order (const Line *line, const GArray *order)
{
  const Member *last = NULL;
  gint leftwards = 0;

  for (guint i = 0; i < order->len; i++) {
    const Member *m = member (line, g_array_index (order, guint, i));
    if (m->mark || m->tap < 0)
      continue;
    if (last)
      leftwards += m->x0 < last->x0 ? 1 : -1;
    last = m;
  }
  return leftwards >= 0;
}

/* The letter under (or nearest to) x. */
static gint
letter_at (const Line *line, float x)
{
  gint best = -1;
  float least = INFINITY;

  for (guint i = 0; i < line->members->len; i++) {
    const Member *m = member (line, i);
    const float off = MAX (MAX (m->x0 - x, x - m->x1), 0);
    if (!m->mark && m->host < 0 && off < least)
      least = off, best = (gint) i;
  }
  return best;
}

/* Letters without a glyph of their own are parts of a ligature and follow the one before them in the text. */
static void
host_ligatures (Line *line)
{
  for (guint i = 1; i < line->members->len; i++) {
    Member *m = member (line, i), *before = member (line, i - 1);
    if (m->tap < 0 && !m->mark && !before->mark && m->glyph == before->glyph + 1
        && !(line->glyphs[before->glyph].flags & (DP_GLYPH_SPACE | DP_GLYPH_BREAK)))
      m->host = before->host >= 0 ? before->host : (gint) i - 1;
  }
}

/* Where one glyph means two marks, the second has none. */
static void
host_second_marks (Line *line)
{
  for (guint i = 0; i < line->members->len; i++) {
    Member *m = member (line, i), *before = i ? member (line, i - 1) : NULL, *after = i + 1 < line->members->len ? m + 1 : NULL;
    if (!m->mark || m->tap >= 0)
      continue;
    if (before && before->mark && before->tap >= 0 && fabsf (before->x0_text - m->x0_text) < EXACT)
      m->host = before->host;
    else if (after && after->mark && after->tap >= 0 && fabsf (after->x0_text - m->x0_text) < EXACT)
      m->host = after->host;
  }
}

/* Each mark belongs to the letter painted last before it, if it stands near that one, else to the letter under it. */
static void
host_marks (Line *line)
{
  g_autoptr (GArray) order = g_array_new (FALSE, FALSE, sizeof (guint));
  gint letter = -1;

  for (guint i = 0; i < line->members->len; i++)
    g_array_append_val (order, i);
  g_array_sort_with_data (order, by_painting, line);
  const gboolean forward = painted_in_order (line, order);
  for (guint i = 0; i < order->len; i++) {
    const guint k = g_array_index (order, guint, forward ? i : order->len - 1 - i);
    Member *m = member (line, k);
    if (!m->mark) {
      letter = m->tap < 0 ? letter : m->host >= 0 ? m->host : (gint) k;
      continue;
    }
    const Member *before = letter < 0 || m->tap < 0 ? NULL : member (line, (guint) letter);
    m->host = before && m->x0 > before->x0 - line->size && m->x0 < before->x1 + line->size ? letter : letter_at (line, m->x0);
  }
  host_second_marks (line);
}

/* ---- the line in order ------------------------------------------------------------------------------------------------ */

static gint
from_the_right (gconstpointer a, gconstpointer b, gpointer data)
{
  const Member *x = member (data, *(const guint *) a), *y = member (data, *(const guint *) b);

  return x->x0 != y->x0 ? (x->x0 > y->x0 ? -1 : 1) : x->glyph < y->glyph ? -1 : x->glyph > y->glyph;
}

static gboolean
runs_rightwards (const Line *line, guint i)
{
  const gunichar c = line->glyphs[member (line, i)->glyph].code;

  return g_unichar_isalnum (c) && (!dp_text_is_rtl (c) || g_unichar_isdigit (c));
}

/* Letters from the right, but numbers and words of other scripts from the left. */
static GArray *
letters_in_order (Line *line)
{
  GArray *letters = g_array_new (FALSE, FALSE, sizeof (guint));

  for (guint i = 0; i < line->members->len; i++)
    if (member (line, i)->host < 0)
      g_array_append_val (letters, i);
  g_array_sort_with_data (letters, from_the_right, line);
  guint *l = (guint *) letters->data;
  for (guint i = 0, end; i < letters->len; i = MAX (end, i + 1)) {
    for (end = i; end < letters->len && runs_rightwards (line, l[end]); end++)
      ;
    for (guint a = i, b = end; a + 1 < b; a++, b--) {
      const guint t = l[a];
      l[a] = l[b - 1];
      l[b - 1] = t;
    }
  }
  return letters;
}

static void
place_letter (const Line *line, const Member *m, DpGlyph *g)
{
  g->box.x0 = MIN (m->x0, m->x1);
  g->box.x1 = MAX (m->x0, m->x1);
  if (m->tap < 0)
    return;
  const DpTapGlyph *t = tap_glyph (line->tap, (guint) m->tap);
  g->baseline = t->y;
  g->size = t->size;
  g->paint = t->paint;
}

/* The same for what goes behind a letter: it shares its place. */
static void
place_behind (const DpGlyph *letter, DpGlyph *g)
{
  g->box = letter->box;
  g->baseline = letter->baseline;
  g->size = letter->size;
  g->paint = letter->paint;
  g->colour = letter->colour;
  g->flags &= (guint16) ~DP_GLYPH_UNPAINTED;
}

/* Appends the line's characters as they are read. */
static void
write_line (Line *line, GArray *to)
{
  g_autoptr (GArray) letters = letters_in_order (line);
  const guint16 ends = DP_GLYPH_SPACE | DP_GLYPH_BREAK;

  for (guint i = 0; i < letters->len; i++) {
    const guint k = g_array_index (letters, guint, i);
    const Member *m = member (line, k), *next = i + 1 < letters->len ? member (line, g_array_index (letters, guint, i + 1)) : NULL;
    DpGlyph letter = line->glyphs[m->glyph];
    place_letter (line, m, &letter);
    letter.flags &= (guint16) ~ends;
    g_array_append_val (to, letter);
    for (guint h = 0; h < line->members->len; h++) {
      DpGlyph behind = line->glyphs[member (line, h)->glyph];
      if (member (line, h)->host != (gint) k)
        continue;
      place_behind (&letter, &behind);
      behind.flags &= (guint16) ~ends;
      g_array_append_val (to, behind);
    }
    if (!next || MAX (m->x0 - next->x1, next->x0 - m->x1) > SPACE_GAP * line->size)
      g_array_index (to, DpGlyph, to->len - 1).flags |= next ? DP_GLYPH_SPACE : ends;
  }
}

/* ---- the lines of a page -------------------------------------------------------------------------------------------- */

/* A stretch of letters on one baseline. */
typedef struct {
  GArray *glyphs; /* guint: their numbers */
  float x0, x1, baseline, size;
  guint n_rtl, n_marks;
} Stretch;

typedef struct {
  const DpTap *tap;
  const gint *painted;
  guint8 *used;
  guint8 *owned; /* per painted glyph: whether a character has it that is not read again */
  DpPageArrays *out;
  GArray *letters;  /* guint: characters that stand for themselves */
  GArray *marks;    /* guint: what may stand above or below its line */
  GArray *by_y;     /* guint: painted glyphs from the top down */
  GPtrArray *lines; /* Stretch */
} Page;

static const DpGlyph *
glyph_at (const Page *page, guint i)
{
  return &g_array_index (page->out->glyphs, DpGlyph, i);
}

static void
stretch_free (gpointer data)
{
  Stretch *s = data;

  g_array_unref (s->glyphs);
  g_free (s);
}

static gint
by_baseline (gconstpointer a, gconstpointer b, gpointer page)
{
  const DpGlyph *x = glyph_at (page, *(const guint *) a), *y = glyph_at (page, *(const guint *) b);

  return x->baseline < y->baseline ? -1 : x->baseline > y->baseline;
}

static gint
by_left (gconstpointer a, gconstpointer b, gpointer page)
{
  const DpGlyph *x = glyph_at (page, *(const guint *) a), *y = glyph_at (page, *(const guint *) b);

  return x->box.x0 < y->box.x0 ? -1 : x->box.x0 > y->box.x0;
}

static gint
by_height (gconstpointer a, gconstpointer b, gpointer tap)
{
  const float x = tap_glyph (tap, *(const guint *) a)->y, y = tap_glyph (tap, *(const guint *) b)->y;

  return x < y ? -1 : x > y;
}

static gint
by_number (gconstpointer a, gconstpointer b)
{
  const guint x = *(const guint *) a, y = *(const guint *) b;

  return x < y ? -1 : x > y;
}

/* Marks, and letters which /ActualText put where their mark was painted. */
static gboolean
stands_loose (const Page *page, guint i)
{
  const gunichar c = glyph_at (page, i)->code;

  return dp_text_is_mark (c) || (dp_text_is_rtl (c) && page->painted[i] >= 0 && floats (page->tap, (guint) page->painted[i]));
}

static void
collect (Page *page)
{
  for (guint i = 0; i < page->out->glyphs->len; i++)
    if (is_upright (glyph_at (page, i)) && stands_loose (page, i))
      g_array_append_val (page->marks, i);
    else if (is_upright (glyph_at (page, i)) && !(glyph_at (page, i)->flags & DP_GLYPH_UNPAINTED))
      g_array_append_val (page->letters, i);
  for (guint i = 0; i < page->tap->glyphs->len; i++)
    if (tap_glyph (page->tap, i)->angle == 0)
      g_array_append_val (page->by_y, i);
  for (guint i = 0; i < page->out->glyphs->len; i++)
    if (page->painted[i] >= 0)
      page->owned[page->painted[i]] = 1;
  g_array_sort_with_data (page->letters, by_baseline, page);
  g_array_sort_with_data (page->by_y, by_height, (gpointer) page->tap);
}

/* One baseline, letters first..end - 1 of the sorted ones, in stretches. */
static void
add_stretches (Page *page, guint first, guint end)
{
  g_autoptr (GArray) row = g_array_new (FALSE, FALSE, sizeof (guint));
  Stretch *s = NULL;

  g_array_append_vals (row, &g_array_index (page->letters, guint, first), end - first);
  g_array_sort_with_data (row, by_left, page);
  for (guint i = 0; i < row->len; i++) {
    const guint k = g_array_index (row, guint, i);
    const DpGlyph *g = glyph_at (page, k);
    if (!s || g->box.x0 - s->x1 > LINE_GAP * MAX (s->size, g->size)) {
      s = g_new0 (Stretch, 1);
      *s = (Stretch){ g_array_new (FALSE, FALSE, sizeof (guint)), g->box.x0, g->box.x1, g->baseline, g->size, 0, 0 };
      g_ptr_array_add (page->lines, s);
    }
    s->x1 = MAX (s->x1, g->box.x1);
    s->size = MAX (s->size, g->size);
    s->n_rtl += dp_text_is_rtl (g->code);
    g_array_append_val (s->glyphs, k);
  }
}

static void
find_stretches (Page *page)
{
  for (guint i = 0, end; i < page->letters->len; i = end) {
    const DpGlyph *g = glyph_at (page, g_array_index (page->letters, guint, i));
    for (end = i + 1; end < page->letters->len; end++) {
      const DpGlyph *next = glyph_at (page, g_array_index (page->letters, guint, end));
      if (next->baseline - g->baseline > SAME_BASELINE * MAX (g->size, next->size))
        break;
      g = next;
    }
    add_stretches (page, i, end);
  }
}

/* Each mark to the nearest line that it can belong to.  Lines come from the top down: of those above only few are near. */
static void
add_marks (Page *page)
{
  guint from = 0;

  g_array_sort_with_data (page->marks, by_baseline, page);
  for (guint i = 0; i < page->marks->len; i++) {
    const guint k = g_array_index (page->marks, guint, i);
    const DpGlyph *g = glyph_at (page, k);
    const float rise = MARK_RISE * g->size, reach = 0.5f * g->size;
    Stretch *best = NULL;
    while (from < page->lines->len && ((Stretch *) g_ptr_array_index (page->lines, from))->baseline < g->baseline - rise)
      from++;
    for (guint l = from; l < page->lines->len; l++) {
      Stretch *s = g_ptr_array_index (page->lines, l);
      if (s->baseline > g->baseline + rise)
        break;
      if (g->box.x0 > s->x0 - reach && g->box.x0 < s->x1 + reach
          && (!best || fabsf (s->baseline - g->baseline) < fabsf (best->baseline - g->baseline)))
        best = s;
    }
    if (!best)
      continue;
    best->n_marks++;
    g_array_append_val (best->glyphs, k);
  }
}

/* The painted glyphs of a line, in the order of painting. */
static void
add_painted (const Page *page, const Stretch *s, Line *line)
{
  const float top = s->baseline - MARK_RISE * s->size, bottom = s->baseline + MARK_RISE * s->size;
  guint lo = 0, hi = page->by_y->len;

  while (lo < hi) {
    const guint mid = (lo + hi) / 2;
    if (tap_glyph (page->tap, g_array_index (page->by_y, guint, mid))->y < top)
      lo = mid + 1;
    else
      hi = mid;
  }
  for (; lo < page->by_y->len && line->painted->len < MAX_PAINTED; lo++) {
    const guint k = g_array_index (page->by_y, guint, lo);
    const DpTapGlyph *t = tap_glyph (page->tap, k);
    if (t->y > bottom)
      break;
    if (t->x > s->x0 - REACH * s->size && t->x < s->x1 + REACH * s->size)
      g_array_append_val (line->painted, k);
  }
  g_array_sort (line->painted, by_number);
}

/* Glyphs of the line are for its characters to choose again, but for those that other characters have.  Returns them. */
static GArray *
free_painted (const Page *page, const Line *line)
{
  GArray *freed = g_array_new (FALSE, FALSE, sizeof (guint));

  for (guint i = 0; i < line->painted->len; i++) {
    const guint k = g_array_index (line->painted, guint, i);
    if (!page->used[k] || page->owned[k])
      continue;
    page->used[k] = 0;
    g_array_append_val (freed, k);
  }
  return freed;
}

/* The characters of a line as they are to be read. */
static GArray *
read_line (const Page *page, const Stretch *s)
{
  Line line = { .tap = page->tap,
                .used = page->used,
                .glyphs = (const DpGlyph *) page->out->glyphs->data,
                .members = g_array_new (FALSE, FALSE, sizeof (Member)),
                .painted = g_array_new (FALSE, FALSE, sizeof (guint)),
                .baseline = s->baseline,
                .size = s->size };
  GArray *text = g_array_new (FALSE, FALSE, sizeof (DpGlyph));

  g_array_sort (s->glyphs, by_number);
  for (guint i = 0; i < s->glyphs->len; i++) {
    const guint k = g_array_index (s->glyphs, guint, i);
    const Member m = { .glyph = k, .tap = -1, .host = -1, .mark = dp_text_is_mark (line.glyphs[k].code) };
    if (page->painted[k] >= 0)
      page->owned[page->painted[k]] = 0;
    g_array_append_val (line.members, m);
  }
  add_painted (page, s, &line);
  g_autoptr (GArray) freed = free_painted (page, &line);
  find_painted (&line);
  for (guint i = 0; i < freed->len; i++) /* copies, too */
    page->used[g_array_index (freed, guint, i)] = 1;
  host_ligatures (&line);
  host_marks (&line);
  write_line (&line, text);
  g_array_unref (line.members);
  g_array_unref (line.painted);
  return text;
}

/* Lines that are read again stand where their first character stood. */
static void
read_lines (Page *page)
{
  const guint n = page->out->glyphs->len;
  g_autofree GArray **lines = g_new0 (GArray *, n + 1); /* by their first character */
  g_autofree guint8 *moved = g_new0 (guint8, n + 1);
  GArray *text = g_array_sized_new (FALSE, TRUE, sizeof (DpGlyph), n);

  for (guint l = 0; l < page->lines->len; l++) {
    const Stretch *s = g_ptr_array_index (page->lines, l);
    if (s->n_marks == 0 || 2 * s->n_rtl < s->glyphs->len - s->n_marks || s->glyphs->len > MAX_LINE)
      continue;
    GArray *line = read_line (page, s);
    lines[g_array_index (s->glyphs, guint, 0)] = line;
    for (guint i = 0; i < s->glyphs->len; i++)
      moved[g_array_index (s->glyphs, guint, i)] = 1;
  }
  for (guint i = 0; i < n; i++) {
    if (lines[i])
      g_array_append_vals (text, lines[i]->data, lines[i]->len);
    else if (!moved[i])
      g_array_append_val (text, *glyph_at (page, i));
    g_clear_pointer (&lines[i], g_array_unref);
  }
  g_array_unref (page->out->glyphs);
  page->out->glyphs = text;
}

gboolean
dp_pdf_marks (const DpTap *tap, const gint *painted, guint8 *used, DpPageArrays *out)
{
  gboolean any = FALSE, rtl = FALSE;

  for (guint i = 0; i < out->glyphs->len; i++) {
    const gunichar c = g_array_index (out->glyphs, DpGlyph, i).code;
    any = any || dp_text_is_mark (c);
    rtl = rtl || dp_text_is_rtl (c);
  }
  if (any)
    close_gaps (tap, painted, out);
  if (!any || !rtl)
    return FALSE;
  Page page = { .tap = tap,
                .painted = painted,
                .used = used,
                .owned = g_new0 (guint8, tap->glyphs->len + 1),
                .out = out,
                .letters = g_array_new (FALSE, FALSE, sizeof (guint)),
                .marks = g_array_new (FALSE, FALSE, sizeof (guint)),
                .by_y = g_array_new (FALSE, FALSE, sizeof (guint)),
                .lines = g_ptr_array_new_with_free_func (stretch_free) };
  collect (&page);
  find_stretches (&page);
  add_marks (&page);
  read_lines (&page);
  g_free (page.owned);
  g_array_unref (page.letters);
  g_array_unref (page.marks);
  g_array_unref (page.by_y);
  g_ptr_array_unref (page.lines);
  return TRUE;
}
