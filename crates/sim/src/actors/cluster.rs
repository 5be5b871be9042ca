//! Scheduler and other controllers.

use api::labels;
use serde_json::{Value, json};

use super::chaos::break_pod;
use super::choice::pick_pod;
use super::devices::has_claims;
use super::gang_scheduler::may_be_placed;
use super::placement::{ANY_NODE, bind_pod, is_bound, placed};
use crate::resource::{Id, Resource};
use crate::store::{Call, Store};
use crate::{Rng, view};

/// A gate that some templates have.
pub(super) const FOREIGN_GATE: &str = "example.com/quota";

/// The scheduler binds one pod that may be bound, as long as fewer than `capacity` pods are bound.
pub fn bind(store: &mut Store, rng: &mut Rng, capacity: usize) -> bool {
    if placed(store) >= capacity {
        return false;
    }
    let free = |p: &Value| {
        let is_pending = view::gates(p).is_empty() && !is_bound(p) && view::is_live(p);
        is_pending && may_be_placed(store, p) && has_claims(store, p)
    };
    let Some(id) = pick_pod(store, rng, free) else {
        return false;
    };
    bind_pod(store, &id, ANY_NODE);
    true
}

/// All pods of one PodClique break for good, if gang termination is the only remedy and will
/// happen: it was available, all its pods exist, and the set enables termination.
pub fn break_for_good(store: &mut Store, rng: &mut Rng) {
    let asks = |c: &Value| {
        let mut set = Id::new(Resource::PodCliqueSet, view::set_of(c));
        view::namespace(c).clone_into(&mut set.namespace);
        store
            .get(&set)
            .is_some_and(|s| is_terminated(s, c) && !view::is_terminating(s))
    };
    let is_complete = |c: &Value| {
        let live = pods_of(store, view::uid(c));
        let wanted = usize::try_from(view::number(c, "/spec/replicas")).unwrap_or(0);
        wanted > 0 && live.len() == wanted
    };
    let was_available = |c: &Value| view::at(c, "/status/wasAvailable") == Some(&Value::Bool(true));
    let candidates: Vec<String> = store
        .all(Resource::PodClique)
        .filter(|(_, c)| !view::is_terminating(c) && was_available(c) && asks(c) && is_complete(c))
        .map(|(_, c)| view::uid(c).to_owned())
        .collect();
    let Some(podclique) = rng.pick(&candidates) else {
        return;
    };
    for id in pods_of(store, podclique) {
        break_pod(store, &id);
    }
}

/// Whether a PodClique that is no longer Ready is terminated some time. In a job only if it has a
/// delay, and its containers are not started again.
fn is_terminated(set: &Value, podclique: &Value) -> bool {
    if view::text(podclique, "/spec/podSpec/restartPolicy") == "OnFailure" {
        return false;
    }
    let group = view::label(podclique, labels::SCALING_GROUP);
    let own = view::list(set, "/spec/template/podCliqueScalingGroups")
        .find(|g| group.ends_with(&format!("-{}", view::text(g, "/name"))))
        .and_then(|g| view::duration(g, "/terminationDelay"));
    let delay = own.or_else(|| view::duration(set, "/spec/template/terminationDelay"));
    delay.is_some_and(|delay| delay.is_positive() || !view::is_job(set))
}

fn pods_of(store: &Store, uid: &str) -> Vec<Id> {
    let is_of = |p: &Value| view::owner(p).is_some_and(|o| o.2 == uid) && view::is_ready(p);
    let pods = store.all(Resource::Pod).filter(|(_, p)| is_of(p));
    pods.map(|(id, _)| id.clone()).collect()
}

/// The webhook of another controller puts its own gate behind those of a pod that is created.
pub fn add_gate(call: &mut Call) {
    if let Some(gates) = call.body["spec"]["schedulingGates"].as_array_mut()
        && gates.iter().all(|g| g["name"] != FOREIGN_GATE)
    {
        gates.push(json!({"name": FOREIGN_GATE}));
    }
}

/// Another controller removes its own gate from one pod.
pub fn lift_gate(store: &mut Store, rng: &mut Rng) -> bool {
    let Some(id) = pick_pod(store, rng, |p| view::gates(p).contains(&FOREIGN_GATE)) else {
        return false;
    };
    store.edit("quota controller", &id, |pod| {
        if let Some(gates) = pod["spec"]["schedulingGates"].as_array_mut() {
            gates.retain(|g| g["name"] != FOREIGN_GATE);
        }
    });
    true
}
