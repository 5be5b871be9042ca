//! What the Go operator leaves in a cluster, created in the order in which it creates it: names,
//! labels, finalizers, owners, hashes and statuses as the Go operator leaves them (docs/migration.md).

use serde_json::{Value, json};

use super::meta::{controlled, managed, set_as_stored};
use super::{podcliques, statuses};
use crate::harness::Namespace;
use crate::harness::seen::controlled_by;

/// A set that the Go operator made, and what it made for it.
pub struct Left<'a> {
    pub ns: &'a Namespace<'a>,
    pub set: Value,
    pub group: Value,
}

impl<'a> Left<'a> {
    /// The set `llm` after the Go operator's webhook and everything that is there once per set or
    /// replica: a group of so many replicas, but no PodClique yet.
    pub fn new(
        ns: &'a Namespace<'a>,
        group_replicas: u32,
        change: impl FnOnce(&mut Value),
    ) -> Self {
        let mut set = set_as_stored();
        change(&mut set);
        let set = create(ns, &set);
        let mut left = Self {
            ns,
            set,
            group: Value::Null,
        };
        left.access();
        left.service();
        left.extras();
        let group = left.controlled_group(group_replicas);
        left.group = create(ns, &group);
        left
    }

    /// ServiceAccount, Role, RoleBinding and the Secret with the token.
    fn access(&self) {
        let set = &self.set;
        let account = json!({"apiVersion": "v1", "kind": "ServiceAccount",
            "metadata": controlled(set, "llm", "llm", "pod-service-account"),
            "automountServiceAccountToken": true});
        create(self.ns, &account);
        let rbac = "rbac.authorization.k8s.io";
        let role = "grove.io:pcs:llm";
        create(
            self.ns,
            &json!({"apiVersion": format!("{rbac}/v1"), "kind": "Role",
            "metadata": controlled(set, role, "grove.io-pcs-llm", "pod-role"),
            "rules": [{"apiGroups": [""], "resources": ["pods", "pods/status"],
                "verbs": ["get", "list", "watch"]}]}),
        );
        create(
            self.ns,
            &json!({"apiVersion": format!("{rbac}/v1"), "kind": "RoleBinding",
            "metadata": controlled(set, role, "grove.io-pcs-llm", "pod-role-binding"),
            "roleRef": {"apiGroup": rbac, "kind": "Role", "name": role},
            "subjects": [{"kind": "ServiceAccount", "name": "llm", "namespace": self.ns.name}]}),
        );
        let mut secret = json!({"apiVersion": "v1", "kind": "Secret",
            "type": "kubernetes.io/service-account-token",
            "metadata": controlled(set, "llm-ic-sat", "llm-ic-sat", "pod-sa-token-secret")});
        secret["metadata"]["annotations"] = json!({"kubernetes.io/service-account.name": "llm"});
        create(self.ns, &secret);
    }

    fn service(&self) {
        let mut meta = controlled(&self.set, "llm-0", "llm-0", "pcs-headless-service");
        meta["labels"]["grove.io/podcliqueset-replica-index"] = json!("0");
        let mut selector = managed("llm");
        selector["grove.io/podcliqueset-replica-index"] = json!("0");
        create(
            self.ns,
            &json!({"apiVersion": "v1", "kind": "Service", "metadata": meta,
            "spec": {"clusterIP": "None", "publishNotReadyAddresses": true,
                "selector": selector}}),
        );
    }

    /// The group's autoscaler, and what grove-rs neither makes nor reads: a shared claim.
    fn extras(&self) {
        create(
            self.ns,
            &json!({"apiVersion": "autoscaling/v2", "kind": "HorizontalPodAutoscaler",
            "metadata": controlled(&self.set, "llm-0-model", "llm-0-model", "pcs-hpa"),
            "spec": {"minReplicas": 1, "maxReplicas": 5, "scaleTargetRef": {
                "apiVersion": "grove.io/v1alpha1", "kind": "PodCliqueScalingGroup",
                "name": "llm-0-model"}}}),
        );
        create(
            self.ns,
            &json!({"apiVersion": "resource.k8s.io/v1", "kind": "ResourceClaim",
            "metadata": controlled(&self.set, "llm-all-shared", "llm-all-shared", "resource-claim"),
            "spec": {"devices": {"requests": [{"name": "one",
                "exactly": {"deviceClassName": "gpu.example.com"}}]}}}),
        );
    }

