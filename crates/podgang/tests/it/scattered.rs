//! Condition `TopologyConstraintViolated`: pods that have to share a domain run in several.

use std::sync::Arc;

use api::conditions::{self, ConditionType};
use api::podcliqueset::PodCliqueScalingGroupConfig;
use api::podgang::{NamespacedName, PodGroup};
use api::topology::{TopologyConstraint, TopologyPack};
use api::{PodClique, PodCliqueSet, PodGang, labels};
use domain::scheduling::Profiles;
use domain::{Node, Pod};
use engine::Caches;
use rstest::rstest;
use testkit::builders::{PodBuilder, pod, podclique, set, stored};

use super::constraints::{constraint, note_topology, of_group_replica};
use super::status;

/// Nodes `a` and `b` in zone `z0`, `c` in `z1`, `d` in `z2`; `x` has no zone.
pub fn cluster() -> Caches {
    let caches = Caches::default();
    let zones = [
        ("a", "z0"),
        ("b", "z0"),
        ("c", "z1"),
        ("d", "z2"),
        ("x", ""),
    ];
    for (name, zone) in zones {
        let mut node = Node {
            metadata: stored(name),
            ..Node::default()
        };
        node.metadata.namespace = None;
        if !zone.is_empty() {
            node.metadata.labels = Some([("zone".to_owned(), zone.to_owned())].into());
        }
        caches.of::<Node>().apply(node);
    }
    caches
}

/// A PodClique of replica 0 of the set, in this gang and this scaling group, if any.
pub fn clique(name: &str, gang: &str, group: Option<&str>) -> PodClique {
    let clique = podclique(name).with(|clique| {
        let all = clique.metadata.labels.get_or_insert_default();
        all.insert(labels::POD_GANG.to_owned(), gang.to_owned());
        if let Some(group) = group {
            all.insert(labels::SCALING_GROUP.to_owned(), group.to_owned());
        }
    });
    PodClique::clone(&clique.build())
}

/// A part with a pod on each of these nodes.
pub fn part(caches: &Caches, clique: &PodClique, nodes: &[&str]) -> PodGroup {
    add_pods(caches, clique, nodes, |pod| pod)
}

fn add_pods(
    caches: &Caches,
    clique: &PodClique,
    nodes: &[&str],
    adapt: impl Fn(PodBuilder) -> PodBuilder,
) -> PodGroup {
    caches.of::<PodClique>().apply(clique.clone());
    let mut group = PodGroup {
        name: clique.metadata.name.clone().unwrap(),
        min_replicas: 1,
        ..PodGroup::default()
    };
    for (node, k) in nodes.iter().zip(0..) {
        let bound = pod(clique, k).bound();
        let bound = bound.with(|pod| pod.spec.node_name = Some((*node).to_owned()));
        let built = adapt(bound).build();
        group.pod_references.push(NamespacedName {
            namespace: "default".to_owned(),
            name: built.name().to_owned(),
        });
        caches.of::<Pod>().apply(Pod::clone(&built));
    }
    group
}

/// The gang of these parts, which started with levels zone, rack and host.
pub fn gang(name: &str, required: &str, parts: Vec<PodGroup>) -> PodGang {
    let mut gang = PodGang {
        metadata: stored(name),
        ..PodGang::default()
    };
    gang.metadata.labels = Some(labels::default_labels("demo"));
    note_topology(&mut gang);
    gang.spec.pod_groups = parts;
    gang.spec.topology_constraint = constraint(required);
    gang
}

/// The message, up to the sentence that is always the same.
fn violation(caches: &Caches, gang: &PodGang) -> Option<String> {
    let gang = Arc::new(gang.clone());
    let snapshot = podgang::observe::observe(&gang, caches, &Profiles::default());
    let status = status(&snapshot);
    let type_ = ConditionType::TopologyConstraintViolated;
    let condition = conditions::find(&status.conditions, type_)?;
    let verdict = (&*condition.status, &*condition.reason);
    assert_eq!(verdict, ("True", "SeveralDomains"));
    let (domains, _) = condition.message.split_once("; pods that run").unwrap();
    Some(domains.to_owned())
}

#[rstest]
#[case::one_zone(&["a", "b"], None)]
#[case::two_zones(
    &["a", "c", "c"],
    Some(
        "pods of demo-0 have to share one zone and run in z0 (pod demo-0-w-p0), z1 (2 pods, one is \
         demo-0-w-p1)"
    )
)]
#[case::a_node_without_the_label(
    &["a", "x"],
    Some(
        "pods of demo-0 have to share one zone and run in node x, which lacks a label (pod \
         demo-0-w-p1), z0 (pod demo-0-w-p0)"
    )
)]
#[case::a_node_that_is_not_known_yet(&["a", "c", "new"], None)]
fn the_domains_of_a_gang_are_named(#[case] nodes: &[&str], #[case] expected: Option<&str>) {
    let caches = cluster();
    let worker = part(&caches, &clique("demo-0-w", "demo-0", None), nodes);
    let gang = gang("demo-0", "zone", vec![worker]);
    assert_eq!(violation(&caches, &gang).as_deref(), expected);
}

