/* output/json_util.h - inside the room: what the JSON writers share. */
#pragma once

#include <cjson/cJSON.h>

#include "layout/document.h"

G_BEGIN_DECLS

/* Adds a member; text is made valid UTF-8 on the way.  NULL text adds nothing. */
void dp_json_add_text (cJSON *object, const char *name, const char *text);
/* Rounded to two decimals; what is not finite becomes 0. */
void dp_json_add_number (cJSON *object, const char *name, double value);
/* [x0, y0, x1, y1] */
void dp_json_add_box (cJSON *object, const char *name, DpRect box);

/* Prints and deletes root.  One member or element per line. */
char *dp_json_print (cJSON *root, gsize *len);

G_END_DECLS
