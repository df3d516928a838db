#!/bin/sh
# docparse under valgrind on two samples, in the PDF child too: no errors, nothing lost.
# valgrind runs many system calls of its own, so the sandbox stays off here.
set -u
cd "$(dirname "$0")/../.." || exit 1
: "${DOCPARSE:=$(pwd)/build/docparse}"
out=${DP_BUILD:-build}/tests/valgrind
rm -rf "$out"; mkdir -p "$out"
if [ -n "${DP_EMULATED:-}" ]; then echo "ok 1 - valgrind # SKIP not under an emulator (.ci/cross.sh)"; echo "1..1"; exit 0; fi
if ! command -v valgrind >/dev/null; then
  echo "ok 1 - valgrind # SKIP valgrind is not installed"; echo "1..1"; exit 0
fi
if nm "$DOCPARSE" 2>/dev/null | grep -q __asan_init; then
  echo "ok 1 - valgrind # SKIP the program is built with AddressSanitizer"; echo "1..1"; exit 0
fi
failed=0 n=0
for name in table-spans footnotes; do
  n=$((n + 1))
  # only definite losses count: GLib, fontconfig and the C++ run-time keep what they once made
  DOCPARSE_NO_SANDBOX=1 G_SLICE=always-malloc valgrind -q --trace-children=yes --error-exitcode=99 --leak-check=full \
    --errors-for-leak-kinds=definite --show-leak-kinds=definite --log-file="$out/$name.%p" \
    "$DOCPARSE" "samples/$name.pdf" -o "$out/$name.md" --jobs 1 --page-timeout 120 -q 2>"$out/$name.err"; rc=$?
  if [ $rc -eq 0 ] && [ -s "$out/$name.md" ] && ! cat "$out/$name".[0-9]* | grep -q '^==[0-9]*== [A-Z]'; then
    echo "ok $n - $name"
  else
    failed=1; echo "not ok $n - $name (exit code $rc)"; cat "$out/$name.err" "$out/$name".[0-9]* | head -60 | sed 's/^/# /'
  fi
done
echo "1..$n"
exit $failed
