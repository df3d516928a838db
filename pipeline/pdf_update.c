/* pipeline/pdf_update.c - see pdf_update.h. */
#include "pipeline/pdf_update.h"

#include <cairo.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "pipeline/pdf_glyphless.h"
#include "pipeline/pdf_pages.h"
#include "pipeline/poppler.h"
#include "pipeline/upright.h"

#define BUDGET ((gssize) 256 << 20)    /* bytes of dictionaries looked at */
#define MOST_OBJECTS 8388607u          /* ISO 32000-1, annex C */
#define MOST_ADDED ((gsize) 256 << 20) /* bytes of an update */
#define TAIL 2048u                     /* bytes at the end of a file among which it says where its table is */
#define SAME_SIDE 1.0                  /* points */

typedef struct {
  guint number, generation;
  gsize offset;
} Place;

/* An update in the making. */
typedef struct {
  DpPdfObjects objects;
  DpPdfText file;
  const DpPdfUnits *units;
  DpPdfText trailer; /* the newest dictionary that says where the catalogue is */
  guint table;       /* where its table begins */
  gboolean stream;   /* which is a stream */
  guint next;        /* number of the next new object */
  GByteArray *out;
  GArray *places; /* Place: of what was written */
} Update;

/* ---- writing objects ------------------------------------------------------------------------------------- */

static void
append (Update *u, const char *text, gsize n)
{
  g_byte_array_append (u->out, (const guint8 *) text, (guint) n);
}

static void
begin_object (Update *u, guint number, guint generation)
{
  const gsize size = (gsize) (u->file.end - u->file.p);
  const Place place = { number, generation, size + u->out->len };
  g_autofree char *head = g_strdup_printf ("%u %u obj\n", number, generation);

  g_array_append_val (u->places, place);
  append (u, head, strlen (head));
}

static void
write_object (Update *u, guint number, guint generation, const GString *body)
{
  begin_object (u, number, generation);
  append (u, body->str, body->len);
  append (u, "\nendobj\n", 8);
}

static GByteArray *
deflated (const char *text, gsize n)
{
  GConverter *zlib = (GConverter *) dp_poppler ()->zlib_compressor_new (G_ZLIB_COMPRESSOR_FORMAT_ZLIB, 6);
  GByteArray *out = g_byte_array_new ();
  gsize taken = 0, made = 0;

  g_byte_array_set_size (out, (guint) (n + n / 1000 + 64)); /* more than the worst that zlib can do */
  if (dp_poppler ()->converter_convert (zlib, text, n, out->data, out->len, G_CONVERTER_INPUT_AT_END, &taken, &made, NULL)
      != G_CONVERTER_FINISHED)
    made = 0;
  g_byte_array_set_size (out, (guint) made);
  dp_poppler ()->object_unref (zlib);
  return out;
}

/* A new object; returns its number. */
static guint
write_stream (Update *u, const char *text, gsize n)
{
  g_autoptr (GByteArray) packed = deflated (text, n);
  const gboolean pays = packed->len > 0 && packed->len + 20 < n;
  const guint number = u->next++;
  g_autofree char *head = g_strdup_printf ("<</Length %u%s>>\nstream\n", pays ? packed->len : (guint) n, pays ? "/Filter/FlateDecode" : "");

  begin_object (u, number, 0);
  append (u, head, strlen (head));
  if (pays)
    append (u, (const char *) packed->data, packed->len);
  else
    append (u, text, n);
  append (u, "\nendstream\nendobj\n", 18);
  return number;
}

/* ---- copying values -------------------------------------------------------------------------------------- */

/* The next entry of a dictionary whose brackets are open: its name and its value. */
static gboolean
next_entry (DpPdfText *t, DpPdfText *name, DpPdfText *value)
{
  guint ignored;

  dp_pdf_text_space (t);
  *name = (DpPdfText){ t->p, t->p };
  if (t->p >= t->end || *t->p != '/' || !dp_pdf_text_skip (t))
    return FALSE;
  name->end = t->p;
  dp_pdf_text_space (t);
  value->p = t->p;
  if (!dp_pdf_text_reference (t, &ignored) && !dp_pdf_text_skip (t))
    return FALSE;
  value->end = t->p;
  return TRUE;
}

