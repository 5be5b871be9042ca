//! A part that joins pods which are listed and wait for their nodes, and pods that take the place of others.

use api::podgang::PodPlacement;
use rstest::rstest;

use super::*;

const FRONT: &str = "demo-0-frontend";
const WORKER: &str = "demo-0-worker";

fn scale_worker(snapshot: &mut Snapshot, replicas: i32) {
    let worker = snapshot.podcliques.get_mut(WORKER).unwrap();
    Arc::make_mut(&mut worker.podclique).spec.replicas = replicas;
}

/// The frontend is listed in PodGroup `demo-0` and has no node. The worker was at 0 until now: its pods are
/// in this PodGroup.
fn joining(group: &str) -> Snapshot {
    let mut set = set("demo")
        .clique("frontend", |c| c)
        .clique("worker", |c| c.replicas(2))
        .build();
    set.spec.template.topology_constraint = Some(required("zone"));
    let mut snapshot = know_topology(laid_out_alone(&set));
    snapshot.scheduler.backend = Backend::Kubernetes;
    scale_worker(&mut snapshot, 0);
    fill(&mut snapshot, FRONT, 1, |p| p.in_pod_group("demo-0"));
    store(&mut snapshot);
    scale_worker(&mut snapshot, 2);
    fill(&mut snapshot, FRONT, 1, |p| {
        p.ungated().in_pod_group("demo-0")
    });
    fill(&mut snapshot, WORKER, 2, |p| p.in_pod_group(group));
    snapshot
}

/// The scheduler looks at no pod of a PodGroup while one has its gate: the frontend would wait for the worker,
/// and the worker for the node of the frontend.
#[rstest]
#[case::of_the_gang(Backend::Kubernetes, "demo-0", &["demo-0-frontend: 0", "demo-0-worker: 0 1"])]
#[case::of_its_own(Backend::Kubernetes, "demo-0-worker", &[])]
#[case::in_a_tree(Backend::KubernetesTree, "demo-0-worker", &[])]
#[case::of_a_scheduler_that_waits_for_no_gates(Backend::KaiScheduler, "demo-0", &[])]
fn a_part_whose_gates_hold_up_listed_pods_joins_them(
    #[case] backend: Backend,
    #[case] group: &str,
    #[case] expected: &[&str],
) {
    let mut snapshot = joining(group);
    snapshot.scheduler.backend = backend;
    assert_eq!(listed(&snapshot), expected);
}

#[test]
fn it_gets_the_domain_of_pods_that_have_a_node_by_now() {
    let mut snapshot = joining("demo-0");
    fill(&mut snapshot, FRONT, 1, |p| {
        on("z1.r0")(p.in_pod_group("demo-0"))
    });
    assert_eq!(
        listed(&snapshot),
        ["demo-0-frontend: 0", "demo-0-worker: 0@z1 1@z1"]
    );
}

/// Nothing would show that nobody runs in the rack any more.
#[test]
fn a_pod_inherits_no_pin_while_nodes_cannot_be_read() {
    let mut snapshot = in_one_rack();
    fill(&mut snapshot, FRONT, 3, |p| p);
    store(&mut snapshot);
    let gang = Arc::make_mut(&mut snapshot.children.gangs[0]);
    gang.spec.pod_groups[0].placements = vec![PodPlacement {
        indexes: vec![0],
        node_selector: [("rack".to_owned(), "r1".to_owned())].into(),
    }];
    snapshot.topology.may_read_nodes = false;
    assert_eq!(
        listed(&snapshot),
        ["demo-0-frontend: 0@r1 1 2"],
        "as before"
    );
    let rename = |p: &mut domain::Pod| {
        let name = p.name().replace("-p", "-new-p");
        p.metadata.name = Some(name);
    };
    fill(&mut snapshot, FRONT, 3, |p| p.with(rename));
    assert_eq!(listed(&snapshot), ["demo-0-frontend: 0 1 2"]);
}
