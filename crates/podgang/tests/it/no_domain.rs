//! Gangs with topology constraints: the score of their scopes, and why they find no domain.

use std::sync::Arc;

use api::conditions::{self, ConditionType};
use api::podgang::{GangTopologyConstraint, NamespacedName, PackConstraint, PodGroup};
use api::topology::{TopologyConstraint, TopologyLevel};
use api::{ClusterTopologyBinding, PodClique, PodCliqueSet, PodGang, labels};
use domain::scheduling::Profiles;
use domain::{Key, Node, Pod};
use engine::Caches;
use k8s_openapi::api::core::v1::{ResourceRequirements, Toleration};
use k8s_openapi::apimachinery::pkg::api::resource::Quantity;
use rstest::rstest;
use testkit::builders::{PodBuilder, pod, podclique, set, stored};

use super::status;

const RACK: &str = "example.com/rack";
const HOST: &str = "kubernetes.io/hostname";

const KUBERNETES: &str = "pod group is unschedulable, 0/2 placements are available, first placement \
                          status: minCount (5) cannot be satisfied: 1 scheduled, 3 remaining";
const KAI: &str = "Unable to schedule podgroup: node-group r0 can allocate only 1 of 5 required pods. \
                   \nnode-group r1 can allocate only 3 of 5 required pods. \ntopology fabric, \
                   requirement example.com/rack couldn't be satisfied for job <default/demo-0>.";
const TAINTED: &str = "0/5 nodes are available: 1 node(s) had untolerated taint(s), 2 node(s) didn't match \
                       Pod's node affinity/selector, 2 node(s) were unschedulable.";
const STRAY: &str = "cannot determine domain for already scheduled pods: no topology domain found for \
                     pod default/demo-0-worker-p0";

/// Nodes of 8 GPUs.
fn add_nodes(caches: &Caches, nodes: &[(&str, &str)]) {
    for (name, rack) in nodes {
        let mut node = Node {
            metadata: stored(name),
            ..Node::default()
        };
        node.metadata.namespace = None;
        let labels = [(RACK, *rack), (HOST, *name)];
        let labels = labels.map(|(key, value)| (key.to_owned(), value.to_owned()));
        node.metadata.labels = Some(labels.into());
        let allocatable = [("nvidia.com/gpu", "8"), ("pods", "110")];
        let allocatable = allocatable.map(|(key, value)| (key.to_owned(), value.to_owned()));
        node.status.allocatable = allocatable.into();
        caches.of::<Node>().apply(node);
    }
}

/// Two racks of two nodes.
fn cluster() -> Caches {
    let caches = Caches::default();
    add_nodes(
        &caches,
        &[("a", "r0"), ("b", "r0"), ("c", "r1"), ("d", "r1")],
    );
    caches
}

/// A part with these pods of 4 GPUs each, all of them guaranteed.
fn part(caches: &Caches, name: &str, pods: &[&dyn Fn(PodBuilder) -> PodBuilder]) -> PodGroup {
    let count = i32::try_from(pods.len()).unwrap();
    let mut clique = PodClique::clone(&podclique(name).size(count, count).build());
    let limits = [("nvidia.com/gpu".to_owned(), Quantity("4".into()))];
    clique.spec.pod_spec.containers[0].resources = Some(ResourceRequirements {
        limits: Some(limits.into()),
        ..ResourceRequirements::default()
    });
    caches.of::<PodClique>().apply(clique.clone());
    let mut group = PodGroup {
        name: name.to_owned(),
        min_replicas: count,
        ..PodGroup::default()
    };
    for (adapt, k) in pods.iter().zip(0..) {
        let pod = adapt(pod(&clique, k)).build();
        group.pod_references.push(NamespacedName {
            namespace: "default".to_owned(),
            name: pod.name().to_owned(),
        });
        caches.of::<Pod>().apply(Pod::clone(&pod));
    }
    group
}

