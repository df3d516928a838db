/* pipeline/log.c - lines on stderr, as text or as JSON lines. */
#include "pipeline/log.h"

#include <cjson/cJSON.h>
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

struct DpLog {
  int fd;
  gboolean json, terminal;
  DpLogLevel show;
  GMutex lock;        /* guards status and the order of writes */
  gboolean status_up; /* a status line is on the terminal */
};

static const char *const level_names[] = { "error", "warning", "notice", "detail", "debug" };

DpLog *
dp_log_new (int fd, gboolean json, DpLogLevel show)
{
  DpLog *log = g_new0 (DpLog, 1);

  log->fd = fd;
  log->json = json;
  log->show = show;
  log->terminal = isatty (fd) == 1;
  g_mutex_init (&log->lock);
  return log;
}

void
dp_log_free (DpLog *log)
{
  if (!log)
    return;
  dp_log_status (log, NULL);
  g_mutex_clear (&log->lock);
  g_free (log);
}

gboolean
dp_log_shows (const DpLog *log, DpLogLevel level)
{
  return level <= log->show;
}

gboolean
dp_write_all (int fd, const char *bytes, gsize length)
{
  while (length > 0) {
    const ssize_t n = write (fd, bytes, length);

    if (n > 0) {
      bytes += n;
      length -= (gsize) n;
    } else if (n < 0 && errno == EAGAIN) { /* a pipe somebody made non-blocking */
      struct pollfd wait = { .fd = fd, .events = POLLOUT };
      poll (&wait, 1, -1);
    } else if (n < 0 && errno != EINTR) {
      return FALSE;
    }
  }
  return TRUE;
}

/* ---- text ---------------------------------------------------------------------------- */

char *
dp_log_clean (const char *bytes)
{
  g_autofree char *valid = g_utf8_make_valid (bytes, -1);
  GString *out = g_string_sized_new (strlen (valid));

  for (const char *p = valid; *p; p = g_utf8_next_char (p)) {
    const gunichar c = g_utf8_get_char (p);

    if (c == '\n')
      g_string_append (out, "\\n");
    else if (c == '\t')
      g_string_append (out, "\\t");
    else if (g_unichar_iscntrl (c))
      g_string_append_printf (out, "\\x%02x", c);
    else
      g_string_append_unichar (out, c);
  }
  return g_string_free (out, FALSE);
}

static void
append_text_line (GString *line, const char *file, guint first_page, guint last_page, const char *message)
{
  g_autofree char *clean = dp_log_clean (message);

  if (file) {
    g_autofree char *shown = g_filename_display_name (file);
    g_autofree char *name = dp_log_clean (shown);
    g_string_append_printf (line, "%s: ", name);
  } else {
    g_string_append (line, "docparse: ");
  }
  if (first_page && last_page > first_page)
    g_string_append_printf (line, "pages %u-%u: ", first_page, last_page);
  else if (first_page)
    g_string_append_printf (line, "page %u: ", first_page);
  g_string_append (line, clean);
  g_string_append_c (line, '\n');
}

static void
append_json_line (GString *line, DpLogLevel level, const char *file, guint first_page, guint last_page, const char *message)
{
  cJSON *object = cJSON_CreateObject ();
  g_autoptr (GDateTime) now = g_date_time_new_now_utc ();
  g_autofree char *time = g_date_time_format (now, "%Y-%m-%dT%H:%M:%S.%fZ");
  g_autofree char *text = g_utf8_make_valid (message, -1);

  cJSON_AddStringToObject (object, "time", time);
  cJSON_AddStringToObject (object, "level", level_names[level]);
  if (file) {
    g_autofree char *name = g_filename_display_name (file);
    cJSON_AddStringToObject (object, "file", name);
  }
  if (first_page) {
    cJSON *pages = cJSON_AddArrayToObject (object, "pages");
    cJSON_AddItemToArray (pages, cJSON_CreateNumber (first_page));
    cJSON_AddItemToArray (pages, cJSON_CreateNumber (MAX (first_page, last_page)));
  }
  cJSON_AddStringToObject (object, "message", text);

  char *printed = cJSON_PrintUnformatted (object);
  g_string_append (line, printed ? printed : "{}");
  g_string_append_c (line, '\n');
  cJSON_free (printed);
  cJSON_Delete (object);
}

void
dp_log_write (DpLog *log, DpLogLevel level, const char *file, guint first_page, guint last_page, const char *message)
{
  if (level > log->show)
    return;

  g_autoptr (GString) line = g_string_new (NULL);
  if (log->json)
    append_json_line (line, level, file, first_page, last_page, message);
  else
    append_text_line (line, file, first_page, last_page, message);

  g_mutex_lock (&log->lock);
  if (log->status_up)
    g_string_prepend (line, "\r\033[K");
  log->status_up = FALSE;
  dp_write_all (log->fd, line->str, line->len); /* nowhere to say that stderr is gone */
  g_mutex_unlock (&log->lock);
}

void
dp_log_printf (DpLog *log, DpLogLevel level, const char *file, const char *format, ...)
{
  va_list args;

  if (level > log->show)
    return;
  va_start (args, format);
  g_autofree char *message = g_strdup_vprintf (format, args);
  va_end (args);
  dp_log_write (log, level, file, 0, 0, message);
}

/* ---- the status line ------------------------------------------------------------------ */

gboolean
dp_log_has_status (const DpLog *log)
{
  return log->terminal && !log->json && log->show >= DP_LOG_NOTICE;
}

void
dp_log_status (DpLog *log, const char *line)
{
  if (!dp_log_has_status (log))
    return;

  g_mutex_lock (&log->lock);
  if (line || log->status_up) {
    g_autofree char *clean = line ? dp_log_clean (line) : NULL;
    g_autofree char *drawn = g_strconcat ("\r\033[K", clean, NULL);
    dp_write_all (log->fd, drawn, strlen (drawn));
  }
  log->status_up = line != NULL;
  g_mutex_unlock (&log->lock);
}

/* ---- GLib's messages ------------------------------------------------------------------- */

GLogWriterOutput
dp_log_glib_writer (GLogLevelFlags level, const GLogField *fields, gsize n_fields, gpointer user_data)
{
  DpLogLevel shown = DP_LOG_DEBUG;

  if (level & (G_LOG_LEVEL_ERROR | G_LOG_LEVEL_CRITICAL))
    shown = DP_LOG_ERROR;
  else if (level & G_LOG_LEVEL_WARNING)
    shown = DP_LOG_WARNING;
  else if (level & G_LOG_LEVEL_MESSAGE)
    shown = DP_LOG_NOTICE;

  for (gsize i = 0; i < n_fields; i++)
    if (strcmp (fields[i].key, "MESSAGE") == 0) {
      const char *text = fields[i].value;
      g_autofree char *message = fields[i].length < 0 ? g_strdup (text) : g_strndup (text, (gsize) fields[i].length);
      dp_log_write (user_data, shown, NULL, 0, 0, message);
    }
  return G_LOG_WRITER_HANDLED;
}

/* ---- without a log ----------------------------------------------------------------------- */

void
dp_complain (gboolean json, const char *message)
{
  g_autoptr (DpLog) log = dp_log_new (STDERR_FILENO, json, DP_LOG_ERROR);

  dp_log_write (log, DP_LOG_ERROR, NULL, 0, 0, message);
}

/* C's own stream remembers that a write has failed. */
void
dp_say (const char *format, ...)
{
  va_list args;

  va_start (args, format);
  vfprintf (stdout, format, args);
  va_end (args);
  fflush (stdout);
}

gboolean
dp_was_heard (void)
{
  return !ferror (stdout);
}
