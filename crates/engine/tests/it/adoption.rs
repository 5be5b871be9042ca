//! An owner that is being deleted adopts nothing, whatever the view shows.

use std::sync::Arc;

use api::{PodClique, PodCliqueStatus};
use domain::Key;
use domain::object::ownership;
use domain::plan::{Action, Plan};
use engine::triggers::TriggersOf;
use engine::worker::Worker;
use engine::{Caches, ControllerName, Pace, Reconciler};
use jiff::Timestamp;
use serde_json::{Value, json};

use crate::server::{PODCLIQUE, Reply, context_of, failure, scripted};

/// Wants to be the owner of the PodClique `left`, and another one beside it.
struct Adopts;

impl Reconciler for Adopts {
    type Object = PodClique;
    type Status = PodCliqueStatus;
    type Snapshot = (Arc<PodClique>, Arc<PodClique>);
    const NAME: ControllerName = PODCLIQUE;

    fn triggers(_: &mut TriggersOf<'_>) {}

    fn pace(_: Option<&PodCliqueStatus>, _: &PodCliqueStatus) -> Pace {
        Pace::Now
    }

    fn observe(&self, object: &Arc<PodClique>, caches: &Caches) -> Self::Snapshot {
        let left = caches.of::<PodClique>().get(&key("left"));
        (object.clone(), left.unwrap())
    }

    fn decide(&self, (owner, left): &Self::Snapshot, _: Timestamp) -> Plan<PodCliqueStatus> {
        let mut adopted = PodClique::clone(left);
        let reference = ownership::controller_reference(&**owner);
        adopted.metadata.owner_references = Some(vec![reference]);
        let mut plan = Plan::default();
        plan.wave(vec![Action::replace(adopted)]);
        plan
    }
}

fn key(name: &str) -> Key {
    Key::new("default", name)
}

fn podclique(name: &str) -> Value {
    json!({
        "apiVersion": "grove.io/v1alpha1", "kind": "PodClique",
        "metadata": {"name": name, "namespace": "default", "uid": name, "resourceVersion": "7"},
        "spec": {"roleName": name, "podSpec": {"containers": []}, "replicas": 1},
    })
}

fn with(mut object: Value, key: &str, value: Value) -> Value {
    object["metadata"][key] = value;
    object
}

/// The writes where the owner, and the group that controls it, are read with these values.
async fn writes(owner: Value, group: Option<Value>) -> Vec<String> {
    let (context, asked) = context_of(scripted(move |asked, _| match asked {
        _ if asked.starts_with("GET") && asked.contains("podcliques/owner") => {
            Reply::Answer(200, owner.clone())
        }
        _ if asked.starts_with("GET") => group.clone().map_or_else(
            || Reply::Answer(404, failure(404, "NotFound")),
            |group| Reply::Answer(200, group),
        ),
        _ => Reply::Answer(200, podclique("left")),
    }));
    for name in ["owner", "left"] {
        let seen: PodClique = serde_json::from_value(podclique(name)).unwrap();
        context.publish(context.caches.of::<PodClique>().apply(seen));
    }
    Worker::new(Adopts, context).reconcile(&key("owner")).await;
    let asked = asked.lock().unwrap();
    let is_write = |asked: &&String| !asked.starts_with("GET") && !asked.contains("/events");
    let writes = asked.iter().filter(is_write);
    writes.cloned().collect()
}

const ADOPTED: &str = "PUT /apis/grove.io/v1alpha1/namespaces/default/podcliques/left?";

#[tokio::test(start_paused = true)]
async fn an_owner_that_stays_adopts() {
    let writes = writes(podclique("owner"), None).await;
    assert_eq!(writes, [ADOPTED]);
}

#[tokio::test(start_paused = true)]
async fn an_owner_that_is_on_its_way_out_does_not() {
    let going = with(
        podclique("owner"),
        "deletionTimestamp",
        json!("2026-01-01T00:00:00Z"),
    );
    assert_eq!(writes(going, None).await, [""; 0]);
}

#[tokio::test(start_paused = true)]
async fn nor_does_one_whose_name_is_anothers_by_now() {
    let another = with(podclique("owner"), "uid", json!("another"));
    assert_eq!(writes(another, None).await, [""; 0]);
}

fn of_group() -> Value {
    let group = json!([{
        "apiVersion": "grove.io/v1alpha1", "kind": "PodCliqueScalingGroup", "name": "group",
        "uid": "group", "controller": true,
    }]);
    with(podclique("owner"), "ownerReferences", group)
}

fn group() -> Value {
    json!({
        "apiVersion": "grove.io/v1alpha1", "kind": "PodCliqueScalingGroup",
        "metadata": {"name": "group", "namespace": "default", "uid": "group", "resourceVersion": "7"},
        "spec": {"replicas": 1, "cliqueNames": []},
    })
}

/// The garbage collector deletes it with its owner.
#[tokio::test(start_paused = true)]
async fn nor_does_one_whose_own_owner_is_gone_or_goes() {
    assert_eq!(writes(of_group(), None).await, [""; 0]);
    let going = with(group(), "deletionTimestamp", json!("2026-01-01T00:00:00Z"));
    assert_eq!(writes(of_group(), Some(going)).await, [""; 0]);
    assert_eq!(writes(of_group(), Some(group())).await, [ADOPTED]);
}
