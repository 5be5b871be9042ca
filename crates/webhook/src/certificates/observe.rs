//! The stored state, read by requests: a plan is about the server's state, whatever watches show.

use std::collections::BTreeSet;

use jiff::{SignedDuration, Timestamp};
use k8s_openapi::api::core::v1::Secret;
use kube::core::DynamicObject;
use kube::{Api, Client};
use tokio::time::Instant;

use super::configurations;
use super::error::Error;
use super::plan::{Ca, Observed, Patch};
use super::request::answer;
use super::rotation::Options;
use super::secret_content::{SecretContent, is_own};
use super::{Target, plan};

/// A grace that this process began.
#[derive(Clone, Copy, Debug)]
pub(super) struct Grace {
    /// The time of its write of the Secret.
    pub(super) since: Timestamp,
    /// When it saw that all webhooks trust the next pair.
    pub(super) began: Instant,
}

/// The objects that plans are about.
pub(super) struct Objects {
    pub(super) secret: Secret,
    configurations: Vec<(Target, Result<Option<DynamicObject>, Error>)>,
}

impl Objects {
    /// Reads them. A configuration that cannot be read holds up neither the Secret nor the others.
    pub(super) async fn read(client: &Client, options: &Options) -> Result<Self, Error> {
        let mut configurations = Vec::new();
        let secret = read_secret(client, options).await?;
        for target in &options.configurations {
            let object = configurations::read(client.clone(), target).await;
            configurations.push((target.clone(), object));
        }
        Ok(Self {
            secret,
            configurations,
        })
    }

    /// The input of a plan. The time is read last, so that everything was observed before it.
    pub(super) fn observe(
        &self,
        options: &Options,
        lifetime: SignedDuration,
        own: Option<Grace>,
    ) -> Observed {
        let stored = SecretContent::read(&self.secret, &options.names);
        let own = own.filter(|grace| stored.next_trusted_since == Some(grace.since));
        let ago = |grace: Grace| SignedDuration::try_from(grace.began.elapsed());
        Observed {
            now: (options.clock)(),
            lifetime,
            forgotten: self.forgotten(&stored.bundle),
            serving: stored.serving,
            next: stored.next,
            bundle: stored.bundle,
            next_trusted_since: stored.next_trusted_since,
            trusted_for: own.map(|grace| ago(grace).unwrap_or(SignedDuration::MAX)),
            configurations: self.existing(),
        }
    }

    /// Only the operator's CAs: those of other writers are not copied.
    fn forgotten(&self, named: &[Ca]) -> Vec<Ca> {
        let mut known: BTreeSet<String> = named.iter().map(|ca| ca.id.clone()).collect();
        let objects = self
            .configurations
            .iter()
            .filter_map(|(_, object)| object.as_ref().ok()?.as_ref());
        let trusted = objects.flat_map(configurations::trusted);
        trusted
            .filter(|ca| known.insert(ca.id.clone()) && is_own(ca))
            .collect()
    }

    fn existing(&self) -> Vec<plan::Configuration> {
        self.configurations
            .iter()
            .filter_map(|(target, object)| match object {
                Ok(Some(object)) => Some(configurations::observe(target, Some(object))),
                Ok(None) => None,
                Err(_) => Some(configurations::observe(target, None)),
            })
            .collect()
    }

    /// The configuration that a patch is for.
    pub(super) fn of(&self, patch: &Patch) -> Option<&DynamicObject> {
        let (_, object) = self
            .configurations
            .iter()
            .find(|(target, _)| *target == patch.target)?;
        object.as_ref().ok()?.as_ref()
    }

    /// The names of the missing configurations.
    pub(super) fn absent(&self) -> impl Iterator<Item = &Target> {
        self.configurations
            .iter()
            .filter_map(|(target, object)| matches!(object, Ok(None)).then_some(target))
    }

    /// The first of the failures to read one.
    pub(super) fn into_failure(self) -> Option<Error> {
        self.configurations
            .into_iter()
            .find_map(|(_, object)| object.err())
    }
}

async fn read_secret(client: &Client, options: &Options) -> Result<Secret, Error> {
    let (namespace, name) = (&options.namespace, &options.secret_name);
    let api = Api::<Secret>::namespaced(client.clone(), namespace);
    let what = format!("Secret {namespace}/{name}");
    let secret = answer("get", &what, api.get_opt(name)).await?;
    secret.ok_or_else(|| Error::NoSecret {
        namespace: namespace.clone(),
        name: name.clone(),
    })
}
