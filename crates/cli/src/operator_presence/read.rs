//! Reads the Leases of the installed operators.

use domain::object::ownership;
use k8s_openapi::api::apps::v1::Deployment;
use k8s_openapi::api::coordination::v1::Lease;

use super::OperatorLease;
use crate::cluster::Cluster;

/// The chart's label of the operator's objects.
const OPERATOR: &str = "app.kubernetes.io/name=grove-operator";
/// The end of the Lease's name, after that of the Deployment.
const LEASE: &str = "-leader-election";

/// The Leases of all operators that the chart installed; none for users who may not read them: the
/// answer does not depend on it.
pub async fn read_leases(cluster: &Cluster) -> Vec<OperatorLease> {
    let deployments = cluster.list_everywhere::<Deployment>(OPERATOR).await;
    let mut leases = Vec::new();
    for deployment in deployments.unwrap_or_default() {
        leases.extend(read_lease(cluster, &deployment).await);
    }
    leases
}

async fn read_lease(cluster: &Cluster, deployment: &Deployment) -> Option<OperatorLease> {
    let namespace = deployment.metadata.namespace.clone()?;
    let name = format!("{}{LEASE}", ownership::name(&deployment.metadata));
    let there = Cluster {
        client: cluster.client.clone(),
        namespace: namespace.clone(),
    };
    let lease = there.get::<Lease>(&name).await.ok()??;
    Some(OperatorLease { namespace, lease })
}
