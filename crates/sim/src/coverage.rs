//! The cases that a run has met: a check that never meets its subject passes whatever the operator
//! does.

mod group_replicas;
mod queue;
mod topology;

use std::collections::{BTreeMap, BTreeSet};

use api::{labels, start_order};
use serde_json::Value;

use super::actors;
use super::check::units::{self, Unit};
use super::check::{LATE, OPERATOR};
use super::resource::{Id, Resource};
use super::store::{Record, Store, Stored};
use super::view;

/// How often each case happened.
#[derive(Clone, Debug, Default)]
pub struct Coverage(BTreeMap<&'static str, u64>);

impl Coverage {
    /// Counts one more case.
    pub fn saw(&mut self, what: &'static str) {
        *self.0.entry(what).or_default() += 1;
    }

    /// Adds the cases of another run.
    pub fn add(&mut self, other: &Self) {
        for (what, count) in &other.0 {
            *self.0.entry(what).or_default() += count;
        }
    }

    /// How often it happened.
    pub fn of(&self, what: &str) -> u64 {
        self.0.get(what).copied().unwrap_or(0)
    }

    /// All of it, by name.
    pub fn all(&self) -> impl Iterator<Item = (&'static str, u64)> {
        self.0.iter().map(|(what, count)| (*what, *count))
    }

    /// Counts the cases in the log of a run.
    pub fn read(&mut self, store: &Store) {
        let mut known: BTreeMap<&Id, &Value> = BTreeMap::new();
        for record in &store.log {
            let owners = [Resource::PodCliqueSet, Resource::PodClique];
            if let Some(after) = &record.after
                && owners.contains(&record.id.resource)
            {
                known.insert(&record.id, after);
            }
            if is_from_revision(record, &known) {
                self.saw("PodClique created from an older revision");
            }
            if is_older_unit(record, &known) {
                self.saw("lost older unit created again");
            }
            match record.id.resource {
                Resource::PodCliqueSet => self.set(record),
                Resource::PodCliqueScalingGroup => self.group(record),
                Resource::PodClique => self.clique(record),
                Resource::PodGang => self.gang(record),
                Resource::Pod => self.pod(record),
                Resource::HorizontalPodAutoscaler => self.autoscaler(record),
                _ => {}
            }
            self.any(record);
        }
        for case in group_replicas::replaced(store) {
            self.saw(case);
        }
        for case in topology::cases(store)
            .into_iter()
            .chain(queue::cases(store))
        {
            self.saw(case);
        }
    }

    fn set(&mut self, record: &Record) {
        for reason in raised(record) {
            match reason {
                "MinAvailableBreached" => self.saw("replica terminated"),
                "PodCliqueFailed" => self.saw("job restarted"),
                "RestartRequested" => self.saw("replica restarted on demand"),
                _ => self.saw("attempt taken over"),
            }
        }
        let (Some(before), Some(after)) = (&record.before, &record.after) else {
            return;
        };
        let phase = |set| view::text(set, "/status/phase").to_owned();
        if phase(before) != "Succeeded" && phase(after) == "Succeeded" {
            self.saw("job succeeded");
        }
        let turn = super::check::updates::turn;
        if turn(before).is_some() && turn(before) != turn(after) {
            self.saw("turn ended");
        }
        let runs = |set| view::text(set, "/status/updateProgress/updateEndedAt").is_empty();
        if runs(before) && !runs(after) {
            self.saw("update ended");
        }
        if is_step(before, after) {
            self.saw("coherent step stored");
        }
        if !holds_vacant(before) && holds_vacant(after) {
            self.saw("index held vacant");
        }
        match failed_because(after).filter(|_| failed_because(before).is_none()) {
            Some("MaxRestartsExceeded") => self.saw("job out of restarts"),
            Some(_) => self.saw("job out of time"),
            None => {}
        }
    }

    fn group(&mut self, record: &Record) {
        for _ in raised(record) {
            self.saw("group replica recycled");
        }
        let (Some(before), Some(after)) = (&record.before, &record.after) else {
            return;
        };
        let replicas = |group| view::number(group, "/spec/replicas");
        match (replicas(before), replicas(after)) {
            (1.., 0) => self.saw("group scaled to zero"),
            (0, 1..) => self.saw("group scaled up from 0"),
            _ => {}
        }
        if surge(before) == 0 && surge(after) > 0 {
            self.saw("surge of a group");
        }
    }

    fn autoscaler(&mut self, record: &Record) {
        match (record.actor, &record.before, &record.after) {
            ("autoscaler", ..) => self.saw("scaled by an autoscaler"),
            (OPERATOR, None, _) => self.saw("autoscaler created"),
            (OPERATOR, Some(_), None) => self.saw("autoscaler deleted"),
            (OPERATOR, Some(before), Some(after)) if before["spec"] != after["spec"] => {
                self.saw("autoscaler corrected");
            }
            _ => {}
        }
    }

    fn clique(&mut self, record: &Record) {
        let (Some(before), Some(after)) = (&record.before, &record.after) else {
            return;
        };
        let replicas = |clique| view::number(clique, "/spec/replicas");
        match (replicas(before), replicas(after)) {
            (1.., 0) => self.saw("clique scaled to zero"),
            (0, 1..) => self.saw("clique scaled up from 0"),
            _ => {}
        }
        if surge(before) == 0 && surge(after) > 0 {
            self.saw("surge of a clique");
        }
        if view::was_idle(before) && !view::was_idle(after) {
            self.saw("scaled up clique available again");
        }
        let is_noted = |clique| view::scaled_below_to(clique).is_some();
        let (was_below, is_below) = (is_noted(before), is_noted(after));
        if !was_below && is_below {
            self.saw("clique scaled below its minimum");
        }
        if was_below && !is_below && replicas(after) > 0 {
            self.saw("clique scaled below is available again");
        }
    }

    /// Parts that get their first pods in a gang that runs.
    fn joined(&mut self, before: &Value, after: &Value) {
        let listed = |gang| -> BTreeSet<String> {
            let parts = view::list(gang, "/spec/podgroups");
            parts
                .filter(|p| view::list(p, "/podReferences").next().is_some())
                .map(|p| view::text(p, "/name").to_owned())
                .collect()
        };
        let (was, is) = (listed(before), listed(after));
        let new = is.difference(&was).count();
        if new > 0 {
            self.saw("parts joined a gang");
        }
        if new > 1 {
            self.saw("several parts joined a gang at once");
        }
    }

    fn gang(&mut self, record: &Record) {
        let lists = |gang: &Value| {
            let mut parts = view::list(gang, "/spec/podgroups");
            parts.any(|part| view::list(part, "/podReferences").next().is_some())
        };
        let begun = record.before.as_ref().filter(|gang| lists(gang));
        if let (Some(before), Some(after)) = (begun, &record.after) {
            self.joined(before, after);
        }
        if begun.is_some() || !record.after.as_ref().is_some_and(|gang| lists(gang)) {
            return;
        }
        self.saw("gang started");
        // `<set>-<replica>-<group>-<number>`
        if record.id.name.split('-').count() > 3 {
            self.saw("scaled gang started");
        }
    }

    fn pod(&mut self, record: &Record) {
        let has_start_signal =
            |pod: &Value| start_order::is_start(view::annotation(pod, labels::START));
        let was_signalled = record
            .before
            .as_ref()
            .is_some_and(|pod| has_start_signal(pod));
        if !was_signalled
            && record
                .after
                .as_ref()
                .is_some_and(|pod| has_start_signal(pod))
        {
            self.saw(match record.before {
                Some(_) => "pod got its start signal",
                None => "pod created with its start signal",
            });
        }
        if let Some(name) = record.after.as_ref().and_then(|pod| begun(record, pod)) {
            self.saw(name);
        }
        let Some(before) = &record.before else {
            return self.saw(match record.actor {
                LATE => "pod created late",
                _ => "pod created",
            });
        };
        let Some(after) = &record.after else { return };
        let is_deleted = !view::is_terminating(before) && view::is_terminating(after);
        if is_deleted && record.actor == OPERATOR && view::is_ready(before) {
            self.saw("Ready pod deleted");
        }
        let index = |pod| view::label(pod, labels::PCS_REPLICA_INDEX).to_owned();
        if record.actor == OPERATOR && !index(before).is_empty() && index(after).is_empty() {
            self.saw("slot given up as stuck");
        }
        if is_deleted && record.actor == "scheduler" {
            self.saw("pod preempted");
        }
        let restarts = |pod| view::number(pod, "/status/containerStatuses/0/restartCount");
        if restarts(before) < restarts(after) {
            self.saw("container started again");
        }
        let is_sent_sigterm = |pod| view::exit_codes(pod).contains(&143);
        if !is_sent_sigterm(before) && is_sent_sigterm(after) {
            self.saw("peer ended with 143");
        }
        if record.actor == OPERATOR && record.id.namespace != "default" {
            self.saw("pod of the other namespace written");
        }
        if view::is_terminating(after) && view::exit_codes(before) != view::exit_codes(after) {
            self.saw("pod ended while it was deleted");
        }
    }

    fn any(&mut self, record: &Record) {
        let (Some(before), Some(after)) = (&record.before, &record.after) else {
            return;
        };
        if !view::is_orphaning(before) && view::is_orphaning(after) {
            self.saw("children orphaned");
        }
        let (was, is) = (view::owner(before), view::owner(after));
        if record.actor == OPERATOR && was.is_none() && is.is_some() {
            self.saw("object adopted");
        }
        if record.actor != "chaos" {
            return;
        }
        if was.is_some() && is.is_none() {
            self.saw("owner cut");
        }
        if view::at(before, "/metadata/labels") != view::at(after, "/metadata/labels") {
            self.saw(if view::is_terminating(before) {
                "labels of a terminating object edited"
            } else {
                "labels edited"
            });
        }
    }
}

/// The recording that the pod begins to play.
fn begun(record: &Record, pod: &Value) -> Option<&'static str> {
    let played = |pod: &Value| actors::played(pod);
    let before = record.before.as_ref().and_then(|pod| played(pod));
    played(pod).filter(|_| before.is_none())
}

