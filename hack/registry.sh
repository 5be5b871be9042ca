# For scripts that need the images' registry: `fail`, `registry` and `version`.
#   . hack/registry.sh "make image"

fail() {
  printf "$command: %s\n" "$@" >&2
  exit 1
}

command=$1
registry=${REGISTRY:-}
[[ -n $registry ]] || fail "REGISTRY is empty: name where the images will be, as in" \
  "  $command REGISTRY=registry.example.com/team"
registry=${registry%/}
version=$(sed -n 's/^version = "\(.*\)"$/\1/p' Cargo.toml | head -n 1)