static gboolean
is_among (DpPdfText name, const char *const *names)
{
  for (; *names; names++)
    if ((gsize) (name.end - name.p) == strlen (*names) && memcmp (name.p, *names, strlen (*names)) == 0)
      return TRUE;
  return FALSE;
}

/* Appends all entries of a dictionary but some; FALSE if it is none, or has no end. */
static gboolean
copy_entries (DpPdfText dictionary, const char *const *but, GString *out)
{
  DpPdfText t = dictionary, name, value;

  dp_pdf_text_space (&t);
  if (!dp_pdf_text_accept (&t, "<<"))
    return FALSE;
  while (next_entry (&t, &name, &value)) {
    if (is_among (name, but))
      continue;
    g_string_append_len (out, (const char *) name.p, name.end - name.p);
    g_string_append_c (out, ' ');
    g_string_append_len (out, (const char *) value.p, value.end - value.p);
    g_string_append_c (out, '\n');
  }
  return dp_pdf_text_accept (&t, ">>");
}

/* Resources as they were, with our fonts among the fonts. */
static gboolean
append_resources (Update *u, DpPdfText resources, const DpGlyphless *fonts, guint first_font, GString *out)
{
  static const char *const font[] = { "/Font", NULL }, *const none[] = { NULL };
  DpPdfText value;

  g_string_append (out, "<<");
  if (resources.p && (!dp_pdf_objects_resolve (&u->objects, &resources) || !copy_entries (resources, font, out)))
    return FALSE;
  g_string_append (out, "/Font<<");
  if (resources.p && dp_pdf_text_key (&u->objects, resources, "/Font", &value)
      && (!dp_pdf_objects_resolve (&u->objects, &value) || !copy_entries (value, none, out)))
    return FALSE;
  for (guint i = 0; i < dp_glyphless_n_fonts (fonts); i++) {
    dp_glyphless_name (fonts, i, out);
    g_string_append_printf (out, " %u 0 R", first_font + i);
  }
  g_string_append (out, ">>>>");
  return TRUE;
}

/* The references to the streams that a page's content is. */
static gboolean
append_contents (Update *u, DpPdfText page, GString *out)
{
  DpPdfText value, list;
  guint number;

  if (!dp_pdf_text_key (&u->objects, page, "/Contents", &value))
    return TRUE;
  list = value;
  if (!dp_pdf_objects_resolve (&u->objects, &list))
    return FALSE;
  dp_pdf_text_space (&list);
  if (!dp_pdf_text_accept (&list, "[")) {
    const guint8 *start = value.p;
    if (!dp_pdf_text_reference (&value, &number))
      return FALSE;
    g_string_append_len (out, (const char *) start, value.p - start);
    return TRUE;
  }
  for (const guint8 *start = list.p; dp_pdf_text_reference (&list, &number); start = list.p) {
    g_string_append_c (out, ' ');
    g_string_append_len (out, (const char *) start, list.p - start);
  }
  dp_pdf_text_space (&list);
  return dp_pdf_text_accept (&list, "]");
}

/* ---- a page ---------------------------------------------------------------------------------------------- */

/* From the page's user space to what is shown, in points, y down: ISO 32000-2, 8.3.2.3 and /Rotate. */
static cairo_matrix_t
shown_matrix (const double box[4], gint rotate, double unit)
{
  cairo_matrix_t m;

  switch (rotate) {
  case 90: cairo_matrix_init (&m, 0, 1, 1, 0, -box[1], -box[0]); break;
  case 180: cairo_matrix_init (&m, -1, 0, 0, 1, box[2], -box[1]); break;
  case 270: cairo_matrix_init (&m, 0, -1, -1, 0, box[3], box[2]); break;
  default: cairo_matrix_init (&m, 1, 0, 0, -1, -box[0], box[3]);
  }
  m.xx *= unit, m.yx *= unit, m.xy *= unit, m.yy *= unit, m.x0 *= unit, m.y0 *= unit;
  return m;
}

static void
append_matrix (GString *out, const cairo_matrix_t *m)
{
  const double v[6] = { m->xx, m->yx, m->xy, m->yy, m->x0, m->y0 };
  char digits[G_ASCII_DTOSTR_BUF_SIZE];

  for (guint i = 0; i < 6; i++)
    g_string_append_printf (out, "%s ", g_ascii_formatd (digits, sizeof digits, "%.7f", v[i]));
  g_string_append (out, "cm\n");
}

