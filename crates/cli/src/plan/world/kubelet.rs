//! Scheduler and kubelet: a pod gets a node as soon as it has no gates, and is Ready as soon as it
//! may start. A pod from the cluster keeps its state unless it waited for the operator, because the
//! time at which it will be Ready is unknown.

use std::collections::BTreeMap;

use api::{labels, start_order};
use domain::Node;
use domain::plan::Kind;
use serde_json::{Value, json};

use super::{Id, World};
use crate::exit::Failure;
use crate::json;

/// A node with unlimited room.
pub(crate) const NODE: &str = "planned";

impl World {
    /// The status of a new pod.
    pub(super) fn start(&mut self, id: &Id, pod: &mut Value) {
        let mut status = json!({"phase": "Pending"});
        if is_gated(pod) {
            let gated = json!({"type": "PodScheduled", "status": "False"});
            json::set(&mut status, "", "conditions", json!([gated]));
        }
        json::set(pod, "", "status", status);
        self.starting.insert(id.clone());
    }

    /// Advances all pods that may continue; returns whether any did.
    pub(super) fn run_kubelet(&mut self) -> Result<bool, Failure> {
        let version = self.version;
        for id in std::mem::take(&mut self.starting) {
            let Some(pod) = self.get(&id).cloned() else {
                continue;
            };
            if json::is_terminating(&pod) {
                self.delete(&id)?;
            } else if let Some(status) = next_status(&pod, &self.stamp()) {
                let mut next = (*pod).clone();
                let node = self.choose_node(&pod);
                json::set(&mut next, "/spec", "nodeName", json!(node));
                json::set(&mut next, "", "status", status);
                self.put_all(&id, next)?;
            }
        }
        // Its own writes do not trigger it again.
        self.starting.clear();
        Ok(self.version != version)
    }

    /// The node of a pod that joins others in a topology domain is the first one there.
    fn choose_node(&self, pod: &Value) -> String {
        let pin: Option<BTreeMap<String, String>> =
            serde_json::from_str(json::annotation(pod, labels::PINNED)).ok();
        let is_there = |node: &Value| {
            let mut pin = pin.iter().flatten();
            pin.all(|(key, value)| json::label(node, key) == value)
        };
        let mut nodes = self.stored(Kind::of::<Node>());
        let found = nodes.find(|(_, node)| pin.is_some() && is_there(node));
        found.map_or_else(|| NODE.to_owned(), |(key, _)| key.name.clone())
    }
}

/// The next status of a pod; none if it waits, or is Ready already.
fn next_status(pod: &Value, now: &str) -> Option<Value> {
    if is_gated(pod) || json::text(pod, "/status/phase") != "Pending" {
        return None;
    }
    let condition = |type_: &str, status: &str| json!({"type": type_, "status": status, "lastTransitionTime": now});
    if awaits_start(pod) {
        let running = json!({"running": {"startedAt": now}});
        let init = json!({"name": start_order::CONTAINER, "ready": false, "state": running});
        return Some(json!({
            "phase": "Pending",
            "conditions": [condition("PodScheduled", "True"), condition("Ready", "False")],
            "initContainerStatuses": [init],
        }));
    }
    let containers = json::items(pod, "/spec/containers");
    let started = containers.map(|container| {
        let running = json!({"running": {"startedAt": now}});
        json!({
            "name": container.get("name"), "image": json::member(container, "image"),
            "ready": true, "restartCount": 0, "state": running,
        })
    });
    // Without a time it counts as available at once: an update goes on without `minReadySeconds`.
    let ready = json!({"type": "Ready", "status": "True"});
    Some(json!({
        "phase": "Running",
        "conditions": [condition("PodScheduled", "True"), ready],
        "containerStatuses": started.collect::<Vec<_>>(),
    }))
}

fn is_gated(pod: &Value) -> bool {
    json::items(pod, "/spec/schedulingGates").next().is_some()
}

fn awaits_start(pod: &Value) -> bool {
    let mut volumes = json::items(pod, "/spec/volumes");
    let is_held = volumes.any(|volume| json::member(volume, "name") == start_order::VOLUME);
    is_held && !start_order::is_start(json::annotation(pod, labels::START))
}
