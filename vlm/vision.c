/* vlm/vision.c - pictures through a family's vision encoder: uploads, memory, and a graph per grid.
 *
 * Every crop has a grid of its own and most come once; the picture of the whole page has the same one on every page.  So a grid
 * is encoded eagerly when it is seen first and captured when it comes again.  Both give the same bits.
 */
#include "vlm/vision.h"

#include "vlm/family.h"

/* Grids that are remembered, and graphs that are kept. */
#define MOST_GRIDS 16
#define MOST_GRAPHS 4

typedef struct {
  guint32 grid[3];
  DpStep *step;
  DpGraph *graph;   /* NULL: seen once */
  DpBuffer *memory; /* with the graph: of its ends */
  DpTensor patches, out;
  gsize bytes; /* that the graph holds */
  gsize needs; /* what bytes was when there was one; 0: there was none */
} Grid;

struct DpVisionGraphs {
  GQueue grids; /* Grid, the last used first */
};

static void
drop_graph (Grid *g)
{
  g_clear_pointer (&g->graph, dp_graph_free);
  g_clear_pointer (&g->memory, dp_buffer_free);
  g->bytes = 0;
}

static void
grid_free (gpointer data)
{
  Grid *g = data;

  drop_graph (g);
  dp_step_free (g->step);
  g_free (g);
}

void
dp_vision_graphs_free (DpVisionGraphs *graphs)
{
  if (graphs)
    g_queue_clear_full (&graphs->grids, grid_free);
  g_free (graphs);
}

/* ---- sizes ------------------------------------------------------------------------------------------------------------ */

guint32
dp_vision_rows (const DpModel *m, const guint32 grid[3])
{
  return m->family->vision.rows && m->config.vision.depth ? m->family->vision.rows (&m->config, grid) : 0;
}

static guint32
patch_dim (const DpModel *m)
{
  const DpVisionConfig *v = &m->config.vision;

  return v->channels * v->temporal_patch * v->patch * v->patch;
}

gsize
dp_vision_bytes (const DpModel *m, guint32 n_patches)
{
  if (!m->family->vision.bytes || !m->config.vision.depth)
    return 0;
  return m->family->vision.bytes (&m->config, m->vision_compute, n_patches) + (gsize) n_patches * patch_dim (m) * sizeof (float);
}

/* ---- encoding ------------------------------------------------------------------------------------------------------------ */

static DpStep *
step_for (const DpModel *m, const guint32 grid[3], GError **error)
{
  DpStepField fields[DP_VISION_FIELDS];
  const guint n = m->family->vision.fields (&m->config, grid, fields);
  DpStep *step = dp_step_new (m->backend, fields, n, error);

  if (step)
    m->family->vision.fill (&m->config, grid, step);
  return step;
}

typedef struct {
  const DpModel *model;
  DpVisionInput in;
  DpTensor out;
} Encoding;

static void
encode_body (DpStream *s, gpointer data)
{
  const Encoding *e = data;

  e->model->family->vision.encode (e->model, s, &e->in, e->out);
}

static Encoding
encoding (const DpModel *m, const guint32 grid[3], DpStep *step, DpTensor patches, DpTensor out)
{
  return (Encoding){ m, { patches, { grid[0], grid[1], grid[2] }, step }, out };
}

static void
encode_eagerly (DpModel *m, DpStream *s, const Grid *g, const DpPatches *p, DpTensor out)
{
  const gsize mark = dp_stream_mark (s);
  const DpTensor patches = dp_stream_temp (s, DP_F32, p->n, p->dim);
  Encoding e = encoding (m, p->grid, g->step, patches, out);

  dp_stream_upload (s, &patches, p->data, (gsize) p->n * p->dim * sizeof (float));
  dp_step_upload (s, g->step);
  encode_body (s, &e);
  dp_stream_release (s, mark);
}

/* ---- graphs ---------------------------------------------------------------------------------------------------------------- */

