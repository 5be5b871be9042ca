//! The cluster of a replay: a kubelet that writes the recorded statuses, and one whose pods run
//! without trouble.

use serde_json::{Value, json};
use sim::store::{Call, Stored};
use sim::{Id, Resource, Store, view};
use testkit::recordings::RecordedStep;

use super::situation::{CLIQUE, PARENT};

/// The pod of the recording.
pub struct Recorded {
    id: Id,
    uid: String,
}

impl Recorded {
    /// The first pod of the clique.
    pub fn find(store: &Store) -> Self {
        let is_meant = |p: &Value| clique_of(p) == CLIQUE && view::index(p) == Some(0);
        let (id, pod) = store
            .all(Resource::Pod)
            .find(|(_, pod)| is_meant(pod))
            .expect("the operator creates it");
        Self {
            id: id.clone(),
            uid: view::uid(pod).to_owned(),
        }
    }

    /// Whether it exists.
    pub fn is_there(&self, store: &Store) -> bool {
        store.by_uid(&self.uid).is_some()
    }

    /// Whether it is being deleted.
    pub fn is_going(&self, store: &Store) -> bool {
        store.get(&self.id).is_some_and(|p| view::is_terminating(p))
    }

    /// Writes the recorded status. If a recorded deletion was not requested yet, another user
    /// requests it.
    pub fn show(&self, store: &mut Store, step: &RecordedStep) {
        let is_asked = !self.is_going(store) && !step.is_end;
        if let Some((_, grace)) = step.deletion.filter(|_| is_asked) {
            delete(store, "somebody", &self.id, grace);
        }
        store.edit("kubelet", &self.id, |pod| {
            if step.is_bound {
                pod["spec"]["nodeName"] = json!("node-1");
            }
            pod["status"] = step.status.clone();
        });
        if step.is_end {
            delete(store, "kubelet", &self.id, 0);
        }
    }
}

fn delete(store: &mut Store, actor: &'static str, id: &Id, grace: i64) {
    let path = format!("{}/{}", id.resource.path(&id.namespace), id.name);
    let options = json!({"gracePeriodSeconds": grace});
    store.handle(actor, &Call::new("DELETE", &path, options));
}

fn clique_of(pod: &Value) -> &str {
    let clique = view::owner(pod).map_or("", |(_, name, _)| name);
    clique.rsplit('-').next().unwrap_or_default()
}

fn others(store: &Store, recorded: &Recorded) -> Vec<(Id, Stored)> {
    let all = store.all(Resource::Pod);
    let others = all.filter(|(_, pod)| view::uid(pod) != recorded.uid);
    others.map(|(id, pod)| (id.clone(), pod.clone())).collect()
}

/// All other pods start once they may, and end on request. Dependencies start slowly.
pub fn run_others(store: &mut Store, recorded: &Recorded) {
    for (id, pod) in others(store, recorded) {
        let is_held = !view::gates(&pod).is_empty() || view::awaits_start(&pod);
        let is_up = view::text(&pod, "/status/phase") != "Pending";
        if view::is_terminating(&pod) {
            delete(store, "kubelet", &id, 0);
        } else if !is_held && !is_up {
            let is_slow = clique_of(&pod) == PARENT;
            let ready = if is_slow { "False" } else { "True" };
            show(store, &id, "Running", ready, &json!({"running": {}}));
        }
    }
}

/// The dependencies become Ready.
pub fn release_parents(store: &mut Store) {
    let pods = store.all(Resource::Pod);
    let parents = pods.filter(|(_, pod)| clique_of(pod) == PARENT);
    let parents: Vec<Id> = parents.map(|(id, _)| id.clone()).collect();
    for id in parents {
        show(store, &id, "Running", "True", &json!({"running": {}}));
    }
}

/// All other pods succeed.
pub fn complete_others(store: &mut Store, recorded: &Recorded) {
    for (id, pod) in others(store, recorded) {
        if view::is_ready(&pod) {
            let ended = json!({"terminated": {"exitCode": 0, "reason": "Completed"}});
            show(store, &id, "Succeeded", "False", &ended);
        }
    }
}

fn show(store: &mut Store, id: &Id, phase: &str, ready: &str, state: &Value) {
    let time = store.stamp();
    let condition = |type_: &str, status: &str| json!({"type": type_, "status": status, "lastTransitionTime": time});
    let containers = |pod: &Value| {
        let all = view::list(pod, "/spec/containers");
        let all = all.map(|c| json!({"name": c["name"], "ready": ready == "True", "restartCount": 0, "state": state}));
        all.collect::<Value>()
    };
    store.edit("kubelet", id, |pod| {
        pod["spec"]["nodeName"] = json!("node-2");
        pod["status"] = json!({
            "phase": phase,
            "conditions": [condition("PodScheduled", "True"), condition("Ready", ready)],
            "containerStatuses": containers(pod),
        });
    });
}