/// Reasons of the attempts that this record raised.
fn raised(record: &Record) -> Vec<&str> {
    let (Some(before), Some(after)) = (&record.before, &record.after) else {
        return Vec::new();
    };
    let entries = view::list(after, "/status/replicaAttempts");
    let is_raised = |entry: &&Value| {
        let was = view::attempt(before, view::number(entry, "/replica"));
        view::number(entry, "/attempt") > was
    };
    entries
        .filter(is_raised)
        .map(|entry| view::text(entry, "/reason"))
        .collect()
}

fn failed_because(set: &Value) -> Option<&str> {
    let mut conditions = view::list(set, "/status/conditions");
    let failed = conditions.find(|c| view::text(c, "/type") == "Failed")?;
    (view::text(failed, "/status") == "True").then(|| view::text(failed, "/reason"))
}

fn surge(part: &Value) -> i64 {
    view::number(part, "/status/surgeReplicas")
}

/// Whether an index stays vacant in the turn of the set.
fn holds_vacant(set: &Value) -> bool {
    let path = "/status/updateProgress/currentlyUpdating/0/holdsVacant";
    view::list(set, path).next().is_some()
}

/// Whether the set stores a target with which a unit may be replaced.
fn is_step(before: &Value, after: &Value) -> bool {
    let has_fallen = |stored: &Value| {
        let name = view::text(stored, "/component");
        let was = units::target(before, name).unwrap_or(NOTHING);
        view::number(stored, "/from") < was.min(NOTHING)
    };
    units::targets(after).any(has_fallen)
}