/* What is freed may still be at work. */
static void
settle (DpStream *s)
{
  GError *error = NULL;

  if (!dp_stream_sync (s, &error))
    dp_stream_fail (s, error);
}

/* The entry of a grid, now the first; *seen: it was there before.  NULL: no memory. */
static Grid *
find_grid (DpModel *m, DpStream *s, const guint32 grid[3], gboolean *seen, GError **error)
{
  if (!m->vision_graphs)
    m->vision_graphs = g_new0 (DpVisionGraphs, 1);
  GQueue *grids = &m->vision_graphs->grids;
  for (GList *l = grids->head; l; l = l->next) {
    Grid *g = l->data;
    if (g->grid[0] == grid[0] && g->grid[1] == grid[1] && g->grid[2] == grid[2]) {
      g_queue_unlink (grids, l);
      g_queue_push_head_link (grids, l);
      *seen = TRUE;
      return g;
    }
  }
  DpStep *step = step_for (m, grid, error);
  if (!step)
    return NULL;
  if (grids->length == MOST_GRIDS) {
    settle (s);
    grid_free (g_queue_pop_tail (grids));
  }
  Grid *g = g_new0 (Grid, 1);
  g->grid[0] = grid[0], g->grid[1] = grid[1], g->grid[2] = grid[2];
  g->step = step;
  g_queue_push_head (grids, g);
  *seen = FALSE;
  return g;
}

/* At most n graphs stay, those used last, and no more of them than may be kept beside `room` bytes; grids of others stay known. */
static void
drop_old_graphs (DpModel *m, DpStream *s, guint n, gsize room)
{
  gsize bytes = room;

  for (GList *l = m->vision_graphs ? m->vision_graphs->grids.head : NULL; l; l = l->next) {
    Grid *g = l->data;
    if (!g->graph)
      continue;
    if (n && g->bytes <= m->vision_keep && bytes <= m->vision_keep - g->bytes) {
      n--;
      bytes += g->bytes;
      continue;
    }
    if (s)
      settle (s);
    drop_graph (g);
  }
}

/* What a graph of n patches will hold, workspaces of operators left out: its arena, and both ends. */
static gsize
graph_bytes (const DpModel *m, guint32 n, const DpTensor *out)
{
  return dp_vision_bytes (m, n) + (gsize) n * patch_dim (m) * sizeof (float) + dp_tensor_bytes (out) + 2 * DP_ALIGN;
}

void
dp_vision_set_keep (DpModel *m, gsize bytes)
{
  m->vision_keep = bytes;
  drop_old_graphs (m, NULL, MOST_GRAPHS, 0);
}

gsize
dp_vision_kept (const DpModel *m)
{
  gsize bytes = 0;

  for (GList *l = m->vision_graphs ? m->vision_graphs->grids.head : NULL; l; l = l->next)
    bytes += ((const Grid *) l->data)->bytes;
  return bytes;
}

static gboolean
capture (DpModel *m, Grid *g, guint32 n, DpType type, GError **error)
{
  const guint32 rows = dp_vision_rows (m, g->grid), dim = patch_dim (m);
  const gsize patches = ((gsize) n * dim * sizeof (float) + DP_ALIGN - 1) / DP_ALIGN * DP_ALIGN;
  const gsize out = (gsize) rows * m->config.text.hidden * dp_type_size (type);

  if (!(g->memory = dp_buffer_new (m->backend, patches + out, error)))
    return FALSE;
  g->patches = dp_tensor (g->memory, 0, DP_F32, n, dim);
  g->out = dp_tensor (g->memory, patches, type, rows, m->config.text.hidden);
  Encoding e = encoding (m, g->grid, g->step, g->patches, g->out);
  g->graph = dp_graph_capture (m->backend, encode_body, &e, error);
  if (!g->graph)
    return FALSE;
  const DpPlan *plan = dp_graph_plan (g->graph);
  g->bytes = g->needs = g->memory->size + (plan->arena ? plan->arena->size : 0);
  return TRUE;
}