fn on(node: &'static str) -> impl Fn(PodBuilder) -> PodBuilder {
    move |p| p.bound().with(|p| p.spec.node_name = Some(node.to_owned()))
}

fn refused(message: &'static str) -> impl Fn(PodBuilder) -> PodBuilder {
    move |p| {
        let pod = p.ungated().condition("PodScheduled", "False");
        pod.with(|p| {
            let condition = p.status.conditions.last_mut().unwrap();
            condition.reason = Some("Unschedulable".to_owned());
            condition.message = Some(message.to_owned());
        })
    }
}

/// Refused, after it was pinned to rack `r0`.
fn pinned(message: &'static str) -> impl Fn(PodBuilder) -> PodBuilder {
    let refused = refused(message);
    move |p| {
        refused(p).with(|p| {
            let pin = format!("{{\"{RACK}\":\"r0\"}}");
            let annotations = p.metadata.annotations.get_or_insert_default();
            annotations.insert(labels::PINNED.to_owned(), pin);
        })
    }
}

/// These nodes take no more pods.
fn cordon(caches: &Caches, names: &[&str]) {
    for name in names {
        let node = caches.of::<Node>().get(&Key::new("", *name)).unwrap();
        let mut node = Node::clone(&node);
        node.spec.is_cordoned = true;
        node.metadata.resource_version = Some("2".to_owned());
        caches.of::<Node>().apply(node);
    }
}

fn constraint(required: Option<&str>, preferred: Option<&str>) -> GangTopologyConstraint {
    GangTopologyConstraint {
        pack_constraint: Some(PackConstraint {
            required: required.map(str::to_owned),
            preferred: preferred.map(str::to_owned),
        }),
    }
}

/// The gang of these parts; it started with level `rack`.
fn gang(parts: Vec<PodGroup>) -> PodGang {
    let mut gang = PodGang {
        metadata: stored("demo-0"),
        ..PodGang::default()
    };
    gang.metadata.labels = Some(labels::default_labels("demo"));
    let levels = format!("[{{\"domain\":\"rack\",\"key\":\"{RACK}\"}}]");
    gang.metadata.annotations = Some([(labels::TOPOLOGY_LEVELS.to_owned(), levels)].into());
    gang.spec.pod_groups = parts;
    gang
}

fn bind(caches: &Caches, name: &str, levels: &[(&str, &str)]) {
    let mut binding = ClusterTopologyBinding {
        metadata: stored(name),
        ..ClusterTopologyBinding::default()
    };
    binding.metadata.namespace = None;
    let level = |(domain, key): &(&str, &str)| TopologyLevel {
        domain: (*domain).to_owned(),
        key: (*key).to_owned(),
    };
    binding.spec.levels = levels.iter().map(level).collect();
    caches.of::<ClusterTopologyBinding>().apply(binding);
}

/// Set `demo`, whose constraint names that topology.
fn add_set(caches: &Caches, topology: &str) {
    let built = set("demo").with(|set| {
        set.spec.template.topology_constraint = Some(TopologyConstraint {
            topology_name: topology.to_owned(),
            ..TopologyConstraint::default()
        });
    });
    caches.of::<PodCliqueSet>().apply(built.build());
}

/// The score, and the message of a condition.
fn judge(caches: &Caches, gang: &PodGang, type_: ConditionType) -> (Option<f64>, String) {
    let gang = Arc::new(gang.clone());
    let snapshot = podgang::observe::observe(&gang, caches, &Profiles::default());
    let status = status(&snapshot);
    let condition = conditions::find(&status.conditions, type_).unwrap();
    let message = format!("{}: {}", condition.reason, condition.message);
    (status.placement_score, message)
}

