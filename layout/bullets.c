/* layout/bullets.c - bullets that are drawn: balls, squares and small pictures left of lines.
 *
 * Slides and office programs paint the bullets of lists as paths or images; in the text layer the
 * items are lines like any other.  Small marks of one size and colour that stand at one edge, each
 * close to the first word of a line, are bullets: each becomes a word "•" before its line.  A number
 * that is written on the mark becomes a label ("3" on a ball: "3.").  Marks of the same kind that
 * stand elsewhere too are the points of a diagram, and nothing is done.
 */
#include "layout/bullets.h"

#include <math.h>
#include <string.h>

#include "layout/inline_images.h"

#define MIN_SIDE 0.18f  /* em */
#define MAX_SIDE 1.3f   /* em */
#define MAX_ASPECT 1.8f /* of the longer side to the shorter */
#define MAX_GAP 2.6f    /* em between the mark and its line */
#define CLEAR 2.6f      /* em left of the mark without a word */
#define SAME_X 1.2f     /* points: one edge */
#define SAME_SIDE 0.12f /* share by which sizes differ */
#define MAX_MARKS 4096u /* a page with more is a drawing */
#define MAX_WORDS 32u   /* looked at around a mark */

#define PICTURE 0xffffffffu  /* the "colour" of images */
#define NUMBERED 0xfffffffeu /* and of marks with a number */

typedef struct {
  DpRect box;
  guint32 colour; /* of a path, PICTURE or NUMBERED */
  gint word;      /* first word of its line, -1 = none */
  gint number;    /* word on the mark, -1 = none */
  gboolean bullet;
} Mark;

typedef struct {
  DpPageLayout *layout;
  GArray *words; /* guint: level words by baseline */
  GArray *marks; /* Mark */
} Bullets;

/* ---- marks ---------------------------------------------------------------------------------- */

static void
add_mark (GArray *marks, DpRect box, guint32 colour, float em)
{
  float w = dp_rect_width (box), h = dp_rect_height (box);
  Mark mark = { .box = box, .colour = colour, .word = -1, .number = -1 };

  if (!isfinite (w) || !isfinite (h) || !isfinite (box.x0) || !isfinite (box.y0) || MIN (w, h) < MIN_SIDE * em || MAX (w, h) > MAX_SIDE * em
      || MAX (w, h) > MAX_ASPECT * MIN (w, h) || marks->len > MAX_MARKS)
    return;
  g_array_append_val (marks, mark);
}

static gint
compare_marks (gconstpointer a, gconstpointer b)
{
  const Mark *x = a, *y = b;
  float dy = dp_rect_cy (x->box) - dp_rect_cy (y->box), dx = dp_rect_cx (x->box) - dp_rect_cx (y->box);

  return dy != 0 ? (dy < 0 ? -1 : 1) : dx != 0 ? (dx < 0 ? -1 : 1) : 0;
}

/* A ball is painted as circles in circles: the outermost stays. */
static void
merge_concentric (GArray *marks)
{
  guint n = 0;

  g_array_sort (marks, compare_marks);
  for (guint i = 0; i < marks->len; i++) {
    Mark *mark = &g_array_index (marks, Mark, i);
    gboolean inside = FALSE;
    for (guint k = n; k-- > 0 && n - k < 64 && !inside;) {
      Mark *kept = &g_array_index (marks, Mark, k);
      if (dp_rect_cy (mark->box) - dp_rect_cy (kept->box) > 0.5f * dp_rect_height (kept->box))
        break;
      inside = dp_rect_inside (mark->box, kept->box) > 0.6f || dp_rect_inside (kept->box, mark->box) > 0.6f;
      if (inside && dp_rect_area (mark->box) > dp_rect_area (kept->box)) {
        kept->box = mark->box;
        kept->colour = mark->colour;
      }
    }
    if (!inside)
      g_array_index (marks, Mark, n++) = *mark;
  }
  g_array_set_size (marks, n);
}

/* ---- words beside them ------------------------------------------------------------------------ */

static gint
compare_baselines (gconstpointer a, gconstpointer b, gpointer data)
{
  const DpPageLayout *layout = data;
  float x = g_array_index (layout->words, DpWord, *(const guint *) a).baseline;
  float y = g_array_index (layout->words, DpWord, *(const guint *) b).baseline;

  return x < y ? -1 : x > y;
}

