//! The next write, decided from the stored state. Pure: no clock, no request, no key.
//!
//! A pair is served only after every webhook trusted its CA and a grace period passed in which API
//! servers read the bundle; the same holds in a rotation, and after the Secret was emptied or the
//! names changed. A plan writes the Secret at most once, and bundles only ever copy the Secret:
//! after a crash the next process sees the progress.

mod observed;
mod secret_write;

use std::fmt;

use jiff::Timestamp;

use super::Target;
pub use observed::{Ca, Configuration, Observed, Pair};
pub use secret_write::{PairSource, RotationStep, SecretWrite};

/// The next writes, and the time of the next check.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Plan {
    /// The Secret's next content. Nothing else is done before it is stored.
    pub secret: Option<SecretWrite>,
    /// The webhooks whose `caBundle` differs from the Secret.
    pub patches: Vec<Patch>,
    /// The next due time that no watch reports.
    pub wake_at: Option<Timestamp>,
}

/// Webhooks of one configuration that get this bundle.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Patch {
    /// The configuration.
    pub target: Target,
    /// Their places in it.
    pub webhooks: Vec<usize>,
    /// The CAs that they are to trust.
    pub bundle: Vec<String>,
}

/// The due writes.
pub fn plan(seen: &Observed) -> Plan {
    let secret = secret_write::secret_write(seen);
    let patches = match &secret {
        Some(_) => Vec::new(),
        None => patches(seen),
    };
    Plan {
        secret,
        patches,
        wake_at: wake_at(seen),
    }
}

impl Plan {
    /// Whether there is nothing to write.
    pub fn is_settled(&self) -> bool {
        self.secret.is_none() && self.patches.is_empty()
    }
}

fn patches(seen: &Observed) -> Vec<Patch> {
    let bundle = seen.valid_authorities();
    let patch = |configuration: &Configuration| {
        let differing = configuration
            .bundles
            .iter()
            .flatten()
            .enumerate()
            .filter(|(_, held)| **held != bundle);
        Patch {
            target: configuration.target.clone(),
            webhooks: differing.map(|(place, _)| place).collect(),
            bundle: bundle.clone(),
        }
    };
    let patches = seen.configurations.iter().map(patch);
    patches.filter(|patch| !patch.webhooks.is_empty()).collect()
}

/// The next moment at which another plan follows from the same content.
fn wake_at(seen: &Observed) -> Option<Timestamp> {
    let (serving, next) = (seen.usable_serving(), seen.usable_next());
    let renewal = serving.filter(|_| next.is_none()).map(Pair::renew_at);
    let grace_left = seen.grace_left().filter(|_| next.is_some());
    let promotion = grace_left.and_then(|left| seen.now.checked_add(left).ok());
    let bounds = seen
        .serving
        .iter()
        .chain(seen.next.iter().flatten())
        .flat_map(|pair| [pair.not_before, pair.not_after]);
    renewal
        .into_iter()
        .chain(promotion)
        .chain(bounds)
        .chain(seen.bundle.iter().map(|ca| ca.not_after))
        .filter(|at| *at > seen.now)
        .min()
}

impl fmt::Display for Plan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(secret) = &self.secret {
            writeln!(f, "{secret}")?;
        }
        for patch in &self.patches {
            let bundle = patch.bundle.join(" ");
            writeln!(f, "{} {:?} trusts {bundle}", patch.target, patch.webhooks)?;
        }
        match self.wake_at {
            Some(at) => write!(f, "wake at {at}"),
            None => write!(f, "wait"),
        }
    }
}
