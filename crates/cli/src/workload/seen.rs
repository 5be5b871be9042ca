//! A set as the operator's rules see it: PodCliques of the present attempt with their pods, and the
//! cause that keeps each from running. The rules are those of `domain`.

use std::collections::HashMap;

use api::conditions::{Reason, Status};
use api::{PodClique, PodCliqueScalingGroup, labels, names};
use domain::Pod;
use domain::health::availability::{CliqueFacts, GroupFacts, GroupPart, clique_breach};
use domain::health::readiness::{self, Cause, CliqueView, Start};
use domain::health::{fence, training};
use domain::object::attempt::Attempt;
use domain::object::ownership;
use domain::roster::{self, Slot};
use domain::update;
use domain::workload::gang;
use domain::workload::layout::{Group, Part, Replica};
use jiff::Timestamp;
use k8s_openapi::api::core::v1::Pod as FullPod;
use serde::Deserialize as _;

use super::{Workload, pod_state};

/// Lookups that are computed once.
#[derive(Debug)]
pub struct Seen<'a> {
    /// The objects.
    pub workload: &'a Workload,
    /// The time of the view.
    pub now: Timestamp,
    podcliques: HashMap<&'a str, &'a PodClique>,
    /// By the uid of the PodClique.
    pods: HashMap<&'a str, Vec<&'a FullPod>>,
    /// PodCliques of earlier attempts, by replica.
    earlier: HashMap<i32, Vec<&'a PodClique>>,
}

impl<'a> Seen<'a> {
    /// A view of these objects.
    pub fn of(workload: &'a Workload, now: Timestamp) -> Self {
        let all = workload.podcliques.iter();
        let mut seen = Self {
            workload,
            now,
            podcliques: all.map(|c| (ownership::name(&c.metadata), c)).collect(),
            pods: HashMap::new(),
            earlier: HashMap::new(),
        };
        for pod in &workload.pods {
            let owner = ownership::controller(&pod.metadata);
            if let Some(owner) = owner {
                seen.pods.entry(&owner.uid).or_default().push(pod);
            }
        }
        for podclique in &workload.podcliques {
            let replica = ownership::replica_in(seen.set_name(), &podclique.metadata);
            if let Some(i) = replica.filter(|i| seen.is_previous(podclique, *i)) {
                seen.earlier.entry(i).or_default().push(podclique);
            }
        }
        seen
    }

