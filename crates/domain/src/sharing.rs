//! The resource claims that pods share, as objects: their owner creates and removes them
//! ([`Keeper`]), and the pods of an index name them once they exist ([`ClaimFacts::find`]).
//!
//! `workload::claims` has their names. A claim whose pods are all lost stays allocated on their nodes,
//! so new pods use another one, whose name has a number behind it (docs/devices.md).

mod blocked;
mod blocked_domain;
mod choice;
mod facts;
mod holders;
mod inject;
mod keep;
mod other_namespaces;
mod source;

pub use blocked::{BlockedClaim, Blocker, NOT_SERVED};
pub use blocked_domain::{BlockedDomain, DomainBlocker};
pub use facts::{ClaimFacts, MissingClaim, Owners};
pub use holders::Holders;
pub use inject::{NamedClaim, inject};
pub use keep::Keeper;
pub use other_namespaces::TemplatesOfOtherNamespaces;
pub use source::{Source, find_source, key_of_template, names_template};
