/* vlm/line_reader.c - lines in batches through the built-in model: scale, encode, draft, verify, answer. */
#include "vlm/line_reader.h"

#include "vlm/error.h"
#include "vlm/family_nano.h"
#include "vlm/line_choice.h"
#include "vlm/line_crop.h"
#include "vlm/line_draft.h"

#include <math.h>
#include <string.h>

/* Where a character's middle is, in frames from the beginning of the one that first says it.  The stem's convolutions are centred on
 * their first column and a frame speaks up a little late: measured on 852 drawn characters, deviation 0.7 frames. */
#define FRAME_MIDDLE -0.4f

/* A batch's picture columns: its activations stay in the caches of a core, and its products are large enough. */
#define BATCH_COLUMNS 4096
#define BATCH_LINES 64

struct DpLineReader {
  DpBackend *backend;
  DpStream *stream;
  DpNano *nano;
  DpKv *kv;
  DpNanoStepper *stepper;
  DpLineMode mode;
  DpLineCounts counts;
};

/* One line of a batch. */
typedef struct {
  const DpLineCrop *crop;
  const DpLinePicture *picture;
  DpLineResult *result;
  DpLineDraft draft;
  gint32 *places; /* rotary positions of its prefix */
  guint32 prefix, page;
  guint32 frame, n_frames; /* of the batch's CTC frames */
  DpLineVerdict verdict;
  DpLineCandidate candidates[DP_LINE_CANDIDATES]; /* where the verdict is DP_LINE_OTHER */
  guint n_candidates, chosen;
} Line;

/* ---- opening ----------------------------------------------------------------------------------------- */

/* Tokens in the cache of the longest line: prefix, BOS, and what the decoder may write for a draft with a character a frame. */
static guint32
longest_line (const DpNanoConfig *c, guint32 columns)
{
  return columns / c->column_multiple + 1 + dp_line_draft_limit (dp_nano_frames (c, columns));
}

static gboolean
open_cache (DpLineReader *reader, gboolean eager, GError **error)
{
  const DpNanoConfig *c = &reader->nano->config;
  const guint32 tokens = longest_line (c, BATCH_COLUMNS) + BATCH_LINES * (1 + dp_line_draft_limit (0) + DP_NANO_PAGE);
  const DpKvConfig config = { .n_layers = c->decoder_layers,
                              .n_pages = 1 + (tokens + DP_NANO_PAGE - 1) / DP_NANO_PAGE,
                              .page_size = DP_NANO_PAGE,
                              .n_kv_heads = c->decoder_kv_heads,
                              .head_dim = c->head_dim,
                              .head_dim_v = c->head_dim,
                              .type = DP_BF16 };

  reader->kv = dp_kv_new (reader->backend, &config, error);
  if (reader->kv)
    reader->stepper = dp_nano_stepper_new (reader->nano, reader->kv, BATCH_LINES, longest_line (c, DP_NANO_COLUMNS), eager, error);
  return reader->stepper != NULL;
}

DpLineReader *
dp_line_reader_new (const DpLineReaderOptions *options, GError **error)
{
  const DpLineReaderOptions o = options ? *options : (DpLineReaderOptions){ 0 };
  const DpBackendOptions device = {
    .struct_size = sizeof device, .device = o.index, .n_threads = o.n_threads, .strict_backend = o.strict, .strict_memory = o.strict_memory
  };
  const char *dir = o.weights ? o.weights : g_getenv ("DOCPARSE_NANO_DIR");
  g_autoptr (DpLineReader) reader = g_new0 (DpLineReader, 1);

  reader->backend = dp_backend_open (o.device ? o.device : "cpu", &device, error);
  if (!reader->backend || !(reader->stream = dp_stream_new (reader->backend, error))
      || !(reader->nano = dp_nano_load (reader->backend, dir, error)) || !open_cache (reader, o.eager, error))
    return NULL;
  reader->mode = o.mode;
  return g_steal_pointer (&reader);
}

void
dp_line_reader_free (DpLineReader *reader)
{
  if (!reader)
    return;
  dp_nano_stepper_free (reader->stepper);
  dp_stream_free (reader->stream);
  dp_kv_free (reader->kv);
  dp_nano_free (reader->nano);
  dp_backend_close (reader->backend);
  g_free (reader);
}

void
dp_line_reader_counts (DpLineReader *reader, DpLineCounts *counts)
{
  *counts = reader->counts;
  reader->counts = (DpLineCounts){ 0 };
}

/* ---- drafting ---------------------------------------------------------------------------------------- */

