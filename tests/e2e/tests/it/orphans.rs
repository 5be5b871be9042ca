//! `kubectl delete --cascade=orphan`, and the fate of the orphans.

mod away;

use std::collections::BTreeSet;

use serde_json::{Value, json};

use crate::harness::manifest::{clique, group, set};
use crate::harness::seen::name;
use crate::harness::{Namespace, Seen, same};

#[test]
fn orphans_of_a_set_or_group_belong_to_its_successor() {
    let ns = Namespace::new("orphans");
    let service = service();
    ns.apply(&service);
    ns.until("it runs", runs);
    succeed(&ns, &service);
}

/// The successors know the attempts of their predecessors only from the PodCliques.
#[test]
fn orphans_of_a_terminated_set_belong_to_its_successor() {
    let ns = Namespace::new("orphans-terminated");
    let mut service = service();
    service["spec"]["template"]["terminationDelay"] = json!("2s");
    ns.apply(&service);
    ns.until("it runs", was_available);
    ns.break_pods("x-0-a");
    ns.until("the replica is terminated and runs again", |seen| {
        let attempts = &seen.one("PodCliqueSet", "x")?["status"]["replicaAttempts"];
        same("attempt", &attempts[0]["attempt"], &json!(1))?;
        was_available(seen)
    });
    ns.break_pods("x-0-g-1-b");
    ns.until("a group replica is terminated and runs again", |seen| {
        let group = seen.one("PodCliqueScalingGroup", "x-0-g")?;
        let attempts = &group["status"]["replicaAttempts"];
        same("attempt", &attempts[0]["attempt"], &json!(1))?;
        was_available(seen)
    });
    succeed(&ns, &service);
    ns.until("the fences followed the found attempts", |seen| {
        let set = seen.one("PodCliqueSet", "x")?;
        same(
            "set",
            &set["status"]["replicaAttempts"][0]["attempt"],
            &json!(1),
        )?;
        let group = seen.one("PodCliqueScalingGroup", "x-0-g")?;
        same(
            "group",
            &group["status"]["replicaAttempts"][0]["attempt"],
            &json!(1),
        )?;
        same("observed", &group["status"]["observedAttempt"], &json!(1))
    });
}

/// Two pods of a clique, and a group of two replicas of one pod.
fn service() -> Value {
    let cliques = [clique("a", 2), clique("b", 1)];
    set("x", &cliques, &[group("g", "b", 2, 1)])
}

/// It runs, and every PodClique has recorded that it was available.
fn was_available(seen: &Seen) -> Result<(), String> {
    runs(seen)?;
    let cliques = seen.all("PodClique").into_iter();
    let were: Vec<_> = cliques.map(|c| &c["status"]["wasAvailable"]).collect();
    same("wasAvailable", &were, &vec![&json!(true); were.len()])
}

/// The group and then the set are deleted, without their children, and each gets a successor.
fn succeed(ns: &Namespace<'_>, service: &Value) {
    let before = ns.until("it runs", |seen| {
        runs(seen)?;
        Ok(uids(seen, &["Pod", "PodClique", "PodGang"]))
    });
    wait_for_the_garbage_collector(ns);

    // The set recreates it by itself.
    let group = ns.until("it runs", |seen| Ok(uids(seen, &["PodCliqueScalingGroup"])));
    delete(ns, "pcsg/x-0-g");
    ns.until("the group is another, its replicas are the same", |seen| {
        runs(seen)?;
        let now = uids(seen, &["PodCliqueScalingGroup"]);
        same("kept groups", &now.intersection(&group).count(), &0)?;
        is_owned(seen, "PodClique", "x-0-g-0-b", "PodCliqueScalingGroup")?;
        is_owned(seen, "PodClique", "x-0-g-1-b", "PodCliqueScalingGroup")?;
        same(
            "uids",
            &uids(seen, &["Pod", "PodClique", "PodGang"]),
            &before,
        )
    });

    let kept = [
        "Pod",
        "PodClique",
        "PodGang",
        "PodCliqueScalingGroup",
        "Service",
    ];
    let before = ns.until("it runs", |seen| Ok(uids(seen, &kept)));
    delete(ns, "pcs/x");
    ns.until("only the set is gone", |seen| {
        seen.expect_names("PodCliqueSet", &[])?;
        same("uids", &uids(seen, &kept), &before)
    });
    ns.apply(service);
    ns.until("the set is another, all else is the same", |seen| {
        runs(seen)?;
        is_owned(seen, "PodCliqueScalingGroup", "x-0-g", "PodCliqueSet")?;
        is_owned(seen, "PodClique", "x-0-a", "PodCliqueSet")?;
        is_owned(seen, "Service", "x-0", "PodCliqueSet")?;
        is_owned(seen, "PodGang", "x-0", "PodCliqueSet")?;
        same("uids", &uids(seen, &kept), &before)
    });
}

