//! The placement of gangs in an independent watch of the pods.

use std::collections::{BTreeMap, BTreeSet};

use super::Moment;

/// Fails unless each of these gangs that got nodes got them for all required pods (that many of
/// each PodClique) in one attempt of the scheduler: from the first pod with a node to the last
/// required one, no required pod was refused again, created or removed. Returns the number of
/// placed gangs.
pub fn expect_whole<S: AsRef<str>>(moments: &[Moment], gangs: &[Vec<(S, usize)>]) -> usize {
    let mut placed = 0;
    for gang in gangs {
        let needed = gang.iter().map(|(part, count)| (part.as_ref(), *count));
        let mut watched = Watched {
            needed: needed.collect(),
            bound: BTreeSet::new(),
            refused: BTreeMap::new(),
            known: BTreeMap::new(),
            was_whole: false,
        };
        for moment in moments {
            watched.add(moment);
        }
        let bound = watched.bound.len();
        assert!(
            bound == 0 || watched.was_whole,
            "{:?}: only {bound} pods have nodes",
            watched.needed
        );
        placed += usize::from(watched.was_whole);
    }
    placed
}

/// A gang until all its required pods have nodes.
#[derive(Debug)]
struct Watched<'a> {
    needed: BTreeMap<&'a str, usize>,
    /// Pods with nodes: PodClique and uid.
    bound: BTreeSet<(&'a str, &'a str)>,
    /// The scheduler's messages for pods without nodes, by uid.
    refused: BTreeMap<&'a str, &'a str>,
    /// Number of pods of each part.
    known: BTreeMap<&'a str, usize>,
    was_whole: bool,
}

impl<'a> Watched<'a> {
    fn add(&mut self, moment: &'a Moment) {
        if self.was_whole || !self.needed.contains_key(moment.podclique.as_str()) {
            return;
        }
        let pod = (moment.podclique.as_str(), moment.uid.as_str());
        let said = self.refused.insert(pod.1, &moment.refusal);
        let is_refused_anew = !moment.refusal.is_empty() && said != Some(&moment.refusal);
        let is_known = said.is_some();
        *self.known.entry(pod.0).or_default() += usize::from(!is_known);
        // In a part with more pods, any of them counts.
        let is_needed = self.known[pod.0] <= self.needed[pod.0];
        assert!(
            self.bound.is_empty()
                || (is_known && !moment.is_going && !(is_refused_anew && is_needed)),
            "while it had nodes for {} pods: {moment:?} of {:?}",
            self.bound.len(),
            self.needed
        );
        if moment.is_bound {
            self.bound.insert(pod);
        }
        let has_all = |(part, count): (&&str, &usize)| {
            let of_part = self.bound.iter().filter(|(of, _)| of == part);
            of_part.count() >= *count
        };
        self.was_whole = self.needed.iter().all(has_all);
    }
}
