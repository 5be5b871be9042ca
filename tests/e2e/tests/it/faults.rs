//! The API server misbehaves: the operator keeps working and blocks no other object.

mod answers;
mod gone;
mod hangs;
mod hidden;
mod neighbour;
mod sick;
mod throttled;
mod unreadable;
mod watches;

use std::collections::BTreeSet;

use serde_json::{Value, json};

use crate::harness::manifest::{clique, group, set};
use crate::harness::seen::index;
use crate::harness::{Namespace, Seen, same};

const PART_OF: &str = "app.kubernetes.io/part-of";

/// A clique of three pods, one of them required, and a group of two replicas of one pod.
pub fn service(name: &str) -> Value {
    let mut a = clique("a", 3);
    a["spec"]["minAvailable"] = 1.into();
    let mut service = set(name, &[a, clique("b", 1)], &[group("g", "b", 2, 1)]);
    // The label of the operator's objects for this set.
    service["metadata"]["labels"] = json!({PART_OF: name});
    service
}

/// Scales the clique and the group of the set.
fn scale(ns: &Namespace<'_>, set: &str, replicas: u32) {
    let (clique, group) = (format!("pclq/{set}-0-a"), format!("pcsg/{set}-0-g"));
    ns.kubectl(&["scale", &clique, &group, &format!("--replicas={replicas}")]);
}

/// Whether the clique and the group have that many replicas, all of them run, each index exists
/// once, and the statuses agree.
pub fn runs(seen: &Seen, set: &str, a: u32, g: u32) -> Result<(), String> {
    runs_with(seen, set, &(0..a).collect::<Vec<_>>(), g)
}

/// The same after scale-in, which keeps the older pods: in which second each of them was created decides.
fn runs_scaled_in(seen: &Seen, set: &str, a: u32, g: u32) -> Result<(), String> {
    let pods = seen.pods(&format!("{set}-0-a")).into_iter();
    let kept: BTreeSet<u32> = pods.map(index).collect();
    same("indices", &kept.len(), &usize::try_from(a).unwrap())?;
    runs_with(seen, set, &kept.into_iter().collect::<Vec<_>>(), g)
}

/// The same, with these indices of the clique.
fn runs_with(seen: &Seen, set: &str, a: &[u32], g: u32) -> Result<(), String> {
    let is = |kind: &str, name: &str, field: &str, count: u32| {
        let object = seen.one(kind, name)?;
        same(name, &object["status"][field], &count.into())
    };
    let clique = format!("{set}-0-a");
    let group = format!("{set}-0-g");
    let of_group = (0..g).map(|i| (format!("{group}-{i}-b"), &[0][..]));
    for (podclique, should) in [(clique, a)].into_iter().chain(of_group) {
        let indices: Vec<_> = seen.pods(&podclique).into_iter().map(index).collect();
        same(&podclique, &&indices[..], &should)?;
        let pods = u32::try_from(should.len()).unwrap();
        is("PodClique", &podclique, "readyReplicas", pods)?;
        let errors = &seen.one("PodClique", &podclique)?["status"]["lastErrors"];
        same(&podclique, errors, &Value::Null)?;
    }
    is("PodCliqueScalingGroup", &group, "availableReplicas", g)?;
    is("PodCliqueScalingGroup", &group, "replicas", g)?;
    is("PodCliqueSet", set, "availableReplicas", 1)?;
    let gang = |i: u32| match i {
        0 => format!("{set}-0"),
        i => format!("{set}-0-g-{}", i - 1),
    };
    (0..g).try_for_each(|i| seen.one("PodGang", &gang(i)).map(|_| ()))?;
    let of_set = |o: &&Value| o["metadata"]["labels"][PART_OF] == set;
    let count = |kind: &str| u32::try_from(seen.all(kind).into_iter().filter(of_set).count());
    let pods = u32::try_from(a.len()).unwrap() + g;
    same("pods", &count("Pod").unwrap(), &pods)?;
    same("gangs", &count("PodGang").unwrap(), &g)
}
