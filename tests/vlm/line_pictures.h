/* tests/vlm/line_pictures.h - binary grey netpbm pictures, one after the other in a file, as crops for the line reader. */
#pragma once

#include "vlm/line_reader.h"

#include <stdio.h>

static inline void
line_picture_clear (gpointer data)
{
  g_free ((gpointer) ((DpLineCrop *) data)->pixels);
}

/* Element type DpLineCrop, pixels freed with the array. */
static inline GArray *
line_pictures (const char *path, GError **error)
{
  g_autofree char *bytes = NULL;
  gsize size, at = 0;

  if (!g_file_get_contents (path, &bytes, &size, error))
    return NULL;
  g_autoptr (GArray) crops = g_array_new (FALSE, TRUE, sizeof (DpLineCrop));
  g_array_set_clear_func (crops, line_picture_clear);
  while (at < size) {
    unsigned width, height;
    int head = 0;
    if (sscanf (bytes + at, "P5 %u %u 255%n", &width, &height, &head) != 2 || head == 0 || width > 32767 || height > 32767
        || (gsize) width * height > size - at - (gsize) head - 1) {
      g_set_error (error, G_FILE_ERROR, G_FILE_ERROR_INVAL, "%s is not a row of binary PGM pictures", path);
      return NULL;
    }
    at += (gsize) head + 1;
    const DpLineCrop crop = { g_memdup2 (bytes + at, (gsize) width * height), width, height, width };
    g_array_append_val (crops, crop);
    at += (gsize) width * height;
  }
  return g_steal_pointer (&crops);
}
