//! Scaling groups of two cliques (seed 003, "Example Scenarios"): the required pods are placed
//! first and as a whole, then each further replica by itself and as a whole.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use super::nodes::Nodes;
use super::{bound, clique, namespace, started, told};
use crate::harness::history::History;
use crate::harness::history::placements::expect_whole;
use crate::harness::manifest::set;
use crate::harness::seen::{is_ready, name};
use crate::harness::{Namespace, Seen, same, site};

/// A set of one group, with its number of replicas and of required ones.
struct Scenario {
    group: &'static str,
    cliques: [&'static str; 2],
    replicas: usize,
    required: usize,
}

impl Scenario {
    fn manifest(&self, resource: &str) -> Value {
        let cliques = self.cliques.map(|name| clique(name, resource, 1));
        let group = json!({
            "name": self.group,
            "cliqueNames": self.cliques,
            "replicas": self.replicas,
            "minAvailable": self.required,
        });
        let mut set = set("svc", &cliques, &[group]);
        set["spec"]["template"]["terminationDelay"] = json!("60s");
        set
    }

    fn part(&self, replica: usize, clique: &str) -> String {
        format!("svc-0-{}-{replica}-{clique}", self.group)
    }

    /// The placed replicas, all of them whole.
    fn placed(&self, seen: &Seen) -> Result<Vec<usize>, String> {
        let bound = bound(seen);
        let mut placed = Vec::new();
        for replica in 0..self.replicas {
            let of = |clique: &str| bound.get(&self.part(replica, clique)).copied();
            match self.cliques.map(|clique| of(clique).unwrap_or(0)) {
                [0, 0] => {}
                [1, 1] => placed.push(replica),
                half => return Err(format!("replica {replica} has {half:?} pods on nodes")),
            }
        }
        Ok(placed)
    }

    /// The pods that each gang has to get at once: all required pods, and each further replica.
    fn gangs(&self) -> Vec<Vec<(String, usize)>> {
        let of = |replica: usize| self.cliques.map(|clique| (self.part(replica, clique), 1));
        let base = (0..self.required).flat_map(of).collect();
        let scaled = (self.required..self.replicas).map(|j| of(j).to_vec());
        [base].into_iter().chain(scaled).collect()
    }

    /// Node by node: no pod is placed before there is room for all required pods, only these at
    /// first, and then each further replica once there is room for its two pods.
    fn place<'a>(&self, ns: &Namespace<'_>, mut nodes: Nodes<'a>) -> Nodes<'a> {
        let mut history = History::of(ns);
        ns.apply(&self.manifest(&nodes.resource));
        ns.until("it reports the lack of room", |seen| {
            same("replicas", &self.placed(seen)?, &vec![])?;
            let said = told(seen, "PodGang", "svc-0", "Ready")?;
            same(&said, &said.contains("Insufficient"), &true)
        });
        nodes.add(1);
        let base: Vec<usize> = (0..self.required).collect();
        ns.until("the required pods are placed", |seen| {
            same("replicas", &self.placed(seen)?, &base)?;
            let scaled = format!("svc-0-{}-0", self.group);
            let said = told(seen, "PodGang", &scaled, "Ready")?;
            same(&said, &said.contains("Insufficient"), &true)
        });
        nodes.add(3);
        ns.until("one more replica is placed", |seen| {
            let placed = self.placed(seen)?;
            same("replicas", &placed.len(), &(self.required + 1))?;
            same("required", &placed.starts_with(&base), &true)
        });
        let missing = 2 * self.replicas - 2 * self.required - 3;
        nodes.add(missing);
        ns.until("all of it is placed", |seen| {
            seen.expect_ready_pods(2 * self.replicas)
        });
        history.catch_up(ns);
        let placed = expect_whole(history.moments(), &self.gangs());
        assert_eq!(placed, 1 + self.replicas - self.required);
        nodes
    }
}

/// Nodes for one pod less than required.
fn too_few(scenario: &Scenario, resource: &str) -> Nodes<'static> {
    let count = 2 * scenario.required - 1;
    Nodes::new(&site::gangs().control_plane, resource, count)
}

/// When fewer replicas than required are ready, the gang is terminated, and placed again as a whole.
#[test]
fn a_database_cluster_is_placed_terminated_and_placed_again() {
    let operator = started("native-database", "Split");
    let scenario = Scenario {
        group: "database-cluster",
        cliques: ["db-primary", "db-secondary"],
        replicas: 5,
        required: 3,
    };
    let ns = namespace("native-database", &operator);
    let _nodes = scenario.place(&ns, too_few(&scenario, "example.com/database"));
    let uids = |seen: &Seen| -> BTreeSet<String> {
        let pods = seen.all("Pod").into_iter().filter(|pod| is_ready(pod));
        pods.map(|pod| pod["metadata"]["uid"].to_string()).collect()
    };
    let before = uids(&ns.look().unwrap());
    // Within the delay, so that none of them is replaced by itself.
    for replica in 0..3 {
        ns.break_pods(&scenario.part(replica, "db-primary"));
    }
    ns.until("it is placed again", |seen| {
        let now = uids(seen);
        same("pods", &now.len(), &10)?;
        same("kept", &now.intersection(&before).count(), &0)?;
        same("replicas", &scenario.placed(seen)?.len(), &5)
    });
    ns.delete();
}

/// A group that is scaled to zero leaves nothing behind, and is placed as a whole when it is scaled
/// up again.
#[test]
fn machine_learning_training_is_placed_scaled_to_zero_and_up_again() {
    let operator = started("native-training", "Split");
    let scenario = Scenario {
        group: "ml-training",
        cliques: ["parameter-server", "worker"],
        replicas: 8,
        required: 4,
    };
    let ns = namespace("native-training", &operator);
    let _nodes = scenario.place(&ns, too_few(&scenario, "example.com/training"));
    ns.kubectl(&["scale", "pcsg/svc-0-ml-training", "--replicas=0"]);
    let groups = || ns.kubectl(&["get", "podgroups.scheduling.k8s.io", "--output=name"]);
    ns.until("it is asleep", |seen| {
        let pods: Vec<&str> = seen.all("Pod").into_iter().map(name).collect();
        same("pods", &pods, &vec![])?;
        same("PodGroups", &groups().as_str(), &"")
    });
    let mut history = History::of(&ns);
    ns.kubectl(&["scale", "pcsg/svc-0-ml-training", "--replicas=5"]);
    ns.until("it is placed again", |seen| {
        seen.expect_ready_pods(10)?;
        same("replicas", &scenario.placed(seen)?, &(0..5).collect())
    });
    history.catch_up(&ns);
    // The base gang and one replica.
    assert_eq!(expect_whole(history.moments(), &scenario.gangs()), 2);
    ns.delete();
}
