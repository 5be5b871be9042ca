//! The course of an update in an independent watch of the pods.

use std::collections::{BTreeMap, BTreeSet};

use super::Moment;

/// The watched parts of a set: in each of its replicas a clique, and a group with that many pods in
/// each replica; the update replaces this version.
#[derive(Clone, Copy, Debug)]
pub struct Watched {
    pub clique: &'static str,
    pub group: &'static str,
    pub pods_of_unit: usize,
    pub old: &'static str,
}

/// The course of an update, up to its end.
#[derive(Debug)]
pub struct Course {
    watched: Watched,
    /// Pods that are up, by PodClique.
    up: BTreeMap<String, BTreeSet<String>>,
    /// Replicas in the order in which their pods were taken down.
    pub turns: Vec<String>,
    /// The fewest pods of a replica's clique that were up when one was taken down.
    pub fewest: usize,
    /// Pods of each group replica that are up, with their version.
    units: BTreeMap<String, BTreeMap<String, String>>,
    /// The fewest complete group replicas of a replica that were up.
    pub fewest_units: usize,
    /// Pods of the old version that were taken down, by uid.
    pub going: BTreeSet<String>,
}

impl Course {
    /// The course of these states. Fails if a group replica has pods of two versions: it has to be
    /// replaced as a whole.
    pub fn of(moments: &[Moment], watched: Watched) -> Self {
        let mut course = Self {
            watched,
            up: BTreeMap::new(),
            turns: Vec::new(),
            fewest: usize::MAX,
            units: BTreeMap::new(),
            fewest_units: usize::MAX,
            going: BTreeSet::new(),
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
        self.add_to_unit(moment);
        let is_old = moment.version == self.watched.old;
        if moment.is_going && is_old && self.going.insert(moment.uid.clone()) {
            self.take_down(moment);
        }
    }

    fn take_down(&mut self, moment: &Moment) {
        let replica = replica_of(&moment.podclique);
        if self.turns.last() != Some(&replica) {
            self.turns.push(replica.clone());
        }
        if moment.podclique == format!("{replica}-{}", self.watched.clique) {
            self.fewest = self.fewest.min(self.up[&moment.podclique].len());
        }
        let units = self.units.iter();
        let of_replica = units.filter(|(unit, _)| replica_of(unit) == replica);
        let whole = of_replica.filter(|(_, up)| up.len() == self.watched.pods_of_unit);
        self.fewest_units = self.fewest_units.min(whole.count());
    }

    fn add_to_unit(&mut self, moment: &Moment) {
        let unit = moment.podclique.rsplit_once('-');
        let unit = unit.map_or("", |(unit, _)| unit);
        if !unit.contains(&format!("-{}-", self.watched.group)) {
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

/// `svc-0` of `svc-0-grp-1-lead`.
fn replica_of(name: &str) -> String {
    let mut parts = name.splitn(3, '-');
    let parts = [parts.next(), parts.next()];
    parts.map(Option::unwrap).join("-")
}
