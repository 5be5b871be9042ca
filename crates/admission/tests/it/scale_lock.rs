//! The lock of sizes while a coherent update is in progress.

use admission::scale_lock::{Resize, ScaleLock};
use api::PodCliqueSet;
use api::podcliqueset::UpdateStrategyType::{self, Coherent, OnDelete, RollingRecreate};
use api::podcliqueset::{PcsUpdateProgress, UpdateStrategy};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::Time;
use rstest::rstest;
use testkit::builders::{EPOCH, after, set, stored};

const ALICE: &str = "alice";
const OPERATOR: &str = "system:serviceaccount:grove-system:grove-operator";
const HPA: &str = "system:serviceaccount:kube-system:horizontal-pod-autoscaler";

fn lock() -> ScaleLock {
    ScaleLock {
        operator: OPERATOR.into(),
    }
}

/// A set without an update.
fn resting(type_: UpdateStrategyType) -> PodCliqueSet {
    let strategy = UpdateStrategy {
        type_,
        ..UpdateStrategy::default()
    };
    let set = set("llm").clique("front", |c| c.replicas(3).min(2));
    set.with(|s| s.spec.update_strategy = Some(strategy))
        .build()
}

/// A set whose update is in progress.
fn updating(type_: UpdateStrategyType) -> PodCliqueSet {
    let mut set = resting(type_);
    let progress = PcsUpdateProgress::begin(Time(*EPOCH));
    set.status.get_or_insert_default().update_progress = Some(progress);
    set
}

/// A set whose update has ended.
fn updated(type_: UpdateStrategyType) -> PodCliqueSet {
    let mut set = resting(type_);
    let mut progress = PcsUpdateProgress::begin(Time(*EPOCH));
    progress.update_ended_at = Some(Time(after(30)));
    set.status.get_or_insert_default().update_progress = Some(progress);
    set
}

#[rstest]
#[case::up(ALICE, (3, 5), updating(Coherent), true)]
#[case::down(ALICE, (3, 2), updating(Coherent), true)]
#[case::to_nothing(ALICE, (3, 0), updating(Coherent), true)]
#[case::up_by_an_autoscaler(HPA, (3, 5), updating(Coherent), true)]
#[case::up_without_a_user("", (3, 5), updating(Coherent), true)]
#[case::up_by_the_operator(OPERATOR, (3, 5), updating(Coherent), false)]
#[case::as_before(ALICE, (3, 3), updating(Coherent), false)]
#[case::without_an_update(ALICE, (3, 5), resting(Coherent), false)]
#[case::after_the_update(ALICE, (3, 5), updated(Coherent), false)]
#[case::in_a_rolling_update(ALICE, (3, 5), updating(RollingRecreate), false)]
#[case::on_delete(ALICE, (3, 5), updating(OnDelete), false)]
fn sizes_are_locked(
    #[case] user: &str,
    #[case] replicas: (i32, i32),
    #[case] set: PodCliqueSet,
    #[case] is_refused: bool,
) {
    let object = stored("llm-0-front");
    let resize = Resize {
        user,
        object: &object,
        replicas,
    };
    let refusal = lock().refusal(&resize, &set);
    assert_eq!(refusal.is_some(), is_refused, "{refusal:?}");
}

#[test]
fn a_user_without_a_name_is_not_the_operator() {
    let object = stored("llm-0-front");
    let resize = Resize {
        user: "",
        object: &object,
        replicas: (3, 5),
    };
    let refusal = ScaleLock::default().refusal(&resize, &updating(Coherent));
    assert!(refusal.is_some());
}

#[test]
fn an_object_that_is_being_deleted_may_have_any_size() {
    let mut object = stored("llm-0-front");
    object.deletion_timestamp = Some(Time(*EPOCH));
    let resize = Resize {
        user: ALICE,
        object: &object,
        replicas: (3, 5),
    };
    assert_eq!(lock().refusal(&resize, &updating(Coherent)), None);
}

/// Dynamo recognises the refusal by its first sentence.
#[test]
fn the_refusal_begins_with_groves_words_and_has_value_and_remedy() {
    let object = stored("llm-0-front");
    let resize = Resize {
        user: HPA,
        object: &object,
        replicas: (3, 5),
    };
    let refusal = lock().refusal(&resize, &updating(Coherent)).unwrap();
    let begin = "spec.replicas changes are not allowed while a coherent update is in progress on \
                 PodCliqueSet default/llm, complete the update before scaling: 5 is refused, \
                 3 stays; ";
    assert!(refusal.starts_with(begin), "{refusal}");
    for remedy in [
        "once the set has status.updateProgress.updateEndedAt",
        "autoscalers try again by themselves",
        "`kubectl grove explain llm` says what it waits for",
        "set spec.updateStrategy.type of the set to RollingRecreate",
        "set admission.coherentScaleLock of the operator to false",
    ] {
        assert!(refusal.contains(remedy), "{remedy}: {refusal}");
    }
}
