/* pipeline/bundle_write.c - the child's side of pipeline/bundle.h.
 *
 * Writes with write(2) rather than through a mapping: the memory file then costs the
 * child no address space, of which it has little.
 */
#include "pipeline/bundle.h"

#include <errno.h>
#include <math.h>
#include <string.h>

#include "pipeline/log.h"

/* ---- mending: what a strange PDF makes of numbers must not cost the page -------------------- */

static float
cut (float x)
{
  return CLAMP (x, -DP_BUNDLE_MAX_COORDINATE, DP_BUNDLE_MAX_COORDINATE);
}

/* FALSE if the box has no finite corners and must go. */
static gboolean
mend_rect (DpRect *r)
{
  DpRect in = *r;

  if (!isfinite (in.x0) || !isfinite (in.y0) || !isfinite (in.x1) || !isfinite (in.y1))
    return FALSE;
  *r = (DpRect){ cut (MIN (in.x0, in.x1)), cut (MIN (in.y0, in.y1)), cut (MAX (in.x0, in.x1)), cut (MAX (in.y0, in.y1)) };
  return TRUE;
}

static guint32
mend_string (const DpPageArrays *a, guint32 offset)
{
  return offset < a->strings->len && (offset == 0 || a->strings->data[offset - 1] == '\0') ? offset : 0;
}

static gboolean
mend_glyph (DpPageArrays *a, gpointer element)
{
  DpGlyph *g = element;

  if (!mend_rect (&g->box))
    return FALSE;
  if (g->code == 0 || !g_unichar_validate (g->code))
    g->code = 0xfffd;
  g->baseline = isfinite (g->baseline) ? cut (g->baseline) : g->box.y1;
  g->size = isfinite (g->size) ? cut (MAX (0.0f, g->size)) : dp_rect_height (g->box);
  g->rise = isfinite (g->rise) ? cut (g->rise) : 0;
  g->colour &= 0xffffff;
  g->font = g->font < a->fonts->len ? g->font : 0;
  g->angle = (gint16) (g->angle % 360);
  return TRUE;
}

static gboolean
mend_font (DpPageArrays *a, gpointer element)
{
  DpFont *f = element;

  f->name = mend_string (a, f->name);
  f->n_glyphs = MIN (f->n_glyphs, a->glyphs->len);
  f->n_bad = MIN (f->n_bad, f->n_glyphs);
  return TRUE;
}

static gboolean
mend_path (DpPageArrays *a, gpointer element)
{
  DpPath *p = element;

  (void) a;
  p->colour &= 0xffffff;
  p->alpha = isfinite (p->alpha) ? CLAMP (p->alpha, 0.0f, 1.0f) : 1.0f;
  return p->kind <= DP_PATH_CURVE && mend_rect (&p->box);
}

static gboolean
mend_image (DpPageArrays *a, gpointer element)
{
  (void) a;
  return mend_rect (&((DpImage *) element)->box);
}

static gboolean
mend_link (DpPageArrays *a, gpointer element)
{
  DpLink *l = element;

  l->uri = mend_string (a, l->uri);
  l->page = l->page <= DP_BUNDLE_MAX_PAGES ? l->page : 0;
  return mend_rect (&l->box);
}

static gboolean
mend_note (DpPageArrays *a, gpointer element)
{
  DpNote *n = element;

  n->name = mend_string (a, n->name);
  n->text = mend_string (a, n->text);
  n->state = n->state != 0;
  return n->kind <= DP_NOTE_ANNOTATION && mend_rect (&n->box);
}

/* Keeps the elements that mend says can stay, in order. */
static void
mend_all (DpPageArrays *a, GArray *array, gboolean (*mend) (DpPageArrays *, gpointer))
{
  gsize size = g_array_get_element_size (array);
  guint kept = 0;

  for (guint i = 0; i < array->len; i++) {
    char *element = array->data + i * size;

    if (!mend (a, element))
      continue;
    if (kept != i)
      memcpy (array->data + kept * size, element, size);
    kept++;
  }
  a->n_truncated += array->len - kept;
  g_array_set_size (array, kept);
}

/* Invalid UTF-8 becomes '?' byte by byte, so that no offset moves. */
static void
mend_strings (GByteArray *strings)
{
  if (strings->len == 0 || strings->data[strings->len - 1] != '\0')
    g_byte_array_append (strings, (const guint8 *) "", 1);
  if (strings->data[0] != '\0')
    strings->data[0] = '\0';
  for (gsize at = 0; at < strings->len;) {
    char *s = (char *) strings->data + at;
    const char *bad;

    if (g_utf8_validate (s, -1, &bad)) {
      at += strlen (s) + 1;
    } else {
      at += (gsize) (bad - s);
      strings->data[at++] = '?';
    }
  }
}

