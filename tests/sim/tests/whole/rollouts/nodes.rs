//! Nodes with a number of places, and programs that behave as a cause says.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use jiff::{SignedDuration, Timestamp};
use serde_json::{Value, json};
use sim::actors::{self, GarbageCollector};
use sim::service::Server;
use sim::{Call, Id, Resource, Rng, Store, view};

use super::has_version;

/// Time between two moves.
const TICK: Duration = Duration::from_millis(200);
/// How long a deleted pod takes to end.
const GRACE: SignedDuration = SignedDuration::from_secs(1);
/// How long a crashed container waits until it is started again.
const BACK_OFF: SignedDuration = SignedDuration::from_secs(10);

/// The behaviour of pods of version 2.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Program {
    /// It is Ready as soon as it runs.
    Good,
    /// It is Ready after this many seconds.
    Slow(i64),
    /// It is Ready at once, and crashes after this many seconds, each time.
    Crashes(i64),
    /// No node suits it.
    Unschedulable,
}

/// What the cluster offers.
#[derive(Debug)]
pub struct World {
    /// How many pods may have nodes.
    pub places: usize,
    /// The new program.
    pub program: Program,
    /// Until then the scheduler looks at no pod, as if it was away.
    pub silent_until: Timestamp,
}

impl World {
    pub fn of(places: usize) -> Self {
        Self {
            places,
            program: Program::Good,
            silent_until: Timestamp::UNIX_EPOCH,
        }
    }
}

/// Acts for ever.
pub async fn act(server: Server, world: Arc<Mutex<World>>) {
    let mut rng = Rng::new(1);
    let mut of_groups = Rng::new(2);
    let mut collector = GarbageCollector::default();
    loop {
        server.with_store(|store| {
            while collector.act(store, &mut rng) {}
            while actors::let_groups_go(store, &mut of_groups) {}
            let world = world.lock().unwrap();
            let pods: Vec<Id> = store.all(Resource::Pod).map(|(id, _)| id.clone()).collect();
            for id in pods {
                move_pod(store, &id, &world);
            }
        });
        tokio::time::sleep(TICK).await;
    }
}

fn move_pod(store: &mut Store, id: &Id, world: &World) {
    let Some(pod) = store.get(id).cloned() else {
        return;
    };
    let is_new = has_version(&pod, "2");
    let program = if is_new { world.program } else { Program::Good };
    if view::is_terminating(&pod) {
        end(store, id, &pod);
    } else if !view::gates(&pod).is_empty() {
        // Its gang is not complete.
    } else if view::text(&pod, "/spec/nodeName").is_empty() {
        let is_silent = store.now < world.silent_until;
        if !is_silent && actors::may_be_placed(store, &pod) {
            let has_place = actors::placed(store) < world.places;
            place(store, id, has_place && program != Program::Unschedulable);
        }
    } else {
        run(store, id, &pod, program);
    }
}

fn end(store: &mut Store, id: &Id, pod: &Value) {
    let deleted = view::time(pod, "/metadata/deletionTimestamp");
    let grace = view::number(pod, "/metadata/deletionGracePeriodSeconds");
    let asked = deleted.map(|at| at - SignedDuration::from_secs(grace));
    if asked.is_some_and(|at| at + GRACE <= store.now) {
        let path = format!("{}/{}", id.resource.path(&id.namespace), id.name);
        let now = json!({"gracePeriodSeconds": 0});
        store.handle("kubelet", &Call::new("DELETE", &path, now));
    }
}

fn place(store: &mut Store, id: &Id, has_place: bool) {
    let time = store.stamp();
    let reason = |pod: &Value| view::text(pod, "/status/conditions/0/reason").to_owned();
    let is_refused = store
        .get(id)
        .is_some_and(|pod| reason(pod) == "Unschedulable");
    if !has_place && is_refused {
        return;
    }
    store.edit("scheduler", id, |pod| {
        let mut condition = json!({
            "type": "PodScheduled", "status": "True", "lastTransitionTime": time,
        });
        if has_place {
            pod["spec"]["nodeName"] = json!("node-1");
        } else {
            condition["status"] = json!("False");
            condition["reason"] = json!("Unschedulable");
            condition["message"] = json!("0/3 nodes are available: 3 Insufficient cpu.");
        }
        pod["status"]["conditions"] = json!([condition]);
    });
}

fn run(store: &mut Store, id: &Id, pod: &Value, program: Program) {
    let now = store.now;
    let since = |pointer: &str| view::time(pod, pointer).map(|at| now.duration_since(at));
    let has_run_for = |seconds: i64| {
        let ran = since("/status/containerStatuses/0/state/running/startedAt");
        ran.is_some_and(|ran| ran >= SignedDuration::from_secs(seconds))
    };
    let has_waited = since("/status/containerStatuses/0/lastState/terminated/finishedAt")
        .is_none_or(|waited| waited >= BACK_OFF);
    let is_running = view::at(pod, "/status/containerStatuses/0/state/running").is_some();
    match program {
        _ if !is_running && has_waited => {
            start(store, id, pod, !matches!(program, Program::Slow(_)));
        }
        Program::Slow(seconds) if !view::is_ready(pod) && has_run_for(seconds) => {
            set_ready(store, id, true);
        }
        Program::Crashes(seconds) if is_running && has_run_for(seconds) => crash(store, id, pod),
        _ => {}
    }
}

fn restarts(pod: &Value) -> i64 {
    view::number(pod, "/status/containerStatuses/0/restartCount")
}

fn start(store: &mut Store, id: &Id, pod: &Value, is_ready: bool) {
    let time = store.stamp();
    let count = restarts(pod);
    let last = view::at(pod, "/status/containerStatuses/0/lastState").cloned();
    store.edit("kubelet", id, |pod| {
        let status = &mut pod["status"];
        status["phase"] = json!("Running");
        if status["startTime"].is_null() {
            status["startTime"] = json!(time);
        }
        status["containerStatuses"] = json!([{
            "name": "main", "ready": is_ready, "restartCount": count,
            "state": {"running": {"startedAt": time}}, "lastState": last.unwrap_or(json!({})),
        }]);
    });
    set_ready(store, id, is_ready);
}

fn crash(store: &mut Store, id: &Id, pod: &Value) {
    let time = store.stamp();
    let count = restarts(pod) + 1;
    store.edit("kubelet", id, |pod| {
        pod["status"]["containerStatuses"] = json!([{
            "name": "main", "ready": false, "restartCount": count,
            "state": {"waiting": {"reason": "CrashLoopBackOff"}},
            "lastState": {"terminated": {"exitCode": 1, "reason": "Error", "finishedAt": time}},
        }]);
    });
    set_ready(store, id, false);
}

fn set_ready(store: &mut Store, id: &Id, is_ready: bool) {
    let time = store.stamp();
    let status = if is_ready { "True" } else { "False" };
    store.edit("kubelet", id, |pod| {
        let scheduled = pod["status"]["conditions"][0].clone();
        let before = pod["status"]["conditions"][1].clone();
        let mut ready = json!({"type": "Ready", "status": status, "lastTransitionTime": time});
        if before["status"] == status {
            ready["lastTransitionTime"] = before["lastTransitionTime"].clone();
        }
        pod["status"]["conditions"] = json!([scheduled, ready]);
    });
}
