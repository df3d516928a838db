/* pipeline/spool.c - standard input, seekable. */
#include "pipeline/spool.h"

#include "pipeline/log.h"

#include <errno.h>
#include <fcntl.h>
#include <glib/gstdio.h>
#include <stdlib.h>
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

static gboolean
copy (int from, int to, GError **error)
{
  g_autofree char *buffer = g_malloc (1 << 16);

  for (;;) {
    const ssize_t n = read (from, buffer, 1 << 16);

    if (n == 0)
      return TRUE;
    if (n < 0 && errno == EINTR)
      continue;
    if (n < 0)
      return fail (error, "cannot read standard input");
    if (!dp_write_all (to, buffer, (gsize) n))
      return fail (error, "cannot keep standard input in the directory for temporary files");
  }
}

DpSpool *
dp_spool_stdin (GError **error)
{
  g_autoptr (DpSpool) spool = g_new0 (DpSpool, 1);
  struct stat st;

  spool->fd = -1;
  if (isatty (STDIN_FILENO)) {
    g_set_error_literal (error, G_FILE_ERROR, G_FILE_ERROR_INVAL, "standard input is a terminal; pipe a PDF into docparse");
    return NULL;
  }
  if (fstat (STDIN_FILENO, &st) != 0) {
    fail (error, "cannot read standard input");
    return NULL;
  }
  if (S_ISREG (st.st_mode)) {
    spool->path = g_strdup ("/proc/self/fd/0");
    return g_steal_pointer (&spool);
  }
  spool->fd = open_unlinked ();
  if (spool->fd < 0) {
    fail (error, "cannot make a temporary file");
    return NULL;
  }
  if (!copy (STDIN_FILENO, spool->fd, error))
    return NULL;
  spool->path = g_strdup_printf ("/proc/self/fd/%d", spool->fd);
  return g_steal_pointer (&spool);
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
