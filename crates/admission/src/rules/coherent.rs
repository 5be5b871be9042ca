//! Budgets with strategy `Coherent`: a version is whole with `minAvailable` of each part.

use api::podclique::AutoScalingConfig;
use api::podcliqueset::RollingUpdate;
use api::{PodCliqueSet, WorkloadType};
use domain::update;

use crate::clique_paths::{cliques, group_of, scaling_groups};
use crate::field::{FieldError, Path};

/// Parts that a message names.
const MOST_PARTS: usize = 5;

/// A standalone clique or a group: it is updated by itself.
pub(crate) struct Part<'a> {
    /// Its `rollingUpdate`.
    pub(crate) at: Path,
    pub(crate) name: &'a str,
    pub(crate) replicas: i32,
    /// The same, or those that its autoscaler may set.
    pub(crate) most: i32,
    pub(crate) minimum: i32,
    rolling: Option<&'a RollingUpdate>,
}

impl Part<'_> {
    pub(crate) fn max_surge(&self) -> i32 {
        let surge = self.rolling.and_then(|rolling| rolling.max_surge);
        surge.unwrap_or(0)
    }

    pub(crate) fn partition(&self) -> i32 {
        update::partition_of(self.rolling)
    }

    /// The surge that makes a whole version.
    pub(crate) fn whole_surge(&self) -> i32 {
        self.minimum.max(1)
    }

    /// Whether its surge makes a whole version.
    pub(crate) fn has_whole_surge(&self) -> bool {
        self.max_surge() >= self.whole_surge()
    }
}

/// The parts of the set. Members of groups are none.
pub(crate) fn parts(pcs: &PodCliqueSet) -> Vec<Part<'_>> {
    let standalone = cliques(pcs).filter(|(_, clique)| group_of(pcs, &clique.name).is_none());
    let of_cliques = standalone.map(|(at, clique)| {
        let (spec, replicas) = (&clique.spec, clique.spec.replicas);
        Part {
            at: at.field("rollingUpdate"),
            name: &clique.name,
            replicas,
            most: most(replicas, spec.auto_scaling_config.as_ref()),
            minimum: spec.min_available.unwrap_or(replicas),
            rolling: clique.rolling_update.as_ref(),
        }
    });
    let of_groups = scaling_groups(pcs).map(|(at, group)| {
        let replicas = group.replicas.unwrap_or(1);
        Part {
            at: at.field("rollingUpdate"),
            name: &group.name,
            replicas,
            most: most(replicas, group.scale_config.as_ref()),
            minimum: group.min_available.unwrap_or(1),
            rolling: group.rolling_update.as_ref(),
        }
    });
    of_cliques.chain(of_groups).collect()
}

fn most(replicas: i32, scaling: Option<&AutoScalingConfig>) -> i32 {
    scaling.map_or(replicas, |scaling| scaling.max_replicas.max(replicas))
}

/// The templates of a job cannot be changed, so its budgets have no effect.
pub(super) fn check(pcs: &PodCliqueSet) -> Vec<FieldError> {
    let is_training = pcs.spec.workload_type == Some(WorkloadType::Training);
    if is_training || !update::is_coherent(pcs) {
        return Vec::new();
    }
    let all = parts(pcs);
    let budgets = all.iter().filter_map(|part| {
        let given = part.rolling?.max_unavailable?;
        if given == 0 {
            no_whole_surge(part, &all)
        } else {
            below_minimum(part, given)
        }
    });
    budgets.collect()
}

/// 0 without surge, and less than 0, is wrong with every strategy.
fn below_minimum(part: &Part<'_>, given: i32) -> Option<FieldError> {
    let minimum = part.minimum;
    let problem = format!(
        "must be at least minAvailable ({minimum}) with updateStrategy Coherent: a version is whole \
         with {minimum}"
    );
    let at = part.at.field("maxUnavailable");
    let is_low = given > 0 && given < minimum;
    is_low.then(|| at.wrong(given, problem, "raise it, or omit it for minAvailable"))
}

/// If none may be missing, the new version comes first, as a whole.
fn no_whole_surge(part: &Part<'_>, all: &[Part<'_>]) -> Option<FieldError> {
    if part.max_surge() <= 0 {
        return None;
    }
    let lacking: Vec<&Part<'_>> = all.iter().filter(|p| !p.has_whole_surge()).collect();
    if lacking.is_empty() {
        return None;
    }
    let problem = format!(
        "needs maxSurge of at least minAvailable in every clique and group with updateStrategy \
         Coherent: no update would begin; {}",
        list_parts(&lacking, |p| format!(
            "{} has {} of {}",
            p.name,
            p.max_surge(),
            p.whole_surge()
        ))
    );
    let remedy = format!(
        "set maxSurge of {}, or remove maxUnavailable (default: minAvailable, {})",
        list_parts(&lacking, |p| format!(
            "{} to at least {}",
            p.name,
            p.whole_surge()
        )),
        part.minimum
    );
    let at = part.at.field("maxUnavailable");
    Some(at.wrong(0, problem, remedy))
}

/// The first of them, and the number of the others.
fn list_parts(parts: &[&Part<'_>], describe: impl Fn(&Part<'_>) -> String) -> String {
    let mut described: Vec<String> = parts.iter().take(MOST_PARTS).map(|p| describe(p)).collect();
    if parts.len() > MOST_PARTS {
        described.push(format!("and {} more", parts.len() - MOST_PARTS));
    }
    described.join(", ")
}
