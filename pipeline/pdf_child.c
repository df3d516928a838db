/* pipeline/pdf_child.c - the child that runs the PDF library on hostile input.
 *
 * Life: limits, warm the libraries on a document of our own, raise the sandbox, say hello,
 * then one document after the other, one request at a time.  Everything here may crash,
 * hang or be killed at any moment; pipeline/pdf.c picks up the pieces.
 */
#include "pipeline/pdf.h"

#include <errno.h>
#include <fcntl.h>
#include <malloc.h>
#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "pipeline/bundle.h"
#include "pipeline/pdf_extract.h"
#include "pipeline/pdf_images.h"
#include "pipeline/pdf_scan.h"
#include "pipeline/pdf_update.h"
#include "pipeline/pdf_warm.h"
#include "pipeline/pdf_wire.h"
#include "pipeline/picture_pdf.h"
#include "pipeline/pictures.h"
#include "pipeline/sandbox.h"

/* Input up to this size is mapped, which saves poppler many small reads; above it the
 * mapping would eat too much of the address space. */
#define MAX_MAPPED ((goffset) 128 << 20)
#define KEPT (32 << 20) /* bytes of memory that need not be given back between documents */

typedef struct {
  DpPdfLimits limits;
  gboolean pictures; /* may be opened, too */
  gboolean has_timer;
  timer_t timer; /* counts processor time of this process */
  PopplerDocument *document;
  DpPdfUnits *units;   /* of its pages; often NULL */
  GBytes *bytes;       /* the file, NULL if it is too large to map */
  DpPdfImages *images; /* once one was looked at */
  guint scan;          /* number of the page read last, if it is one image and nothing else; else 0 */
  DpImage scanned;     /* that image */
  DpPicture *picture;
  const guint8 *heap; /* where it began */
} Child;

/* ---- ways to die ------------------------------------------------------------------------------------- */

/* Out of memory ends in abort(), a trap or a null pointer, depending on the library, and in
 * each case errno still says what malloc said.  Async-signal-safe. */
static void
on_crash (int signal_number)
{
  if (errno == ENOMEM)
    _exit (DP_WIRE_EXIT_MEMORY);
  signal (signal_number, SIG_DFL);
  raise (signal_number);
}

static pid_t parent_at_start; /* read by a signal handler, written once before it is set */

/* The kernel sends this also when merely the thread that started us ends. */
static void
on_parent_death (int signal_number)
{
  (void) signal_number;
  if (getppid () != parent_at_start)
    _exit (0);
}

static void
install_signals (void)
{
  static const int crashes[] = { SIGSEGV, SIGBUS, SIGABRT, SIGTRAP, SIGFPE, SIGILL };
  static const int ignored[] = { SIGINT, SIGTERM, SIGHUP, SIGPIPE }; /* the parent decides when we end */
  static char stack[64 * 1024];                                      /* a handler needs one after a stack overflow */
  stack_t alternative = { .ss_sp = stack, .ss_size = sizeof stack };
  struct sigaction crash = { .sa_handler = on_crash, .sa_flags = SA_ONSTACK | SA_NODEFER };
  struct sigaction orphan = { .sa_handler = on_parent_death, .sa_flags = SA_RESTART };

  for (guint i = 0; i < G_N_ELEMENTS (ignored); i++)
    signal (ignored[i], SIG_IGN);
  if (dp_sandbox_has_seccomp ()) { /* else AddressSanitizer wants them */
    sigaltstack (&alternative, NULL);
    for (guint i = 0; i < G_N_ELEMENTS (crashes); i++)
      sigaction (crashes[i], &crash, NULL);
  }
  sigaction (SIGUSR1, &orphan, NULL);
  prctl (PR_SET_PDEATHSIG, SIGUSR1, 0, 0, 0);
  if (getppid () != parent_at_start)
    _exit (0);
}

/* ---- limits of one request ----------------------------------------------------------------------------- */

static void
make_timer (Child *child)
{
  struct sigevent event = { .sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGXCPU };

  child->has_timer = timer_create (CLOCK_PROCESS_CPUTIME_ID, &event, &child->timer) == 0;
}

/* SIGXCPU, which ends the process, after ms of processor time; 0 stops the clock. */
static void
set_timer (Child *child, guint ms)
{
  struct itimerspec at = { .it_value = { .tv_sec = ms / 1000, .tv_nsec = (long) (ms % 1000) * 1000000 } };

  if (child->has_timer)
    timer_settime (child->timer, 0, &at, NULL);
}

