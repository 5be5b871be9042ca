//! Topology constraints: the levels that a ClusterTopologyBinding names, the constraints of a set
//! in node label keys, and the domains in which its pods already run (docs/topology.md).

mod constraints;
mod levels;
mod scope;
mod translation;
mod unsupported;

pub use constraints::{Pack, binding_name, has_constraints, named_domains, pack_of};
pub use levels::Levels;
pub use scope::{ScopeState, Selector, judge_scope, pin_of};
pub use translation::{GangPart, GangTopology, GroupOfPart, translate};
pub use unsupported::{UnsupportedTopology, find_unsupported_topology, judge_levels};
