/* vlm/weights_cache.c - reading and writing the file of packed weights; the header says what it looks like. */
#include "vlm/weights_cache.h"

#include <errno.h>
#include <fcntl.h>
#include <glib/gstdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#define PAGE 4096u
#define MOST_ENTRIES (1u << 20)
#define KEPT_DAYS 60
#define PREFIX "weights-"
#define SUFFIX ".packed"

typedef struct {
  char magic[8];
  guint32 order, n_entries; /* order: 0x01020304 as this machine writes it */
  guint64 size, table;      /* of the file; where the table begins */
  char key[64];
  guint8 table_sum[32];
  guint8 sum[32]; /* of all of this before it */
} Header;

typedef struct {
  char name[96]; /* what fits of it, with a zero */
  guint64 at, size, sum;
  guint32 uses, n, rows, cols, type, group, has_bias, has_zeros;
} Entry;

static const char magic[8] = "dpwght1";

G_STATIC_ASSERT (sizeof (Header) % 8 == 0 && sizeof (Header) <= PAGE && sizeof (Entry) == 96 + 24 + 32);

static char *
path_of (const char *dir, const char *key)
{
  return g_strconcat (dir, G_DIR_SEPARATOR_S PREFIX, key, SUFFIX, NULL);
}

/* ---- sums ------------------------------------------------------------------------------------------------------ */

#define LANES 8

/* Eight lanes of multiply and rotate, so that memory is the limit.  Each step is a bijection of its lane: one word that
 * differs always gives another sum.  Against accidents, not against malice. */
static guint64
content_sum (const guint8 *data, gsize size)
{
  guint64 lane[LANES], word[LANES], sum = size;
  gsize i = 0;

  for (guint k = 0; k < LANES; k++)
    lane[k] = k + 1;
  for (; i + sizeof word <= size; i += sizeof word) {
    memcpy (word, data + i, sizeof word);
    for (guint k = 0; k < LANES; k++) {
      lane[k] = (lane[k] ^ word[k]) * 0x9e3779b97f4a7c15u;
      lane[k] ^= lane[k] >> 29;
    }
  }
  for (guint k = 0; k < LANES; k++)
    sum = ((sum ^ lane[k]) * 0xd6e8feb86659fd93u) ^ (sum >> 32);
  for (; i < size; i++)
    sum = (sum ^ data[i]) * 0x100000001b3u;
  return sum;
}

static void
sha256 (const void *data, gsize size, guint8 out[32])
{
  g_autoptr (GChecksum) sum = g_checksum_new (G_CHECKSUM_SHA256);
  gsize n = 32;

  g_checksum_update (sum, data, (gssize) size);
  g_checksum_get_digest (sum, out, &n);
}

/* ---- reading ----------------------------------------------------------------------------------------------------- */

struct DpWeightsCache {
  const guint8 *data;
  gsize size;
  guint n;
  const Entry *entries; /* in data, page aligned */
};

void
dp_weights_cache_free (DpWeightsCache *cache)
{
  if (!cache)
    return;
  munmap ((gpointer) cache->data, cache->size);
  g_free (cache);
}

/* What is wrong with header and table, or NULL. */
static const char *
check_head (const guint8 *data, gsize size, const char *key)
{
  const Header *h = (gconstpointer) data;
  guint8 sum[32];

  if (size < PAGE || memcmp (h->magic, magic, sizeof magic) != 0)
    return "it is not a file of packed weights";
  sha256 (h, G_STRUCT_OFFSET (Header, sum), sum);
  if (memcmp (sum, h->sum, sizeof sum) != 0)
    return "its header is damaged";
  if (h->order != 0x01020304 || memcmp (h->key, key, sizeof h->key) != 0)
    return "it belongs to other weights";
  if (h->size != size || h->table < PAGE || h->table % PAGE || h->table > size || h->n_entries > MOST_ENTRIES
      || size - h->table != h->n_entries * sizeof (Entry))
    return "it is not as long as its header says";
  sha256 (data + h->table, size - h->table, sum);
  return memcmp (sum, h->table_sum, sizeof sum) == 0 ? NULL : "its table is damaged";
}

static const char *
check_entries (const DpWeightsCache *c)
{
  const guint64 end = ((const Header *) (gconstpointer) c->data)->table;
  guint64 at = PAGE;

  for (guint i = 0; i < c->n; i++) {
    const Entry *e = &c->entries[i];
    if (e->at != at || !e->size || e->size > end - at || memchr (e->name, 0, sizeof e->name) == NULL)
      return "an entry of its table lies outside of it";
    at += (e->size + PAGE - 1) / PAGE * PAGE;
  }
  return at == end ? NULL : "its table leaves something out";
}

typedef struct {
  const DpWeightsCache *cache;
  guint next, damaged; /* atomic */
} Checking;

