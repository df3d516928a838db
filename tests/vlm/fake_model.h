/* tests/vlm/fake_model.h - a model that computes nothing and forgives nothing: what stands behind model.h, vision.h and decoder.h
 * in the engine's test.
 *
 * The row of a token is a number made from the token, its position, the picture's row that replaces it, the kind of call that
 * wrote it, and all rows before it, read from the cache through the block table.  A page too many or too few, a row from
 * another sequence, a stale row, or a token that went through prefill instead of a step: the number differs, and so do all
 * tokens that are chosen from then on.
 *
 * Words in a question make it misbehave: see misbehaves().
 */
#pragma once

#include "tests/vlm/byte_tokenizer.h"
#include "vlm/decoder.h"
#include "vlm/error.h"
#include "vlm/vision.h"

#include <pthread.h>
#include <string.h>

enum { FAKE_HIDDEN = 4, FAKE_VOCABULARY = N_TOKENS, FAKE_EOS = END };

struct DpModel {
  DpModelConfig config;
  DpTokenizer *tokenizer;
  DpBackend *backend;
  /* a gate: steps and prefills wait while it is shut */
  pthread_mutex_t lock;
  pthread_cond_t changed;
  gboolean shut, waiting;
  GString *log; /* under the lock: the first byte of every question whose prompt was finished */
};

static inline DpModel *
fake_model_new (void)
{
  DpModel *m = g_new0 (DpModel, 1);
  g_autoptr (GError) error = NULL;

  m->tokenizer = byte_tokenizer_new ();
  m->backend = dp_backend_open ("reference", NULL, &error);
  g_assert_no_error (error);
  m->config.text = (DpTextConfig){ .layers = 1,
                                   .hidden = FAKE_HIDDEN,
                                   .heads = 1,
                                   .kv_heads = 1,
                                   .head_dim = 2,
                                   .vocabulary = FAKE_VOCABULARY,
                                   .max_positions = 400,
                                   .mrope_sections = { 1, 0, 0 } };
  m->config.vision = (DpVisionConfig){ .depth = 1, .width = 2, .heads = 1, .channels = 3, .patch = 2, .temporal_patch = 1, .merge = 2 };
  dp_image_config_default (&m->config.image);
  m->config.image.patch = m->config.image.merge = 2;
  m->config.image.temporal_patch = 1;
  m->config.image.min_pixels = 16;
  m->config.image.max_pixels = 4096;
  m->config.tokens = (DpTokenConfig){ .image = PAD, .eos = { FAKE_EOS }, .n_eos = 1, .bos = DP_TOKEN_NONE, .pad = START };
  pthread_mutex_init (&m->lock, NULL);
  pthread_cond_init (&m->changed, NULL);
  m->log = g_string_new (NULL);
  return m;
}

static inline void
fake_model_free (DpModel *m)
{
  dp_backend_close (m->backend);
  dp_tokenizer_free (m->tokenizer);
  pthread_cond_destroy (&m->changed);
  pthread_mutex_destroy (&m->lock);
  g_string_free (m->log, TRUE);
  g_free (m);
}

/* ---- the gate ---- */

static inline void
fake_gate (DpModel *m, gboolean shut)
{
  pthread_mutex_lock (&m->lock);
  m->shut = shut;
  pthread_cond_broadcast (&m->changed);
  pthread_mutex_unlock (&m->lock);
}

/* Until the engine stands before the shut gate. */
static inline void
fake_await (DpModel *m)
{
  pthread_mutex_lock (&m->lock);
  while (!m->waiting)
    pthread_cond_wait (&m->changed, &m->lock);
  pthread_mutex_unlock (&m->lock);
}

static inline void
pass (DpModel *m)
{
  pthread_mutex_lock (&m->lock);
  while (m->shut) {
    m->waiting = TRUE;
    pthread_cond_broadcast (&m->changed);
    pthread_cond_wait (&m->changed, &m->lock);
  }
  m->waiting = FALSE;
  pthread_mutex_unlock (&m->lock);
}

/* ---- model.h ---- */

