//! Every label, annotation, finalizer, gate and environment variable, spelled once
//! (Grove, `operator/api/common`).

use std::collections::BTreeMap;

/// Label of all objects of the operator: name of the object; on pods, the name of their PodClique.
pub const NAME: &str = "app.kubernetes.io/name";
/// Label of all objects of the operator: always `grove-operator`.
pub const MANAGED_BY: &str = "app.kubernetes.io/managed-by";
/// Label of all objects of the operator: name of the PodCliqueSet.
pub const PART_OF: &str = "app.kubernetes.io/part-of";
/// Label of all objects of the operator: the sort of object; pods have the value of their
/// PodClique.
pub const COMPONENT: &str = "app.kubernetes.io/component";
/// Label of the CustomResourceDefinitions: version of the operator that they belong to.
pub const VERSION: &str = "app.kubernetes.io/version";
/// Value of [`MANAGED_BY`]. The Go operator has the same value; we adopt its objects.
pub const MANAGER: &str = "grove-operator";
/// Selects all objects that an operator of this API created.
pub const MANAGED_SELECTOR: &str = "app.kubernetes.io/managed-by=grove-operator";
/// Selects the ComputeDomains among them, by [`component::COMPUTE_DOMAIN`].
pub const COMPUTE_DOMAIN_SELECTOR: &str = "app.kubernetes.io/component=pcs-computedomain";
/// Selects the HorizontalPodAutoscalers among them, by [`component::AUTOSCALER`].
pub const AUTOSCALER_SELECTOR: &str = "app.kubernetes.io/component=pcs-hpa";
/// Selects the ControllerRevisions among them, by [`component::REVISION`].
pub const REVISION_SELECTOR: &str = "app.kubernetes.io/component=pcs-revision";
/// Selects the ResourceClaims among them, by [`component::RESOURCE_CLAIM`].
pub const CLAIM_SELECTOR: &str = "app.kubernetes.io/component=resource-claim";

/// Label of pods: name of their PodClique.
pub const POD_CLIQUE: &str = "grove.io/podclique";
/// Label of PodCliques, pods and PodGroups of Kubernetes: name of their PodGang.
pub const POD_GANG: &str = "grove.io/podgang";
/// Label of PodCliques and pods of scaled gangs: name of the base PodGang, which starts first.
pub const BASE_POD_GANG: &str = "grove.io/base-podgang";
/// Label of scaling groups, PodCliques, pods and Services: index of the PodCliqueSet replica.
pub const PCS_REPLICA_INDEX: &str = "grove.io/podcliqueset-replica-index";
/// Label of PodCliques and pods of a scaling group: name of the PodCliqueScalingGroup.
pub const SCALING_GROUP: &str = "grove.io/podcliquescalinggroup";
/// Label of PodCliques and pods of a scaling group: index of the group's replica.
pub const SCALING_GROUP_REPLICA_INDEX: &str = "grove.io/podcliquescalinggroup-replica-index";
/// Label of pods in scaling groups: index of the pod among the pods of its group replica, from 0;
/// see `GROVE_PCSG_POD_INDEX`.
pub const SCALING_GROUP_POD_INDEX: &str = "grove.io/podcliquescalinggroup-pod-index";
/// Label of pods: index in their PodClique.
pub const POD_INDEX: &str = "grove.io/podclique-pod-index";
/// Label of PodCliques and pods: hash of the pod template.
pub const POD_TEMPLATE_HASH: &str = "grove.io/pod-template-hash";
/// Label of PodGangs: name of the scheduler.
pub const SCHEDULER_NAME: &str = "grove.io/scheduler-name";
/// Label or annotation of PodCliques and pods: attempt of the PodCliqueSet replica; absent means 0.
/// The label is for selectors. The annotation, which only PodCliques have, is the value that the
/// operator reads. Written at creation, never repaired.
pub const ATTEMPT: &str = "grove.io/attempt";
/// Label or annotation of PodCliques and pods of a scaling group: attempt of the group's replica;
/// otherwise like `grove.io/attempt`.
pub const GROUP_ATTEMPT: &str = "grove.io/group-attempt";

