/* pipeline/pdf_process.c - see pdf_process.h. */
#include "pipeline/pdf_process.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "pipeline/pdf.h"

/* Libraries leak and fragment: a process is replaced after so many documents, or when it
 * holds so much after dropping one. */
#define MAX_DOCUMENTS 200
#define MAX_IDLE_RSS ((guint64) 256 << 20)
#define MAX_IDLE 32
/* The first start on a machine may scan all its fonts. */
#define HELLO_MS 60000

struct DpPdfProcess {
  pid_t pid;
  int socket;
  guint64 max_memory;
  gboolean pictures; /* has loaded what decodes them */
  guint n_documents;
  gboolean ready; /* has said hello */
  gboolean worn;  /* has said that it should not serve any more */
};

static struct {
  GMutex lock;
  GPtrArray *idle;   /* DpPdfProcess, the warmest last; NULL until the first */
  GPtrArray *ending; /* DpPdfProcess, killed and not waited for: the kernel takes a millisecond to clear one away */
  gboolean last;     /* no further documents come */
} pool;

/* In the environment of a child.  A program that is not docparse but was started as its child (a test run by hand, without
 * DOCPARSE) would start itself again, and that one again, without end. */
#define CHILD_MARK "DOCPARSE_PDF_CHILD"

/* ---- starting ----------------------------------------------------------------------------------------------- */

/* The docparse binary: this program, or for test programs what DOCPARSE names.  The link's
 * target rather than the link, which means something else under a debugger or valgrind. */
static char *
find_program (void)
{
  g_autofree char *self = g_file_read_link ("/proc/self/exe", NULL);
  g_autofree char *base = self ? g_path_get_basename (self) : NULL;
  const char *named = g_getenv ("DOCPARSE");

  if (named && *named && g_strcmp0 (base, "docparse") != 0)
    return g_strdup (named);
  /* an upgraded or deleted binary is still there behind the link */
  if (!self || access (self, X_OK) != 0)
    return g_strdup ("/proc/self/exe");
  return g_steal_pointer (&self);
}

/* Only what libraries need: the environment may hold passwords. */
static char **
child_environment (void)
{
  static const char *const wanted[]
      = { "HOME=",         "XDG_",           "FONTCONFIG_",   "FC_",      "LD_LIBRARY_PATH=", "GLIBC_TUNABLES=", "MALLOC_",
          "ASAN_OPTIONS=", "UBSAN_OPTIONS=", "LSAN_OPTIONS=", "G_DEBUG=", "G_SLICE=",         "DOCPARSE_DEBUG=", "TMPDIR=" };
  GPtrArray *out = g_ptr_array_new ();

  for (char **e = environ; e && *e; e++)
    for (guint i = 0; i < G_N_ELEMENTS (wanted); i++)
      if (g_str_has_prefix (*e, wanted[i])) {
        g_ptr_array_add (out, g_strdup (*e));
        break;
      }
  g_ptr_array_add (out, g_strdup (CHILD_MARK "=1"));
  g_ptr_array_add (out, NULL);
  return (char **) g_ptr_array_free (out, FALSE);
}

