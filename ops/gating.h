/* ops/gating.h - which experts a row of router scores chooses: the part of moe_gating_topk that is no arithmetic.
 *
 * For back ends whose memory the processor sees.  Scores are theirs (softmax, sigmoid, bias); this is only the
 * choosing: the larger first, among equals the lower index, NaN never before a number.  DeepSeek-V3 (arXiv:2412.19437, 2.1.2) has the groups.
 */
#pragma once

#include "ops/ops.h"

G_BEGIN_DECLS

/* The index of the best of n choices.  Whoever takes it puts -infinity in its place. */
guint32 dp_gating_best (const float *choice, guint32 n);

/* Leaves only the args->topk_groups best groups a choice: experts of the others get -infinity.  A group is as good as the
 * sum of its args->group_top best.  choice: args->logits.cols floats; rank, scratch: as many, undefined contents. */
void dp_gating_keep_groups (const DpMoeGatingTopkArgs *args, float *choice, float *rank, float *scratch);

G_END_DECLS
