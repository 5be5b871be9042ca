//! The objects that tests read, decoded in one pass. They are many, so this code is in the library,
//! which is optimised, as tests are not (`hack/rustc-with-lints.sh`).

use futures::StreamExt as _;
use futures::stream::BoxStream;
use kube::api::{DynamicObject, ListParams, WatchEvent, WatchParams};
use kube::core::{ApiResource, GroupVersionKind, Request};
use kube::{Client, Resource as _};
use serde::Deserialize;
use serde_json::{Map, Value};

/// A kind: its group, version and name.
pub type Kind = (&'static str, &'static str, &'static str);

/// The operator's objects, their source, and kinds that the operator must not create.
pub const KINDS: [Kind; 10] = [
    ("grove.io", "v1alpha1", "PodCliqueSet"),
    ("grove.io", "v1alpha1", "PodCliqueScalingGroup"),
    ("grove.io", "v1alpha1", "PodClique"),
    ("scheduler.grove.io", "v1alpha1", "PodGang"),
    ("", "v1", "Pod"),
    ("", "v1", "Service"),
    ("autoscaling", "v2", "HorizontalPodAutoscaler"),
    ("", "v1", "ServiceAccount"),
    ("rbac.authorization.k8s.io", "v1", "Role"),
    ("rbac.authorization.k8s.io", "v1", "RoleBinding"),
];

/// The API server's name of that kind.
pub fn resource((group, version, kind): Kind) -> ApiResource {
    ApiResource::from_gvk(&GroupVersionKind::gvk(group, version, kind))
}

/// The objects of a kind, in one namespace or in all.
pub struct Objects {
    client: Client,
    resource: ApiResource,
    path: String,
}

/// A list.
#[derive(Debug)]
pub struct Listed {
    /// A watch continues the list from here.
    pub version: String,
    /// The listed objects.
    pub objects: Vec<Value>,
}

#[derive(Deserialize)]
struct List {
    metadata: ListMeta,
    items: Vec<Map<String, Value>>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct ListMeta {
    #[serde(default)]
    resource_version: String,
}

impl Objects {
    /// The objects of that kind in this namespace, or in all.
    pub fn of(client: Client, kind: Kind, namespace: Option<&str>) -> Self {
        let resource = resource(kind);
        Self {
            path: DynamicObject::url_path(&resource, namespace),
            client,
            resource,
        }
    }

    /// The selected objects.
    pub async fn list(&self, selected: &ListParams) -> kube::Result<Listed> {
        let request = Request::new(&self.path).list(selected);
        let list: List = self
            .client
            .request(request.map_err(kube::Error::BuildRequest)?)
            .await?;
        let typed = |object| self.name_kind(object);
        Ok(Listed {
            version: list.metadata.resource_version,
            objects: list.items.into_iter().map(typed).collect(),
        })
    }

    /// Their changes since that version.
    pub async fn watch(
        &self,
        version: &str,
    ) -> kube::Result<BoxStream<'static, kube::Result<WatchEvent<Value>>>> {
        let request = Request::new(&self.path).watch(&WatchParams::default(), version);
        let request = request.map_err(kube::Error::BuildRequest)?;
        Ok(self.client.request_events(request).await?.boxed())
    }

    /// Lists of kinds that Kubernetes itself serves do not name the kind of each object.
    fn name_kind(&self, mut object: Map<String, Value>) -> Value {
        let ApiResource {
            api_version, kind, ..
        } = &self.resource;
        object.insert("apiVersion".to_owned(), api_version.as_str().into());
        object.insert("kind".to_owned(), kind.as_str().into());
        object.into()
    }
}
