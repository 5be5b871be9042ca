//! The only crate that talks to the API server for controllers.
//!
//! ```text
//! API server ─▶ watcher ─▶ hub: cache first, then keys ─▶ queue ─▶ reconcile(key)
//!     ▲                                                              │ observe(&World)
//!     │                                                              ▼ decide(&Snapshot, now)
//!     └── requests ◀── apply: waves of writes, then the status ◀── Plan
//! ```
//!
//! What a controller wrote is put into the cache at once and stays there until the watch has
//! caught up, so no decision is ever made on a view older than the last own write.

pub mod admin;
pub mod apply;
pub mod backoff;
pub mod cache;
pub mod census;
pub mod clock;
pub mod controller;
pub mod definitions;
pub mod events;
pub mod flow;
pub mod heard;
pub mod hub;
pub mod metrics;
pub mod queue;
pub mod record;
pub mod requests;
mod resync;
pub mod routes;
pub mod scope;
pub mod status;
pub mod world;

pub use cache::{Cache, Change};
pub use controller::Reconciler;
pub use hub::Hub;
pub use world::World;
