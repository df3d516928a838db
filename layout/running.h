/* layout/running.h - what the words of a running head or foot give away.
 *
 * Pure functions over UTF-8 text, for furniture.c: folios, legal lines, names of companies,
 * phrases that run over the pages of reports.
 */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* A page number at one end of the text, with a blank beside it; its value or 0. */
guint dp_running_folio (const char *text, gboolean first);
/* The same for a page that is looked at alone: FALSE for numbers that belong to the words
 * beside them: dates ("December 31"), years, counted things ("Exhibit 31"). */
gboolean dp_running_has_folio (const char *text);
/* Addresses, copyright, "Downloaded from", ... */
gboolean dp_running_legal (const char *text);
/* Weight of phrases of navigation and of sections that run over pages ("continued", "Annual
 * Report", "Back to Index", "Notes to the financial statements"); 0 without any. */
float dp_running_phrase (const char *text);
/* A short text that ends in the legal form of a company: Limited, Inc., GmbH, 株式会社. */
gboolean dp_running_company (const char *text);
/* At least four letters and none of them small. */
gboolean dp_running_capitals (const char *text);

G_END_DECLS
