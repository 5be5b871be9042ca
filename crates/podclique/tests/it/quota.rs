//! Pods of a gang with quota, and of one that has lost it (docs/queues.md, decision 177).

use std::collections::BTreeMap;
use std::sync::Arc;

use api::conditions::{self, ConditionType, ConditionUpdate, Reason, Status};
use api::podgang::{GangQuota, GrantedPods, QuotaGrant};
use api::{PodClique, PodCliqueStatus, PodGangStatus, labels};
use domain::plan::Action;
use domain::scheduling::Backend;
use insta::assert_snapshot;
use k8s_openapi::api::core::v1::{Pod as FullPod, Toleration};
use podclique::Snapshot;
use rstest::rstest;
use testkit::builders::{PodBuilder, after, pod, podclique};

use crate::situation::{gang_listing, operations, plan, ready, situation, writes};

fn worker(replicas: i32) -> Arc<PodClique> {
    let status = PodCliqueStatus {
        was_available: true,
        ..PodCliqueStatus::default()
    };
    podclique("demo-0-worker")
        .size(replicas, 1)
        .with(|c| c.status = Some(status))
        .build()
}

/// Its gang lists all pods, and has quota for so many.
fn with_quota(clique: &Arc<PodClique>, pods: Vec<PodBuilder>, granted: i32) -> Snapshot {
    let mut snapshot = situation(clique, pods);
    let mut gang = (*gang_listing(clique, &snapshot.pods)).clone();
    let pods = GrantedPods {
        name: "demo-0-worker".to_owned(),
        count: granted,
        node_selector: BTreeMap::from([("gpu".to_owned(), "h100".to_owned())]),
        tolerations: vec![Toleration {
            key: Some("gpu".to_owned()),
            operator: Some("Exists".to_owned()),
            ..Toleration::default()
        }],
    };
    let mut status = PodGangStatus {
        quota: Some(GangQuota {
            round: 0,
            grants: vec![QuotaGrant {
                pods: vec![pods],
                ..QuotaGrant::default()
            }],
        }),
        ..PodGangStatus::default()
    };
    set_condition(&mut status, true);
    gang.status = Some(status);
    snapshot.gang = Some(Arc::new(gang));
    snapshot
}

fn set_condition(status: &mut PodGangStatus, is_reserved: bool) {
    let condition = ConditionUpdate {
        type_: ConditionType::QuotaReserved,
        status: Status::from(is_reserved),
        reason: if is_reserved {
            Reason::QuotaReserved
        } else {
            Reason::QuotaEvicted
        },
        message: String::new(),
    };
    conditions::set(&mut status.conditions, condition, Some(1), after(0));
}

/// Its gang has lost its quota.
fn lose(snapshot: &mut Snapshot) {
    let mut gang = (**snapshot.gang.as_ref().unwrap()).clone();
    let status = gang.status.get_or_insert_default();
    status.quota = Some(GangQuota {
        round: 1,
        grants: vec![],
    });
    set_condition(status, false);
    snapshot.gang = Some(Arc::new(gang));
}

/// Stores the status that the plan has.
fn store_status(snapshot: &mut Snapshot) {
    let mut clique = (*snapshot.podclique).clone();
    clique.status = plan(snapshot).status;
    snapshot.podclique = Arc::new(clique);
}

#[test]
fn a_pod_gets_the_nodes_of_its_flavor_with_the_removal_of_the_gate() {
    let clique = worker(1);
    let snapshot = with_quota(&clique, vec![pod(&clique, 0)], 1);
    let operations = operations(&plan(&snapshot).waves[0][0]).to_vec();
    let added: Vec<String> = operations
        .iter()
        .filter(|operation| operation["op"] == "add")
        .map(|operation| format!("{} {}", operation["path"], operation["value"]))
        .collect();
    assert_eq!(
        added,
        [
            r#""/spec/nodeSelector" {"gpu":"h100"}"#,
            r#""/spec/tolerations" [{"key":"gpu","operator":"Exists"}]"#,
        ]
    );
}

