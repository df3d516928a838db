/* pipeline/writer.c - write beside, then rename: the usual way to replace a file in one step. */
#include "pipeline/writer.h"

#include "pipeline/log.h"

#include <errno.h>
#include <fcntl.h>
#include <glib/gstdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

typedef struct {
  char *target;    /* file name to end up with; "-" = stdout */
  char *temporary; /* file that becomes it; NULL: bytes are written straight to target */
  char *bytes;     /* for stdout and devices */
  gsize length;
} Piece;

struct DpWriter {
  const DpFileSet *protect;
  GPtrArray *pieces;      /* Piece */
  GPtrArray *directories; /* char *: made by us, outermost first */
  gboolean committed;
};

G_DEFINE_QUARK (dp - writer - error - quark, dp_writer_error)

/* ---- sets of files ---------------------------------------------------------------------- */

typedef struct {
  guint64 device, inode;
} FileId;

struct DpFileSet {
  GHashTable *ids; /* FileId */
};

static guint
file_id_hash (gconstpointer key)
{
  const FileId *id = key;

  return g_int64_hash (&id->inode) ^ g_int64_hash (&id->device);
}

static gboolean
file_id_equal (gconstpointer a, gconstpointer b)
{
  const FileId *x = a, *y = b;

  return x->device == y->device && x->inode == y->inode;
}

DpFileSet *
dp_file_set_new (void)
{
  DpFileSet *set = g_new0 (DpFileSet, 1);

  set->ids = g_hash_table_new_full (file_id_hash, file_id_equal, g_free, NULL);
  return set;
}

void
dp_file_set_free (DpFileSet *set)
{
  if (!set)
    return;
  g_hash_table_unref (set->ids);
  g_free (set);
}

static gboolean
file_id (const char *path, FileId *id)
{
  struct stat st;

  if (stat (path, &st) != 0)
    return FALSE;
  *id = (FileId){ .device = st.st_dev, .inode = st.st_ino };
  return TRUE;
}

void
dp_file_set_add (DpFileSet *set, const char *path)
{
  FileId id;

  if (file_id (path, &id))
    g_hash_table_add (set->ids, g_memdup2 (&id, sizeof id));
}

gboolean
dp_file_set_contains (const DpFileSet *set, const char *path)
{
  FileId id;

  return file_id (path, &id) && g_hash_table_contains (set->ids, &id);
}

/* ---- the writer ------------------------------------------------------------------------- */

static void
piece_free (gpointer data)
{
  Piece *piece = data;

  g_free (piece->target);
  g_free (piece->temporary);
  g_free (piece->bytes);
  g_free (piece);
}

DpWriter *
dp_writer_new (const DpFileSet *protect)
{
  DpWriter *writer = g_new0 (DpWriter, 1);

  writer->protect = protect;
  writer->pieces = g_ptr_array_new_with_free_func (piece_free);
  writer->directories = g_ptr_array_new_with_free_func (g_free);
  return writer;
}

void
dp_writer_free (DpWriter *writer)
{
  if (!writer)
    return;
  for (guint i = 0; i < writer->pieces->len; i++) {
    const Piece *piece = g_ptr_array_index (writer->pieces, i);
    if (piece->temporary)
      unlink (piece->temporary);
  }
  if (!writer->committed)
    for (guint i = writer->directories->len; i-- > 0;)
      rmdir (g_ptr_array_index (writer->directories, i)); /* stays if somebody else used it */
  g_ptr_array_unref (writer->pieces);
  g_ptr_array_unref (writer->directories);
  g_free (writer);
}

static gboolean
fail (GError **error, const char *path, const char *what)
{
  const int saved = errno;
  g_autofree char *name = g_filename_display_name (path);

  g_set_error (error, DP_WRITER_ERROR, DP_WRITER_ERROR_WRITE, "cannot %s %s: %s", what, name, g_strerror (saved));
  return FALSE;
}

/* mkdir -p, remembering what was not there before. */
static gboolean
make_directory (DpWriter *writer, const char *directory, GError **error)
{
  if (g_file_test (directory, G_FILE_TEST_IS_DIR))
    return TRUE;

  g_autofree char *parent = g_path_get_dirname (directory);
  if (strcmp (parent, directory) != 0 && !make_directory (writer, parent, error))
    return FALSE;
  if (mkdir (directory, 0777) == 0)
    g_ptr_array_add (writer->directories, g_strdup (directory));
  else if (errno != EEXIST)
    return fail (error, directory, "make the directory");
  else if (!g_file_test (directory, G_FILE_TEST_IS_DIR)) { /* it may be: another document's worker was first */
    errno = ENOTDIR;
    return fail (error, directory, "write into");
  }
  return TRUE;
}

