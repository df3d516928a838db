#!/bin/sh
# make bench: speed of the PDF path beside other programs, then every bench program of the build.
#   run.sh BUILD [pdf|NAME...]
# Environment: EVAL (evaluation documents, default ../shared/eval), ROUNDS (default 5), MODEL (a model folder for bench_model and
# bench_engine; build/tests/tools/random_model DIR mineru writes one of real size).
set -u
build=$1; shift
cd "$(dirname "$0")/../.." || exit 1

wanted () { [ $# -eq 1 ] || { t=$1; shift; case " $* " in *" $t "*) ;; *) return 1 ;; esac; }; }

if wanted pdf "$@"; then
  python3 tests/bench/bench_pdf.py "$build/docparse" "${EVAL:-../shared/eval}" "${ROUNDS:-5}" || exit 1
fi
for program in "$build"/tests/bench/bench_*; do
  [ -x "$program" ] && [ -f "$program" ] || continue
  name=$(basename "$program"); name=${name#bench_}
  wanted "$name" "$@" || continue
  echo; echo "== $name"
  "$program" || exit 1
done
