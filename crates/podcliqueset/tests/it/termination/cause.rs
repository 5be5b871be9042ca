//! The pod that a termination goes back to is stored with the attempt.

use std::sync::Arc;

use api::events;
use api::podclique::{BreachCause, LostPod};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::Time;
use podcliqueset::Snapshot;
use testkit::builders::after;

use super::{attempts, delegate, lose, running};
use crate::situation::{carry_out, plan};

/// The PodClique keeps this pod as the one that began its breach; the pod is gone.
fn keep_cause(snapshot: &mut Snapshot, name: &str, pod: &str) {
    let seen = snapshot.podcliques.get_mut(name).unwrap();
    let status = Arc::make_mut(&mut seen.podclique).status.as_mut().unwrap();
    status.breach_cause = Some(BreachCause {
        message: format!("{pod} on node-3: DeletionByTaintManager"),
        time: Some(Time(after(0))),
        is_disruption: true,
        pod: Some(LostPod {
            name: pod.to_owned(),
            node: Some("node-3".into()),
            reason: "DeletionByTaintManager".into(),
            exit_code: None,
            last_words: Some("the node is lost".into()),
        }),
    });
}

/// A group that is breached names only its replicas, and an hour later nothing else knows the pod.
#[test]
fn the_attempt_keeps_the_pod_that_it_goes_back_to() {
    let mut snapshot = running(1, Some("60s"));
    for name in ["demo-0-g-1-leader", "demo-0-g-2-leader"] {
        lose(&mut snapshot, name, 0);
    }
    keep_cause(&mut snapshot, "demo-0-g-2-leader", "demo-0-g-2-leader-p0");
    delegate(&mut snapshot, 0);
    let first = plan(&snapshot);
    assert_eq!(attempts(&first), [(0, 1)]);
    let attempt = first.status.as_ref().unwrap().replica_attempts[0].clone();
    let cause = attempt.cause.unwrap();
    assert_eq!(
        (&*cause.clique, &*cause.pod, cause.node.as_deref()),
        ("leader", "demo-0-g-2-leader-p0", Some("node-3"))
    );
    assert_eq!(cause.reason, "DeletionByTaintManager");
    assert_eq!(cause.message.as_deref(), Some("the node is lost"));
    assert_eq!(cause.time, Some(Time(after(0))));
    carry_out(&mut snapshot, &first);
    let events = plan(&snapshot).events;
    let event = events.iter().find(|e| e.reason == events::GANG_TERMINATED);
    let words = "clique leader: demo-0-g-2-leader-p0 on node-3: DeletionByTaintManager";
    let message = &event.unwrap().message;
    assert!(message.contains(words), "{message}");
}

#[test]
fn an_attempt_without_a_known_pod_has_no_cause() {
    let mut snapshot = running(1, Some("60s"));
    lose(&mut snapshot, "demo-0-frontend", 0);
    let status = plan(&snapshot).status.unwrap();
    assert_eq!(status.replica_attempts[0].cause, None);
}
