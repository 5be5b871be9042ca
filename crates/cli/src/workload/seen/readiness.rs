//! What keeps a part from running, and what has to run.

use api::conditions::Reason;
use api::{PodClique, labels};
use domain::health::readiness::{self, Cause, CliqueView, Start};
use domain::health::{fence, training};
use domain::object::ownership;
use domain::workload::gang;
use domain::workload::layout::{Group, Part, Replica};

use super::Seen;
use crate::workload::pod_state;

impl Seen<'_> {
    /// What the gang of a PodClique waits for.
    pub fn start(&self, podclique: &PodClique) -> Start {
        let set = &self.workload.set;
        if let Some(reason) = training::failure_reason(set) {
            return Start::GivenUp(reason);
        }
        let replica = ownership::replica_in(self.set_name(), &podclique.metadata);
        if replica.is_some_and(|i| !self.earlier(i).is_empty()) {
            return Start::Terminating;
        }
        let gang = ownership::label(&podclique.metadata, labels::POD_GANG);
        let gang = gang.and_then(|name| self.workload.gang(name));
        let is_ready = |name: &str| self.workload.gang(name).is_some_and(gang::is_ready);
        readiness::find_start(podclique, gang, is_ready)
    }

    /// Why fewer pods of the part run than have to, or, for `all`, than are asked for.
    pub fn cause(&self, part: &Part<'_>, all: bool) -> Option<Cause> {
        let Some(podclique) = self.podclique(part) else {
            return (!self.is_done(part)).then(|| self.explain_absence(part));
        };
        if self.count_ready(podclique) >= podclique.spec.replicas {
            return None;
        }
        let pods = self.pods(podclique);
        let view = CliqueView {
            podclique,
            pods: pods.iter().collect(),
            start: self.start(podclique),
        };
        readiness::shortfall(&view, all)
    }

    /// Whether all of the replica runs that has to: each clique, and enough replicas of each group.
    pub fn is_available(&self, replica: &Replica<'_>) -> bool {
        let is_group_up = |group: &Group<'_>| {
            let all = group.replicas.iter();
            let up = all.filter(|r| r.cliques.iter().all(|part| self.is_up(part)));
            let live = group.replicas.len();
            let minimum = usize::try_from(gang::group_minimum(group.config)).unwrap_or(0);
            self.workload.group(&group.name).is_some() && up.count() >= minimum.min(live)
        };
        let mut cliques = replica.standalone.iter();
        cliques.all(|part| self.is_up(part)) && replica.groups.iter().all(is_group_up)
    }

    /// Whether the part has as many pods as have to run, or has done its work.
    fn is_up(&self, part: &Part<'_>) -> bool {
        let Some(podclique) = self.podclique(part) else {
            return self.is_done(part);
        };
        let minimum = gang::clique_minimum(&podclique.spec);
        self.count_ready(podclique) >= minimum || self.facts(podclique).available >= minimum
    }

    fn count_ready(&self, podclique: &PodClique) -> i32 {
        let ready = self.full_pods(podclique).filter(|p| pod_state::is_ready(p));
        i32::try_from(ready.count()).unwrap_or(i32::MAX)
    }

    fn is_done(&self, part: &Part<'_>) -> bool {
        let attempts = fence::attempts_of_set(&self.workload.set);
        fence::is_stored_as_succeeded(attempts, part.replica, &part.name)
    }

    fn explain_absence(&self, part: &Part<'_>) -> Cause {
        if !self.earlier(part.replica).is_empty() || self.podcliques.contains_key(&*part.name) {
            let text = "was terminated and is made anew once the rest is gone";
            return Cause::new(Reason::ReplicaTerminating, text);
        }
        Cause::new(Reason::PodsBeingCreated, "is being created")
    }
}
