//! Bad practice: one file per theme, each rule with its reason; and the names of the other checks.

pub(super) mod admitted;
mod autoscaling;
mod claims;
pub(super) mod gang_trees;
mod images;
mod metadata;
mod names;
pub(super) mod pod;
mod probes;
pub(super) mod repeated;
mod replaced;
mod resources;
pub(super) mod topologies;
mod training;

use api::PodCliqueSet;

use super::cluster::rules as of_cluster;
use super::remark::{Remark, Rule, Severity};

/// All rules, in the order of the documentation.
pub const ALL: [&Rule; 63] = [
    &admitted::REFUSED,
    &admitted::DEFINITION,
    &admitted::WRONG_VERSION,
    &admitted::UNKNOWN_KIND,
    &admitted::WARNED,
    &admitted::UNKNOWN_FIELD,
    &repeated::REPEATED_KEY,
    &metadata::INVALID_METADATA,
    &metadata::UNREAD_KEY,
    &claims::INVALID_CLAIM,
    &claims::UNUSED_TEMPLATE,
    &topologies::MISSPELT_TOPOLOGY,
    &pod::image::NO_IMAGE,
    &pod::limits::BELOW_REQUEST,
    &pod::volumes::UNKNOWN_VOLUME,
    &pod::names::INVALID_NAME,
    &pod::gpus::WITHOUT_LIMIT,
    &pod::ports::INVALID_PORT,
    &pod::probes::INVALID_PROBE,
    &pod::environment::INVALID_VARIABLE,
    &pod::restart_policy::INVALID_POLICY,
    &pod::resource_names::INVALID_RESOURCE,
    &pod::resource_names::MISSPELT_RESOURCE,
    &pod::words::UNKNOWN_WORD,
    &pod::tolerations::INVALID_TOLERATION,
    &pod::affinity::INVALID_AFFINITY,
    &pod::node_selectors::INVALID_SELECTOR,
    &pod::modes::INVALID_MODE,
    &pod::mounts::INVALID_MOUNT,
    &pod::volume_sources::TWO_SOURCES,
    &pod::image_names::INVALID_IMAGE,
    &pod::negatives::NEGATIVE,
    &pod::scheduling_gates::FOREIGN_GATE,
    &pod::scheduler_names::INVALID_SCHEDULER,
    &pod::single_values::INVALID_VALUE,
    &resources::NO_REQUESTS,
    &autoscaling::CANNOT_SCALE_IN,
    &autoscaling::ONE_SIZE,
    &autoscaling::NO_REQUEST,
    &autoscaling::METRIC_BY_PODS,
    &names::NEAR_LIMIT,
    &images::NO_VERSION,
    &probes::GPU_WITHOUT_PROBE,
    &replaced::REPLACED,
    &training::NO_RESTARTS,
    &training::ON_FAILURE_WITHOUT_DELAY,
    &training::ON_FAILURE_WITHOUT_END,
    &training::PROBE_WITHOUT_DELAY,
    &gang_trees::IMPOSSIBLE,
    &gang_trees::INCONSISTENT,
    &of_cluster::NOT_INSTALLED,
    &of_cluster::NO_NAMESPACE,
    &of_cluster::MISSING_OBJECT,
    &of_cluster::MISSING_QUEUE,
    &of_cluster::MISSING_CLAIM,
    &of_cluster::MISSING_TOPOLOGY,
    &of_cluster::NO_NODE_OF_LEVEL,
    &of_cluster::POD_REFUSED,
    &of_cluster::NO_NODE_WITH_RESOURCE,
    &of_cluster::NO_NODE_SELECTED,
    &of_cluster::QUOTA_EXCEEDED,
    &of_cluster::QUOTA_NEEDS_REQUESTS,
    &of_cluster::CHECK_SKIPPED,
];

/// The rule of that name, if it is a warning.
pub(super) fn warning(id: &str) -> Option<&'static Rule> {
    let mut warnings = warnings();
    warnings.find(|rule| rule.id == id)
}

/// Names of all warnings.
pub(super) fn warning_ids() -> Vec<&'static str> {
    warnings().map(|rule| rule.id).collect()
}

fn warnings() -> impl Iterator<Item = &'static Rule> {
    let rules = ALL.into_iter();
    rules.filter(|rule| rule.severity == Severity::Warning)
}

/// Bad practice in a set with its defaults applied.
pub(super) fn check_set(set: &PodCliqueSet) -> Vec<Remark> {
    [
        resources::check(set),
        autoscaling::check(set),
        names::check(set),
        images::check(set),
        probes::check(set),
        replaced::check(set),
        training::check(set),
        metadata::check(set),
        claims::check(set),
        pod::check(set),
    ]
    .concat()
}