/* What the CTC head says, on the host. */
typedef struct {
  gint32 *ids, *frames, *lens;
  float *logprob;
} Reading;

static void
reading_clear (Reading *r)
{
  g_free (r->ids), g_free (r->frames), g_free (r->lens), g_free (r->logprob);
}

static gboolean
reading_download (DpStream *stream, const DpNanoEncoded *e, guint n, Reading *r, GError **error)
{
  *r = (Reading){ .ids = g_new (gint32, e->n_frames),
                  .frames = g_new (gint32, e->n_frames),
                  .lens = g_new (gint32, n),
                  .logprob = g_new (float, e->n_frames) };
  dp_stream_download (stream, r->ids, &e->ids, e->n_frames * sizeof *r->ids);
  dp_stream_download (stream, r->frames, &e->frames, e->n_frames * sizeof *r->frames);
  dp_stream_download (stream, r->lens, &e->lens, n * sizeof *r->lens);
  dp_stream_download (stream, r->logprob, &e->logprob, e->n_frames * sizeof *r->logprob);
  return dp_stream_sync (stream, error);
}

/* Row by row, midway between the characters that the draft has begun before it and by its end, in half characters
 * (vlm/nano/training/model.py, places). */
static void
place_prefix (Line *line, const DpNanoConfig *c)
{
  const gint32 merge = (gint32) (c->frames_per_token * c->merge);
  guint32 begun = 0;

  line->places = g_new (gint32, line->prefix);
  for (guint32 row = 0; row < line->prefix; row++) {
    const guint32 before = begun;
    while (begun < line->draft.n_draft && line->draft.frames[begun] < (gint32) (row + 1) * merge)
      begun++;
    line->places[row] = (gint32) (before + begun);
  }
}

/* Symbols that are no characters (a sign of the decoder that the CTC head chose by mistake) fall out. */
static void
take_draft (Line *line, const DpNanoConfig *c, const Reading *r, guint32 frame, guint b, gboolean plain)
{
  const guint32 n = (guint32) CLAMP (r->lens[b], 0, (gint32) dp_nano_frames (c, line->picture->width));
  g_autofree gint32 *ids = g_new (gint32, n + 1), *frames = g_new (gint32, n + 1);
  g_autofree float *sure = g_new (float, n + 1);
  guint32 kept = 0;

  for (guint32 i = frame; i < frame + n; i++)
    if (r->ids[i] >= (gint32) c->first_character) {
      ids[kept] = r->ids[i], frames[kept] = r->frames[i];
      sure[kept++] = r->logprob[i];
    }
  dp_line_draft_init (&line->draft, ids, frames, sure, kept, (gint32) c->bos, (gint32) c->eos, plain);
  place_prefix (line, c);
}

/* ---- verifying --------------------------------------------------------------------------------------- */

static DpNanoPart
part_of (const Line *line, gboolean first)
{
  return (DpNanoPart){ .page = line->page,
                       .prefix = line->prefix,
                       .first = first,
                       .prefix_places = line->places,
                       .kept = line->draft.kept,
                       .tokens = line->draft.feed,
                       .n = line->draft.n_feed };
}

/* One pass of the decoder over the lines that are not done. */
static gboolean
decoder_pass (DpLineReader *reader, Line **open, guint n, gboolean first, DpTensor encoded, GError **error)
{
  g_autofree DpNanoPart *parts = g_new (DpNanoPart, n);
  guint32 tokens = 0, at = 0;
  gboolean single = !first;

  for (guint i = 0; i < n; i++) {
    parts[i] = part_of (open[i], first);
    tokens += parts[i].n;
    single = single && parts[i].n == 1;
  }
  g_autofree gint32 *ids = g_new (gint32, tokens);
  g_autofree float *sure = g_new (float, tokens);
  reader->counts.passes++;
  if (single) {
    if (!dp_nano_step (reader->stepper, reader->stream, parts, n, ids, sure, error))
      return FALSE;
  } else {
    dp_nano_pass (reader->stream, reader->nano, reader->kv, parts, n, encoded, ids, sure);
    if (!dp_stream_sync (reader->stream, error))
      return FALSE;
  }
  for (guint i = 0; i < n; i++) {
    dp_line_draft_take (&open[i]->draft, ids + at, sure + at);
    at += parts[i].n;
  }
  return TRUE;
}

