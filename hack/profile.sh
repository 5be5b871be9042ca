#!/usr/bin/env bash
# A flame graph of the operator's processor time: `make profile`. BENCH_ONLY selects the row of the
# benchmark.
set -euo pipefail
cd "$(dirname "$0")/.."

inferno=0.12.8
dir=$PWD/target/profile
tools=$dir/inferno-$inferno
data=$dir/perf.data
svg=$dir/flamegraph.svg

fail() {
  echo "make profile: $*" >&2
  exit 1
}

command -v perf > /dev/null ||
  fail "perf is not there: install it (Debian: linux-perf, Ubuntu: linux-tools-generic, Fedora: perf)"
mkdir -p "$dir"
perf record --quiet --output "$dir/try.data" -- true > /dev/null 2>&1 ||
  fail "perf may not record: allow it with 'sudo sysctl kernel.perf_event_paranoid=1'"
rm -f "$dir/try.data"
[[ -x $tools/bin/inferno-flamegraph ]] ||
  cargo install --quiet --locked --root "$tools" "inferno@$inferno"

# A separate target folder: frame pointers change every compilation.
CARGO_PROFILE_RELEASE_DEBUG=line-tables-only CARGO_PROFILE_RELEASE_STRIP=none \
  RUSTFLAGS="-C force-frame-pointers=yes" CARGO_TARGET_DIR=$dir \
  cargo build --release --workspace --bin grove-operator --bin bench

export BENCH_ONLY=${BENCH_ONLY:-1 clique x} BENCH_ROUNDS=1 BENCH_PROFILE=$data
"$dir/release/bench"
[[ -s $data ]] || fail "no row of the benchmark is called '$BENCH_ONLY'"

# Inlined functions are left out: perf needs more time for them than for everything else.
perf script --no-inline --input "$data" 2> "$dir/perf-script.log" > "$dir/perf.txt"
"$tools/bin/inferno-collapse-perf" "$dir/perf.txt" > "$dir/folded.txt"
"$tools/bin/inferno-flamegraph" --title "grove-operator, $BENCH_ONLY" "$dir/folded.txt" > "$svg"
rm -f "$dir/perf.txt"
echo "flame graph: $svg (open it in a browser); stacks as text: $dir/folded.txt"
