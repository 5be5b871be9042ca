//! The updated parts.

use serde_json::{Value, json};
use sim::store::Record;
use sim::{Call, Resource, Store, view};
use testkit::builders::{SetBuilder, set};

use super::graphs::{COHERENT_SET, PAIR, Part, SURGING_PAIR, TRIO};
use super::{has_version, set_id};
use crate::scenarios::{manifest, scale};

/// A part whose units are replaced.
#[derive(Debug)]
pub struct Shape {
    pub name: &'static str,
    pub build: fn() -> SetBuilder,
    /// Its units, of one pod each: pods, group replicas, or replicas of the set.
    pub pods: usize,
    /// The object that is scaled; of several parts that of the first group in the template.
    pub scaled: (Resource, &'static str),
    /// `rollingUpdate.maxSurge`; of several parts their sum.
    pub surge: usize,
    /// `rollingUpdate.maxUnavailable`; of several parts the largest one.
    pub max_unavailable: usize,
    /// Whether all units are required: a surge unit whose room an ordinary one waits for serves on.
    pub is_whole: bool,
    /// Whether the strategy is `Coherent`.
    pub is_coherent: bool,
    /// Its cliques and groups, if it has several.
    pub parts: &'static [Part],
}

/// Four pods, of which two are required.
const CLIQUE: Shape = Shape {
    name: "clique",
    build: || set("svc").clique("a", |c| c.replicas(4).min(2)),
    pods: 4,
    scaled: (Resource::PodClique, "svc-0-a"),
    surge: 0,
    max_unavailable: 1,
    is_whole: false,
    is_coherent: false,
    parts: &[],
};

/// The same as replicas of a group.
const GROUP: Shape = Shape {
    name: "group",
    build: || {
        set("svc")
            .clique("a", |c| c)
            .group("g", ["a"], |g| g.replicas(4).min(2))
    },
    scaled: (Resource::PodCliqueScalingGroup, "svc-0-g"),
    ..CLIQUE
};

/// Three steps of two pods.
const COHERENT_CLIQUE: Shape = Shape {
    name: "coherent clique",
    build: || set("svc").clique("a", |c| c.replicas(6).min(2)),
    pods: 6,
    max_unavailable: 2,
    is_coherent: true,
    ..CLIQUE
};

/// The same as replicas of a group.
pub const COHERENT_GROUP: Shape = Shape {
    name: "coherent group",
    build: || {
        set("svc")
            .clique("a", |c| c)
            .group("g", ["a"], |g| g.replicas(6).min(2))
    },
    scaled: (Resource::PodCliqueScalingGroup, "svc-0-g"),
    ..COHERENT_CLIQUE
};

/// A clique, a group, a set of three replicas: one unit may be down. Then cliques and groups with
/// one surge unit, with all units required or without, coherent ones, of which two units may be down, and
/// coherent ones of several parts, in one replica or in two, and with surge.
pub static SHAPES: [Shape; 14] = [
    COHERENT_CLIQUE,
    COHERENT_GROUP,
    Shape {
        name: "coherent group with surge",
        surge: 2,
        ..COHERENT_GROUP
    },
    CLIQUE,
    GROUP,
    Shape {
        name: "set",
        build: || set("svc").replicas(3).clique("a", |c| c),
        pods: 3,
        scaled: (Resource::PodCliqueSet, "svc"),
        ..CLIQUE
    },
    Shape {
        name: "clique with surge",
        surge: 1,
        ..CLIQUE
    },
    Shape {
        name: "group with surge",
        surge: 1,
        ..GROUP
    },
    Shape {
        name: "whole clique with surge",
        is_whole: true,
        build: || set("svc").clique("a", |c| c.replicas(2)),
        pods: 2,
        surge: 1,
        ..CLIQUE
    },
    Shape {
        name: "whole group with surge",
        is_whole: true,
        build: || {
            set("svc")
                .clique("a", |c| c)
                .group("g", ["a"], |g| g.replicas(2).min(2))
        },
        pods: 2,
        surge: 1,
        ..GROUP
    },
    PAIR,
    TRIO,
    COHERENT_SET,
    SURGING_PAIR,
];

/// The shape of that name.
pub fn named(name: &str) -> &'static Shape {
    let mut shapes = SHAPES.iter();
    shapes.find(|shape| shape.name == name).unwrap()
}

/// A clique of one pod, a group of one replica, and a set of two such cliques, of which none may ever
/// be down.
pub static ENGINES: [Shape; 3] = [
    Shape {
        name: "clique that is never down",
        build: || set("svc").clique("a", |c| c.replicas(1)),
        pods: 1,
        surge: 1,
        max_unavailable: 0,
        ..CLIQUE
    },
    Shape {
        name: "group that is never down",
        build: || {
            set("svc")
                .clique("a", |c| c)
                .group("g", ["a"], |g| g.replicas(1).min(1))
        },
        pods: 1,
        surge: 1,
        max_unavailable: 0,
        ..GROUP
    },
    Shape {
        name: "set that is never down",
        build: || set("svc").replicas(2).clique("a", |c| c.replicas(1)),
        pods: 2,
        scaled: (Resource::PodCliqueSet, "svc"),
        surge: 1,
        max_unavailable: 0,
        ..CLIQUE
    },
];

impl Shape {
    /// Whether its units are replicas of the set.
    pub fn is_set(&self) -> bool {
        self.scaled.0 == Resource::PodCliqueSet
    }

    /// Places with which an update ends if surge units have found room before.
    pub fn enough_places(&self) -> usize {
        self.pods + if self.is_whole { self.surge } else { 0 }
    }