/* ---- documents ---------------------------------------------------------------------------------------------- */

/* Memory grows in large steps and is kept until the document is closed: a page takes and drops it many times.  What a small
 * document took the next one takes. */
static void
keep_memory (Child *child)
{
  child->heap = sbrk (0);
  mallopt (M_TOP_PAD, 1 << 20);
  mallopt (M_TRIM_THRESHOLD, 64 << 20);
  mallopt (M_MMAP_THRESHOLD, 4 << 20);
}

static void
close_document (Child *child)
{
  if (!child->document && !child->picture)
    return;
  g_clear_pointer (&child->document, dp_poppler ()->object_unref);
  g_clear_pointer (&child->picture, dp_picture_free);
  g_clear_pointer (&child->units, dp_pdf_units_free);
  g_clear_pointer (&child->images, dp_pdf_images_free);
  g_clear_pointer (&child->bytes, g_bytes_unref);
  child->scan = 0;
  if ((guint8 *) sbrk (0) - child->heap > KEPT)
    malloc_trim (0);
}

typedef struct {
  gpointer data;
  gsize size;
} Mapping;

static void
mapping_free (gpointer data)
{
  Mapping *mapping = data;

  munmap (mapping->data, mapping->size);
  g_free (mapping);
}

/* The whole file, or NULL if it is too large to map. */
static GBytes *
map_input (int fd, goffset size)
{
  Mapping mapping = { .size = (gsize) size };

  if (size <= 0 || size > MAX_MAPPED)
    return NULL;
  mapping.data = mmap (NULL, mapping.size, PROT_READ, MAP_PRIVATE, fd, 0);
  if (mapping.data == MAP_FAILED)
    return NULL;
  return g_bytes_new_with_free_func (mapping.data, mapping.size, mapping_free, g_memdup2 (&mapping, sizeof mapping));
}

static void
say (DpWireReply *reply, DpWireStatus status, const char *message)
{
  reply->status = status;
  g_strlcpy (reply->message, message, sizeof reply->message);
}

static void
open_picture (Child *child, GBytes *bytes, DpWireReply *reply)
{
  g_autoptr (GError) error = NULL;

  child->picture = dp_picture_new (bytes, &child->limits, &error);
  if (!child->picture) {
    say (reply, DP_WIRE_NOT_PDF, error->message);
    return;
  }
  reply->is_picture = 1;
  reply->n_pages = dp_picture_n_pages (child->picture);
}

/* One attempt from the file.  poppler closes what it is given. */
static PopplerDocument *
open_with (int fd, const char *password, GError **error)
{
  g_clear_error (error);
  return dp_poppler ()->document_new_from_fd (fcntl (fd, F_DUPFD_CLOEXEC, 0), password, error);
}

/* poppler 22.12 tries a password as Latin-1 and then a second time as it stands, but by
 * then has given its input away: from memory that crashes, from a file it calls the
 * document damaged.  So: only from the file, and the second time is ours, with the bytes
 * of the UTF-8 form (what PDF 2.0 wants) dressed up as Latin-1 letters. */
static PopplerDocument *
open_encrypted (int fd, const char *password)
{
  g_autoptr (GError) error = NULL;
  PopplerDocument *document = open_with (fd, password, &error);
  g_autofree char *dressed = NULL;

  if (document || g_str_is_ascii (password))
    return document;
  dressed = g_convert (password, -1, "UTF-8", "ISO-8859-1", NULL, NULL, NULL);
  return dressed ? open_with (fd, dressed, &error) : NULL;
}

static void
open_pdf (Child *child, GBytes *bytes, int fd, const char *password, DpWireReply *reply)
{
  g_autoptr (GError) error = NULL;
  gboolean encrypted;

  child->document = bytes ? dp_poppler ()->document_new_from_bytes (bytes, NULL, &error) : open_with (fd, NULL, &error);
  encrypted = g_error_matches (error, dp_poppler ()->error_quark (), POPPLER_ERROR_ENCRYPTED);
  if (encrypted && password)
    child->document = open_encrypted (fd, password);
  if (child->document)
    reply->n_pages = (guint32) MAX (0, dp_poppler ()->document_get_n_pages (child->document));
  else if (encrypted)
    say (reply, DP_WIRE_PASSWORD, password ? "the password is wrong" : "the file is encrypted and needs a password");
  else
    say (reply, DP_WIRE_NOT_PDF, "not a PDF, or damaged beyond reading");
}

