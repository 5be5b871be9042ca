//! Manifests of a user.

use serde_json::{Value, json};

use super::Shape;

/// The ClusterTopologyBinding of shapes whose pods should share a rack.
pub const TOPOLOGY: &str = "bench";

/// Its levels are those of the labels of the nodes.
pub fn topology() -> Value {
    json!({
        "apiVersion": "grove.io/v1alpha1",
        "kind": "ClusterTopologyBinding",
        "metadata": {"name": TOPOLOGY},
        "spec": {"levels": [
            {"domain": "zone", "key": "topology.kubernetes.io/zone"},
            {"domain": "rack", "key": "topology.kubernetes.io/rack"},
        ]},
    })
}

/// The scaling group of a shape that has one.
pub const GROUP: &str = "workers";

impl Shape {
    /// The manifests, as a user would write them.
    pub fn manifests(&self) -> Vec<Value> {
        let mut cliques: Vec<Value> = (0..).zip(&self.cliques).map(clique).collect();
        if self.prefers_rack {
            cliques.iter_mut().for_each(prefer_rack);
        }
        let mut template = json!({"cliques": cliques});
        if let (Some(_), Some(template)) = (self.scaled_to, template.as_object_mut()) {
            let names: Vec<String> = (0..self.cliques.len()).map(role).collect();
            let group = json!({"name": GROUP, "cliqueNames": names, "replicas": 1});
            template.insert("podCliqueScalingGroups".into(), json!([group]));
        }
        let set = |index| {
            json!({
                "apiVersion": "grove.io/v1alpha1",
                "kind": "PodCliqueSet",
                "metadata": {"name": set_name(index)},
                "spec": {"replicas": self.replicas, "template": template},
            })
        };
        (0..self.sets).map(set).collect()
    }

    /// The scaled PodCliqueScalingGroups, and their numbers of replicas.
    pub fn scalings(&self) -> Vec<(String, u32)> {
        let Some(to) = self.scaled_to else {
            return Vec::new();
        };
        let replicas = |set| (0..self.replicas).map(move |index| (set, index));
        let names = (0..self.sets).flat_map(replicas);
        names
            .map(|(set, index)| (format!("{}-{index}-{GROUP}", set_name(set)), to))
            .collect()
    }
}

fn prefer_rack(clique: &mut Value) {
    if let Some(fields) = clique.as_object_mut() {
        let constraint = json!({"topologyName": TOPOLOGY, "pack": {"preferred": "rack"}});
        fields.insert("topologyConstraint".into(), constraint);
    }
}

fn set_name(index: u32) -> String {
    format!("set-{index}")
}

fn role(index: usize) -> String {
    format!("role-{index}")
}

fn clique((index, pods): (usize, &u32)) -> Value {
    let name = role(index);
    json!({
        "name": name,
        "spec": {
            "roleName": name,
            "replicas": pods,
            "podSpec": {"containers": [{
                "name": "main",
                "image": "registry.k8s.io/pause:3.10",
                "resources": {"requests": {"cpu": "10m", "memory": "16Mi"}},
            }]},
        },
    })
}

#[cfg(test)]
mod tests {
    use super::Shape;

    #[test]
    fn pods_prefer_a_rack_where_the_shape_does() {
        let at = "/spec/template/cliques/0/topologyConstraint/pack/preferred";
        let of = |shape: &Shape| shape.manifests()[0].pointer(at).cloned();
        assert_eq!(of(&Shape::of_packed_eights(100)), Some("rack".into()));
        assert_eq!(of(&Shape::of_eights(100)), None);
    }

    #[test]
    fn a_group_begins_with_one_replica_and_is_scaled() {
        let [.., group] = Shape::all(1000);
        let set = &group.manifests()[0]["spec"]["template"];
        assert_eq!(set["podCliqueScalingGroups"][0]["replicas"], 1);
        assert_eq!(set["cliques"][1]["spec"]["replicas"], 3);
        assert_eq!(group.scalings(), [("set-0-0-workers".to_owned(), 100)]);
    }
}
