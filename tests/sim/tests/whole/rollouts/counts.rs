//! I51: no count of a status is above `spec.replicas`. Surge units are in none of them.

use std::collections::BTreeMap;

use sim::check::{LATE, OPERATOR};
use sim::store::{Record, Stored};
use sim::{Id, Resource, Store, dynamo, view};

use super::shape::Shape;

/// The kinds that have such counts.
const COUNTED: [Resource; 3] = [
    Resource::PodCliqueSet,
    Resource::PodCliqueScalingGroup,
    Resource::PodClique,
];

/// Fails if a status counted more units than were wanted. After a scale-in those that were wanted before
/// count until the operator has seen it, and has counted no more than are wanted.
pub fn check(store: &Store, _: &Shape, _: usize) -> Result<(), String> {
    let mut most = BTreeMap::new();
    let is_counted = |record: &&Record| COUNTED.contains(&record.id.resource);
    let mut log = store.log.iter().filter(is_counted);
    log.try_for_each(|record| {
        let Some(object) = &record.after else {
            most.remove(&record.id);
            return Ok(());
        };
        judge(&mut most, record, object)
    })
}

fn judge<'a>(
    most: &mut BTreeMap<&'a Id, i64>,
    record: &'a Record,
    object: &Stored,
) -> Result<(), String> {
    let wanted = view::number(object, "/spec/replicas");
    let limit = most.entry(&record.id).or_insert(wanted);
    *limit = wanted.max(*limit);
    let count = |name: &str| view::number(object, &format!("/status/{name}"));
    for name in dynamo::COUNTS {
        let is = count(name);
        if is > *limit {
            let id = &record.id;
            return Err(format!("I51: {id}: {name} is {is} of {wanted}: {object}"));
        }
    }
    let has_seen = is_observed(object) && [OPERATOR, LATE].contains(&record.actor);
    if has_seen && dynamo::COUNTS.iter().all(|name| count(name) <= wanted) {
        *limit = wanted;
    }
    Ok(())
}

fn is_observed(object: &Stored) -> bool {
    let observed = view::number(object, "/status/observedGeneration");
    observed == view::number(object, "/metadata/generation")
}

/// Fails unless each part with surge has used it since this place in the log.
pub fn expect_surge(store: &Store, shape: &Shape, began: usize) -> Result<(), String> {
    if shape.surge == 0 {
        return Ok(());
    }
    let log = store.log.get(began..).unwrap_or_default();
    let has_surge = |part: (Resource, &str)| {
        log.iter()
            .filter(|record| (record.id.resource, record.id.name.as_str()) == part)
            .filter_map(|record| record.after.as_ref())
            .any(|object| view::number(object, "/status/surgeReplicas") > 0)
    };
    let of_parts = shape.parts.iter().filter(|part| part.surge > 0);
    let mut surging = of_parts.map(|part| part.object).chain([shape.scaled]);
    let without = surging.find(|part| !has_surge(*part));
    without.map_or(Ok(()), |(_, name)| Err(format!("{name} had no surge")))
}
