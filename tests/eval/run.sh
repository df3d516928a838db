#!/bin/sh
# make eval: converts the evaluation documents, scores them with the scorers that lie beside
# them, prints our line below the rivals', then what the scorers do not measure, then the
# hostile corpus.  Nothing of EVALDIR is copied; results go to build/eval.
#   run.sh DOCPARSE EVALDIR [SET...]      sets: odl readoc icdar13 tables formulas latex units tagged hostile
set -u
docparse=$1 eval=$2; shift 2
sets=${*:-odl readoc icdar13 tables formulas latex units tagged hostile}
here=$(dirname "$0")
case $docparse in /*) ;; *) docparse=$(pwd)/$docparse ;; esac
if ! [ -d "$eval/docs" ]; then
  echo "eval: no evaluation documents in '$eval' (say where: make eval EVAL=DIR)" >&2
  exit 2
fi
out=build/eval; mkdir -p "$out"
summary=$out/summary; : >"$summary"; : >"$out/measures"

convert () { # SET PDFDIR [OPTIONS]: all documents in one process
  set_=$1 dir=$2; shift 2
  rm -rf "${out:?}/$set_"; mkdir -p "$out/$set_"
  begin=$(date +%s%N)
  "$docparse" "$dir" -o "$out/$set_/" --images off "$@" 2>"$out/$set_.err"; rc=$?
  end=$(date +%s%N)
  n=$(find "$dir" -name '*.pdf' | wc -l)
  echo "$set_: $n documents in $(( (end - begin) / 1000000 )) ms, exit code $rc$([ -s "$out/$set_.err" ] && echo ", $(wc -l <"$out/$set_.err") messages in $out/$set_.err")"
}

line () { # SET: last line of the score file, for the summary
  tail -1 "$out/$1.score" | awk -v s="$1" '{printf "%s overall %s NID %s TEDS %s MHS %s\n", s, $4, $5, $7, $9}' >>"$summary"
}

scored () { # SET
  convert "$1" "$eval/docs/$1/pdf"
  python3 "$eval/score.py" "$eval/docs/$1/gt" --compare "docparse=$out/$1" >"$out/$1.score" && cat "$out/$1.score"
  line "$1"
}

for s in $sets; do
  case $s in
    odl)
      convert odl "$eval/docs/odl/pdf"
      rivals=$(for d in "$eval"/docs/odl/rivals/*/; do echo "$(basename "$d")=$d"; done)
      # shellcheck disable=SC2086
      nice -n 10 python3 "$eval/score.py" "$eval/docs/odl/gt" --compare $rivals "docparse=$out/odl" >"$out/odl.score" && cat "$out/odl.score"
      line odl
      # the ground truth keeps running heads and the labels of charts, which docparse leaves out unless it is asked to keep them
      convert odl-kept "$eval/docs/odl/pdf" --keep header,footer,page-number --figure-text
      nice -n 10 python3 "$eval/score.py" "$eval/docs/odl/gt" --compare "docparse=$out/odl-kept" >"$out/odl-kept.score" && cat "$out/odl-kept.score"
      line odl-kept
      python3 "$here/measures.py" tables "$eval/docs/odl/gt" "$out/odl" | tee -a "$out/measures" ;;
    readoc)
      scored readoc
      python3 "$here/measures.py" headings "$eval/docs/readoc/gt" "$out/readoc" | tee -a "$out/measures" ;;
    icdar13 | tables)
      scored "$s"
      python3 "$here/measures.py" tables "$eval/docs/$s/gt" "$out/$s" | sed "s/^tables/$s/" | tee -a "$out/measures" ;;
    formulas | latex)
      scored "$s"
      python3 "$here/measures.py" formulas "$eval/docs/$s/gt" "$out/$s" | tee -a "$out/measures" ;;
    units)
      for language in "$eval"/docs/units/*.jsonl; do
        l=$(basename "$language" .jsonl)
        convert "units-$l" "$eval/docs/units/pdf/$l"
        python3 "$eval/units.py" "$language" "$out/units-$l" >"$out/units-$l.score"
        sed "s/^/  /" "$out/units-$l.score"
        awk -v l="$l" '$1 == "all" && $2 != "verified" {print "units " l " " $NF}' "$out/units-$l.score" >>"$summary"
      done ;;
    tagged)
      convert tagged "$eval/docs/tagged/pdf"
      python3 "$here/measures.py" tagged "$eval/docs/tagged/pdf" "$out/tagged" | tee -a "$out/measures"
      if "$docparse" --help 2>&1 | grep -q -- --no-tags; then
        convert untagged "$eval/docs/tagged/pdf" --no-tags
        python3 "$here/measures.py" tagged "$eval/docs/tagged/pdf" "$out/untagged" | sed 's/^tagged/untagged/' | tee -a "$out/measures"
      fi ;;
    hostile) sh tests/hostile/corpus.sh "$eval/hostile" "$docparse" >"$out/hostile.score"; cat "$out/hostile.score"; sed -n 's/,[^,]*, largest.*, / ... /; 1p; 2s/.* \([0-9]* violations\)/hostile \1/p' "$out/hostile.score" >>"$summary" ;;
    *) echo "eval: no set '$s'" >&2; exit 64 ;;
  esac
done
sed 's/ (.*//' "$out/measures" >>"$summary"
echo
echo "eval: $(paste -sd ';' "$summary" | sed 's/;/; /g')"
