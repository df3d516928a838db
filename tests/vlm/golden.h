/* tests/vlm/golden.h - the JSON fixtures of tests/fixtures/vlm (written by make.py there) and shared checks. */
#pragma once

#include <cjson/cJSON.h>
#include <glib.h>
#include <string.h>

static inline cJSON *
golden_load (const char *name)
{
  g_autofree char *path = g_build_filename ("tests/fixtures/vlm", name, NULL);
  g_autofree char *text = NULL;
  gsize n;
  g_autoptr (GError) error = NULL;

  g_file_get_contents (path, &text, &n, &error); /* tests run at the root of the repository */
  g_assert_no_error (error);
  cJSON *tree = cJSON_ParseWithLength (text, n);
  g_assert_nonnull (tree);
  return tree;
}

static inline const cJSON *
golden_get (const cJSON *object, const char *key)
{
  const cJSON *item = cJSON_GetObjectItemCaseSensitive (object, key);

  if (!item)
    g_error ("the fixture has no %s", key);
  return item;
}

static inline int
golden_int (const cJSON *object, const char *key)
{
  return golden_get (object, key)->valueint;
}

static inline const char *
golden_string (const cJSON *object, const char *key)
{
  return golden_get (object, key)->valuestring;
}
