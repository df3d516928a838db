/* tests/pipeline/test_sandbox.c - each forbidden thing is tried in a child that has entered the sandbox. */
#include <errno.h>
#include <fcntl.h>
#include <fontconfig/fontconfig.h>
#include <glib.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "pipeline/sandbox.h"

/* Exit status of a child that was let do it. */
enum { DID_IT = 0, REFUSED = 1 };

typedef int (*Attempt) (void);

/* Runs attempt in a sandboxed child; returns its wait status. */
static int
try_in_sandbox_with (Attempt attempt, const char *const *readable)
{
  pid_t pid;
  int status;

  pid = fork ();
  g_assert_cmpint (pid, >=, 0);
  if (pid == 0) {
    /* the shell must not print "Bad system call" nor leave a core */
    dp_sandbox_limit (G_GUINT64_CONSTANT (600) << 20);
    dp_sandbox_enter (3, readable);
    _exit (attempt ());
  }
  g_assert_cmpint (waitpid (pid, &status, 0), ==, pid);
  return status;
}

static int
try_in_sandbox (Attempt attempt)
{
  return try_in_sandbox_with (attempt, NULL);
}

static gboolean
killed (int status)
{
  return WIFSIGNALED (status) && WTERMSIG (status) == SIGSYS;
}

static gboolean
refused (int status)
{
  return WIFEXITED (status) && WEXITSTATUS (status) == REFUSED;
}

/* ---- the attempts ------------------------------------------------------------------------------ */

static int
compute (void)
{
  char *p = malloc (1 << 20);

  memset (p, 1, 1 << 20);
  free (p);
  return DID_IT;
}

static int
open_socket (void)
{
  return socket (AF_INET, SOCK_STREAM, 0) >= 0 ? DID_IT : REFUSED;
}

static int
execute (void)
{
  char *argv[] = { (char *) "true", NULL };

  execv ("/bin/true", argv);
  return REFUSED;
}

static int
fork_off (void)
{
  pid_t pid = fork ();

  if (pid == 0)
    _exit (0);
  return pid > 0 ? DID_IT : REFUSED;
}

static int
kill_parent (void)
{
  return kill (getppid (), 0) == 0 ? DID_IT : REFUSED;
}

static int
open_for_writing (void)
{
  return open ("/tmp/docparse-sandbox-test", O_WRONLY | O_CREAT, 0600) >= 0 ? DID_IT : REFUSED;
}

static int
open_null_for_writing (void)
{
  return open ("/dev/null", O_WRONLY) >= 0 ? DID_IT : REFUSED;
}

static int
make_directory (void)
{
  return mkdir ("/tmp/docparse-sandbox-dir", 0700) == 0 ? DID_IT : REFUSED;
}

static int
read_passwords (void)
{
  return open ("/etc/passwd", O_RDONLY) >= 0 ? DID_IT : REFUSED;
}

static int
read_fonts (void)
{
  return open ("/usr/share/fonts", O_RDONLY | O_DIRECTORY) >= 0 ? DID_IT : REFUSED;
}

/* What poppler does for a font that a PDF does not bring: packages of TeX's fonts keep theirs beside the usual places. */
static int
use_fontconfig (void)
{
  FcFontSet *fonts = FcInit () ? FcConfigGetFonts (NULL, FcSetSystem) : NULL;
  FcChar8 *path;

  for (int i = 0; fonts && i < fonts->nfont; i++)
    if (FcPatternGetString (fonts->fonts[i], FC_FILE, 0, &path) == FcResultMatch && g_str_has_prefix ((const char *) path, "/usr/")
        && open ((const char *) path, O_RDONLY | O_CLOEXEC) < 0 && errno == EACCES)
      return REFUSED;
  return fonts && fonts->nfont > 0 ? DID_IT : REFUSED;
}

static int
map_code (void)
{
  return mmap (NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) != MAP_FAILED ? DID_IT : REFUSED;
}

static int
seal_memory (void)
{
  int fd = memfd_create ("x", MFD_CLOEXEC | MFD_ALLOW_SEALING);

  return fd >= 0 && write (fd, "abc", 3) == 3 && fcntl (fd, F_ADD_SEALS, F_SEAL_WRITE) == 0 ? DID_IT : REFUSED;
}

static int
take_memory (void)
{
  return malloc ((gsize) 2 << 30) ? DID_IT : REFUSED;
}

