/* tests/cpu/device.h - a back end, a stream and tensors with known contents, for the tests of tests/cpu. */
#pragma once

#include "backends/cpu/cpu.h"
#include "ops/stream.h"

#include <math.h>

typedef struct {
  DpBackend *backend;
  DpStream *stream;
  GPtrArray *buffers;
} Device;

static inline Device
device_open (const char *name, guint n_threads)
{
  DpBackendOptions options = { .struct_size = sizeof options, .n_threads = n_threads, .strict_backend = TRUE };
  GError *error = NULL;
  Device d = { .backend = dp_backend_open (name, &options, &error) };
  g_assert_no_error (error);
  d.stream = dp_stream_new (d.backend, &error);
  g_assert_no_error (error);
  d.buffers = g_ptr_array_new_with_free_func ((GDestroyNotify) dp_buffer_free);
  return d;
}

static inline void
device_close (Device *d)
{
  dp_stream_free (d->stream);
  g_ptr_array_unref (d->buffers);
  dp_backend_close (d->backend);
}

/* A dense tensor; values are of its type, NULL: zeros. */
static inline DpTensor
device_put (Device *d, DpType type, guint32 rows, guint32 cols, const void *values)
{
  GError *error = NULL;
  DpBuffer *buffer = dp_buffer_new (d->backend, (gsize) rows * cols * dp_type_size (type), &error);
  g_assert_no_error (error);
  g_ptr_array_add (d->buffers, buffer);
  DpTensor t = dp_tensor (buffer, 0, type, rows, cols);
  if (values)
    dp_stream_upload (d->stream, &t, values, dp_tensor_bytes (&t));
  return t;
}

/* f32 values in a float type; rounded in place, so that an oracle sees what the device sees. */
static inline DpTensor
device_floats (Device *d, DpType type, guint32 rows, guint32 cols, float *values)
{
  gsize n = (gsize) rows * cols;
  g_autofree guint16 *half = g_new (guint16, n);
  if (type == DP_F32)
    return device_put (d, type, rows, cols, values);
  for (gsize i = 0; i < n; i++) {
    half[i] = type == DP_F16 ? dp_f32_to_f16 (values[i]) : dp_f32_to_bf16 (values[i]);
    values[i] = type == DP_F16 ? dp_f16_to_f32 (half[i]) : dp_bf16_to_f32 (half[i]);
  }
  return device_put (d, type, rows, cols, half);
}

/* Contents of a dense tensor; free with g_free. */
static inline void *
device_get (Device *d, const DpTensor *t)
{
  GError *error = NULL;
  void *values = g_malloc (dp_tensor_bytes (t));
  dp_stream_download (d->stream, values, t, dp_tensor_bytes (t));
  dp_stream_sync (d->stream, &error);
  g_assert_no_error (error);
  return values;
}

static inline float *
random_floats (GRand *rand, gsize n, double most)
{
  float *values = g_new (float, n);
  for (gsize i = 0; i < n; i++)
    values[i] = (float) g_rand_double_range (rand, -most, most);
  return values;
}
