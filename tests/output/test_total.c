/* tests/output/test_total.c - no tree is too big, too deep or too broken for the writers; pictures and the overlay. */
#include <gio/gio.h>
#include <glib/gstdio.h>
#include <math.h>
#include <cmark.h>

#include "tests/output/build.h"

static void
print_all (DpDocument *document)
{
  DpOutputOptions options = { .keep = ~0u, .figure_text = TRUE, .images = DP_IMAGES_EMBEDDED, .tables = DP_TABLES_PIPE };
  g_autofree char *md = dp_output_markdown (document, &options, NULL), *html = dp_output_html (document, &options, NULL);
  g_autofree char *text = dp_output_text (document, &options, NULL), *json = dp_output_json (document, &options, NULL);
  g_autofree char *list = dp_output_content_list (document, &options, NULL);

  g_assert_true (g_utf8_validate (md, -1, NULL));
  g_assert_true (g_utf8_validate (html, -1, NULL));
  g_assert_true (g_utf8_validate (text, -1, NULL));
  g_assert_true (g_utf8_validate (json, -1, NULL));
  g_assert_true (g_utf8_validate (list, -1, NULL));
}

static void
test_many_blocks (void)
{
  g_autoptr (DpDocument) document = dp_document_new (NULL);
  DpBlock *list = add_block (document->blocks, DP_BLOCK_LIST, NULL);
  g_autofree char *md = NULL;
  guint n = 0;

  list->ordered = TRUE;
  list->start = 1;
  for (guint i = 0; i < 50000; i++) {
    add_block (list->children, DP_BLOCK_LIST_ITEM, "item");
    add_block (document->blocks, DP_BLOCK_PARAGRAPH, "paragraph");
  }
  md = dp_output_markdown (document, NULL, NULL);
  for (const char *p = md; (p = strchr (p, '\n')); p++)
    n++;
  g_assert_cmpuint (n, ==, 50000 + 1 + 50000 * 2 - 1);
  g_assert_nonnull (strstr (md, "\n50000. item\n"));
  print_all (document);
}

/* size bytes of text in one paragraph, read back with libcmark unless that would take gigabytes. */
static void
check_paragraph (gsize size, gboolean read_back)
{
  g_autoptr (DpDocument) document = dp_document_new (NULL);
  DpBlock *block = add_block (document->blocks, DP_BLOCK_PARAGRAPH, NULL);
  g_autoptr (GString) text = g_string_new (NULL);
  g_autofree char *md = NULL;
  gsize len;
  cmark_node *root, *paragraph;

  while (text->len < size)
    g_string_append (text, "words *and* _more_ [1](2) <b> ~x~ $5 & `c` \\ ");
  dp_block_add_text (block, text->str, 0, NULL);
  dp_block_add_text (block, "tail", DP_SPAN_BOLD, NULL);
  md = dp_output_markdown (document, NULL, &len);
  g_assert_true (g_str_has_suffix (md, " **tail**\n"));
  g_assert_cmpuint (len, >, size);
  if (!read_back)
    return;
  root = cmark_parse_document (md, len, CMARK_OPT_DEFAULT);
  paragraph = cmark_node_first_child (root);
  g_assert_null (cmark_node_next (paragraph));
  g_assert_cmpint (cmark_node_get_type (cmark_node_last_child (paragraph)), ==, CMARK_NODE_STRONG);
  cmark_node_free (root);
}

static void
test_long_paragraph (void)
{
  check_paragraph (500 * 1000, TRUE);
  check_paragraph (10 * 1000 * 1000, FALSE);
}

static void
test_deep_lists (void)
{
  g_autoptr (DpDocument) document = dp_document_new (NULL);
  GPtrArray *to = document->blocks;
  g_autofree char *md = NULL;
  cmark_node *root, *node;
  guint depth = 0;

  for (guint i = 0; i < 400; i++) {
    DpBlock *list = add_block (to, DP_BLOCK_LIST, NULL);
    to = add_block (list->children, DP_BLOCK_LIST_ITEM, i == 399 ? "bottom" : "x")->children;
  }
  md = dp_output_markdown (document, NULL, NULL);
  g_assert_nonnull (strstr (md, "bottom\n"));
  root = cmark_parse_document (md, strlen (md), CMARK_OPT_DEFAULT);
  for (node = cmark_node_first_child (root); node; node = cmark_node_last_child (cmark_node_first_child (node))) {
    if (cmark_node_get_type (node) != CMARK_NODE_LIST)
      break;
    depth++;
  }
  g_assert_cmpuint (depth, >=, 50);
  cmark_node_free (root);
  print_all (document);
}