/* What makes the content straight: the skew about the middle of the page that is shown. */
static void
append_straightening (GString *out, const cairo_matrix_t *shown, const DpTextPage *page)
{
  const DpPageInfo upright = { .width = page->width, .height = page->height, .skew = page->skew };
  cairo_matrix_t m = *shown, back = *shown;
  const cairo_matrix_t skew = dp_upright_matrix (&upright);

  cairo_matrix_invert (&back);
  cairo_matrix_multiply (&m, &m, &skew);
  cairo_matrix_multiply (&m, &m, &back);
  append_matrix (out, &m);
}

/* The generation that stands before "obj"; of those in object streams it is 0. */
static guint
generation_of (const Update *u, DpPdfText body)
{
  const guint8 *p = body.p;

  if (p < u->file.p + 8 || p > u->file.end || memcmp (p - 3, "obj", 3) != 0)
    return 0;
  for (p -= 3; p > u->file.p && g_ascii_isspace (p[-1]);)
    p--;
  while (p > u->file.p && g_ascii_isdigit (p[-1]))
    p--;
  return (guint) MIN (g_ascii_strtoull ((const char *) p, NULL, 10), 65535);
}

/* The fonts' numbers are known only when all words were shown: content first, pages later. */
typedef struct {
  const DpTextPage *page;
  const DpPdfPageNode *node;
  gint rotate;
  guint before, after; /* numbers of the streams around its content */
} Added;

static gboolean
add_content (Update *u, const DpTextPage *page, const DpPdfPageNode *node, DpGlyphless *fonts, Added *added)
{
  const double w = node->box[2] - node->box[0], h = node->box[3] - node->box[1];
  const double unit = dp_pdf_units_of (u->units, page->number, node->rotate % 180 ? h : w, node->rotate % 180 ? w : h);
  const gint rotate = (node->rotate + page->turn) % 360;
  const cairo_matrix_t shown = shown_matrix (node->box, rotate, unit);
  g_autoptr (GString) before = g_string_new ("q\n"), after = g_string_new ("\nQ\nq ");
  cairo_matrix_t back = shown;

  if (!(fabs (unit * (rotate % 180 ? h : w) - page->width) < SAME_SIDE)
      || !(fabs (unit * (rotate % 180 ? w : h) - page->height) < SAME_SIDE))
    return FALSE;
  if (page->skew != 0)
    append_straightening (before, &shown, page);
  cairo_matrix_invert (&back);
  append_matrix (after, &back);
  dp_glyphless_show (fonts, page->words, after);
  g_string_append (after, "Q\n");
  *added = (Added){ page, node, rotate, write_stream (u, before->str, before->len), 0 };
  added->after = write_stream (u, after->str, after->len);
  return TRUE;
}

static gboolean
write_page (Update *u, const Added *added, const DpGlyphless *fonts, guint first_font)
{
  static const char *const changed[] = { "/Contents", "/Resources", "/Rotate", NULL };
  const DpPdfPageNode *node = added->node;
  g_autoptr (GString) body = g_string_new ("<<");

  if (!copy_entries (node->body, changed, body))
    return FALSE;
  g_string_append_printf (body, "/Rotate %d/Contents[%u 0 R ", added->rotate, added->before);
  if (!append_contents (u, node->body, body))
    return FALSE;
  g_string_append_printf (body, " %u 0 R]/Resources", added->after);
  if (!append_resources (u, node->resources, fonts, first_font, body))
    return FALSE;
  g_string_append (body, ">>");
  write_object (u, node->number, generation_of (u, node->body), body);
  return u->out->len < MOST_ADDED;
}

/* Returns the number of the first of the fonts, which follow each other. */
static guint
write_fonts (Update *u, const DpGlyphless *fonts)
{
  const guint n = dp_glyphless_n_fonts (fonts), program = write_stream (u, DP_GLYPHLESS_PROGRAM, strlen (DP_GLYPHLESS_PROGRAM));
  const guint first = u->next;

  u->next += n;
  for (guint i = 0; i < n; i++) {
    g_autoptr (GString) map = g_string_new (NULL), dictionary = g_string_new (NULL);
    dp_glyphless_to_unicode (fonts, i, map);
    dp_glyphless_dictionary (fonts, i, write_stream (u, map->str, map->len), program, dictionary);
    write_object (u, first + i, 0, dictionary);
  }
  return first;
}

