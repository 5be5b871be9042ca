//! The objects at the end.

use serde_json::Value;
use sim::{Id, Resource, Store, view};

use super::VERSION;

/// Pods that are Ready.
pub fn ready_pods(store: &Store) -> usize {
    let pods = store.all(Resource::Pod);
    pods.filter(|(_, pod)| view::is_ready(pod)).count()
}

/// Gangs, each with its parts that list pods.
pub fn gangs(store: &Store) -> Vec<String> {
    let parts = |gang: &Value| {
        let parts = view::list(gang, "/spec/podgroups");
        let listed = parts.filter(|p| view::list(p, "/podReferences").next().is_some());
        let names: Vec<&str> = listed.map(|p| view::text(p, "/name")).collect();
        names.join(" ")
    };
    let gangs = store.all(Resource::PodGang);
    gangs
        .map(|(id, gang)| format!("{}: {}", id.name, parts(gang)))
        .collect()
}

/// Whether so many pods are Ready, all of this version of their templates, and the update has ended.
pub fn is_updated(store: &Store, version: &str, pods: usize) -> bool {
    let set = store.get(&Id::new(Resource::PodCliqueSet, "svc"));
    let ended = set.map_or("", |set| {
        view::text(set, "/status/updateProgress/updateEndedAt")
    });
    let mut all = store.all(Resource::Pod);
    let are_new = all.all(|(_, pod)| view::annotation(pod, VERSION) == version);
    ready_pods(store) == pods && are_new && !ended.is_empty()
}

pub fn attempt(store: &Store, resource: Resource, name: &str, replica: i64) -> i64 {
    let object = store.get(&Id::new(resource, name));
    object.map_or(0, |object| view::attempt(object, replica))
}
