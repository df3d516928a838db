/* pipeline/pdf.c - documents as the parent sees them; see pdf.h.
 *
 * Opens the input itself, so that the child never needs a file name, asks a child for
 * pages (pdf_process.h), checks what comes back (bundle.h), and counts strikes.
 */
#include "pipeline/pdf.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "pipeline/bundle.h"
#include "pipeline/log.h"
#include "pipeline/pdf_process.h"
#include "pipeline/pictures.h"

#define MOST_IMAGES 4096u              /* remembered */
#define MAX_SPOOLED ((gint64) 4 << 30) /* bytes of a pipe */
#define COPY ((gsize) 1 << 20)         /* bytes of a file that are copied at a time */
#define MAX_BUNDLE ((goffset) 2 << 30) /* more than any limits would make */

G_DEFINE_QUARK (dp - pdf - error - quark, dp_pdf_error)

/* A page that was asked for before anybody waits for it. */
typedef struct {
  guint number;      /* 0 = none */
  gboolean answered; /* what follows is filled */
  gboolean lived;    /* the process did: reply and out, else death */
  DpWireReply reply;
  int out;
  DpPdfDeath death;
} Ahead;

struct DpPdf {
  char *path;
  int fd;
  char *password;
  DpPdfLimits limits;
  gboolean looks_like_picture; /* by its first bytes */
  DpPdfProcess *process;       /* has the document open; NULL after a death */
  Ahead ahead;
  guint32 n_pages;
  gboolean is_picture;
  DpDocumentInfo *info; /* NULL until asked for */
  GHashTable *images;   /* image_key() -> what is known of it; NULL until the first */
  guint strikes;
  char *last_strike; /* sentence */
};

/* ---- the input ------------------------------------------------------------------------------------------------ */

/* An unlinked file in the temporary directory, or -1. */
static int
make_spool (void)
{
  g_autofree char *name = NULL;
  int fd = open (g_get_tmp_dir (), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);

  if (fd >= 0)
    return fd;
  fd = g_file_open_tmp ("docparse-XXXXXX", &name, NULL);
  if (fd >= 0) {
    unlink (name);
    fcntl (fd, F_SETFD, FD_CLOEXEC);
  }
  return fd;
}

/* Copies a pipe to a spool file; takes in. */
static int
spool (int in, GError **error)
{
  g_autofree char *buffer = g_malloc (1 << 16);
  int out = make_spool ();
  gint64 total = 0;
  gssize n = 0;

  while (out >= 0 && ((n = read (in, buffer, 1 << 16)) > 0 || (n < 0 && errno == EINTR))) {
    total += MAX (n, 0);
    if (total > MAX_SPOOLED)
      errno = EFBIG;
    if (total > MAX_SPOOLED || (n > 0 && !dp_write_all (out, buffer, (gsize) n))) {
      n = -1;
      break;
    }
  }
  if (out < 0 || n < 0) {
    g_set_error (error, DP_PDF_ERROR, DP_PDF_ERROR_SYSTEM, "cannot copy the input to a temporary file: %s", g_strerror (errno));
    if (out >= 0)
      close (out);
    out = -1;
  }
  close (in);
  return out;
}

static int
open_path (const char *path, GError **error)
{
  gboolean standard = strcmp (path, "-") == 0;
  /* a descriptor of its own where possible, so that no file position is shared; and a
   * named pipe without a writer must not hang us */
  int fd = open (standard ? "/proc/self/fd/0" : path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);

  if (fd < 0 && standard)
    fd = fcntl (0, F_DUPFD_CLOEXEC, 3);
  if (fd < 0) {
    gboolean system = errno == EMFILE || errno == ENFILE || errno == ENOMEM;

    g_set_error (error, DP_PDF_ERROR, system ? DP_PDF_ERROR_SYSTEM : DP_PDF_ERROR_NOT_FOUND, "cannot open the file: %s",
                 g_strerror (errno));
  }
  return fd;
}

