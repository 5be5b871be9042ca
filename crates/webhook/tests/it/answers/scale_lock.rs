//! Sizes while a coherent update is in progress, with the lock and without it.

use admission::scale_lock::ScaleLock;
use api::podcliqueset::{PcsUpdateProgress, UpdateStrategy, UpdateStrategyType};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::Time;
use rstest::rstest;
use serde_json::{Value, json};
use testkit::builders::EPOCH;
use webhook::answers::{Hook, Judge};

use super::cases::{OPERATOR, by, deleting, of_group, of_service};
use super::refused::words;
use super::{clique, group, replicas_changed, stored, verdict, with};
use crate::made_up::{MadeUp, judge};
use crate::questions::{GROUPS, PODCLIQUES, SETS, ask, delete, scale, update};

const HPA: &str = "system:serviceaccount:kube-system:horizontal-pod-autoscaler";

/// The stored objects while all sets are updated coherently.
fn updating() -> MadeUp {
    let mut stored = stored();
    for set in &mut stored.sets {
        set.spec.update_strategy = Some(UpdateStrategy {
            type_: UpdateStrategyType::Coherent,
            ..UpdateStrategy::default()
        });
        let progress = PcsUpdateProgress::begin(Time(*EPOCH));
        set.status.get_or_insert_default().update_progress = Some(progress);
    }
    stored
}

fn unlocked() -> Judge {
    judge(updating(), None)
}

fn locked() -> Judge {
    let lock = ScaleLock {
        operator: OPERATOR.into(),
    };
    Judge {
        scale_lock: Some(lock),
        ..unlocked()
    }
}

fn relabelled(object: &Value) -> Value {
    with(object.clone(), "/metadata/labels", json!({"a": "b"}))
}

fn deleting_and_resized() -> Value {
    with(deleting(of_service()), "/spec/replicas", json!(9))
}

#[rstest]
#[case::changed(replicas_changed(&of_service(), PODCLIQUES), "403")]
#[case::of_a_group(replicas_changed(&of_group("serve-0-prefill"), PODCLIQUES), "403")]
#[case::scaled(scale(PODCLIQUES, "serve-0-a", 3), "403")]
#[case::of_a_group_and_scaled(scale(PODCLIQUES, "serve-0-prefill-0-a", 3), "403")]
#[case::scaled_by_an_autoscaler(by(scale(PODCLIQUES, "serve-0-a", 3), HPA), "403")]
#[case::scaled_by_the_operator(by(scale(PODCLIQUES, "serve-0-a", 3), OPERATOR), "allowed")]
#[case::changed_by_the_operator(
    by(replicas_changed(&of_service(), PODCLIQUES), OPERATOR),
    "allowed"
)]
#[case::scaled_to_its_size(scale(PODCLIQUES, "serve-0-a", 1), "allowed")]
#[case::relabelled(update(PODCLIQUES, &of_service(), &relabelled(&of_service())), "allowed")]
#[case::being_deleted(update(PODCLIQUES, &of_service(), &deleting_and_resized()), "allowed")]
#[case::deleted(delete(PODCLIQUES, &of_service()), "allowed")]
#[case::of_an_unknown_set(
    replicas_changed(&clique(["PodCliqueSet", "gone"]), PODCLIQUES),
    "allowed"
)]
#[case::of_an_unknown_group(scale(PODCLIQUES, "gone-0-prefill-0-a", 3), "allowed")]
#[case::not_seen_yet(scale(PODCLIQUES, "new-0-a", 3), "allowed")]
fn podcliques(#[case] asked: Value, #[case] expected: &str) {
    let answer = ask(&locked(), Hook::ValidatePodClique, &asked);
    assert_eq!(verdict(&answer), expected, "{answer:?}");
    let answer = ask(&unlocked(), Hook::ValidatePodClique, &asked);
    assert_eq!(verdict(&answer), "allowed", "without the lock: {answer:?}");
}

#[rstest]
#[case::changed(replicas_changed(&group("serve"), GROUPS), "403")]
#[case::scaled(scale(GROUPS, "serve-0-prefill", 3), "403")]
#[case::scaled_by_an_autoscaler(by(scale(GROUPS, "serve-0-prefill", 3), HPA), "403")]
#[case::scaled_by_the_operator(by(scale(GROUPS, "serve-0-prefill", 3), OPERATOR), "allowed")]
#[case::relabelled(update(GROUPS, &group("serve"), &relabelled(&group("serve"))), "allowed")]
#[case::of_an_unknown_set(replicas_changed(&group("gone"), GROUPS), "allowed")]
#[case::not_seen_yet(scale(GROUPS, "new-0-prefill", 3), "allowed")]
fn groups(#[case] asked: Value, #[case] expected: &str) {
    let answer = ask(&locked(), Hook::ValidateGroup, &asked);
    assert_eq!(verdict(&answer), expected, "{answer:?}");
    let answer = ask(&unlocked(), Hook::ValidateGroup, &asked);
    assert_eq!(verdict(&answer), "allowed", "without the lock: {answer:?}");
}

#[test]
fn the_set_itself_may_be_scaled() {
    let question = scale(SETS, "serve", 3);
    let answer = ask(&locked(), Hook::ValidateSet, &question);
    assert_eq!(verdict(&answer), "allowed", "{answer:?}");
}

#[test]
fn an_autoscaler_gets_groves_words_as_forbidden() {
    let question = by(scale(PODCLIQUES, "serve-0-a", 3), HPA);
    let (code, reason, text) = words(ask(&locked(), Hook::ValidatePodClique, &question));
    assert_eq!((code, reason), (403, "Forbidden"));
    let begin = "spec.replicas changes are not allowed while a coherent update is in progress on \
                 PodCliqueSet default/serve, complete the update before scaling: 3 is refused, \
                 1 stays; ";
    assert!(text.starts_with(begin), "{text}");
}
