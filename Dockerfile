# syntax=docker.io/docker/dockerfile:1

# One image per binary; `make image REGISTRY=...` builds both, also for several
# architectures, each compiled on the machine that builds:
#   docker build --target grove-operator -t grove-operator .

# The same version as in rust-toolchain.toml, with its registry: buildah and podman know no
# default one. Pinned where it is built:
#   --build-arg RUST_IMAGE=docker.io/library/rust:1.95.0-bookworm@sha256:...
#   --build-arg BUILDKIT_SYNTAX=docker.io/docker/dockerfile:1@sha256:...
ARG RUST_IMAGE=docker.io/library/rust:1.95.0-bookworm
FROM --platform=$BUILDPLATFORM $RUST_IMAGE AS build

# ring compiles a little C. clang does that for either architecture.
RUN apt-get update \
 && apt-get install -y --no-install-recommends clang \
 && rm -rf /var/lib/apt/lists/*

WORKDIR /src
ARG TARGETARCH
RUN case "$TARGETARCH" in \
      amd64) echo x86_64-unknown-linux-musl ;; \
      arm64) echo aarch64-unknown-linux-musl ;; \
      *) echo "no target for architecture '$TARGETARCH'" >&2; exit 1 ;; \
    esac > /triple \
 && rustup target add "$(cat /triple)"

# musl links statically. Its objects and the linker come with Rust, so neither
# a C library nor a linker for the other architecture is needed. ring knows how
# to do without C headers; on x86_64 it has to be told so.
ENV CC=clang \
    CFLAGS_x86_64_unknown_linux_musl="-ffreestanding -nostdlibinc -DRING_CORE_NOSTDLIBINC=1" \
    RUSTFLAGS="-C linker=rust-lld -C link-self-contained=yes"

COPY . .
# The target folder is a cache and no part of the layer: binaries are copied out
# of it. It has a folder for each architecture. A further binary is one more -p,
# its name in the list, and three lines at the end. cargo compares times of files, not
# their content: sources that are older than the cache, as those of another checkout, would
# be taken for those that it was built from.
RUN --mount=type=cache,target=/usr/local/cargo/registry \
    --mount=type=cache,target=/src/target,sharing=locked \
    find . -path ./target -prune -o -type f -exec touch {} + \
 && cargo build --locked --release --target "$(cat /triple)" \
      -p operator -p initc \
 && mkdir /out \
 && for binary in grove-operator grove-initc; do \
      cp "target/$(cat /triple)/release/$binary" /out/; \
    done \
 && mkdir /out/licenses \
 && hack/licences.sh "$(cat /triple)" operator > /out/licenses/operator.txt \
 && hack/licences.sh "$(cat /triple)" initc > /out/licenses/initc.txt

# A static binary needs nothing else: the certificate of the API server comes
# with the ServiceAccount's token. Licences ask to be passed on.
FROM scratch AS static
ARG VERSION=unknown
ARG REVISION=unknown
LABEL org.opencontainers.image.version=$VERSION \
      org.opencontainers.image.revision=$REVISION \
      org.opencontainers.image.licenses=Apache-2.0
COPY LICENSE /licenses/LICENSE
USER 65532:65532

FROM static AS grove-operator
LABEL org.opencontainers.image.title=grove-operator \
      org.opencontainers.image.description="Operator for AI workloads whose parts live and die together"
COPY --from=build /out/licenses/operator.txt /licenses/THIRD-PARTY.txt
COPY --from=build /out/grove-operator /
ENTRYPOINT ["/grove-operator"]

FROM static AS grove-initc
LABEL org.opencontainers.image.title=grove-initc \
      org.opencontainers.image.description="Init container of pods that start after others"
COPY --from=build /out/licenses/initc.txt /licenses/THIRD-PARTY.txt
COPY --from=build /out/grove-initc /
ENTRYPOINT ["/grove-initc"]
