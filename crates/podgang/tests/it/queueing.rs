//! Quota of a gang whose set names a queue of Kueue (docs/queues.md, decision 177).

mod growth;
mod kueues_answers;
mod loss;
mod pins;
mod requests;

use std::collections::BTreeMap;
use std::sync::Arc;

use api::conditions::{self, ConditionType};
use api::kueue::{
    KueueAdmission, KueueAssignment, KueueWorkload, ResourceFlavor, ResourceFlavorSpec, keys,
};
use api::podgang::{NamespacedName, PodGroup};
use api::{PodGang, PodGangStatus, labels};
use domain::Pod;
use domain::object::ownership;
use domain::plan::{Action, Plan};
use domain::scheduling::quota::{self, PodCounts};
use k8s_openapi::api::core::v1::Toleration;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::{Condition, Time};
use podgang::Snapshot;
use podgang::decide::decide;
use podgang::gang_part::GangPart;
use podgang::queueing::QueueingFacts;
use testkit::builders::{PodBuilder, after, pod, podclique, store, stored};

const WORKER: &str = "demo-0-worker";

fn counts(pairs: &[(&str, i32)]) -> PodCounts {
    let pairs = pairs.iter();
    pairs.map(|(name, n)| ((*name).to_owned(), *n)).collect()
}

/// A gang of 3 workers, of which 2 are required, in queue `team-a`, which needs quota for so many.
fn queued(requested: Option<i32>) -> Snapshot {
    let clique = podclique(WORKER).size(3, 2).build();
    let mut metadata = stored("demo-0");
    let mut all = labels::default_labels("demo");
    all.insert(keys::QUEUE.into(), "team-a".into());
    metadata.labels = Some(all);
    if let Some(count) = requested {
        let text = quota::to_text(&counts(&[(WORKER, count)]));
        metadata.annotations = Some(BTreeMap::from([(labels::QUOTA_REQUEST.to_owned(), text)]));
    }
    let mut gang = PodGang {
        metadata,
        ..PodGang::default()
    };
    gang.spec.pod_groups = vec![PodGroup {
        name: WORKER.to_owned(),
        min_replicas: 2,
        ..PodGroup::default()
    }];
    let facts = QueueingFacts {
        queue: Some("team-a".to_owned()),
        is_served: true,
        are_flavors_readable: true,
        cliques: BTreeMap::from([(WORKER.to_owned(), "worker".to_owned())]),
        has_base_quota: true,
        ..QueueingFacts::default()
    };
    let mut snapshot = Snapshot {
        gang: Arc::new(gang),
        parts: vec![GangPart {
            name: WORKER.into(),
            min_replicas: 2,
            podclique: Some(clique),
            ..GangPart::default()
        }],
        queueing: Some(facts),
        ..Snapshot::default()
    };
    give_pods(&mut snapshot, 3, |p| p);
    snapshot
}

fn facts(snapshot: &mut Snapshot) -> &mut QueueingFacts {
    snapshot.queueing.as_mut().unwrap()
}

/// The pods that exist, in this round of quota.
fn give_pods(snapshot: &mut Snapshot, count: i32, adapt: impl Fn(PodBuilder) -> PodBuilder) {
    let round = quota::round(&snapshot.gang);
    let clique = snapshot.parts[0].podclique.clone().unwrap();
    let in_round = |p: &mut Pod| {
        if round > 0 {
            let all = p.metadata.annotations.get_or_insert_default();
            all.insert(labels::QUOTA_ROUND.to_owned(), round.to_string());
        }
    };
    let pods: Vec<Arc<Pod>> = (0..count)
        .map(|k| adapt(pod(&clique, k).with(in_round)).build())
        .collect();
    facts(snapshot).pods = pods;
}

/// Lists the pods that exist.
fn list_pods(snapshot: &mut Snapshot) {
    let pods = facts(snapshot).pods.clone();
    snapshot.parts[0].pods.clone_from(&pods);
    let gang = Arc::make_mut(&mut snapshot.gang);
    gang.spec.pod_groups[0].pod_references = pods
        .iter()
        .map(|p| NamespacedName {
            namespace: "default".into(),
            name: p.name().into(),
        })
        .collect();
}

fn request(snapshot: &mut Snapshot, count: i32) {
    let text = quota::to_text(&counts(&[(WORKER, count)]));
    let gang = Arc::make_mut(&mut snapshot.gang);
    let annotations = gang.metadata.annotations.get_or_insert_default();
    annotations.insert(labels::QUOTA_REQUEST.to_owned(), text);
}

