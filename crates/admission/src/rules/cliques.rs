//! How many pods a set and its cliques have.

use api::PodCliqueSet;
use api::podcliqueset::PodCliqueTemplateSpec;

use super::fixed_minimum::LOWER_MINIMUM;
use crate::clique_paths::{cliques, template};
use crate::field::{FieldError, Path};

pub(super) fn check(pcs: &PodCliqueSet) -> Vec<FieldError> {
    let mut errors = Vec::new();
    if pcs.spec.replicas < 0 {
        let at = Path::new("spec").field("replicas");
        let remedy = "set it to 0 to run nothing, or to the number of copies";
        errors.push(at.wrong(pcs.spec.replicas, "must not be negative", remedy));
    }
    if pcs.spec.template.cliques.is_empty() {
        let at = template().field("cliques");
        errors.push(at.missing("at least one clique is needed", "add a clique"));
    }
    errors.extend(cliques(pcs).filter_map(|(at, clique)| check_replicas(&at, clique)));
    errors.extend(cliques(pcs).filter_map(|(at, clique)| check_min_available(&at, clique)));
    errors.extend(cliques(pcs).filter_map(|(at, clique)| check_workload_type(&at, clique)));
    errors
}

fn check_replicas(at: &Path, clique: &PodCliqueTemplateSpec) -> Option<FieldError> {
    let replicas = clique.spec.replicas;
    let at = at.field("spec").field("replicas");
    let remedy = "set it to the number of pods, or to 0 to run none of it for now";
    (replicas < 0).then(|| at.wrong(replicas, "must not be negative", remedy))
}

fn check_min_available(at: &Path, clique: &PodCliqueTemplateSpec) -> Option<FieldError> {
    let replicas = clique.spec.replicas;
    let min = clique.spec.min_available.filter(|_| replicas >= 0)?;
    within_replicas(&at.field("spec"), min, replicas)
}

/// The minimum is between one and all replicas; a clique that is scaled to zero may have any.
pub(super) fn within_replicas(at: &Path, min: i32, replicas: i32) -> Option<FieldError> {
    let at = at.field("minAvailable");
    if min <= 0 {
        let remedy = "set it to how many must run together, or omit it";
        return Some(at.wrong(min, "must be at least 1", remedy));
    }
    let problem = || format!("must not be greater than replicas ({replicas})");
    (replicas > 0 && min > replicas).then(|| at.wrong(min, problem(), LOWER_MINIMUM))
}

/// The type shares its schema with `PodClique`, where the operator sets this field.
fn check_workload_type(at: &Path, clique: &PodCliqueTemplateSpec) -> Option<FieldError> {
    let at = at.field("spec").field("workloadType");
    let problem = "is set by the operator for all cliques alike";
    let remedy = "remove it and set spec.workloadType of the set";
    clique
        .spec
        .workload_type
        .map(|given| at.wrong(given, problem, remedy))
}
