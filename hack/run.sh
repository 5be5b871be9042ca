#!/usr/bin/env bash
# Runs the operator in the foreground against the cluster (`make run`). Ctrl-C ends it.
set -euo pipefail
cd "$(dirname "$0")/.."
. hack/cluster.sh
use_cluster
config=$(mktemp)
trap 'rm -f "$config"' EXIT
cat > "$config" <<'YAML'
apiVersion: operator.config.grove.io/v1alpha1
kind: OperatorConfiguration
logFormat: text
server:
  healthProbes: {bindAddress: 127.0.0.1}
  metrics: {bindAddress: 127.0.0.1}
YAML
cargo build --workspace --bin grove-operator
echo "Runs until Ctrl-C. In another terminal:"
echo "  export KUBECONFIG=$KUBECONFIG"
target/debug/grove-operator --config "$config"
