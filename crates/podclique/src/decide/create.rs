//! Creates missing pods.

use std::collections::{BTreeMap, BTreeSet, HashSet};

use api::{LastError, PodClique, codes};
use domain::object::ownership;
use domain::plan::{Action, first_portion};
use domain::scheduling::{self, kubernetes, quota};
use domain::sharing::{self, MissingClaim, NamedClaim};
use domain::workload::pod as template;
use domain::workload::slots::{self, Holder};
use jiff::Timestamp;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::Time;

use super::stuck_terminating::{self, Waiter};
use super::update;
use super::{claims, compute_domain};
use crate::observe::{OlderPods, Snapshot};
use crate::pod_group::Choice;
use crate::preferred_domains;
use crate::rollout;

/// The most indexes that one decision fills; the rest is decided again.
const CREATE_BATCH: usize = 500;

/// Names tried for an index.
const PROBES: u32 = 100;

/// Pods that are missing.
#[derive(Debug, Default)]
pub(super) struct Missing {
    /// The pods that are created now.
    pub pods: Vec<Action>,
    /// Indexes for which no name is free.
    nameless: Vec<i32>,
    /// Why a claim that pods wait for does not come by itself.
    unclaimed: Option<String>,
    /// When they may be created although the PodGroup of their predecessors still exists.
    pub due: Option<Timestamp>,
}

impl Missing {
    /// None are created before this claim is there.
    fn awaiting(claim: MissingClaim) -> Self {
        let unclaimed = match claim {
            MissingClaim::Coming => None,
            MissingClaim::Blocked(cause) => Some(cause),
        };
        Self {
            unclaimed,
            ..Self::default()
        }
    }

    /// The status error about indexes for which no name is free.
    pub(super) fn error(&self, snapshot: &Snapshot, now: Timestamp) -> Option<LastError> {
        let index = self.nameless.first()?;
        let (count, name) = (
            self.nameless.len(),
            ownership::name(&snapshot.podclique.metadata),
        );
        Some(LastError {
            code: codes::NAME_CONFLICT.to_owned(),
            description: format!(
                "{count} pods of {name} cannot be created, the first at index {index}: all {PROBES} \
                 names that it may have are taken by pods that belong to others; delete or rename \
                 the pods called {name}-* that podclique {name} does not own"
            ),
            observed_at: Time(now),
        })
    }

    /// Whether pods wait for a claim that does not come by itself.
    pub(super) fn waits_for_claim(&self) -> bool {
        self.unclaimed.is_some()
    }

    /// The status error about a claim that pods wait for and that does not come by itself.
    pub(super) fn error_of_claim(&self, now: Timestamp) -> Option<LastError> {
        let description = self.unclaimed.clone()?;
        Some(LastError {
            code: codes::CLAIM_MISSING.to_owned(),
            description,
            observed_at: Time(now),
        })
    }
}

pub(super) fn missing_pods(snapshot: &Snapshot, now: Timestamp) -> Missing {
    if snapshot.older == OlderPods::Unknown {
        return Missing::default();
    }
    let surge = rollout::surge_indexes(snapshot);
    let vacant = find_vacant(snapshot, &surge, now);
    if vacant.is_empty() {
        return Missing::default();
    }
    if let Some(missing) = compute_domain::find_missing(snapshot) {
        return Missing::awaiting(missing);
    }
    let group = match snapshot
        .pod_group
        .choose(snapshot.stuck_timeouts.usual_end(), now)
    {
        Choice::Name(group) => group,
        Choice::Wait(due) => {
            return Missing {
                due,
                ..Missing::default()
            };
        }
    };
    let mut used = used_names(snapshot);
    let gone = listed_and_gone(snapshot);
    let mut nameless = Vec::new();
    let mut unclaimed = None;
    let missing = vacant.into_iter().filter_map(|index| {
        let claims = match claims::find_claims(snapshot, index, now) {
            Ok(claims) => claims,
            Err(MissingClaim::Coming) => return None,
            Err(MissingClaim::Blocked(cause)) => {
                unclaimed.get_or_insert(cause);
                return None;
            }
        };
        let Some(name) = free_name(snapshot, index, &used, &gone) else {
            nameless.push(index);
            return None;
        };
        used.insert(name.clone());
        let is_surge = surge.contains(&index);
        let new = NewPod {
            older: snapshot.older.find(index).filter(|_| !is_surge),
            index,
            name,
            group: group.as_deref(),
            claims,
        };
        Some(Action::create(new_pod(snapshot, new, now)))
    });
    let pods = first_portion(missing);
    Missing {
        pods,
        nameless,
        unclaimed,
        due: None,
    }
}

/// The indexes that new pods take now.
fn find_vacant(snapshot: &Snapshot, surge: &BTreeSet<i32>, now: Timestamp) -> Vec<i32> {
    let holders = holders(snapshot, now);
    let surge_due = !surge.is_empty() && update::fills_surge(snapshot, now);
    slots::vacant(&holders, snapshot.replicas(), surge)
        .chain(
            surge
                .iter()
                .copied()
                .filter(|k| surge_due && !holders.contains_key(k)),
        )
        .take(CREATE_BATCH.min(find_room(snapshot)))
        .collect()
}

/// How many pods may be created. A pod that waits for quota behind its gate would hold up the others
/// where the scheduler waits for gates: it is created when it has quota (decision 179).
fn find_room(snapshot: &Snapshot) -> usize {
    let gang = snapshot.gang.as_deref();
    let waits_for_gates = snapshot.scheduler.backend.waits_for_gates();
    let Some(gang) = gang.filter(|gang| waits_for_gates && quota::is_reserved(gang)) else {
        return usize::MAX;
    };
    let granted = quota::granted(gang, ownership::name(&snapshot.podclique.metadata));
    let pods = snapshot.pods.iter();
    let present = pods.filter(|pod| !pod.is_terminating() && !pod.has_run_out());
    usize::try_from(granted)
        .unwrap_or(0)
        .saturating_sub(present.count())
}