const DpModelConfig *
dp_model_config (const DpModel *m)
{
  return &m->config;
}

const DpTokenizer *
dp_model_tokenizer (const DpModel *m)
{
  return m->tokenizer;
}

DpBackend *
dp_model_backend (const DpModel *m)
{
  return m->backend;
}

const DpChat *
dp_model_chat (G_GNUC_UNUSED const DpModel *m)
{
  return &byte_chat;
}

DpType
dp_model_activations (G_GNUC_UNUSED const DpModel *m)
{
  return DP_F32;
}

const char *
dp_model_digest (G_GNUC_UNUSED const DpModel *m)
{
  return "fake";
}

/* ---- numbers and rows ---- */

static inline guint64
mix (guint64 h, guint64 v)
{
  h = (h ^ v) * G_GUINT64_CONSTANT (0x9e3779b97f4a7c15);
  return h ^ h >> 31;
}

/* A number as a row of four floats, 16 bits each, and back. */
static inline void
to_row (guint64 h, float row[FAKE_HIDDEN])
{
  for (int i = 0; i < FAKE_HIDDEN; i++)
    row[i] = (float) (h >> (16 * i) & 0xffff);
}

static inline guint64
from_row (const float row[FAKE_HIDDEN])
{
  guint64 h = 0;

  for (int i = 0; i < FAKE_HIDDEN; i++)
    h |= (guint64) row[i] << (16 * i);
  return h;
}

/* An error that sticks to the stream, as a device's would. */
static inline void
break_stream (DpStream *stream)
{
  dp_silu_and_mul (stream, &(DpSiluAndMulArgs){ 0 });
}

/* ---- vision.h ---- */

guint32
dp_vision_rows (const DpModel *m, const guint32 grid[3])
{
  return grid[1] * grid[2] / (m->config.vision.merge * m->config.vision.merge);
}

gsize
dp_vision_bytes (G_GNUC_UNUSED const DpModel *m, guint32 n_patches)
{
  return (gsize) n_patches * 64;
}

void
dp_vision_set_keep (G_GNUC_UNUSED DpModel *m, gsize bytes)
{
  g_assert_cmpuint (bytes, <=, DP_VISION_KEEP);
}

/* A black picture breaks the encoder. */
void
dp_vision_encode (DpModel *m, DpStream *stream, const DpPatches *patches, DpTensor out)
{
  const guint32 each = m->config.vision.merge * m->config.vision.merge * patches->dim;
  const float black = (float) -m->config.image.mean[0] / (float) m->config.image.std[0];

  g_assert_cmpuint (out.rows, ==, dp_vision_rows (m, patches->grid));
  if (patches->data[0] == black)
    break_stream (stream);
  for (guint32 i = 0; i < out.rows; i++) {
    float row[FAKE_HIDDEN];
    guint64 h = i;
    for (guint32 j = 0; j < each; j++)
      h = mix (h, (guint64) (gint64) (patches->data[i * each + j] * 1000));
    to_row (h, row);
    const DpTensor to = dp_tensor_rows (out, i, 1);
    dp_stream_upload (stream, &to, row, sizeof row);
  }
}

/* ---- decoder.h ---- */

typedef struct {
  guint64 value;
  gint32 position; /* on the first axis */
  gboolean there;
} Cell;

struct DpDecoder {
  DpModel *model;
  DpDecoderOptions options;
  DpStream *stream;
  Cell *cells;    /* [n_pages * page_size] */
  gint32 *tokens; /* alike */
};

gsize
dp_decoder_page_bytes (G_GNUC_UNUSED const DpModel *m, guint32 page_size, G_GNUC_UNUSED DpType kv_type)
{
  return (gsize) page_size * 100;
}

DpDecoder *
dp_decoder_new (DpModel *m, const DpDecoderOptions *o, GError **error)
{
  DpDecoder *d = g_new0 (DpDecoder, 1);

  d->model = m;
  d->options = *o;
  d->stream = dp_stream_new (m->backend, error);
  d->cells = g_new0 (Cell, (gsize) o->n_pages * o->page_size);
  d->tokens = g_new0 (gint32, (gsize) o->n_pages * o->page_size);
  g_assert_cmpuint (o->max_len, <=, m->config.text.max_positions);
  g_assert_cmpuint (o->max_len, <=, (o->n_pages - 1) * o->page_size);
  return d;
}

