//! Topology constraints: the levels that a ClusterTopologyBinding names, the constraints of a set
//! in node label keys, and the domains in which its pods already run (docs/topology.md).

mod ambiguous;
mod constraints;
mod levels;
mod scope;
mod translation;
mod unsupported;

pub use ambiguous::{AmbiguousValue, find_ambiguous_value};
pub use constraints::{
    Pack, binding_name, has_constraints, named_domains, pack_of, requires_several,
};
pub use levels::Levels;
pub(crate) use levels::{domain_of_labels, in_plural};
pub use scope::{ScopeState, Selector, judge_scope, pin_of};
pub use translation::{GangPart, GangTopology, GroupOfPart, translate};
pub use unsupported::{
    UnsupportedTopology, find_group_in_pieces, find_unsupported_topology, judge_levels,
    says_unavailable,
};
