//! The results of single writes and of waves.

use std::collections::BTreeSet;

use api::{LastError, events};
use domain::plan::{Action, GuardedPatch, Kind, Purpose, Target};
use engine::apply::{Outcome, apply_plan};
use engine::backoff::Blocked;
use engine::event_recorder::summaries;
use jiff::Timestamp;
use k8s_openapi::api::core::v1::{Pod, Service};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::{ObjectMeta, OwnerReference};
use serde_json::{Value, json};

use crate::server::{context, context_that_keeps_bodies, failure};

fn pod(name: &str, owner: &str) -> Pod {
    Pod {
        metadata: ObjectMeta {
            name: Some(name.into()),
            namespace: Some("default".into()),
            owner_references: Some(vec![OwnerReference {
                kind: "PodClique".into(),
                name: "demo-0-a".into(),
                uid: owner.into(),
                controller: Some(true),
                ..OwnerReference::default()
            }]),
            ..ObjectMeta::default()
        },
        ..Pod::default()
    }
}

pub fn create(name: &str) -> Action {
    Action::create(pod(name, "owner"))
}

pub fn delete(name: &str) -> Action {
    Action::delete::<Pod>(&pod(name, "owner").metadata, Purpose::ScaleInPod)
}

fn stored(name: &str, owner: &str) -> Value {
    let mut pod = pod(name, owner);
    pod.metadata.uid = Some(format!("uid-{name}"));
    pod.metadata.resource_version = Some("7".into());
    json!(pod)
}

pub fn first(outcome: &Outcome) -> &LastError {
    &outcome.failures[0].error
}

pub async fn run(
    answers: Vec<(u16, Value)>,
    waves: Vec<Vec<Action>>,
) -> (Outcome, Vec<String>, usize) {
    let (context, asked) = context(answers);
    let outcome = apply_plan(&context, &waves, &Blocked::default(), Timestamp::UNIX_EPOCH).await;
    let asked = asked.lock().unwrap().clone();
    (outcome, asked, context.caches.of::<domain::Pod>().len())
}

#[tokio::test]
async fn puts_a_created_object_into_the_cache_at_once() {
    let (outcome, _, cached) =
        run(vec![(201, stored("a", "owner"))], vec![vec![create("a")]]).await;
    assert!(outcome.is_complete());
    assert_eq!(cached, 1);
}

#[tokio::test]
async fn takes_a_name_held_by_its_own_object_for_a_lost_answer() {
    let answers = vec![
        (409, failure(409, "AlreadyExists")),
        (200, stored("a", "owner")),
    ];
    let (outcome, asked, cached) = run(answers, vec![vec![create("a")]]).await;
    assert!(outcome.is_complete());
    assert_eq!(
        asked,
        [
            "POST /api/v1/namespaces/default/pods",
            "GET /api/v1/namespaces/default/pods/a"
        ]
    );
    assert_eq!(cached, 1);
}

#[tokio::test]
async fn takes_another_name_for_a_pod_whose_name_is_taken() {
    let answers = vec![
        (409, failure(409, "AlreadyExists")),
        (200, stored("a", "somebody")),
    ];
    let (outcome, _, cached) = run(answers, vec![vec![create("a")]]).await;
    assert_eq!(
        outcome.conflicts.len(),
        1,
        "the next decide takes another one"
    );
    assert_eq!(cached, 0);
}

/// The watch has not shown it: its slot is taken until it is gone.
#[tokio::test]
async fn waits_for_the_end_of_its_own_pod_that_goes() {
    let mut going = stored("a", "owner");
    going["metadata"]["deletionTimestamp"] = json!("2026-01-01T00:00:00Z");
    let answers = vec![(409, failure(409, "AlreadyExists")), (200, going)];
    let (outcome, _, cached) = run(answers, vec![vec![create("a")]]).await;
    assert_eq!(outcome.conflicts.len(), 1);
    assert_eq!(cached, 1, "the next decision sees it");
}

