//! Reads the nodes and pods of a cluster.

use std::fmt::Debug;

use api::ClusterTopologyBinding;
use kube::api::ListParams;
use kube::{Api, Resource};
use serde::de::DeserializeOwned;

use super::objects::{NodeObject, PodObject};
use super::snapshot::{BoundPod, ClusterSnapshot};
use crate::cluster::Cluster;
use crate::exit::Failure;

/// Objects in one answer.
const PAGE: u32 = 500;
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
    mut take: impl FnMut(K) -> Result<(), Failure>,
) -> Result<(), Failure>
where
    K: Resource<DynamicType = ()> + Clone + DeserializeOwned + Debug,
{
    let what = format!("list {}", K::plural(&()));
    let objects = Api::<K>::all(cluster.client.clone());
    let mut params = ListParams::default().fields(fields).limit(PAGE);
    loop {
        let page = objects.list(&params).await;
        let page = page.map_err(|error| Failure::of_request(&what, &error))?;
        page.items.into_iter().try_for_each(&mut take)?;
        match page.metadata.continue_.filter(|token| !token.is_empty()) {
            Some(token) => params = params.continue_token(&token),
            None => return Ok(()),
        }
    }
}
