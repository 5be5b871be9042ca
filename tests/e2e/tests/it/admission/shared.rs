//! Edits of a running set whose pods share claims.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use super::words::refusal;
use crate::harness::Namespace;
use crate::harness::manifest::{clique, group, set};
use crate::harness::site;
use crate::sharing::{CLASS, claims, expect_claims, install_devices, is_ready, template};

/// Where the set, its group and its clique list what their pods share: JSON pointer, path in messages,
/// name of the template and the scope.
const ENTRIES: [(&str, &str, &str, &str); 3] = [
    (
        "/spec/template/resourceSharing",
        "spec.template.resourceSharing",
        "net",
        "AllReplicas",
    ),
    (
        "/spec/template/podCliqueScalingGroups/0/resourceSharing",
        "spec.template.podCliqueScalingGroups[0].resourceSharing",
        "pool",
        "PerReplica",
    ),
    (
        "/spec/template/cliques/0/resourceSharing",
        "spec.template.cliques[0].resourceSharing",
        "own",
        "PerReplica",
    ),
];

fn entry(name: &str, scope: &str) -> Value {
    json!([{"name": name, "scope": scope}])
}

fn other(scope: &str) -> &str {
    if scope == "PerReplica" {
        "AllReplicas"
    } else {
        "PerReplica"
    }
}

/// A router and a group with one replica of a worker, which share claims at each level.
fn shared() -> Value {
    let cliques = [clique("router", 1), clique("worker", 1)];
    let mut pcs = set("svc", &cliques, &[group("instance", "worker", 1, 1)]);
    let names = ENTRIES.map(|(_, _, name, _)| template(name));
    pcs["spec"]["template"]["resourceClaimTemplates"] = json!(names);
    for (at, _, name, scope) in ENTRIES {
        put(&mut pcs, at, entry(name, scope));
    }
    pcs
}

fn put(pcs: &mut Value, at: &str, value: Value) {
    let (parent, key) = at.rsplit_once('/').unwrap();
    pcs.pointer_mut(parent).unwrap()[key] = value;
}

fn uids(ns: &Namespace<'_>) -> BTreeSet<String> {
    let claims = claims(ns).unwrap();
    let uids = claims.iter().map(|claim| &claim["metadata"]["uid"]);
    uids.map(Value::to_string).collect()
}

#[test]
fn what_the_pods_of_a_running_set_share_cannot_be_changed() {
    let site = site::guarded();
    let ns = Namespace::on(&site.control_plane, &site.operator, "guarded-shared");
    install_devices(&ns, CLASS);
    ns.apply(&shared());
    let names = ["svc-0-instance-0-pool", "svc-0-router-0-own", "svc-all-net"];
    ns.until("it runs with its claims", |seen| {
        is_ready(seen, 2)?;
        expect_claims(&ns, &names)
    });
    let before = uids(&ns);

    for (at, path, name, scope) in ENTRIES {
        let mut edited = shared();
        let changed = entry(name, other(scope));
        put(&mut edited, at, changed.clone());
        let said = refusal(&ns, &edited);
        let stored = entry(name, scope);
        // kubectl lists errors with bullets only if there are several.
        let line = format!(
            "{path}: {changed}: is immutable: cannot be changed; restore {stored}, or create another \
             PodCliqueSet"
        );
        assert!(said.contains(&line), "{line}\n{said}");
    }
    assert_eq!(uids(&ns), before);
}
