//! The user's autoscalers for cliques and groups.

use serde_json::{Value, json};

use super::update;
use crate::check::units::is_coherent;
use crate::{Rng, view};

/// In this many of a thousand cases a clique or group has an autoscaler.
const AUTOSCALED: usize = 400;

/// Some cliques and groups are scaled by autoscalers.
pub(super) fn write_some(manifest: &mut Value, rng: &mut Rng) {
    for at in configs(manifest) {
        if rng.chance(AUTOSCALED) {
            write_config(manifest, &at, rng);
        }
    }
}

/// The paths of autoscaler configurations, existing or possible. Members of a group have none.
fn configs(set: &Value) -> Vec<String> {
    const CLIQUES: &str = "/spec/template/cliques";
    const GROUPS: &str = "/spec/template/podCliqueScalingGroups";
    let groups: Vec<&Value> = view::list(set, GROUPS).collect();
    let is_member = |clique: &Value| {
        groups
            .iter()
            .any(|g| view::list(g, "/cliqueNames").any(|name| *name == clique["name"]))
    };
    let cliques = view::list(set, CLIQUES)
        .enumerate()
        .filter(|(_, clique)| !is_member(clique))
        .map(|(i, _)| format!("{CLIQUES}/{i}/spec/autoScalingConfig"));
    let groups = (0..groups.len()).map(|i| format!("{GROUPS}/{i}/scaleConfig"));
    cliques.chain(groups).collect()
}

/// Limits from the minimum or the replicas up, with a metric in one of its notations.
fn write_config(set: &mut Value, at: &str, rng: &mut Rng) {
    let Some((owner, key)) = at.rsplit_once('/') else {
        return;
    };
    let Some(owner) = set.pointer_mut(owner) else {
        return;
    };
    let mut config = json!({"maxReplicas": rng.between(3, 5)});
    if rng.chance(500) {
        config["minReplicas"] = owner["minAvailable"].clone();
    }
    let value = rng.pick(&["", "2", "2000m", "500m"]).copied();
    if let Some(value) = value.filter(|value| !value.is_empty()) {
        let target = json!({"type": "AverageValue", "averageValue": value});
        let pods = json!({"metric": {"name": "requests"}, "target": target});
        config["metrics"] = json!([{"type": "Pods", "pods": pods}]);
    }
    owner[key] = config;
}

/// One clique or group gets another count and another configuration, or none.
pub(super) fn change_one(set: &mut Value, rng: &mut Rng) {
    let all = configs(set);
    let Some(at) = rng.pick(&all) else { return };
    write_config(set, at, rng);
    if let Some(owner) = at.rsplit_once('/').and_then(|(at, _)| set.pointer_mut(at)) {
        let least = view::number(owner, "/minAvailable");
        owner["replicas"] = json!(rng.between(least, 3));
    }
    drop_budgets(set, at);
    let removed = at.rsplit_once('/').filter(|_| rng.chance(400));
    if let Some((owner, key)) = removed
        && let Some(Value::Object(owner)) = set.pointer_mut(owner)
    {
        owner.remove(key);
    }
}

/// Limits of updates must not exceed the new count. With `Coherent` those of one part depend on those
/// of the others.
fn drop_budgets(set: &mut Value, at: &str) {
    if is_coherent(set) {
        return update::drop_limits(&mut set["spec"]["template"]);
    }
    let part = at
        .strip_suffix("/spec/autoScalingConfig")
        .or(at.strip_suffix("/scaleConfig"));
    if let Some(Value::Object(part)) = part.and_then(|part| set.pointer_mut(part)) {
        part.remove("rollingUpdate");
    }
}
