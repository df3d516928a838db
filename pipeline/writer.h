/* pipeline/writer.h - files appear whole or not at all.
 *
 * Everything one document leaves behind goes through one DpWriter: each file is written
 * under a temporary name in its own directory and gets its real name when the document is
 * complete.  A run that is interrupted or fails leaves no half files, and no directory it
 * made stays empty.
 */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

typedef struct DpWriter DpWriter;

#define DP_WRITER_ERROR (dp_writer_error_quark ())
GQuark dp_writer_error_quark (void);
typedef enum {
  DP_WRITER_ERROR_WRITE,    /* the system refused; the message says which file and why */
  DP_WRITER_ERROR_IS_INPUT, /* the file is one of the inputs */
} DpWriterError;

/* Set of files by device and inode, for the promise never to overwrite an input. */
typedef struct DpFileSet DpFileSet;
DpFileSet *dp_file_set_new (void);
void dp_file_set_free (DpFileSet *set);
void dp_file_set_add (DpFileSet *set, const char *path); /* a path that is not there adds nothing */
gboolean dp_file_set_contains (const DpFileSet *set, const char *path);

/* protect: files that must not be overwritten, borrowed, or NULL. */
DpWriter *dp_writer_new (const DpFileSet *protect);

/* Removes what was not committed. */
void dp_writer_free (DpWriter *writer);

/* Writes bytes for path ("-" = stdout, at commit).  Directories on the way are made. */
gboolean dp_writer_add (DpWriter *writer, const char *path, const char *bytes, gsize length, GError **error);

/* Makes an empty temporary file that becomes path, for a library that wants a file name to
 * write to.  Returns the temporary's name, owned by the writer, or NULL. */
const char *dp_writer_reserve (DpWriter *writer, const char *path, GError **error);

/* Gives every file its name, in the order of adding.  A closed pipe on stdout is no error:
 * the reader has seen enough. */
gboolean dp_writer_commit (DpWriter *writer, GError **error);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (DpWriter, dp_writer_free)
G_DEFINE_AUTOPTR_CLEANUP_FUNC (DpFileSet, dp_file_set_free)

G_END_DECLS
