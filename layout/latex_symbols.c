/* layout/latex_symbols.c - Unicode -> LaTeX commands, for what born-digital formulas use.
 *
 * Names are those of LaTeX and amssymb; the characters those of unicode-math's table.
 */
#include "layout/latex.h"

#include <string.h>

typedef struct {
  gunichar ch;
  const char *command;
} Symbol;

/* Ascending. */
static const Symbol symbols[] = {
  /* clang-format off */
  { 0x00a1, "!`" },
  { 0x00a3, "\\pounds" },
  { 0x00a7, "\\S" },
  { 0x00ac, "\\neg" },
  { 0x00b0, "{}^{\\circ}" },
  { 0x00b1, "\\pm" },
  { 0x00b6, "\\P" },
  { 0x00b7, "\\cdot" },
  { 0x00d7, "\\times" },
  { 0x00f7, "\\div" },
  { 0x0127, "\\hbar" },
  { 0x0131, "\\imath" },
  { 0x0237, "\\jmath" },
  { 0x0391, "A" },
  { 0x0392, "B" },
  { 0x0393, "\\Gamma" },
  { 0x0394, "\\Delta" },
  { 0x0395, "E" },
  { 0x0396, "Z" },
  { 0x0397, "H" },
  { 0x0398, "\\Theta" },
  { 0x0399, "I" },
  { 0x039a, "K" },
  { 0x039b, "\\Lambda" },
  { 0x039c, "M" },
  { 0x039d, "N" },
  { 0x039e, "\\Xi" },
  { 0x039f, "O" },
  { 0x03a0, "\\Pi" },
  { 0x03a1, "P" },
  { 0x03a3, "\\Sigma" },
  { 0x03a4, "T" },
  { 0x03a5, "\\Upsilon" },
  { 0x03a6, "\\Phi" },
  { 0x03a7, "X" },
  { 0x03a8, "\\Psi" },
  { 0x03a9, "\\Omega" },
  { 0x03b1, "\\alpha" },
  { 0x03b2, "\\beta" },
  { 0x03b3, "\\gamma" },
  { 0x03b4, "\\delta" },
  { 0x03b5, "\\varepsilon" },
  { 0x03b6, "\\zeta" },
  { 0x03b7, "\\eta" },
  { 0x03b8, "\\theta" },
  { 0x03b9, "\\iota" },
  { 0x03ba, "\\kappa" },
  { 0x03bb, "\\lambda" },
  { 0x03bc, "\\mu" },
  { 0x03bd, "\\nu" },
  { 0x03be, "\\xi" },
  { 0x03bf, "o" },
  { 0x03c0, "\\pi" },
  { 0x03c1, "\\rho" },
  { 0x03c2, "\\varsigma" },
  { 0x03c3, "\\sigma" },
  { 0x03c4, "\\tau" },
  { 0x03c5, "\\upsilon" },
  { 0x03c6, "\\varphi" },
  { 0x03c7, "\\chi" },
  { 0x03c8, "\\psi" },
  { 0x03c9, "\\omega" },
  { 0x03d1, "\\vartheta" },
  { 0x03d5, "\\phi" },
  { 0x03d6, "\\varpi" },
  { 0x03f0, "\\varkappa" },
  { 0x03f1, "\\varrho" },
  { 0x03f4, "\\Theta" },
  { 0x03f5, "\\epsilon" },
  { 0x2010, "-" },
  { 0x2011, "-" },
  { 0x2013, "-" },
  { 0x2014, "-" },
  { 0x2016, "\\|" },
  { 0x2018, "`" },
  { 0x2019, "'" },
  { 0x2020, "\\dagger" },
  { 0x2021, "\\ddagger" },
  { 0x2022, "\\bullet" },
  { 0x2026, "\\ldots" },
  { 0x2030, "\\permil" },
  { 0x2032, "\\prime" },
  { 0x2033, "\\prime\\prime" },
  { 0x2034, "\\prime\\prime\\prime" },
  { 0x203e, "\\bar{}" },
  { 0x2044, "/" },
  { 0x20ac, "\\text{€}" },
  { 0x210f, "\\hbar" },
  { 0x2111, "\\Im" },
  { 0x2113, "\\ell" },
  { 0x2118, "\\wp" },
  { 0x211c, "\\Re" },
  { 0x2127, "\\mho" },
  { 0x2135, "\\aleph" },
  { 0x2136, "\\beth" },
  { 0x2137, "\\gimel" },
  { 0x2190, "\\leftarrow" },
  { 0x2191, "\\uparrow" },
  { 0x2192, "\\to" },
  { 0x2193, "\\downarrow" },
  { 0x2194, "\\leftrightarrow" },
  { 0x2195, "\\updownarrow" },
  { 0x2196, "\\nwarrow" },
  { 0x2197, "\\nearrow" },
  { 0x2198, "\\searrow" },
  { 0x2199, "\\swarrow" },
  { 0x219a, "\\nleftarrow" },
  { 0x219b, "\\nrightarrow" },
  { 0x21a0, "\\twoheadrightarrow" },
  { 0x21a3, "\\rightarrowtail" },
  { 0x21a6, "\\mapsto" },
  { 0x21a9, "\\hookleftarrow" },
  { 0x21aa, "\\hookrightarrow" },
  { 0x21bc, "\\leftharpoonup" },
  { 0x21bd, "\\leftharpoondown" },
  { 0x21be, "\\upharpoonright" },
  { 0x21c0, "\\rightharpoonup" },
  { 0x21c1, "\\rightharpoondown" },
  { 0x21c4, "\\rightleftarrows" },
  { 0x21c6, "\\leftrightarrows" },
  { 0x21cb, "\\leftrightharpoons" },
  { 0x21cc, "\\rightleftharpoons" },
  { 0x21d0, "\\Leftarrow" },
  { 0x21d1, "\\Uparrow" },
  { 0x21d2, "\\Rightarrow" },
  { 0x21d3, "\\Downarrow" },
  { 0x21d4, "\\Leftrightarrow" },
  { 0x21d5, "\\Updownarrow" },
  { 0x21dd, "\\rightsquigarrow" },
  { 0x2200, "\\forall" },
  { 0x2201, "\\complement" },
  { 0x2202, "\\partial" },
  { 0x2203, "\\exists" },
  { 0x2204, "\\nexists" },
  { 0x2205, "\\emptyset" },
  { 0x2206, "\\Delta" },
  { 0x2207, "\\nabla" },
  { 0x2208, "\\in" },
  { 0x2209, "\\notin" },
  { 0x220b, "\\ni" },
  { 0x220f, "\\prod" },
  { 0x2210, "\\coprod" },
  { 0x2211, "\\sum" },
  { 0x2212, "-" },
  { 0x2213, "\\mp" },
  { 0x2214, "\\dotplus" },
  { 0x2215, "/" },
  { 0x2216, "\\setminus" },
  { 0x2217, "*" },
  { 0x2218, "\\circ" },
  { 0x2219, "\\bullet" },
  { 0x221a, "\\surd" },
  { 0x221d, "\\propto" },
  { 0x221e, "\\infty" },
  { 0x2220, "\\angle" },
  { 0x2221, "\\measuredangle" },
  { 0x2223, "\\mid" },
  { 0x2224, "\\nmid" },
  { 0x2225, "\\|" },
  { 0x2226, "\\nparallel" },
  { 0x2227, "\\wedge" },
  { 0x2228, "\\vee" },
  { 0x2229, "\\cap" },
  { 0x222a, "\\cup" },
  { 0x222b, "\\int" },
  { 0x222c, "\\iint" },
  { 0x222d, "\\iiint" },
  { 0x222e, "\\oint" },
  { 0x2234, "\\therefore" },
  { 0x2235, "\\because" },
  { 0x2236, ":" },
  { 0x223c, "\\sim" },
  { 0x223d, "\\backsim" },
  { 0x2240, "\\wr" },
  { 0x2241, "\\nsim" },
  { 0x2242, "\\eqsim" },
  { 0x2243, "\\simeq" },
  { 0x2245, "\\cong" },
  { 0x2247, "\\ncong" },
  { 0x2248, "\\approx" },
  { 0x224a, "\\approxeq" },
  { 0x224d, "\\asymp" },
  { 0x2250, "\\doteq" },
  { 0x2254, ":=" },
  { 0x2255, "=:" },
  { 0x225c, "\\triangleq" },
  { 0x225f, "\\stackrel{?}{=}" },
  { 0x2260, "\\neq" },
  { 0x2261, "\\equiv" },
  { 0x2264, "\\leq" },
  { 0x2265, "\\geq" },
  { 0x2266, "\\leqq" },
  { 0x2267, "\\geqq" },
  { 0x226a, "\\ll" },
  { 0x226b, "\\gg" },
  { 0x226e, "\\nless" },
  { 0x226f, "\\ngtr" },
  { 0x2270, "\\nleq" },
  { 0x2271, "\\ngeq" },
  { 0x2272, "\\lesssim" },
  { 0x2273, "\\gtrsim" },
  { 0x227a, "\\prec" },
  { 0x227b, "\\succ" },
  { 0x227c, "\\preceq" },
  { 0x227d, "\\succeq" },
  { 0x2282, "\\subset" },
  { 0x2283, "\\supset" },
  { 0x2284, "\\not\\subset" },
  { 0x2286, "\\subseteq" },
  { 0x2287, "\\supseteq" },
  { 0x2288, "\\nsubseteq" },
  { 0x228a, "\\subsetneq" },
  { 0x228b, "\\supsetneq" },
  { 0x228e, "\\uplus" },
  { 0x228f, "\\sqsubset" },
  { 0x2290, "\\sqsupset" },
  { 0x2291, "\\sqsubseteq" },
  { 0x2292, "\\sqsupseteq" },
  { 0x2293, "\\sqcap" },
  { 0x2294, "\\sqcup" },
  { 0x2295, "\\oplus" },
  { 0x2296, "\\ominus" },
  { 0x2297, "\\otimes" },
  { 0x2298, "\\oslash" },
  { 0x2299, "\\odot" },
  { 0x229a, "\\circledcirc" },
  { 0x229e, "\\boxplus" },
  { 0x229f, "\\boxminus" },
  { 0x22a0, "\\boxtimes" },
  { 0x22a1, "\\boxdot" },
  { 0x22a2, "\\vdash" },
  { 0x22a3, "\\dashv" },
  { 0x22a4, "\\top" },
  { 0x22a5, "\\perp" },
  { 0x22a7, "\\models" },
  { 0x22a8, "\\vDash" },
  { 0x22a9, "\\Vdash" },
  { 0x22b2, "\\vartriangleleft" },
  { 0x22b3, "\\vartriangleright" },
  { 0x22b4, "\\trianglelefteq" },
  { 0x22b5, "\\trianglerighteq" },
  { 0x22b8, "\\multimap" },
  { 0x22c0, "\\bigwedge" },
  { 0x22c1, "\\bigvee" },
  { 0x22c2, "\\bigcap" },
  { 0x22c3, "\\bigcup" },
  { 0x22c4, "\\diamond" },
  { 0x22c5, "\\cdot" },
  { 0x22c6, "\\star" },
  { 0x22c8, "\\bowtie" },
  { 0x22c9, "\\ltimes" },
  { 0x22ca, "\\rtimes" },
  { 0x22d0, "\\Subset" },
  { 0x22d4, "\\pitchfork" },
  { 0x22ee, "\\vdots" },
  { 0x22ef, "\\cdots" },
  { 0x22f0, "\\iddots" },
  { 0x22f1, "\\ddots" },
  { 0x2308, "\\lceil" },
  { 0x2309, "\\rceil" },
  { 0x230a, "\\lfloor" },
  { 0x230b, "\\rfloor" },
  { 0x2322, "\\frown" },
  { 0x2323, "\\smile" },
  { 0x25a0, "\\blacksquare" },
  { 0x25a1, "\\square" },
  { 0x25b3, "\\triangle" },
  { 0x25b7, "\\triangleright" },
  { 0x25b9, "\\triangleright" },
  { 0x25bd, "\\triangledown" },
  { 0x25c1, "\\triangleleft" },
  { 0x25ca, "\\lozenge" },
  { 0x25cb, "\\bigcirc" },
  { 0x25e6, "\\circ" },
  { 0x25ef, "\\bigcirc" },
  { 0x2605, "\\bigstar" },
  { 0x2660, "\\spadesuit" },
  { 0x2661, "\\heartsuit" },
  { 0x2662, "\\diamondsuit" },
  { 0x2663, "\\clubsuit" },
  { 0x266d, "\\flat" },
  { 0x266e, "\\natural" },
  { 0x266f, "\\sharp" },
  { 0x27c2, "\\perp" },
  { 0x27e8, "\\langle" },
  { 0x27e9, "\\rangle" },
  { 0x27ea, "\\langle\\!\\langle" },
  { 0x27eb, "\\rangle\\!\\rangle" },
  { 0x27f5, "\\longleftarrow" },
  { 0x27f6, "\\longrightarrow" },
  { 0x27f7, "\\longleftrightarrow" },
  { 0x27f8, "\\Longleftarrow" },
  { 0x27f9, "\\Longrightarrow" },
  { 0x27fa, "\\Longleftrightarrow" },
  { 0x27fc, "\\longmapsto" },
  { 0x29f5, "\\setminus" },
  { 0x2a00, "\\bigodot" },
  { 0x2a01, "\\bigoplus" },
  { 0x2a02, "\\bigotimes" },
  { 0x2a04, "\\biguplus" },
  { 0x2a06, "\\bigsqcup" },
  { 0x2a7d, "\\leqslant" },
  { 0x2a7e, "\\geqslant" },
  { 0x2aaf, "\\preceq" },
  { 0x2ab0, "\\succeq" },
  /* clang-format on */
};

