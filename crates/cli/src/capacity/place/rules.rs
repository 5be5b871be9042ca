//! Exclusions, which keep pods apart, and packs, which keep them together, by number.

use std::collections::BTreeMap;

use crate::capacity::exclusion::{HostPort, Repulsion};
use crate::capacity::gang::{Gang, GangPart};
use crate::capacity::snapshot::{BoundPod, ClusterSnapshot, NodeSnapshot};

/// The domain of each node.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Domains {
    /// By number of the node; none where it lacks the label.
    pub of_node: Vec<Option<usize>>,
    /// Names of the domains, by number.
    pub names: Vec<String>,
    /// Their name in messages: the level of a pack, or the cause of an exclusion.
    pub called: String,
}

/// Pods that cannot be in one domain with others.
#[derive(Clone, Debug)]
pub struct Exclusion {
    /// The domains.
    pub domains: Domains,
    cause: ExclusionCause,
}

#[derive(Clone, Debug)]
enum ExclusionCause {
    Repulsion(Repulsion),
    Port(HostPort),
}

/// Pods that have to be in one domain.
#[derive(Clone, Debug)]
pub struct PackRule {
    /// The domains.
    pub domains: Domains,
    /// Domain of the pods that are placed already.
    pub held: Option<usize>,
}

/// All exclusions and packs.
#[derive(Clone, Debug, Default)]
pub struct Rules {
    /// Exclusions by number.
    pub exclusions: Vec<Exclusion>,
    /// Packs by number.
    pub packs: Vec<PackRule>,
    pack_numbers: BTreeMap<(String, String, String), usize>,
    repulsion_numbers: BTreeMap<String, usize>,
}

impl Rules {
    /// The rules for pods of these gangs.
    pub fn of(snapshot: &ClusterSnapshot, gangs: &[Gang]) -> Self {
        let mut rules = Self::default();
        for (gang, part) in parts_of(gangs) {
            for term in &part.needs.repulsions {
                rules.add_repulsion(term, &snapshot.nodes);
            }
            for port in &part.needs.ports {
                rules.add_port(port, &snapshot.nodes);
            }
            rules.add_packs(gang, part, &snapshot.nodes);
        }
        for term in snapshot.pods.iter().flat_map(|pod| &pod.repulsions) {
            let is_met =
                |(gang, part): (&Gang, &GangPart)| term.selects(&gang.namespace, &part.labels);
            if !rules.repulsion_numbers.contains_key(&term.key()) && parts_of(gangs).any(is_met) {
                rules.add_repulsion(term, &snapshot.nodes);
            }
        }
        rules
    }

    /// The packs of the pods of a part.
    pub fn packs_of(&self, gang: &Gang, part: &GangPart) -> Vec<usize> {
        let packs = part.packs.iter();
        packs
            .filter_map(|pack| self.pack_numbers.get(&pack_key(gang, &pack.scope)).copied())
            .collect()
    }

    /// The exclusions that the pods of a part cause, and the exclusions that keep them off.
    pub fn exclusions_of(&self, gang: &Gang, part: &GangPart) -> (Vec<usize>, Vec<usize>) {
        let (needs, namespace) = (&part.needs, &gang.namespace);
        self.find(&needs.repulsions, &needs.ports, namespace, &part.labels)
    }

    /// The same for a bound pod.
    pub fn exclusions_of_bound(&self, pod: &BoundPod) -> (Vec<usize>, Vec<usize>) {
        self.find(&pod.repulsions, &pod.ports, &pod.namespace, &pod.labels)
    }

    fn find(
        &self,
        repulsions: &[Repulsion],
        ports: &[HostPort],
        namespace: &str,
        labels: &BTreeMap<String, String>,
    ) -> (Vec<usize>, Vec<usize>) {
        let (mut owns, mut member_of) = (Vec::new(), Vec::new());
        for term in repulsions {
            owns.extend(self.repulsion_numbers.get(&term.key()).copied());
        }
        for (number, exclusion) in self.exclusions.iter().enumerate() {
            match &exclusion.cause {
                ExclusionCause::Repulsion(term) if term.selects(namespace, labels) => {
                    member_of.push(number);
                }
                ExclusionCause::Repulsion(_) => {}
                ExclusionCause::Port(port) => {
                    owns.extend(ports.contains(port).then_some(number));
                    let collides = ports.iter().any(|own| own.collides(port));
                    member_of.extend(collides.then_some(number));
                }
            }
        }
        owns.sort_unstable();
        owns.dedup();
        (owns, member_of)
    }

