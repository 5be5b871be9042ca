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
    let mut checks = vec![definitions::check(observed)];
    checks.extend(operator::check_each(observed));
    checks.extend(leader::check_each(observed, now));
    checks.extend([
        webhook::check(observed),
        certificate::check(observed, now),
        versions::check(observed),
    ]);
    InstallationStatus { checks }
}
