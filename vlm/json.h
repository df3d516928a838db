/* vlm/json.h - JSON of a model's folder, read with suspicion.
 *
 * cJSON parses; before it does, size and depth are bounded, and afterwards every number passes through one of the typed
 * getters below, which know its legal range.  Getters take the key's owner (an object), leave *out alone where the key is
 * absent or null (so that the caller's default stands), and fail on a wrong type or a number outside the range.
 */
#pragma once

#include <cjson/cJSON.h>
#include <glib.h>

G_BEGIN_DECLS

/* The tree of n bytes of text (need not end in NUL), to be freed with cJSON_Delete(); NULL with an error that starts with
 * label (a file name) when it is longer than max_size, nests deeper than max_depth, holds a NUL byte or is not JSON. */
cJSON *dp_json_parse (const char *label, const char *text, gsize n, gsize max_size, guint max_depth, GError **error);

/* dp_json_parse() of DIR/NAME.  A file that is not there is DP_VLM_ERROR_MISSING. */
cJSON *dp_json_load (const char *dir, const char *name, gsize max_size, GError **error);

/* A member, or NULL where object is NULL, not an object, or the member is absent or null. Case-sensitive. */
const cJSON *dp_json_get (const cJSON *object, const char *key);

gboolean dp_json_get_uint (const cJSON *object, const char *key, guint32 min, guint32 max, guint32 *out, GError **error);
/* Also refuses what is not finite. */
gboolean dp_json_get_double (const cJSON *object, const char *key, double min, double max, double *out, GError **error);
gboolean dp_json_get_bool (const cJSON *object, const char *key, gboolean *out, GError **error);
/* *out is borrowed from the tree. */
gboolean dp_json_get_string (const cJSON *object, const char *key, const char **out, GError **error);

/* An integer of 0 .. 2^53, exactly; FALSE for anything else. */
gboolean dp_json_whole (const cJSON *item, guint64 *out);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (cJSON, cJSON_Delete)

G_END_DECLS
