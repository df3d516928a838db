/* ops/graph.h - capture a step once, plan it, replay it many times.
 *
 * Model code knows when it decodes, so capture is explicit: the same body that runs eagerly is run once on a
 * recording stream (mupdf's display list is the model).  The planner (ops/graph.c) then
 *   1. finds which temporaries live when and places them all in one arena,
 *   2. replaces call sequences the back end knows better (DpPattern),
 *   3. marks where a barrier is needed, and
 *   4. hands the plan to the back end, which may lower it to its own form.
 * Replay allocates nothing and gives bit for bit what the eager run gives.
 */
#pragma once

#include "ops/stream.h"

G_BEGIN_DECLS

typedef struct DpGraph DpGraph;

/* Runs body on a recording stream.  Everything it uses except temporaries (buffers, weights, cache, step) must
 * outlive the graph.  Fails with a list of every operator neither the back end nor the reference can do. */
DpGraph *dp_graph_capture (DpBackend *backend, DpBody body, gpointer data, GError **error);
void dp_graph_free (DpGraph *graph); /* after a sync of the streams it was replayed on */
G_DEFINE_AUTOPTR_CLEANUP_FUNC (DpGraph, dp_graph_free)

/* Uploads step (may be NULL) and runs the graph on the stream. */
void dp_graph_replay (DpStream *stream, DpGraph *graph, DpStep *step);

/* What the planner made, for tests, traces and the curious. */
const DpPlan *dp_graph_plan (const DpGraph *graph);
gsize dp_graph_temp_bytes (const DpGraph *graph); /* sum of all temporaries and workspaces, before they share the arena */

/* The batch size whose graph serves n rows: 1 2 4 8 16 24 32 48 64, then multiples of 32 to 256, of 256 above;
 * never more than max, which always is a bucket itself.  n in 1..max. Capture, replay and eager steps all use it. */
guint dp_bucket (guint n, guint max);

G_END_DECLS
