//! Why pods of a gang that has quota of a queue keep their gates (docs/queues.md).

use std::collections::BTreeSet;

use api::PodGang;
use api::conditions::{self, ConditionType, Reason};

use super::cause::Cause;
use crate::scheduling::quota;

/// Why some pods of a PodClique do not start although their gang runs.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Hold {
    /// That the PodClique has too little quota, in the words of its PodGang.
    shortage: Option<String>,
    /// Indexes of pods whose quota is for other nodes than those that they have to join.
    misplaced: BTreeSet<i32>,
    /// That, in the words of the PodGang.
    contradiction: String,
}

impl Hold {
    /// That of a PodClique; `None` if all of its pods have quota that they can use.
    pub(super) fn of(gang: &PodGang, podclique: &str) -> Option<Self> {
        let shortage = quota::explain_shortage(gang, podclique);
        let contradiction = contradiction_of(gang);
        let misplaced = contradiction.map(|_| find_misplaced(gang, podclique));
        let misplaced = misplaced.unwrap_or_default();
        let holds = shortage.is_some() || !misplaced.is_empty();
        holds.then(|| Self {
            shortage,
            misplaced,
            contradiction: contradiction.unwrap_or_default().to_owned(),
        })
    }

    /// Why the gated pod of this index waits.
    pub(super) fn explain(&self, index: Option<i32>) -> Option<Cause> {
        if index.is_some_and(|index| self.misplaced.contains(&index)) {
            let text = self.contradiction.clone();
            return Some(Cause::new(Reason::TopologyUnavailable, text));
        }
        let shortage = self.shortage.clone()?;
        Some(Cause::new(Reason::WaitingForQuota, shortage))
    }
}

/// That quota of the gang is for other nodes than those that its pods have to join, in the words of its
/// condition `SchedulingFeatureUnsupported`.
pub fn contradiction_of(gang: &PodGang) -> Option<&str> {
    let conditions = &gang.status.as_ref()?.conditions;
    let type_ = ConditionType::SchedulingFeatureUnsupported;
    let found = conditions::find(conditions, type_).filter(|c| c.status == "True")?;
    let is_of_nodes = found.reason == <&str>::from(Reason::TopologyUnavailable);
    (is_of_nodes && quota::is_reserved(gang)).then_some(&*found.message)
}

/// Pods that have to join others on nodes for which they have no quota.
fn find_misplaced(gang: &PodGang, podclique: &str) -> BTreeSet<i32> {
    let groups = gang.spec.pod_groups.iter();
    let placements = groups
        .filter(|group| group.name == podclique)
        .flat_map(|group| &group.placements);
    let pinned = placements.flat_map(|placement| {
        let indexes = placement.indexes.iter();
        indexes.map(move |index| (*index, &placement.node_selector))
    });
    pinned
        .filter(|(index, pin)| {
            let flavor = quota::flavor_of(gang, podclique, *index);
            flavor.is_some_and(|f| quota::contradiction(pin, &f.node_selector).is_some())
        })
        .map(|(index, _)| index)
        .collect()
}