/* Takes fd. */
static void
handle_open (Child *child, const DpWireRequest *request, int fd, DpWireReply *reply)
{
  g_autoptr (GBytes) bytes = NULL;
  guint8 head[8];
  gssize n_head;
  struct stat st;

  child->limits = request->limits;
  if (fd < 0 || fstat (fd, &st) != 0) {
    say (reply, DP_WIRE_NOT_PDF, "the input cannot be read");
    return;
  }
  n_head = pread (fd, head, sizeof head, 0);
  bytes = map_input (fd, st.st_size);
  if (child->pictures && bytes && n_head > 0 && dp_picture_is (head, (gsize) n_head)) {
    open_picture (child, bytes, reply);
  } else {
    open_pdf (child, bytes, fd, request->has_password ? request->password : NULL, reply);
    if (child->document && bytes) {
      child->units
          = dp_pdf_units_read (g_bytes_get_data (bytes, NULL), g_bytes_get_size (bytes), MIN (reply->n_pages, DP_BUNDLE_MAX_PAGES));
      child->bytes = g_bytes_ref (bytes);
    }
  }
  close (fd);
}

/* ---- answers ------------------------------------------------------------------------------------------------- */

/* An empty memory file; NX where the kernel knows that. */
static int
make_memory_file (void)
{
#ifdef MFD_NOEXEC_SEAL
  const unsigned no_exec = MFD_NOEXEC_SEAL;
#else
  const unsigned no_exec = 8; /* Linux 6.3 */
#endif
  int fd = memfd_create ("docparse", MFD_CLOEXEC | MFD_ALLOW_SEALING | no_exec);

  return fd >= 0 ? fd : memfd_create ("docparse", MFD_CLOEXEC | MFD_ALLOW_SEALING);
}

static gboolean
write_info (Child *child, int out, GError **error)
{
  g_autoptr (DpDocumentInfo) info
      = child->picture ? dp_picture_info (child->picture) : dp_pdf_extract_info (child->document, child->units, child->bytes);

  return dp_bundle_write_info (info, out, error);
}

static gboolean
write_page (Child *child, guint number, int out, GError **error)
{
  g_autoptr (DpPageArrays) arrays = dp_page_arrays_new ();

  if (!(child->picture ? dp_picture_page (child->picture, number, arrays, error)
                       : dp_pdf_extract_page (child->document, child->units, number, &child->limits, arrays, error)))
    return FALSE;
  child->scan = child->document && dp_pdf_scan_is (arrays, &child->scanned) ? number : 0;
  return dp_bundle_write_page (arrays, out, error);
}

/* NULL if there are no bytes of the file at hand. */
static DpPdfImages *
images_of (Child *child)
{
  if (!child->images && child->bytes)
    child->images = dp_pdf_images_read (g_bytes_get_data (child->bytes, NULL), g_bytes_get_size (child->bytes));
  return child->images;
}

/* Without painting, where the page allows it. */
static cairo_surface_t *
render_scan (Child *child, const DpWireRequest *r, DpRect page)
{
  if (r->number != child->scan || !r->grey || !images_of (child))
    return NULL;
  return dp_pdf_scan_render (child->images, &child->scanned, page, r->dpi, child->limits.max_pixels);
}

static gboolean
write_render (Child *child, const DpWireRequest *r, int out, GError **error)
{
  DpRect page
      = child->picture ? dp_picture_box (child->picture, r->number, error) : dp_pdf_extract_box (child->document, child->units, r->number);
  gboolean whole = r->box.x0 == 0 && r->box.y0 == 0 && r->box.x1 == 0 && r->box.y1 == 0;
  DpRect box = whole ? page : dp_rect_intersect (r->box, page);
  cairo_surface_t *surface = memcmp (&box, &page, sizeof box) == 0 ? render_scan (child, r, page) : NULL;
  gboolean ok;

  if (child->picture && dp_rect_area (page) <= 0)
    return FALSE; /* could not be decoded */
  if (!surface)
    surface = child->picture
                  ? dp_picture_render (child->picture, r->number, box, r->dpi, r->grey != 0, error)
                  : dp_pdf_extract_render (child->document, child->units, r->number, box, r->dpi, r->grey != 0, &child->limits, error);
  if (!surface)
    return FALSE;
  ok = dp_bundle_write_raster (surface, out, error);
  cairo_surface_destroy (surface);
  return ok;
}

