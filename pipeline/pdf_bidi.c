/* pipeline/pdf_bidi.c - poppler's text of right-to-left pages, paired with its boxes.
 *
 * poppler's selection (poppler 22.12, TextOutputDev.cc) has two habits that cost whole
 * pages of Arabic and Hebrew.  It selects from one corner of the area to the other in
 * reading direction, so that a page it takes to run from right to left must be selected
 * from its top right corner.  And its text comes in logical order with embedding marks
 * (TextPage::dumpFragment), while the boxes of each word run from left to right and know
 * of no marks.
 */
#include "pipeline/pdf_bidi.h"

#include <string.h>

#define LRE 0x202a
#define RLE 0x202b
#define PDF 0x202c
#define RLE_UTF8 "\xe2\x80\xab"

/* The whole plane: with the page's own rectangle everything that comes after a line that
 * runs over the edge is lost. */
#define FAR 1e5

static gboolean
is_mark (gunichar c)
{
  return c >= LRE && c <= PDF;
}

/* Places of the boxes of one embedded piece of n characters, the first of which is text
 * character number first and whose leftmost box is first, too.  left_to_right: one byte per
 * character.  A right-to-left piece fills its boxes from the right; pieces of left-to-right
 * writing inside it keep their own order. */
static void
place (guint *box_of, guint first, const guint8 *left_to_right, guint n)
{
  guint right = n; /* boxes first .. first + right - 1 are free */

  for (guint i = 0; i < n;) {
    guint run = 1;

    if (left_to_right[i])
      while (i + run < n && left_to_right[i + run] == left_to_right[i])
        run++;
    right -= run;
    for (guint k = 0; k < run; k++)
      box_of[first + i + k] = first + right + k;
    i += run;
  }
}

guint *
dp_pdf_undo_embedding (char *text, guint n_boxes)
{
  g_autofree guint *box_of = NULL;
  g_autofree guint8 *left_to_right = NULL; /* of the open piece; number of the inner piece, 0 = right to left */
  char *out = text;
  guint n = 0, begun = 0, inner = 0;
  gboolean open = FALSE, within = FALSE;

  if (!strstr (text, RLE_UTF8))
    return NULL;
  box_of = g_new (guint, strlen (text) + 1);
  left_to_right = g_new0 (guint8, strlen (text) + 1);
  for (const char *p = text; *p;) {
    const char *next = g_utf8_next_char (p);
    gunichar c = g_utf8_get_char (p);

    if (c == RLE && !open) {
      open = TRUE;
      begun = n;
      inner = 0;
    } else if (c == LRE && open) {
      within = TRUE;
      inner = inner % 255 + 1;
    } else if (c == PDF && within) {
      within = FALSE;
    } else if (c == PDF && open) {
      place (box_of, begun, left_to_right + begun, n - begun);
      open = FALSE;
    } else if (!is_mark (c)) {
      left_to_right[n] = within ? (guint8) inner : 0;
      box_of[n] = n;
      n++;
      memmove (out, p, (gsize) (next - p));
      out += next - p;
    }
    p = next;
  }
  *out = '\0';
  return n == n_boxes ? g_steal_pointer (&box_of) : NULL;
}

static gboolean
select_from (PopplerPage *page, PopplerRectangle area, DpPdfText *out)
{
  *out = (DpPdfText){ .area = area };
  out->text = dp_poppler ()->page_get_text_for_area (page, &out->area);
  if (out->text && dp_poppler ()->page_get_text_layout_for_area (page, &out->area, &out->boxes, &out->n_boxes))
    return TRUE;
  dp_pdf_text_clear (out);
  return FALSE;
}

gboolean
dp_pdf_text_read (PopplerPage *page, DpPdfText *out)
{
  static const PopplerRectangle from_left = { -FAR, -FAR, FAR, FAR }, from_right = { FAR, -FAR, -FAR, FAR };
  DpPdfText other;
  gboolean any = select_from (page, from_left, out);

  /* only text from right to left has marks, and only then there is something to compare */
  if ((!any || strstr (out->text, RLE_UTF8)) && select_from (page, from_right, &other)) {
    if (!any || other.n_boxes > out->n_boxes) {
      dp_pdf_text_clear (out);
      *out = other;
      any = TRUE;
    } else {
      dp_pdf_text_clear (&other);
    }
  }
  if (any)
    out->box_of = dp_pdf_undo_embedding (out->text, out->n_boxes);
  return any;
}

void
dp_pdf_text_clear (DpPdfText *text)
{
  g_clear_pointer (&text->text, g_free);
  g_clear_pointer (&text->boxes, g_free);
  g_clear_pointer (&text->box_of, g_free);
}
