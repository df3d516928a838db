/* vlm/rotary.c - see the header; formulas are those of transformers' Qwen2VLRotaryEmbedding and get_rope_index. */
#include "vlm/rotary.h"

#include <math.h>

static float
frequency (double theta, guint32 j, guint32 dim)
{
  return 1.0f / powf ((float) theta, (float) (2 * j) / (float) dim);
}

void
dp_rotary_table (double theta, guint32 dim, guint32 n, float *cos_table, float *sin_table)
{
  const guint32 half = dim / 2;

  for (guint32 j = 0; j < half; j++) {
    const float f = frequency (theta, j, dim);
    for (guint32 p = 0; p < n; p++) {
      cos_table[(gsize) p * half + j] = cosf ((float) p * f);
      sin_table[(gsize) p * half + j] = sinf ((float) p * f);
    }
  }
}

void
dp_rotary_table_vision (double theta, guint32 dim, guint32 n, float *cos_table, float *sin_table)
{
  const guint32 half = dim / 2, quarter = dim / 4;

  for (guint32 j = 0; j < half; j++) {
    const float f = frequency (theta, j % quarter, half);
    for (guint32 p = 0; p < n; p++) {
      cos_table[(gsize) p * half + j] = cosf ((float) p * f);
      sin_table[(gsize) p * half + j] = sinf ((float) p * f);
    }
  }
}

void
dp_rotary_vision_positions (guint32 rows, guint32 cols, guint32 merge, gint32 *positions)
{
  for (guint32 y = 0; y + merge <= rows; y += merge)
    for (guint32 x = 0; x + merge <= cols; x += merge)
      for (guint32 i = 0; i < merge * merge; i++) {
        *positions++ = (gint32) (y + i / merge);
        *positions++ = (gint32) (x + i % merge);
      }
}

guint32
dp_prompt_tokens (const DpPromptPart *parts, guint32 n_parts)
{
  guint32 n = 0;

  for (guint32 i = 0; i < n_parts; i++)
    n += parts[i].rows ? parts[i].rows * parts[i].cols : parts[i].n;
  return n;
}

guint32
dp_mrope_positions (const DpPromptPart *parts, guint32 n_parts, gint32 *positions)
{
  guint32 at = 0;

  for (guint32 i = 0; i < n_parts; i++) {
    const DpPromptPart *part = &parts[i];
    const guint32 n = dp_prompt_tokens (part, 1);
    for (guint32 t = 0; t < n; t++) {
      *positions++ = (gint32) (part->rows ? at : at + t);
      *positions++ = (gint32) (part->rows ? at + t / part->cols : at + t);
      *positions++ = (gint32) (part->rows ? at + t % part->cols : at + t);
    }
    at += part->rows ? MAX (part->rows, part->cols) : n;
  }
  return at;
}
