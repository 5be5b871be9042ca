//! Decisions stay small whatever counts are stored.

use std::sync::Arc;

use api::PodCliqueScalingGroupStatus;
use domain::plan::Plan;
use podcliquescalinggroup::Snapshot;

use crate::situation::{complete, demo, plan, situation};

/// Values that people, autoscalers and typing errors write.
const NUMBERS: [i32; 6] = [0, 1, -1, 10_000, 10_001, i32::MAX];
/// Writes of one decision.
const MAX_ACTIONS: usize = 500;
/// Bytes of a status that is far below etcd's limit.
const LARGEST_STATUS: usize = 100_000;

fn is_small(plan: &Plan<PodCliqueScalingGroupStatus>) -> Result<(), String> {
    let actions = plan.waves.iter().flatten().count();
    let status = serde_json::to_string(&plan.status).unwrap().len();
    if actions > MAX_ACTIONS || status > LARGEST_STATUS {
        return Err(format!("{actions} actions, a status of {status} bytes"));
    }
    Ok(())
}

/// Three group replicas run; `spec.replicas` is this.
fn scaled(replicas: i32) -> Snapshot {
    let set = demo().build();
    situation(&set, replicas, complete(&set, 3))
}

#[test]
fn no_count_makes_work() {
    for number in NUMBERS {
        let mut snapshot = scaled(number);
        assert_eq!(is_small(&plan(&snapshot)), Ok(()), "{number} replicas");
        let group = Arc::make_mut(&mut snapshot.group);
        group.spec.min_available = Some(number);
        assert_eq!(is_small(&plan(&snapshot)), Ok(()), "and minAvailable");
    }
}

#[test]
fn a_long_list_of_names_makes_no_work() {
    let mut snapshot = scaled(3);
    let group = Arc::make_mut(&mut snapshot.group);
    group.spec.clique_names = (0..100_000).map(|i| format!("c{i}")).collect();
    assert_eq!(is_small(&plan(&snapshot)), Ok(()));
}

#[test]
fn what_is_beyond_the_limit_is_reported_and_what_runs_stays() {
    insta::assert_snapshot!(plan(&scaled(i32::MAX)));
}

/// Created by hand or under other limits: a status cannot name it.
#[test]
fn a_podclique_beyond_the_limit_holds_nothing_up_and_is_deleted() {
    let mut snapshot = scaled(3);
    let (name, last) = snapshot.podcliques.pop_last().unwrap();
    let beyond = name.replace("-2-", "-10000-");
    let mut podclique = Arc::unwrap_or_clone(last);
    podclique.metadata.name = Some(beyond.clone());
    snapshot.podcliques.insert(beyond.clone(), podclique.into());
    let plan = plan(&snapshot).to_string();
    assert!(
        plan.contains(&format!("delete PodClique {beyond}")),
        "{plan}"
    );
    assert!(plan.contains(&format!("create PodClique {name}")), "{plan}");
}

#[test]
fn of_a_set_that_is_over_its_limits_nothing_is_made_and_nothing_deleted() {
    for replicas in [1, 5] {
        let mut snapshot = scaled(replicas);
        snapshot.owner.as_mut().unwrap().is_over_limits = true;
        let plan = plan(&snapshot);
        assert!(plan.writes_nothing(), "{plan}");
        if replicas > 3 {
            assert!(plan.to_string().contains("exceeds a limit"), "{plan}");
        }
    }
}