#[tokio::test]
async fn names_the_owner_of_a_name_that_is_taken() {
    let service = |owner: &str| Service {
        metadata: pod("demo", owner).metadata,
        ..Service::default()
    };
    let mut holder = service("somebody");
    holder.metadata.uid = Some("u".into());
    let answers = vec![(409, failure(409, "AlreadyExists")), (200, json!(holder))];
    let wave = vec![Action::create(service("owner"))];
    let (outcome, _, _) = run(answers, vec![wave]).await;
    insta::assert_snapshot!(first(&outcome).description);
    assert_eq!(first(&outcome).code, "ERR_NAME_CONFLICT");
    assert_eq!(summaries(&outcome)[0].reason, events::NAME_CONFLICT);
}

#[tokio::test]
async fn tries_one_pod_first_and_no_other_when_it_is_refused() {
    let answers = vec![(403, failure(403, "Forbidden")), (200, json!({}))];
    let waves = vec![
        vec![create("a"), create("b"), create("c")],
        vec![create("d"), delete("e")],
    ];
    let (outcome, asked, _) = run(answers, waves).await;
    let expected = [
        "POST /api/v1/namespaces/default/pods",
        "DELETE /api/v1/namespaces/default/pods/e",
    ];
    assert_eq!(
        asked, expected,
        "a refusal stops its own kind of write and nothing else"
    );
    assert_eq!((outcome.failures.len(), outcome.is_cut_short), (1, true));
}

#[tokio::test]
async fn stops_when_the_server_does_not_answer() {
    let answers = vec![(503, failure(503, "ServiceUnavailable"))];
    let (outcome, asked, _) = run(answers, vec![vec![create("a")], vec![delete("e")]]).await;
    assert_eq!(asked.len(), 1);
    assert_eq!(first(&outcome).code, "ERR_API_UNAVAILABLE");
}

/// New definitions: for half a minute the API server refuses objects that it takes afterwards.
#[tokio::test]
async fn takes_a_kind_that_admission_does_not_know_yet_for_no_answer() {
    let mut unknown = failure(403, "Forbidden");
    unknown["message"] = "pods \"a\" is forbidden: cannot set blockOwnerDeletion in this case \
        because cannot find RESTMapping for APIVersion grove.io/v1alpha1 Kind PodClique"
        .into();
    let (outcome, ..) = run(vec![(403, unknown)], vec![vec![create("a")]]).await;
    assert!(!outcome.failures[0].is_refused);
    assert_eq!(first(&outcome).code, "ERR_API_UNAVAILABLE");
}

#[tokio::test]
async fn takes_an_object_that_is_too_large_for_the_store_for_refused() {
    let mut too_large = failure(500, "InternalError");
    too_large["message"] = "etcdserver: request is too large".into();
    let answers = vec![(500, too_large), (200, json!({}))];
    let (outcome, asked, _) = run(answers, vec![vec![create("a")], vec![delete("e")]]).await;
    assert_eq!(asked.len(), 2, "the server did answer");
    assert!(outcome.failures[0].is_refused);
    assert_eq!(first(&outcome).code, "ERR_CREATE_POD");
}

#[tokio::test]
async fn stops_at_an_object_that_cannot_be_read_and_says_so() {
    let mut unreadable = stored("a", "owner");
    unreadable["spec"] = json!({"schedulingGates": true});
    let answers = vec![(409, failure(409, "AlreadyExists")), (200, unreadable)];
    let (outcome, asked, cached) = run(answers, vec![vec![create("a")], vec![delete("e")]]).await;
    assert_eq!((asked.len(), cached), (2, 0));
    assert!(!outcome.failures[0].is_refused, "asked again soon");
    assert_eq!(first(&outcome).code, "ERR_CREATE_POD");
    insta::assert_snapshot!(first(&outcome).description);
}

#[tokio::test]
async fn leaves_out_actions_that_have_to_wait() {
    let (context, asked) = context(vec![(200, json!({}))]);
    let blocked = Blocked {
        classes: BTreeSet::from([("create", Kind::of::<Pod>())]),
        ..Blocked::default()
    };
    let waves = [vec![create("a")], vec![delete("e")]];
    let outcome = apply_plan(&context, &waves, &blocked, Timestamp::UNIX_EPOCH).await;
    assert_eq!(
        *asked.lock().unwrap(),
        ["DELETE /api/v1/namespaces/default/pods/e"]
    );
    assert!(outcome.is_cut_short && outcome.failures.is_empty());
}

