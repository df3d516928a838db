/* layout/headings.h - inside the pass that finds headings: candidates and their evidence.
 *
 * A candidate is a group of lines of one face.  heading_groups.c collects them, heading_text.c and
 * heading_place.c weigh their words, faces and places, headings.c looks at all of them together.
 * Weights are those that separated hand-marked headings from the rest; a heading needs
 * DP_HEADING_ACCEPT in sum.
 */
#pragma once

#include "layout/flow.h"
#include "layout/labels.h"

G_BEGIN_DECLS

#define DP_HEADING_ACCEPT 1.75f
#define DP_HEADING_DISPLAY 1.3f       /* body sizes from which type is display */
#define DP_HEADING_BARE 0.1f          /* score of a candidate that only others like it can make a heading */
#define DP_HEADING_NUMBERED_WORDS 10u /* a numbered line with more may be the opening of a sentence */

typedef struct {
  guint first, last; /* entries [first, last) */
  guint n_lines, n_chars, n_words;
  float ratio; /* size / body size */
  gboolean bold, caps, numbered, listed;
  DpHeadingNumber number;
  float score;
  gboolean strong; /* an outline title */
  gboolean named;  /* the name of a usual section */
  gboolean leads;  /* a colon ends it: it may as well lead into what follows */
  gboolean code;   /* the bold name of a function or option, in a fixed-pitch face */
  gboolean bare;   /* hardly any letters, in a face that stands out: "A" of an index, a date; only others like it can tell */
  gboolean opener; /* short first line of its page, above prose */
} DpHeadingGroup;

typedef struct {
  guint letters, upper, lower, digits, other, words;
} DpHeadingCount;

/* ---- words (heading_text.c) -------------------------------------------------------------- */

DpHeadingCount dp_heading_count (const char *text);
/* Hardly any letters. */
gboolean dp_heading_is_bare (const DpHeadingCount *n);
/* Names of unnumbered sections that stand in nearly every report and paper. */
gboolean dp_heading_is_section_name (const char *text);
/* "Note", "Warning": what stands over a box that is none of the document's sections. */
gboolean dp_heading_is_notice (const char *text);
/* A full stop, colon, bracket or quotation mark ends it. */
gboolean dp_heading_ends_sentence (const char *text);
/* The line stops at a word that cannot end a title. */
gboolean dp_heading_ends_open (const char *text);
/* What the words weigh; -9 and less rules a heading out.  text: that of the group, not empty. */
float dp_heading_weigh_text (const DpHeadingGroup *g, const char *text);

/* ---- faces and places (heading_place.c) ------------------------------------------------- */

/* The next (or last) line that is no furniture, code, note or caption; NULL at the ends. */
const DpFlowLine *dp_heading_neighbour (const DpFlow *flow, guint i, gboolean after);
float dp_heading_weigh_place (const DpFlow *flow, const DpHeadingGroup *g);

/* ---- what the others say (heading_series.c) -------------------------------------------------- */

/* Both groups have one face and one colour, to the letter. */
gboolean dp_heading_same_style (const DpFlow *flow, const DpHeadingGroup *a, const DpHeadingGroup *b);
/* Candidates whose dotted numbers go on with the count, 2.2.1 below 2.2, become headings; groups: DpHeadingGroup. */
void dp_heading_promote_series (const DpFlow *flow, GArray *groups);
/* Letters alone in their lines that go on with the alphabet, A over what begins with it, become headings; groups: DpHeadingGroup. */
void dp_heading_promote_letters (const DpFlow *flow, GArray *groups);
/* A line at the top of a page that repeats a larger heading is a running head; it gets that role. */
void dp_heading_drop_running (DpFlow *flow, GArray *groups);

/* ---- candidates (heading_groups.c) -------------------------------------------------------- */

/* DpHeadingGroup of all that may be a heading, in reading order; the caller unrefs. */
GArray *dp_heading_groups (const DpFlow *flow);

G_END_DECLS
