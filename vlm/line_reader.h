/* vlm/line_reader.h - pictures of printed lines in, their characters out: the built-in model (vlm/nano) behind one call.
 *
 * A crop holds one line of text, left to right, cut from an upright grey page with a little paper around it (about a
 * twelfth of its height above and below).  Ink is dark; white on black is read too.  Its height does not matter: every crop is scaled to
 * 32 rows, but nothing is gained by cutting from a page on which a line is higher than 40 pixels.
 *
 * How a line is read (vlm/nano/README.md): the encoder's CTC head drafts all of it, the decoder checks the draft in one
 * pass and writes on by itself only from where it disagrees.  The text is that of plain greedy decoding.
 *
 * All lines of a call run together, sorted by width: give a whole page at a time.  What a line says does not depend on the others.
 * A reader is used by one thread at a time; it does its work on the threads of its back end.
 */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

typedef struct DpLineReader DpLineReader;

/* How text is made. All but DP_LINE_DRAFT give the same text; the others are there for tests and measurements. */
typedef enum {
  DP_LINE_VERIFIED = 0, /* draft, check, write on */
  DP_LINE_PLAIN = 1,    /* one character at a time */
  DP_LINE_DRAFT = 2,    /* the CTC head alone: no decoder, a little less sure */
} DpLineMode;

typedef struct {
  const char *weights; /* a folder with config.json, tokenizer.json, model.safetensors; NULL: DOCPARSE_NANO_DIR, else the built-in ones */
  const char *device;  /* a back end's name; NULL: "cpu" */
  guint index;         /* which of its devices */
  guint n_threads;     /* 0: the back end decides */
  gboolean strict;     /* an operator that the back end lacks is an error, never done by the reference */
  gboolean strict_memory; /* "reference" only: device memory is unreadable outside operators; for tests */
  gboolean eager;         /* run operators one by one instead of from captured graphs: same text, for debugging */
  DpLineMode mode;
} DpLineReaderOptions;

/* Opens the model on a device. options may be NULL.  NULL with an error that says which file or operator is missing. */
DpLineReader *dp_line_reader_new (const DpLineReaderOptions *options, GError **error);
void dp_line_reader_free (DpLineReader *reader);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (DpLineReader, dp_line_reader_free)

/* 8-bit grey, 0 black; rows from the top, `stride` bytes apart. */
typedef struct {
  const guint8 *pixels;
  guint32 width, height;
  gsize stride;
} DpLineCrop;

/* One character of a text, spaces included. */
typedef struct {
  guint32 offset;   /* its first byte in the text */
  float x0, x1;     /* columns of the crop that belong to it: from halfway to the one before to halfway to the next; x0 <= x1.
                     * Good to about an eighth of the line's height: who wants a tight box of a word looks for ink inside. */
  float confidence; /* 0..1 */
} DpLineChar;

typedef struct {
  char *text;        /* UTF-8, NFC; "" where there is nothing to read; never NULL after a successful call */
  float confidence;  /* 0..1: the geometric mean over the characters and the end of the line */
  gboolean doubtful; /* draft and decoder differ, and the text is not the decoder's */
  guint32 n_chars;
  DpLineChar *chars; /* n_chars, in order */
} DpLineResult;

/* Reads n crops into results[0 .. n-1], which the caller clears afterwards.  A crop without pixels, or so wide for its height that
 * it cannot be one line (above 2,400 columns at 32 rows, about 200 characters), has the empty text.  On FALSE all results are empty
 * and need no clearing. */
gboolean dp_line_reader_read (DpLineReader *reader, const DpLineCrop *crops, guint n, DpLineResult *results, GError **error);

/* Frees what a result holds and zeroes it. */
void dp_line_result_clear (DpLineResult *result);

/* What the readings since the last call cost; zeroes the counters. For reports and benchmarks. */
typedef struct {
  guint64 lines;    /* read */
  guint64 accepted; /* drafts that the decoder confirmed in its first pass */
  guint64 passes;   /* of the decoder over a batch (with DP_LINE_PLAIN: steps); those that judge candidates do not count */
  guint64 doubtful;
} DpLineCounts;

void dp_line_reader_counts (DpLineReader *reader, DpLineCounts *counts);

G_END_DECLS
