//! Live pod counts, which recreated cliques keep.

use std::sync::Arc;

use admission::validated_set;
use api::podclique::AutoScalingConfig;
use podcliqueset::Snapshot;

use super::{lose, running};
use crate::situation::{carry_out, plan};

#[test]
fn remembers_live_counts_until_the_recreated_clique_has_them() {
    let mut snapshot = running(1, Some("30s"));
    let front = snapshot.podcliques.get_mut("demo-0-frontend").unwrap();
    Arc::make_mut(&mut front.podclique).spec.replicas = 5;
    lose(&mut snapshot, "demo-0-frontend", 0);
    let first = plan(&snapshot);
    assert_eq!(first.status.as_ref().unwrap().live_replicas[0].replicas, 5);
    carry_out(&mut snapshot, &first);
    snapshot.podcliques.clear();
    let second = plan(&snapshot);
    assert_eq!(second.status.as_ref().unwrap().live_replicas.len(), 1);
    carry_out(&mut snapshot, &second);
    let front = &snapshot.podcliques["demo-0-frontend"].podclique;
    assert_eq!(front.spec.replicas, 5);
    assert_eq!(plan(&snapshot).status.unwrap().live_replicas, []);
}

/// The template has a higher count, which the PodClique does not have yet.
fn resize(snapshot: &mut Snapshot, replicas: i32) {
    let stored = Arc::make_mut(&mut snapshot.stored);
    stored.spec.template.cliques[0].spec.replicas = replicas;
    snapshot.validated =
        validated_set::validate_set(stored, &admission::defaults::DefaultsConfig::default());
}

/// The frontend after its replica was terminated: live and stamped replicas.
fn recreated(snapshot: &mut Snapshot) -> (i32, String) {
    lose(snapshot, "demo-0-frontend", 0);
    let fence = plan(snapshot);
    carry_out(snapshot, &fence);
    snapshot.podcliques.clear();
    let next = plan(snapshot);
    carry_out(snapshot, &next);
    let front = &snapshot.podcliques["demo-0-frontend"].podclique;
    let stamps = front.metadata.annotations.as_ref().unwrap();
    let stamp = stamps[api::labels::TEMPLATE_REPLICAS].clone();
    (front.spec.replicas, stamp)
}

#[test]
fn a_clique_that_nobody_scaled_follows_a_template_that_changed_just_before_the_fence() {
    let mut snapshot = running(1, Some("30s"));
    resize(&mut snapshot, 3);
    assert_eq!(recreated(&mut snapshot), (3, "3".to_owned()));
    resize(&mut snapshot, 4);
    let next = plan(&snapshot);
    carry_out(&mut snapshot, &next);
    let front = &snapshot.podcliques["demo-0-frontend"].podclique;
    assert_eq!(front.spec.replicas, 4);
}

#[test]
fn a_scaled_clique_is_stamped_with_the_count_that_it_was_compared_with() {
    let mut snapshot = running(1, Some("30s"));
    let front = snapshot.podcliques.get_mut("demo-0-frontend").unwrap();
    Arc::make_mut(&mut front.podclique).spec.replicas = 5;
    resize(&mut snapshot, 3);
    assert_eq!(recreated(&mut snapshot), (5, "2".to_owned()));
}

/// The autoscaler's count may happen to equal the template's.
#[test]
fn a_clique_with_an_autoscaler_keeps_its_count_whatever_the_template_says() {
    let mut snapshot = running(1, Some("30s"));
    let stored = Arc::make_mut(&mut snapshot.stored);
    let front = &mut stored.spec.template.cliques[0].spec;
    front.auto_scaling_config = Some(AutoScalingConfig {
        max_replicas: 5,
        ..AutoScalingConfig::default()
    });
    resize(&mut snapshot, 3);
    assert_eq!(recreated(&mut snapshot), (2, "2".to_owned()));
}

/// Stored before entries had the count that they were compared with.
#[test]
fn an_entry_without_the_template_it_was_compared_with_is_stamped_with_the_present_one() {
    let mut snapshot = running(1, Some("30s"));
    let front = snapshot.podcliques.get_mut("demo-0-frontend").unwrap();
    Arc::make_mut(&mut front.podclique).spec.replicas = 5;
    lose(&mut snapshot, "demo-0-frontend", 0);
    let mut fence = plan(&snapshot);
    fence.status.as_mut().unwrap().live_replicas[0].template = None;
    carry_out(&mut snapshot, &fence);
    assert_eq!(recreated(&mut snapshot), (5, "2".to_owned()));
}
