//! Tests on real nodes: the product as a user installs it, driven by kubectl, its pods started and
//! ended by kubelets.
//!
//! `make test-node` runs the rows of a named list, `make soak-node` all rows. Both need root,
//! containerd and the other programs that [`cluster::start`] asks for, and say in one line what is
//! missing. `NODE_ROWS=all` is what `soak-node` sets.
//!
//! A row is judged by what a person sees: `kubectl get`, `describe`, `events`, `logs`, and
//! `kubectl grove`. What a kubelet does is recorded by `record`, and played to the inner rings.

pub mod cluster;
pub mod command;
pub mod images;
pub mod programs;
pub mod recording;
pub mod release;
pub mod shipped;
