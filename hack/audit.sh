#!/usr/bin/env bash
# `make audit`: checks everything in Cargo.lock against deny.toml. The tool is built from crates.io
# into .tools once; after that only the advisories need a network. It fails if their database cannot
# be fetched, unless ADVISORIES=skip is set. target/advisories.txt then has one sentence about the
# check, for the notes of a release.
set -euo pipefail
cd "$(dirname "$0")/.."
version=0.20.2
deny=$PWD/.tools/bin/cargo-deny
said=target/advisories.txt
mkdir -p target
rm -f "$said"

if [[ $("$deny" --version 2>/dev/null) != "cargo-deny $version" ]]; then
  echo "audit: building cargo-deny $version into .tools, once; this takes some minutes"
  cargo install cargo-deny --version "$version" --locked --debug \
    --root .tools --target-dir target/tools
fi

"$deny" --locked check licenses sources bans

case ${ADVISORIES:-check} in
  check) ;;
  skip)
    echo "Known advisories were not checked (ADVISORIES=skip)." > "$said"
    echo "audit: licences, sources and bans are as deny.toml wants them; advisories were NOT checked"
    exit 0
    ;;
  *)
    echo "audit: ADVISORIES=$ADVISORIES: it may be check or skip; leave it out" >&2
    exit 2
    ;;
esac

# The advisories are in a git repository, which not every machine reaches.
if ! problem=$("$deny" --locked fetch db 2>&1); then
  printf '%s\n' "$problem" | tail -n 3 >&2
  echo "audit: known advisories were NOT checked: their database cannot be fetched from here;" \
    "run it where that can be, or say ADVISORIES=skip" >&2
  exit 1
fi
"$deny" --locked check --disable-fetch advisories
echo "No known advisory of the RustSec database of $(date -u +%F) is open, but those that" \
  "deny.toml accepts." > "$said"
echo "audit: licences, sources, bans and advisories are as deny.toml wants them"