/* A descriptor for a regular file with something in it, or -1. */
static int
open_input (const char *path, GError **error)
{
  int fd = open_path (path, error);
  const char *why = NULL;
  struct stat st;

  if (fd < 0)
    return -1;
  if (fstat (fd, &st) == 0 && !S_ISREG (st.st_mode) && (S_ISFIFO (st.st_mode) || (strcmp (path, "-") == 0 && !S_ISDIR (st.st_mode)))) {
    fcntl (fd, F_SETFL, fcntl (fd, F_GETFL) & ~O_NONBLOCK);
    fd = spool (fd, error);
    if (fd < 0)
      return -1;
  }
  if (fstat (fd, &st) != 0)
    why = g_strerror (errno);
  else if (S_ISDIR (st.st_mode))
    why = "it is a directory";
  else if (!S_ISREG (st.st_mode))
    why = "it is a device";
  else if (st.st_size == 0)
    why = "the file is empty";
  if (why) {
    g_set_error (error, DP_PDF_ERROR, DP_PDF_ERROR_NOT_PDF, "not a PDF: %s", why);
    close (fd);
    return -1;
  }
  return fd;
}

/* ---- asking ----------------------------------------------------------------------------------------------------- */

static DpPdfError
error_of_status (guint32 status)
{
  return status == DP_WIRE_NOT_PDF ? DP_PDF_ERROR_NOT_PDF : status == DP_WIRE_PASSWORD ? DP_PDF_ERROR_PASSWORD : DP_PDF_ERROR_PAGE;
}

/* Gives pdf a process that has the document open. */
static gboolean
ensure_open (DpPdf *pdf, gboolean fresh, DpPdfDeath *death, GError **error)
{
  DpWireRequest request = { .magic = DP_WIRE_MAGIC, .op = DP_WIRE_OPEN, .limits = pdf->limits };
  DpWireReply reply;
  int out;

  if (pdf->process && dp_pdf_process_is_worn (pdf->process))
    g_clear_pointer (&pdf->process, dp_pdf_process_end);
  if (pdf->process)
    return TRUE;
  pdf->process = dp_pdf_process_acquire (pdf->limits.max_memory, pdf->looks_like_picture, fresh, error);
  if (!pdf->process)
    return FALSE;
  if (pdf->password) {
    request.has_password = 1;
    g_strlcpy (request.password, pdf->password, sizeof request.password);
  }
  if (!dp_pdf_process_ask (pdf->process, &request, pdf->fd, &pdf->limits, &reply, &out, death))
    return FALSE;
  if (out >= 0)
    close (out);
  if (reply.status != DP_WIRE_OK) {
    g_set_error (error, DP_PDF_ERROR, error_of_status (reply.status), "%s", reply.message);
    dp_pdf_process_release (g_steal_pointer (&pdf->process));
    return FALSE;
  }
  pdf->n_pages = MIN (reply.n_pages, DP_BUNDLE_MAX_PAGES);
  pdf->is_picture = (gboolean) reply.is_picture;
  return TRUE;
}

/* ---- asking ahead -------------------------------------------------------------------------------------------- */

static void
forget_ahead (DpPdf *pdf)
{
  if (pdf->ahead.answered && pdf->ahead.lived && pdf->ahead.out >= 0)
    close (pdf->ahead.out);
  g_free (pdf->ahead.death.sentence);
  pdf->ahead = (Ahead){ 0 };
}

/* Gives what came back, or the death of the process. */
static gboolean
take_ahead (DpPdf *pdf, DpWireReply *reply, int *out, DpPdfDeath *death)
{
  const gboolean lived = pdf->ahead.lived;

  *reply = pdf->ahead.reply;
  *out = pdf->ahead.out;
  *death = pdf->ahead.death;
  pdf->ahead = (Ahead){ 0 };
  return lived;
}

/* The process answers in order: what it was asked ahead has to be received before anything else is asked.  A page that
 * killed it is not blamed here but when it is wanted: by a second try, or, if that would end the same way, by what is kept. */
static void
settle_ahead (DpPdf *pdf, gboolean wanted)
{
  Ahead *ahead = &pdf->ahead;

  if (ahead->answered)
    return;
  ahead->lived = dp_pdf_process_receive (pdf->process, &pdf->limits, &ahead->reply, &ahead->out, &ahead->death);
  ahead->answered = TRUE;
  if (ahead->lived || wanted)
    return;
  g_clear_pointer (&pdf->process, dp_pdf_process_end);
  if (ahead->death.kind != DP_DEATH_LIMIT)
    forget_ahead (pdf);
}

