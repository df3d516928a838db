/* backends/reference/memory.c - plain memory, or in strict mode pages that only operators can see. */
#include "backends/reference/reference.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

typedef struct {
  gpointer start;
  gsize size;
} Block;

static gpointer
no_memory (gsize size, GError **error)
{
  g_set_error (error, DP_OPS_ERROR, DP_OPS_ERROR_MEMORY, "reference: no memory for %" G_GSIZE_FORMAT " bytes", size);
  return NULL;
}

static gpointer
alloc_strict (RefMemory *memory, gsize size, GError **error)
{
  gsize page = (gsize) sysconf (_SC_PAGESIZE);
  size = (size + page - 1) / page * page;
  g_mutex_lock (&memory->mutex);
  gpointer start = mmap (NULL, size, memory->open ? PROT_READ | PROT_WRITE : PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (start != MAP_FAILED) {
    Block *block = g_new (Block, 1);
    *block = (Block){ start, size };
    g_ptr_array_add (memory->blocks, block);
  }
  g_mutex_unlock (&memory->mutex);
  return start == MAP_FAILED ? no_memory (size, error) : start;
}

gpointer
ref_alloc (DpBackend *backend, gsize size, GError **error)
{
  RefMemory *memory = ref_memory (backend);
  if (size > G_MAXSSIZE - 65536)
    return no_memory (size, error);
  if (memory->strict)
    return alloc_strict (memory, size, error);
  gsize rounded = (size + DP_ALIGN - 1) / DP_ALIGN * DP_ALIGN;
  gpointer start = aligned_alloc (DP_ALIGN, MAX (rounded, DP_ALIGN));
  if (!start)
    return no_memory (size, error);
  memset (start, 0, rounded);
  return start;
}

void
ref_free (DpBackend *backend, gpointer start)
{
  RefMemory *memory = ref_memory (backend);
  if (!start)
    return;
  if (!memory->strict) {
    free (start);
    return;
  }
  g_mutex_lock (&memory->mutex);
  for (guint i = 0; i < memory->blocks->len; i++) {
    Block *block = memory->blocks->pdata[i];
    if (block->start == start) {
      munmap (block->start, block->size);
      g_ptr_array_remove_index_fast (memory->blocks, i);
      break;
    }
  }
  g_mutex_unlock (&memory->mutex);
}

static void
protect_all (RefMemory *memory, int protection)
{
  for (guint i = 0; i < memory->blocks->len; i++) {
    Block *block = memory->blocks->pdata[i];
    if (mprotect (block->start, block->size, protection) != 0)
      g_error ("reference: strict mode cannot change the protection of memory: %s", g_strerror (errno));
  }
}

void
ref_enter (DpBackend *backend)
{
  RefMemory *memory = ref_memory (backend);
  if (!memory->strict)
    return;
  g_mutex_lock (&memory->mutex);
  if (memory->open++ == 0)
    protect_all (memory, PROT_READ | PROT_WRITE);
  g_mutex_unlock (&memory->mutex);
}

void
ref_leave (DpBackend *backend)
{
  RefMemory *memory = ref_memory (backend);
  if (!memory->strict)
    return;
  g_mutex_lock (&memory->mutex);
  if (--memory->open == 0)
    protect_all (memory, PROT_NONE);
  g_mutex_unlock (&memory->mutex);
}
