//! Defaults of a `PodCliqueSet`.
//!
//! Applied by the admission webhook and again whenever an object is observed, because the webhook
//! may be absent or may have been down. Source: Grove's CRD defaults and defaulting webhook, with
//! the corrections of the seeds:
//!
//! - `terminationDelay` unset means that gang termination is off (docs/semantics.md §3.1), unless the operator's
//!   configuration names a delay; for `Training` it is `0s` (docs/semantics.md §5.4);
//! - `restartPolicy` is `Never` for `Training` (seed 002);
//! - an unset `minAvailable` is `replicas`, and 1 where that is 0 (docs/semantics.md §8.5).
//!
//! Applying twice changes nothing.

use std::collections::HashMap;

use api::podclique::AutoScalingConfig;
use api::podcliqueset::{PodCliqueScalingGroupConfig, PodCliqueTemplateSpec};
use api::{GoDuration, PodCliqueSet, PodCliqueSetSpec, WorkloadType};

/// Defaults in the operator's configuration (`defaults`).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DefaultsConfig {
    /// `terminationDelay` of Inference workloads without their own. Unset, gang termination is off
    /// for them. Users of the Go operator set `4h`.
    pub termination_delay: Option<GoDuration>,
}

/// A copy of the set with all defaults filled in.
pub fn apply(pcs: &PodCliqueSet, config: &DefaultsConfig) -> PodCliqueSet {
    let mut defaulted = pcs.clone();
    apply_in_place(&mut defaulted, config);
    defaulted
}

/// Fills in all defaults.
pub fn apply_in_place(pcs: &mut PodCliqueSet, config: &DefaultsConfig) {
    apply_around_cliques(&mut pcs.spec, config);
    apply_to_cliques(&mut pcs.spec);
}

/// Applies the defaults of an update before it is validated. The cliques of a `Training` object
/// stay as sent if the stored ones have no defaults (stored while the webhook was down): they are
/// immutable, and with defaults the API server would refuse every update, even the removal of a
/// finalizer.
pub fn apply_on_update(stored: &PodCliqueSet, sent: &mut PodCliqueSet, config: &DefaultsConfig) {
    apply_around_cliques(&mut sent.spec, config);
    let training = sent.spec.workload_type == Some(WorkloadType::Training);
    if !training || has_clique_defaults(stored) {
        keep_minimums(stored, &mut sent.spec);
        apply_to_cliques(&mut sent.spec);
    }
}

/// The defaults with which an update is stored. A clique that is stored without `minAvailable`,
/// because the webhook was down, stays so: it has the minimum of its PodCliques, and its present
/// `replicas` may give another default, which could never be changed back.
pub fn complete_update(stored: &PodCliqueSet, sent: &mut PodCliqueSet, config: &DefaultsConfig) {
    let unset = unset_minimums(stored, sent);
    apply_on_update(stored, sent, config);
    set_minimums(sent, &unset, |_| None);
}

/// Applies all defaults to both versions of an update, and returns the stored one. If neither has
/// `minAvailable`, both get one that fits both.
pub fn apply_to_both(
    stored: &PodCliqueSet,
    sent: &mut PodCliqueSet,
    config: &DefaultsConfig,
) -> PodCliqueSet {
    let unset = unset_minimums(stored, sent);
    let mut old = apply(stored, config);
    apply_on_update(stored, sent, config);
    apply_in_place(sent, config);
    let lower = |name: &str| unset.get(name).copied();
    set_minimums(&mut old, &unset, lower);
    set_minimums(sent, &unset, lower);
    old
}

/// The cliques without `minAvailable` in both versions, and the lower default of the two.
fn unset_minimums(stored: &PodCliqueSet, sent: &PodCliqueSet) -> HashMap<String, i32> {
    sent.spec
        .template
        .cliques
        .iter()
        .filter_map(|after| {
            let before = stored
                .spec
                .template
                .cliques
                .iter()
                .find(|before| before.name == after.name)?;
            let is_unset = before
                .spec
                .min_available
                .or(after.spec.min_available)
                .is_none();
            let lower = before.spec.replicas.min(after.spec.replicas).max(1);
            is_unset.then(|| (after.name.clone(), lower))
        })
        .collect()
}

