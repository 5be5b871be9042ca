//! The topology domains that a gang could use, with their room.

use cli::capacity::{
    ClusterSnapshot, Domain, DomainsOfGang, Holder, domains_of, gangs_of, read_dump, read_sets,
};
use rstest::rstest;
use serde_json::{Value, json};

/// Nodes of 8 GPUs, by zone and rack.
const NODES: [(&str, &str, u32); 4] = [
    ("z0", "r0", 4),
    ("z0", "r1", 4),
    ("z1", "r0", 2),
    ("z1", "r1", 1),
];

fn node(zone: &str, rack: &str, number: u32) -> Value {
    json!({
        "kind": "Node",
        "metadata": {"name": format!("{zone}-{rack}-{number}"), "labels": {
            "example.com/zone": zone, "example.com/rack": rack,
        }},
        "status": {"allocatable": {"nvidia.com/gpu": "8", "pods": "110"}},
    })
}

/// A pod of that PodClique with 8 GPUs.
fn bound(podclique: &str, set: &str, node: &str) -> Value {
    let labels = json!({"app.kubernetes.io/part-of": set, "grove.io/podclique": podclique});
    json!({
        "kind": "Pod",
        "metadata": {
            "name": format!("{podclique}-{node}"), "namespace": "default", "labels": labels,
        },
        "spec": {"nodeName": node, "containers": [
            {"name": "main", "resources": {"requests": {"nvidia.com/gpu": "8"}}},
        ]},
        "status": {"phase": "Running"},
    })
}

fn snapshot(pods: &[Value]) -> ClusterSnapshot {
    let nodes = NODES
        .iter()
        .flat_map(|(zone, rack, count)| (0..*count).map(move |i| node(zone, rack, i)));
    let levels = json!([
        {"domain": "zone", "key": "example.com/zone"},
        {"domain": "rack", "key": "example.com/rack"},
    ]);
    let binding = json!({
        "kind": "ClusterTopologyBinding", "apiVersion": "grove.io/v1alpha1",
        "metadata": {"name": "fabric"}, "spec": {"levels": levels},
    });
    let mut items: Vec<Value> = nodes.chain([binding]).collect();
    items.extend_from_slice(pods);
    read_dump(&json!({"kind": "List", "items": items}).to_string(), "dump").unwrap()
}

/// A clique, and a group of two replicas of a clique of as many pods, of which one is required.
fn set(pods: u32, of_set: Option<&str>, of_group: Option<&str>) -> Value {
    let clique = |name: &str| {
        let requests = json!({"requests": {"nvidia.com/gpu": "8"}});
        json!({"name": name, "spec": {
            "roleName": name, "replicas": pods, "minAvailable": pods,
            "podSpec": {"containers": [{"name": "main", "image": "example", "resources": requests}]},
        }})
    };
    let constraint = |level: &str| json!({"topologyName": "fabric", "pack": {"required": level}});
    let mut set = json!({
        "apiVersion": "grove.io/v1alpha1", "kind": "PodCliqueSet",
        "metadata": {"name": "svc", "namespace": "default"},
        "spec": {"replicas": 1, "template": {
            "cliques": [clique("worker")],
            "podCliqueScalingGroups": [
                {"name": "grp", "cliqueNames": ["worker"], "replicas": 2, "minAvailable": 1},
            ],
        }},
    });
    let template = &mut set["spec"]["template"];
    if let Some(level) = of_set {
        template["topologyConstraint"] = constraint(level);
    }
    if let Some(level) = of_group {
        template["podCliqueScalingGroups"][0]["topologyConstraint"] = constraint(level);
    }
    set
}

fn domains(set: &Value, snapshot: &ClusterSnapshot, gang: &str) -> Option<DomainsOfGang> {
    let sets = read_sets(&set.to_string(), "file", "default").unwrap();
    let gangs = gangs_of(&sets[0], snapshot).unwrap();
    domains_of(snapshot, &gangs, gang)
}

fn told(found: &DomainsOfGang) -> Vec<(&str, u32, u32)> {
    let domains = found.domains.iter();
    domains
        .map(|domain| (&*domain.domain, domain.fits, domain.need))
        .collect()
}

