/* A question in the words of a family, with placeholders and positions. */
#include "tests/vlm/byte_tokenizer.h"
#include "vlm/error.h"
#include "vlm/prompt.h"

#include <string.h>

static DpModelConfig
config_new (guint32 height_section)
{
  DpModelConfig c = { .text = { .max_positions = 200, .mrope_sections = { 2 * height_section, 3 * height_section, 3 * height_section } } };
  c.tokens.image = PAD;
  return c;
}

static void
check_tokens (const DpPrompt *p, const gint32 *wanted, guint32 n)
{
  g_assert_cmpuint (p->n, ==, n);
  g_assert_cmpmem (p->tokens, p->n * sizeof *p->tokens, wanted, n * sizeof *wanted);
}

static void
test_text (void)
{
  const gint32 wanted[] = { START, 's', END, '\n', START, 'u', 's', 'e', 'r', TWO_LINES, 'H', 'i', END, '\n' };
  DpModelConfig config = config_new (1);
  g_autoptr (DpTokenizer) tokenizer = byte_tokenizer_new ();
  g_autoptr (GError) error = NULL;
  DpPrompt p;

  g_assert_true (dp_prompt_build (&config, tokenizer, &byte_chat, "\nHi", 0, 0, &p, &error));
  check_tokens (&p, wanted, G_N_ELEMENTS (wanted)); /* the two line ends are one token */
  g_assert_true (p.n_image == 0 && p.axes == 3 && p.next == (gint32) p.n);
  for (guint32 i = 0; i < p.n * 3; i++)
    g_assert_cmpint (p.positions[i], ==, i / 3);
  dp_prompt_clear (&p);
  g_assert_null (p.tokens);
}

static void
test_picture (void)
{
  const gint32 wanted[] = { START, 's', END, '\n', START, 'u',        's',  'e', 'r', '\n', VISION_START, PAD,
                            PAD,   PAD, PAD, PAD,  PAD,   VISION_END, '\n', 'H', 'i', PAD,  END,          '\n' };
  const gint32 places[][3]
      = { { 11, 11, 11 }, { 11, 11, 12 }, { 11, 12, 11 }, { 11, 12, 12 }, { 11, 13, 11 }, { 11, 13, 12 }, { 14, 14, 14 } };
  DpModelConfig config = config_new (1);
  g_autoptr (DpTokenizer) tokenizer = byte_tokenizer_new ();
  g_autoptr (GError) error = NULL;
  DpPrompt p;

  /* the user's own placeholder is a token like any other */
  g_assert_true (dp_prompt_build (&config, tokenizer, &byte_chat, "\nHi<|image_pad|>", 3, 2, &p, &error));
  check_tokens (&p, wanted, G_N_ELEMENTS (wanted));
  g_assert_true (p.image == 11 && p.n_image == 6);
  g_assert_cmpmem (p.positions + 33, sizeof places, places, sizeof places);
  g_assert_cmpint (p.next, ==, 14 + 7);
  dp_prompt_clear (&p);

  config = config_new (0); /* 1-D rotary */
  g_assert_true (dp_prompt_build (&config, tokenizer, &byte_chat, "\nHi<|image_pad|>", 3, 2, &p, &error));
  check_tokens (&p, wanted, G_N_ELEMENTS (wanted));
  g_assert_true (p.axes == 1 && p.positions[p.n - 1] == (gint32) p.n - 1 && p.next == (gint32) p.n);
  dp_prompt_clear (&p);
}

static void
test_refused (void)
{
  const DpChat blind = { .before = "", .after = "" };
  DpModelConfig config = config_new (1);
  g_autoptr (DpTokenizer) tokenizer = byte_tokenizer_new ();
  GError *error = NULL;
  DpPrompt p;

  g_assert_false (dp_prompt_build (&config, tokenizer, &byte_chat, "x", 200, 1, &p, &error));
  g_assert_error (error, DP_VLM_ERROR, DP_VLM_ERROR_INPUT);
  g_assert_nonnull (strstr (error->message, "200"));
  g_clear_error (&error);
  g_assert_false (dp_prompt_build (&config, tokenizer, &byte_chat, "x", G_MAXUINT32, G_MAXUINT32, &p, &error));
  g_assert_error (error, DP_VLM_ERROR, DP_VLM_ERROR_INPUT);
  g_clear_error (&error);
  g_assert_false (dp_prompt_build (&config, tokenizer, &blind, "x", 2, 2, &p, &error));
  g_assert_error (error, DP_VLM_ERROR, DP_VLM_ERROR_UNSUPPORTED);
  g_clear_error (&error);
  g_assert_false (dp_prompt_build (&config, tokenizer, &blind, "", 0, 0, &p, &error));
  g_assert_error (error, DP_VLM_ERROR, DP_VLM_ERROR_INPUT);
  g_clear_error (&error);
  config.tokens.image = DP_TOKEN_NONE;
  g_assert_false (dp_prompt_build (&config, tokenizer, &byte_chat, "x", 2, 2, &p, &error));
  g_assert_error (error, DP_VLM_ERROR, DP_VLM_ERROR_UNSUPPORTED);
  g_clear_error (&error);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/prompt/text", test_text);
  g_test_add_func ("/prompt/picture", test_picture);
  g_test_add_func ("/prompt/refused", test_refused);
  return g_test_run ();
}