void
dp_pdf_page_ahead (DpPdf *pdf, guint number)
{
  const DpWireRequest request = { .magic = DP_WIRE_MAGIC, .op = DP_WIRE_PAGE, .number = number };
  DpPdfDeath death;

  if (pdf->ahead.number || pdf->strikes || number < 1 || number > pdf->n_pages || !pdf->process || dp_pdf_process_is_worn (pdf->process))
    return;
  if (dp_pdf_process_send (pdf->process, &request, -1, &pdf->limits, &death))
    pdf->ahead.number = number;
  else
    g_clear_pointer (&pdf->process, dp_pdf_process_end); /* whoever asks next gets another one */
  g_free (death.sentence);
}

/* Once: FALSE with either death or error filled. */
static gboolean
attempt (DpPdf *pdf, const DpWireRequest *request, int in, gboolean fresh, DpWireReply *reply, int *out, DpPdfDeath *death, GError **error)
{
  if (pdf->ahead.number) {
    const gboolean wanted = request && request->op == DP_WIRE_PAGE && request->number == pdf->ahead.number;
    settle_ahead (pdf, wanted);
    if (wanted)
      return take_ahead (pdf, reply, out, death);
  }
  if (!ensure_open (pdf, fresh, death, error))
    return FALSE;
  return !request || dp_pdf_process_ask (pdf->process, request, in, &pdf->limits, reply, out, death);
}

/* Sends request to a process that has the document open (request NULL: only open it); if
 * the process dies, decides between a silent retry and a strike.  in: a descriptor that goes with it, or -1; what: "page 3", in messages. */
static gboolean
ask (DpPdf *pdf, const DpWireRequest *request, int in, const char *what, DpWireReply *reply, int *out, GError **error)
{
  for (gboolean fresh = FALSE;; fresh = TRUE) {
    DpPdfDeath death = { 0 };
    GError *own = NULL;
    gboolean shared;

    if (attempt (pdf, request, in, fresh, reply, out, &death, &own))
      return TRUE;
    if (own) {
      g_propagate_error (error, own);
      return FALSE;
    }
    /* a process that has served others may carry their damage: that must not cost this page */
    shared = pdf->process && dp_pdf_process_n_documents (pdf->process) != 1;
    g_clear_pointer (&pdf->process, dp_pdf_process_end);
    if (shared && !fresh && death.kind == DP_DEATH_CRASH) {
      g_free (death.sentence);
      continue;
    }
    if (death.kind == DP_DEATH_START) {
      g_set_error (error, DP_PDF_ERROR, DP_PDF_ERROR_SYSTEM, "the PDF process did not start: %s", death.sentence);
    } else {
      pdf->strikes++;
      g_free (pdf->last_strike);
      pdf->last_strike = g_strdup_printf ("%s: %s", what, death.sentence);
      g_set_error_literal (error, DP_PDF_ERROR, DP_PDF_ERROR_PAGE, pdf->last_strike);
    }
    g_free (death.sentence);
    return FALSE;
  }
}

/* ---- what comes back ----------------------------------------------------------------------------------------------- */

typedef struct {
  gpointer data;
  gsize size;
} Mapping;

static void
mapping_free (gpointer data)
{
  Mapping *mapping = data;

  if (!mapping)
    return;
  munmap (mapping->data, mapping->size);
  g_free (mapping);
}

/* Maps a memory file that nobody can change any more; takes fd.  Private, since older
 * kernels refuse any shared mapping of a sealed file. */
static Mapping *
map_bundle (int fd, int protection)
{
  const int needed = F_SEAL_SEAL | F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE;
  Mapping mapping = { .data = MAP_FAILED };
  struct stat st;
  int seals = fcntl (fd, F_GET_SEALS);

  if (seals >= 0 && (seals & needed) == needed && fstat (fd, &st) == 0 && st.st_size > 0 && st.st_size <= MAX_BUNDLE) {
    mapping.size = (gsize) st.st_size;
    mapping.data = mmap (NULL, mapping.size, protection, MAP_PRIVATE, fd, 0);
  }
  close (fd);
  return mapping.data == MAP_FAILED ? NULL : g_memdup2 (&mapping, sizeof mapping);
}

