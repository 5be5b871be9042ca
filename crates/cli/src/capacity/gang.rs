//! A gang as it has to be placed.

use std::collections::BTreeMap;
use std::rc::Rc;

use super::needs::PodNeeds;

/// Pods that have to be placed together.
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
    /// What each of its pods needs.
    pub needs: Rc<PodNeeds>,
    /// Labels of its pods, as far as all have them.
    pub labels: BTreeMap<String, String>,
    /// Domains that its pods have to share, outermost first.
    pub packs: Vec<Pack>,
    /// Pods that have to be placed with the gang.
    pub guaranteed: u32,
    /// Further pods.
    pub best_effort: u32,
    /// Nodes of its pods that exist and are placed.
    pub held: Vec<String>,
}

/// Pods of one scope have to be in one domain.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pack {
    /// Whose pods: of the gang, of a group replica, of a PodClique.
    pub scope: String,
    /// Name of the level, such as `rack`.
    pub level: String,
    /// Key of the node label that names the domain.
    pub key: String,
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
    /// How many pods have to be placed, those that are placed already included.
    pub fn guaranteed(&self) -> u32 {
        self.parts.iter().map(|part| part.guaranteed).sum()
    }

    /// How many further pods it may have.
    pub fn best_effort(&self) -> u32 {
        self.parts.iter().map(|part| part.best_effort).sum()
    }
}
