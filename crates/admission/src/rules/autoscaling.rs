//! Limits of autoscalers, in `autoScalingConfig` of cliques and `scaleConfig` of groups.

use api::PodCliqueSet;
use api::podclique::AutoScalingConfig;

use super::fixed_minimum::LOWER_MINIMUM_OF_AUTOSCALER;
use crate::clique_paths::{cliques, scaling_groups};
use crate::field::{FieldError, Path};

pub(super) fn check(pcs: &PodCliqueSet) -> Vec<FieldError> {
    let mut errors = Vec::new();
    for (at, clique) in cliques(pcs) {
        if let Some(scaling) = &clique.spec.auto_scaling_config {
            let at = at.field("spec").field("autoScalingConfig");
            let replicas = clique.spec.replicas;
            let min = clique.spec.min_available.unwrap_or(replicas);
            errors.extend(room_for_minimum(&at, scaling, min, replicas));
            errors.extend(limits_in_order(&at, scaling, replicas));
            errors.extend(room_for_replicas(&at, scaling, replicas));
        }
    }
    for (at, group) in scaling_groups(pcs) {
        if let Some(scaling) = &group.scale_config {
            let min = group.min_available.unwrap_or(1);
            let replicas = group.replicas.unwrap_or(1);
            let at = at.field("scaleConfig");
            errors.extend(room_for_minimum(&at, scaling, min, replicas));
        }
    }
    errors
}

/// Limits of groups that the API server refuses in an autoscaler. Grove does not check them: in a
/// set that Grove accepted, only the autoscaler is missing, and the operator reports it.
pub(super) fn limits_of_groups(pcs: &PodCliqueSet) -> Vec<FieldError> {
    scaling_groups(pcs)
        .filter_map(|(at, group)| {
            let scaling = group.scale_config.as_ref()?;
            let replicas = group.replicas.unwrap_or(1);
            limits_in_order(&at.field("scaleConfig"), scaling, replicas)
        })
        .collect()
}

/// An autoscaler must not break the gang.
fn room_for_minimum(
    at: &Path,
    scaling: &AutoScalingConfig,
    min: i32,
    replicas: i32,
) -> Option<FieldError> {
    let lowest = scaling.min_replicas.unwrap_or(replicas);
    let problem = || format!("must not be less than minAvailable ({min})");
    let at = at.field("minReplicas");
    (lowest < min).then(|| at.wrong(lowest, problem(), LOWER_MINIMUM_OF_AUTOSCALER))
}

fn limits_in_order(at: &Path, scaling: &AutoScalingConfig, replicas: i32) -> Option<FieldError> {
    let lowest = scaling.min_replicas.unwrap_or(replicas);
    let highest = scaling.max_replicas;
    let problem = || format!("must not be less than minReplicas ({lowest})");
    let remedy = "raise maxReplicas or lower minReplicas";
    let at = at.field("maxReplicas");
    (highest < lowest).then(|| at.wrong(highest, problem(), remedy))
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
