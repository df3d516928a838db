/* layout/scan_leptonica.h - the functions of Leptonica that layout/scan*.c and pipeline/pictures.c use; see library.h. */
#pragma once

#include <leptonica/allheaders.h>

#include "layout/library.h"

G_BEGIN_DECLS

#define DP_LEPTONICA_FUNCTIONS(F)                                                                                                          \
  F (boxCreate)                                                                                                                            \
  F (boxDestroy)                                                                                                                           \
  F (getImagelibVersions)                                                                                                                  \
  F (getLeptonicaVersion)                                                                                                                  \
  F (lept_free)                                                                                                                            \
  F (pixClipRectangle)                                                                                                                     \
  F (pixBlockconv)                                                                                                                         \
  F (pixCloseBrick)                                                                                                                        \
  F (pixConvertTo32)                                                                                                                       \
  F (pixCopy)                                                                                                                              \
  F (pixCountPixels)                                                                                                                       \
  F (pixCountPixelsInRect)                                                                                                                 \
  F (pixCreate)                                                                                                                            \
  F (pixDestroy)                                                                                                                           \
  F (pixEndianByteSwap)                                                                                                                    \
  F (pixFindSkewSweepAndSearchScore)                                                                                                       \
  F (pixFlipLR)                                                                                                                            \
  F (pixFlipTB)                                                                                                                            \
  F (pixGetBackgroundGrayMap)                                                                                                              \
  F (pixGetData)                                                                                                                           \
  F (pixGetHeight)                                                                                                                         \
  F (pixGetInvBackgroundMap)                                                                                                               \
  F (pixGetWidth)                                                                                                                          \
  F (pixGetWpl)                                                                                                                            \
  F (pixGetXRes)                                                                                                                           \
  F (pixInvert)                                                                                                                            \
  F (pixOpenBrick)                                                                                                                         \
  F (pixRasterop)                                                                                                                          \
  F (pixReadHeaderMem)                                                                                                                     \
  F (pixReadMem)                                                                                                                           \
  F (pixReadMemTiff)                                                                                                                       \
  F (pixReduceRankBinaryCascade)                                                                                                           \
  F (pixRemoveAlpha)                                                                                                                       \
  F (pixRotate180)                                                                                                                         \
  F (pixRotateOrth)                                                                                                                        \
  F (pixScaleAreaMap2)                                                                                                                     \
  F (pixSeedfillBinary)                                                                                                                    \
  F (pixThresholdToBinary)                                                                                                                 \
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
