/* pipeline/readers.c - one document, several open DpPdf. */
#include "pipeline/readers.h"

struct DpReaders {
  DpCrew *crew;
  const char *path, *password;
  const DpPdfLimits *limits;
  const gint *stop; /* atomic */
  DpPdf *own;
  gint strikes;  /* atomic: of all who read it, together */
  gint given_up; /* atomic */
};

DpReaders *
dp_readers_open (DpCrew *crew, const char *path, const char *password, const DpPdfLimits *limits, const gint *stop, GError **error)
{
  DpPdf *pdf = dp_pdf_open (path, password, limits, error);
  DpReaders *readers;

  if (!pdf)
    return NULL;
  readers = g_new0 (DpReaders, 1);
  *readers = (DpReaders){ .crew = crew, .path = path, .password = password, .limits = limits, .stop = stop, .own = pdf };
  return readers;
}

void
dp_readers_close (DpReaders *readers)
{
  if (!readers)
    return;
  dp_pdf_close (readers->own);
  g_free (readers);
}

/* Two strikes are the document's, whoever of its readers had them. */
static void
add_strikes (DpReaders *readers, guint n)
{
  if (n > 0 && g_atomic_int_add (&readers->strikes, (gint) n) + (gint) n >= DP_PDF_MAX_STRIKES)
    g_atomic_int_set (&readers->given_up, 1);
}

const DpDocumentInfo *
dp_readers_info (DpReaders *readers)
{
  const guint before = dp_pdf_strikes (readers->own);
  const DpDocumentInfo *info = dp_pdf_info (readers->own);

  add_strikes (readers, dp_pdf_strikes (readers->own) - before);
  return info;
}

DpPdf *
dp_readers_own (DpReaders *readers)
{
  return readers->own;
}

void
dp_readers_rest (DpReaders *readers)
{
  dp_pdf_rest (readers->own);
}

gboolean
dp_readers_stopped (const DpReaders *readers)
{
  return g_atomic_int_get (readers->stop) != 0;
}

gboolean
dp_readers_given_up (DpReaders *readers, const GError *error)
{
  if (g_error_matches (error, DP_PDF_ERROR, DP_PDF_ERROR_STRIKES))
    g_atomic_int_set (&readers->given_up, 1);
  return g_atomic_int_get (&readers->given_up) != 0;
}

/* ---- sharing ------------------------------------------------------------------------------- */

typedef struct {
  DpReaders *readers;
  DpReadersWork work;
  gpointer data;
} Each;

static gpointer
enter (gboolean own, gpointer data)
{
  const Each *each = data;
  const DpReaders *r = each->readers;

  if (own)
    return r->own;
  /* A helper that cannot open the document leaves its share to the others. */
  return dp_pdf_open (r->path, r->password, r->limits, NULL);
}

static gboolean
work (gpointer place, guint item, gpointer data)
{
  const Each *each = data;
  const guint before = dp_pdf_strikes (place);

  if (dp_readers_stopped (each->readers) || dp_readers_given_up (each->readers, NULL))
    return FALSE;
  each->work (each->readers, place, item, each->data);
  add_strikes (each->readers, dp_pdf_strikes (place) - before);
  return TRUE;
}

static void
leave (gpointer place, gboolean own, gpointer data)
{
  (void) data;
  if (!own)
    dp_pdf_close (place);
}

void
dp_readers_each (DpReaders *readers, guint n_items, guint chunk, DpReadersWork each_work, gpointer data)
{
  static const DpCrewShare share = { .enter = enter, .work = work, .leave = leave };
  Each each = { .readers = readers, .work = each_work, .data = data };

  dp_crew_share (readers->crew, &share, n_items, chunk, &each);
}
