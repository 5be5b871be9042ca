//! The resource claims of a pod that has no node, read live: a scheduler does not name the claim that it
//! cannot allocate, and says nothing about one that is missing.

use std::collections::BTreeSet;

use domain::object::ownership;
use futures::future::try_join_all;
use k8s_openapi::api::core::v1::Pod;
use k8s_openapi::api::resource::v1::{AllocationResult, ResourceClaim};

use super::answer::{Claim, Evidence};
use crate::cluster::Cluster;
use crate::exit::Failure;
use crate::output::count;
use crate::workload::pod_state;

/// Claims that are read of one pod.
const MOST: usize = 8;

/// Names of the claims of a pod that its scheduler may place and has not placed.
pub fn pending_claims(pod: &Pod) -> Vec<String> {
    if pod_state::node_of(pod).is_some() || pod_state::is_gated(pod) {
        return Vec::new();
    }
    let spec = pod.spec.iter();
    let named = spec.flat_map(|s| s.resource_claims.iter().flatten());
    let named = named.filter_map(|claim| claim.resource_claim_name.as_ref());
    let status = pod.status.iter();
    let made = status.flat_map(|s| s.resource_claim_statuses.iter().flatten());
    let made = made.filter_map(|claim| claim.resource_claim_name.as_ref());
    let all: BTreeSet<&String> = named.chain(made).collect();
    all.into_iter().take(MOST).cloned().collect()
}

/// Reads these claims.
pub async fn read_claims(cluster: &Cluster, names: &[String]) -> Result<Vec<Evidence>, Failure> {
    let reads = names.iter().map(|name| cluster.get::<ResourceClaim>(name));
    let found = try_join_all(reads).await?;
    let claims = names.iter().zip(&found);
    let described = claims.map(|(name, claim)| describe_claim(name, claim.as_ref()));
    Ok(described.map(Evidence::Claim).collect())
}

/// Whether the claim exists, and has devices.
fn describe_claim(name: &str, claim: Option<&ResourceClaim>) -> Claim {
    Claim {
        name: name.to_owned(),
        state: claim.map_or_else(|| "does not exist".to_owned(), state_of),
    }
}

fn state_of(claim: &ResourceClaim) -> String {
    let status = claim.status.as_ref();
    let holders = status.and_then(|s| s.reserved_for.as_ref());
    let holders = count(holders.map_or(0, Vec::len), "holder");
    let allocation = status.and_then(|s| s.allocation.as_ref());
    let state = allocation.map_or_else(
        || "not allocated".to_owned(),
        |allocation| format!("allocated{}, {holders}", pools_of(allocation)),
    );
    if ownership::is_terminating(&claim.metadata) {
        return format!("being deleted, {state}");
    }
    state
}

/// The pools of its devices; that of a device inside of a node has the name of the node.
fn pools_of(allocation: &AllocationResult) -> String {
    let devices = allocation.devices.iter();
    let results = devices.flat_map(|d| d.results.iter().flatten());
    let pools: BTreeSet<&str> = results.map(|result| result.pool.as_str()).collect();
    if pools.is_empty() {
        return String::new();
    }
    let pools: Vec<&str> = pools.into_iter().collect();
    format!(" from pool {}", pools.join(", "))
}
