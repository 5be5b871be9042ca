//! Every label, annotation, finalizer, gate and environment variable, spelled once
//! (Grove, `operator/api/common`).

use std::collections::BTreeMap;

/// `app.kubernetes.io/name`: name of the object.
pub const NAME: &str = "app.kubernetes.io/name";
/// `app.kubernetes.io/managed-by`: always [`MANAGER`].
pub const MANAGED_BY: &str = "app.kubernetes.io/managed-by";
/// `app.kubernetes.io/part-of`: name of the PodCliqueSet.
pub const PART_OF: &str = "app.kubernetes.io/part-of";
/// `app.kubernetes.io/component`: one of [`component`].
pub const COMPONENT: &str = "app.kubernetes.io/component";
/// Value of [`MANAGED_BY`]; the same as the Go operator's, whose objects we adopt.
pub const MANAGER: &str = "grove-operator";
/// Selects everything that an operator of this API made.
pub const MANAGED_SELECTOR: &str = "app.kubernetes.io/managed-by=grove-operator";
/// Selects the HorizontalPodAutoscalers among it, by [`component::AUTOSCALER`].
pub const AUTOSCALER_SELECTOR: &str = "app.kubernetes.io/component=pcs-hpa";

/// Name of the PodClique a pod belongs to.
pub const POD_CLIQUE: &str = "grove.io/podclique";
/// Name of the PodGang a pod or PodClique belongs to.
pub const POD_GANG: &str = "grove.io/podgang";
/// Name of the base PodGang; only on members of scaled gangs.
pub const BASE_POD_GANG: &str = "grove.io/base-podgang";
/// Index of the PodCliqueSet replica.
pub const PCS_REPLICA_INDEX: &str = "grove.io/podcliqueset-replica-index";
/// Name of the PodCliqueScalingGroup object.
pub const SCALING_GROUP: &str = "grove.io/podcliquescalinggroup";
/// Index of the scaling group's replica.
pub const SCALING_GROUP_REPLICA_INDEX: &str = "grove.io/podcliquescalinggroup-replica-index";
/// Index of a pod in its PodClique.
pub const POD_INDEX: &str = "grove.io/podclique-pod-index";
/// Hash of the pod template.
pub const POD_TEMPLATE_HASH: &str = "grove.io/pod-template-hash";
/// Name of the scheduler of a PodGang.
pub const SCHEDULER_NAME: &str = "grove.io/scheduler-name";
/// Attempt of the PodCliqueSet replica, in a label to select by (absent means 0) and in an
/// annotation of a PodClique, which is what counts; written at creation, never repaired.
pub const ATTEMPT: &str = "grove.io/attempt";
/// Attempt of the scaling group's replica; likewise.
pub const GROUP_ATTEMPT: &str = "grove.io/group-attempt";

/// Annotation: the last `replicas` seen in the template, so that a change there can be told from
/// a live value that a user or an autoscaler set.
pub const TEMPLATE_REPLICAS: &str = "grove.io/template-replicas";
/// Annotation of PodCliques: which of its labels and annotations come from the template, as
/// `label:<key>` and `annotation:<key>` with commas between, so that those that a newer template
/// does not have are removed and those that others added are not.
pub const TEMPLATE_KEYS: &str = "grove.io/template-keys";
/// Annotation of pods: how many earlier holders of the slot ended soon after their start, one after
/// the other; the longer that goes on, the longer the next replacement waits.
pub const POD_FAILURE_COUNT: &str = "grove.io/pod-failure-count";
/// Its name before the first release; it is still read.
pub const OLD_POD_FAILURE_COUNT: &str = "grove.io/quick-ends";
/// Annotation: the template hash that another implementation wrote and that was replaced by ours.
pub const REBASED_FROM: &str = "grove.io/rebased-from-template-hash";
/// Annotation of a PodGang: `true` if its list is kept by a rule by which every listed pod may be
/// scheduled. The Go operator lists pods before that.
pub const GATES_RELEASED_BY_LIST: &str = "grove.io/gates-released-by-list";
/// Its name before the first release; it is still read.
pub const OLD_GATES_RELEASED_BY_LIST: &str = "grove.io/list-opens-gates";
/// Annotation of a pod that starts after others: `now` once it may start.
pub const START: &str = "grove.io/start";
/// Annotation of such a pod, for people: `<podclique>:<pods>` of those that it starts after,
/// comma-separated.
pub const STARTS_AFTER: &str = "grove.io/starts-after";
/// Annotation: name of the topology that a clique's constraint speaks of; not copied to PodCliques.
pub const TOPOLOGY_NAME: &str = "grove.io/topology-name";
/// Prefix of keys that are the operator's own.
pub const GROVE_PREFIX: &str = "grove.io/";
/// Annotation that kubectl keeps the applied manifest in; never copied to children.
pub const LAST_APPLIED: &str = "kubectl.kubernetes.io/last-applied-configuration";

