//! Sets as read from a cluster, with the conditions that the operator's rules set.

use api::conditions::{self, ConditionType, ConditionUpdate, Status};
use api::podgang::{NamespacedName, PodGangStatus, PodGroup};
use api::{LastError, PodClique, PodCliqueSet, PodGang, PodGangSpec, labels};
use cli::workload::{View, Workload};
use domain::health::readiness;
use domain::object::ownership;
use jiff::Timestamp;
use k8s_openapi::api::core::v1::{Event, Pod};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::Time;
use serde_json::{Value, json};
use testkit::builders::{after, podclique, set, stored};

/// The time of reading: five minutes after everything was created.
pub fn now() -> Timestamp {
    after(300)
}

/// Set `demo` of one clique `worker` of two pods.
pub fn demo() -> PodCliqueSet {
    set("demo")
        .clique("worker", |c| c.replicas(2).min(2))
        .build()
}

/// Its PodClique.
pub fn worker() -> PodClique {
    let built = podclique("demo-0-worker").size(2, 2).build();
    (*built).clone()
}

/// The pod of that index of a PodClique, in the form of the API server; `rest` has its spec and
/// status.
pub fn pod_of(podclique: &PodClique, index: i32, rest: &Value) -> Pod {
    let owner = ownership::name(&podclique.metadata);
    let mut meta = stored(&format!("{owner}-bcdf{index}"));
    let mut all = podclique.metadata.labels.clone().unwrap_or_default();
    all.insert(labels::POD_INDEX.to_owned(), index.to_string());
    meta.labels = Some(all);
    meta.owner_references = Some(vec![ownership::controller_reference(podclique)]);
    let main = json!({"name": "main", "image": "example/main:1"});
    let mut pod = json!({"metadata": meta, "spec": {"containers": [main]}, "status": {}});
    for part in ["metadata", "spec", "status"] {
        let fields = rest[part].as_object().cloned().unwrap_or_default();
        pod[part].as_object_mut().unwrap().extend(fields);
    }
    pod["spec"]["hostname"] = json!(format!("{owner}-{index}"));
    serde_json::from_value(pod).unwrap()
}

/// Set, PodClique, pods and gang, with conditions from five seconds after the creation on. `errors`
/// are the API server's answers to the creation of pods.
pub fn demo_with(rest: &[Value], errors: &[&str]) -> Workload {
    let podclique = worker();
    let pods = (0..).zip(rest);
    let pods: Vec<Pod> = pods.map(|(k, rest)| pod_of(&podclique, k, rest)).collect();
    let started = pods.len() == 2;
    let mut workload = Workload {
        set: demo(),
        podcliques: vec![podclique],
        gangs: vec![gang(
            "demo-0",
            &[("demo-0-worker", started.then_some(&*pods))],
        )],
        pods,
        ..Workload::default()
    };
    let status = workload.podcliques[0].status.get_or_insert_default();
    status.last_errors = errors.iter().map(|text| error(text)).collect();
    judge(&mut workload);
    workload
}

/// A PodGang with these parts; parts that have started list their pods.
pub fn gang(name: &str, parts: &[(&str, Option<&[Pod]>)]) -> PodGang {
    let mut metadata = stored(name);
    let key = labels::GATES_RELEASED_BY_LIST.to_owned();
    metadata.annotations = Some([(key, "true".to_owned())].into());
    let reference = |pod: &Pod| NamespacedName {
        namespace: "default".to_owned(),
        name: ownership::name(&pod.metadata).to_owned(),
    };
    let parts = parts.iter().map(|(name, pods)| PodGroup {
        name: (*name).to_owned(),
        pod_references: pods.unwrap_or_default().iter().map(reference).collect(),
        ..PodGroup::default()
    });
    PodGang {
        metadata,
        spec: PodGangSpec {
            pod_groups: parts.collect(),
            ..PodGangSpec::default()
        },
        status: Some(PodGangStatus::default()),
    }
}

