//! Nodes with a kubelet of their own, in place of KWOK's nodes.
//!
//! Each runs in namespaces of its own under a supervisor, `localcluster node`, beside that of the
//! control plane. The network that joins them, the *switch*, is a namespace too: the addresses
//! below are the same in every cluster and never meet, and the machine sees none of them.

mod addresses;
mod config;
mod image;
mod node;
mod objects;
mod preflight;
mod root;
mod start;

pub(super) use addresses::GATEWAY;
pub(super) use image::{load, load_archive, load_program};
pub use node::Node;
pub(super) use preflight::check;
pub use root::Root;
pub(super) use start::{Real, end, nodes_in};
