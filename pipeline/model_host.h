/* pipeline/model_host.h - the document model of a run: loaded once, asked by all documents. */
#pragma once

#include "pipeline/options.h"
#include "vlm/engine.h"

G_BEGIN_DECLS

typedef struct DpModelHost DpModelHost;

/* The folder that options or DOCPARSE_MODEL name, or NULL: no model is wanted.  Borrowed. */
const char *dp_model_host_dir (const DpModelOptions *options);

/* Loads the model and starts its engine.  NULL with an error that names folder and part. */
DpModelHost *dp_model_host_open (const DpModelOptions *options, GError **error);
void dp_model_host_free (DpModelHost *host);

DpAnswerer *dp_model_host_answerer (DpModelHost *host);

/* Every question is answered as stopped from here on.  From any thread. */
void dp_model_host_stop (DpModelHost *host);

/* One line for the log: what was loaded; caller frees. */
char *dp_model_host_describe (DpModelHost *host);

/* One line: what it has done so far; caller frees. */
char *dp_model_host_account (DpModelHost *host);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (DpModelHost, dp_model_host_free)

G_END_DECLS
