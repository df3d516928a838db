/* pipeline/processors.c - processors of this process: affinity and cgroup quota. */
#include "pipeline/processors.h"

#include <sched.h>
#include <string.h>
#include <unistd.h>

guint
dp_processors_of_quota (const char *cpu_max)
{
  g_auto (GStrv) words = g_strsplit_set (cpu_max, " \n", 3);
  guint64 quota, period;

  if (g_strv_length (words) < 2 || !g_ascii_string_to_unsigned (words[0], 10, 1, G_MAXINT64, &quota, NULL)
      || !g_ascii_string_to_unsigned (words[1], 10, 1, G_MAXINT64, &period, NULL))
    return 0;
  return (guint) MIN (quota / period + (quota % period != 0), 1u << 20);
}

/* Smallest quota on the way from our cgroup up to the root; 0 = none. */
static guint
cgroup_processors (void)
{
  g_autofree char *membership = NULL;
  guint least = 0;

  if (!g_file_get_contents ("/proc/self/cgroup", &membership, NULL, NULL))
    return 0;
  /* The line of the unified hierarchy is "0::/path"; others are version 1. */
  const char *line = g_str_has_prefix (membership, "0::") ? membership : strstr (membership, "\n0::");
  if (!line)
    return 0;
  line = strchr (line, ':') + 2;
  g_autofree char *path = g_strndup (line, strcspn (line, "\n"));

  for (;;) {
    g_autofree char *file = g_build_filename ("/sys/fs/cgroup", path, "cpu.max", NULL);
    g_autofree char *text = NULL;
    const guint quota = g_file_get_contents (file, &text, NULL, NULL) ? dp_processors_of_quota (text) : 0;
    char *slash = strrchr (path, '/');

    if (quota && (!least || quota < least))
      least = quota;
    if (!slash || path[1] == '\0')
      return least;
    slash[slash == path] = '\0';
  }
}

guint
dp_processors (void)
{
  cpu_set_t set;
  long count;
  const guint quota = cgroup_processors ();

  /* More than CPU_SETSIZE processors make the call fail; then all of them count. */
  if (sched_getaffinity (0, sizeof set, &set) == 0)
    count = CPU_COUNT (&set);
  else
    count = sysconf (_SC_NPROCESSORS_ONLN);
  if (count < 1)
    count = 1;
  return quota && quota < (guint) count ? quota : (guint) count;
}
