#!/usr/bin/env bash
# Prints the licences of all crates that are linked into a binary, each text once.
#   hack/licences.sh [TRIPLE [PACKAGE...]]
set -euo pipefail
cd "$(dirname "$0")/.."
triple=${1:-x86_64-unknown-linux-musl}
shift || :
[[ $# -gt 0 ]] || set -- operator initc
sources=${CARGO_HOME:-$HOME/.cargo}/registry/src

packages() {
  local package
  for package in "$@"; do
    cargo tree --locked --edges normal --target "$triple" --package "$package" --prefix none \
      --format '{p}|{l}' || exit 1
  done | sed -n 's/^\([^ ]*\) v\([^ |]*\)[^|]*|\(.*\)$/\1-\2|\3/p' | grep -v ' (\*)' | sort -u
}

# Not within the loop below, which would go on without them.
linked=$(packages "$@")

# Name, licence and the file of each text; crates of this workspace are in no registry.
texts=$(mktemp)
trap 'rm -f "$texts"' EXIT
while IFS='|' read -r package licence; do
  for folder in "$sources"/*/"$package"; do
    [[ -d $folder ]] || continue
    found=
    for file in "$folder"/{LICEN,Licen,licen}[SCsc]E* "$folder"/{COPYING,NOTICE,UNLICENSE}*; do
      [[ -f $file ]] || continue
      found=yes
      printf '%s|%s (%s)|%s\n' "$(sha256sum < "$file" | cut -c1-64)" "$package" "$licence" "$file"
    done
    [[ -n $found ]] || printf 'none|%s (%s)|\n' "$package" "$licence"
  done
done <<< "$linked" | sort > "$texts"

echo "Third-party code in this program, and its licences. Besides these, Rust's standard library"
echo "(MIT OR Apache-2.0) and, in the images, musl (MIT) are linked."
echo
cut -d'|' -f2 "$texts" | sort -u | sed 's/^/  /'
if grep -q '^none|' "$texts"; then
  printf '\nThese ship no text of their own; the terms are those of the licence they name:\n\n'
  sed -n 's/^none|\([^|]*\)|$/  \1/p' "$texts"
fi
while read -r sum; do
  printf '\n%s\n' "-----------------------------------------------------------------------"
  sed -n "s/^$sum|\([^|]*\)|.*$/\1/p" "$texts"
  echo
  cat "$(sed -n "s/^$sum|[^|]*|//p" "$texts" | head -n 1)"
done < <(cut -d'|' -f1 "$texts" | grep -v '^none$' | uniq)