static gboolean
write_pages (Update *u, const GArray *pages, guint n_pages)
{
  g_autoptr (GArray) nodes = dp_pdf_pages_read (&u->objects, n_pages);
  g_autoptr (DpGlyphless) fonts = dp_glyphless_new (u->next);
  g_autofree Added *added = g_new (Added, pages->len + 1);

  if (nodes->len != n_pages)
    return FALSE;
  for (guint i = 0; i < pages->len; i++) {
    const DpTextPage *page = &g_array_index (pages, DpTextPage, i);
    if (page->number < 1 || page->number > n_pages
        || !add_content (u, page, &g_array_index (nodes, DpPdfPageNode, page->number - 1), fonts, &added[i]))
      return FALSE;
  }
  const guint first_font = write_fonts (u, fonts);
  for (guint i = 0; i < pages->len; i++)
    if (!write_page (u, &added[i], fonts, first_font))
      return FALSE;
  return TRUE;
}

/* ---- the table ------------------------------------------------------------------------------------------- */

/* Where the file says, last of all, that its newest table is. */
static gboolean
find_table (const DpPdfText *file, guint *table)
{
  const gsize size = (gsize) (file->end - file->p);
  DpPdfText t = { file->end - MIN (size, TAIL), file->end }, last = { NULL, file->end };

  while ((t.p = memmem (t.p, (gsize) (t.end - t.p), "startxref", 9)))
    last.p = t.p += 9;
  if (!last.p)
    return FALSE;
  dp_pdf_text_space (&last);
  return dp_pdf_text_integer (&last, table) && *table < size;
}

/* Finds the dictionary that belongs to the table, a trailer or that of a stream. */
static gboolean
find_trailer (Update *u)
{
  DpPdfText t = { u->file.p + u->table, u->file.end };
  guint number, generation;

  dp_pdf_text_space (&t);
  if (dp_pdf_text_accept (&t, "xref")) {
    t.p = memmem (t.p, (gsize) (t.end - t.p), "trailer", 7);
    u->trailer = (DpPdfText){ t.p ? t.p + 7 : t.end, t.end };
    return t.p != NULL;
  }
  if (!dp_pdf_text_integer (&t, &number))
    return FALSE;
  dp_pdf_text_space (&t);
  if (!dp_pdf_text_integer (&t, &generation))
    return FALSE;
  dp_pdf_text_space (&t);
  u->stream = TRUE;
  u->trailer = t;
  return dp_pdf_text_accept (&u->trailer, "obj") && dp_pdf_text_key_is (&u->objects, u->trailer, "/Type", "/XRef");
}

/* FALSE: nothing can be added to this file. */
static gboolean
read_trailer (Update *u)
{
  DpPdfText value;
  guint root, size;
  GHashTableIter iter;
  gpointer number;

  if ((gsize) (u->file.end - u->file.p) < 8 || memcmp (u->file.p, "%PDF-", 5) != 0 || !find_table (&u->file, &u->table) || !find_trailer (u)
      || dp_pdf_text_key (&u->objects, u->trailer, "/Encrypt", &value) || !dp_pdf_text_key (&u->objects, u->trailer, "/Root", &value)
      || !dp_pdf_text_reference (&value, &root) || root != u->objects.root
      || !dp_pdf_objects_integer (&u->objects, u->trailer, "/Size", &size))
    return FALSE;
  u->next = size;
  g_hash_table_iter_init (&iter, u->objects.index);
  while (g_hash_table_iter_next (&iter, &number, NULL))
    u->next = MAX (u->next, GPOINTER_TO_UINT (number) + 1);
  return u->next < MOST_OBJECTS / 2;
}

static gint
by_number (gconstpointer a, gconstpointer b)
{
  const Place *x = a, *y = b;

  return (x->number > y->number) - (x->number < y->number);
}

/* The tree of a strange file may show one page twice, and it could have the words of one of them only. */
static gboolean
has_twins (const Update *u)
{
  const Place *places = (const Place *) (gconstpointer) u->places->data;

  for (guint i = 1; i < u->places->len; i++)
    if (places[i].number == places[i - 1].number)
      return TRUE;
  return FALSE;
}

/* Calls visit for each run of numbers. */
typedef void (*VisitRun) (Update *u, const Place *places, guint n, GString *out);

