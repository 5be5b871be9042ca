//! Condition `TopologyConstraintViolated`: pods that have to share a topology domain run in several
//! (docs/topology.md).

mod scopes;

use std::collections::BTreeMap;
use std::sync::Arc;

use api::PodGang;
use api::conditions::{ConditionType, ConditionUpdate, Reason, Status};
use api::labels;
use domain::object::ownership;
use domain::placement::requires_domain;
use domain::topology::Levels;
use domain::{Key, Node, Pod};
use engine::Caches;

use crate::gang_part::GangPart;

/// At most this many domains of a scope are listed.
const MAX_DOMAINS: usize = 4;

/// The pods of one scope that run in several domains.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ScatteredScope {
    /// The gang, scaling group, group replica or PodClique.
    pub name: String,
    /// The level whose domain its pods have to share.
    pub level: String,
    /// The domains with the pods in each.
    pub domains: BTreeMap<String, Occupants>,
}

/// The pods of a scope that run in one domain.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Occupants {
    /// Their number.
    pub count: usize,
    /// The first of them by name.
    pub first: String,
}

/// Finds the first scope of the gang whose bound pods are in several domains. A gang without stored
/// levels was not started by this operator: it is not judged.
pub(crate) fn find_scattered(
    gang: &PodGang,
    parts: &[GangPart],
    caches: &Caches,
) -> Option<ScatteredScope> {
    if !requires_domain(gang) {
        return None;
    }
    let stored = ownership::annotation(&gang.metadata, labels::TOPOLOGY_LEVELS)?;
    let levels = Levels::from_text(stored)?;
    let scopes = scopes::list(gang, parts, &levels, caches);
    scopes.into_iter().find_map(|scope| {
        let position = levels.position_of_key(&scope.key)?;
        let pods = scope.pods(gang, parts, caches);
        let domains = find_domains(&pods, &levels, position, caches)?;
        let level = levels.as_slice().get(position)?.domain.clone();
        (domains.len() > 1).then_some(ScatteredScope {
            name: scope.name,
            level,
            domains,
        })
    })
}

/// The bound pods by domain; none while a node is not known.
fn find_domains(
    pods: &[Arc<Pod>],
    levels: &Levels,
    position: usize,
    caches: &Caches,
) -> Option<BTreeMap<String, Occupants>> {
    let mut domains: BTreeMap<String, Occupants> = BTreeMap::new();
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
        let occupants = domains.entry(domain);
        occupants
            .and_modify(|occupants| occupants.add(pod.name()))
            .or_insert_with(|| Occupants {
                count: 1,
                first: pod.name().to_owned(),
            });
    }
    Some(domains)
}

impl Occupants {
    fn add(&mut self, pod: &str) {
        self.count = self.count.saturating_add(1);
        if pod < self.first.as_str() {
            pod.clone_into(&mut self.first);
        }
    }

    fn describe(&self) -> String {
        match self.count {
            1 => format!("pod {}", self.first),
            count => format!("{count} pods, one is {}", self.first),
        }
    }
}

impl ScatteredScope {
    /// The condition of the PodGang.
    pub(crate) fn condition(&self) -> ConditionUpdate {
        let listed = self.domains.iter().take(MAX_DOMAINS);
        let mut domains: Vec<String> = listed
            .map(|(domain, occupants)| format!("{domain} ({})", occupants.describe()))
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
