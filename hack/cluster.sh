# Sourced by the other scripts: selects the cluster and its kubectl.
#
# A KUBECONFIG of the user takes precedence; otherwise the local cluster is started or reused.

localcluster() { cargo run -q --bin localcluster -- "$@"; }

say() { printf '\n==> %s\n' "$*"; }

die() { printf 'error: %s\n' "$*" >&2; exit 1; }

for tool in cargo cc; do
  command -v "$tool" >/dev/null || die "$tool is missing: install Rust (rustup.rs) and a C compiler"
done

users_kubeconfig=${KUBECONFIG:-}

use_cluster() {
  local last
  last=$(localcluster up | tail -n 1)
  [[ $last == KUBECONFIG=* ]] || die "no cluster: see the messages above"
  export KUBECONFIG=${last#KUBECONFIG=}
  if [[ -n $users_kubeconfig ]] && command -v kubectl >/dev/null; then
    kubectl=kubectl
  else
    kubectl=$(localcluster tool)/kubectl
  fi
}

install_definitions() {
  "$kubectl" apply -f config/crd
  "$kubectl" wait --for=condition=Established --timeout=60s -f config/crd >/dev/null
}
