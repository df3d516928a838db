#!/bin/sh
# Installs the Debian 12 packages that are missing, as root or through sudo.
#   deps.sh build         what the program needs
#   deps.sh build test    and what the tests need
# DEPS_MORE="PACKAGE..." adds to them; DEPS_LIST=1 only prints them.
set -eu
build="gcc make pkg-config libglib2.0-dev libpoppler-glib-dev libcairo2-dev libpng-dev libjpeg-dev libcjson-dev libcmark-dev
       libleptonica-dev libutf8proc-dev libseccomp-dev fonts-dejavu-core"
test="git python3 cmark poppler-utils valgrind clang clang-format cppcheck libclang-rt-14-dev"
want=${DEPS_MORE:-}
for set in "$@"; do
  case $set in build) want="$want $build" ;; test) want="$want $test" ;; *) echo "deps.sh: unknown set '$set'" >&2; exit 64 ;; esac
done
[ -z "${DEPS_LIST:-}" ] || { echo $want; exit 0; }
missing=""
for p in $want; do
  dpkg-query -W -f='${Status}' "$p" 2>/dev/null | grep -q 'install ok installed' || missing="$missing $p"
done
[ -n "$missing" ] || exit 0
echo "Installing Debian packages:$missing"
sudo=""
if [ "$(id -u)" != 0 ]; then
  command -v sudo >/dev/null || { echo "These packages are missing and I am neither root nor is there sudo:$missing" >&2; exit 1; }
  sudo=sudo
fi
export DEBIAN_FRONTEND=noninteractive
$sudo apt-get update -qq
# shellcheck disable=SC2086
$sudo apt-get install -y -qq --no-install-recommends $missing >/dev/null
