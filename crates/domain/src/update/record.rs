//! The record that a clique or group stores about its update: the turn that it belongs to, and what
//! holds on in the next one (decisions 159, 160).

use api::podclique::{PclqUpdateProgress, WaitingPod};
use api::podcliquescalinggroup::PcsgUpdateProgress;
use api::podcliqueset::ReplicaUpdateProgress;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::{ObjectMeta, Time};

/// The parts of a record that turns and budgets read.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Record<'a> {
    /// The generation of the templates that its update leads to.
    pub generation: &'a str,
    /// When it ended; absent while its update runs.
    pub ended_at: Option<&'a Time>,
    /// The most units that were available at once since its turn began.
    pub reached: Option<i32>,
    /// The index of the first surge unit.
    pub surge_from: Option<i32>,
    /// Why its turn goes on without surge.
    pub without_surge: Option<&'a str>,
    /// A pod that waits for a node.
    pub waiting_since: Option<&'a WaitingPod>,
}

/// PodCliques and groups store the same fields in types of their own.
macro_rules! read_record {
    ($($stored:ty),+) => {$(
        impl<'a> From<&'a $stored> for Record<'a> {
            fn from(record: &'a $stored) -> Self {
                Self {
                    generation: &record.pod_clique_set_generation_hash,
                    ended_at: record.update_ended_at.as_ref(),
                    reached: record.reached,
                    surge_from: record.surge_from,
                    without_surge: record.without_surge.as_deref(),
                    waiting_since: record.waiting_since.as_ref(),
                }
            }
        }
    )+};
}

read_record!(PclqUpdateProgress, PcsgUpdateProgress);

impl Record<'_> {
    /// Whether it is about the update to this generation, in the turn that began then. It is of an
    /// earlier turn if it ended before; `turn` is absent outside of turns.
    pub fn is_of_turn(self, generation: &str, turn: Option<&Time>) -> bool {
        let is_of_earlier_turn = self
            .ended_at
            .zip(turn)
            .is_some_and(|(ended, turn)| ended.0 < turn.0);
        self.generation == generation && !is_of_earlier_turn
    }

    /// What the record of a newer template begins with: all numbers of one that has not ended, and
    /// `reached` of one that ended in this turn, which began at `turn`. If that one ended for lack
    /// of room, only as many units count as its end needed: for others there is no room. A refusal
    /// by a quota is stored beside the record.
    #[must_use]
    pub fn pass_on(self, turn: Option<&Time>, minimum: i32, is_over_quota: bool) -> Self {
        let Some(ended) = self.ended_at else {
            return self;
        };
        let is_of_turn = turn.is_some_and(|turn| ended.0 >= turn.0);
        let lacked_room = self.waiting_since.is_some() || is_over_quota;
        let with_room = |reached: i32| {
            if lacked_room {
                reached.min(minimum)
            } else {
                reached
            }
        };
        Self {
            reached: self.reached.filter(|_| is_of_turn).map(with_room),
            ..Self::default()
        }
    }
}

/// Whether a clique or group has to be available again before the turn of its replica ends: the
/// replica was terminated in it, and its fence lists the cliques and groups that ran.
pub fn must_return(turn: &ReplicaUpdateProgress, name: &str) -> bool {
    turn.must_return.iter().any(|listed| listed == name)
}

/// Whether an object replaces one that was lost in the turn, with its record. A termination in the
/// turn recreates all of them, and lists those that have to return.
pub fn is_recreated(turn: &ReplicaUpdateProgress, object: &ObjectMeta) -> bool {
    let created = object.creation_timestamp.as_ref();
    let is_newer = created.is_some_and(|created| created.0 > turn.update_started_at.0);
    is_newer && turn.must_return.is_empty()
}
