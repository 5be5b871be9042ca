//! The topology constraints that a tree takes from the PodGangs of its replica.

use std::collections::BTreeMap;
use std::sync::Arc;

use api::podgang::PackConstraint;
use api::{PodClique, PodCliqueScalingGroup, PodGang, labels};
use domain::object::ownership::controller_reference;
use domain::scheduling::{Backend, Profiles};
use engine::Caches;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;
use podgang::backend::SchedulerObjects;
use podgang::backend::topology::Topology;
use podgang::observe::observe;
use testkit::builders::{podclique, stored};

use crate::actions::gang_of;
use crate::constraints::{constraint, note_topology, part};

const SCHEDULER: &str = "default-scheduler";

/// Replica 1 of group `g` in the caches, with its scaled gang, which has these constraints.
fn scaled(of_gang: &str, of_podclique: &str) -> Caches {
    let caches = Caches::default();
    let group = PodCliqueScalingGroup {
        metadata: ObjectMeta {
            labels: Some(labels::default_labels("demo")),
            ..stored("demo-0-g")
        },
        ..PodCliqueScalingGroup::default()
    };
    let mut clique = PodClique::clone(&podclique("demo-0-g-1-w").build());
    clique.metadata.owner_references = Some(vec![controller_reference(&group)]);
    let all = clique.metadata.labels.get_or_insert_default();
    all.insert(labels::SCALING_GROUP.into(), "demo-0-g".into());
    all.insert(labels::POD_GANG.into(), "demo-0-g-0".into());
    all.insert(labels::BASE_POD_GANG.into(), "demo-0".into());
    let mut gang = PodGang {
        metadata: stored("demo-0-g-0"),
        ..PodGang::default()
    };
    note_topology(&mut gang);
    gang.spec.topology_constraint = constraint(of_gang);
    gang.spec.pod_groups = vec![part("demo-0-g-1-w", of_podclique)];
    caches.of::<PodCliqueScalingGroup>().apply(group);
    caches.of::<PodClique>().apply(clique);
    caches.of::<PodGang>().apply(gang);
    caches
}

fn observed(caches: &Caches, of_set: &str) -> Topology {
    let mut base = gang_of(SCHEDULER, &[]);
    note_topology(&mut base);
    base.spec.topology_constraint = constraint(of_set);
    let profiles = Profiles::of([(SCHEDULER.to_owned(), Backend::KubernetesTree)]);
    match observe(&Arc::new(base), caches, &profiles).scheduler_objects {
        SchedulerObjects::Kubernetes(facts) => facts.topology,
        other => panic!("{other:?}"),
    }
}

/// The base gang writes the objects of all gangs of its replica.
#[test]
fn a_tree_has_the_constraints_of_its_scaled_gangs_too() {
    let found = observed(&scaled("rack", "host"), "zone");
    let required = |packs: &BTreeMap<String, PackConstraint>| -> Vec<String> {
        let packs = packs.iter();
        packs
            .map(|(name, pack)| format!("{name} {}", pack.required.as_deref().unwrap()))
            .collect()
    };
    assert_eq!(found.gang.required.as_deref(), Some("zone"));
    assert_eq!(required(&found.group_replicas), ["demo-0-g-1 rack"]);
    assert_eq!(required(&found.podcliques), ["demo-0-g-1-w host"]);
    // The group has none, so the scaled gang has that of the set, as the root of the tree.
    let found = observed(&scaled("zone", ""), "zone");
    assert!(found.group_replicas.is_empty());
}

/// A PodGang of the Go operator, or edited by hand, names no topology.
#[test]
fn constraints_of_another_writer_are_left_out() {
    let mut gang = gang_of(SCHEDULER, &[]);
    gang.spec.topology_constraint = constraint("zone");
    assert_eq!(Topology::of(&gang), Topology::default());
}
