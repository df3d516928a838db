/* pipeline/pdf_objects.c - see pdf_objects.h.
 *
 * Objects are found as a viewer finds them in a file whose cross-reference table is lost: "N G obj" from the first
 * byte to the last, streams passed over, the later definition of a number wins.  That needs no table, old or new,
 * and holds for updated files.  Each byte is looked at a few times at most, whatever the file says.
 */
#include "pipeline/pdf_objects.h"

#include <string.h>

#include "pipeline/poppler.h"

#define MAX_OBJECTS (1u << 20)
#define MAX_STREAMS (1u << 16)          /* object streams */
#define MAX_INFLATED ((gsize) 64 << 20) /* bytes of all of them together */

/* ---- words ------------------------------------------------------------------------------------------ */

static gboolean
is_space (guint8 c)
{
  return c == ' ' || c == '\n' || c == '\r' || c == '\t' || c == '\f' || c == '\0';
}

static gboolean
is_regular (guint8 c)
{
  return !is_space (c) && !memchr ("()<>[]{}/%", c, 10);
}

void
dp_pdf_text_space (DpPdfText *t)
{
  while (t->p < t->end && (is_space (*t->p) || *t->p == '%')) {
    if (*t->p == '%')
      while (t->p < t->end && *t->p != '\n' && *t->p != '\r')
        t->p++;
    else
      t->p++;
  }
}

/* TRUE and past it if the text goes on with these bytes. */
gboolean
dp_pdf_text_accept (DpPdfText *t, const char *bytes)
{
  const gsize n = strlen (bytes);

  if ((gsize) (t->end - t->p) < n || memcmp (t->p, bytes, n) != 0)
    return FALSE;
  t->p += n;
  return TRUE;
}

static void
skip_string (DpPdfText *t)
{
  guint depth = 0;

  for (; t->p < t->end; t->p++) {
    if (*t->p == '\\')
      t->p += t->end - t->p > 1;
    else if (*t->p == '(')
      depth++;
    else if (*t->p == ')' && --depth == 0) {
      t->p++;
      return;
    }
  }
}

static void
skip_regular (DpPdfText *t)
{
  while (t->p < t->end && is_regular (*t->p))
    t->p++;
}

/* One word: a bracket, a string, a name, a number; how it changes the depth of brackets. */
static int
skip_word (DpPdfText *t)
{
  if (dp_pdf_text_accept (t, "<<"))
    return 1;
  if (dp_pdf_text_accept (t, ">>"))
    return -1;
  switch (*t->p) {
  case '[': t->p++; return 1;
  case ']': t->p++; return -1;
  case '(': skip_string (t); return 0;
  case '<':
    while (t->p < t->end && *t->p != '>')
      t->p++;
    t->p += t->p < t->end;
    return 0;
  case '/':
    t->p++;
    skip_regular (t);
    return 0;
  default:
    if (is_regular (*t->p))
      skip_regular (t);
    else
      t->p++;
    return 0;
  }
}

/* References are three values. */
gboolean
dp_pdf_text_skip (DpPdfText *t)
{
  int depth = 0;

  do {
    dp_pdf_text_space (t);
    if (t->p >= t->end)
      return FALSE;
    depth += skip_word (t);
  } while (depth > 0);
  return depth == 0;
}

gboolean
dp_pdf_text_integer (DpPdfText *t, guint *number)
{
  const guint8 *start = t->p;
  guint64 n = 0;

  for (; t->p < t->end && g_ascii_isdigit (*t->p) && n < G_MAXUINT32; t->p++)
    n = n * 10 + (guint64) (*t->p - '0');
  *number = (guint) n;
  return t->p > start && n < G_MAXINT32 && (t->p == t->end || !is_regular (*t->p));
}

/* "N G R": the number of the object; FALSE, and the text where it was, if it is none. */
gboolean
dp_pdf_text_reference (DpPdfText *t, guint *number)
{
  DpPdfText ahead = *t;
  guint generation;

  dp_pdf_text_space (&ahead);
  if (!dp_pdf_text_integer (&ahead, number))
    return FALSE;
  dp_pdf_text_space (&ahead);
  if (!dp_pdf_text_integer (&ahead, &generation))
    return FALSE;
  dp_pdf_text_space (&ahead);
  if (!dp_pdf_text_accept (&ahead, "R"))
    return FALSE;
  *t = ahead;
  return TRUE;
}