#[test]
fn domains_are_listed_by_room_with_what_they_lack_and_who_holds_it() {
    let other = bound("other-0-w", "other", "z0-r1-0");
    let found = domains(&set(5, None, Some("rack")), &snapshot(&[other]), "svc-0").unwrap();
    let expected = [
        ("z0/r0", 4, 5),
        ("z0/r1", 3, 5),
        ("z1/r0", 2, 5),
        ("z1/r1", 1, 5),
    ];
    assert_eq!(told(&found), expected);
    let second = Domain {
        level: "rack".to_owned(),
        domain: "z0/r1".to_owned(),
        fits: 3,
        need: 5,
        missing: [("nvidia.com/gpu".to_owned(), "16".to_owned())].into(),
        held_by: vec![Holder {
            resource: "nvidia.com/gpu".to_owned(),
            pods: "default/other-0-w".to_owned(),
            amount: "8".to_owned(),
        }],
    };
    assert_eq!(found.domains[1], second);
    assert_eq!(found.notes, ["level zone would do: z0 has room for 5 pods"]);
}

/// Pods of 8 GPUs on nodes of 8.
#[rstest]
#[case::no_zone_has_room(
    9,
    Some("rack"),
    "level zone would not do: the best, z0, has room for 8 of 9 pods"
)]
#[case::the_broadest_level(9, Some("zone"), "without the constraint it would fit")]
#[case::too_many(12, Some("zone"), "it would not fit without the constraint either")]
fn it_says_whether_a_broader_level_would_do(
    #[case] pods: u32,
    #[case] level: Option<&str>,
    #[case] expected: &str,
) {
    let found = domains(&set(pods, None, level), &snapshot(&[]), "svc-0").unwrap();
    assert_eq!(found.notes, [expected]);
}

/// The narrowest scope that fails counts, not one for which a domain has room.
#[test]
fn of_several_scopes_the_failing_one_counts() {
    let found = domains(&set(5, Some("zone"), Some("rack")), &snapshot(&[]), "svc-0").unwrap();
    assert_eq!(found.domains[0].level, "rack");
    let found = domains(&set(4, Some("zone"), Some("rack")), &snapshot(&[]), "svc-0").unwrap();
    assert_eq!(found.domains[0].level, "zone");
}

/// Its replica runs in zone z1: a scaled gang whose group has a constraint of its own may not leave it.
#[test]
fn a_scaled_gang_has_the_zone_of_its_replica() {
    let pods = [bound("svc-0-grp-0-worker", "svc", "z1-r1-0")];
    let set = set(1, Some("zone"), Some("rack"));
    let free = domains(&set, &snapshot(&pods), "svc-0-grp-0").unwrap();
    assert_eq!(free.domains[0].level, "zone");
    assert_eq!(told(&free), [("z1", 1, 1)]);
    let held = ["z1-r0-0", "z1-r0-1"].map(|node| bound("other-0-w", "other", node));
    let full = domains(
        &set,
        &snapshot(&[&pods[..], &held[..]].concat()),
        "svc-0-grp-0",
    )
    .unwrap();
    assert_eq!(told(&full), [("z1/r0", 0, 1), ("z1/r1", 0, 1)]);
}

#[test]
fn at_most_ten_are_listed() {
    let snapshot = {
        let nodes = (0..15).map(|i| node(&format!("z{i:02}"), "r", 0));
        let binding = json!({
            "kind": "ClusterTopologyBinding", "apiVersion": "grove.io/v1alpha1",
            "metadata": {"name": "fabric"},
            "spec": {"levels": [{"domain": "zone", "key": "example.com/zone"}]},
        });
        let items: Vec<Value> = nodes.chain([binding]).collect();
        read_dump(&json!({"kind": "List", "items": items}).to_string(), "dump").unwrap()
    };
    let found = domains(&set(2, None, Some("zone")), &snapshot, "svc-0").unwrap();
    assert_eq!(found.domains.len(), 10);
    assert_eq!(found.notes[0], "5 more with no more room");
}

#[test]
fn a_gang_without_constraints_has_none() {
    assert_eq!(domains(&set(2, None, None), &snapshot(&[]), "svc-0"), None);
}
