//! Random requests in terms of a side's knowledge of the object: uids and versions differ.

use serde_json::{Value, json};
use sim::{Call, Resource, Rng, view};

use super::known::Known;

const FINALIZERS: [&str; 2] = ["example.com/one", "example.com/two"];

/// The object whose uid or version is sent.
#[derive(Clone, Copy, Debug)]
pub enum Which {
    Present,
    /// The previous version.
    Stale,
    Wrong,
    Absent,
}

/// The changed part.
#[derive(Clone, Debug)]
pub enum Edit {
    Nothing,
    Label(&'static str),
    NoLabels,
    Finalizers(Vec<&'static str>),
    Owner,
    Replicas(i64),
    /// Fields that no client may set; they are ignored.
    Status,
}

/// A request.
#[derive(Clone, Debug)]
pub enum Operation {
    Create(Edit, Which),
    Get,
    List,
    Replace(Edit, Which),
    Merge(Edit, Which, Which),
    /// Tests the uid, then a label, and changes the label.
    Patch(Which, Option<&'static str>),
    /// Removes a field that may not exist.
    PatchAway,
    Status(Which, i64),
    MergeStatus(i64),
    Scale(i64),
    Delete(Which, Which),
    DeleteNow,
}

impl Operation {
    /// A random operation.
    pub fn any(rng: &mut Rng, resource: Resource) -> Self {
        match rng.below(20) {
            0..=4 => Self::Create(edit(rng, resource), Which::Absent),
            5 => Self::Create(Edit::Nothing, Which::Wrong),
            6 => Self::Get,
            7 => Self::List,
            8..=10 => Self::Replace(edit(rng, resource), which(rng)),
            11 | 12 => Self::Merge(edit(rng, resource), which(rng), which(rng)),
            13 => Self::Patch(which(rng), value(rng)),
            14 => Self::PatchAway,
            15 if resource.is_custom() || resource == Resource::Pod => {
                Self::Status(which(rng), rng.between(0, 2))
            }
            16 if resource.is_custom() => Self::MergeStatus(rng.between(0, 2)),
            17 if is_scaled(resource) => Self::Scale(rng.between(1, 3)),
            18 => Self::DeleteNow,
            _ => Self::Delete(which(rng), which(rng)),
        }
    }

    /// The request of a side.
    pub fn call(&self, known: &Known<'_>) -> Call {
        let (object, all) = (known.path(), known.collection());
        match self {
            Self::Create(edit, version) => {
                let mut body = known.manifest();
                change(&mut body, edit, known);
                given(&mut body, "resourceVersion", *version, known);
                Call::new("POST", &all, body)
            }
            Self::Get => Call::new("GET", &object, Value::Null),
            Self::List => Call::new("GET", &all, Value::Null),
            Self::Replace(edit, version) => {
                let mut body = known.present_or_manifest();
                change(&mut body, edit, known);
                given(&mut body, "resourceVersion", *version, known);
                Call::new("PUT", &object, body)
            }
            Self::Merge(edit, uid, version) => {
                let mut patch = json!({"metadata": {}});
                change(&mut patch, edit, known);
                given(&mut patch, "uid", *uid, known);
                given(&mut patch, "resourceVersion", *version, known);
                Call::merge(&object, patch)
            }
            Self::Patch(uid, label) => Call::json_patch(&object, patch(known, *uid, *label)),
            Self::PatchAway => {
                let path = "/metadata/labels/color";
                Call::json_patch(&object, json!([{"op": "remove", "path": path}]))
            }
            Self::Status(version, count) => {
                let mut body = known.present_or_manifest();
                body["status"] = known.status(*count);
                // Ignored: it is not part of the status.
                body["metadata"]["labels"] = json!({"color": "status"});
                given(&mut body, "resourceVersion", *version, known);
                Call::new("PUT", &format!("{object}/status"), body)
            }
            Self::MergeStatus(count) => {
                let patch = json!({"status": known.status(*count)});
                Call::merge(&format!("{object}/status"), patch)
            }
            Self::Scale(replicas) => {
                let patch = json!({"spec": {"replicas": replicas}});
                Call::merge(&format!("{object}/scale"), patch)
            }
            Self::Delete(uid, version) => {
                let mut wanted = json!({"metadata": {}});
                given(&mut wanted, "uid", *uid, known);
                given(&mut wanted, "resourceVersion", *version, known);
                let options = json!({
                    "apiVersion": "v1", "kind": "DeleteOptions",
                    "propagationPolicy": "Background", "preconditions": wanted["metadata"],
                });
                Call::new("DELETE", &object, options)
            }
            Self::DeleteNow => Call::new("DELETE", &object, json!({"gracePeriodSeconds": 0})),
        }
    }
}

fn is_scaled(resource: Resource) -> bool {
    matches!(
        resource,
        Resource::PodClique | Resource::PodCliqueScalingGroup
    )
}

fn which(rng: &mut Rng) -> Which {
    match rng.below(6) {
        0 => Which::Absent,
        1 => Which::Wrong,
        2 => Which::Stale,
        _ => Which::Present,
    }
}

fn value(rng: &mut Rng) -> Option<&'static str> {
    *rng.pick(&[None, Some("red"), Some("blue")]).unwrap()
}

fn edit(rng: &mut Rng, resource: Resource) -> Edit {
    match rng.below(8) {
        0 | 1 => Edit::Label(if rng.chance(500) { "red" } else { "blue" }),
        2 => Edit::NoLabels,
        3 => Edit::Finalizers(FINALIZERS[..rng.below(3)].to_vec()),
        4 => Edit::Owner,
        5 if is_scaled(resource) => Edit::Replicas(rng.between(1, 3)),
        6 if resource.is_custom() => Edit::Status,
        _ => Edit::Nothing,
    }
}

fn change(object: &mut Value, edit: &Edit, known: &Known<'_>) {
    match edit {
        Edit::Nothing => {}
        Edit::Label(value) => object["metadata"]["labels"] = json!({"color": value}),
        Edit::NoLabels => object["metadata"]["labels"] = Value::Null,
        Edit::Finalizers(all) => object["metadata"]["finalizers"] = json!(all),
        Edit::Owner => object["metadata"]["ownerReferences"] = json!([known.owner()]),
        Edit::Replicas(count) => object["spec"]["replicas"] = json!(count),
        Edit::Status => object["status"] = known.status(3),
    }
}

fn given(object: &mut Value, key: &str, which: Which, known: &Known<'_>) {
    let pointer = format!("/metadata/{key}");
    let value = match which {
        Which::Present => view::text(known.present, &pointer),
        Which::Stale => view::text(known.stale, &pointer),
        Which::Wrong => "4711",
        Which::Absent => "",
    };
    let Some(meta) = object["metadata"].as_object_mut() else {
        return;
    };
    meta.remove(key);
    if !value.is_empty() {
        meta.insert(key.to_owned(), json!(value));
    }
}

fn patch(known: &Known<'_>, uid: Which, label: Option<&str>) -> Value {
    let mut wanted = json!({"metadata": {}});
    given(&mut wanted, "uid", uid, known);
    let mut operations = Vec::new();
    if let Some(uid) = wanted["metadata"].get("uid") {
        operations.push(json!({"op": "test", "path": "/metadata/uid", "value": uid}));
    }
    if let Some(value) = label {
        operations.push(json!({"op": "test", "path": "/metadata/labels/color", "value": value}));
    }
    operations.push(json!({"op": "add", "path": "/metadata/labels/color", "value": "green"}));
    Value::Array(operations)
}