#[tokio::test]
async fn takes_a_failed_test_of_a_patch_for_a_conflict() {
    let message = "the server rejected our request due to an error in our request";
    let mut answer = failure(422, "Invalid");
    answer["message"] = json!(message);
    let patch =
        GuardedPatch::of::<Pod>(&pod("a", "owner").metadata).because(Purpose::RestoreLabels);
    let (outcome, _, _) = run(vec![(422, answer)], vec![vec![patch]]).await;
    assert_eq!((outcome.conflicts.len(), outcome.errors().count()), (1, 0));
}

#[tokio::test]
async fn decides_again_when_the_object_to_delete_is_gone_or_another() {
    for answer in [
        (404, failure(404, "NotFound")),
        (409, failure(409, "Conflict")),
    ] {
        let target = pod("a", "owner").metadata;
        let wave = vec![Action::delete::<Pod>(&target, Purpose::ScaleInPod)];
        let (outcome, _, _) = run(vec![answer], vec![wave]).await;
        assert_eq!(outcome.conflicts.len(), 1);
        assert_eq!(outcome.errors().count(), 0, "not the user's problem");
    }
}

/// The same version is not sent twice while a lagging view shows it.
#[tokio::test]
async fn a_concurrently_changed_object_is_not_sent_again_in_the_same_version() {
    let mut seen = stored_meta("a");
    seen.resource_version = Some("7".into());
    let wave = || vec![Action::delete_as_seen::<Pod>(&seen, Purpose::ScaleInPod)];
    let (outcome, ..) = run(vec![(409, failure(409, "Conflict"))], vec![wave()]).await;
    assert!(!outcome.outdated.is_empty() && !outcome.awaits_version);
    let blocked = Blocked {
        outdated: outcome.outdated,
        ..Blocked::default()
    };
    let (context, asked) = context(vec![]);
    let outcome = apply_plan(&context, &[wave()], &blocked, Timestamp::UNIX_EPOCH).await;
    assert!(asked.lock().unwrap().is_empty());
    assert!(outcome.is_cut_short && outcome.awaits_version);
}

/// A user may remove the owner reference of an object between the observation and the request.
#[tokio::test]
async fn deletes_the_version_that_was_seen_and_no_other() {
    let (context, _, bodies) = context_that_keeps_bodies(vec![(200, json!({}))]);
    let mut seen = stored_meta("a");
    seen.resource_version = Some("7".into());
    let wave = vec![Action::delete_as_seen::<Pod>(&seen, Purpose::ScaleInPod)];
    apply_plan(
        &context,
        &[wave],
        &Blocked::default(),
        Timestamp::UNIX_EPOCH,
    )
    .await;
    let sent = bodies.lock().unwrap()[0]["preconditions"].clone();
    assert_eq!(sent, json!({"uid": "uid-a", "resourceVersion": "7"}));
}

#[tokio::test]
async fn says_that_the_server_is_away_in_words_for_the_user() {
    let (outcome, _, _) = run(
        vec![(503, failure(503, "ServiceUnavailable"))],
        vec![vec![create("a")]],
    )
    .await;
    insta::assert_snapshot!(first(&outcome).description);
}

#[tokio::test]
async fn patches_no_other_object_that_took_the_name() {
    let target = Target::of::<Pod>(&stored_meta("a"));
    let patch = json!({"metadata": {"labels": {"a": "b"}}});
    let mut refusal = failure(422, "Invalid");
    refusal["details"] = json!({"causes": [{
        "reason": "FieldValueInvalid", "field": "metadata.uid", "message": "field is immutable",
    }]});
    let (outcome, ..) = run(
        vec![(422, refusal)],
        vec![vec![Action::Merge { target, patch }]],
    )
    .await;
    assert!(outcome.failures.is_empty(), "no error to report");
    assert_eq!(outcome.conflicts.len(), 1, "but to decide again");
}

fn stored_meta(name: &str) -> ObjectMeta {
    ObjectMeta {
        uid: Some(format!("uid-{name}")),
        ..pod(name, "owner").metadata
    }
}
