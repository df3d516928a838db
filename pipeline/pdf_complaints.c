/* pipeline/pdf_complaints.c - a handler of GLib's log. */
#include "pipeline/pdf_complaints.h"

static void
listen (const char *domain, GLogLevelFlags level, const char *message, gpointer data)
{
  DpPdfComplaints *complaints = data;

  (void) domain;
  (void) level;
  /* warnings, and configuration that is missing, do not cost a page its content */
  if (complaints->first || !(g_str_has_prefix (message, "Syntax error") || g_str_has_prefix (message, "Internal error")))
    return;
  GString *first = g_string_new (message);
  g_string_replace (first, " at position -1:", ":", 1); /* poppler did not know */
  g_string_replace (first, "<0a>", "", 0);              /* line feeds as poppler shows them */
  complaints->first = g_string_free (first, FALSE);
}

void
dp_pdf_complaints_begin (DpPdfComplaints *complaints)
{
  *complaints = (DpPdfComplaints){ .handler = g_log_set_handler ("Poppler", G_LOG_LEVEL_MASK, listen, complaints) };
}

void
dp_pdf_complaints_end (DpPdfComplaints *complaints)
{
  g_log_remove_handler ("Poppler", complaints->handler);
  g_free (complaints->first);
}