static void
each_run (Update *u, VisitRun visit, GString *out)
{
  const Place *places = (const Place *) (gconstpointer) u->places->data;

  for (guint first = 0, end; first < u->places->len; first = end) {
    for (end = first + 1; end < u->places->len && places[end].number == places[end - 1].number + 1;)
      end++;
    visit (u, places + first, end - first, out);
  }
}

static void
append_section (Update *u, const Place *places, guint n, GString *out)
{
  (void) u;
  g_string_append_printf (out, "%u %u\n", places[0].number, n);
  for (guint i = 0; i < n; i++)
    g_string_append_printf (out, "%010" G_GSIZE_FORMAT " %05u n \n", places[i].offset, places[i].generation);
}

static void
append_index (Update *u, const Place *places, guint n, GString *out)
{
  (void) u;
  g_string_append_printf (out, "%u %u ", places[0].number, n);
}

/* Rows of /W[1 5 2]. */
static void
append_rows (Update *u, const Place *places, guint n, GString *out)
{
  (void) u;
  for (guint i = 0; i < n; i++) {
    g_string_append_c (out, 1);
    for (gint byte = 4; byte >= 0; byte--)
      g_string_append_c (out, (char) (places[i].offset >> (8 * byte) & 255));
    g_string_append_c (out, (char) (places[i].generation >> 8));
    g_string_append_c (out, (char) (places[i].generation & 255));
  }
}

/* What a trailer says beside the places: of the old one all that is not about its table. */
static gboolean
append_trailer_entries (Update *u, GString *out)
{
  static const char *const own[]
      = { "/Size", "/Prev", "/XRefStm", "/Type", "/W", "/Index", "/Length", "/Filter", "/DecodeParms", "/DL", NULL };

  if (!copy_entries (u->trailer, own, out))
    return FALSE;
  g_string_append_printf (out, "/Size %u/Prev %u", u->next, u->table);
  return TRUE;
}

static gboolean
write_table (Update *u, GString *text)
{
  g_string_append (text, "xref\n");
  each_run (u, append_section, text);
  g_string_append (text, "trailer\n<<");
  if (!append_trailer_entries (u, text))
    return FALSE;
  g_string_append (text, ">>\n");
  return TRUE;
}

static gboolean
write_table_stream (Update *u, gsize begins, GString *text)
{
  const Place own = { u->next++, 0, begins };
  g_autoptr (GString) rows = g_string_new (NULL);

  g_array_append_val (u->places, own); /* the highest number */
  each_run (u, append_rows, rows);
  g_string_append_printf (text, "%u 0 obj\n<</Type/XRef/W[1 5 2]/Length %" G_GSIZE_FORMAT "/Index[", own.number, rows->len);
  each_run (u, append_index, text);
  g_string_append_c (text, ']');
  if (!append_trailer_entries (u, text))
    return FALSE;
  g_string_append (text, ">>\nstream\n");
  g_string_append_len (text, rows->str, (gssize) rows->len);
  g_string_append (text, "\nendstream\nendobj\n");
  return TRUE;
}

static gboolean
end_update (Update *u)
{
  const gsize begins = (gsize) (u->file.end - u->file.p) + u->out->len;
  g_autoptr (GString) text = g_string_new (NULL);

  g_array_sort (u->places, by_number);
  if (has_twins (u) || !(u->stream ? write_table_stream (u, begins, text) : write_table (u, text)))
    return FALSE;
  g_string_append_printf (text, "startxref\n%" G_GSIZE_FORMAT "\n%%%%EOF\n", begins);
  append (u, text->str, text->len);
  return TRUE;
}

gboolean
dp_pdf_update (gconstpointer data, gsize size, const DpPdfUnits *units, guint n_pages, const GArray *pages, GByteArray *out)
{
  Update u = { .file = { data, (const guint8 *) data + size }, .units = units, .out = out };

  dp_pdf_objects_read (&u.objects, data, size, "/Page");
  u.objects.budget = BUDGET;
  u.places = g_array_new (FALSE, FALSE, sizeof (Place));
  append (&u, "\n", 1);
  const gboolean done = read_trailer (&u) && write_pages (&u, pages, n_pages) && end_update (&u);
  g_array_unref (u.places);
  dp_pdf_objects_clear (&u.objects);
  return done;
}
