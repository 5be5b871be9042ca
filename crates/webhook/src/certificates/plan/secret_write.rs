//! The next write of the Secret.

use std::fmt;

use jiff::Timestamp;

use super::{Observed, Pair};

/// The next content of the Secret, in terms of its present one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SecretWrite {
    /// Why.
    pub step: RotationStep,
    /// The pair to serve from then on.
    pub serving: PairSource,
    /// The pair to serve next.
    pub next: PairSource,
    /// The CAs that stay. That of a pair which is made comes after them.
    pub bundle: Vec<String>,
    /// When all webhooks were seen to trust the next pair.
    pub trusted_since: Option<Timestamp>,
}

/// Where a pair comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PairSource {
    /// The served pair.
    Serving,
    /// The next pair.
    Next,
    /// It is made.
    Made,
    /// There is none.
    Nothing,
}

/// The steps of a rotation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RotationStep {
    /// A pair is made and served at once: there is nothing to lose.
    Install,
    /// Copies the trusted CAs of the webhooks into the Secret again: it was emptied, and processes
    /// still serve its former certificate.
    Remember,
    /// The next pair is made and trusted.
    Prepare,
    /// All webhooks trust the next pair: the grace begins.
    BeginGrace,
    /// A webhook does not trust the next pair any more: another grace is due.
    EndGrace,
    /// The next pair is served.
    Promote,
    /// Removes useless values.
    Tidy,
}

/// The first of the writes that are due.
pub(super) fn secret_write(seen: &Observed) -> Option<SecretWrite> {
    let write = match (seen.usable_serving(), seen.usable_next()) {
        (Some(serving), None) => prepare(seen, serving),
        (Some(_), Some(next)) => advance(seen, next),
        (None, next) => replace(seen, next),
    };
    let is_any_expired = seen.valid_authorities().len() < seen.bundle.len();
    let step = write.or(is_any_expired.then_some(RotationStep::Tidy))?;
    Some(content(seen, step))
}

fn prepare(seen: &Observed, serving: &Pair) -> Option<RotationStep> {
    if serving.renew_at() <= seen.now {
        return Some(RotationStep::Prepare);
    }
    let is_untidy = seen.next.is_some() || seen.next_trusted_since.is_some();
    is_untidy.then_some(RotationStep::Tidy)
}

/// The Secret's pair cannot be served, for example after it was emptied or the names changed; but
/// processes still serve the former one, which stays trusted until all trust the next pair. If
/// nothing is trusted, nothing waits.
fn replace(seen: &Observed, next: Option<&Pair>) -> Option<RotationStep> {
    if !seen.valid_forgotten().is_empty() {
        return Some(RotationStep::Remember);
    }
    match next {
        None if seen.is_nothing_to_lose() => Some(RotationStep::Install),
        Some(_) if seen.is_nothing_to_lose() => Some(RotationStep::Promote),
        None => Some(RotationStep::Prepare),
        Some(next) => advance(seen, next),
    }
}

/// Restarts a grace period that another process began: its clock may differ.
fn advance(seen: &Observed, next: &Pair) -> Option<RotationStep> {
    match (seen.is_trusted(&next.signed_by)?, seen.grace_left()) {
        (true, Some(left)) => left.is_zero().then_some(RotationStep::Promote),
        (true, None) => Some(RotationStep::BeginGrace),
        (false, _) => seen.next_trusted_since.map(|_| RotationStep::EndGrace),
    }
}

fn content(seen: &Observed, step: RotationStep) -> SecretWrite {
    let kept = match seen.usable_next() {
        Some(_) => PairSource::Next,
        None => PairSource::Nothing,
    };
    let (serving, next) = match step {
        RotationStep::Install => (PairSource::Made, PairSource::Nothing),
        RotationStep::Prepare => (PairSource::Serving, PairSource::Made),
        RotationStep::Promote => (PairSource::Next, PairSource::Nothing),
        RotationStep::Remember
        | RotationStep::BeginGrace
        | RotationStep::EndGrace
        | RotationStep::Tidy => (PairSource::Serving, kept),
    };
    let trusted_since = match step {
        RotationStep::BeginGrace => Some(seen.now),
        RotationStep::Remember | RotationStep::Tidy => {
            seen.next_trusted_since.filter(|_| next == PairSource::Next)
        }
        RotationStep::Install
        | RotationStep::Prepare
        | RotationStep::EndGrace
        | RotationStep::Promote => None,
    };
    let remembered = match step {
        RotationStep::Remember => seen.valid_forgotten(),
        _ => Vec::new(),
    };
    SecretWrite {
        step,
        serving,
        next,
        bundle: [seen.valid_authorities(), remembered].concat(),
        trusted_since,
    }
}

impl SecretWrite {
    /// Whether a pair has to be made for it.
    pub fn needs_pair(&self) -> bool {
        [self.serving, self.next].contains(&PairSource::Made)
    }
}

impl fmt::Display for SecretWrite {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { serving, next, .. } = self;
        let (step, bundle) = (self.step, self.bundle.join(" "));
        write!(
            f,
            "{step}: serve {serving:?}, then {next:?}, trust [{bundle}]"
        )?;
        match self.trusted_since {
            Some(since) => write!(f, ", since {since}"),
            None => Ok(()),
        }
    }
}

impl fmt::Display for RotationStep {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Install => "a certificate is created and served",
            Self::Remember => "the CAs that webhooks trust are stored again",
            Self::Prepare => "the next certificate is created and trusted",
            Self::BeginGrace => "all webhooks trust the next certificate",
            Self::EndGrace => "a webhook does not trust the next certificate any more",
            Self::Promote => "the next certificate is served",
            Self::Tidy => "expired and unused values are removed",
        })
    }
}
