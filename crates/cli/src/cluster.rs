//! Reads a cluster: by label, in pages, with messages for each failure.

mod absent;
mod connect;
mod definition;
mod events;
mod load;
mod named;
mod raw;
mod replica;

use std::fmt::Debug;

use k8s_openapi::NamespaceResourceScope;
use k8s_openapi::api::core::v1::Namespace;
use kube::api::ListParams;
use kube::{Api, Client, Config, Resource};
use serde::de::DeserializeOwned;

use crate::connection::ConnectionArgs;
use crate::exit::Failure;

pub(crate) use absent::explain_absence;
pub use absent::nearest_name;
pub(crate) use connect::WATCH_SECONDS;
pub use load::load_workload;
pub(crate) use load::not_found;
pub use named::{
    AskedName, Loaded, NamedKind, find_set, load_named, parse_any_name, parse_name, parse_set_name,
};
pub use replica::find_replica;

/// The chart's label of the operator's objects.
pub(crate) const OPERATOR: &str = "app.kubernetes.io/name=grove-operator";

/// Objects in one answer.
const PAGE: u32 = 500;

/// A cluster and a namespace.
#[derive(Clone)]
pub struct Cluster {
    /// Its client.
    pub client: Client,
    /// The namespace of the command line, or else of the context.
    pub namespace: String,
}

impl Cluster {
    /// Finds the cluster of the flags and the kubeconfig, without a request.
    pub async fn connect(args: &ConnectionArgs) -> Result<Self, Failure> {
        Self::of(args, connect::configure(args).await?)
    }

    /// The same for answers that may take any time, such as a log that is followed.
    pub async fn connect_to_follow(args: &ConnectionArgs) -> Result<Self, Failure> {
        let mut config = connect::configure(args).await?;
        config.read_timeout = None;
        Self::of(args, config)
    }

    fn of(args: &ConnectionArgs, config: Config) -> Result<Self, Failure> {
        let namespace = args.namespace.clone();
        let namespace = namespace.unwrap_or_else(|| config.default_namespace.clone());
        let client = Client::try_from(config)
            .map_err(|error| Failure::NoCluster(format!("cannot use the kubeconfig: {error}")))?;
        Ok(Self { client, namespace })
    }

    /// Requests about a kind in the namespace.
    pub fn namespaced<K>(&self) -> Api<K>
    where
        K: Resource<DynamicType = (), Scope = NamespaceResourceScope>,
    {
        Api::namespaced(self.client.clone(), &self.namespace)
    }

    /// All objects of a kind in the namespace with these labels; without labels all of them.
    pub async fn list<K>(&self, labels: &str) -> Result<Vec<K>, Failure>
    where
        K: Resource<DynamicType = (), Scope = NamespaceResourceScope>,
        K: Clone + DeserializeOwned + Debug,
    {
        let what = format!("list {} in namespace {}", K::plural(&()), self.namespace);
        list_all(&self.namespaced(), with_labels(labels), &what).await
    }

    /// All objects of a kind in the whole cluster with these labels.
    pub async fn list_everywhere<K>(&self, labels: &str) -> Result<Vec<K>, Failure>
    where
        K: Resource<DynamicType = ()> + Clone + DeserializeOwned + Debug,
    {
        let what = format!("list {} in all namespaces", K::plural(&()));
        let api = Api::all(self.client.clone());
        list_all(&api, with_labels(labels), &what).await
    }

    /// The object of that name in the namespace, if it exists.
    pub async fn get<K>(&self, name: &str) -> Result<Option<K>, Failure>
    where
        K: Resource<DynamicType = (), Scope = NamespaceResourceScope>,
        K: Clone + DeserializeOwned + Debug,
    {
        let what = format!("get {} in namespace {}", K::plural(&()), self.namespace);
        definition::get_existing(&self.namespaced::<K>(), name, &what).await
    }

    /// Whether the namespace is being deleted. False for users who may not read namespaces.
    pub async fn is_namespace_leaving(&self) -> bool {
        let namespaces: Api<Namespace> = Api::all(self.client.clone());
        namespaces
            .get_opt(&self.namespace)
            .await
            .ok()
            .flatten()
            .is_some_and(|n| n.metadata.deletion_timestamp.is_some())
    }
}

fn with_labels(labels: &str) -> ListParams {
    ListParams::default().labels(labels)
}

async fn list_all<K>(api: &Api<K>, params: ListParams, what: &str) -> Result<Vec<K>, Failure>
where
    K: Resource + Clone + DeserializeOwned + Debug,
{
    let mut found = Vec::new();
    let keep = |object| {
        found.push(object);
        Ok(())
    };
    read_pages(api, params, what, keep).await?;
    Ok(found)
}

/// Lists page after page, and hands over each object as it arrives.
pub async fn read_pages<K>(
    api: &Api<K>,
    params: ListParams,
    what: &str,
    mut take: impl FnMut(K) -> Result<(), Failure>,
) -> Result<(), Failure>
where
    K: Resource + Clone + DeserializeOwned + Debug,
{
    let mut params = params.limit(PAGE);
    loop {
        let page = api.list(&params).await;
        let page = page.map_err(|error| definition::failure_of(api, what, &error))?;
        page.items.into_iter().try_for_each(&mut take)?;
        match page.metadata.continue_.filter(|token| !token.is_empty()) {
            Some(token) => params = params.continue_token(&token),
            None => return Ok(()),
        }
    }
}
