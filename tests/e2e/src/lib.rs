//! End-to-end tests: the built operator on a real control plane, driven as a user drives it.
//!
//! Everything is in `tests/it`; run it with `cargo test -p e2e`. The tests prepare their needs: the
//! operator, a local control plane (or the cluster of `KUBECONFIG`, if that is set), and a
//! namespace for each test. `GROVE_E2E_OPERATOR` names a built operator to test instead of the one
//! of this checkout. The logs stay in `.localcluster/e2e`; a failing test prints its objects, its
//! events and the last log lines of the operator.
//!
//! One test ends the operator after the first write of each verb and kind; with
//! `GROVE_E2E_CRASH_EVERY_WRITE=1` after every write, which takes many minutes.
//!
//! One test lets requests fail at random; `GROVE_E2E_SEED` sets the seed.
//!
//! Some tests need KWOK instead of kubelets: they hold pods unready (`held_clique`), or end a pod
//! of `helm test`.
//!
//! The operators run with the account, configuration and command line of the chart. Their requests
//! to local API servers are recorded in `.localcluster/e2e/audit`, and `rights` checks them.

pub mod mirror;
pub mod objects;
pub mod rights;

/// The folder of the audit logs of a run, relative to the root of the checkout.
pub const AUDIT: &str = ".localcluster/e2e/audit";
