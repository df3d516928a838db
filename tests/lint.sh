#!/bin/sh
# make lint: formatting, cppcheck, and who may include whom (the table of rooms in README).
set -u
cd "$(dirname "$0")/.." || exit 1
bad=0
sources=$(git ls-files '*.c' '*.h')

# ---- who may include whom ----
forbid () { # ROOM PATTERN REASON
  hits=$(grep -rnE "#include *[\"<]($2)" "$1" --include='*.c' --include='*.h' --include='*.cl' --include='*.cu' 2>/dev/null)
  [ -z "$hits" ] || { echo "$hits"; echo "  ^ $1 must not include $3"; bad=1; }
}
forbid ops      'poppler|vlm/|pipeline/|output/|backends/|layout/|cairo|cmark|leptonica|allheaders' 'anything but libc and GLib'
forbid backends 'poppler|vlm/|pipeline/|output/|layout/|cairo|cmark|leptonica|allheaders' 'anything but ops/'
forbid vlm      'poppler|pipeline/|output/|backends/|layout/|cmark|leptonica|allheaders' 'PDF, Markdown or a back end'
forbid layout   'poppler|pipeline/|output/|backends/|vlm/|ops/|cmark' 'the PDF library or models'
forbid output   'poppler|pipeline/|backends/|vlm/|ops/|leptonica|allheaders|layout/(layout|words|lines)' 'more of layout/ than document.h'
others=$(grep -rnE '#include *["<](leptonica|allheaders)' layout 2>/dev/null | grep -v '^layout/scan')
[ -z "$others" ] || { echo "$others"; echo "  ^ Leptonica stays inside layout/scan*.c"; bad=1; }
# back ends do not know each other, except that every one may lean on none
for d in backends/*/; do
  n=$(basename "$d")
  hits=$(grep -rnE '#include *"backends/' "$d" 2>/dev/null | grep -v "\"backends/$n/")
  [ -z "$hits" ] || { echo "$hits"; echo "  ^ back ends do not include each other"; bad=1; }
done

# ---- the top level: the rooms, and what belongs to the house as a whole ----
for entry in $(git ls-files | sed 's,/.*,,' | sort -u); do
  case $entry in
    ops | backends | vlm | layout | output | pipeline | samples | tests) ;;
    Makefile | README.md | LICENSE | .ci | .clang-format | .gitattributes | .gitignore) ;;
    *) echo "$entry: does not belong to the top level"; bad=1 ;;
  esac
done

# ---- the two largest rooms have a map: every file stands in it, and nothing else ----
for room in layout pipeline; do
  mapped=$(grep -o '([a-z_0-9]*\.c)' $room/README.md | tr -d '()' | sort -u)
  there=$(git ls-files "$room/*.c" | sed "s,^$room/,," | sort)
  for f in $there; do
    echo "$mapped" | grep -qx "$f" || { echo "$room/$f: not in $room/README.md"; bad=1; }
  done
  for f in $mapped; do
    echo "$there" | grep -qx "$f" || { echo "$room/README.md names $f, which is not there"; bad=1; }
  done
done

# ---- formatting ----
if command -v clang-format >/dev/null; then
  for f in $sources; do
    clang-format --style=file "$f" | cmp -s - "$f" || { echo "$f: not formatted (clang-format -i $f)"; bad=1; }
  done
else echo "lint: clang-format is not installed, formatting not checked"; fi

# ---- faults (leaks are for AddressSanitizer and valgrind: cppcheck does not know GLib's arrays) ----
if command -v cppcheck >/dev/null; then
  # shellcheck disable=SC2086
  cppcheck --quiet --std=c11 --language=c --enable=warning,portability --inline-suppr --error-exitcode=1 -j 2 \
    --suppress=missingIncludeSystem --suppress=memleak --suppress=objectIndex --suppress="preprocessorErrorDirective:backends/cpu/isa/*" --suppress=unknownMacro --suppress=nullPointerRedundantCheck --library=gtk -I. \
    $(echo "$sources" | tr ' ' '\n' | grep '\.c$') || bad=1
else echo "lint: cppcheck is not installed"; fi
[ $bad -eq 0 ] && echo "lint: clean"
exit $bad
