#!/bin/sh
# Every sample beside the Markdown a careful person would type (samples/NAME.md): one TAP
# line each, a unified diff (typed first, ours second) where they differ.
# Also: the PDFs are what samples/make.py gives from their sources.
#   test_goldens.sh [NAME...]
set -u
cd "$(dirname "$0")/../.." || exit 1
: "${DOCPARSE:=$(pwd)/build/docparse}"
out=${DP_BUILD:-build}/tests/goldens
rm -rf "$out"; mkdir -p "$out"
failed=0 n=0

not_ok () { failed=1; echo "not ok $n - $1"; }

for typed in samples/*.md; do
  name=$(basename "$typed" .md)
  [ "$name" != README ] || continue
  if [ $# -gt 0 ]; then case " $* " in *" $name "*) ;; *) continue ;; esac; fi
  n=$((n + 1))
  "$DOCPARSE" "samples/$name.pdf" -o "$out/$name.md" --images placeholder -q 2>"$out/$name.err"; rc=$?
  if [ $rc -ne 0 ]; then
    not_ok "$name: exit code $rc"; sed 's/^/# /' "$out/$name.err"
  elif diff -u --label "typed: $typed" --label "docparse samples/$name.pdf" "$typed" "$out/$name.md" >"$out/$name.diff" 2>&1; then
    echo "ok $n - $name"
  else
    not_ok "$name"; sed 's/^/# /' "$out/$name.diff"
  fi
done

if [ $# -eq 0 ]; then
  n=$((n + 1))
  if ! [ -e /usr/share/fonts/truetype/dejavu/DejaVuSerifCondensed-Italic.ttf ]; then
    echo "ok $n - samples come from their sources # SKIP the fonts are not installed (fonts-dejavu)"
  elif python3 samples/make.py --check >"$out/sources" 2>&1; then
    echo "ok $n - samples come from their sources"
  else
    not_ok "samples come from their sources (run samples/make.py)"; sed 's/^/# /' "$out/sources"
  fi
fi
echo "1..$n"
exit $failed