/// Gives everything the condition `Ready` of the rules.
pub fn judge(workload: &mut Workload) {
    let podcliques = workload.observe();
    let view = View::of(workload, &podcliques, now());
    let verdicts = podcliques
        .iter()
        .map(|clique| readiness::judge_podclique(&view.roster.view_of(clique, now())));
    let verdicts: Vec<ConditionUpdate> = verdicts.collect();
    let causes = view.roster.layout.slots().filter_map(|part| {
        let cause = view.cause(part, false)?;
        Some(cause.within(&format!(
            "replica {}: clique {} ",
            part.replica, part.clique
        )))
    });
    let cause = readiness::first(causes.collect::<Vec<_>>());
    let up = cause.is_none();
    let verdict = readiness::of_replicas(up, "1/1 replicas available".to_owned(), cause);
    for (podclique, verdict) in workload.podcliques.iter_mut().zip(verdicts) {
        put(
            &mut podclique.status.get_or_insert_default().conditions,
            verdict,
        );
    }
    for gang in &mut workload.gangs {
        put(
            &mut gang.status.get_or_insert_default().conditions,
            verdict.clone(),
        );
    }
    let status = workload.set.status.get_or_insert_default();
    status.available_replicas = i32::from(verdict.status == Status::True);
    put(&mut status.conditions, verdict);
}

fn put(
    all: &mut Vec<k8s_openapi::apimachinery::pkg::apis::meta::v1::Condition>,
    verdict: ConditionUpdate,
) {
    conditions::set(all, verdict, Some(1), after(5));
}

/// The PodClique has been breached since that many seconds after the creation.
pub fn breach(podclique: &mut PodClique, seconds: i64) {
    let status = podclique.status.get_or_insert_default();
    status.was_available = true;
    status.breached_since = Some(Time(after(seconds)));
    let verdict = ConditionUpdate {
        type_: ConditionType::MinAvailableBreached,
        status: Status::True,
        reason: conditions::Reason::InsufficientReadyPods,
        message: "1 of 2 required pods ready".to_owned(),
    };
    conditions::set(&mut status.conditions, verdict, Some(1), after(seconds));
}

fn error(text: &str) -> LastError {
    LastError {
        code: "ERR_CREATE_POD".into(),
        description: text.into(),
        observed_at: Time(after(240)),
    }
}

/// An event about that object, that many seconds after the creation.
pub fn event(
    (kind, name): (&str, &str),
    (type_, reason): (&str, &str),
    message: &str,
    (first, last, count): (i64, i64, i32),
) -> Event {
    let uid = format!("uid-{name}");
    serde_json::from_value(json!({
        "metadata": {"name": format!("{name}.{reason}.{first}")},
        "involvedObject": {"kind": kind, "name": name, "namespace": "default", "uid": uid},
        "type": type_,
        "reason": reason,
        "message": message,
        "firstTimestamp": after(first).to_string(),
        "lastTimestamp": after(last).to_string(),
        "count": count,
    }))
    .unwrap()
}

/// A pod that the scheduler refuses with this message.
pub fn unschedulable(message: &str) -> Value {
    json!({"status": {"phase": "Pending", "conditions": [{
        "type": "PodScheduled", "status": "False", "reason": "Unschedulable",
        "message": message, "lastTransitionTime": after(1).to_string(),
    }]}})
}

/// A pod on a node, with these states of its container.
pub fn on_node(state: &Value, last: &Value, restarts: i32) -> Value {
    json!({
        "spec": {"nodeName": "node-0"},
        "status": {
            "phase": "Running",
            "conditions": [
                {"type": "PodScheduled", "status": "True"},
                {"type": "Ready", "status": "False", "reason": "ContainersNotReady",
                 "message": "containers with unready status: [main]",
                 "lastTransitionTime": after(3).to_string()},
            ],
            "containerStatuses": [{
                "name": "main", "image": "example/main:1", "imageID": "", "ready": false,
                "restartCount": restarts, "state": state, "lastState": last,
            }],
        },
    })
}

/// A pod that is Ready.
pub fn ready() -> Value {
    json!({
        "spec": {"nodeName": "node-0"},
        "status": {"phase": "Running", "conditions": [
            {"type": "PodScheduled", "status": "True"},
            {"type": "Ready", "status": "True"},
        ]},
    })
}

/// A pod held by these gates.
pub fn gated(gates: &[&str]) -> Value {
    let gates: Vec<Value> = gates.iter().map(|gate| json!({"name": gate})).collect();
    json!({"spec": {"schedulingGates": gates}, "status": {"phase": "Pending"}})
}

/// Text without styles.
pub fn plain(text: &str) -> String {
    anstream::adapter::strip_str(text).to_string()
}
