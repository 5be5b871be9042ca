//! What a set consists of: which objects it has, how they are named and how many they are.
//!
//! `layout` enumerates a set once; `gang` says which of it belongs together and when a gang has
//! started. `clique` makes a PodClique from the template, with the `hash` of its pods; `slots` are
//! the pod indexes below it. `start_order` says who starts after whom. `limits` bound every count before anything is enumerated.

pub mod clique;
pub mod gang;
pub mod hash;
pub mod layout;
pub mod limits;
pub mod slots;
pub mod start_order;
