# docparse - see README.md; `make help` lists the targets.
#
#   make            build build/docparse          CC=clang       another compiler
#   make demo       convert samples/ and show     WERROR=1       warnings are errors
#   make check      all tests                     SKIP_DEPS=1    install nothing

VERSION  := 0.1.0
BUILD    ?= build
PREFIX   ?= /usr/local
CC       ?= gcc
WERROR   ?=
SANITIZE ?=

# ---- what we build on (.ci/deps.sh installs it) ------------------------------------------
PKGS      := glib-2.0 gio-2.0 gio-unix-2.0 poppler-glib cairo libpng libcjson libcmark lept libutf8proc libseccomp fontconfig
PKG_CFLAGS = $(shell pkg-config --cflags $(PKGS))
PKG_LIBS   = $(shell pkg-config --libs $(PKGS))

WARN     := -Wall -Wextra -Wshadow -Wstrict-prototypes -Wmissing-prototypes -Wno-missing-field-initializers
# Debian 12's valgrind does not read clang's DWARF 5.
CFLAGS   ?= -O2 -g$(if $(findstring clang,$(CC)), -gdwarf-4)
ALL_CFLAGS = -std=c17 -D_GNU_SOURCE -DDP_VERSION='"$(VERSION)"' -DG_LOG_DOMAIN='"docparse"' -I. $(PKG_CFLAGS) $(WARN) \
             $(if $(WERROR),-Werror) $(SANITIZE) $(CFLAGS) -pthread
# Small libraries, where their archives are installed, go into the program: each shared one costs every start a
# tenth of a millisecond, and a run starts two processes.
static     = $(if $(filter /%,$(shell $(CC) -print-file-name=lib$(1).a)),-l:lib$(1).a,-l$(1))
SMALL      = cmark utf8proc seccomp
LIBS       = -Wl,--as-needed $(foreach l,$(SMALL),$(call static,$(l))) $(PKG_LIBS) -ldl -lm -pthread $(SANITIZE)

.DEFAULT_GOAL := all

