# backends/cpu/build.mk - the kernels of isa/, compiled once per instruction set.
# On x86-64 four times; elsewhere once, in plain C for whatever the compiler's default is.

CPU_ISA_SRC := $(wildcard backends/cpu/isa/*.c)
CPU_ISAS    := generic
# -ffp-contract=fast: a product and a sum may become one fused instruction; -O3 for the unrolling.
# The hot loops are as long as the processor's cache of decoded instructions has room in a few lines: where one begins must not be chance.
CPU_FLAGS   := -O3 -ffp-contract=fast -fno-math-errno -Wno-psabi -falign-functions=64 -falign-loops=64
CPU_MFLAGS_generic :=
ifeq ($(shell $(CC) -dumpmachine | cut -d- -f1),x86_64)
CPU_ISAS    += avx2 avx512 avx512bf16
CPU_MFLAGS_avx2       := -mavx2 -mfma -mf16c -mbmi2
CPU_MFLAGS_avx512     := $(CPU_MFLAGS_avx2) -mavx512f -mavx512bw -mavx512dq -mavx512vl -mprefer-vector-width=512
CPU_MFLAGS_avx512bf16 := $(CPU_MFLAGS_avx512) -mavx512bf16 -mavx512vnni
# Checks make GCC take minutes over each of these; the same sources are checked as generic and avx2.
CPU_MFLAGS_avx512     += $(if $(SANITIZE),-fno-sanitize=all)
CPU_MFLAGS_avx512bf16 += $(if $(SANITIZE),-fno-sanitize=all)
endif

# Fuzzing never gets here, and clang takes minutes over each fully unrolled kernel that it instruments.
CPU_CFLAGS = $(if $(findstring fuzzer,$(SANITIZE)),$(filter-out -fsanitize=% -fno-sanitize%,$(ALL_CFLAGS)),$(ALL_CFLAGS))

EXTRA_OBJ += $(foreach i,$(CPU_ISAS),$(CPU_ISA_SRC:backends/cpu/isa/%.c=$(BUILD)/obj/backends/cpu/isa/%.$(i).o))

define CPU_ISA_RULE
$(BUILD)/obj/backends/cpu/isa/%.$(1).o: backends/cpu/isa/%.c
	@mkdir -p $$(@D)
	@echo "  CC    $$< ($(1))"
	@$$(CC) $$(CPU_CFLAGS) $$(CPU_FLAGS) $$(CPU_MFLAGS_$(1)) -DDP_ISA=$(1) -MMD -MP -c -o $$@ $$<
endef
$(foreach i,$(CPU_ISAS),$(eval $(call CPU_ISA_RULE,$(i))))
