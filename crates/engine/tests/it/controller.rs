//! One controller from key to written status.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use api::{PodClique, PodCliqueStatus};
use domain::plan::Plan;
use engine::routes::Controller;
use engine::{Reconciler, World, controller};
use jiff::Timestamp;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;
use serde_json::json;
use tokio::sync::Notify;

use crate::server::{Asked, hub};

/// Wants `replicas` in the status; panics on an object called `bad`.
struct Rules {
    decided: Arc<AtomicUsize>,
}

impl Reconciler for Rules {
    type Object = PodClique;
    type Status = PodCliqueStatus;
    type Snapshot = Arc<PodClique>;
    const CONTROLLER: Controller = Controller::PodClique;

    fn observe(&self, object: &Arc<PodClique>, _: &World) -> Arc<PodClique> {
        object.clone()
    }

    fn decide(&self, snapshot: &Arc<PodClique>, _: Timestamp) -> Plan<PodCliqueStatus> {
        self.decided.fetch_add(1, Ordering::SeqCst);
        assert_ne!(snapshot.metadata.name.as_deref(), Some("bad"));
        let status = PodCliqueStatus {
            replicas: 3,
            ..PodCliqueStatus::default()
        };
        Plan {
            status: Some(status),
            ..Plan::default()
        }
    }
}

fn podclique(name: &str, version: &str) -> PodClique {
    PodClique {
        metadata: ObjectMeta {
            name: Some(name.into()),
            namespace: Some("default".into()),
            uid: Some(format!("uid-{name}")),
            resource_version: Some(version.into()),
            ..ObjectMeta::default()
        },
        ..PodClique::default()
    }
}

/// Runs the controller on these objects until `done` holds of what it asked.
async fn run_until(names: &[&str], done: impl Fn(&[String]) -> bool) -> (Vec<String>, usize) {
    let mut written = podclique("good", "8");
    written.status = Some(PodCliqueStatus {
        replicas: 3,
        ..PodCliqueStatus::default()
    });
    let (hub, asked) = hub(vec![(200, json!(written))]);
    for name in names {
        hub.publish(hub.world.podcliques.apply(podclique(name, "7")));
    }
    let decided = Arc::new(AtomicUsize::new(0));
    let stop = Arc::new(Notify::new());
    let stopped = stop.clone();
    let rules = Rules {
        decided: decided.clone(),
    };
    let task = tokio::spawn(controller::run(rules, hub, 2, async move {
        stopped.notified().await;
    }));
    wait(&asked, done).await;
    stop.notify_one();
    task.await.unwrap();
    (
        asked.lock().unwrap().clone(),
        decided.load(Ordering::SeqCst),
    )
}

async fn wait(asked: &Asked, done: impl Fn(&[String]) -> bool) {
    let poll = async {
        while !done(&asked.lock().unwrap()) {
            tokio::task::yield_now().await;
        }
    };
    tokio::time::timeout(std::time::Duration::from_secs(20), poll)
        .await
        .expect("never done");
}

#[tokio::test]
async fn writes_the_status_once_and_is_quiet_when_it_is_right() {
    let (asked, decided) = run_until(&["good"], |asked| !asked.is_empty()).await;
    assert_eq!(
        asked,
        ["PUT /apis/grove.io/v1alpha1/namespaces/default/podcliques/good/status"]
    );
    assert!((1..=2).contains(&decided), "{decided}");
}

#[tokio::test]
async fn goes_on_with_others_when_a_rule_panics() {
    let (asked, _) = run_until(&["bad", "good"], |asked| !asked.is_empty()).await;
    assert_eq!(asked.len(), 1);
}