/* The bundle that answers request, mapped, or NULL. */
static Mapping *
fetch (DpPdf *pdf, const DpWireRequest *request, int in, const char *what, int protection, GError **error)
{
  DpWireReply reply;
  Mapping *mapping = NULL;
  int out = -1;

  if (pdf->strikes >= DP_PDF_MAX_STRIKES) {
    g_set_error (error, DP_PDF_ERROR, DP_PDF_ERROR_STRIKES, "the document was given up after %u failures (the last one: %s)", pdf->strikes,
                 pdf->last_strike);
    return NULL;
  }
  if (!ask (pdf, request, in, what, &reply, &out, error))
    return NULL;
  if (reply.status != DP_WIRE_OK) {
    g_set_error (error, DP_PDF_ERROR, error_of_status (reply.status), "%s", reply.message);
    if (out >= 0)
      close (out);
    return NULL;
  }
  if (out >= 0)
    mapping = map_bundle (out, protection);
  if (!mapping)
    g_set_error (error, DP_PDF_ERROR, DP_PDF_ERROR_PAGE, "%s: the PDF process sent no usable answer", what);
  return mapping;
}

/* An unreadable bundle: as good as a crash, its sender is not to be trusted any more. */
static void
refuse (DpPdf *pdf, const char *what, GError *reason, GError **error)
{
  pdf->strikes++;
  g_free (pdf->last_strike);
  pdf->last_strike = g_strdup_printf ("%s: %s", what, reason->message);
  g_set_error_literal (error, DP_PDF_ERROR, DP_PDF_ERROR_PAGE, pdf->last_strike);
  g_error_free (reason);
  g_clear_pointer (&pdf->process, dp_pdf_process_end);
}

/* ---- public ----------------------------------------------------------------------------------------------------------- */

DpPdf *
dp_pdf_open (const char *path, const char *password, const DpPdfLimits *limits, GError **error)
{
  static const DpPdfLimits standard = DP_PDF_LIMITS_DEFAULT;
  g_autoptr (DpPdf) pdf = NULL;
  GError *own = NULL;
  guint8 head[8];
  gssize n_head;
  int fd;

  if (password && strlen (password) >= DP_WIRE_MAX_PASSWORD) {
    g_set_error (error, DP_PDF_ERROR, DP_PDF_ERROR_PASSWORD, "the password is longer than %d bytes", DP_WIRE_MAX_PASSWORD - 1);
    return NULL;
  }
  fd = open_input (path, error);
  if (fd < 0)
    return NULL;
  pdf = g_new0 (DpPdf, 1);
  pdf->path = g_strdup (path);
  pdf->fd = fd;
  pdf->password = g_strdup (password);
  pdf->limits = limits ? *limits : standard;
  n_head = pread (fd, head, sizeof head, 0);
  pdf->looks_like_picture = n_head > 0 && dp_picture_is (head, (gsize) n_head);
  if (ask (pdf, NULL, -1, "opening", NULL, NULL, &own))
    return g_steal_pointer (&pdf);
  if (g_error_matches (own, DP_PDF_ERROR, DP_PDF_ERROR_PAGE))
    own->code = DP_PDF_ERROR_NOT_PDF;
  g_propagate_error (error, own);
  return NULL;
}

guint
dp_pdf_n_pages (const DpPdf *pdf)
{
  return pdf->n_pages;
}

const DpDocumentInfo *
dp_pdf_info (DpPdf *pdf)
{
  DpWireRequest request = { .magic = DP_WIRE_MAGIC, .op = DP_WIRE_INFO };
  g_autoptr (GError) error = NULL;
  Mapping *mapping;

  if (pdf->info)
    return pdf->info;
  mapping = fetch (pdf, &request, -1, "metadata", PROT_READ, &error);
  if (mapping) {
    GError *reason = NULL;

    pdf->info = dp_bundle_read_info (mapping->data, mapping->size, &reason);
    mapping_free (mapping);
    if (!pdf->info)
      refuse (pdf, "metadata", reason, &error);
  }
  if (!pdf->info) { /* the pages may still be good */
    g_info ("%s: %s", pdf->path, error->message);
    pdf->info = dp_document_info_new ();
  }
  pdf->info->n_pages = pdf->n_pages;
  pdf->info->is_picture = pdf->is_picture;
  pdf->info->path = g_strdup (pdf->path);
  return pdf->info;
}

static gboolean
number_ok (const DpPdf *pdf, guint number, GError **error)
{
  if (number >= 1 && number <= pdf->n_pages)
    return TRUE;
  g_set_error (error, DP_PDF_ERROR, DP_PDF_ERROR_PAGE, "page %u: the document has %u %s", number, pdf->n_pages,
               pdf->n_pages == 1 ? "page" : "pages");
  return FALSE;
}

