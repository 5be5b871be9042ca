//! `docs/reference`: the interface for programs, generated from its code.

mod api;
mod conditions;
mod dns_names;
mod environment;
mod events;
mod exit_codes;
mod flags;
pub mod keys;
pub mod metrics;
mod page;

use crate::output::Output;

/// All pages.
pub fn pages() -> anyhow::Result<Vec<Output>> {
    Ok(vec![
        api::page()?,
        conditions::page()?,
        dns_names::page()?,
        environment::page()?,
        events::page()?,
        exit_codes::page()?,
        flags::page()?,
        keys::labels()?,
        keys::annotations()?,
        metrics::page()?,
    ])
}
