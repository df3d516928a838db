/* pipeline/pdf_content.c - see pdf_content.h. */
#include "pipeline/pdf_content.h"

#include <math.h>
#include <string.h>

#define MAX_NUMBERS 6    /* operands that matter */
#define MAX_STATES 64    /* q without Q that are kept */
#define MAX_MARKED 64    /* marked content in marked content */
#define MAX_MARKS 200000 /* of one page */
#define NO_MCID (-2)

typedef struct {
  double a, b, c, d, e, f;
} Matrix;

typedef struct {
  DpPdfText t;
  /* operands since the last operator */
  double numbers[MAX_NUMBERS];
  guint n_numbers;
  char name[32], first_name[32]; /* the last and the first */
  gint mcid;                     /* of an inline property list */
  double shift;                  /* number before the first string of an array, in thousandths of an em */
  /* state */
  Matrix ctm[MAX_STATES], text, line;
  guint depth;  /* index into ctm */
  guint deeper; /* q beyond MAX_STATES */
  double leading, size;
  gboolean fresh; /* the place of the next string is known */
  gint marked[MAX_MARKED];
  guint n_marked;
  DpContentNamed named;
  gpointer data;
  GArray *marks;
} Scan;

static Matrix
multiply (Matrix m, Matrix n)
{
  return (Matrix){ m.a * n.a + m.b * n.c, m.a * n.b + m.b * n.d,       m.c * n.a + m.d * n.c,
                   m.c * n.b + m.d * n.d, m.e * n.a + m.f * n.c + n.e, m.e * n.b + m.f * n.d + n.f };
}

/* ---- operands --------------------------------------------------------------------------------------------- */

static void
clear_operands (Scan *s)
{
  s->n_numbers = 0;
  s->name[0] = s->first_name[0] = '\0';
  s->mcid = NO_MCID;
  s->shift = 0;
}

static void
add_number (Scan *s)
{
  const guint8 *start = s->t.p;
  double number;

  if (!dp_pdf_text_real (&s->t, &number)) {
    s->t.p = MAX (s->t.p, start + 1);
    return;
  }
  if (s->n_numbers == MAX_NUMBERS) {
    memmove (s->numbers, s->numbers + 1, (MAX_NUMBERS - 1) * sizeof s->numbers[0]);
    s->n_numbers--;
  }
  s->numbers[s->n_numbers++] = number;
}

/* [-250 (text) 30 (more)]: only what stands before the first string moves the text's beginning. */
static void
pass_array (Scan *s)
{
  DpPdfText inside = s->t;

  if (!dp_pdf_text_skip (&s->t))
    s->t.p = s->t.end;
  dp_pdf_text_accept (&inside, "[");
  for (;;) {
    double number;
    dp_pdf_text_space (&inside);
    if (inside.p >= inside.end || !(g_ascii_isdigit (*inside.p) || *inside.p == '-' || *inside.p == '+' || *inside.p == '.')
        || !dp_pdf_text_real (&inside, &number))
      return;
    s->shift -= number;
  }
}

/* A property list in place: all that is wanted of it is the identifier. */
static void
pass_dictionary (Scan *s)
{
  DpPdfText inside = s->t;
  guint mcid;

  if (!dp_pdf_text_skip (&s->t))
    s->t.p = s->t.end;
  inside.end = s->t.p;
  inside.p = memmem (inside.p, (gsize) (inside.end - inside.p), "/MCID", 5);
  if (!inside.p)
    return;
  inside.p += 5;
  dp_pdf_text_space (&inside);
  if (dp_pdf_text_integer (&inside, &mcid))
    s->mcid = (gint) mcid;
}

/* ---- operators ---------------------------------------------------------------------------------------------- */

static void
move (Scan *s, double x, double y)
{
  s->line = multiply ((Matrix){ 1, 0, 0, 1, x, y }, s->line);
  s->text = s->line;
  s->fresh = TRUE;
}

/* The identifier of the innermost marked content that has one, or is an artifact. */
static gint
current_mcid (const Scan *s)
{
  const guint depth = MIN (s->n_marked, MAX_MARKED);

  return depth > 0 ? s->marked[depth - 1] : NO_MCID;
}

static void
show (Scan *s)
{
  const gint mcid = current_mcid (s);
  const DpContentMark *last = s->marks->len ? &g_array_index (s->marks, DpContentMark, s->marks->len - 1) : NULL;
  const Matrix shifted = multiply ((Matrix){ 1, 0, 0, 1, s->shift / 1000 * s->size, 0 }, s->text);
  const Matrix place = multiply (shifted, s->ctm[s->depth]);
  const DpContentMark mark = { .x = place.e, .y = place.f, .mcid = mcid };

  if (!s->fresh)
    return;
  s->fresh = FALSE;
  if (mcid == NO_MCID || s->marks->len >= MAX_MARKS || !isfinite (mark.x) || !isfinite (mark.y))
    return;
  if (last && last->mcid == mcid && fabs (last->y - mark.y) < 0.1 && mark.x >= last->x)
    return;
  g_array_append_val (s->marks, mark);
}