/// `a` and `b` are in one rack. The levels are those that were stored, and hosts below them.
#[rstest]
#[case::as_a_whole(None, None, 0.5)]
#[case::in_a_required_rack(Some(RACK), None, 0.0)]
#[case::a_clique_on_one_host(None, Some(HOST), 1.0)]
#[case::both_scopes(Some(RACK), Some(HOST), 0.5)]
fn the_score_is_that_of_the_scopes(
    #[case] worker_requires: Option<&str>,
    #[case] router_prefers: Option<&str>,
    #[case] expected: f64,
) {
    let caches = cluster();
    bind(&caches, "fabric", &[("rack", RACK), ("host", HOST)]);
    let mut worker = part(&caches, "demo-0-worker", &[&on("a"), &on("b")]);
    worker.topology_constraint = worker_requires.map(|key| constraint(Some(key), None));
    let mut parts = vec![worker];
    if let Some(key) = router_prefers {
        let mut router = part(&caches, "demo-0-router", &[&on("c"), &on("c")]);
        router.topology_constraint = Some(constraint(None, Some(key)));
        parts.push(router);
    }
    let (score, message) = judge(&caches, &gang(parts), ConditionType::Scheduled);
    assert_eq!(score, Some(expected), "{message}");
}

/// The first by name has hosts only.
#[rstest]
#[case::stored_and_the_narrower_ones_of_its_set(true, Some("racks"), "rack 1, host 2")]
#[case::of_its_set(false, Some("racks"), "zone 2, rack 2, host 2")]
#[case::the_first_by_name(false, Some("no-such"), "host 2")]
#[case::without_a_set(false, None, "host 2")]
fn it_is_measured_by_the_levels_that_count_for_the_set(
    #[case] has_stored: bool,
    #[case] topology: Option<&str>,
    #[case] expected: &str,
) {
    let caches = cluster();
    bind(&caches, "a-hosts", &[("host", HOST)]);
    let levels = [("zone", "example.com/zone"), ("rack", RACK), ("host", HOST)];
    let levels = if has_stored {
        &levels[1..]
    } else {
        &levels[..]
    };
    bind(&caches, "racks", levels);
    if let Some(topology) = topology {
        add_set(&caches, topology);
    }
    let mut gang = gang(vec![part(&caches, "demo-0-worker", &[&on("a"), &on("b")])]);
    if !has_stored {
        gang.metadata.annotations = None;
    }
    let (_, message) = judge(&caches, &gang, ConditionType::Scheduled);
    let domains = message.split_once("; domains: ").unwrap().1;
    // No node has a zone: each is a domain of its own from there down.
    assert_eq!(domains, expected);
}

/// Five pods of 4 GPUs in racks of 32.
#[rstest]
#[case::kubernetes(
    KUBERNETES,
    "no rack can hold 5 pods: the largest, r0, holds 4 when it is empty, 1 too few: use a broader \
     level, or fewer or smaller pods"
)]
#[case::kai(
    KAI,
    "no rack has room for 5 pods: the best, r1, has room for 3, 2 too few"
)]
fn a_gang_without_a_domain_tells_the_best(#[case] message: &'static str, #[case] expected: &str) {
    let caches = cluster();
    let (domain, gpu) = (
        refused(message),
        refused("0/2 nodes are available: 2 Insufficient gpu."),
    );
    let worker = part(&caches, "demo-0-worker", &[&domain, &gpu, &gpu, &gpu, &gpu]);
    let mut gang = gang(vec![worker]);
    gang.spec.topology_constraint = Some(constraint(Some(RACK), None));
    let (_, told) = judge(&caches, &gang, ConditionType::Ready);
    assert_eq!(told, format!("TopologyNoDomain: {expected}"));
}

/// A third node makes the rack large enough; the scheduler says the same.
#[test]
fn a_gang_learns_that_a_node_came() {
    let caches = cluster();
    let domain = refused(KUBERNETES);
    let domain: &dyn Fn(PodBuilder) -> PodBuilder = &domain;
    let mut gang = gang(vec![part(&caches, "demo-0-worker", &[domain; 5])]);
    gang.spec.topology_constraint = Some(constraint(Some(RACK), None));
    let (_, told) = judge(&caches, &gang, ConditionType::Ready);
    assert!(told.contains("no rack can hold 5 pods"), "{told}");
    add_nodes(&caches, &[("e", "r1")]);
    let (_, told) = judge(&caches, &gang, ConditionType::Ready);
    let expected = "TopologyNoDomain: none of 2 racks has room for 5 pods now (the largest, r1, holds 6 \
                    when it is empty)";
    assert_eq!(told, expected);
}

