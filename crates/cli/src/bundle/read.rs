//! Reads the contents of a bug report. Only the set itself must exist; the bundle names everything
//! else that cannot be read.

mod operator;
mod served;

use api::{PodCliqueSet, labels};
use futures::{StreamExt, stream};
use k8s_openapi::api::core::v1::{Event, Node};
use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition;
use serde_json::Value;

use super::collected::{Collected, CollectedKind};
use super::{kinds, related};
use crate::cluster::{Cluster, explain_absence};
use crate::exit::Failure;

/// Requests at once about single objects.
const AT_ONCE: usize = 16;

/// Reads the set of that name and all that belongs to it.
pub async fn read(
    cluster: &Cluster,
    name: &str,
    operator_namespace: Option<&str>,
) -> Result<Collected, Failure> {
    let namespace = Some(&*cluster.namespace);
    let set = cluster
        .get_raw(&kinds::of::<PodCliqueSet>(), namespace, name)
        .await?;
    let Some(set) = set else {
        return Err(explain_absence(cluster, name).await);
    };
    let found = CollectedKind {
        resource: kinds::of::<PodCliqueSet>(),
        items: vec![set],
    };
    let mut reader = Reader {
        cluster,
        read: Collected {
            namespace: cluster.namespace.clone(),
            name: name.to_owned(),
            objects: vec![found],
            ..Collected::default()
        },
    };
    reader.read_objects().await;
    reader.read_served().await;
    reader.read_events().await;
    reader.read_nodes().await;
    reader.read_versions().await;
    reader.read_operator(operator_namespace).await;
    Ok(reader.read)
}

struct Reader<'a> {
    cluster: &'a Cluster,
    read: Collected,
}

impl Reader<'_> {
    /// The result, or an empty one and a line with the reason.
    fn keep<T: Default>(&mut self, read: Result<T, Failure>) -> T {
        read.unwrap_or_else(|failure| {
            self.read.missing.push(failure.to_string());
            T::default()
        })
    }

    fn labels(&self) -> String {
        format!("{}={}", labels::PART_OF, self.read.name)
    }

    async fn read_objects(&mut self) {
        for resource in kinds::of_set() {
            self.read_kind(resource).await;
        }
    }

    async fn read_kind(&mut self, resource: kube::core::ApiResource) {
        let (namespace, labels) = (Some(&*self.cluster.namespace), self.labels());
        let items = self.cluster.list_raw(&resource, namespace, &labels).await;
        let items = self.keep(items);
        self.read.objects.push(CollectedKind { resource, items });
    }

    /// Events have no labels, so all of the namespace are read, page by page.
    async fn read_events(&mut self) {
        let namespace = Some(&*self.cluster.namespace);
        let all = self
            .cluster
            .list_raw(&kinds::of::<Event>(), namespace, "")
            .await;
        let all = self.keep(all);
        let objects: Vec<&Value> = self.read.all_objects().collect();
        self.read.events = related::events_of(all, &self.read.name, &objects);
    }

    async fn read_nodes(&mut self) {
        let (cluster, resource) = (self.cluster, kinds::of::<Node>());
        let names = self.read.node_names();
        let reads = names
            .iter()
            .map(|name| cluster.get_raw(&resource, None, name));
        let nodes: Vec<_> = stream::iter(reads).buffered(AT_ONCE).collect().await;
        let found: Result<Vec<_>, Failure> = nodes.into_iter().collect();
        self.read.nodes = self.keep(found).into_iter().flatten().collect();
    }

    async fn read_versions(&mut self) {
        let server = self.cluster.client.apiserver_version().await;
        let what = "get the API server's version";
        let server = server.map_err(|error| Failure::of_request(what, &error));
        let server = self.keep(server.map(Some));
        self.read.server = serde_json::to_value(server).unwrap_or_default();
        for name in kinds::definition_names() {
            let read = self
                .cluster
                .get_raw(&kinds::of::<CustomResourceDefinition>(), None, name)
                .await;
            let is_refused = read.is_err();
            let found = self.keep(read);
            self.read.definitions.extend(found);
            // The others would be refused alike.
            if is_refused {
                return;
            }
        }
    }
}
