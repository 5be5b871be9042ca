//! The numbers of the replica in turn, in the report of the set.

use std::sync::Arc;

use api::conditions::{self, ConditionType};
use api::podclique::PclqUpdateProgress;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::Time;
use podcliqueset::Snapshot;
use testkit::builders::{PodBuilder, after, pod};

use super::{changed, step};
use crate::situation::plan;

/// The message of the next status.
fn report(snapshot: &Snapshot) -> String {
    let status = plan(snapshot).status.unwrap();
    let update = conditions::find(&status.conditions, ConditionType::UpdateInProgress).unwrap();
    update.message.clone()
}

/// Two pods ran in replica 0. One of their successors is available, the other one is like this.
pub(super) fn second_pod(build: impl FnOnce(PodBuilder) -> PodBuilder) -> Snapshot {
    let mut snapshot = changed();
    step(&mut snapshot);
    step(&mut snapshot);
    let stored = snapshot.stored.status.as_ref().unwrap();
    let generation = stored.current_generation_hash.clone().unwrap();
    let seen = snapshot.podcliques.get_mut("demo-0-web").unwrap();
    let podclique = Arc::make_mut(&mut seen.podclique);
    podclique.status.get_or_insert_default().update_progress = Some(PclqUpdateProgress {
        reached: Some(2),
        ..PclqUpdateProgress::begin(generation, String::new(), Time(after(60)))
    });
    let first = pod(&seen.podclique, 0).ready().build();
    seen.pods = vec![first, build(pod(&seen.podclique, 1)).build()];
    snapshot
}

#[test]
fn an_update_begins_with_all_units_old() {
    let words = "0/3 replicas updated and available, updating replica 0; web 0/2 new; 2 available";
    assert_eq!(report(&changed()), words);
}

#[test]
fn a_new_pod_that_does_not_come_up_is_named_once_beside_the_numbers() {
    let message = report(&second_pod(|pod| pod.waiting("ErrImagePull")));
    let words = "updating replica 0; web 2/2 new, 1 starting (demo-0-web-p1: ErrImagePull); \
                 1 available, at least 1 stay";
    assert!(message.ends_with(words), "{message}");
}

/// Every step of every pod would be a write of the set's status.
#[test]
fn a_pod_that_merely_starts_changes_the_report_when_a_number_changes() {
    let begun = report(&second_pod(PodBuilder::bound));
    let words = "web 2/2 new, 1 starting; 1 available, at least 1 stay";
    assert!(begun.ends_with(words), "{begun}");
    for reason in ["ContainerCreating", "PodInitializing"] {
        assert_eq!(report(&second_pod(|pod| pod.waiting(reason))), begun);
    }
    let unplaced = report(&second_pod(PodBuilder::ungated));
    let words = "web 2/2 new, 1 without a node; 1 available, at least 1 stay";
    assert!(unplaced.ends_with(words), "{unplaced}");
}
