#!/bin/sh
# Samples as scans (scan.py: grain, uneven light, skew, turned sheets): the Markdown must have the blocks of what a careful
# person typed (samples/NAME.md) and hardly a wrong character; a scan looks the same for any weights of the line
# reader, so no golden text of it is kept.  Then pages of which only parts are pictures, and searchable PDFs.
set -u
cd "$(dirname "$0")/../.." || exit 1
: "${DOCPARSE:=$(pwd)/build/docparse}"
out=${DP_BUILD:-build}/tests/scans
rm -rf "$out"; mkdir -p "$out"
failed=0 n=0

ok () { # CONDITION NAME [LOG]
  n=$((n + 1))
  if [ "$1" -eq 0 ]; then echo "ok $n - $2"; else failed=1; echo "not ok $n - $2"; [ $# -lt 3 ] || sed 's/^/# /' "$3"; fi
}
scan () { # NAME DPI TURN SKEW CER
  python3 tests/documents/scan.py make "samples/$1.pdf" "$out/$1.pdf" "$2" "$3" "$4" &&
    "$DOCPARSE" "$out/$1.pdf" -o "$out/$1.md" --images placeholder -q >"$out/$1.log" 2>&1 && [ ! -s "$out/$1.log" ] &&
    python3 tests/documents/scan.py judge "samples/$1.md" "$out/$1.md" "$5" >>"$out/$1.log" 2>&1
  ok $? "$1, $2 dpi, turned by $3, skewed by $4: read as typed" "$out/$1.log"
}

if ! command -v pdftoppm >/dev/null; then echo "1..0 # SKIP pdftoppm is not installed (poppler-utils)"; exit 0; fi
if nm "$DOCPARSE" 2>/dev/null | grep -q __asan_init; then # a sanitizer makes the reader fifty times slower: one page of each kind
  scan table-spans 200 0 -0.8 0.02
else
  scan letter 300 0 0 0.02
  scan lists 200 90 0 0.02
  scan languages 200 180 0.6 0.03
  scan table-spans 200 0 -0.8 0.02
  scan running-heads 200 0 0.4 0.02
  scan footnotes 300 270 0 0.02
fi

python3 tests/documents/scan.py mixed "$out/mixed.pdf" && "$DOCPARSE" "$out/mixed.pdf" -o "$out/mixed.md" -q &&
  grep -q 'The clerk typed these lines himself' "$out/mixed.md" && grep -q 'glad to renew the lease of the reading room' "$out/mixed.md" &&
  [ "$(find "$out/mixed_images" -name '*.png' | wc -l)" -eq 1 ]
ok $? "a picture of text on a typed page is read, a picture of something else stays one" "$out/mixed.md"
"$DOCPARSE" "$out/mixed.pdf" -o "$out/mixed.json" -q && python3 - "$out/mixed.json" <<'PY'
import json, sys
blocks = json.load(open(sys.argv[1], encoding='utf-8'))['blocks']
source = lambda part: next(b['source'] for b in blocks if part in b.get('text', ''))
assert source('The clerk') == 'text-layer', source('The clerk')
assert source('renew the lease') == 'vlm', source('renew the lease')
PY
ok $? "JSON tells the two apart"
"$DOCPARSE" "$out/mixed.pdf" -o "$out/text.md" -q --method text && ! grep -q 'renew the lease' "$out/text.md"; ok $? "--method text reads no picture on it"

# The scales of a chart belong to its picture: no table is made of them, and yet they can be searched.
python3 tests/documents/scan.py make samples/two-columns.pdf "$out/chart.pdf" 200 0 0.4 && "$DOCPARSE" "$out/chart.pdf" -o "$out/chart.md" --images placeholder -q &&
  grep -q '^<!-- image' "$out/chart.md" && ! grep -E '^(<t|\||[0-9]+( -)?$)|Carn' "$out/chart.md" && grep -q '^Figure 1: Median error' "$out/chart.md"
ok $? "the labels of a chart stay in its picture" "$out/chart.md"
"$DOCPARSE" "$out/chart.pdf" -o "$out/chart_found.pdf" -q && pdftotext "$out/chart_found.pdf" - | grep -q Carn; ok $? "and are found in the searchable PDF"

# Dots from titles to page numbers are neither read nor made into a table.
python3 tests/documents/scan.py make samples/manual.pdf "$out/contents.pdf" 200 0 0.3 && "$DOCPARSE" "$out/contents.pdf" -o "$out/contents.md" --pages 1 -q &&
  grep -q '^ *- 2.1 Adding a height 2$' "$out/contents.md" && grep -q '^- 3 Files 3$' "$out/contents.md" && ! grep -q '<table' "$out/contents.md"
ok $? "a table of contents with leaders" "$out/contents.md"
"$DOCPARSE" "$out/contents.pdf" -o "$out/listings.md" -q && sed -n '/^```/,/^```/p' samples/manual.md >"$out/listings.a" && [ -s "$out/listings.a" ] &&
  sed -n '/^```/,/^```/p' "$out/listings.md" | cmp -s - "$out/listings.a"
ok $? "program text of a few short lines, with its blanks" "$out/listings.md"

# An index in two columns of few words is read column by column.
python3 tests/documents/scan.py make samples/contents.pdf "$out/index.pdf" 200 0 0.3 && "$DOCPARSE" "$out/index.pdf" -o "$out/index.md" -q &&
  sed -n '/^# Index/,$p' samples/contents.md | sed 's/–/-/g' >"$out/index.a" && sed -n '/^# Index/,$p' "$out/index.md" | sed 's/–/-/g' | cmp -s - "$out/index.a"
ok $? "an index in two columns" "$out/index.md"

# A T over three lines is a letter, not a rule; a word of three letters that touch has the size of its neighbours.
python3 tests/documents/scan.py make samples/book.pdf "$out/book.pdf" 200 0 0.3 && "$DOCPARSE" "$out/book.pdf" -o "$out/book.md" -q &&
  grep -q '^The first ferry was a coal barge with a rope\. .*penny\.$' "$out/book.md" && grep -q '^- \*\*bar\*\*' "$out/book.md"
ok $? "a large initial, and terms of a few letters" "$out/book.md"

# An open book: page by page, as if each had been a picture of its own; JSON keeps the two on the page that shows them.
python3 tests/documents/scan.py spreads samples/running-heads.pdf "$out/spreads.pdf" && "$DOCPARSE" "$out/spreads.pdf" -o "$out/spreads.md" -q &&
  python3 tests/documents/scan.py judge samples/running-heads.md "$out/spreads.md" 0.02 >"$out/spreads.log"
ok $? "two pages side by side are read one after the other, without what stands at the head of each" "$out/spreads.log"
"$DOCPARSE" "$out/spreads.pdf" -o "$out/spreads.json" -q && python3 - "$out/spreads.json" <<'PY'
import json, sys
document = json.load(open(sys.argv[1], encoding='utf-8'))
assert [(page['number'], round(page['width'])) for page in document['pages']] == [(1, 720), (2, 720)], document['pages']
boxes = [(block['page'], block['box']) for block in document['blocks'] if block.get('box')]
assert {page for page, box in boxes} == {1, 2}, boxes
for page in (1, 2): assert any(box[2] < 360 for n, box in boxes if n == page) and any(360 < box[0] and box[2] < 720 for n, box in boxes if n == page), boxes
PY
ok $? "JSON: both have their places on one page" "$out/spreads.json"

# A face of one pitch is known without its name, be its small letters large or small; fractions are shown, not spelt.
for face in /usr/share/fonts/truetype/dejavu/DejaVuSansMono.ttf ""; do
  dpi=$([ "$face" ] && echo 220 || echo 200)
  python3 tests/documents/scan.py signs "$out/signs_typed.pdf" $face && python3 tests/documents/scan.py make "$out/signs_typed.pdf" "$out/signs.pdf" "$dpi" 0 0.3 &&
    "$DOCPARSE" "$out/signs.pdf" -o "$out/signs.md" -q && sed -n '/^```$/,/^```$/p' "$out/signs.md" | tr '\n' '~' >"$out/signs.code" &&
    [ "$(cat "$out/signs.code")" = '```~for port in harbours:~    tides.append(height_of(port))~return sorted(tides)~```~' ]
  ok $? "program text on a scan, in ${face:-what stands in for Courier}" "$out/signs.md"
done
[ "$(grep -c '^!\[.*(signs_images/page-001-formula-.*\.png)$' "$out/signs.md")" -eq 2 ] && [ "$(grep -c '^The keeper.*coming week\.$' "$out/signs.md")" -eq 4 ]
ok $? "displayed formulas on a scan are pictures between their paragraphs" "$out/signs.md"

# Frames around links are not read as brackets.
python3 tests/documents/scan.py framed "$out/framed_typed.pdf" /usr/share/fonts/truetype/dejavu/DejaVuSans.ttf && python3 tests/documents/scan.py make "$out/framed_typed.pdf" "$out/framed.pdf" 200 0 0.3 &&
  "$DOCPARSE" "$out/framed.pdf" -o "$out/framed.md" -q && grep -q '^The fares are listed in Table 3[.,] the crossings by Marten and Rowe in Section 12\.$' "$out/framed.md" &&
  grep -q '^His log is kept in the harbour office \[4[.,] 17\], and was printed by the Ferry Trust\.$' "$out/framed.md"
ok $? "words in frames" "$out/framed.md"

scanned=$out/table-spans.pdf
"$DOCPARSE" "$scanned" -o "$out/turn.json" -q && python3 -c "
import json, sys; page, = json.load(open(sys.argv[1], encoding='utf-8'))['pages']
assert page['turn'] == 0 and abs(page['skew'] - 0.8) < 0.1, page" "$out/turn.json"
ok $? "JSON says how a scan lay"
"$DOCPARSE" "$scanned" -o "$out/found.pdf" -q && pdftotext "$out/found.pdf" "$out/found.txt" && "$DOCPARSE" "$scanned" -o "$out/found.words" -t txt -q &&
  python3 - "$out/found.words" "$out/found.txt" <<'PY'
import re, sys
read, found = (re.findall(r'\w+', open(p, encoding='utf-8').read()) for p in sys.argv[1:])
assert len(read) > 30 and sorted(read) == sorted(found), (read, found)
PY
ok $? "a searchable PDF holds every word that was read" "$out/found.txt"
[ "$(pdfimages -list "$out/found.pdf" | tail -n +3 | wc -l)" -eq 1 ] && "$DOCPARSE" inspect "$out/found.pdf" | grep -q '"reason":"ocr-layer"'
ok $? "nothing of them is seen"

# The scan itself stays as it is stored, upright; pages that need no reader are copied with all that is on them.
same () { # FILE FOUND: the same images, stored alike, and a file hardly larger
  pdfimages -list "$1" | awk 'NR > 2 { print $3, $4, $5, $6, $8, $9, $15 }' >"$out/images.a" && [ -s "$out/images.a" ] &&
    pdfimages -list "$2" | awk 'NR > 2 { print $3, $4, $5, $6, $8, $9, $15 }' | cmp -s - "$out/images.a" &&
    [ "$(($(wc -c <"$2") * 10))" -le "$(($(wc -c <"$1") * 13))" ]
}
same "$scanned" "$out/found.pdf"; ok $? "a searchable PDF keeps the stored image of a scan"
python3 tests/documents/scan.py make samples/lists.pdf "$out/lying.pdf" 200 90 0 && "$DOCPARSE" "$out/lying.pdf" -o "$out/lying_found.pdf" -q &&
  same "$out/lying.pdf" "$out/lying_found.pdf" && pdfinfo "$out/lying_found.pdf" | grep -q 'Page rot: *270'
ok $? "and turns the page of one that lay"
"$DOCPARSE" "$out/mixed.pdf" -o "$out/mixed_found.pdf" -q && same "$out/mixed.pdf" "$out/mixed_found.pdf" &&
  [ "$(pdftotext "$out/mixed_found.pdf" - | grep -c 'clerk typed these lines\|glad to renew the$')" -eq 2 ]
ok $? "words of a picture are added to a typed page, its own are not there twice"
"$DOCPARSE" samples/book.pdf -o "$out/book_found.pdf" -q && cmp samples/book.pdf "$out/book_found.pdf"; ok $? "a born-digital file stays what it is"
"$DOCPARSE" samples/book.pdf --pages 1 -o "$out/book_first.pdf" -q && pdfinfo "$out/book_first.pdf" | grep -q 'Pages: *1$'; ok $? "of chosen pages there are only these"
"$DOCPARSE" samples/letter.pdf -t md,pdf -o "$out/" -q && [ -s "$out/letter.md" ] && pdftotext "$out/letter_searchable.pdf" - | grep -q 'Harbour Library Trust'
ok $? "-t md,pdf: both, the PDF with its own name"
"$DOCPARSE" samples/letter.pdf -t pdf -o - | head -c 5 | grep -q '%PDF-'; ok $? "a searchable PDF on standard output"

# Pictures are put into a PDF as they are stored, upright as their cameras say.
pdftoppm -r 150 -jpeg -singlefile samples/letter.pdf "$out/picture" && pdftoppm -r 150 -png -singlefile samples/letter.pdf "$out/pixels" &&
  python3 - "$out/picture.jpg" "$out/camera.jpg" <<'PY'
import sys
data = open(sys.argv[1], 'rb').read() # the same, said to be upside down: EXIF's orientation 3
tiff = b'MM\0*\0\0\0\x08' + b'\0\x01' + b'\x01\x12\0\x03\0\0\0\x01\0\x03\0\0' + b'\0\0\0\0'
open(sys.argv[2], 'wb').write(data[:2] + b'\xff\xe1' + (len(tiff) + 8).to_bytes(2, 'big') + b'Exif\0\0' + tiff + data[2:])
PY
ok $? "pictures to be searched"
for picture in picture.jpg camera.jpg; do
  "$DOCPARSE" "$out/$picture" -t pdf -o "$out/$picture.pdf" -q && pdfimages -j "$out/$picture.pdf" "$out/$picture" && cmp "$out/$picture-000.jpg" "$out/$picture" &&
    pdftotext "$out/$picture.pdf" - | grep -q 'Harbour Library Trust' && pdfinfo "$out/$picture.pdf" | grep -q 'Page size: *595.2 x 842'
  ok $? "$picture keeps its bytes in a searchable PDF, and has words"
done
pdfinfo "$out/picture.jpg.pdf" | grep -q 'Page rot: *0$' && pdfinfo "$out/camera.jpg.pdf" | grep -q 'Page rot: *180$'; ok $? "one that lies on its head is turned"
"$DOCPARSE" "$out/pixels.png" -t pdf -o "$out/pixels.pdf" -q && pdfimages "$out/pixels.pdf" "$out/pixels" && pdftoppm -r 150 -singlefile samples/letter.pdf "$out/letter" &&
  pdftotext "$out/pixels.pdf" - | grep -q 'Harbour Library Trust' && cmp "$out/pixels-000.ppm" "$out/letter.ppm" &&
  [ "$(wc -c <"$out/pixels.pdf")" -le "$(($(wc -c <"$out/pixels.png") + 20000))" ]
ok $? "and a PNG its pixels"

echo "1..$n"
exit $failed