/// Label of a ComputeDomain, annotation of a PodCliqueSet, clique or scaling group: its MNNVL group.
pub const MNNVL_GROUP: &str = "grove.io/mnnvl-group";
/// Annotation of a PodCliqueSet: any change of its value wakes the operator.
pub const RECONCILE_TRIGGER: &str = "grove.io/reconcile-trigger";
/// Annotation of a PodCliqueSet: `true` lets everybody change what the operator made.
pub const DISABLE_PROTECTION: &str = "grove.io/disable-managed-resource-protection";
/// Annotation of a PodCliqueSet: Volcano's queue.
pub const VOLCANO_QUEUE: &str = "scheduling.grove.io/volcano-queue";
/// Label or annotation of a PodCliqueSet: KAI's queue.
pub const KAI_QUEUE: &str = "kai.scheduler/queue";
/// Label of a pod: the part of KAI's PodGroup that it belongs to.
pub const KAI_SUBGROUP: &str = "kai.scheduler/subgroup-name";
/// Annotation of a scheduler's PodGroup: which fields were written that older definitions do not
/// know and drop.
pub const FIELDS_WRITTEN: &str = "grove.io/fields-written";

/// Finalizer of a PodCliqueSet.
pub const PCS_FINALIZER: &str = "grove.io/podcliqueset.grove.io";
/// Finalizer of a PodCliqueScalingGroup.
pub const PCSG_FINALIZER: &str = "grove.io/podcliquescalinggroup.grove.io";
/// Finalizer of a PodClique.
pub const PCLQ_FINALIZER: &str = "grove.io/podclique.grove.io";
/// Finalizer of a ComputeDomain.
pub const COMPUTE_DOMAIN_FINALIZER: &str = "grove.io/computedomain-finalizer";
/// Finalizer that the API server sets on an object whose children are to be kept.
pub const ORPHAN_FINALIZER: &str = "orphan";
/// Scheduling gate that holds a pod until its gang is complete.
pub const POD_GANG_GATE: &str = "grove.io/podgang-pending-creation";

/// Values of [`COMPONENT`].
pub mod component {
    /// Standalone PodClique.
    pub const PCS_POD_CLIQUE: &str = "pcs-podclique";
    /// PodClique of a scaling group.
    pub const PCSG_POD_CLIQUE: &str = "pcsg-podclique";
    /// PodCliqueScalingGroup.
    pub const SCALING_GROUP: &str = "pcs-podcliquescalinggroup";
    /// PodGang.
    pub const POD_GANG: &str = "podgang";
    /// PodGroup of a scheduler.
    pub const POD_GROUP: &str = "podgroup";
    /// HorizontalPodAutoscaler.
    pub const AUTOSCALER: &str = "pcs-hpa";
    /// Headless Service.
    pub const HEADLESS_SERVICE: &str = "pcs-headless-service";
    /// ResourceClaim.
    pub const RESOURCE_CLAIM: &str = "resource-claim";
    /// ComputeDomain.
    pub const COMPUTE_DOMAIN: &str = "pcs-computedomain";
}

/// Environment variables of every container.
pub mod env {
    /// Name of the PodCliqueSet.
    pub const PCS_NAME: &str = "GROVE_PCS_NAME";
    /// Index of the PodCliqueSet replica.
    pub const PCS_INDEX: &str = "GROVE_PCS_INDEX";
    /// Name of the PodClique.
    pub const PCLQ_NAME: &str = "GROVE_PCLQ_NAME";
    /// DNS name of the headless Service.
    pub const HEADLESS_SERVICE: &str = "GROVE_HEADLESS_SERVICE";
    /// Index of the pod in its PodClique.
    pub const PCLQ_POD_INDEX: &str = "GROVE_PCLQ_POD_INDEX";
    /// Name of the PodCliqueScalingGroup.
    pub const PCSG_NAME: &str = "GROVE_PCSG_NAME";
    /// Pods of one group replica according to the template.
    pub const PCSG_TEMPLATE_NUM_PODS: &str = "GROVE_PCSG_TEMPLATE_NUM_PODS";
    /// Index of the scaling group's replica.
    pub const PCSG_INDEX: &str = "GROVE_PCSG_INDEX";
}

/// Environment variables of the operator's own pod.
pub mod operator_env {
    /// Image of the init container; without a tag, that of the operator's version.
    pub const INIT_CONTAINER_IMAGE: &str = "GROVE_INIT_CONTAINER_IMAGE";
    /// Name of the operator's ServiceAccount.
    pub const SERVICE_ACCOUNT_NAME: &str = "GROVE_OPERATOR_SERVICE_ACCOUNT_NAME";
}

/// The two labels that every managed object has.
pub fn default_labels(pcs: &str) -> BTreeMap<String, String> {
    BTreeMap::from([
        (MANAGED_BY.into(), MANAGER.into()),
        (PART_OF.into(), pcs.into()),
    ])
}
