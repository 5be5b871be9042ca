//! Requests of a sabotaged operator, and the answers that it receives.

use api::labels;
use serde_json::{Value, json};
use sim::{Answer, Call, Resource, Store, view};

use super::Sabotage;

/// Changes a request.
pub fn spoil(sabotage: Sabotage, call: &mut Call, store: &Store, number: u64) {
    let is_pod = call.path.contains("/pods");
    match sabotage {
        Sabotage::DeleteWithoutUid if call.method == "DELETE" => call.body = Value::Null,
        Sabotage::DeleteAnyVersion if is_pod => forget_version(call),
        Sabotage::RandomPodNames if is_pod && call.method == "POST" => {
            call.body["metadata"]["name"] = json!(format!("pod-{number}"));
        }
        Sabotage::NoGate if is_pod && call.method == "POST" => {
            call.body["spec"]["schedulingGates"] = json!([]);
        }
        Sabotage::PatchWithoutTest if call.content_type.contains("json-patch") => {
            call.body
                .as_array_mut()
                .unwrap()
                .retain(|o| o["op"] != "test");
        }
        Sabotage::PutWithoutVersion if call.method == "PUT" => {
            let path = call.path.trim_end_matches("/status").to_owned();
            let current = store
                .clone()
                .handle("nobody", &Call::new("GET", &path, Value::Null));
            call.body["metadata"]["resourceVersion"] =
                current.body["metadata"]["resourceVersion"].clone();
        }
        Sabotage::ForgottenLatch if number.is_multiple_of(7) && is_podclique_status(call) => {
            call.body["status"]["wasAvailable"] = json!(false);
        }
        Sabotage::WrongSet if is_pod && call.method == "POST" => {
            call.body["metadata"]["labels"][labels::PART_OF] = json!("other");
        }
        Sabotage::MergeWithoutUid if call.content_type.contains("merge-patch") => {
            call.body["metadata"].as_object_mut().unwrap().remove("uid");
        }
        Sabotage::RestlessStatus if is_podclique_status(call) => {
            call.body["status"]["conditions"][0]["message"] = json!(format!("{number}"));
        }
        Sabotage::RefreshedTimes if is_podclique_status(call) => {
            refresh_times(call, store);
        }
        Sabotage::EternalBreach if is_podclique_status(call) => {
            keep_breach(call, store);
        }
        Sabotage::StartTimeReset if !restarted(call, store).is_empty() => {
            reset_start(call, store);
        }
        Sabotage::NoFence if is_set_status(call) => forget_fences(call),
        Sabotage::AutoscalerIgnored if call.method == "PUT" => follow_template(call, store),
        Sabotage::StartsAtOnce | Sabotage::ForgetsParents | Sabotage::NeverStarts => {
            spoil_start_order(sabotage, call);
        }
        Sabotage::RevisionSpoilt if call.method == "POST" => spoil_revision(call),
        Sabotage::PartialGangs if call.path.contains("/podgangs") && call.method == "POST" => {
            if let Some(refs) = call.body.pointer_mut("/spec/podgroups/0/podReferences") {
                refs.as_array_mut().unwrap().truncate(1);
            }
        }
        _ => {}
    }
}

/// Its templates do not match their hashes any more.
fn spoil_revision(call: &mut Call) {
    let cliques = call.body.pointer_mut("/data/cliques");
    for clique in cliques.and_then(Value::as_array_mut).into_iter().flatten() {
        clique["hash"] = json!("r1bbbbbbbbbbbbbb");
    }
}

/// Changes the dependencies in a pod.
fn spoil_start_order(sabotage: Sabotage, call: &mut Call) {
    let is_new_pod = call.path.contains("/pods") && call.method == "POST";
    match sabotage {
        Sabotage::StartsAtOnce if is_new_pod => {
            let annotations = &mut call.body["metadata"]["annotations"];
            if annotations[labels::STARTS_AFTER].is_string() {
                annotations[labels::START] = json!("now");
            }
        }
        Sabotage::ForgetsParents if is_new_pod => {
            let annotations = call.body["metadata"]["annotations"].as_object_mut();
            annotations.and_then(|all| all.remove(labels::STARTS_AFTER));
            call.body["spec"]["initContainers"] = json!([]);
            call.body["spec"]["volumes"] = json!([]);
        }
        Sabotage::NeverStarts if call.content_type.contains("json-patch") => {
            let operations = call.body.as_array_mut().unwrap();
            operations.retain(|o| {
                o["op"] == "test" || o["path"] != "/metadata/annotations/grove.io~1start"
            });
        }
        _ => {}
    }
}

/// A PUT that records another template's count applies that count.
fn follow_template(call: &mut Call, store: &Store) {
    let stamp = |object: &Value| {
        let noted = view::text(object, "/metadata/annotations/grove.io~1template-replicas");
        noted.parse::<i64>().ok()
    };
    let target = sim::RequestPath::parse(&call.path).filter(|target| target.subresource.is_none());
    let id = target.and_then(|target| target.id());
    let before = id.and_then(|id| store.get(&id)).and_then(|o| stamp(o));
    if let (Some(before), Some(next)) = (before, stamp(&call.body))
        && before != next
    {
        call.body["spec"]["replicas"] = json!(next);
    }
}

