//! End-to-end tests: the built operator on a real control plane, driven as a user drives it.
//!
//! Everything is in `tests/it`; run it with `cargo test -p e2e`. What it needs is made on the way:
//! the operator, a local control plane (or the cluster of `KUBECONFIG`), a namespace for each test.
//! The logs stay in `.localcluster/e2e`.
