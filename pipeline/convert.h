/* pipeline/convert.h - the life of one document: from a file to its Markdown. */
#pragma once

#include "pipeline/crew.h"
#include "pipeline/inputs.h"
#include "pipeline/model_page.h"
#include "pipeline/options.h"
#include "pipeline/progress.h"
#include "pipeline/recognise.h"
#include "pipeline/report.h"
#include "pipeline/targets.h"
#include "pipeline/writer.h"

G_BEGIN_DECLS

/* What all documents of a run share; everything is borrowed. */
typedef struct {
  const DpOptions *options;
  DpCrew *crew;
  const DpFileSet *inputs;         /* never overwritten */
  DpProgress *progress;            /* may be NULL */
  const DpRecogniser *recogniser;  /* NULL: nobody reads pages without a text layer */
  const DpModelFlowOptions *model; /* a document model that lays out and reads pages, or NULL */
  const gint *stop;                /* atomic; not 0: drop what is not finished */
} DpConvertSetup;

/* Converts one document and writes its files.  Never fails as a call: the record (caller
 * frees) says what happened.  Runs as a task of the crew, which reads the pages. */
DpRecord *dp_convert_document (const DpConvertSetup *setup, const DpInput *input, guint index, const DpTarget *target);

G_END_DECLS
