//! What happens to pods and parts in an update.

use serde_json::{Value, json};
use sim::{Id, Resource, Rng, Store, actors, view};

use crate::rollouts::has_version;
use crate::rollouts::shape::Shape;

/// A Ready pod of the old version is gone.
pub fn lose_one(store: &mut Store) {
    if let Some(id) = old_pod(store) {
        store.remove("chaos", &id);
    }
}

/// A Ready pod of the old version is gone, of a group replica in a gang of its own.
pub fn lose_one_beyond_base(store: &mut Store, shape: &Shape) {
    let is_beyond = |id: &Id| {
        shape
            .parts
            .iter()
            .any(|part| part.has_beyond_base(&id.name))
    };
    let id = old_pods(store).find(|id| is_beyond(id)).cloned();
    store.remove("chaos", &id.expect("the update has not come so far"));
}

/// A Ready pod of the old version never becomes Ready again.
pub fn break_one(store: &mut Store) {
    if let Some(id) = old_pod(store) {
        actors::break_pod(store, &id);
    }
}

fn old_pod(store: &Store) -> Option<Id> {
    old_pods(store).next().cloned()
}

fn old_pods(store: &Store) -> impl Iterator<Item = &Id> {
    let is_old = |pod: &Value| has_version(pod, "1") && view::is_ready(pod) && view::is_live(pod);
    let pods = store.all(Resource::Pod);
    pods.filter(move |(_, pod)| is_old(pod)).map(|(id, _)| id)
}

/// The containers of all new pods end now, for the last time: the update may go on a minute after the
/// last end, so what is measured from now on is measured from that.
pub fn end_containers(store: &mut Store) {
    let time = store.stamp();
    let has_run = |pod: &Value| {
        let is_new = has_version(pod, "2") && view::is_live(pod);
        is_new && view::at(pod, "/status/containerStatuses/0").is_some()
    };
    let pods = store.all(Resource::Pod).filter(|(_, pod)| has_run(pod));
    let pods: Vec<Id> = pods.map(|(id, _)| id.clone()).collect();
    for id in pods {
        store.edit("kubelet", &id, |pod| {
            let ends = view::number(pod, "/status/containerStatuses/0/restartCount") + 1;
            pod["status"]["containerStatuses"] = json!([{
                "name": "main", "ready": false, "restartCount": ends,
                "state": {"waiting": {"reason": "CrashLoopBackOff"}},
                "lastState": {"terminated": {"exitCode": 1, "reason": "Error", "finishedAt": time}},
            }]);
            set_ready(pod, false, &time);
        });
    }
}

/// A kubelet reports whether a pod that runs is Ready.
pub fn set_ready(pod: &mut Value, is_ready: bool, time: &str) {
    let status = if is_ready { "True" } else { "False" };
    let Some(ready) = pod.pointer_mut("/status/conditions/1") else {
        return;
    };
    if ready["status"] != status {
        *ready = json!({"type": "Ready", "status": status, "lastTransitionTime": time});
    }
}

/// The clique or group gets an autoscaler that may add one unit; of a set, the clique in each replica.
pub fn add_autoscaler(manifest: &mut Value, shape: &Shape) {
    let template = &mut manifest["spec"]["template"];
    let units = if shape.is_set() {
        1
    } else {
        shape.scaled_units()
    };
    let is_group = shape.scaled.0 == Resource::PodCliqueScalingGroup;
    let config = if is_group {
        &mut template["podCliqueScalingGroups"][0]["scaleConfig"]
    } else {
        &mut template["cliques"][0]["spec"]["autoScalingConfig"]
    };
    *config = json!({"minReplicas": units, "maxReplicas": units + 1, "metrics": []});
}

/// The load rises, and one of the autoscalers adds a unit.
pub fn autoscale(store: &mut Store) {
    let mut rng = Rng::new(1);
    let has_scaled = (0..100).any(|_| actors::autoscale(store, &mut rng, true));
    assert!(has_scaled, "no autoscaler wants another count");
}
