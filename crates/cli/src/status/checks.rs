//! The checks, one in each file.

mod certificate;
mod definitions;
mod leader;
mod operator;
mod versions;
mod webhook;

use jiff::Timestamp;

use super::{InstallationStatus, Observed};

/// The state of all parts at that time.
pub fn check_all(observed: &Observed, now: Timestamp) -> InstallationStatus {
    InstallationStatus {
        checks: vec![
            definitions::check(observed),
            operator::check(observed),
            leader::check(observed, now),
            webhook::check(observed),
            certificate::check(observed, now),
            versions::check(observed),
        ],
    }
}
