//! The facts of a decision.

use jiff::{SignedDuration, Timestamp};

use super::Target;
use crate::certificates::Unusable;

/// How long API servers may take to hear of a changed bundle, by their own watch.
const MAX_GRACE: SignedDuration = SignedDuration::from_mins(5);
/// The part of a lifetime that the grace takes at most: short ones are to be kept too.
const GRACES_PER_LIFETIME: i32 = 20;

/// The stored state, and the time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Observed {
    /// The time, read after all of the rest.
    pub now: Timestamp,
    /// How long new pairs are valid.
    pub lifetime: SignedDuration,
    /// The served pair.
    pub serving: Result<Pair, Unusable>,
    /// The pair to serve next, if one is stored.
    pub next: Option<Result<Pair, Unusable>>,
    /// The CAs that are to be trusted.
    pub bundle: Vec<Ca>,
    /// CAs of the operator that webhooks trust and the Secret does not name.
    pub forgotten: Vec<Ca>,
    /// Time at which all webhooks were observed to trust the next pair, by the clock of the
    /// observer.
    pub next_trusted_since: Option<Timestamp>,
    /// How long ago this process wrote that; `None` if another did. Clocks of processes differ, so
    /// a grace is measured by the one that began it.
    pub trusted_for: Option<SignedDuration>,
    /// The configurations that exist.
    pub configurations: Vec<Configuration>,
}

/// A certificate with its key and the wanted names that a CA of the bundle signed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pair {
    /// From when it is valid.
    pub not_before: Timestamp,
    /// When it or its CA expires.
    pub not_after: Timestamp,
    /// The CA that signed it, by [`Ca::id`].
    pub signed_by: String,
}

/// A CA.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ca {
    /// Its identity: its certificate as PEM.
    pub id: String,
    /// When it expires.
    pub not_after: Timestamp,
}

/// A configuration of webhooks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Configuration {
    /// Which one.
    pub target: Target,
    /// The CAs that each of its webhooks trusts; `None` if it could not be read.
    pub bundles: Option<Vec<Vec<String>>>,
}

impl Pair {
    /// When its successor is made: after two thirds of its lifetime.
    pub fn renew_at(&self) -> Timestamp {
        let third = self.not_after.duration_since(self.not_before) / 3;
        self.not_after.checked_sub(third).unwrap_or(self.not_after)
    }
}

impl Observed {
    /// The served pair, if it is usable.
    pub(super) fn usable_serving(&self) -> Option<&Pair> {
        self.serving
            .as_ref()
            .ok()
            .filter(|pair| self.is_valid(pair))
    }

    /// The next pair, if it is usable.
    pub(super) fn usable_next(&self) -> Option<&Pair> {
        let next = self.next.as_ref().and_then(|next| next.as_ref().ok());
        next.filter(|pair| self.is_valid(pair))
    }

    fn is_valid(&self, pair: &Pair) -> bool {
        pair.not_before <= self.now && self.now < pair.not_after
    }

    /// The CAs that have not expired. A former one stays until then: a slow process still serves
    /// its certificate.
    pub(super) fn valid_authorities(&self) -> Vec<String> {
        self.valid(&self.bundle)
    }

    /// The CAs that the Secret has to name again.
    pub(super) fn valid_forgotten(&self) -> Vec<String> {
        self.valid(&self.forgotten)
    }

    fn valid(&self, authorities: &[Ca]) -> Vec<String> {
        authorities
            .iter()
            .filter(|ca| self.now < ca.not_after)
            .map(|ca| ca.id.clone())
            .collect()
    }

    /// Whether no process can serve a trusted certificate: the stored one expired, or the only CA
    /// is that of the next pair.
    pub(super) fn is_nothing_to_lose(&self) -> bool {
        let stored = self.serving.as_ref();
        let is_expired = stored.is_ok_and(|pair| pair.not_after <= self.now);
        let next = self.usable_next().map(|next| &next.signed_by);
        is_expired || self.valid_authorities().iter().all(|ca| Some(ca) == next)
    }

    /// How long the grace goes on, if this process began one.
    pub(super) fn grace_left(&self) -> Option<SignedDuration> {
        let grace = MAX_GRACE.min(self.lifetime / GRACES_PER_LIFETIME);
        let left = |ago| grace.saturating_sub(ago).max(SignedDuration::ZERO);
        self.trusted_for.map(left)
    }

    /// Whether each webhook trusts this CA; `None` if one that may not could not be read.
    pub(super) fn is_trusted(&self, ca: &String) -> Option<bool> {
        let known = self
            .configurations
            .iter()
            .filter_map(|c| c.bundles.as_ref());
        if !known.flatten().all(|bundle| bundle.contains(ca)) {
            return Some(false);
        }
        let are_all_known = self.configurations.iter().all(|c| c.bundles.is_some());
        are_all_known.then_some(true)
    }
}
