//! The units of an update (docs/semantics.md §14.3): a pod of a standalone clique, or a replica of a
//! scaling group. Each is in one stage.

use jiff::{SignedDuration, Timestamp};

use crate::Pod;

/// A pod that was Ready before and is not is replaced only after this time: a readiness probe may
/// fail once.
const UNREADY_PATIENCE: SignedDuration = SignedDuration::from_secs(30);
/// A new unit counts only this long after one of its containers ended, and the pod was Ready again: the
/// kubelet restarts a container later each time, and it may end again.
const AFTER_CONTAINER_END: SignedDuration = SignedDuration::from_secs(60);
/// A kubelet reports a pod that never was Ready as not Ready since this moment of its start.
const FIRST_REPORT: SignedDuration = SignedDuration::from_secs(2);
/// Times of conditions are cut to whole seconds: a pod may have become Ready up to this much later.
const CUT_OFF: SignedDuration = SignedDuration::from_secs(1);

/// Whether a unit has the newest template, as far as an update is concerned.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Age {
    /// It has an older template, and the update replaces it.
    Old,
    /// It has an older template, and a partition keeps it.
    Kept,
    /// It has the newest template.
    New,
}

impl Age {
    /// Of a unit below the partition, or above it.
    pub fn of(is_outdated: bool, is_below_partition: bool) -> Self {
        match (is_outdated, is_below_partition) {
            (false, _) => Self::New,
            (true, true) => Self::Kept,
            (true, false) => Self::Old,
        }
    }
}

/// The stage of a unit. A unit is old if it was created from another template than the newest, and
/// placed if a pod of it is on a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stage {
    /// It does not exist.
    Absent,
    /// One that is being deleted: an old one of which a part goes, or a new one of which all goes.
    Leaving,
    /// An old one without a node.
    OldUnplaced,
    /// An old one that is down: it never was Ready, or is not Ready for 30 s.
    OldDown,
    /// An old one that has just lost its readiness.
    OldUnready,
    /// An old one that is available.
    OldAvailable,
    /// One that a partition keeps, and that is not available.
    KeptDown,
    /// One that a partition keeps, and that is available.
    KeptAvailable,
    /// A new one without a node.
    NewUnplaced,
    /// A new one on a node that does not count as available yet.
    Starting,
    /// A new one that is available.
    Updated,
}

impl Stage {
    /// Whether it exists, has an older template, and is not being deleted.
    pub fn is_old(self) -> bool {
        matches!(
            self,
            Self::OldUnplaced | Self::OldDown | Self::OldUnready | Self::OldAvailable
        )
    }

    /// Whether it is old, and has no node or is down for longer than a probe may fail.
    pub fn is_old_and_down(self) -> bool {
        matches!(self, Self::OldUnplaced | Self::OldDown)
    }

    /// Whether it exists and is not being deleted.
    pub fn stays(self) -> bool {
        !matches!(self, Self::Absent | Self::Leaving)
    }

    /// Whether it serves.
    pub fn is_available(self) -> bool {
        matches!(
            self,
            Self::OldAvailable | Self::KeptAvailable | Self::Updated
        )
    }
}

/// The stage of a pod as a unit. A new pod has to be Ready for `min_ready`.
pub fn stage_of_pod(pod: &Pod, age: Age, min_ready: SignedDuration, now: Timestamp) -> Stage {
    let is_up = |at: Option<Timestamp>| at.is_some_and(|at| at <= now);
    match age {
        _ if pod.is_terminating() => Stage::Leaving,
        Age::Kept if pod.is_ready() => Stage::KeptAvailable,
        Age::Kept => Stage::KeptDown,
        Age::Old if pod.is_ready() => Stage::OldAvailable,
        Age::Old if !pod.is_scheduled() => Stage::OldUnplaced,
        Age::Old if is_up(down_since(pod)) => Stage::OldDown,
        Age::Old => Stage::OldUnready,
        Age::New if is_up(available_since(pod, min_ready)) => Stage::Updated,
        Age::New if !pod.is_scheduled() => Stage::NewUnplaced,
        Age::New => Stage::Starting,
    }
}

/// When a pod counts as available for an update: never before it has been Ready for `min_ready`. `None`
/// while it is not Ready.
pub fn available_since(pod: &Pod, min_ready: SignedDuration) -> Option<Timestamp> {
    if !pod.is_ready() {
        return None;
    }
    let flipped = pod.flipped_at("Ready").unwrap_or(Timestamp::MIN);
    let cut_off = if min_ready.is_zero() {
        SignedDuration::ZERO
    } else {
        CUT_OFF
    };
    let ready = flipped.checked_add(min_ready.saturating_add(cut_off));
    let ready = ready.unwrap_or(Timestamp::MAX);
    let again = pod.last_app_container_end().map(|end| end.max(flipped));
    let ended = again.and_then(|again| again.checked_add(AFTER_CONTAINER_END).ok());
    Some(ended.map_or(ready, |ended| ended.max(ready)))
}

/// When a pod counts as available, of whatever template; `None` while it is not Ready.
pub fn counts_from(pod: &Pod) -> Option<Timestamp> {
    available_since(pod, SignedDuration::ZERO)
}

