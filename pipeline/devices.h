/* pipeline/devices.h - `docparse devices` and `docparse selftest`: what can compute here, and does it compute right. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* Lists back ends, their devices and operators on stdout.  0, or 64 for a bad line. */
int dp_cmd_devices (int argc, char **argv);

/* `--device NAME [--op OP] [--cases N] [--seed N]`: conformance against the reference as a table on stdout.
 * 0 all good, 1 something failed, 64 a bad line, 69 the device is not there. */
int dp_cmd_selftest (int argc, char **argv);

G_END_DECLS
