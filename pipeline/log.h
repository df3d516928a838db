/* pipeline/log.h - what the program tells its user: lines on stderr, as text or JSON.
 *
 * Text lines read like a compiler's, "in.pdf: page 3: what happened"; JSON lines are one
 * object each: {"time", "level", "file", "pages": [first, last], "message"}.  Every line
 * is valid UTF-8 whatever the locale or the file's name is, contains no control
 * characters, and leaves in one write, so that lines of several threads never mix.
 *
 * The status line of progress.c lives here too, because messages must not run into it.
 */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

typedef enum {
  DP_LOG_ERROR,   /* a document is lost, the command cannot do what was asked */
  DP_LOG_WARNING, /* a page is lost or needs a model */
  DP_LOG_NOTICE,  /* summaries */
  DP_LOG_DETAIL,  /* what -v adds */
  DP_LOG_DEBUG,   /* what -v -v adds: GLib's info and debug messages */
} DpLogLevel;

typedef struct DpLog DpLog;

/* fd: borrowed.  Levels above show are not printed. */
DpLog *dp_log_new (int fd, gboolean json, DpLogLevel show);
void dp_log_free (DpLog *log);
gboolean dp_log_shows (const DpLog *log, DpLogLevel level);

/* One message.  file: a file name in any bytes, or NULL; pages: first..last of file, 0 = the
 * document as a whole.  From any thread. */
void dp_log_write (DpLog *log, DpLogLevel level, const char *file, guint first_page, guint last_page, const char *message);

/* The same with printf formatting and without a page. */
void dp_log_printf (DpLog *log, DpLogLevel level, const char *file, const char *format, ...) G_GNUC_PRINTF (4, 5);

/* Shows a line at the bottom of the terminal, NULL takes it away.  Does nothing when fd is
 * not a terminal or lines are JSON. */
gboolean dp_log_has_status (const DpLog *log);
void dp_log_status (DpLog *log, const char *line);

/* Lets GLib's own messages (g_warning, g_info of any room) come out here; user_data is the DpLog. */
GLogWriterOutput dp_log_glib_writer (GLogLevelFlags level, const GLogField *fields, gsize n_fields, gpointer user_data);

/* Valid UTF-8 without control characters: those become \n, \t or \xNN.  Caller frees. */
char *dp_log_clean (const char *bytes);

/* Writes all bytes to a descriptor, over short writes and interrupts; errno says why not. */
gboolean dp_write_all (int fd, const char *bytes, gsize length);

/* An error of the command line, before there is a log: one line on stderr, as JSON or as text. */
void dp_complain (gboolean json, const char *message);

/* Writes text for the user to stdout as it is, without GLib's conversion to the locale, and at once. */
void dp_say (const char *format, ...) G_GNUC_PRINTF (1, 2);

/* FALSE if some of what was said since the start did not get out: a full disk, a closed descriptor. */
gboolean dp_was_heard (void);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (DpLog, dp_log_free)

G_END_DECLS
