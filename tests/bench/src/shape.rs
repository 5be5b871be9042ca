//! The workloads: how many sets, replicas, cliques and pods.

pub mod manifest;

/// A number of equal PodCliqueSets.
#[derive(Clone, Debug)]
pub struct Shape {
    /// Its title in the tables.
    pub title: String,
    /// PodCliqueSets.
    pub sets: u32,
    /// Replicas of each.
    pub replicas: u32,
    /// Pods of each clique of a replica.
    pub cliques: Vec<u32>,
    /// If set, the cliques are a scaling group. It has one replica at the start, which is Ready
    /// before the measurement, and is then scaled to this number.
    pub scaled_to: Option<u32>,
    /// Whether the pods of each clique should share a rack, by topology [`manifest::TOPOLOGY`].
    pub prefers_rack: bool,
}

impl Shape {
    /// The workloads of a run whose largest has that many pods.
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

    /// A scaling group of a leader and three workers that is scaled from one replica to that many.
    fn scaled(replicas: u32) -> Self {
        Self {
            scaled_to: Some(replicas),
            ..Self::new(&format!("group 1 to {replicas} x 4 pods"), [1, 1], &[1, 3])
        }
    }

    /// One set with that many replicas, each a gang of one clique with that many pods.
    pub fn of_gangs(gangs: u32, pods: u32) -> Self {
        Self::new("gangs", [1, gangs], &[pods])
    }

    /// That many sets of one clique with that many pods.
    pub fn of_sets(sets: u32, pods: u32) -> Self {
        Self::new("sets", [sets, 1], &[pods])
    }

    /// Gangs of 8 pods, each to be placed as a whole: 100 in a run whose largest workload has 1,000.
    pub fn of_eights(pods: u32) -> Self {
        let gangs = (pods / 10).max(1);
        Self::new(&format!("{gangs} gangs x 8 pods"), [1, gangs], &[8])
    }

    /// The same, and the pods of each gang should share a rack.
    pub fn of_packed_eights(pods: u32) -> Self {
        let shape = Self::of_eights(pods);
        Self {
            title: format!("{}, affinity to a rack", shape.title),
            prefers_rack: true,
            ..shape
        }
    }

    /// The workload of one tenant beside another: 20 sets, so large that a run whose largest
    /// workload has 1,000 pods creates 10,000.
    pub fn crowd(pods: u32) -> Self {
        let of_set = (pods / 2).max(1);
        Self::new(&format!("20 sets x {of_set} pods"), [20, 1], &[of_set])
    }

    /// The workload at rest: 10,000 PodCliques and 20,000 pods in a run whose largest workload has
    /// 1,000.
    pub fn at_rest(pods: u32) -> Self {
        let sets = (pods / 2).max(1);
        let shape = Self::new("", [sets, 20], &[2]);
        Self {
            title: format!("{} pods at rest", shape.pods()),
            ..shape
        }
    }

    /// The workload of an update: 100 replicas of one clique of 2 pods in a run whose largest workload
    /// has 1,000 pods.
    pub fn updated(pods: u32) -> Self {
        let replicas = (pods / 10).max(1);
        Self::new(
            &format!("update of {replicas} x 2 pods"),
            [1, replicas],
            &[2],
        )
    }

    fn new(title: &str, [sets, replicas]: [u32; 2], cliques: &[u32]) -> Self {
        Self {
            title: title.to_owned(),
            sets,
            replicas,
            cliques: cliques.to_vec(),
            scaled_to: None,
            prefers_rack: false,
        }
    }

    /// A few pods of the same kind, as a warm-up.
    pub fn sample(&self) -> Self {
        Self {
            sets: self.sets.min(5),
            replicas: self.replicas.min(5),
            cliques: self.cliques.iter().map(|pods| *pods.min(&20)).collect(),
            scaled_to: self.scaled_to.map(|replicas| replicas.min(5)),
            ..self.clone()
        }
    }

    /// Number of pods at the end.
    pub fn pods(&self) -> u32 {
        self.pods_at_first() * self.scaled_to.unwrap_or(1)
    }

    /// Number of pods that are Ready before the measurement.
    pub fn pods_before(&self) -> u32 {
        self.scaled_to.map_or(0, |_| self.pods_at_first())
    }

    /// Number of measured pods.
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

    /// The least number of requests, those of the limit driver: per set its finalizer and 2
    /// statuses; per replica Service, PodGang and 2 statuses; per PodClique its POST and 2
    /// statuses; per pod POST and gate. Of a scaling: 2 statuses of set and group; per new replica
    /// of the group its PodGang, PodCliques and pods as above.
    pub fn least_requests(&self) -> u32 {
        if let Some(replicas) = self.scaled_to {
            let of_replica = 3 + 3 * self.cliques_of_replica() + 2 * self.pods_of_replica();
            return 4 + (replicas - 1) * of_replica;
        }
        3 * self.sets + 4 * self.sets * self.replicas + 3 * self.pod_cliques() + 2 * self.pods()
    }

    /// The least number of requests of an update that replaces each replica as a whole, of one clique: per
    /// set the check of its template, the revision, and the status that begins the update; per replica the
    /// status of the set that ends its turn, PUT and 2 statuses of its PodClique, and of its PodGang; per
    /// pod DELETE, POST and gate.
    pub fn least_requests_of_update(&self) -> u32 {
        3 * self.sets + 7 * self.sets * self.replicas + 3 * self.pods()
    }
}

#[cfg(test)]
mod tests {
    use super::Shape;

    #[test]
    fn least_requests_follow_the_definition() {
        let least = Shape::all(1000).map(|shape| (shape.pods_measured(), shape.least_requests()));
        assert_eq!(
            least,
            [(1000, 2010), (1000, 5503), (400, 2100), (396, 1687)]
        );
    }

    #[test]
    fn least_requests_of_an_update_follow_the_definition() {
        let updated = Shape::updated(1000);
        assert_eq!(updated.title, "update of 100 x 2 pods");
        let least = (updated.pods(), updated.least_requests_of_update());
        assert_eq!(least, (200, 1303));
    }

    #[test]
    fn a_scaled_group_begins_with_one_replica() {
        let [.., group] = Shape::all(1000);
        assert_eq!((group.pods_before(), group.pods()), (4, 400));
        assert_eq!(group.sample().pods(), 20);
    }
}
