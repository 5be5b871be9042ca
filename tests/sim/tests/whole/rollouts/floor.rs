//! The budget, by the log of the store: a unit that is up is taken down only if enough others are,
//! by the most that were up since the update began.

use std::collections::BTreeSet;

use sim::check::{LATE, OPERATOR};
use sim::store::{Record, Stored};
use sim::{Resource, Store, view};

use super::shape::Shape;
use super::{has_version, set_id};

/// Fails if the operator took a unit down when too few were up. Each of several parts has its own budget,
/// and in a set with surge each replica, for its only pod.
pub fn check(store: &Store, shape: &Shape, began: usize) -> Result<(), String> {
    let log = store.log.iter().enumerate();
    if !shape.parts.is_empty() {
        return shape.parts.iter().try_for_each(|part| {
            let is_read = |record: &Record| part.has(&record.id.name) || record.id == set_id();
            let of_part = log.clone().filter(|(_, record)| is_read(record));
            check_units(of_part, &part.alone(shape), began, part.units)
        });
    }
    if !shape.is_set() || shape.surge == 0 {
        return check_units(log, shape, began, shape.pods);
    }
    (0..shape.pods).try_for_each(|replica| {
        let prefix = format!("svc-{replica}-");
        let of_replica = log
            .clone()
            .filter(|(_, record)| record.id.name.starts_with(&prefix));
        check_units(of_replica, shape, began, 1)
    })
}

fn check_units<'a>(
    log: impl Iterator<Item = (usize, &'a Record)>,
    shape: &Shape,
    began: usize,
    units: usize,
) -> Result<(), String> {
    let mut up: BTreeSet<&str> = BTreeSet::new();
    let (mut wanted, mut most) = (units, None);
    let mut may_be_down = if shape.surge > 0 {
        0
    } else {
        shape.max_unavailable
    };
    for (position, record) in log {
        wanted = wanted.min(units_of(record, shape).unwrap_or(wanted));
        if position >= began {
            // A surge unit that is up is none of those that have to stay.
            let rises = most.is_none() || shape.surge == 0;
            let seen = most.max(rises.then_some(up.len()));
            most = seen.map(|seen| seen.min(wanted));
            may_be_down = may_be_down.max(gives_surge_up(record, shape));
            let taken = taken_down(record, shape).filter(|unit| up.contains(unit));
            let floor = most.unwrap_or(0).saturating_sub(may_be_down);
            if let Some(unit) = taken.filter(|_| up.len() <= floor) {
                let count = up.len();
                return Err(format!(
                    "{unit} was taken down when {count} units were up, {floor} have to stay"
                ));
            }
        }
        note(&mut up, record);
    }
    Ok(())
}

/// How many units may be down once the update goes on without surge, as the record of the units says, or
/// the turn for all of its parts.
fn gives_surge_up(record: &Record, shape: &Shape) -> usize {
    let is_it = (record.id.resource, record.id.name.as_str()) == shape.scaled;
    let field = if is_it {
        "/status/updateProgress/withoutSurge"
    } else {
        "/status/updateProgress/currentlyUpdating/0/withoutSurge"
    };
    let is_read = is_it || record.id == set_id();
    let after = record.after.as_ref().filter(|_| is_read);
    let reason = after.map_or("", |object| view::text(object, field));
    if reason.is_empty() {
        0
    } else {
        shape.max_unavailable
    }
}

/// The live count of units, if the record changes it.
fn units_of(record: &Record, shape: &Shape) -> Option<usize> {
    let (resource, name) = shape.scaled;
    let is_it = record.id.resource == resource && record.id.name == name;
    let after = record.after.as_ref().filter(|_| is_it)?;
    usize::try_from(view::number(after, "/spec/replicas")).ok()
}

/// The name of the unit that the operator deletes: the PodClique of a group replica, or a pod.
fn taken_down<'a>(record: &'a Record, shape: &Shape) -> Option<&'a str> {
    let is_ours = [OPERATOR, LATE].contains(&record.actor);
    let is_unit = if shape.scaled.0 == Resource::PodCliqueScalingGroup {
        Resource::PodClique
    } else {
        Resource::Pod
    };
    let is_it = is_ours && is_deleted(record) && record.id.resource == is_unit;
    is_it.then_some(record.id.name.as_str())
}

/// Keeps the pods that are up, and with them the PodCliques of group replicas.
fn note<'a>(up: &mut BTreeSet<&'a str>, record: &'a Record) {
    if record.id.resource == Resource::PodClique {
        let stays = record
            .after
            .as_ref()
            .is_some_and(|c| !view::is_terminating(c));
        if !stays {
            up.remove(record.id.name.as_str());
        }
        return;
    }
    if record.id.resource != Resource::Pod {
        return;
    }
    let is_grouped = !view::label(&record.last, api::labels::SCALING_GROUP).is_empty();
    let unit = if is_grouped {
        view::label(&record.last, api::labels::POD_CLIQUE)
    } else {
        view::name(&record.last)
    };
    match &record.after {
        Some(pod) if view::is_ready(pod) && view::is_live(pod) => up.insert(unit),
        _ => up.remove(unit),
    };
}

/// Whether the update to this version has gone on since then: the operator has created a pod or PodClique
/// of it for the set, or deleted one of another version.
pub fn has_gone_on(store: &Store, since: usize, version: &str) -> Result<(), String> {
    let mut log = store.log.get(since..).unwrap_or_default().iter();
    let is_step = |record: &Record| {
        let is_new = has_version(&record.last, version);
        let is_due = if is_new {
            is_created(record)
        } else {
            is_deleted(record)
        };
        is_part(record) && is_due
    };
    log.any(is_step)
        .then_some(())
        .ok_or_else(|| format!("nothing was created of version {version}, or deleted of another"))
}

/// Whether the operator wrote a pod or PodClique of the set.
fn is_part(record: &Record) -> bool {
    let is_unit = [Resource::Pod, Resource::PodClique].contains(&record.id.resource);
    let is_of_set = view::label(&record.last, api::labels::PART_OF) == set_id().name;
    is_unit && is_of_set && [OPERATOR, LATE].contains(&record.actor)
}

fn is_created(record: &Record) -> bool {
    record.before.is_none()
}

/// Whether the object goes, or begins to.
pub fn is_deleted(record: &Record) -> bool {
    let stays = |object: &Option<Stored>| object.as_ref().is_some_and(|o| !view::is_terminating(o));
    stays(&record.before) && !stays(&record.after)
}
