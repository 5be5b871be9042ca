//! Why a gang with topology constraints cannot start, and condition `TopologyLevelsUnavailable`.

use api::PodCliqueSet;
use api::conditions::{self, ConditionType, ConditionUpdate, Reason, Status};
use api::podcliqueset::PodCliqueSetTemplateSpec;

use super::{
    AmbiguousValue, Levels, binding_name, has_constraints, named_domains, pack_of, requires_several,
};

/// A required constraint that nobody can honour now. Gangs that have not started wait; the set
/// continues by itself once the cause is gone.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum UnsupportedTopology {
    /// The operator's configuration disables topology constraints.
    Disabled,
    /// No constraint names a ClusterTopologyBinding.
    NoName,
    /// The operator may not read ClusterTopologyBindings, so it does not know their levels.
    NotReadable {
        /// Whether it may read nodes. An operator of some namespaces may not.
        may_read_nodes: bool,
    },
    /// The ClusterTopologyBinding of this name does not exist.
    NoBinding(String),
    /// The ClusterTopologyBinding lacks levels that are required.
    NoLevels {
        /// Name of the binding.
        binding: String,
        /// The required levels that it lacks.
        missing: Vec<String>,
        /// Its levels.
        known: Vec<String>,
    },
    /// The scheduler cannot keep pods in a domain.
    NotHonoured(String),
    /// A required level holds for all replicas of this scaling group, of which several start together,
    /// and the scheduler gets them one by one.
    GroupInPieces(String),
    /// A value of a required level names several domains, and the scheduler takes them for one.
    Ambiguous(AmbiguousValue),
    /// The scheduler's own topology object is missing or lacks a level: the whole sentence.
    SchedulerTopology(String),
}

impl UnsupportedTopology {
    /// The cause with the remedy, for people.
    pub fn describe(&self) -> String {
        let cause = match self {
            Self::Disabled => "topology constraints are disabled: set \
                topologyAwareScheduling.enabled in the operator's configuration"
                .to_owned(),
            Self::NoName => "no topologyConstraint names a ClusterTopologyBinding: create the set \
                again with topologyConstraint.topologyName"
                .to_owned(),
            Self::NotReadable { may_read_nodes } => describe_unreadable(*may_read_nodes).to_owned(),
            Self::NoBinding(name) => format!(
                "ClusterTopologyBinding {name} does not exist: create it \
                 (`kubectl get clustertopologybindings` lists those that exist)"
            ),
            Self::NoLevels {
                binding,
                missing,
                known,
            } => format!(
                "ClusterTopologyBinding {binding} has no level {}: add it to spec.levels; its \
                 levels are {}",
                missing.join(", "),
                known.join(", ")
            ),
            Self::NotHonoured(scheduler) => format!(
                "{scheduler} cannot keep pods in one topology domain: use pack.preferred, or the \
                 schedulerName of a profile with backend kai-scheduler or kubernetes"
            ),
            Self::GroupInPieces(group) => format!(
                "scaling group {group} requires a topology domain for all of its replicas, of which \
                 minAvailable start together, and only a profile with `gangs: Tree` places them \
                 together: set that in scheduler.profiles of the operator's configuration, or create \
                 the set again with minAvailable: 1"
            ),
            Self::Ambiguous(value) => value.describe(),
            Self::SchedulerTopology(sentence) => sentence.clone(),
        };
        format!("gangs that have not started stay gated: {cause}")
    }
}

fn describe_unreadable(may_read_nodes: bool) -> &'static str {
    if may_read_nodes {
        "the operator may not read ClusterTopologyBindings: upgrade its chart, which brings their \
         definition and the right to read them"
    } else {
        "the operator may read neither ClusterTopologyBindings nor nodes: upgrade its chart with \
         `watchNamespaces: []`, or create the set again with pack.preferred"
    }
}

