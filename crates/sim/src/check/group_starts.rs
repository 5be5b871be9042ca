//! I48 for groups: an update deletes group replicas that are down only as far as they and those that are
//! starting are at most `maxUnavailable`, or one if that is 0 (docs/semantics.md §14.4). Each decision is
//! judged by itself: a unit counts as starting from the moment it has a node. Replicas of the base gang,
//! and those without a node, are replaced at once.

use std::collections::BTreeSet;

use serde_json::Value;

use super::group_budget::{controller, find_available, is_own_deletion, is_seen};
use super::units::Unit;
use super::updates::{VERSION, version};
use super::window::Window;
use super::{Checked, demand, failures, fences, job, limits};
use crate::resource::Resource;
use crate::store::Stored;
use crate::view;

/// An update deletes this PodClique of a group, and no other one of its replica is being deleted.
pub(super) fn check(window: &Window<'_>, podclique: &Value) -> Checked {
    let Some(unit) = Unit::of_podclique(podclique) else {
        return Ok(());
    };
    let group = Observed::of(window, podclique);
    if !group.is_bounded(unit.index) {
        return Ok(());
    }
    let mut deleted = group.deleted_with_it();
    deleted.insert(unit.index);
    let starting = group.count_starting();
    let begun = i64::try_from(deleted.len().saturating_add(starting)).unwrap_or(i64::MAX);
    let limit = group.limit(unit.component);
    demand(begun <= limit, "I48", || {
        let name = view::name(podclique);
        format!(
            "{name} deleted: {deleted:?} are replaced at once beside {starting} that are starting, but at \
             most {limit} may start"
        )
    })
}

/// A group in all states that the operator may have observed.
struct Observed<'a> {
    window: &'a Window<'a>,
    uid: &'a str,
    groups: Vec<&'a Stored>,
    sets: Vec<&'a Stored>,
    /// The indexes of the replicas that may have been available.
    available: BTreeSet<i64>,
}

impl<'a> Observed<'a> {
    fn of(window: &'a Window<'a>, podclique: &'a Value) -> Self {
        let uid = controller(podclique);
        let groups = job::owners(window, podclique);
        Self {
            available: find_available(window, uid, &groups, |_| true),
            sets: job::sets(window, podclique),
            window,
            uid,
            groups,
        }
    }

    /// How many replicas may start at once.
    fn limit(&self, name: &str) -> i64 {
        let by_group = |group: &Value| {
            limits::largest(&self.sets, name, group, |limits| limits.max_unavailable)
        };
        let all = self.groups.iter().map(|group| by_group(group));
        all.max().unwrap_or(1).max(1)
    }

    /// Whether a replica that an update deletes surely was one that is down on its node, and neither of the
    /// base gang nor surge.
    fn is_bounded(&self, index: i64) -> bool {
        let is_optional = |group: &Value| {
            let minimum = view::at(group, "/spec/minAvailable").and_then(Value::as_i64);
            let optional = minimum.unwrap_or(1)..view::number(group, "/spec/replicas");
            optional.contains(&index)
        };
        !self.groups.is_empty()
            && self.groups.iter().all(|group| is_optional(group))
            && !self.available.contains(&index)
            && self.is_placed(index)
    }

    /// The number of replicas that surely were new, on their nodes, and not available.
    fn count_starting(&self) -> usize {
        let wanted = self
            .groups
            .iter()
            .map(|g| view::number(g, "/spec/replicas"));
        let all = 0..wanted.min().unwrap_or(0);
        all.filter(|index| self.is_starting(*index)).count()
    }

    fn is_starting(&self, index: i64) -> bool {
        let podcliques = self.podcliques(index);
        let is_sure = |c: &Value| self.is_own(c) && self.is_new(c);
        !self.available.contains(&index)
            && self.is_placed(index)
            && podcliques.iter().all(|c| is_sure(c))
    }

    /// The replicas that the same decision deleted before this one, of those that are bounded. Its requests
    /// are sent together, and their answers come before the next decision on the group.
    fn deleted_with_it(&self) -> BTreeSet<i64> {
        let window = self.window;
        let Some(sent) = window.horizon.sent else {
            return BTreeSet::new();
        };
        let from = sent.max(window.horizon.of(Resource::PodClique));
        let log = window.store.log.get(from..window.position);
        let deleted: Vec<&Stored> = log
            .unwrap_or_default()
            .iter()
            .filter(|record| is_own_deletion(record))
            .filter_map(|record| record.before.as_ref())
            .filter(|podclique| controller(podclique) == self.uid)
            .collect();
        let uids: BTreeSet<&str> = deleted.iter().map(|c| view::uid(c)).collect();
        // The rest of a replica goes with a PodClique of it that was being deleted before.
        let was_whole = |index: i64| {
            let podcliques = self.podcliques(index);
            let stayed = |c: &Value| !view::is_terminating(c) || uids.contains(view::uid(c));
            podcliques.iter().all(|c| stayed(c))
        };
        let units = deleted.iter().filter_map(|c| Unit::of_podclique(c));
        units
            .map(|unit| unit.index)
            .filter(|index| self.is_bounded(*index) && was_whole(*index))
            .collect()
    }

    /// All states of the PodCliques of a replica.
    fn podcliques(&self, index: i64) -> Vec<&'a Stored> {
        let is_of_replica = |c: &Value| {
            let unit = Unit::of_podclique(c);
            controller(c) == self.uid && unit.is_some_and(|unit| unit.index == index)
        };
        self.window.versions(Resource::PodClique, is_of_replica)
    }

    /// Whether the PodClique surely existed, and the group had a slot for it.
    fn is_own(&self, podclique: &Value) -> bool {
        let uid = view::uid(podclique);
        let states = self.window.of_uid(Resource::PodClique, uid);
        let owners = || self.groups.iter().chain(&self.sets);
        let is_wanted = |c: &Value| !owners().any(|owner| fences::is_unwanted(c, owner));
        let mut moved = self.window.born_or_gone(Resource::PodClique);
        !moved.any(|moved| moved == uid)
            && states
                .iter()
                .all(|c| is_seen(c) && controller(c) == self.uid && is_wanted(c))
    }

    /// Whether the PodClique in this state, and all its pods, are of the newest template.
    fn is_new(&self, podclique: &Value) -> bool {
        let clique = view::name(podclique).rsplit('-').next();
        let clique = clique.unwrap_or_default();
        let is_newest = |object: &Value| {
            let has = view::text(object, VERSION);
            self.sets.iter().all(|set| version(set, clique) == has)
        };
        let uid = view::uid(podclique);
        let pods = self
            .window
            .versions(Resource::Pod, |pod| controller(pod) == uid);
        is_newest(podclique) && pods.iter().all(|pod| is_newest(pod))
    }

    /// Whether a pod of the replica surely had a node.
    fn is_placed(&self, index: i64) -> bool {
        let has_node = |pod: &Value| {
            let is_bound = !view::text(pod, "/spec/nodeName").is_empty();
            is_bound && is_seen(pod) && !view::is_terminating(pod)
        };
        let podcliques = self.podcliques(index);
        let mut own = podcliques.iter().filter(|c| self.is_own(c));
        own.any(|c| {
            let pods = failures::steady_pods(self.window, view::uid(c));
            let mut all = pods.values();
            all.any(|states| states.iter().all(|pod| has_node(pod)))
        })
    }
}
