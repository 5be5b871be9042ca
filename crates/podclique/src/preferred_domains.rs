//! The topology domains that pods should share, for schedulers that know required ones only, or
//! none: pods of one scope attract each other by soft affinity (docs/topology.md).

use std::collections::BTreeMap;

use api::podcliqueset::{
    PodCliqueScalingGroupConfig, PodCliqueSetTemplateSpec, PodCliqueTemplateSpec,
};
use api::{ClusterTopologyBinding, labels};
use domain::Key;
use domain::topology::{Levels, binding_name, pack_of};
use engine::Caches;
use k8s_openapi::api::core::v1::{Pod, PodAffinityTerm, WeightedPodAffinityTerm};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::{LabelSelector, LabelSelectorRequirement};

/// A domain that the pods of a scope should share.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PreferredDomain {
    /// The pods that should share it.
    pub scope: Scope,
    /// Key of the node label whose value names the domain.
    pub key: String,
}

/// The pods to which a constraint applies; only those of the present attempt.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scope {
    /// Those of the PodClique.
    PodClique,
    /// Those of its group replica.
    GroupReplica,
    /// Those of all replicas of its scaling group in its replica of the set.
    ScalingGroup,
    /// Those of its replica of the set.
    Replica,
}

impl Scope {
    /// The labels that have one value on all of its pods.
    fn labels(self) -> &'static [&'static str] {
        match self {
            Self::PodClique => &[labels::POD_CLIQUE],
            Self::GroupReplica => &[labels::SCALING_GROUP, labels::SCALING_GROUP_REPLICA_INDEX],
            Self::ScalingGroup => &[labels::SCALING_GROUP],
            Self::Replica => &[labels::PART_OF, labels::PCS_REPLICA_INDEX],
        }
    }

    /// The labels of its attempt. Group replicas of one replica may be in several attempts.
    fn attempts(self) -> &'static [&'static str] {
        match self {
            Self::PodClique | Self::GroupReplica => &[labels::ATTEMPT, labels::GROUP_ATTEMPT],
            Self::ScalingGroup | Self::Replica => &[labels::ATTEMPT],
        }
    }
}

/// Reads the preferences that apply to this clique, the narrowest scope first. One whose level the
/// ClusterTopologyBinding lacks is left out.
pub(crate) fn observe(
    template: &PodCliqueSetTemplateSpec,
    clique: Option<&PodCliqueTemplateSpec>,
    group: Option<&PodCliqueScalingGroupConfig>,
    caches: &Caches,
) -> Vec<PreferredDomain> {
    let of_clique = clique.and_then(|clique| clique.topology_constraint.as_ref());
    let of_group = group.and_then(|group| group.topology_constraint.as_ref());
    let of_all = group.and_then(|group| group.all_replicas_topology_constraint.as_ref());
    let constraints = [
        (Scope::PodClique, of_clique),
        (Scope::GroupReplica, of_group),
        (Scope::ScalingGroup, of_all),
        (Scope::Replica, template.topology_constraint.as_ref()),
    ];
    let preferred = constraints.map(|(scope, constraint)| (scope, pack_of(constraint).preferred));
    if preferred.iter().all(|(_, level)| level.is_none()) {
        return Vec::new();
    }
    let Some(levels) = levels_of(template, caches) else {
        return Vec::new();
    };
    preferred
        .into_iter()
        .filter_map(|(scope, level)| {
            let key = levels.key(level?)?.to_owned();
            Some(PreferredDomain { scope, key })
        })
        .collect()
}

fn levels_of(template: &PodCliqueSetTemplateSpec, caches: &Caches) -> Option<Levels> {
    let key = Key::new("", binding_name(template)?);
    let binding = caches.of::<ClusterTopologyBinding>().get(&key)?;
    Some(Levels::of(&binding))
}

/// Lets the scheduler prefer nodes in the domains of pods of the same scopes. The narrowest scope
/// has the greatest weight, so that its pods stay together if not all scopes can.
pub(crate) fn add_affinity(pod: &mut Pod, domains: &[PreferredDomain]) {
    if domains.is_empty() {
        return;
    }
    let own = pod.metadata.labels.clone().unwrap_or_default();
    let terms = domains.iter().filter_map(|domain| build_term(domain, &own));
    let weights = (1..=10).rev().map(|tens| 10 * tens);
    let terms: Vec<WeightedPodAffinityTerm> = terms
        .zip(weights)
        .map(|(pod_affinity_term, weight)| WeightedPodAffinityTerm {
            pod_affinity_term,
            weight,
        })
        .collect();
    if terms.is_empty() {
        return;
    }
    let spec = pod.spec.get_or_insert_default();
    let affinity = spec.affinity.get_or_insert_default();
    let to_pods = affinity.pod_affinity.get_or_insert_default();
    to_pods
        .preferred_during_scheduling_ignored_during_execution
        .get_or_insert_default()
        .extend(terms);
}

/// None if the pod lacks a label of the scope: a user has removed it from the PodClique.
fn build_term(domain: &PreferredDomain, own: &BTreeMap<String, String>) -> Option<PodAffinityTerm> {
    let shared = domain.scope.labels().iter();
    let match_labels: Option<BTreeMap<String, String>> = shared
        .map(|key| Some(((*key).to_owned(), own.get(*key)?.clone())))
        .collect();
    let attempts = domain.scope.attempts().iter();
    let match_expressions = attempts.map(|key| of_attempt(key, own.get(*key)));
    Some(PodAffinityTerm {
        label_selector: Some(LabelSelector {
            match_labels: Some(match_labels?),
            match_expressions: Some(match_expressions.collect()),
        }),
        topology_key: domain.key.clone(),
        ..PodAffinityTerm::default()
    })
}

/// The label is absent for attempt 0.
fn of_attempt(key: &str, attempt: Option<&String>) -> LabelSelectorRequirement {
    let operator = if attempt.is_some() {
        "In"
    } else {
        "DoesNotExist"
    };
    LabelSelectorRequirement {
        key: key.to_owned(),
        operator: operator.to_owned(),
        values: attempt.map(|attempt| vec![attempt.clone()]),
    }
}