static void
test_nothing (void)
{
  g_autoptr (DpDocument) document = dp_document_new (NULL);
  g_autofree char *md = dp_output_markdown (document, NULL, NULL);

  g_assert_cmpstr (md, ==, "");
  for (guint kind = 0; kind < DP_N_BLOCK_KINDS; kind++) {
    DpBlock *block = add_block (document->blocks, kind, NULL);
    g_ptr_array_add (block->spans, dp_span_new (NULL, DP_SPAN_BREAK, NULL));
    add_block (add_block (document->blocks, kind, NULL)->children, kind, "\xff\xc3");
    add_block (document->blocks, kind, NULL)->table = dp_table_new (0, 7);
  }
  print_all (document);
}

/* ---- pictures ------------------------------------------------------------------------------------------ */

static gboolean
keep_png (const char *name, const guint8 *png, gsize len, gpointer data, GError **error)
{
  (void) error;
  g_hash_table_insert (data, g_strdup (name), g_bytes_new (png, len));
  return TRUE;
}

static gboolean
refuse_png (const char *name, const guint8 *png, gsize len, gpointer data, GError **error)
{
  (void) png;
  (void) len;
  (void) data;
  g_set_error (error, G_IO_ERROR, G_IO_ERROR_NO_SPACE, "%s: no space", name);
  return FALSE;
}

typedef struct {
  GBytes *bytes;
  gsize at;
} Reader;

static cairo_status_t
read_bytes (void *closure, unsigned char *data, unsigned int n)
{
  Reader *reader = closure;

  if (n > g_bytes_get_size (reader->bytes) - reader->at)
    return CAIRO_STATUS_READ_ERROR;
  memcpy (data, (const guint8 *) g_bytes_get_data (reader->bytes, NULL) + reader->at, n);
  reader->at += n;
  return CAIRO_STATUS_SUCCESS;
}

/* IHDR's colour type: 0 = grey, 2 = RGB. */
static guint
colour_type (GBytes *png)
{
  g_assert_cmpuint (g_bytes_get_size (png), >, 33);
  return ((const guint8 *) g_bytes_get_data (png, NULL))[25];
}

static void
test_pictures (void)
{
  g_autoptr (DpDocument) document = dp_document_new (NULL);
  g_autoptr (GHashTable) written = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, (GDestroyNotify) g_bytes_unref);
  g_autoptr (GError) error = NULL;
  DpBlock *red, *grey, *page, *broken;
  cairo_surface_t *back;
  Reader reader = { 0 };

  red = add_block (document->blocks, DP_BLOCK_FIGURE, NULL);
  red->crop = picture (1, 0, 0);
  red->crop_dpi = 150;
  add_block (document->blocks, DP_BLOCK_FIGURE, NULL); /* nothing to write */
  grey = add_block (add_block (document->blocks, DP_BLOCK_QUOTE, NULL)->children, DP_BLOCK_FIGURE, NULL);
  grey->crop = picture (0.5, 0.5, 0.5);
  broken = add_block (document->blocks, DP_BLOCK_FIGURE, NULL);
  broken->crop = cairo_image_surface_create (CAIRO_FORMAT_RGB24, 0, 0);
  page = add_block (document->blocks, DP_BLOCK_PAGE_PICTURE, NULL);
  page->page = 12;
  page->crop = picture (0, 0, 0);

  g_assert_false (dp_output_pictures (document, refuse_png, NULL, FALSE, &error));
  g_assert_error (error, G_IO_ERROR, G_IO_ERROR_NO_SPACE);
  g_clear_error (&error);
  g_assert_true (dp_output_pictures (document, keep_png, written, TRUE, &error));
  g_assert_no_error (error);
  g_assert_cmpstr (red->picture, ==, "page-001-figure-01.png");
  g_assert_cmpstr (grey->picture, ==, "page-001-figure-02.png");
  g_assert_cmpstr (page->picture, ==, "page-012-picture-01.png");
  g_assert_null (broken->picture);
  g_assert_null (red->crop);
  g_assert_cmpuint (g_hash_table_size (written), ==, 3);
  g_assert_cmpuint (colour_type (g_hash_table_lookup (written, red->picture)), ==, 2);
  g_assert_cmpuint (colour_type (g_hash_table_lookup (written, grey->picture)), ==, 0);

  reader.bytes = g_hash_table_lookup (written, red->picture);
  back = cairo_image_surface_create_from_png_stream (read_bytes, &reader);
  g_assert_cmpint (cairo_surface_status (back), ==, CAIRO_STATUS_SUCCESS);
  g_assert_cmpint (cairo_image_surface_get_width (back), ==, 5);
  g_assert_cmpint (cairo_image_surface_get_height (back), ==, 3);
  g_assert_cmphex (*(guint32 *) (void *) cairo_image_surface_get_data (back) & 0xffffff, ==, 0xff0000);
  cairo_surface_destroy (back);
}

