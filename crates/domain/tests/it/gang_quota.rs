//! The quota of a gang as its PodGang shows it (docs/queues.md, decision 177).

use std::collections::BTreeMap;
use std::sync::Arc;

use api::conditions::{self, ConditionType, ConditionUpdate, Reason, Status};
use api::podgang::{GangQuota, GrantedPods, NamespacedName, PodGroup, PodPlacement, QuotaGrant};
use api::{PodGang, PodGangStatus, labels};
use domain::Pod;
use domain::health::readiness::{
    CliqueView, Setting, Start, find_pod_cause, find_start, shortfall,
};
use domain::scheduling::quota;
use rstest::rstest;
use testkit::builders::{PodBuilder, after, pod, podclique, stored};

fn pods(name: &str, count: i32, gpu: &str) -> GrantedPods {
    GrantedPods {
        name: name.to_owned(),
        count,
        node_selector: BTreeMap::from([("gpu".to_owned(), gpu.to_owned())]),
        ..GrantedPods::default()
    }
}

/// A gang with 2 and 3 workers of different flavors, and a leader.
fn gang() -> PodGang {
    let grant = |pods: Vec<GrantedPods>| QuotaGrant {
        pods,
        ..QuotaGrant::default()
    };
    let quota = GangQuota {
        round: 2,
        grants: vec![
            grant(vec![pods("leader", 1, "h100"), pods("worker", 2, "h100")]),
            grant(vec![pods("worker", 3, "a100")]),
        ],
    };
    PodGang {
        metadata: stored("demo-0"),
        status: Some(PodGangStatus {
            quota: Some(quota),
            ..PodGangStatus::default()
        }),
        ..PodGang::default()
    }
}

#[rstest]
#[case::leader("leader", 1)]
#[case::of_both_grants("worker", 5)]
#[case::without("other", 0)]
fn pods_of_all_grants_count(#[case] name: &str, #[case] count: i32) {
    assert_eq!(quota::granted(&gang(), name), count);
}

#[rstest]
#[case::first(0, Some("h100"))]
#[case::last_of_the_first_grant(1, Some("h100"))]
#[case::first_of_the_second_grant(2, Some("a100"))]
#[case::last(4, Some("a100"))]
#[case::beyond_holes(9, Some("a100"))]
fn a_pod_has_the_flavor_of_its_place(#[case] index: i32, #[case] gpu: Option<&str>) {
    let gang = gang();
    let found = quota::flavor_of(&gang, "worker", index);
    assert_eq!(found.map(|pods| pods.node_selector["gpu"].as_str()), gpu);
    assert_eq!(quota::flavor_of(&gang, "other", index), None);
}

fn of_round(builder: PodBuilder, round: Option<&str>) -> Arc<Pod> {
    let round = round.map(str::to_owned);
    builder
        .with(|p| {
            if let Some(round) = round {
                let all = p.metadata.annotations.get_or_insert_default();
                all.insert(labels::QUOTA_ROUND.to_owned(), round);
            }
        })
        .build()
}

#[rstest]
#[case::without(None, true)]
#[case::earlier(Some("1"), true)]
#[case::present(Some("2"), false)]
#[case::unreadable(Some("x"), true)]
fn pods_of_earlier_rounds_are_known(#[case] round: Option<&str>, #[case] is_earlier: bool) {
    let clique = podclique("worker").build();
    let seen = of_round(pod(&clique, 0), round);
    assert_eq!(quota::is_of_earlier_round(&gang(), &seen), is_earlier);
    assert!(!quota::is_of_earlier_round(&PodGang::default(), &seen));
}

/// Gated pods and those that have ended use none. One that hangs on a lost node uses it until another
/// pod has its index.
#[test]
fn pods_that_may_run_use_quota() {
    let clique = podclique("worker").build();
    let count = |pods: Vec<PodBuilder>| {
        let pods: Vec<Arc<Pod>> = pods.into_iter().map(PodBuilder::build).collect();
        quota::count_users(pods.iter().map(AsRef::as_ref))
    };
    assert_eq!(count(vec![]), 0);
    assert_eq!(count(vec![pod(&clique, 0), pod(&clique, 1).ready()]), 1);
    let ended = pod(&clique, 1).ungated().phase("Succeeded");
    assert_eq!(count(vec![pod(&clique, 0).ungated(), ended]), 1);
    let ending = || pod(&clique, 0).ready().terminating(30);
    assert_eq!(count(vec![ending()]), 1);
    assert_eq!(count(vec![ending(), pod(&clique, 0)]), 0);
    assert_eq!(count(vec![ending(), pod(&clique, 1).ungated()]), 2);
}

