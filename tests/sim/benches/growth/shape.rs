//! Shapes of sets with many pods.

use std::collections::BTreeMap;

use serde_json::{Value, json};
use sim::{Id, Resource, Store, view};
use testkit::builders::set;

/// Namespaces of the users who share the cluster.
const NAMESPACES: usize = 10;

/// Sets of one clique.
pub struct Shape {
    pub title: &'static str,
    replicas: usize,
    /// Pods of a clique.
    pods: usize,
}

/// The measured shapes.
pub const SHAPES: [Shape; 2] = [
    Shape {
        title: "sets of 20 replicas x 2 pods",
        replicas: 20,
        pods: 2,
    },
    Shape {
        title: "sets of a clique of 250 pods",
        replicas: 1,
        pods: 250,
    },
];

impl Shape {
    /// A single clique with that many pods.
    pub fn clique(pods: usize) -> Self {
        Self {
            title: "one clique",
            replicas: 1,
            pods,
        }
    }

    /// Sets with that many pods in total.
    pub fn build(&self, pods: usize) -> Vec<Value> {
        let sets = 0..pods / (self.replicas * self.pods);
        sets.map(|number| self.build_set(number)).collect()
    }

    fn build_set(&self, number: usize) -> Value {
        let pods = i32::try_from(self.pods).unwrap();
        let built = set("any")
            .clique("a", |c| c.replicas(pods))
            .replicas(i32::try_from(self.replicas).unwrap());
        let mut manifest = json!(built.build());
        manifest["apiVersion"] = json!(Resource::PodCliqueSet.api_version());
        manifest["kind"] = json!("PodCliqueSet");
        let namespace = format!("team-{}", number % NAMESPACES);
        manifest["metadata"] = json!({"name": format!("set{number}"), "namespace": namespace});
        manifest
    }

    /// That many of the pods: all pods of some sets, which are far apart at every total number.
    /// Consecutive ones are of different cliques.
    pub fn pick(&self, store: &Store, count: usize) -> Vec<Id> {
        let mut sets = BTreeMap::<_, BTreeMap<_, Vec<&Id>>>::new();
        for (id, pod) in store.all(Resource::Pod) {
            let (_, clique, _) = view::owner(pod).unwrap();
            let cliques = sets.entry((&id.namespace, view::set_of(pod))).or_default();
            cliques.entry(clique).or_default().push(id);
        }
        let picked = count / (self.replicas * self.pods);
        let step = sets.len() / picked;
        let sets = sets.into_values().step_by(step).take(picked);
        let sets: Vec<Vec<Vec<&Id>>> = sets.map(|all| all.into_values().collect()).collect();
        let places =
            (0..self.pods).flat_map(|pod| (0..self.replicas).map(move |clique| (clique, pod)));
        let pods = places.flat_map(|(clique, pod)| sets.iter().map(move |set| set[clique][pod]));
        pods.cloned().collect()
    }
}
