//! The admission webhook: it checks objects before the API server stores them, and keeps the
//! certificates by which the API server trusts it.
//!
//! ```text
//! API server ─▶ server: TLS, limits ─▶ review: decode ─▶ answers: the rules of `admission`
//!     ▲                 ▲                                   └── parents: stored objects
//!     │ caBundle        │ tls.crt, tls.key
//!     └── certificates ─┴─▶ Secret
//! ```

pub mod answers;
pub mod certificates;
pub mod metrics;
pub mod parents;
pub mod patch;
pub mod review;
pub mod server;