gboolean
dp_pdf_text_name (DpPdfText *t, char *name, gsize size)
{
  gsize n = 0;

  if (!dp_pdf_text_accept (t, "/"))
    return FALSE;
  for (; t->p < t->end && is_regular (*t->p); t->p++) {
    char c = (char) *t->p;
    if (c == '#' && t->end - t->p > 2 && g_ascii_isxdigit (t->p[1]) && g_ascii_isxdigit (t->p[2])) {
      c = (char) (g_ascii_xdigit_value ((char) t->p[1]) << 4 | g_ascii_xdigit_value ((char) t->p[2]));
      t->p += 2;
    }
    if (n + 1 < size)
      name[n++] = c;
  }
  name[n] = '\0';
  return TRUE;
}

gboolean
dp_pdf_text_real (DpPdfText *t, double *number)
{
  char digits[32] = { 0 };

  dp_pdf_text_space (t);
  for (gsize i = 0; i < sizeof digits - 1 && t->p < t->end && is_regular (*t->p); i++)
    digits[i] = (char) *t->p++;
  /* strtod knows more: exponents, "nan", hexadecimal */
  if (!*digits || strspn (digits, "+-.0123456789") != strlen (digits))
    return FALSE;
  *number = g_ascii_strtod (digits, NULL);
  return TRUE;
}

/* The value behind a key of the dictionary that t begins with. */
gboolean
dp_pdf_text_key (DpPdfObjects *objects, DpPdfText t, const char *key, DpPdfText *value)
{
  const guint8 *start = t.p;
  const gsize n = strlen (key);
  gboolean found = FALSE;
  guint ignored;

  dp_pdf_text_space (&t);
  if (!dp_pdf_text_accept (&t, "<<"))
    return FALSE;
  for (;;) {
    dp_pdf_text_space (&t);
    const guint8 *name = t.p;
    if (t.p >= t.end || *t.p == '>' || !dp_pdf_text_skip (&t))
      break;
    if (*name != '/')
      continue;
    if ((gsize) (t.p - name) == n && memcmp (name, key, n) == 0) {
      dp_pdf_text_space (&t);
      *value = t;
      found = TRUE;
      break;
    }
    if (!dp_pdf_text_reference (&t, &ignored) && !dp_pdf_text_skip (&t))
      break;
  }
  objects->budget -= t.p - start;
  return found && objects->budget > 0;
}

gboolean
dp_pdf_text_key_is (DpPdfObjects *objects, DpPdfText dictionary, const char *key, const char *name)
{
  DpPdfText value;

  return dp_pdf_text_key (objects, dictionary, key, &value) && dp_pdf_text_accept (&value, name)
         && (value.p == value.end || !is_regular (*value.p));
}

static gboolean
key_number (DpPdfObjects *objects, DpPdfText dictionary, const char *key, guint *number)
{
  DpPdfText value, ahead;
  guint ignored;

  if (!dp_pdf_text_key (objects, dictionary, key, &value))
    return FALSE;
  ahead = value;
  return !dp_pdf_text_reference (&ahead, &ignored) && dp_pdf_text_integer (&value, number);
}

/* ---- objects ---------------------------------------------------------------------------------------- */

static void
add_object (DpPdfObjects *objects, guint number, DpPdfText body)
{
  if (objects->list->len >= MAX_OBJECTS)
    return;
  g_array_append_val (objects->list, body);
  g_hash_table_insert (objects->index, GUINT_TO_POINTER (number), GUINT_TO_POINTER (objects->list->len));
}

gboolean
dp_pdf_objects_find (const DpPdfObjects *objects, guint number, DpPdfText *body)
{
  const guint place = GPOINTER_TO_UINT (g_hash_table_lookup (objects->index, GUINT_TO_POINTER (number)));

  if (place)
    *body = g_array_index (objects->list, DpPdfText, place - 1);
  return place != 0;
}

/* What the value is, or refers to. */
gboolean
dp_pdf_objects_resolve (const DpPdfObjects *objects, DpPdfText *value)
{
  guint number;

  return !dp_pdf_text_reference (value, &number) || dp_pdf_objects_find (objects, number, value);
}

gboolean
dp_pdf_objects_integer (DpPdfObjects *objects, DpPdfText dictionary, const char *key, guint *number)
{
  DpPdfText value;

  if (!dp_pdf_text_key (objects, dictionary, key, &value) || !dp_pdf_objects_resolve (objects, &value))
    return FALSE;
  dp_pdf_text_space (&value);
  return dp_pdf_text_integer (&value, number);
}

/* ---- object streams --------------------------------------------------------------------------------- */

