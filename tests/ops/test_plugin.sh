#!/bin/sh
# Back ends from outside: built out of tree, found, judged, and refused when they should be.
set -u
cd "$(dirname "$0")/../.." || exit 1
root=$(pwd)
docparse=${DOCPARSE:-$root/build/docparse}
dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT
n=0
failures=0

ok () { # STATUS NAME
  n=$((n + 1))
  if [ "$1" -eq 0 ]; then echo "ok $n - $2"; else echo "not ok $n - $2"; failures=$((failures + 1)); sed 's/^/# /' "$dir/err" "$dir/out" | head -20; fi
}
run () { # WANTED-CODE ARGUMENTS...: stdout and stderr go to files out and err
  want=$1; shift
  (cd "$dir/elsewhere" && "$docparse" "$@" >"$dir/out" 2>"$dir/err" </dev/null)
  got=$?
  [ $got -eq "$want" ] || { echo "# docparse $*: exit $got, wanted $want"; return 1; }
}
says () { grep -qF -- "$2" "$dir/$1"; }

mkdir "$dir/plugins" "$dir/elsewhere"
# a sanitised program loads only plug-ins built alike
extra=""
if nm "$docparse" 2>/dev/null | grep -q __asan_init; then extra="-fsanitize=address,undefined"; fi
make -C tests/ops/plugin -s OUT="$dir/plugins" CFLAGS="-O1 -g $extra" CC="${CC:-gcc}" >"$dir/out" 2>"$dir/err"
ok $? "the example builds with its own Makefile from ops/ headers alone"
[ "$(nm -D --defined-only "$dir/plugins/libdocparse-example.so" | grep -vc -e asan -e ubsan)" -eq 1 ] && nm -D --defined-only "$dir/plugins/libdocparse-example.so" | grep -q dp_plugin_entry
ok $? "it exports one symbol"

printf '#include "ops/backend.h"\n#include "ops/graph.h"\nint main (void) { return 0; }\n' >"$dir/headers.c"
glib=$(pkg-config --cflags glib-2.0)
# shellcheck disable=SC2086
"${CC:-gcc}" -std=c11 -Wall -Wextra -Werror -I"$root" $glib -fsyntax-only "$dir/headers.c" 2>"$dir/err"; ok $? "the headers are C11"
if command -v c++ >/dev/null; then
  # shellcheck disable=SC2086
  c++ -x c++ -std=c++17 -Wall -Werror -I"$root" $glib -fsyntax-only "$dir/headers.c" 2>"$dir/err"; ok $? "the headers are C++17"
else n=$((n + 1)); echo "ok $n - the headers are C++17 # SKIP no C++ compiler"; fi

DOCPARSE_BACKEND_PATH=$dir/plugins; export DOCPARSE_BACKEND_PATH
run 0 devices && says out 'example 1.0' && says out "$dir/plugins/libdocparse-example.so" && says out 'missing: resize'; ok $? "devices lists it, where it came from, what it lacks"
run 0 selftest --device example --cases 12 && says out 'resize' && says out 'absent' && says out 'the back end does not have this operator'; ok $? "selftest passes and names the absent operator"
run 0 selftest --device example --op silu_and_mul && says out 'silu_and_mul takes f32 only'; ok $? "selftest says what is refused and why"

run 0 selftest --device lazy --cases 12; ok $? "a back end that runs everything at the sync passes"
(DOCPARSE_TRACE=$dir/trace.json; export DOCPARSE_TRACE; run 0 selftest --device example --op model) && grep -q 'add_rms_norm+gate_up_silu' "$dir/trace.json" && grep -q '"mode":"graph"' "$dir/trace.json"; ok $? "a trace shows the sequences a back end lowered"

# ---- the selftest finds faults ----
finds () { # FAULT OPERATOR MESSAGE
  FAULT=$1; export FAULT
  run 1 selftest --device faulty --op "$2" && says out FAILED && says out "$3"; ok $? "finds the fault '$1'"
}
FAULT=none; export FAULT
run 0 selftest --device faulty --cases 6; ok $? "without a fault it passes"
finds value linear 'instead of'
finds gap rms_norm 'writes outside its outputs'
finds rows quick_gelu 'for a row alone'
finds nan layer_norm 'instead of'
finds causal prefill_attention 'instead of'
finds slot fill_kv_cache 'instead of'
finds leak paged_decode_attention 'instead of'
finds leak model 'in a batch than alone'
finds graph gelu 'from a graph'

# ---- loading ----
FAULT=old; export FAULT
run 0 selftest --device faulty --cases 4 && says out 'sample' && run 0 devices && says out 'missing: sample ctc_argmax'; ok $? "an older, smaller class still works, without what came later"
refuses () { # FAULT MESSAGE
  FAULT=$1; export FAULT
  run 69 selftest --device faulty && says err "$2" && run 0 devices && says out 'faulty: not usable' && says out 'example 1.0'; ok $? "refuses: $2"
}
refuses abi 'built for interface'
refuses name 'its name is not that of the file'
refuses decline 'the driver is from last century'
refuses class 'it lacks memory functions'

# ---- several devices, for a model as for the selftest ----
FAULT=two; export FAULT
model=$(dirname "$docparse")/tests/tools/random_model
run 69 selftest --device faulty --index 0 --op gelu && says err 'device 0 is busy' && run 0 selftest --device faulty --index 1 --op gelu; ok $? "a second device"
if [ -x "$model" ]; then
  "$model" "$dir/model" && run 69 --model "$dir/model" --device faulty "$root/samples/letter.pdf" -o - && says err 'device 0 is busy' && run 0 --model "$dir/model" --device faulty:1 "$root/samples/letter.pdf" -o - && run 69 --model "$dir/model" --device faulty:2 "$root/samples/letter.pdf" -o - && says err 'no device 2 (it has 2)'; ok $? "a model computes on the device that was asked for"
else n=$((n + 1)); echo "ok $n - a model computes on the device that was asked for # SKIP no random_model beside the program"; fi
unset FAULT

chmod g+w "$dir/plugins/libdocparse-example.so"; run 69 selftest --device example && says err 'others may write'; ok $? "refuses a file that others may write"
chmod g-w "$dir/plugins/libdocparse-example.so"
chmod o+w "$dir/plugins"; run 69 selftest --device example && says err 'others may write'; ok $? "refuses a directory that others may write"
chmod o-w "$dir/plugins"
cp "$dir/plugins/libdocparse-example.so" "$dir/elsewhere/"
(unset DOCPARSE_BACKEND_PATH; run 69 selftest --device example && says err 'no back end'); ok $? "the current directory is not searched"
DOCPARSE_BACKEND_PATH=.:plugins; run 69 selftest --device example && says err 'not an absolute path'; ok $? "nor through a relative path"
DOCPARSE_BACKEND_PATH=$dir/plugins; run 69 selftest --device ../elsewhere/example; ok $? "a name is not a path"
echo 'not a shared object' >"$dir/plugins/libdocparse-text.so"; run 69 selftest --device text && says err 'libdocparse-text.so'; ok $? "refuses what is not a shared object"
cp "$dir/plugins/libdocparse-example.so" "$dir/plugins/libdocparse-reference.so"; run 0 devices && [ "$(grep -c '^reference ' "$dir/out")" -eq 1 ]; ok $? "a plug-in cannot take the place of a built-in"

echo "1..$n"
[ $failures -eq 0 ]
