#!/bin/sh
# Runs every test program of the build (TAP on stdout) and every tests/*/test_*.sh, then
# prints the closing line "N passed, N failed, N skipped".
#   run.sh BUILD [NAME...]     only programs whose path contains one of the names
set -u
build=$1; shift
LC_ALL=C.UTF-8; export LC_ALL
DOCPARSE=$(pwd)/$build/docparse; export DOCPARSE
DP_BUILD=$build; export DP_BUILD
# Libraries without frame pointers: the slow unwinder sees through them, so that the suppressions match.
LSAN_OPTIONS=suppressions=$(pwd)/tests/lsan.supp:print_suppressions=0 ASAN_OPTIONS=fast_unwind_on_malloc=0; export LSAN_OPTIONS ASAN_OPTIONS
passed=0 failed=0 skipped=0
log=$build/tests/log; mkdir -p "$log"

wanted () {
  [ $# -gt 1 ] || return 0
  t=$1; shift
  for n in "$@"; do case $t in *"$n"*) return 0 ;; esac; done
  return 1
}

for source in tests/*/test_*.c tests/*/test_*.sh; do
  [ -e "$source" ] || continue
  wanted "$source" "$@" || continue
  name=${source#tests/}; name=${name%.*}
  out=$log/$(echo "$name" | tr / -).tap
  case $source in
    *.c) "$build/tests/$name" --tap >"$out" 2>"$out.err" </dev/null; rc=$? ;;
    *.sh) sh "$source" >"$out" 2>"$out.err" </dev/null; rc=$? ;;
  esac
  # GLib's harness and our scripts print TAP; nested subtests are indented and do not count.
  p=$(grep -c '^ok ' "$out"); f=$(grep -c '^not ok ' "$out"); s=$(grep -ci '^ok .*# skip' "$out")
  p=$((p - s))
  # "1..0 # SKIP why": the whole program was skipped.
  grep -qi '^1\.\.0 *# skip' "$out" && s=1
  # A program that died, or says nothing, failed even if its last line was "ok".
  if [ $rc -ne 0 ] && [ "$f" -eq 0 ]; then f=1; fi
  if [ $((p + f + s)) -eq 0 ]; then f=1; fi
  passed=$((passed + p)) failed=$((failed + f)) skipped=$((skipped + s))
  if [ "$f" -gt 0 ]; then
    printf 'FAIL  %-44s %s passed, %s failed (exit %s)\n' "$name" "$p" "$f" $rc
    grep -v '^ok ' "$out" | tail -40 | sed 's/^/      /'
    tail -40 "$out.err" | sed 's/^/      /'
  else
    printf 'ok    %-44s %s passed%s\n' "$name" "$p" "$([ "$s" -gt 0 ] && echo ", $s skipped: $(grep -i '# skip' "$out" | sed 's/.*# *[Ss][Kk][Ii][Pp]//' | sort -u | head -2 | tr '\n' ';')")"
  fi
done
echo
echo "$passed passed, $failed failed, $skipped skipped"
[ $failed -eq 0 ]
