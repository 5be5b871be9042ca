//! The operator restores objects that a user deleted or changed.

use serde_json::{Value, json};

use crate::harness::manifest::{clique, group, set};
use crate::harness::seen::name;
use crate::harness::{Namespace, Seen, same, subset};

const OF_SET: &str = "--selector=app.kubernetes.io/part-of=svc";

#[test]
fn objects_deleted_by_hand_come_back() {
    let ns = Namespace::new("deleted");
    ns.apply(&service());
    let kinds = [
        "Pod",
        "PodGang",
        "Service",
        "PodClique",
        "PodCliqueScalingGroup",
    ];
    for kind in kinds {
        let before = ns.until("it runs", |seen| {
            runs(seen).map(|()| identities(seen, kind))
        });
        ns.kubectl(&["delete", kind, OF_SET, "--timeout=180s"]);
        ns.until(kind, |seen| {
            runs(seen)?;
            let now = identities(seen, kind);
            same("how many", &now.len(), &before.len())?;
            let kept: Vec<_> = now.iter().filter(|one| before.contains(one)).collect();
            same("those that were deleted", &kept, &vec![])
        });
    }
}

#[test]
fn edits_are_reverted_and_foreign_content_stays() {
    let ns = Namespace::new("changed");
    ns.apply(&service());
    ns.until("it runs", runs);
    for kind in ["pclq", "pcsg", "pg", "services"] {
        let labels = ["app.kubernetes.io/component=wrong", "example.com/mine=kept"];
        ns.kubectl(&[&["label", kind, OF_SET, "--overwrite"], &labels[..]].concat());
    }
    change(
        &ns,
        "service",
        "svc-0",
        &json!({"spec": {"publishNotReadyAddresses": false}}),
    );
    change(
        &ns,
        "pclq",
        "svc-0-a",
        &json!({"spec": {"roleName": "wrong"}}),
    );

    ns.until("all is as it was, with the foreign label", |seen| {
        for (kind, component) in [
            ("PodClique", "podclique"),
            ("PodCliqueScalingGroup", "pcs-podcliquescalinggroup"),
            ("PodGang", "podgang"),
            ("Service", "pcs-headless-service"),
        ] {
            seen.all(kind)
                .iter()
                .try_for_each(|object| is_labelled(object, component))?;
        }
        let has =
            |kind: &str, name: &str, should: Value| subset(name, seen.one(kind, name)?, &should);
        has(
            "Service",
            "svc-0",
            json!({"spec": {"publishNotReadyAddresses": true}}),
        )?;
        has(
            "PodCliqueScalingGroup",
            "svc-0-bs",
            json!({"spec": {"minAvailable": 1}}),
        )?;
        has("PodClique", "svc-0-a", json!({"spec": {"roleName": "a"}}))?;
        runs(seen)
    });
}

fn service() -> Value {
    let cliques = [clique("a", 2), clique("b", 1)];
    set("svc", &cliques, &[group("bs", "b", 2, 1)])
}

fn runs(seen: &Seen) -> Result<(), String> {
    seen.expect_ready_pods(4)?;
    seen.expect_names("PodGang", &["svc-0", "svc-0-bs-0"])?;
    let status = &seen.one("PodCliqueSet", "svc")?["status"];
    same("availableReplicas", &status["availableReplicas"], &json!(1))
}

fn identities(seen: &Seen, kind: &str) -> Vec<String> {
    seen.all(kind)
        .iter()
        .map(|object| object["metadata"]["uid"].to_string())
        .collect()
}

fn is_labelled(object: &Value, component: &str) -> Result<(), String> {
    let labels = &object["metadata"]["labels"];
    let is = labels["app.kubernetes.io/component"]
        .as_str()
        .unwrap_or_default();
    if !is.ends_with(component) {
        return Err(format!("component of {} is {is}", name(object)));
    }
    same(name(object), &labels["example.com/mine"], &json!("kept"))
}

fn change(ns: &Namespace<'_>, kind: &str, name: &str, patch: &Value) {
    let patch = format!("--patch={patch}");
    ns.kubectl(&["patch", kind, name, "--type=merge", &patch]);
}