/// Annotation of PodCliques and scaling groups: the last `replicas` seen in the template. With it
/// the operator distinguishes a change of the template from a live value that a user or an
/// autoscaler set.
pub const TEMPLATE_REPLICAS: &str = "grove.io/template-replicas";
/// Annotation of PodCliques: the labels and annotations that come from the template, as
/// `label:<key>` and `annotation:<key>`, separated by commas. With it the operator removes keys
/// that a newer template does not have, and leaves keys of other writers alone.
pub const TEMPLATE_KEYS: &str = "grove.io/template-keys";
/// Annotation of PodCliques of a scaling group: the template hash with which the PodClique was
/// created. Written at creation, removed when the template is edited in place. While it equals the
/// hash of the PodClique, all its pods have that template, regardless of their labels.
pub const MADE_WITH_HASH: &str = "grove.io/made-with-template-hash";
/// Annotation of pods: how many earlier pods of the index ended soon after their start, in a row. The
/// higher it is, the longer the operator waits before the next replacement.
pub const POD_FAILURE_COUNT: &str = "grove.io/pod-failure-count";
/// Annotation of pods: name of `grove.io/pod-failure-count` before the first release; still read.
pub const OLD_POD_FAILURE_COUNT: &str = "grove.io/quick-ends";
/// Annotation of PodCliques: the template hash of another implementation that this operator
/// replaced.
pub const REBASED_FROM: &str = "grove.io/rebased-from-template-hash";
/// Annotation of standalone PodCliques: the template hash of its older pods, which a partition, a
/// pause or a step of a coherent update keeps.
pub const OLDER_TEMPLATE_HASH: &str = "grove.io/older-template-hash";
/// Annotation of PodGangs: `true` if every pod in its list may be scheduled. The Go operator lists
/// pods earlier than that.
pub const GATES_RELEASED_BY_LIST: &str = "grove.io/gates-released-by-list";
/// Annotation of PodGangs: name of `grove.io/gates-released-by-list` before the first release;
/// still read.
pub const OLD_GATES_RELEASED_BY_LIST: &str = "grove.io/list-opens-gates";
/// Annotation of pods that start after others: `0`, then `now` once they may start; `2` to `5`
/// while the kubelet does not show the new value to the container.
pub const START: &str = "grove.io/start";
/// Annotation of pods that start after others: when they were allowed to start.
pub const START_AT: &str = "grove.io/start-at";
/// Annotation of pods that start after others: their dependencies as `<podclique>:<pods>`,
/// separated by commas; for people.
pub const STARTS_AFTER: &str = "grove.io/starts-after";
/// Annotation of PodGangs with topology constraints: name of the scheduler's topology object. In a
/// PodCliqueSet, clique or scaling group it has no effect, the webhook warns of it, and it is not copied to
/// PodCliques: `topologyConstraint.topologyName` names a topology.
pub const TOPOLOGY_NAME: &str = "grove.io/topology-name";
/// Annotation of PodGangs with topology constraints: the levels that they use, as a JSON list of
/// `{domain, key}`, broadest first. Written when the gang starts.
pub const TOPOLOGY_LEVELS: &str = "grove.io/topology-levels";
/// Annotation of pods: the node labels that the operator added to their node selector, as a JSON
/// object, because pods of the same scope already run in a topology domain.
pub const PINNED: &str = "grove.io/pinned";
/// Annotation of PodGangs whose set names a queue of Kueue: the number of pods of each PodClique for
/// which the gang needs quota, as a JSON object. Annotation of their Workloads: the number that each
/// asks for.
pub const QUOTA_REQUEST: &str = "grove.io/quota-request";
/// Annotation of pods: how often their gang had lost its quota when they were created; absent: never.
/// A pod of a lower number than that of its PodGang never starts.
pub const QUOTA_ROUND: &str = "grove.io/quota-round";
/// Prefix of keys that are reserved for the operator.
pub const GROVE_PREFIX: &str = "grove.io/";
/// Annotation of objects that `kubectl apply` wrote: the applied manifest; never copied to
/// children.
pub const LAST_APPLIED: &str = "kubectl.kubernetes.io/last-applied-configuration";

