/* ops/tensor.h - what travels between operators: typed 2-D views on memory a back end owns.
 *
 * A tensor never owns.  It is rows x cols elements; heads live inside the columns (a query
 * of 14 heads of 64 is [tokens, 896]), pictures inside the rows ([n*height*width, channels],
 * channels last).  Two dimensions and one stride are all an operator needs, all a vendor's
 * library takes, and all a reader has to keep in mind.  Larger structure (head counts,
 * picture sizes) stands in the operator's arguments.
 *
 * The idea of flat descriptors passed by value is that of cairo_rectangle_t or GstVideoInfo.
 */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* Element types. The numbers are part of the back-end ABI and never change. */
typedef enum {
  DP_F32 = 0,
  DP_F16 = 1,  /* IEEE binary16: storage; arithmetic is f32 */
  DP_BF16 = 2, /* upper half of an f32, rounded to nearest even */
  DP_I32 = 3,
  DP_I8 = 4,
  DP_U8 = 5,
  DP_I4 = 6, /* weights only: two per byte, low nibble first, value + 8 stored (0..15) */
} DpType;
#define DP_N_TYPES 7
#define DP_TYPE_BIT(type) (1u << (type))
#define DP_FLOATS (DP_TYPE_BIT (DP_F32) | DP_TYPE_BIT (DP_F16) | DP_TYPE_BIT (DP_BF16))

typedef struct DpBuffer DpBuffer; /* ops/backend.h */

typedef struct {
  DpBuffer *buffer; /* NULL: an absent optional tensor */
  gsize offset;     /* bytes from the start of buffer; a multiple of the element size */
  guint32 rows, cols;
  guint32 stride; /* elements from one row to the next, >= cols */
  guint32 type;   /* DpType, not DP_I4 */
} DpTensor;

/* Buffers and planned temporaries start at multiples of this many bytes. */
#define DP_ALIGN 128

static inline gsize
dp_type_size (guint32 type)
{
  static const guint8 size[DP_N_TYPES] = { 4, 2, 2, 4, 1, 1, 0 };
  return type < DP_N_TYPES ? size[type] : 0;
}

static inline const char *
dp_type_name (guint32 type)
{
  static const char *const name[DP_N_TYPES] = { "f32", "f16", "bf16", "i32", "i8", "u8", "i4" };
  return type < DP_N_TYPES ? name[type] : "?";
}

static inline gboolean
dp_tensor_present (const DpTensor *t)
{
  return t->buffer != NULL;
}

/* A dense view of rows x cols elements at offset bytes into buffer. */
static inline DpTensor
dp_tensor (DpBuffer *buffer, gsize offset, DpType type, guint32 rows, guint32 cols)
{
  return (DpTensor){ .buffer = buffer, .offset = offset, .rows = rows, .cols = cols, .stride = cols, .type = type };
}

/* n rows from first on.  Not checked against t: operators check every view against its buffer. */
static inline DpTensor
dp_tensor_rows (DpTensor t, guint32 first, guint32 n)
{
  t.offset += (gsize) first * t.stride * dp_type_size (t.type);
  t.rows = n;
  return t;
}

/* n columns from first on: a head, a third of a fused projection. The stride stays. */
static inline DpTensor
dp_tensor_cols (DpTensor t, guint32 first, guint32 n)
{
  t.offset += (gsize) first * dp_type_size (t.type);
  t.cols = n;
  return t;
}

/* The same elements of a dense tensor seen as rows x cols (two visual tokens as one, a row per head).
 * A tensor with gaps between its rows cannot be seen so: the result is then absent, which operators refuse. */
static inline DpTensor
dp_tensor_reshape (DpTensor t, guint32 rows, guint32 cols)
{
  if (t.stride != t.cols || (guint64) rows * cols != (guint64) t.rows * t.cols)
    return (DpTensor){ 0 };
  t.rows = rows, t.cols = cols, t.stride = cols;
  return t;
}

/* Bytes from the first element to the end of the last one; 0 for an empty tensor. */
static inline gsize
dp_tensor_span (const DpTensor *t)
{
  return t->rows && t->cols ? ((gsize) (t->rows - 1) * t->stride + t->cols) * dp_type_size (t->type) : 0;
}

/* Bytes of the elements themselves, without the gaps between rows. */
static inline gsize
dp_tensor_bytes (const DpTensor *t)
{
  return (gsize) t->rows * t->cols * dp_type_size (t->type);
}

/* ---- number formats, for kernels and loaders on the host ------------------------------ */

static inline float
dp_bf16_to_f32 (guint16 h)
{
  union {
    guint32 u;
    float f;
  } v = { (guint32) h << 16 };
  return v.f;
}

/* Round to nearest even; a NaN stays a NaN. */
static inline guint16
dp_f32_to_bf16 (float f)
{
  union {
    float f;
    guint32 u;
  } v = { f };
  if ((v.u & 0x7fffffffu) > 0x7f800000u)
    return (guint16) (v.u >> 16 | 0x40);
  return (guint16) ((v.u + 0x7fff + (v.u >> 16 & 1)) >> 16);
}

/* IEEE binary16 with subnormals, infinities and NaN.  The magic-number forms are the well-known ones of
 * Fabian Giesen ("Float->half conversions", public domain): let the FPU renormalise and round. */
static inline float
dp_f16_to_f32 (guint16 h)
{
  union {
    guint32 u;
    float f;
  } v = { (guint32) (h & 0x7fff) << 13 }, magic = { 113u << 23 };
  guint32 exponent = v.u & (0x7c00u << 13);
  v.u += (127 - 15) << 23;
  if (exponent == 0x7c00u << 13) /* infinity, NaN */
    v.u += (128 - 16) << 23;
  else if (exponent == 0) { /* zero, subnormal */
    v.u += 1 << 23;
    v.f -= magic.f;
  }
  v.u |= (guint32) (h & 0x8000) << 16;
  return v.f;
}

/* Round to nearest even; too large becomes infinity, a NaN stays one. */
static inline guint16
dp_f32_to_f16 (float f)
{
  union {
    float f;
    guint32 u;
  } v = { f }, magic;
  guint32 sign = v.u & 0x80000000u;
  guint16 h;
  v.u ^= sign;
  if (v.u >= 0x47800000u) /* >= 65536, infinity, NaN */
    h = v.u > 0x7f800000u ? 0x7e00 : 0x7c00;
  else if (v.u < 0x38800000u) { /* subnormal in binary16: adding 0.5 aligns the mantissa */
    magic.u = 126u << 23;
    v.f += magic.f;
    h = (guint16) (v.u - magic.u);
  } else
    h = (guint16) ((v.u - 0x38000000u + 0xfff + (v.u >> 13 & 1)) >> 13);
  return (guint16) (h | sign >> 16);
}

G_END_DECLS
