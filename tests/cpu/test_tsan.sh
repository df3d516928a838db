#!/bin/sh
# The team's own test once more, built with ThreadSanitizer: races that a run on few processors does not show.
set -u
dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT
echo 1..1

if [ -n "${DP_EMULATED:-}" ]; then echo "ok 1 - team # SKIP not under an emulator (.ci/cross.sh)"; exit 0; fi
for cc in "${CC:-gcc}" clang gcc; do
  printf 'int main (void) { return 0; }\n' >"$dir/probe.c"
  # the probe must also run: some kernels lay memory out in a way the runtime does not take
  $cc -fsanitize=thread "$dir/probe.c" -o "$dir/probe" 2>/dev/null && "$dir/probe" 2>/dev/null && break
  cc=
done
[ -n "$cc" ] || { echo "ok 1 - team # SKIP no compiler with ThreadSanitizer"; exit 0; }

# shellcheck disable=SC2046
if $cc -std=c17 -D_GNU_SOURCE -I. -O1 -g -fsanitize=thread $(pkg-config --cflags glib-2.0) backends/cpu/team.c tests/cpu/test_team.c \
     -o "$dir/team" $(pkg-config --libs glib-2.0) -pthread >"$dir/out" 2>&1 \
   && TSAN_OPTIONS=halt_on_error=1 "$dir/team" >>"$dir/out" 2>&1
then echo "ok 1 - team"
else sed 's/^/# /' "$dir/out"; echo "not ok 1 - team"; exit 1
fi
