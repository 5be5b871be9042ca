//! The installation as it was read.

use jiff::Timestamp;
use k8s_openapi::api::apps::v1::Deployment;
use k8s_openapi::api::coordination::v1::Lease;
use x509_parser::pem::Pem;

/// The webhooks that are asked about new PodCliqueSets.
const OF_SETS: [&str; 2] = [
    "pcs.defaulting.webhooks.grove.io",
    "pcs.validating.webhooks.grove.io",
];

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
    /// The operator's webhooks.
    pub webhooks: Read<Vec<ObservedWebhook>>,
    /// The namespace to which a set was sent as a dry run.
    pub asked_namespace: String,
    /// The answer to that set.
    pub answer: WebhookAnswer,
    /// Version of the API server.
    pub server: Read<String>,
}

/// A webhook of the operator.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ObservedWebhook {
    /// Its name.
    pub name: String,
    /// The CAs, as PEM, that the API server trusts.
    pub bundle: Vec<u8>,
    /// The namespaces whose objects it is asked about; none if it is asked about all.
    pub namespaces: Vec<String>,
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
    /// The API server would store it, as it would without a webhook too.
    Accepted,
    /// The operator's webhook refused it.
    Refused,
    /// The API server could not call the operator's webhook, for this reason.
    Failed(String),
    /// The API server did not come to the webhook, for this reason.
    NotAsked(String),
}

impl ObservedWebhook {
    /// Whether it is asked about new PodCliqueSets in that namespace.
    pub fn is_asked_about_sets(&self, namespace: &str) -> bool {
        self.is_of_sets()
            && (self.namespaces.is_empty() || self.namespaces.iter().any(|n| n == namespace))
    }

    /// Whether it is asked about new PodCliqueSets anywhere.
    pub(super) fn is_of_sets(&self) -> bool {
        OF_SETS.contains(&self.name.as_str())
    }
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
