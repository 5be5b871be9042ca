//! Strategy `Coherent` (docs/semantics.md §14.9): the changed cliques and groups of a replica are
//! replaced together, in steps of at least `minAvailable` units of each.

mod batch;
mod part;

use std::borrow::Cow;
use std::collections::BTreeSet;

use api::PodCliqueSet;
use api::podcliqueset::{
    PcsUpdateProgress, ReplicaUpdateProgress, RollingUpdate, UpdateStrategyType,
};

pub use self::batch::{Step, next_step};
pub use self::part::{OldUnit, Part, find_vacant};
use super::{TemplateComponent, components_of, strategy};

/// Whether the changed cliques and groups of a replica are replaced together.
pub fn is_coherent(set: &PodCliqueSet) -> bool {
    strategy(set) == UpdateStrategyType::Coherent
}

/// Whether surge of an older template stays while it serves: units of a step are being replaced, and those
/// that are up in one part may have no counterpart in another one.
pub fn holds_old_surge(set: &PodCliqueSet, turn: &ReplicaUpdateProgress) -> bool {
    is_coherent(set) && !turn.in_flight_epochs.is_empty()
}

/// The limits of a clique or group with this minimum. With `Coherent`, `maxUnavailable` is its minimum
/// unless set, and it has surge only if every part of the update has enough for a whole version:
/// else new units of one part would serve with old ones of another. For the same reason no part gives
/// its surge up if one of them must not: if its `maxUnavailable` is 0.
pub fn rolling_in_force<'a>(
    set: &PodCliqueSet,
    rolling: Option<&'a RollingUpdate>,
    minimum: i32,
) -> Option<Cow<'a, RollingUpdate>> {
    if !is_coherent(set) {
        return rolling.map(Cow::Borrowed);
    }
    let parts = parts_in_scope(set);
    let surge = |part: &TemplateComponent<'_>| part.rolling.and_then(|rolling| rolling.max_surge);
    let has_surge = parts
        .iter()
        .all(|part| surge(part).unwrap_or(0) >= part.minimum.max(1));
    let is_never_down = |part: &TemplateComponent<'_>| {
        part.rolling.and_then(|rolling| rolling.max_unavailable) == Some(0)
    };
    let mut own = rolling.cloned().unwrap_or_default();
    own.max_surge = own.max_surge.filter(|_| has_surge);
    own.max_unavailable = Some(if has_surge && parts.iter().any(is_never_down) {
        0
    } else {
        own.max_unavailable.unwrap_or(minimum).max(minimum)
    });
    Some(Cow::Owned(own))
}

/// Every part of the update; before one begins, of the set.
fn parts_in_scope(set: &PodCliqueSet) -> Vec<TemplateComponent<'_>> {
    let status = set.status.as_ref();
    let progress = status.and_then(|status| status.update_progress.as_ref());
    let scope = progress.map(scope_of).unwrap_or_default();
    components_of(&set.spec.template)
        .filter(|part| scope.is_empty() || scope.contains(part.name))
        .collect()
}

/// The names of the cliques and groups that the update changes, as stored.
pub fn scope_of(progress: &PcsUpdateProgress) -> BTreeSet<&str> {
    let cliques = progress.in_scope_standalone_pod_cliques.iter();
    let groups = &progress.in_scope_pod_clique_scaling_groups;
    cliques.chain(groups).map(String::as_str).collect()
}