/* Whether an image of so many pixels, shown in a box of the page, could be a picture of text; what was seen of it (owned) or NULL. */
static cairo_surface_t *
look_at_image (Child *child, const DpWireRequest *r, DpWireReply *reply)
{
  const double pixels = (double) r->width * r->height, area = dp_rect_area (r->box);
  cairo_surface_t *picture = NULL;

  reply->may_be_text = 1;
  if (!(area > 0) || !images_of (child))
    return NULL;
  reply->single = (guint32) dp_pdf_images_is_single (child->images, r->width, r->height);
  reply->may_be_text = (guint32) dp_pdf_images_may_be_text (child->images, r->width, r->height, 72 * sqrt (pixels / area),
                                                            child->limits.max_pixels, r->grey ? &picture : NULL);
  return picture;
}

static gboolean
seal (int file)
{
  return fcntl (file, F_ADD_SEALS, F_SEAL_SEAL | F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE) == 0;
}

/* Returns a sealed memory file of what was seen, or -1: the answer stands without one. */
static int
handle_look (Child *child, const DpWireRequest *request, DpWireReply *reply)
{
  cairo_surface_t *picture = look_at_image (child, request, reply);
  int out = picture ? make_memory_file () : -1;

  if (out >= 0 && !(dp_bundle_write_raster (picture, out, NULL) && seal (out))) {
    close (out);
    out = -1;
  }
  g_clear_pointer (&picture, cairo_surface_destroy);
  return out;
}

static gboolean
write_all (int fd, const guint8 *bytes, gsize n)
{
  while (n > 0) {
    const gssize written = write (fd, bytes, n);
    if (written < 0 && errno != EINTR)
      return FALSE;
    bytes += MAX (written, 0), n -= (gsize) MAX (written, 0);
  }
  return TRUE;
}

/* The update of the file that is open; of a picture a PDF that shows it and the update of that. */
static gboolean
make_update (Child *child, const GArray *pages, GByteArray *out)
{
  gsize n;
  const guint8 *data = child->picture ? dp_picture_bytes (child->picture, &n) : child->bytes ? g_bytes_get_data (child->bytes, &n) : NULL;

  if (!child->picture) {
    const guint n_pages = (guint) MAX (0, dp_poppler ()->document_get_n_pages (child->document));
    return data && dp_pdf_update (data, n, child->units, n_pages, pages, out);
  }
  g_autoptr (GByteArray) update = g_byte_array_new ();
  const DpRect box = dp_picture_box (child->picture, 1, NULL);
  if (!dp_picture_pdf (data, n, (double) box.x1, (double) box.y1, out)
      || (pages->len > 0 && !dp_pdf_update (out->data, out->len, NULL, 1, pages, update)))
    return FALSE;
  if (update->len > 0)
    g_byte_array_append (out, update->data, update->len);
  return TRUE;
}

/* Takes in: a file of words. */
static gboolean
write_text (Child *child, int in, int out, GError **error)
{
  struct stat st;
  g_autoptr (GBytes) words = in >= 0 && fstat (in, &st) == 0 ? map_input (in, st.st_size) : NULL;
  g_autoptr (GArray) pages = words ? dp_text_pages_read (g_bytes_get_data (words, NULL), g_bytes_get_size (words)) : NULL;
  g_autoptr (GByteArray) update = g_byte_array_new ();

  if (pages && make_update (child, pages, update))
    return write_all (out, update->data, update->len);
  g_set_error_literal (error, DP_EXTRACT_ERROR, DP_EXTRACT_ERROR_DAMAGED, "no text can be added to this file");
  return FALSE;
}

