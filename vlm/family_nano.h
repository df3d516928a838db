/* vlm/family_nano.h - the built-in line model on a back end (internal to vlm/): weights, encoder, decoder.
 *
 * The network is described in vlm/nano/README.md and, as the program that trains it, in vlm/nano/training/model.py; names and
 * layouts of the tensors in vlm/nano/training/export.py.  vlm/line_reader.h is what the rest of docparse sees.
 */
#pragma once

#include "ops/graph.h"
#include "vlm/tokenizer.h"

G_BEGIN_DECLS

enum {
  DP_NANO_HEIGHT = 32,    /* rows of a line picture */
  DP_NANO_STAGES = 8,     /* most convolutions */
  DP_NANO_LAYERS = 16,    /* most blocks of encoder or decoder */
  DP_NANO_PAGE = 32,      /* tokens per page of the KV cache */
  DP_NANO_COLUMNS = 2400, /* widest picture */
};

typedef struct {
  guint32 n_stages, channels[DP_NANO_STAGES], stride_y[DP_NANO_STAGES], stride_x[DP_NANO_STAGES];
  guint32 column_multiple; /* of a picture's width: columns of a row of the decoder's prefix */
  guint32 hidden, inner, heads, head_dim, encoder_kv_heads, decoder_kv_heads;
  guint32 encoder_layers, decoder_layers;
  guint32 frames_per_token, merge; /* CTC frames of a visual token; visual tokens of a prefix row */
  guint32 vocabulary, blank, bos, eos, first_character, n_characters;
  double eps, theta, decoder_step; /* the decoder's rotary angle of one position */
} DpNanoConfig;

/* Columns of a picture that one visual token stands for. */
guint32 dp_nano_token_columns (const DpNanoConfig *config);

typedef struct {
  DpTensor norm1, norm2;
  DpWeight *qkv, *out, *gate_up, *down;
} DpNanoBlock;

typedef struct {
  DpNanoConfig config;
  DpBackend *backend;
  DpTokenizer *tokenizer;
  DpWeight *conv[DP_NANO_STAGES], *project;
  DpNanoBlock encoder[DP_NANO_LAYERS], decoder[DP_NANO_LAYERS];
  DpTensor encoder_norm, decoder_norm;
  DpWeight *ctc_split, *ctc_head, *visual, *embedding;
  DpTensor encoder_cos, encoder_sin, decoder_cos, decoder_sin; /* [positions, head_dim/2] */
  guint32 decoder_positions;
  DpBuffer *memory; /* of all tensors above */
} DpNano;

/* dir: a folder with config.json, tokenizer.json and model.safetensors, or NULL for the weights in the program.
 * The backend must outlive the model. */
DpNano *dp_nano_load (DpBackend *backend, const char *dir, GError **error);
void dp_nano_free (DpNano *nano);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (DpNano, dp_nano_free)

/* ---- encoder (family_nano_encode.c) ---------------------------------------------------------------- */

/* Where the lines of a batch lie: pictures one after the other, and rows, frames, tokens of each in the same order. */
typedef struct {
  guint32 n;
  const guint32 *widths; /* [n] columns, multiples of column_multiple, <= DP_NANO_COLUMNS */
} DpNanoLines;

guint32 dp_nano_tokens (const DpNanoConfig *config, guint32 width); /* visual tokens of a line */
guint32 dp_nano_frames (const DpNanoConfig *config, guint32 width); /* CTC frames of a line */

/* What the CTC head reads: for line b its lens[b] symbols are in the first lens[b] of its frames. */
typedef struct {
  DpTensor encoded;           /* [tokens, hidden] bf16, a temporary of the stream */
  DpTensor ids, frames, lens; /* [frames, 1] i32, [frames, 1] i32, [n, 1] i32 */
  DpTensor logprob;           /* [frames, 1] f32 */
  DpTensor logits;            /* [frames, vocabulary] f32 */
  guint32 n_tokens, n_frames; /* of all lines */
} DpNanoEncoded;

/* Reads pictures: pixels [sum of 32 * width] bf16 in -1..1, each picture its rows from the top.  Results are temporaries
 * taken from the stream. */
DpNanoEncoded dp_nano_encode (DpStream *stream, const DpNano *nano, const DpNanoLines *lines, const guint16 *pixels);

/* ---- decoder (family_nano_decode.c) ----------------------------------------------------------------- */

/* One sequence of a pass: its prefix comes with the first pass only. */
typedef struct {
  guint32 page;                /* first page of the cache; its pages follow each other */
  guint32 prefix;              /* rows of the line's prefix */
  gboolean first;              /* the prefix is to be read in this pass */
  const gint32 *prefix_places; /* [prefix] rotary positions, when first */
  guint32 kept;                /* tokens behind the prefix that are in the cache already and stay */
  const gint32 *tokens;        /* [n] that follow them */
  guint32 n;                   /* >= 1 */
} DpNanoPart;

/* The decoder's answer after each token of each part, part after part: ids [sum n], logprob [sum n]; downloaded, valid after a
 * sync.  encoded: [tokens, hidden] of the parts' lines in order (only looked at when parts are first; either all are or none). */
void dp_nano_pass (DpStream *stream, const DpNano *nano, DpKv *kv, const DpNanoPart *parts, guint32 n_parts, DpTensor encoded, gint32 *ids,
                   float *logprob);

/* As dp_nano_pass for parts that are not first, but gives all logits: [sum n, vocabulary] f32. */
void dp_nano_judge (DpStream *stream, const DpNano *nano, DpKv *kv, const DpNanoPart *parts, guint32 n_parts, float *logits);

/* One token each for up to `most` sequences of at most max_len tokens in the cache, captured or eager. */
typedef struct DpNanoStepper DpNanoStepper;
DpNanoStepper *dp_nano_stepper_new (const DpNano *nano, DpKv *kv, guint32 most, guint32 max_len, gboolean eager, GError **error);
void dp_nano_stepper_free (DpNanoStepper *stepper);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (DpNanoStepper, dp_nano_stepper_free)

/* parts with first unset and n = 1. Syncs. */
gboolean dp_nano_step (DpNanoStepper *stepper, DpStream *stream, const DpNanoPart *parts, guint32 n_parts, gint32 *ids, float *logprob,
                       GError **error);

G_END_DECLS