static void
replay (DpStream *s, Grid *g, const DpPatches *p, DpTensor out)
{
  dp_stream_upload (s, &g->patches, p->data, (gsize) p->n * p->dim * sizeof (float));
  dp_graph_replay (s, g->graph, g->step);
  dp_patch_merge (s, &(DpPatchMergeArgs){ .x = g->out, .n = 1, .height = 1, .width = g->out.rows, .merge = 1, .y = out }); /* a copy */
}

static gboolean
check (const DpModel *m, DpStream *s, const DpPatches *p, DpTensor out)
{
  const guint64 n = (guint64) p->grid[0] * p->grid[1] * p->grid[2];
  const char *why = NULL;

  if (!m->config.vision.depth || !m->family->vision.encode)
    why = "the model takes no pictures";
  else if (p->grid[0] > 65536 || p->grid[1] > 65536 || p->grid[2] > 65536 || n != p->n || !n || p->dim != patch_dim (m)
           || n > G_MAXINT32 / 4)
    why = "patches and grid do not belong together or to this model";
  else if (!(why = m->family->vision.refuse (&m->config, p->grid))
           && (out.rows != dp_vision_rows (m, p->grid) || out.cols != m->config.text.hidden))
    why = "the embeddings have another shape than the grid";
  if (why)
    dp_stream_fail (s, g_error_new (DP_OPS_ERROR, DP_OPS_ERROR_ARGUMENT, "vision encoder: %s", why));
  return why == NULL;
}

/* A grid that comes again gets its graph, if that may be kept. */
static gboolean
want_graph (DpModel *m, DpStream *s, Grid *g, const DpPatches *p, const DpTensor *out, GError **error)
{
  const gsize bytes = g->needs ? g->needs : graph_bytes (m, p->n, out);

  if (m->eager || g->graph || bytes > m->vision_keep)
    return TRUE;
  drop_old_graphs (m, s, MOST_GRAPHS - 1, bytes);
  if (!capture (m, g, p->n, out->type, error))
    return FALSE;
  drop_old_graphs (m, s, MOST_GRAPHS, 0); /* now that its true size is known */
  return TRUE;
}

void
dp_vision_encode (DpModel *m, DpStream *s, const DpPatches *p, DpTensor out)
{
  GError *error = NULL;
  gboolean seen;

  if (dp_stream_failed (s) || !check (m, s, p, out))
    return;
  Grid *g = find_grid (m, s, p->grid, &seen, &error);
  if (g && g->graph && g->out.type != out.type) {
    settle (s);
    drop_graph (g);
  }
  if (!g || (seen && !want_graph (m, s, g, p, &out, &error))) {
    if (g)
      drop_graph (g);
    dp_stream_fail (s, error);
  } else if (g->graph)
    replay (s, g, p, out);
  else
    encode_eagerly (m, s, g, p, out);
}

/* ---- asking the back end ------------------------------------------------------------------------------------------------------- */

gboolean
dp_vision_probe (DpModel *m, GError **error)
{
  const guint32 merge = m->config.vision.merge, grid[3] = { 1, merge, merge };

  if (!m->config.vision.depth || !m->family->vision.encode)
    return TRUE;
  g_autoptr (DpStep) step = step_for (m, grid, error);
  if (!step)
    return FALSE;
  const gsize patches = ((gsize) merge * merge * patch_dim (m) * sizeof (float) + DP_ALIGN - 1) / DP_ALIGN * DP_ALIGN;
  DpBuffer *memory = dp_buffer_new (m->backend, patches + (gsize) m->config.text.hidden * sizeof (float), error);
  if (!memory)
    return FALSE;
  Encoding e = encoding (m, grid, step, dp_tensor (memory, 0, DP_F32, merge * merge, patch_dim (m)),
                         dp_tensor (memory, patches, m->residual, 1, m->config.text.hidden));
  const gboolean ok = dp_backend_probe (m->backend, encode_body, &e, error);
  dp_buffer_free (memory);
  return ok;
}
