//! The resource claims of a pod that has no node, read live: a scheduler does not name the claim that it
//! cannot allocate, and says nothing about one that is missing.

use std::collections::BTreeSet;

use domain::object::ownership;
use futures::future::try_join_all;
use k8s_openapi::api::core::v1::Pod;
use k8s_openapi::api::resource::v1::{
    AllocationResult, ResourceClaim, ResourceClaimConsumerReference,
};

use super::answer::{Claim, Evidence};
use super::devices::{Devices, classes_of, read_devices};
use crate::cluster::Cluster;
use crate::exit::Failure;
use crate::workload::pod_state;

/// Claims that are read of one pod.
const MOST: usize = 8;
/// Holders of a claim that are named.
const MOST_HOLDERS: usize = 3;

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
    let waiting = found.iter().flatten().filter(|claim| !is_allocated(claim));
    let classes: BTreeSet<&str> = waiting.flat_map(classes_of).collect();
    let devices = if classes.is_empty() {
        None
    } else {
        read_devices(cluster, &classes).await
    };
    let claims = names.iter().zip(&found);
    let described =
        claims.map(|(name, claim)| describe_claim(name, claim.as_ref(), devices.as_ref()));
    Ok(described.map(Evidence::Claim).collect())
}

fn is_allocated(claim: &ResourceClaim) -> bool {
    let status = claim.status.as_ref();
    status.is_some_and(|status| status.allocation.is_some())
}

/// Whether the claim exists, and has devices.
fn describe_claim(name: &str, claim: Option<&ResourceClaim>, devices: Option<&Devices>) -> Claim {
    let missing = || "does not exist".to_owned();
    Claim {
        name: name.to_owned(),
        state: claim.map_or_else(missing, |claim| state_of(claim, devices)),
    }
}

fn state_of(claim: &ResourceClaim, devices: Option<&Devices>) -> String {
    let status = claim.status.as_ref();
    let holders = status.map_or(&[][..], |s| s.reserved_for.as_deref().unwrap_or_default());
    let allocation = status.and_then(|s| s.allocation.as_ref());
    let state = match (allocation, devices) {
        (Some(allocation), _) => {
            let pools = pools_of(allocation);
            format!("allocated{pools}, held by {}", describe_holders(holders))
        }
        (None, Some(devices)) => {
            let classes = classes_of(claim);
            let free = classes.into_iter().map(|class| devices.describe(class));
            let free: Vec<String> = std::iter::once("not allocated".to_owned())
                .chain(free)
                .collect();
            free.join("; ")
        }
        (None, None) => "not allocated".to_owned(),
    };
    if ownership::is_terminating(&claim.metadata) {
        return format!("being deleted, {state}");
    }
    state
}

/// The first of them by name; a scheduler may let a whole group of pods hold a claim.
fn describe_holders(holders: &[ResourceClaimConsumerReference]) -> String {
    let mut names: Vec<String> = holders
        .iter()
        .map(|holder| match holder.resource.as_str() {
            "pods" => holder.name.clone(),
            resource => format!("{resource}/{}", holder.name),
        })
        .collect();
    names.sort_unstable();
    let more = names.len().saturating_sub(MOST_HOLDERS);
    names.truncate(MOST_HOLDERS);
    match (names.is_empty(), more) {
        (true, _) => "nobody".to_owned(),
        (false, 0) => names.join(", "),
        (false, more) => format!("{} and {more} more", names.join(", ")),
    }
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
