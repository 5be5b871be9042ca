#!/usr/bin/env bash
# Builds both images (`make image REGISTRY=registry.example.com/team`) with docker, buildah or podman.
# PLATFORMS=linux/amd64,linux/arm64 builds for both platforms, PUSH=1 pushes the images to the
# registry, RUST_IMAGE=mirror.example.com/rust:TAG is the base image instead of the Dockerfile's, and
# BUILDER=buildah takes that builder instead of the first that works.
set -euo pipefail
cd "$(dirname "$0")/.."

. hack/registry.sh "make image"

platforms=${PLATFORMS:-}
push=${PUSH:-}
base=${RUST_IMAGE:-$(sed -n 's/^ARG RUST_IMAGE=//p' Dockerfile)}
labels=(--build-arg "RUST_IMAGE=$base" --build-arg "VERSION=$version"
  --build-arg "REVISION=$(git rev-parse HEAD 2>/dev/null || echo unknown)")

find_builder() {
  if command -v docker > /dev/null && docker info > /dev/null 2>&1; then
    echo docker
  elif command -v buildah > /dev/null; then
    echo buildah
  elif command -v podman > /dev/null; then
    echo podman
  fi
}

# Asked before the build, so that a machine that reaches no registry gets one sentence.
pull_base_image() {
  local answer
  "$builder" inspect --type image "$base" > /dev/null 2>&1 && return
  answer=$("$builder" pull --quiet "$base" 2>&1 > /dev/null) ||
    fail "the base image $base is not here and $builder cannot pull it:" "  ${answer##*$'\n'}" \
      "Build where that registry answers, or name a mirror of the image:" \
      "  make image REGISTRY=$registry RUST_IMAGE=mirror.example.com/rust:${base##*:}"
}

# docker's store keeps an image of one platform; images of several can only be pushed.
build_with_docker() {
  local target=$1 image=$2
  if [[ $platforms != *,* ]]; then
    docker build ${platforms:+--platform "$platforms"} --target "$target" "${labels[@]}" --tag "$image" .
    [[ -z $push ]] || docker push "$image"
    return
  fi
  docker buildx version > /dev/null 2>&1 ||
    fail "docker builds for several platforms by its plugin buildx, which is not installed"
  [[ -n $push ]] || fail "docker keeps no image of several platforms: send it, with PUSH=1"
  docker buildx build --platform "$platforms" --target "$target" "${labels[@]}" --tag "$image" --push .
}

# buildah and podman have the same commands.
build_with() {
  local tool=$1 target=$2 image=$3
  # The list of an earlier build would keep its images before those of this one, and nodes take the first.
  "$tool" manifest rm "$image" > /dev/null 2>&1 || :
  "$tool" build --format docker ${platforms:+--platform "$platforms"} --target "$target" "${labels[@]}" \
    --manifest "$image" .
  [[ -z $push ]] || "$tool" manifest push --all "$image" "docker://$image"
}

builder=${BUILDER:-$(find_builder)}
[[ -n $builder ]] || fail "nothing here builds images: docker is not installed or its daemon does not" \
  "answer (docker info), and neither buildah nor podman is there. Where one of them is:" \
  "  make image REGISTRY=$registry${platforms:+ PLATFORMS=$platforms}${push:+ PUSH=$push}"

command -v "$builder" > /dev/null || fail "BUILDER=$builder is not installed: leave it out, or install it"
pull_base_image
for target in grove-operator grove-initc; do
  image=$registry/$target:$version
  case $builder in
    docker) build_with_docker "$target" "$image" ;;
    *) build_with "$builder" "$target" "$image" ;;
  esac
  echo "make image: $image"
done

cat <<TEXT

Install it:
  helm install grove charts/grove --namespace grove-system --create-namespace \\
    --set image.registry=$registry
TEXT
[[ -z $push ]] || exit 0
image=$registry/grove-operator:$version
echo "The nodes need the images: PUSH=1 sends them to the registry. Without one, for each of them:"
if [[ $builder == docker ]]; then
  echo "  docker save $image --output grove-operator.tar"
else
  echo "  $builder push $image oci-archive:grove-operator.tar:$image"
fi
cat <<TEXT
  kind load image-archive grove-operator.tar          # kind
  ctr -n k8s.io images import grove-operator.tar      # on each node of another cluster
TEXT