void
dp_pdf_inflate (DpPdfText data, gsize room, GByteArray *out)
{
  GConverter *zlib = (GConverter *) dp_poppler ()->zlib_decompressor_new (G_ZLIB_COMPRESSOR_FORMAT_ZLIB);
  GConverterResult result = G_CONVERTER_CONVERTED;
  guint8 buffer[16384];

  while (result == G_CONVERTER_CONVERTED && data.p < data.end && room > 0) {
    gsize taken = 0, made = 0;
    result = dp_poppler ()->converter_convert (zlib, data.p, (gsize) (data.end - data.p), buffer, MIN (sizeof buffer, room),
                                               G_CONVERTER_INPUT_AT_END, &taken, &made, NULL);
    if (result == G_CONVERTER_ERROR)
      break;
    data.p += taken;
    g_byte_array_append (out, buffer, (guint) made);
    room -= made;
  }
  dp_poppler ()->object_unref (zlib);
}

/* Appends what the stream of that dictionary says; FALSE where a filter is not known. */
static gboolean
decode_stream (DpPdfObjects *objects, DpPdfText dictionary, DpPdfText data, gsize room, GByteArray *out)
{
  DpPdfText filter, parameters;

  if (!dp_pdf_text_key (objects, dictionary, "/Filter", &filter)) {
    g_byte_array_append (out, data.p, (guint) MIN ((gsize) (data.end - data.p), room));
    return TRUE;
  }
  dp_pdf_text_accept (&filter, "[");
  dp_pdf_text_space (&filter);
  if (!dp_pdf_text_accept (&filter, "/FlateDecode") || dp_pdf_text_key (objects, dictionary, "/DecodeParms", &parameters))
    return FALSE;
  dp_pdf_inflate (data, room, out);
  return TRUE;
}

/* Its objects come first as pairs of number and offset. */
static void
read_object_stream (DpPdfObjects *objects, DpPdfText dictionary, DpPdfText data)
{
  guint n, first;
  DpPdfText filter;

  if (objects->inflated->len >= MAX_STREAMS || !key_number (objects, dictionary, "/N", &n)
      || !key_number (objects, dictionary, "/First", &first))
    return;
  if (dp_pdf_text_key (objects, dictionary, "/Filter", &filter)) {
    GByteArray *bytes = g_byte_array_new ();
    g_ptr_array_add (objects->inflated, bytes);
    if (!decode_stream (objects, dictionary, data, MAX_INFLATED - objects->n_inflated, bytes) || bytes->len == 0)
      return;
    objects->n_inflated += bytes->len;
    data = (DpPdfText){ bytes->data, bytes->data + bytes->len };
    objects->has_word = objects->has_word || memmem (bytes->data, bytes->len, objects->word, strlen (objects->word));
  }
  if (first > data.end - data.p)
    return;
  DpPdfText head = { data.p, data.p + first };
  for (guint i = 0, number, offset; i < n; i++) {
    dp_pdf_text_space (&head);
    if (!dp_pdf_text_integer (&head, &number))
      break;
    dp_pdf_text_space (&head);
    if (!dp_pdf_text_integer (&head, &offset) || offset > data.end - data.p - first)
      break;
    add_object (objects, number, (DpPdfText){ data.p + first + offset, data.end });
  }
}

/* Behind the word "stream" of an object, whose length is said directly or not at all: its bytes; returns where reading goes on. */
static const guint8 *
stream_bytes (DpPdfObjects *objects, DpPdfText dictionary, DpPdfText t, DpPdfText *bytes)
{
  DpPdfText data, behind;
  guint length;

  dp_pdf_text_accept (&t, "\r");
  dp_pdf_text_accept (&t, "\n");
  data = behind = t;
  if (key_number (objects, dictionary, "/Length", &length) && length <= t.end - t.p) {
    behind.p += length;
    dp_pdf_text_space (&behind);
  }
  if (behind.p == t.p || !dp_pdf_text_accept (&behind, "endstream")) {
    behind.p = memmem (t.p, (gsize) (t.end - t.p), "endstream", 9);
    if (!behind.p)
      behind.p = t.end;
    data.end = behind.p;
  } else {
    data.end = t.p + length;
  }
  *bytes = data;
  return behind.p;
}

static const guint8 *
pass_stream (DpPdfObjects *objects, DpPdfText dictionary, DpPdfText t)
{
  DpPdfText data;
  const guint8 *behind = stream_bytes (objects, dictionary, t, &data);

  if (dp_pdf_text_key_is (objects, dictionary, "/Type", "/ObjStm"))
    read_object_stream (objects, dictionary, data);
  return behind;
}

