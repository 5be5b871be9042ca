//! The installation as it was read.

use jiff::Timestamp;
use k8s_openapi::api::apps::v1::Deployment;
use k8s_openapi::api::coordination::v1::Lease;
use x509_parser::pem::Pem;

/// A part that was read, or the reason why not.
pub type Read<T> = Result<T, String>;

/// The installation.
#[derive(Clone, Debug)]
pub struct Observed {
    /// Names of the served kinds, such as `podgangs.scheduler.grove.io`.
    pub served: Read<Vec<String>>,
    /// The operator's Deployments.
    pub deployments: Read<Vec<Deployment>>,
    /// The Lease of each Deployment.
    pub leases: Vec<ObservedLease>,
    /// The bundles of CAs, as PEM, that the API server trusts: one for each webhook.
    pub bundles: Read<Vec<Vec<u8>>>,
    /// The answer to a set that was sent as a dry run.
    pub answer: WebhookAnswer,
    /// Version of the API server.
    pub server: Read<String>,
}

/// The Lease of a Deployment.
#[derive(Clone, Debug)]
pub struct ObservedLease {
    /// Namespace and name of the Lease.
    pub name: String,
    /// The Lease; none if it does not exist.
    pub lease: Read<Option<Lease>>,
}

/// The answer to a set that was sent as a dry run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum WebhookAnswer {
    /// The API server would store it, or the webhook refused it.
    Answered,
    /// The API server could not call the webhook, for this reason.
    Failed(String),
    /// The API server did not come to the webhook, for this reason.
    NotAsked(String),
}

/// When the last of these CAs expires; none if the bundle has no CA that can be read.
pub fn latest_end(bundle: &[u8]) -> Option<Timestamp> {
    Pem::iter_from_buffer(bundle)
        .filter_map(Result::ok)
        .filter_map(|pem| {
            let certificate = pem.parse_x509().ok()?;
            let end = certificate.validity().not_after.timestamp();
            Timestamp::from_second(end).ok()
        })
        .max()
}
