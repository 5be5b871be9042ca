//! Pods that play no recording: they start at once, those of jobs end in two steps.

use api::start_order;
use serde_json::{Value, json};

use super::{may_end, play};
use crate::actors::choice::pick_pod;
use crate::resource::{Id, Resource};
use crate::store::{Call, Store};
use crate::{Rng, view};

/// Whether its init container waits until it may start.
pub(super) fn is_waiting(pod: &Value) -> bool {
    let mut init = view::list(pod, "/status/initContainerStatuses");
    init.any(|c| c["name"] == start_order::CONTAINER && c["state"].get("running").is_some())
}

/// The init container starts, and waits until the pod may start.
pub(super) fn wait(store: &mut Store, id: &Id) {
    let time = store.stamp();
    store.edit("kubelet", id, |pod| {
        pod["status"]["conditions"] = conditions(&time, "False");
        pod["status"]["initContainerStatuses"] = json!([{
            "name": start_order::CONTAINER, "ready": false, "restartCount": 0,
            "state": {"running": {"startedAt": time}},
        }]);
    });
}

/// All containers run, and the pod is Ready.
pub(super) fn start(store: &mut Store, id: &Id) {
    let time = store.stamp();
    store.edit("kubelet", id, |pod| {
        let running = json!({"running": {"startedAt": time}});
        let containers = containers(pod, &running, true);
        let init = init_containers(pod, &running);
        let began = match view::text(pod, "/status/startTime") {
            "" => time.clone(),
            began => began.to_owned(),
        };
        pod["status"] = json!({
            "phase": "Running",
            "startTime": began,
            "conditions": conditions(&time, "True"),
            "containerStatuses": containers,
        });
        if !init.is_empty() {
            pod["status"]["initContainerStatuses"] = json!(init);
        }
    });
}

/// All app containers, in this state.
fn containers(pod: &Value, state: &Value, is_ready: bool) -> Vec<Value> {
    view::list(pod, "/spec/containers")
        .enumerate()
        .map(|(at, container)| {
            let (restarts, last) = restarted(pod, at);
            json!({
                "name": container["name"], "ready": is_ready, "restartCount": restarts,
                "state": state, "lastState": last,
            })
        })
        .collect()
}

/// Init containers have ended, except those that run on.
fn init_containers(pod: &Value, running: &Value) -> Vec<Value> {
    let all = view::list(pod, "/spec/initContainers");
    all.map(|container| {
        let runs_on = container["restartPolicy"] == "Always";
        let ended = json!({"terminated": {"exitCode": 0, "reason": "Completed"}});
        let state = if runs_on { running } else { &ended };
        json!({"name": container["name"], "ready": true, "restartCount": 0, "state": state})
    })
    .collect()
}

/// How often the container was started again, this time included, and how its last run ended.
fn restarted(pod: &Value, at: usize) -> (i64, Value) {
    let before = |what: &str| view::at(pod, &format!("/status/containerStatuses/{at}/{what}"));
    let restarts = before("restartCount").and_then(Value::as_i64).unwrap_or(0);
    match before("state/terminated") {
        Some(ended) => (restarts + 1, json!({"terminated": ended})),
        None => (restarts, before("lastState").cloned().unwrap_or(json!({}))),
    }
}

/// The container of a pod that does not end by itself crashes; the kubelet starts it again.
pub(in crate::actors) fn crash(store: &mut Store, rng: &mut Rng) {
    let is_at_rest = |p: &Value| view::is_live(p) && view::is_ready(p) && play::due(p).is_none();
    if let Some(id) = pick_pod(store, rng, |p| is_at_rest(p) && !may_end(p))
        && let Some(pod) = store.get(&id).cloned()
    {
        exit(store, &id, &pod, 1);
    }
}

/// Mostly the container succeeds. If a peer failed, the others lose their connections and are
/// terminated.
pub(super) fn exit_code(store: &Store, rng: &mut Rng, pod: &Value) -> i32 {
    let is_peer = |p: &Value| {
        view::namespace(p) == view::namespace(pod)
            && view::replica(p) == view::replica(pod)
            && view::uid(p) != view::uid(pod)
    };
    let has_failed = |p: &Value| view::exit_codes(p).iter().any(|code| *code != 0);
    let mut pods = store.all(Resource::Pod);
    let is_given_up = pods.any(|(_, p)| is_peer(p) && has_failed(p));
    if is_given_up && rng.chance(700) {
        return 143;
    }
    i32::from(rng.chance(50))
}

/// The containers end. For a while the phase does not show it.
pub(super) fn exit(store: &mut Store, id: &Id, pod: &Value, code: i32) {
    const STARTED: &str = "/status/containerStatuses/0/state/running/startedAt";
    let (time, started) = (store.stamp(), view::text(pod, STARTED).to_owned());
    store.edit("kubelet", id, |pod| {
        let reason = if code == 0 { "Completed" } else { "Error" };
        let ended = json!({"terminated": {
            "exitCode": code, "reason": reason, "startedAt": started, "finishedAt": time,
        }});
        pod["status"]["containerStatuses"] = json!(containers(pod, &ended, false));
        pod["status"]["conditions"] = conditions(&time, "False");
        pod["status"]["conditions"][1]["reason"] = json!(why_not_ready(pod, code));
    });
}

/// The kubelet's reason once the containers have ended.
fn why_not_ready(pod: &Value, code: i32) -> &'static str {
    match (may_end(pod), code) {
        (false, _) => "ContainersNotReady",
        (true, 0) => "PodCompleted",
        (true, _) => "PodFailed",
    }
}

/// The phase shows how the containers have ended.
pub(super) fn finish(store: &mut Store, id: &Id, pod: &Value) {
    let is_well = view::exit_codes(pod).iter().all(|code| *code == 0);
    let phase = if is_well { "Succeeded" } else { "Failed" };
    store.edit("kubelet", id, |pod| pod["status"]["phase"] = json!(phase));
}

/// A pod that is being deleted may end in any phase before it is gone.
pub(super) fn stop(store: &mut Store, rng: &mut Rng, id: &Id, pod: &Value) {
    let is_running = view::text(pod, "/status/phase") == "Running";
    if may_end(pod) && is_running && rng.chance(500) {
        if view::exit_codes(pod).is_empty() {
            exit(store, id, pod, if rng.chance(500) { 143 } else { 0 });
        } else {
            finish(store, id, pod);
        }
        return;
    }
    let path = format!("{}/{}", id.resource.path(&id.namespace), id.name);
    let now = json!({"gracePeriodSeconds": 0});
    store.handle("kubelet", &Call::new("DELETE", &path, now));
}

fn conditions(time: &str, ready: &str) -> Value {
    json!([
        {"type": "PodScheduled", "status": "True", "lastTransitionTime": time},
        {"type": "Ready", "status": ready, "lastTransitionTime": time},
    ])
}
