//! Shapes of several parts that are updated together: decode and prefill of one model, and a router in
//! front of them.

use serde_json::{Value, json};
use sim::Resource;
use testkit::builders::set;

use super::shape::{COHERENT_GROUP, Shape};

/// A clique or group of a shape that has several, with units of one pod each.
#[derive(Clone, Copy, Debug)]
pub struct Part {
    /// Its object.
    pub object: (Resource, &'static str),
    /// Its units.
    pub units: usize,
    /// The units of a whole version.
    pub minimum: usize,
    /// `rollingUpdate.maxUnavailable`.
    pub max_unavailable: usize,
    /// `rollingUpdate.maxSurge`.
    pub surge: usize,
}

/// The default budget: a whole version.
pub const DECODE: Part = Part {
    object: (Resource::PodCliqueScalingGroup, "svc-0-d"),
    units: 4,
    minimum: 2,
    max_unavailable: 2,
    surge: 0,
};

/// One more than a whole version may be missing. A unit of decode that waits for a place takes the next
/// one that is free, also if it was that of a prefill unit that is being replaced.
pub const PREFILL: Part = Part {
    object: (Resource::PodCliqueScalingGroup, "svc-0-p"),
    units: 6,
    minimum: 2,
    max_unavailable: 3,
    surge: 0,
};

/// Two steps of two decode units, and three prefill units in each of them. Places are given in the order
/// of names, so it is prefill that lacks them in the end; and by its name it is a decode unit that is
/// lost first.
pub const PAIR: Shape = Shape {
    name: "coherent pair",
    build: || {
        set("svc")
            .clique("a", |c| c)
            .clique("b", |c| c)
            .group("p", ["b"], |g| g.replicas(6).min(2))
            .group("d", ["a"], |g| g.replicas(4).min(2))
    },
    pods: 10,
    scaled: PREFILL.object,
    max_unavailable: 3,
    parts: &[DECODE, PREFILL],
    ..COHERENT_GROUP
};

/// The same with surge for a whole version of both parts: the first new units are surge.
pub const SURGING_PAIR: Shape = Shape {
    name: "coherent pair with surge",
    surge: 4,
    parts: &[
        Part { surge: 2, ..DECODE },
        Part {
            surge: 2,
            ..PREFILL
        },
    ],
    ..PAIR
};

/// A router of ten pods, twenty decode and ten prefill units, in three steps. Losses of four places leave
/// some part with less than it may miss.
pub const TRIO: Shape = Shape {
    name: "coherent trio",
    build: || {
        set("svc")
            .clique("a", |c| c.replicas(10).min(2))
            .clique("b", |c| c)
            .clique("c", |c| c)
            .group("p", ["c"], |g| g.replicas(10).min(3))
            .group("d", ["b"], |g| g.replicas(20).min(3))
    },
    pods: 40,
    scaled: (Resource::PodCliqueScalingGroup, "svc-0-p"),
    max_unavailable: 4,
    parts: &[
        Part {
            object: (Resource::PodClique, "svc-0-a"),
            units: 10,
            minimum: 2,
            max_unavailable: 3,
            surge: 0,
        },
        Part {
            units: 20,
            minimum: 3,
            max_unavailable: 4,
            ..DECODE
        },
        Part {
            units: 10,
            minimum: 3,
            max_unavailable: 4,
            ..PREFILL
        },
    ],
    ..COHERENT_GROUP
};

/// Two replicas of a model, in three steps each. It is a unit of the second one that is scaled: it waits
/// while the first one has the turn. Without a place for a pod of the first one, a unit of the second one
/// that is being replaced loses its own, so one more than a whole version may be missing.
pub const COHERENT_SET: Shape = Shape {
    name: "coherent set",
    build: || {
        set("svc")
            .replicas(2)
            .clique("a", |c| c)
            .clique("b", |c| c)
            .group("d", ["a"], |g| g.replicas(3).min(1))
            .group("p", ["b"], |g| g.replicas(3).min(1))
    },
    pods: 12,
    scaled: (Resource::PodCliqueScalingGroup, "svc-1-d"),
    max_unavailable: 2,
    parts: &[
        small("svc-0-d"),
        small("svc-0-p"),
        small("svc-1-d"),
        small("svc-1-p"),
    ],
    ..COHERENT_GROUP
};

/// A group of three units, each a whole version of it.
const fn small(name: &'static str) -> Part {
    Part {
        object: (Resource::PodCliqueScalingGroup, name),
        units: 3,
        minimum: 1,
        max_unavailable: 2,
        surge: 0,
    }
}

impl Part {
    /// The name of its replica of the set.
    pub fn replica(&self) -> &'static str {
        self.object.1.rsplit_once('-').unwrap().0
    }

    /// Its name in the template.
    pub fn name(&self) -> &'static str {
        self.object.1.rsplit('-').next().unwrap()
    }

    /// Whether an object of this name is its own one, or belongs to it.
    pub fn has(&self, name: &str) -> bool {
        let rest = name.strip_prefix(self.object.1);
        rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('-'))
    }

    /// Whether the pod of this name is of a group replica in the base gang: while one of these is down,
    /// scaled gangs do not start, and the update has no steps.
    pub fn has_in_base(&self, pod: &str) -> bool {
        let index = self.replica_of(pod);
        index.is_some_and(|index| index < self.minimum)
    }

    /// Whether the pod of this name is of a group replica in a scaled gang.
    pub fn has_beyond_base(&self, pod: &str) -> bool {
        let index = self.replica_of(pod);
        index.is_some_and(|index| index >= self.minimum)
    }

    /// The index of the group replica to which the pod of this name belongs.
    fn replica_of(&self, pod: &str) -> Option<usize> {
        let is_group = self.object.0 == Resource::PodCliqueScalingGroup;
        let rest = pod.strip_prefix(self.object.1).filter(|_| is_group)?;
        rest.split('-').nth(1)?.parse().ok()
    }

    /// It alone, as if its set had no other part.
    pub fn alone(&self, shape: &Shape) -> Shape {
        Shape {
            pods: self.units,
            scaled: self.object,
            surge: self.surge,
            max_unavailable: self.max_unavailable,
            parts: &[],
            ..*shape
        }
    }

    /// Writes its budget into the manifest of the set.
    pub fn write_budget(&self, manifest: &mut Value) {
        let template = &mut manifest["spec"]["template"];
        for kind in ["cliques", "podCliqueScalingGroups"] {
            let configs = template[kind].as_array_mut().into_iter().flatten();
            for config in configs.filter(|config| config["name"] == self.name()) {
                config["rollingUpdate"] = json!({"maxUnavailable": self.max_unavailable});
                if self.surge > 0 {
                    config["rollingUpdate"]["maxSurge"] = json!(self.surge);
                }
            }
        }
    }
}
