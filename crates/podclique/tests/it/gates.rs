//! When a pod may be scheduled.

use domain::pod::Gate;
use insta::assert_snapshot;
use testkit::builders::{pod, podclique};

use crate::situation::{gang_listing, plan, situation, writes};

#[test]
fn keeps_the_gate_until_the_gang_lists_the_pod() {
    let clique = podclique("demo-0-worker").size(2, 2).build();
    let pods = vec![pod(&clique, 0), pod(&clique, 1)];
    let mut snapshot = situation(&clique, pods);
    assert!(plan(&snapshot).writes_nothing());
    snapshot.gang = Some(gang_listing(&clique, &snapshot.pods[..1]));
    assert_snapshot!(writes(&plan(&snapshot)));
}

#[test]
fn takes_off_its_own_gate_only() {
    let clique = podclique("demo-0-worker").build();
    let gated = pod(&clique, 0).with(|p| {
        p.spec.scheduling_gates.insert(
            0,
            Gate {
                name: "example.com/quota".into(),
            },
        );
    });
    let mut snapshot = situation(&clique, vec![gated]);
    snapshot.gang = Some(gang_listing(&clique, &snapshot.pods));
    let plan = plan(&snapshot);
    let domain::plan::Action::Patch { operations, .. } = &plan.waves[0][0] else {
        panic!("{plan}")
    };
    assert_snapshot!(serde_json::to_string_pretty(operations).unwrap());
}

#[test]
fn does_not_touch_a_pod_that_is_listed_for_another_clique() {
    let clique = podclique("demo-0-worker").build();
    let other = podclique("demo-0-other").build();
    let mut snapshot = situation(&clique, vec![pod(&clique, 0)]);
    snapshot.gang = Some(gang_listing(&other, &snapshot.pods));
    assert!(plan(&snapshot).writes_nothing());
}
