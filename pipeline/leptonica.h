/* pipeline/leptonica.h - the functions of Leptonica that pipeline/pictures.c uses; see library.h. */
#pragma once

#include <leptonica/allheaders.h>

#include "pipeline/library.h"

G_BEGIN_DECLS

#define DP_LEPTONICA_FUNCTIONS(F)                                                                                                          \
  F (getImagelibVersions)                                                                                                                  \
  F (getLeptonicaVersion)                                                                                                                  \
  F (lept_free)                                                                                                                            \
  F (pixConvertTo32)                                                                                                                       \
  F (pixDestroy)                                                                                                                           \
  F (pixFlipLR)                                                                                                                            \
  F (pixFlipTB)                                                                                                                            \
  F (pixGetData)                                                                                                                           \
  F (pixGetHeight)                                                                                                                         \
  F (pixGetWidth)                                                                                                                          \
  F (pixGetWpl)                                                                                                                            \
  F (pixGetXRes)                                                                                                                           \
  F (pixReadHeaderMem)                                                                                                                     \
  F (pixReadMem)                                                                                                                           \
  F (pixReadMemTiff)                                                                                                                       \
  F (pixRemoveAlpha)                                                                                                                       \
  F (pixRotateOrth)                                                                                                                        \
  F (readHeaderMemTiff)                                                                                                                    \
  F (setMsgSeverity)                                                                                                                       \
  F (tiffGetCount)

typedef struct {
#define DP_LEPTONICA_MEMBER(name) __typeof__ (&name) name;
  DP_LEPTONICA_FUNCTIONS (DP_LEPTONICA_MEMBER)
#undef DP_LEPTONICA_MEMBER
} DpLeptonica;

/* The functions, or NULL and a DP_LIBRARY_ERROR if Leptonica is not there; the first call loads it. */
const DpLeptonica *dp_leptonica_load (GError **error);
/* The same for those who know that it is loaded: NULL cannot be, else the process ends. */
const DpLeptonica *dp_leptonica (void);

G_END_DECLS
