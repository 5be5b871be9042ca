//! A set with its children, as a test describes it.

use std::collections::HashMap;
use std::sync::Arc;

use admission::defaults::DefaultsConfig;
use admission::validated_set;
use api::{PodClique, PodCliqueSet, PodCliqueSetStatus, labels};
use domain::Revision;
use domain::object::ownership;
use domain::plan::{Action, CheckAnswer, Object, Plan, WritableKind};
use domain::workload::revision::Revisions;
use engine::caches::KnownAnswer;
use k8s_openapi::api::apps::v1::ControllerRevision;
use podcliqueset::Snapshot;
use podcliqueset::decide::decide;
use podcliqueset::observe::ObservedClique;
use serde_json::json;
use testkit::builders::{PodBuilder, SetBuilder, after, pod, podclique, set, store};

/// `demo`: a frontend of 2 pods of which 1 is required, and a group `g` of `leader` and `worker`
/// with 3 replicas of which 2 are required.
pub fn demo() -> SetBuilder {
    set("demo")
        .clique("frontend", |c| c.replicas(2).min(1))
        .clique("leader", |c| c)
        .clique("worker", |c| c.replicas(2))
        .group("g", ["leader", "worker"], |g| g.replicas(3).min(2))
}

/// The API server accepts pods of every template.
pub fn accept_templates(snapshot: &mut Snapshot) {
    let accepted = KnownAnswer {
        answer: CheckAnswer::Accepted,
        repeat_at: None,
    };
    let cliques = snapshot.validated.set.spec.template.cliques.iter();
    let accepted = cliques.map(|clique| (clique.name.clone(), accepted.clone()));
    snapshot.checks.answers = accepted.collect();
}

/// The set alone.
pub fn alone(set: &PodCliqueSet) -> Snapshot {
    Snapshot {
        stored: Arc::new(set.clone()),
        validated: validated_set::validate_set(set, &DefaultsConfig::default()),
        ..Snapshot::default()
    }
}

pub fn plan(snapshot: &Snapshot) -> Plan<PodCliqueSetStatus> {
    let plan = decide(snapshot, after(60));
    assert_eq!(
        plan,
        decide(snapshot, after(60)),
        "decide is not a function of its input"
    );
    plan
}

pub fn writes(plan: &Plan<PodCliqueSetStatus>) -> String {
    plan.to_string().split("status").next().unwrap().to_owned()
}

/// Stores the objects that the plan creates or replaces, as the API server does.
pub fn carry_out(snapshot: &mut Snapshot, plan: &Plan<PodCliqueSetStatus>) {
    for action in plan.waves.iter().flatten() {
        if let Action::Create(object) | Action::Replace(object) = action {
            keep(snapshot, object);
        }
    }
    let mut stored = (*snapshot.stored).clone();
    stored.status.clone_from(&plan.status);
    snapshot.validated = validated_set::validate_set(&stored, &DefaultsConfig::default());
    snapshot.stored = Arc::new(stored);
}

fn keep(snapshot: &mut Snapshot, object: &Object) {
    if let Some(revision) = object.get::<ControllerRevision>() {
        return keep_revision(snapshot, revision.clone());
    }
    let Some(podclique) = object.get::<PodClique>() else {
        let is_put = put(&mut snapshot.children.groups, object)
            || put(&mut snapshot.children.gangs, object)
            || put(&mut snapshot.children.services, object)
            || put(&mut snapshot.children.autoscalers, object)
            || put(&mut snapshot.domains.found, object);
        assert!(is_put, "a set never creates a {}", object.kind());
        return;
    };
    let mut podclique = podclique.clone();
    store(&mut podclique.metadata);
    let name = podclique.metadata.name.clone().unwrap();
    let seen = ObservedClique {
        podclique: Arc::new(podclique),
        pods: vec![],
        lost: vec![],
    };
    snapshot.podcliques.insert(name, seen);
}

/// Adds a revision to those that the operator sees.
pub fn keep_revision(snapshot: &mut Snapshot, mut revision: ControllerRevision) {
    store(&mut revision.metadata);
    let seen: Revision = serde_json::from_value(json!(revision)).unwrap();
    let known = snapshot.history.revisions.iter().cloned();
    let all: Vec<_> = known.chain([Arc::new(seen)]).collect();
    snapshot.history.revisions = Revisions::of(&snapshot.stored, all);
}

/// Adds the object to the list, if it has the list's kind.
fn put<K: WritableKind + Clone>(list: &mut Vec<Arc<K>>, object: &Object) -> bool {
    let Some(object) = object.get::<K>() else {
        return false;
    };
    let mut object = object.clone();
    store(object.meta_mut());
    list.retain(|o| o.meta().name != object.meta().name);
    list.push(Arc::new(object));
    list.sort_by(|a, b| a.meta().name.cmp(&b.meta().name));
    true
}

/// The set after its first reconcile, with the group's PodCliques but without pods.
pub fn laid_out(set: &PodCliqueSet) -> Snapshot {
    let mut snapshot = alone(set);
    let first = plan(&snapshot);
    carry_out(&mut snapshot, &first);
    make_group_replicas(&mut snapshot);
    snapshot
}

/// Makes the PodCliques of the group's replicas that are missing, as the group does.
pub fn make_group_replicas(snapshot: &mut Snapshot) {
    let cliques = &snapshot.validated.set.spec.template.cliques;
    let hashed = snapshot.validated.hash_cliques(cliques);
    let newest: HashMap<String, String> = hashed
        .into_iter()
        .map(|(c, hash)| (c.name.clone(), hash))
        .collect();
    for j in 0..snapshot.children.groups[0].spec.replicas {
        for (clique, replicas) in [("leader", 1), ("worker", 2)] {
            let name = format!("demo-0-g-{j}-{clique}");
            let group = ownership::controller_reference(&*snapshot.children.groups[0]);
            let podclique = podclique(&name)
                .size(replicas, replicas)
                .with(|c| c.metadata.owner_references = Some(vec![group]))
                .with(|c| {
                    let all = c.metadata.labels.get_or_insert_default();
                    all.insert(labels::POD_TEMPLATE_HASH.into(), newest[clique].clone());
                })
                .build();
            let new = ObservedClique {
                podclique,
                pods: vec![],
                lost: vec![],
            };
            snapshot.podcliques.entry(name).or_insert(new);
        }
    }
}

/// Gives a PodClique this many pods, each adapted.
pub fn fill(
    snapshot: &mut Snapshot,
    name: &str,
    pods: i32,
    adapt: impl Fn(PodBuilder) -> PodBuilder,
) {
    let seen = snapshot.podcliques.get_mut(name).unwrap();
    seen.pods = (0..pods)
        .map(|k| adapt(pod(&seen.podclique, k)).build())
        .collect();
}

/// Gives every PodClique all its pods.
pub fn fill_all(snapshot: &mut Snapshot, adapt: impl Fn(PodBuilder) -> PodBuilder) {
    for seen in snapshot.podcliques.values_mut() {
        let pods = 0..seen.podclique.spec.replicas;
        seen.pods = pods
            .map(|k| adapt(pod(&seen.podclique, k)).build())
            .collect();
    }
}
