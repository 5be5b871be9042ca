#!/usr/bin/env bash
# Installs the CustomResourceDefinitions into the cluster (`make install`).
set -euo pipefail
cd "$(dirname "$0")/.."
. hack/cluster.sh
use_cluster
install_definitions