    fn add_repulsion(&mut self, term: &Repulsion, nodes: &[NodeSnapshot]) {
        let number = self.exclusions.len();
        let called = format!("anti-affinity by {}", term.topology_key);
        let known = self.repulsion_numbers.entry(term.key());
        if *known.or_insert(number) == number {
            self.exclusions.push(Exclusion {
                domains: Domains::by_labels(nodes, &[&term.topology_key], called),
                cause: ExclusionCause::Repulsion(term.clone()),
            });
        }
    }

    fn add_port(&mut self, port: &HostPort, nodes: &[NodeSnapshot]) {
        let is_known =
            |e: &Exclusion| matches!(&e.cause, ExclusionCause::Port(known) if known == port);
        if !self.exclusions.iter().any(is_known) {
            self.exclusions.push(Exclusion {
                domains: Domains::each(nodes, format!("host port {}", port.port)),
                cause: ExclusionCause::Port(port.clone()),
            });
        }
    }

    fn add_packs(&mut self, gang: &Gang, part: &GangPart, nodes: &[NodeSnapshot]) {
        for pack in &part.packs {
            let number = self.packs.len();
            let known = self.pack_numbers.entry(pack_key(gang, &pack.scope));
            let number = *known.or_insert(number);
            if number == self.packs.len() {
                let keys: Vec<&str> = pack.levels.as_slice().iter().map(|l| &*l.key).collect();
                let domains = Domains::by_labels(nodes, &keys, pack.level().to_owned());
                self.packs.push(PackRule {
                    domains,
                    held: None,
                });
            }
            let Some(rule) = self.packs.get_mut(number) else {
                continue;
            };
            let mut held = part.held.iter().filter_map(|node| {
                let place = nodes.binary_search_by(|known| known.name.cmp(node)).ok()?;
                rule.domains.domain(place)
            });
            rule.held = rule.held.or(held.next());
        }
    }
}

fn parts_of(gangs: &[Gang]) -> impl Iterator<Item = (&Gang, &GangPart)> {
    gangs
        .iter()
        .flat_map(|gang| gang.parts.iter().map(move |part| (gang, part)))
}

/// A scope may be in several gangs of a set.
fn pack_key(gang: &Gang, scope: &str) -> (String, String, String) {
    (gang.namespace.clone(), gang.set.clone(), scope.to_owned())
}

impl Domains {
    /// By the values of these labels together: a node that lacks one is in no domain.
    fn by_labels(nodes: &[NodeSnapshot], keys: &[&str], called: String) -> Self {
        let mut known: BTreeMap<Vec<&str>, usize> = BTreeMap::new();
        let mut names = Vec::new();
        let of_node = nodes.iter().map(|node| {
            let value = |key: &&str| node.labels.get(*key).map(String::as_str);
            let values: Vec<&str> = keys.iter().map(value).collect::<Option<_>>()?;
            let name = values.join("/");
            Some(*known.entry(values).or_insert_with(|| {
                names.push(name);
                names.len() - 1
            }))
        });
        Self {
            of_node: of_node.collect(),
            names,
            called,
        }
    }

    /// One domain for each node.
    fn each(nodes: &[NodeSnapshot], called: String) -> Self {
        Self {
            of_node: (0..nodes.len()).map(Some).collect(),
            names: nodes.iter().map(|node| node.name.clone()).collect(),
            called,
        }
    }

    /// The domain of a node.
    pub fn domain(&self, node: usize) -> Option<usize> {
        self.of_node.get(node).copied().flatten()
    }

    /// How many domains there are.
    pub fn count(&self) -> usize {
        self.names.len()
    }
}
