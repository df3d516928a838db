/* pipeline/pdf_wire.h - the words that parent and child say to each other.
 *
 * One SOCK_SEQPACKET pair; the child has its end as descriptor 3.  The child says HELLO
 * when it is ready, then answers every request but CLOSE with one reply.  OPEN carries the input's
 * descriptor, TEXT that of a file of words (text_pages.h) and gets an update of the PDF (pdf_update.h), a good reply to INFO, PAGE or RENDER a sealed memory file (bundle.h), one to LOOK sometimes.
 * The parent checks every field of a reply; the child trusts the parent.
 */
#pragma once

#include "layout/page.h"
#include "pipeline/pdf_limits.h"

G_BEGIN_DECLS

#define DP_WIRE_MAGIC 0x57445044u /* "DPDW" */
#define DP_WIRE_FD 3
#define DP_WIRE_MAX_PASSWORD 512 /* bytes; PDF 2.0 uses the first 127 */

/* Exit status of a child that ran out of memory; crashes end with their signal. */
#define DP_WIRE_EXIT_MEMORY 12

typedef enum { DP_WIRE_OPEN = 1, DP_WIRE_INFO, DP_WIRE_PAGE, DP_WIRE_RENDER, DP_WIRE_LOOK, DP_WIRE_TEXT, DP_WIRE_CLOSE } DpWireOp;

typedef struct {
  guint32 magic;
  guint32 op; /* DpWireOp */
  guint32 number;
  guint32 grey;          /* RENDER; LOOK: a picture of what was seen is wanted */
  guint32 width, height; /* LOOK: pixels of the image */
  DpRect box;
  double dpi;
  DpPdfLimits limits;                  /* OPEN */
  guint32 has_password;                /* OPEN */
  char password[DP_WIRE_MAX_PASSWORD]; /* NUL-terminated */
} DpWireRequest;

/* HELLO is a reply with status OK before any request. */
typedef enum { DP_WIRE_OK = 1, DP_WIRE_NOT_PDF, DP_WIRE_PASSWORD, DP_WIRE_FAILED } DpWireStatus;

typedef struct {
  guint32 magic;
  guint32 status;      /* DpWireStatus */
  guint32 n_pages;     /* OPEN */
  guint32 is_picture;  /* OPEN */
  guint32 may_be_text; /* LOOK */
  guint32 single;      /* LOOK: no other image of the file has its size */
  guint32 worn;        /* 1 = take a new process for the next request, this one has leaked */
  char message[476];   /* a sentence if status is not OK; NUL-terminated UTF-8 */
} DpWireReply;

/* Sends n bytes, with descriptor fd if it is not -1.  FALSE: errno says why (EPIPE: the
 * other side is gone). */
gboolean dp_wire_send (int socket, gconstpointer data, gsize n, int fd);

/* Receives a message of exactly n bytes and, if fd is not NULL, the descriptor that came
 * with it (-1 = none; close-on-exec).  Surplus descriptors are closed.  FALSE with errno 0: the other side is
 * gone; EPROTO: a message of another size. */
gboolean dp_wire_receive (int socket, gpointer data, gsize n, int *fd);

G_END_DECLS
