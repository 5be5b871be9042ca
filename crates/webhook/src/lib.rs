//! The admission webhook: what the API server asks before it stores an object, and the certificates
//! by which it knows whom it asks.
//!
//! ```text
//! API server ─▶ server: TLS, limits ─▶ review: decode ─▶ answers: the rules of `admission`
//!     ▲                 ▲                                   └── parents: what is stored
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
