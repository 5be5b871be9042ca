//! Definitions that are older than the operator.

use std::time::Duration;

use engine::crds::{find_missing_fields, wait_until_current, wait_until_outdated};
use serde_json::{Value, json};

use crate::server::{client, context, failure};

/// Status fields of a PodClique that this operator needs.
const NEW: [&str; 5] = [
    "wasAvailable",
    "wasIdle",
    "scaledBelowTo",
    "breachedSince",
    "completedIndices",
];

fn section(fields: &[&str]) -> Value {
    let named = |field: &&str| ((*field).to_owned(), json!({"type": "string"}));
    let fields: serde_json::Map<String, Value> = fields.iter().map(named).collect();
    json!({"type": "object", "properties": fields})
}

/// The descriptions of both groups by the API server; of PodCliques with these status fields.
fn described(of_podclique: &[&str]) -> Vec<(u16, Value)> {
    let kind = |spec: &[&str], status: &[&str]| {
        json!({"properties": {
            "metadata": {"allOf": []}, "spec": section(spec), "status": section(status),
        }})
    };
    let set = [
        "replicaAttempts",
        "liveReplicas",
        "restartCount",
        "lastFailures",
    ];
    let group = [
        "observedAttempt",
        "replicaAttempts",
        "breachedSince",
        "scaledInReplicas",
    ];
    vec![
        (
            200,
            json!({"openapi": "3.0.0", "components": {"schemas": {
                "io.grove.v1alpha1.PodCliqueSet": kind(&["workloadType", "trainingSpec"], &set),
                "io.grove.v1alpha1.PodCliqueSetList": {"type": "object"},
                "io.grove.v1alpha1.PodCliqueScalingGroup": kind(&["workloadType"], &group),
                "io.grove.v1alpha1.PodClique": kind(&["workloadType"], of_podclique),
            }}}),
        ),
        (
            200,
            json!({"components": {"schemas": {
                "io.grove.scheduler.v1alpha1.PodGang": kind(&[], &["schedulingPhase"]),
            }}}),
        ),
    ]
}

#[tokio::test]
async fn says_which_fields_the_api_server_would_drop() {
    let (old, _) = client(described(&["replicas"]));
    let problems = find_missing_fields(&old).await.unwrap().unwrap();
    assert!(
        problems.contains("PodClique status.wasAvailable, PodClique status.wasIdle"),
        "{problems}"
    );
    let (new, _) = client(described(&NEW));
    assert_eq!(find_missing_fields(&new).await.unwrap(), None);
}

#[tokio::test(start_paused = true)]
async fn waits_for_definitions_that_are_new_enough_and_says_so() {
    let mut answers = vec![(404, failure(404, "NotFound"))];
    answers.extend(described(&[]));
    answers.extend(described(&NEW));
    let (client, _) = client(answers);
    let (context, _) = context(vec![]);
    let waiting = wait_until_current(&context, &client);
    let mut waiting = std::pin::pin!(waiting);
    let mut problems = Vec::new();
    while tokio::time::timeout(Duration::from_millis(100), &mut waiting)
        .await
        .is_err()
    {
        problems.extend(context.unsynced().remove("CustomResourceDefinitions"));
    }
    problems.dedup();
    assert_eq!(problems.len(), 2, "{problems:?}");
    assert!(
        problems[0].contains("not installed") && problems[1].contains("would drop"),
        "{problems:?}"
    );
    assert_eq!(context.unsynced().len(), 0);
}

/// A cluster that does not let accounts use discovery.
#[tokio::test]
async fn goes_on_where_nobody_may_look() {
    let (client, _) = client(vec![(403, failure(403, "Forbidden"))]);
    let (context, _) = context(vec![]);
    wait_until_current(&context, &client).await;
    assert_eq!(context.unsynced().len(), 0);
}

/// A chart that is rolled back, or another operator's installer. An API server that is away for a
/// moment does not count as a change.
#[tokio::test(start_paused = true)]
async fn older_definitions_are_noticed_while_the_operator_runs() {
    let mut answers = described(&NEW);
    answers.push((503, failure(503, "ServiceUnavailable")));
    answers.extend(described(&NEW));
    // An API server that starts describes one definition after the other.
    answers.extend([(200, json!({"openapi": "3.0.0"})), (200, json!({}))]);
    answers.extend(described(&["replicas"]));
    let (client, asked) = client(answers);
    let began = tokio::time::Instant::now();
    let missing = wait_until_outdated(&client).await;
    assert!(missing.contains("PodClique status.wasIdle"), "{missing}");
    assert_eq!(began.elapsed().as_secs(), 240);
    assert_eq!(asked.lock().unwrap().len(), 9);
}