ROOMS    := ops backends/reference backends/cpu vlm vlm/protocols layout output pipeline
SRC      := $(filter-out pipeline/main.c,$(foreach r,$(ROOMS),$(sort $(wildcard $(r)/*.c))))
OBJ       = $(SRC:%.c=$(BUILD)/obj/%.o)
LIB       = $(BUILD)/libdocparse.a
BIN       = $(BUILD)/docparse
TESTS     = $(patsubst %.c,$(BUILD)/%,$(sort $(wildcard tests/*/test_*.c)))
BENCHES   = $(patsubst %.c,$(BUILD)/%,$(sort $(wildcard tests/bench/bench_*.c)))
TOOLS     = $(patsubst %.c,$(BUILD)/%,$(sort $(wildcard tests/tools/*.c)))

# The libraries that the program loads itself (layout/library.h), by the names that the linker would use.
soname = $(shell readelf -d "$$($(CC) -print-file-name=lib$(1).so)" | sed -n 's/.*(SONAME).*\[\(.*\)\].*/\1/p')
$(BUILD)/obj/pipeline/late_cairo.o: EXTRA_CFLAGS += -DDP_CAIRO_LIBRARY='"$(call soname,cairo)"'
$(BUILD)/obj/pipeline/late_fontconfig.o: EXTRA_CFLAGS += -DDP_FONTCONFIG_LIBRARY='"$(call soname,fontconfig)"'
$(BUILD)/obj/pipeline/late_png.o: EXTRA_CFLAGS += -DDP_PNG_LIBRARY='"$(call soname,png)"'
$(BUILD)/obj/pipeline/poppler.o: EXTRA_CFLAGS += -DDP_POPPLER_LIBRARY='"$(call soname,poppler-glib)"'
$(BUILD)/obj/pipeline/image_jpeg.o: EXTRA_CFLAGS += -DDP_JPEG_LIBRARY='"$(call soname,jpeg)"'
$(BUILD)/obj/layout/scan_leptonica.o: EXTRA_CFLAGS += -DDP_LEPTONICA_LIBRARY='"$(call soname,lept)"'

# Where plug-ins are installed is compiled in: `make install` with another PREFIX than `make` compiles that again.
$(BUILD)/obj/ops/registry.o: EXTRA_CFLAGS += -DDP_LIBDIR='"$(PREFIX)/lib/docparse"'
$(BUILD)/obj/ops/registry.o: $(BUILD)/obj/prefix
$(BUILD)/obj/prefix:
	@mkdir -p $(@D)
	@echo '$(PREFIX)' >$@
ifneq ($(shell cat $(BUILD)/obj/prefix 2>/dev/null),$(PREFIX))
.PHONY: $(BUILD)/obj/prefix
endif

# Loops over all pixels of a page, which -O2 leaves as they are.
$(patsubst %,$(BUILD)/obj/%.o,layout/scan_ink layout/scan_pixels layout/scan_runs pipeline/image_png pipeline/pdf_image_grey pipeline/pdf_scan): \
  EXTRA_CFLAGS += -O3

# The built-in line model is part of the program.
$(BUILD)/obj/vlm/nano_weights.o: $(wildcard vlm/nano/weights/*)

all: $(BIN)

# Each back end may bring its own objects and flags (instruction sets).
-include $(wildcard backends/*/build.mk)

$(BUILD)/obj/%.o: %.c
	@mkdir -p $(@D)
	@echo "  CC    $<"
	@$(CC) $(ALL_CFLAGS) $(EXTRA_CFLAGS) -MMD -MP -c -o $@ $<

$(LIB): $(OBJ) $(EXTRA_OBJ)
	@echo "  AR    $@"
	@rm -f $@ && ar rcs $@ $^

$(BIN): $(BUILD)/obj/pipeline/main.o $(LIB)
	@echo "  LD    $@"
	@$(CC) $(LDFLAGS) -rdynamic -o $@ $< -Wl,--whole-archive $(LIB) -Wl,--no-whole-archive $(LIBS)

$(BUILD)/tests/%: $(BUILD)/obj/tests/%.o $(LIB)
	@mkdir -p $(@D)
	@echo "  LD    $@"
	@$(CC) $(LDFLAGS) -rdynamic -o $@ $< $(TEST_OBJ_$(notdir $@)) $(LIB) $(LIBS)

-include $(shell find $(BUILD)/obj -name '*.d' 2>/dev/null)

.SECONDARY:
.PHONY: all deps demo check bench soak eval asan fuzz lint install uninstall help clean

deps:
	@[ -n "$(SKIP_DEPS)" ] || sh .ci/deps.sh $(DEPS_FOR)

demo: DEPS_FOR := build
demo: deps
	@$(MAKE) --no-print-directory all
	@sh samples/demo.sh $(BIN)

check: DEPS_FOR := build test
check: deps
	@$(MAKE) --no-print-directory all check-programs
	@sh tests/run.sh $(BUILD)

# random_model: a test asks the program to run one
check-programs: $(BIN) $(TESTS) $(BUILD)/tests/tools/random_model
tools: $(TOOLS)
.PHONY: tools
.PHONY: check-programs

soak: $(BIN)
	@sh tests/soak/run.sh $(BIN)

bench: $(BIN) $(BENCHES)
	@sh tests/bench/run.sh $(BUILD)

eval: $(BIN)
	@sh tests/eval/run.sh $(BIN) "$(or $(EVAL),../shared/eval)"

eval-ocr: $(BIN)
	@sh tests/eval/ocr.sh $(BIN) "$(or $(EVAL),../shared/eval)" $(SETS)
.PHONY: eval-ocr

eval-manuals: $(BIN)
	@sh tests/eval/manuals/run.sh $(BIN) $(BUILD)/manuals $(or $(SEED),1) $(or $(COUNT),66)
.PHONY: eval-manuals

asan:
	@$(MAKE) --no-print-directory check BUILD=build/asan SKIP_DEPS=$(SKIP_DEPS) \
	  SANITIZE="-fsanitize=address,undefined -fno-sanitize-recover=undefined -fno-omit-frame-pointer"

# The tests under an emulator of another processor; NAMES="ops cpu" only those.
cross-%:
	@SKIP_DEPS="$(SKIP_DEPS)" bash .ci/cross.sh $* $(NAMES)

fuzz:
	@sh tests/fuzz/run.sh "$(or $(SECONDS),20)"

# Samples damaged at random, NUMBER=1000 SEED=1; a build with sanitizers (BUILD=, SANITIZE= as for asan) sees the most
mutants: $(BIN)
	@python3 tests/fuzz/mutants.py $(BIN) $(or $(NUMBER),1000) $(or $(SEED),1)
.PHONY: mutants

# Trains the built-in line reader (vlm/nano); says what it needs.  HOURS=, RUN=, PYTHON=, PROCESSES=, TSV=
train:
	@sh vlm/nano/training/train.sh
.PHONY: train

# The line reader in C against PyTorch: PYTHON=venv/bin/python, SHARDS=DIR of drawings (vlm/nano/training/generate.py --dev)
parity: $(BUILD)/tests/tools/nano_lines
	@"$(or $(PYTHON),python3)" tests/vlm/nano_parity.py $< --shards "$(or $(SHARDS),out/nano/dev)"
.PHONY: parity

lint:
	@sh tests/lint.sh

install: $(BIN)
	install -D -m 755 $(BIN) "$(DESTDIR)$(PREFIX)/bin/docparse"
	install -D -m 644 pipeline/docparse.1 "$(DESTDIR)$(PREFIX)/share/man/man1/docparse.1"
	install -D -m 644 pipeline/completion/docparse.bash "$(DESTDIR)$(PREFIX)/share/bash-completion/completions/docparse"
	install -D -m 644 pipeline/completion/_docparse "$(DESTDIR)$(PREFIX)/share/zsh/site-functions/_docparse"
	install -D -m 644 pipeline/completion/docparse.fish "$(DESTDIR)$(PREFIX)/share/fish/vendor_completions.d/docparse.fish"

uninstall:
	rm -f "$(DESTDIR)$(PREFIX)/bin/docparse" "$(DESTDIR)$(PREFIX)/share/man/man1/docparse.1" \
	  "$(DESTDIR)$(PREFIX)/share/bash-completion/completions/docparse" \
	  "$(DESTDIR)$(PREFIX)/share/zsh/site-functions/_docparse" \
	  "$(DESTDIR)$(PREFIX)/share/fish/vendor_completions.d/docparse.fish"

clean:
	rm -rf build

help:
	@echo "all      build $(BIN)"
	@echo "demo     install missing packages, build, convert samples/ and show the Markdown"
	@echo "check    install missing packages, build, run all tests"
	@echo "bench    timings and ratios, measured in one run"
	@echo "train    train the built-in line reader, HOURS=1 PYTHON=venv/bin/python (says what it needs)"
	@echo "parity   the line reader in C against PyTorch, PYTHON=venv/bin/python SHARDS=DIR"
	@echo "soak     1,000 conversions in one process, memory must stay flat"
	@echo "eval     score against EVAL=DIR (default ../shared/eval)"
	@echo "eval-manuals  documents of our own, set by weasyprint, against their HTML, SEED=1 COUNT=66"
	@echo "eval-ocr scans read beside Tesseract, PAGES=6 of each set, SETS=..."
	@echo "asan     the tests under AddressSanitizer and UndefinedBehaviorSanitizer"
	@echo "cross-aarch64  builds for arm64 and runs the tests under qemu, NAMES='ops cpu' only those"
	@echo "fuzz     libFuzzer targets, SECONDS=20 each (needs clang)"
	@echo "mutants  NUMBER=1000 samples damaged at random, SEED=1: no crash, no hang, an honest report"
	@echo "lint     clang-format, cppcheck, who may include whom"
	@echo "install  DESTDIR= PREFIX=$(PREFIX): binary, man page, completions"
