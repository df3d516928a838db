/* pipeline/inputs.h - which documents a command line means.
 *
 * An argument is a file, a directory (searched with all its subdirectories for PDF, PNG,
 * JPEG and TIFF names) or "-" for standard input.  A file named on the command line is
 * taken whatever it is called.
 */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

typedef struct {
  char *path;     /* as the user gave it, in any bytes; "-" = stdin */
  char *relative; /* its place in the input tree: "sub/a.pdf" for DIR/sub/a.pdf, "a.pdf" for a file */
  char *problem;  /* a sentence why there is nothing to read, or NULL */
} DpInput;

void dp_input_free (DpInput *input);

/* The documents of n arguments in order, those of a directory sorted by name.  What is not
 * there, or holds no document, comes as an input with a problem.  Hidden files are passed
 * over, as are symbolic links to directories and what docparse wrote itself beside a
 * document (STEM_images/, STEM_layout.pdf).  Free with g_ptr_array_unref. */
GPtrArray *dp_inputs_collect (char *const *arguments, guint n);

/* TRUE if there is more to come than one document: several arguments or a directory. */
gboolean dp_inputs_are_many (char *const *arguments, guint n);

/* TRUE if the name ends as those of pictures do. */
gboolean dp_input_is_named_picture (const char *name);

/* Length of the name without the ending of a document (".pdf", ".PNG", ...); the whole
 * length if it has none of those. */
gsize dp_input_stem_length (const char *name);

G_END_DECLS
