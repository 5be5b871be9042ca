//! Actions of a user or the cluster.

use serde_json::{Value, json};
use sim::{Call, Id, Resource, Store, actors, view};

use super::manifests::write_version;

/// Creates the set as a user does.
pub fn create(store: &mut Store, manifest: &Value) {
    let path = Resource::PodCliqueSet.path("default");
    let answer = store.handle("user", &Call::new("POST", &path, manifest.clone()));
    assert_eq!(answer.code, 201, "{:?}", answer.body);
}

/// All cliques get another version of their templates.
pub fn edit_templates(store: &mut Store, version: &str) {
    let id = Id::new(Resource::PodCliqueSet, "svc");
    store.edit("user", &id, |set| write_version(set, version));
}

pub fn scale_parts(store: &mut Store, replicas: u32) {
    scale(store, Resource::PodClique, "svc-0-a", replicas);
    scale(store, Resource::PodCliqueScalingGroup, "svc-0-g", replicas);
}

pub fn scale(store: &mut Store, resource: Resource, name: &str, replicas: u32) {
    let path = format!("{}/{name}/scale", resource.path("default"));
    let body = json!({"spec": {"replicas": replicas}});
    let answer = store.handle("user", &Call::merge(&path, body));
    assert_eq!(answer.code, 200, "{:?}", answer.body);
}

pub fn pods_of(store: &Store, podclique: &str) -> Vec<Id> {
    let is_of = |pod: &Value| view::owner(pod).is_some_and(|(_, name, _)| name == podclique);
    let pods = store.all(Resource::Pod).filter(|(_, pod)| is_of(pod));
    pods.map(|(id, _)| id.clone()).collect()
}

/// The pods of a PodClique become unready, for good.
pub fn break_pods(store: &mut Store, podclique: &str) {
    for id in pods_of(store, podclique) {
        actors::break_pod(store, &id);
    }
}

/// The pods of a PodClique fail.
pub fn fail_pods(store: &mut Store, podclique: &str) {
    let time = store.stamp();
    for id in pods_of(store, podclique) {
        store.edit("kubelet", &id, |pod| {
            pod["status"]["phase"] = json!("Failed");
            pod["status"]["conditions"] = json!([
                {"type": "PodScheduled", "status": "True", "lastTransitionTime": time},
                {"type": "Ready", "status": "False", "lastTransitionTime": time},
            ]);
        });
    }
}
