#!/usr/bin/env bash
# kubectl-grove for a release, in target/plugin/<os>-<arch>: linux, darwin, windows; amd64, arm64.
#   hack/plugin.sh build OS-ARCH   compiles it; for linux also on a machine of the other architecture
#   hack/plugin.sh licences        writes THIRD-PARTY.txt beside each program
#   hack/plugin.sh pack OUT        one archive for each in OUT, the same bytes from the same files
set -euo pipefail
cd "$(dirname "$0")/.."
programs=${PLUGINS:-target/plugin}

die() { printf 'hack/plugin.sh: %s\n' "$*" >&2; exit 1; }

triple_of() {
  case $1 in
    linux-amd64) echo x86_64-unknown-linux-musl ;;
    linux-arm64) echo aarch64-unknown-linux-musl ;;
    darwin-amd64) echo x86_64-apple-darwin ;;
    darwin-arm64) echo aarch64-apple-darwin ;;
    windows-amd64) echo x86_64-pc-windows-msvc ;;
    windows-arm64) echo aarch64-pc-windows-msvc ;;
    *) die "$1: name a system and an architecture, such as linux-amd64" ;;
  esac
}

# The flags of the Dockerfile: a static program, without a C library or linker of that architecture.
use_musl() {
  export CC=clang RUSTFLAGS="-C linker=rust-lld -C link-self-contained=yes" \
    CFLAGS_x86_64_unknown_linux_musl="-ffreestanding -nostdlibinc -DRING_CORE_NOSTDLIBINC=1"
}

build() {
  local platform=${1:?usage: hack/plugin.sh build OS-ARCH} triple program=kubectl-grove
  triple=$(triple_of "$platform")
  [[ $platform != linux-* ]] || use_musl
  [[ $platform != windows-* ]] || program=kubectl-grove.exe
  rustup target add "$triple"
  cargo build --locked --release --package cli --target "$triple"
  mkdir -p "$programs/$platform"
  cp "target/$triple/release/$program" "$programs/$platform/"
}

licences() {
  local folder
  cargo fetch --locked
  for folder in "$programs"/*-*; do
    hack/licences.sh "$(triple_of "$(basename "$folder")")" cli > "$folder/THIRD-PARTY.txt"
  done
}

pack() {
  local out=${1:?usage: hack/plugin.sh pack OUT} folder platform
  mkdir -p "$out"
  for folder in "$programs"/*-*; do
    [[ -d $folder ]] || die "$programs has no program: hack/plugin.sh build OS-ARCH"
    platform=$(basename "$folder")
    triple_of "$platform" > /dev/null
    cp LICENSE "$folder/"
    # An artifact of a workflow loses the mode of its files.
    chmod 755 "$folder"/kubectl-grove*
    tar --sort=name --format=gnu --owner=0 --group=0 --numeric-owner --mtime=@0 \
      --directory "$folder" --create . | gzip --no-name > "$out/kubectl-grove-$platform.tar.gz"
  done
}

case ${1:-} in
  build | licences | pack) "$@" ;;
  *) die "usage: hack/plugin.sh build OS-ARCH | licences | pack OUT" ;;
esac