static gboolean
is_number (const DpPageLayout *layout, const DpWord *word)
{
  gsize n;
  const char *text = dp_word_text (layout, word, &n);

  return n > 0 && n <= 2 && g_ascii_isdigit (text[0]) && (n == 1 || g_ascii_isdigit (text[1]));
}

/* A figure: the label of a tick or a point, no text of a list. */
static gboolean
is_figure (const DpPageLayout *layout, const DpWord *word)
{
  gsize n;
  const char *text = dp_word_text (layout, word, &n);
  gboolean digits = FALSE;

  for (const char *p = text; p < text + n; p = g_utf8_next_char (p)) {
    if (g_unichar_isalpha (g_utf8_get_char (p)))
      return FALSE;
    digits = digits || g_unichar_isdigit (g_utf8_get_char (p));
  }
  return digits;
}

/* The word whose line the mark begins; a word to the left, or over the mark, says that it begins none. */
static void
find_word (const Bullets *bullets, Mark *mark, float em)
{
  const DpPageLayout *layout = bullets->layout;
  float cy = dp_rect_cy (mark->box), nearest = G_MAXFLOAT;
  guint lo = 0, hi = bullets->words->len;

  while (lo < hi) {
    guint mid = lo + (hi - lo) / 2;
    if (g_array_index (layout->words, DpWord, g_array_index (bullets->words, guint, mid)).baseline < cy - 0.2f * em)
      lo = mid + 1;
    else
      hi = mid;
  }
  for (guint n = 0; lo < bullets->words->len && n < 16 * MAX_WORDS; lo++, n++) {
    guint index = g_array_index (bullets->words, guint, lo);
    const DpWord *word = &g_array_index (layout->words, DpWord, index);
    float rise = (word->baseline - cy) / MAX (word->size, 1), gap = word->box.x0 - mark->box.x1;
    if (word->baseline > cy + 1.5f * em)
      break;
    if (dp_rect_inside (word->box, mark->box) > 0.5f && is_number (layout, word)) {
      mark->number = (gint) index;
      mark->colour = NUMBERED; /* the number of the step that is spoken of stands out */
      continue;
    }
    if (rise < 0.05f || rise > 0.75f)
      continue;
    if (word->box.x0 < mark->box.x1 - 0.1f * em) {
      if (word->box.x1 > mark->box.x0 - CLEAR * em) {
        mark->word = -1;
        return;
      }
    } else if (gap < MAX_GAP * word->size && gap < nearest) {
      nearest = gap;
      mark->word = (gint) index;
    }
  }
  if (mark->word >= 0 && is_figure (layout, &g_array_index (layout->words, DpWord, mark->word)))
    mark->word = -1;
}

/* ---- which are bullets -------------------------------------------------------------------------- */

static gboolean
same_kind (const Mark *a, const Mark *b)
{
  float w = dp_rect_width (a->box), h = dp_rect_height (a->box);

  return a->colour == b->colour && fabsf (w - dp_rect_width (b->box)) <= SAME_SIDE * w
         && fabsf (h - dp_rect_height (b->box)) <= SAME_SIDE * h;
}

static gint
compare_kinds (gconstpointer a, gconstpointer b)
{
  const Mark *x = *(Mark *const *) a, *y = *(Mark *const *) b;
  float wx = dp_rect_width (x->box), wy = dp_rect_width (y->box);

  if (x->colour != y->colour)
    return x->colour < y->colour ? -1 : 1;
  if (wx != wy)
    return wx < wy ? -1 : 1;
  return compare_marks (x, y);
}

static gint
compare_edges (gconstpointer a, gconstpointer b)
{
  float x = dp_rect_cx ((*(Mark *const *) a)->box), y = dp_rect_cx ((*(Mark *const *) b)->box);

  return x < y ? -1 : x > y;
}

/* Marks of one kind: at least two at one edge, and hardly any that begin no line. */
static void
judge_kind (GPtrArray *kind)
{
  guint beside = 0;

  for (guint i = 0; i < kind->len; i++)
    beside += ((const Mark *) g_ptr_array_index (kind, i))->word >= 0;
  if (beside < 2 || beside * 4 < kind->len * 3)
    return;
  g_ptr_array_sort (kind, compare_edges);
  for (guint i = 0, j; i < kind->len; i = j) {
    const Mark *first = g_ptr_array_index (kind, i);
    guint n = first->word >= 0;
    for (j = i + 1; j < kind->len; j++) {
      const Mark *mark = g_ptr_array_index (kind, j);
      if (dp_rect_cx (mark->box) - dp_rect_cx (first->box) > SAME_X)
        break;
      n += mark->word >= 0;
    }
    for (guint k = i; k < j && n >= 2; k++) {
      Mark *mark = g_ptr_array_index (kind, k);
      mark->bullet = mark->word >= 0;
    }
  }
}

