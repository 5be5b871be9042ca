//! The nodes of a job's terminating pods: they decide how long the operator waits for these pods.

use std::collections::{BTreeMap, BTreeSet};

use domain::Node;
use domain::health::training;
use k8s_openapi::api::core::v1::Pod;
use kube::Api;

use crate::cluster::Cluster;
use crate::workload::Workload;

/// Nodes that are read.
const MOST: usize = 10;

/// Whether each of these nodes is in service; a node that does not exist is not. Nodes that the user may
/// not read are left out: the answer shows both cases then.
pub async fn read_leaving_nodes(cluster: &Cluster, workload: &Workload) -> BTreeMap<String, bool> {
    let nodes: Api<Node> = Api::all(cluster.client.clone());
    let mut states = BTreeMap::new();
    for name in find_nodes(workload).into_iter().take(MOST) {
        if let Ok(node) = nodes.get_opt(name).await {
            let is_in_service = node.is_some_and(|node| node.is_in_service());
            states.insert(name.to_owned(), is_in_service);
        }
    }
    states
}

fn find_nodes(workload: &Workload) -> BTreeSet<&str> {
    let pods = workload.pods.iter();
    pods.filter(|pod| training::is_training(&workload.set) && is_leaving(pod))
        .filter_map(|pod| pod.spec.as_ref()?.node_name.as_deref())
        .collect()
}

fn is_leaving(pod: &Pod) -> bool {
    pod.metadata.deletion_timestamp.is_some()
}
