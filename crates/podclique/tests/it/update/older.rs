//! Pods that keep an older template: those below a partition, or below the step of a coherent update.

use std::sync::Arc;

use api::podcliqueset::{PodCliqueTemplateSpec, RollingUpdate};
use api::{PodClique, labels};
use domain::plan::Action;
use domain::workload::clique::with_older_template;
use k8s_openapi::api::core::v1 as k8s;
use podclique::Snapshot;
use podclique::observe::OlderPods;
use rstest::rstest;
use testkit::builders::{PodBuilder, pod};

use super::{all_old, clique, deleted, in_turn, old};
use crate::situation::{plan, ready};

const OLDER: &str = "pt1-older";

/// The clique in turn, of which pods below this index keep the older template.
fn mixed(below: i32, pods: impl Fn(&Arc<PodClique>) -> Vec<PodBuilder>) -> Snapshot {
    let clique = clique(2);
    let mut snapshot = in_turn(&clique, pods(&clique));
    let mut template = PodCliqueTemplateSpec::default();
    template.labels.insert("app".into(), "older".into());
    let older = with_older_template(&snapshot.podclique, &(template, OLDER.to_owned()));
    snapshot.older = OlderPods::Below {
        below,
        podclique: Box::new(older),
    };
    snapshot
}

/// The index and the template hash of each pod that is created.
fn created(snapshot: &Snapshot) -> Vec<(String, String)> {
    let plan = plan(snapshot);
    let all = plan.waves.iter().flatten();
    let all = all.filter_map(|action| match action {
        Action::Create(object) => object.get::<k8s::Pod>(),
        _ => None,
    });
    all.map(|pod| {
        let own = pod.metadata.labels.as_ref().unwrap();
        let index = own[labels::POD_INDEX].clone();
        (index, own[labels::POD_TEMPLATE_HASH].clone())
    })
    .collect()
}

#[test]
fn a_lost_pod_comes_back_as_it_was() {
    let snapshot = mixed(2, |clique| ready(clique, 2..3));
    let newest = snapshot.podclique.metadata.labels.as_ref().unwrap();
    let newest = newest[labels::POD_TEMPLATE_HASH].clone();
    let wanted = [("0", OLDER), ("1", OLDER), ("3", &newest)];
    let wanted = wanted.map(|(index, hash)| (index.to_owned(), hash.to_owned()));
    assert_eq!(created(&snapshot), wanted);
}

/// The class of the set is a part of the template: an older pod comes back with that of its own.
#[test]
fn an_older_pod_keeps_its_priority_class() {
    let mut snapshot = mixed(2, |clique| ready(clique, 1..3));
    "new".clone_into(&mut snapshot.set.as_mut().unwrap().priority_class_name);
    let OlderPods::Below { podclique, .. } = &mut snapshot.older else {
        unreachable!()
    };
    podclique.spec.pod_spec.priority_class_name = Some("old".to_owned());
    let plan = plan(&snapshot);
    let created = plan
        .waves
        .iter()
        .flatten()
        .filter_map(|action| match action {
            Action::Create(object) => object.get::<k8s::Pod>()?.spec.as_ref(),
            _ => None,
        });
    let classes: Vec<_> = created
        .map(|pod| pod.priority_class_name.as_deref())
        .collect();
    assert_eq!(classes, [Some("old"), Some("new")]);
}

/// The set stores the revision before the PodClique notes it: one of the two views lags.
#[test]
fn nothing_is_created_while_the_view_of_the_set_lags() {
    let mut snapshot = mixed(2, |clique| ready(clique, 2..3));
    snapshot.older = OlderPods::Unknown;
    assert_eq!(created(&snapshot), []);
}

/// With a partition the pods below it are not old: they hold no turn.
#[rstest]
#[case::all_are_replaced(0, 1)]
#[case::the_highest_is_replaced(3, 1)]
#[case::all_are_kept(4, 0)]
fn a_partition_keeps_pods_below_it(#[case] partition: i32, #[case] deletions: usize) {
    let mut snapshot = mixed(partition, |clique| all_old(clique));
    let update = &mut snapshot.set.as_mut().unwrap().update;
    update.first_replaced = partition;
    update.rolling = Some(RollingUpdate {
        partition: Some(partition),
        ..RollingUpdate::default()
    });
    assert_eq!(deleted(&snapshot), deletions);
    let progress = plan(&snapshot).status.unwrap().update_progress.unwrap();
    let is_over = progress.update_ended_at.is_some();
    assert_eq!(is_over, partition == 4);
}

/// Scale-in takes the canary: the pods with the lower indexes stay.
#[test]
fn scale_in_does_not_leave_the_canary_alone() {
    let mut snapshot = mixed(2, |clique| {
        let mut pods: Vec<_> = ready(clique, 0..2).into_iter().map(old).collect();
        pods.extend(ready(clique, 2..4));
        pods
    });
    Arc::make_mut(&mut snapshot.podclique).spec.replicas = 2;
    let plan = plan(&snapshot);
    let all = plan.waves.iter().flatten();
    let deleted = all.filter(|action| matches!(action, Action::Delete { .. }));
    let deleted: Vec<_> = deleted.map(|action| action.key().name.clone()).collect();
    let canary: Vec<_> = snapshot.pods[2..].iter().map(|p| p.name()).collect();
    assert_eq!(deleted.len(), 2);
    assert!(
        deleted.iter().all(|name| canary.contains(&&**name)),
        "{deleted:?}"
    );
}

/// Below the step old pods stay, also those that are down: they would come back old.
#[rstest]
#[case::before_the_first_step(i32::MAX, 0)]
#[case::the_last_pod_alone(3, 1)]
#[case::the_one_that_is_down_and_one_more(0, 2)]
fn a_step_holds_the_others_back(#[case] first_replaced: i32, #[case] deletions: usize) {
    let mut snapshot = mixed(first_replaced, |clique| {
        let mut pods = vec![old(pod(clique, 0))];
        pods.extend((1..4).map(|k| old(pod(clique, k).ready())));
        pods
    });
    snapshot.set.as_mut().unwrap().update.first_replaced = first_replaced;
    let podclique = Arc::make_mut(&mut snapshot.podclique);
    let status = podclique.status.as_mut().unwrap();
    status.update_progress.as_mut().unwrap().reached = Some(3);
    assert_eq!(deleted(&snapshot), deletions);
    let progress = plan(&snapshot).status.unwrap().update_progress.unwrap();
    assert_eq!(progress.update_ended_at, None, "old pods are left");
}
