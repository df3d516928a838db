/* pipeline/ranges.c - page ranges, the notation of print dialogs (and of CUPS page-ranges). */
#include "pipeline/ranges.h"

#include <string.h>

#define LAST_PAGE G_MAXUINT     /* "last", or the open end of "12-" */
#define LARGEST_PAGE 999999999u /* keeps every sum and product of page numbers inside 32 bits */

typedef struct {
  guint first, last; /* both inclusive */
} Range;

struct DpRanges {
  char *text;    /* as written, for messages */
  GArray *items; /* Range, sorted by first page, not overlapping */
};

G_DEFINE_QUARK (dp - ranges - error - quark, dp_ranges_error)

/* ---- reading ------------------------------------------------------------------------- */

/* One end of a range: digits or "last". */
static gboolean
parse_end (const char *text, const char *item, guint *page, GError **error)
{
  guint64 value;

  if (strcmp (text, "last") == 0) {
    *page = LAST_PAGE;
    return TRUE;
  }
  if (!g_ascii_string_to_unsigned (text, 10, 0, LARGEST_PAGE, &value, NULL)) {
    g_set_error (error, DP_RANGES_ERROR, DP_RANGES_ERROR_SYNTAX, "'%s' is not a page or a range of pages; write for example 1-5,8,12-,last",
                 item);
    return FALSE;
  }
  if (value == 0) {
    g_set_error (error, DP_RANGES_ERROR, DP_RANGES_ERROR_SYNTAX, "'%s': there is no page 0, pages are counted from 1", item);
    return FALSE;
  }
  *page = (guint) value;
  return TRUE;
}

static gboolean
parse_item (const char *item, Range *range, GError **error)
{
  const char *dash = strchr (item, '-');
  g_autofree char *first = dash ? g_strstrip (g_strndup (item, (gsize) (dash - item))) : NULL;
  g_autofree char *last = dash ? g_strstrip (g_strdup (dash + 1)) : NULL;

  if (!dash) {
    if (!parse_end (item, item, &range->first, error))
      return FALSE;
    range->last = range->first;
    return TRUE;
  }
  if (!parse_end (first, item, &range->first, error))
    return FALSE;
  range->last = LAST_PAGE;
  if (*last && !parse_end (last, item, &range->last, error))
    return FALSE;
  if (range->first > range->last) {
    g_set_error (error, DP_RANGES_ERROR, DP_RANGES_ERROR_SYNTAX, "'%s' runs backwards; the smaller page comes first", item);
    return FALSE;
  }
  return TRUE;
}

static gint
by_first_page (gconstpointer a, gconstpointer b)
{
  guint x = ((const Range *) a)->first, y = ((const Range *) b)->first;

  return x < y ? -1 : x > y;
}

/* Sorts, then folds overlapping and touching ranges into one, so that no page comes twice. */
static void
merge (GArray *items)
{
  guint kept = 0;

  g_array_sort (items, by_first_page);
  for (guint i = 1; i < items->len; i++) {
    const Range next = g_array_index (items, Range, i);
    Range *last = &g_array_index (items, Range, kept);

    /* "last" alone stays apart from open ranges: where it lies is known later. */
    if (next.first != LAST_PAGE && (last->last == LAST_PAGE || next.first <= last->last + 1))
      last->last = MAX (last->last, next.last);
    else
      g_array_index (items, Range, ++kept) = next;
  }
  g_array_set_size (items, kept + 1);
}

DpRanges *
dp_ranges_parse (const char *text, GError **error)
{
  g_auto (GStrv) parts = g_strsplit (text, ",", -1);
  g_autoptr (DpRanges) ranges = g_new0 (DpRanges, 1);

  ranges->text = g_strdup (text);
  ranges->items = g_array_new (FALSE, FALSE, sizeof (Range));
  for (char **p = parts; *p; p++) {
    Range range;

    if (!parse_item (g_strstrip (*p), &range, error))
      return NULL;
    g_array_append_val (ranges->items, range);
  }
  if (ranges->items->len == 0) {
    g_set_error_literal (error, DP_RANGES_ERROR, DP_RANGES_ERROR_SYNTAX, "no pages given; write for example 1-5,8,12-,last");
    return NULL;
  }
  merge (ranges->items);
  return g_steal_pointer (&ranges);
}

void
dp_ranges_free (DpRanges *ranges)
{
  if (!ranges)
    return;
  g_free (ranges->text);
  g_array_unref (ranges->items);
  g_free (ranges);
}

/* ---- resolving ----------------------------------------------------------------------- */

static void
append_pages (GArray *pages, guint first, guint last)
{
  for (guint page = first; page <= last; page++)
    g_array_append_val (pages, page);
}

GArray *
dp_ranges_pages (const DpRanges *ranges, guint n_pages, GError **error)
{
  g_autoptr (GArray) pages = g_array_new (FALSE, FALSE, sizeof (guint));

  n_pages = MIN (n_pages, LARGEST_PAGE);
  if (!ranges) {
    append_pages (pages, 1, n_pages);
  } else {
    guint done = 0;

    for (guint i = 0; i < ranges->items->len; i++) {
      const Range range = g_array_index (ranges->items, Range, i);
      const guint first = range.first == LAST_PAGE ? n_pages : range.first;
      const guint last = MIN (range.last, n_pages);

      append_pages (pages, MAX (first, done + 1), last);
      done = MAX (done, last);
    }
  }
  if (pages->len == 0) {
    if (n_pages == 0)
      g_set_error_literal (error, DP_RANGES_ERROR, DP_RANGES_ERROR_EMPTY, "the document has no pages");
    else
      g_set_error (error, DP_RANGES_ERROR, DP_RANGES_ERROR_EMPTY, "--pages %s names no page of this document, which has %u", ranges->text,
                   n_pages);
    return NULL;
  }
  return g_steal_pointer (&pages);
}