    /// Name of the set.
    pub fn set_name(&self) -> &'a str {
        ownership::name(&self.workload.set.metadata)
    }

    /// The PodCliques of earlier attempts in the replica.
    pub fn earlier(&self, replica: i32) -> &[&'a PodClique] {
        self.earlier.get(&replica).map_or(&[], Vec::as_slice)
    }

    /// The PodClique of a slot, if it counts: as the operator judges it, by owner and attempt.
    pub fn podclique(&self, part: &Part<'_>) -> Option<&'a PodClique> {
        self.slot(part).standing()
    }

    fn slot(&self, part: &Part<'_>) -> Slot<&'a PodClique> {
        match self.podcliques.get(&*part.name).copied() {
            Some(found) => self.classify(found, self.attempt_of(part)),
            None if self.is_done(part) => Slot::Done,
            None => Slot::Empty,
        }
    }

    fn classify(&self, found: &'a PodClique, wanted: Attempt) -> Slot<&'a PodClique> {
        let meta = &found.metadata;
        let group = ownership::controller(meta).and_then(|o| self.workload.group(&o.name));
        let owner = roster::owner_of(&self.workload.set, group.map(|g| &g.metadata), meta);
        roster::classify(found, meta, wanted, owner)
    }

    fn is_previous(&self, podclique: &'a PodClique, i: i32) -> bool {
        let wanted = Attempt {
            set: self.attempt(i),
            group: 0,
        };
        matches!(self.classify(podclique, wanted), Slot::Previous(_))
    }

    /// The PodClique that controls the pod.
    pub fn owner_of(&self, pod: &FullPod) -> Option<&'a PodClique> {
        let uid = &ownership::controller(&pod.metadata)?.uid;
        let mut all = self.workload.podcliques.iter();
        all.find(|c| c.metadata.uid.as_ref() == Some(uid))
    }

    /// The pods of a PodClique by index, as rules see them.
    pub fn pods(&self, podclique: &PodClique) -> Vec<Pod> {
        let mut pods: Vec<Pod> = self.full_pods(podclique).filter_map(lean).collect();
        pods.sort_by_key(|pod| (pod.index(), pod.name().to_owned()));
        pods
    }

    /// The facts of its breach.
    pub fn facts(&self, podclique: &PodClique) -> CliqueFacts {
        CliqueFacts::of(podclique, self.pods(podclique).iter())
    }

    /// The scaling group that the part is in, if it exists.
    pub fn group(&self, part: &Part<'_>) -> Option<&'a PodCliqueScalingGroup> {
        let config = part.group?;
        let name = names::scaling_group(self.set_name(), part.replica, &config.name);
        self.workload.group(&name)
    }

    /// The facts of a scaling group's breach.
    pub fn group_facts(&self, group: &PodCliqueScalingGroup, parts: &[&Part<'_>]) -> GroupFacts {
        GroupFacts::of(group, fence::attempts_of_group(group), |member| {
            let part = parts.iter().find(|p| p.name == member.name)?;
            let Some(podclique) = self.podclique(part) else {
                return GroupPart::on_its_way_out(self.slot(part).present()?);
            };
            let facts = self
                .facts(podclique)
                .in_update(self.is_updating(part.replica));
            Some(GroupPart {
                is_breached: clique_breach(&facts).status == Status::True,
                was_available: facts.was_available || facts.available >= facts.minimum(),
                is_terminating: false,
            })
        })
        .in_update(parts.first().is_some_and(|p| self.is_updating(p.replica)))
    }

    /// Whether this replica has the turn in an update.
    pub fn is_updating(&self, replica: i32) -> bool {
        update::is_updating(&self.workload.set, replica)
    }

    /// The state that decides whether the gang of a PodClique may start.
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

    /// The cause why fewer pods of the part run than its minimum, or, with `all`, than its
    /// replicas.
    pub fn cause(&self, part: &Part<'_>, all: bool) -> Option<Cause> {
        let Some(podclique) = self.podclique(part) else {
            return (!self.is_done(part)).then(|| self.explain_absence(part));
        };
        let ready = self.full_pods(podclique).filter(|p| pod_state::is_ready(p));
        let wanted = usize::try_from(podclique.spec.replicas).unwrap_or(0);
        if ready.count() >= wanted {
            return None;
        }
        let pods = self.pods(podclique);
        let view = CliqueView {
            podclique,
            pods: pods.iter().collect(),
            start: self.start(podclique),
            now: self.now,
        };
        readiness::shortfall(&view, all)
    }

    /// Available replicas by their pods, whatever the set's status contains.
    pub fn count_available(&self) -> usize {
        let layout = self.workload.layout();
        let replicas = layout.replicas.iter();
        replicas.filter(|r| self.is_replica_available(r)).count()
    }

    /// Whether all required parts of the replica run, as the operator counts them.
    pub fn is_replica_available(&self, replica: &Replica<'_>) -> bool {
        let is_part_up = |part: &Part<'_>| {
            let up = |podclique| {
                let facts = self.facts(podclique);
                facts.ready >= facts.minimum()
            };
            self.podclique(part).map_or_else(|| self.is_done(part), up)
        };
        let is_there = |group: &Group<'_>| {
            let found = self.workload.group(&group.name);
            found.is_some_and(|g| !ownership::is_terminating(&g.metadata))
        };
        replica.has_its_minimum(is_part_up, is_there)
    }

    fn full_pods(&self, podclique: &PodClique) -> impl Iterator<Item = &'a FullPod> + use<'a> {
        let uid = ownership::uid(&podclique.metadata);
        let pods = self.pods.get(uid).cloned();
        pods.unwrap_or_default().into_iter()
    }

    fn is_done(&self, part: &Part<'_>) -> bool {
        let attempts = fence::attempts_of_set(&self.workload.set);
        fence::is_stored_as_succeeded(attempts, part.replica, &part.name)
    }

    fn explain_absence(&self, part: &Part<'_>) -> Cause {
        if !self.earlier(part.replica).is_empty() || self.podcliques.contains_key(&*part.name) {
            let text = "was terminated and is recreated once the rest is gone";
            return Cause::new(Reason::ReplicaTerminating, text);
        }
        Cause::being_created()
    }

    fn attempt(&self, replica: i32) -> i32 {
        fence::current_attempt(fence::attempts_of_set(&self.workload.set), replica)
    }

    fn attempt_of(&self, part: &Part<'_>) -> Attempt {
        let group = self.group(part).zip(part.group_replica);
        let of_group = |(group, j)| fence::current_attempt(fence::attempts_of_group(group), j);
        Attempt {
            set: self.attempt(part.replica),
            group: group.map_or(0, of_group),
        }
    }
}

/// The fields of a pod that rules read.
pub fn lean(pod: &FullPod) -> Option<Pod> {
    let value = serde_json::to_value(pod).ok()?;
    Pod::deserialize(&value).ok()
}
