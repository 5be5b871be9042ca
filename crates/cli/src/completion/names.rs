//! Names of existing objects, or none after a timeout.

use std::fmt::Debug;
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

use api::PodCliqueSet;
use k8s_openapi::api::core::v1::Namespace;
use kube::api::ListParams;
use kube::config::Kubeconfig;
use kube::{Api, Resource};
use serde::de::DeserializeOwned;

use crate::cluster::Cluster;
use crate::connection::ConnectionArgs;

/// The longest wait for a completion.
const LIMIT: Duration = Duration::from_secs(2);
/// More names than a person reads.
const MOST: u32 = 500;

/// The kind of name to complete.
#[derive(Clone, Copy, Debug)]
pub enum What {
    /// PodCliqueSets of the namespace.
    Sets,
    /// Namespaces.
    Namespaces,
    /// Contexts of the kubeconfig.
    Contexts,
}

/// Finds the names in its own thread: the login program of a kubeconfig may take any time.
pub fn find(connection: &ConnectionArgs, what: What) -> Vec<String> {
    let connection = connection.clone();
    let (send, receive) = mpsc::channel();
    thread::spawn(move || {
        let found = match what {
            What::Contexts => contexts(&connection),
            What::Sets | What::Namespaces => ask(&connection, what),
        };
        // The receiver is gone after the limit.
        let _ = send.send(found.unwrap_or_default());
    });
    receive.recv_timeout(LIMIT).unwrap_or_default()
}

fn contexts(connection: &ConnectionArgs) -> Option<Vec<String>> {
    let read = match &connection.kubeconfig {
        Some(file) => Kubeconfig::read_from(file),
        None => Kubeconfig::read(),
    };
    let contexts = read.ok()?.contexts.into_iter();
    Some(contexts.map(|context| context.name).collect())
}

#[tokio::main(flavor = "current_thread")]
async fn ask(connection: &ConnectionArgs, what: What) -> Option<Vec<String>> {
    let cluster = Cluster::connect(connection).await.ok()?;
    match what {
        What::Sets => names(&cluster.namespaced::<PodCliqueSet>()).await,
        _ => names(&Api::<Namespace>::all(cluster.client.clone())).await,
    }
}

/// Reads only metadata.
async fn names<K>(api: &Api<K>) -> Option<Vec<String>>
where
    K: Resource + Clone + DeserializeOwned + Debug,
{
    let found = api.list_metadata(&ListParams::default().limit(MOST)).await;
    Some(
        found
            .ok()?
            .items
            .into_iter()
            .filter_map(|item| item.metadata.name)
            .collect(),
    )
}