fn is_podclique_status(call: &Call) -> bool {
    call.path.contains("/podcliques/") && call.path.ends_with("/status")
}

fn is_set_status(call: &Call) -> bool {
    call.path.contains("/podcliquesets/") && call.path.ends_with("/status")
}

/// The field where the sabotaged operator stores its fences, and which it never reads.
const FORGOTTEN: &str = "forgottenAttempts";

fn forget_fences(call: &mut Call) {
    let status = call.body["status"].as_object_mut().unwrap();
    if let Some(fences) = status.remove("replicaAttempts") {
        status.insert(FORGOTTEN.into(), fences);
    }
}

fn reset_start(call: &mut Call, store: &Store) {
    let start = &mut call.body["status"]["startTime"];
    if start.is_string() {
        *start = json!(format!("{:.0}", store.now));
    }
}

fn refresh_times(call: &mut Call, store: &Store) {
    let now = format!("{:.0}", store.now);
    for condition in call.body["status"]["conditions"].as_array_mut().unwrap() {
        condition["lastTransitionTime"] = json!(now);
    }
    let since = &mut call.body["status"]["breachedSince"];
    if since.is_string() {
        *since = json!(now);
    }
}

fn keep_breach(call: &mut Call, store: &Store) {
    let name = view::name(&call.body).to_owned();
    let stored = store
        .all(Resource::PodClique)
        .find(|(_, c)| view::name(c) == name);
    let since = stored.and_then(|(_, c)| c.pointer("/status/breachedSince").cloned());
    if let Some(since) = since.filter(Value::is_string) {
        call.body["status"]["breachedSince"] = since;
    }
}

/// Replicas that this request restarts.
fn restarted(call: &Call, store: &Store) -> Vec<i64> {
    let stored = store.all(Resource::PodCliqueSet).next();
    let Some((_, set)) = stored.filter(|_| is_set_status(call)) else {
        return Vec::new();
    };
    let entries = view::list(&call.body, "/status/replicaAttempts");
    entries
        .filter(|e| view::text(e, "/reason") == "PodCliqueFailed")
        .map(|e| (view::number(e, "/replica"), view::number(e, "/attempt")))
        .filter(|(replica, attempt)| view::attempt(set, *replica) < *attempt)
        .map(|(replica, _)| replica)
        .collect()
}

/// Deletes the PodCliques before the fence.
fn terminate_replicas(replicas: &[i64], store: &mut Store) {
    for replica in replicas {
        let index = replica.to_string();
        let is_of = |o: &Value| view::label(o, labels::PCS_REPLICA_INDEX) == index;
        let cliques = store.all(Resource::PodClique).filter(|(_, o)| is_of(o));
        let ids: Vec<_> = cliques.map(|(id, _)| id.clone()).collect();
        for id in ids {
            store.remove(sim::check::OPERATOR, &id);
        }
    }
}

/// Actions of the sabotaged operator before the request.
pub fn precede(sabotage: Sabotage, call: &Call, store: &mut Store) {
    if sabotage == Sabotage::CountAfterDelete {
        terminate_replicas(&restarted(call, store), store);
    }
}

/// Actions of the sabotaged operator after the request.
pub fn add(sabotage: Sabotage, call: &Call, store: &mut Store) {
    if sabotage == Sabotage::NoFence && is_set_status(call) {
        let path = format!("/status/{FORGOTTEN}");
        let fences = view::list(&call.body, &path);
        let replicas: Vec<i64> = fences.map(|f| view::number(f, "/replica")).collect();
        terminate_replicas(&replicas, store);
    }
    if sabotage == Sabotage::NoFinalizer
        && call.method == "DELETE"
        && call.path.contains("/podcliques/")
    {
        let name = call.path.rsplit('/').next().unwrap();
        let id = sim::Id::new(Resource::PodClique, name);
        if store.get(&id).is_some_and(|o| view::is_terminating(o)) {
            store.edit(sim::check::OPERATOR, &id, |o| {
                o["metadata"]["finalizers"] = json!([]);
            });
        }
    }
}

/// Hides the answer to a write from it: the answer's version looks known already.
pub fn blind(sabotage: Sabotage, call: &Call, answer: &mut Answer) {
    if sabotage == Sabotage::NoOverlay && call.method != "GET" && answer.code < 300 {
        answer.body["metadata"]["resourceVersion"] = json!("0");
    }
    if sabotage == Sabotage::ChecksPass && call.method == "DRYRUN" {
        *answer = Answer::created(call.body.clone());
    }
}

fn forget_version(call: &mut Call) {
    if let Some(Value::Object(conditions)) = call.body.pointer_mut("/preconditions") {
        conditions.remove("resourceVersion");
    }
}
