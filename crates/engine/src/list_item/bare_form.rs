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
        // From text: the decoder of a `Value` would be compiled for each kind besides.
        serde_json::from_str(&object.to_string()).ok()
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
    let Err(error) = serde_json::from_str::<K>(text) else {
        return "it is not an object of its kind".to_owned();
    };
    let said = error.to_string();
    let cause = said
        .rsplit_once(" at line ")
        .map_or(&*said, |(cause, _)| cause);
    match find_field(text, &error) {
        Some(field) if field != "." => format!("{field}: {cause}"),
        _ => cause.to_owned(),
    }
}

/// The field at which decoding failed: the one in which the text ends if it is cut off before the value
/// there. A decoder that notes the fields of each kind would be compiled for each kind.
fn find_field(text: &str, error: &serde_json::Error) -> Option<String> {
    let lines = text
        .split_inclusive('\n')
        .take(error.line().checked_sub(1)?);
    let end = lines.map(str::len).sum::<usize>() + error.column();
    let (read, rest) = text.split_at_checked(end)?;
    let unread = if rest.starts_with(['{', '[']) {
        read
    } else if read.ends_with(|c: char| c.is_ascii_digit()) {
        read.trim_end_matches(|c: char| c.is_ascii_digit() || "-+.eE".contains(c))
    } else {
        read.get(..read.len().checked_sub(1)?)?
    };
    let mut reader = serde_json::Deserializer::from_str(unread);
    let ended = serde_path_to_error::deserialize::<_, Value>(&mut reader).err()?;
    Some(ended.path().to_string())
}