DpPage *
dp_pdf_page (DpPdf *pdf, guint number, GError **error)
{
  DpWireRequest request = { .magic = DP_WIRE_MAGIC, .op = DP_WIRE_PAGE, .number = number };
  g_autofree char *what = g_strdup_printf ("page %u", number);
  GError *reason = NULL;
  Mapping *mapping;
  DpPage *page;

  if (!number_ok (pdf, number, error))
    return NULL;
  mapping = fetch (pdf, &request, -1, what, PROT_READ, error);
  if (!mapping)
    return NULL;
  page = dp_bundle_read_page (mapping->data, mapping->size, mapping, mapping_free, &reason);
  if (!page) {
    mapping_free (mapping);
    refuse (pdf, what, reason, error);
  }
  return page;
}

/* ---- images that may be text ----------------------------------------------------------------------------------- */

/* What is known of an image that is the only one of its size. */
enum { NOTHING_KNOWN, MAY_BE_TEXT, NO_TEXT };

static char *
image_key (const DpImage *image)
{
  const DpRect b = image->box;

  return g_strdup_printf ("%u x %u at %.0f %.0f %.0f %.0f", image->width, image->height, (double) b.x0, (double) b.y0, (double) b.x1,
                          (double) b.y1);
}

static void
remember_image (DpPdf *pdf, char *key, int what)
{
  if (!pdf->images)
    pdf->images = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  if (g_hash_table_size (pdf->images) < MOST_IMAGES)
    g_hash_table_insert (pdf->images, key, GINT_TO_POINTER (what));
  else
    g_free (key);
}

/* The raster of a memory file, which it closes, or NULL. */
static cairo_surface_t *
take_raster (DpPdf *pdf, int file, const char *what, GError **error)
{
  Mapping *mapping = map_bundle (file, PROT_READ | PROT_WRITE); /* cairo wants to be able to draw on it */
  GError *reason = NULL;
  cairo_surface_t *surface = mapping ? dp_bundle_read_raster (mapping->data, mapping->size, mapping, mapping_free, &reason) : NULL;

  if (mapping && !surface) {
    mapping_free (mapping);
    refuse (pdf, what, reason, error);
  }
  return surface;
}

gboolean
dp_pdf_image_may_be_text (DpPdf *pdf, guint number, const DpImage *image, cairo_surface_t **picture)
{
  const gboolean as_stored = image->flags & DP_IMAGE_STORED;
  DpWireRequest request = { .magic = DP_WIRE_MAGIC,
                            .op = DP_WIRE_LOOK,
                            .number = number,
                            .box = image->box,
                            .width = image->width,
                            .height = image->height,
                            .grey = picture && as_stored };
  g_autofree char *what = g_strdup_printf ("page %u", number), *key = image_key (image);
  const int known = pdf->images ? GPOINTER_TO_INT (g_hash_table_lookup (pdf->images, key)) : NOTHING_KNOWN;
  g_autoptr (GError) error = NULL;
  DpWireReply reply;
  int out = -1;

  if (picture)
    *picture = NULL;
  if (known != NOTHING_KNOWN)
    return known == MAY_BE_TEXT;
  if (pdf->strikes >= DP_PDF_MAX_STRIKES || !ask (pdf, &request, -1, what, &reply, &out, &error))
    return TRUE;
  if (out >= 0 && request.grey)
    *picture = take_raster (pdf, out, what, &error);
  else if (out >= 0)
    close (out);
  if (reply.status != DP_WIRE_OK)
    return TRUE;
  if (reply.single)
    remember_image (pdf, g_steal_pointer (&key), reply.may_be_text ? MAY_BE_TEXT : NO_TEXT);
  return reply.may_be_text;
}

void
dp_pdf_image_is_no_text (DpPdf *pdf, const DpImage *image)
{
  g_autofree char *key = image_key (image);

  if (pdf->images && g_hash_table_contains (pdf->images, key))
    g_hash_table_insert (pdf->images, g_steal_pointer (&key), GINT_TO_POINTER (NO_TEXT));
}

/* ---- pictures -------------------------------------------------------------------------------------------------- */