#[rstest]
#[case::a_group_replica(
    true,
    "pods of demo-0-g-0 have to share one zone and run in z0 (pod demo-0-g-0-a-p0), z1 (pod \
     demo-0-g-0-b-p0)"
)]
#[case::a_podclique(
    false,
    "pods of demo-0-g-0-b have to share one zone and run in z1 (pod demo-0-g-0-b-p0), z2 (pod \
     demo-0-g-0-b-p1)"
)]
fn inner_scopes_are_judged_too(#[case] of_group: bool, #[case] expected: &str) {
    let caches = cluster();
    let group = Some("demo-0-g");
    let nodes: &[&str] = if of_group { &["c"] } else { &["c", "d"] };
    let first = part(&caches, &clique("demo-0-g-0-a", "demo-0", group), &["a"]);
    let mut second = part(&caches, &clique("demo-0-g-0-b", "demo-0", group), nodes);
    if !of_group {
        second.topology_constraint = constraint("zone");
    }
    let mut gang = gang("demo-0", "", vec![first, second]);
    if of_group {
        let parts = ["demo-0-g-0-a", "demo-0-g-0-b"];
        gang.spec.topology_constraint_group_configs =
            vec![of_group_replica("demo-0-g-0", "zone", &parts)];
    }
    assert_eq!(violation(&caches, &gang).as_deref(), Some(expected));
}

/// A preferred level may be missed, pods that end count no more, and levels that were not stored are
/// not those by which the gang was placed.
#[test]
fn what_binds_nobody_is_no_violation() {
    let caches = cluster();
    let worker = clique("demo-0-w", "demo-0", None);
    let scattered = part(&caches, &worker, &["a", "c"]);
    let preferred = gang("demo-0", "/zone", vec![scattered.clone()]);
    assert_eq!(violation(&caches, &preferred), None);
    let mut adopted = gang("demo-0", "zone", vec![scattered]);
    adopted.metadata.annotations = None;
    assert_eq!(violation(&caches, &adopted), None);

    let caches = cluster();
    let ends = |pod: PodBuilder| match pod.clone().build().index() {
        Some(0) => pod,
        Some(1) => pod.terminating(30),
        _ => pod.phase("Succeeded"),
    };
    let ending = add_pods(&caches, &worker, &["a", "c", "d"], ends);
    let gang = gang("demo-0", "zone", vec![ending]);
    assert_eq!(violation(&caches, &gang), None);
}

/// The group has a constraint of its own, so its scaled gang does not bear that of the set: the base
/// gang, which bears it, is judged by the pods of both.
#[rstest]
#[case::beside_it("b", None)]
#[case::elsewhere(
    "c",
    Some(
        "pods of demo-0 have to share one zone and run in z0 (2 pods, one is demo-0-g-0-a-p0), z1 (pod \
         demo-0-g-1-a-p0)"
    )
)]
fn a_scaled_gang_outside_the_domain_of_its_replica_is_reported_by_the_base_gang(
    #[case] node: &str,
    #[case] expected: Option<&str>,
) {
    let caches = cluster();
    let group = Some("demo-0-g");
    let worker = part(&caches, &clique("demo-0-w", "demo-0", None), &["a"]);
    let first = part(&caches, &clique("demo-0-g-0-a", "demo-0", group), &["b"]);
    let second = clique("demo-0-g-1-a", "demo-0-g-0", group);
    let scaled = gang("demo-0-g-0", "host", vec![part(&caches, &second, &[node])]);
    let base = gang("demo-0", "zone", vec![worker, first]);
    assert_eq!(violation(&caches, &base).as_deref(), expected);
    assert_eq!(violation(&caches, &scaled), None);
}

/// A replica of the set is a scope of its own.
#[test]
fn other_replicas_of_the_set_do_not_count() {
    let caches = cluster();
    let worker = part(&caches, &clique("demo-0-w", "demo-0", None), &["a"]);
    let mut other = clique("demo-1-w", "demo-1", None);
    let all = other.metadata.labels.get_or_insert_default();
    all.insert(labels::PCS_REPLICA_INDEX.to_owned(), "1".to_owned());
    part(&caches, &other, &["c"]);
    let base = gang("demo-0", "zone", vec![worker]);
    assert_eq!(violation(&caches, &base), None);
}

/// Replica 0 of the scaling group is in the base gang, replica 1 is a scaled gang. Where only one is in the
/// base gang, that says nothing of the others: the template does.
#[rstest]
#[case::by_the_gang(true)]
#[case::by_the_template(false)]
fn all_replicas_of_a_scaling_group_are_one_scope(#[case] by_gang: bool) {
    let caches = cluster();
    let group = Some("demo-0-g");
    let first = part(&caches, &clique("demo-0-g-0-a", "demo-0", group), &["a"]);
    part(
        &caches,
        &clique("demo-0-g-1-a", "demo-0-g-0", group),
        &["c"],
    );
    let mut base = gang("demo-0", "", vec![first]);
    if by_gang {
        base.spec.scaling_group_topology_constraints =
            vec![of_group_replica("demo-0-g", "zone", &["demo-0-g-0-a"])];
    } else {
        base.spec.topology_constraint_group_configs =
            vec![of_group_replica("demo-0-g-0", "zone", &["demo-0-g-0-a"])];
        caches.of::<PodCliqueSet>().apply(packed_group());
    }
    let expected = "pods of demo-0-g have to share one zone and run in z0 (pod demo-0-g-0-a-p0), z1 (pod \
                    demo-0-g-1-a-p0)";
    assert_eq!(violation(&caches, &base).as_deref(), Some(expected));
}

/// A set whose scaling group `g` has to be in one zone as a whole.
fn packed_group() -> PodCliqueSet {
    let built = set("demo").clique("a", |clique| clique);
    let built = built.group("g", ["a"], |group| group.replicas(2).min(1));
    built
        .with(|set| {
            let pack = |group: &mut PodCliqueScalingGroupConfig| {
                let required = "zone".to_owned();
                let pack = TopologyPack {
                    required,
                    ..TopologyPack::default()
                };
                group.all_replicas_topology_constraint = Some(TopologyConstraint {
                    pack: Some(pack),
                    ..TopologyConstraint::default()
                });
            };
            set.spec.template.scaling_groups.iter_mut().for_each(pack);
        })
        .build()
}
