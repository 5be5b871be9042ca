//! The gangs of a set, by its template.

use std::collections::{BTreeMap, HashMap};
use std::rc::Rc;

use api::PodCliqueSet;
use api::podcliqueset::PodCliqueTemplateSpec;
use domain::object::ownership;
use domain::workload::gang::{ExpectedGang, clique_minimum};
use domain::workload::layout::{self, Layout, LayoutSlot};
use domain::workload::limits;

use super::amounts::BadQuantity;
use super::gang::{Gang, GangPart};
use super::labels::labels_of_pods;
use super::needs::PodNeeds;
use super::node_order::NodeOrder;
use super::snapshot::{BoundPod, ClusterSnapshot};
use super::topology::Topology;

/// The gangs of a set with defaults applied, in the order in which they are placed: base gangs by
/// replica, then scaled gangs. Pods of it that are on nodes already stay there.
pub fn gangs_of(set: &PodCliqueSet, snapshot: &ClusterSnapshot) -> Result<Vec<Gang>, BadQuantity> {
    gangs_in(set, &layout_of(set), snapshot)
}

/// The same of a set whose groups have other counts than its template.
pub fn gangs_in(
    set: &PodCliqueSet,
    layout: &Layout<'_>,
    snapshot: &ClusterSnapshot,
) -> Result<Vec<Gang>, BadQuantity> {
    let namespace = set.metadata.namespace.clone().unwrap_or_default();
    let builder = Builder {
        set,
        cliques: cliques_of(set, &namespace)?,
        topology: Topology::of(set, &snapshot.topologies),
        held: held_by_podclique(set, &namespace, &snapshot.pods),
        parts: layout.slots().map(|part| (&*part.name, part)).collect(),
        namespace,
    };
    let mut expected = layout.gangs(|part| builder.is_idle(part));
    expected.sort_by_key(|gang| gang.base.is_some());
    Ok(expected.iter().map(|gang| builder.build(gang)).collect())
}

/// All PodCliques of the set by its template.
fn layout_of(set: &PodCliqueSet) -> Layout<'_> {
    let replicas = limits::bounded(set.spec.replicas);
    let name = ownership::name(&set.metadata);
    layout::enumerate(name, &set.spec.template, replicas, |_, config| {
        limits::bounded(config.replicas.unwrap_or(1))
    })
}

struct Builder<'a> {
    set: &'a PodCliqueSet,
    namespace: String,
    cliques: HashMap<&'a str, (&'a PodCliqueTemplateSpec, Rc<PodNeeds>)>,
    topology: Topology,
    held: BTreeMap<&'a str, Vec<String>>,
    parts: HashMap<&'a str, &'a LayoutSlot<'a>>,
}

impl Builder<'_> {
    fn is_idle(&self, part: &LayoutSlot<'_>) -> bool {
        let clique = self.cliques.get(part.clique);
        clique.is_none_or(|(template, _)| template.spec.replicas <= 0)
    }

    fn build(&self, gang: &ExpectedGang) -> Gang {
        Gang {
            namespace: self.namespace.clone(),
            set: ownership::name(&self.set.metadata).to_owned(),
            name: gang.name.clone(),
            base: gang.base.clone(),
            node_order: self.node_order(),
            parts: gang
                .parts
                .iter()
                .filter_map(|name| self.part(gang, name))
                .collect(),
        }
    }

    /// A set has one scheduler.
    fn node_order(&self) -> NodeOrder {
        let cliques = &self.set.spec.template.cliques;
        cliques.first().map_or_else(NodeOrder::default, |clique| {
            NodeOrder::of_pod(&clique.spec.pod_spec)
        })
    }

    fn part(&self, gang: &ExpectedGang, name: &str) -> Option<GangPart> {
        let part = self.parts.get(name)?;
        let (template, needs) = self.cliques.get(part.clique)?;
        let minimum = clique_minimum(&template.spec);
        let count = |pods: i32| u32::try_from(pods).unwrap_or(0);
        let (labels, needs) = self.like_each_pod(gang, part, template, needs);
        Some(GangPart {
            podclique: part.name.clone(),
            clique: part.clique.to_owned(),
            needs,
            labels,
            packs: self
                .topology
                .packs_of(ownership::name(&self.set.metadata), part),
            guaranteed: count(minimum),
            best_effort: count(limits::bounded(template.spec.replicas) - minimum),
            held: self.held.get(name).cloned().unwrap_or_default(),
        })
    }

    /// Terms of anti-affinity may select labels that the operator gives to each pod.
    fn like_each_pod(
        &self,
        gang: &ExpectedGang,
        part: &LayoutSlot<'_>,
        template: &PodCliqueTemplateSpec,
        needs: &Rc<PodNeeds>,
    ) -> (BTreeMap<String, String>, Rc<PodNeeds>) {
        let labels = labels_of_pods(self.set, gang, part, template);
        if needs.repulsions.is_empty() {
            return (labels, Rc::clone(needs));
        }
        let mut own = (**needs).clone();
        for term in &mut own.repulsions {
            *term = term.for_pod(&labels);
        }
        (labels, Rc::new(own))
    }
}

fn cliques_of<'a>(
    set: &'a PodCliqueSet,
    namespace: &str,
) -> Result<HashMap<&'a str, (&'a PodCliqueTemplateSpec, Rc<PodNeeds>)>, BadQuantity> {
    let cliques = set.spec.template.cliques.iter();
    cliques
        .map(|clique| {
            let needs = PodNeeds::of_template(&clique.spec.pod_spec, namespace)?;
            Ok((&*clique.name, (clique, Rc::new(needs))))
        })
        .collect()
}

/// Nodes of the set's pods that exist and stay.
fn held_by_podclique<'a>(
    set: &PodCliqueSet,
    namespace: &str,
    pods: &'a [BoundPod],
) -> BTreeMap<&'a str, Vec<String>> {
    let name = ownership::name(&set.metadata);
    let mut held: BTreeMap<&str, Vec<String>> = BTreeMap::new();
    let own = pods.iter().filter(|pod| {
        let part_of = pod.labels.get(api::labels::PART_OF);
        pod.namespace == namespace && part_of.is_some_and(|set| set == name) && !pod.is_terminating
    });
    for pod in own {
        if let Some(podclique) = pod.labels.get(api::labels::POD_CLIQUE) {
            held.entry(podclique).or_default().push(pod.node.clone());
        }
    }
    held
}