static void
test_formats (void)
{
  cairo_surface_t *a8 = cairo_image_surface_create (CAIRO_FORMAT_A8, 3, 1), *clear = cairo_image_surface_create (CAIRO_FORMAT_ARGB32, 1, 1);
  g_autoptr (GBytes) grey = NULL, white = NULL;
  g_autoptr (GError) error = NULL;
  cairo_surface_t *back;
  Reader reader = { 0 };

  cairo_image_surface_get_data (a8)[1] = 200; /* grey levels, 255 = white */
  cairo_surface_mark_dirty (a8);
  grey = dp_picture_png (a8, 72, &error);
  white = dp_picture_png (clear, 72, &error); /* nothing painted is white */
  g_assert_no_error (error);
  reader.bytes = grey;
  back = cairo_image_surface_create_from_png_stream (read_bytes, &reader);
  g_assert_cmphex (((guint32 *) (void *) cairo_image_surface_get_data (back))[0] & 0xff, ==, 0);
  g_assert_cmphex (((guint32 *) (void *) cairo_image_surface_get_data (back))[1] & 0xff, ==, 200);
  cairo_surface_destroy (back);
  reader = (Reader){ .bytes = white };
  back = cairo_image_surface_create_from_png_stream (read_bytes, &reader);
  g_assert_cmphex (((guint32 *) (void *) cairo_image_surface_get_data (back))[0] & 0xffffff, ==, 0xffffff);
  cairo_surface_destroy (back);
  cairo_surface_destroy (a8);
  cairo_surface_destroy (clear);
  g_assert_null (dp_picture_png (NULL, 72, &error));
  g_assert_error (error, DP_OUTPUT_ERROR, DP_OUTPUT_ERROR_NO_PIXELS);
}

/* ---- overlay --------------------------------------------------------------------------------------------- */

static cairo_status_t
append_bytes (void *closure, const unsigned char *bytes, unsigned int n)
{
  g_byte_array_append (closure, bytes, n);
  return CAIRO_STATUS_SUCCESS;
}

static cairo_status_t
refuse_bytes (void *closure, const unsigned char *bytes, unsigned int n)
{
  (void) closure;
  (void) bytes;
  (void) n;
  return CAIRO_STATUS_WRITE_ERROR;
}

static cairo_surface_t *
page_picture (const DpPageInfo *page, gpointer data)
{
  guint *asked = data;

  *asked += page->number;
  return page->number == 1 ? picture (0.9, 0.9, 1) : NULL;
}

static void
test_overlay (void)
{
  g_autoptr (DpDocument) document = dp_document_new (NULL);
  g_autoptr (GByteArray) pdf = g_byte_array_new ();
  g_autoptr (GError) error = NULL;
  g_autofree char *path = NULL;
  guint asked = 0, pages = 0;

  for (guint i = 1; i <= 3; i++)
    add_page (document, i);
  g_array_index (document->pages, DpPageInfo, 2).width = NAN;
  g_array_index (document->pages, DpPageInfo, 2).height = 1e9f;
  for (guint i = 0; i < DP_N_BLOCK_KINDS; i++)
    add_block (add_block (document->blocks, i, "x")->children, DP_BLOCK_PARAGRAPH, "y")->box = (DpRect){ 0, NAN, INFINITY, -1e30f };
  g_assert_true (dp_output_overlay_stream (document, page_picture, &asked, append_bytes, pdf, &error));
  g_assert_no_error (error);
  g_assert_cmpuint (asked, ==, 6);
  g_assert_cmpint (memcmp (pdf->data, "%PDF-1.", 7), ==, 0);
  for (gsize i = 0; i + 11 < pdf->len; i++)
    pages += memcmp (pdf->data + i, "/Type /Page\n", 12) == 0 || memcmp (pdf->data + i, "/Type /Page ", 12) == 0;
  g_assert_cmpuint (pages, ==, 3);

  g_assert_false (dp_output_overlay_stream (document, NULL, NULL, refuse_bytes, NULL, &error));
  g_assert_error (error, DP_OUTPUT_ERROR, DP_OUTPUT_ERROR_WRITE);
  g_clear_error (&error);
  path = g_build_filename (g_get_tmp_dir (), "no-such-folder", "x.pdf", NULL);
  g_assert_false (dp_output_overlay (document, NULL, NULL, path, &error));
  g_assert_error (error, DP_OUTPUT_ERROR, DP_OUTPUT_ERROR_WRITE);
}

/* fontconfig keeps its configuration until the process ends. */
const char *__lsan_default_suppressions (void);

const char *
__lsan_default_suppressions (void)
{
  return "leak:libfontconfig\n";
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/output/total/many-blocks", test_many_blocks);
  g_test_add_func ("/output/total/long-paragraph", test_long_paragraph);
  g_test_add_func ("/output/total/deep-lists", test_deep_lists);
  g_test_add_func ("/output/total/nothing", test_nothing);
  g_test_add_func ("/output/total/pictures", test_pictures);
  g_test_add_func ("/output/total/formats", test_formats);
  g_test_add_func ("/output/total/overlay", test_overlay);
  return g_test_run ();
}
