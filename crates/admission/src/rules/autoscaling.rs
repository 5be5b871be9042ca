//! Limits of autoscalers, in `autoScalingConfig` of cliques and `scaleConfig` of groups.

use api::PodCliqueSet;
use api::podclique::AutoScalingConfig;

use crate::field::{FieldError, Path};
use crate::places::{cliques, scaling_groups};

pub(super) fn check(pcs: &PodCliqueSet) -> Vec<FieldError> {
    let mut errors = Vec::new();
    for (at, clique) in cliques(pcs) {
        if let Some(scaling) = &clique.spec.auto_scaling_config {
            let at = at.field("spec").field("autoScalingConfig");
            let replicas = clique.spec.replicas;
            let min = clique.spec.min_available.unwrap_or(replicas);
            errors.extend(limits(&at, scaling, min, replicas));
            errors.extend(room_for_replicas(&at, scaling, replicas));
        }
    }
    for (at, group) in scaling_groups(pcs) {
        if let Some(scaling) = &group.scale_config {
            let min = group.min_available.unwrap_or(1);
            let replicas = group.replicas.unwrap_or(1);
            errors.extend(limits(&at.field("scaleConfig"), scaling, min, replicas));
        }
    }
    errors
}

/// An autoscaler must not break the gang, and its limits must be in order. The second is not
/// checked by Grove for groups; the autoscaler would then be refused by the API server.
fn limits(at: &Path, scaling: &AutoScalingConfig, min: i32, replicas: i32) -> Vec<FieldError> {
    let lowest = scaling.min_replicas.unwrap_or(replicas);
    let highest = scaling.max_replicas;
    let mut errors = Vec::new();
    if lowest < min {
        let problem = format!("must not be less than minAvailable ({min})");
        let remedy = "raise minReplicas or lower minAvailable";
        errors.push(at.field("minReplicas").wrong(lowest, problem, remedy));
    }
    if highest < lowest {
        let problem = format!("must not be less than minReplicas ({lowest})");
        let remedy = "raise maxReplicas or lower minReplicas";
        errors.push(at.field("maxReplicas").wrong(highest, problem, remedy));
    }
    errors
}

fn room_for_replicas(at: &Path, scaling: &AutoScalingConfig, replicas: i32) -> Option<FieldError> {
    let highest = scaling.max_replicas;
    let lowest = scaling.min_replicas.unwrap_or(replicas);
    let problem = format!("must not be less than replicas ({replicas})");
    let is_new = highest >= lowest;
    (is_new && highest < replicas).then(|| {
        let remedy = "raise maxReplicas or lower replicas";
        at.field("maxReplicas").wrong(highest, problem, remedy)
    })
}
