/* pipeline/sandbox.h - the walls around the PDF library.
 *
 * A child that parses hostile input should be able to do nothing but compute, read
 * fonts, and answer on its one socket.  Three walls, each useful without the others:
 *
 *   limits    RLIMIT_AS, _CORE, _NOFILE, _FSIZE, and no new privileges
 *   Landlock  (Linux 5.13+) reads only below font and locale directories, no writing
 *   seccomp   (libseccomp) a short list of system calls; the rest ends the process
 *
 * Under AddressSanitizer seccomp and RLIMIT_AS are left out: its run-time library needs
 * more calls and terabytes of address space.
 */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* Descriptors that a limited process may have. */
#define DP_SANDBOX_MAX_FDS 512

/* Limits of this process, to be called first; max_memory 0 = none.  Undone by nothing. */
void dp_sandbox_limit (guint64 max_memory);

/* Raises Landlock and seccomp around this (single-threaded) process; afterwards
 * sendmsg and recvmsg work on socket_fd only, and files can be read in the usual places of
 * fonts and locales and in readable (NULL-terminated; may be NULL).  Call it when libraries are warm and before
 * the first byte of input is parsed.  What the kernel or the container does not let us
 * have is said once through g_info(), and the rest is still raised. */
void dp_sandbox_enter (int socket_fd, const char *const *readable);

/* Whether seccomp is part of this build's sandbox (not under AddressSanitizer). */
gboolean dp_sandbox_has_seccomp (void);

/* One line for `docparse doctor`: what would be raised on this machine.  Caller frees. */
char *dp_sandbox_describe (void);

G_END_DECLS
