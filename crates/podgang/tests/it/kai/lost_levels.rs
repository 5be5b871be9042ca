//! Levels that KAI's topology object lacks, by the pods of their scope.

use std::sync::Arc;

use api::kai::{KaiPodGroup, KaiTopology};
use api::podgang::NamespacedName;
use api::{PodClique, labels};
use domain::Pod;
use domain::plan::Action;
use domain::scheduling::{Backend, Profiles};
use engine::Caches;
use jiff::Timestamp;
use podgang::decide::decide;
use podgang::observe::observe;
use testkit::builders::{PodBuilder, pod, podclique};

use super::SCHEDULER;
use super::topology::{fabric, spec};
use crate::actions::{gang_of, only};
use crate::constraints::{constraint, note_topology};

type Change = fn(PodBuilder) -> PodBuilder;

fn pin(pod: PodBuilder) -> PodBuilder {
    pod.ungated().with(|p| {
        let annotations = p.metadata.annotations.get_or_insert_default();
        annotations.insert(labels::PINNED.into(), r#"{"rack":"r1","zone":"z0"}"#.into());
    })
}

/// A pod of the PodClique in the group of KAI.
fn in_kai(clique: &PodClique, change: Change) -> Pod {
    let marked = pod(clique, 0).with(|p| {
        let annotations = p.metadata.annotations.get_or_insert_default();
        annotations.insert("kai.scheduler/skip-podgrouper".into(), "true".into());
        annotations.insert("pod-group-name".into(), "x".into());
        p.spec.scheduler_name = Some(SCHEDULER.into());
        let all = p.metadata.labels.get_or_insert_default();
        let name = clique.metadata.name.clone().unwrap();
        all.insert(labels::KAI_SUBGROUP.into(), name);
    });
    Pod::clone(&change(marked).build())
}

/// The leaves that keep their constraint in a gang of two PodCliques, each in one rack, with a pod each. KAI's
/// topology object lacks racks.
fn constrained(pods: [Change; 2]) -> Vec<String> {
    let caches = Caches::default();
    let mut gang = gang_of(SCHEDULER, &[("a", 1), ("b", 1)]);
    note_topology(&mut gang);
    for (part, change) in gang.spec.pod_groups.iter_mut().zip(pods) {
        let clique = PodClique::clone(&podclique(&part.name).build());
        let made = in_kai(&clique, change);
        part.topology_constraint = constraint("rack");
        part.pod_references = vec![NamespacedName {
            namespace: "default".into(),
            name: made.name().into(),
        }];
        caches.of::<PodClique>().apply(clique);
        caches.of::<Pod>().apply(made);
    }
    caches.of::<KaiTopology>().apply(fabric(&["zone"]));
    let profiles = Profiles::of([(SCHEDULER.to_owned(), Backend::KaiScheduler)]);
    let seen = observe(&Arc::new(gang), &caches, &profiles);
    let plan = decide(&seen, Timestamp::UNIX_EPOCH);
    let all: Vec<Action> = plan.waves.into_iter().flatten().collect();
    let (_, subgroups) = spec(&only::<KaiPodGroup>(&all));
    let nodes = subgroups.as_array().unwrap().iter();
    let kept = nodes.filter(|node| !node["topologyConstraint"].is_null());
    kept.map(|node| node["name"].as_str().unwrap().to_owned())
        .collect()
}

/// Its pods would be placed in any rack, and stay there.
#[test]
fn pods_whose_domain_is_not_fixed_keep_a_required_level_that_kai_does_not_know() {
    let (waiting, bound): (Change, Change) = (PodBuilder::ungated, PodBuilder::bound);
    let cases: [([Change; 2], &[&str]); 4] = [
        ([waiting, waiting], &["demo-0-a", "demo-0-b"]),
        ([bound, waiting], &["demo-0-b"]),
        ([bound, pin], &[]),
        ([bound, bound], &[]),
    ];
    for (at, (pods, expected)) in cases.into_iter().enumerate() {
        assert_eq!(constrained(pods), expected, "case {at}");
    }
}
