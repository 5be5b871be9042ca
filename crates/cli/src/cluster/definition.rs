//! Definitions of ours that the API server does not have.

use std::fmt::Debug;

use kube::core::Status;
use kube::core::response::reason;
use kube::{Api, Resource};
use serde::de::DeserializeOwned;

use crate::exit::Failure;

/// The object of that name, if it exists. A missing definition is a failure: nobody knows whether it does.
pub(super) async fn get_existing<K>(
    api: &Api<K>,
    name: &str,
    what: &str,
) -> Result<Option<K>, Failure>
where
    K: Resource + Clone + DeserializeOwned + Debug,
{
    match api.get(name).await {
        Ok(found) => Ok(Some(found)),
        Err(kube::Error::Api(status)) if is_absent(api.resource_url(), &status) => Ok(None),
        Err(error) => Err(failure_of(api, what, &error)),
    }
}

/// The failure of a request to the collection.
pub(super) fn failure_of<K: Resource>(api: &Api<K>, what: &str, error: &kube::Error) -> Failure {
    let definition = definition_of(api.resource_url());
    match (error, definition) {
        (kube::Error::Api(status), Some(definition)) if status.code == 404 => {
            Failure::of_missing_definition(what, &definition)
        }
        _ => Failure::of_request(what, error),
    }
}

/// The API server answers requests for a kind that it does not know without a reason.
fn is_absent(url: &str, status: &Status) -> bool {
    let is_known = status.reason == reason::NOT_FOUND || definition_of(url).is_none();
    is_known && status.is_not_found()
}

/// `podgangs.scheduler.grove.io` of `/apis/scheduler.grove.io/v1alpha1/podgangs`; none of a kind of others.
fn definition_of(url: &str) -> Option<String> {
    let (group, rest) = url.strip_prefix("/apis/")?.split_once('/')?;
    let (_, plural) = rest.rsplit_once('/')?;
    let name = format!("{plural}.{group}");
    let mut ours = api::crds::all().iter();
    let is_ours = ours.any(|own| own.metadata.name.as_deref() == Some(name.as_str()));
    is_ours.then_some(name)
}
