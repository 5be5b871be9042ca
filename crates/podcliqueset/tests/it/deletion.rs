//! How a set goes.

use std::sync::Arc;

use api::conditions::{self, ConditionType};
use insta::assert_snapshot;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::Time;
use podcliqueset::Snapshot;
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

#[test]
fn goes_when_no_child_is_left() {
    assert_snapshot!(writes(&plan(&going(alone(&demo().build())))));
}

#[test]
fn leaves_its_children_alone_when_they_are_to_be_orphaned() {
    let mut snapshot = going(laid_out(&demo().build()));
    let stored = Arc::make_mut(&mut snapshot.stored);
    stored
        .metadata
        .finalizers
        .as_mut()
        .unwrap()
        .push("orphan".into());
    assert_snapshot!(writes(&plan(&snapshot)));
}

#[test]
fn waits_for_children_that_are_on_their_way_out() {
    let mut snapshot = going(laid_out(&demo().build()));
    snapshot.services.clear();
    Arc::make_mut(&mut snapshot.groups[0])
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
fn neither_deletes_nor_waits_for_what_nobody_controls() {
    let mut snapshot = going(alone(&demo().build()));
    let mut left = laid_out(&demo().build());
    Arc::make_mut(&mut left.groups[0]).metadata.owner_references = None;
    snapshot.groups = left.groups;
    assert_snapshot!(writes(&plan(&snapshot)));
}

/// The garbage collector took its finalizer off after it had cut the references to the set: those
/// of the PodCliques to their groups are there, and mean nothing.
#[test]
fn deletes_nothing_below_a_group_that_it_does_not_control() {
    let mut left = laid_out(&demo().build());
    Arc::make_mut(&mut left.groups[0]).metadata.owner_references = None;
    left.podcliques.remove("demo-0-frontend");
    let mut snapshot = going(alone(&demo().build()));
    snapshot.groups = left.groups;
    snapshot.podcliques = left.podcliques;
    assert_snapshot!(writes(&plan(&snapshot)));
}

/// For as long as its pods take to end.
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
    assert_snapshot!(said, @"False Terminating: the set is being deleted; its pods have their time to end");
    assert_eq!(status.available_replicas, 0);
    Arc::make_mut(&mut snapshot.stored).status = first.status;
    assert_eq!(plan(&going(snapshot)).status, None, "once");
}