/// A target with which nothing may be replaced: the largest one.
const NOTHING: i64 = 2_147_483_647;

/// The set of this object, as it is known.
fn set_of<'a>(known: &BTreeMap<&Id, &'a Value>, id: &Id, object: &Value) -> Option<&'a Value> {
    let id = id.beside(Resource::PodCliqueSet, view::set_of(object));
    known.get(&id).copied()
}

/// The object that the operator creates with this record.
fn created(record: &Record, resource: Resource) -> Option<&Stored> {
    let is_meant = record.id.resource == resource && record.actor == OPERATOR;
    let after = record.after.as_ref();
    after.filter(|_| is_meant && record.before.is_none())
}

/// Whether the operator created a PodClique in a replica that has a revision of its own.
fn is_from_revision(record: &Record, known: &BTreeMap<&Id, &Value>) -> bool {
    created(record, Resource::PodClique).is_some_and(|podclique| {
        let set = set_of(known, &record.id, podclique);
        let replica = view::replica(podclique).unwrap_or(-1);
        let entry = set.and_then(|set| units::entry(set, replica));
        entry.is_some_and(|entry| entry.get("revision").is_some())
    })
}

/// Whether the operator created a group replica's PodClique that keeps an older template, or a pod with
/// another template than its PodClique.
fn is_older_unit(record: &Record, known: &BTreeMap<&Id, &Value>) -> bool {
    let is_older = |podclique: &Stored| {
        let unit = Unit::of_podclique(podclique)?;
        let set = set_of(known, &record.id, podclique)?;
        units::revision_of_older(set, unit)
    };
    let has_older = |pod: &Stored| {
        let (_, podclique, _) = view::owner(pod)?;
        let id = record.id.beside(Resource::PodClique, podclique);
        let own = view::label(known.get(&id)?, labels::POD_TEMPLATE_HASH);
        (view::label(pod, labels::POD_TEMPLATE_HASH) != own).then_some(())
    };
    created(record, Resource::PodClique)
        .and_then(is_older)
        .is_some()
        || created(record, Resource::Pod).and_then(has_older).is_some()
}
