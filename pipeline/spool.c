/* pipeline/spool.c - standard input and pipes, seekable. */
#include "pipeline/spool.h"

#include "pipeline/log.h"

#include <errno.h>
#include <fcntl.h>
#include <glib/gstdio.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static gboolean
fail (GError **error, const char *what)
{
  const int saved = errno;

  g_set_error (error, G_FILE_ERROR, g_file_error_from_errno (saved), "%s: %s", what, g_strerror (saved));
  return FALSE;
}

static int
open_unlinked (void)
{
  int fd = open (g_get_tmp_dir (), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);

  if (fd < 0) { /* not every file system has O_TMPFILE */
    g_autofree char *name = g_build_filename (g_get_tmp_dir (), "docparse-XXXXXX", NULL);
    fd = mkostemp (name, O_CLOEXEC);
    if (fd >= 0)
      unlink (name);
  }
  return fd;
}

/* More is not read from a pipe: one that never ends must not fill the disk. */
#define MOST_BYTES (G_GUINT64_CONSTANT (4) << 30)

#define STOP_INTERVAL_MS 100

/* Until there is something to read, or the end of it.  FALSE: *stop first; an idle pipe must not keep an interrupted run. */
static gboolean
wait_for_input (int from, const gint *stop, GError **error)
{
  struct pollfd wait = { .fd = from, .events = POLLIN };

  while (!stop || !g_atomic_int_get (stop)) {
    const int n = poll (&wait, 1, stop ? STOP_INTERVAL_MS : -1);
    if (n > 0)
      return TRUE;
    if (n < 0 && errno != EINTR)
      return fail (error, "cannot read the input");
  }
  errno = EINTR;
  return fail (error, "cannot read the input");
}

static gboolean
copy (int from, int to, const gint *stop, GError **error)
{
  g_autofree char *buffer = g_malloc (1 << 16);
  guint64 total = 0;

  for (;;) {
    if (!wait_for_input (from, stop, error))
      return FALSE;
    const ssize_t n = read (from, buffer, 1 << 16);

    if (n == 0)
      return TRUE;
    if (n < 0 && (errno == EINTR || errno == EAGAIN))
      continue;
    if (n < 0)
      return fail (error, "cannot read the input");
    total += (guint64) n;
    if (total > MOST_BYTES) {
      g_set_error_literal (error, G_FILE_ERROR, G_FILE_ERROR_INVAL, "more than 4 GiB came out of the pipe; give docparse a file");
      return FALSE;
    }
    if (!dp_write_all (to, buffer, (gsize) n))
      return fail (error, "cannot keep the input in the directory for temporary files (TMPDIR says where)");
  }
}

gboolean
dp_spool_is_needed (const char *path)
{
  struct stat st;

  return strcmp (path, "-") == 0 || (stat (path, &st) == 0 && (S_ISFIFO (st.st_mode) || S_ISSOCK (st.st_mode)));
}

static gboolean
fill (DpSpool *spool, int from, const gint *stop, GError **error)
{
  struct stat st;

  if (fstat (from, &st) != 0)
    return fail (error, "cannot read the input");
  if (isatty (from) || S_ISCHR (st.st_mode) || S_ISBLK (st.st_mode)) {
    g_set_error_literal (error, G_FILE_ERROR, G_FILE_ERROR_INVAL, "the input is a terminal or a device; pipe a PDF into docparse");
    return FALSE;
  }
  if (S_ISREG (st.st_mode)) {
    spool->path = g_strdup_printf ("/proc/self/fd/%d", from);
    return TRUE;
  }
  spool->fd = open_unlinked ();
  if (spool->fd < 0)
    return fail (error, "cannot make a temporary file for the input (TMPDIR says where)");
  spool->path = g_strdup_printf ("/proc/self/fd/%d", spool->fd);
  return copy (from, spool->fd, stop, error);
}

DpSpool *
dp_spool_new (const char *path, const gint *stop, GError **error)
{
  g_autoptr (DpSpool) spool = g_new0 (DpSpool, 1);
  const gboolean is_stdin = strcmp (path, "-") == 0;
  /* not to wait for somebody who writes into a named pipe: wait_for_input() does */
  const int from = is_stdin ? STDIN_FILENO : open (path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);

  spool->fd = -1;
  if (from < 0) {
    fail (error, "cannot open the input");
    return NULL;
  }
  const gboolean good = fill (spool, from, stop, error);
  if (!is_stdin)
    close (from);
  return good ? g_steal_pointer (&spool) : NULL;
}

void
dp_spool_free (DpSpool *spool)
{
  if (!spool)
    return;
  if (spool->fd >= 0)
    close (spool->fd);
  g_free (spool->path);
  g_free (spool);
}
