/* layout/assemble.h - a document that grows line by line.
 *
 * Internal to assemble.c, which walks the flow; assemble_text.c opens and extends blocks of text,
 * assemble_objects.c makes blocks of the tables, figures and formulas that the page passes found.
 */
#pragma once

#include "layout/flow.h"

G_BEGIN_DECLS

typedef struct {
  const DpFlow *flow;
  const DpLayoutOptions *options;
  DpDocument *document;
  DpBlock **objects; /* per entry: block of a table or figure, until it is placed */
  DpBlock *open;     /* block that takes further lines */
  DpFlowRole open_role;
  DpBlock *paragraph; /* last running text, for parts that join it */
  DpBlock *item;
  GPtrArray *lists; /* borrowed: open lists by level */
} DpAssembly;

/* The line's page as printed in blocks, from 1. */
guint dp_assembly_page (const DpAssembly *a, const DpFlowLine *line);
/* Opens a block at the line, the last of into, which owns it; further lines of the line's role go into it. */
DpBlock *dp_assembly_open (DpAssembly *a, DpBlockKind kind, const DpFlowLine *line, GPtrArray *into);
/* The block reaches as far as the line; on another page or column it gets another part. */
void dp_assembly_extend (const DpAssembly *a, DpBlock *block, const DpFlowLine *line);

/* Entry i of the flow, a line of text of any role but OBJECT and ADOPTED. */
void dp_assembly_add_text (DpAssembly *a, guint i);
/* The table of contents at the end of blocks that goes on on a page, or NULL. */
DpBlock *dp_assembly_toc (const GPtrArray *blocks, guint page);

/* The block of entry i, a region that is no text; owned by the caller. */
DpBlock *dp_assembly_make_object (DpAssembly *a, guint i);
/* Takes it over: entries of contents laid out as a table go on with the contents before, and the block is gone then. */
void dp_assembly_add_object (DpAssembly *a, DpBlock *block);

G_END_DECLS
