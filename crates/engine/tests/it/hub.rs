//! What the probes say of watches.

use std::time::Duration;

use api::PodClique;
use serde_json::{Value, json};

use crate::server::{client, hub};

fn list(version: &str) -> (u16, Value) {
    let list = json!({
        "kind": "PodCliqueList", "apiVersion": "grove.io/v1alpha1",
        "metadata": {"resourceVersion": version}, "items": [],
    });
    (200, list)
}

/// What is unsynced after so much time, with these answers and after them only errors.
async fn unsynced_after(seconds: u64, answers: Vec<(u16, Value)>) -> Vec<&'static str> {
    let (hub, _) = hub(Vec::new());
    hub.expect::<PodClique>();
    let (client, _) = client(answers);
    let watch = hub.clone().watch::<PodClique>(client);
    let _ = tokio::time::timeout(Duration::from_secs(seconds), watch).await;
    hub.unsynced().into_keys().collect()
}

#[tokio::test(start_paused = true)]
async fn a_kind_is_unsynced_until_it_is_listed_and_when_its_watch_is_lost() {
    assert_eq!(unsynced_after(1, vec![]).await, ["PodClique"]);
    assert_eq!(unsynced_after(1, vec![list("5")]).await, [""; 0]);
    assert_eq!(unsynced_after(20, vec![list("5")]).await, ["PodClique"]);
}

#[tokio::test(start_paused = true)]
async fn a_kind_that_is_listed_again_is_synced() {
    let too_old = || {
        (
            410,
            json!({"kind": "Status", "status": "Failure", "code": 410}),
        )
    };
    let mut answers = vec![list("5")];
    answers.extend((0..5).map(|_| too_old()));
    answers.push(list("9"));
    assert_eq!(unsynced_after(7, answers).await, [""; 0]);
}