static gpointer
check_sums (gpointer data)
{
  Checking *c = data;
  guint i;

  while ((i = (guint) g_atomic_int_add ((gint *) &c->next, 1)) < c->cache->n) {
    const Entry *e = &c->cache->entries[i];
    if (content_sum (c->cache->data + e->at, e->size) != e->sum)
      g_atomic_int_set ((gint *) &c->damaged, 1);
  }
  return NULL;
}

static const char *
check_contents (const DpWeightsCache *cache, guint threads)
{
  Checking checking = { .cache = cache };
  GThread *others[15];
  const guint n = CLAMP (threads, 1, G_N_ELEMENTS (others) + 1) - 1;

  for (guint i = 0; i < n; i++)
    others[i] = g_thread_new ("weights", check_sums, &checking);
  check_sums (&checking);
  for (guint i = 0; i < n; i++)
    g_thread_join (others[i]);
  return checking.damaged ? "a weight in it is damaged" : NULL;
}

/* The whole file, privately and read only; NULL: there is none, or it is another user's. */
static const guint8 *
map_file (const char *path, gsize *size)
{
  const int fd = open (path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
  struct stat st;
  gpointer data = MAP_FAILED;

  if (fd < 0)
    return NULL;
  if (fstat (fd, &st) == 0 && S_ISREG (st.st_mode) && st.st_uid == geteuid () && st.st_size > 0) {
    *size = (gsize) st.st_size;
    data = mmap (NULL, *size, PROT_READ, MAP_PRIVATE, fd, 0);
    futimens (fd, NULL); /* in use */
  }
  close (fd);
  if (data == MAP_FAILED)
    return NULL;
  madvise (data, *size, MADV_WILLNEED);
  madvise (data, *size, MADV_HUGEPAGE); /* where the file system has them: fewer misses of the address cache in decoding */
  return data;
}

DpWeightsCache *
dp_weights_cache_open (const char *dir, const char *key, guint threads)
{
  g_autofree char *path = path_of (dir, key);
  gsize size = 0;
  const guint8 *data = map_file (path, &size);

  if (!data)
    return NULL;
  g_autoptr (DpWeightsCache) c = g_new0 (DpWeightsCache, 1);
  c->data = data;
  c->size = size;
  const char *why = check_head (data, size, key);
  if (!why) {
    const Header *h = (gconstpointer) data;
    c->n = h->n_entries;
    c->entries = (gconstpointer) (data + h->table);
    why = check_entries (c);
  }
  if (!why)
    why = check_contents (c, threads);
  if (!why)
    return g_steal_pointer (&c);
  g_message ("%s is made anew: %s", path, why);
  return NULL;
}

guint
dp_weights_cache_n (const DpWeightsCache *c)
{
  return c->n;
}

gboolean
dp_weights_cache_get (const DpWeightsCache *c, guint i, const char *name, DpWeight *like, DpPackedWeight *packed)
{
  char wanted[sizeof c->entries->name];

  g_strlcpy (wanted, name, sizeof wanted);
  if (i >= c->n || !g_str_equal (c->entries[i].name, wanted))
    return FALSE;
  const Entry *e = &c->entries[i];
  *like = (DpWeight){ .uses = e->uses,
                      .n = e->n,
                      .rows = e->rows,
                      .cols = e->cols,
                      .type = e->type,
                      .group = e->group,
                      .has_bias = e->has_bias != 0,
                      .has_zeros = e->has_zeros != 0 };
  *packed = (DpPackedWeight){ c->data + e->at, e->size };
  return TRUE;
}

/* ---- what may go ------------------------------------------------------------------------------------------------- */

/* A file in the making is locked for as long as somebody writes it; one that is not was left by a run that was killed. */
static gboolean
is_left (const char *path)
{
  const int fd = g_open (path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC, 0);
  const gboolean left = fd >= 0 && flock (fd, LOCK_EX | LOCK_NB) == 0;

  if (fd >= 0)
    close (fd);
  return left;
}

static gboolean
may_go (const char *name, const char *path, gint64 oldest)
{
  GStatBuf st;

  if (g_lstat (path, &st) != 0 || !S_ISREG (st.st_mode))
    return FALSE;
  if (g_str_has_prefix (name, "." PREFIX))
    return is_left (path);
  return g_str_has_prefix (name, PREFIX) && g_str_has_suffix (name, SUFFIX) && st.st_mtime < oldest;
}

static void
remove_old (const char *dir, const char *keep)
{
  g_autoptr (GDir) names = g_dir_open (dir, 0, NULL);
  const gint64 oldest = g_get_real_time () / G_USEC_PER_SEC - (gint64) KEPT_DAYS * 24 * 3600;
  const char *name;

  while (names && (name = g_dir_read_name (names))) {
    g_autofree char *path = g_build_filename (dir, name, NULL);
    if (!g_str_equal (path, keep) && may_go (name, path, oldest))
      g_unlink (path);
  }
}

/* ---- writing ------------------------------------------------------------------------------------------------------- */

struct DpWeightsWriter {
  char *dir, *path, *temporary, *key;
  int fd;
  guint64 at;
  GArray *entries; /* Entry */
};

void
dp_weights_writer_free (DpWeightsWriter *w)
{
  if (!w)
    return;
  if (w->fd >= 0) {
    close (w->fd);
    g_unlink (w->temporary);
  }
  g_array_unref (w->entries);
  g_free (w->dir);
  g_free (w->path);
  g_free (w->temporary);
  g_free (w->key);
  g_free (w);
}

static gboolean
fail (const DpWeightsWriter *w, GError **error)
{
  const int code = errno;

  g_set_error (error, G_FILE_ERROR, g_file_error_from_errno (code), "%s cannot be written: %s", w->path, g_strerror (code));
  return FALSE;
}

/* A new file, locked.  Between its making and the lock another run may take it for one that was left. */
static gboolean
make_temporary (DpWeightsWriter *w)
{
  for (guint tries = 0; tries < 100; tries++) {
    struct stat st;
    g_free (w->temporary);
    w->temporary = g_strconcat (w->dir, G_DIR_SEPARATOR_S "." PREFIX "XXXXXX", NULL);
    w->fd = g_mkstemp_full (w->temporary, O_RDWR | O_CLOEXEC, 0600);
    if (w->fd < 0)
      return FALSE;
    if (flock (w->fd, LOCK_EX | LOCK_NB) != 0 || (fstat (w->fd, &st) == 0 && st.st_nlink > 0))
      return TRUE; /* where files cannot be locked none is taken for left, either */
    close (w->fd);
    w->fd = -1;
  }
  errno = EAGAIN;
  return FALSE;
}

DpWeightsWriter *
dp_weights_writer_new (const char *dir, const char *key, GError **error)
{
  g_autoptr (DpWeightsWriter) w = g_new0 (DpWeightsWriter, 1);

  w->dir = g_strdup (dir);
  w->path = path_of (dir, key);
  w->key = g_strdup (key);
  w->at = PAGE;
  w->entries = g_array_new (FALSE, TRUE, sizeof (Entry));
  w->fd = -1;
  if (strlen (key) != 64 || g_mkdir_with_parents (dir, 0700) != 0 || !make_temporary (w)) {
    fail (w, error);
    return NULL;
  }
  remove_old (dir, w->path);
  return g_steal_pointer (&w);
}

static gboolean
write_at (const DpWeightsWriter *w, const void *data, gsize size, guint64 at)
{
  for (const guint8 *p = data; size;) {
    const gssize n = pwrite (w->fd, p, MIN (size, (gsize) 1 << 30), (off_t) at);
    if (n < 0 && errno == EINTR)
      continue;
    if (n <= 0)
      return FALSE;
    p += n, size -= (gsize) n, at += (guint64) n;
  }
  return TRUE;
}

gboolean
dp_weights_writer_add (DpWeightsWriter *w, const char *name, const DpWeight *weight, const DpPackedWeight *packed, GError **error)
{
  Entry e = { .at = w->at,
              .size = packed->size,
              .sum = content_sum (packed->data, packed->size),
              .uses = weight->uses,
              .n = weight->n,
              .rows = weight->rows,
              .cols = weight->cols,
              .type = weight->type,
              .group = weight->group,
              .has_bias = weight->has_bias != 0,
              .has_zeros = weight->has_zeros != 0 };

  g_strlcpy (e.name, name, sizeof e.name);
  if (!write_at (w, packed->data, packed->size, w->at))
    return fail (w, error);
  w->at += (packed->size + PAGE - 1) / PAGE * PAGE;
  g_array_append_val (w->entries, e);
  return TRUE;
}

gboolean
dp_weights_writer_finish (DpWeightsWriter *w, GError **error)
{
  const gsize table = w->entries->len * sizeof (Entry);
  Header h = { .order = 0x01020304, .n_entries = w->entries->len, .size = w->at + table, .table = w->at };

  memcpy (h.magic, magic, sizeof magic);
  memcpy (h.key, w->key, sizeof h.key);
  sha256 (w->entries->data, table, h.table_sum);
  sha256 (&h, G_STRUCT_OFFSET (Header, sum), h.sum);
  if (!write_at (w, w->entries->data, table, w->at) || !write_at (w, &h, sizeof h, 0) || ftruncate (w->fd, (off_t) h.size) != 0
      || fsync (w->fd) != 0 || g_rename (w->temporary, w->path) != 0)
    return fail (w, error);
  close (w->fd);
  w->fd = -1;
  return TRUE;
}
