/* pipeline/late_fontconfig.c - fontconfig, linked when it is first called; see late.h. */
#include "pipeline/late.h"

#include <fontconfig/fontconfig.h>

/* clang-format off */
#define FONTCONFIG(F) \
  F (void, FcConfigDestroy, (FcConfig *config), (config)) \
  F (FcStrList *, FcConfigGetCacheDirs, (FcConfig *config), (config)) \
  F (FcStrList *, FcConfigGetConfigDirs, (FcConfig *config), (config)) \
  F (FcStrList *, FcConfigGetFontDirs, (FcConfig *config), (config)) \
  F (FcBool, FcConfigSubstitute, (FcConfig *config, FcPattern *p, FcMatchKind kind), (config, p, kind)) \
  F (void, FcDefaultSubstitute, (FcPattern *pattern), (pattern)) \
  F (void, FcFini, (void), ()) \
  F (FcPattern *, FcFontMatch, (FcConfig *config, FcPattern *p, FcResult *result), (config, p, result)) \
  F (int, FcGetVersion, (void), ()) \
  F (FcBool, FcInit, (void), ()) \
  F (FcConfig *, FcInitLoadConfigAndFonts, (void), ()) \
  F (FcBool, FcLangSetAdd, (FcLangSet *ls, const FcChar8 *lang), (ls, lang)) \
  F (FcLangSet*, FcLangSetCreate, (void), ()) \
  F (void, FcLangSetDestroy, (FcLangSet *ls), (ls)) \
  F (FcLangResult, FcLangSetHasLang, (const FcLangSet *ls, const FcChar8 *lang), (ls, lang)) \
  F (FcBool, FcPatternAddLangSet, (FcPattern *p, const char *object, const FcLangSet *ls), (p, object, ls)) \
  F (FcBool, FcPatternAddString, (FcPattern *p, const char *object, const FcChar8 *s), (p, object, s)) \
  F (FcPattern *, FcPatternCreate, (void), ()) \
  F (void, FcPatternDestroy, (FcPattern *p), (p)) \
  F (FcResult, FcPatternGetLangSet, (const FcPattern *p, const char *object, int n, FcLangSet **ls), (p, object, n, ls)) \
  F (FcResult, FcPatternGetString, (const FcPattern *p, const char *object, int n, FcChar8 ** s), (p, object, n, s)) \
  F (void, FcStrListDone, (FcStrList *list), (list)) \
  F (FcChar8 *, FcStrListNext, (FcStrList *list), (list))
/* clang-format on */

DP_LATE_LIBRARY (FONTCONFIG, DP_FONTCONFIG_LIBRARY)
