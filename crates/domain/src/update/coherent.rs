//! Strategy `Coherent` (docs/semantics.md §14.9): the changed cliques and groups of a replica are
//! replaced together, in steps of at least `minAvailable` units of each.

mod batch;
mod part;

use std::borrow::Cow;
use std::collections::BTreeSet;

use api::PodCliqueSet;
use api::podcliqueset::{PcsUpdateProgress, RollingUpdate, UpdateStrategyType};

pub use self::batch::{Step, next_step};
pub use self::part::{OldUnit, Part, find_vacant};
use super::strategy;
use crate::workload::layout;

/// Whether the changed cliques and groups of a replica are replaced together.
pub fn is_coherent(set: &PodCliqueSet) -> bool {
    strategy(set) == UpdateStrategyType::Coherent
}

/// The limits of a clique or group with this minimum. With `Coherent`, `maxUnavailable` is its minimum
/// unless set, and it has surge only if every part of the update has enough for a whole version:
/// else new units of one part would serve with old ones of another.
pub fn rolling_in_force<'a>(
    set: &PodCliqueSet,
    rolling: Option<&'a RollingUpdate>,
    minimum: i32,
) -> Option<Cow<'a, RollingUpdate>> {
    if !is_coherent(set) {
        return rolling.map(Cow::Borrowed);
    }
    let mut own = rolling.cloned().unwrap_or_default();
    let has_surge = has_whole_surge(set);
    own.max_surge = own.max_surge.filter(|_| has_surge);
    own.max_unavailable = match own.max_unavailable {
        Some(0) if has_surge => Some(0),
        given => Some(given.unwrap_or(minimum).max(minimum)),
    };
    Some(Cow::Owned(own))
}

/// Whether `maxSurge` is at least `minAvailable` in every part of the update; before one begins, in
/// every part of the set.
fn has_whole_surge(set: &PodCliqueSet) -> bool {
    let status = set.status.as_ref();
    let progress = status.and_then(|status| status.update_progress.as_ref());
    let scope = progress.map(scope_of).unwrap_or_default();
    let is_meant = |name: &str| scope.is_empty() || scope.contains(name);
    let template = &set.spec.template;
    let cliques = layout::standalone_cliques(template).map(|clique| {
        let minimum = clique.spec.min_available.unwrap_or(clique.spec.replicas);
        (&clique.name, clique.rolling_update.as_ref(), minimum)
    });
    let groups = template.scaling_groups.iter().map(|group| {
        let minimum = group.min_available.unwrap_or(1);
        (&group.name, group.rolling_update.as_ref(), minimum)
    });
    let mut parts = cliques.chain(groups).filter(|(name, ..)| is_meant(name));
    parts.all(|(_, rolling, minimum)| {
        let surge = rolling.and_then(|rolling| rolling.max_surge).unwrap_or(0);
        surge >= minimum.max(1)
    })
}

/// The names of the cliques and groups that the update changes, as stored.
pub fn scope_of(progress: &PcsUpdateProgress) -> BTreeSet<&str> {
    let cliques = progress.in_scope_standalone_pod_cliques.iter();
    let groups = &progress.in_scope_pod_clique_scaling_groups;
    cliques.chain(groups).map(String::as_str).collect()
}
