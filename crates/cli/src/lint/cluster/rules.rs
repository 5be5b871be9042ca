//! Rules that need a cluster.

use crate::lint::remark::Rule;

pub(in crate::lint) const NOT_INSTALLED: Rule = Rule::warning(
    "not-installed",
    "a cluster without grove's definitions",
    "The API server does not know the kind, so the object cannot be created.",
);

pub(in crate::lint) const NO_NAMESPACE: Rule = Rule::warning(
    "missing-namespace",
    "a namespace that does not exist",
    "The API server refuses objects in it.",
);

pub(in crate::lint) const MISSING_OBJECT: Rule = Rule::warning(
    "missing-object",
    "a PriorityClass, ServiceAccount, PersistentVolumeClaim, ConfigMap or Secret that does not exist \
     and is not in the files",
    "Without the first two no pod can be created; without a claim none is placed; without the others \
     none starts.",
);

pub(in crate::lint) const MISSING_QUEUE: Rule = Rule::warning(
    "missing-queue",
    "a queue of KAI Scheduler, Volcano or Kueue, or a WorkloadPriorityClass, that does not exist",
    "Gangs stay gated until it does (docs/gang-scheduling.md, docs/queues.md); without the class the \
     priority of the pods counts.",
);

pub(in crate::lint) const MISSING_CLAIM: Rule = Rule::warning(
    "missing-claim",
    "a ResourceClaim, ResourceClaimTemplate or DeviceClass that does not exist and is not in the files, \
     or ComputeDomains that the cluster does not serve",
    "Pods that use such devices are not created, or none of them is placed (docs/devices.md).",
);

pub(in crate::lint) const MISSING_TOPOLOGY: Rule = Rule::warning(
    "missing-topology",
    "a ClusterTopologyBinding, or a level of one, that does not exist",
    "The constraint cannot be kept.",
);

pub(in crate::lint) const NO_NODE_OF_LEVEL: Rule = Rule::warning(
    "level-without-nodes",
    "a level of a ClusterTopologyBinding with a key that is a label of no node",
    "Nodes without the label belong to no domain of the level.",
);

pub(in crate::lint) const POD_REFUSED: Rule = Rule::error(
    "pod-refused",
    "a pod of the set that the API server refuses in a dry run",
    "The API server stores the set and refuses each pod of this clique: validation, a policy, a \
     webhook or a LimitRange.",
);

pub(in crate::lint) const NO_NODE_WITH_RESOURCE: Rule = Rule::warning(
    "resource-without-nodes",
    "a resource that no node of the cluster has",
    "Its pods are placed only if an autoscaler adds such nodes.",
);

pub(in crate::lint) const NO_NODE_SELECTED: Rule = Rule::warning(
    "selector-without-nodes",
    "a nodeSelector that selects no node of the cluster",
    "Its pods are placed only if an autoscaler adds such nodes.",
);

pub(in crate::lint) const QUOTA_EXCEEDED: Rule = Rule::warning(
    "quota-exceeded",
    "a ResourceQuota without room for all pods of the set",
    "The API server refuses pods beyond the quota, and a gang that lacks a guaranteed pod does not start.",
);

pub(in crate::lint) const QUOTA_NEEDS_REQUESTS: Rule = Rule::warning(
    "quota-needs-requests",
    "a container without the CPU or memory that a ResourceQuota counts, and no LimitRange for it",
    "The API server refuses such pods.",
);

pub(in crate::lint) const CHECK_SKIPPED: Rule = Rule::warning(
    "check-skipped",
    "an object that you have no right to read in the cluster, or a clique without a dry run of its pods",
    "lint does not know whether the object exists, or whether the API server accepts the pods.",
);
