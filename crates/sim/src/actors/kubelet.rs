//! The kubelet. Pods of training jobs end by themselves, as its sequence of statuses shows it; many
//! pods do what was recorded of one.

mod play;
mod script;
mod status;

use api::start_order;
use serde_json::{Value, json};

use super::choice::pick_pod;
use crate::resource::{Id, Resource};
use crate::store::{Call, Store};
use crate::{Rng, view};

pub use play::{Playing, next_scene, played};
pub(super) use play::{due, mend};

/// What a pod runs that never ends by itself.
pub const ENDLESS: [&str; 2] = ["sleep", "infinity"];

/// Pods with this annotation never get Ready again, nor do they end.
pub(super) const BROKEN: &str = "example.com/broken";

pub(super) fn is_broken(pod: &Value) -> bool {
    view::at(pod, "/metadata/annotations").is_some_and(|a| a.get(BROKEN).is_some())
}

/// Whether its containers are not started again: it is of a training job.
fn may_end(pod: &Value) -> bool {
    view::text(pod, "/spec/restartPolicy") == "Never"
}

/// Whether it never ends by itself.
pub fn is_endless(pod: &Value) -> bool {
    let command = view::at(pod, "/spec/containers/0/command");
    !may_end(pod) || command == Some(&json!(ENDLESS))
}

/// The kubelet starts one bound pod, lets its containers go on, or confirms the end of a deleted
/// one.
pub fn run_pods(store: &mut Store, rng: &mut Rng, playing: Playing) -> bool {
    let now = store.now;
    let has_work = |p: &Value| {
        let is_bound = !view::text(p, "/spec/nodeName").is_empty();
        let is_due = due(p).is_none_or(|at| at <= now);
        is_bound && is_due && goes_on(p)
    };
    let Some(id) = pick_pod(store, rng, has_work) else {
        return false;
    };
    let Some(pod) = store.get(&id).cloned() else {
        return false;
    };
    if due(&pod).is_some() {
        play::play(store, &id, &pod);
    } else {
        run(store, rng, &id, &pod, playing);
    }
    true
}

/// Whether the kubelet has something to do about a pod that is bound.
fn goes_on(pod: &Value) -> bool {
    if view::is_terminating(pod) {
        return true;
    }
    let has_more = !view::is_finished(pod) && (!view::is_ready(pod) || !is_endless(pod));
    let is_held = view::awaits_start(pod) && is_initializing(pod);
    !is_broken(pod) && !is_held && (due(pod).is_some() || has_more)
}

/// One step of a pod that plays no recording, or not any more.
fn run(store: &mut Store, rng: &mut Rng, id: &Id, pod: &Value, playing: Playing) {
    let has_ended = !view::exit_codes(pod).is_empty();
    if view::is_terminating(pod) {
        stop(store, rng, id, pod);
    } else if view::awaits_start(pod) {
        initialize(store, id);
    } else if may_end(pod) && has_ended {
        finish(store, id, pod);
    } else if may_end(pod) && view::is_ready(pod) {
        let code = exit_code(store, rng, pod);
        exit(store, id, pod, code);
    } else if !is_new(pod) || !play::cast(store, rng, id, playing) {
        start(store, id);
    }
}

/// Whether no app container of it was ever seen, and it plays no recording.
fn is_new(pod: &Value) -> bool {
    let mut containers = view::list(pod, "/status/containerStatuses");
    containers.next().is_none() && !play::has_begun(pod)
}

/// Whether its init container runs.
fn is_initializing(pod: &Value) -> bool {
    view::list(pod, "/status/initContainerStatuses")
        .next()
        .is_some()
}

/// The init container starts, and waits until the pod is told to start.
fn initialize(store: &mut Store, id: &Id) {
    let time = store.stamp();
    store.edit("kubelet", id, |pod| {
        pod["status"]["conditions"] = conditions(&time, "False");
        pod["status"]["initContainerStatuses"] = json!([{
            "name": start_order::CONTAINER, "ready": false, "restartCount": 0,
            "state": {"running": {"startedAt": time}},
        }]);
    });
}

fn start(store: &mut Store, id: &Id) {
    let time = store.stamp();
    store.edit("kubelet", id, |pod| {
        let (restarts, last) = restarted(pod);
        pod["status"] = json!({
            "phase": "Running",
            "conditions": conditions(&time, "True"),
            "containerStatuses": [
                {
                    "name": "main", "ready": true, "restartCount": restarts,
                    "state": {"running": {"startedAt": time}}, "lastState": last,
                },
            ],
        });
    });
}

/// How often its container was started again, this time included, and how its last run ended.
fn restarted(pod: &Value) -> (i64, Value) {
    let before = |what: &str| view::at(pod, &format!("/status/containerStatuses/0/{what}"));
    let restarts = before("restartCount").and_then(Value::as_i64).unwrap_or(0);
    match before("state/terminated") {
        Some(ended) => (restarts + 1, json!({"terminated": ended})),
        None => (restarts, before("lastState").cloned().unwrap_or(json!({}))),
    }
}

/// The container of a pod that does not end by itself crashes; the kubelet starts it again.
pub(super) fn crash(store: &mut Store, rng: &mut Rng) {
    let may_crash =
        |p: &Value| view::is_live(p) && view::is_ready(p) && !may_end(p) && due(p).is_none();
    if let Some(id) = pick_pod(store, rng, may_crash)
        && let Some(pod) = store.get(&id).cloned()
    {
        exit(store, &id, &pod, 1);
    }
}

/// Mostly the container succeeds. Where a peer failed, the others lose their connections and are
/// terminated.
fn exit_code(store: &Store, rng: &mut Rng, pod: &Value) -> i32 {
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

/// The container ends. For a while the phase does not say so.
fn exit(store: &mut Store, id: &Id, pod: &Value, code: i32) {
    const STARTED: &str = "/status/containerStatuses/0/state/running/startedAt";
    let (time, started) = (store.stamp(), view::text(pod, STARTED).to_owned());
    store.edit("kubelet", id, |pod| {
        let reason = if code == 0 { "Completed" } else { "Error" };
        let ended = json!({
            "exitCode": code, "reason": reason, "startedAt": started, "finishedAt": time,
        });
        pod["status"]["conditions"] = conditions(&time, "False");
        pod["status"]["conditions"][1]["reason"] = json!(why_not_ready(pod, code));
        let (restarts, last) = restarted(pod);
        pod["status"]["containerStatuses"] = json!([{
            "name": "main", "ready": false, "restartCount": restarts,
            "state": {"terminated": ended}, "lastState": last,
        }]);
    });
}

/// What the kubelet gives as reason once the containers have ended.
fn why_not_ready(pod: &Value, code: i32) -> &'static str {
    match (may_end(pod), code) {
        (false, _) => "ContainersNotReady",
        (true, 0) => "PodCompleted",
        (true, _) => "PodFailed",
    }
}

fn finish(store: &mut Store, id: &Id, pod: &Value) {
    let is_well = view::exit_codes(pod).iter().all(|code| *code == 0);
    let phase = if is_well { "Succeeded" } else { "Failed" };
    store.edit("kubelet", id, |pod| pod["status"]["phase"] = json!(phase));
}

/// A pod that is asked to end may end in any phase before it is gone.
fn stop(store: &mut Store, rng: &mut Rng, id: &Id, pod: &Value) {
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