fn set_minimums(
    set: &mut PodCliqueSet,
    of: &HashMap<String, i32>,
    minimum: impl Fn(&str) -> Option<i32>,
) {
    let cliques = set.spec.template.cliques.iter_mut();
    for clique in cliques.filter(|clique| of.contains_key(&clique.name)) {
        clique.spec.min_available = minimum(&clique.name);
    }
}

/// `minAvailable` is fixed at creation: one that is not sent is the stored one, and not the default
/// of changed `replicas`, which would be refused as a change.
fn keep_minimums(stored: &PodCliqueSet, sent: &mut PodCliqueSetSpec) {
    let stored = &stored.spec.template.cliques;
    for clique in &mut sent.template.cliques {
        if let Some(before) = stored.iter().find(|c| c.name == clique.name) {
            let spec = &before.spec;
            let minimum = spec.min_available.unwrap_or(spec.replicas.max(1));
            clique.spec.min_available.get_or_insert(minimum);
        }
    }
}

fn has_clique_defaults(pcs: &PodCliqueSet) -> bool {
    let mut defaulted = pcs.spec.clone();
    apply_to_cliques(&mut defaulted);
    defaulted.template.cliques == pcs.spec.template.cliques
}

fn apply_around_cliques(spec: &mut PodCliqueSetSpec, config: &DefaultsConfig) {
    let template = &mut spec.template;
    let workload_type = *spec.workload_type.get_or_insert_default();
    template.clique_startup_type.get_or_insert_default();
    template.headless_service_config.get_or_insert_default();
    for group in &mut template.scaling_groups {
        scaling_group(group);
    }
    match workload_type {
        WorkloadType::Inference => {
            let delay = &mut template.termination_delay;
            *delay = delay.take().or_else(|| config.termination_delay.clone());
        }
        WorkloadType::Training => {
            let immediately = || GoDuration("0s".into());
            template.termination_delay.get_or_insert_with(immediately);
            let limits = spec.training_spec.get_or_insert_default();
            limits.max_restarts.get_or_insert(0);
        }
    }
}

fn apply_to_cliques(spec: &mut PodCliqueSetSpec) {
    let workload_type = spec.workload_type.unwrap_or_default();
    for template in &mut spec.template.cliques {
        apply_to_clique(template, workload_type);
    }
}

/// Fills in the defaults of one clique, for callers that need no other of the set.
pub fn apply_to_clique(template: &mut PodCliqueTemplateSpec, workload_type: WorkloadType) {
    let restart_policy = match workload_type {
        WorkloadType::Inference => "Always",
        WorkloadType::Training => "Never",
    };
    let spec = &mut template.spec;
    let minimum = *spec.min_available.get_or_insert(spec.replicas.max(1));
    let lowest = spec.replicas.max(minimum);
    min_replicas(spec.auto_scaling_config.as_mut(), lowest);
    let pod = &mut spec.pod_spec;
    if pod.restart_policy.as_deref().unwrap_or_default().is_empty() {
        pod.restart_policy = Some(restart_policy.into());
    }
    pod.termination_grace_period_seconds.get_or_insert(30);
}

fn scaling_group(group: &mut PodCliqueScalingGroupConfig) {
    let replicas = *group.replicas.get_or_insert(1);
    let minimum = *group.min_available.get_or_insert(1);
    min_replicas(group.scale_config.as_mut(), replicas.max(minimum));
}

/// An autoscaler never goes below the minimum; a clique that is scaled to zero stays so.
fn min_replicas(scaling: Option<&mut AutoScalingConfig>, lowest: i32) {
    if let Some(scaling) = scaling {
        scaling.min_replicas.get_or_insert(lowest);
    }
}