    /// Places for all pods.
    pub fn places(&self, more: i64) -> usize {
        usize::try_from(i64::try_from(self.pods).unwrap() + more).unwrap()
    }

    fn add_surge(&self, manifest: &mut Value) {
        let is_group = self.scaled.0 == Resource::PodCliqueScalingGroup;
        let parts = if is_group {
            "podCliqueScalingGroups"
        } else {
            "cliques"
        };
        if self.surge > 0 && self.parts.is_empty() {
            let rolling = json!({"maxSurge": self.surge, "maxUnavailable": self.max_unavailable});
            manifest["spec"]["template"][parts][0]["rollingUpdate"] = rolling;
        }
        if self.is_coherent {
            manifest["spec"]["updateStrategy"] = json!({"type": "Coherent"});
        }
    }

    /// Version 1.
    pub fn manifest(&self) -> Value {
        let mut manifest = manifest((self.build)());
        write_version(&mut manifest, "1");
        self.add_surge(&mut manifest);
        for part in self.parts {
            part.write_budget(&mut manifest);
        }
        manifest
    }

    /// The units of the object that is scaled.
    pub fn scaled_units(&self) -> usize {
        let others = self.parts.iter().filter(|part| part.object != self.scaled);
        self.pods - others.map(|part| part.units).sum::<usize>()
    }

    /// Scales it to that many units.
    pub fn scale(&self, store: &mut Store, units: usize) {
        let (resource, name) = self.scaled;
        let others = self.pods - self.scaled_units();
        let units = u32::try_from(units - others).unwrap();
        scale(store, resource, name, units);
    }
}

/// Whether exactly that many pods are Ready, all of this version.
pub fn runs(store: &Store, version: &str, pods: usize) -> Result<(), String> {
    let all: Vec<&Value> = store.all(Resource::Pod).map(|(_, pod)| &**pod).collect();
    let up = all
        .iter()
        .filter(|p| view::is_ready(p) && view::is_live(p))
        .filter(|p| has_version(p, version))
        .count();
    let others = all.iter().filter(|p| !has_version(p, version)).count();
    let runs = (up, others) == (pods, 0);
    runs.then_some(())
        .ok_or_else(|| format!("{up} of {pods} pods of version {version}, {others} others"))
}

/// Writes the version into the template of each clique.
pub fn write_version(set: &mut Value, version: &str) {
    let cliques = set["spec"]["template"]["cliques"].as_array_mut();
    for clique in cliques.into_iter().flatten() {
        clique["annotations"]["example.com/version"] = json!(version);
    }
}

/// The user writes another version.
pub fn edit(store: &mut Store, version: &str) {
    let found = store.get(&set_id()).unwrap();
    let mut next = json!({"spec": {"template": {"cliques": found["spec"]["template"]["cliques"]}}});
    write_version(&mut next, version);
    patch(store, next);
}

/// The user pauses the update, or ends the pause.
pub fn pause(store: &mut Store, is_paused: bool) {
    patch(
        store,
        json!({"spec": {"updateStrategy": {"paused": is_paused}}}),
    );
}

fn patch(store: &mut Store, next: Value) {
    let path = format!("{}/svc", Resource::PodCliqueSet.path("default"));
    let answer = store.handle("user", &Call::merge(&path, next));
    assert_eq!(answer.code, 200, "{:?}", answer.body);
}

pub fn has_new_pod(store: &Store) -> Result<(), String> {
    let mut pods = store.all(Resource::Pod);
    let has_one = pods.any(|(_, pod)| has_version(pod, "2"));
    has_one.then_some(()).ok_or_else(|| "none".to_owned())
}

/// Whether no pod of version 1 stays: the last unit is being replaced.
pub fn has_no_old_pod(store: &Store) -> Result<(), String> {
    let is_old = |pod: &Value| has_version(pod, "1") && view::is_live(pod);
    let old = store.all(Resource::Pod).filter(|(_, pod)| is_old(pod));
    let count = old.count();
    (count == 0)
        .then_some(())
        .ok_or_else(|| format!("{count} old pods stay"))
}

/// Whether a pod of version 1 is gone or about to go.
pub fn has_replaced_one(store: &Store) -> Result<(), String> {
    let is_going = |record: &Record| {
        let after = record.after.as_ref();
        record.id.resource == Resource::Pod
            && has_version(&record.last, "1")
            && after.is_none_or(|pod| view::is_terminating(pod))
    };
    store
        .log
        .iter()
        .any(is_going)
        .then_some(())
        .ok_or_else(|| "no old pod has gone".to_owned())
}

/// Whether the set reports that the update has ended.
pub fn has_ended(store: &Store) -> Result<(), String> {
    let set = store.get(&set_id()).unwrap();
    let progress = &set["status"]["updateProgress"];
    let has_ended = progress["updateEndedAt"].is_string();
    has_ended
        .then_some(())
        .ok_or_else(|| format!("{progress}; {}", conditions(set)))
}

fn conditions(set: &Value) -> String {
    let shown = view::list(set, "/status/conditions").map(|c| {
        format!(
            "{} {} {}: {}",
            c["type"], c["status"], c["reason"], c["message"]
        )
    });
    shown.collect::<Vec<_>>().join("; ")
}

/// Whether the conditions of the set have these words.
pub fn says(store: &Store, words: &[&str]) -> Result<(), String> {
    let text = conditions(store.get(&set_id()).unwrap());
    let lacks: Vec<_> = words.iter().filter(|word| !text.contains(**word)).collect();
    let says_all = lacks.is_empty();
    says_all
        .then_some(())
        .ok_or_else(|| format!("the set does not say {lacks:?}: {text}"))
}