fn with_condition(is_reserved: bool) -> PodGang {
    let mut gang = gang();
    let status = gang.status.get_or_insert_default();
    let (reason, message) = if is_reserved {
        (
            Reason::QuotaReserved,
            "5 pods have quota of ClusterQueue gpus",
        )
    } else {
        (
            Reason::QuotaEvicted,
            "gang demo-0 lost its quota: Preempted: a higher priority",
        )
    };
    let condition = ConditionUpdate {
        type_: ConditionType::QuotaReserved,
        status: Status::from(is_reserved),
        reason,
        message: message.to_owned(),
    };
    conditions::set(&mut status.conditions, condition, Some(1), after(0));
    gang
}

#[test]
fn a_gang_without_the_condition_neither_waits_nor_has_quota() {
    let outside = gang();
    assert_eq!(
        (quota::is_held(&outside), quota::is_reserved(&outside)),
        (false, false)
    );
    let held = with_condition(false);
    assert_eq!(
        (quota::is_held(&held), quota::is_reserved(&held)),
        (true, false)
    );
    let reserved = with_condition(true);
    assert_eq!(
        (quota::is_held(&reserved), quota::is_reserved(&reserved)),
        (false, true)
    );
}

#[test]
fn a_podclique_says_that_its_gang_waits_for_quota() {
    let clique = podclique("worker").build();
    let start = find_start(&clique, Some(&with_condition(false)), |_| true);
    let Start::AwaitsQuota { reason, text } = start else {
        panic!("{start:?}")
    };
    assert_eq!(reason, Reason::QuotaEvicted);
    assert_eq!(
        text,
        "gang demo-0 lost its quota: Preempted: a higher priority"
    );
    let start = find_start(&clique, Some(&with_condition(true)), |_| true);
    assert!(!matches!(start, Start::AwaitsQuota { .. }));
}

const MORE: &str = "gang demo-0 waits for more quota: 5 pods have quota of ClusterQueue gpus";

#[rstest]
#[case::all_have_some(5, false)]
#[case::one_has_none(6, true)]
fn a_gang_lacks_quota_if_it_asks_for_more(#[case] requested: i32, #[case] expected: bool) {
    assert_eq!(quota::asks_for_quota(&asking(requested, 2, true)), expected);
    assert!(quota::asks_for_quota(&with_condition(false)));
}

/// A gang with quota for 5 workers that asks for so many; it lists one, or none.
fn asking(requested: i32, minimum: i32, is_running: bool) -> PodGang {
    let mut gang = with_condition(true);
    let counts = quota::PodCounts::from([("worker".to_owned(), requested)]);
    let annotations = gang.metadata.annotations.get_or_insert_default();
    annotations.insert(labels::QUOTA_REQUEST.to_owned(), quota::to_text(&counts));
    annotations.insert(labels::GATES_RELEASED_BY_LIST.to_owned(), "true".to_owned());
    let listed = is_running.then(NamespacedName::default);
    gang.spec.pod_groups = vec![PodGroup {
        name: "worker".to_owned(),
        min_replicas: minimum,
        pod_references: listed.into_iter().collect(),
        ..PodGroup::default()
    }];
    gang
}

/// Why the gated worker of this index waits.
fn cause_of(gang: &PodGang, index: i32) -> (Reason, String) {
    let clique = podclique("worker").build();
    let start = find_start(&clique, Some(gang), |_| true);
    let seen = pod(&clique, index).build();
    let cause = find_pod_cause(&seen, &Setting::of(Some(&clique), &start, after(0)));
    let cause = cause.unwrap();
    (cause.reason, cause.text)
}

#[rstest]
#[case::beyond_its_quota(7, 2, true, Reason::WaitingForQuota)]
#[case::with_quota(5, 2, true, Reason::WaitingForScheduler)]
#[case::below_its_minimum(7, 6, false, Reason::WaitingForQuota)]
#[case::with_its_minimum(7, 5, false, Reason::GangIncomplete)]
#[case::still_to_be_created(5, 5, false, Reason::GangIncomplete)]
#[case::after_pods_completed(5, 6, false, Reason::GangIncomplete)]
fn pods_without_quota_say_so(
    #[case] requested: i32,
    #[case] minimum: i32,
    #[case] is_running: bool,
    #[case] expected: Reason,
) {
    let (reason, text) = cause_of(&asking(requested, minimum, is_running), 6);
    assert_eq!(reason, expected, "{text}");
    assert_eq!(text == MORE, expected == Reason::WaitingForQuota, "{text}");
}

