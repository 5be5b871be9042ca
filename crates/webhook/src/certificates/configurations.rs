//! The configurations of webhooks: their `caBundle`s now and after the plan.

use std::fmt;

use k8s_openapi::ByteString;
use k8s_openapi::api::admissionregistration::v1::{
    MutatingWebhookConfiguration, ValidatingWebhookConfiguration,
};
use kube::api::{ApiResource, Patch as Change, PatchParams};
use kube::core::DynamicObject;
use kube::{Api, Client, ResourceExt};
use serde_json::{Value, json};

use super::error::Error;
use super::plan::{Ca, Configuration, Patch};
use super::request::answer;
use super::secret_content::authorities_in;

/// A configuration of webhooks, by name.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Target {
    /// Its kind.
    pub kind: ConfigurationKind,
    /// Its name.
    pub name: String,
}

/// The kinds of such configurations.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum ConfigurationKind {
    /// A `MutatingWebhookConfiguration`.
    Mutating,
    /// A `ValidatingWebhookConfiguration`.
    Validating,
}

impl Target {
    pub(super) fn api(&self, client: Client) -> Api<DynamicObject> {
        let resource = match self.kind {
            ConfigurationKind::Mutating => ApiResource::erase::<MutatingWebhookConfiguration>(&()),
            ConfigurationKind::Validating => {
                ApiResource::erase::<ValidatingWebhookConfiguration>(&())
            }
        };
        Api::all_with(client, &resource)
    }
}

impl fmt::Display for Target {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}WebhookConfiguration {}", self.kind, self.name)
    }
}

/// The stored configuration, if it exists.
pub(super) async fn read(client: Client, target: &Target) -> Result<Option<DynamicObject>, Error> {
    let api = target.api(client);
    answer("get", &target.to_string(), api.get_opt(&target.name)).await
}

/// The CAs that each webhook trusts.
pub(super) fn observe(target: &Target, object: Option<&DynamicObject>) -> Configuration {
    let ids = |webhook| authorities(webhook).into_iter().map(|ca| ca.id);
    let bundles = object.map(|object| webhooks(object).map(|w| ids(w).collect()).collect());
    Configuration {
        target: target.clone(),
        bundles,
    }
}

fn webhooks(object: &DynamicObject) -> impl Iterator<Item = &Value> {
    let webhooks = object.data.get("webhooks").and_then(Value::as_array);
    webhooks.into_iter().flatten()
}

/// The CAs that any of its webhooks trusts.
pub(super) fn trusted(object: &DynamicObject) -> impl Iterator<Item = Ca> {
    webhooks(object).flat_map(authorities)
}

fn authorities(webhook: &Value) -> Vec<Ca> {
    let encoded = webhook.pointer("/clientConfig/caBundle").cloned();
    let decoded = encoded.and_then(|text| serde_json::from_value::<ByteString>(text).ok());
    authorities_in(&decoded.unwrap_or_default().0)
}

/// Writes the bundles, if the configuration still has the observed version.
pub(super) async fn write(
    client: Client,
    patch: &Patch,
    seen: &DynamicObject,
) -> Result<(), Error> {
    let Patch { target, .. } = patch;
    let changes = serde_json::from_value(changes(patch, seen))
        .map(Change::<()>::Json)
        .map_err(kube::Error::SerdeError);
    let (api, params) = (target.api(client), PatchParams::default());
    let patched = async { api.patch(&target.name, &params, &changes?).await };
    answer("patch", &target.to_string(), patched)
        .await
        .map(|_| ())
}

/// Nothing but the bundles changes.
fn changes(patch: &Patch, seen: &DynamicObject) -> Value {
    let bundle = ByteString(patch.bundle.concat().into_bytes());
    let version = seen.resource_version();
    let guard = json!({"op": "test", "path": "/metadata/resourceVersion", "value": version});
    let change = |place| {
        let field = format!("/webhooks/{place}/clientConfig/caBundle");
        json!({"op": "add", "path": field, "value": bundle})
    };
    let changes = patch.webhooks.iter().map(change);
    std::iter::once(guard).chain(changes).collect()
}
