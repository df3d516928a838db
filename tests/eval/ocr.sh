#!/bin/sh
# make eval-ocr: how well and how fast scans are read, beside Tesseract 5; ocr.py says what is measured.
#   ocr.sh DOCPARSE EVALDIR [SET...]     sets: clean300 office200 photo150 fax200 turned pages print
# Environment: PAGES (of each set, default 6, 0 = all), SHIFT (other pages), MODES (Tesseract's), WORST (pages listed),
# TESSERACT (kept, no).
set -u
docparse=$1 eval=$2; shift 2
sets=${*:-clean300 office200 photo150 fax200 turned pages print}
case $docparse in /*) ;; *) docparse=$(pwd)/$docparse ;; esac
if ! [ -d "$eval/ocr" ]; then
  echo "eval-ocr: no evaluation documents in '$eval' (say where: make eval-ocr EVAL=DIR)" >&2
  exit 2
fi
for tool in pdftoppm pdftotext convert img2pdf; do
  command -v $tool >/dev/null || { echo "eval-ocr: needs $tool (Debian: poppler-utils imagemagick img2pdf); skipped" >&2; exit 0; }
done
command -v tesseract >/dev/null && echo "with $(tesseract --version 2>&1 | head -1), eng, one thread each"
out=build/eval-ocr; mkdir -p "$out"
# shellcheck disable=SC2086
exec python3 "$(dirname "$0")/ocr.py" "$docparse" "$eval" "$out" $sets
