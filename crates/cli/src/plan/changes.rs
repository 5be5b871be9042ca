//! The changes that applying a file would make in the cluster, by the operator's own rules.

mod difference;
mod read;
mod steps;

use admission::defaults;
use api::PodCliqueSet;
use api::conditions::{ConditionType, Reason};
use domain::Key;
use domain::object::ownership;
use domain::plan::Kind;
use jiff::Timestamp;
use serde::Serialize;
use serde_json::Value;

use super::admission_result::{AdmissionResult, admit_change, admit_new, name_of};
use super::apply::apply_manifest;
use super::checks::PlannedCheck;
use super::outline::{self, Outline, outline};
use super::surge::PlannedSurge;
use super::surroundings::Surroundings;
use super::world::{Rules, World, bug, decode, encode};
use super::{Planned, claim_templates, offline};
use crate::exit::Failure;
use steps::Steps;

pub use difference::{Difference, find_differences};
pub use read::{StoredWorkload, read_found};
pub use steps::{Action, PlannedShare, PlannedStep, PlannedUpdate, PlannedUpdateStep};

/// The changes of one set.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Change {
    /// Name of the set.
    pub name: String,
    /// Its namespace.
    pub namespace: String,
    /// Whether the set is new.
    pub is_new: bool,
    /// Whether the set in the cluster differs from the file.
    pub is_changed: bool,
    /// Warnings that kubectl would print, and of claim templates that the operator does not read.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<String>,
    /// The present problem: reason of condition `Ready`, and its message.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub now: Option<String>,
    /// Changed fields of the set.
    pub differences: Vec<Difference>,
    /// The API server's answers about pods of the changed templates.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub checks: Vec<PlannedCheck>,
    /// The surge of the update, and whether it would find nodes now.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub surge: Vec<PlannedSurge>,
    /// The operator's next steps, in order; parts that do not wait for each other continue at the
    /// same time.
    pub steps: Vec<PlannedStep>,
    /// The restarts of these steps by strategy `Coherent`: in their order, with the units that go
    /// together.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub update: Option<PlannedUpdate>,
    /// Work that remains undone, with the reason.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub remains: Vec<String>,
    /// The objects afterwards.
    pub after: Outline,
    /// The set afterwards.
    #[serde(skip)]
    pub set: Box<PodCliqueSet>,
}

/// The changes that applying the file makes to the objects; none exist for a new set.
pub fn plan_change(
    file: &Value,
    namespace: &str,
    found: Option<&StoredWorkload>,
    rules: &Rules,
    around: &Surroundings,
    now: Timestamp,
) -> Result<Planned, Failure> {
    let Some(found) = found else {
        return plan_creation(file, namespace, rules, around, now);
    };
    let stored: PodCliqueSet = decode(&found.set)?;
    if ownership::is_terminating(&stored.metadata) {
        let name = name_of(file)?;
        return Err(Failure::BadInput(format!(
            "podcliqueset {name} is being deleted; wait until it is gone, or plan without --live"
        )));
    }
    let sent = apply_manifest(&found.set, file);
    let admission = |set: &PodCliqueSet| around.admission_rules(set, rules);
    let defaults = rules.sets.validator.defaults();
    match admit_change(file, &stored, sent, defaults, admission)? {
        AdmissionResult::Refused(errors) => Planned::refuse(file, namespace, errors),
        AdmissionResult::Accepted { set, warnings } => {
            let others = rules.sets.templates_of_other_namespaces;
            let forbidden = claim_templates::warn_of_forbidden(&set, others);
            let change = compare((found, &stored), &set, rules, around, now)?;
            Ok(Planned::Changed(Box::new(Change {
                warnings: [warnings, forbidden].concat(),
                ..change
            })))
        }
    }
}

fn plan_creation(
    file: &Value,
    namespace: &str,
    rules: &Rules,
    around: &Surroundings,
    now: Timestamp,
) -> Result<Planned, Failure> {
    let admission = |set: &PodCliqueSet| around.admission_rules(set, rules);
    let (set, warnings) =
        match admit_new(file, namespace, rules.sets.validator.defaults(), admission)? {
            AdmissionResult::Accepted { set, warnings } => (set, warnings),
            AdmissionResult::Refused(errors) => return Planned::refuse(file, namespace, errors),
        };
    let (set, world) = offline::make(&set, rules, around, now)?;
    let change = describe(&set, &world, steps::list_steps(&world)?)?;
    Ok(Planned::Changed(Box::new(Change {
        is_new: true,
        is_changed: true,
        warnings,
        ..change
    })))
}

