//! The user's manifests of training jobs, and the user's actions on them.

use serde_json::{Value, json};

use super::kubelet::ENDLESS;
use crate::resource::{Id, Resource};
use crate::store::{Call, Store};
use crate::{Rng, view};

/// Turns the manifest into a job. Some cliques never end by themselves.
pub(super) fn write(manifest: &mut Value, rng: &mut Rng) {
    let spec = &mut manifest["spec"];
    spec["workloadType"] = json!("Training");
    spec["trainingSpec"] = limits(rng);
    delays(&mut spec["template"], rng);
    let cliques = spec["template"]["cliques"].as_array_mut();
    for clique in cliques.into_iter().flatten() {
        if rng.chance(150) {
            clique["spec"]["podSpec"]["containers"][0]["command"] = json!(ENDLESS);
        }
    }
}

/// An absent field means no limit, or no restart.
fn limits(rng: &mut Rng) -> Value {
    const RESTARTS: [Option<i32>; 6] = [None, Some(0), Some(1), Some(2), Some(2), Some(9)];
    const RUNTIMES: [Option<&str>; 7] = [
        None,
        None,
        None,
        Some("3s"),
        Some("30s"),
        Some("5m"),
        Some("24h"),
    ];
    let (restarts, runtime) = (rng.pick(&RESTARTS), rng.pick(&RUNTIMES));
    let mut limits = json!({});
    if let Some(Some(restarts)) = restarts {
        limits["maxRestarts"] = json!(restarts);
    }
    if let Some(Some(runtime)) = runtime {
        limits["maxRuntime"] = json!(runtime);
    }
    limits
}

/// Mostly without a delay: a failure counts at once.
fn delays(template: &mut Value, rng: &mut Rng) {
    const DELAYS: [&str; 3] = ["0s", "3s", "20s"];
    let mut draw = |per_mille| rng.chance(per_mille).then(|| rng.pick(&DELAYS)).flatten();
    let (of_set, of_group) = (draw(400), draw(150));
    if let Some(template) = template.as_object_mut() {
        template.remove("terminationDelay");
        if let Some(delay) = of_set {
            template.insert("terminationDelay".to_owned(), json!(delay));
        }
    }
    if let Some(Value::Object(group)) = template.pointer_mut("/podCliqueScalingGroups/0") {
        group.remove("terminationDelay");
        if let Some(delay) = of_group {
            group.insert("terminationDelay".to_owned(), json!(delay));
        }
    }
}

/// `trainingSpec` may be changed while the job runs.
pub(super) fn change_limits(store: &mut Store, rng: &mut Rng, id: &Id) {
    let mut limits = limits(rng);
    for key in ["maxRestarts", "maxRuntime"] {
        // A merge patch leaves fields that it does not name.
        if limits.get(key).is_none() {
            limits[key] = Value::Null;
        }
    }
    let path = format!("{}/{}", id.resource.path(&id.namespace), id.name);
    let body = json!({"spec": {"trainingSpec": limits}});
    store.handle("user", &Call::merge(&path, body));
}

/// Deletes one by hand, whether its work is done or not.
pub(super) fn delete_one(store: &mut Store, rng: &mut Rng, resource: Resource) {
    let ids: Vec<Id> = store
        .all(resource)
        .filter(|(_, o)| !view::is_terminating(o))
        .map(|(id, _)| id.clone())
        .collect();
    if let Some(id) = rng.pick(&ids) {
        store.remove("user", id);
    }
}
