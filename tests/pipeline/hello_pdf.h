/* tests/pipeline/hello_pdf.h - a small file of one word a page, and what comes back of it. */
#pragma once

#include <unistd.h>

#include "pipeline/pdf.h"
#include "tests/pipeline/tiny_pdf.h"

static inline char *
save_hello (guint n_pages)
{
  static const char *const texts[] = { "Hello", "World", "Third" };

  return tiny_save_string (tiny_text (texts, n_pages));
}

static inline void
drop (char *name)
{
  unlink (name);
  g_free (name);
}

static inline char *
text_of (const DpPage *page)
{
  GString *out = g_string_new (NULL);

  for (gsize i = 0; i < page->n_glyphs; i++)
    g_string_append_unichar (out, page->glyphs[i].code);
  return g_string_free (out, FALSE);
}

static inline void
assert_page_text (DpPdf *pdf, guint number, const char *expected)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (DpPage) page = dp_pdf_page (pdf, number, &error);
  g_autofree char *text = NULL;

  g_assert_no_error (error);
  text = text_of (page);
  g_assert_cmpstr (text, ==, expected);
}
