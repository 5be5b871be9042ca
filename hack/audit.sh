#!/usr/bin/env bash
# What `make audit` runs: deny.toml against everything in Cargo.lock. The tool is built from
# crates.io into .tools once; only the advisories need a network beyond that.
set -euo pipefail
cd "$(dirname "$0")/.."
version=0.20.2
deny=$PWD/.tools/bin/cargo-deny

if [[ $("$deny" --version 2>/dev/null) != "cargo-deny $version" ]]; then
  echo "audit: building cargo-deny $version into .tools, once; this takes some minutes"
  cargo install cargo-deny --version "$version" --locked --debug \
    --root .tools --target-dir target/tools
fi

"$deny" --locked check licenses sources bans

# They are kept in a git repository, which not every machine reaches.
if ! said=$("$deny" --locked fetch db 2>&1); then
  printf '%s\n' "$said" | tail -n 3
  echo "audit: known advisories were NOT checked: their database cannot be fetched from here."
  echo "audit: licences, sources and bans are as deny.toml wants them"
  exit 0
fi
"$deny" --locked check --disable-fetch advisories
echo "audit: licences, sources, bans and advisories are as deny.toml wants them"
