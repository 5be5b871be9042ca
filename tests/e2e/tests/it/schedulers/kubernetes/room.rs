//! A gang for which there is room, none, and again.

use super::nodes::Nodes;
use super::{bound, clique, expect_bound, expect_phase, namespace, started, told};
use crate::harness::control_plane::folder;
use crate::harness::history::History;
use crate::harness::history::placements::expect_whole;
use crate::harness::installation::Installation;
use crate::harness::manifest::set;
use crate::harness::operator::Operator;
use crate::harness::{Namespace, Seen, same, site};

/// The example of this scheduler is placed; the examples of others are accepted.
#[test]
fn the_examples_are_placed_and_accepted() {
    let operator = started("native-example", "Split");
    let ns = namespace("native-example", &operator);
    ns.apply_file("examples/schedulers/kubernetes.yaml");
    ns.until("it is placed", |seen| seen.expect_ready_pods(12));
    let groups = ns.kubectl(&["get", "podgroups.scheduling.k8s.io", "--output=name"]);
    // A leader that shares a PodGroup only with its gang, and workers of each engine by themselves.
    let group = |name: &str| format!("podgroup.scheduling.k8s.io/kubernetes-gang-0{name}");
    let workers = [0, 1, 2].map(|j| group(&format!("-engine-{j}-worker")));
    let mut expected = vec![group(""), group("-engine-0")];
    expected.extend(workers);
    expected.sort();
    assert_eq!(groups.lines().collect::<Vec<_>>(), expected);
    for scheduler in ["kai-scheduler", "volcano"] {
        let example = format!("examples/schedulers/{scheduler}.yaml");
        ns.apply_file(&example);
    }
    ns.delete();
}

/// Each node has as many slots as one pod requests.
const SLOTS: &str = "example.com/slots";

#[test]
fn a_gang_without_room_gets_nothing_and_says_why() {
    // An operator of some namespaces does not read nodes: its gangs have no score.
    let control_plane = site::private();
    let profile = "config.scheduler.profiles[0]";
    let profile =
        ["name=default-scheduler", "backend=kubernetes"].map(|set| format!("{profile}.{set}"));
    let installation = Installation::on(&control_plane, &profile.each_ref().map(String::as_str));
    let operator = Operator::start(&installation, &folder("native-room-operator")).unwrap();
    operator.wait_until_ready().unwrap();
    let mut nodes = Nodes::new(&control_plane, SLOTS, 4);
    let ns = Namespace::on(&control_plane, &operator, "native-room");
    let mut history = History::of(&ns);
    let cliques = [clique("a", SLOTS, 2), clique("b", SLOTS, 3)];
    ns.apply(&set("svc", &cliques, &[]));
    ns.until("it gives the cause", |seen| {
        expect_bound(seen, &[("svc-0-a", 0), ("svc-0-b", 0)])?;
        let gang = told(seen, "PodGang", "svc-0", "Ready")?;
        let set = told(seen, "PodCliqueSet", "svc", "Ready")?;
        let says = |text: &String| text.contains("Insufficient example.com/slots");
        same(&gang, &says(&gang), &true)?;
        same(&set, &says(&set), &true)
    });
    nodes.add(1);
    let near = ns.until("all of it is placed", |seen| {
        expect_phase(seen, "Scheduled")?;
        seen.expect_ready_pods(5)?;
        score(seen, "zone 1, host 5")
    });
    history.catch_up(&ns);
    let gang = vec![("svc-0-a", 2), ("svc-0-b", 3)];
    assert_eq!(expect_whole(history.moments(), &[gang]), 1);

    let lost = ns.kubectl(&["get", "pods", "--output=jsonpath={.items[0].metadata.name}"]);
    let node = ns.kubectl(&["get", "pod", &lost, "--output=jsonpath={.spec.nodeName}"]);
    ns.control_plane.kubectl(["cordon", &node]);
    ns.kubectl(&["delete", "pod", &lost]);
    ns.until("it waits for a node", |seen| {
        expect_phase(seen, "Pending")?;
        same("pods", &bound(seen).values().sum(), &4)
    });
    nodes.add(1);
    let apart = ns.until("it is placed elsewhere", |seen| {
        expect_phase(seen, "Scheduled")?;
        seen.expect_ready_pods(5)?;
        score(seen, "zone 2, host 5")
    });
    assert!(apart < near, "{near} became {apart}");
    ns.delete();
}

/// How close together the gang is, which its condition reports too.
fn score(seen: &Seen, domains: &str) -> Result<f64, String> {
    let gang = seen.one("PodGang", "svc-0")?;
    let conditions = gang["status"]["conditions"].to_string();
    let is_reported = conditions.contains(&format!("domains: {domains}"));
    same(&conditions, &is_reported, &true)?;
    let score = gang["status"]["placementScore"].as_f64();
    score.ok_or_else(|| "no score".to_owned())
}
