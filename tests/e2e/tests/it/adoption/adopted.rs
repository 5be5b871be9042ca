//! The state once everything is adopted.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::meta::template_hash;
use crate::harness::seen::{listed, name};
use crate::harness::{Seen, condition, same};

const HASH: &str = "grove.io/pod-template-hash";

/// Uids by kind and name: a recreated object has another uid.
pub fn uids(seen: &Seen) -> BTreeMap<String, Value> {
    let uid = |o: &Value| {
        let called = format!("{}/{}", o["kind"].as_str().unwrap(), name(o));
        (called, o["metadata"]["uid"].clone())
    };
    seen.everything().into_iter().map(uid).collect()
}

/// Every earlier object still exists.
pub fn expect_kept(seen: &Seen, before: &BTreeMap<String, Value>) -> Result<(), String> {
    let now = uids(seen);
    let lost = before
        .iter()
        .filter(|(called, uid)| now.get(*called) != Some(uid));
    same("lost", &lost.count(), &0)
}

/// Every PodClique is up and has, like its pods, this operator's hash.
pub fn expect_podcliques(seen: &Seen) -> Result<(), String> {
    for podclique in seen.all("PodClique") {
        let called = name(podclique);
        let wanted = &podclique["spec"]["replicas"];
        let status = &podclique["status"];
        for count in [
            "replicas",
            "readyReplicas",
            "scheduledReplicas",
            "updatedReplicas",
        ] {
            same(&format!("{called} {count}"), &status[count], wanted)?;
        }
        same(called, &status["wasAvailable"], &json!(true))?;
        let is = |type_: &str| condition(podclique, type_);
        same(
            called,
            &is("MinAvailableBreached").as_str(),
            &"False/SufficientReadyPods",
        )?;
        same(
            called,
            &is("PodCliqueScheduled").as_str(),
            &"True/SufficientScheduledPods",
        )?;
        expect_hashes(seen, podclique)?;
    }
    Ok(())
}

/// The Go operator's hash is replaced and recorded; nothing is out of date because of it.
fn expect_hashes(seen: &Seen, podclique: &Value) -> Result<(), String> {
    let (called, meta) = (name(podclique), &podclique["metadata"]);
    let hash = &meta["labels"][HASH];
    expect_ours(called, hash)?;
    let theirs = template_hash(podclique["spec"]["roleName"].as_str().unwrap());
    let noted = &meta["annotations"]["grove.io/rebased-from-template-hash"];
    same(called, noted, &json!(theirs))?;
    same(called, &podclique["status"]["currentPodTemplateHash"], hash)?;
    let mut pods = seen.pods(called).into_iter();
    pods.try_for_each(|pod| same(name(pod), &pod["metadata"]["labels"][HASH], hash))
}

fn expect_ours(what: &str, hash: &Value) -> Result<(), String> {
    let is_ours = hash.as_str().is_some_and(|hash| hash.starts_with("r1"));
    is_ours
        .then_some(())
        .ok_or_else(|| format!("hash of {what} is {hash}"))
}

/// Set and group are available and up to date.
pub fn expect_parents(seen: &Seen, group_replicas: u32) -> Result<(), String> {
    let set = &seen.one("PodCliqueSet", "llm")?["status"];
    for count in ["replicas", "availableReplicas", "updatedReplicas"] {
        same(&format!("set's {count}"), &set[count], &json!(1))?;
    }
    same("phase", &set["phase"], &json!("Running"))?;
    same("errors", &set["lastErrors"], &Value::Null)?;
    let hash = &set["currentGenerationHash"];
    expect_ours("the set", hash)?;
    let group = seen.one("PodCliqueScalingGroup", "llm-0-model")?;
    let status = &group["status"];
    for count in [
        "replicas",
        "scheduledReplicas",
        "availableReplicas",
        "updatedReplicas",
    ] {
        same(
            &format!("group's {count}"),
            &status[count],
            &json!(group_replicas),
        )?;
    }
    same(
        "group's hash",
        &status["currentPodCliqueSetGenerationHash"],
        hash,
    )?;
    let breach = condition(group, "MinAvailableBreached");
    let reason = "False/SufficientAvailablePodCliqueScalingGroupReplicas";
    same("group", &breach.as_str(), &reason)
}

/// These gangs, and no other, run and list exactly the pods that exist.
pub fn expect_gangs(seen: &Seen, names: &[&str]) -> Result<(), String> {
    seen.expect_names("PodGang", names)?;
    for gang in seen.all("PodGang") {
        for (podclique, pods) in listed(gang) {
            let existing: Vec<_> = seen.pods(podclique).into_iter().map(name).collect();
            same(podclique, &pods, &existing)?;
        }
        same(name(gang), &gang["status"]["phase"], &json!("Running"))?;
        same(
            name(gang),
            &condition(gang, "Ready").as_str(),
            &"True/GuaranteedPodsReady",
        )?;
    }
    Ok(())
}
