#!/bin/sh
# The engine's own test once more with ThreadSanitizer: what asks, waits and takes back runs beside what answers.  Only the
# engine and the test are built with it; the rest comes from the library as it is.
# GLib's own allocator is left out, as its locks cannot be seen.
set -u
dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT
echo 1..1

if [ -n "${DP_EMULATED:-}" ]; then echo "ok 1 - engine # SKIP not under an emulator (.ci/cross.sh)"; exit 0; fi
for cc in "${CC:-gcc}" clang gcc; do
  printf 'int main (void) { return 0; }\n' >"$dir/probe.c"
  # the probe must also run: some kernels lay memory out in a way the runtime does not take
  $cc -fsanitize=thread "$dir/probe.c" -o "$dir/probe" 2>/dev/null && "$dir/probe" 2>/dev/null && break
  cc=
done
[ -n "$cc" ] || { echo "ok 1 - engine # SKIP no compiler with ThreadSanitizer"; exit 0; }
case ${DP_BUILD:-build} in *asan*) echo "ok 1 - engine # SKIP the library is built with another sanitizer"; exit 0 ;; esac

packages="glib-2.0 gio-2.0 gio-unix-2.0 cairo libpng libcjson libcmark libutf8proc"
# shellcheck disable=SC2046,SC2086
if $cc -std=c17 -D_GNU_SOURCE -DG_LOG_DOMAIN='"docparse"' -I. -O1 -g -fsanitize=thread $(pkg-config --cflags $packages) \
     vlm/engine*.c vlm/kv_pages.c vlm/loop_guard.c vlm/prompt.c tests/vlm/test_engine.c -o "$dir/engine" \
     "${DP_BUILD:-build}/libdocparse.a" $(pkg-config --libs $packages) -ldl -lm -pthread >"$dir/out" 2>&1 \
   && G_SLICE=always-malloc TSAN_OPTIONS=halt_on_error=1 "$dir/engine" >>"$dir/out" 2>&1
then echo "ok 1 - engine"
else sed 's/^/# /' "$dir/out"; echo "not ok 1 - engine"; exit 1
fi
