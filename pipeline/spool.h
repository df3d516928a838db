/* pipeline/spool.h - standard input and pipes as files that can be opened more than once. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

typedef struct {
  int fd;     /* owned by the spool, or -1 */
  char *path; /* "/proc/self/fd/N" */
} DpSpool;

/* TRUE for "-" and for named pipes and sockets. */
gboolean dp_spool_is_needed (const char *path);

/* Copies the input at path ("-" = stdin) to an unlinked file in the directory for temporary
 * files; a regular file on stdin is used as it is.  Errors are those of G_FILE_ERROR: INVAL
 * for a terminal, a device or more than 4 GiB, NOSPC when the disk is full, and what else
 * the system says.  stop: atomic, gives up soon after it is not 0; may be NULL. */
DpSpool *dp_spool_new (const char *path, const gint *stop, GError **error);
void dp_spool_free (DpSpool *spool);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (DpSpool, dp_spool_free)

G_END_DECLS
