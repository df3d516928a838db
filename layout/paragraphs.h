/* layout/paragraphs.h - inside the pass of paragraphs: runs of lines, and what is asked of them in several files.
 *
 *   paragraphs.c       the pass: breaks inside a region, quotes
 *   verse.c            blocks whose lines stay lines
 *   paragraph_joins.c  text that goes on over columns, pages and figures
 *   text_ends.c        how the text of a line ends
 *
 * Lengths in points of the reading frame (flow.h).  Texts are UTF-8.
 */
#pragma once

#include "layout/flow.h"

G_BEGIN_DECLS

#define DP_INDENT 0.8f      /* em from which a first line counts as indented */
#define DP_MAX_REGIONS 512u /* of a page that are looked at for each run, so that odd pages stay linear */

/* Running text of one region. */
typedef struct {
  guint first, last;         /* entries [first, last) of the flow */
  float leading;             /* distance of its baselines; negative: guessed from the page's */
  float left, right, widest; /* edges, and width of the longest line */
  gboolean hanging;          /* first lines begin at the edge, the others further in */
  gboolean narrow;           /* its lines leave half of their column free */
  gboolean stack;            /* a few lines, short for this document, none of them beginning with a small letter */
} DpRun;

/* ---- text_ends.c ---- */

/* A full stop, a question and the like, brackets, quotes and the mark of a note behind it included; "4.5" is none. */
gboolean dp_text_ends_sentence (const char *text);
/* A letter and a hyphen. */
gboolean dp_text_ends_hyphen (const char *text);
/* A character of a writing without blanks. */
gboolean dp_text_ends_cjk (const char *text);
/* The same at either end of the line: there may be brackets and numbers at the other. */
gboolean dp_flow_line_is_cjk (const DpFlowLine *line);

/* ---- paragraphs.c ---- */

/* The first word of line i would have fitted on the line before it, up to x = right. */
gboolean dp_flow_had_room (const DpFlow *flow, guint i, float right);
/* One line is centred below the other. */
gboolean dp_flow_centred (const DpFlowLine *a, const DpFlowLine *b);
/* More room between the lines than the run's leading asks for. */
gboolean dp_run_wider_gap (const DpRun *run, const DpFlowLine *a, const DpFlowLine *b);

/* ---- verse.c, paragraph_joins.c ---- */

/* Sets the breaks of lines where most lines end early: all breaks stay, so that a stanza is not half prose. */
void dp_run_keep_verse (DpFlow *flow, const DpRun *run);
/* Sets joins where running text goes on; when all runs are judged. */
void dp_flow_join_runs (DpFlow *flow);

G_END_DECLS