/* The decoder's text of every line that has a draft; the others have nothing to read. */
static gboolean
verify (DpLineReader *reader, Line *lines, guint n, DpTensor encoded, GError **error)
{
  g_autofree Line **open = g_new (Line *, n);
  guint32 page = 1;
  guint left = n;

  for (guint i = 0; i < n; i++) {
    open[i] = &lines[i];
    lines[i].page = page;
    page += (lines[i].prefix + 1 + lines[i].draft.limit + DP_NANO_PAGE - 1) / DP_NANO_PAGE;
  }
  g_assert (page <= reader->kv->config.n_pages);
  for (gboolean first = TRUE; left > 0; first = FALSE) {
    if (!decoder_pass (reader, open, left, first, encoded, error))
      return FALSE;
    guint kept = 0;
    for (guint i = 0; i < left; i++) {
      if (open[i]->draft.done)
        reader->counts.accepted += first;
      else
        open[kept++] = open[i];
    }
    left = kept;
  }
  return TRUE;
}

/* ---- judging ------------------------------------------------------------------------------------------ */

/* What the CTC head thinks of the candidates of the lines that have some. */
static gboolean
judge_frames (DpLineReader *reader, Line **open, guint n, DpTensor logits, GError **error)
{
  const DpNanoConfig *c = &reader->nano->config;
  gsize n_frames = 0, at = 0;

  for (guint i = 0; i < n; i++)
    n_frames += open[i]->n_frames;
  g_autofree float *logprob = g_new (float, n_frames * c->vocabulary);
  for (guint i = 0; i < n; at += open[i++]->n_frames) {
    const DpTensor rows = dp_tensor_rows (logits, open[i]->frame, open[i]->n_frames);
    dp_stream_download (reader->stream, logprob + at * c->vocabulary, &rows, dp_tensor_bytes (&rows));
  }
  if (!dp_stream_sync (reader->stream, error))
    return FALSE;
  dp_line_log_softmax (logprob, n_frames, c->vocabulary);
  at = 0;
  for (guint i = 0; i < n; at += open[i++]->n_frames)
    for (guint k = 0; k < open[i]->n_candidates; k++) {
      DpLineCandidate *candidate = &open[i]->candidates[k];
      candidate->ctc = dp_line_ctc (logprob + at * c->vocabulary, open[i]->n_frames, c->vocabulary, (gint32) c->blank, candidate->ids + 1,
                                    candidate->n);
    }
  return TRUE;
}

/* What the decoder thinks of candidate k of the lines that have one, behind the prefix that is in the cache; of its own it has said so. */
static gboolean
judge_texts (DpLineReader *reader, Line **open, guint n, guint k, GError **error)
{
  const DpNanoConfig *c = &reader->nano->config;
  g_autofree DpNanoPart *parts = g_new (DpNanoPart, n);
  g_autofree DpLineCandidate **judged = g_new (DpLineCandidate *, n);
  guint n_parts = 0;
  gsize tokens = 0;

  for (guint i = 0; i < n; i++) {
    DpLineCandidate *candidate = &open[i]->candidates[k];
    if (k >= open[i]->n_candidates || candidate->own)
      continue;
    judged[n_parts] = candidate;
    parts[n_parts++] = (DpNanoPart){ .page = open[i]->page, .prefix = open[i]->prefix, .tokens = candidate->ids, .n = candidate->n + 1 };
    tokens += candidate->n + 1;
  }
  if (!n_parts)
    return TRUE;
  g_autofree float *logprob = g_new (float, tokens * c->vocabulary);
  dp_nano_judge (reader->stream, reader->nano, reader->kv, parts, n_parts, logprob);
  if (!dp_stream_sync (reader->stream, error))
    return FALSE;
  dp_line_log_softmax (logprob, tokens, c->vocabulary);
  const float *at = logprob;
  for (guint i = 0; i < n_parts; at += (gsize) parts[i++].n * c->vocabulary)
    dp_line_candidate_judge (judged[i], at, c->vocabulary, (gint32) c->eos);
  return TRUE;
}

/* Chooses where draft and text differ. */
static gboolean
judge (DpLineReader *reader, Line *lines, guint n, DpTensor logits, GError **error)
{
  g_autofree Line **open = g_new (Line *, n);
  guint n_open = 0;

  for (guint i = 0; i < n; i++) {
    lines[i].verdict = dp_line_draft_verdict (&lines[i].draft, (gint32) reader->nano->config.first_character);
    if (lines[i].verdict != DP_LINE_OTHER)
      continue;
    lines[i].n_candidates = dp_line_candidates (&lines[i].draft, lines[i].candidates);
    open[n_open++] = &lines[i];
  }
  if (!n_open)
    return TRUE;
  if (!judge_frames (reader, open, n_open, logits, error))
    return FALSE;
  for (guint k = 0; k < DP_LINE_CANDIDATES; k++)
    if (!judge_texts (reader, open, n_open, k, error))
      return FALSE;
  for (guint i = 0; i < n_open; i++)
    open[i]->chosen = dp_line_choose (open[i]->candidates, open[i]->n_candidates);
  return TRUE;
}