fn plan(snapshot: &Snapshot) -> Plan<PodGangStatus> {
    let plan = decide(snapshot, after(60));
    assert_eq!(plan, decide(snapshot, after(60)), "decide is a function");
    plan
}

/// Stores the status, and returns the writes that follow from the next decision.
fn store_status(snapshot: &mut Snapshot) -> Vec<Action> {
    let first = plan(snapshot);
    Arc::make_mut(&mut snapshot.gang).status = first.status;
    plan(snapshot).waves.concat()
}

/// Carries a write of a Workload out.
fn carry_out(snapshot: &mut Snapshot, actions: &[Action]) {
    for action in actions {
        let name = action.key().name;
        let all = &mut facts(snapshot).workloads;
        all.retain(|w| ownership::name(&w.metadata) != name);
        if let Some(written) = action.written::<KueueWorkload>() {
            let mut written = written.clone();
            store(&mut written.metadata);
            all.push(Arc::new(written));
        }
    }
}

fn words(actions: &[Action]) -> Vec<String> {
    actions.iter().map(ToString::to_string).collect()
}

fn condition(type_: &str, holds: bool, reason: &str, message: &str) -> Condition {
    Condition {
        type_: type_.to_owned(),
        status: if holds { "True" } else { "False" }.to_owned(),
        reason: reason.to_owned(),
        message: message.to_owned(),
        observed_generation: None,
        last_transition_time: Time(after(0)),
    }
}

fn change(snapshot: &mut Snapshot, name: &str, change: impl FnOnce(&mut KueueWorkload)) {
    let mut all = facts(snapshot).workloads.iter_mut();
    let found = all.find(|w| ownership::name(&w.metadata) == name);
    change(Arc::make_mut(found.unwrap()));
}

/// Kueue admits so many of the pods, on nodes with H100.
fn admit(snapshot: &mut Snapshot, name: &str, count: i32) {
    let flavor = ResourceFlavor {
        metadata: stored("h100"),
        spec: ResourceFlavorSpec {
            node_labels: BTreeMap::from([("gpu".to_owned(), "h100".to_owned())]),
            tolerations: vec![Toleration {
                key: Some("gpu".to_owned()),
                operator: Some("Exists".to_owned()),
                ..Toleration::default()
            }],
        },
    };
    let flavors = &mut facts(snapshot).flavors;
    flavors.insert("h100".to_owned(), Arc::new(flavor));
    change(snapshot, name, |workload| {
        let status = workload.status.get_or_insert_default();
        status.conditions = vec![
            condition("QuotaReserved", true, "QuotaReserved", ""),
            condition("Admitted", true, "Admitted", ""),
            condition("PodsReady", false, "WaitForStart", ""),
        ];
        status.admission = Some(KueueAdmission {
            cluster_queue: "gpus".to_owned(),
            pod_set_assignments: vec![KueueAssignment {
                name: "worker".to_owned(),
                flavors: BTreeMap::from([("nvidia.com/gpu".to_owned(), "h100".to_owned())]),
                count: Some(count),
                ..KueueAssignment::default()
            }],
            ..KueueAdmission::default()
        });
    });
}

fn evict(snapshot: &mut Snapshot, name: &str) {
    change(snapshot, name, |workload| {
        let status = workload.status.get_or_insert_default();
        let evicted = condition("Evicted", true, "Preempted", "for a higher priority");
        status.conditions.push(evicted);
    });
}

/// A gang that has quota for so many pods.
fn granted(count: i32) -> Snapshot {
    let mut snapshot = queued(Some(3));
    let asked = store_status(&mut snapshot);
    carry_out(&mut snapshot, &asked);
    admit(&mut snapshot, "demo-0", count);
    store_status(&mut snapshot);
    snapshot
}

fn reserved(status: &PodGangStatus) -> String {
    let found = conditions::find(&status.conditions, ConditionType::QuotaReserved);
    found.map_or("absent".to_owned(), |c| {
        format!("{} {}: {}", c.status, c.reason, c.message)
    })
}

/// The pods with quota, by Workload.
fn grants(snapshot: &Snapshot) -> Vec<String> {
    let status = snapshot.gang.status.as_ref();
    let quota = status.and_then(|s| s.quota.as_ref());
    let all = quota.into_iter().flat_map(|quota| &quota.grants);
    all.map(|grant| {
        let count: i32 = grant.pods.iter().map(|pods| pods.count).sum();
        format!("{} {count}", grant.workload)
    })
    .collect()
}

fn state(snapshot: &Snapshot) -> String {
    reserved(snapshot.gang.status.as_ref().unwrap())
}
