//! Pure rules shared by two or more crates.
//!
//! ```text
//! roster     the state of each slot of a set
//!    │
//!    ▼
//! update     the replica that has the turn in an update, how much it may take down
//!    │
//!    ▼
//! health     is it available, ready, done? how long may a breach last, and then?
//!    │
//!    ├──▶ plan        the writes that one reconcile wants, as data
//!    ▼     │
//! workload │          the parts of a set: layout, gangs, PodCliques, slots, limits
//!    │     │
//!    ▼     ▼
//! object              one object by itself: its key, owner, attempt, a pod's state
//!
//! gang_tree           which pods have to be placed together, as a tree
//! topology            the domains that they have to share
//! placement           how close together they are, and what a domain holds
//! scheduling          which scheduler places them, and the marks that it needs
//! sharing             the resource claims that they share
//! ```
//!
//! An arrow means "uses"; none leads up. `gang_tree` uses nothing, `topology` and `placement` only
//! `object`, and `placement` the levels of `topology`; `workload` builds trees.

pub mod gang_tree;
pub mod health;
pub mod object;
pub mod placement;
pub mod plan;
pub mod roster;
pub mod scheduling;
pub mod sharing;
pub mod topology;
pub mod update;
pub mod workload;

pub use object::claim::Claim;
pub use object::key::Key;
pub use object::node::Node;
pub use object::pod::Pod;
pub use object::revision::Revision;