/* ---- the answer -------------------------------------------------------------------------------------- */

/* Columns of the crop at which each of n characters stands: of those that stand for one of the draft, by its frame; the
 * others between their neighbours. */
static void
find_places (const Line *line, const DpNanoConfig *c, const gint32 *text, guint32 n, float *at)
{
  const DpLineDraft *d = &line->draft;
  const float frame = (float) dp_nano_token_columns (c) / (float) c->frames_per_token;
  const float scale = (float) line->crop->width / (float) line->picture->ink_width;
  g_autofree gint32 *match = g_new (gint32, n);
  guint32 i = 0;

  dp_line_edits (text, n, d->draft, d->n_draft, 1, match);
  for (i = 0; i < n; i++)
    at[i] = match[i] < 0 ? -1 : CLAMP (((float) d->frames[match[i]] + FRAME_MIDDLE) * frame * scale, 0, (float) line->crop->width);
  for (i = 0; i < n;) {
    guint32 end = i;
    while (end < n && at[end] < 0)
      end++;
    const float left = i ? at[i - 1] : 0, right = end < n ? at[end] : (float) line->crop->width;
    for (guint32 j = i; j < end; j++)
      at[j] = left + (right - left) * (float) (j - i + 1) / (float) (end - i + 1);
    i = end + 1;
  }
}

static void
set_columns (DpLineChar *chars, guint32 n, const float *at, float width)
{
  for (guint32 i = 0; i < n; i++) {
    /* the outer half of the first and of the last is as wide as the inner one */
    const float right = i + 1 < n ? (at[i + 1] - at[i]) / 2 : i ? (at[i] - at[i - 1]) / 2 : width;
    const float left = i ? (at[i] - at[i - 1]) / 2 : n > 1 ? (at[1] - at[0]) / 2 : width;
    chars[i].x0 = MAX (0, at[i] - left);
    chars[i].x1 = MIN (width, at[i] + right);
  }
}

static float
chance (double logprob)
{
  return isfinite (logprob) ? (float) CLAMP (exp (logprob), 0, 1) : 0;
}

/* A text with the log-probabilities of its characters and, if counted is n + 1, of its end. */
typedef struct {
  const gint32 *ids;
  const float *sure;
  guint32 n, counted;
  gboolean own; /* the decoder's */
} Answer;

static Answer
answer_of (const DpLineReader *reader, const Line *line)
{
  const DpLineDraft *d = &line->draft;
  const Answer draft = { d->draft, d->draft_sure, d->n_draft, d->n_draft, FALSE };

  if (reader->mode == DP_LINE_DRAFT || line->verdict == DP_LINE_BROKEN)
    return draft;
  if (line->verdict == DP_LINE_SAME)
    return (Answer){ d->text, d->sure, d->n_draft, d->n_text, TRUE };
  const DpLineCandidate *c = &line->candidates[line->chosen];
  return (Answer){ c->ids + 1, c->sure, c->n, c->n + 1, c->own };
}

static void
give_answer (DpLineReader *reader, Line *line)
{
  const DpNano *nano = reader->nano;
  const Answer answer = answer_of (reader, line);
  const gint32 *ids = answer.ids;
  const float *sure = answer.sure;
  const guint32 n = answer.n, counted = answer.counted;
  g_autofree float *at = g_new (float, n + 1);
  GString *text = g_string_new (NULL);
  DpLineResult *r = line->result;
  double sum = 0;

  r->chars = g_new0 (DpLineChar, n);
  r->n_chars = 0;
  find_places (line, &nano->config, ids, n, at);
  for (guint32 i = 0; i < n; i++) {
    gsize bytes;
    const guint8 *character = dp_tokenizer_bytes (nano->tokenizer, (guint32) ids[i], &bytes);
    if (!bytes)
      continue;
    at[r->n_chars] = at[i];
    r->chars[r->n_chars++] = (DpLineChar){ .offset = (guint32) text->len, .confidence = chance ((double) sure[i]) };
    g_string_append_len (text, (const char *) character, (gssize) bytes);
  }
  for (guint32 i = 0; i < counted; i++)
    sum += (double) sure[i];
  set_columns (r->chars, r->n_chars, at, (float) line->crop->width);
  r->confidence = counted ? chance (sum / counted) : 0;
  r->doubtful = reader->mode != DP_LINE_DRAFT && !answer.own;
  r->text = g_string_free (text, FALSE);
  reader->counts.doubtful += r->doubtful;
}

