//! Deletion of a set.

use std::sync::Arc;

use api::PodCliqueScalingGroup;
use api::conditions::{self, ConditionType, ConditionUpdate, Reason, Status};
use domain::plan::{Action, Object};
use insta::assert_snapshot;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::Time;
use podcliqueset::Snapshot;
use rstest::rstest;
use testkit::builders::{PodBuilder, after};

use crate::situation::{alone, carry_out, demo, fill_all, laid_out, plan, writes};

fn going(mut snapshot: Snapshot) -> Snapshot {
    Arc::make_mut(&mut snapshot.stored)
        .metadata
        .deletion_timestamp = Some(Time(after(59)));
    snapshot
}

#[test]
fn deletes_every_child_by_itself() {
    let mut snapshot = laid_out(&demo().build());
    fill_all(&mut snapshot, PodBuilder::ready);
    let gangs = plan(&snapshot);
    carry_out(&mut snapshot, &gangs);
    assert_snapshot!(writes(&plan(&going(snapshot))));
}

/// The gangs have quota, or wait for it.
fn set_quota(snapshot: &mut Snapshot, is_reserved: bool) {
    for gang in &mut snapshot.children.gangs {
        let status = Arc::make_mut(gang).status.get_or_insert_default();
        let condition = ConditionUpdate {
            type_: ConditionType::QuotaReserved,
            status: Status::from(is_reserved),
            reason: Reason::WaitingForQuota,
            message: String::new(),
        };
        conditions::set(&mut status.conditions, condition, None, after(0));
    }
}

/// Pods use quota until they have ended, also that which was taken away.
#[rstest]
#[case::without_queue(None, true)]
#[case::with_quota(Some(true), false)]
#[case::evicted(Some(false), false)]
fn gangs_in_queues_stay_as_long_as_podcliques(
    #[case] is_reserved: Option<bool>,
    #[case] goes_at_once: bool,
) {
    let mut snapshot = laid_out(&demo().build());
    fill_all(&mut snapshot, PodBuilder::ready);
    let gangs = plan(&snapshot);
    carry_out(&mut snapshot, &gangs);
    if let Some(is_reserved) = is_reserved {
        set_quota(&mut snapshot, is_reserved);
    }
    let mut snapshot = going(snapshot);
    let first = writes(&plan(&snapshot));
    assert!(first.contains("delete PodClique "), "{first}");
    assert_eq!(first.contains("delete PodGang "), goes_at_once, "{first}");
    snapshot.podcliques.clear();
    snapshot.children.groups.clear();
    let then = writes(&plan(&snapshot));
    assert!(then.contains("delete PodGang "), "{then}");
}

#[test]
fn goes_when_no_child_is_left() {
    assert_snapshot!(writes(&plan(&going(alone(&demo().build())))));
}

/// Deleted with `--cascade=orphan`, as a version showed.
fn orphaning(snapshot: Snapshot) -> Snapshot {
    let mut snapshot = going(snapshot);
    let stored = Arc::make_mut(&mut snapshot.stored);
    let finalizers = stored.metadata.finalizers.as_mut().unwrap();
    finalizers.push("orphan".into());
    snapshot.view.is_orphaning = true;
    snapshot
}

/// The same, and the request to orphan is stored.
fn stored(snapshot: Snapshot) -> Snapshot {
    let mut snapshot = orphaning(snapshot);
    let meta = &mut Arc::make_mut(&mut snapshot.stored).metadata;
    let uid = meta.uid.clone().unwrap();
    let annotations = meta.annotations.get_or_insert_default();
    annotations.insert("grove.io/orphan-asked".into(), uid);
    snapshot
}

/// The garbage collector has removed the owner references that it knew, and is done.
fn collected(mut snapshot: Snapshot) -> Snapshot {
    let stored = Arc::make_mut(&mut snapshot.stored);
    let finalizers = stored.metadata.finalizers.as_mut().unwrap();
    finalizers.retain(|finalizer| finalizer != "orphan");
    snapshot
}

#[test]
fn first_stores_that_its_children_are_to_be_left() {
    assert_snapshot!(writes(&plan(&orphaning(laid_out(&demo().build())))));
    let seen_before = collected(orphaning(laid_out(&demo().build())));
    assert_snapshot!(writes(&plan(&seen_before)));
}

#[test]
fn leaves_its_children_to_the_garbage_collector_while_that_is_at_work() {
    assert!(plan(&stored(laid_out(&demo().build()))).writes_nothing());
}

