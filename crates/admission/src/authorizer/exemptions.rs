//! Users whose requests are always allowed.

use super::{Asked, Operation};

/// Accounts that write managed objects because it is their task, each with the reason. A cluster in
/// which they could not would come to a halt: they are exempt whatever the configuration lists.
pub const ALWAYS_EXEMPT: [(&str, &str); 13] = [
    (
        "system:kube-controller-manager",
        "all controllers of Kubernetes, where they have no accounts of their own",
    ),
    (
        "system:serviceaccount:kube-system:generic-garbage-collector",
        "deletes the objects of a deleted set, and removes owner references and finalizers",
    ),
    (
        "system:serviceaccount:kube-system:namespace-controller",
        "deletes the objects of a deleted namespace",
    ),
    (
        "system:serviceaccount:kube-system:horizontal-pod-autoscaler",
        "changes autoscalers, and their targets (Grove's list)",
    ),
    (
        "system:serviceaccount:kube-system:resource-claim-controller",
        "takes its finalizer off ResourceClaims that no pod uses",
    ),
    (
        "system:serviceaccount:kube-system:podgroup-protection-controller",
        "puts its finalizer on PodGroups of scheduling.k8s.io and takes it off",
    ),
    (
        "system:kube-scheduler",
        "puts its finalizer on ResourceClaims that it allocates",
    ),
    (
        "system:serviceaccount:kai-scheduler:pod-grouper",
        "labels and annotates pods with their PodGroup",
    ),
    (
        "system:serviceaccount:kai-scheduler:binder",
        "labels and annotates the pods that it binds",
    ),
    (
        "system:serviceaccount:kai-scheduler:scheduler",
        "annotates PodGroups with the time of their start and eviction",
    ),
    (
        "system:serviceaccount:kai-scheduler:podgroup-controller",
        "keeps the statuses of KAI's PodGroups",
    ),
    (
        "system:serviceaccount:volcano-system:volcano-scheduler",
        "writes phase and conditions of PodGroups of Volcano by an update of the whole",
    ),
    (
        "system:serviceaccount:volcano-system:volcano-controllers",
        "keeps PodGroups of Volcano",
    ),
];

/// Kubelets: they write annotations and finalizers of the pods on their node.
const NODES: &str = "system:nodes";

/// Users who may change and delete managed objects, in addition to [`ALWAYS_EXEMPT`].
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Exemptions {
    /// The operator's own account: `system:serviceaccount:<namespace>:<name>`.
    pub operator: String,
    /// Further user names (`authorizer.exemptServiceAccountUserNames`).
    pub users: Vec<String>,
}

impl Exemptions {
    pub(super) fn contain(&self, asked: &Asked<'_>) -> bool {
        let user = asked.user;
        let is_listed = user == self.operator || self.users.iter().any(|listed| listed == user);
        let is_of_cluster = ALWAYS_EXEMPT.iter().any(|(exempt, _)| *exempt == user);
        (is_listed && !user.is_empty()) || is_of_cluster || is_kubelet(asked)
    }
}

fn is_kubelet(asked: &Asked<'_>) -> bool {
    let is_node = asked.groups.iter().any(|group| group == NODES);
    is_node && asked.is_of_pod() && asked.operation == Operation::Update
}
