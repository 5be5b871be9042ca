//! The budget, by the log of the store: a unit that is up is taken down only if enough others are,
//! by the most that were up since the update began.

use std::collections::BTreeSet;

use sim::check::{LATE, OPERATOR};
use sim::store::Record;
use sim::{Resource, Store, view};

use super::shape::Shape;

/// Fails if the operator took a unit down when too few were up. Each of several parts has its own budget,
/// and in a set with surge each replica, for its only pod.
pub fn check(store: &Store, shape: &Shape, began: usize) -> Result<(), String> {
    let log = store.log.iter().enumerate();
    if !shape.parts.is_empty() {
        return shape.parts.iter().try_for_each(|part| {
            let of_part = log.clone().filter(|(_, record)| part.has(&record.id.name));
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

/// How many units may be down once the update goes on without surge.
fn gives_surge_up(record: &Record, shape: &Shape) -> usize {
    let is_it = (record.id.resource, record.id.name.as_str()) == shape.scaled;
    let after = record.after.as_ref().filter(|_| is_it);
    let reason = after.map_or("", |o| view::text(o, "/status/updateProgress/withoutSurge"));
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
    let before = record
        .before
        .as_ref()
        .filter(|o| !view::is_terminating(o))?;
    let goes = record
        .after
        .as_ref()
        .is_none_or(|o| view::is_terminating(o));
    let is_unit = if shape.scaled.0 == Resource::PodCliqueScalingGroup {
        Resource::PodClique
    } else {
        Resource::Pod
    };
    (is_ours && goes && record.id.resource == is_unit).then(|| view::name(before))
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

/// Whether the operator has created or deleted a pod or PodClique since then.
pub fn has_acted(store: &Store, since: usize) -> Result<(), String> {
    let mut log = store.log.get(since..).unwrap_or_default().iter();
    let has_acted = log.any(|record| {
        let is_part = [Resource::Pod, Resource::PodClique].contains(&record.id.resource);
        let changes = record.before.is_none()
            || record.after.is_none()
            || record
                .after
                .as_ref()
                .is_some_and(|o| view::is_terminating(o));
        record.actor == OPERATOR && is_part && changes
    });
    has_acted
        .then_some(())
        .ok_or_else(|| "nothing was created or deleted".to_owned())
}
