/* output/json_util.c - what the JSON writers share. */
#include "output/json_util.h"

#include <math.h>
#include <string.h>

#include "output/clean.h"

static double
rounded (double value)
{
  return isfinite (value) ? round (value * 100) / 100 + 0.0 : 0;
}

void
dp_json_add_text (cJSON *object, const char *name, const char *text)
{
  g_autofree char *clean = NULL;

  if (!text)
    return;
  clean = dp_clean_verbatim (text);
  cJSON_AddStringToObject (object, name, clean);
}

void
dp_json_add_number (cJSON *object, const char *name, double value)
{
  cJSON_AddNumberToObject (object, name, rounded (value));
}

void
dp_json_add_box (cJSON *object, const char *name, DpRect box)
{
  const double values[] = { rounded (box.x0), rounded (box.y0), rounded (box.x1), rounded (box.y1) };

  cJSON_AddItemToObject (object, name, cJSON_CreateDoubleArray (values, G_N_ELEMENTS (values)));
}

char *
dp_json_print (cJSON *root, gsize *len)
{
  char *printed = cJSON_Print (root);
  char *out = printed ? g_strconcat (printed, "\n", NULL) : g_strdup ("null\n");

  cJSON_free (printed);
  cJSON_Delete (root);
  if (len)
    *len = strlen (out);
  return out;
}
