/* vlm/rotary.h - rotary tables and positions in the form that apply_rotary of ops/ops.h takes them.
 *
 * apply_rotary rotates pair j of token t by the angle in row positions[t, axis (j)], column j of the tables.  So a table knows
 * which frequency a column means, positions know where a token stands, and the operator's sections say which axis a column
 * follows.  Angles are made as PyTorch makes them: 1 / theta^(2j/dim), times the position, each rounded to f32.
 */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* 1-D rotary and M-RoPE: cos and sin [n, dim/2] for positions 0 .. n-1; column j has frequency theta^(-2j/dim).
 * dim even: the head size (or its rotated part). */
void dp_rotary_table (double theta, guint32 dim, guint32 n, float *cos_table, float *sin_table);

/* 2-D rotary of Qwen2-VL's vision encoder: cos and sin [n, dim/2]; the first dim/4 columns (rows of the picture) and the
 * second (columns of the picture) both start over at frequency 1: theta^(-2j/(dim/2)).  dim: the head size, a multiple of 4.
 * Sections for the operator: { dim/4, dim/4 }.  theta is 10000. */
void dp_rotary_table_vision (double theta, guint32 dim, guint32 n, float *cos_table, float *sin_table);

/* [rows * cols, 2] (row, column) of each patch, merge x merge groups one after the other as dp_image_patches() orders them.
 * rows and cols are multiples of merge. */
void dp_rotary_vision_positions (guint32 rows, guint32 cols, guint32 merge, gint32 *positions);

/* A piece of a prompt: a run of text tokens, or the merged tokens of one picture (rows x cols after merging, n ignored). */
typedef struct {
  guint32 n;          /* text tokens; used when rows is 0 */
  guint32 rows, cols; /* of merged tokens, both > 0 for a picture */
} DpPromptPart;

/* Tokens of all parts together. */
guint32 dp_prompt_tokens (const DpPromptPart *parts, guint32 n_parts);

/* [tokens, 3] (time, height, width) of M-RoPE: text counts on in all three; a picture that begins at p has time p, height
 * p + row, width p + column, and what follows it begins at p + max (rows, cols).
 * Returns the position of the first decoded token; its successors count on from there. (transformers calls the difference between that and
 * the number of tokens the delta.) */
guint32 dp_mrope_positions (const DpPromptPart *parts, guint32 n_parts, gint32 *positions);

G_END_DECLS
