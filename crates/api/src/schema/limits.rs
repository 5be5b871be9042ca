//! Largest numbers and longest lists. Without limits one `kubectl scale` could ask the operator for
//! two billion pods. The API server accepts unchanged larger values of older objects.

use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::JSONSchemaProps;

use super::walk::at;
use crate::limits::{MAX_ITEMS, MAX_REPLICAS};

/// Longest DNS label: names of cliques are parts of host names.
const MAX_NAME: i64 = 63;

/// Counts of replicas.
fn counts(kind: &str) -> &'static [&'static str] {
    match kind {
        "PodCliqueSet" => &[
            "spec.replicas",
            "spec.template.cliques[].rollingUpdate.maxUnavailable",
            "spec.template.cliques[].spec.replicas",
            "spec.template.cliques[].spec.minAvailable",
            "spec.template.cliques[].spec.autoScalingConfig.minReplicas",
            "spec.template.cliques[].spec.autoScalingConfig.maxReplicas",
            "spec.template.podCliqueScalingGroups[].replicas",
            "spec.template.podCliqueScalingGroups[].rollingUpdate.maxUnavailable",
            "spec.template.podCliqueScalingGroups[].minAvailable",
            "spec.template.podCliqueScalingGroups[].scaleConfig.minReplicas",
            "spec.template.podCliqueScalingGroups[].scaleConfig.maxReplicas",
        ],
        "PodClique" => &[
            "spec.replicas",
            "spec.minAvailable",
            "spec.autoScalingConfig.minReplicas",
            "spec.autoScalingConfig.maxReplicas",
        ],
        "PodCliqueScalingGroup" => &["spec.replicas", "spec.minAvailable"],
        _ => &[],
    }
}

/// Lists that rules iterate over.
fn lists_of(kind: &str) -> &'static [&'static str] {
    match kind {
        "PodCliqueSet" => &[
            "spec.template.cliques",
            "spec.template.cliques[].resourceSharing",
            "spec.template.cliques[].spec.autoScalingConfig.metrics",
            "spec.template.cliques[].spec.startsAfter",
            "spec.template.podCliqueScalingGroups",
            "spec.template.podCliqueScalingGroups[].cliqueNames",
            "spec.template.podCliqueScalingGroups[].resourceSharing",
            "spec.template.podCliqueScalingGroups[].resourceSharing[].filter.childCliqueNames",
            "spec.template.podCliqueScalingGroups[].scaleConfig.metrics",
            "spec.template.resourceClaimTemplates",
            "spec.template.resourceSharing",
            "spec.template.resourceSharing[].filter.childCliqueNames",
            "spec.template.resourceSharing[].filter.childScalingGroupNames",
        ],
        "PodClique" => &["spec.autoScalingConfig.metrics", "spec.startsAfter"],
        "PodCliqueScalingGroup" => &["spec.cliqueNames"],
        _ => &[],
    }
}

/// Maps that rules iterate over.
fn maps(kind: &str) -> &'static [&'static str] {
    match kind {
        "PodCliqueSet" => &[
            "spec.template.cliques[].labels",
            "spec.template.cliques[].annotations",
            "spec.template.podCliqueScalingGroups[].annotations",
        ],
        _ => &[],
    }
}

/// Names that rules compare with each other: the API server computes the cost of a rule from their
/// lengths.
fn names(kind: &str) -> &'static [&'static str] {
    match kind {
        "PodCliqueSet" => &[
            "spec.template.cliques[].name",
            "spec.template.cliques[].spec.startsAfter[]",
        ],
        _ => &[],
    }
}

/// Sets the limits of that kind.
pub(super) fn complete(kind: &str, root: &mut JSONSchemaProps) {
    for path in counts(kind) {
        at(root, path, &|schema| {
            schema.maximum = Some(f64::from(MAX_REPLICAS));
        });
    }
    for path in lists_of(kind) {
        at(root, path, &|schema| {
            schema.max_items = Some(i64::from(MAX_ITEMS));
        });
    }
    for path in names(kind) {
        at(root, path, &|schema| {
            schema.max_length = Some(MAX_NAME);
        });
    }
    for path in maps(kind) {
        at(root, path, &|schema| {
            schema.max_properties = Some(i64::from(MAX_ITEMS));
        });
    }
}

/// The limited paths.
pub(super) fn paths(kind: &str) -> Vec<String> {
    let all = counts(kind).iter().chain(lists_of(kind));
    let all = all.chain(names(kind)).chain(maps(kind));
    all.map(|path| (*path).to_owned()).collect()
}