/// Separates steps that are under way anyway from steps that the file causes.
fn compare(
    (found, stored): (&StoredWorkload, &PodCliqueSet),
    next: &PodCliqueSet,
    rules: &Rules,
    around: &Surroundings,
    now: Timestamp,
) -> Result<Change, Failure> {
    // Defaults of the webhook make no difference.
    let config = rules.sets.validator.defaults();
    let before = encode(&defaults::apply(stored, config))?;
    let differences = find_differences(&before, &encode(&defaults::apply(next, config))?);
    let (_, world) = run((found, stored), None, rules, around, now)?;
    let under_way = steps::list_steps(&world)?;
    if differences.is_empty() {
        let set = stored_set(&world, stored)?;
        let mut change = describe(&set, &world, under_way)?;
        change.now = why_not_ready(stored);
        change
            .steps
            .iter_mut()
            .for_each(|step| step.is_under_way = true);
        return Ok(change);
    }
    let (set, world) = run((found, stored), Some(next), rules, around, now)?;
    let mut steps = steps::list_steps(&world)?;
    for step in &mut steps.listed {
        step.is_under_way = under_way.listed.contains(step);
    }
    let change = describe(&set, &world, steps)?;
    Ok(Change {
        is_changed: true,
        now: why_not_ready(stored),
        differences,
        ..change
    })
}

/// Runs the rules on the objects with the next version of the set.
fn run(
    (found, stored): (&StoredWorkload, &PodCliqueSet),
    next: Option<&PodCliqueSet>,
    rules: &Rules,
    around: &Surroundings,
    now: Timestamp,
) -> Result<(PodCliqueSet, World), Failure> {
    let newest = next.unwrap_or(stored);
    let mut world = offline::begin(newest, Some(found), rules, around, now)?;
    if let Some(next) = next {
        let id = (Kind::of::<PodCliqueSet>(), Key::of(&stored.metadata));
        world.put(&id, encode(next)?)?;
    }
    world.settle()?;
    Ok((stored_set(&world, stored)?, world))
}

fn stored_set(world: &World, set: &PodCliqueSet) -> Result<PodCliqueSet, Failure> {
    let id = (Kind::of::<PodCliqueSet>(), Key::of(&set.metadata));
    let stored = world.get(&id).ok_or_else(|| bug("the set is gone"))?;
    decode(stored)
}

fn describe(set: &PodCliqueSet, world: &World, steps: Steps) -> Result<Change, Failure> {
    let after = Outline {
        objects: Vec::new(),
        ..outline(set, world)?
    };
    Ok(Change {
        name: after.name.clone(),
        namespace: after.namespace.clone(),
        is_new: false,
        is_changed: false,
        warnings: Vec::new(),
        now: None,
        differences: Vec::new(),
        checks: world.checks().to_vec(),
        surge: Vec::new(),
        steps: steps.listed,
        update: steps.update,
        remains: remains_of(set),
        after,
        set: Box::new(set.clone()),
    })
}

fn why_not_ready(set: &PodCliqueSet) -> Option<String> {
    let ready = outline::find_condition(set, ConditionType::Ready)
        .filter(|condition| condition.status != "True")?;
    Some(format!("{}: {}", ready.reason, ready.message))
}

/// The work that the set leaves undone once nothing changes any more.
fn remains_of(set: &PodCliqueSet) -> Vec<String> {
    let mut remains = outline::errors_of(set);
    remains.extend(open_update(set));
    remains
}

/// Why the update is not complete.
fn open_update(set: &PodCliqueSet) -> Option<String> {
    let update = outline::find_condition(set, ConditionType::UpdateInProgress)?;
    let message = &update.message;
    match update.reason.parse() {
        Ok(Reason::Paused) => Some(
            "the update is paused: nothing of it happens until spec.updateStrategy.paused is false"
                .to_owned(),
        ),
        Ok(Reason::Partitioned) => Some(message.clone()),
        Ok(Reason::TemplateRefused) => {
            Some("the update does not begin while the API server refuses the new pods".to_owned())
        }
        _ if update.status == "False" => None,
        _ => Some(format!(
            "the update waits for pods that are not Ready now: {message}"
        )),
    }
}
