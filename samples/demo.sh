#!/bin/sh
# make demo: converts the samples into out/ and shows the Markdown of three of them.
#   demo.sh DOCPARSE
set -eu
docparse=$1
cd "$(dirname "$0")/.."
case $docparse in /*) ;; *) docparse=./$docparse ;; esac
out=out
mkdir -p $out

bold='' plain=''
if [ -t 1 ]; then bold=$(printf '\033[1m') plain=$(printf '\033[0m'); fi

"$docparse" samples/*.pdf -o $out/ -q

show () { # NAME FROM-LINE LINES
  printf '\n%s---- samples/%s.pdf  ->  %s/%s.md%s\n\n' "$bold" "$1" $out "$1" "$plain"
  tail -n "+$2" $out/"$1".md | head -n "$3" | LC_ALL=C.UTF-8 sed -E 's/^(.{108}).+/\1…/'
}
show two-columns 1 9
show table-spans 5 9
show footnotes 11 9
show mixed-scan 7 9
printf '\n%d documents in %s/, each beside its pictures.  Try:\n' "$(ls $out/*.md | wc -l)" $out
printf '  %s your.pdf -o your.md\n' "$docparse"