void
dp_decoder_free (DpDecoder *d)
{
  if (!d)
    return;
  dp_stream_free (d->stream);
  g_free (d->cells);
  g_free (d->tokens);
  g_free (d);
}

DpStream *
dp_decoder_stream (DpDecoder *d)
{
  return d->stream;
}

static inline gsize
slot (const DpDecoder *d, const DpDecoderPart *p, guint32 at)
{
  const guint32 page = p->pages[at / d->options.page_size];

  g_assert_cmpuint (page, >=, 1); /* page 0 is for padding */
  g_assert_cmpuint (page, <, d->options.n_pages);
  return (gsize) page * d->options.page_size + at % d->options.page_size;
}

/* Whether a question holds a byte, as its tokens stand in the cache. */
static inline gboolean
misbehaves (const DpDecoder *d, const DpDecoderPart *p, gint32 byte)
{
  for (guint32 j = 0; j < p->kv_len; j++)
    if (d->tokens[slot (d, p, j)] == byte)
      return TRUE;
  return FALSE;
}

/* Writes the rows of a part; the last one's number. */
static inline guint64
write_rows (DpDecoder *d, const DpDecoderPart *p, gboolean prefill, const guint64 *picture)
{
  guint64 value = 0;
  guint32 k = 0;

  for (guint32 i = 0; i < p->n; i++) {
    const guint32 at = p->kv_len - p->n + i;
    const gint32 *position = p->positions + i * 3;
    guint64 h = 0;
    for (guint32 j = 0; j < at; j++) {
      g_assert_true (d->cells[slot (d, p, j)].there);
      h = mix (h, d->cells[slot (d, p, j)].value);
    }
    const gboolean image = picture && k < p->images.rows && p->image_at[k] == (gint32) i;
    h = mix (h, image ? picture[k++] : (guint64) p->tokens[i]);
    if (p->tokens[i] == PAD && prefill && !image)
      h = mix (h, 1); /* the user's own */
    for (int axis = 0; axis < 3; axis++)
      h = mix (h, (guint64) position[axis]);
    value = mix (h, prefill);
    if (!prefill) /* what is decoded counts on, on all axes */
      for (int axis = 0; axis < 3; axis++)
        g_assert_cmpint (position[axis], ==, d->cells[slot (d, p, at - 1)].position + 1);
    d->cells[slot (d, p, at)] = (Cell){ value, position[0], TRUE };
    d->tokens[slot (d, p, at)] = p->tokens[i];
  }
  g_assert_true (!dp_tensor_present (&p->images) || k == p->images.rows);
  return value;
}

/* What is in the pages that a call extends and nobody has written yet is not to be read. */
static inline void
spoil (DpDecoder *d, const DpDecoderPart *p)
{
  for (guint32 at = p->kv_len; at % d->options.page_size; at++)
    d->cells[slot (d, p, at)].there = FALSE;
}

/* '!' breaks the call; ' ' is counted in no way. */
void
dp_decoder_prefill (DpDecoder *d, const DpDecoderPart *parts, guint32 n_parts, DpTensor hidden_last)
{
  guint32 rows = 0;

  pass (d->model);
  g_assert_cmpuint (n_parts, <=, d->options.max_batch);
  g_assert_cmpuint (hidden_last.rows, ==, n_parts);
  for (guint32 b = 0; b < n_parts; b++) {
    const DpDecoderPart *p = &parts[b];
    g_autofree guint64 *picture = NULL;
    float row[FAKE_HIDDEN];
    rows += p->n;
    if (dp_tensor_present (&p->images)) {
      g_autofree float *all = g_new (float, p->images.rows *FAKE_HIDDEN);
      dp_stream_download (d->stream, all, &p->images, p->images.rows * sizeof row);
      g_assert_true (dp_stream_sync (d->stream, NULL));
      picture = g_new (guint64, p->images.rows);
      for (guint32 i = 0; i < p->images.rows; i++)
        picture[i] = from_row (all + i * FAKE_HIDDEN);
    }
    to_row (write_rows (d, p, TRUE, picture), row);
    spoil (d, p);
    const DpTensor to = dp_tensor_rows (hidden_last, b, 1);
    dp_stream_upload (d->stream, &to, row, sizeof row);
    if (misbehaves (d, p, '!'))
      break_stream (d->stream);
  }
  g_assert_cmpuint (rows, <=, d->options.max_rows);
}