/// Names that a new pod must not have: names of existing pods, and names that the gang lists,
/// because a pod of such a name would lose its gate before the gang is complete (decision 11).
fn used_names(snapshot: &Snapshot) -> HashSet<String> {
    let own = snapshot.pods.iter().map(|p| p.name().to_owned());
    let listed = snapshot.listed().into_iter().map(str::to_owned);
    own.chain(listed).collect()
}

/// The first name that is not used and is not known to be taken by a foreign pod.
fn free_name(
    snapshot: &Snapshot,
    index: i32,
    used: &HashSet<String>,
    gone: &HashSet<&str>,
) -> Option<String> {
    let known = snapshot.last_holders.get(&index);
    let known = known.map(|holder| holder.name.clone());
    let last = known.or_else(|| find_first_holder(snapshot, index, gone));
    names(snapshot, index, last.as_deref().unwrap_or_default())
        .find(|name| !used.contains(name) && !snapshot.taken_names.contains(name))
}

/// The first holder of an index that this process did not see, if the gang still lists it: a
/// process that saw it gives its successor the same name (decision 155).
fn find_first_holder(snapshot: &Snapshot, index: i32, gone: &HashSet<&str>) -> Option<String> {
    if gone.is_empty() {
        return None;
    }
    names(snapshot, index, "").find(|name| gone.contains(name.as_str()))
}

/// The names that the gang lists and no pod has.
fn listed_and_gone(snapshot: &Snapshot) -> HashSet<&str> {
    let mut listed: HashSet<&str> = snapshot.listed().into_iter().collect();
    for pod in &snapshot.pods {
        listed.remove(pod.name());
    }
    listed
}

/// The names that the pod of an index may have after this last holder.
fn names<'a>(
    snapshot: &'a Snapshot,
    index: i32,
    last: &'a str,
) -> impl Iterator<Item = String> + 'a {
    let meta = &snapshot.podclique.metadata;
    let (name, uid) = (ownership::name(meta), ownership::uid(meta));
    (0..PROBES).map(move |probe| slots::pod_name(name, uid, index, last, probe))
}

fn holders(snapshot: &Snapshot, now: Timestamp) -> BTreeMap<i32, Holder> {
    // A completed index needs no pod, even if its pod is gone.
    let completed = snapshot.completed();
    // Nor does one that stays vacant in the turn.
    let held = rollout::held_indexes(snapshot);
    let without_pod = completed.into_iter().chain(held);
    let mut holders: BTreeMap<i32, Holder> = without_pod.map(|k| (k, Holder::Live)).collect();
    holders.extend(stuck_terminating::occupied(snapshot, now).map(|k| (k, Holder::Leaving)));
    for pod in snapshot
        .pods
        .iter()
        .filter(|p| !Waiter::Slot.gave_up(snapshot, p, now))
    {
        let Some(index) = pod.index() else { continue };
        let holder = if pod.is_terminating() {
            Holder::Leaving
        } else {
            Holder::Live
        };
        let slot = holders.entry(index).or_insert(holder);
        if holder == Holder::Live {
            *slot = Holder::Live;
        }
    }
    holders
}

/// What a new pod has of its own.
struct NewPod<'a> {
    /// The PodClique with its template, if that is an older one.
    older: Option<&'a PodClique>,
    index: i32,
    name: String,
    /// The PodGroup that it names.
    group: Option<&'a str>,
    /// The resource claims that it names.
    claims: Vec<NamedClaim>,
}

/// The pod of an index.
fn new_pod(
    snapshot: &Snapshot,
    new: NewPod<'_>,
    now: Timestamp,
) -> k8s_openapi::api::core::v1::Pod {
    let NewPod {
        older,
        index,
        name,
        group,
        claims,
    } = new;
    let failure_count = snapshot
        .last_holders
        .get(&index)
        .map_or(0, |t| t.failure_count);
    let set = snapshot.set.as_ref();
    // The template of an older pod has the class that the set had.
    let set = set.filter(|_| older.is_none());
    let priority = set.map_or("", |s| s.priority_class_name.as_str());
    let podclique = older.unwrap_or(&snapshot.podclique);
    let mut pod = template::build_pod(
        podclique,
        snapshot.set_name(),
        index,
        name,
        priority,
        failure_count,
    );
    template::add_attempt(&mut pod, &snapshot.podclique, snapshot.set_uid());
    let before = snapshot.set.as_ref().and_then(|s| s.pods_before);
    if let Some(before) = before {
        template::add_place_in_group(&mut pod, before.saturating_add(index));
    }
    template::add_quota_round(&mut pod, snapshot.gang.as_deref().map_or(0, quota::round));
    sharing::inject(&mut pod, &claims);
    let image = &snapshot.init_container_image;
    template::start_order::hold_back_pod(&mut pod, &snapshot.dependencies, image, now);
    scheduling::mark_pod(&snapshot.scheduler, &snapshot.podclique, &mut pod);
    let set = snapshot.set.as_ref();
    // KAI Scheduler knows preferred domains by the PodGang or its PodGroup.
    if let Some(set) = set.filter(|_| !snapshot.scheduler.backend.is_kai()) {
        preferred_domains::add_affinity(&mut pod, &set.preferred_domains);
    }
    if let Some(group) = group {
        kubernetes::join_pod_group(&mut pod, group);
    }
    pod
}