/// It was read live: its watch has not shown the versions before yet.
#[test]
fn deletes_nothing_before_its_watch_has_shown_all() {
    let mut snapshot = going(laid_out(&demo().build()));
    snapshot.view.is_ahead_of_watch = true;
    assert!(plan(&snapshot).writes_nothing());
}

/// A POST or an adoption landed after the garbage collector's pass.
#[test]
fn releases_its_objects_and_deletes_nothing() {
    let snapshot = collected(stored(laid_out(&demo().build())));
    let done = plan(&snapshot);
    assert_snapshot!(writes(&done));
    assert!(!writes(&done).contains("delete"));
    let is_released = |o: &Object| o.meta().owner_references.as_deref() == Some(&[]);
    let mut puts = done
        .waves
        .iter()
        .flatten()
        .filter_map(|action| match action {
            Action::Replace(object) => Some(object),
            _ => None,
        });
    assert!(puts.all(is_released));
}

/// An adoption that is under way expects the version before.
#[test]
fn gives_unadopted_objects_another_version_before_it_goes() {
    let mut left = laid_out(&demo().build());
    left.children.services.clear();
    Arc::make_mut(&mut left.children.groups[0])
        .metadata
        .owner_references = None;
    left.podcliques.retain(|name, _| name != "demo-0-frontend");
    let snapshot = stored(left);
    let first = plan(&snapshot);
    assert_snapshot!(writes(&first));
    let mut marked = snapshot.clone();
    for action in first.waves.iter().flatten() {
        let Action::Replace(object) = action else {
            panic!("{action}");
        };
        marked.children.groups[0] =
            Arc::new(object.get::<PodCliqueScalingGroup>().unwrap().clone());
    }
    assert_snapshot!(writes(&plan(&marked)));
}

/// The manifest was copied from another object, or a user set it before.
#[test]
fn an_annotation_that_names_another_object_counts_for_nothing() {
    let mut snapshot = going(laid_out(&demo().build()));
    let meta = &mut Arc::make_mut(&mut snapshot.stored).metadata;
    let annotations = meta.annotations.get_or_insert_default();
    annotations.insert("grove.io/orphan-asked".into(), "another".into());
    assert!(!domain::object::orphaning::is_asked(
        &snapshot.stored.metadata
    ));
    assert!(writes(&plan(&snapshot)).contains("delete"));
}

#[test]
fn waits_for_children_that_are_on_their_way_out() {
    let mut snapshot = going(laid_out(&demo().build()));
    snapshot.children.services.clear();
    Arc::make_mut(&mut snapshot.children.groups[0])
        .metadata
        .deletion_timestamp = Some(Time(after(59)));
    for seen in snapshot.podcliques.values_mut() {
        Arc::make_mut(&mut seen.podclique)
            .metadata
            .deletion_timestamp = Some(Time(after(59)));
    }
    assert!(plan(&snapshot).writes_nothing());
}

#[test]
fn neither_deletes_nor_waits_for_orphans() {
    let mut snapshot = going(alone(&demo().build()));
    let mut left = laid_out(&demo().build());
    Arc::make_mut(&mut left.children.groups[0])
        .metadata
        .owner_references = None;
    snapshot.children.groups = left.children.groups;
    assert_snapshot!(writes(&plan(&snapshot)));
}

/// The garbage collector removed its finalizer after the references to the set; the references of
/// PodCliques to their groups exist, and do not count.
#[test]
fn deletes_nothing_below_a_group_that_it_does_not_control() {
    let mut left = laid_out(&demo().build());
    Arc::make_mut(&mut left.children.groups[0])
        .metadata
        .owner_references = None;
    left.podcliques.remove("demo-0-frontend");
    let mut snapshot = going(alone(&demo().build()));
    snapshot.children.groups = left.children.groups;
    snapshot.podcliques = left.podcliques;
    assert_snapshot!(writes(&plan(&snapshot)));
}

/// Until its pods have ended.
#[test]
fn says_that_it_is_being_deleted() {
    let mut snapshot = laid_out(&demo().build());
    fill_all(&mut snapshot, PodBuilder::ready);
    let up = plan(&snapshot);
    carry_out(&mut snapshot, &up);
    let first = plan(&going(snapshot.clone()));
    let status = first.status.clone().unwrap();
    let ready = conditions::find(&status.conditions, ConditionType::Ready).unwrap();
    let said = format!("{} {}: {}", ready.status, ready.reason, ready.message);
    assert_snapshot!(said, @"False Terminating: the set is being deleted; its pods have their grace period to end");
    assert_eq!(status.available_replicas, 0);
    Arc::make_mut(&mut snapshot.stored).status = first.status;
    assert_eq!(plan(&going(snapshot)).status, None, "once");
}
