//! Reads the nodes and pods of a cluster.

use std::fmt::Debug;

use api::ClusterTopologyBinding;
use kube::api::ListParams;
use kube::{Api, Resource};
use serde::de::DeserializeOwned;

use super::objects::{NodeObject, PodObject};
use super::snapshot::{BoundPod, ClusterSnapshot};
use crate::cluster::{Cluster, read_pages};
use crate::exit::Failure;

/// Pods that hold room.
const BOUND: &str = "spec.nodeName!=,status.phase!=Succeeded,status.phase!=Failed";

/// Reads all nodes, the pods on them, and the topologies if constraints name any.
pub async fn read_snapshot(
    cluster: &Cluster,
    with_topologies: bool,
) -> Result<ClusterSnapshot, Failure> {
    let topologies = async {
        if with_topologies {
            cluster.list_everywhere::<ClusterTopologyBinding>("").await
        } else {
            Ok(Vec::new())
        }
    };
    let mut pods = Vec::new();
    let read_pods = each::<PodObject>(cluster, BOUND, |pod| {
        pods.extend(BoundPod::of(pod).map_err(|error| Failure::Other(error.to_string()))?);
        Ok(())
    });
    let mut nodes = Vec::new();
    let read_nodes = each::<NodeObject>(cluster, "", |node| {
        nodes.push(node);
        Ok(())
    });
    let (topologies, (), ()) = futures::try_join!(topologies, read_pods, read_nodes)?;
    ClusterSnapshot::of(nodes, pods, topologies).map_err(|error| Failure::Other(error.to_string()))
}

/// Reduces each object as it arrives to the fields that matter for placement.
async fn each<K>(
    cluster: &Cluster,
    fields: &str,
    take: impl FnMut(K) -> Result<(), Failure>,
) -> Result<(), Failure>
where
    K: Resource<DynamicType = ()> + Clone + DeserializeOwned + Debug,
{
    let what = format!("list {}", K::plural(&()));
    let objects = Api::<K>::all(cluster.client.clone());
    read_pages(&objects, ListParams::default().fields(fields), &what, take).await
}
