//! The versions of a coherent update, by pods on nodes and not by the steps that the set stores: while
//! two of them run in a replica of the set, each has a whole version's units of every part there
//! (docs/semantics.md §14.9).

use std::collections::{BTreeMap, BTreeSet};

use jiff::{SignedDuration, Timestamp};
use serde_json::Value;
use sim::store::Record;
use sim::{Resource, Store, view};

use super::graphs::Part;
use super::shape::Shape;

/// How long a version may be in pieces while it comes or goes: its units are created, placed and deleted
/// one after the other. A new unit counts 10 s after it is Ready, so a step that leaves a version in
/// pieces lasts longer than that.
const TRANSIT: SignedDuration = SignedDuration::from_secs(9);
/// The version in a set.
const VERSION: &str = "/spec/template/cliques/0/annotations/example.com~1version";
/// The actor of losses.
const CHAOS: &str = "chaos";
/// The actor that scales.
const USER: &str = "user";

/// Fails if a version was in pieces, unless the cause took a unit away. That excuses all versions until
/// everything is on nodes again and each version is whole; a loss in a base gang excuses them to the
/// end, as it may end the steps, and as its units may take places from another replica.
pub fn check(store: &Store, shape: &Shape, _: usize) -> Result<(), String> {
    let is_same = |part: &Part, next: &Part| part.replica() == next.replica();
    let mut replicas = shape.parts.chunk_by(is_same);
    replicas.try_for_each(|parts| {
        let mut graph = Graph::of(parts, shape.parts);
        for record in &store.log {
            graph.judge(record.time)?;
            graph.note(record);
        }
        graph.judge(store.now)
    })
}

/// What the cause took away.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Loss {
    Nothing,
    /// It is made up for once everything is whole again.
    Passing,
    Lasting,
}

/// The pods of a replica at some moment of the log.
struct Graph<'a> {
    parts: &'static [Part],
    /// The parts of all replicas.
    all: &'static [Part],
    /// The wanted units of each part.
    wanted: Vec<usize>,
    /// The part and the version of each pod that stays and has a node, by its name.
    placed: BTreeMap<&'a str, (usize, &'a str)>,
    /// Those of them that are Ready.
    ready: BTreeSet<&'a str>,
    /// The versions that were Ready as a whole. One that leaves before that serves nobody, and its
    /// units that are not Ready go first.
    served: BTreeSet<&'a str>,
    /// The version of the set.
    newest: &'a str,
    loss: Loss,
    /// Since when a version is in pieces, and which.
    broken: Option<(Timestamp, String)>,
}

impl<'a> Graph<'a> {
    fn of(parts: &'static [Part], all: &'static [Part]) -> Self {
        Self {
            parts,
            all,
            wanted: parts.iter().map(|part| part.units).collect(),
            placed: BTreeMap::new(),
            ready: BTreeSet::new(),
            served: BTreeSet::new(),
            newest: "",
            loss: Loss::Nothing,
            broken: None,
        }
    }

    fn judge(&self, now: Timestamp) -> Result<(), String> {
        let broken = self.broken.as_ref();
        let late = broken.filter(|(since, _)| now.duration_since(*since) > TRANSIT);
        late.map_or(Ok(()), |(since, pieces)| {
            Err(format!("from {since} on longer than {TRANSIT:#}: {pieces}"))
        })
    }

    fn note(&mut self, record: &'a Record) {
        if let Some(set) = record.after.as_ref().filter(|_| is_set(record)) {
            self.newest = view::text(set, VERSION);
        }
        if self.takes_from_base(record) {
            self.loss = Loss::Lasting;
        }
        let mut parts = self.parts.iter();
        let Some(part) = parts.position(|part| part.has(&record.id.name)) else {
            return;
        };
        self.loss = self.loss.max(self.loss_by(record, part));
        if let Some(units) = units_of(record, &self.parts[part]) {
            self.wanted[part] = units;
        }
        if record.id.resource != Resource::Pod {
            return;
        }
        self.note_pod(record, part);
        self.look(record.time);
    }