#[rstest]
#[case::in_one_rack(
    "a",
    KUBERNETES,
    "its replica is in rack r0 (1 pod), which has no room"
)]
#[case::on_a_node_without_the_label(
    "x",
    STRAY,
    "pod demo-0-worker-p0 is on x, which has no label of its topology level (one of \
     example.com/rack): label the node, or delete the pod"
)]
fn a_gang_that_has_to_join_its_pods_tells_where_they_are(
    #[case] node: &'static str,
    #[case] message: &'static str,
    #[case] expected: &str,
) {
    let caches = cluster();
    let (bound, domain) = (on(node), refused(message));
    let worker = part(&caches, "demo-0-worker", &[&bound, &domain]);
    let mut gang = gang(vec![worker]);
    gang.spec.topology_constraint = Some(constraint(Some(RACK), None));
    let (_, told) = judge(&caches, &gang, ConditionType::Ready);
    assert_eq!(told, format!("TopologyNoDomain: {expected}"));
}

/// Nodes of others have taints, as in any cluster: the scheduler's words do not show that all nodes of
/// the rack are cordoned.
#[rstest]
#[case::all_nodes(
    &["a", "b"],
    false,
    "TopologyNoDomain: demo-0-worker-p1 has to join the pods of its replica in rack r0, where all \
     nodes are cordoned (a, b): uncordon one (`kubectl uncordon a`), or delete all pods of its \
     replica, which may then start elsewhere (`kubectl delete pods -n default -l \
     app.kubernetes.io/part-of=demo,grove.io/podcliqueset-replica-index=0`)"
)]
#[case::only_one(&["a"], false, "Unschedulable: podclique demo-0-worker ")]
#[case::pods_that_tolerate_it(&["a", "b"], true, "Unschedulable: podclique demo-0-worker ")]
fn a_pod_that_is_pinned_to_cordoned_nodes_tells_so(
    #[case] cordoned: &[&str],
    #[case] tolerates: bool,
    #[case] expected: &str,
) {
    let caches = cluster();
    cordon(&caches, cordoned);
    let (bound, waiting) = (on("a"), pinned(TAINTED));
    let worker = part(&caches, "demo-0-worker", &[&bound, &waiting]);
    if tolerates {
        tolerate_cordons(&caches, "demo-0-worker");
    }
    let mut gang = gang(vec![worker]);
    gang.spec.topology_constraint = Some(constraint(Some(RACK), None));
    let (_, told) = judge(&caches, &gang, ConditionType::Ready);
    assert!(told.starts_with(expected), "{told}");
}

fn tolerate_cordons(caches: &Caches, podclique: &str) {
    let cliques = caches.of::<PodClique>();
    let found = cliques.get(&Key::new("default", podclique)).unwrap();
    let mut clique = PodClique::clone(&found);
    clique.metadata.resource_version = Some("2".to_owned());
    clique.spec.pod_spec.tolerations = Some(vec![Toleration {
        key: Some("node.kubernetes.io/unschedulable".to_owned()),
        operator: Some("Exists".to_owned()),
        ..Toleration::default()
    }]);
    cliques.apply(clique);
}

/// The words are those of any group.
#[test]
fn a_gang_without_constraint_has_the_cause_of_its_parts() {
    let caches = cluster();
    let domain = refused(KUBERNETES);
    let gang = gang(vec![part(&caches, "demo-0-worker", &[&domain])]);
    let (_, told) = judge(&caches, &gang, ConditionType::Ready);
    let expected = "Unschedulable: podclique demo-0-worker 0/1 pods scheduled: there is no room for all \
                    pods that must be placed together";
    assert_eq!(told, expected);
}
