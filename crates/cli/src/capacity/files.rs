//! Files: manifests with sets, and dumps of nodes and pods.

use std::io::Read;
use std::path::Path;

use admission::defaults::DefaultsConfig;
use admission::validated_set::validate_set;
use api::{ClusterTopologyBinding, PodCliqueSet};
use domain::object::ownership;
use serde::Deserialize as _;
use serde::de::DeserializeOwned;
use serde_json::Value;

use super::objects::{NodeObject, PodObject};
use super::snapshot::{BoundPod, ClusterSnapshot};
use crate::exit::Failure;
use crate::json;
use crate::lint;
use crate::manifest::{parse_dump, parse_manifest};

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

/// The sets of a manifest with defaults applied, in their order. A set without a namespace gets
/// `namespace`; other kinds are skipped.
pub fn read_sets(text: &str, file: &str, namespace: &str) -> Result<Vec<PodCliqueSet>, Failure> {
    let mut sets = Vec::new();
    for object in parse_manifest(file, text)? {
        let kind = (
            json::text(&object, "/apiVersion"),
            json::text(&object, "/kind"),
        );
        if kind == ("grove.io/v1alpha1", "PodCliqueSet") {
            sets.push(read_set(&object, file, namespace)?);
        }
    }
    if sets.is_empty() {
        return Err(Failure::BadInput(format!(
            "{file} has no PodCliqueSet of grove.io/v1alpha1; give a file that has one"
        )));
    }
    Ok(sets)
}

fn read_set(object: &Value, file: &str, namespace: &str) -> Result<PodCliqueSet, Failure> {
    let name = json::text(object, "/metadata/name");
    let set = PodCliqueSet::deserialize(object).map_err(|error| {
        let problem = lint::find_first_error(object)
            .map_or_else(|| error.to_string(), |remark| remark.to_string());
        bad(format!(
            "{file}: podcliqueset {name}: {problem}; `kubectl grove lint FILE` lists all errors"
        ))
    })?;
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

/// Nodes and their pods from a dump.
pub fn read_dump(text: &str, file: &str) -> Result<ClusterSnapshot, Failure> {
    let (mut nodes, mut pods, mut topologies) = (Vec::new(), Vec::new(), Vec::new());
    for object in parse_dump(file, text)? {
        match json::text(&object, "/kind") {
            "Node" => nodes.push(decode::<NodeObject>(&object, file)?),
            "Pod" => {
                let pod = BoundPod::of(decode::<PodObject>(&object, file)?);
                pods.extend(pod.map_err(|error| bad(format!("{file}: {error}")))?);
            }
            "ClusterTopologyBinding" => {
                topologies.push(decode::<ClusterTopologyBinding>(&object, file)?);
            }
            _ => {}
        }
    }
    if nodes.is_empty() {
        return Err(bad(format!(
            "{file} has no nodes; make it with `kubectl get nodes,pods -A -o json`"
        )));
    }
    ClusterSnapshot::of(nodes, pods, topologies).map_err(|error| bad(format!("{file}: {error}")))
}

fn decode<T: DeserializeOwned>(object: &Value, file: &str) -> Result<T, Failure> {
    let kind = json::text(object, "/kind").to_lowercase();
    let name = json::text(object, "/metadata/name");
    let decoded = T::deserialize(object);
    decoded.map_err(|error| bad(format!("{file}: {kind} {name}: {error}")))
}

fn bad(text: String) -> Failure {
    Failure::BadInput(text)
}

/// The name of a set in messages.
pub fn name_of(set: &PodCliqueSet) -> &str {
    ownership::name(&set.metadata)
}
