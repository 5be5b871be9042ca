//! Decisions stay small whatever counts are stored.

use k8s_openapi::api::core::v1::Service;
use std::sync::Arc;

use api::{PodClique, PodCliqueScalingGroup, PodCliqueSet, PodCliqueSetStatus, PodGang};
use domain::health::fence;
use domain::plan::{Action, Kind, Plan};
use podcliqueset::Snapshot;
use podcliqueset::decide::decide;
use proptest::prelude::*;
use rstest::rstest;
use testkit::builders::{PodBuilder, after, set};

use crate::situation::{alone, carry_out, demo, fill_all, laid_out, plan};

/// Values that people, autoscalers and typing errors write.
const NUMBERS: [i32; 6] = [0, 1, -1, 10_000, 10_001, i32::MAX];
/// Writes of one decision.
const MAX_ACTIONS: usize = 1_500;
/// Bytes of a status that is far below etcd's limit.
const LARGEST_STATUS: usize = 100_000;

fn is_small(plan: &Plan<PodCliqueSetStatus>) -> Result<(), String> {
    let actions = plan.waves.iter().flatten().count();
    let status = serde_json::to_string(&plan.status).unwrap().len();
    if actions > MAX_ACTIONS || status > LARGEST_STATUS {
        return Err(format!("{actions} actions, a status of {status} bytes"));
    }
    Ok(())
}

/// Runs, with one group and its PodCliques.
fn running() -> Snapshot {
    let mut snapshot = laid_out(&demo().build());
    fill_all(&mut snapshot, PodBuilder::ready);
    snapshot
}

fn scale_group(snapshot: &mut Snapshot, replicas: i32) {
    let mut group: PodCliqueScalingGroup = (*snapshot.children.groups[0]).clone();
    group.spec.replicas = replicas;
    snapshot.children.groups[0] = Arc::new(group);
}

fn scale_clique(snapshot: &mut Snapshot, name: &str, replicas: i32) {
    let seen = snapshot.podcliques.get_mut(name).unwrap();
    let mut podclique: PodClique = (*seen.podclique).clone();
    podclique.spec.replicas = replicas;
    seen.podclique = Arc::new(podclique);
}

fn ready(plan: &Plan<PodCliqueSetStatus>) -> (String, String) {
    let conditions = &plan.status.as_ref().unwrap().conditions;
    let ready = conditions.iter().find(|c| c.type_ == "Ready").unwrap();
    (ready.reason.clone(), ready.message.clone())
}

#[rstest]
#[case::set(|s: &mut PodCliqueSet, n: i32| s.spec.replicas = n)]
#[case::clique(|s: &mut PodCliqueSet, n: i32| s.spec.template.cliques[0].spec.replicas = n)]
#[case::member(|s: &mut PodCliqueSet, n: i32| s.spec.template.cliques[1].spec.replicas = n)]
#[case::minimum(|s: &mut PodCliqueSet, n: i32| s.spec.template.cliques[0].spec.min_available = Some(n))]
#[case::group(|s: &mut PodCliqueSet, n: i32| s.spec.template.scaling_groups[0].replicas = Some(n))]
#[case::group_minimum(|s: &mut PodCliqueSet, n: i32| s.spec.template.scaling_groups[0].min_available = Some(n))]
fn no_count_of_the_template_makes_work(#[case] edit: fn(&mut PodCliqueSet, i32)) {
    for number in NUMBERS {
        let set = demo().with(|s| edit(s, number)).build();
        let mut snapshot = running();
        snapshot.validated = alone(&set).validated;
        snapshot.stored = Arc::new(set);
        assert_eq!(is_small(&plan(&snapshot)), Ok(()), "{number}");
    }
}

#[test]
fn no_live_count_makes_work() {
    for number in NUMBERS {
        let mut snapshot = running();
        scale_group(&mut snapshot, number);
        assert_eq!(is_small(&plan(&snapshot)), Ok(()), "group at {number}");
        let mut snapshot = running();
        scale_clique(&mut snapshot, "demo-0-frontend", number);
        scale_clique(&mut snapshot, "demo-0-g-0-worker", number);
        assert_eq!(is_small(&plan(&snapshot)), Ok(()), "cliques at {number}");
    }
}

#[test]
fn ten_thousand_replicas_of_ten_thousand_group_replicas_are_reported_and_not_made() {
    let set = demo()
        .replicas(10_000)
        .with(|s| s.spec.template.scaling_groups[0].replicas = Some(10_000))
        .build();
    let plan = plan(&alone(&set));
    assert!(plan.writes_nothing());
    insta::assert_snapshot!(plan);
}

#[test]
fn a_count_beyond_the_limits_is_reported_and_running_pods_stay() {
    let mut snapshot = running();
    scale_group(&mut snapshot, i32::MAX);
    let plan = plan(&snapshot);
    let gangs = plan.waves.iter().flatten().map(|a| (a.verb(), a.kind()));
    assert!(gangs.into_iter().all(|a| a.0 != "delete"), "{plan}");
    let (reason, message) = ready(&plan);
    assert_eq!(reason, "LimitExceeded");
    insta::assert_snapshot!(message);
}

