//! The placement score.

mod closed;
mod room;

use domain::placement::{Cluster, Location, ScopePlaces, mean_score, score};
use proptest::prelude::*;
use rstest::rstest;

/// Zones, racks, hosts.
const LEVELS: usize = 3;

/// 8 zones of 2 racks of 4 hosts, each with room for 4 pods.
fn cluster() -> Cluster {
    let mut nodes = Vec::new();
    for (zone, rack, host) in all_hosts(8, 2, 4) {
        let name = host_name(zone, rack, host);
        let domains = vec![
            Some(format!("z{zone}")),
            Some(format!("r{rack}")),
            Some(name.clone()),
        ];
        nodes.push((
            name,
            Location {
                domains,
                capacity: 4,
            },
        ));
    }
    Cluster::of(LEVELS, nodes.iter().map(|(n, l)| (n.as_str(), l.clone())))
}

fn all_hosts(zones: u32, racks: u32, hosts: u32) -> impl Iterator<Item = (u32, u32, u32)> {
    (0..zones).flat_map(move |z| (0..racks).flat_map(move |r| (0..hosts).map(move |h| (z, r, h))))
}

fn host_name(zone: u32, rack: u32, host: u32) -> String {
    format!("{zone}-{rack}-{host}")
}

/// This many pods on each of these hosts.
fn placed(pods: &[(&'static str, usize)]) -> Vec<&'static str> {
    let hosts = pods.iter();
    hosts
        .flat_map(|(host, count)| std::iter::repeat_n(*host, *count))
        .collect()
}

#[rstest]
#[case::two_hosts_of_a_rack(&[("0-0-0", 4), ("0-0-1", 4)], 0, 1.0)]
#[case::four_hosts_of_a_rack(&[("0-0-0", 2), ("0-0-1", 2), ("0-0-2", 2), ("0-0-3", 2)], 0, 15.0 / 17.0)]
#[case::the_same_in_a_required_rack(&[("0-0-0", 2), ("0-0-1", 2), ("0-0-2", 2), ("0-0-3", 2)], 2, 1.0 / 3.0)]
#[case::one_in_the_other_rack(&[("0-0-0", 4), ("0-0-1", 3), ("0-1-0", 1)], 0, 29.0 / 34.0)]
#[case::hosts_of_two_racks(&[("0-0-0", 4), ("0-1-0", 4)], 0, 13.0 / 17.0)]
#[case::one_in_each_zone(&[("0-0-0", 1), ("1-0-0", 1), ("2-0-0", 1), ("3-0-0", 1), ("4-0-0", 1), ("5-0-0", 1), ("6-0-0", 1), ("7-0-0", 1)], 0, 0.0)]
fn pods_are_the_better_placed_the_closer_they_are(
    #[case] pods: &[(&'static str, usize)],
    #[case] required: usize,
    #[case] expected: f64,
) {
    let found = score(&cluster(), placed(pods), required).unwrap();
    assert!(
        (found.score - expected).abs() < 1e-12,
        "{found:?}, not {expected}"
    );
}

/// Four hosts of a rack that is required (1/3), hosts of two racks (13/17), one host (1), one pod.
#[rstest]
#[case::equal_pods(&[(FOUR_HOSTS, 2), (TWO_RACKS, 0)], 28.0 / 51.0)]
#[case::weighted_by_pods(&[(FOUR_HOSTS, 2), (ONE_HOST, 0)], 5.0 / 9.0)]
#[case::a_single_pod_does_not_count(&[(FOUR_HOSTS, 2), (ONE_POD, 0)], 1.0 / 3.0)]
#[case::none_counts(&[(ONE_POD, 1), (ONE_POD, 0)], 1.0)]
fn a_gang_of_several_scopes_has_the_mean_of_theirs(
    #[case] scopes: &[(&[(&'static str, usize)], usize)],
    #[case] expected: f64,
) {
    let cluster = cluster();
    let scopes = scopes.iter().map(|(pods, required)| ScopePlaces {
        cluster: &cluster,
        nodes: placed(pods),
        required: *required,
    });
    let found = mean_score(scopes);
    assert!((found - expected).abs() < 1e-12, "{found}, not {expected}");
}

const FOUR_HOSTS: &[(&str, usize)] = &[("0-0-0", 2), ("0-0-1", 2), ("0-0-2", 2), ("0-0-3", 2)];
const TWO_RACKS: &[(&str, usize)] = &[("0-0-0", 4), ("0-1-0", 4)];
const ONE_HOST: &[(&str, usize)] = &[("0-0-0", 4)];
const ONE_POD: &[(&str, usize)] = &[("0-0-0", 1)];

#[test]
fn says_how_many_domains_of_each_level_are_used() {
    let pods = placed(&[("0-0-0", 4), ("0-0-1", 3), ("0-1-0", 1)]);
    assert_eq!(score(&cluster(), pods, 0).unwrap().domains_used, [1, 2, 3]);
}

#[rstest]
#[case::no_pods(&[], None)]
#[case::one_pod(&[("0-0-0", 1)], Some(1.0))]
#[case::on_nodes_that_are_gone(&[("gone", 1), ("gone-too", 1)], Some(0.0))]
#[case::beyond_what_nodes_hold(&[("0-0-0", 9)], Some(1.0))]
fn is_defined_whatever_is_known(
    #[case] pods: &[(&'static str, usize)],
    #[case] expected: Option<f64>,
) {
    let found = score(&cluster(), placed(pods), 0);
    assert_eq!(found.map(|placement| placement.score), expected);
}

/// A node without the label of its rack has no neighbour below its zone.
#[test]
fn a_node_without_a_label_is_a_domain_of_its_own() {
    let location = |rack: Option<&str>| Location {
        domains: vec![
            Some("z".to_owned()),
            rack.map(str::to_owned),
            Some("h".to_owned()),
        ],
        capacity: 4,
    };
    let nodes = [("a", location(None)), ("b", location(None))];
    let found = score(&Cluster::of(LEVELS, nodes), ["a", "b"], 0).unwrap();
    assert_eq!(found.domains_used, [1, 2, 2]);
}

proptest! {
    /// For any cluster and placement; all pods on one host are never worse.
    #[test]
    fn is_between_0_and_1(
        hosts in prop::collection::vec((0..3u32, 0..3u32, 0..6u64), 1..12),
        pods in prop::collection::vec(any::<prop::sample::Index>(), 1..12),
        required in 0..=LEVELS,
    ) {
        let named: Vec<_> = hosts.iter().enumerate().map(|(i, (zone, rack, capacity))| {
            let domains = vec![Some(zone.to_string()), Some(rack.to_string()), Some(i.to_string())];
            (format!("n{i}"), Location { domains, capacity: *capacity })
        }).collect();
        let cluster = Cluster::of(LEVELS, named.iter().map(|(n, l)| (n.as_str(), l.clone())));
        let nodes: Vec<&str> = pods.iter().map(|at| named[at.index(named.len())].0.as_str()).collect();
        let one = vec![nodes[0]; nodes.len()];
        let found = score(&cluster, nodes, required).unwrap().score;
        let best = score(&cluster, one, required).unwrap().score;
        prop_assert!((0.0..=1.0).contains(&found), "{found}");
        prop_assert!(found <= best, "{found} > {best}");
    }
}
