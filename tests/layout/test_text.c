/* Characters and joints: text.h. */
#include "layout/text.h"

#include <string.h>

#include "glyph_page.h"

static void
test_joints (void)
{
  static const struct {
    const char *end, *next, *joined;
  } cases[] = {
    { "the quick", "brown fox", "the quick brown fox" },
    { "hyphen-", "ation rules", "hyphenation rules" },
    { "well-", "Known", "well-Known" },
    { "COVID-", "19 cases", "COVID-19 cases" },
    { "a dash -", "then more", "a dash - then more" },
    { "pages 12-", "14", "pages 12-14" },
    { "trailing ", " leading", "trailing leading" },
    { "", "first", "first" },
    { "last", "", "last" },
    { "\346\274\242\345\255\227", "\345\255\227\344\275\223", "\346\274\242\345\255\227\345\255\227\344\275\223" },
    { "\346\274\242\345\255\227\343\200\202", "Latin", "\346\274\242\345\255\227\343\200\202Latin" },
    { "\346\274\242", "Latin", "\346\274\242 Latin" },
    { "\355\225\234\352\265\255", "\354\226\264", "\355\225\234\352\265\255 \354\226\264" },
    { "Wort\342\200\220", "teil", "Wortteil" },
    { "either/", "or", "either/or" },
    { "\340\270\201\340\270\261\340\270\231", "\340\270\224\340\271\211\340\270\247\340\270\242",
      "\340\270\201\340\270\261\340\270\231\340\270\224\340\271\211\340\270\247\340\270\242" }, /* Thai: no blanks between words */
    { "\340\270\201\340\270\261\340\270\231", "Latin", "\340\270\201\340\270\261\340\270\231 Latin" },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++) {
    g_autoptr (GString) out = g_string_new (cases[i].end);

    dp_text_join (out, cases[i].next);
    g_assert_cmpstr (out->str, ==, cases[i].joined);
  }
}

static void
test_normalise (void)
{
  /* ligature, NBSP, soft hyphen, decomposed e-acute, control, zero width space */
  assert_string (dp_text_normalise ("\357\254\201nd\302\240a\302\255b e\314\201 \001x\342\200\213y", -1), "find ab \303\251 xy");
  /* Arabic presentation form of lam-alef becomes the two letters */
  assert_string (dp_text_normalise ("\357\273\273", -1), "\331\204\330\247");
  /* bad bytes are dropped, good ones around stay */
  assert_string (dp_text_normalise ("a\377b\303", -1), "ab");
  assert_string (dp_text_normalise ("abc", 2), "ab");
}

static void
test_scripts (void)
{
  g_assert_true (dp_text_is_cjk (0x6f22));
  g_assert_true (dp_text_is_cjk (0x3042));
  g_assert_true (dp_text_is_cjk (0xff0c));
  g_assert_false (dp_text_is_cjk (0xd55c)); /* Hangul has spaces */
  g_assert_false (dp_text_is_cjk ('a'));
  g_assert_true (dp_text_is_rtl (0x5d0));
  g_assert_true (dp_text_is_rtl (0x627));
  g_assert_false (dp_text_is_rtl ('a'));
  g_assert_true (dp_text_is_mark (0x301));
  g_assert_false (dp_text_is_mark ('e'));
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/text/joints", test_joints);
  g_test_add_func ("/text/normalise", test_normalise);
  g_test_add_func ("/text/scripts", test_scripts);
  return g_test_run ();
}
