#!/bin/sh
# make eval-manuals: documents of our own in many faces, set by weasyprint (Debian's package or WEASYPRINT_PYTHON, an interpreter
# that has it), converted and judged against their HTML.
#   run.sh DOCPARSE OUT [SEED [COUNT]]
set -u
docparse=$1 out=$2 seed=${3:-1} count=${4:-66}
here=$(dirname "$0")
python=${WEASYPRINT_PYTHON:-python3}
if ! "$python" -c 'import weasyprint' 2>/dev/null; then
  echo "eval-manuals: skipped, no weasyprint (apt-get install weasyprint)" >&2
  exit 0
fi
set_=$out/$seed-$count
[ -d "$set_/pdf" ] || { nice -n 10 "$python" "$here/make.py" "$seed" "$count" "$set_.new" 2>"$out.log" && mv "$set_.new" "$set_"; } || { cat "$out.log" >&2; exit 1; }
rm -rf "$set_/md"; mkdir -p "$set_/md"
"$docparse" -q "$set_/pdf" -o "$set_/md/" --images off
python3 "$here/judge.py" "$set_/html" "$set_/md" --show >"$set_/judged"
tail -1 "$set_/judged"
echo "document by document: $set_/judged"
