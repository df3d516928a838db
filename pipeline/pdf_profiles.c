/* pipeline/pdf_profiles.c - see pdf_profiles.h. */
#include "pipeline/pdf_profiles.h"

#include <dlfcn.h>
#include <string.h>

/* As in lcms2.h, of which no more is needed; a transform is opaque. */
void cmsDoTransform (gpointer transform, gconstpointer from, gpointer to, guint32 n);
typedef void DoTransform (gpointer transform, gconstpointer from, gpointer to, guint32 n);
typedef guint32 GetFormat (gpointer transform);

/* Formats: meaning of the colours, their number, bytes of each.  poppler leaves the meaning of what an image holds to its
 * profile; bit 21 says that the library knows a short cut. */
#define FORMAT(meaning, n, bytes) ((guint32) (meaning) << 16 | (guint32) (n) << 3 | (bytes))
#define ONE_8 FORMAT (0, 1, 1)
#define THREE_8 FORMAT (0, 3, 1)
#define RGB_8 FORMAT (4, 3, 1)
#define SHORT_CUT (1u << 21)

static _Thread_local gboolean ignored;

void
dp_pdf_ignore_profiles (gboolean ignore)
{
  ignored = ignore;
}

typedef struct {
  DoTransform *transform;
  GetFormat *input, *output;
} Lcms;

/* The library's own functions; it is there, or nobody would call. */
static const Lcms *
lcms (void)
{
  static Lcms functions;

  if (!functions.transform) {
    functions.input = (GetFormat *) dlsym (RTLD_NEXT, "cmsGetTransformInputFormat");
    functions.output = (GetFormat *) dlsym (RTLD_NEXT, "cmsGetTransformOutputFormat");
    functions.transform = (DoTransform *) dlsym (RTLD_NEXT, "cmsDoTransform");
  }
  return &functions;
}

static gboolean
copied (const Lcms *own, gpointer transform, const guint8 *from, guint8 *to, guint32 n)
{
  const guint32 input = own->input (transform) & ~SHORT_CUT, output = own->output (transform) & ~SHORT_CUT;

  if (output != RGB_8 || (input != THREE_8 && input != ONE_8))
    return FALSE;
  if (input == THREE_8)
    memmove (to, from, 3 * (gsize) n);
  else
    for (gsize i = 0; i < n; i++)
      to[3 * i] = to[3 * i + 1] = to[3 * i + 2] = from[i];
  return TRUE;
}

void
cmsDoTransform (gpointer transform, gconstpointer from, gpointer to, guint32 n)
{
  const Lcms *own = lcms ();

  if (!ignored || !copied (own, transform, from, to, n))
    own->transform (transform, from, to, n);
}
