//! Tests on real nodes: the product as a user installs it, driven by kubectl, its pods started and
//! ended by kubelets.
//!
//! `make test-node` runs the rows of the short list, `make soak-node` all rows (it sets
//! `NODE_ROWS=all`). Both need root, containerd and the other requirements of [`cluster::start`],
//! and report a missing one in one line.
//!
//! A row checks the output that a person sees: `kubectl get`, `describe`, `events`, `logs`, and
//! `kubectl grove`. `record` records the behaviour of a kubelet, and the inner rings replay it.

pub mod cluster;
pub mod command;
pub mod images;
pub mod programs;
pub mod recording;
pub mod release;
pub mod shipped;