cairo_surface_t *
dp_pdf_render (DpPdf *pdf, guint number, DpRect box, double dpi, gboolean grey, GError **error)
{
  DpWireRequest request = { .magic = DP_WIRE_MAGIC, .op = DP_WIRE_RENDER, .number = number, .box = box, .dpi = dpi, .grey = grey != 0 };
  g_autofree char *what = g_strdup_printf ("page %u", number);
  GError *reason = NULL;
  cairo_surface_t *surface;
  Mapping *mapping;

  if (!number_ok (pdf, number, error))
    return NULL;
  mapping = fetch (pdf, &request, -1, what, PROT_READ | PROT_WRITE, error); /* cairo wants to be able to draw on it */
  if (!mapping)
    return NULL;
  surface = dp_bundle_read_raster (mapping->data, mapping->size, mapping, mapping_free, &reason);
  if (!surface) {
    mapping_free (mapping);
    refuse (pdf, what, reason, error);
  }
  return surface;
}

/* ---- with text -------------------------------------------------------------------------------------------------- */

static gboolean
write_file (int fd, DpPdfSink sink, gpointer data, GError **error)
{
  g_autofree guint8 *buffer = g_malloc (COPY);
  gssize n;

  for (goffset at = 0; (n = pread (fd, buffer, COPY, at)) != 0; at += MAX (n, 0)) {
    if (n < 0 && errno == EINTR)
      continue;
    if (n < 0) {
      g_set_error (error, DP_PDF_ERROR, DP_PDF_ERROR_SYSTEM, "the input cannot be read: %s", g_strerror (errno));
      return FALSE;
    }
    if (!sink (data, buffer, (gsize) n, error))
      return FALSE;
  }
  return TRUE;
}

/* An anonymous file that holds these bytes, or -1. */
static int
file_of (const GByteArray *bytes)
{
  const int fd = memfd_create ("docparse", MFD_CLOEXEC);

  for (gsize at = 0; fd >= 0 && at < bytes->len;) {
    const gssize n = pwrite (fd, bytes->data + at, bytes->len - at, (off_t) at);
    if (n < 0 && errno != EINTR) {
      close (fd);
      return -1;
    }
    at += (gsize) MAX (n, 0);
  }
  return fd;
}

gboolean
dp_pdf_write_with_text (DpPdf *pdf, const DpTextPage *pages, guint n, DpPdfSink sink, gpointer data, GError **error)
{
  DpWireRequest request = { .magic = DP_WIRE_MAGIC, .op = DP_WIRE_TEXT };
  g_autoptr (GByteArray) words = g_byte_array_new ();

  if (n == 0 && !pdf->is_picture)
    return write_file (pdf->fd, sink, data, error);
  dp_text_pages_write (pages, n, words);
  const int in = file_of (words);
  if (in < 0) {
    g_set_error (error, DP_PDF_ERROR, DP_PDF_ERROR_SYSTEM, "no memory for the text of the pages: %s", g_strerror (errno));
    return FALSE;
  }
  Mapping *update = fetch (pdf, &request, in, "adding text", PROT_READ, error);
  close (in);
  const gboolean written
      = update && (pdf->is_picture || write_file (pdf->fd, sink, data, error)) && sink (data, update->data, update->size, error);
  mapping_free (update);
  return written;
}

guint
dp_pdf_strikes (const DpPdf *pdf)
{
  return pdf->strikes;
}

void
dp_pdf_rest (DpPdf *pdf)
{
  const gboolean busy = pdf->ahead.number && !pdf->ahead.answered;

  forget_ahead (pdf);
  if (pdf->process && pdf->strikes == 0 && !busy)
    dp_pdf_process_release (g_steal_pointer (&pdf->process));
  else
    g_clear_pointer (&pdf->process, dp_pdf_process_end);
}

void
dp_pdf_close (DpPdf *pdf)
{
  if (!pdf)
    return;
  dp_pdf_rest (pdf);
  close (pdf->fd);
  dp_document_info_free (pdf->info);
  g_clear_pointer (&pdf->images, g_hash_table_unref);
  if (pdf->password)
    explicit_bzero (pdf->password, strlen (pdf->password));
  g_free (pdf->password);
  g_free (pdf->last_strike);
  g_free (pdf->path);
  g_free (pdf);
}

gint
dp_pdf_child_pid (const DpPdf *pdf)
{
  return pdf->process ? dp_pdf_process_pid (pdf->process) : 0;
}

void
dp_pdf_prewarm (gboolean pictures)
{
  static const DpPdfLimits standard = DP_PDF_LIMITS_DEFAULT;

  dp_pdf_process_prewarm (standard.max_memory, pictures);
}

void
dp_pdf_expect_no_more (void)
{
  dp_pdf_process_expect_no_more ();
}

void
dp_pdf_shutdown (void)
{
  dp_pdf_process_clear_pool ();
}
