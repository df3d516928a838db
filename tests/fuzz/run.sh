#!/bin/sh
# Builds every tests/fuzz/fuzz_*.c with libFuzzer and both sanitizers and runs each.
#   run.sh [SECONDS [NAME...]]    20 seconds each; only targets whose name contains one of the names
# Corpora stay in build/fuzz/corpus; an input that crashes a target is left in build/fuzz and named.
# A target that is called with "--seed DIR" writes inputs to start from, if it knows how.
set -u
seconds=${1:-20}; [ $# -gt 0 ] && shift
cd "$(dirname "$0")/../.." || exit 1
build=build/fuzz
CC=${FUZZ_CC:-clang}
command -v "$CC" >/dev/null || { echo "fuzz: needs clang (apt-get install clang libclang-rt-14-dev)" >&2; exit 1; }

mkdir -p $build
# The library once, instrumented; then each target on top of it.
make --no-print-directory -s BUILD=$build CC="$CC" SANITIZE="-fsanitize=fuzzer-no-link,address,undefined -fno-sanitize-recover=undefined" \
  CFLAGS="-O1 -g -fno-omit-frame-pointer" $build/libdocparse.a >$build/make.log 2>&1 || { tail -20 $build/make.log >&2; exit 1; }
packages=$(sed -n 's/^PKGS *:= *//p' Makefile)

wanted () {
  t=$1; shift
  [ $# -gt 0 ] || return 0
  for n in "$@"; do case $t in *"$n"*) return 0 ;; esac; done
  return 1
}

bad=0 ran=0
for source in tests/fuzz/fuzz_*.c; do
  [ -e "$source" ] || continue
  name=$(basename "$source" .c)
  wanted "$name" "$@" || continue
  # shellcheck disable=SC2046
  "$CC" -std=c17 -D_GNU_SOURCE -DG_LOG_DOMAIN='"docparse"' -DDP_VERSION='"fuzz"' -I. -O1 -g -fno-omit-frame-pointer -pthread \
    -fsanitize=fuzzer,address,undefined -fno-sanitize-recover=undefined $(pkg-config --cflags $packages) \
    -o "$build/$name" "$source" $build/libdocparse.a $(pkg-config --libs $packages) -ldl -lm ||
    { echo "$name: does not build" >&2; bad=1; continue; }
  corpus=$build/corpus/$name; mkdir -p "$corpus"
  grep -q -e '"--seed"' "$source" && "$build/$name" --seed "$corpus" >/dev/null 2>&1
  log=$build/$name.log
  ASAN_OPTIONS=detect_leaks=1 "$build/$name" -max_total_time="$seconds" -timeout=10 -rss_limit_mb=1024 -max_len=16384 \
    -artifact_prefix="$build/$name-" -print_final_stats=1 "$corpus" >"$log" 2>&1
  rc=$?
  executions=$(sed -n 's/^stat::number_of_executed_units: *//p' "$log")
  covered=$(sed -n 's/.*cov: \([0-9]*\).*/\1/p' "$log" | tail -1)
  if [ $rc -eq 0 ] && [ -n "$executions" ]; then
    echo "ok    $name: $executions executions in ${seconds} s, ${covered:-?} branches seen, corpus of $(ls "$corpus" | wc -l)"
    ran=$((ran + 1))
  else
    echo "FAIL  $name (exit $rc), see $log"
    grep -E '^(==|SUMMARY|artifact)|ERROR:|runtime error' "$log" | head -5 | sed 's/^/      /'
    bad=1
  fi
done
[ $ran -gt 0 ] || { echo "fuzz: nothing ran" >&2; bad=1; }
exit $bad
