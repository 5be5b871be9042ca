//! The certificates of the webhook: created, replaced in time, and trusted before they are served.
//!
//! One Secret holds everything. All processes serve its certificate ([`watch_secret`]); the leading
//! one keeps the Secret and the `caBundle` of each webhook up to date ([`keep`]), by a
//! [`plan`](plan::plan) of the stored state.
//!
//! | key | content |
//! |---|---|
//! | `tls.crt`, `tls.key` | the served pair |
//! | `next.crt`, `next.key` | the next pair, served once all API servers trust it |
//! | `ca.crt` | the CAs that are to be trusted: those of both, and former ones until they expire |
//! | annotation `grove.io/next-trusted-since` | when all webhooks were seen to trust the next one |
//!
//! If the Secret is emptied, its CAs are read from the `caBundle`s again: processes still serve its
//! former certificate, which must stay trusted until all trust the next one.
//!
//! Each pair has its own CA, whose key is discarded after it signed: no stolen key can sign another
//! pair. So a new pair is first created and trusted, and served only after API servers had time to
//! read the bundle; its predecessor stays trusted for a slow process.

mod configurations;
mod error;
mod issued_pair;
mod named_watch;
mod observe;
pub mod plan;
mod request;
mod rivals;
mod rotation;
mod secret;
mod secret_content;
mod serving;
mod validity;

pub use configurations::{ConfigurationKind, Target};
pub use error::Unusable;
pub use issued_pair::{IssuedPair, make};
pub use rivals::{Rewrite, Rivals};
pub use rotation::{Clock, EnterWrite, Mode, Options, WriteTurn, keep};
pub use secret::{SecretWatch, watch_secret};
pub use secret_content::{NEXT_TRUSTED_SINCE, SecretContent, authorities_in};
pub use serving::Serving;
pub use validity::ValidityCheck;
