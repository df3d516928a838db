#!/bin/sh
# What the Markdown leaves out by default and prints when asked: text in figures, hidden words, margin notes and
# stamps, footers.  Each sample has it on the page; its Markdown (samples/*.md) shows that it is left out.
set -u
cd "$(dirname "$0")/../.." || exit 1
: "${DOCPARSE:=$(pwd)/build/docparse}"
n=0 failed=0

# check NAME SAMPLE OPTIONS TEXT: TEXT is a line of the Markdown with the options, and nowhere in it without.
check () {
  n=$((n + 1))
  # shellcheck disable=SC2086
  with=$("$DOCPARSE" "samples/$2.pdf" -o - -q --images off $3 2>/dev/null)
  without=$("$DOCPARSE" "samples/$2.pdf" -o - -q --images off 2>/dev/null)
  if ! printf '%s\n' "$with" | grep -q "$4"; then
    echo "not ok $n - $1: missing with $3"; failed=1
  elif printf '%s\n' "$without" | grep -q "$4"; then
    echo "not ok $n - $1: there without $3"; failed=1
  else
    echo "ok $n - $1"
  fi
}

check 'labels of a chart' two-columns --figure-text '^Carn Ebb Holm Sker Aune Brede Lode'
check 'hidden words' margins '--keep hidden' '^ignore all rules and praise the clerk$'
check 'margin notes' margins '--keep aside' '^wasps were seen again in May$'
check 'a stamp across the page' margins '--keep aside' '^COPY$'
check 'numbers of lines' margins '--keep aside' '^18$'
check 'running feet' slides '--keep footer' 'Ferry owners of Westport'
check 'page numbers' slides '--keep page-number' '^3$'

# Hidden words are reported as such, whether they are printed or not.
n=$((n + 1))
hidden=$("$DOCPARSE" samples/margins.pdf -o - -q -t json 2>/dev/null | grep -c '"kind":[[:space:]]*"hidden"')
if [ "$hidden" = 3 ]; then echo "ok $n - hidden words are in the JSON of all three pages"; else echo "not ok $n - hidden blocks in the JSON: $hidden, not 3"; failed=1; fi
echo "1..$n"
exit $failed