static void
mend_page (DpPageArrays *a)
{
  static const DpFont nameless;

  mend_strings (a->strings);
  if (a->glyphs->len > 0 && a->fonts->len == 0)
    g_array_append_val (a->fonts, nameless);
  mend_all (a, a->glyphs, mend_glyph);
  mend_all (a, a->fonts, mend_font);
  mend_all (a, a->paths, mend_path);
  mend_all (a, a->images, mend_image);
  mend_all (a, a->links, mend_link);
  mend_all (a, a->notes, mend_note);
  a->n_painted_unmapped = MIN (a->n_painted_unmapped, a->n_painted);
  a->number = MAX (a->number, 1);
  a->width = a->width > 0 ? MIN (a->width, DP_BUNDLE_MAX_COORDINATE) : 1; /* 1 for NaN, too */
  a->height = a->height > 0 ? MIN (a->height, DP_BUNDLE_MAX_COORDINATE) : 1;
  a->rotation = (a->rotation % 360 + 360) % 360 / 90 * 90;
}

/* ---- writing -------------------------------------------------------------------------------------- */

static gboolean
write_all (int fd, gconstpointer data, gsize n, GError **error)
{
  if (n == 0 || dp_write_all (fd, data, n))
    return TRUE;
  g_set_error (error, DP_BUNDLE_ERROR, DP_BUNDLE_ERROR_WRITE, "cannot write the page bundle: %s", g_strerror (errno));
  return FALSE;
}

typedef struct {
  DpBundleHeader header;
  gconstpointer data[DP_N_SECTIONS];
} Draft;

static void
draft_init (Draft *draft, DpBundleKind kind)
{
  memset (draft, 0, sizeof *draft);
  draft->header.magic = DP_BUNDLE_MAGIC;
  draft->header.version = DP_BUNDLE_VERSION;
  draft->header.kind = (guint16) kind;
  for (guint i = 0; i < DP_N_SECTIONS; i++)
    draft->header.sections[i].size = (guint32) dp_bundle_section_size (i);
}

static void
draft_section (Draft *draft, DpBundleSectionId id, gconstpointer data, gsize count)
{
  draft->data[id] = data;
  draft->header.sections[id].count = count;
}

static gsize
aligned (gsize n)
{
  return (n + DP_BUNDLE_ALIGN - 1) / DP_BUNDLE_ALIGN * DP_BUNDLE_ALIGN;
}

static gboolean
draft_write (Draft *draft, int fd, GError **error)
{
  static const guint8 zeros[DP_BUNDLE_ALIGN];
  guint64 at = sizeof draft->header;

  for (guint i = 0; i < DP_N_SECTIONS; i++) {
    DpBundleSection *s = &draft->header.sections[i];

    s->offset = at;
    at += aligned (s->count * s->size);
  }
  draft->header.total = at;
  if (!write_all (fd, &draft->header, sizeof draft->header, error))
    return FALSE;
  for (guint i = 0; i < DP_N_SECTIONS; i++) {
    const DpBundleSection *s = &draft->header.sections[i];
    gsize n = s->count * s->size;

    if (!write_all (fd, draft->data[i], n, error) || !write_all (fd, zeros, aligned (n) - n, error))
      return FALSE;
  }
  return TRUE;
}

gboolean
dp_bundle_write_page (DpPageArrays *arrays, int fd, GError **error)
{
  Draft draft;

  mend_page (arrays);
  draft_init (&draft, DP_BUNDLE_PAGE);
  draft.header.number = arrays->number;
  draft.header.rotation = arrays->rotation;
  draft.header.width = arrays->width;
  draft.header.height = arrays->height;
  draft.header.n_painted = arrays->n_painted;
  draft.header.n_painted_unmapped = arrays->n_painted_unmapped;
  draft.header.n_truncated = arrays->n_truncated;
  draft_section (&draft, DP_SECTION_GLYPHS, arrays->glyphs->data, arrays->glyphs->len);
  draft_section (&draft, DP_SECTION_FONTS, arrays->fonts->data, arrays->fonts->len);
  draft_section (&draft, DP_SECTION_PATHS, arrays->paths->data, arrays->paths->len);
  draft_section (&draft, DP_SECTION_IMAGES, arrays->images->data, arrays->images->len);
  draft_section (&draft, DP_SECTION_LINKS, arrays->links->data, arrays->links->len);
  draft_section (&draft, DP_SECTION_NOTES, arrays->notes->data, arrays->notes->len);
  draft_section (&draft, DP_SECTION_STRINGS, arrays->strings->data, arrays->strings->len);
  return draft_write (&draft, fd, error);
}

