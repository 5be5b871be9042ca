//! The only crate that talks to the API server for controllers.
//!
//! ```text
//! API server ─▶ informer: cache first, then keys ─▶ work queue ─▶ runner ─▶ worker, one per key
//!     ▲                                                           observe(&Caches)
//!     │                                                           decide(&Snapshot, now)
//!     └── requests ◀── apply: waves of writes, then the status ◀── Plan
//! ```
//!
//! An own write is put into the cache at once and stays there until the watch has caught up, so no
//! decision is ever made on a view older than the last own write.

pub mod admin;
mod adoption;
pub mod apply;
pub mod backoff;
pub mod cache;
pub mod caches;
pub mod clock;
pub mod connection_error;
pub mod context;
mod controller_name;
pub mod controllers;
pub mod crds;
pub mod event_budget;
pub mod event_recorder;
pub mod flow;
pub mod heartbeat;
pub mod informer;
pub mod kinds;
pub mod leader;
pub mod list_item;
pub mod log_limit;
pub mod metrics;
pub mod pages;
pub mod reconcile_log;
pub mod requests;
pub mod runner;
pub mod scope;
pub mod state_metrics;
pub mod status;
pub mod status_pace;
mod sync_state;
pub mod triggers;
pub mod watch_liveness;
pub mod work_queue;
pub mod worker;
mod writes;

pub use cache::{Cache, Change};
pub use caches::Caches;
pub use caches::watched::Watched;
pub use context::Context;
pub use controllers::{ControllerName, Controllers, Reconciler};
pub use kinds::Kinds;
pub use status_pace::Pace;
