/* layout/heading_levels.h - inside the pass that gives headings their levels: headings, and the faces that they share.
 *
 * heading_levels.c collects both and gives each heading its level, heading_faces.c ranks the faces.
 */
#pragma once

#include "layout/flow.h"

G_BEGIN_DECLS

#define DP_MAX_LEVEL 6u

typedef struct {
  guint first, last; /* entries of one heading */
  guint face;        /* index into the faces */
  guint depth;       /* of its number, 0 = not numbered */
  guint value, top;  /* last and first component of the number, 0 = no number or not known */
  char family;       /* of its number, when that has one component */
  gboolean word;     /* a word stands before the number: Chapter 3 */
  guint outline;     /* outline level, 0 = not listed */
  guint level;
  gboolean tagged; /* the structure tree gave the level */
} DpLevelled;

typedef struct {
  float size;
  gboolean bold, caps, italic;
  guint first;                                    /* its first heading */
  guint first_number;                             /* its first numbered one, if there is any */
  guint n, numbered, depth_sum[DP_MAX_LEVEL + 1]; /* how many headings of each depth */
  guint worded;                                   /* how many have a word before their number */
  guint outlined, outline_count[DP_MAX_LEVEL + 1];
  guint tag_count[DP_MAX_LEVEL + 1]; /* how many have each level of the structure tree; 0 = none */
  guint level;
} DpHeadingFace;

/* Gives each face (DpHeadingFace) but number skip its level.  title: levels above all of them, 0 or 1; outline_shift:
 * what is added to levels of the outline.  Returns the level of what is numbered 1, below which 1.1 stands. */
guint dp_heading_rank_faces (const GArray *headings, GArray *faces, guint skip, guint title, guint outline_shift);

G_END_DECLS
