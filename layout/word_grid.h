/* layout/word_grid.h - the words of one writing direction, findable by place.
 *
 * Internal to lines.c: rows of about half an em, each sorted along the line, answer "who
 * is my neighbour" and "how far is this strip white" in logarithmic time.
 */
#pragma once

#include "layout/layout.h"

G_BEGIN_DECLS

/* One word in the frame of its writing direction. */
typedef struct {
  float u0, u1, v0, v1; /* box */
  float base, size;
  gint row;          /* floor (base / pitch of the grid) */
  guint word;        /* index into DpPageLayout.words */
  guint8 n_chars;    /* of the word */
  guint8 drop_cap;   /* a large initial whose text begins beside its top */
  guint8 last_break; /* the text layer ends a line after it */
  guint32 layer;     /* place in the text layer */
} DpWordView;

typedef struct {
  GArray *views; /* DpWordView, by row, then u0 */
  float pitch;   /* height of a row, points */
} DpWordGrid;

/* What lies above and below a gap between two words of a line. */
typedef struct {
  guint rows;                     /* rows with words close on both sides and the strip white */
  float cross_above, cross_below; /* distance to the first word across the strip, in em; G_MAXFLOAT = none near */
} DpChannel;

/* The visible words of direction `angle` that are not skewed; hidden ones stay out. */
DpWordGrid *dp_word_grid_new (const DpPageLayout *layout, gint angle);
void dp_word_grid_free (DpWordGrid *grid);

/* Index of the first view of `row` with u0 >= u (or where it would be). */
guint dp_word_grid_find (const DpWordGrid *grid, gint row, float u);

/* Looks along the strip u0..u1 up and down from a baseline, at most ten em either way. */
DpChannel dp_word_grid_channel (const DpWordGrid *grid, float u0, float u1, float base, float size);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (DpWordGrid, dp_word_grid_free)

G_END_DECLS