static void
judge (GArray *marks)
{
  g_autoptr (GPtrArray) all = g_ptr_array_sized_new (marks->len);

  for (guint i = 0; i < marks->len; i++)
    g_ptr_array_add (all, &g_array_index (marks, Mark, i));
  g_ptr_array_sort (all, compare_kinds);
  for (guint i = 0, j; i < all->len; i = j) {
    g_autoptr (GPtrArray) kind = g_ptr_array_new ();
    for (j = i; j < all->len && same_kind (g_ptr_array_index (all, i), g_ptr_array_index (all, j)); j++)
      g_ptr_array_add (kind, g_ptr_array_index (all, j));
    judge_kind (kind);
  }
}

/* ---- bullets become words ------------------------------------------------------------------------ */

/* The label stands where the mark does and reaches to its line, whose face it has. */
static void
write_label (DpPageLayout *layout, const Mark *mark)
{
  const DpWord first = g_array_index (layout->words, DpWord, mark->word);
  g_autofree char *text = NULL;
  DpWord label = first;
  float end = MAX (first.box.x0 - 0.3f * first.size, mark->box.x0 + 0.2f * first.size);

  if (mark->number >= 0) {
    const DpWord *number = &g_array_index (layout->words, DpWord, mark->number);
    gsize n;
    const char *digits = dp_word_text (layout, number, &n);
    text = g_strdup_printf ("%.*s.", (int) n, digits);
  } else
    text = g_strdup ("\342\200\242");
  label.box = (DpRect){ mark->box.x0, first.box.y0, end, first.box.y1 };
  label.text = (guint32) layout->text->len;
  label.text_len = (guint32) strlen (text);
  label.n_chars = (guint8) g_utf8_strlen (text, -1);
  label.style = 0;
  label.link = 0;
  label.space_before = TRUE;
  label.break_after = FALSE;
  label.layer = first.layer > 0 ? first.layer - 1 : 0;
  label.n_glyphs = 0;
  g_string_append (layout->text, text);
  if (mark->number >= 0)
    g_array_index (layout->words, DpWord, mark->number) = label;
  else
    g_array_append_val (layout->words, label);
}

void
dp_layout_bullets (DpPageLayout *layout, const DpPage *page)
{
  float em = dp_layout_usual_size (layout);
  g_autoptr (GArray) marks = g_array_new (FALSE, FALSE, sizeof (Mark));
  g_autoptr (GArray) words = g_array_new (FALSE, FALSE, sizeof (guint));
  Bullets bullets = { layout, words, marks };

  if (em <= 0)
    return;
  for (gsize i = 0; i < page->n_paths && marks->len <= MAX_MARKS; i++) {
    const DpPath *path = &page->paths[i];
    if ((path->kind == DP_PATH_CURVE || path->kind == DP_PATH_FILL) && path->alpha > 0.3f && (path->colour & 0xffffff) < 0xf0f0f0)
      add_mark (marks, path->box, path->colour & 0xffffff, em);
  }
  for (gsize i = 0; i < page->n_images && marks->len <= MAX_MARKS; i++)
    add_mark (marks, page->images[i].box, PICTURE, em);
  if (marks->len < 2 || marks->len > MAX_MARKS)
    return;
  merge_concentric (marks);
  for (guint i = 0; i < layout->words->len; i++) {
    const DpWord *word = &g_array_index (layout->words, DpWord, i);
    if (word->angle == 0 && !word->hidden && !word->vertical && !word->rtl)
      g_array_append_val (words, i);
  }
  g_array_sort_with_data (words, compare_baselines, layout);
  for (guint i = 0; i < marks->len; i++)
    find_word (&bullets, &g_array_index (marks, Mark, i), em);
  judge (marks);
  for (guint i = 0; i < marks->len; i++)
    if (g_array_index (marks, Mark, i).bullet)
      write_label (layout, &g_array_index (marks, Mark, i));
}
