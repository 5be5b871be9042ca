//! How close together the pods of a gang are: 1 if no placement on this cluster would be closer, 0 if
//! each pair of pods is as far apart as can be (docs/semantics.md §8.7).
//!
//! Two pods are separated at a level if they are in different domains of it. Of n pods, X(l) pairs are
//! separated at level l; filling the largest domains first separates the fewest, B(l); all pairs are
//! N. With weights w(l) the score is `1 - Σ w(l)·(X(l) - B(l)) / Σ w(l)·(N - B(l))`. If a required
//! level holds the gang together anyway, only the levels below it count.

mod cluster;
mod score;
mod shape;

pub use cluster::{Cluster, Location};
pub use score::{Placement, score};
pub use shape::Shape;
