//! Two sets whose updates wait for each other's room (docs/semantics.md §14.4).

use std::time::Duration;

use serde_json::{Value, json};

use super::room::{has_ended, placed};
use crate::harness::manifest::set;
use crate::harness::{Namespace, Seen, same, site};
use crate::schedulers::kubernetes::nodes::Nodes;

const PLACE: &str = "example.com/contended-place";

/// Longer than a pod has to wait until it counts as one without room.
const LIMIT: Duration = Duration::from_mins(3);

/// Two pods that need each other.
fn pair(name: &str, version: &str) -> Value {
    set(name, &[placed(2, version, PLACE)], &[])
}

/// A set that is terminated when it is breached.
fn terminated(version: &str) -> Value {
    let mut terminated = pair("ends", version);
    terminated["spec"]["template"]["terminationDelay"] = json!("2s");
    terminated
}

/// A pod that takes the room of the next pod that is deleted.
fn filler(name: &str) -> Value {
    let resources = json!({"limits": {PLACE: "8"}});
    json!({
        "apiVersion": "v1", "kind": "Pod", "metadata": {"name": name},
        "spec": {"containers": [{
            "name": "main", "image": "registry.k8s.io/pause:3.10", "resources": resources,
        }]},
    })
}

fn ready_pods(seen: &Seen, set: &str) -> Result<u64, String> {
    let podclique = seen.one("PodClique", &format!("{set}-0-web"))?;
    Ok(podclique["status"]["readyReplicas"].as_u64().unwrap_or(0))
}

/// Each has lost one pod of two and the room of it. The one with a terminationDelay is terminated as
/// a whole, which gives its room to either of them; the other one has got room by then, or says that
/// it has none. With room for both, both updates end.
#[test]
fn a_set_without_room_is_terminated_in_its_turn_and_both_end_with_room() {
    let ns = Namespace::new("contended");
    let mut nodes = Nodes::new(&site::shared().control_plane, PLACE, 4);
    ns.apply(&terminated("1"));
    ns.apply(&pair("waits", "1"));
    ns.until("both run", |seen| {
        same("ready", &ready_pods(seen, "ends")?, &2)?;
        same("ready", &ready_pods(seen, "waits")?, &2)
    });
    for name in ["filler-1", "filler-2"] {
        ns.apply(&filler(name));
    }
    ns.apply(&terminated("2"));
    ns.apply(&pair("waits", "2"));
    ns.until("each has half of its room", |seen| {
        same("ready", &ready_pods(seen, "ends")?, &1)?;
        same("ready", &ready_pods(seen, "waits")?, &1)
    });
    ns.within(
        LIMIT,
        "one is terminated, and the other one reports it",
        |seen| {
            let terminated = ns.events("ends", "GangTerminated");
            same("whether it is terminated", &!terminated.is_empty(), &true)?;
            let conditions = seen.one("PodCliqueSet", "waits")?["status"]["conditions"].to_string();
            let is_reported = conditions.contains("replica 0 has had no room");
            let is_reported = is_reported || has_ended(seen, "waits").is_ok();
            same("whether the other one reports it", &is_reported, &true)
        },
    );
    nodes.add(2);
    for name in ["ends", "waits"] {
        ns.within(LIMIT, "its update ends", |seen| {
            same("ready", &ready_pods(seen, name)?, &2)?;
            has_ended(seen, name)
        });
    }
}
