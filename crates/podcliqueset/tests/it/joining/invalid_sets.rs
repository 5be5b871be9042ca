//! Pods of a running gang come back although the set was made invalid.

use super::*;

#[test]
fn the_only_pod_of_a_frontend_is_replaced_while_the_set_is_invalid() {
    let mut snapshot = lone_frontend();
    let invalid = demo()
        .with(|s| s.spec.template.cliques[0].spec.min_available = Some(5))
        .build();
    snapshot.validated = crate::situation::alone(&invalid).validated;
    replace_pods(&mut snapshot, FRONT, 1);
    assert!(base(&plan(&snapshot)).is_some(), "it would stay gated");
}

/// Its pods would stay gated, be breached, and be terminated as soon as the set is corrected.
#[test]
fn a_scaled_gang_comes_back_while_the_set_is_invalid_once_its_base_is_up() {
    let mut snapshot = laid_out(&demo().build());
    fill_all(&mut snapshot, PodBuilder::ready);
    for name in snapshot.podcliques.keys().cloned().collect::<Vec<_>>() {
        establish(&mut snapshot, &name);
    }
    settle(&mut snapshot);
    let invalid = demo()
        .with(|s| s.spec.template.cliques[0].spec.min_available = Some(5))
        .build();
    snapshot.validated = crate::situation::alone(&invalid).validated;
    replace_pods(&mut snapshot, "demo-0-g-2-leader", 1);
    replace_pods(&mut snapshot, "demo-0-g-2-worker", 2);
    let gang = "PodGang demo-0-g-0\n";
    assert!(
        writes(&plan(&snapshot)).contains(gang),
        "it would stay gated"
    );
    fill(&mut snapshot, "demo-0-g-1-leader", 0, |p| p);
    assert!(!writes(&plan(&snapshot)).contains(gang), "its base is down");
}
