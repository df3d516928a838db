/* layout/formulas_groups.h - fragments of display formulas, and which of them are one formula.
 *
 * Internal to formulas.c: formulas_groups.c cuts a page into pieces and joins those that touch, that
 * a bar holds together or that stand behind a brace; formulas.c decides which groups are formulas set
 * apart and makes regions of them.
 */
#pragma once

#include "layout/formulas.h"

G_BEGIN_DECLS

typedef enum { DP_PIECE_PROSE, DP_PIECE_NEUTRAL, DP_PIECE_MATH } DpPieceRole;

/* A line fragment, or a glyph that is in no word. */
typedef struct {
  DpRect ink;
  float base, size;
  guint line;   /* G_MAXUINT for a glyph */
  guint orphan; /* atom */
  DpPieceRole role;
  guint math, weak, prose; /* glyphs */
  gboolean relates;
  gboolean forced; /* part of a fraction: joins whatever its role */
  gboolean wordy;  /* begins or ends with a word */
  gboolean number; /* the number of a formula */
  guint parent;
} DpPiece;

typedef struct {
  DpFormulaPage *page;
  GArray *pieces; /* DpPiece, by top */
  float em;       /* usual size of the page's text */
  float tallest;
} DpPieces;

typedef struct {
  GArray *pieces; /* guint */
  DpRect box;
  gboolean barred;
  guint math, weak, prose;
  gboolean relates;
  guint root;
  gboolean accepted;
} DpPieceGroup;

/* All fragments of the page, joined; the caller unrefs pieces. */
DpPieces dp_pieces_new (DpFormulaPage *page);
/* DpPieceGroup: what belongs together and is no prose; the caller unrefs. */
GPtrArray *dp_pieces_groups (const DpPieces *f);

/* First piece whose ink begins at or below y. */
guint dp_piece_from (const DpPieces *f, float y);
/* The piece that stands for all that i is joined to. */
guint dp_piece_root (const DpPieces *f, guint i);

/* Text of n bytes is the number of a formula: "(3)", "[A.1]". */
gboolean dp_piece_is_number (const char *s, gsize n);

static inline DpPiece *
dp_piece_at (const DpPieces *f, guint i)
{
  return &g_array_index (f->pieces, DpPiece, i);
}

static inline gboolean
dp_piece_may_join (const DpPiece *p)
{
  return p->role != DP_PIECE_PROSE || p->forced;
}

/* Horizontal distance, below 0 where they overlap. */
static inline float
dp_gap_x (DpRect a, DpRect b)
{
  return MAX (a.x0 - b.x1, b.x0 - a.x1);
}

G_END_DECLS