/// Where the scheduler waits for gates, a pod is created when it has quota.
#[rstest]
#[case::without_quota(7, Reason::WaitingForQuota)]
#[case::with_quota(5, Reason::PodsBeingCreated)]
fn pods_that_are_not_created_say_why(#[case] requested: i32, #[case] expected: Reason) {
    let clique = podclique("worker").size(7, 2).build();
    let gang = asking(requested, 2, true);
    let look = CliqueView {
        podclique: &clique,
        pods: vec![],
        start: find_start(&clique, Some(&gang), |_| true),
        now: after(0),
    };
    let cause = shortfall(&look, true).unwrap();
    assert_eq!(cause.reason, expected, "{}", cause.text);
}

#[rstest]
#[case::without_a_queue(gang(), false, None)]
#[case::held(with_condition(false), true, None)]
#[case::with_all_that_it_asks_for(asking(5, 5, true), false, Some(0))]
#[case::with_some_of_it(asking(7, 5, true), true, Some(0))]
fn a_gang_lacks_quota_until_all_of_it_is_reserved(
    #[case] gang: PodGang,
    #[case] lacks: bool,
    #[case] since: Option<i64>,
) {
    assert_eq!(quota::lacks_quota(&gang), lacks);
    assert_eq!(quota::reserved_at(&gang), since.map(after));
}

/// A part of a gang that has too little quota elsewhere waits too.
#[test]
fn a_gang_waits_for_the_quota_of_each_part() {
    let mut gang = asking(7, 6, false);
    let start = |gang: &PodGang| {
        let leader = podclique("leader").build();
        find_start(&leader, Some(gang), |_| true)
    };
    let expected = Start::AwaitsQuota {
        reason: Reason::WaitingForQuota,
        text: MORE.to_owned(),
    };
    assert_eq!(start(&gang), expected);
    gang.spec.pod_groups[0].min_replicas = 5;
    assert!(matches!(start(&gang), Start::Incomplete { .. }));
}

/// Worker 0 has quota for nodes with h100, and has to join others on nodes with a100.
#[test]
fn a_pod_whose_quota_is_for_other_nodes_says_so() {
    let mut gang = asking(5, 2, true);
    gang.spec.pod_groups[0].placements = vec![PodPlacement {
        indexes: vec![0, 2],
        node_selector: BTreeMap::from([("gpu".to_owned(), "a100".to_owned())]),
    }];
    let said = "pod 0 of podclique worker has to join pods on nodes with gpu=a100";
    let condition = ConditionUpdate {
        type_: ConditionType::SchedulingFeatureUnsupported,
        status: Status::True,
        reason: Reason::TopologyUnavailable,
        message: said.to_owned(),
    };
    let status = gang.status.get_or_insert_default();
    conditions::set(&mut status.conditions, condition, Some(1), after(0));
    assert_eq!(
        cause_of(&gang, 0),
        (Reason::TopologyUnavailable, said.to_owned())
    );
    for free in [1, 2] {
        assert_eq!(cause_of(&gang, free).0, Reason::WaitingForScheduler);
    }
}

#[test]
fn requests_are_read_as_they_are_written() {
    let counts = quota::PodCounts::from([("b".to_owned(), 2), ("a".to_owned(), 1)]);
    assert_eq!(quota::to_text(&counts), r#"{"a":1,"b":2}"#);
    let mut meta = stored("demo-0");
    assert_eq!(quota::requested(&meta), None);
    let annotations = meta.annotations.get_or_insert_default();
    annotations.insert(labels::QUOTA_REQUEST.to_owned(), quota::to_text(&counts));
    assert_eq!(quota::requested(&meta), Some(counts));
}

#[test]
fn labels_contradict_each_other_by_value() {
    let labels = |pairs: &[(&str, &str)]| -> BTreeMap<String, String> {
        let pairs = pairs.iter();
        pairs
            .map(|(k, v)| ((*k).to_owned(), (*v).to_owned()))
            .collect()
    };
    let pin = labels(&[("rack", "r1"), ("zone", "z0")]);
    assert_eq!(
        quota::contradiction(&pin, &labels(&[("gpu", "h100")])),
        None
    );
    assert_eq!(quota::contradiction(&pin, &labels(&[("zone", "z0")])), None);
    assert_eq!(
        quota::contradiction(&pin, &labels(&[("zone", "z1")])),
        Some(("zone", "z0"))
    );
}
