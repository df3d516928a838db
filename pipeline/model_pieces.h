/* pipeline/model_pieces.h - inside the making of a page's blocks (model_blocks.c): regions on their way into the tree. */
#pragma once

#include "pipeline/model_blocks.h"

G_BEGIN_DECLS

typedef struct {
  const DpMineruBlock *region;
  DpBlock *block; /* what it became; NULL: nothing */
  gint owner;     /* index of the piece whose child it is, -1 = none */
} DpPiece;

static inline DpPiece *
dp_piece (const GArray *pieces, guint i)
{
  return &g_array_index (pieces, DpPiece, i);
}

static inline gboolean
dp_piece_is (const GArray *pieces, guint i, DpMineruType type)
{
  return dp_piece (pieces, i)->region->type == type;
}

DpRect dp_model_box (const DpModelPage *page, const double box[4]);

/* The page's own text of the region, or NULL. */
DpBlock *dp_model_own (const DpModelPage *page, const DpMineruBlock *region);

/* model_block.c: one region as a block, without what belongs to it; NULL: nothing to show. */
DpBlock *dp_model_block (const DpModelPage *page, const DpMineruBlock *region);

/* model_lists.c: fills the LIST blocks from the pieces inside them (which lose their blocks), makes lists of references that
 * stand alone. */
void dp_model_lists (const DpModelPage *page, GArray *pieces);
/* A contents page: a line per entry, its page number at the end. */
void dp_model_toc (DpBlock *toc, const char *text);
/* The mark at the start of a footnote becomes its label. */
void dp_model_note_label (DpBlock *note);

/* model_bind.c: owners of captions and notes; formula numbers become labels. */
void dp_model_bind (GArray *pieces);

G_END_DECLS
