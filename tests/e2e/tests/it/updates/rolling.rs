//! One replica at a time, within the budget.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::json;

use super::{ended, running, workload};
use crate::harness::history::{History, Moment};

/// What an independent watch of the pods shows in the course of an update.
#[derive(Default)]
struct Course {
    /// Pods that are up, by PodClique.
    up: BTreeMap<String, BTreeSet<String>>,
    /// Replicas in the order in which their pods were taken down.
    turns: Vec<String>,
    /// The fewest pods that were up in a PodClique `web`.
    fewest: usize,
    /// Pods that are up of each group replica, with their version.
    units: BTreeMap<String, BTreeMap<String, String>>,
    /// The fewest group replicas of a replica that were up as a whole.
    fewest_units: usize,
    going: BTreeSet<String>,
}

impl Course {
    fn of(moments: &[Moment]) -> Self {
        let mut course = Self {
            fewest: usize::MAX,
            fewest_units: usize::MAX,
            ..Self::default()
        };
        for moment in moments {
            course.add(moment);
        }
        course
    }

    fn add(&mut self, moment: &Moment) {
        let up = self.up.entry(moment.podclique.clone()).or_default();
        if moment.is_up {
            up.insert(moment.uid.clone());
        } else {
            up.remove(&moment.uid);
        }
        let count = up.len();
        self.add_to_unit(moment);
        if !moment.is_going || moment.version != "1" || !self.going.insert(moment.uid.clone()) {
            return;
        }
        let replica = moment.podclique.split('-').nth(1).unwrap().to_owned();
        if self.turns.last() != Some(&replica) {
            self.turns.push(replica.clone());
        }
        if moment.podclique.ends_with("-web") {
            self.fewest = self.fewest.min(count);
        }
        let of_replica = format!("svc-{replica}-");
        let units = self
            .units
            .iter()
            .filter(|(unit, _)| unit.starts_with(&of_replica));
        let whole = units.filter(|(_, up)| up.len() == PODS_OF_UNIT).count();
        self.fewest_units = self.fewest_units.min(whole);
    }

    /// A group replica is replaced as a whole: never has it pods of two versions.
    fn add_to_unit(&mut self, moment: &Moment) {
        let unit = moment
            .podclique
            .rsplit_once('-')
            .map_or("", |(unit, _)| unit);
        if !unit.contains("-grp-") {
            return;
        }
        let up = self.units.entry(unit.to_owned()).or_default();
        if moment.is_up {
            up.insert(moment.uid.clone(), moment.version.clone());
        } else {
            up.remove(&moment.uid);
        }
        let versions: BTreeSet<&String> = up.values().collect();
        assert!(versions.len() <= 1, "{unit} has pods of {versions:?}");
    }
}

/// A leader and two workers.
const PODS_OF_UNIT: usize = 3;

fn roll(purpose: &str, max_unavailable: Option<u32>, at_least: usize) {
    let ns = running(purpose);
    let mut history = History::of(&ns);
    history.catch_up(&ns);
    let mut next = workload("2");
    if let Some(max_unavailable) = max_unavailable {
        let budget = json!({"maxUnavailable": max_unavailable});
        next["spec"]["template"]["cliques"][0]["rollingUpdate"] = budget.clone();
        next["spec"]["template"]["podCliqueScalingGroups"][0]["rollingUpdate"] = budget;
    }
    ns.apply(&next);
    ns.until("version 2 runs", |seen| ended(seen, "2", 3));
    history.catch_up(&ns);
    let course = Course::of(history.moments());
    assert_eq!(course.turns, ["0", "1", "2"], "one replica at a time");
    assert_eq!(
        course.going.len(),
        30,
        "every pod of version 1 was replaced once"
    );
    assert!(
        course.fewest >= at_least,
        "{} pods of web were up",
        course.fewest
    );
    // Two group replicas of which one is required.
    assert!(
        course.fewest_units >= 1,
        "no group replica was up as a whole"
    );
}

/// 4 pods of which 3 are required: there is slack, and it is kept whatever the budget.
#[test]
fn takes_down_one_pod_at_a_time_by_default() {
    roll("roll-unset", None, 3);
}

#[test]
fn takes_down_one_pod_at_a_time_if_asked_for() {
    roll("roll-one", Some(1), 3);
}

#[test]
fn never_goes_below_min_available_where_there_is_slack() {
    roll("roll-two", Some(2), 3);
}
