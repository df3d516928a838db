/* pipeline/options.h - what the command line asks for.
 *
 * Parsing is pure: it reads no file and prints nothing, so that it can be fuzzed and
 * tested; what needs the file system (is -o a directory, the password file) is asked by
 * the functions below it or by targets.h.
 */
#pragma once

#include "ops/tensor.h"
#include "output/output.h"
#include "pipeline/pdf_limits.h"
#include "pipeline/ranges.h"

G_BEGIN_DECLS

/* Exit codes, those of sysexits.h where it has one. */
typedef enum {
  DP_EXIT_OK = 0,
  DP_EXIT_PARTLY = 1,     /* some pages or documents failed or need a model */
  DP_EXIT_USAGE = 64,     /* the command line makes no sense */
  DP_EXIT_DATA = 65,      /* not a PDF, or damaged beyond reading */
  DP_EXIT_NO_INPUT = 66,  /* no such input */
  DP_EXIT_NO_DEVICE = 69, /* no such back end or device, or it lacks what a model needs */
  DP_EXIT_CANNOT_WRITE = 74,
  DP_EXIT_PASSWORD = 77,
  DP_EXIT_SIGNAL = 128, /* + number of the signal */
} DpExit;

/* What can be written, in the order of output. */
typedef enum {
  DP_FORMAT_MARKDOWN,
  DP_FORMAT_HTML,
  DP_FORMAT_TEXT,
  DP_FORMAT_JSON,
  DP_FORMAT_CONTENT_LIST,
  DP_FORMAT_PDF,
  DP_N_FORMATS
} DpFormat;

typedef enum { DP_METHOD_AUTO, DP_METHOD_TEXT, DP_METHOD_OCR } DpMethod;

typedef enum { DP_FOLDER_PLAIN, DP_FOLDER_MINERU } DpFolder;

/* The document model, and where and how models compute (ops/backend.h); what a vlm/ engine is opened with. */
typedef struct {
  char *dir;               /* --model: a Hugging Face folder in any bytes; "" = none, whatever DOCPARSE_MODEL says; NULL = not given */
  DpType weights;          /* what its matrices are held as: DP_BF16 (default), DP_F32, DP_I8, DP_I4 */
  DpType kv;               /* elements of the KV cache: DP_BF16 (default), DP_F32, DP_I8 */
  guint kv_page;           /* tokens in a page of it; 0 = what the device likes best */
  guint64 memory;          /* bytes beyond the weights; 0 = the engine's choice */
  gboolean image_analysis; /* pictures are described, charts become tables, flowcharts Mermaid */
  gboolean no_penalties;   /* greedy decoding as Hugging Face transformers does it */
  char *device;            /* back end, as `docparse devices` names it; NULL = the engine's choice */
  guint index;             /* which of its devices */
  guint threads;           /* 0 = the back end's choice */
  gboolean eager;          /* no captured graphs: every operator runs when it is called */
  gboolean strict_backend; /* an operator that the back end lacks is an error, never done by the reference */
} DpModelOptions;

typedef struct {
  /* reading */
  char **inputs;   /* as given, in any bytes */
  DpRanges *pages; /* NULL = all */
  char *password, *password_file;
  DpMethod method;
  guint ocr_dpi; /* resolution of page pictures that are read; 0 = automatic */
  guint jobs;    /* 0 = as many as there are processors */
  DpPdfLimits limits;
  DpModelOptions model;
  /* writing */
  char *output;  /* -o: file, directory, "-", or NULL */
  guint formats; /* bits 1 << DpFormat; never 0 after parsing */
  DpFolder folder;
  gboolean overlay, resume;
  char *report; /* --report: file name or NULL */
  /* content */
  guint keep; /* DpOutputKeep */
  DpOutputTables tables;
  DpOutputImages images;
  gboolean images_given;
  guint image_dpi;
  gboolean figure_text;
  gboolean no_tags; /* --no-tags: the structure tree is not believed */
  char *page_break; /* UTF-8 or NULL */
  /* messages */
  gboolean quiet, log_json;
  guint verbose;
  gboolean help, version;
} DpOptions;

/* Reads the arguments of `docparse [convert]` (argv[0] is the program's name).  Returns
 * options or NULL with a message of one line (an error of G_OPTION_ERROR).  With --help or
 * --version nothing else is checked. */
DpOptions *dp_options_parse (char *const *argv, GError **error);

/* The same for `docparse inspect`: the options of reading and messages. */
DpOptions *dp_options_parse_inspect (char *const *argv, GError **error);

void dp_options_free (DpOptions *options);

/* Whether the arguments ask for messages as JSON; also where they cannot be parsed, so that what is said about that is JSON, too. */
gboolean dp_options_ask_for_json (char *const *argv);

/* TRUE if the document goes to stdout: -o -, or stdin without -o. */
gboolean dp_options_to_stdout (const DpOptions *options);

/* Fills password from --password-file or, without one, from DOCPARSE_PASSWORD, unless
 * --password was given.  FALSE if the file cannot be read or the password is not UTF-8. */
gboolean dp_options_load_password (DpOptions *options, GError **error);

/* The text of --help; caller frees. */
char *dp_options_help (void);
char *dp_options_help_inspect (void);

/* "md", "html", "txt", "json", "content-list", "pdf": as -t takes it. */
const char *dp_format_name (DpFormat format);
/* What a file name ends in: ".md", ..., "_content_list.json", "_searchable.pdf". */
const char *dp_format_ending (DpFormat format);
/* Whether a file that somebody named holds this format: by its ending in any case, and a searchable PDF may be called .pdf. */
gboolean dp_format_is_named (DpFormat format, const char *name);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (DpOptions, dp_options_free)

G_END_DECLS
