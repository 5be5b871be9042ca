//! The PodGroup of a gang for Volcano.

use std::sync::Arc;

use api::volcano::VolcanoPodGroup;
use api::{PodGang, labels};
use domain::object::ownership::controller_reference;
use domain::plan::Action;
use insta::assert_snapshot;
use jiff::Timestamp;
use podgang::Snapshot;
use podgang::backend::{FoundGroup, SchedulerObjects};
use podgang::decide::decide;
use serde_json::json;
use testkit::builders::set;

use crate::actions::{gang_of, only};

fn gang(parts: &[(&str, i32)]) -> PodGang {
    let mut gang = gang_of("volcano", parts);
    let all = gang.metadata.annotations.get_or_insert_default();
    all.insert(labels::VOLCANO_QUEUE.into(), "research".into());
    gang
}

fn snapshot(gang: &PodGang, group: Option<&VolcanoPodGroup>) -> Snapshot {
    Snapshot {
        gang: Arc::new(gang.clone()),
        scheduler_objects: SchedulerObjects::Volcano(FoundGroup {
            group: group.cloned().map(Arc::new),
            is_served: true,
        }),
        ..Snapshot::default()
    }
}

fn actions(gang: &PodGang, group: Option<&VolcanoPodGroup>) -> Vec<Action> {
    let plan = decide(&snapshot(gang, group), Timestamp::UNIX_EPOCH);
    plan.waves.into_iter().flatten().collect()
}

fn unsupported(gang: &PodGang, group: &VolcanoPodGroup) -> Option<String> {
    let plan = decide(&snapshot(gang, Some(group)), Timestamp::UNIX_EPOCH);
    let mut conditions = plan.status.unwrap().conditions.into_iter();
    let found = conditions.find(|c| c.type_ == "SchedulingFeatureUnsupported");
    found.map(|c| format!("{} {}: {}", c.status, c.reason, c.message))
}

#[test]
fn it_gets_a_pod_group_with_the_minimum_of_each_part() {
    let gang = gang(&[("leader", 1), ("worker", 3), ("done", 0)]);
    let created: VolcanoPodGroup = only(&actions(&gang, None));
    assert_snapshot!(serde_json::to_string_pretty(&created).unwrap());
    assert_eq!(actions(&gang, Some(&created)), [], "it is written once");
    assert_eq!(unsupported(&gang, &created), None);
}

#[test]
fn it_is_put_right_in_one_write_that_keeps_foreign_fields() {
    let created: VolcanoPodGroup = only(&actions(&gang(&[("leader", 1), ("worker", 3)]), None));
    let mut found = serde_json::to_value(&created).unwrap();
    found["metadata"]["uid"] = json!("uid-group");
    found["spec"]["minResources"] = json!({"cpu": "4"});
    found["spec"]["queue"] = json!("other");
    found["spec"]["subGroupPolicy"][0]["networkTopology"] = json!({"mode": "hard"});
    let found: VolcanoPodGroup = serde_json::from_value(found).unwrap();
    let awake = gang(&[("leader", 1), ("worker", 5), ("router", 2)]);
    let next: VolcanoPodGroup = only(&actions(&awake, Some(&found)));
    assert_snapshot!(serde_json::to_string_pretty(&next).unwrap());
    assert_eq!(actions(&awake, Some(&next)), []);
}

/// Definitions before 1.14 drop the parts: repeated writes would have no effect.
#[test]
fn dropped_parts_are_reported_and_tried_again_with_the_next_change() {
    let first = gang(&[("leader", 1), ("worker", 3)]);
    let mut stored: VolcanoPodGroup = only(&actions(&first, None));
    stored.spec.sub_group_policy.clear();
    assert_eq!(actions(&first, Some(&stored)), []);
    assert_snapshot!(unsupported(&first, &stored).unwrap());
    let scaled = gang(&[("leader", 1), ("worker", 4)]);
    let next: VolcanoPodGroup = only(&actions(&scaled, Some(&stored)));
    assert_eq!(next.spec.sub_group_policy.len(), 2);
    assert_eq!(unsupported(&scaled, &next), None);
}

/// An earlier release wrote an only part too, and a gang may lose its other parts.
#[test]
fn an_only_part_is_removed_from_an_existing_pod_group() {
    let alone = gang(&[("worker", 3)]);
    let created: VolcanoPodGroup = only(&actions(&alone, None));
    assert_eq!(created.spec.min_member, Some(3));
    assert_eq!(created.spec.sub_group_policy, []);
    let several = gang(&[("worker", 3), ("done", 0)]);
    let found: VolcanoPodGroup = only(&actions(&several, Some(&created)));
    assert_eq!(
        found.spec.sub_group_policy.len(),
        1,
        "pods of `done` count too"
    );
    let next: VolcanoPodGroup = only(&actions(&alone, Some(&found)));
    assert_eq!(next, created);
    assert_eq!(actions(&alone, Some(&next)), [], "it is written once");
}

/// Its topology would be lost with it.
#[test]
fn an_only_part_with_fields_of_another_writer_stays() {
    let several = gang(&[("worker", 3), ("done", 0)]);
    let mut found: VolcanoPodGroup = only(&actions(&several, None));
    let topology = json!({"mode": "hard", "highestTierAllowed": 1});
    let others = &mut found.spec.sub_group_policy[0].others;
    others.insert("networkTopology".into(), topology.clone());
    let alone = gang(&[("worker", 4)]);
    let next: VolcanoPodGroup = only(&actions(&alone, Some(&found)));
    let [part] = &next.spec.sub_group_policy[..] else {
        panic!("not one part: {:?}", next.spec);
    };
    assert_eq!(part.sub_group_size, Some(4));
    assert_eq!(part.others["networkTopology"], topology);
    assert_eq!(actions(&alone, Some(&next)), []);
}

/// A definition that lacks parts is no loss to a gang that needs none.
#[test]
fn nothing_is_reported_of_an_only_part() {
    let several = gang(&[("leader", 1), ("worker", 3)]);
    let mut stored: VolcanoPodGroup = only(&actions(&several, None));
    stored.spec.sub_group_policy.clear();
    let alone = gang(&[("worker", 3)]);
    let next: VolcanoPodGroup = only(&actions(&alone, Some(&stored)));
    assert_eq!(unsupported(&alone, &next), None);
    assert_eq!(actions(&alone, Some(&next)), []);
}

#[test]
fn a_foreign_pod_group_is_left_alone() {
    let gang = gang(&[("worker", 3)]);
    let mut foreign: VolcanoPodGroup = only(&actions(&gang, None));
    foreign.spec.min_member = Some(1);
    foreign.metadata.owner_references = Some(vec![controller_reference(&set("other").build())]);
    assert_eq!(actions(&gang, Some(&foreign)), []);
}