static void
begin_marked (Scan *s, gboolean with_properties)
{
  const gint outer = current_mcid (s);
  gint mcid = s->mcid;

  if (with_properties && mcid < 0 && s->named && strcmp (s->name, s->first_name) != 0)
    mcid = s->named (s->name, s->data);
  if (strcmp (s->first_name, "Artifact") == 0)
    mcid = DP_CONTENT_ARTIFACT;
  else if (mcid < 0)
    mcid = outer;
  if (s->n_marked < MAX_MARKED)
    s->marked[s->n_marked] = mcid;
  s->n_marked++;
}

static void
state_operator (Scan *s, const char *word)
{
  if (strcmp (word, "q") == 0) {
    if (s->depth + 1 < MAX_STATES) {
      s->ctm[s->depth + 1] = s->ctm[s->depth];
      s->depth++;
    } else
      s->deeper++;
  } else if (strcmp (word, "Q") == 0) {
    if (s->deeper > 0)
      s->deeper--;
    else if (s->depth > 0)
      s->depth--;
  } else if (strcmp (word, "cm") == 0 && s->n_numbers == 6) {
    const double *n = s->numbers;
    s->ctm[s->depth] = multiply ((Matrix){ n[0], n[1], n[2], n[3], n[4], n[5] }, s->ctm[s->depth]);
  } else if (strcmp (word, "BDC") == 0 || strcmp (word, "BMC") == 0) {
    begin_marked (s, word[1] == 'D');
  } else if (strcmp (word, "EMC") == 0 && s->n_marked > 0) {
    s->n_marked--;
  }
}

static void
text_operator (Scan *s, const char *word)
{
  const double *n = s->numbers;
  const guint k = s->n_numbers;

  if (strcmp (word, "BT") == 0) {
    s->line = (Matrix){ 1, 0, 0, 1, 0, 0 };
    move (s, 0, 0);
  } else if (strcmp (word, "Tm") == 0 && k == 6) {
    s->line = (Matrix){ n[0], n[1], n[2], n[3], n[4], n[5] };
    move (s, 0, 0);
  } else if (strcmp (word, "Td") == 0 && k >= 2) {
    move (s, n[k - 2], n[k - 1]);
  } else if (strcmp (word, "TD") == 0 && k >= 2) {
    s->leading = -n[k - 1];
    move (s, n[k - 2], n[k - 1]);
  } else if (strcmp (word, "TL") == 0 && k >= 1) {
    s->leading = n[k - 1];
  } else if (strcmp (word, "Tf") == 0 && k >= 1) {
    s->size = n[k - 1];
  } else if (strcmp (word, "T*") == 0) {
    move (s, 0, -s->leading);
  } else if (strcmp (word, "Tj") == 0 || strcmp (word, "TJ") == 0) {
    show (s);
  } else if (strcmp (word, "'") == 0 || strcmp (word, "\"") == 0) {
    move (s, 0, -s->leading);
    show (s);
  }
}

/* Past the bytes of an inline picture: "EI" between blanks ends it. */
static void
pass_picture (Scan *s)
{
  while ((s->t.p = memmem (s->t.p, (gsize) (s->t.end - s->t.p), "EI", 2))) {
    const guint8 *at = s->t.p;
    s->t.p += 2;
    if (g_ascii_isspace (at[-1]) && (s->t.p == s->t.end || g_ascii_isspace (*s->t.p)))
      return;
  }
  s->t.p = s->t.end;
}

static void
run_operator (Scan *s)
{
  char word[4] = "";
  const guint8 *start = s->t.p;
  gsize n;

  if (!dp_pdf_text_skip (&s->t) || s->t.p == start)
    s->t.p = start + 1;
  n = (gsize) (s->t.p - start);
  if (n < sizeof word) {
    memcpy (word, start, n);
    if (strcmp (word, "ID") == 0)
      pass_picture (s);
    else if (word[0] == 'T' || word[0] == '\'' || word[0] == '"' || strcmp (word, "BT") == 0)
      text_operator (s, word);
    else
      state_operator (s, word);
  }
  clear_operands (s);
}

void
dp_content_scan (const guint8 *data, gsize size, DpContentNamed named, gpointer user_data, GArray *marks)
{
  if (size == 0) /* where data may be NULL */
    return;
  Scan s = { .t = { data, data + size }, .named = named, .data = user_data, .marks = marks };

  s.ctm[0] = s.text = s.line = (Matrix){ 1, 0, 0, 1, 0, 0 };
  clear_operands (&s);
  for (;;) {
    dp_pdf_text_space (&s.t);
    if (s.t.p >= s.t.end)
      return;
    const guint8 c = *s.t.p;
    if (g_ascii_isdigit (c) || c == '-' || c == '+' || c == '.')
      add_number (&s);
    else if (c == '/') {
      dp_pdf_text_name (&s.t, s.name, sizeof s.name);
      if (!s.first_name[0])
        g_strlcpy (s.first_name, s.name, sizeof s.first_name);
    } else if (c == '[')
      pass_array (&s);
    else if (c == '<' && s.t.end - s.t.p > 1 && s.t.p[1] == '<')
      pass_dictionary (&s);
    else if (c == '(' || c == '<') {
      if (!dp_pdf_text_skip (&s.t))
        s.t.p = s.t.end;
    } else
      run_operator (&s);
  }
}
