//! Reads the objects of the whole cluster that topology constraints need.

use api::ClusterTopologyBinding;
use domain::object::ownership;
use k8s_openapi::api::core::v1::Node;
use kube::core::ApiResource;
use serde_json::{Value, json};

use super::Surroundings;
use crate::cluster::Cluster;
use crate::exit::Failure;
use crate::json;
use crate::plan::changes::StoredWorkload;

const API_VERSION: &str = "grove.io/v1alpha1";
const KIND: &str = "ClusterTopologyBinding";

impl Surroundings {
    /// The bindings in a file.
    pub fn of_file(objects: &[Value]) -> Result<Self, Failure> {
        let mut found = Self::default();
        let is_binding = |object: &&Value| {
            json::text(object, "/kind") == KIND && json::text(object, "/apiVersion") == API_VERSION
        };
        for object in objects.iter().filter(is_binding) {
            found.add(decode(object)?);
        }
        Ok(found)
    }

    /// With the bindings of a cluster, of which there are no others. The file is about to replace
    /// those of the same name.
    #[must_use]
    pub fn with_bindings(mut self, bindings: Vec<ClusterTopologyBinding>) -> Self {
        self.are_all_known = true;
        for binding in bindings {
            let name = ownership::name(&binding.metadata).to_owned();
            self.bindings.entry(name).or_insert(binding);
        }
        self
    }

    /// With the nodes of a cluster.
    #[must_use]
    pub fn with_nodes(self, nodes: &[Value]) -> Self {
        Self {
            nodes: Some(nodes.iter().map(shorten).collect()),
            ..self
        }
    }

    /// With the bindings and nodes of the cluster, if the set in the file or the stored one has
    /// constraints.
    pub(in crate::plan) async fn in_cluster_of(
        self,
        set: &Value,
        found: Option<&StoredWorkload>,
        cluster: &Cluster,
    ) -> Self {
        if is_constrained(set) || found.is_some_and(|found| is_constrained(&found.set)) {
            self.in_cluster(cluster).await
        } else {
            self
        }
    }

    /// The user may have no right to read them.
    async fn in_cluster(self, cluster: &Cluster) -> Self {
        let bindings = cluster.list_everywhere::<ClusterTopologyBinding>("").await;
        let resource = ApiResource::erase::<Node>(&());
        let nodes = cluster.list_raw(&resource, None, "").await;
        let known = match bindings {
            Ok(bindings) => self.with_bindings(bindings),
            Err(failure) => Self {
                unread_bindings: Some(failure.to_string()),
                ..self
            },
        };
        match nodes {
            Ok(nodes) => known.with_nodes(&nodes),
            Err(failure) => Self {
                unread_nodes: Some(failure.to_string()),
                ..known
            },
        }
    }

    fn add(&mut self, binding: ClusterTopologyBinding) {
        let name = ownership::name(&binding.metadata).to_owned();
        self.bindings.insert(name, binding);
    }
}

/// Whether a set, as it is written, has topology constraints.
fn is_constrained(set: &Value) -> bool {
    let has_one = |part: &Value| !json::at(part, "/topologyConstraint").is_null();
    let template = json::at(set, "/spec/template");
    let cliques = json::items(template, "/cliques");
    let groups = json::items(template, "/podCliqueScalingGroups");
    let of_all = |group: &Value| !json::at(group, "/allReplicasTopologyConstraint").is_null();
    let mut of_groups = groups.map(|group| has_one(group) || of_all(group));
    let mut of_cliques = cliques.map(has_one);
    has_one(template) || of_groups.any(|is| is) || of_cliques.any(|is| is)
}

fn decode(object: &Value) -> Result<ClusterTopologyBinding, Failure> {
    let name = json::meta(object, "name");
    serde_path_to_error::deserialize(object).map_err(|error| {
        let (path, error) = (error.path().to_string(), error.into_inner());
        Failure::BadInput(format!(
            "clustertopologybinding {name}: {path}: {error}; correct this field"
        ))
    })
}

/// The name and the labels of a node.
fn shorten(node: &Value) -> Value {
    json!({"metadata": {
        "name": json::meta(node, "name"),
        "uid": json::meta(node, "uid"),
        "resourceVersion": json::meta(node, "resourceVersion"),
        "labels": json::at(node, "/metadata/labels"),
    }})
}