gboolean
dp_pdf_objects_stored (DpPdfObjects *objects, DpPdfText body, DpPdfText *bytes)
{
  DpPdfText t = body;

  dp_pdf_text_space (&t);
  if (t.p >= t.end || *t.p != '<' || !dp_pdf_text_skip (&t))
    return FALSE;
  dp_pdf_text_space (&t);
  if (!dp_pdf_text_accept (&t, "stream"))
    return FALSE;
  stream_bytes (objects, body, t, bytes);
  return TRUE;
}

gboolean
dp_pdf_objects_stream (DpPdfObjects *objects, DpPdfText body, gsize room, GByteArray *out)
{
  DpPdfText data;

  return dp_pdf_objects_stored (objects, body, &data) && decode_stream (objects, body, data, room, out);
}

/* ---- the file ------------------------------------------------------------------------------------------ */

/* "N G " right before p, which is at "obj". */
static gboolean
number_before (const guint8 *start, const guint8 *p, guint *number)
{
  const guint8 *digits;
  DpPdfText t = { NULL, p };

  for (int i = 0; i < 2; i++) {
    const guint8 *q = p;
    while (q > start && is_space (q[-1]))
      q--;
    if (q == p)
      return FALSE;
    digits = q;
    while (digits > start && p - digits < 32 && g_ascii_isdigit (digits[-1]))
      digits--;
    if (digits == q)
      return FALSE;
    p = digits;
  }
  t.p = digits;
  return dp_pdf_text_integer (&t, number);
}

static void
note_root (DpPdfObjects *objects, DpPdfText dictionary)
{
  DpPdfText value;
  guint number;

  if (dp_pdf_text_key (objects, dictionary, "/Root", &value) && dp_pdf_text_reference (&value, &number))
    objects->root = number;
}

/* Trailers between two objects. */
static void
read_trailers (DpPdfObjects *objects, DpPdfText t)
{
  while ((t.p = memmem (t.p, (gsize) (t.end - t.p), "trailer", 7))) {
    t.p += 7;
    note_root (objects, t);
    dp_pdf_text_skip (&t); /* not once more from each "trailer" in it */
  }
}

static void
read_objects (DpPdfObjects *objects, DpPdfText file)
{
  const guint8 *done = file.p; /* everything before it is read */
  DpPdfText t = file;

  while (objects->list->len < MAX_OBJECTS && (t.p = memmem (t.p, (gsize) (t.end - t.p), "obj", 3))) {
    const guint8 *word = t.p;
    guint number;
    t.p += 3;
    if (!number_before (done, word, &number))
      continue;
    read_trailers (objects, (DpPdfText){ done, word });
    add_object (objects, number, t);
    DpPdfText body = t, behind = t;
    dp_pdf_text_space (&behind);
    if (behind.p < behind.end && dp_pdf_text_skip (&behind)) {
      t.p = behind.p;
      dp_pdf_text_space (&behind);
      if (dp_pdf_text_accept (&behind, "stream")) {
        if (dp_pdf_text_key_is (objects, body, "/Type", "/XRef"))
          note_root (objects, body);
        t.p = pass_stream (objects, body, behind);
      }
    } else {
      t.p = MAX (t.p, behind.p); /* brackets that never close: not once more from each object in them */
    }
    done = t.p;
  }
  read_trailers (objects, (DpPdfText){ done, file.end });
}

/* ---- public ------------------------------------------------------------------------------------------- */

void
dp_pdf_objects_read (DpPdfObjects *objects, gconstpointer data, gsize size, const char *word)
{
  if (size == 0)
    data = ""; /* memmem wants an address */
  *objects = (DpPdfObjects){ .word = word, .has_word = memmem (data, size, word, strlen (word)) != NULL, .budget = G_MAXSSIZE };
  objects->list = g_array_new (FALSE, FALSE, sizeof (DpPdfText));
  objects->index = g_hash_table_new (NULL, NULL);
  objects->inflated = g_ptr_array_new_with_free_func ((GDestroyNotify) g_byte_array_unref);
  if (objects->has_word || memmem (data, size, "/ObjStm", 7))
    read_objects (objects, (DpPdfText){ data, (const guint8 *) data + size });
}

void
dp_pdf_objects_clear (DpPdfObjects *objects)
{
  g_clear_pointer (&objects->list, g_array_unref);
  g_clear_pointer (&objects->index, g_hash_table_unref);
  g_clear_pointer (&objects->inflated, g_ptr_array_unref);
}
