#!/bin/sh
# What docparse writes from the samples, held against what is documented: output/README.md and MinerU's content list.
set -u
cd "$(dirname "$0")/../.." || exit 1
docparse=${DOCPARSE:-build/docparse}
dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT
n=0
failures=0

checked () { # NAME OPTIONS...: the samples, converted with these options, have no fault
  name=$1; shift
  n=$((n + 1))
  rm -rf "$dir/out"
  if "$docparse" samples/*.pdf -o "$dir/out/" -t md,json,content-list -q "$@" 2>"$dir/err" && python3 tests/output/check_json.py "$dir/out" >"$dir/said"; then
    echo "ok $n - $name"
  else
    sed 's/^/# /' "$dir/err" "$dir/said"
    echo "not ok $n - $name"
    failures=$((failures + 1))
  fi
}

checked "as it comes"
checked "everything printed" --keep header,footer,page-number,footnote,hidden,aside,annotation,field --figure-text --page-break 'page %n'
checked "no structure tree, tables as HTML" --no-tags --tables html --images off
checked "tables as pipes, pictures inside" --tables pipe --images embedded
checked "pages of their own" --pages last --page-break '***'
checked "pages read by the model" --method ocr --pages 1

# a checker that finds no fault must be able to
n=$((n + 1))
sed -e 's/"kind":	"heading"/"kind":	"banner"/' "$dir/out/letter.json" >"$dir/out/wrong.json"
if python3 tests/output/check_json.py "$dir/out" >"$dir/said"; then failures=$((failures + 1)); echo "not ok $n - a wrong kind is found"; else echo "ok $n - a wrong kind is found"; fi
echo "1..$n"
[ $failures -eq 0 ]
