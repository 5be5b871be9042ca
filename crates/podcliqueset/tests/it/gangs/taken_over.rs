//! Gangs of another implementation.

use super::*;

/// All gangs, as the Go operator leaves them: with a list that opens no gate.
fn listed_by_another(adapt: impl Fn(PodBuilder) -> PodBuilder + Copy) -> podcliqueset::Snapshot {
    let mut snapshot = laid_out(&demo().build());
    fill_all(&mut snapshot, PodBuilder::ready);
    let first = plan(&snapshot);
    carry_out(&mut snapshot, &first);
    fill_all(&mut snapshot, adapt);
    for gang in &mut snapshot.children.gangs {
        let annotations = Arc::make_mut(gang).metadata.annotations.as_mut().unwrap();
        annotations.remove(labels::GATES_RELEASED_BY_LIST).unwrap();
    }
    snapshot
}

#[test]
fn takes_over_the_list_of_a_gang_that_runs() {
    let mut snapshot = listed_by_another(PodBuilder::ready);
    let next = plan(&snapshot);
    assert_eq!(lists(&next).len(), 2, "{next}");
    carry_out(&mut snapshot, &next);
    assert!(plan(&snapshot).writes_nothing());
    assert!(
        snapshot
            .children
            .gangs
            .iter()
            .all(|g| domain::workload::gang::opens_gates(g))
    );
}

#[test]
fn takes_over_the_list_of_a_waiting_gang_once_it_may_start() {
    let mut snapshot = listed_by_another(|p| p);
    // The base gang is complete; the scaled one waits for it.
    assert_eq!(lists(&plan(&snapshot))[0].0, "demo-0");
    assert_eq!(lists(&plan(&snapshot)).len(), 1);
    fill(&mut snapshot, "demo-0-frontend", 1, |p| p);
    assert!(lists(&plan(&snapshot)).is_empty(), "half a gang may start");
    for (clique, pods) in [
        ("demo-0-frontend", 2),
        ("demo-0-g-0-leader", 1),
        ("demo-0-g-0-worker", 2),
        ("demo-0-g-1-leader", 1),
        ("demo-0-g-1-worker", 2),
    ] {
        fill(&mut snapshot, clique, pods, PodBuilder::ready);
    }
    assert_eq!(lists(&plan(&snapshot)).len(), 2);
}

#[test]
fn takes_over_the_lists_of_running_gangs_while_the_set_is_invalid() {
    let invalid = demo()
        .with(|s| s.spec.template.cliques[0].spec.min_available = Some(5))
        .build();
    let invalid = crate::situation::alone(&invalid).validated;
    let mut runs = listed_by_another(PodBuilder::ready);
    runs.validated = invalid.clone();
    assert_eq!(
        lists(&plan(&runs)).len(),
        2,
        "its new pods would stay gated"
    );
    let mut waits = listed_by_another(|p| p);
    waits.validated = invalid;
    assert!(plan(&waits).writes_nothing());
}
