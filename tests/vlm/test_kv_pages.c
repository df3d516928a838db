/* Pages of the KV cache: shared where contents agree, never where they do not, and none is lost. */
#include "vlm/kv_pages.h"

#include <string.h>

enum { SIZE = 4, SHARED = 64 };

static void
test_take (void)
{
  g_autoptr (DpKvPages) p = dp_kv_pages_new (4, SIZE);
  guint32 page[3];

  g_assert_cmpuint (dp_kv_pages_available (p), ==, 3); /* page 0 is nobody's */
  for (guint i = 0; i < 3; i++) {
    page[i] = dp_kv_pages_take (p);
    g_assert_cmpuint (page[i], ==, i + 1); /* lowest first: memory never needed is never touched */
  }
  g_assert_cmpuint (dp_kv_pages_take (p), ==, 0);
  dp_kv_pages_ref (p, page[1]);
  dp_kv_pages_unref (p, page[1], FALSE);
  g_assert_cmpuint (dp_kv_pages_available (p), ==, 0);
  dp_kv_pages_unref (p, page[1], FALSE);
  g_assert_cmpuint (dp_kv_pages_take (p), ==, page[1]);
  dp_kv_pages_check (p);
}

static void
marks_of (DpKvMark *marks, guint32 n, guint32 public, guint64 owner)
{
  for (guint32 i = 0; i < n; i++)
    marks[i] = i < public ? dp_kv_mark_token ((gint32) (100 + i)) : dp_kv_mark_private (owner, i - public);
}

/* Two questions about different pictures behind the same six tokens: one whole page and half of the next are common. */
static void
test_prefix (void)
{
  g_autoptr (DpKvPages) p = dp_kv_pages_new (16, SIZE);
  DpKvMark marks[12];
  guint32 shared[3], page[3];
  DpKvNode node = DP_KV_ROOT;
  DpKvMatch m;

  marks_of (marks, 12, 6, 1);
  dp_kv_pages_match (p, marks, 12, shared, &m);
  g_assert_true (m.n_pages == 0 && m.donor == 0 && m.node == DP_KV_ROOT);
  for (guint i = 0; i < 3; i++) {
    page[i] = dp_kv_pages_take (p);
    node = dp_kv_pages_publish (p, page[i], node, marks + i * SIZE);
  }
  marks_of (marks, 12, 6, 2);
  dp_kv_pages_match (p, marks, 12, shared, &m);
  g_assert_true (m.n_pages == 1 && shared[0] == page[0] && m.donor == page[1] && m.donor_rows == 2);
  g_assert_cmpuint (dp_kv_pages_refs (p, page[1]), ==, 2);
  dp_kv_pages_unref (p, m.donor, FALSE);
  dp_kv_pages_unref (p, shared[0], FALSE);

  for (guint i = 3; i-- > 0;) /* the first one is done: its picture is forgotten, the text before it is not */
    dp_kv_pages_unref (p, page[i], FALSE);
  dp_kv_pages_check (p);
  g_assert_cmpuint (dp_kv_pages_available (p), ==, 15);
  dp_kv_pages_match (p, marks, 12, shared, &m);
  g_assert_true (m.n_pages == 1 && shared[0] == page[0] && m.donor == page[1] && m.donor_rows == 2);
  dp_kv_pages_unref (p, m.donor, FALSE);
  dp_kv_pages_unref (p, shared[0], FALSE);
  marks_of (marks, 12, 6, 1);
  dp_kv_pages_match (p, marks, 12, shared, &m);
  g_assert_true (m.n_pages == 1 && m.donor_rows == 2);
  dp_kv_pages_check (p);
}

/* One that was pushed out finds its own pages again, from the beginning, as far as nobody needed them. */
static void
test_comes_back (void)
{
  g_autoptr (DpKvPages) p = dp_kv_pages_new (4, SIZE);
  DpKvMark marks[12];
  guint32 shared[3], page[3], other;
  DpKvNode node = DP_KV_ROOT;
  DpKvMatch m;

  marks_of (marks, 12, 2, 7);
  for (guint i = 0; i < 3; i++) {
    page[i] = dp_kv_pages_take (p);
    node = dp_kv_pages_publish (p, page[i], node, marks + i * SIZE);
  }
  for (guint i = 3; i-- > 0;)
    dp_kv_pages_unref (p, page[i], TRUE);
  other = dp_kv_pages_take (p);
  g_assert_cmpuint (other, ==, page[2]);
  dp_kv_pages_match (p, marks, 12, shared, &m);
  g_assert_true (m.n_pages == 2 && shared[0] == page[0] && shared[1] == page[1] && m.donor == 0);
  g_assert_cmpuint (dp_kv_pages_take (p), ==, 0);
  dp_kv_pages_check (p);
}

/* A page behind another one is a different page, also when its own rows are the same. */
static void
test_depth (void)
{
  g_autoptr (DpKvPages) p = dp_kv_pages_new (8, 1);
  const DpKvMark same[3] = { 5, 5, 5 };
  guint32 a = dp_kv_pages_take (p), b = dp_kv_pages_take (p), c = dp_kv_pages_take (p), shared[3];
  DpKvNode one = dp_kv_pages_publish (p, a, DP_KV_ROOT, same), two = dp_kv_pages_publish (p, b, one, same);
  DpKvMatch m;

  g_assert_true (one != two && one != DP_KV_ROOT);
  g_assert_true (dp_kv_pages_publish (p, c, DP_KV_ROOT, same) == one); /* known already: c stays private */
  dp_kv_pages_match (p, same, 3, shared, &m);
  g_assert_true (m.n_pages == 2 && shared[0] == a && shared[1] == b && m.node == two && !m.donor);
  dp_kv_pages_check (p);
}

