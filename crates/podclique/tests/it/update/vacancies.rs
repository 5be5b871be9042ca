//! Indexes that stay vacant in a turn, as the set lists them.

use std::sync::Arc;

use api::{PodClique, labels};
use domain::plan::Action;
use k8s_openapi::api::core::v1 as k8s;
use podclique::Snapshot;
use rstest::rstest;
use testkit::builders::{PodBuilder, pod};

use super::{all_old, clique, deleted, in_turn, old};
use crate::situation::{plan, ready};

/// The clique in turn, of whose 4 pods 2 are required and so many ran. The turn lists these indexes.
fn listed(pods: impl Fn(&Arc<PodClique>) -> Vec<PodBuilder>, ran: i32, vacant: &[i32]) -> Snapshot {
    let clique = clique(2);
    let mut snapshot = in_turn(&clique, pods(&clique));
    snapshot.set.as_mut().unwrap().update.vacant = vacant.to_vec();
    let status = Arc::make_mut(&mut snapshot.podclique).status.as_mut();
    let record = status.unwrap().update_progress.as_mut().unwrap();
    record.reached = Some(ran);
    snapshot
}

/// The indexes of the pods that are created.
fn created(snapshot: &Snapshot) -> Vec<String> {
    let plan = plan(snapshot);
    let all = plan.waves.iter().flatten();
    let all = all.filter_map(|action| match action {
        Action::Create(object) => object.get::<k8s::Pod>(),
        _ => None,
    });
    all.map(|pod| pod.metadata.labels.as_ref().unwrap()[labels::POD_INDEX].clone())
        .collect()
}

#[rstest]
#[case::none_is_listed(3, 3, &[], &["3"])]
#[case::it_is_listed(3, 3, &[3], &[])]
#[case::more_ran_since(3, 4, &[3], &["3"])]
#[case::the_lowest_first(2, 3, &[3], &["2"])]
#[case::the_required_ones_exist(1, 1, &[1, 2, 3], &["1"])]
fn a_listed_index_is_not_filled(
    #[case] pods: i32,
    #[case] ran: i32,
    #[case] vacant: &[i32],
    #[case] expected: &[&str],
) {
    let snapshot = listed(|clique| ready(clique, 0..pods), ran, vacant);
    assert_eq!(created(&snapshot), expected);
}

/// With `Coherent` no step has come to it: it would come back old, and wait again.
#[rstest]
#[case::it_is_listed(&[3], 1)]
#[case::it_is_not(&[], 0)]
fn an_old_pod_without_a_node_goes_from_a_listed_index(
    #[case] vacant: &[i32],
    #[case] expected: usize,
) {
    let pods = |clique: &Arc<PodClique>| {
        let mut pods = all_old(clique);
        pods[3] = old(pod(clique, 3).ungated());
        pods
    };
    let mut snapshot = listed(pods, 3, vacant);
    snapshot.set.as_mut().unwrap().update.first_replaced = i32::MAX;
    assert_eq!(deleted(&snapshot), expected);
    assert_eq!(created(&snapshot), Vec::<String>::new());
}

/// It found a place that a pod of another clique left a moment ago: it counts for nothing, so it can be
/// given back.
#[rstest]
#[case::it_is_listed(&[3], 3, 1)]
#[case::it_is_not(&[], 4, 0)]
fn a_pod_at_a_listed_index_does_not_raise_the_number_that_stays(
    #[case] vacant: &[i32],
    #[case] reached: i32,
    #[case] expected: usize,
) {
    let snapshot = listed(|clique| all_old(clique), 3, vacant);
    let status = plan(&snapshot).status.unwrap();
    assert_eq!(status.update_progress.unwrap().reached, Some(reached));
    assert_eq!(deleted(&snapshot), expected);
}
