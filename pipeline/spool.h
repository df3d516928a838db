/* pipeline/spool.h - standard input as a file that can be opened more than once. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

typedef struct {
  int fd;     /* owned by the spool, or -1 */
  char *path; /* "/proc/self/fd/N" */
} DpSpool;

/* A regular file on stdin is used as it is; anything else is copied to an unlinked file in
 * the directory for temporary files.  A terminal, an empty stdin and a full disk are errors
 * of G_FILE_ERROR. */
DpSpool *dp_spool_stdin (GError **error);
void dp_spool_free (DpSpool *spool);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (DpSpool, dp_spool_free)

G_END_DECLS
