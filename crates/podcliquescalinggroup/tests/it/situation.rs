//! A scaling group with its PodCliques, as a test describes it.

use std::sync::Arc;

use admission::defaults::DefaultsConfig;
use admission::validated_set;
use api::{
    PodClique, PodCliqueScalingGroup, PodCliqueScalingGroupSpec, PodCliqueScalingGroupStatus,
    PodCliqueSet, PodCliqueStatus, labels,
};
use domain::object::ownership;
use domain::plan::{Action, Plan};
use podcliquescalinggroup::Snapshot;
use podcliquescalinggroup::decide::decide;
use testkit::builders::{SetBuilder, after, set, store, stored};

/// `demo` with a group `g` of `leader` (1 pod) and `worker` (2 pods), 3 replicas of which 2 are
/// required.
pub fn demo() -> SetBuilder {
    set("demo")
        .clique("leader", |c| c)
        .clique("worker", |c| c.replicas(2))
        .group("g", ["leader", "worker"], |g| g.replicas(3).min(2))
}

/// Group `demo-0-g` of that set with these live replicas.
pub fn group(set: &PodCliqueSet, replicas: i32) -> PodCliqueScalingGroup {
    let mut metadata = stored("demo-0-g");
    let mut all = labels::default_labels("demo");
    all.insert(labels::PCS_REPLICA_INDEX.into(), "0".into());
    metadata.labels = Some(all);
    metadata.finalizers = Some(vec![labels::PCSG_FINALIZER.into()]);
    metadata.owner_references = Some(vec![ownership::controller_reference(set)]);
    let spec = PodCliqueScalingGroupSpec {
        replicas,
        min_available: Some(2),
        clique_names: vec!["leader".into(), "worker".into()],
        workload_type: None,
    };
    PodCliqueScalingGroup {
        metadata,
        spec,
        status: None,
    }
}

pub fn situation(set: &PodCliqueSet, replicas: i32, podcliques: Vec<PodClique>) -> Snapshot {
    Snapshot {
        group: Arc::new(group(set, replicas)),
        owner: Some(validated_set::validate_set(set, &DefaultsConfig::default())),
        podcliques: podcliques
            .into_iter()
            .map(|c| (ownership::name(&c.metadata).to_owned(), Arc::new(c)))
            .collect(),
        ..Snapshot::default()
    }
}

pub fn plan(snapshot: &Snapshot) -> Plan<PodCliqueScalingGroupStatus> {
    let plan = decide(snapshot, after(60));
    assert_eq!(
        plan,
        decide(snapshot, after(60)),
        "decide is not a function of its input"
    );
    plan
}

pub fn writes(plan: &Plan<PodCliqueScalingGroupStatus>) -> String {
    plan.to_string().split("status").next().unwrap().to_owned()
}

/// The PodCliques that a plan creates, as the API server stores them.
pub fn created(plan: &Plan<PodCliqueScalingGroupStatus>) -> Vec<PodClique> {
    let actions = plan.waves.iter().flatten();
    actions
        .filter(|action| matches!(action, Action::Create(_)))
        .filter_map(|action| {
            let mut podclique = action.written::<PodClique>()?.clone();
            store(&mut podclique.metadata);
            Some(podclique)
        })
        .collect()
}

/// All PodCliques of a group with these replicas, all pods ready.
pub fn complete(set: &PodCliqueSet, replicas: i32) -> Vec<PodClique> {
    let mut podcliques = created(&plan(&situation(set, replicas, vec![])));
    podcliques.iter_mut().for_each(make_ready);
    podcliques
}

fn make_ready(podclique: &mut PodClique) {
    let hash = ownership::label(&podclique.metadata, labels::POD_TEMPLATE_HASH).map(str::to_owned);
    podclique.status = Some(PodCliqueStatus {
        replicas: podclique.spec.replicas,
        ready_replicas: podclique.spec.replicas,
        scheduled_replicas: podclique.spec.replicas,
        current_pod_template_hash: hash,
        ..PodCliqueStatus::default()
    });
}
