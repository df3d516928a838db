/* layout/furniture_weights.c - what place, text and face of a row say for and against furniture.
 *
 * The weights follow what was measured on unit-test pages (median height 0.06 at the top and 0.96
 * at the bottom; size does not tell a running head from a heading, being large and bold does).
 */
#include "layout/furniture.h"
#include "layout/labels.h"
#include "layout/running.h"

#include <string.h>

#define SINGLE_BAND 0.13f /* the same for one page's own evidence */
#define FOLIO_BAND 0.2f   /* for a lone page number */

/* Distance from the edge, as a share of the page's height, wide margins taken off. */
float
dp_flow_row_depth (const DpFlowRow *row, float height)
{
  float cy = 0.5f * (row->y0 + row->y1);

  return ((row->top ? cy : height - cy) - row->trim) / MAX (height - 2 * row->trim, 1);
}

static float
weigh_place (const DpFlowRow *row, float height, float body)
{
  float depth = dp_flow_row_depth (row, height);
  /* Headings were seen from 0.08 on; what stands above 0.05 is furniture nearly always. */
  float weight = depth < 0.05f ? 2.75f : depth < 0.07f ? 1.75f : depth < 0.09f ? 1.25f : depth < SINGLE_BAND ? 0.5f : -9;

  if (weight < 0.5f && depth < FOLIO_BAND && row->rank == 0 && row->gap >= 0.8f * body && dp_label_page_number (row->text, NULL))
    weight = 0.5f;

  if (row->gap >= 3 * body)
    weight += 1;
  else if (row->gap >= 1.5f * body)
    weight += 0.5f;
  else if (row->gap < 0.7f * body)
    weight -= 1.5f;
  return weight;
}

/* "Record your findings in Table 3.": no running head says so. */
static gboolean
is_sentence (const char *text, gunichar first, char last)
{
  guint small = 0;

  for (const char *p = strchr (text, ' '); p; p = strchr (p + 1, ' '))
    small += g_unichar_islower (g_utf8_get_char (p + 1)) ? 1 : 0;
  return last == '.' && g_unichar_isupper (first) && small >= 3 && !dp_running_legal (text) && dp_running_phrase (text) <= 0;
}

static float
weigh_text (const DpFlowRow *row)
{
  DpHeadingNumber number;
  DpLabel label;
  gsize length;
  gboolean table, folio = dp_running_has_folio (row->text);
  gunichar first = g_utf8_get_char (row->text);
  char last = row->text[strlen (row->text) - 1];
  float weight = 0;

  if (dp_label_page_number (row->text, NULL))
    return 2;
  weight += folio ? 1.25f : 0;
  weight += dp_running_capitals (row->text) ? 0.5f : 0;
  weight += dp_running_legal (row->text) ? 1 : 0;
  weight += row->lines->len > 2 ? 1 : row->lines->len > 1 ? 0.5f : 0;
  weight += row->top && row->flank && row->n_chars <= 40 ? 1 : 0;
  weight += row->company ? 1.5f : 0;
  weight -= row->n_chars > (row->top ? 90u : 140u) ? 1.5f : row->n_chars > 60 ? 0.5f : 0;
  weight -= g_unichar_islower (first) && !folio ? (row->rank > 0 ? 1.5f : 0.75f) : 0;
  weight -= last == '.' && row->n_chars > 40 ? 1 : 0;
  weight -= row->top && is_sentence (row->text, first, last) ? 1 : 0;
  weight -= last == '.' && g_unichar_islower (first) && !folio ? 2 : 0; /* the end of a sentence from the page before */
  weight -= last == ',' || last == '-' || last == ';' || last == ':' ? 1.5f : 0;
  weight -= dp_label_caption (row->text, &table, &length) && row->text[length] != '\0' ? 3 : 0;
  weight += dp_running_phrase (row->text);
  if (dp_label_parse (row->text, &label) && !folio)
    weight -= label.kind == DP_LABEL_BULLET || label.open || row->n_chars > 40 ? 1.5f : 0;
  if (dp_label_heading (row->text, &number) && !number.bare)
    weight -= row->bold || number.depth > 1 ? 1.5f : number.word && !folio ? 1 : 0;
  return weight;
}

static float
weigh_face (const DpFlowRow *row, float height, float body)
{
  gboolean folio = dp_running_has_folio (row->text);
  float ratio = body > 0 ? row->size / body : 1, weight = 0, depth = dp_flow_row_depth (row, height);

  weight += ratio <= 0.92f ? 0.5f : 0;
  weight -= ratio >= 1.8f ? 3 : ratio >= 1.4f ? 2 : ratio >= 1.15f ? 0.75f : 0;
  weight -= row->bold && !folio ? 0.75f : 0;
  if (row->company)
    return MAX (weight, -1.5f);
  /* Where headings begin to occur, their face counts double and capitals say nothing. */
  if (row->top && depth > 0.075f && !folio)
    weight = weight < 0 ? 2 * weight : weight - (dp_running_capitals (row->text) ? 0.5f : 0);
  return weight;
}

float
dp_flow_row_weight (const DpFlowRow *row, float height, float body)
{
  return weigh_place (row, height, body) + weigh_text (row) + weigh_face (row, height, body);
}
