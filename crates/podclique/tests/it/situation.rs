//! A PodClique with its pods, as a test describes it.

use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

use api::podgang::{NamespacedName, PodGroup};
use api::{PodClique, PodCliqueStatus, PodGang, labels};
use domain::Pod;
use domain::health::readiness::Start;
use domain::health::stuck::StuckTimeouts;
use domain::plan::{Action, Plan};
use domain::scheduling::GangScheduler;
use engine::caches::LastHolder;
use jiff::Timestamp;
use podclique::Snapshot;
use podclique::decide::decide;
use podclique::observe::SetFacts;
use serde_json::Value;
use testkit::builders::{PodBuilder, after, pod, stored};

/// One minute after everything was created.
pub fn now() -> Timestamp {
    after(60)
}

pub fn situation(podclique: &Arc<PodClique>, pods: Vec<PodBuilder>) -> Snapshot {
    Snapshot {
        podclique: podclique.clone(),
        set: Some(SetFacts {
            name: "demo".into(),
            ..SetFacts::default()
        }),
        may_create: true,
        is_view_outdated: false,
        pods: pods.into_iter().map(PodBuilder::build).collect(),
        gang: None,
        start: Start::default(),
        released: vec![],
        may_have_more: false,
        last_holders: HashMap::new(),
        lost: vec![],
        taken_names: Arc::default(),
        stuck_timeouts: StuckTimeouts::default(),
        nodes_in_service: BTreeSet::new(),
        predecessors: vec![],
        dependencies: vec![],
        init_container_image: "grove-initc:0.1.0".into(),
        scheduler: GangScheduler::default(),
        pod_group: podclique::pod_group::PodGroupFacts::default(),
        older: podclique::observe::OlderPods::default(),
        sharing: podclique::observe::SharingFacts::default(),
        domain: None,
        own_claims: vec![],
    }
}

/// The operations of a JSON patch.
pub fn operations(action: &Action) -> &[Value] {
    let Action::Patch { patch, .. } = action else {
        panic!("{action}")
    };
    patch.operations()
}

/// A pod that is gone, as the last holder of its slot.
pub fn last_holder(name: &str) -> LastHolder {
    LastHolder {
        name: name.into(),
        failure_count: 0,
        lost: None,
    }
}

/// Ready pods with these indices.
pub fn ready(podclique: &PodClique, indices: impl IntoIterator<Item = i32>) -> Vec<PodBuilder> {
    indices
        .into_iter()
        .map(|k| pod(podclique, k).ready())
        .collect()
}

pub fn plan(snapshot: &Snapshot) -> Plan<PodCliqueStatus> {
    let plan = decide(snapshot, now());
    assert_eq!(
        plan,
        decide(snapshot, now()),
        "decide is not a function of its input"
    );
    plan
}

/// The writes of a plan, one per line.
pub fn writes(plan: &Plan<PodCliqueStatus>) -> String {
    let text = plan.to_string();
    text.split("status").next().unwrap().to_owned()
}

/// A gang that lists these pods as the part of the PodClique.
pub fn gang_listing(podclique: &PodClique, pods: &[Arc<Pod>]) -> Arc<PodGang> {
    let mut gang = PodGang {
        metadata: stored("demo-0"),
        ..PodGang::default()
    };
    let opens_gates = [(labels::GATES_RELEASED_BY_LIST.to_owned(), "true".to_owned())];
    gang.metadata.annotations = Some(opens_gates.into());
    gang.spec.pod_groups = vec![PodGroup {
        name: podclique.metadata.name.clone().unwrap(),
        pod_references: pods
            .iter()
            .map(|p| NamespacedName {
                namespace: "default".into(),
                name: p.name().into(),
            })
            .collect(),
        min_replicas: 1,
        ..PodGroup::default()
    }];
    Arc::new(gang)
}