    fn note_pod(&mut self, record: &'a Record, part: usize) {
        let name = record.id.name.as_str();
        self.placed.remove(name);
        self.ready.remove(name);
        let Some(pod) = record.after.as_ref().filter(|pod| stands(pod)) else {
            return;
        };
        let version = view::annotation(pod, "example.com/version");
        self.placed.insert(name, (part, version));
        if view::is_ready(pod) {
            self.ready.insert(name);
        }
        if self.is_whole(version, |name| self.ready.contains(name)) {
            self.served.insert(version);
        }
    }

    /// Whether the record takes a unit away from the base gang of some replica.
    fn takes_from_base(&self, record: &Record) -> bool {
        let mut parts = self.all.iter();
        is_loss(record) && parts.any(|part| part.has_in_base(&record.id.name))
    }

    /// What the record takes away from the part, if that can be made up for.
    fn loss_by(&self, record: &Record, part: usize) -> Loss {
        let config = &self.parts[part];
        let is_scaled_in = || {
            let units = units_of(record, config);
            record.actor == USER && units.is_some_and(|units| units < self.wanted[part])
        };
        if is_loss(record) || is_scaled_in() {
            Loss::Passing
        } else {
            Loss::Nothing
        }
    }

    fn look(&mut self, time: Timestamp) {
        let pieces = self.find_pieces();
        let are_all_placed = self.placed.len() == self.wanted.iter().sum::<usize>();
        if self.loss == Loss::Passing && pieces.is_none() && are_all_placed {
            self.loss = Loss::Nothing;
        }
        let since = self.broken.as_ref().map_or(time, |(since, _)| *since);
        let pieces = pieces.filter(|_| self.loss == Loss::Nothing);
        self.broken = pieces.map(|pieces| (since, pieces));
    }

    /// The version that has pods, but fewer of some part than a whole one; nothing while only one
    /// version runs.
    fn find_pieces(&self) -> Option<String> {
        let versions: BTreeSet<&str> = self.placed.values().map(|(_, version)| *version).collect();
        if versions.len() < 2 {
            return None;
        }
        let is_judged = |version: &&str| self.served.contains(version) || *version == self.newest;
        versions.into_iter().filter(is_judged).find_map(|version| {
            let counts = self.count(version, |_| true);
            let names: Vec<&str> = self.parts.iter().map(Part::name).collect();
            let is_whole = self.is_whole(version, |_| true);
            (!is_whole).then(|| format!("version {version} has {counts:?} units of {names:?}"))
        })
    }

    fn is_whole(&self, version: &str, counts: impl Fn(&str) -> bool) -> bool {
        let units = self.count(version, counts);
        let mut parts = units.iter().zip(self.parts);
        parts.all(|(count, part)| *count >= part.minimum)
    }

    /// The units of a version whose pods count, by part.
    fn count(&self, version: &str, counts: impl Fn(&str) -> bool) -> Vec<usize> {
        let mut units = vec![0; self.parts.len()];
        let own = self.placed.iter();
        for (_, (part, _)) in own.filter(|(name, (_, has))| *has == version && counts(name)) {
            units[*part] += 1;
        }
        units
    }
}

/// Whether a pod is lost, or breaks.
fn is_loss(record: &Record) -> bool {
    record.id.resource == Resource::Pod && record.actor == CHAOS
}

/// Whether the record is of the set.
fn is_set(record: &Record) -> bool {
    record.id.resource == Resource::PodCliqueSet
}

/// Whether a pod stays, and has a node.
fn stands(pod: &Value) -> bool {
    view::is_live(pod) && !view::text(pod, "/spec/nodeName").is_empty()
}

/// The wanted units of the part, if the record is of its object.
fn units_of(record: &Record, part: &Part) -> Option<usize> {
    let is_it = (record.id.resource, record.id.name.as_str()) == part.object;
    let after = record.after.as_ref().filter(|_| is_it)?;
    usize::try_from(view::number(after, "/spec/replicas")).ok()
}
