/* pipeline/targets.h - where the files of each document go.
 *
 * Pure apart from looking whether -o is a directory: the names of all files are known
 * before the first page is read, so that two documents of one run never write the same file.
 */
#pragma once

#include "pipeline/options.h"

G_BEGIN_DECLS

typedef struct {
  char *files[DP_N_FORMATS]; /* "-" = stdout; NULL = not wanted */
  char *overlay;             /* STEM_layout.pdf or NULL */
  char *image_dir;           /* folder of the pictures; NULL when none are written */
  char *image_dir_name;      /* as written into links */
} DpTarget;

void dp_target_free (DpTarget *target);

/* One target per input (DpInput), in the same order; an input with a problem gets an empty one.
 * Equal names in one directory get _2, _3, ...; a stem above 200 bytes is cut and gets a hash.
 * NULL and G_OPTION_ERROR when -o cannot hold what was asked for. */
GPtrArray *dp_targets_plan (const DpOptions *options, const GPtrArray *inputs, GError **error);

/* TRUE if every file of target is there and not older than the input at path. */
gboolean dp_target_up_to_date (const DpTarget *target, const char *path);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (DpTarget, dp_target_free)

G_END_DECLS
