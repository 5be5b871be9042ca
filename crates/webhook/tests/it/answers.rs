//! The answer to each request.

mod cases;
mod refused;
mod scale_lock;
mod sets;
mod topology;

use admission::authorizer::Exemptions;
use api::PodCliqueSet;
use api::labels::{DISABLE_PROTECTION, MANAGED_BY, PART_OF};
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use webhook::answers::Judge;
use webhook::review::Answer;

use crate::made_up::{MadeUp, judge};
use crate::questions::update;

const BINDINGS: &str = "clustertopologybindings";

/// An object owned by that owner.
fn owned(kind: &str, name: &str, owner: [&str; 2], spec: &Value) -> Value {
    let [owner_kind, owner] = owner;
    json!({
        "apiVersion": "grove.io/v1alpha1", "kind": kind,
        "metadata": {
            "name": name, "namespace": "default", "uid": format!("uid-{name}"),
            "ownerReferences": [{
                "apiVersion": "grove.io/v1alpha1", "kind": owner_kind, "name": owner,
                "uid": format!("uid-{owner}"), "controller": true,
            }],
            "labels": {(MANAGED_BY): "grove-operator", (PART_OF): owner},
        },
        "spec": spec,
    })
}

fn set(name: &str, workload_type: &str) -> PodCliqueSet {
    let mut set = testkit::good_set::good();
    set["metadata"] = json!({"name": name, "namespace": "default"});
    set["spec"]["workloadType"] = json!(workload_type);
    serde_json::from_value(set).unwrap()
}

fn group(owner: &str) -> Value {
    let spec = json!({"replicas": 2, "minAvailable": 1, "cliqueNames": ["leader", "worker"]});
    let name = format!("{owner}-0-prefill");
    owned(
        "PodCliqueScalingGroup",
        &name,
        ["PodCliqueSet", owner],
        &spec,
    )
}

fn clique(owner: [&str; 2]) -> Value {
    let pod = json!({"containers": [{"name": "main", "image": "llm:1"}]});
    let spec = json!({"roleName": "a", "replicas": 2, "minAvailable": 1, "podSpec": pod});
    let name = format!("{}-0-a", owner[1]);
    owned("PodClique", &name, owner, &spec)
}

fn with(mut object: Value, pointer: &str, value: Value) -> Value {
    let (parent, field) = pointer.rsplit_once('/').unwrap();
    object.pointer_mut(parent).unwrap()[field] = value;
    object
}

/// A job and a service, each with a group and PodCliques, and a PodClique of a group.
fn stored() -> MadeUp {
    let sets = vec![set("job", "Training"), set("serve", "Inference")];
    let groups = ["job", "serve"].map(group);
    let alone = ["job", "serve"].map(|name| clique(["PodCliqueSet", name]));
    let grouped = ["job", "serve", "gone"].map(|name| {
        let owner = format!("{name}-0-prefill");
        clique(["PodCliqueScalingGroup", &owner])
    });
    MadeUp {
        sets,
        groups: groups.map(decode).into(),
        podcliques: alone.into_iter().chain(grouped).map(decode).collect(),
        ..MadeUp::default()
    }
}

fn decode<K: DeserializeOwned>(object: Value) -> K {
    serde_json::from_value(object).unwrap()
}

fn open() -> Judge {
    judge(stored(), None)
}

/// A judge that refuses on behalf of the authorizer.
fn strict() -> Judge {
    let mut stored = stored();
    let mut free = set("free", "Inference");
    let switch = (DISABLE_PROTECTION.to_owned(), "true".to_owned());
    free.metadata.annotations = Some([switch].into());
    stored.sets.push(free);
    let exemptions = Exemptions {
        operator: "system:serviceaccount:grove-system:grove-operator".into(),
        users: vec!["bob".into()],
    };
    judge(stored, Some(exemptions))
}

/// `allowed`, `patched`, `warned`, `422 <fields>`, or the code of another refusal.
fn verdict(answer: &Answer) -> String {
    match answer {
        Answer::Allowed { patch: Some(_), .. } => "patched".to_owned(),
        Answer::Allowed { warnings, .. } if warnings.is_empty() => "allowed".to_owned(),
        Answer::Allowed { .. } => "warned".to_owned(),
        Answer::Invalid(errors) => {
            let fields = errors.iter().map(|error| error.path.as_str());
            format!("422 {}", fields.collect::<Vec<_>>().join(" "))
        }
        Answer::Refused { code, .. } => code.to_string(),
    }
}

fn replicas_changed(old: &Value, what: &str) -> Value {
    update(what, old, &with(old.clone(), "/spec/replicas", json!(3)))
}
