//! A new set.

use api::PodCliqueSet;
use api::kai::KaiQueue;
use api::volcano::VolcanoQueue;
use domain::Key;
use domain::object::ownership;
use domain::plan::Kind;
use domain::scheduling::{self, Backend};
use jiff::Timestamp;
use podcliqueset::desired::gang::scheduler_name;
use serde_json::{Value, json};

use super::Planned;
use super::admission_result::{AdmissionResult, admit_new};
use super::changes::StoredWorkload;
use super::claim_templates;
use super::outline::{self, outline};
use super::surroundings::Surroundings;
use super::world::{Rules, World, bug, decode, encode};
use crate::exit::Failure;

/// The new objects of the set.
pub fn plan_new(
    file: &Value,
    namespace: &str,
    rules: &Rules,
    around: &Surroundings,
    now: Timestamp,
) -> Result<Planned, Failure> {
    let admission = |set: &PodCliqueSet| around.admission_rules(set, rules);
    match admit_new(file, namespace, rules.sets.validator.defaults(), admission)? {
        AdmissionResult::Refused(errors) => Planned::refuse(file, namespace, errors),
        AdmissionResult::Accepted { set, warnings } => {
            let (set, world) = make(&set, rules, around, now)?;
            let outline = outline::Outline {
                warnings,
                ..outline(&set, &world)?
            };
            Ok(Planned::New(Box::new(outline)))
        }
    }
}

/// The final state of the set, and all its objects. A suspended set is planned as if it were resumed.
pub(super) fn make(
    set: &PodCliqueSet,
    rules: &Rules,
    around: &Surroundings,
    now: Timestamp,
) -> Result<(PodCliqueSet, World), Failure> {
    let id = (Kind::of::<PodCliqueSet>(), Key::of(&set.metadata));
    let mut world = begin(set, None, rules, around, now)?;
    let mut resumed = set.clone();
    if std::mem::take(&mut resumed.spec.suspend) {
        let fact = "the set is resumed: while spec.suspend is true, it has no pods";
        world.assume(fact.to_owned());
    }
    world.insert_new(&id, encode(&resumed)?)?;
    world.settle()?;
    let stored = world.get(&id).ok_or_else(|| bug("the set is gone"))?;
    Ok((decode(stored)?, world))
}

/// A world for this set: with its objects in the cluster, and with those of the cluster that it
/// refers to.
pub(super) fn begin(
    set: &PodCliqueSet,
    found: Option<&StoredWorkload>,
    rules: &Rules,
    around: &Surroundings,
    now: Timestamp,
) -> Result<World, Failure> {
    let (rules, assumptions) = rules.for_set(set);
    let has_domains = rules.sets.is_mnnvl_enabled;
    let others = rules.sets.templates_of_other_namespaces;
    let mut world = World::new(rules, now);
    for assumption in assumptions {
        world.assume(assumption);
    }
    add_queue(&mut world, set)?;
    claim_templates::assume_templates(&mut world, set, others)?;
    if has_domains {
        claim_templates::add_templates_of_domains(&mut world, set)?;
    }
    if let Some(found) = found {
        found.put_into(&mut world)?;
    }
    around.put_into(&mut world, set)?;
    Ok(world)
}

/// The queue of the set is assumed to exist.
fn add_queue(world: &mut World, set: &PodCliqueSet) -> Result<(), Failure> {
    let backend = world.backend_of(scheduler_name(set));
    let Some(queue) = scheduling::queue_of_set(backend, set) else {
        return Ok(());
    };
    let kind = match backend {
        Backend::Volcano => Kind::of::<VolcanoQueue>(),
        _ => Kind::of::<KaiQueue>(),
    };
    let name = ownership::name(&set.metadata);
    let object = json!({
        "metadata": {"name": queue, "uid": format!("queue-of-{name}"), "resourceVersion": "1"},
        "spec": {},
    });
    world.put_found(kind, object)
}
