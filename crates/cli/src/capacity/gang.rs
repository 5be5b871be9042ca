//! The gang to place.

use std::collections::BTreeMap;
use std::rc::Rc;

use domain::topology::Levels;

use super::needs::PodNeeds;
use super::node_order::NodeOrder;

/// Pods to place together.
#[derive(Clone, Debug, Default)]
pub struct Gang {
    /// Namespace of its set.
    pub namespace: String,
    /// Name of its set.
    pub set: String,
    /// Name of its PodGang.
    pub name: String,
    /// The base gang that it waits for, if it is a scaled one.
    pub base: Option<String>,
    /// The node that its scheduler prefers.
    pub node_order: NodeOrder,
    /// Its PodCliques.
    pub parts: Vec<GangPart>,
}

/// The pods of one PodClique.
#[derive(Clone, Debug, Default)]
pub struct GangPart {
    /// Name of the PodClique.
    pub podclique: String,
    /// Name of its clique in the template.
    pub clique: String,
    /// Needs of each of its pods.
    pub needs: Rc<PodNeeds>,
    /// Labels that all its pods have.
    pub labels: BTreeMap<String, String>,
    /// Domains that its pods have to share, outermost first.
    pub packs: Vec<Pack>,
    /// Guaranteed pods.
    pub guaranteed: u32,
    /// Further pods.
    pub best_effort: u32,
    /// Nodes of its pods that exist and are placed.
    pub held: Vec<String>,
}

/// Pods of one scope have to be in one domain.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pack {
    /// The owner of the pods in its set: a replica, a group replica or a PodClique. Scaled gangs share
    /// the scope of their replica.
    pub scope: String,
    /// The levels down to the required one. A domain is named by the labels of all of them.
    pub levels: Levels,
}

impl Pack {
    /// Name of the required level, such as `rack`.
    pub fn level(&self) -> &str {
        self.levels.domains().last().unwrap_or_default()
    }

    /// The same at the next broader level, if there is one.
    pub fn broader(&self) -> Option<Self> {
        let position = self.levels.as_slice().len().checked_sub(2)?;
        Some(Self {
            scope: self.scope.clone(),
            levels: self.levels.down_to(position),
        })
    }
}

impl GangPart {
    /// Guaranteed pods that have no node yet.
    pub fn guaranteed_left(&self) -> u32 {
        self.guaranteed.saturating_sub(self.held())
    }

    /// Best-effort pods that have no node yet.
    pub fn best_effort_left(&self) -> u32 {
        let beyond = self.held().saturating_sub(self.guaranteed);
        self.best_effort.saturating_sub(beyond)
    }

    fn held(&self) -> u32 {
        u32::try_from(self.held.len()).unwrap_or(u32::MAX)
    }
}

impl Gang {
    /// Number of guaranteed pods, those that have a node included.
    pub fn guaranteed(&self) -> u32 {
        self.parts.iter().map(|part| part.guaranteed).sum()
    }

    /// Number of best-effort pods.
    pub fn best_effort(&self) -> u32 {
        self.parts.iter().map(|part| part.best_effort).sum()
    }
}
