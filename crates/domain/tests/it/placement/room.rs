//! The room of topology domains when they are empty.

use api::podgang::{
    GangTopologyConstraint, PackConstraint, PodGroup, TopologyConstraintGroupConfig,
};
use api::{PodGang, labels};
use domain::Node;
use domain::placement::{
    Demand, FailedScope, PartDemand, PinnedScope, ScopeDemand, ScopeOwner, demands_of,
    explain_no_room, measure_rooms, requires_domain, scopes_of,
};
use domain::topology::{Levels, Selector};
use k8s_openapi::api::core::v1::PodSpec;
use rstest::rstest;
use serde_json::{Value, json};

const ZONE: &str = "example.com/zone";
const RACK: &str = "example.com/rack";

/// Zones of racks; another level that no node knows.
fn levels() -> Levels {
    let levels = json!([
        {"domain": "zone", "key": ZONE},
        {"domain": "rack", "key": RACK},
        {"domain": "spine", "key": "example.com/spine"},
    ]);
    Levels::from_text(&levels.to_string()).unwrap()
}

/// Two zones of two racks of four nodes of 8 GPUs, but for z1/r1 with two; a zone of one node. One
/// more node is in no rack.
fn nodes() -> Vec<Node> {
    let mut nodes = vec![node("lone", &json!({ZONE: "z0"}))];
    for (zone, rack, count) in [(0, 0, 4), (0, 1, 4), (1, 0, 4), (1, 1, 2), (2, 0, 1)] {
        for i in 0..count {
            let place = json!({ZONE: format!("z{zone}"), RACK: format!("r{rack}"), "pool": "gpu"});
            nodes.push(node(&format!("{zone}-{rack}-{i}"), &place));
        }
    }
    nodes
}

fn node(name: &str, labels: &Value) -> Node {
    let node = json!({
        "metadata": {"name": name, "labels": labels},
        "status": {"allocatable": {"nvidia.com/gpu": "8", "cpu": "64", "pods": "110"}},
    });
    serde_json::from_value(node).unwrap()
}

/// A template whose pod requests this.
fn template(requests: &Value) -> PodSpec {
    let main = json!({"name": "main", "resources": {"requests": requests}});
    serde_json::from_value(json!({"containers": [main]})).unwrap()
}

/// Pods of 8 GPUs, one a node.
fn of_gpus(pods: u64) -> Vec<Demand> {
    let template = template(&json!({"nvidia.com/gpu": "8"}));
    demands_of(&[PartDemand {
        template: &template,
        pods,
    }])
}

fn scope(position: usize, demands: Vec<Demand>) -> ScopeDemand {
    ScopeDemand {
        position,
        demands,
        ..ScopeDemand::default()
    }
}

/// In a replica whose pods run there.
fn pinned(scope: ScopeDemand, domain: &[(&str, &str)], pods: usize) -> ScopeDemand {
    ScopeDemand {
        pinned: Some(PinnedScope {
            owner: "its replica".to_owned(),
            domain: selector(domain),
            pods,
        }),
        ..scope
    }
}

fn within(scope: ScopeDemand, domain: &[(&str, &str)]) -> ScopeDemand {
    ScopeDemand {
        within: selector(domain),
        ..scope
    }
}

fn owned(owner: &str, scope: ScopeDemand) -> ScopeDemand {
    ScopeDemand {
        owner: Some(owner.to_owned()),
        ..scope
    }
}

fn selector(labels: &[(&str, &str)]) -> Selector {
    let labels = labels.iter();
    labels
        .map(|(key, value)| ((*key).to_owned(), (*value).to_owned()))
        .collect()
}

fn explain(scopes: &[ScopeDemand], failed: FailedScope) -> Option<String> {
    let nodes = nodes();
    let nodes: Vec<&Node> = nodes.iter().collect();
    explain_no_room(&measure_rooms(scopes, &levels(), &nodes), failed)
}

