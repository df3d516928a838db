/* pipeline/sandbox.c - resource limits, Landlock, seccomp; see sandbox.h.
 *
 * The list of system calls is what glibc, poppler, cairo, fontconfig and Leptonica were
 * seen to need after start-up, on x86-64 and arm64, plus the older or newer spelling of
 * each.  Calls that libraries try for convenience and survive without (creating a font
 * cache, asking whether stderr is a terminal) are refused with an error; everything else,
 * sockets and new processes above all, ends the process, which costs the page.
 */
#include "pipeline/sandbox.h"

#include "pipeline/sanitized.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/landlock.h>
#include <seccomp.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

gboolean
dp_sandbox_has_seccomp (void)
{
  return !DP_WITH_ASAN;
}

/* ---- limits ------------------------------------------------------------------------------------ */

static void
set_limit (int resource, rlim_t value)
{
  struct rlimit now;

  /* never above what we were given */
  if (getrlimit (resource, &now) == 0 && now.rlim_max != RLIM_INFINITY)
    value = MIN (value, now.rlim_max);
  if (setrlimit (resource, &(struct rlimit){ value, value }) != 0)
    g_info ("cannot set resource limit %d: %s", resource, g_strerror (errno));
}

void
dp_sandbox_limit (guint64 max_memory)
{
  set_limit (RLIMIT_CORE, 0);
  set_limit (RLIMIT_NOFILE, DP_SANDBOX_MAX_FDS);
  /* memory files count: a page bundle cannot be larger than all memory we may have */
  set_limit (RLIMIT_FSIZE, max_memory ? max_memory : RLIM_INFINITY);
  if (max_memory && !DP_WITH_ASAN)
    set_limit (RLIMIT_AS, max_memory);
  prctl (PR_SET_DUMPABLE, 0, 0, 0, 0);
  prctl (PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
}

/* ---- Landlock ------------------------------------------------------------------------------------- */

/* The struct and rights of newer kernels than Debian 12's headers know (linux/landlock.h
 * of Linux 6.12).  The kernel ignores nothing: only what its ABI has may be passed. */
typedef struct {
  guint64 fs, net, scoped;
} LandlockRules;

#define LANDLOCK_FS_ABI1 ((1ull << 13) - 1) /* EXECUTE .. MAKE_SYM */
#define LANDLOCK_FS_REFER (1ull << 13)      /* ABI 2 */
#define LANDLOCK_FS_TRUNCATE (1ull << 14)   /* ABI 3 */
#define LANDLOCK_FS_IOCTL_DEV (1ull << 15)  /* ABI 5 */
#define LANDLOCK_NET_TCP 3ull               /* ABI 4: bind and connect */
#define LANDLOCK_SCOPES 3ull                /* ABI 6: abstract sockets and signals */

static long
landlock_abi (void)
{
  return syscall (SYS_landlock_create_ruleset, NULL, 0, LANDLOCK_CREATE_RULESET_VERSION);
}

/* Directory or file that may be read; what does not exist is no harm. */
static void
allow_reading (int ruleset, const char *path)
{
  struct landlock_path_beneath_attr rule = { .allowed_access = LANDLOCK_ACCESS_FS_READ_FILE | LANDLOCK_ACCESS_FS_READ_DIR };

  if (!path || (rule.parent_fd = open (path, O_PATH | O_CLOEXEC)) < 0)
    return;
  if (syscall (SYS_landlock_add_rule, ruleset, LANDLOCK_RULE_PATH_BENEATH, &rule, 0) != 0) {
    rule.allowed_access = LANDLOCK_ACCESS_FS_READ_FILE; /* a plain file has no READ_DIR */
    syscall (SYS_landlock_add_rule, ruleset, LANDLOCK_RULE_PATH_BENEATH, &rule, 0);
  }
  close (rule.parent_fd);
}

static void
allow_home (int ruleset, const char *below)
{
  g_autofree char *path = g_build_filename (g_get_home_dir (), below, NULL);

  allow_reading (ruleset, path);
}

static void
allow_all_reading (int ruleset, const char *const *more)
{
  static const char *const places[] = {
    "/usr/share/fonts",
    "/usr/local/share/fonts",
    "/usr/share/texmf/fonts", /* TeX Gyre and Latin Modern: fontconfig takes them for Courier and Times */
    "/usr/share/texlive/texmf-dist/fonts",
    "/etc/fonts",
    "/usr/share/fontconfig",
    "/var/cache/fontconfig",
    "/usr/share/poppler",
    "/usr/share/ghostscript",
    "/usr/lib", /* locales, character sets */
    "/usr/share/locale",
    "/etc/localtime",
    "/usr/share/zoneinfo",
    "/dev/null",
    "/dev/urandom",
  };
  static const char *const homes[] = { ".fonts", ".fonts.conf", ".local/share/fonts", ".config/fontconfig", ".cache/fontconfig" };

  for (guint i = 0; i < G_N_ELEMENTS (places); i++)
    allow_reading (ruleset, places[i]);
  for (guint i = 0; i < G_N_ELEMENTS (homes); i++)
    allow_home (ruleset, homes[i]);
  for (; more && *more; more++)
    allow_reading (ruleset, *more);
}

static gboolean
enter_landlock (const char *const *more)
{
  long abi = landlock_abi ();
  LandlockRules rules = { .fs = LANDLOCK_FS_ABI1 };
  gsize size = sizeof rules.fs;
  int ruleset;
  gboolean entered;

  if (abi < 1)
    return FALSE;
  rules.fs |= (abi >= 2 ? LANDLOCK_FS_REFER : 0) | (abi >= 3 ? LANDLOCK_FS_TRUNCATE : 0) | (abi >= 5 ? LANDLOCK_FS_IOCTL_DEV : 0);
  rules.net = abi >= 4 ? LANDLOCK_NET_TCP : 0;
  rules.scoped = abi >= 6 ? LANDLOCK_SCOPES : 0;
  size = abi >= 6 ? sizeof rules : abi >= 4 ? 2 * sizeof rules.fs : sizeof rules.fs;
  ruleset = (int) syscall (SYS_landlock_create_ruleset, &rules, size, 0);
  if (ruleset < 0)
    return FALSE;
  allow_all_reading (ruleset, more);
  entered = syscall (SYS_landlock_restrict_self, ruleset, 0) == 0;
  close (ruleset);
  return entered;
}

/* ---- seccomp ----------------------------------------------------------------------------------------- */

static const int allowed_calls[] = {
  /* files that are open, and looking at files */
  SCMP_SYS (read),
  SCMP_SYS (readv),
  SCMP_SYS (pread64),
  SCMP_SYS (preadv),
  SCMP_SYS (write),
  SCMP_SYS (writev),
  SCMP_SYS (pwrite64),
  SCMP_SYS (lseek),
  SCMP_SYS (_llseek),
  SCMP_SYS (close),
  SCMP_SYS (dup),
  SCMP_SYS (fstat),
  SCMP_SYS (fstat64),
  SCMP_SYS (stat),
  SCMP_SYS (lstat),
  SCMP_SYS (newfstatat),
  SCMP_SYS (fstatat64),
  SCMP_SYS (statx),
  SCMP_SYS (statfs),
  SCMP_SYS (fstatfs),
  SCMP_SYS (access),
  SCMP_SYS (faccessat),
  SCMP_SYS (faccessat2),
  SCMP_SYS (readlink),
  SCMP_SYS (readlinkat),
  SCMP_SYS (getdents),
  SCMP_SYS (getdents64),
  SCMP_SYS (getcwd),
  SCMP_SYS (fadvise64),
  SCMP_SYS (memfd_create),
  SCMP_SYS (poll),
  SCMP_SYS (ppoll),
  /* memory (mmap and mprotect: see below) */
  SCMP_SYS (munmap),
  SCMP_SYS (mremap),
  SCMP_SYS (madvise),
  SCMP_SYS (brk),
  SCMP_SYS (mincore),
  SCMP_SYS (membarrier),
  /* this process and its clocks */
  SCMP_SYS (rt_sigaction),
  SCMP_SYS (rt_sigprocmask),
  SCMP_SYS (rt_sigreturn),
  SCMP_SYS (sigreturn),
  SCMP_SYS (sigaltstack),
  SCMP_SYS (timer_settime),
  SCMP_SYS (timer_gettime),
  SCMP_SYS (clock_gettime),
  SCMP_SYS (clock_getres),
  SCMP_SYS (clock_nanosleep),
  SCMP_SYS (nanosleep),
  SCMP_SYS (gettimeofday),
  SCMP_SYS (time),
  SCMP_SYS (times),
  SCMP_SYS (getpid),
  SCMP_SYS (getppid),
  SCMP_SYS (gettid),
  SCMP_SYS (getuid),
  SCMP_SYS (geteuid),
  SCMP_SYS (getgid),
  SCMP_SYS (getegid),
  SCMP_SYS (getrusage),
  SCMP_SYS (getrlimit),
  SCMP_SYS (ugetrlimit),
  SCMP_SYS (sysinfo),
  SCMP_SYS (uname),
  SCMP_SYS (getrandom),
  SCMP_SYS (futex),
  SCMP_SYS (set_robust_list),
  SCMP_SYS (rseq),
  SCMP_SYS (sched_yield),
  SCMP_SYS (sched_getaffinity),
  SCMP_SYS (getcpu),
  SCMP_SYS (restart_syscall),
  SCMP_SYS (exit),
  SCMP_SYS (exit_group),
};

/* Tried for convenience: refused, not punished. */
static const int refused_calls[] = {
  SCMP_SYS (ioctl),
  SCMP_SYS (mkdir),
  SCMP_SYS (mkdirat),
  SCMP_SYS (unlink),
  SCMP_SYS (unlinkat),
  SCMP_SYS (rmdir),
  SCMP_SYS (rename),
  SCMP_SYS (renameat),
  SCMP_SYS (renameat2),
  SCMP_SYS (link),
  SCMP_SYS (linkat),
  SCMP_SYS (symlink),
  SCMP_SYS (symlinkat),
  SCMP_SYS (chmod),
  SCMP_SYS (fchmod),
  SCMP_SYS (fchmodat),
  SCMP_SYS (utime),
  SCMP_SYS (utimes),
  SCMP_SYS (utimensat),
  SCMP_SYS (futimesat),
  SCMP_SYS (flock),
  SCMP_SYS (creat),
  SCMP_SYS (getpeername),
  SCMP_SYS (getsockname),
  SCMP_SYS (getsockopt),
  SCMP_SYS (mlock),
  SCMP_SYS (munlock),
  SCMP_SYS (prlimit64),
  SCMP_SYS (sched_setaffinity),
  SCMP_SYS (ftruncate),
  SCMP_SYS (fsync),
  SCMP_SYS (fdatasync),
  SCMP_SYS (pipe2),
  SCMP_SYS (eventfd2),
  SCMP_SYS (inotify_init1),
};

static gboolean
add_calls (scmp_filter_ctx filter, const int *calls, gsize n, guint32 action)
{
  gboolean ok = TRUE;

  /* a call that this architecture does not have is negative, and libseccomp passes over it */
  for (gsize i = 0; i < n; i++)
    ok = seccomp_rule_add (filter, action, calls[i], 0) == 0 && ok;
  return ok;
}

/* Opening for reading is allowed, any other flag is refused. */
static gboolean
add_open (scmp_filter_ctx filter, int call, unsigned flags_argument)
{
  static const guint64 writing[] = { O_WRONLY, O_RDWR, O_CREAT, O_TRUNC, O_APPEND, O_TMPFILE & ~(guint64) O_DIRECTORY };
  guint64 all = 0;
  gboolean ok = TRUE;

  for (guint i = 0; i < G_N_ELEMENTS (writing); i++) {
    ok = seccomp_rule_add (filter, SCMP_ACT_ERRNO (EACCES), call, 1, SCMP_CMP (flags_argument, SCMP_CMP_MASKED_EQ, writing[i], writing[i]))
             == 0
         && ok;
    all |= writing[i];
  }
  return seccomp_rule_add (filter, SCMP_ACT_ALLOW, call, 1, SCMP_CMP (flags_argument, SCMP_CMP_MASKED_EQ, all, 0)) == 0 && ok;
}

/* Memory yes, new code no. */
static gboolean
add_mapping (scmp_filter_ctx filter, int call)
{
  return seccomp_rule_add (filter, SCMP_ACT_ALLOW, call, 1, SCMP_A2 (SCMP_CMP_MASKED_EQ, PROT_EXEC, 0)) == 0
         && seccomp_rule_add (filter, SCMP_ACT_ERRNO (EACCES), call, 1, SCMP_A2 (SCMP_CMP_MASKED_EQ, PROT_EXEC, PROT_EXEC)) == 0;
}

static gboolean
add_rules (scmp_filter_ctx filter, int socket_fd)
{
  static const int fcntl_commands[] = { F_GETFD, F_SETFD, F_GETFL, F_SETFL, F_DUPFD, F_DUPFD_CLOEXEC, F_ADD_SEALS, F_GET_SEALS };
  guint64 me = (guint64) getpid ();
  gboolean ok = add_calls (filter, allowed_calls, G_N_ELEMENTS (allowed_calls), SCMP_ACT_ALLOW)
                && add_calls (filter, refused_calls, G_N_ELEMENTS (refused_calls), SCMP_ACT_ERRNO (EACCES))
                && add_open (filter, SCMP_SYS (openat), 2) && add_open (filter, SCMP_SYS (open), 1) && add_mapping (filter, SCMP_SYS (mmap))
                && add_mapping (filter, SCMP_SYS (mmap2)) && add_mapping (filter, SCMP_SYS (mprotect));

  ok = ok && seccomp_rule_add (filter, SCMP_ACT_ERRNO (ENOSYS), SCMP_SYS (openat2), 0) == 0;
  ok = ok && seccomp_rule_add (filter, SCMP_ACT_ALLOW, SCMP_SYS (sendmsg), 1, SCMP_A0 (SCMP_CMP_EQ, (guint64) socket_fd)) == 0;
  ok = ok && seccomp_rule_add (filter, SCMP_ACT_ALLOW, SCMP_SYS (recvmsg), 1, SCMP_A0 (SCMP_CMP_EQ, (guint64) socket_fd)) == 0;
  /* abort() and raise() signal this process only */
  ok = ok && seccomp_rule_add (filter, SCMP_ACT_ALLOW, SCMP_SYS (tgkill), 1, SCMP_A0 (SCMP_CMP_EQ, me)) == 0;
  /* glibc names its memory on newer kernels */
  ok = ok && seccomp_rule_add (filter, SCMP_ACT_ALLOW, SCMP_SYS (prctl), 1, SCMP_A0 (SCMP_CMP_EQ, PR_SET_VMA)) == 0;
  for (guint i = 0; i < G_N_ELEMENTS (fcntl_commands); i++)
    ok = ok && seccomp_rule_add (filter, SCMP_ACT_ALLOW, SCMP_SYS (fcntl), 1, SCMP_A1 (SCMP_CMP_EQ, (guint64) fcntl_commands[i])) == 0;
  return ok;
}

static gboolean
enter_seccomp (int socket_fd)
{
  scmp_filter_ctx filter = seccomp_init (SCMP_ACT_KILL_PROCESS);
  gboolean entered;

  if (!filter)
    return FALSE;
  /* a binary tree of calls instead of a long list: every call passes the filter */
  seccomp_attr_set (filter, SCMP_FLTATR_CTL_OPTIMIZE, 2);
  entered = add_rules (filter, socket_fd) && seccomp_load (filter) == 0;
  seccomp_release (filter);
  return entered;
}

void
dp_sandbox_enter (int socket_fd, const char *const *readable)
{
  if (!enter_landlock (readable))
    g_info ("sandbox: Landlock is not available here (%s)", g_strerror (errno));
  if (!dp_sandbox_has_seccomp ())
    g_info ("sandbox: no seccomp in a build with AddressSanitizer");
  else if (!enter_seccomp (socket_fd))
    g_info ("sandbox: seccomp is not available here (%s)", g_strerror (errno));
}

char *
dp_sandbox_describe (void)
{
  long abi = landlock_abi ();
  guint32 action = SECCOMP_RET_KILL_PROCESS;
  GString *out = g_string_new ("separate process, resource limits");

  if (abi >= 1)
    g_string_append_printf (out, ", Landlock (ABI %ld)", abi);
  else
    g_string_append (out, ", no Landlock (kernel without it)");
  if (!dp_sandbox_has_seccomp ())
    g_string_append (out, ", no seccomp (built with AddressSanitizer)");
  else if (syscall (SYS_seccomp, SECCOMP_GET_ACTION_AVAIL, 0, &action) == 0)
    g_string_append (out, ", seccomp");
  else
    g_string_append_printf (out, ", no seccomp (%s)", g_strerror (errno));
  return g_string_free (out, FALSE);
}
