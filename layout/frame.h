/* layout/frame.h - a page seen along its writing direction.
 *
 * Text may run right, down, left or up.  Every geometric rule of this room is written
 * once, for text that runs right with lines that follow downwards; a frame turns page
 * space (x, y) into that view (u along the line, v across it, both in points) and back.
 * Vertical CJK is the same as text turned by 90 degrees: characters run down, lines
 * follow leftwards.
 */
#pragma once

#include "layout/page.h"

G_BEGIN_DECLS

/* The nearest of 0, 90, 180 and 270 for any angle in degrees. */
static inline gint
dp_frame_snap (gint angle)
{
  gint a = ((angle % 360) + 360) % 360;

  return ((a + 45) / 90 % 4) * 90;
}

/* A box of page space as the reader of text at this angle sees it: x0/x1 along, y0/y1 across. */
static inline DpRect
dp_frame_rect (DpRect r, gint angle)
{
  switch (angle) {
  case 90: return (DpRect){ r.y0, -r.x1, r.y1, -r.x0 };
  case 180: return (DpRect){ -r.x1, -r.y1, -r.x0, -r.y0 };
  case 270: return (DpRect){ -r.y1, r.x0, -r.y0, r.x1 };
  default: return r;
  }
}

/* Back to page space. */
static inline DpRect
dp_frame_unrect (DpRect r, gint angle)
{
  switch (angle) {
  case 90: return (DpRect){ -r.y1, r.x0, -r.y0, r.x1 };
  case 180: return (DpRect){ -r.x1, -r.y1, -r.x0, -r.y0 };
  case 270: return (DpRect){ r.y0, -r.x1, r.y1, -r.x0 };
  default: return r;
  }
}

/* A baseline (page y, or page x when the angle is 90 or 270) as v, and back. */
static inline float
dp_frame_base (float base, gint angle)
{
  return angle == 90 || angle == 180 ? -base : base;
}

G_END_DECLS
