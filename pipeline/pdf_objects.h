/* pipeline/pdf_objects.h - a small reader of a PDF's own bytes: objects, object streams, keys of dictionaries.
 *
 * For the little that poppler-glib does not tell, or not without cost (pdf_units.h).  Input may be anything: nothing is believed, time and
 * memory are linear in the file, and what cannot be read is as if it were not there.
 */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* Bytes still to be read; a value of the file begins at p. */
typedef struct {
  const guint8 *p, *end;
} DpPdfText;

typedef struct {
  GArray *list;        /* DpPdfText: what follows "obj" */
  GHashTable *index;   /* number of an object -> 1 + its place in list */
  GPtrArray *inflated; /* GByteArray: what the texts of object streams point into */
  gsize n_inflated;    /* bytes */
  const char *word;
  gboolean has_word; /* it stands in the file or in an object stream */
  guint root;        /* number of the catalogue; 0 = not found */
  gssize budget;     /* bytes of dictionaries that may still be looked at; below 0 nothing is found any more */
} DpPdfObjects;

/* Fills objects (new) from size bytes at data, which must stay.  Where neither the word nor object streams are
 * in the file nothing is read.  Not decoded: encrypted object streams, filters but FlateDecode, names in escapes. */
void dp_pdf_objects_read (DpPdfObjects *objects, gconstpointer data, gsize size, const char *word);
void dp_pdf_objects_clear (DpPdfObjects *objects);

/* The object of that number; FALSE if there is none. */
gboolean dp_pdf_objects_find (const DpPdfObjects *objects, guint number, DpPdfText *body);
/* If value is a reference, what it refers to; FALSE if that is not there. */
gboolean dp_pdf_objects_resolve (const DpPdfObjects *objects, DpPdfText *value);

/* The value behind a key ("/Kids") of the dictionary that t begins with. */
gboolean dp_pdf_text_key (DpPdfObjects *objects, DpPdfText t, const char *key, DpPdfText *value);
/* Whether it is that name ("/Page"). */
gboolean dp_pdf_text_key_is (DpPdfObjects *objects, DpPdfText t, const char *key, const char *name);

/* Appends the decoded bytes of the stream that body is, as far as they are good, and room bytes at most; FALSE if it is
 * none or has other filters than one FlateDecode without predictor. */
gboolean dp_pdf_objects_stream (DpPdfObjects *objects, DpPdfText body, gsize room, GByteArray *out);

/* The bytes of the stream that body is, as they are stored; FALSE if it is none. */
gboolean dp_pdf_objects_stored (DpPdfObjects *objects, DpPdfText body, DpPdfText *bytes);
/* Appends the bytes of a zlib stream, as far as they are good, and room bytes at most. */
void dp_pdf_inflate (DpPdfText data, gsize room, GByteArray *out);
/* The whole number behind a key of a dictionary, or behind its reference; FALSE if there is none. */
gboolean dp_pdf_objects_integer (DpPdfObjects *objects, DpPdfText dictionary, const char *key, guint *number);

/* Past white space and comments. */
void dp_pdf_text_space (DpPdfText *t);
/* TRUE and past them if t goes on with these bytes. */
gboolean dp_pdf_text_accept (DpPdfText *t, const char *bytes);
/* "N G R": the number of the object; FALSE, and t where it was, if it is none. */
gboolean dp_pdf_text_reference (DpPdfText *t, guint *number);
/* Past one value, whatever it is; FALSE at the end of the text or of the brackets around it. */
gboolean dp_pdf_text_skip (DpPdfText *t);
/* A whole number from 0 on; FALSE, and t anywhere, if it is none. */
gboolean dp_pdf_text_integer (DpPdfText *t, guint *number);
/* A name without its slash, "#20" decoded, cut off at size - 1 bytes; FALSE, and t where it was, if it is none. */
gboolean dp_pdf_text_name (DpPdfText *t, char *name, gsize size);
/* A number in PDF's own form (no exponents): FALSE, and t anywhere, if it is none. */
gboolean dp_pdf_text_real (DpPdfText *t, double *number);

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (DpPdfObjects, dp_pdf_objects_clear)

G_END_DECLS
