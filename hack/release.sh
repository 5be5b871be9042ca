#!/usr/bin/env bash
# Builds the files of a release, without the images (`make release REGISTRY=registry.example.com/team`):
# the chart, config/install.yaml with that registry, the list of parts, licences and sums, in
# target/dist. DRAFT=1 uses the changes of `## Unreleased`, and accepts an uncommitted tree. If known
# advisories cannot be fetched it needs ADVISORIES=skip, and RELEASE.md records that.
set -euo pipefail
cd "$(dirname "$0")/.."

. hack/registry.sh "make release"

changes=$version
if [[ -n ${DRAFT:-} ]]; then
  changes=Unreleased
elif [[ -n $(git status --porcelain) ]]; then
  fail "the tree has changes that are not committed: commit them, or say DRAFT=1"
fi

say() { printf '==> %s\n' "$*"; }

say "1/5 everything generated is up to date, one version everywhere"
cargo xtask generate --check
cargo test -q --package xtask --test it release::one_version_everywhere
say "2/5 licences, sources, bans and advisories"
hack/audit.sh

dist=$PWD/target/dist
rm -rf "$dist"
mkdir -p "$dist"
say "3/5 chart and manifest (the first build of helm takes some minutes)"
helm=$(cargo run -q --bin localcluster -- tool)/helm
cargo xtask chart --registry "$registry" --out "$dist/chart" --changes-of "$changes"
"$helm" lint --strict "$dist/chart/grove" > /dev/null
"$helm" package "$dist/chart/grove" --destination "$dist" > /dev/null
rm -rf "$dist/chart"
hack/install-manifest.sh "$helm" --set "image.registry=$registry" > "$dist/install.yaml"
say "4/5 list of parts and licences"
cargo xtask sbom > "$dist/grove-$version.cdx.json"
hack/licences.sh x86_64-unknown-linux-musl operator initc cli > "$dist/THIRD-PARTY.txt"
cp LICENSE "$dist"
{
  awk -v of="## $changes" 'on && /^## / { exit } on { print } index($0, of) == 1 { on = 1 }' \
    CHANGELOG.md
  printf '\n### Dependencies\n\n'
  cat target/advisories.txt
} > "$dist/RELEASE.md"
say "5/5 sums"
(cd "$dist" && sha256sum -- * > SHA256SUMS && cat SHA256SUMS)

cat <<TEXT

Remaining steps, for a person with write access to the repository:
  git tag -s v$version -m v$version && git push origin v$version
The workflow release then makes a draft of the release with all parts. Without it:
  make image REGISTRY=$registry PLATFORMS=linux/amd64,linux/arm64 PUSH=1
  helm push target/dist/grove-$version.tgz oci://$registry/charts
and target/dist, with the archives of kubectl-grove (hack/plugin.sh), beside the tag.
TEXT
