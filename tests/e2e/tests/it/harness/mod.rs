//! The base of the tests: one control plane and one operator per run, a namespace per test.

pub mod address;
pub mod audit;
mod cleanup;
pub mod client;
pub mod control_plane;
mod definitions;
pub mod history;
pub mod installation;
pub mod lane;
pub mod manifest;
pub mod namespace;
pub mod operator;
pub mod plugin;
pub mod proxy;
mod report;
pub mod requests;
pub mod seen;
pub mod site;
pub mod starts;
pub mod wait;
pub mod webhook;

pub use namespace::Namespace;
pub use seen::{Seen, condition, same, subset};
