/* backends/cpu/cpuid.c - which of the compiled instruction sets this processor can run. */
#include "backends/cpu/cpu.h"

#include <stdlib.h>
#include <string.h>

#define KERNELS(isa)                                                                                                                       \
  {                                                                                                                                        \
    .name = #isa, .gemm = &dp_cpu_gemm_##isa, .row = &dp_cpu_row_##isa, .arith = &dp_cpu_arith_##isa,                                      \
    .attention = &dp_cpu_attention_##isa, .tile = &dp_cpu_tile_##isa, .narrow = &dp_cpu_narrow_##isa,                                      \
  }

static const DpCpuKernels generic = KERNELS (generic);
#if defined(__x86_64__)
static const DpCpuKernels avx2 = KERNELS (avx2), avx512 = KERNELS (avx512), avx512bf16 = KERNELS (avx512bf16);
#endif

guint
dp_cpu_kernels_list (const DpCpuKernels *list[4])
{
  guint n = 0;

  list[n++] = &generic;
#if defined(__x86_64__)
  /* the builtin also asks the system whether it saves the registers */
  gboolean has_avx2 = __builtin_cpu_supports ("avx2") && __builtin_cpu_supports ("fma") && __builtin_cpu_supports ("bmi2");
  gboolean has_avx512 = has_avx2 && __builtin_cpu_supports ("avx512f") && __builtin_cpu_supports ("avx512bw")
                        && __builtin_cpu_supports ("avx512dq") && __builtin_cpu_supports ("avx512vl");
  if (has_avx2) /* every processor with AVX2 has F16C */
    list[n++] = &avx2;
  if (has_avx512)
    list[n++] = &avx512;
  if (has_avx512 && __builtin_cpu_supports ("avx512bf16") && __builtin_cpu_supports ("avx512vnni"))
    list[n++] = &avx512bf16;
#endif
  return n;
}

const DpCpuKernels *
dp_cpu_kernels (void)
{
  const DpCpuKernels *list[4];
  const char *wanted = getenv ("DOCPARSE_CPU_ISA");
  guint n = dp_cpu_kernels_list (list);

  for (guint i = 0; wanted && i < n; i++)
    if (g_str_equal (list[i]->name, wanted))
      return list[i];
  return list[n - 1];
}
