//! How close together the pods of a gang are: 1 if no placement on this cluster would be closer, 0 if
//! each pair of pods is as far apart as can be (docs/semantics.md §8.7).
//!
//! Two pods are separated at a level if they are in different domains of it. Of n pods, X(l) pairs are
//! separated at level l; filling the largest domains first separates the fewest, B(l); all pairs are
//! N. With weights w(l) the score is `1 - Σ w(l)·(X(l) - B(l)) / Σ w(l)·(N - B(l))`. If a required
//! level holds the pods together anyway, only the levels below it count. A gang with topology
//! constraints has the mean of the scores of its scopes.
//!
//! The same domains, filled with the smallest of a gang's pods while they are empty, tell whether one
//! could ever hold the pods that have to share it.

mod closed;
mod cluster;
mod demand;
mod gang_scope;
mod no_room;
mod room;
mod score;
mod shape;

pub use closed::{ClosedDomain, PinScope, find_closed_domain};
pub use cluster::{Cluster, Location};
pub use demand::{Demand, PartDemand, demands_of};
pub use gang_scope::{GangScope, ScopeOwner, requires_domain, scopes_of};
pub use no_room::{FailedScope, explain_no_room};
pub use room::{PinnedScope, ScopeDemand, ScopeRoom, measure_rooms};
pub use score::{Placement, ScopePlaces, mean_score, score};
pub use shape::Shape;
