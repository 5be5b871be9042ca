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
use super::outline::{self, outline};
use super::world::{Rules, World, bug, decode, encode};
use crate::exit::Failure;

/// The new objects of the set.
pub fn plan_new(
    file: &Value,
    namespace: &str,
    rules: &Rules,
    now: Timestamp,
) -> Result<Planned, Failure> {
    match admit_new(file, namespace, rules.sets.validator.defaults())? {
        AdmissionResult::Refused(errors) => Planned::refuse(file, namespace, errors),
        AdmissionResult::Accepted { set, warnings } => {
            let (set, world) = make(&set, rules, now)?;
            let outline = outline::Outline {
                warnings,
                ..outline(&set, &world)?
            };
            Ok(Planned::New(Box::new(outline)))
        }
    }
}

/// The final state of the set, and all its objects.
pub(super) fn make(
    set: &PodCliqueSet,
    rules: &Rules,
    now: Timestamp,
) -> Result<(PodCliqueSet, World), Failure> {
    let id = (Kind::of::<PodCliqueSet>(), Key::of(&set.metadata));
    let mut world = World::new(rules.clone(), now);
    add_queue(&mut world, set, rules)?;
    world.insert_new(&id, encode(set)?)?;
    world.settle()?;
    let stored = world.get(&id).ok_or_else(|| bug("the set is gone"))?;
    Ok((decode(stored)?, world))
}

/// The queue of the set is assumed to exist.
pub(super) fn add_queue(
    world: &mut World,
    set: &PodCliqueSet,
    rules: &Rules,
) -> Result<(), Failure> {
    let scheduler = scheduler_name(set);
    let backend = rules.sets.profiles.backend_of(Some(scheduler));
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
