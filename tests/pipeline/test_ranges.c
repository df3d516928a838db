/* tests/pipeline/test_ranges.c - page ranges: what is accepted, what comes out, what is refused. */
#include "pipeline/ranges.h"

#include <string.h>

/* The pages as text, "1,2,5"; "!" for none of them; "?" for a syntax error. */
static char *
pages_of (const char *text, guint n_pages)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (DpRanges) ranges = dp_ranges_parse (text, &error);
  GString *out = g_string_new (NULL);

  if (!ranges) {
    g_assert_error (error, DP_RANGES_ERROR, DP_RANGES_ERROR_SYNTAX);
    g_assert_cmpuint (strlen (error->message), >, 10);
    return g_strdup ("?");
  }
  g_autoptr (GArray) pages = dp_ranges_pages (ranges, n_pages, &error);
  if (!pages) {
    g_assert_error (error, DP_RANGES_ERROR, DP_RANGES_ERROR_EMPTY);
    return g_string_free (g_string_assign (out, "!"), FALSE);
  }
  for (guint i = 0; i < pages->len; i++)
    g_string_append_printf (out, "%s%u", i ? "," : "", g_array_index (pages, guint, i));
  return g_string_free (out, FALSE);
}

typedef struct {
  const char *text;
  guint n_pages;
  const char *pages;
} Case;

static void
test_cases (gconstpointer data)
{
  for (const Case *c = data; c->text; c++) {
    g_autofree char *pages = pages_of (c->text, c->n_pages);
    g_test_message ("'%s' of %u", c->text, c->n_pages);
    g_assert_cmpstr (pages, ==, c->pages);
  }
}

static const Case accepted[] = {
  { "3", 10, "3" },
  { "1-3", 10, "1,2,3" },
  { "8-", 10, "8,9,10" },
  { "last", 10, "10" },
  { "9-last", 10, "9,10" },
  { "1-5,8,12-,last", 13, "1,2,3,4,5,8,12,13" },
  { " 2 , 4 - 5 ", 10, "2,4,5" },
  { "5,3,4", 10, "3,4,5" },
  { "1-4,2-3,4-6", 10, "1,2,3,4,5,6" },
  { "2,2,2", 10, "2" },
  { "4-,1-,6", 7, "1,2,3,4,5,6,7" },
  { "last,last", 2, "2" },
  { "5-99", 6, "5,6" },
  { "last,1", 1, "1" },
  { "last-last", 4, "4" },
  { NULL, 0, NULL },
};

static const Case outside[] = {
  { "11", 10, "!" }, { "11-", 10, "!" }, { "1", 0, "!" }, { "last", 0, "!" }, { "12-15,40", 3, "!" }, { NULL, 0, NULL },
};

static const Case refused[] = {
  { "", 10, "?" },      { "0", 10, "?" },          { "0-3", 10, "?" },
  { "5-3", 10, "?" },   { "last-3", 10, "?" },     { "1,,2", 10, "?" },
  { ",1", 10, "?" },    { "1,", 10, "?" },         { "-3", 10, "?" },
  { "-", 10, "?" },     { "a", 10, "?" },          { "1-b", 10, "?" },
  { "1-2-3", 10, "?" }, { "+1", 10, "?" },         { "1.5", 10, "?" },
  { "LAST", 10, "?" },  { "1000000000", 10, "?" }, { "99999999999999999999", 10, "?" },
  { "1 2", 10, "?" },   { "\xff", 10, "?" },       { NULL, 0, NULL },
};

static void
test_all_pages (void)
{
  g_autoptr (GArray) pages = dp_ranges_pages (NULL, 3, NULL);

  g_assert_cmpuint (pages->len, ==, 3);
  g_assert_cmpuint (g_array_index (pages, guint, 2), ==, 3);
}

static void
test_messages (void)
{
  g_autoptr (GError) zero = NULL, backwards = NULL, outside_error = NULL;
  g_autoptr (DpRanges) ranges = dp_ranges_parse ("7", NULL);

  g_assert_null (dp_ranges_parse ("2,0", &zero));
  g_assert_nonnull (strstr (zero->message, "counted from 1"));
  g_assert_null (dp_ranges_parse ("9-8", &backwards));
  g_assert_nonnull (strstr (backwards->message, "'9-8' runs backwards"));
  g_assert_null (dp_ranges_pages (ranges, 3, &outside_error));
  g_assert_nonnull (strstr (outside_error->message, "7"));
  g_assert_nonnull (strstr (outside_error->message, "has 3"));
}

/* A hundred thousand items are no more than so many pages. */
static void
test_many_items (void)
{
  g_autoptr (GString) text = g_string_new ("1");

  for (guint i = 0; i < 100000; i++)
    g_string_append_printf (text, ",%u", 1 + (i * 7919u) % 1000u);
  g_autofree char *pages = pages_of (text->str, 1000);
  g_autofree char *all = pages_of ("1-", 1000);
  g_assert_cmpstr (pages, ==, all);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_data_func ("/ranges/accepted", accepted, test_cases);
  g_test_add_data_func ("/ranges/outside", outside, test_cases);
  g_test_add_data_func ("/ranges/refused", refused, test_cases);
  g_test_add_func ("/ranges/all-pages", test_all_pages);
  g_test_add_func ("/ranges/messages", test_messages);
  g_test_add_func ("/ranges/many-items", test_many_items);
  return g_test_run ();
}