/* Returns the sealed memory file, or -1 with the reason in reply. */
static int
handle_query (Child *child, const DpWireRequest *request, int in, DpWireReply *reply)
{
  g_autoptr (GError) error = NULL;
  int out;
  gboolean ok;

  if (!child->document && !child->picture) {
    say (reply, DP_WIRE_FAILED, "no document is open");
    return -1;
  }
  out = make_memory_file ();
  if (out < 0) {
    say (reply, DP_WIRE_FAILED, g_strerror (errno));
    return -1;
  }
  switch (request->op) {
  case DP_WIRE_INFO: ok = write_info (child, out, &error); break;
  case DP_WIRE_PAGE: ok = write_page (child, request->number, out, &error); break;
  case DP_WIRE_TEXT: ok = write_text (child, in, out, &error); break;
  default: ok = write_render (child, request, out, &error); break;
  }
  if (ok && seal (out))
    return out;
  say (reply, DP_WIRE_FAILED, error ? error->message : g_strerror (errno));
  close (out);
  return -1;
}

/* poppler leaks the descriptor of every predefined CMap it reads (seen in 22.12), and a font
 * that cannot be opened for want of one is silently not painted. */
static gboolean
is_worn (void)
{
  int lowest_free = fcntl (DP_WIRE_FD, F_DUPFD_CLOEXEC, 0);

  if (lowest_free >= 0)
    close (lowest_free);
  return lowest_free < 0 || lowest_free > DP_SANDBOX_MAX_FDS / 2;
}

static gboolean
serve (Child *child)
{
  DpWireRequest request;
  DpWireReply reply = { .magic = DP_WIRE_MAGIC, .status = DP_WIRE_OK };
  int in = -1, out = -1;
  gboolean sent;

  if (!dp_wire_receive (DP_WIRE_FD, &request, sizeof request, &in) || request.magic != DP_WIRE_MAGIC)
    return FALSE;
  if (request.op == DP_WIRE_OPEN || request.op == DP_WIRE_CLOSE)
    close_document (child);
  if (request.op == DP_WIRE_OPEN)
    child->limits = request.limits;
  errno = 0; /* see on_crash */
  set_timer (child, child->limits.page_cpu_ms);
  switch (request.op) {
  case DP_WIRE_OPEN: handle_open (child, &request, in, &reply); break;
  case DP_WIRE_INFO:
  case DP_WIRE_PAGE:
  case DP_WIRE_TEXT:
  case DP_WIRE_RENDER: out = handle_query (child, &request, in, &reply); break;
  case DP_WIRE_LOOK: out = handle_look (child, &request, &reply); break;
  case DP_WIRE_CLOSE: return TRUE;
  default: return FALSE;
  }
  set_timer (child, 0);
  if (in >= 0 && request.op != DP_WIRE_OPEN) /* that took it */
    close (in);
  reply.worn = is_worn ();
  sent = dp_wire_send (DP_WIRE_FD, &reply, sizeof reply, out);
  if (out >= 0)
    close (out);
  return sent;
}

static GLogWriterOutput
drop_log (GLogLevelFlags level, const GLogField *fields, gsize n_fields, gpointer data)
{
  (void) level, (void) fields, (void) n_fields, (void) data;
  return G_LOG_WRITER_HANDLED;
}

/* argv: program, the option, address space in bytes, process id of the parent, and DP_PDF_CHILD_PICTURES or nothing. */
int
dp_pdf_child_main (int argc, char **argv)
{
  DpWireReply hello = { .magic = DP_WIRE_MAGIC, .status = DP_WIRE_OK };
  const gboolean pictures = argc == 5 && strcmp (argv[4], DP_PDF_CHILD_PICTURES) == 0;
  Child child = { .pictures = pictures };

  if (argc != 4 && !pictures) {
    g_printerr ("%s is for docparse itself.\n", DP_PDF_CHILD_OPTION);
    return 64;
  }
  parent_at_start = (pid_t) g_ascii_strtoll (argv[3], NULL, 10);
  install_signals ();
  if (!g_getenv ("DOCPARSE_DEBUG"))
    g_log_set_writer_func (drop_log, NULL, NULL);
  keep_memory (&child);
  dp_sandbox_limit (g_ascii_strtoull (argv[2], NULL, 10));
  make_timer (&child);
  g_autoptr (GError) error = NULL;
  g_auto (GStrv) fonts = dp_pdf_warm_up (pictures, &error);
  if (!fonts)
    say (&hello, DP_WIRE_FAILED, error->message);
  dp_sandbox_enter (DP_WIRE_FD, (const char *const *) fonts);
  if (!dp_wire_send (DP_WIRE_FD, &hello, sizeof hello, -1))
    return 1;
  while (serve (&child))
    ;
  /* no clean-up: the parent is gone or will not read any more; the kernel is faster */
  _exit (0);
}
