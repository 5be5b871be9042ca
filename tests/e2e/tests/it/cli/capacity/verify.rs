//! Whether an assignment of pods to nodes is valid. It shares no code with `capacity`.

use std::collections::BTreeMap;

use serde_json::Value;

use super::world::{Amounts, World};

/// Fails unless all guaranteed pods of the gang have a suitable node with enough room.
pub fn expect_assignment(world: &World, gang: &Value) -> Result<(), String> {
    let mut placed: BTreeMap<&str, i64> = BTreeMap::new();
    let mut room: BTreeMap<&str, (Amounts, i64)> = BTreeMap::new();
    for node in &world.nodes {
        let free = node
            .loaded
            .iter()
            .fold(node.has, |free, pod| free.without(*pod));
        let pods = i64::try_from(node.loaded.len()).unwrap();
        room.insert(&node.name, (free, node.pods - pods));
    }
    for place in gang["placement"].as_array().into_iter().flatten() {
        let name = place["podclique"].as_str().unwrap();
        let name = name.strip_prefix(&format!("{}-0-", world.name)).unwrap();
        let clique = world
            .cliques
            .iter()
            .find(|clique| clique.name == name)
            .unwrap();
        let on = place["node"].as_str().unwrap();
        let node = world.nodes.iter().find(|node| node.name == on);
        let node = node.ok_or_else(|| format!("{on} is no node of this cluster"))?;
        if node.is_special && !clique.bears_special {
            return Err(format!("{name} does not bear the taint of {on}"));
        }
        let guaranteed = place["guaranteed"].as_i64().unwrap_or(0);
        let pods = guaranteed + place["bestEffort"].as_i64().unwrap_or(0);
        *placed.entry(&clique.name).or_default() += guaranteed;
        let (free, left) = room.get_mut(on).unwrap();
        *left -= pods;
        for _ in 0..pods {
            *free = free.without(clique.wants);
        }
    }
    let is_full = |(free, left): &(Amounts, i64)| {
        free.cpu < 0 || free.memory < 0 || free.gpu < 0 || *left < 0
    };
    if let Some((node, left)) = room.iter().find(|(_, left)| is_full(left)) {
        return Err(format!("{node} is given more than it has: {left:?} left"));
    }
    for clique in &world.cliques {
        let placed = placed.get(&*clique.name).copied().unwrap_or(0);
        if placed < clique.minimum {
            return Err(format!("{placed} of {clique:?} are placed"));
        }
    }
    Ok(())
}

impl Amounts {
    fn without(self, other: Self) -> Self {
        Self {
            cpu: self.cpu - other.cpu,
            memory: self.memory - other.memory,
            gpu: self.gpu - other.gpu,
        }
    }
}
