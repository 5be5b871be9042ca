//! The objects that the Go operator leaves in a cluster, created in its order: with its names,
//! labels, finalizers, owners, hashes and statuses (docs/migration.md).

use serde_json::{Value, json};

use super::meta::{controlled, managed, set_as_stored};
use super::{podcliques, statuses};
use crate::harness::Namespace;
use crate::harness::client;
use crate::harness::seen::{controlled_by, name};

const REPLICA_INDEX: &str = "grove.io/podcliqueset-replica-index";

/// A set of the Go operator, and its objects.
pub struct Left<'a> {
    pub ns: &'a Namespace<'a>,
    pub set: Value,
    /// The group of the set `llm`.
    pub group: Value,
}

impl<'a> Left<'a> {
    /// The set `llm` after the Go operator's webhook, and all objects that exist once per set or
    /// replica: a group with that many replicas, but no PodClique yet.
    pub fn new(
        ns: &'a Namespace<'a>,
        group_replicas: u32,
        change: impl FnOnce(&mut Value),
    ) -> Self {
        let mut set = set_as_stored();
        change(&mut set);
        let mut group = set["spec"]["template"]["podCliqueScalingGroups"][0].clone();
        group["replicas"] = json!(group_replicas);
        let mut left = Self::of(ns, create(ns, &set));
        left.service(0);
        left.extras();
        left.group = left.scaling_group(0, &group);
        left
    }

    /// A stored set, and the objects that exist once for it.
    pub fn of(ns: &'a Namespace<'a>, set: Value) -> Self {
        let left = Self {
            ns,
            set,
            group: Value::Null,
        };
        left.access();
        left
    }

    /// Name of the set.
    pub fn name(&self) -> &str {
        name(&self.set)
    }

    /// ServiceAccount, Role, RoleBinding and the Secret with the token.
    fn access(&self) {
        let (set, called) = (&self.set, self.name());
        let account = json!({"apiVersion": "v1", "kind": "ServiceAccount",
            "metadata": controlled(set, called, called, "pod-service-account"),
            "automountServiceAccountToken": true});
        create(self.ns, &account);
        let rbac = "rbac.authorization.k8s.io";
        let (role, label) = (
            format!("grove.io:pcs:{called}"),
            format!("grove.io-pcs-{called}"),
        );
        create(
            self.ns,
            &json!({"apiVersion": format!("{rbac}/v1"), "kind": "Role",
            "metadata": controlled(set, &role, &label, "pod-role"),
            "rules": [{"apiGroups": [""], "resources": ["pods", "pods/status"],
                "verbs": ["get", "list", "watch"]}]}),
        );
        create(
            self.ns,
            &json!({"apiVersion": format!("{rbac}/v1"), "kind": "RoleBinding",
            "metadata": controlled(set, &role, &label, "pod-role-binding"),
            "roleRef": {"apiGroup": rbac, "kind": "Role", "name": role},
            "subjects": [{"kind": "ServiceAccount", "name": called, "namespace": self.ns.name}]}),
        );
        let token = format!("{called}-ic-sat");
        let mut secret = json!({"apiVersion": "v1", "kind": "Secret",
            "type": "kubernetes.io/service-account-token",
            "metadata": controlled(set, &token, &token, "pod-sa-token-secret")});
        secret["metadata"]["annotations"] = json!({"kubernetes.io/service-account.name": called});
        create(self.ns, &secret);
    }

    /// The headless Service of a replica.
    pub fn service(&self, replica: u32) {
        let called = format!("{}-{replica}", self.name());
        let mut meta = controlled(&self.set, &called, &called, "pcs-headless-service");
        meta["labels"][REPLICA_INDEX] = json!(replica.to_string());
        let mut selector = managed(self.name());
        selector[REPLICA_INDEX] = json!(replica.to_string());
        create(
            self.ns,
            &json!({"apiVersion": "v1", "kind": "Service", "metadata": meta,
            "spec": {"clusterIP": "None", "publishNotReadyAddresses": true,
                "selector": selector}}),
        );
    }

    /// The group's autoscaler, and a claim of no entry of the set, which stays until the set goes.
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

    /// The PodCliqueScalingGroup of a replica for this group of the template.
    pub fn scaling_group(&self, replica: u32, group: &Value) -> Value {
        let called = format!("{}-{replica}-{}", self.name(), text(&group["name"]));
        let mut meta = controlled(&self.set, &called, &called, "pcs-podcliquescalinggroup");
        meta["labels"][REPLICA_INDEX] = json!(replica.to_string());
        meta["finalizers"] = json!(["grove.io/podcliquescalinggroup.grove.io"]);
        let of = |field: &str| group[field].clone();
        let made = json!({"apiVersion": "grove.io/v1alpha1", "kind": "PodCliqueScalingGroup",
            "metadata": meta, "spec": {"replicas": of("replicas"),
                "minAvailable": of("minAvailable"), "cliqueNames": of("cliqueNames")}});
        create(self.ns, &made)
    }

    /// The router's PodClique.
    pub fn router(&self) -> Value {
        self.standalone(0, "router")
    }

    /// The PodClique of a replica for a standalone clique.
    pub fn standalone(&self, replica: u32, clique: &str) -> Value {
        create(self.ns, &podcliques::standalone(&self.set, replica, clique))
    }

    /// The PodClique of a clique in replica `j` of this group.
    pub fn grouped(&self, group: &Value, clique: &str, j: u32) -> Value {
        create(self.ns, &podcliques::grouped(&self.set, group, clique, j))
    }

    /// Any object of the Go operator.
    pub fn create(&self, manifest: &Value) -> Value {
        create(self.ns, manifest)
    }

    /// Leader and worker of a replica of the group.
    pub fn group_replica(&self, j: u32) -> [Value; 2] {
        ["leader", "worker"].map(|clique| self.grouped(&self.group, clique, j))
    }

    /// Pods of a PodClique with these indices, with or without their gate; returns their names.
    pub fn pods(&self, podclique: &Value, indices: &[u32], is_gated: bool) -> Vec<String> {
        let made = indices
            .iter()
            .map(|k| podcliques::pod(podclique, *k, is_gated));
        let created = made.map(|pod| create(self.ns, &pod));
        created.map(|pod| text(&pod["metadata"]["name"])).collect()
    }

    /// A PodGang that lists these pods of these PodCliques, with a status of the Go operator,
    /// complete or not.
    pub fn gang(&self, name: &str, parts: &[(&Value, Vec<String>)]) {
        let group = |(podclique, pods): &(&Value, Vec<String>)| {
            let reference = |pod: &String| json!({"namespace": self.ns.name, "name": pod});
            json!({"name": podclique["metadata"]["name"],
                "minReplicas": podclique["spec"]["minAvailable"],
                "podReferences": pods.iter().map(reference).collect::<Vec<_>>()})
        };
        let mut labels = managed(self.name());
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
        self.report("PodGang", name, &statuses::gang(is_complete));
    }

    /// Writes a status.
    pub fn report(&self, kind: &str, name: &str, status: &Value) {
        let kubeconfig = &self.ns.control_plane.kubeconfig;
        client::patch_status(kubeconfig, &self.ns.name, (kind, name), status).unwrap();
    }
}

fn create(ns: &Namespace<'_>, manifest: &Value) -> Value {
    client::create(&ns.control_plane.kubeconfig, &ns.name, manifest).unwrap()
}

fn text(value: &Value) -> String {
    value.as_str().unwrap().to_owned()
}
