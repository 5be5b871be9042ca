//! Whether an assignment of pods to nodes is valid. It shares no code with `capacity`.

use std::collections::BTreeMap;

use serde_json::Value;

use super::world::{Amounts, Clique, Node, World};

/// Requests, and a number of pods.
#[derive(Clone, Copy, Debug, Default)]
struct Load {
    requests: Amounts,
    pods: i64,
}

/// Fails unless all guaranteed pods of the gang have a suitable node with enough room. Only the
/// placements of the gang are judged: a node that was overcommitted before may keep its pods, and gets
/// no more.
pub fn expect_assignment(world: &World, gang: &Value) -> Result<(), String> {
    let mut guaranteed: BTreeMap<&str, i64> = BTreeMap::new();
    let mut given: BTreeMap<&str, Load> = BTreeMap::new();
    for place in gang["placement"].as_array().into_iter().flatten() {
        let clique = clique_of(world, place);
        let node = node_of(world, place)?;
        if node.is_special && !clique.bears_special {
            let (name, on) = (&clique.name, &node.name);
            return Err(format!("{name} does not bear the taint of {on}"));
        }
        let required = place["guaranteed"].as_i64().unwrap_or(0);
        let pods = required + place["bestEffort"].as_i64().unwrap_or(0);
        *guaranteed.entry(&clique.name).or_default() += required;
        given.entry(&node.name).or_default().add(clique.wants, pods);
    }
    world.nodes.iter().try_for_each(|node| {
        let given = given.get(&*node.name).copied().unwrap_or_default();
        expect_room(node, given)
    })?;
    for clique in &world.cliques {
        let placed = guaranteed.get(&*clique.name).copied().unwrap_or(0);
        if placed < clique.minimum {
            return Err(format!("{placed} of {clique:?} are placed"));
        }
    }
    Ok(())
}

fn clique_of<'a>(world: &'a World, place: &Value) -> &'a Clique {
    let name = place["podclique"].as_str().unwrap();
    let name = name.strip_prefix(&format!("{}-0-", world.name)).unwrap();
    let mut cliques = world.cliques.iter();
    cliques.find(|clique| clique.name == name).unwrap()
}

fn node_of<'a>(world: &'a World, place: &Value) -> Result<&'a Node, String> {
    let on = place["node"].as_str().unwrap();
    let mut nodes = world.nodes.iter();
    nodes
        .find(|node| node.name == on)
        .ok_or_else(|| format!("{on} is no node of this cluster"))
}

/// Fails if the gang gets more of a node than its earlier pods leave.
fn expect_room(node: &Node, given: Load) -> Result<(), String> {
    let mut before = Load::default();
    for wants in &node.loaded {
        before.add(*wants, 1);
    }
    let (has, used, asked) = (node.has, before.requests, given.requests);
    let fits = [
        (asked.cpu, has.cpu - used.cpu),
        (asked.memory, has.memory - used.memory),
        (asked.gpu, has.gpu - used.gpu),
        (given.pods, node.pods - before.pods),
    ]
    .iter()
    .all(|(asked, free)| *asked == 0 || asked <= free);
    let name = &node.name;
    let refuse = || format!("{name} has {has:?}, {before:?} before, and gets {given:?}");
    fits.then_some(()).ok_or_else(refuse)
}

impl Load {
    /// Adds so many pods, each with these requests.
    fn add(&mut self, wants: Amounts, pods: i64) {
        self.pods += pods;
        self.requests.cpu += wants.cpu * pods;
        self.requests.memory += wants.memory * pods;
        self.requests.gpu += wants.gpu * pods;
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    const fn amounts(cpu: i64, memory: i64, gpu: i64) -> Amounts {
        Amounts { cpu, memory, gpu }
    }

    /// Node `n0` with 4 CPUs, these pods on it, an empty node `n1`, and a clique of pods with 1 CPU.
    fn world(loaded: &[Amounts]) -> World {
        let node = |name: &str, loaded: &[Amounts]| Node {
            name: name.to_owned(),
            has: amounts(4, 8, 0),
            pods: 3,
            is_special: false,
            loaded: loaded.to_vec(),
        };
        let clique = Clique {
            name: "q0".to_owned(),
            wants: amounts(1, 1, 0),
            bears_special: false,
            replicas: 4,
            minimum: 1,
        };
        World {
            name: "c0".to_owned(),
            nodes: vec![node("n0", loaded), node("n1", &[])],
            cliques: vec![clique],
        }
    }

    fn is_possible(loaded: &[Amounts], on: &str, pods: i64) -> bool {
        let place = json!({"podclique": "c0-0-q0", "node": on, "guaranteed": pods});
        expect_assignment(&world(loaded), &json!({"placement": [place]})).is_ok()
    }

    #[test]
    fn a_node_gets_no_more_than_it_has_left() {
        assert!(is_possible(&[], "n0", 3));
        assert!(!is_possible(&[], "n0", 4), "more pods than the node allows");
        let half = [amounts(2, 1, 0)];
        assert!(is_possible(&half, "n0", 2));
        assert!(!is_possible(&half, "n0", 3));
        assert!(!is_possible(&[amounts(4, 1, 0)], "n0", 1));
    }

    #[test]
    fn a_node_that_was_overcommitted_keeps_its_pods_and_gets_no_more() {
        let over = [amounts(3, 1, 0), amounts(3, 1, 0)];
        assert!(is_possible(&over, "n1", 1));
        assert!(!is_possible(&over, "n0", 1));
        // The pods of the gang request none of the resource that is overcommitted.
        assert!(is_possible(&[amounts(1, 1, 1)], "n0", 1));
    }

    #[test]
    fn a_pod_without_a_node_and_a_node_of_another_cluster_are_refused() {
        let nothing = json!({"placement": []});
        assert!(expect_assignment(&world(&[]), &nothing).is_err());
        let place = json!({"podclique": "c0-0-q0", "node": "c1-n0", "guaranteed": 1});
        let foreign = json!({"placement": [place]});
        assert!(expect_assignment(&world(&[]), &foreign).is_err());
    }
}