/* posix_spawn does not copy this process's page tables, as fork would. */
static int
spawn (int socket, guint64 max_memory, gboolean pictures, pid_t *pid)
{
  g_autofree char *program = find_program ();
  g_autofree char *memory = g_strdup_printf ("%" G_GUINT64_FORMAT, max_memory);
  g_autofree char *parent = g_strdup_printf ("%d", (int) getpid ());
  g_auto (GStrv) environment = child_environment ();
  char *argv[]
      = { (char *) "docparse", (char *) DP_PDF_CHILD_OPTION, memory, parent, (char *) (pictures ? DP_PDF_CHILD_PICTURES : NULL), NULL };
  posix_spawn_file_actions_t actions;
  posix_spawnattr_t attributes;
  sigset_t none, all;
  int failed;

  sigemptyset (&none);
  sigfillset (&all);
  posix_spawnattr_init (&attributes);
  posix_spawnattr_setsigmask (&attributes, &none);
  posix_spawnattr_setsigdefault (&attributes, &all);
  posix_spawnattr_setflags (&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
  posix_spawn_file_actions_init (&actions);
  posix_spawn_file_actions_adddup2 (&actions, socket, DP_WIRE_FD);
  posix_spawn_file_actions_addopen (&actions, 0, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_addopen (&actions, 1, "/dev/null", O_WRONLY, 0);
  if (!g_getenv ("DOCPARSE_DEBUG")) /* poppler complains about every damaged file */
    posix_spawn_file_actions_addopen (&actions, 2, "/dev/null", O_WRONLY, 0);
  posix_spawn_file_actions_addclosefrom_np (&actions, DP_WIRE_FD + 1);
  failed = posix_spawn (pid, program, &actions, &attributes, argv, environment);
  posix_spawn_file_actions_destroy (&actions);
  posix_spawnattr_destroy (&attributes);
  return failed;
}

static DpPdfProcess *
start (guint64 max_memory, gboolean pictures, GError **error)
{
  DpPdfProcess *process;
  int pair[2], failed;
  pid_t pid = 0;

  if (g_getenv (CHILD_MARK)) {
    g_set_error_literal (
        error, DP_PDF_ERROR, DP_PDF_ERROR_SYSTEM,
        "this program was started to read a PDF for another one and starts none itself; set DOCPARSE to the docparse program");
    return NULL;
  }
  if (socketpair (AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) != 0) {
    g_set_error (error, DP_PDF_ERROR, DP_PDF_ERROR_SYSTEM, "cannot start the PDF process: %s", g_strerror (errno));
    return NULL;
  }
  failed = spawn (pair[1], max_memory, pictures, &pid);
  close (pair[1]);
  if (failed) {
    close (pair[0]);
    g_set_error (error, DP_PDF_ERROR, DP_PDF_ERROR_SYSTEM, "cannot start the PDF process: %s", g_strerror (failed));
    return NULL;
  }
  process = g_new0 (DpPdfProcess, 1);
  process->pid = pid;
  process->socket = pair[0];
  process->max_memory = max_memory;
  process->pictures = pictures;
  return process;
}

/* ---- ending --------------------------------------------------------------------------------------------------- */

/* Kills it and waits; returns the wait status and forgets the pid.  One that is already
 * ending keeps its own status; one that only closed its socket must not keep us waiting. */
static int
reap (DpPdfProcess *process)
{
  int status = 0;

  if (process->pid <= 0)
    return 0;
  kill (process->pid, SIGKILL);
  while (waitpid (process->pid, &status, 0) < 0 && errno == EINTR)
    ;
  process->pid = 0;
  return status;
}

void
dp_pdf_process_end (DpPdfProcess *process)
{
  if (!process)
    return;
  reap (process);
  close (process->socket);
  g_free (process);
}

static void die (DpPdfDeath *death, DpPdfDeathKind kind, const char *format, ...) G_GNUC_PRINTF (3, 4);

static void
die (DpPdfDeath *death, DpPdfDeathKind kind, const char *format, ...)
{
  va_list args;

  va_start (args, format);
  death->kind = kind;
  death->sentence = g_strdup_vprintf (format, args);
  va_end (args);
}

/* What the wait status says, in words. */
static void
explain (int status, const DpPdfLimits *limits, DpPdfDeath *death)
{
  int signal_number = WIFSIGNALED (status) ? WTERMSIG (status) : 0;

  if (signal_number == SIGXCPU)
    die (death, DP_DEATH_LIMIT, "took more than %g s of processor time", limits->page_cpu_ms / 1000.0);
  else if (signal_number == SIGXFSZ || (WIFEXITED (status) && WEXITSTATUS (status) == DP_WIRE_EXIT_MEMORY))
    die (death, DP_DEATH_LIMIT, "needed more than %" G_GUINT64_FORMAT " MB of memory", limits->max_memory >> 20);
  else if (signal_number == SIGSYS)
    die (death, DP_DEATH_CRASH, "the PDF library tried something that the sandbox forbids (SIGSYS)");
  else if (signal_number == SIGKILL)
    die (death, DP_DEATH_CRASH, "the PDF process was killed (SIGKILL), perhaps because the machine is short of memory");
  else if (signal_number)
    die (death, DP_DEATH_CRASH, "the PDF library crashed (SIG%s)", sigabbrev_np (signal_number) ? sigabbrev_np (signal_number) : "?");
  else
    die (death, DP_DEATH_CRASH, "the PDF library gave up (exit status %d)", WEXITSTATUS (status));
}

/* ---- asking ------------------------------------------------------------------------------------------------------ */

typedef enum { GOT_REPLY, GOT_NOTHING, GOT_EOF } Wait;

static Wait
receive_reply (DpPdfProcess *process, guint wall_ms, DpWireReply *reply, int *out)
{
  gint64 deadline = g_get_monotonic_time () + (gint64) wall_ms * 1000;
  struct pollfd p = { .fd = process->socket, .events = POLLIN };

  for (;;) {
    gint64 left = (deadline - g_get_monotonic_time () + 999) / 1000;
    int n = wall_ms && left <= 0 ? 0 : poll (&p, 1, wall_ms ? (int) MIN (left, G_MAXINT) : -1);

    if (n < 0 && errno == EINTR)
      continue;
    if (n == 0)
      return GOT_NOTHING;
    break;
  }
  if (!dp_wire_receive (process->socket, reply, sizeof *reply, out))
    return GOT_EOF;
  return GOT_REPLY;
}

/* A reply is the word of a process that may have been taken over. */
static gboolean
reply_ok (DpWireReply *reply)
{
  if (reply->magic != DP_WIRE_MAGIC || reply->status < DP_WIRE_OK || reply->status > DP_WIRE_FAILED || reply->is_picture > 1
      || reply->may_be_text > 1 || reply->single > 1 || reply->worn > 1 || !memchr (reply->message, '\0', sizeof reply->message))
    return FALSE;
  for (char *s = reply->message; *s; s++)
    if (g_ascii_iscntrl (*s))
      *s = ' ';
  return g_utf8_validate (reply->message, -1, NULL);
}

static gboolean
wait_hello (DpPdfProcess *process, const DpPdfLimits *limits, DpPdfDeath *death)
{
  DpWireReply hello;
  Wait got;

  if (process->ready)
    return TRUE;
  got = receive_reply (process, HELLO_MS, &hello, NULL);
  const gboolean said = got == GOT_REPLY && reply_ok (&hello);
  process->ready = said && hello.status == DP_WIRE_OK;
  if (process->ready)
    return TRUE;
  const int status = reap (process);
  if (said)
    die (death, DP_DEATH_START, "%s", hello.message);
  else
    explain (status, limits, death);
  death->kind = DP_DEATH_START;
  return FALSE;
}

gboolean
dp_pdf_process_send (DpPdfProcess *process, const DpWireRequest *request, int fd, const DpPdfLimits *limits, DpPdfDeath *death)
{
  *death = (DpPdfDeath){ 0 };
  if (!wait_hello (process, limits, death))
    return FALSE;
  if (request->op == DP_WIRE_OPEN)
    process->n_documents++;
  if (dp_wire_send (process->socket, request, sizeof *request, fd))
    return TRUE;
  explain (reap (process), limits, death);
  return FALSE;
}

gboolean
dp_pdf_process_receive (DpPdfProcess *process, const DpPdfLimits *limits, DpWireReply *reply, int *out, DpPdfDeath *death)
{
  *out = -1;
  *death = (DpPdfDeath){ 0 };
  const Wait got = receive_reply (process, limits->page_wall_ms, reply, out);
  if (got == GOT_REPLY && reply_ok (reply)) {
    process->worn = reply->worn != 0;
    return TRUE;
  }
  if (got == GOT_NOTHING) {
    reap (process);
    die (death, DP_DEATH_LIMIT, "took more than %g s", limits->page_wall_ms / 1000.0);
  } else if (got == GOT_REPLY) {
    if (*out >= 0)
      close (*out);
    *out = -1;
    reap (process);
    die (death, DP_DEATH_CRASH, "the PDF process answered with nonsense");
  } else {
    explain (reap (process), limits, death);
  }
  return FALSE;
}

gboolean
dp_pdf_process_ask (DpPdfProcess *process, const DpWireRequest *request, int fd, const DpPdfLimits *limits, DpWireReply *reply, int *out,
                    DpPdfDeath *death)
{
  *out = -1;
  return dp_pdf_process_send (process, request, fd, limits, death) && dp_pdf_process_receive (process, limits, reply, out, death);
}

gint
dp_pdf_process_pid (const DpPdfProcess *process)
{
  return process->pid;
}

guint
dp_pdf_process_n_documents (const DpPdfProcess *process)
{
  return process->n_documents;
}

gboolean
dp_pdf_process_is_worn (const DpPdfProcess *process)
{
  return process->worn;
}

/* ---- the pool ------------------------------------------------------------------------------------------------------ */

/* Resident bytes, as the kernel tells; 0 if it does not. */
static guint64
resident (const DpPdfProcess *process)
{
  g_autofree char *path = g_strdup_printf ("/proc/%d/statm", (int) process->pid);
  g_autofree char *text = NULL;
  unsigned long pages = 0;

  if (!g_file_get_contents (path, &text, NULL, NULL) || sscanf (text, "%*u %lu", &pages) != 1)
    return 0;
  return (guint64) pages * (guint64) sysconf (_SC_PAGESIZE);
}

static DpPdfProcess *
take_idle (guint64 max_memory, gboolean pictures)
{
  DpPdfProcess *found = NULL;

  g_mutex_lock (&pool.lock);
  for (guint i = pool.idle ? pool.idle->len : 0; i > 0 && !found; i--) {
    DpPdfProcess *process = g_ptr_array_index (pool.idle, i - 1);

    if (process->max_memory == max_memory && (process->pictures || !pictures))
      found = g_ptr_array_remove_index (pool.idle, i - 1);
  }
  g_mutex_unlock (&pool.lock);
  return found;
}

static gboolean
fit_to_serve (DpPdfProcess *process)
{
  struct pollfd p = { .fd = process->socket, .events = POLLIN };

  /* an idle process that has something to say is dead or mad, unless it says hello */
  if (process->ready && poll (&p, 1, 0) != 0)
    return FALSE;
  return process->n_documents == 0 || (process->n_documents < MAX_DOCUMENTS && resident (process) <= MAX_IDLE_RSS);
}

DpPdfProcess *
dp_pdf_process_acquire (guint64 max_memory, gboolean pictures, gboolean fresh, GError **error)
{
  DpPdfProcess *process;

  while (!fresh && (process = take_idle (max_memory, pictures))) {
    if (fit_to_serve (process))
      return process;
    dp_pdf_process_end (process);
  }
  return start (max_memory, pictures, error);
}

static gboolean
put_idle (DpPdfProcess *process)
{
  gboolean room;

  g_mutex_lock (&pool.lock);
  if (!pool.idle)
    pool.idle = g_ptr_array_new ();
  room = pool.idle->len < MAX_IDLE;
  if (room)
    g_ptr_array_add (pool.idle, process);
  g_mutex_unlock (&pool.lock);
  return room;
}

/* TRUE if nobody needs it any more and it is on its way out. */
static gboolean
let_end (DpPdfProcess *process)
{
  g_mutex_lock (&pool.lock);
  const gboolean last = pool.last && process->pid > 0;
  if (last) {
    kill (process->pid, SIGKILL);
    if (!pool.ending)
      pool.ending = g_ptr_array_new ();
    g_ptr_array_add (pool.ending, process);
  }
  g_mutex_unlock (&pool.lock);
  return last;
}

void
dp_pdf_process_release (DpPdfProcess *process)
{
  DpWireRequest request = { .magic = DP_WIRE_MAGIC, .op = DP_WIRE_CLOSE };

  if (let_end (process))
    return;
  if (process->worn || process->n_documents >= MAX_DOCUMENTS || !dp_wire_send (process->socket, &request, sizeof request, -1)
      || !put_idle (process))
    dp_pdf_process_end (process);
}

void
dp_pdf_process_prewarm (guint64 max_memory, gboolean pictures)
{
  DpPdfProcess *process = start (max_memory, pictures, NULL);

  if (process && !put_idle (process))
    dp_pdf_process_end (process);
}

void
dp_pdf_process_expect_no_more (void)
{
  g_mutex_lock (&pool.lock);
  pool.last = TRUE;
  g_mutex_unlock (&pool.lock);
}

static void
end_all (GPtrArray *processes)
{
  if (!processes)
    return;
  g_ptr_array_foreach (processes, (GFunc) (void (*) (void)) dp_pdf_process_end, NULL);
  g_ptr_array_unref (processes);
}

void
dp_pdf_process_clear_pool (void)
{
  g_mutex_lock (&pool.lock);
  GPtrArray *idle = g_steal_pointer (&pool.idle), *ending = g_steal_pointer (&pool.ending);
  pool.last = FALSE;
  g_mutex_unlock (&pool.lock);
  end_all (idle);
  end_all (ending);
}
