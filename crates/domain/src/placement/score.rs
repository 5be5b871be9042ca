//! The score of one placement.

use std::collections::BTreeMap;

use super::cluster::Cluster;

/// How the pods are placed.
#[derive(Clone, Debug, PartialEq)]
pub struct Placement {
    /// From 0 to 1; 1 is the best.
    pub score: f64,
    /// The number of domains that hold pods, for each level, broadest level first.
    pub domains_used: Vec<usize>,
}

/// Judges the placement of pods, given the names of their nodes. `required` is the number of
/// levels, from the broadest, that the gang has to share anyway: 0 if none. None without pods.
pub fn score<'a>(
    cluster: &Cluster,
    nodes: impl IntoIterator<Item = &'a str>,
    required: usize,
) -> Option<Placement> {
    let places = Places::of(nodes);
    if places.pods == 0 {
        return None;
    }
    let levels: Vec<LevelCounts> = (0..cluster.depth())
        .map(|level| places.at(cluster, level))
        .collect();
    let domains_used = levels.iter().map(Vec::len).collect();
    let pairs = count_pairs(places.pods);
    let (mut lost, mut possible) = (0.0, 0.0);
    for (level, counts) in levels.iter().enumerate().skip(required) {
        let separated = pairs - together(counts);
        let least = pairs - most_together(cluster, level, required, places.pods);
        lost += separated - least;
        possible += pairs - least;
    }
    // Every level weighs the same: the more levels separate two pods, the farther apart they are.
    let score = if possible > 0.0 {
        (1.0 - lost / possible).clamp(0.0, 1.0)
    } else {
        1.0
    };
    Some(Placement {
        score,
        domains_used,
    })
}

/// Where the pods of one scope are.
#[derive(Clone, Debug)]
pub struct ScopePlaces<'a> {
    /// The cluster, with capacities for pods of their shape.
    pub cluster: &'a Cluster,
    /// The names of their nodes.
    pub nodes: Vec<&'a str>,
    /// The number of levels that the scope has to share anyway.
    pub required: usize,
}

/// The score of a gang of several scopes: the mean of theirs, weighted by pods. A scope of one pod
/// cannot be placed badly, and does not count; 1 if none counts.
pub fn mean_score<'a>(scopes: impl IntoIterator<Item = ScopePlaces<'a>>) -> f64 {
    let (mut sum, mut weight) = (0.0, 0.0);
    for scope in scopes {
        let pods = u32::try_from(scope.nodes.len()).unwrap_or(u32::MAX);
        let found = score(scope.cluster, scope.nodes, scope.required);
        if let Some(found) = found.filter(|_| pods > 1) {
            sum += f64::from(pods) * found.score;
            weight += f64::from(pods);
        }
    }
    if weight > 0.0 { sum / weight } else { 1.0 }
}

/// Pods per domain of a level.
type LevelCounts = Vec<u64>;

/// The number of pods on each node.
struct Places<'a> {
    pods: u64,
    by_node: BTreeMap<&'a str, u64>,
}

impl<'a> Places<'a> {
    fn of(nodes: impl IntoIterator<Item = &'a str>) -> Self {
        let mut by_node: BTreeMap<&str, u64> = BTreeMap::new();
        for node in nodes {
            *by_node.entry(node).or_default() += 1;
        }
        Self {
            pods: by_node.values().sum(),
            by_node,
        }
    }

    /// An unknown node is a domain of its own.
    fn at(&self, cluster: &Cluster, level: usize) -> LevelCounts {
        let mut counts: BTreeMap<Result<usize, &str>, u64> = BTreeMap::new();
        for (node, pods) in &self.by_node {
            let path = cluster.path(node);
            let domain = path.and_then(|path| path.get(level)).copied();
            *counts.entry(domain.ok_or(*node)).or_default() += pods;
        }
        counts.into_values().collect()
    }
}

/// The most pairs that can be in one domain of a level: the largest domains are filled first,
/// within one domain of the required level if one of them holds all pods.
fn most_together(cluster: &Cluster, level: usize, required: usize, pods: u64) -> f64 {
    let mut within: BTreeMap<Option<usize>, Vec<u64>> = BTreeMap::new();
    for (number, facts) in cluster.level(level).iter().enumerate() {
        let above = required.checked_sub(1);
        let shared = above.and_then(|above| cluster.ancestor(number, level, above));
        within.entry(shared).or_default().push(facts.capacity);
    }
    let holds_all = |capacities: &&Vec<u64>| capacities.iter().sum::<u64>() >= pods;
    within
        .values()
        .filter(holds_all)
        .cloned()
        .map(|capacities| fill(capacities, pods))
        .reduce(f64::max)
        .unwrap_or_else(|| fill(within.into_values().flatten().collect(), pods))
}

/// Pairs that are together if the largest domains are filled first. Pods without room (the facts
/// about nodes may be old) are each alone.
fn fill(mut capacities: Vec<u64>, pods: u64) -> f64 {
    capacities.sort_unstable_by(|a, b| b.cmp(a));
    let (mut left, mut pairs) = (pods, 0.0);
    for capacity in capacities {
        let placed = capacity.min(left);
        pairs += count_pairs(placed);
        left -= placed;
        if left == 0 {
            break;
        }
    }
    pairs
}

fn together(counts: &LevelCounts) -> f64 {
    counts.iter().copied().map(count_pairs).sum()
}

#[allow(
    clippy::cast_precision_loss,
    reason = "a gang has far fewer than 2^26 pods"
)]
fn count_pairs(pods: u64) -> f64 {
    let pods = pods as f64;
    pods * (pods - 1.0) / 2.0
}
