//! Scheduler and kubelets in one: a pod that may be placed gets a node, and runs a little later.

use std::collections::VecDeque;
use std::sync::Arc;
use std::time::Duration;

use serde_json::{Value, json};
use sim::service::Server;
use sim::store::Record;
use sim::{Id, Resource, Store, view};
use tokio::time::{Instant, sleep_until};

use crate::meter::Outside;

/// The time from a pod's node to its running state.
const START: Duration = Duration::from_secs(1);
/// Entries of the log that are kept for lagging watches, and for lists.
const KEPT: usize = 20_000;

/// Acts for ever.
pub fn start(server: &Server) {
    let server = server.clone();
    tokio::spawn(Outside::new(move || act(server)));
}

async fn act(server: Server) {
    let mut changes = server.changes();
    let mut kubelet = Kubelet::default();
    loop {
        changes.mark_unchanged();
        server.with_store(|store| kubelet.place(store));
        let now = Instant::now();
        while let Some((_, pod)) = kubelet.starting.pop_front_if(|(at, _)| *at <= now) {
            server.with_store(|store| set_ready(store, &pod, true));
        }
        let next = kubelet.starting.front().map(|(at, _)| *at);
        tokio::select! {
            _ = changes.changed() => {}
            () = sleep_until(next.unwrap_or(now)), if next.is_some() => {}
        }
    }
}

#[derive(Default)]
struct Kubelet {
    /// How much of the log was read, and how much of it removed.
    seen: usize,
    emptied: usize,
    starting: VecDeque<(Instant, Id)>,
}

impl Kubelet {
    /// Gives nodes to the pods that may be placed since the last call.
    fn place(&mut self, store: &mut Store) {
        let new = store.log.get(self.seen..).unwrap_or_default();
        let free: Vec<Id> = new.iter().filter_map(find_free).collect();
        self.seen = store.log.len();
        for pod in free {
            bind(store, &pod);
            self.starting.push_back((Instant::now() + START, pod));
        }
        self.empty(store);
    }

    /// The log need not hold all versions of all objects: nothing reads back so far.
    fn empty(&mut self, store: &mut Store) {
        let end = store.log.len().saturating_sub(KEPT);
        let nothing = Arc::new(Value::Null);
        for record in store.log.get_mut(self.emptied..end).into_iter().flatten() {
            (record.before, record.after) = (None, None);
            record.last = nothing.clone();
        }
        self.emptied = self.emptied.max(end);
    }
}

fn find_free(record: &Record) -> Option<Id> {
    let pod = record.after.as_ref()?;
    let is_free = record.id.resource == Resource::Pod
        && view::gates(pod).is_empty()
        && view::text(pod, "/spec/nodeName").is_empty();
    is_free.then(|| record.id.clone())
}

fn bind(store: &mut Store, pod: &Id) {
    let time = store.stamp();
    store.edit("scheduler", pod, |pod| {
        pod["spec"]["nodeName"] = json!("node-1");
        pod["status"]["conditions"] =
            json!([{"type": "PodScheduled", "status": "True", "lastTransitionTime": time}]);
    });
}

/// The pod runs, and is Ready or not.
pub fn set_ready(store: &mut Store, pod: &Id, is_ready: bool) {
    let time = store.stamp();
    let ready = if is_ready { "True" } else { "False" };
    store.edit("kubelet", pod, |pod| {
        pod["status"] = json!({
            "phase": "Running",
            "conditions": [
                {"type": "PodScheduled", "status": "True", "lastTransitionTime": time},
                {"type": "Ready", "status": ready, "lastTransitionTime": time},
            ],
            "containerStatuses": [{
                "name": "main", "ready": is_ready, "restartCount": 0,
                "state": {"running": {"startedAt": time}},
            }],
        });
    });
}

/// Changes a field of the pod that the operator does not read.
pub fn say_nothing_new(store: &mut Store, pod: &Id, number: usize) {
    store.edit("kubelet", pod, |pod| {
        pod["status"]["podIP"] = json!(format!("10.0.{}.{}", number / 250, number % 250));
    });
}
