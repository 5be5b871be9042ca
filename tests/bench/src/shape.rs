//! The workloads: how many sets, replicas, cliques and pods.

mod manifest;

/// A number of PodCliqueSets that are alike.
#[derive(Clone, Debug)]
pub struct Shape {
    /// What it is called in the tables.
    pub title: String,
    /// PodCliqueSets.
    pub sets: u32,
    /// Replicas of each.
    pub replicas: u32,
    /// Pods of each clique of a replica.
    pub cliques: Vec<u32>,
    /// The cliques are a scaling group. It has one replica when all begins, which is Ready before
    /// anything is measured, and is then scaled to so many.
    pub scaled_to: Option<u32>,
}

impl Shape {
    /// The workloads of a run whose largest has so many pods.
    pub fn all(pods: u32) -> [Self; 4] {
        let replicas = (pods / 2).max(1);
        let sets = (pods / 10).max(1);
        [
            Self::new(&format!("1 clique x {pods} pods"), [1, 1], &[pods]),
            Self::new(
                &format!("{replicas} replicas x 2 pods"),
                [1, replicas],
                &[2],
            ),
            Self::new(
                &format!("{sets} sets x 2 cliques x 2 pods"),
                [sets, 1],
                &[2, 2],
            ),
            Self::scaled((pods / 10).max(2)),
        ]
    }

    /// A scaling group of a leader and three workers that is scaled from one replica to so many.
    fn scaled(replicas: u32) -> Self {
        Self {
            scaled_to: Some(replicas),
            ..Self::new(&format!("group 1 to {replicas} x 4 pods"), [1, 1], &[1, 3])
        }
    }

    /// One set of so many replicas, each a gang of one clique of so many pods.
    pub fn of_gangs(gangs: u32, pods: u32) -> Self {
        Self::new("gangs", [1, gangs], &[pods])
    }

    /// So many sets of one clique of so many pods.
    pub fn of_sets(sets: u32, pods: u32) -> Self {
        Self::new("sets", [sets, 1], &[pods])
    }

    /// Gangs of 8 pods, each to be placed as a whole: 100 in a run whose largest workload has 1,000.
    pub fn of_eights(pods: u32) -> Self {
        let gangs = (pods / 10).max(1);
        Self::new(&format!("{gangs} gangs x 8 pods"), [1, gangs], &[8])
    }

    /// What one tenant creates beside another: 20 sets of so many pods each that a run whose
    /// largest workload has 1,000 pods gets 10,000.
    pub fn crowd(pods: u32) -> Self {
        let of_set = (pods / 2).max(1);
        Self::new(&format!("20 sets x {of_set} pods"), [20, 1], &[of_set])
    }

    /// What is at rest: 10,000 PodCliques and 20,000 pods in a run whose largest workload has 1,000.
    pub fn at_rest(pods: u32) -> Self {
        let sets = (pods / 2).max(1);
        let shape = Self::new("", [sets, 20], &[2]);
        Self {
            title: format!("{} pods at rest", shape.pods()),
            ..shape
        }
    }

    fn new(title: &str, [sets, replicas]: [u32; 2], cliques: &[u32]) -> Self {
        Self {
            title: title.to_owned(),
            sets,
            replicas,
            cliques: cliques.to_vec(),
            scaled_to: None,
        }
    }

    /// A few pods of the same kind, to warm everything up.
    pub fn sample(&self) -> Self {
        Self {
            sets: self.sets.min(5),
            replicas: self.replicas.min(5),
            cliques: self.cliques.iter().map(|pods| *pods.min(&20)).collect(),
            scaled_to: self.scaled_to.map(|replicas| replicas.min(5)),
            ..self.clone()
        }
    }

    /// Pods in the end.
    pub fn pods(&self) -> u32 {
        self.pods_at_first() * self.scaled_to.unwrap_or(1)
    }

    /// Pods that are Ready before anything is measured.
    pub fn pods_before(&self) -> u32 {
        self.scaled_to.map_or(0, |_| self.pods_at_first())
    }

    /// Pods that are measured.
    pub fn pods_measured(&self) -> u32 {
        self.pods() - self.pods_before()
    }

    /// Whether it is one clique of pods and nothing else.
    pub fn is_one_clique(&self) -> bool {
        self.scaled_to.is_none() && self.pod_cliques() == 1
    }

    fn pods_at_first(&self) -> u32 {
        self.sets * self.replicas * self.pods_of_replica()
    }

    fn pods_of_replica(&self) -> u32 {
        self.cliques.iter().sum()
    }

    fn cliques_of_replica(&self) -> u32 {
        u32::try_from(self.cliques.len()).unwrap_or(u32::MAX)
    }

    fn pod_cliques(&self) -> u32 {
        self.sets * self.replicas * self.cliques_of_replica()
    }

    /// The least number of requests, which the limit driver sends: per set finalizer and 2 statuses;
    /// per replica Service, PodGang and 2 statuses; per PodClique its POST and 2 statuses; per pod
    /// POST and gate. Of a scaling: 2 statuses of set and group; per replica of the group that
    /// comes, its PodGang, PodCliques and pods as above.
    pub fn least_requests(&self) -> u32 {
        if let Some(replicas) = self.scaled_to {
            let of_replica = 3 + 3 * self.cliques_of_replica() + 2 * self.pods_of_replica();
            return 4 + (replicas - 1) * of_replica;
        }
        3 * self.sets + 4 * self.sets * self.replicas + 3 * self.pod_cliques() + 2 * self.pods()
    }
}

#[cfg(test)]
mod tests {
    use super::Shape;

    #[test]
    fn least_requests_are_those_that_the_definition_gives() {
        let least = Shape::all(1000).map(|shape| (shape.pods_measured(), shape.least_requests()));
        assert_eq!(
            least,
            [(1000, 2010), (1000, 5503), (400, 2100), (396, 1687)]
        );
    }

    #[test]
    fn of_a_group_that_is_scaled_one_replica_is_there_before() {
        let [.., group] = Shape::all(1000);
        assert_eq!((group.pods_before(), group.pods()), (4, 400));
        assert_eq!(group.sample().pods(), 20);
    }
}
