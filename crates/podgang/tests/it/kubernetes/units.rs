//! Units that are evicted as a whole (decision 139).

use std::sync::Arc;

use podgang::backend::kubernetes::Facts;

use super::settled::settle;
use super::{cluster, tree};

/// Their names.
fn units(facts: &Facts) -> Vec<&str> {
    let is_unit = |mode: Option<bool>| mode == Some(true);
    let groups = facts.groups.iter().filter(|(_, g)| {
        let mode = g.spec.disruption_mode.as_ref();
        is_unit(mode.map(|mode| mode.all.is_some()))
    });
    let composites = facts.composites.iter().filter(|(_, c)| {
        let mode = c.spec.disruption_mode.as_ref();
        is_unit(mode.map(|mode| mode.all.is_some()))
    });
    let groups = groups.map(|(name, _)| name.as_str());
    groups
        .chain(composites.map(|(name, _)| name.as_str()))
        .collect()
}

#[test]
fn a_gang_is_evicted_as_a_whole_unless_it_is_one_clique_with_pods_to_spare() {
    let mut whole = cluster(&[("a", "demo-0", 1), ("b", "demo-0", 3)]);
    settle(&mut whole);
    assert_eq!(units(&whole), ["demo-0"]);
    let mut spare = cluster(&[("a", "demo-0-a", 2)]);
    spare.members[0].pods = 5;
    settle(&mut spare);
    assert_eq!(units(&spare), [""; 0]);
    let mut joint = cluster(&[("a", "demo-0", 1), ("b", "demo-0-b", 2)]);
    joint.members[1].pods = 5;
    settle(&mut joint);
    assert_eq!(units(&joint), ["demo-0", "demo-0-b", "demo-0.groups"]);
}

/// The eviction mode is written once; children of a unit that is evicted as a whole are so too.
#[test]
fn a_gang_of_an_older_release_is_evicted_pod_by_pod_as_before() {
    let mut facts = cluster(&[
        ("a", "demo-0-a", 1),
        ("b", "demo-0-b", 2),
        ("c", "demo-0-c", 1),
    ]);
    settle(&mut facts);
    for group in facts.groups.values_mut() {
        Arc::make_mut(group).spec.disruption_mode = None;
    }
    assert!(settle(&mut facts).is_empty());
    facts.members.pop();
    settle(&mut facts);
    assert_eq!(units(&facts), [""; 0]);
}

#[test]
fn of_a_tree_each_replica_is_evicted_as_a_whole() {
    let mut facts = tree();
    facts.members[0].pods = 2;
    settle(&mut facts);
    assert_eq!(
        units(&facts),
        [
            "demo-0-g-0-lead",
            "demo-0-g-0-work",
            "demo-0-g-1-lead",
            "demo-0-g-1-work",
            "demo-0-g-0.groups",
            "demo-0-g-1.groups",
        ]
    );
}
