//! The domains of a cluster, level by level.

use std::collections::BTreeMap;

/// Where a node is, and its capacity.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Location {
    /// Its domain at each level, broadest first; none at a level whose label it lacks.
    pub domains: Vec<Option<String>>,
    /// How many pods of the gang's shape it could hold if it were empty.
    pub capacity: u64,
}

/// Number of a domain of a level.
type Domain = usize;

/// Nodes and their domains.
#[derive(Clone, Debug, Default)]
pub struct Cluster {
    /// The domain of each node at each level.
    nodes: BTreeMap<String, Vec<Domain>>,
    /// The domains of each level.
    levels: Vec<Vec<DomainFacts>>,
}

/// The facts about a domain.
#[derive(Clone, Copy, Debug)]
pub(super) struct DomainFacts {
    /// The domain of the level above that it is in.
    pub parent: Option<Domain>,
    /// How many pods of the gang's shape it could hold.
    pub capacity: u64,
}

impl Cluster {
    /// The nodes by name, each with its domain at each of `levels` levels. A node that lacks the
    /// label of a level is a domain of its own from that level down.
    pub fn of<'a>(levels: usize, nodes: impl IntoIterator<Item = (&'a str, Location)>) -> Self {
        let mut cluster = Self {
            nodes: BTreeMap::new(),
            levels: vec![Vec::new(); levels],
        };
        // Equal names in two domains of the level above are two domains.
        let mut known: BTreeMap<(Vec<String>, usize), Domain> = BTreeMap::new();
        for (name, location) in nodes {
            let path = cluster.place(name, &location, &mut known);
            cluster.nodes.insert(name.to_owned(), path);
        }
        cluster
    }

    fn place(
        &mut self,
        name: &str,
        location: &Location,
        known: &mut BTreeMap<(Vec<String>, usize), Domain>,
    ) -> Vec<Domain> {
        let (mut names, mut path, mut is_known) = (Vec::new(), Vec::new(), true);
        for (level, domains) in self.levels.iter_mut().enumerate() {
            let label = location.domains.get(level).and_then(Option::as_ref);
            is_known &= label.is_some();
            // A label value has no slash, so no domain has this name.
            let own = || format!("/{name}");
            let domain = label.filter(|_| is_known).cloned().unwrap_or_else(own);
            names.push(domain);
            let number = *known.entry((names.clone(), level)).or_insert_with(|| {
                domains.push(DomainFacts {
                    parent: path.last().copied(),
                    capacity: 0,
                });
                domains.len() - 1
            });
            if let Some(facts) = domains.get_mut(number) {
                facts.capacity = facts.capacity.saturating_add(location.capacity);
            }
            path.push(number);
        }
        path
    }

    /// Whether there is a node of that name.
    pub fn knows(&self, node: &str) -> bool {
        self.nodes.contains_key(node)
    }

    /// The domains of a node, one for each level; none for an unknown node.
    pub(super) fn path(&self, node: &str) -> Option<&[Domain]> {
        self.nodes.get(node).map(Vec::as_slice)
    }

    /// How many levels there are.
    pub(super) fn depth(&self) -> usize {
        self.levels.len()
    }

    /// The domains of a level, broadest first.
    pub(super) fn level(&self, level: usize) -> &[DomainFacts] {
        self.levels.get(level).map_or(&[], Vec::as_slice)
    }

    /// The domain of that level above a domain of a lower one.
    pub(super) fn ancestor(&self, domain: Domain, level: usize, above: usize) -> Option<Domain> {
        (above + 1..=level).rev().try_fold(domain, |domain, level| {
            self.level(level).get(domain).and_then(|facts| facts.parent)
        })
    }
}
