//! Gang termination at its three levels (docs/semantics.md §3). Tests break pods by hand. A second
//! set shows that something does *not* happen: its delay is longer, and it was terminated
//! meanwhile.

mod broken;
mod delay;
mod group;
mod nothing;
mod restarts;

use std::collections::BTreeMap;

use serde_json::{Value, json};

use crate::harness::manifest::{clique, group, set};
use crate::harness::namespace::unready;
use crate::harness::seen::{index, name};
use crate::harness::{Namespace, Seen, condition, same};

pub use delay::fence_times;

/// A set with that delay.
fn terminating(name: &str, delay: &str, cliques: &[Value], groups: &[Value]) -> Value {
    let mut pcs = set(name, cliques, groups);
    pcs["spec"]["template"]["terminationDelay"] = json!(delay);
    pcs
}

/// One clique of two pods, both required.
fn pair(name: &str, delay: &str) -> Value {
    terminating(name, delay, &[clique("a", 2)], &[])
}

/// A standalone clique of two pods and a group of two replicas of one pod.
fn service(name: &str, delay: &str, group_minimum: u32) -> Value {
    let groups = [group("g", "b", 2, group_minimum)];
    terminating(name, delay, &[clique("a", 2), clique("b", 1)], &groups)
}

/// The pod of that index, and its PodClique, become unready. Returns the name of the pod.
fn break_pod(ns: &Namespace<'_>, podclique: &str, pod: u32) -> String {
    let broken = ns.until("the pod is there", |seen| {
        let pods = seen.pods(podclique);
        let found = pods.into_iter().find(|p| index(p) == pod);
        found
            .map(|p| name(p).to_owned())
            .ok_or_else(|| format!("no pod {pod} of {podclique}"))
    });
    let patch = format!("--patch={}", unready());
    ns.kubectl(&["patch", "pod", &broken, "--subresource=status", &patch]);
    broken
}

/// The uids of PodCliques, by name.
pub type Uids = BTreeMap<String, String>;

pub fn uids(seen: &Seen, prefix: &str) -> Uids {
    let all = seen.all("PodClique").into_iter();
    let uid = |c: &Value| c["metadata"]["uid"].as_str().unwrap().to_owned();
    all.filter(|c| name(c).starts_with(prefix))
        .map(|c| (name(c).to_owned(), uid(c)))
        .collect()
}

/// The PodCliques have the same names, and all are new objects.
fn is_new(seen: &Seen, prefix: &str, old: &Uids) -> Result<(), String> {
    let now = uids(seen, prefix);
    same("PodCliques", &keys(&now), &keys(old))?;
    let kept: Vec<_> = now.iter().filter(|(k, uid)| old[*k] == **uid).collect();
    same("old PodCliques", &kept, &vec![])
}

fn keys(uids: &Uids) -> Vec<&String> {
    uids.keys().collect()
}

/// How often each replica was terminated, from the object's status.
fn attempts(object: &Value) -> Vec<(i64, i64)> {
    let entries = object["status"]["replicaAttempts"].as_array();
    let number = |entry: &Value, key: &str| entry[key].as_i64().unwrap();
    let pair = |entry: &Value| (number(entry, "replica"), number(entry, "attempt"));
    entries.into_iter().flatten().map(pair).collect()
}

pub fn attempts_of(seen: &Seen, kind: &str, name: &str) -> Result<Vec<(i64, i64)>, String> {
    Ok(attempts(seen.one(kind, name)?))
}

/// Everything of the set is Ready and was available once.
pub fn runs(seen: &Seen, set: &str, replicas: usize) -> Result<(), String> {
    let cliques = seen.all("PodClique").into_iter();
    for podclique in cliques.filter(|c| name(c).starts_with(&format!("{set}-"))) {
        let status = &podclique["status"];
        let wanted = &podclique["spec"]["replicas"];
        same(name(podclique), &status["readyReplicas"], wanted)?;
        same(name(podclique), &status["wasAvailable"], &json!(true))?;
    }
    let status = &seen.one("PodCliqueSet", set)?["status"];
    same(set, &status["availableReplicas"], &replicas.into())
}

/// Applies the sets and waits until they run, with that many replicas each.
pub fn started(ns: &Namespace<'_>, sets: &[(Value, usize)]) {
    for (manifest, _) in sets {
        ns.apply(manifest);
    }
    ns.until("all run", |seen| {
        sets.iter()
            .try_for_each(|(manifest, replicas)| runs(seen, name(manifest), *replicas))
    });
}

/// The breach of an object, as `status/reason`.
pub fn breach(object: &Value) -> String {
    condition(object, "MinAvailableBreached")
}

/// From now on no pod can be created in the namespace.
fn close(ns: &Namespace<'_>) {
    ns.apply(&json!({
        "apiVersion": "v1",
        "kind": "ResourceQuota",
        "metadata": {"name": "closed"},
        "spec": {"hard": {"pods": "0"}},
    }));
    ns.until("the quota counts", |_| {
        let hard = [
            "get",
            "quota",
            "closed",
            "--output=jsonpath={.status.hard.pods}",
        ];
        same("quota", &ns.kubectl(&hard), &"0".to_owned())
    });
}
