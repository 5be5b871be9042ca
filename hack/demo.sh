#!/usr/bin/env bash
# The main job, end to end: a cluster, the operator, one workload until it is Ready, and the plugin's
# answers about it.
#   hack/demo.sh up     for `make demo`; a second run reuses everything that exists
#   hack/demo.sh down   removes all of it
# With NODE=real the pods really run: the chart is installed, with images of the programs built here.
set -euo pipefail
cd "$(dirname "$0")/.."
. hack/cluster.sh

state=.localcluster/demo
example=examples/disaggregated.yaml

operator_pid() {
  local pid
  pid=$(cat "$state/operator.pid" 2>/dev/null) || return 1
  grep -qa grove-operator "/proc/$pid/cmdline" 2>/dev/null && echo "$pid"
}

start_operator() {
  local pid
  if pid=$(operator_pid); then
    if [[ ! target/debug/grove-operator -nt $state/operator.pid ]]; then
      echo "grove-operator already runs (pid $pid)"
      return
    fi
    stop_operator
  fi
  mkdir -p "$state"
  cat > "$state/config.yaml" <<'YAML'
apiVersion: operator.config.grove.io/v1alpha1
kind: OperatorConfiguration
logFormat: text
server:
  healthProbes: {bindAddress: 127.0.0.1}
  metrics: {bindAddress: 127.0.0.1}
YAML
  setsid nohup target/debug/grove-operator --config "$state/config.yaml" \
    > "$state/operator.log" 2>&1 < /dev/null &
  echo $! > "$state/operator.pid"
  echo "grove-operator runs (pid $!), its log is $state/operator.log"
}

stop_operator() {
  local pid
  if pid=$(operator_pid); then
    kill "$pid"
    while operator_pid >/dev/null; do read -rt 0.1 <> <(:) || :; done
    echo "grove-operator stopped"
  fi
  rm -rf "$state"
}

# The set is Ready a moment before the last of its gangs, which the minimum does not need.
wait_until_ready() {
  if ! "$kubectl" wait pcs/disaggregated --for=jsonpath='{.status.availableReplicas}'=1 \
      --timeout=120s ||
    ! "$kubectl" wait pcsg/disaggregated-0-workers \
      --for=jsonpath='{.status.availableReplicas}'=3 --timeout=120s ||
    ! wait_for_gangs disaggregated; then
    "$kubectl" describe pcs disaggregated
    tail -n 20 "$state/operator.log"
    die "the workload did not become Ready; see its state above"
  fi
}

wait_for_gangs() {
  "$kubectl" wait podgangs --selector "app.kubernetes.io/part-of=$1" --for=condition=Ready \
    --timeout=120s
}

# The last screen: the workload as the plugin shows it.
show() {
  target/debug/kubectl-grove tree "$1"
  echo
  target/debug/kubectl-grove explain "$1"
}

start_real_operator() {
  local program version
  version=$(sed -n 's/^appVersion: *//p' charts/grove/Chart.yaml)
  for program in grove-operator grove-initc; do
    localcluster load "localhost/$program:$version" "target/debug/$program"
  done
  "$(dirname "$kubectl")/helm" upgrade --install grove charts/grove --wait --timeout 2m \
    --namespace grove-system --create-namespace --set image.registry=localhost > /dev/null
  "$kubectl" get pods --namespace grove-system -o wide
}

up_real() {
  [[ -z $users_kubeconfig ]] || die "NODE=real starts a local cluster: unset KUBECONFIG"
  say "1/4 cluster"
  use_cluster
  echo "KUBECONFIG=$KUBECONFIG"
  say "2/4 operator (the first build takes a few minutes)"
  cargo build --workspace --bin grove-operator --bin grove-initc --bin kubectl-grove
  start_real_operator
  say "3/4 examples/quickstart.yaml"
  "$kubectl" apply -f examples/quickstart.yaml
  "$kubectl" wait --for=condition=Ready pcs/quickstart --timeout=2m ||
    { "$kubectl" describe pcs quickstart; die "the workload did not become Ready"; }
  wait_for_gangs quickstart
  say "4/4 kubectl grove tree quickstart, kubectl grove explain quickstart"
  show quickstart
  cat <<TEXT

Try next:
  export KUBECONFIG=$KUBECONFIG
  export PATH=$PWD/target/debug:$(dirname "$kubectl"):\$PATH
  kubectl logs --selector grove.io/podclique=quickstart-0-engine-0-worker --prefix
  kubectl run -i --rm ask --image=busybox:1.37 --restart=Never -- wget -qO- http://quickstart
  target/debug/localcluster exec node-1 -- ctr --namespace=k8s.io containers list
  make demo-down
TEXT
}

up() {
  if [[ ${NODE:-} == real ]]; then
    up_real
    return
  fi
  say "1/4 cluster"
  use_cluster
  echo "KUBECONFIG=$KUBECONFIG"
  say "2/4 operator (the first build takes a few minutes)"
  cargo build --workspace --bin grove-operator --bin kubectl-grove
  install_definitions
  start_operator
  say "3/4 $example"
  "$kubectl" apply -f "$example"
  wait_until_ready
  say "4/4 kubectl grove tree disaggregated, kubectl grove explain disaggregated"
  show disaggregated
  cat <<TEXT

The frontend and two of the three group replicas are the base gang: they were
scheduled together. The third group replica is a separate gang, started once
the base gang was ready.

Try next:
  export KUBECONFIG=$KUBECONFIG
  export PATH=$PWD/target/debug:$(dirname "$(command -v "$kubectl")"):\$PATH
  kubectl get pcs,pcsg,pclq,pg,pods
  kubectl scale pcsg/disaggregated-0-workers --replicas=100    # more than fits
  kubectl grove tree disaggregated
  kubectl grove explain disaggregated
  make demo-down
TEXT
}

down() {
  if [[ -n $users_kubeconfig ]]; then
    use_cluster
    "$kubectl" delete -f "$example" --ignore-not-found
    stop_operator
    echo "CustomResourceDefinitions stay in your cluster;" \
      "kubectl delete -f config/crd removes them and every PodCliqueSet"
    return
  fi
  stop_operator
  localcluster down
}

case ${1:-} in
  up | down) "$1" ;;
  *) die "usage: hack/demo.sh up|down" ;;
esac
