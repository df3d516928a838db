/* tests/bench/bench_nano.c - the line reader: lines and pages a second, and what graphs and drafts bring.
 *
 *   bench_nano [THREADS [LINES.pgm]]
 *
 * A page is 2,500 characters, made of the lines in tests/fixtures/vlm/nano.pgm.  All ways are taken in
 * turn; ratios are medians over rounds.  With one thread the time is the processor's, so that neighbours do not count;
 * two threads are measured by the clock, for which the machine must be quiet.
 */
#include "tests/bench/measure.h"
#include "tests/vlm/line_pictures.h"

#include <math.h>
#include <string.h>

enum { PAGE_CHARACTERS = 2500, ROUNDS = 9 };

typedef struct {
  const char *name;
  DpLineMode mode;
  gboolean eager;
  DpLineReader *reader;
  double page[ROUNDS], line[ROUNDS];
} Way;

static DpLineResult *
read_crops (DpLineReader *reader, GArray *crops)
{
  GError *error = NULL;
  DpLineResult *results = g_new0 (DpLineResult, crops->len);

  if (!dp_line_reader_read (reader, (const DpLineCrop *) (gpointer) crops->data, crops->len, results, &error))
    die (error);
  return results;
}

static guint
clear_results (DpLineResult *results, guint n)
{
  guint characters = 0;

  for (guint i = 0; i < n; i++) {
    characters += results[i].n_chars;
    dp_line_result_clear (&results[i]);
  }
  g_free (results);
  return characters;
}

/* Lines of the file again and again until the page has its characters. */
static GArray *
page_of (GArray *lines, DpLineReader *reader)
{
  GArray *page = g_array_new (FALSE, FALSE, sizeof (DpLineCrop));
  DpLineResult *results = read_crops (reader, lines);
  guint characters = 0;

  for (guint i = 0; characters < PAGE_CHARACTERS; i = (i + 1) % lines->len) {
    g_array_append_val (page, g_array_index (lines, DpLineCrop, i));
    characters += results[i].n_chars + 1;
  }
  clear_results (results, lines->len);
  return page;
}

static double
time_of (Way *way, GArray *crops, guint times, gboolean one_thread)
{
  double t = seconds (one_thread);

  for (guint i = 0; i < times; i++)
    clear_results (read_crops (way->reader, crops), crops->len);
  return (seconds (one_thread) - t) / times;
}

/* median() sorts what it is given. */
static double
middle (const double *values)
{
  double copy[ROUNDS];

  memcpy (copy, values, sizeof copy);
  return median (copy, ROUNDS);
}

static double
ratio (const double *a, const double *b, const double *less)
{
  double r[ROUNDS];

  for (guint i = 0; i < ROUNDS; i++)
    r[i] = (a[i] - (less ? less[i] : 0)) / (b[i] - (less ? less[i] : 0));
  return median (r, ROUNDS);
}

/* Seconds by the clock of a page that two threads read. */
static double
two_threads (GArray *page)
{
  Way way = { "two threads", DP_LINE_VERIFIED, FALSE, NULL, { 0 }, { 0 } };
  GError *error = NULL;

  way.reader = dp_line_reader_new (&(DpLineReaderOptions){ .n_threads = 2 }, &error);
  if (error)
    die (error);
  time_of (&way, page, 2, FALSE);
  for (guint r = 0; r < ROUNDS; r++)
    way.page[r] = time_of (&way, page, 1, FALSE);
  dp_line_reader_free (way.reader);
  return middle (way.page);
}

int
main (int argc, char **argv)
{
  enum { VERIFIED, PLAIN, EAGER, DRAFT, N_WAYS };
  Way ways[N_WAYS] = { { "draft and verify", DP_LINE_VERIFIED, FALSE, NULL, { 0 }, { 0 } },
                       { "plain, graph", DP_LINE_PLAIN, FALSE, NULL, { 0 }, { 0 } },
                       { "plain, eager", DP_LINE_PLAIN, TRUE, NULL, { 0 }, { 0 } },
                       { "draft only", DP_LINE_DRAFT, FALSE, NULL, { 0 }, { 0 } } };
  const guint threads = argc > 1 ? (guint) atoi (argv[1]) : 1;
  GError *error = NULL;
  g_autoptr (GArray) lines = line_pictures (argc > 2 ? argv[2] : "tests/fixtures/vlm/nano.pgm", &error);
  DpLineCounts counts;

  for (guint i = 0; lines && i < N_WAYS; i++)
    ways[i].reader
        = error ? NULL
                : dp_line_reader_new (&(DpLineReaderOptions){ .n_threads = threads, .mode = ways[i].mode, .eager = ways[i].eager }, &error);
  if (error)
    die (error);
  g_autoptr (GArray) page = page_of (lines, ways[VERIFIED].reader), one = g_array_new (FALSE, FALSE, sizeof (DpLineCrop));
  guint widest = 0;
  for (guint i = 1; i < lines->len; i++)
    if (g_array_index (lines, DpLineCrop, i).width > g_array_index (lines, DpLineCrop, widest).width)
      widest = i;
  g_array_append_val (one, g_array_index (lines, DpLineCrop, widest));
  const guint characters = clear_results (read_crops (ways[VERIFIED].reader, one), 1);
  for (guint i = 0; i < N_WAYS; i++) /* graphs are captured and try their forms */
    time_of (&ways[i], one, 5, TRUE), time_of (&ways[i], page, 2, TRUE);
  dp_line_reader_counts (ways[VERIFIED].reader, &counts);
  for (guint r = 0; r < ROUNDS; r++)
    for (guint i = 0; i < N_WAYS; i++) {
      Way *way = &ways[(i + r) % N_WAYS];
      way->line[r] = time_of (way, one, 4, threads == 1);
      way->page[r] = time_of (way, page, 1, threads == 1);
    }
  printf ("line reader, %u threads; a page of %u lines (%d characters); one line of %u characters\n", threads, page->len, PAGE_CHARACTERS,
          characters);
  for (guint i = 0; i < N_WAYS; i++)
    printf ("  %-18s page %7.1f ms  %6.2f pages/s %7.1f lines/s   line %7.3f ms\n", ways[i].name, 1e3 * middle (ways[i].page),
            1 / middle (ways[i].page), page->len / middle (ways[i].page), 1e3 * middle (ways[i].line));
  printf ("  the same without the encoder (aims in brackets):\n");
  printf ("    plain, eager / graph           page %5.2f            line %5.2f (1.6)\n",
          ratio (ways[EAGER].page, ways[PLAIN].page, ways[DRAFT].page), ratio (ways[EAGER].line, ways[PLAIN].line, ways[DRAFT].line));
  printf ("    plain graph / draft and verify page %5.2f (2)        line %5.2f (6)\n",
          ratio (ways[PLAIN].page, ways[VERIFIED].page, ways[DRAFT].page), ratio (ways[PLAIN].line, ways[VERIFIED].line, ways[DRAFT].line));
  printf ("  with the encoder: plain graph / draft and verify page %.2f, line %.2f\n", ratio (ways[PLAIN].page, ways[VERIFIED].page, NULL),
          ratio (ways[PLAIN].line, ways[VERIFIED].line, NULL));
  printf ("  %.2f of the drafts accepted whole\n", (double) counts.accepted / (double) MAX (counts.lines, 1));
  if (threads == 1)
    printf ("  two threads, by the clock: %.2f pages/s (5)\n", 1 / two_threads (page));
  for (guint i = 0; i < N_WAYS; i++)
    dp_line_reader_free (ways[i].reader);
  return 0;
}
