//! The number of pods, their indices, and the order of deletion.

use std::sync::Arc;

use api::{PodClique, codes, labels};
use domain::workload::slots::pod_name;
use insta::assert_snapshot;
use testkit::builders::{PodBuilder, pod, podclique};

use crate::situation::{gang_listing, last_holder, plan, ready, situation, writes};

#[test]
fn creates_all_pods_of_a_new_clique_on_the_lowest_indices() {
    let clique = podclique("demo-0-worker").size(3, 2).build();
    assert_snapshot!(plan(&situation(&clique, vec![])));
}

#[test]
fn fills_a_hole_before_taking_a_higher_index() {
    let clique = podclique("demo-0-worker").size(4, 1).build();
    assert_snapshot!(writes(&plan(&situation(&clique, ready(&clique, [0, 3])))));
}

#[test]
fn waits_for_a_terminating_pod_instead_of_taking_another_index() {
    let clique = podclique("demo-0-worker").size(3, 1).build();
    let mut pods = ready(&clique, [0, 2]);
    pods.push(pod(&clique, 1).ready().terminating(59));
    assert_snapshot!(writes(&plan(&situation(&clique, pods))));
}

#[test]
fn does_not_wait_for_a_terminating_pod_that_is_surplus() {
    let clique = podclique("demo-0-worker").size(3, 1).build();
    let mut pods = ready(&clique, [0, 1]);
    pods.push(pod(&clique, 4).ready().terminating(59));
    assert_snapshot!(writes(&plan(&situation(&clique, pods))));
}

#[test]
fn gives_the_successor_of_a_seen_pod_another_name() {
    let clique = podclique("demo-0-worker").build();
    let first = writes(&plan(&situation(&clique, vec![])));
    let mut snapshot = situation(&clique, vec![]);
    snapshot
        .last_holders
        .insert(0, last_holder("demo-0-worker-dead"));
    let second = writes(&plan(&snapshot));
    assert_ne!(first, second);
    assert_eq!(
        first,
        writes(&plan(&situation(&clique, vec![]))),
        "a repeated POST must hit the same name"
    );
}

#[test]
fn creates_nothing_while_the_owner_is_gone_or_going() {
    let clique = podclique("demo-0-worker").size(3, 1).build();
    let mut snapshot = situation(&clique, vec![]);
    snapshot.may_create = false;
    assert!(plan(&snapshot).writes_nothing());
}

#[test]
fn scales_in_the_least_useful_pods_first() {
    let clique = podclique("demo-0-worker").size(1, 1).build();
    let hash = "grove.io/pod-template-hash";
    let outdated = |b: PodBuilder| {
        b.with(|p| {
            p.metadata
                .labels
                .as_mut()
                .unwrap()
                .insert(hash.into(), "r1old".into());
        })
    };
    let pods = vec![
        pod(&clique, 0).ready().created(-100),
        pod(&clique, 1).ready(),
        outdated(pod(&clique, 2).ready().created(-100)),
        pod(&clique, 3).waiting("CrashLoopBackOff").created(-100),
        pod(&clique, 4).bound().created(-100),
        pod(&clique, 5).ungated().created(-100),
    ];
    assert_snapshot!(writes(&plan(&situation(&clique, pods))));
}

#[test]
fn scales_in_the_highest_index_among_equals() {
    let clique = podclique("demo-0-worker").size(2, 1).build();
    assert_snapshot!(writes(&plan(&situation(&clique, ready(&clique, 0..4)))));
}

#[test]
fn keeps_the_ready_one_of_two_pods_on_one_index() {
    let clique = podclique("demo-0-worker").size(1, 1).build();
    let late = pod(&clique, 0)
        .ungated()
        .with(|p| p.metadata.name = Some("demo-0-worker-late".into()));
    let pods = vec![pod(&clique, 0).ready(), late];
    assert_snapshot!(writes(&plan(&situation(&clique, pods))));
}

/// It is adopted first, and counts once the cache shows that.
#[test]
fn scales_in_nothing_that_it_does_not_control() {
    let clique = podclique("demo-0-worker").size(1, 1).build();
    let late = |b: PodBuilder| {
        b.with(|p| {
            p.metadata.name = Some("demo-0-worker-late".into());
            p.metadata.owner_references = None;
        })
    };
    for orphan in [pod(&clique, 1), pod(&clique, 0)] {
        let pods = vec![pod(&clique, 0).ready(), late(orphan.ready())];
        let done = writes(&plan(&situation(&clique, pods)));
        assert!(done.contains("it has no controller: adopted"), "{done}");
        assert!(!done.contains("delete"), "{done}");
    }
}

/// Name of the pod that the plan creates first.
fn first_name(snapshot: &podclique::Snapshot) -> String {
    let plan = plan(snapshot);
    plan.waves[0][0].key().name
}

