//! The requests of an election.

use std::time::Duration;

use domain::object::text;
use jiff::Timestamp;
use k8s_openapi::api::coordination::v1::{Lease, LeaseSpec};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::{MicroTime, ObjectMeta};
use kube::api::PostParams;
use kube::{Api, Client};

use super::{LeaseOptions, lease};

/// Why a request for the Lease did not succeed.
#[derive(Debug, thiserror::Error)]
pub(super) enum LeaseError {
    /// Another client wrote it meanwhile.
    #[error("another client wrote it in the meantime")]
    Conflict,
    /// It was deleted, or its namespace was.
    #[error("it does not exist")]
    Missing,
    #[error("{}", text::with_causes(&**.0))]
    Refused(#[from] Box<kube::Error>),
    #[error("no answer within {0:?}")]
    NoAnswer(Duration),
}

/// Requests about one Lease; each has a time limit.
#[derive(Clone)]
pub(super) struct LeaseRequests {
    api: Api<Lease>,
    options: LeaseOptions,
}

impl LeaseRequests {
    pub(super) fn new(client: Client, options: LeaseOptions) -> Self {
        Self {
            api: Api::namespaced(client, &options.namespace),
            options,
        }
    }

    pub(super) fn api(&self) -> Api<Lease> {
        self.api.clone()
    }

    pub(super) async fn read(&self) -> Result<Option<Lease>, LeaseError> {
        let name = &self.options.name;
        self.within_limit(self.api.get_opt(name)).await
    }

    /// Takes the lease for this process, or renews it; `known` is the version that is replaced.
    pub(super) async fn claim(
        &self,
        known: Option<&Lease>,
        now: Timestamp,
    ) -> Result<Lease, LeaseError> {
        self.write(known, self.claimed(known, now)).await
    }

    /// Gives the lease back, so that any process may take it at once.
    pub(super) async fn release(&self, known: &Lease, now: Timestamp) -> Result<Lease, LeaseError> {
        let spec = LeaseSpec {
            holder_identity: None,
            lease_duration_seconds: Some(1),
            renew_time: Some(MicroTime(now)),
            ..known.spec.clone().unwrap_or_default()
        };
        self.write(Some(known), spec).await
    }

    async fn write(&self, known: Option<&Lease>, spec: LeaseSpec) -> Result<Lease, LeaseError> {
        let params = PostParams::default();
        let Some(known) = known else {
            let metadata = ObjectMeta {
                name: Some(self.options.name.clone()),
                ..ObjectMeta::default()
            };
            let lease = Lease {
                metadata,
                spec: Some(spec),
            };
            return self.within_limit(self.api.create(&params, &lease)).await;
        };
        // With the known resourceVersion: of two candidates one gets the lease.
        let lease = Lease {
            metadata: known.metadata.clone(),
            spec: Some(spec),
        };
        let name = &self.options.name;
        self.within_limit(self.api.replace(name, &params, &lease))
            .await
    }

    fn claimed(&self, known: Option<&Lease>, now: Timestamp) -> LeaseSpec {
        let spec = known.and_then(|lease| lease.spec.clone());
        let before = spec.unwrap_or_default();
        let is_renewal = known.is_some_and(|l| lease::holder_of(l) == self.options.identity);
        let acquired = before.acquire_time.clone().filter(|_| is_renewal);
        let transitions = before.lease_transitions.unwrap_or(0);
        let seconds = i32::try_from(self.options.lease_duration.as_secs());
        LeaseSpec {
            holder_identity: Some(self.options.identity.clone()),
            lease_duration_seconds: Some(seconds.unwrap_or(i32::MAX)),
            acquire_time: acquired.or(Some(MicroTime(now))),
            renew_time: Some(MicroTime(now)),
            lease_transitions: Some(transitions.saturating_add(i32::from(!is_renewal))),
            ..before
        }
    }

    /// Two of these limits fit into the renew deadline: a connection that hangs costs one.
    async fn within_limit<T>(
        &self,
        request: impl Future<Output = Result<T, kube::Error>>,
    ) -> Result<T, LeaseError> {
        let limit = self.options.renew_deadline / 2;
        let answer = tokio::time::timeout(limit, request).await;
        match answer.map_err(|_| LeaseError::NoAnswer(limit))? {
            Err(kube::Error::Api(status)) if status.code == 409 => Err(LeaseError::Conflict),
            Err(kube::Error::Api(status)) if status.code == 404 => Err(LeaseError::Missing),
            answer => answer.map_err(|error| LeaseError::Refused(Box::new(error))),
        }
    }
}