/// The collector learns about new kinds half a minute after their definitions: then it collects
/// objects whose owner is gone.
pub fn wait_for_the_garbage_collector(ns: &Namespace<'_>) {
    let probes = json!({"apiVersion": "v1", "kind": "List", "items": [
        of_nobody("PodCliqueSet", &set("probe", &[clique("a", 1)], &[])["spec"]),
        of_nobody("PodCliqueScalingGroup", &json!({
            "replicas": 1, "minAvailable": 1, "cliqueNames": ["a"],
        })),
        of_nobody("PodClique", &clique("a", 1)["spec"]),
    ]});
    ns.apply(&probes);
    ns.until("objects without an owner are collected", |seen| {
        let mut left = seen.everything();
        left.retain(|object| name(object) == "probe");
        same("probes", &left.len(), &0)
    });
}

fn of_nobody(kind: &str, spec: &Value) -> Value {
    json!({
        "apiVersion": "grove.io/v1alpha1",
        "kind": kind,
        "metadata": {"name": "probe", "ownerReferences": [{
            "apiVersion": "v1", "kind": "ConfigMap", "name": "nobody",
            "uid": "00000000-0000-0000-0000-000000000000",
        }]},
        "spec": spec,
    })
}

fn delete(ns: &Namespace<'_>, what: &str) {
    ns.kubectl(&["delete", what, "--cascade=orphan", "--timeout=180s"]);
}

fn runs(seen: &Seen) -> Result<(), String> {
    seen.expect_ready_pods(4)?;
    seen.expect_names("PodClique", &["x-0-a", "x-0-g-0-b", "x-0-g-1-b"])?;
    seen.expect_names("PodGang", &["x-0", "x-0-g-0"])?;
    let group = &seen.one("PodCliqueScalingGroup", "x-0-g")?["status"];
    same("availableReplicas", &group["availableReplicas"], &json!(2))?;
    let set = &seen.one("PodCliqueSet", "x")?["status"];
    same("availableReplicas", &set["availableReplicas"], &json!(1))
}

fn uids(seen: &Seen, kinds: &[&str]) -> BTreeSet<String> {
    let all = kinds.iter().flat_map(|kind| seen.all(kind));
    all.map(|o| o["metadata"]["uid"].to_string()).collect()
}

/// Whether the object of that kind and name is controlled by the existing object of that kind.
pub fn is_owned(seen: &Seen, kind: &str, name: &str, owner: &str) -> Result<(), String> {
    let living = seen.all(owner);
    // Watches may not show a new object yet.
    let living = living.first().ok_or(format!("there is no {owner}"))?;
    let owner = living["metadata"]["uid"].clone();
    let owners = &seen.one(kind, name)?["metadata"]["ownerReferences"];
    let owners = owners.as_array().into_iter().flatten();
    let owners: Vec<_> = owners.map(|reference| reference["uid"].clone()).collect();
    same(name, &owners, &vec![owner])
}
