//! The limits of updates in a template: partitions, and those that strategy `Coherent` needs.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use crate::{Rng, view};

/// Each part gets enough pods, or group replicas, for two versions; one that an autoscaler may scale
/// gets as many as are within its limits in any case.
pub(super) fn enlarge(template: &mut Value, own: &mut Rng) {
    const LOWEST_MAXIMUM: i64 = 3;
    visit_parts(template, |part, counts| {
        let is_clique = part.get("spec").is_some();
        let owner = if is_clique { &mut part["spec"] } else { part };
        let configs = ["autoScalingConfig", "scaleConfig"];
        let is_autoscaled = configs
            .iter()
            .any(|key| owner.get(*key).is_some_and(Value::is_object));
        if is_autoscaled {
            owner["replicas"] = json!(counts.replicas.max(LOWEST_MAXIMUM));
        } else {
            let minimum = own.between(1, 2);
            owner["minAvailable"] = json!(minimum);
            owner["replicas"] = json!(own.between(2 * minimum, 2 * minimum + 1));
        }
    });
}

/// The limits of each part suit `Coherent`: at least a whole version may be missing, or is added first.
pub(super) fn suit_coherent(template: &mut Value, own: &mut Rng) {
    let has_surge = own.chance(300);
    let waits_for_surge = has_surge && own.chance(300);
    visit_parts(template, |part, counts| {
        let least = counts.minimum.max(1);
        let surge = has_surge.then(|| own.between(least, counts.replicas));
        write_limit(part, "maxSurge", surge);
        let given = own.chance(300);
        let given = given.then(|| own.between(least, counts.replicas));
        let unavailable = if waits_for_surge { Some(0) } else { given };
        write_limit(part, "maxUnavailable", unavailable);
    });
}

/// Some parts get a partition, others lose theirs.
pub(super) fn change_partitions(template: &mut Value, own: &mut Rng) {
    visit_parts(template, |part, counts| match own.below(8) {
        0 | 1 => write_limit(part, "partition", Some(own.between(0, counts.replicas))),
        2..=4 => write_limit(part, "partition", None),
        _ => {}
    });
}

/// All parts lose their partitions.
pub(super) fn drop_partitions(template: &mut Value) {
    visit_parts(template, |part, _| write_limit(part, "partition", None));
}

/// All parts lose all limits.
pub(in crate::actors) fn drop_all(template: &mut Value) {
    visit_parts(template, |part, _| {
        part.as_object_mut()
            .map(|part| part.remove("rollingUpdate"));
    });
}

fn write_limit(part: &mut Value, key: &str, limit: Option<i64>) {
    if let Some(limit) = limit {
        part["rollingUpdate"][key] = json!(limit);
    } else if let Some(Value::Object(rolling)) = part.get_mut("rollingUpdate") {
        rolling.remove(key);
    }
}

/// The counts of a part.
#[derive(Clone, Copy)]
struct Counts {
    replicas: i64,
    minimum: i64,
}

/// Calls it with each part of the template that is updated by itself: standalone cliques and groups.
fn visit_parts(template: &mut Value, mut visit: impl FnMut(&mut Value, Counts)) {
    let members: BTreeSet<String> = view::list(template, "/podCliqueScalingGroups")
        .flat_map(|group| view::list(group, "/cliqueNames"))
        .filter_map(Value::as_str)
        .map(str::to_owned)
        .collect();
    for parts in ["cliques", "podCliqueScalingGroups"] {
        let parts = template.get_mut(parts).and_then(Value::as_array_mut);
        for part in parts.into_iter().flatten() {
            if !members.contains(view::text(part, "/name")) {
                let counts = read_counts(part);
                visit(part, counts);
            }
        }
    }
}

fn read_counts(part: &Value) -> Counts {
    let (owner, is_clique) = match part.get("spec") {
        Some(spec) => (spec, true),
        None => (part, false),
    };
    let replicas = view::number(owner, "/replicas");
    let given = view::at(owner, "/minAvailable").and_then(Value::as_i64);
    let all = if is_clique { replicas } else { 1 };
    Counts {
        replicas,
        minimum: given.unwrap_or(all),
    }
}
