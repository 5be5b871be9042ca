//! End-to-end tests: the built operator on a real control plane, driven as a user drives it.
//!
//! Everything is in `tests/it`; run it with `cargo test -p e2e`. What it needs is made on the way:
//! the operator, a local control plane (or the cluster of `KUBECONFIG`, if that is set), and a
//! namespace for each test. `GROVE_E2E_OPERATOR` names a built operator to be tested instead of
//! the one of this checkout. The logs stay in `.localcluster/e2e`; of a test that fails, the
//! objects, the events and the operator's last words are printed.
//!
//! One test ends the operator after the first write of each verb and kind; with
//! `GROVE_E2E_CRASH_EVERY_WRITE=1` it does so after every one, which takes many minutes.
//!
//! One test lets requests fail at random; `GROVE_E2E_SEED` says which.
//!
//! Some tests need KWOK in place of kubelets: they hold pods unready (`held_clique`), or end a pod
//! that `helm test` made.
//!
//! The operators run with what the chart gives them: its account, configuration and command line.
//! What they ask of local API servers is in `.localcluster/e2e/audit`, and `rights` judges it.

pub mod mirror;
pub mod objects;
pub mod rights;

/// The folder of the audit logs of a run, relative to the root of the checkout.
pub const AUDIT: &str = ".localcluster/e2e/audit";
