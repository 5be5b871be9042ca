//! Operators with a bug: changed requests and answers.

use api::PodClique;
use domain::scheduling::{Backend, GangScheduler, is_mark, mark_pod};
use k8s_openapi::api::core::v1::Pod;
use serde_json::{Value, json};
use sim::{Answer, Call, Id, RequestPath, Resource, Store, view};

/// A bug.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mutant {
    /// DELETE by name, without uid.
    DeletesWithoutUid,
    /// A conflict counts as success.
    TakesConflictForSuccess,
    /// Pods get another name with each request.
    NamesPodsAtRandom,
    /// Events get another name with each request.
    NamesEventsAtRandom,
    /// Pods are created without our gate.
    ForgetsGate,
    /// PUT without a version.
    PutsWithoutVersion,
    /// Own writes are unknown until the watch shows them.
    ForgetsWrites,
    /// A watch begins with the present state instead of the end of the list or of the last watch.
    WatchesFromNow,
    /// Pods do not bear the round of quota in which they were created.
    ForgetsRounds,
    /// Each pod is marked by the present configuration, regardless of its peers.
    MarksOfTheMoment(Backend),
}

impl Mutant {
    /// The changed request.
    pub fn spoil(self, call: &mut Call, store: &mut Store, number: usize) {
        let is_post_of = |what: &str| call.method == "POST" && call.path.ends_with(what);
        match self {
            Self::DeletesWithoutUid if call.method == "DELETE" => {
                call.body["preconditions"] = Value::Null;
            }
            Self::NamesPodsAtRandom if is_post_of("/pods") => {
                call.body["metadata"]["name"] = json!(format!("pod-{number:03}"));
            }
            Self::NamesEventsAtRandom if is_post_of("/events") => {
                call.body["metadata"]["name"] = json!(format!("event-{number:03}"));
            }
            Self::ForgetsGate if is_post_of("/pods") => {
                call.body["spec"]["schedulingGates"] = json!([]);
            }
            Self::ForgetsRounds if is_post_of("/pods") => {
                if let Some(all) = call.body["metadata"]["annotations"].as_object_mut() {
                    all.remove(api::labels::QUOTA_ROUND);
                }
            }
            Self::PutsWithoutVersion if call.method == "PUT" => {
                let id = RequestPath::parse(&call.path).and_then(|target| target.id());
                if let Some(present) = id.and_then(|id| store.get(&id)) {
                    let version = &present["metadata"]["resourceVersion"];
                    call.body["metadata"]["resourceVersion"] = version.clone();
                }
            }
            Self::MarksOfTheMoment(backend) if is_post_of("/pods") => {
                mark_anew(&mut call.body, backend, store);
            }
            _ => {}
        }
    }

    /// The misread answer.
    pub fn misread(self, call: &Call, answer: &mut Answer, store: &Store) {
        let is_write = call.method != "GET";
        match self {
            Self::TakesConflictForSuccess if is_write && answer.code == 409 => {
                let id = RequestPath::parse(&call.path).and_then(|target| target.id());
                let present = id.and_then(|id| store.get(&id));
                *answer = Answer::ok(present.map_or(call.body.clone(), |o| (**o).clone()));
            }
            Self::ForgetsWrites if is_write && answer.code < 300 => {
                answer.body["metadata"]["resourceVersion"] = json!("0");
            }
            _ => {}
        }
    }

    /// The changed query.
    pub fn misdirect(self, query: &str, store: &Store) -> String {
        let mut parts: Vec<String> = query.split('&').map(str::to_owned).collect();
        if self == Self::WatchesFromNow && parts.iter().any(|part| part == "watch=true") {
            parts.retain(|part| !part.starts_with("resourceVersion="));
            parts.push(format!("resourceVersion={}", store.version()));
        }
        parts.join("&")
    }
}

fn mark_anew(body: &mut Value, backend: Backend, store: &Store) {
    let owner = view::owner(body).map_or("", |(_, name, _)| name);
    let Some(owner) = store.get(&Id::new(Resource::PodClique, owner)) else {
        return;
    };
    let podclique: PodClique = serde_json::from_value((**owner).clone()).unwrap();
    let mut pod: Pod = serde_json::from_value(body.clone()).unwrap();
    let annotations = pod.metadata.annotations.get_or_insert_default();
    annotations.retain(|key, _| !is_mark(key));
    let spec = pod.spec.get_or_insert_default();
    spec.scheduler_name
        .clone_from(&podclique.spec.pod_spec.scheduler_name);
    if !backend.is_kubernetes() {
        spec.scheduling_group = None;
    }
    let scheduler = GangScheduler {
        name_in_pods: None,
        backend,
    };
    mark_pod(&scheduler, &podclique, &mut pod);
    *body = json!(pod);
}
