//! Reports of an operator that may not read the topology. An operator of some namespaces (`watchNamespaces`)
//! reads neither ClusterTopologyBindings nor nodes.

use api::PodCliqueSet;
use api::conditions::{ConditionType, ConditionUpdate, Reason, Status};
use domain::topology::{self, UnsupportedTopology};

use super::TopologyFacts;

/// Of an operator of the whole cluster: one of some namespaces may not read bindings either, so its gangs
/// wait.
const NODES_NOT_READABLE: &str = "the operator may not read nodes, so pods that join later are not kept in \
    the topology domain of those that run; upgrade its chart, which grants its ServiceAccount get, list and \
    watch on nodes";

impl TopologyFacts {
    /// The cause that holds gangs up, if the levels cannot be known.
    pub(super) fn find_unreadable(&self) -> Option<UnsupportedTopology> {
        let is_blind = self.is_enabled && !self.may_read_bindings;
        is_blind.then_some(UnsupportedTopology::NotReadable {
            may_read_nodes: self.may_read_nodes,
        })
    }

    /// Condition `SchedulingFeatureUnsupported` if the operator may not read the nodes that show in
    /// which domains pods run. It holds nothing up.
    pub(crate) fn report_unreadable_nodes(&self, set: &PodCliqueSet) -> Option<ConditionUpdate> {
        let (required, _) = topology::named_domains(&set.spec.template);
        let is_blind = !required.is_empty() && !self.may_read_nodes;
        is_blind.then(|| ConditionUpdate {
            type_: ConditionType::SchedulingFeatureUnsupported,
            status: Status::True,
            reason: Reason::NodesNotReadable,
            message: NODES_NOT_READABLE.to_owned(),
        })
    }

    /// Condition `TopologyLevelsUnavailable` of the set.
    pub(crate) fn judge_levels(&self, set: &PodCliqueSet) -> Option<ConditionUpdate> {
        let template = &set.spec.template;
        let verdict = topology::judge_levels(template, self.is_enabled, self.levels.as_ref())?;
        let is_unread =
            verdict.reason == Reason::ClusterTopologyNotFound && !self.may_read_bindings;
        if !is_unread {
            return Some(verdict);
        }
        Some(ConditionUpdate {
            message: "the operator may not read ClusterTopologyBindings".to_owned(),
            ..verdict
        })
    }
}