/// Eight pods without GPUs and five with them.
fn of_some_gpus() -> Vec<Demand> {
    let (large, small) = (
        template(&json!({"nvidia.com/gpu": "8", "cpu": "1"})),
        template(&json!({"cpu": "1"})),
    );
    let part = |template, pods| PartDemand { template, pods };
    demands_of(&[part(&large, 5), part(&small, 8)])
}

/// Pods that only nodes of a pool admit.
fn of_pool(pool: &str) -> Vec<Demand> {
    let mut template = template(&json!({"nvidia.com/gpu": "8"}));
    template.node_selector = Some(selector(&[("pool", pool)]));
    demands_of(&[PartDemand {
        template: &template,
        pods: 3,
    }])
}

#[rstest]
#[case::too_small(
    scope(1, of_gpus(5)),
    "no rack can hold 5 pods: the largest, z0/r0, holds 4 when it is empty, 1 too few: use a broader \
     level, or fewer or smaller pods"
)]
#[case::full(
    scope(1, of_gpus(4)),
    "none of 5 racks has room for 4 pods now (the largest, z0/r0, holds 4 when it is empty)"
)]
#[case::by_zones(
    scope(0, of_gpus(9)),
    "none of 3 zones has room for 9 pods now (the largest, z0, holds 9 when it is empty)"
)]
#[case::one_pod(
    scope(1, of_gpus(1)),
    "none of 5 racks has room for 1 pod now (the largest, z0/r0, holds 4 when it is empty)"
)]
#[case::in_the_zone_of_its_replica(
    within(scope(1, of_gpus(3)), &[(ZONE, "z1")]),
    "none of 2 racks of zone z1 has room for 3 pods now (the largest, z1/r0, holds 4 when it is empty)"
)]
#[case::too_small_in_the_zone_of_its_replica(
    within(scope(1, of_gpus(5)), &[(ZONE, "z1")]),
    "no rack of zone z1 can hold 5 pods: the largest, z1/r0, holds 4 when it is empty, 1 too few: use \
     a broader level, or fewer or smaller pods"
)]
#[case::the_only_one(
    within(scope(1, of_gpus(1)), &[(ZONE, "z2")]),
    "the only rack of zone z2, z2/r0, has no room for 1 pod now (it holds 1 when it is empty)"
)]
#[case::pinned(
    pinned(scope(1, of_gpus(2)), &[(ZONE, "z0"), (RACK, "r1")], 12),
    "its replica is in rack z0/r1 (12 pods), which has no room"
)]
#[case::pinned_and_too_small(
    pinned(scope(1, of_gpus(6)), &[(ZONE, "z0"), (RACK, "r1")], 1),
    "no rack can hold 6 pods: the largest, z0/r0, holds 4 when it is empty, 2 too few: use a broader \
     level, or fewer or smaller pods"
)]
#[case::no_label(scope(2, of_gpus(1)), "no node has label example.com/spine")]
#[case::no_label_there(
    within(scope(1, of_gpus(1)), &[(ZONE, "z9")]),
    "no node of zone z9 has labels example.com/zone and example.com/rack"
)]
#[case::only_some_request_it(
    scope(1, of_some_gpus()),
    "no rack can hold 5 pods that request nvidia.com/gpu: the largest, z0/r0, holds 4 when it is \
     empty, 1 too few: use a broader level, or fewer or smaller pods"
)]
#[case::of_a_pool(
    scope(1, of_pool("gpu")),
    "none of 5 racks has room for 3 pods now (the largest, z0/r0, holds 4 when it is empty)"
)]
#[case::of_no_pool(
    scope(1, of_pool("none")),
    "no rack can hold 3 pods: the largest, z0/r0, holds 0 when it is empty, 3 too few: use a broader \
     level, or fewer or smaller pods"
)]
fn a_scope_tells_what_its_domains_hold(#[case] scope: ScopeDemand, #[case] expected: &str) {
    let told = explain(&[scope], FailedScope::default());
    assert_eq!(told.as_deref(), Some(expected));
}

