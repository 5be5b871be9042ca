//! Pure rules shared by two or more crates.
//!
//! ```text
//! roster     what stands in each slot of a set
//!    │
//!    ▼
//! update     whose turn is it in an update, how much may it take down
//!    │
//!    ▼
//! health     is it available, ready, done? how long may a breach last, what follows from it?
//!    │
//!    ├──▶ plan        what one reconcile wants done, as data
//!    ▼     │
//! workload │          what a set consists of: layout, gangs, PodCliques, slots, limits
//!    │     │
//!    ▼     ▼
//! object              one object by itself: its key, owner, attempt, a pod's state
//!
//! gang_tree           which pods have to be placed together, as a tree
//! placement           how close together they are
//! scheduling          which scheduler places them, and what it needs to be told
//! ```
//!
//! An arrow means "uses"; none leads up. `gang_tree` uses nothing, `placement` only `object`, and
//! `workload` builds trees.

pub mod gang_tree;
pub mod health;
pub mod object;
pub mod placement;
pub mod plan;
pub mod roster;
pub mod scheduling;
pub mod update;
pub mod workload;

pub use object::key::Key;
pub use object::node::Node;
pub use object::pod::Pod;
