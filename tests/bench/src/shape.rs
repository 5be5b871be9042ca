//! The workloads: how many sets, replicas, cliques and pods.

use serde_json::{Value, json};

/// A number of PodCliqueSets that are alike.
#[derive(Clone, Debug)]
pub struct Shape {
    /// What it is called in the tables.
    pub title: String,
    /// PodCliqueSets.
    pub sets: u32,
    /// Replicas of each.
    pub replicas: u32,
    /// Cliques of each replica.
    pub cliques: u32,
    /// Pods of each clique.
    pub pods_of_clique: u32,
}

impl Shape {
    /// The workloads of a run whose largest has so many pods.
    pub fn all(pods: u32) -> [Self; 3] {
        let replicas = (pods / 2).max(1);
        let sets = (pods / 10).max(1);
        [
            Self::new(&format!("1 clique x {pods} pods"), [1, 1, 1, pods]),
            Self::new(
                &format!("{replicas} replicas x 2 pods"),
                [1, replicas, 1, 2],
            ),
            Self::new(
                &format!("{sets} sets x 2 cliques x 2 pods"),
                [sets, 1, 2, 2],
            ),
        ]
    }

    /// One set of so many replicas, each a gang of one clique of so many pods.
    pub fn of_gangs(gangs: u32, pods: u32) -> Self {
        Self::new("gangs", [1, gangs, 1, pods])
    }

    /// Gangs of 8 pods, each to be placed as a whole: 100 in a run whose largest workload has 1,000.
    pub fn of_eights(pods: u32) -> Self {
        let gangs = (pods / 10).max(1);
        Self::new(&format!("{gangs} gangs x 8 pods"), [1, gangs, 1, 8])
    }

    /// What one tenant creates beside another: 20 sets of so many pods each that a run whose
    /// largest workload has 1,000 pods gets 10,000.
    pub fn crowd(pods: u32) -> Self {
        let of_set = (pods / 2).max(1);
        Self::new(&format!("20 sets x {of_set} pods"), [20, 1, 1, of_set])
    }

    fn new(title: &str, [sets, replicas, cliques, pods_of_clique]: [u32; 4]) -> Self {
        Self {
            title: title.to_owned(),
            sets,
            replicas,
            cliques,
            pods_of_clique,
        }
    }

    /// A few pods of the same kind, to warm everything up.
    pub fn sample(&self) -> Self {
        Self {
            sets: self.sets.min(5),
            replicas: self.replicas.min(5),
            pods_of_clique: self.pods_of_clique.min(20),
            ..self.clone()
        }
    }

    /// Pods in all.
    pub fn pods(&self) -> u32 {
        self.pod_cliques() * self.pods_of_clique
    }

    fn pod_cliques(&self) -> u32 {
        self.sets * self.replicas * self.cliques
    }

    /// The least number of requests, which the limit driver sends: per set finalizer and 2 statuses;
    /// per replica Service, PodGang and 2 statuses; per PodClique its POST and 2 statuses; per pod
    /// POST and gate.
    pub fn least_requests(&self) -> u32 {
        3 * self.sets + 4 * self.sets * self.replicas + 3 * self.pod_cliques() + 2 * self.pods()
    }

    /// The manifests, as a user would write them.
    pub fn manifests(&self) -> Vec<Value> {
        let cliques: Vec<Value> = (0..self.cliques).map(|i| self.clique(i)).collect();
        let set = |index| {
            json!({
                "apiVersion": "grove.io/v1alpha1",
                "kind": "PodCliqueSet",
                "metadata": {"name": format!("set-{index}")},
                "spec": {"replicas": self.replicas, "template": {"cliques": cliques}},
            })
        };
        (0..self.sets).map(set).collect()
    }

    fn clique(&self, index: u32) -> Value {
        let name = format!("role-{index}");
        json!({
            "name": name,
            "spec": {
                "roleName": name,
                "replicas": self.pods_of_clique,
                "podSpec": {"containers": [{
                    "name": "main",
                    "image": "registry.k8s.io/pause:3.10",
                    "resources": {"requests": {"cpu": "10m", "memory": "16Mi"}},
                }]},
            },
        })
    }
}

#[cfg(test)]
mod tests {
    use super::Shape;

    #[test]
    fn least_requests_are_those_that_the_definition_gives() {
        let least = Shape::all(1000).map(|shape| (shape.pods(), shape.least_requests()));
        assert_eq!(least, [(1000, 2010), (1000, 5503), (400, 2100)]);
    }
}