/// When a pod that is not Ready counts as down; `None` while it is Ready.
pub fn down_since(pod: &Pod) -> Option<Timestamp> {
    if pod.is_ready() {
        return None;
    }
    let Some(lost) = pod.flipped_at("Ready").filter(|lost| was_ready(pod, *lost)) else {
        return Some(Timestamp::MIN);
    };
    let patience = lost.checked_add(UNREADY_PATIENCE);
    Some(patience.unwrap_or(Timestamp::MAX))
}

/// Whether a pod that is not Ready since then was Ready before. A pod that ended does not come back.
fn was_ready(pod: &Pod, lost: Timestamp) -> bool {
    let started = pod.status.start_time.as_ref().map(|start| start.0);
    let first = started.and_then(|start| start.checked_add(FIRST_REPORT).ok());
    !pod.is_finished() && first.is_some_and(|first| lost > first)
}

/// When the pod's stage changes if nothing happens to it.
pub fn next_stage_at(
    pod: &Pod,
    age: Age,
    min_ready: SignedDuration,
    now: Timestamp,
) -> Option<Timestamp> {
    let at = match age {
        Age::Old => down_since(pod),
        Age::Kept => None,
        Age::New => available_since(pod, min_ready),
    };
    at.filter(|at| *at > now && !pod.is_terminating())
}

/// A PodClique of a group replica.
#[derive(Clone, Debug)]
pub struct UnitMember<'a> {
    /// Whether it or a pod of it has an older template.
    pub is_old: bool,
    /// Whether it is being deleted.
    pub is_terminating: bool,
    /// The number of pods that it needs.
    pub minimum: i32,
    /// Its pods that stay.
    pub pods: Vec<&'a Pod>,
}

impl UnitMember<'_> {
    fn has_enough(&self, claim: impl Fn(&Pod) -> bool) -> bool {
        let count = self.pods.iter().filter(|pod| claim(pod)).count();
        i32::try_from(count).unwrap_or(i32::MAX) >= self.minimum
    }
}

/// A group replica, as a unit of an update.
#[derive(Clone, Debug)]
pub struct UnitReplica<'a> {
    /// Those of its PodCliques that exist.
    pub members: Vec<UnitMember<'a>>,
    /// The number of its PodCliques.
    pub wanted: usize,
    /// Whether a partition keeps its templates.
    pub is_below_partition: bool,
    /// Whether it is surge: the turn lasts until it is gone.
    pub is_surge: bool,
}

impl UnitReplica<'_> {
    fn age(&self) -> Age {
        let is_outdated = self.members.iter().any(|m| m.is_old);
        Age::of(is_outdated, self.is_below_partition)
    }

    /// Whether it goes. Of an old one the PodCliques with the newest template may be the last that are
    /// left, and do not make it a new one.
    fn is_leaving(&self) -> bool {
        let mut members = self.members.iter();
        match self.age() {
            Age::Old => members.any(|member| member.is_terminating),
            Age::New => !self.is_surge && members.all(|member| member.is_terminating),
            Age::Kept => false,
        }
    }
}

/// The stage of a group replica. Each of its PodCliques needs its minimum of pods.
pub fn stage_of_replica(
    replica: &UnitReplica<'_>,
    min_ready: SignedDuration,
    now: Timestamp,
) -> Stage {
    let members = &replica.members;
    if members.is_empty() {
        return Stage::Absent;
    }
    if replica.is_leaving() {
        return Stage::Leaving;
    }
    let is_any_deleted = members.iter().any(|m| m.is_terminating);
    let age = replica.age();
    let wanted = replica.wanted;
    let is_whole = members.len() == wanted && !is_any_deleted;
    let is_placed = members
        .iter()
        .any(|m| m.pods.iter().any(|pod| pod.is_scheduled()));
    let have =
        |claim: &dyn Fn(&Pod) -> bool| is_whole && members.iter().all(|m| m.has_enough(claim));
    let is_up = |pod: &Pod| available_since(pod, min_ready).is_some_and(|at| at <= now);
    let may_return = |pod: &Pod| down_since(pod).is_none_or(|at| at > now);
    match age {
        Age::Kept if have(&Pod::is_ready) => Stage::KeptAvailable,
        Age::Kept => Stage::KeptDown,
        Age::Old if have(&Pod::is_ready) => Stage::OldAvailable,
        Age::Old if !is_placed => Stage::OldUnplaced,
        Age::Old if have(&may_return) => Stage::OldUnready,
        Age::Old => Stage::OldDown,
        Age::New if have(&is_up) => Stage::Updated,
        Age::New if is_placed => Stage::Starting,
        Age::New => Stage::NewUnplaced,
    }
}

/// When the stage of a group replica may change if nothing happens to its pods.
pub fn next_stage_of_replica_at(
    replica: &UnitReplica<'_>,
    min_ready: SignedDuration,
    now: Timestamp,
) -> Option<Timestamp> {
    let age = replica.age();
    let pods = replica.members.iter().flat_map(|m| &m.pods);
    pods.filter_map(|pod| next_stage_at(pod, age, min_ready, now))
        .min()
}
