//! Writes that belong together are one step.

use std::collections::{BTreeMap, BTreeSet};

use api::{PodClique, PodCliqueSet, labels};
use domain::plan::Kind;
use k8s_openapi::api::apps::v1::ControllerRevision;
use k8s_openapi::api::core::v1::Pod;

use super::Steps;
use super::batches::Batch;
use super::fold::fold_updates;
use super::limits::{Live, read_live};
use super::step::{Action, PlannedStep};
use crate::exit::Failure;
use crate::json;
use crate::plan::world::{Record, World};

/// Collects steps. One kind of action on one object is one step.
pub(super) struct Collector {
    pub(super) set: PodCliqueSet,
    /// Base gangs of scaled ones.
    pub(super) bases: BTreeMap<String, String>,
    /// Live counts of PodCliques and groups.
    pub(super) live: BTreeMap<(Kind, String), Live>,
    /// The most units of PodCliques and groups that were available in their turn, as last stored.
    pub(super) reached: BTreeMap<(Kind, String), i32>,
    /// The batches of an update, in their order.
    pub(super) batches: Vec<Batch>,
    steps: Vec<PlannedStep>,
    by_object: BTreeMap<(Action, Kind, String), usize>,
    /// Created PodCliques, with the number of their step.
    pub(super) made: BTreeMap<String, usize>,
    /// PodCliques that are deleted to be recreated, with the number of their step.
    pub(super) leaving: BTreeMap<String, usize>,
    /// Slots that passed from one pod to another: PodClique and index.
    pub(super) vacated: BTreeSet<(String, String)>,
    /// Names that one decision removes, by step.
    at_once: BTreeMap<(usize, usize), BTreeSet<String>>,
}

impl Collector {
    pub(super) fn new(world: &World) -> Result<Self, Failure> {
        Ok(Self {
            set: world.all()?.into_iter().next().unwrap_or_default(),
            bases: bases_of(world),
            live: read_live(world),
            reached: BTreeMap::new(),
            batches: Vec::new(),
            steps: Vec::new(),
            by_object: BTreeMap::new(),
            made: BTreeMap::new(),
            leaving: BTreeMap::new(),
            vacated: BTreeSet::new(),
            at_once: BTreeMap::new(),
        })
    }

    pub(super) fn add(&mut self, record: &Record) {
        if let Some(progress) = record.progress() {
            self.note_progress(&record.id, progress);
            return;
        }
        let kind = record.id.0;
        // A revision is a copy of the templates in the manifest.
        let is_copy = kind == Kind::of::<ControllerRevision>();
        if kind == Kind::of::<PodCliqueSet>() || is_copy || record.verb == "finalizers" {
            return;
        }
        if kind == Kind::of::<Pod>() {
            self.add_pod(record);
        } else if kind == Kind::of::<PodClique>() {
            self.add_clique(record);
        } else {
            self.add_other(record);
        }
    }

    pub(super) fn finish(mut self) -> Steps {
        let update = self.plan_update();
        for ((step, _), gone) in &self.at_once {
            if let Some(step) = self.steps.get_mut(*step) {
                step.at_once = step.at_once.max(Some(gone.len()));
            }
        }
        Steps {
            listed: fold_updates(self.steps),
            update,
        }
    }

    /// The number of the step with this action on that object; a new one if there is none.
    pub(super) fn number(&mut self, action: Action, kind: Kind, name: &str) -> usize {
        let steps = &mut self.steps;
        let about = (action, kind, name.to_owned());
        *self.by_object.entry(about).or_insert_with(|| {
            steps.push(PlannedStep::new(action, kind.name(), name));
            steps.len().saturating_sub(1)
        })
    }

    /// Whether a step has this action on that object.
    pub(super) fn has(&self, action: Action, kind: Kind, name: &str) -> bool {
        let about = (action, kind, name.to_owned());
        self.by_object.contains_key(&about)
    }

    /// Adds to a step.
    pub(super) fn edit(&mut self, number: usize, edit: impl FnOnce(&mut PlannedStep)) {
        if let Some(step) = self.steps.get_mut(number) {
            edit(step);
        }
    }

    /// Whether a step is of that kind.
    pub(super) fn is(&self, number: usize, action: Action) -> bool {
        let step = self.steps.get(number);
        step.is_some_and(|step| step.action == action)
    }

    /// Records that this decision removes a name, as part of that step.
    pub(super) fn note_gone(&mut self, number: usize, decision: usize, what: &str) {
        let gone = self.at_once.entry((number, decision)).or_default();
        gone.insert(what.to_owned());
    }
}

fn bases_of(world: &World) -> BTreeMap<String, String> {
    let podcliques = world.stored(Kind::of::<PodClique>());
    podcliques
        .map(|(_, podclique)| {
            let gang = json::label(podclique, labels::POD_GANG);
            let base = json::label(podclique, labels::BASE_POD_GANG);
            (gang.to_owned(), base.to_owned())
        })
        .filter(|(_, base)| !base.is_empty())
        .collect()
}
