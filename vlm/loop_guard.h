/* vlm/loop_guard.h - has the answer begun to go round in circles?
 *
 * A model that reads a smudge can repeat a dot, a line or an empty cell until its last token.  But documents repeat themselves
 * too: an empty table has the same row again and again.  So a short period needs many repetitions as proof, a long one few:
 *
 *   period p                1..3   4..19      20..320      321..1024
 *   repeated tail, tokens    256   64 p       1280         4 p
 *
 * so that 60 equal rows of a table, up to 20 tokens each, pass, and a line of 20 tokens is stopped after 64 of its kind.  The
 * tail is exact: its last L tokens have period p when each equals the one p before it (p of them have nothing to equal).
 *
 * A ban on repeated n-grams (DpSampling.no_repeat_ngram) breaks every loop after n tokens, and the model falls back into it
 * one token later.  With a ban the tail may therefore have breaks: two tokens out of n that differ from the one p before, for
 * periods up to n/3 and at most 32.  A table whose every row differs from the row before in one token has three in n and goes on.
 *
 * Every 64th token the last 4096 are looked at, in linear time (Z function: D. Gusfield, Algorithms on Strings, Trees and
 * Sequences, 1.4); the work per token is bounded by a constant.
 */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* Call it after each of the n output tokens so far; ngram: of the ban, 0 without.  0: goes on.  Otherwise how many tokens to
 * keep: all before the loop, and its first period. */
guint32 dp_loop_guard_check (const gint32 *tokens, guint32 n, guint32 ngram);

G_END_DECLS