/// Annotation of a PodCliqueSet, clique or scaling group, set by you: its MNNVL group,
/// whose GPU pods share a ComputeDomain in each replica, or `none`; cliques without it have that of
/// their group, or of the set. ComputeDomains have it as a label.
pub const MNNVL_GROUP: &str = "grove.io/mnnvl-group";
/// Annotation of a PodCliqueSet, set by you: any change of its value triggers a reconcile.
pub const RECONCILE_TRIGGER: &str = "grove.io/reconcile-trigger";
/// Annotation of a PodCliqueSet, set by you: the restart of one replica, as the JSON object
/// `{"replica": 2, "attempt": 5, "reason": "new driver"}`. The operator restarts the replica if 5 is its
/// stored attempt (`status.replicaAttempts`, 0 without an entry), which becomes 6, and so does it once.
/// `kubectl grove restart` writes it.
pub const RESTART_REPLICA: &str = "grove.io/restart-replica";
/// Annotation of a PodCliqueSet, set by you: `true` allows every user to change the objects that
/// the operator created.
pub const DISABLE_PROTECTION: &str = "grove.io/disable-managed-resource-protection";
/// Annotation of a PodCliqueSet, set by you: Volcano's queue.
pub const VOLCANO_QUEUE: &str = "scheduling.grove.io/volcano-queue";
/// Label or annotation of a PodCliqueSet, set by you: KAI's queue.
pub const KAI_QUEUE: &str = "kai.scheduler/queue";
/// Label of pods that KAI places: the part of KAI's PodGroup that they belong to.
pub const KAI_SUBGROUP: &str = "kai.scheduler/subgroup-name";
/// Annotation of a PodCliqueSet that is deleted with `--cascade=orphan`: its own uid. The operator
/// releases the objects that the set controls and deletes none, even if it starts after the
/// finalizer `orphan` is gone.
pub const ORPHAN_ASKED: &str = "grove.io/orphan-asked";
/// Annotation of objects that a PodCliqueSet left behind when it was deleted with
/// `--cascade=orphan`: the uid of that set. A late adoption by that set fails on it.
pub const LEFT_BY: &str = "grove.io/left-by";
/// Annotation of a scheduler's PodGroup: the written fields that the cluster may not know and drop,
/// or that others may write too.
pub const FIELDS_WRITTEN: &str = "grove.io/fields-written";

/// Finalizer of a PodCliqueSet: removed once all objects below it are gone or released.
pub const PCS_FINALIZER: &str = "grove.io/podcliqueset.grove.io";
/// Finalizer of a PodCliqueScalingGroup: removed likewise.
pub const PCSG_FINALIZER: &str = "grove.io/podcliquescalinggroup.grove.io";
/// Finalizer of a PodClique: removed likewise.
pub const PCLQ_FINALIZER: &str = "grove.io/podclique.grove.io";
/// Finalizer of a ComputeDomain: removed once no pod names its ResourceClaimTemplate.
pub const COMPUTE_DOMAIN_FINALIZER: &str = "grove.io/computedomain-finalizer";
/// Finalizer of objects that are deleted with `--cascade=orphan`: set by the API server if the
/// children are to stay.
pub const ORPHAN_FINALIZER: &str = "orphan";
/// Scheduling gate of pods: holds them until their gang is complete.
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
    /// Workload of Kueue.
    pub const KUEUE_WORKLOAD: &str = "kueue-workload";
    /// HorizontalPodAutoscaler.
    pub const AUTOSCALER: &str = "pcs-hpa";
    /// ControllerRevision.
    pub const REVISION: &str = "pcs-revision";
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
    /// Index of the PodCliqueSet replica, from 0.
    pub const PCS_INDEX: &str = "GROVE_PCS_INDEX";
    /// Name of the PodClique; followed by a hyphen and `GROVE_PCLQ_POD_INDEX` it is the pod's host
    /// name.
    pub const PCLQ_NAME: &str = "GROVE_PCLQ_NAME";
    /// DNS name of the headless Service; the address of a pod is `<host
    /// name>.$GROVE_HEADLESS_SERVICE`.
    pub const HEADLESS_SERVICE: &str = "GROVE_HEADLESS_SERVICE";
    /// Index of the pod in its PodClique, from 0; a replacement keeps it.
    pub const PCLQ_POD_INDEX: &str = "GROVE_PCLQ_POD_INDEX";
    /// In training jobs only: attempt of the job, the same for all pods that belong together: the
    /// first 8 characters of the set's uid, a hyphen, and the number of restarts of this replica of
    /// the set. For the id of a rendezvous.
    pub const ATTEMPT: &str = "GROVE_ATTEMPT";
    /// In scaling groups only: name of the PodCliqueScalingGroup.
    pub const PCSG_NAME: &str = "GROVE_PCSG_NAME";
    /// In scaling groups only: number of pods of one group replica in the template.
    pub const PCSG_TEMPLATE_NUM_PODS: &str = "GROVE_PCSG_TEMPLATE_NUM_PODS";
    /// In scaling groups only: index of the group's replica, from 0.
    pub const PCSG_INDEX: &str = "GROVE_PCSG_INDEX";
    /// In scaling groups only: index of the pod among the pods of its group replica, from 0: first
    /// the pods of the first clique of `cliqueNames`, as many as the template has, and so on. A
    /// replacement keeps it, unless `replicas` of an earlier clique were changed meanwhile.
    pub const PCSG_POD_INDEX: &str = "GROVE_PCSG_POD_INDEX";
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