static int
raise_limit (void)
{
  return setrlimit (RLIMIT_AS, &(struct rlimit){ RLIM_INFINITY, RLIM_INFINITY }) == 0 ? DID_IT : REFUSED;
}

static int
give_up (void)
{
  abort ();
}

/* ---- what must come of them ------------------------------------------------------------------------ */

static void
test_allowed (void)
{
  g_assert_cmpint (try_in_sandbox (compute), ==, 0);
  g_assert_cmpint (try_in_sandbox (seal_memory), ==, 0);
  if (g_file_test ("/usr/share/fonts", G_FILE_TEST_IS_DIR)) {
    g_assert_cmpint (try_in_sandbox (read_fonts), ==, 0);
    g_assert_cmpint (try_in_sandbox (use_fontconfig), ==, 0);
  }
}

static gboolean
no_seccomp (void)
{
  g_autofree char *text = dp_sandbox_describe ();

  if (dp_sandbox_has_seccomp () && !strstr (text, "no seccomp"))
    return FALSE;
  g_test_skip ("no seccomp in this build or container");
  return TRUE;
}

static void
test_killed (void)
{
  if (no_seccomp ())
    return;
  g_assert_true (killed (try_in_sandbox (open_socket)));
  g_assert_true (killed (try_in_sandbox (execute)));
  g_assert_true (killed (try_in_sandbox (fork_off)));
  g_assert_true (killed (try_in_sandbox (kill_parent)));
}

static void
test_refused (void)
{
  if (no_seccomp ())
    return;
  g_assert_true (refused (try_in_sandbox (open_for_writing)));
  g_assert_false (g_file_test ("/tmp/docparse-sandbox-test", G_FILE_TEST_EXISTS));
  g_assert_true (refused (try_in_sandbox (open_null_for_writing)));
  g_assert_true (refused (try_in_sandbox (make_directory)));
  g_assert_false (g_file_test ("/tmp/docparse-sandbox-dir", G_FILE_TEST_EXISTS));
  g_assert_true (refused (try_in_sandbox (map_code)));
  g_assert_true (refused (try_in_sandbox (raise_limit)));
}

/* abort() must still look like abort(), that is how crashes are told apart. */
static void
test_abort (void)
{
  int status = try_in_sandbox (give_up);

  g_assert_true (WIFSIGNALED (status));
  g_assert_cmpint (WTERMSIG (status), ==, SIGABRT);
  g_assert_false (WCOREDUMP (status));
}

static void
test_landlock (void)
{
  g_autofree char *text = dp_sandbox_describe ();

  if (strstr (text, "no Landlock")) {
    g_test_skip ("no Landlock in this kernel");
    return;
  }
  g_assert_true (refused (try_in_sandbox (read_passwords)));
  g_assert_true (refused (try_in_sandbox (open_for_writing)));
  /* a place that was named is open, and only for reading */
  g_assert_cmpint (try_in_sandbox_with (read_passwords, (const char *const[]){ "/etc/passwd", NULL }), ==, DID_IT);
  g_assert_true (refused (try_in_sandbox_with (open_for_writing, (const char *const[]){ "/tmp", NULL })));
}

static void
test_memory (void)
{
  if (!dp_sandbox_has_seccomp ()) {
    g_test_skip ("no address space limit under AddressSanitizer");
    return;
  }
  if (g_getenv ("DP_EMULATED")) {
    g_test_skip ("the emulator has no address space limit (.ci/cross.sh)");
    return;
  }
  g_assert_true (refused (try_in_sandbox (take_memory)));
}

static void
test_describe (void)
{
  g_autofree char *text = dp_sandbox_describe ();

  g_assert_true (g_str_has_prefix (text, "separate process, resource limits, "));
  g_assert_nonnull (strstr (text, "Landlock"));
  g_assert_nonnull (strstr (text, "seccomp"));
}

int
main (int argc, char **argv)
{
  int status;

  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/sandbox/allowed", test_allowed);
  g_test_add_func ("/sandbox/killed", test_killed);
  g_test_add_func ("/sandbox/refused", test_refused);
  g_test_add_func ("/sandbox/abort", test_abort);
  g_test_add_func ("/sandbox/landlock", test_landlock);
  g_test_add_func ("/sandbox/memory", test_memory);
  g_test_add_func ("/sandbox/describe", test_describe);
  status = g_test_run ();
  return status;
}
