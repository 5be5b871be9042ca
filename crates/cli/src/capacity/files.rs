//! Files: manifests with sets, and dumps of nodes and pods.

use std::io::Read;
use std::path::Path;

use admission::defaults::DefaultsConfig;
use admission::validated_set::validate_set;
use api::{ClusterTopologyBinding, PodCliqueSet};
use domain::object::ownership;
use serde::de::DeserializeOwned;
use serde_json::Value;

use super::objects::{NodeObject, PodObject};
use super::snapshot::{BoundPod, Snapshot};
use crate::exit::Failure;

/// Reads a file; `-` is standard input.
pub fn read_file(path: &Path) -> Result<String, Failure> {
    let read = if path == Path::new("-") {
        let mut text = String::new();
        std::io::stdin().read_to_string(&mut text).map(|_| text)
    } else {
        std::fs::read_to_string(path)
    };
    read.map_err(|error| Failure::BadInput(format!("cannot read {}: {error}", path.display())))
}

/// The sets of a manifest with defaults applied, in their order. Those without a namespace are in
/// `namespace`; other kinds are passed over.
pub fn read_sets(text: &str, file: &str, namespace: &str) -> Result<Vec<PodCliqueSet>, Failure> {
    let mut sets = Vec::new();
    for object in read_objects(text, file)? {
        let kind = (object["apiVersion"].as_str(), object["kind"].as_str());
        if kind == (Some("grove.io/v1alpha1"), Some("PodCliqueSet")) {
            sets.push(read_set(object, file, namespace)?);
        }
    }
    if sets.is_empty() {
        return Err(Failure::BadInput(format!(
            "{file} has no PodCliqueSet of grove.io/v1alpha1; give a file that has one"
        )));
    }
    Ok(sets)
}

fn read_set(object: Value, file: &str, namespace: &str) -> Result<PodCliqueSet, Failure> {
    let name = object["metadata"]["name"].as_str().unwrap_or("").to_owned();
    let set: Result<PodCliqueSet, _> = serde_json::from_value(object);
    let set = set.map_err(|e| bad(format!("{file}: podcliqueset {name}: {e}")))?;
    let validated = validate_set(&set, &DefaultsConfig::default());
    if let Some(error) = validated.errors.first() {
        let more = validated.errors.len() - 1;
        let more = if more == 0 {
            String::new()
        } else {
            format!(" (and {more} more)")
        };
        return Err(bad(format!("{file}: podcliqueset {name}: {error}{more}")));
    }
    let mut set = validated.set;
    let own = set.metadata.namespace.take();
    let own = own.filter(|own| !own.is_empty());
    set.metadata.namespace = Some(own.unwrap_or_else(|| namespace.to_owned()));
    Ok(set)
}

/// Nodes and what is on them, of a dump.
pub fn read_dump(text: &str, file: &str) -> Result<Snapshot, Failure> {
    let (mut nodes, mut pods, mut topologies) = (Vec::new(), Vec::new(), Vec::new());
    for object in read_objects(text, file)? {
        match object["kind"].as_str() {
            Some("Node") => nodes.push(decode::<NodeObject>(object, file)?),
            Some("Pod") => {
                let pod = BoundPod::of(decode::<PodObject>(object, file)?);
                pods.extend(pod.map_err(|error| bad(format!("{file}: {error}")))?);
            }
            Some("ClusterTopologyBinding") => {
                topologies.push(decode::<ClusterTopologyBinding>(object, file)?);
            }
            _ => {}
        }
    }
    if nodes.is_empty() {
        return Err(bad(format!(
            "{file} has no nodes; make it with `kubectl get nodes,pods -A -o json`"
        )));
    }
    Snapshot::of(nodes, pods, topologies).map_err(|error| bad(format!("{file}: {error}")))
}

fn decode<T: DeserializeOwned>(object: Value, file: &str) -> Result<T, Failure> {
    let kind = object["kind"].as_str().unwrap_or("").to_lowercase();
    let name = object["metadata"]["name"].as_str().unwrap_or("").to_owned();
    let decoded = serde_json::from_value(object);
    decoded.map_err(|error| bad(format!("{file}: {kind} {name}: {error}")))
}

/// The objects of a file, those in lists one by one.
fn read_objects(text: &str, file: &str) -> Result<Vec<Value>, Failure> {
    // JSON is YAML, but a large dump is read many times faster as what it is.
    let documents: Vec<Value> = match serde_json::from_str(text) {
        Ok(document) => vec![document],
        Err(_) => serde_saphyr::from_multiple(text).map_err(|error| {
            let error = error.to_string();
            let line = error.lines().next().unwrap_or_default();
            bad(format!("{file} is neither YAML nor JSON: {line}"))
        })?,
    };
    let mut objects = Vec::new();
    for mut document in documents {
        let is_list = document["kind"]
            .as_str()
            .is_some_and(|kind| kind.ends_with("List"));
        match document["items"].take() {
            Value::Array(items) if is_list => objects.extend(items),
            _ => objects.push(document),
        }
    }
    Ok(objects)
}

fn bad(text: String) -> Failure {
    Failure::BadInput(text)
}

/// What a set is called in messages.
pub fn name_of(set: &PodCliqueSet) -> &str {
    ownership::name(&set.metadata)
}
