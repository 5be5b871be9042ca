//! An object that cannot be read and is being deleted is handled by its metadata (decision 128).
//!
//! The deletion rules of its kind need no more than its owner, the objects that it controls, and
//! whether its children stay. So these rules get the object with its readable fields, and no rule
//! is written twice.

use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;
use kube::Resource;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use domain::object::ownership;

/// The object without its status, or with a spec that asks for nothing, if it is being deleted and
/// of a kind that we hold until its children are gone. The readable part of the two stays: the
/// success of a job is in it.
pub(super) fn read_bare<K>(text: &str, metadata: &ObjectMeta) -> Option<K>
where
    K: DeserializeOwned + Resource<DynamicType = ()>,
{
    let bare_spec = bare_spec::<K>().filter(|_| ownership::is_terminating(metadata))?;
    let whole: Value = serde_json::from_str(text).ok()?;
    let with = |spec: &Value, status: Option<&Value>| {
        let object = json!({"metadata": metadata, "spec": spec, "status": status});
        serde_json::from_value(object).ok()
    };
    let status = whole.get("status");
    let own = whole.get("spec").and_then(|spec| with(spec, None));
    own.or_else(|| with(&bare_spec, status))
        .or_else(|| with(&bare_spec, None))
}

/// Whether undecodable objects of the kind are handled by their metadata.
pub(crate) fn has_bare_form<K: Resource<DynamicType = ()>>() -> bool {
    bare_spec::<K>().is_some()
}

/// The smallest spec with which the kind can be decoded. It is no job, so nothing counts as done.
fn bare_spec<K: Resource<DynamicType = ()>>() -> Option<Value> {
    match (&*K::group(&()), &*K::kind(&())) {
        ("grove.io", "PodCliqueSet") => Some(json!({"replicas": 0, "template": {"cliques": []}})),
        ("grove.io", "PodCliqueScalingGroup") => Some(json!({"replicas": 0, "cliqueNames": []})),
        ("grove.io", "PodClique") => {
            Some(json!({"roleName": "", "podSpec": {"containers": []}, "replicas": 0}))
        }
        ("scheduler.grove.io", "PodGang") => Some(json!({"podgroups": []})),
        _ => None,
    }
}

/// The unreadable field, and the reason, without its position: that changes with every version.
pub(super) fn explain_unread<K: DeserializeOwned>(text: &str) -> String {
    let mut reader = serde_json::Deserializer::from_str(text);
    let read = serde_path_to_error::deserialize::<_, K>(&mut reader);
    let said = read.err().map(|error| error.to_string());
    let said = said.unwrap_or_else(|| "it is not an object of its kind".to_owned());
    let cause = said.rsplit_once(" at line ");
    cause.map_or(said.clone(), |(cause, _)| cause.to_owned())
}
