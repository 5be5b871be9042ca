//! When `observedGeneration` follows a changed template (decisions 102, 163): readers take the counts
//! of the parts for the result of that generation.

use api::PodCliqueSetStatus;
use api::podcliqueset::PcsUpdateProgress;
use domain::roster::ObservedClique;
use domain::workload::layout::{Group, Replica};

use super::report::{Report, running};
use crate::check::Verdict;
use crate::rollout::{self, Newest};

impl Report<'_> {
    /// `observedGeneration` of a template that is not accepted, or of which a part does not know yet:
    /// nobody takes the present state for its result.
    pub(in crate::status) fn complete_observed(
        &self,
        next: &mut PodCliqueSetStatus,
        last: Option<i64>,
    ) {
        if self.is_waiting(next) {
            let is_refused = matches!(self.checked, Verdict::Refused(_));
            next.observed_generation = last.filter(|_| !is_refused);
        } else if running(next).is_some_and(|progress| self.has_unaware_part(progress)) {
            next.observed_generation = last;
        }
    }

    /// Whether a part of the replica in turn has older templates, and its status says that all of it
    /// is updated and up: it has not counted by the newest templates.
    fn has_unaware_part(&self, progress: &PcsUpdateProgress) -> bool {
        let turn = progress.currently_updating.first();
        let replica = turn.and_then(|turn| self.roster.layout.replica(turn.replica_index));
        let hashed = rollout::hash_templates(self.snapshot);
        let newest = rollout::newest(&hashed);
        replica.is_some_and(|replica| {
            self.has_unaware_clique(replica, &newest)
                || replica.groups.iter().any(|g| self.is_unaware(g, &newest))
        })
    }

    fn has_unaware_clique(&self, replica: &Replica<'_>, newest: &Newest<'_>) -> bool {
        let standing = replica
            .standalone
            .iter()
            .filter_map(|slot| Some((slot.clique, self.roster.slot(slot).standing()?)));
        standing
            .into_iter()
            .any(|(clique, seen)| rollout::is_outdated(newest, clique, seen) && says_all(seen))
    }

    fn is_unaware(&self, group: &Group<'_>, newest: &Newest<'_>) -> bool {
        let found = self.roster.group(&group.name);
        let says_all = found.is_some_and(|found| {
            let wanted = found.spec.replicas;
            let status = found.status.as_ref();
            status.is_some_and(|s| {
                [s.replicas, s.updated_replicas, s.available_replicas] == [wanted; 3]
            })
        });
        let mut slots = group.replicas.iter().flat_map(|replica| &replica.cliques);
        says_all
            && slots.any(|slot| {
                let seen = self.roster.slot(slot).standing();
                seen.is_some_and(|seen| rollout::is_outdated(newest, slot.clique, seen))
            })
    }
}

/// Whether the status says that all pods are updated and Ready.
fn says_all(seen: &ObservedClique) -> bool {
    let wanted = seen.podclique.spec.replicas;
    let status = seen.podclique.status.as_ref();
    let counts = |s: &api::PodCliqueStatus| [s.replicas, s.updated_replicas, s.ready_replicas];
    wanted > 0 && status.is_some_and(|status| counts(status) == [wanted; 3])
}
