#!/usr/bin/env bash
# Runs all tests; those on real nodes, which need root, only as `hack/test.sh node`. The simulator's tests
# use the processor time that the other tests leave: e2e tests wait for each other and for the control
# plane, those on real nodes for kubelets. Two cores run the simulator's tests alone in 11 minutes.
set -euo pipefail
cd "$(dirname "$0")/.."

unknown=$(ls -d {crates,tests}/*/tests/*/main.rs | grep -vE '/tests/(it|simulator|whole|node)/main.rs$' || true)
if [ -n "$unknown" ]; then
  echo "hack/test.sh does not run these: name them it, or add them there: $unknown" >&2
  exit 1
fi

# A separate process group: Ctrl-C would not reach it, `kill` does.
set -m
log=target/simulator-tests.log
nice -n 19 cargo test --workspace --no-fail-fast --test simulator --test whole > "$log" 2>&1 &
simulator=$!
set +m
trap 'kill -- -"$simulator" 2> /dev/null || true' EXIT

status=0
# Most of the time e2e tests wait, many of them for each other, so more of them run at once than
# there are processors.
GROVE_E2E_OPERATOR=$PWD/target/debug/grove-operator RUST_TEST_THREADS=$((5 * $(nproc))) \
  cargo test --workspace --no-fail-fast --bin bench --test it || status=$?
if [ "${1:-}" = node ]; then
  cargo test --workspace --no-fail-fast --test node || status=$?
fi
echo "The tests of the simulator ran beside these:"
tail -n +1 -f --pid="$simulator" "$log"
wait "$simulator" || status=$?
exit "$status"
