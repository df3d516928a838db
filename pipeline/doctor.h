/* pipeline/doctor.h - `docparse doctor`: what this installation is made of. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* Prints versions of the libraries in use, processor features, devices, the sandbox, fonts
 * and model files on stdout.  Returns 0, or 64 for a line with arguments. */
int dp_cmd_doctor (int argc, char **argv);

G_END_DECLS
