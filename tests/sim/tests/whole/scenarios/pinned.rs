//! A set with topology constraints: pods that follow later are pinned to the domains of those that run.

use std::collections::BTreeSet;

use api::labels::POD_CLIQUE;
use operator::config::Gangs;
use serde_json::{Value, json};
use sim::{Resource, Store, topology, view};

use super::manifests::service;
use super::steps::scale_parts;
use super::{CREATE, Scenario, ready_pods};

/// A clique and a group get a replica more, in the zone of the others. Each group replica has a rack.
pub const PINNED_OUT: Scenario = Scenario {
    name: "pinned-out",
    begins_with: Some(packed),
    step: |store| scale_parts(store, 3),
    ends_with: |store| ready_pods(store) == 9 && is_packed(store),
    scheduler: Some((topology::SCHEDULER, "kai-pod-grouper", Gangs::Split)),
    has_topology: true,
    ..CREATE
};

fn packed() -> Value {
    let mut set = packed_in("zone");
    let group = &mut set["spec"]["template"]["podCliqueScalingGroups"][0];
    group["topologyConstraint"] = required("rack");
    set
}

/// The set of `service` whose pods share a domain of this level.
pub fn packed_in(level: &str) -> Value {
    let mut set = service();
    let template = &mut set["spec"]["template"];
    template["topologyConstraint"] = required(level);
    let cliques = template["cliques"].as_array_mut();
    for clique in cliques.unwrap() {
        clique["spec"]["podSpec"]["schedulerName"] = json!(topology::SCHEDULER);
    }
    set
}

fn required(level: &str) -> Value {
    json!({"topologyName": topology::BINDING, "pack": {"required": level}})
}

/// Whether all pods share a zone, the pods of each group replica share a rack, and some are pinned.
fn is_packed(store: &Store) -> bool {
    let mut pods = store.all(Resource::Pod);
    let is_pinned = pods.any(|(_, pod)| topology::pin(pod).is_some());
    let in_one = |position: usize, part: &str| domains(store, position, part).len() == 1;
    let mut replicas = (0..3).map(|j| format!("svc-0-g-{j}-"));
    is_pinned && in_one(0, "svc-0-") && replicas.all(|replica| in_one(1, &replica))
}

/// The domains of the pods whose PodCliques have names that begin so.
pub fn domains<'a>(
    store: &'a Store,
    position: usize,
    part: &str,
) -> BTreeSet<Option<Vec<&'a str>>> {
    let pods = store.all(Resource::Pod).map(|(_, pod)| &**pod);
    let own = pods.filter(|pod| view::label(pod, POD_CLIQUE).starts_with(part));
    own.map(|pod| {
        let node = topology::find_node(store, view::text(pod, "/spec/nodeName"))?;
        topology::domain(node, position)
    })
    .collect()
}
