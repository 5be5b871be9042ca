//! Condition `TopologyConstraintViolated`: pods that have to share a topology domain run in several
//! (docs/topology.md).

use std::collections::{BTreeMap, BTreeSet};

use api::PodGang;
use api::conditions::{ConditionType, ConditionUpdate, Reason, Status};
use api::labels;
use api::podgang::GangTopologyConstraint;
use domain::object::ownership;
use domain::topology::Levels;
use domain::{Key, Node, Pod};
use engine::Caches;

use crate::gang_part::GangPart;

/// At most this many domains of a scope are listed.
const MAX_DOMAINS: usize = 4;

/// The pods of one scope that run in several domains.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ScatteredScope {
    /// The gang, group replica or PodClique.
    pub name: String,
    /// The level whose domain its pods have to share.
    pub level: String,
    /// The domains with the number of pods in each.
    pub domains: BTreeMap<String, usize>,
}

/// Finds the first scope of the gang whose bound pods are in several domains. A gang without stored
/// levels was not started by this operator: it is not judged.
pub(crate) fn find_scattered(
    gang: &PodGang,
    parts: &[GangPart],
    caches: &Caches,
) -> Option<ScatteredScope> {
    let stored = ownership::annotation(&gang.metadata, labels::TOPOLOGY_LEVELS)?;
    let levels = Levels::from_text(stored)?;
    let spec = &gang.spec;
    let name = ownership::name(&gang.metadata);
    let whole = spec.topology_constraint.as_ref();
    let whole = whole.map(|constraint| (name, constraint, None));
    let groups = spec
        .scaling_group_topology_constraints
        .iter()
        .chain(&spec.topology_constraint_group_configs);
    let groups = groups.filter_map(|config| {
        let members = config.pod_group_names.iter().map(String::as_str).collect();
        Some((
            config.name.as_str(),
            config.topology_constraint.as_ref()?,
            Some(members),
        ))
    });
    let own = spec.pod_groups.iter().filter_map(|group| {
        let name = group.name.as_str();
        Some((
            name,
            group.topology_constraint.as_ref()?,
            Some([name].into()),
        ))
    });
    let mut scopes = whole.into_iter().chain(groups).chain(own);
    scopes.find_map(|(name, constraint, names)| {
        let position = levels.position_of_key(required_key(constraint)?)?;
        let pods = pods_of(parts, names.as_ref());
        let domains = count_domains(&pods, &levels, position, caches)?;
        let level = levels.as_slice().get(position)?.domain.clone();
        let name = name.to_owned();
        (domains.len() > 1).then_some(ScatteredScope {
            name,
            level,
            domains,
        })
    })
}

/// The pods of the parts with these names, or of all parts.
fn pods_of<'p>(parts: &'p [GangPart], names: Option<&BTreeSet<&str>>) -> Vec<&'p Pod> {
    let is_named = |part: &&GangPart| names.is_none_or(|names| names.contains(part.name.as_str()));
    let parts = parts.iter().filter(is_named);
    parts
        .flat_map(|part| &part.pods)
        .map(AsRef::as_ref)
        .collect()
}

fn required_key(constraint: &GangTopologyConstraint) -> Option<&str> {
    constraint.pack_constraint.as_ref()?.required.as_deref()
}

/// The bound pods by domain; none while a node is not known.
fn count_domains(
    pods: &[&Pod],
    levels: &Levels,
    position: usize,
    caches: &Caches,
) -> Option<BTreeMap<String, usize>> {
    let mut domains = BTreeMap::new();
    for pod in pods
        .iter()
        .filter(|pod| !pod.is_terminating() && !pod.is_completed())
    {
        let Some(name) = pod.spec.node_name.as_deref() else {
            continue;
        };
        let node = caches.of::<Node>().get(&Key::new("", name))?;
        let domain = levels.domain_of(&node, position);
        let domain = domain.map_or_else(
            || format!("node {name}, which lacks a label"),
            |domain| domain.join("/"),
        );
        *domains.entry(domain).or_insert(0) += 1;
    }
    Some(domains)
}

impl ScatteredScope {
    /// The condition of the PodGang.
    pub(crate) fn condition(&self) -> ConditionUpdate {
        let listed = self.domains.iter().take(MAX_DOMAINS);
        let mut domains: Vec<String> = listed
            .map(|(domain, pods)| format!("{domain} ({pods} pods)"))
            .collect();
        let more = self.domains.len().saturating_sub(MAX_DOMAINS);
        if more > 0 {
            domains.push(format!("{more} more"));
        }
        let message = format!(
            "pods of {} have to share one {} and run in {}; pods that run are not moved, and new \
             ones may be placed in any of them",
            self.name,
            self.level,
            domains.join(", ")
        );
        ConditionUpdate {
            type_: ConditionType::TopologyConstraintViolated,
            status: Status::True,
            reason: Reason::SeveralDomains,
            message,
        }
    }
}