/// The first required constraint that cannot be honoured; none if the template requires nothing.
/// `levels` are those of the named binding, if it exists.
pub fn find_unsupported_topology(
    template: &PodCliqueSetTemplateSpec,
    is_enabled: bool,
    levels: Option<&Levels>,
) -> Option<UnsupportedTopology> {
    let (required, _) = named_domains(template);
    if required.is_empty() {
        return None;
    }
    if !is_enabled {
        return Some(UnsupportedTopology::Disabled);
    }
    let Some(binding) = binding_name(template) else {
        return Some(UnsupportedTopology::NoName);
    };
    let Some(levels) = levels else {
        return Some(UnsupportedTopology::NoBinding(binding.to_owned()));
    };
    let missing = missing_levels(&required, levels);
    (!missing.is_empty()).then(|| UnsupportedTopology::NoLevels {
        binding: binding.to_owned(),
        missing,
        known: levels.domains().map(str::to_owned).collect(),
    })
}

/// The first scaling group whose replicas start in one domain only if they are placed as one tree.
pub fn find_group_in_pieces(template: &PodCliqueSetTemplateSpec) -> Option<&str> {
    let mut groups = template.scaling_groups.iter();
    let group = groups.find(|group| {
        let constraint = group.all_replicas_topology_constraint.as_ref();
        requires_several(group) && pack_of(constraint).required.is_some()
    });
    group.map(|group| group.name.as_str())
}

/// Whether the set's condition says that a required constraint cannot be kept.
pub fn says_unavailable(stored: &PodCliqueSet) -> bool {
    let status = stored.status.as_ref();
    let unsupported = status.and_then(|status| {
        let type_ = ConditionType::SchedulingFeatureUnsupported;
        conditions::find(&status.conditions, type_)
    });
    unsupported.is_some_and(|c| c.reason == <&str>::from(Reason::TopologyUnavailable))
}

/// Condition `TopologyLevelsUnavailable` of a set; none without constraints while the operator's
/// configuration disables them.
pub fn judge_levels(
    template: &PodCliqueSetTemplateSpec,
    is_enabled: bool,
    levels: Option<&Levels>,
) -> Option<ConditionUpdate> {
    if !is_enabled && !has_constraints(template) {
        return None;
    }
    let (required, preferred) = named_domains(template);
    let named = [required, preferred].concat();
    let verdict = |status, reason, message| {
        Some(ConditionUpdate {
            type_: ConditionType::TopologyLevelsUnavailable,
            status,
            reason,
            message,
        })
    };
    let all = Reason::AllClusterTopologyLevelsAvailable;
    if !has_constraints(template) {
        let message = "the set has no topology constraints".to_owned();
        return verdict(Status::False, all, message);
    }
    if !is_enabled {
        let message = "topologyAwareScheduling.enabled is false in the operator's configuration";
        let reason = Reason::TopologyAwareSchedulingDisabled;
        return verdict(Status::Unknown, reason, message.to_owned());
    }
    let Some(binding) = binding_name(template) else {
        let message = "no topologyConstraint names a ClusterTopologyBinding".to_owned();
        return verdict(Status::Unknown, Reason::TopologyNameMissing, message);
    };
    let Some(levels) = levels else {
        let message = format!("ClusterTopologyBinding {binding} does not exist");
        return verdict(Status::Unknown, Reason::ClusterTopologyNotFound, message);
    };
    let missing = missing_levels(&named, levels);
    if missing.is_empty() {
        let message = format!("ClusterTopologyBinding {binding} has all named levels");
        return verdict(Status::False, all, message);
    }
    let known: Vec<&str> = levels.domains().collect();
    let message = format!(
        "ClusterTopologyBinding {binding} has no level {}; its levels are {}",
        missing.join(", "),
        known.join(", ")
    );
    verdict(
        Status::True,
        Reason::ClusterTopologyLevelsUnavailable,
        message,
    )
}

/// Each missing level once, in the order of the template.
fn missing_levels(named: &[&str], levels: &Levels) -> Vec<String> {
    let mut missing: Vec<String> = Vec::new();
    for domain in named {
        let is_known = levels.position(domain).is_some();
        if !is_known && !missing.iter().any(|known| known == domain) {
            missing.push((*domain).to_owned());
        }
    }
    missing
}
