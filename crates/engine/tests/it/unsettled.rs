//! Pods whose POST was sent and got no answer: their owner is triggered when it is known whether
//! they exist, since no watch has an event for a pod that does not exist.

use api::conditions::{self, ConditionType, ConditionUpdate, Reason, Status};
use api::{PodCliqueSet, PodCliqueSetSpec, PodCliqueSetStatus, labels};
use domain::plan::Action;
use domain::{Key, Pod};
use engine::Context;
use engine::apply::apply_plan;
use engine::backoff::Blocked;
use jiff::Timestamp;
use k8s_openapi::api::core::v1;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::{ObjectMeta, OwnerReference, Time};

use crate::server::{PODCLIQUE, context, failure};

fn key(name: &str) -> Key {
    Key::new("default", name)
}

fn pod() -> v1::Pod {
    let owner = OwnerReference {
        kind: "PodClique".into(),
        name: "demo-0-a".into(),
        uid: "owner".into(),
        controller: Some(true),
        ..OwnerReference::default()
    };
    let metadata = ObjectMeta {
        name: Some("a".into()),
        namespace: Some("default".into()),
        labels: Some([(labels::PART_OF.into(), "demo".into())].into()),
        owner_references: Some(vec![owner]),
        ..ObjectMeta::default()
    };
    v1::Pod {
        metadata,
        ..v1::Pod::default()
    }
}

/// A job that was given up and waits for its last pod.
fn given_up() -> PodCliqueSet {
    let mut status = PodCliqueSetStatus::default();
    let verdict = ConditionUpdate {
        type_: ConditionType::Failed,
        status: Status::True,
        reason: Reason::MaxRuntimeExceeded,
        message: String::new(),
    };
    conditions::set(&mut status.conditions, verdict, None, Timestamp::UNIX_EPOCH);
    let metadata = ObjectMeta {
        name: Some("demo".into()),
        namespace: Some("default".into()),
        ..ObjectMeta::default()
    };
    PodCliqueSet {
        metadata,
        spec: PodCliqueSetSpec::default(),
        status: Some(status),
    }
}

fn triggered(context: &Context) -> usize {
    context.queue(PODCLIQUE).depth()
}

#[tokio::test]
async fn trigger_their_owners() {
    let answers = vec![
        (503, failure(503, "ServiceUnavailable")),
        (404, failure(404, "NotFound")),
    ];
    let (context, _) = context(answers);
    context.caches.of::<PodCliqueSet>().apply(given_up());
    let create = Action::create(pod());
    apply_plan(
        &context,
        &[vec![create]],
        &Blocked::default(),
        Timestamp::UNIX_EPOCH,
    )
    .await;
    assert!(context.caches.of::<Pod>().may_have_more_in(&key("demo")));
    assert_eq!(triggered(&context), 0);
    context.read_live::<Pod>(&key("a")).await;
    assert!(!context.caches.of::<Pod>().may_have_more_in(&key("demo")));
    assert_eq!(triggered(&context), 1);
}

/// A foreign object of that name settles it as well, and triggers its own owner only.
#[tokio::test]
async fn trigger_their_owner_when_the_watch_shows_the_name_taken() {
    let (context, _) = context(vec![]);
    let pods = context.caches.of::<Pod>();
    pods.expect_create(&pod().metadata);
    assert!(pods.may_have_more_of("owner"));
    let mut theirs = Pod {
        metadata: pod().metadata,
        ..Pod::default()
    };
    theirs.metadata.uid = Some("theirs".into());
    theirs.metadata.resource_version = Some("7".into());
    let owners = theirs.metadata.owner_references.as_mut().unwrap();
    (owners[0].kind, owners[0].name) = ("Service".into(), "demo-0".into());
    context.publish(pods.apply(theirs));
    assert!(!pods.may_have_more_of("owner"));
    assert_eq!(triggered(&context), 1);
}

/// The object that is gone is not the requested one: that may have been created in its place.
#[tokio::test]
async fn are_looked_for_although_a_foreign_object_of_the_name_is_gone() {
    let (context, _) = context(vec![]);
    let pods = context.caches.of::<Pod>();
    let mut theirs = Pod {
        metadata: pod().metadata,
        ..Pod::default()
    };
    theirs.metadata.uid = Some("theirs".into());
    theirs.metadata.resource_version = Some("7".into());
    theirs.metadata.owner_references = None;
    context.publish(pods.apply(theirs.clone()));
    pods.expect_create(&pod().metadata);
    context.create_unknown::<Pod>(&key("a"));
    theirs.metadata.resource_version = Some("8".into());
    theirs.metadata.deletion_timestamp = Some(Time(Timestamp::UNIX_EPOCH));
    theirs.metadata.deletion_grace_period_seconds = Some(0);
    pods.delete(&theirs.metadata);
    assert!(pods.may_have_more_of("owner"));
    assert_eq!(pods.expired(), [key("a")]);
}

/// An unchanged object in the watch settles the question as well.
#[tokio::test]
async fn trigger_their_owner_when_the_watch_shows_the_object_of_the_name_again() {
    let (context, _) = context(vec![]);
    let pods = context.caches.of::<Pod>();
    let mut theirs = Pod {
        metadata: pod().metadata,
        ..Pod::default()
    };
    theirs.metadata.uid = Some("theirs".into());
    theirs.metadata.resource_version = Some("7".into());
    theirs.metadata.owner_references = None;
    context.publish(pods.apply(theirs.clone()));
    context.queue(PODCLIQUE).take_all();
    pods.expect_create(&pod().metadata);
    context.publish(pods.apply(theirs));
    assert!(!pods.may_have_more_of("owner"));
    assert_eq!(triggered(&context), 1);
}
