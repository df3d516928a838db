#!/bin/sh
# Documents made to break a converter (recipes_*.py): one TAP line each.
#   test_hostile.sh [NUMBER...]     only these recipes
set -eu
cd "$(dirname "$0")/../.."
: "${DOCPARSE:=$(pwd)/build/docparse}"
dir=${DP_BUILD:-build}/hostile
python3 tests/hostile/make.py "$dir"
if [ -n "${DP_EMULATED:-}" ]; then echo "ok 1 - hostile documents # SKIP not under an emulator (.ci/cross.sh)"; echo "1..1"; exit 0; fi
if nm "$DOCPARSE" 2>/dev/null | grep -q __asan_init; then
  # AddressSanitizer multiplies memory and time, so its runs cannot be held to the limits.
  echo "ok 1 - hostile documents # SKIP limits are for the ordinary build"; echo "1..1"; exit 0
fi
exec python3 tests/hostile/check.py "$DOCPARSE" "$dir" "$@"
