#!/bin/sh
# make install: everything arrives, works from there, and goes again; another PREFIX is compiled in.
set -u
cd "$(dirname "$0")/../.." || exit 1
build=${DP_BUILD:-build}
dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT
to="$dir/a staged tree"
n=0 failures=0
unset MAKEFLAGS MFLAGS
if [ -n "${DP_EMULATED:-}" ]; then echo "ok 1 - install # SKIP not for another processor (.ci/cross.sh)"; echo "1..1"; exit 0; fi

ok () { # STATUS NAME
  n=$((n + 1))
  if [ "$1" -eq 0 ]; then echo "ok $n - $2"; else echo "not ok $n - $2"; failures=$((failures + 1)); sed 's/^/# /' "$dir/err" "$dir/out" | head -20; fi
}
# -o: the program stays as it is
installing () { make -o "$build/docparse" BUILD="$build" PREFIX=/usr DESTDIR="$to" "$1" >"$dir/out" 2>"$dir/err"; }

installing install && [ "$(find "$to" -type f | wc -l)" -eq 5 ] && [ -x "$to/usr/bin/docparse" ] && [ -r "$to/usr/share/man/man1/docparse.1" ]
ok $? "program, man page and completions, in a path with blanks"
(cd "$dir" && "$to/usr/bin/docparse" --version) >"$dir/out" 2>"$dir/err" && grep -q '^docparse [0-9]' "$dir/out"
ok $? "the program runs from there"
installing uninstall && [ "$(find "$to" -type f | wc -l)" -eq 0 ]; ok $? "nothing is left behind"
make -n BUILD="$build" PREFIX=/elsewhere all >"$dir/out" 2>"$dir/err" && grep 'ops/registry.o' "$dir/out" | grep -qF '"/elsewhere/lib/docparse"'
ok $? "another PREFIX compiles the place of plug-ins anew"

echo "1..$n"
[ $failures -eq 0 ]