#[test]
fn tolerations_of_its_own_stay() {
    let clique = worker(1);
    let own = pod(&clique, 0).with(|p| p.spec.has_tolerations = true);
    let snapshot = with_quota(&clique, vec![own], 1);
    let operations = operations(&plan(&snapshot).waves[0][0]).to_vec();
    let last = operations.last().unwrap();
    assert_eq!(last["path"], "/spec/tolerations/-");
}

/// It would never find a node.
#[test]
fn a_pod_that_selects_other_nodes_keeps_its_gate() {
    let clique = worker(1);
    let own = pod(&clique, 0).with(|p| {
        p.spec
            .node_selector
            .insert("gpu".to_owned(), "a100".to_owned());
    });
    let snapshot = with_quota(&clique, vec![own], 1);
    assert!(plan(&snapshot).writes_nothing());
}

#[test]
fn no_more_pods_start_than_have_quota() {
    let clique = worker(3);
    let pods = vec![pod(&clique, 0).ready(), pod(&clique, 1), pod(&clique, 2)];
    let snapshot = with_quota(&clique, pods, 2);
    assert_snapshot!(writes(&plan(&snapshot)), @"
    wave 1
      patch Pod demo-0-worker-p1: listed by its PodGang: may be scheduled
    ");
}

/// Kubernetes' scheduler would look at none of the group while a pod of it waits behind its gate.
#[rstest]
#[case::waits_behind_its_gate(Backend::DefaultScheduler, 1)]
#[case::waits_for_its_creation(Backend::Kubernetes, 0)]
fn a_pod_without_quota(#[case] backend: Backend, #[case] created: usize) {
    let clique = worker(3);
    let pods = vec![pod(&clique, 0).ready(), pod(&clique, 1).ready()];
    let mut snapshot = with_quota(&clique, pods, 2);
    snapshot.scheduler.backend = backend;
    let count = |snapshot: &Snapshot| {
        let actions = plan(snapshot).waves.concat();
        actions.iter().filter(|a| a.verb() == "create").count()
    };
    assert_eq!(count(&snapshot), created);
    let mut grown = with_quota(
        &clique,
        vec![pod(&clique, 0).ready(), pod(&clique, 1).ready()],
        3,
    );
    grown.scheduler.backend = backend;
    assert_eq!(count(&grown), 1, "it has quota");
}

/// Its growth lost the quota before its gate was removed.
#[rstest]
#[case::stays_behind_its_gate(Backend::DefaultScheduler, &[])]
#[case::goes(Backend::Kubernetes, &["demo-0-worker-p2"])]
fn a_gated_pod_that_lost_its_quota(#[case] backend: Backend, #[case] gone: &[&str]) {
    let clique = worker(3);
    let pods = vec![
        pod(&clique, 0).ready(),
        pod(&clique, 1).ready(),
        pod(&clique, 2),
    ];
    let mut snapshot = with_quota(&clique, pods, 2);
    snapshot.scheduler.backend = backend;
    let actions = plan(&snapshot).waves.concat();
    let deletes = actions.iter().filter(|a| a.verb() == "delete");
    let names: Vec<String> = deletes.map(|a| a.key().name.clone()).collect();
    assert_eq!(names, gone);
}

#[test]
fn a_gang_that_waits_starts_no_pod() {
    let clique = worker(1);
    let mut snapshot = with_quota(&clique, vec![pod(&clique, 0)], 1);
    let mut gang = (**snapshot.gang.as_ref().unwrap()).clone();
    set_condition(gang.status.get_or_insert_default(), false);
    snapshot.gang = Some(Arc::new(gang));
    let gates = plan(&snapshot).waves.concat();
    assert!(
        gates.iter().all(|action| action.verb() != "patch"),
        "{gates:?}"
    );
}

/// The highest index goes first, and no others: the rest of the gang keeps its quota.
#[test]
fn pods_beyond_the_quota_go() {
    let clique = worker(3);
    let snapshot = with_quota(&clique, ready(&clique, 0..3), 2);
    assert_snapshot!(writes(&plan(&snapshot)), @"
    wave 1
      delete Pod demo-0-worker-p2 at version 1: its gang lost its quota
    ");
}

/// A pod takes its time to end.
#[test]
fn while_a_pod_beyond_the_quota_ends_no_other_goes() {
    let clique = worker(3);
    let mut pods = ready(&clique, 0..2);
    pods.push(pod(&clique, 2).ready().terminating(1));
    let snapshot = with_quota(&clique, pods, 2);
    assert!(plan(&snapshot).writes_nothing());
}

#[test]
fn it_says_that_it_starts_like_a_new_one_before_its_pods_go() {
    let clique = worker(2);
    let pods = vec![pod(&clique, 0).ready(), pod(&clique, 1)];
    let mut snapshot = with_quota(&clique, pods, 2);
    lose(&mut snapshot);
    let first = plan(&snapshot);
    assert!(first.waves.concat().is_empty(), "{first}");
    let status = first.status.as_ref().unwrap();
    assert_eq!(status.was_idle, Some(true));
    let breach = conditions::find(&status.conditions, ConditionType::MinAvailableBreached);
    let breach = breach.unwrap();
    assert_eq!(
        (&*breach.status, &*breach.reason),
        ("False", "QuotaEvicted")
    );
    store_status(&mut snapshot);
    assert_snapshot!(writes(&plan(&snapshot)), @"
    wave 1
      delete Pod demo-0-worker-p0 at version 1: its gang lost its quota
      delete Pod demo-0-worker-p1 at version 1: its gang lost its quota
    ");
    snapshot.is_view_outdated = true;
    assert!(plan(&snapshot).waves.concat().is_empty());
}

/// A clique that was at 0 when its gang got quota asked for all of its pods later.
#[test]
fn a_clique_without_quota_for_its_minimum_is_not_breached() {
    let clique = worker(2);
    let mut snapshot = with_quota(&clique, ready(&clique, 0..2), 0);
    let first = plan(&snapshot);
    assert!(first.waves.concat().is_empty(), "{first}");
    store_status(&mut snapshot);
    assert_snapshot!(writes(&plan(&snapshot)), @"
    wave 1
      delete Pod demo-0-worker-p1 at version 1: its gang lost its quota
      delete Pod demo-0-worker-p0 at version 1: its gang lost its quota
    ");
    snapshot.pods.clear();
    let status = plan(&snapshot).status.unwrap();
    let breach = conditions::find(&status.conditions, ConditionType::MinAvailableBreached);
    let breach = breach.unwrap();
    assert_eq!(
        (&*breach.status, &*breach.reason),
        ("False", "QuotaEvicted")
    );
}

#[test]
fn new_pods_bear_the_round() {
    let clique = worker(1);
    let mut snapshot = with_quota(&clique, vec![], 1);
    lose(&mut snapshot);
    store_status(&mut snapshot);
    let created = plan(&snapshot).waves.concat();
    let pods: Vec<&FullPod> = created.iter().filter_map(Action::written).collect();
    let [new] = pods.as_slice() else {
        panic!("{created:?}")
    };
    let annotations = new.metadata.annotations.as_ref().unwrap();
    assert_eq!(annotations[labels::QUOTA_ROUND], "1");
}

/// Its logs stay, and in a job its work is done.
#[test]
fn pods_that_have_ended_stay() {
    let clique = worker(2);
    let pods = vec![
        pod(&clique, 0).ready(),
        pod(&clique, 1).ungated().phase("Succeeded"),
    ];
    let mut snapshot = with_quota(&clique, pods, 2);
    lose(&mut snapshot);
    store_status(&mut snapshot);
    let deleted = plan(&snapshot).waves.concat();
    let names: Vec<String> = deleted
        .iter()
        .filter(|action| action.verb() == "delete")
        .map(|action| action.key().name)
        .collect();
    assert_eq!(names, ["demo-0-worker-p0"]);
}