/// A zone for nine pods in which each of two groups has a rack.
fn nested(of_group: u64) -> [ScopeDemand; 3] {
    [
        scope(0, of_gpus(9)),
        owned("group replica demo-0-g-0", scope(1, of_gpus(of_group))),
        owned("group replica demo-0-g-1", scope(1, of_gpus(of_group))),
    ]
}

#[rstest]
#[case::the_narrowest_that_is_too_small(
    5,
    (None, None),
    "group replica demo-0-g-0: no rack can hold 5 pods: the largest, z0/r0, holds 4 when it is empty, \
     1 too few: use a broader level, or fewer or smaller pods"
)]
#[case::the_narrowest_if_none_is(
    4,
    (None, None),
    "group replica demo-0-g-0: none of 5 racks has room for 4 pods now (the largest, z0/r0, holds 4 \
     when it is empty)"
)]
#[case::the_one_that_the_scheduler_means(
    4,
    (Some(3), Some(9)),
    "none of 3 zones has room for 9 pods now (the largest, z0, holds 9 when it is empty)"
)]
fn one_of_several_scopes_counts(
    #[case] of_group: u64,
    #[case] (tried, minimum): (Option<u64>, Option<u64>),
    #[case] expected: &str,
) {
    let told = explain(&nested(of_group), FailedScope { tried, minimum });
    assert_eq!(told.as_deref(), Some(expected));
}

#[test]
fn a_gang_without_scopes_has_no_sentence() {
    assert_eq!(explain(&[], FailedScope::default()), None);
}

fn constraint(required: Option<&str>, preferred: Option<&str>) -> GangTopologyConstraint {
    GangTopologyConstraint {
        pack_constraint: Some(PackConstraint {
            required: required.map(str::to_owned),
            preferred: preferred.map(str::to_owned),
        }),
    }
}

#[test]
fn the_scopes_of_a_gang_are_what_its_spec_constrains() {
    let mut gang = PodGang::default();
    gang.metadata.labels = Some(labels::default_labels("demo"));
    let part = |name: &str, topology_constraint| PodGroup {
        name: name.to_owned(),
        topology_constraint,
        ..PodGroup::default()
    };
    gang.spec.pod_groups = vec![
        part("a", None),
        part("b", Some(constraint(None, Some(RACK)))),
    ];
    assert_eq!(scopes_of(&gang).len(), 1);
    assert!(!requires_domain(&gang), "a preferred level is not required");
    gang.spec.topology_constraint = Some(constraint(Some(ZONE), None));
    gang.spec.topology_constraint_group_configs = vec![
        TopologyConstraintGroupConfig {
            name: "g-0".to_owned(),
            pod_group_names: vec!["a".to_owned()],
            topology_constraint: Some(constraint(Some(RACK), None)),
        },
        TopologyConstraintGroupConfig::default(),
    ];
    gang.spec.scaling_group_topology_constraints = vec![TopologyConstraintGroupConfig {
        name: "g".to_owned(),
        pod_group_names: vec!["a".to_owned()],
        topology_constraint: Some(constraint(Some(ZONE), None)),
    }];
    assert!(requires_domain(&gang));
    let scopes = scopes_of(&gang);
    let told: Vec<_> = scopes
        .iter()
        .map(|scope| (scope.owner, scope.parts.join(","), scope.required))
        .collect();
    let expected = [
        (ScopeOwner::Gang, "a,b".to_owned(), Some(ZONE)),
        (ScopeOwner::ScalingGroup("g"), "a".to_owned(), Some(ZONE)),
        (ScopeOwner::Group("g-0"), "a".to_owned(), Some(RACK)),
        (ScopeOwner::Part("b"), "b".to_owned(), None),
    ];
    assert_eq!(told, expected);
}
