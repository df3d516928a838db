/* vlm/protocols/mineru_prompts.c - the questions of MinerU2.5: prompts, sampling, sizes (mineru-vl-utils, mineru_client.py). */
#include "vlm/image.h"
#include "vlm/protocols/mineru.h"

#define PAGE_DPI 200.0
#define MOST_PIXELS 3500.0 /* of the page's longer side */

typedef struct {
  const char *name, *prompt;
  float presence, frequency;
  guint32 max_tokens;
} Question;

static const Question questions[DP_MINERU_N_QUESTIONS] = {
  [DP_MINERU_ASK_LAYOUT] = { "layout", "\nLayout Detection:", 0, 0, 8192 },
  [DP_MINERU_ASK_TEXT] = { "text", "\nText Recognition:", 1, 0.05f, 8192 },
  [DP_MINERU_ASK_TABLE] = { "table", "\nTable Recognition:", 1, 0.005f, 12288 },
  [DP_MINERU_ASK_FORMULA] = { "formula", "\nFormula Recognition:", 1, 0.05f, 4096 },
  [DP_MINERU_ASK_IMAGE] = { "image", "\nImage Analysis:", 1, 0.05f, 4096 },
  [DP_MINERU_ASK_MERGE] = { "table merge", NULL, 1, 0.05f, 1024 },
};

const char *
dp_mineru_question_name (DpMineruQuestion question)
{
  return questions[question].name;
}

const char *
dp_mineru_missing_token (const DpTokenizer *tokenizer)
{
  static const char *const needed[] = { "<|box_start|>", "<|box_end|>", "<|ref_start|>", "<|ref_end|>" };

  for (guint i = 0; i < G_N_ELEMENTS (needed); i++)
    if (dp_tokenizer_id (tokenizer, needed[i]) < 0)
      return needed[i];
  return NULL;
}

DpMineruQuestion
dp_mineru_question_of (DpMineruType type)
{
  switch (type) {
  case DP_MINERU_TABLE: return DP_MINERU_ASK_TABLE;
  case DP_MINERU_EQUATION: return DP_MINERU_ASK_FORMULA;
  case DP_MINERU_IMAGE:
  case DP_MINERU_CHART: return DP_MINERU_ASK_IMAGE;
  default: return DP_MINERU_ASK_TEXT;
  }
}

void
dp_mineru_fill_request (DpMineruQuestion question, DpRequest *request)
{
  const Question *q = &questions[question];

  request->prompt = q->prompt;
  request->sampling = DP_SAMPLING_GREEDY;
  request->sampling.top_k = 1;
  request->sampling.top_p = 0.01f;
  request->sampling.presence = q->presence;
  request->sampling.frequency = q->frequency;
  request->sampling.no_repeat_ngram = 100;
  request->max_tokens = q->max_tokens;
  request->loop_guard = TRUE;
}

double
dp_mineru_page_dpi (double width, double height)
{
  const double longer = MAX (width, height) / 72;

  return longer * PAGE_DPI > MOST_PIXELS ? MOST_PIXELS / longer : PAGE_DPI;
}

cairo_surface_t *
dp_mineru_layout_picture (cairo_surface_t *page, GError **error)
{
  return dp_image_resize (page, DP_MINERU_LAYOUT_SIDE, DP_MINERU_LAYOUT_SIDE, error);
}