    fn controlled_group(&self, replicas: u32) -> Value {
        let mut meta = controlled(
            &self.set,
            "llm-0-model",
            "llm-0-model",
            "pcs-podcliquescalinggroup",
        );
        meta["labels"]["grove.io/podcliqueset-replica-index"] = json!("0");
        meta["finalizers"] = json!(["grove.io/podcliquescalinggroup.grove.io"]);
        json!({"apiVersion": "grove.io/v1alpha1", "kind": "PodCliqueScalingGroup", "metadata": meta,
            "spec": {"replicas": replicas, "minAvailable": 1,
                "cliqueNames": ["leader", "worker"]}})
    }

    /// The router's PodClique.
    pub fn router(&self) -> Value {
        create(self.ns, &podcliques::standalone(&self.set, "router"))
    }

    /// Leader and worker of a replica of the group.
    pub fn group_replica(&self, j: u32) -> [Value; 2] {
        let made = |clique| podcliques::grouped(&self.set, &self.group, clique, j);
        ["leader", "worker"].map(|clique| create(self.ns, &made(clique)))
    }

    /// Pods of a PodClique with these indices, as they are after their gate came off, or before;
    /// their names.
    pub fn pods(&self, podclique: &Value, indices: &[u32], is_gated: bool) -> Vec<String> {
        let made = indices
            .iter()
            .map(|k| podcliques::pod(podclique, *k, is_gated));
        let created = made.map(|pod| create(self.ns, &pod));
        created.map(|pod| text(&pod["metadata"]["name"])).collect()
    }

    /// A PodGang that lists these pods of these PodCliques; its status as the Go operator writes
    /// it, complete or not.
    pub fn gang(&self, name: &str, parts: &[(&Value, Vec<String>)]) {
        let group = |(podclique, pods): &(&Value, Vec<String>)| {
            let reference = |pod: &String| json!({"namespace": self.ns.name, "name": pod});
            json!({"name": podclique["metadata"]["name"],
                "minReplicas": podclique["spec"]["minAvailable"],
                "podReferences": pods.iter().map(reference).collect::<Vec<_>>()})
        };
        let mut labels = managed("llm");
        labels["app.kubernetes.io/component"] = json!("podgang");
        labels["grove.io/scheduler-name"] = json!("default-scheduler");
        create(
            self.ns,
            &json!({"apiVersion": "scheduler.grove.io/v1alpha1", "kind": "PodGang",
            "metadata": {"name": name, "labels": labels, "ownerReferences": controlled_by(&self.set)},
            "spec": {"podgroups": parts.iter().map(group).collect::<Vec<_>>()}}),
        );
        let is_complete = parts
            .iter()
            .all(|(podclique, pods)| podclique["spec"]["replicas"] == json!(pods.len()));
        self.report("podgang", name, &statuses::gang(is_complete));
    }

    /// Writes a status.
    pub fn report(&self, kind: &str, name: &str, status: &Value) {
        let patch = format!("--patch={}", json!({"status": status}));
        let args = ["patch", kind, name, "--subresource=status", "--type=merge"];
        self.ns.kubectl(&[&args[..], &[&patch]].concat());
    }
}

fn create(ns: &Namespace<'_>, manifest: &Value) -> Value {
    let output = ns.feed(&["create", "--output=json", "-f", "-"], manifest);
    let error = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{manifest} was refused: {error}");
    serde_json::from_slice(&output.stdout).unwrap()
}

fn text(value: &Value) -> String {
    value.as_str().unwrap().to_owned()
}