/* A token for a row; every 40th or so ends the turn. */
static inline DpChosen
fake_choice (guint64 h, const DpChoice *c, guint32 n)
{
  if (c->temperature > 0)
    h = mix (mix (h, c->seed), n - c->n_prompt);
  h = mix (h, (guint64) (c->frequency * 1000));
  if (h % 41 == 0)
    return (DpChosen){ FAKE_EOS, -0.5f };
  gint32 id = (gint32) (h / 41 % 256);
  return (DpChosen){ id == '@' || id == '?' || id == '%' || id == '!' ? 'x' : id, -(float) (h % 97) / 97 };
}

gboolean
dp_decoder_choose (DpDecoder *d, DpTensor hidden, const DpChoice *choices, guint32 n, DpChosen *chosen, GError **error)
{
  g_autofree float *rows = g_new (float, (gsize) n *FAKE_HIDDEN);

  g_assert_cmpuint (hidden.rows, ==, n);
  dp_stream_download (d->stream, rows, &hidden, (gsize) n * FAKE_HIDDEN * sizeof *rows);
  if (!dp_stream_sync (d->stream, error))
    return FALSE;
  for (guint32 i = 0; i < n; i++) {
    const DpChoice *c = &choices[i];
    chosen[i] = fake_choice (from_row (rows + i * FAKE_HIDDEN), c, c->n_history);
    if (!c->n_history) /* nobody looks at it */
      continue;
    g_assert_cmpuint (c->n_history, ==, c->n_prompt);
    pthread_mutex_lock (&d->model->lock);
    for (guint32 j = 9; j + 1 < c->n_history && d->model->log; j++) /* after the chat's own words: the first of the user's */
      if (c->history[j] < 256 && c->history[j] != '\n') {
        g_string_append_c (d->model->log, (char) c->history[j]);
        break;
      }
    pthread_mutex_unlock (&d->model->lock);
    for (guint32 j = 0; j < c->n_history; j++)
      if (c->history[j] == '?') /* no finite number */
        chosen[i] = (DpChosen){ -1, -1 };
  }
  return TRUE;
}

/* '%' breaks the third step, '@' goes round in circles of five. */
gboolean
dp_decoder_step (DpDecoder *d, const DpDecoderPart *parts, const DpChoice *choices, guint32 n, DpChosen *chosen, GError **error)
{
  pass (d->model);
  g_assert_cmpuint (n, <=, d->options.max_batch);
  for (guint32 b = 0; b < n; b++) {
    const DpDecoderPart *p = &parts[b];
    const DpChoice *c = &choices[b];
    g_assert_cmpuint (p->n, ==, 1);
    g_assert_cmpuint (c->n_history, ==, p->kv_len);
    chosen[b] = fake_choice (write_rows (d, p, FALSE, NULL), c, p->kv_len);
    spoil (d, p);
    if (misbehaves (d, p, '@'))
      chosen[b] = (DpChosen){ 'a' + (gint32) (p->kv_len % 5), -0.1f };
    if (misbehaves (d, p, '%') && p->kv_len == c->n_prompt + 3)
      break_stream (d->stream);
  }
  return dp_stream_sync (d->stream, error);
}

void
dp_decoder_copy_page (DpDecoder *d, guint32 from, guint32 to)
{
  const guint32 size = d->options.page_size;

  memcpy (d->cells + (gsize) to * size, d->cells + (gsize) from * size, size * sizeof *d->cells);
  memcpy (d->tokens + (gsize) to * size, d->tokens + (gsize) from * size, size * sizeof *d->tokens);
}
