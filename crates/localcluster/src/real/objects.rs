//! Objects and settings by which the API server knows the nodes and the name server.

use std::path::Path;

use serde_json::{Value, json};

use super::addresses::{DNS, GATEWAY};
use crate::pki::User;

/// The user as which the API server calls kubelets.
pub(super) const TO_KUBELETS: User<'static> = User {
    name: "kube-apiserver-kubelet-client",
    group: None,
};

/// The name server's user.
pub(super) const NAME_SERVER: User<'static> = User {
    name: "system:coredns",
    group: None,
};

const RBAC: &str = "rbac.authorization.k8s.io";

/// A `List` for `kubectl create`. The kubelets' rights come from the Node authorizer, and those of
/// kube-proxy's user from the API server itself.
pub(super) fn manifest() -> Value {
    let ports = json!([
        {"name": "dns", "port": 53, "protocol": "UDP"},
        {"name": "dns-tcp", "port": 53, "protocol": "TCP"},
    ]);
    json!({"apiVersion": "v1", "kind": "List", "items": [
        binding("kube-apiserver-to-kubelets", "system:kubelet-api-admin", &TO_KUBELETS),
        binding("system:coredns", "system:coredns", &NAME_SERVER),
        {
            "apiVersion": "rbac.authorization.k8s.io/v1",
            "kind": "ClusterRole",
            "metadata": {"name": "system:coredns"},
            "rules": [
                {"apiGroups": [""], "resources": ["services", "namespaces"], "verbs": ["get", "list", "watch"]},
                {"apiGroups": ["discovery.k8s.io"], "resources": ["endpointslices"], "verbs": ["get", "list", "watch"]},
            ],
        },
        {
            "apiVersion": "v1",
            "kind": "Service",
            "metadata": {"name": "kube-dns", "namespace": "kube-system"},
            "spec": {"clusterIP": DNS, "ports": ports},
        },
        {
            "apiVersion": "discovery.k8s.io/v1",
            "kind": "EndpointSlice",
            "metadata": {
                "name": "kube-dns",
                "namespace": "kube-system",
                "labels": {"kubernetes.io/service-name": "kube-dns"},
            },
            "addressType": "IPv4",
            "ports": ports,
            "endpoints": [{"addresses": [GATEWAY], "conditions": {"ready": true}}],
        },
    ]})
}

fn binding(name: &str, role: &str, user: &User<'_>) -> Value {
    json!({
        "apiVersion": format!("{RBAC}/v1"),
        "kind": "ClusterRoleBinding",
        "metadata": {"name": name},
        "roleRef": {"apiGroup": RBAC, "kind": "ClusterRole", "name": role},
        "subjects": [{"apiGroup": RBAC, "kind": "User", "name": user.name}],
    })
}

/// The name server's configuration.
pub(super) fn corefile(kubeconfig: &Path) -> String {
    format!(
        ".:53 {{
  bind {GATEWAY}
  errors
  kubernetes cluster.local {{
    kubeconfig {} local
    pods disabled
  }}
  cache 5
}}
",
        kubeconfig.display()
    )
}

/// The API server's way to kubelets, webhooks and pods: the supervisor's proxy, on a Unix socket in
/// the folder in which both work.
pub(super) fn egress() -> Value {
    json!({
        "apiVersion": "apiserver.k8s.io/v1beta1",
        "kind": "EgressSelectorConfiguration",
        "egressSelections": [{"name": "cluster", "connection": {
            "proxyProtocol": "HTTPConnect",
            "transport": {"uds": {"udsName": "egress.sock"}},
        }}],
    })
}
