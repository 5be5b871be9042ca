//! Tests of the rules of ClusterTopologyBinding.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "clippy.toml allows them in test functions, but not in what those call"
)]

mod condition;
mod entries;
mod events;
mod observe;
mod own_topology;
mod reconciler;

use std::sync::Arc;

use api::ClusterTopologyBinding;
use api::kai::{KaiTopology, KaiTopologyLevel};
use api::topology::{
    ClusterTopologyBindingStatus, SchedulerTopologyBinding, SchedulerTopologyStatus, TopologyLevel,
};
use clustertopology::Snapshot;
use clustertopology::decide::decide;
use domain::object::ownership;
use domain::plan::Plan;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;
use testkit::builders::{after, stored};

const KAI: &str = "kai-scheduler";

/// Metadata of a stored object of the cluster.
fn of_cluster(name: &str) -> ObjectMeta {
    ObjectMeta {
        namespace: None,
        ..stored(name)
    }
}

fn key_of(domain: &str) -> String {
    match domain {
        "host" => "kubernetes.io/hostname".to_owned(),
        domain => format!("example.com/{domain}"),
    }
}

/// Binding `fabric` with these levels.
fn binding(domains: &[&str]) -> ClusterTopologyBinding {
    let level = |domain: &&str| TopologyLevel {
        domain: (*domain).to_owned(),
        key: key_of(domain),
    };
    let mut binding = ClusterTopologyBinding {
        metadata: of_cluster("fabric"),
        ..ClusterTopologyBinding::default()
    };
    binding.spec.levels = domains.iter().map(level).collect();
    binding
}

/// The same with an entry for each of these schedulers.
fn with_entries(
    mut binding: ClusterTopologyBinding,
    entries: &[(&str, &str)],
) -> ClusterTopologyBinding {
    let entry = |(scheduler, topology): &(&str, &str)| SchedulerTopologyBinding {
        scheduler_name: (*scheduler).to_owned(),
        topology_reference: (*topology).to_owned(),
    };
    binding.spec.scheduler_topology_bindings = entries.iter().map(entry).collect();
    binding
}

/// A Topology with these levels that nobody controls, in its second generation.
fn topology(name: &str, domains: &[&str]) -> KaiTopology {
    let level = |domain: &&str| KaiTopologyLevel {
        node_label: key_of(domain),
        ..KaiTopologyLevel::default()
    };
    let mut topology = KaiTopology {
        metadata: of_cluster(name),
        ..KaiTopology::default()
    };
    topology.metadata.generation = Some(2);
    topology.spec.levels = domains.iter().map(level).collect();
    topology
}

/// The Topology that binding `fabric` controls.
fn own(domains: &[&str]) -> KaiTopology {
    let mut own = topology("fabric", domains);
    let owner = ownership::controller_reference(&binding(&[]));
    own.metadata.owner_references = Some(vec![owner]);
    own
}

/// A cluster with KAI Scheduler and these Topologies.
fn snapshot(binding: ClusterTopologyBinding, topologies: Vec<KaiTopology>) -> Snapshot {
    let named = |topology: KaiTopology| {
        let name = ownership::name(&topology.metadata).to_owned();
        (name, Arc::new(topology))
    };
    Snapshot {
        binding: Arc::new(binding),
        schedulers: vec![KAI.to_owned()],
        is_served: true,
        topologies: topologies.into_iter().map(named).collect(),
    }
}

fn plan(snapshot: &Snapshot) -> Plan<ClusterTopologyBindingStatus> {
    let plan = decide(snapshot, after(60));
    assert_eq!(
        plan,
        decide(snapshot, after(60)),
        "decide is not a function of its input"
    );
    plan
}

/// The writes of the plan, as text.
fn writes(snapshot: &Snapshot) -> Vec<String> {
    let plan = plan(snapshot);
    plan.waves
        .iter()
        .flatten()
        .map(ToString::to_string)
        .collect()
}

fn status(snapshot: &Snapshot) -> ClusterTopologyBindingStatus {
    plan(snapshot).status.unwrap()
}

/// The only scheduler of the status.
fn judged(snapshot: &Snapshot) -> SchedulerTopologyStatus {
    let mut all = status(snapshot).scheduler_topology_statuses;
    assert_eq!(all.len(), 1, "{all:?}");
    all.remove(0)
}