const char *
dp_latex_symbol (gunichar c)
{
  guint lo = 0, hi = G_N_ELEMENTS (symbols);

  while (lo < hi) {
    guint mid = lo + (hi - lo) / 2;
    if (symbols[mid].ch < c)
      lo = mid + 1;
    else
      hi = mid;
  }
  return lo < G_N_ELEMENTS (symbols) && symbols[lo].ch == c ? symbols[lo].command : NULL;
}

const char *
dp_latex_accent (gunichar c, gboolean wide)
{
  switch (c) {
  case 0x0300: return "\\grave";
  case 0x0301: return "\\acute";
  case 0x0302: return wide ? "\\widehat" : "\\hat";
  case 0x0303: return wide ? "\\widetilde" : "\\tilde";
  case 0x0304:
  case 0x0305: return wide ? "\\overline" : "\\bar";
  case 0x0306: return "\\breve";
  case 0x0307: return "\\dot";
  case 0x0308: return "\\ddot";
  case 0x030a: return "\\mathring";
  case 0x030c: return "\\check";
  case 0x20d7: return wide ? "\\overrightarrow" : "\\vec";
  case 0x0331:
  case 0x0332: return "\\underline";
  default: return NULL;
  }
}

/* ---- names of functions -------------------------------------------------------------------- */

static const char *const functions[] = { "arccos", "arcsin", "arctan", "arg", "cos", "cosh", "cot", "coth", "csc",  "deg", "dim",
                                         "exp",    "hom",    "ker",    "lg",  "ln",  "log",  "sec", "sin",  "sinh", "tan", "tanh" };
static const char *const limits[] = { "Pr", "det", "gcd", "inf", "lim", "liminf", "limsup", "max", "min", "sup" };

static gboolean
is_listed (const char *const *list, guint n, const char *name)
{
  for (guint i = 0; i < n; i++)
    if (list[i][0] == name[0] && strcmp (list[i], name) == 0)
      return TRUE;
  return FALSE;
}

gboolean
dp_latex_takes_limits (const char *name)
{
  return is_listed (limits, G_N_ELEMENTS (limits), name);
}

gboolean
dp_latex_is_function (const char *name)
{
  return is_listed (functions, G_N_ELEMENTS (functions), name) || dp_latex_takes_limits (name);
}
