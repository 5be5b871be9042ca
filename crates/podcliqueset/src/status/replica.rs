//! The state of one replica of a set, from its parts.

use api::labels;
use domain::health::readiness;
use domain::object::ownership;
use domain::roster::{ObservedClique, Roster};
use domain::workload::layout;
use jiff::Timestamp;

use crate::rollout::{self, Newest};

/// One replica of the set.
pub(super) struct Replica {
    pub(super) is_available: bool,
    /// Whether it would be available without the pods that may be about to crash again.
    pub(super) is_settled: bool,
    pub(super) is_updated: bool,
}

pub(super) fn judge_replica(
    roster: &Roster<'_>,
    newest: &Newest<'_>,
    layout: &layout::Replica<'_>,
    now: Timestamp,
) -> Replica {
    let is_available = roster.is_available(layout);
    let is_settled = |part: &ObservedClique| is_settled(part, now);
    Replica {
        is_available,
        is_settled: is_available && roster.has_its_minimum(layout, is_settled),
        is_updated: layout
            .slots()
            .all(|part| is_updated(newest, part.clique, roster.slot(part).standing())),
    }
}

/// Whether the PodClique has its minimum of Ready pods, not counting those that may be about to crash
/// again.
fn is_settled(part: &ObservedClique, now: Timestamp) -> bool {
    let unsettled = part.count(|pod| readiness::find_unsettled(pod, now).is_some());
    part.count_ready().saturating_sub(unsettled) >= part.minimum()
}

/// Whether the PodClique and all its pods have the newest template.
fn is_updated(newest: &Newest<'_>, clique: &str, part: Option<&ObservedClique>) -> bool {
    let Some(part) = part else { return false };
    let label = ownership::label(&part.podclique.metadata, labels::POD_TEMPLATE_HASH);
    label == newest.get(clique).copied() && !rollout::is_outdated(newest, clique, part)
}
