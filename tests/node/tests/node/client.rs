//! Requests of rows to the API server over one connection: rows look several times a second, and a
//! kubectl for each look would load the machine more than the pods. Users' actions are done with
//! kubectl.

use std::path::Path;

use e2e::mirror::Mirror;
use kube::api::{Api, DeleteParams, DynamicObject, ListParams, PostParams};
use kube::config::{KubeConfigOptions, Kubeconfig};
use kube::core::{ApiResource, GroupVersionKind};
use kube::{Client, Config};
use serde_json::{Value, json};
use tokio::runtime::{Builder, Runtime};

/// A client and its watched objects.
pub struct Connection {
    runtime: Runtime,
    client: Client,
    pub mirror: Mirror,
}

impl Connection {
    /// For the user of that kubeconfig. The definitions have to be installed.
    pub fn open(kubeconfig: &Path) -> Result<Self, String> {
        let mut builder = Builder::new_multi_thread();
        let runtime = builder.worker_threads(1).enable_all().build();
        let runtime = runtime.map_err(|error| error.to_string())?;
        let file = Kubeconfig::read_from(kubeconfig).map_err(|error| error.to_string())?;
        let options = KubeConfigOptions::default();
        let client = runtime.block_on(async {
            let config = Config::from_custom_kubeconfig(file, &options).await;
            let config = config.map_err(|error| error.to_string())?;
            Client::try_from(config).map_err(|error| error.to_string())
        })?;
        let mirror = Mirror::of(&client, runtime.handle());
        Ok(Self {
            runtime,
            client,
            mirror,
        })
    }

    /// Creates a namespace with these labels.
    pub fn create_namespace(&self, name: &str, labels: &Value) -> Result<(), String> {
        let namespace = json!({
            "apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name, "labels": labels},
        });
        let namespace: DynamicObject = serde_json::from_value(namespace).unwrap();
        let namespaces = self.all("Namespace");
        let params = PostParams::default();
        self.ask(async { namespaces.create(&params, &namespace).await.map(|_| ()) })
    }

    /// Deletes a namespace, without waiting for its end.
    pub fn delete_namespace(&self, name: &str) -> Result<(), String> {
        let namespaces = self.all("Namespace");
        self.ask(async {
            namespaces
                .delete(name, &DeleteParams::default())
                .await
                .map(|_| ())
        })
    }

    /// The names of all namespaces that still exist.
    pub fn namespaces(&self) -> Result<Vec<String>, String> {
        let namespaces = self.all("Namespace");
        let listed = self.ask(async { namespaces.list(&ListParams::default()).await })?;
        Ok(listed
            .items
            .into_iter()
            .filter_map(|n| n.metadata.name)
            .collect())
    }

    /// A node.
    pub fn node(&self, name: &str) -> Result<Value, String> {
        let nodes = self.all("Node");
        self.ask(async { nodes.get(name).await.map(|node| json!(node)) })
    }

    /// Whether the API server would create a set now: a dry run calls the webhook.
    pub fn would_create_set(&self, namespace: &str, set: &Value) -> Result<(), String> {
        let kind = GroupVersionKind::gvk("grove.io", "v1alpha1", "PodCliqueSet");
        let resource = ApiResource::from_gvk(&kind);
        let sets: Api<DynamicObject> =
            Api::namespaced_with(self.client.clone(), namespace, &resource);
        let set = serde_json::from_value(set.clone()).map_err(|error| error.to_string())?;
        let params = PostParams {
            dry_run: true,
            ..PostParams::default()
        };
        self.ask(async { sets.create(&params, &set).await.map(|_| ()) })
    }

    /// The events of a namespace.
    pub fn events(&self, namespace: &str) -> Result<Vec<Value>, String> {
        self.objects("Event", namespace)
    }

    /// The objects of a kind of the core group in a namespace.
    pub fn objects(&self, kind: &str, namespace: &str) -> Result<Vec<Value>, String> {
        let resource = ApiResource::from_gvk(&GroupVersionKind::gvk("", "v1", kind));
        let objects: Api<DynamicObject> =
            Api::namespaced_with(self.client.clone(), namespace, &resource);
        let listed = self.ask(async { objects.list(&ListParams::default()).await })?;
        Ok(listed.items.into_iter().map(|event| json!(event)).collect())
    }

    fn all(&self, kind: &str) -> Api<DynamicObject> {
        let resource = ApiResource::from_gvk(&GroupVersionKind::gvk("", "v1", kind));
        Api::all_with(self.client.clone(), &resource)
    }

    fn ask<T>(&self, asked: impl Future<Output = kube::Result<T>>) -> Result<T, String> {
        self.runtime
            .block_on(asked)
            .map_err(|error| error.to_string())
    }
}