/* ---- at random, against a cache that holds what was written ---- */

enum { PAGES = 24, OWNERS = 8, LONGEST = 30 };

typedef struct {
  gboolean there;
  guint64 serial;
  guint32 n, n_pages, published;
  DpKvMark marks[LONGEST];
  guint32 pages[LONGEST];
  DpKvNode node;
} Owner;

typedef struct {
  DpKvPages *p;
  guint64 cache[PAGES][SIZE]; /* what a row was computed from: all marks up to it, as one number */
  guint32 refs[PAGES];
  guint64 serials, hits, donated;
} World;

static guint64
chain (guint64 before, DpKvMark mark)
{
  return (before ^ mark) * G_GUINT64_CONSTANT (0xff51afd7ed558ccd) + 1;
}

static void
leave (World *w, Owner *o, gboolean comes_back)
{
  while (o->n_pages) {
    w->refs[o->pages[--o->n_pages]]--;
    dp_kv_pages_unref (w->p, o->pages[o->n_pages], comes_back);
  }
  o->there = FALSE;
}

/* Asks for what is known, checks it row by row against what was really computed, computes the rest. FALSE: no room. */
static gboolean
enter (World *w, Owner *o)
{
  guint32 shared[LONGEST], at;
  DpKvMatch m;
  guint64 h = 0;

  dp_kv_pages_match (w->p, o->marks, o->n - 1, shared, &m);
  o->there = TRUE;
  o->n_pages = o->published = m.n_pages;
  o->node = m.node;
  memcpy (o->pages, shared, m.n_pages * sizeof *shared);
  for (guint32 i = 0; i < m.n_pages; i++)
    w->refs[shared[i]]++;
  w->hits += m.n_pages;
  for (at = 0; at < m.n_pages * SIZE; at++) {
    h = chain (h, o->marks[at]);
    g_assert_true (w->cache[o->pages[at / SIZE]][at % SIZE] == h);
  }
  for (; at < o->n; at++) {
    if (at % SIZE == 0) {
      const guint32 page = dp_kv_pages_take (w->p);
      if (!page)
        break;
      g_assert_cmpuint (w->refs[page]++, ==, 0);
      memset (w->cache[page], 0xee, sizeof w->cache[page]);
      o->pages[o->n_pages++] = page;
      if (m.donor && at == m.n_pages * SIZE) {
        memcpy (w->cache[page], w->cache[m.donor], m.donor_rows * sizeof w->cache[0][0]);
        w->donated++;
      }
    }
    h = chain (h, o->marks[at]);
    if (m.donor && at < m.n_pages * SIZE + m.donor_rows)
      g_assert_true (w->cache[o->pages[at / SIZE]][at % SIZE] == h);
    w->cache[o->pages[at / SIZE]][at % SIZE] = h;
  }
  if (m.donor)
    dp_kv_pages_unref (w->p, m.donor, FALSE);
  if (at == o->n)
    return TRUE;
  leave (w, o, TRUE);
  return FALSE;
}

static void
publish_some (World *w, Owner *o)
{
  for (; o->published < o->n / SIZE && g_test_rand_int_range (0, 4); o->published++)
    o->node = dp_kv_pages_publish (w->p, o->pages[o->published], o->node, o->marks + o->published * SIZE);
}

static void
fresh (World *w, Owner *o)
{
  const guint32 public = (guint32) g_test_rand_int_range (0, 12), private = (guint32) g_test_rand_int_range (0, 8);

  o->serial = ++w->serials;
  o->n = 1 + (guint32) g_test_rand_int_range (0, LONGEST - 1);
  for (guint32 i = 0; i < o->n; i++)
    o->marks[i] = i >= public && i < public + private ? dp_kv_mark_private (o->serial, i - public)
                                                      : dp_kv_mark_token (g_test_rand_int_range (0, 16) ? 1 : 2);
}

static void
test_random (void)
{
  World w = { .p = dp_kv_pages_new (PAGES, SIZE) };
  Owner owners[OWNERS] = { 0 };

  for (guint round = 0; round < 20000; round++) {
    Owner *o = &owners[g_test_rand_int_range (0, OWNERS)];
    if (!o->there) {
      if (!o->n || g_test_rand_int_range (0, 4)) /* else the same one comes back */
        fresh (&w, o);
      enter (&w, o);
    } else if (g_test_rand_int_range (0, 3))
      publish_some (&w, o);
    else
      leave (&w, o, g_test_rand_int_range (0, 2));
    guint32 used = 0;
    for (guint32 i = 1; i < PAGES; i++) {
      g_assert_cmpuint (dp_kv_pages_refs (w.p, i), ==, w.refs[i]);
      used += w.refs[i] != 0;
    }
    g_assert_cmpuint (used + dp_kv_pages_available (w.p), ==, PAGES - 1);
    dp_kv_pages_check (w.p);
  }
  g_assert_cmpuint (w.hits, >, 1000); /* or the test would say nothing */
  g_assert_cmpuint (w.donated, >, 1000);
  for (guint i = 0; i < OWNERS; i++)
    leave (&w, &owners[i], FALSE);
  g_assert_cmpuint (dp_kv_pages_available (w.p), ==, PAGES - 1);
  dp_kv_pages_free (w.p);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/kv-pages/take", test_take);
  g_test_add_func ("/kv-pages/prefix", test_prefix);
  g_test_add_func ("/kv-pages/comes-back", test_comes_back);
  g_test_add_func ("/kv-pages/depth", test_depth);
  g_test_add_func ("/kv-pages/random", test_random);
  return g_test_run ();
}