#[test]
fn does_not_take_the_name_of_an_existing_or_foreign_pod() {
    let clique = podclique("demo-0-worker").size(2, 1).build();
    let first = first_name(&situation(&clique, vec![]));
    let other = pod(&clique, 1).with(|p| p.metadata.name = Some(first.clone()));
    assert_ne!(first_name(&situation(&clique, vec![other])), first);
    let mut taken = situation(&clique, vec![]);
    taken.taken_names = Arc::new([first.clone()].into());
    assert_ne!(first_name(&taken), first);
}

/// A slot that stays empty must be reported.
#[test]
fn says_that_all_names_of_a_slot_are_taken() {
    let clique = podclique("demo-0-worker").size(2, 1).build();
    let mut snapshot = situation(&clique, vec![]);
    let uid = clique.metadata.uid.as_deref().unwrap();
    let names = (0..100).map(|probe| pod_name("demo-0-worker", uid, 0, "", probe));
    snapshot.taken_names = Arc::new(names.collect());
    let plan = plan(&snapshot);
    assert_eq!(plan.waves[0].len(), 1, "the other slot is filled");
    let errors = plan.status.unwrap().last_errors;
    assert_snapshot!(errors[0].description, @"1 pods of demo-0-worker cannot be created, the first at index 0: all 100 names that it may have are taken by pods that belong to others; delete or rename the pods called demo-0-worker-* that podclique demo-0-worker does not own");
    assert_eq!(errors[0].code, codes::NAME_CONFLICT);
}

/// Two processes that decide at once create one pod.
#[test]
fn a_process_that_did_not_see_the_first_holder_gives_its_successor_the_same_name() {
    let clique = podclique("demo-0-worker").size(2, 2).build();
    let mut fresh = situation(&clique, vec![]);
    let first = first_name(&fresh);
    let gone = pod(&clique, 0)
        .with(|p| p.metadata.name = Some(first.clone()))
        .build();
    fresh.gang = Some(gang_listing(&clique, &[gone]));
    let mut experienced = fresh.clone();
    experienced.last_holders.insert(0, last_holder(&first));
    assert_eq!(first_name(&fresh), first_name(&experienced));
    experienced.gang = None;
    assert_eq!(first_name(&fresh), first_name(&experienced));
}

#[test]
fn does_not_take_a_name_that_the_gang_still_lists() {
    let clique = podclique("demo-0-worker").size(2, 2).build();
    let mut snapshot = situation(&clique, vec![]);
    let first = first_name(&snapshot);
    let gone = pod(&clique, 0)
        .with(|p| p.metadata.name = Some(first.clone()))
        .build();
    snapshot.gang = Some(gang_listing(&clique, &[gone]));
    assert_ne!(
        first_name(&snapshot),
        first,
        "it would be let through its gate alone"
    );
}

#[test]
fn creates_no_more_than_500_pods_at_once() {
    let clique = podclique("demo-0-worker").size(10_000, 1).build();
    assert_eq!(plan(&situation(&clique, vec![])).waves[0].len(), 500);
}

/// `spec.replicas` is `live`; the template says 3.
fn scaled_beyond(live: i32) -> Arc<PodClique> {
    let scaled = podclique("demo-0-worker").size(live, 1);
    let stamp = (labels::TEMPLATE_REPLICAS.to_owned(), "3".to_owned());
    let stamped = scaled.with(|c| c.metadata.annotations = Some([stamp].into()));
    stamped.build()
}

#[test]
fn replicas_beyond_the_limit_are_reported_and_only_those_of_the_template_kept() {
    for live in [10_001, i32::MAX] {
        let clique = scaled_beyond(live);
        let plan = plan(&situation(&clique, ready(&clique, [0, 2, 3])));
        insta::assert_snapshot!(format!("beyond_the_limit_{live}"), plan);
    }
}

#[test]
fn of_a_set_that_is_over_its_limits_nothing_is_made_beyond_the_template_and_nothing_deleted() {
    let clique = scaled_beyond(50);
    let mut over_limits = situation(&clique, ready(&clique, [0, 1]));
    over_limits.set.as_mut().unwrap().is_over_limits = true;
    assert_eq!(
        writes(&plan(&over_limits)).lines().count(),
        2,
        "a wave of one pod"
    );

    let clique = scaled_beyond(1);
    let mut over_limits = situation(&clique, ready(&clique, [0, 1, 2]));
    over_limits.set.as_mut().unwrap().is_over_limits = true;
    assert_eq!(writes(&plan(&over_limits)), "");
}

#[test]
fn creates_nothing_before_a_pod_whose_post_got_no_answer_was_looked_for() {
    let clique = podclique("demo-0-worker").size(3, 1).build();
    let mut unsure = situation(&clique, vec![]);
    unsure.may_have_more = true;
    assert!(plan(&unsure).writes_nothing());
}