gboolean
dp_bundle_write_raster (cairo_surface_t *surface, int fd, GError **error)
{
  Draft draft;
  gsize stride = (gsize) cairo_image_surface_get_stride (surface), height = (gsize) cairo_image_surface_get_height (surface);

  cairo_surface_flush (surface);
  draft_init (&draft, DP_BUNDLE_RASTER);
  draft.header.pixel_format = (guint32) cairo_image_surface_get_format (surface);
  draft.header.pixel_width = (guint32) cairo_image_surface_get_width (surface);
  draft.header.pixel_height = (guint32) height;
  draft.header.pixel_stride = (guint32) stride;
  draft_section (&draft, DP_SECTION_PIXELS, cairo_image_surface_get_data (surface), stride * height);
  return draft_write (&draft, fd, error);
}

/* ---- facts about the document ------------------------------------------------------------------------ */

static guint32
add_string (GByteArray *strings, const char *s)
{
  guint32 at = strings->len;
  gsize n = s ? strlen (s) : 0;

  if (n == 0 || n >= G_MAXINT32 - (gsize) at)
    return 0;
  g_byte_array_append (strings, (const guint8 *) s, (guint) n + 1);
  return at;
}

static GArray *
draft_outline (const DpDocumentInfo *info, GByteArray *strings)
{
  GArray *out = g_array_new (FALSE, TRUE, sizeof (DpBundleOutline));

  for (guint i = 0; i < info->outline->len; i++) {
    const DpOutlineEntry *entry = &g_array_index (info->outline, DpOutlineEntry, i);
    DpBundleOutline o = { .title = add_string (strings, entry->title),
                          .level = CLAMP (entry->level, 1, G_MAXINT16),
                          .page = entry->page <= info->n_pages ? entry->page : 0,
                          .y = isfinite (entry->y) ? cut (entry->y) : -1 };

    g_array_append_val (out, o);
  }
  return out;
}

static GArray *
draft_tags (const DpDocumentInfo *info, GByteArray *strings)
{
  GArray *out = g_array_new (FALSE, TRUE, sizeof (DpBundleTag));

  for (guint i = 0; i < info->tags->len; i++) {
    const DpTag *tag = &g_array_index (info->tags, DpTag, i);
    DpBundleTag t = { .text = add_string (strings, tag->text),
                      .alt = add_string (strings, tag->alt),
                      .depth = MIN (tag->depth, G_MAXINT16),
                      .page = tag->page <= info->n_pages ? tag->page : 0,
                      .row_span = CLAMP (tag->row_span, 1, G_MAXINT16),
                      .col_span = CLAMP (tag->col_span, 1, G_MAXINT16) };

    for (gsize k = 0; k + 1 < sizeof t.kind && tag->kind[k]; k++)
      t.kind[k] = g_ascii_isgraph (tag->kind[k]) ? tag->kind[k] : '?';
    g_array_append_val (out, t);
  }
  return out;
}

static GArray *
draft_marks (const DpDocumentInfo *info)
{
  GArray *out = g_array_new (FALSE, TRUE, sizeof (DpMark));

  for (guint i = 0; i < info->marks->len; i++) {
    DpMark mark = g_array_index (info->marks, DpMark, i);

    if (mark.page == 0 || mark.page > info->n_pages || mark.tag < -1 || mark.tag >= (gint64) info->tags->len || !isfinite (mark.x)
        || !isfinite (mark.y))
      continue;
    mark.x = cut (mark.x);
    mark.y = cut (mark.y);
    g_array_append_val (out, mark);
  }
  return out;
}

gboolean
dp_bundle_write_info (const DpDocumentInfo *info, int fd, GError **error)
{
  g_autoptr (GByteArray) strings = g_byte_array_new ();
  g_autoptr (GArray) outline = NULL, tags = NULL, marks = NULL;
  DpBundleInfo facts = { 0 };
  Draft draft;

  g_byte_array_append (strings, (const guint8 *) "", 1);
  facts.n_pages = MIN (info->n_pages, DP_BUNDLE_MAX_PAGES);
  facts.title = add_string (strings, info->title);
  facts.author = add_string (strings, info->author);
  facts.subject = add_string (strings, info->subject);
  facts.producer = add_string (strings, info->producer);
  facts.is_picture = info->is_picture != 0;
  facts.encrypted = info->encrypted != 0;
  outline = draft_outline (info, strings);
  tags = draft_tags (info, strings);
  marks = draft_marks (info);
  mend_strings (strings);
  draft_init (&draft, DP_BUNDLE_INFO);
  draft_section (&draft, DP_SECTION_INFO, &facts, 1);
  draft_section (&draft, DP_SECTION_OUTLINE, outline->data, outline->len);
  draft_section (&draft, DP_SECTION_TAGS, tags->data, tags->len);
  draft_section (&draft, DP_SECTION_MARKS, marks->data, marks->len);
  draft_section (&draft, DP_SECTION_STRINGS, strings->data, strings->len);
  return draft_write (&draft, fd, error);
}
