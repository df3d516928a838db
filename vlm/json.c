/* vlm/json.c - bounded parsing and typed, range-checked members.  cJSON does the parsing (its own nesting limit is 1000 calls). */
#include "vlm/json.h"

#include "vlm/error.h"

#include <math.h>
#include <string.h>

/* Brackets outside of strings: enough to bound the parser's recursion before it starts. */
static gboolean
too_deep (const char *text, gsize n, guint max_depth)
{
  guint depth = 0;
  gboolean in_string = FALSE;

  for (gsize i = 0; i < n; i++) {
    const char c = text[i];
    if (in_string) {
      if (c == '\\')
        i++;
      else if (c == '"')
        in_string = FALSE;
    } else if (c == '"')
      in_string = TRUE;
    else if (c == '{' || c == '[') {
      if (++depth > max_depth)
        return TRUE;
    } else if ((c == '}' || c == ']') && depth > 0)
      depth--;
  }
  return FALSE;
}

cJSON *
dp_json_parse (const char *label, const char *text, gsize n, gsize max_size, guint max_depth, GError **error)
{
  const char *end = NULL;
  cJSON *tree = NULL;

  if (n > max_size)
    g_set_error (error, DP_VLM_ERROR, DP_VLM_ERROR_MALFORMED, "%s: %" G_GSIZE_FORMAT " bytes of JSON; at most %" G_GSIZE_FORMAT " are read",
                 label, n, max_size);
  else if (n > 0 && memchr (text, 0, n))
    g_set_error (error, DP_VLM_ERROR, DP_VLM_ERROR_MALFORMED, "%s: the JSON holds a NUL byte", label);
  else if (too_deep (text, n, max_depth))
    g_set_error (error, DP_VLM_ERROR, DP_VLM_ERROR_MALFORMED, "%s: the JSON nests deeper than %u levels", label, max_depth);
  else if (!(tree = cJSON_ParseWithLengthOpts (text, n, &end, 0)))
    g_set_error (error, DP_VLM_ERROR, DP_VLM_ERROR_MALFORMED, "%s: not JSON near byte %" G_GSIZE_FORMAT, label,
                 end && end >= text ? (gsize) (end - text) : (gsize) 0);
  else {
    while (end < text + n && strchr (" \t\r\n", *end))
      end++;
    if (end < text + n) {
      g_set_error (error, DP_VLM_ERROR, DP_VLM_ERROR_MALFORMED, "%s: something follows the JSON at byte %" G_GSIZE_FORMAT, label,
                   (gsize) (end - text));
      g_clear_pointer (&tree, cJSON_Delete);
    }
  }
  return tree;
}

cJSON *
dp_json_load (const char *dir, const char *name, gsize max_size, GError **error)
{
  g_autofree char *path = g_build_filename (dir, name, NULL);
  g_autoptr (GError) why = NULL;
  g_autoptr (GMappedFile) file = g_mapped_file_new (path, FALSE, &why);

  if (!file) {
    g_set_error (error, DP_VLM_ERROR, DP_VLM_ERROR_MISSING, "%s cannot be read: %s", path, why->message);
    return NULL;
  }
  return dp_json_parse (path, g_mapped_file_get_contents (file), g_mapped_file_get_length (file), max_size, 64, error);
}

const cJSON *
dp_json_get (const cJSON *object, const char *key)
{
  const cJSON *item = cJSON_IsObject (object) ? cJSON_GetObjectItemCaseSensitive (object, key) : NULL;

  return cJSON_IsNull (item) ? NULL : item;
}

gboolean
dp_json_whole (const cJSON *item, guint64 *out)
{
  if (!cJSON_IsNumber (item) || !(item->valuedouble >= 0 && item->valuedouble <= 9007199254740992.0)
      || item->valuedouble != floor (item->valuedouble))
    return FALSE;
  *out = (guint64) item->valuedouble;
  return TRUE;
}

gboolean
dp_json_get_uint (const cJSON *object, const char *key, guint32 min, guint32 max, guint32 *out, GError **error)
{
  const cJSON *item = dp_json_get (object, key);
  guint64 value;

  if (!item)
    return TRUE;
  if (!dp_json_whole (item, &value) || value < min || value > max) {
    g_set_error (error, DP_VLM_ERROR, DP_VLM_ERROR_MALFORMED, "%s must be a whole number from %u to %u", key, min, max);
    return FALSE;
  }
  *out = (guint32) value;
  return TRUE;
}

gboolean
dp_json_get_double (const cJSON *object, const char *key, double min, double max, double *out, GError **error)
{
  const cJSON *item = dp_json_get (object, key);

  if (!item)
    return TRUE;
  if (!cJSON_IsNumber (item) || !(item->valuedouble >= min && item->valuedouble <= max)) {
    g_set_error (error, DP_VLM_ERROR, DP_VLM_ERROR_MALFORMED, "%s must be a number from %g to %g", key, min, max);
    return FALSE;
  }
  *out = item->valuedouble;
  return TRUE;
}

gboolean
dp_json_get_bool (const cJSON *object, const char *key, gboolean *out, GError **error)
{
  const cJSON *item = dp_json_get (object, key);

  if (!item)
    return TRUE;
  if (!cJSON_IsBool (item)) {
    g_set_error (error, DP_VLM_ERROR, DP_VLM_ERROR_MALFORMED, "%s must be true or false", key);
    return FALSE;
  }
  *out = cJSON_IsTrue (item);
  return TRUE;
}

gboolean
dp_json_get_string (const cJSON *object, const char *key, const char **out, GError **error)
{
  const cJSON *item = dp_json_get (object, key);

  if (!item)
    return TRUE;
  if (!cJSON_IsString (item)) {
    g_set_error (error, DP_VLM_ERROR, DP_VLM_ERROR_MALFORMED, "%s must be a string", key);
    return FALSE;
  }
  *out = item->valuestring;
  return TRUE;
}
