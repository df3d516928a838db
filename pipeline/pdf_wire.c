/* pipeline/pdf_wire.c - one message with at most one descriptor; see pdf_wire.h. */
#include "pipeline/pdf_wire.h"

#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define MAX_FDS 8 /* room for more than we want, so that none leaks */

gboolean
dp_wire_send (int socket, gconstpointer data, gsize n, int fd)
{
  union {
    struct cmsghdr header;
    char bytes[CMSG_SPACE (sizeof (int))];
  } control = { 0 };
  struct iovec part = { .iov_base = (gpointer) data, .iov_len = n };
  struct msghdr message = { .msg_iov = &part, .msg_iovlen = 1 };
  gssize sent;

  if (fd >= 0) {
    struct cmsghdr *c = &control.header;

    c->cmsg_level = SOL_SOCKET;
    c->cmsg_type = SCM_RIGHTS;
    c->cmsg_len = CMSG_LEN (sizeof fd);
    memcpy (CMSG_DATA (c), &fd, sizeof fd);
    message.msg_control = &control;
    message.msg_controllen = sizeof control.bytes;
  }
  do
    sent = sendmsg (socket, &message, MSG_NOSIGNAL);
  while (sent < 0 && errno == EINTR);
  return sent == (gssize) n;
}

/* Takes the first descriptor of the message, closes the others. */
static int
take_fd (struct msghdr *message)
{
  int taken = -1;

  for (struct cmsghdr *c = CMSG_FIRSTHDR (message); c; c = CMSG_NXTHDR (message, c)) {
    gsize n_fds = c->cmsg_len > CMSG_LEN (0) ? (c->cmsg_len - CMSG_LEN (0)) / sizeof (int) : 0;

    if (c->cmsg_level != SOL_SOCKET || c->cmsg_type != SCM_RIGHTS)
      continue;
    for (gsize i = 0; i < n_fds; i++) {
      int fd;

      memcpy (&fd, CMSG_DATA (c) + i * sizeof fd, sizeof fd);
      if (taken < 0)
        taken = fd;
      else
        close (fd);
    }
  }
  return taken;
}

gboolean
dp_wire_receive (int socket, gpointer data, gsize n, int *fd)
{
  union {
    struct cmsghdr header;
    char bytes[CMSG_SPACE (MAX_FDS * sizeof (int))];
  } control = { 0 };
  struct iovec part = { .iov_base = data, .iov_len = n };
  struct msghdr message = { .msg_iov = &part, .msg_iovlen = 1, .msg_control = &control, .msg_controllen = sizeof control.bytes };
  gssize got;
  int taken;

  do
    got = recvmsg (socket, &message, MSG_CMSG_CLOEXEC);
  while (got < 0 && errno == EINTR);
  taken = got > 0 ? take_fd (&message) : -1;
  if (got == (gssize) n && !(message.msg_flags & MSG_TRUNC)) {
    if (fd)
      *fd = taken;
    else if (taken >= 0)
      close (taken);
    return TRUE;
  }
  if (taken >= 0)
    close (taken);
  if (got == 0)
    errno = 0;
  else if (got > 0)
    errno = EPROTO;
  return FALSE;
}
