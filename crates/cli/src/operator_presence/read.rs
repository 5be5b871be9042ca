//! Reads the Leases of the installed operators.

use domain::object::ownership;
use k8s_openapi::api::apps::v1::Deployment;
use k8s_openapi::api::coordination::v1::Lease;

use super::OperatorLease;
use crate::cluster::{Cluster, OPERATOR};
use crate::exit::Failure;

/// The end of the Lease's name, after that of the Deployment.
pub(crate) const LEASE: &str = "-leader-election";

/// The Leases of all operators that the chart installed; none for users who may not read them: the
/// answer does not depend on it.
pub async fn read_leases(cluster: &Cluster) -> Vec<OperatorLease> {
    let deployments = cluster.list_everywhere::<Deployment>(OPERATOR).await;
    let mut leases = Vec::new();
    for deployment in deployments.unwrap_or_default() {
        let lease = read_lease(cluster, &deployment).await.ok().flatten();
        let namespace = deployment.metadata.namespace.unwrap_or_default();
        leases.extend(lease.map(|lease| OperatorLease { namespace, lease }));
    }
    leases
}

/// The Lease of an operator's Deployment; none if it does not exist.
pub(crate) async fn read_lease(
    cluster: &Cluster,
    deployment: &Deployment,
) -> Result<Option<Lease>, Failure> {
    let there = Cluster {
        client: cluster.client.clone(),
        namespace: deployment.metadata.namespace.clone().unwrap_or_default(),
    };
    there.get(&lease_name(deployment)).await
}

/// The name of that Lease.
pub(crate) fn lease_name(deployment: &Deployment) -> String {
    format!("{}{LEASE}", ownership::name(&deployment.metadata))
}