/* ---- batches ------------------------------------------------------------------------------------------ */

static gboolean
read_encoded (DpLineReader *reader, Line *lines, guint n, const DpNanoEncoded *e, GError **error)
{
  const DpNanoConfig *c = &reader->nano->config;
  Reading reading;
  guint32 frame = 0;

  if (!reading_download (reader->stream, e, n, &reading, error)) {
    reading_clear (&reading);
    return FALSE;
  }
  for (guint b = 0; b < n; b++) {
    lines[b].prefix = lines[b].picture->width / c->column_multiple;
    take_draft (&lines[b], c, &reading, frame, b, reader->mode == DP_LINE_PLAIN);
    lines[b].frame = frame, lines[b].n_frames = dp_nano_frames (c, lines[b].picture->width);
    frame += lines[b].n_frames;
  }
  reading_clear (&reading);
  if (reader->mode != DP_LINE_DRAFT && (!verify (reader, lines, n, e->encoded, error) || !judge (reader, lines, n, e->logits, error)))
    return FALSE;
  for (guint b = 0; b < n; b++)
    give_answer (reader, &lines[b]);
  return TRUE;
}

static gboolean
read_batch (DpLineReader *reader, Line *lines, guint n, GError **error)
{
  g_autofree guint32 *widths = g_new (guint32, n);
  guint32 columns = 0, at = 0;

  for (guint b = 0; b < n; b++)
    columns += widths[b] = lines[b].picture->width;
  g_autofree guint16 *pixels = g_new (guint16, (gsize) columns * DP_NANO_HEIGHT);
  for (guint b = 0; b < n; b++) {
    dp_line_picture_append (lines[b].picture, pixels + (gsize) at * DP_NANO_HEIGHT);
    at += widths[b];
  }
  gsize mark = dp_stream_mark (reader->stream);
  const DpNanoLines batch = { .n = n, .widths = widths };
  const DpNanoEncoded e = dp_nano_encode (reader->stream, reader->nano, &batch, pixels);
  const gboolean good = read_encoded (reader, lines, n, &e, error);
  dp_stream_release (reader->stream, mark);
  reader->counts.lines += n;
  for (guint b = 0; b < n; b++) {
    dp_line_draft_clear (&lines[b].draft);
    for (guint k = 0; k < lines[b].n_candidates; k++)
      dp_line_candidate_clear (&lines[b].candidates[k]);
    g_free (lines[b].places);
  }
  return good;
}

static int
by_width (gconstpointer a, gconstpointer b)
{
  const Line *x = a, *y = b;

  return (x->picture->width > y->picture->width) - (x->picture->width < y->picture->width);
}

static gboolean
read_lines (DpLineReader *reader, GArray *lines, GError **error)
{
  guint last;

  g_array_sort (lines, by_width);
  for (guint first = 0; first < lines->len; first = last) {
    guint32 columns = 0;
    for (last = first; last < lines->len && last - first < BATCH_LINES; last++) {
      const guint32 width = g_array_index (lines, Line, last).picture->width;
      if (columns && columns + width > BATCH_COLUMNS)
        break;
      columns += width;
    }
    if (!read_batch (reader, &g_array_index (lines, Line, first), last - first, error))
      return FALSE;
  }
  return TRUE;
}

gboolean
dp_line_reader_read (DpLineReader *reader, const DpLineCrop *crops, guint n, DpLineResult *results, GError **error)
{
  if (n == 0)
    return TRUE;
  const DpNanoConfig *c = &reader->nano->config;
  g_autofree DpLinePicture *pictures = g_new0 (DpLinePicture, n);
  g_autoptr (GArray) lines = g_array_new (FALSE, TRUE, sizeof (Line));
  gboolean good = dp_line_pictures (reader->stream, crops, n, c->column_multiple, DP_NANO_COLUMNS, pictures, error);

  memset (results, 0, n * sizeof *results);
  for (guint i = 0; good && i < n; i++) {
    const Line line = { .crop = &crops[i], .picture = &pictures[i], .result = &results[i] };
    if (pictures[i].width)
      g_array_append_val (lines, line);
    else
      results[i].text = g_strdup ("");
  }
  good = good && read_lines (reader, lines, error);
  for (guint i = 0; i < n; i++) {
    dp_line_picture_clear (&pictures[i]);
    if (!good)
      dp_line_result_clear (&results[i]);
  }
  return good;
}

void
dp_line_result_clear (DpLineResult *result)
{
  g_free (result->text);
  g_free (result->chars);
  memset (result, 0, sizeof *result);
}
