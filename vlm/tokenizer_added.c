/* vlm/tokenizer_added.c - added tokens in a text: leftmost, of those the longest, with the flags of the tokenizers library.
 *
 * A byte trie as first-child, next-sibling lists; models have at most some hundred added tokens.  In the library this is
 * AddedVocabulary::find_matches over an Aho-Corasick automaton with leftmost-longest matching.
 */
#include "vlm/tokenizer_private.h"

#include <string.h>

typedef struct {
  guint8 byte;
  guint32 child, sibling;    /* 0: none; node 0 is the root */
  const DpAddedToken *token; /* ends here */
} Node;

struct DpAddedTrie {
  GArray *nodes;
};

DpAddedTrie *
dp_added_trie_new (void)
{
  DpAddedTrie *t = g_new0 (DpAddedTrie, 1);

  t->nodes = g_array_new (FALSE, TRUE, sizeof (Node));
  g_array_set_size (t->nodes, 1);
  return t;
}

void
dp_added_trie_free (DpAddedTrie *t)
{
  if (!t)
    return;
  g_array_unref (t->nodes);
  g_free (t);
}

static guint32
step (const DpAddedTrie *t, guint32 node, guint8 byte)
{
  const Node *nodes = (const Node *) (const void *) t->nodes->data;

  for (node = nodes[node].child; node && nodes[node].byte != byte; node = nodes[node].sibling)
    ;
  return node;
}

void
dp_added_trie_add (DpAddedTrie *t, const char *content, const DpAddedToken *token)
{
  guint32 node = 0;

  for (const guint8 *p = (const guint8 *) content; *p; p++) {
    guint32 next = step (t, node, *p);
    if (!next) {
      const Node fresh = { .byte = *p, .sibling = g_array_index (t->nodes, Node, node).child };
      next = t->nodes->len;
      g_array_append_val (t->nodes, fresh);
      g_array_index (t->nodes, Node, node).child = next;
    }
    node = next;
  }
  if (node)
    g_array_index (t->nodes, Node, node).token = token;
}

/* The longest token that begins at a byte, or NULL. */
static const DpAddedToken *
token_at (const DpAddedTrie *t, const char *text, gsize n, gsize at, gsize *end)
{
  const DpAddedToken *found = NULL;

  for (guint32 node = 0; at < n && (node = step (t, node, (guint8) text[at])) != 0;) {
    at++;
    if (g_array_index (t->nodes, Node, node).token) {
      found = g_array_index (t->nodes, Node, node).token;
      *end = at;
    }
  }
  return found;
}

static gboolean
inside_word (const char *text, gsize n, gsize begin, gsize end)
{
  return (begin > 0 && dp_is_word (g_utf8_get_char (g_utf8_prev_char (text + begin))))
         || (end < n && dp_is_word (g_utf8_get_char (text + end)));
}

static void
swallow (const DpAddedToken *token, const char *text, gsize n, gsize floor, DpAddedMatch *m)
{
  while (token->lstrip && m->begin > floor) {
    const char *before = g_utf8_prev_char (text + m->begin);
    if (!dp_is_space (g_utf8_get_char (before)))
      break;
    m->begin = (gsize) (before - text);
  }
  while (token->rstrip && m->end < n && dp_is_space (g_utf8_get_char (text + m->end)))
    m->end = (gsize) (g_utf8_next_char (text + m->end) - text);
}

gboolean
dp_added_trie_next (const DpAddedTrie *t, const char *text, gsize n, gsize floor, gsize *at, DpAddedMatch *m)
{
  if (!g_array_index (t->nodes, Node, 0).child)
    return FALSE;
  for (gsize i = *at; i < n; i++) {
    gsize end = 0;
    const DpAddedToken *token = token_at (t, text, n, i, &end);
    if (!token)
      continue;
    if (token->single_word && inside_word (text, n, i, end)) { /* the automaton goes on behind the refused match */
      i = end - 1;
      continue;
    }
    *at = end;
    *m = (DpAddedMatch){ MAX (i, floor), MAX (end, floor), token->id };
    swallow (token, text, n, floor, m);
    return TRUE;
  }
  return FALSE;
}
