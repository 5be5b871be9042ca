//! The placement score of gangs.

use std::collections::BTreeSet;

use serde_json::Value;

use crate::harness::manifest::{clique, set};
use crate::harness::{Namespace, Seen, condition, same};

/// The labels of the local cluster's nodes.
const NODES_PER_ZONE: u32 = 8;
const PODS: u32 = 4;

/// Zone and node of each pod.
fn places(seen: &Seen) -> Vec<(u32, String)> {
    let node = |pod: &&Value| pod["spec"]["nodeName"].as_str().map(str::to_owned);
    let nodes: Vec<String> = seen.all("Pod").iter().filter_map(node).collect();
    let index = |node: &str| -> u32 { node.strip_prefix("node-").unwrap().parse().unwrap() };
    let place = |node: String| (index(&node) / NODES_PER_ZONE, node);
    nodes.into_iter().map(place).collect()
}

/// One level each of zones and hosts, and a host has room for all: the share of separated pairs
/// among all pairs that could be.
fn expected_score(places: &[(u32, String)]) -> f64 {
    let (mut separated, mut possible) = (0.0, 0.0);
    for (i, one) in places.iter().enumerate() {
        for other in &places[i + 1..] {
            separated += f64::from(u32::from(one.0 != other.0));
            separated += f64::from(u32::from(one.1 != other.1));
            possible += 2.0;
        }
    }
    ((1.0 - separated / possible) * 1e4_f64).round() / 1e4
}

#[test]
fn a_gang_says_how_close_together_its_pods_are() {
    let ns = Namespace::new("placement");
    ns.apply(&set("svc", &[clique("a", PODS)], &[]));
    let score = ns.until("it has a score", |seen| {
        seen.expect_ready_pods(4)?;
        let places = places(seen);
        let gang = seen.one("PodGang", "svc-0")?;
        same(
            "Scheduled",
            &condition(gang, "Scheduled").as_str(),
            &"True/GuaranteedPodsBound",
        )?;
        let score = &gang["status"]["placementScore"];
        same("score", &score.as_f64(), &Some(expected_score(&places)))?;
        let zones: BTreeSet<u32> = places.iter().map(|(zone, _)| *zone).collect();
        let hosts: BTreeSet<&String> = places.iter().map(|(_, node)| node).collect();
        let told = format!("domains: zone {}, host {}", zones.len(), hosts.len());
        let conditions = gang["status"]["conditions"].to_string();
        same("told", &conditions.contains(&told), &true)?;
        Ok(score.clone())
    });
    let shown = ns.kubectl(&["get", "pg/svc-0", "--output=wide", "--no-headers"]);
    let columns: Vec<&str> = shown.split_whitespace().collect();
    assert!(
        columns.contains(&score.to_string().as_str()),
        "{score}: {shown}"
    );
}
