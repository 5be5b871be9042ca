//! Everything that was read for a bug report, unchanged.

use k8s_openapi::api::core::v1::Pod;
use kube::core::ApiResource;
use serde::de::DeserializeOwned;
use serde_json::Value;

use super::kinds;
use crate::json;
use crate::workload::Workload;

/// All objects and logs that were read.
#[derive(Clone, Debug, Default)]
pub struct Collected {
    /// Namespace of the set.
    pub namespace: String,
    /// Name of the set.
    pub name: String,
    /// The set and its objects, kind after kind.
    pub objects: Vec<CollectedKind>,
    /// Events about these, and about deleted objects of the set.
    pub events: Vec<Value>,
    /// Nodes that pods of the set are on.
    pub nodes: Vec<Value>,
    /// Pods of the operator.
    pub operator: Vec<Value>,
    /// Their log lines about the set.
    pub logs: Vec<Log>,
    /// Version of the API server; null if unknown.
    pub server: Value,
    /// Definitions of our kinds.
    pub definitions: Vec<Value>,
    /// Items that could not be read, with the reason: one line each.
    pub missing: Vec<String>,
}

/// Objects of one kind.
#[derive(Clone, Debug)]
pub struct CollectedKind {
    /// The kind.
    pub resource: ApiResource,
    /// The objects, by name.
    pub items: Vec<Value>,
}

/// Lines of the log of one container of the operator.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Log {
    /// `<namespace>.<pod>.<container>`, with `.previous` for the container before its last restart.
    pub name: String,
    /// Lines that name the set.
    pub lines: Vec<String>,
}

impl Collected {
    /// The same as other commands read it. The error names the part that cannot be decoded.
    pub fn to_workload(&self) -> Result<Workload, String> {
        let mut sets = self.decoded("podcliquesets")?.into_iter();
        Ok(Workload {
            set: sets.next().unwrap_or_default(),
            groups: self.decoded("podcliquescalinggroups")?,
            podcliques: self.decoded("podcliques")?,
            gangs: self.decoded("podgangs")?,
            pods: self.decoded::<Pod>("pods")?,
            ..Workload::default()
        })
    }

    fn decoded<K: DeserializeOwned>(&self, plural: &str) -> Result<Vec<K>, String> {
        self.objects
            .iter()
            .filter(|f| f.resource.plural == plural)
            .flat_map(|f| &f.items)
            .map(|item| {
                K::deserialize(item)
                    .map_err(|error| format!("{plural} {}: {error}", json::meta(item, "name")))
            })
            .collect()
    }

    /// All objects of the set.
    pub fn all_objects(&self) -> impl Iterator<Item = &Value> {
        self.objects.iter().flat_map(|found| &found.items)
    }

    /// Everything that was read from the cluster.
    pub fn all_values(&self) -> impl Iterator<Item = &Value> {
        let others = [&self.events, &self.nodes, &self.operator];
        self.all_objects().chain(others.into_iter().flatten())
    }

    /// Names of the nodes that its pods are on, each once.
    pub fn node_names(&self) -> Vec<String> {
        let pods = self
            .objects
            .iter()
            .filter(|f| f.resource == kinds::of::<Pod>());
        let mut names: Vec<String> = pods
            .flat_map(|f| &f.items)
            .filter_map(|pod| pod.pointer("/spec/nodeName")?.as_str())
            .map(str::to_owned)
            .collect();
        names.sort_unstable();
        names.dedup();
        names
    }
}
