//! Reads one set and all its objects.

use api::{PodClique, PodCliqueScalingGroup, PodCliqueSet, PodGang, labels};
use k8s_openapi::api::core::v1::Pod;

use super::Cluster;
use crate::exit::Failure;
use crate::workload::Workload;

/// Reads the set of that name and its objects, by the label of their set: the cost is that of the
/// set, not of the namespace. If a PodClique is missing, its label may have been edited: then all
/// PodCliques of the namespace are read, and the controller reference decides.
pub async fn load_workload(cluster: &Cluster, name: &str) -> Result<Workload, Failure> {
    let set = cluster.get::<PodCliqueSet>(name).await?;
    let set = set.ok_or_else(|| not_found(cluster, name))?;
    let of_set = format!("{}={name}", labels::PART_OF);
    let (groups, podcliques, gangs, pods) = futures::try_join!(
        cluster.list::<PodCliqueScalingGroup>(&of_set),
        cluster.list::<PodClique>(&of_set),
        cluster.list::<PodGang>(&of_set),
        cluster.list::<Pod>(&of_set),
    )?;
    let mut workload = Workload {
        set,
        groups,
        podcliques,
        gangs,
        pods,
        ..Workload::default()
    };
    let absent = workload.absent_podcliques();
    if !absent.is_empty() {
        workload.add_unlabelled(&absent, cluster.list::<PodClique>("").await?);
    }
    Ok(workload)
}

/// The set does not exist.
pub(crate) fn not_found(cluster: &Cluster, name: &str) -> Failure {
    let namespace = &cluster.namespace;
    Failure::NotFound(format!(
        "podcliqueset {name} not found in namespace {namespace}; `kubectl grove tree -A` lists \
         them all"
    ))
}
