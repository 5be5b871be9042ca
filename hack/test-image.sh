#!/usr/bin/env bash
# Builds the shipped images and runs them on two real nodes (`make test-image`); prints the resource
# usage of their pods. If the builder cannot pull the Dockerfile's base image, the programs are compiled
# here, with musl if rustup has that target, and only the last stages of the Dockerfile are built.
set -euo pipefail
cd "$(dirname "$0")/.."
export REGISTRY=localhost
. hack/registry.sh "make test-image"

out=$PWD/target/test-image
architecture=$(uname -m)
targets=(grove-operator grove-initc)
builder=$(command -v buildah || command -v podman || true)
[[ -n $builder ]] || fail "neither buildah nor podman is there:" \
  "  apt-get install --no-install-recommends buildah"

# The Dockerfile's flags.
choose_target() {
  triple=$architecture-unknown-linux-musl
  if rustup target list --installed | grep -qx "$triple"; then
    built="musl, compiled on this machine"
    export CC=clang RUSTFLAGS="-C linker=rust-lld -C link-self-contained=yes" \
      CFLAGS_x86_64_unknown_linux_musl="-ffreestanding -nostdlibinc -DRING_CORE_NOSTDLIBINC=1"
  else
    built="glibc, static: rustup has no target $triple on this machine"
    triple=$architecture-unknown-linux-gnu
    export RUSTFLAGS="-C target-feature=+crt-static"
  fi
}

# The content of /out after stage `build` of the Dockerfile.
compile() {
  cargo build --locked --release --target "$triple" -p operator -p initc
  mkdir -p "$out/stage/out/licenses"
  local target
  for target in "${targets[@]}"; do
    cp "target/$triple/release/$target" "$out/stage/out/"
    hack/licences.sh "$triple" "${target#grove-}" > "$out/stage/out/licenses/${target#grove-}.txt"
  done
}

build_last_stages() {
  local target
  for target in "${targets[@]}"; do
    "$builder" build --format docker --build-context "build=$out/stage" --target "$target" \
      --build-arg "VERSION=$version" --tag "$registry/$target:$version" .
  done
}

rm -rf "$out"
mkdir -p "$out"
base=${RUST_IMAGE:-$(sed -n 's/^ARG RUST_IMAGE=//p' Dockerfile)}
if timeout 300 "$builder" pull --quiet "$base" > /dev/null 2>&1; then
  built="musl, by the Dockerfile"
  hack/image.sh
else
  choose_target
  compile
  unset CC RUSTFLAGS
  build_last_stages
fi
for target in "${targets[@]}"; do
  image=$registry/$target:$version
  "$builder" push --quiet "$image" "oci-archive:$out/$target.tar:$image" > /dev/null
done
cargo run -q --bin test-image -- "$built" "$out/grove-operator.tar" "$out/grove-initc.tar"
