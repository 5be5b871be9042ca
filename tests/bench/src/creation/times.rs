//! When the pods of a workload reached each state.

use std::time::Instant;

use anyhow::{Context as _, Result};

use crate::observer::Seen;

/// Seconds since the first request was sent.
#[derive(Clone, Copy, Debug)]
pub struct Times {
    /// Until all were created.
    pub created: f64,
    /// Until none has a gate.
    pub ungated: f64,
    /// Until all are Ready.
    pub ready: f64,
    /// Since the first request to delete something.
    pub deleted: f64,
}

impl Times {
    /// The observed times, relative to that moment.
    pub fn new(began: Instant, seen: &Seen, deleted: f64) -> Result<Self> {
        let since = |moment: Option<Instant>| {
            let moment = moment.context("a moment was not seen")?;
            Ok::<_, anyhow::Error>(moment.duration_since(began).as_secs_f64())
        };
        Ok(Self {
            created: since(seen.created)?,
            ungated: since(seen.ungated)?,
            ready: since(seen.ready)?,
            deleted,
        })
    }

    /// As text.
    pub fn show(&self) -> String {
        let Self {
            created,
            ungated,
            ready,
            deleted,
        } = self;
        format!(
            "created {created:.2} s, ungated {ungated:.2} s, Ready {ready:.2} s, \
             deleted {deleted:.2} s"
        )
    }
}
