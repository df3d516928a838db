/* pipeline/report.h - the ledger: what happened to each document and page, and what the
 * exit code is.
 *
 * A record belongs to one document and is filled by the threads that convert it; when the
 * document is done the record goes to the report, which prints a line per problem, keeps
 * the totals and, if a file is wanted, all records.
 */
#pragma once

#include "pipeline/log.h"
#include "pipeline/options.h"

G_BEGIN_DECLS

typedef enum {
  DP_PAGE_READ,
  DP_PAGE_DOUBTFUL,    /* read, but two readings of it differ: worth a look, no failure */
  DP_PAGE_INCOMPLETE,  /* read, but something was left out */
  DP_PAGE_NEEDS_MODEL, /* kept as a picture */
  DP_PAGE_FAILED,      /* left out */
  DP_N_PAGE_STATES
} DpPageState;

/* "read", "doubtful", "incomplete", "needs-model", "failed". */
const char *dp_page_state_name (DpPageState state);

/* Where the time of a document goes, in microseconds summed over threads.  LOOK to RECOGNISE: pictures that are or may be text. */
typedef enum {
  DP_STAGE_OPEN,
  DP_STAGE_READ,
  DP_STAGE_LOOK,      /* at stored images */
  DP_STAGE_PAINT,     /* the picture of a page or a part of it */
  DP_STAGE_FIND,      /* its lines */
  DP_STAGE_RECOGNISE, /* their characters */
  DP_STAGE_LAYOUT,
  DP_STAGE_DOCUMENT,
  DP_STAGE_PICTURES, /* figures as files */
  DP_STAGE_WRITE,
  DP_N_STAGES
} DpStage;

/* Pages first..last in a row to which the same happened. */
typedef struct {
  guint first, last;
  DpPageState state;
  char *reason;
} DpPageProblem;

typedef struct {
  char *input;
  guint index;      /* place among the inputs */
  DpExit code;      /* of this document alone */
  char *error;      /* why there is no output, or NULL */
  gboolean skipped; /* --resume */
  gboolean dropped; /* interrupted */
  guint n_pages;    /* asked for */
  guint n_state[DP_N_PAGE_STATES];
  GArray *problems;   /* DpPageProblem, by page */
  GPtrArray *outputs; /* char *: files written */
  gint64 stage[DP_N_STAGES];
} DpRecord;

DpRecord *dp_record_new (const char *input, guint index);
void dp_record_free (DpRecord *record);
/* Counts page and remembers the reason if it is not READ.  Pages in ascending order. */
void dp_record_page (DpRecord *record, guint page, DpPageState state, const char *reason);
/* No output: code and error (a sentence). */
void dp_record_fail (DpRecord *record, DpExit code, const char *error);
/* The code that follows from the pages: DP_EXIT_PARTLY if one is worse than DOUBTFUL. */
void dp_record_finish (DpRecord *record);

typedef struct DpReport DpReport;

/* log: borrowed.  keep: all records are kept for dp_report_json(). */
DpReport *dp_report_new (DpLog *log, gboolean keep);
void dp_report_free (DpReport *report);

/* Takes the record and prints its lines.  From any thread. */
void dp_report_add (DpReport *report, DpRecord *record);

/* One line about all documents; without effect for a single one unless -v. */
void dp_report_summary (DpReport *report, double seconds);

/* 0 when all is good; one document: its code; several: the code they share if none
 * succeeded, else 1. */
DpExit dp_report_code (const DpReport *report);

/* The ledger as JSON, documents in the order of the inputs; caller frees. */
char *dp_report_json (DpReport *report, double seconds);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (DpRecord, dp_record_free)
G_DEFINE_AUTOPTR_CLEANUP_FUNC (DpReport, dp_report_free)

G_END_DECLS
