//! Until nothing changes any more.

use api::{PodClique, PodCliqueSet};
use domain::Pod;
use domain::plan::Kind;
use jiff::Timestamp;
use serde_json::Value;

use super::controllers::Job;
use super::{Stored, World};
use crate::exit::Failure;
use crate::json;

/// Controllers of groups and PodCliques, by number.
const OF_PODS: [usize; 2] = [1, 2];

impl World {
    /// Runs the operator and the pods until nothing is left to do. Time passes only while a missing
    /// pod waits for its back-off, or a new pod of an update has to stay Ready, and never up to a
    /// gang termination or the end of a job, because the planned change does not cause those.
    pub fn settle(&mut self) -> Result<(), Failure> {
        self.trigger_all();
        loop {
            self.work_off()?;
            if self.run_kubelet()? {
                continue;
            }
            // The operator's resync every ten minutes: no decision may depend on a trigger.
            let version = self.version;
            self.trigger_all();
            self.work_off()?;
            if self.version == version && !self.pass_time() {
                return Ok(());
            }
        }
    }

    /// Advances the time to the next due replacement of a pod; returns whether there is one.
    fn pass_time(&mut self) -> bool {
        let is_of_pods = |(job, _): &(&Job, &Timestamp)| OF_PODS.contains(&job.0);
        let (of_pods, others): (Vec<_>, Vec<_>) = self.timers.iter().partition(is_of_pods);
        let first = of_pods
            .iter()
            .map(|(_, at)| **at)
            .filter(|at| *at > self.now);
        // Every pod that has ended is due before.
        let end = self.began.saturating_add(Pod::LONG_LIFE);
        let end = end.unwrap_or(self.began);
        let limit = others
            .iter()
            .map(|(_, at)| **at)
            .filter(|at| *at > self.now)
            .min()
            .map_or(end, |at| end.min(at));
        let Some(next) = first
            .min()
            .filter(|at| *at <= limit && (self.is_short_of_pods() || self.is_updating()))
        else {
            return false;
        };
        self.now = next;
        let due: Vec<Job> = self
            .timers
            .iter()
            .filter(|(_, at)| **at <= next)
            .map(|(job, _)| job.clone())
            .collect();
        self.triggered.extend(due);
        true
    }

    /// Whether an update waits until new pods have been Ready for long enough.
    fn is_updating(&self) -> bool {
        let mut sets = self.stored(Kind::of::<PodCliqueSet>());
        sets.any(|(_, set)| {
            let turns = json::at(set, "/status/updateProgress/currentlyUpdating");
            turns.as_array().is_some_and(|turns| !turns.is_empty())
        })
    }

    fn is_short_of_pods(&self) -> bool {
        let mut podcliques = self.stored(Kind::of::<PodClique>());
        podcliques.any(|(_, podclique)| {
            let pods = self.owned_by(podclique, Kind::of::<Pod>());
            let running = pods.iter().filter(|pod| !has_ended(pod)).count();
            running < replicas_of(podclique)
        })
    }
}

fn replicas_of(podclique: &Stored) -> usize {
    let replicas = json::at(podclique, "/spec/replicas").as_u64().unwrap_or(0);
    usize::try_from(replicas).unwrap_or(usize::MAX)
}

fn has_ended(pod: &Value) -> bool {
    ["Succeeded", "Failed"].contains(&json::text(pod, "/status/phase"))
}
