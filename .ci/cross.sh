#!/bin/sh
# Builds and tests for another processor, under an emulator: make cross-aarch64
#   cross.sh ARCH [NAME...]     aarch64; only tests whose path contains one of the names (tests/run.sh)
# Debian's cross compiler and libraries of that architecture, unpacked below build/cross, nothing of this system is changed
# but the two packages it needs (as root or through sudo; SKIP_DEPS=1 installs nothing).  Processes that the program starts
# are run by the emulator too.  Slow: an emulated second is some ten or twenty real ones.
set -eu
cd "$(dirname "$0")/.."
arch=$1; shift
case $arch in
  aarch64) debian=arm64 triplet=aarch64-linux-gnu qemu=qemu-aarch64-static ;;
  *) echo "cross.sh: unknown architecture '$arch'" >&2; exit 64 ;;
esac
here=$(pwd)
root=$here/build/cross/$arch/root
build=build/cross/$arch/build
CC=$triplet-gcc
[ -n "${SKIP_DEPS:-}" ] || DEPS_MORE="gcc-$triplet qemu-user-static" sh .ci/deps.sh
for tool in "$CC" "$qemu"; do
  command -v "$tool" >/dev/null || { echo "cross: needs $tool (apt-get install gcc-$triplet qemu-user-static)" >&2; exit 1; }
done

# ---- libraries -----------------------------------------------------------------------------------------
# An apt of its own, with its own state: it resolves for that architecture and only downloads.
if [ ! -e "$root/.complete" ]; then
  apt=$here/build/cross/$arch/apt
  mkdir -p "$apt/state/lists/partial" "$apt/cache/archives/partial" "$root"
  : >"$apt/status"
  foreign () {
    apt-get -qq -o APT::Architecture="$debian" -o APT::Architectures="$debian" -o Dir::State="$apt/state" -o Dir::State::status="$apt/status" \
      -o Dir::Cache="$apt/cache" -o Debug::NoLocking=1 -o APT::Sandbox::User=root "$@"
  }
  foreign update
  packages=$(DEPS_LIST=1 sh .ci/deps.sh build | tr ' ' '\n' | grep -E '^(lib|fonts-)' | tr '\n' ' ')
  # shellcheck disable=SC2086
  foreign install -y --download-only --no-install-recommends $packages libc6-dev libgcc-12-dev poppler-data >/dev/null
  for deb in "$apt"/cache/archives/*.deb; do dpkg-deb -x "$deb" "$root"; done
  # links that lead out of the tree
  find "$root" -type l -lname '/*' | while read -r link; do ln -sfn "$root$(readlink "$link")" "$link"; done
  touch "$root/.complete"
fi

# ---- build ---------------------------------------------------------------------------------------------
mkdir -p "$build"
libs=$root/usr/lib/$triplet
PKG_CONFIG_LIBDIR=$libs/pkgconfig:$root/usr/share/pkgconfig PKG_CONFIG_SYSROOT_DIR=$root; export PKG_CONFIG_LIBDIR PKG_CONFIG_SYSROOT_DIR
make --no-print-directory -j"$(nproc)" BUILD="$build" CC="$CC --sysroot=$root" LDFLAGS="-L$libs -Wl,-rpath-link,$libs -Wl,-rpath-link,$root/lib/$triplet" \
  WERROR="${WERROR:-1}" all check-programs

# ---- tests ----------------------------------------------------------------------------------------------
# run.sh starts "docparse" and the programs below tests/: scripts of those names stand for them.
wrap=$build/emulated
rm -rf "$wrap"; mkdir -p "$wrap/tests"
wrapper () { # PROGRAM SCRIPT
  mkdir -p "$(dirname "$2")"
  # argv[0] names the script: GLib starts a test program again by that name
  printf '#!/bin/sh\nDOCPARSE=%s exec %s -L %s -0 "$0" %s "$@"\n' "$here/$wrap/docparse" "$qemu" "$root" "$1" >"$2"
  chmod +x "$2"
}
cp "$build/docparse" "$build/docparse-$arch" # not "docparse": then it starts its children by way of the script, too
wrapper "$here/$build/docparse-$arch" "$wrap/docparse"
for test in "$build"/tests/*/test_*; do
  [ -x "$test" ] && [ ! -d "$test" ] && wrapper "$here/$test" "$wrap/tests/${test#"$build"/tests/}"
done
# what tests build themselves is for the emulator, too
printf '#!/bin/sh\nexec %s --sysroot=%s -L%s -Wl,-rpath-link,%s -Wl,-rpath-link,%s "$@"\n' "$CC" "$root" "$libs" "$libs" "$root/lib/$triplet" >"$wrap/cc"
chmod +x "$wrap/cc"
DP_EMULATED=$arch CC=$here/$wrap/cc sh tests/run.sh "$wrap" "$@"
