/* tests/tools/nano_lines.c - what the line reader makes of the pictures in a file, for comparison with the program that trained it.
 *
 *   nano_lines LINES.pgm [MODE [DEVICE]]        text, doubt, and the log-probability of each token, a line each, tab separated
 *   nano_lines LINES.pgm logits                 the CTC logits of all frames, one picture after the other, as raw f32
 *
 * MODE: verified (default), plain, eager (plain, without graphs), draft.  LINES.pgm: binary grey netpbm pictures one after the
 * other, 32 rows high.  DOCPARSE_NANO_DIR names other weights than the built-in ones.
 */
#include "tests/vlm/line_pictures.h"
#include "vlm/family_nano.h"
#include "vlm/line_crop.h"
#include "vlm/line_reader.h"

#include <stdio.h>

static int
complain (GError *error)
{
  fprintf (stderr, "%s\n", error->message);
  g_error_free (error);
  return 1;
}

static int
print_texts (GArray *crops, const char *mode, const char *device)
{
  const gboolean eager = g_str_equal (mode, "eager");
  const DpLineReaderOptions options = { .device = device,
                                        .eager = eager,
                                        .mode = g_str_equal (mode, "draft")            ? DP_LINE_DRAFT
                                                : eager || g_str_equal (mode, "plain") ? DP_LINE_PLAIN
                                                                                       : DP_LINE_VERIFIED };
  GError *error = NULL;
  g_autoptr (DpLineReader) reader = dp_line_reader_new (&options, &error);
  g_autofree DpLineResult *results = g_new0 (DpLineResult, crops->len);
  DpLineCounts counts;

  if (!reader || !dp_line_reader_read (reader, (const DpLineCrop *) (gpointer) crops->data, crops->len, results, &error))
    return complain (error);
  for (guint i = 0; i < crops->len; i++) {
    printf ("%s\t%d\t%.4f", results[i].text, results[i].doubtful, (double) results[i].confidence);
    for (guint32 j = 0; j < results[i].n_chars; j++)
      printf ("%c%.4f", j ? ' ' : '\t', (double) results[i].chars[j].confidence);
    putchar ('\n');
    dp_line_result_clear (&results[i]);
  }
  dp_line_reader_counts (reader, &counts);
  fprintf (stderr, "%" G_GUINT64_FORMAT " lines, %.3f accepted whole, %" G_GUINT64_FORMAT " passes, %.3f doubtful\n", counts.lines,
           (double) counts.accepted / (double) MAX (counts.lines, 1), counts.passes,
           (double) counts.doubtful / (double) MAX (counts.lines, 1));
  return 0;
}

static int
print_logits (GArray *crops)
{
  GError *error = NULL;
  g_autoptr (DpBackend) backend = dp_backend_open ("cpu", NULL, &error);
  g_autoptr (DpStream) stream = backend ? dp_stream_new (backend, &error) : NULL;
  g_autoptr (DpNano) nano = stream ? dp_nano_load (backend, g_getenv ("DOCPARSE_NANO_DIR"), &error) : NULL;

  if (!nano)
    return complain (error);
  for (guint i = 0; i < crops->len; i++) {
    DpLinePicture picture;
    if (!dp_line_pictures (stream, &g_array_index (crops, DpLineCrop, i), 1, nano->config.column_multiple, DP_NANO_COLUMNS, &picture,
                           &error))
      return complain (error);
    g_autofree guint16 *pixels = g_new (guint16, picture.width * DP_NANO_HEIGHT);
    dp_line_picture_append (&picture, pixels);
    gsize mark = dp_stream_mark (stream);
    DpNanoEncoded e = dp_nano_encode (stream, nano, &(DpNanoLines){ .n = 1, .widths = &picture.width }, pixels);
    g_autofree float *logits = g_malloc (dp_tensor_bytes (&e.logits));
    dp_stream_download (stream, logits, &e.logits, dp_tensor_bytes (&e.logits));
    dp_stream_release (stream, mark);
    dp_line_picture_clear (&picture);
    if (!dp_stream_sync (stream, &error))
      return complain (error);
    fwrite (logits, 1, dp_tensor_bytes (&e.logits), stdout);
  }
  return 0;
}

int
main (int argc, char **argv)
{
  GError *error = NULL;
  const char *mode = argc > 2 ? argv[2] : "verified";
  g_autoptr (GArray) crops = argc > 1 ? line_pictures (argv[1], &error) : NULL;

  if (argc < 2) {
    fputs ("usage: nano_lines LINES.pgm [verified|plain|eager|draft|logits [DEVICE]]\n", stderr);
    return 2;
  }
  if (!crops)
    return complain (error);
  return g_str_equal (mode, "logits") ? print_logits (crops) : print_texts (crops, mode, argc > 3 ? argv[3] : NULL);
}
