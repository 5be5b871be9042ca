//! Objects as they are stored, including fields that this build does not know.

use kube::Api;
use kube::core::{ApiResource, DynamicObject, TypeMeta};
use serde_json::Value;

use super::definition::get_existing;
use super::{Cluster, list_all, with_labels};
use crate::exit::Failure;

impl Cluster {
    /// All objects of a kind with these labels, sorted by namespace and name; without `namespace`
    /// those of the whole cluster.
    pub async fn list_raw(
        &self,
        resource: &ApiResource,
        namespace: Option<&str>,
        labels: &str,
    ) -> Result<Vec<Value>, Failure> {
        let place = namespace.map_or("all namespaces".to_owned(), |n| format!("namespace {n}"));
        let what = format!("list {} in {place}", resource.plural);
        let api = self.raw(resource, namespace);
        let mut found = list_all(&api, with_labels(labels), &what).await?;
        found.sort_by_key(|o| (o.metadata.namespace.clone(), o.metadata.name.clone()));
        Ok(found
            .into_iter()
            .map(|object| complete(object, resource))
            .collect())
    }

    /// The object of that name, if it exists.
    pub async fn get_raw(
        &self,
        resource: &ApiResource,
        namespace: Option<&str>,
        name: &str,
    ) -> Result<Option<Value>, Failure> {
        let place = namespace.map_or(String::new(), |n| format!(" in namespace {n}"));
        let what = format!("get {} {name}{place}", resource.plural);
        let found = get_existing(&self.raw(resource, namespace), name, &what).await?;
        Ok(found.map(|object| complete(object, resource)))
    }

    fn raw(&self, resource: &ApiResource, namespace: Option<&str>) -> Api<DynamicObject> {
        let client = self.client.clone();
        match namespace {
            Some(namespace) => Api::namespaced_with(client, namespace, resource),
            None => Api::all_with(client, resource),
        }
    }
}

/// The items of a list have no kind.
fn complete(mut object: DynamicObject, resource: &ApiResource) -> Value {
    object.types.get_or_insert_with(|| TypeMeta {
        api_version: resource.api_version.clone(),
        kind: resource.kind.clone(),
    });
    serde_json::to_value(object).unwrap_or_default()
}
