#!/bin/sh
# make train: corpus, fonts, drawings, HOURS of training (the rate falls over the last fifth), weights, an evaluation.
# Run it again and the trunk goes on where it stopped.
#   HOURS=3  RUN=out/nano  PYTHON=python3  SEED=1  PROCESSES=1 (generators)  TSV=lines.tsv (real lines, to judge only)
#   WARM=FILE (a state to start from, warm.py)  OUT=vlm/nano/weights  COMPILE=1 (needs a C++ compiler; a quarter faster)
set -eu
here=$(cd "$(dirname "$0")" && pwd)
HOURS=${HOURS:-1} RUN=${RUN:-out/nano} PYTHON=${PYTHON:-python3} SEED=${SEED:-1} PROCESSES=${PROCESSES:-1} OUT=${OUT:-$here/../weights}
# freed pages stay with the process: page faults cost an eighth of a step otherwise
export MALLOC_MMAP_THRESHOLD_=33554432 MALLOC_TRIM_THRESHOLD_=1073741824 OMP_NUM_THREADS=1

if ! "$PYTHON" -c 'import torch, numpy, PIL, safetensors' 2>/dev/null || ! command -v fc-list >/dev/null; then
  echo "make train needs Python 3.11 with the packages of vlm/nano/training/requirements.txt (PYTHON=VENV/bin/python),"
  echo "fontconfig, and the Debian packages with fonts and texts that vlm/nano/training/README.md lists."
  exit 2
fi
mkdir -p "$RUN/data"
[ -s "$RUN/data/words.txt" ] || "$PYTHON" "$here/corpus.py" "$RUN/data"
[ -s "$RUN/data/fonts.json" ] || "$PYTHON" "$here/fonts.py" "$RUN/data/fonts.json"
[ -s "$RUN/dev/shard000000.bin" ] || "$PYTHON" "$here/generate.py" "$RUN/data" "$RUN/dev" --dev --count 1 --lines 1500 --seed "$SEED"

generators=
i=0
while [ $i -lt "$PROCESSES" ]; do
  nice -n 5 "$PYTHON" "$here/generate.py" "$RUN/data" "$RUN/shards" --first $i --step "$PROCESSES" --seed "$SEED" --ahead "$RUN/reached" 12 >>"$RUN/generate$i.log" 2>&1 &
  generators="$generators $!"
  i=$((i + 1))
done
# shellcheck disable=SC2086
trap 'kill $generators 2>/dev/null || :' EXIT INT TERM

"$PYTHON" "$here/train.py" "$RUN" --shards "$RUN/shards" --seed "$SEED" --hours "$HOURS" --decay "$(awk "BEGIN { print $HOURS * 0.22 }")" ${COMPILE:+--compile} \
  ${WARM:+--warm "$WARM"} | tee -a "$RUN/train.log"
"$PYTHON" "$here/export.py" "$RUN/cooled.pt" "$OUT"
"$PYTHON" "$here/evaluate.py" "$OUT" --dev "$RUN/dev" | tee -a "$RUN/evaluate.log"
[ -z "${TSV:-}" ] || "$PYTHON" "$here/evaluate.py" "$OUT" --tsv "$TSV" | tee -a "$RUN/evaluate.log"
