//! The certificates of the webhook: made, replaced in time, and trusted before they are served.
//!
//! One Secret holds all there is to know. All processes serve what stands in it ([`watch_secret`]);
//! the leading one keeps it and the `caBundle` of each webhook right ([`keep`]), by what
//! [`plan`](plan::plan) says about what is stored.
//!
//! | key | what |
//! |---|---|
//! | `tls.crt`, `tls.key` | what is served |
//! | `next.crt`, `next.key` | what will be, once all API servers trust it |
//! | `ca.crt` | the CAs that are to be trusted: those of both, and former ones until they expire |
//! | annotation `grove.io/next-trusted-since` | when all webhooks were seen to trust the next one |
//!
//! If it is emptied, its CAs are taken from the `caBundle`s again: processes go on serving what it
//! held, which has to stay trusted until all trust what comes next.
//!
//! Each pair has a CA of its own whose key is thrown away after it signed: there is no key to steal
//! that could sign another. So a new pair is first made and trusted, and served only after API
//! servers had time to hear of it; its predecessor stays trusted, for a process that hears late.

mod configurations;
mod error;
mod keep;
mod made;
mod named_watch;
mod observe;
pub mod plan;
mod request;
mod rivals;
mod secret;
mod serving;
mod stored;

pub use configurations::{ConfigurationKind, Target};
pub use error::Unusable;
pub use keep::{Clock, EnterWrite, Mode, Options, WriteTurn, keep};
pub use made::{Made, make};
pub use rivals::{Rewrite, Rivals};
pub use secret::{SecretWatch, watch_secret};
pub use serving::Serving;
pub use stored::{NEXT_TRUSTED_SINCE, Stored, authorities_in};
