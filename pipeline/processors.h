/* pipeline/processors.h - how many processors this process may use. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* The smaller of the affinity mask (sched_getaffinity) and the processor quota of the
 * cgroup v2 this process is in, rounded up; at least 1. */
guint dp_processors (void);

/* Reads the text of a cgroup's cpu.max, "QUOTA PERIOD" in microseconds: processors rounded
 * up, or 0 for "max" and for text that is not of this form.
 * Source: Linux Documentation/admin-guide/cgroup-v2.rst, cpu.max. */
guint dp_processors_of_quota (const char *cpu_max);

G_END_DECLS
