/* vlm/kv_pages.h - who owns which page of a KV cache, and which pages hold what others would compute again.
 *
 * Pages are numbers 1 .. n_pages - 1 (page 0 is for padding and never given out), counted by references.  A page that is full
 * of a prompt's rows may be published: whoever has the same rows behind the same rows finds it and shares it (a page holds the
 * keys and values of its rows, which depend on nothing but themselves and the rows before them).  A published page that nobody
 * uses any more stays until its memory is needed, least recently used first.
 *
 * A row is known by its mark: the token, or for a row of a picture a number that only that request has.  Where pages differ
 * within (every prompt begins with the same fifteen tokens, then comes a picture), the longest common head can be copied: the
 * match names a donor page.  When the owner of a page with private marks is done with it, only its public head is worth keeping,
 * and that only as a donor.
 *
 * Ideas: vLLM (hash of full blocks), SGLang (radix tree, partial match).  Here the tree's nodes carry numbers that are never
 * used again, so that a child of a forgotten page can never be found, and contents are compared, never only their hash.
 *
 * Only bookkeeping: copying a page is the caller's (dp_decoder_copy_page).  One thread at a time.  All functions are O(rows
 * they look at).
 */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

typedef struct DpKvPages DpKvPages;

typedef guint64 DpKvMark;
#define DP_KV_PRIVATE (G_GUINT64_CONSTANT (1) << 63)

static inline DpKvMark
dp_kv_mark_token (gint32 token)
{
  return (guint32) token;
}

/* Row of a picture; owner < 2^39 is the request's own number, row < 2^24. */
static inline DpKvMark
dp_kv_mark_private (guint64 owner, guint32 row)
{
  return DP_KV_PRIVATE | owner << 24 | row;
}

/* n_pages >= 2 with page 0, page_size >= 1. */
DpKvPages *dp_kv_pages_new (guint32 n_pages, guint32 page_size);
void dp_kv_pages_free (DpKvPages *pages);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (DpKvPages, dp_kv_pages_free)

/* Pages that dp_kv_pages_take() can still give: free ones, and kept ones that nobody refers to. */
guint32 dp_kv_pages_available (const DpKvPages *pages);

/* A page with one reference and unknown contents, or 0 if there is none.  May forget the least recently used kept page. */
guint32 dp_kv_pages_take (DpKvPages *pages);

void dp_kv_pages_ref (DpKvPages *pages, guint32 page);
/* comes_back: the owner of private marks may look for them again (it was pushed out), so they are kept while there is room.
 * Give the pages of a sequence back from its end to its beginning: what is forgotten first should be its end. */
void dp_kv_pages_unref (DpKvPages *pages, guint32 page, gboolean comes_back);
guint32 dp_kv_pages_refs (const DpKvPages *pages, guint32 page);

/* The place of a published page in the tree; DP_KV_ROOT is before the first page. */
typedef guint64 DpKvNode;
#define DP_KV_ROOT G_GUINT64_CONSTANT (0)

typedef struct {
  guint32 n_pages;    /* shared whole */
  DpKvNode node;      /* of the last of them, or the root */
  guint32 donor;      /* a page whose first donor_rows rows are those that come next; 0: none */
  guint32 donor_rows; /* 1 .. page_size - 1 */
} DpKvMatch;

/* Finds the longest known beginning of marks[0 .. n).  shared: room for n / page_size pages; each gets a reference, and so does
 * the donor (unref it when it is copied). */
void dp_kv_pages_match (DpKvPages *pages, const DpKvMark *marks, guint32 n, guint32 *shared, DpKvMatch *match);

/* Says that page, which the caller refers to, now holds marks[0 .. page_size) behind node parent.  Returns its node; if an equal
 * page is known already, that one's node (and page stays unpublished).  A page is published once. */
DpKvNode dp_kv_pages_publish (DpKvPages *pages, guint32 page, DpKvNode parent, const DpKvMark *marks);

/* Checks the books against each other; for tests: aborts on a contradiction. */
void dp_kv_pages_check (const DpKvPages *pages);

G_END_DECLS
