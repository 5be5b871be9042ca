//! Inputs of the rules in addition to the object.

use std::collections::BTreeMap;

use domain::scheduling::{DEFAULT_SCHEDULER, Profiles};
use domain::sharing::TemplatesOfOtherNamespaces;
use domain::topology::Levels;

/// Inputs of the rules in addition to the object. By default nothing is known of a cluster, and
/// nothing is refused because of one: that is how files and stored sets are judged.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rules {
    /// The scheduler of pods that name none.
    pub default_scheduler: String,
    /// Schedulers that the operator is configured for. Empty: any.
    pub schedulers: Vec<String>,
    /// The schedulers' profiles in the operator's configuration. `None`: not known.
    pub profiles: Option<Profiles>,
    /// Whether a new set may have topology constraints (configuration
    /// `topologyAwareScheduling.enabled`).
    pub allows_topology: bool,
    /// Whether a new set may name MNNVL groups (configuration `network.autoMNNVLEnabled`).
    pub allows_mnnvl: bool,
    /// The levels of all ClusterTopologyBindings, by name. `None`: not known.
    pub topologies: Option<BTreeMap<String, Levels>>,
    /// Whether a new set may share claims from ResourceClaimTemplates of other namespaces.
    pub templates_of_other_namespaces: TemplatesOfOtherNamespaces,
}

impl Default for Rules {
    fn default() -> Self {
        Self {
            default_scheduler: DEFAULT_SCHEDULER.into(),
            schedulers: Vec::new(),
            profiles: None,
            allows_topology: true,
            allows_mnnvl: true,
            topologies: None,
            templates_of_other_namespaces: TemplatesOfOtherNamespaces::default(),
        }
    }
}
