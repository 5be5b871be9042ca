//! The objects of a set, their names and their numbers.
//!
//! `layout` enumerates a set once; `gang` groups its parts into gangs and decides when a gang has
//! started. `clique` builds a PodClique from the template, with the `hash` of its pods; `slots` are
//! the pod indexes below it, and `pod` builds the pod of an index. `start_order` has dependencies and dependents. `limits` bound every
//! count before anything is enumerated. `revision` keeps the templates of a generation. `claims` are the
//! resource claims that pods share, `nvlink` the ComputeDomains.

pub mod claims;
pub mod clique;
pub mod gang;
pub mod hash;
pub mod layout;
pub mod limits;
pub mod nvlink;
pub mod pod;
pub mod revision;
pub mod slots;
pub mod start_order;