/* A new file beside target, with the permissions that target has or would get. */
static int
open_temporary (const char *target, const struct stat *existing, char **name)
{
  g_autofree char *directory = g_path_get_dirname (target);

  for (guint attempt = 0; attempt < 100; attempt++) {
    g_autofree char *file = g_strdup_printf (".docparse-%08x%08x.tmp", g_random_int (), g_random_int ());
    g_autofree char *path = g_build_filename (directory, file, NULL);
    const int fd = open (path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0666);

    if (fd >= 0) {
      if (existing && fchmod (fd, existing->st_mode & 0777) != 0)
        g_debug ("%s: permissions of the file before are not kept", path);
      *name = g_steal_pointer (&path);
      return fd;
    }
    if (errno != EEXIST)
      break;
  }
  return -1;
}

/* The same, after making the directories on the way.  Tried twice: another document's writer
 * that gives up may take away a directory it made between our look and our open. */
static int
make_temporary (DpWriter *writer, const char *target, const struct stat *existing, char **name, GError **error)
{
  g_autofree char *directory = g_path_get_dirname (target);
  int fd = -1;

  for (guint attempt = 0; fd < 0 && attempt < 2; attempt++) {
    if (!make_directory (writer, directory, error))
      return -1;
    fd = open_temporary (target, existing, name);
    if (fd < 0 && errno != ENOENT)
      break;
  }
  if (fd < 0)
    fail (error, target, "write");
  return fd;
}

/* Starts a piece: checks the target and opens its temporary in *fd, or -1 when the bytes go
 * straight to stdout or a device. */
static Piece *
begin_piece (DpWriter *writer, const char *path, int *fd, GError **error)
{
  g_autofree char *target = g_strdup (path);
  struct stat st = { 0 };
  const gboolean is_stdout = strcmp (path, "-") == 0;
  const gboolean exists = !is_stdout && stat (path, &st) == 0;
  Piece *piece;

  *fd = -1;
  if (exists && writer->protect && dp_file_set_contains (writer->protect, path)) {
    g_autofree char *name = g_filename_display_name (path);
    g_set_error (error, DP_WRITER_ERROR, DP_WRITER_ERROR_IS_INPUT, "%s is an input and will not be overwritten; choose another -o", name);
    return NULL;
  }
  if (exists && S_ISREG (st.st_mode)) { /* replace what a link points to, not the link */
    char *real = realpath (path, NULL);
    if (real) {
      g_free (target);
      target = g_strdup (real);
      free (real);
    }
  }
  piece = g_new0 (Piece, 1);
  if (!is_stdout && (!exists || S_ISREG (st.st_mode) || S_ISDIR (st.st_mode))) {
    *fd = make_temporary (writer, target, exists ? &st : NULL, &piece->temporary, error);
    if (*fd < 0) {
      piece_free (piece);
      return NULL;
    }
  }
  piece->target = g_steal_pointer (&target);
  g_ptr_array_add (writer->pieces, piece);
  return piece;
}

gboolean
dp_writer_add (DpWriter *writer, const char *path, const char *bytes, gsize length, GError **error)
{
  int fd;
  Piece *piece = begin_piece (writer, path, &fd, error);

  if (!piece)
    return FALSE;
  if (fd < 0) {
    piece->bytes = g_memdup2 (bytes, length);
    piece->length = length;
    return TRUE;
  }
  if (!dp_write_all (fd, bytes, length)) {
    fail (error, path, "write");
    close (fd);
    return FALSE;
  }
  /* close() is where a full quota or a network file system may still complain */
  return close (fd) == 0 || fail (error, path, "write");
}

const char *
dp_writer_reserve (DpWriter *writer, const char *path, GError **error)
{
  int fd;
  Piece *piece = begin_piece (writer, path, &fd, error);

  if (!piece)
    return NULL;
  if (fd < 0) /* a device: the library may open it as well as we can */
    return piece->target;
  close (fd);
  return piece->temporary;
}

/* ---- commit ------------------------------------------------------------------------------ */

static gboolean
write_through (const Piece *piece, GError **error)
{
  const gboolean is_stdout = strcmp (piece->target, "-") == 0;
  const int fd = is_stdout ? STDOUT_FILENO : open (piece->target, O_WRONLY | O_CLOEXEC);
  gboolean good;

  if (fd < 0)
    return fail (error, piece->target, "write");
  good = dp_write_all (fd, piece->bytes, piece->length) || errno == EPIPE;
  if (!good)
    fail (error, is_stdout ? "standard output" : piece->target, "write");
  if (!is_stdout)
    close (fd);
  return good;
}

gboolean
dp_writer_commit (DpWriter *writer, GError **error)
{
  for (guint i = 0; i < writer->pieces->len; i++) {
    Piece *piece = g_ptr_array_index (writer->pieces, i);

    if (piece->temporary) {
      if (rename (piece->temporary, piece->target) != 0)
        return fail (error, piece->target, "write");
      writer->committed = TRUE;
      g_clear_pointer (&piece->temporary, g_free);
    } else if (piece->bytes && !write_through (piece, error)) {
      return FALSE;
    }
  }
  return TRUE;
}
