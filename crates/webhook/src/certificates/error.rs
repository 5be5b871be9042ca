//! Errors of the stored certificates, and of requests; each with its remedy.

use std::time::Duration;

/// Why a stored pair cannot be used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Unusable {
    /// Nothing is stored under this key.
    #[error("{0} is missing")]
    Missing(&'static str),
    /// The value under this key cannot be used.
    #[error("{key} cannot be read: {problem}")]
    Unreadable {
        /// The key of the Secret.
        key: &'static str,
        /// The problem.
        problem: String,
    },
    /// The key belongs to another certificate, or has an unsupported kind.
    #[error("{key} does not fit {certificate}: {problem}")]
    KeyDoesNotFit {
        /// The key of the Secret with the private key.
        key: &'static str,
        /// That with the certificate.
        certificate: &'static str,
        /// The problem.
        problem: String,
    },
    /// The certificate lacks names of the webhook.
    #[error("the certificate is not for {}", .0.join(", "))]
    NamesMissing(Vec<String>),
    /// None of the trusted CAs signed it.
    #[error("no CA in ca.crt signed the certificate")]
    NotSigned,
}

/// The source of the Secret.
pub(super) const MAKE_SECRET: &str = "helm upgrade makes it, or, with webhooks.certificates.mode \
    manual, what provides the certificate, as cert-manager's Certificate; it has to be called \
    webhooks.certificates.secretName";

/// The failure that kept the certificates from being updated.
#[derive(Debug, thiserror::Error)]
pub(super) enum Error {
    #[error("Secret {namespace}/{name} does not exist: {}", MAKE_SECRET)]
    NoSecret { namespace: String, name: String },
    #[error("{verb} of {what} failed: {problem}{}", remedy(*.code))]
    Refused {
        verb: &'static str,
        what: String,
        code: u16,
        problem: String,
    },
    #[error(
        "{verb} of {what} got no answer within {limit:?}: check that the API server is healthy"
    )]
    Unanswered {
        verb: &'static str,
        what: String,
        limit: Duration,
    },
    #[error("another writer changed {what} in between")]
    Conflict { what: String },
    #[error("this process does not lead at the moment")]
    NotLeading,
    #[error("no certificate can be made for these names: {0}. Correct the names of the webhook")]
    NotMade(#[from] rcgen::Error),
    #[error(
        "another writer changes it back again and again: find that writer, and let only the operator write it"
    )]
    Unsettled,
}

impl Error {
    /// Whether the error is normal and needs no action.
    pub(super) fn is_expected(&self) -> bool {
        matches!(self, Self::Conflict { .. } | Self::NotLeading)
    }
}

fn remedy(code: u16) -> &'static str {
    match code {
        401 | 403 => ". The chart's role grants it: helm upgrade, or grant it by hand",
        _ => "",
    }
}