prop_compose! {
    fn numbers()(all in prop::collection::vec(prop::sample::select(NUMBERS.to_vec()), 8)) -> Vec<i32> {
        all
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(16))]
    #[test]
    fn no_counts_together_make_work(n in numbers()) {
        let set = demo().replicas(n[0]).with(|s| {
            let template = &mut s.spec.template;
            template.cliques[0].spec.replicas = n[1];
            template.cliques[1].spec.replicas = n[2];
            template.cliques[1].spec.min_available = Some(n[3]);
            template.scaling_groups[0].replicas = Some(n[4]);
            template.scaling_groups[0].min_available = Some(n[5]);
        }).build();
        let mut snapshot = running();
        snapshot.validated = alone(&set).validated;
        snapshot.stored = Arc::new(set);
        scale_group(&mut snapshot, n[6]);
        scale_clique(&mut snapshot, "demo-0-frontend", n[7]);
        prop_assert_eq!(is_small(&plan(&snapshot)), Ok(()));
    }
}

#[test]
fn a_large_set_is_made_in_portions() {
    let set = set("demo").replicas(1_200).clique("worker", |c| c).build();
    let mut snapshot = alone(&set);
    for portion in [500, 500, 200] {
        let next = plan(&snapshot);
        let made = next.waves.iter().flatten();
        let made = made.filter(|a| a.kind() == Kind::of::<PodClique>()).count();
        assert_eq!(made, portion);
        carry_out(&mut snapshot, &next);
    }
    let left = plan(&snapshot);
    let left = left.waves.iter().flatten().map(Action::kind);
    assert!(
        left.into_iter()
            .all(|kind| kind == Kind::of::<Service>() || kind == Kind::of::<PodGang>())
    );
}

#[test]
fn long_objects_are_created_in_smaller_portions() {
    let long = "x".repeat(1_000_000);
    let set = set("demo").replicas(100).clique("worker", |c| {
        c.with(|c| c.spec.pod_spec.containers[0].image = Some(long))
    });
    let plan = plan(&alone(&set.build()));
    let made = plan.waves.iter().flatten();
    assert_eq!(
        made.filter(|a| a.kind() == Kind::of::<PodClique>()).count(),
        17
    );
}

/// With a search through all PodCliques or attempts for each replica this takes minutes.
#[test]
fn ten_thousand_replicas_are_terminated_at_once() {
    const REPLICAS: i32 = 10_000;
    let set = set("demo").replicas(REPLICAS).clique("worker", |c| c);
    let mut snapshot = alone(&set.build());
    let first = plan(&snapshot);
    carry_out(&mut snapshot, &first);
    let seen = snapshot.podcliques["demo-0-worker"].clone();
    let of_replica = |i| {
        let mut seen = seen.clone();
        let name = format!("demo-{i}-worker");
        let meta = &mut Arc::make_mut(&mut seen.podclique).metadata;
        (meta.name, meta.uid) = (Some(name.clone()), Some(name.clone()));
        (name, seen)
    };
    snapshot.podcliques = (0..REPLICAS).map(of_replica).collect();
    let cause = || fence::AttemptCause {
        reason: "MinAvailableBreached".to_owned(),
        message: "its node pool is gone".to_owned(),
    };
    let due = (0..REPLICAS).map(|i| (i, cause()));
    let attempts = fence::begin_attempts(&[], due, after(60));
    let stored = Arc::make_mut(&mut snapshot.stored);
    stored.status.get_or_insert_default().replica_attempts = attempts;
    let plan = decide(&snapshot, after(60));
    let deleted = plan.waves.iter().flatten();
    let deleted = deleted.filter(|a| a.verb() == "delete").count();
    assert_eq!(i32::try_from(deleted), Ok(REPLICAS));
}

/// Fields that may hold a megabyte of text.
fn write_text(set: &mut PodCliqueSet, place: usize, text: String) {
    let clique = &mut set.spec.template.cliques[0];
    match place {
        0 => clique.name = text,
        1 => drop(clique.labels.insert("example.com/key".into(), text)),
        2 => drop(clique.annotations.insert("example.com/key".into(), text)),
        3 => clique.spec.role_name = text,
        4 => clique.spec.pod_spec.containers[0].image = Some(text),
        5 => clique.spec.starts_after = vec![text],
        6 => set.spec.template.scaling_groups[0].name = text,
        7 => set.spec.template.scaling_groups[0].clique_names[0] = text,
        _ => set.spec.template.priority_class_name = text,
    }
}

#[test]
fn no_text_of_a_megabyte_is_repeated_in_the_status() {
    for place in 0..9 {
        let text = ["0-", "é"][place % 2].repeat(500_000);
        let set = demo().with(|s| write_text(s, place, text)).build();
        let plan = decide(&alone(&set), after(60));
        assert_eq!(is_small(&plan), Ok(()), "place {place}");
    }
}
