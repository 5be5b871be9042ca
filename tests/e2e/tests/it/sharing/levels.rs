//! Entries of all levels, scopes and filters, and the claims of each count (RS-1 of Grove's tests).

use serde_json::{Value, json};

use super::{CLASS, expect_claims, expect_named, install_devices, is_ready, template};
use crate::harness::manifest::{clique, set};
use crate::harness::{Namespace, Seen};

/// Templates in the set. That of `card` is an object.
const OWN: [&str; 9] = [
    "net", "each", "front", "back", "own", "bus", "pool", "head", "disk",
];

/// A standalone clique, and a group of another one.
fn all_kinds() -> Value {
    let mut front = clique("a", 1);
    front["resourceSharing"] = json!([
        {"name": "own", "scope": "PerReplica"},
        {"name": "card", "scope": "AllReplicas"},
    ]);
    let mut member = clique("b", 1);
    member["resourceSharing"] = json!([{"name": "disk", "scope": "AllReplicas"}]);
    let group = json!({
        "name": "g", "cliqueNames": ["b"], "replicas": 2, "minAvailable": 1,
        "resourceSharing": [
            {"name": "bus", "scope": "AllReplicas"},
            {"name": "pool", "scope": "PerReplica"},
            {"name": "head", "scope": "AllReplicas", "filter": {"childCliqueNames": ["b"]}},
        ],
    });
    let mut pcs = set("svc", &[front, member], &[group]);
    let template_spec = &mut pcs["spec"]["template"];
    template_spec["resourceClaimTemplates"] = json!(OWN.map(template));
    template_spec["resourceSharing"] = json!([
        {"name": "net", "scope": "AllReplicas"},
        {"name": "each", "scope": "PerReplica"},
        {"name": "front", "scope": "PerReplica", "filter": {"childCliqueNames": ["a"]}},
        {"name": "back", "scope": "AllReplicas", "filter": {"childScalingGroupNames": ["g"]}},
    ]);
    pcs
}

/// The template `card` of a user.
fn card() -> Value {
    json!({
        "apiVersion": "resource.k8s.io/v1",
        "kind": "ResourceClaimTemplate",
        "metadata": {"name": "card"},
        "spec": template("card")["templateSpec"],
    })
}

/// The claims of a set whose replicas have so many replicas of the group, and one pod of the clique.
fn claims_of(groups: &[usize]) -> Vec<String> {
    let mut claims = vec!["svc-all-net".to_owned(), "svc-all-back".to_owned()];
    for (i, group) in groups.iter().enumerate() {
        let of_replica = [
            "each",
            "front",
            "a-0-own",
            "a-all-card",
            "g-all-bus",
            "g-all-head",
        ];
        claims.extend(of_replica.map(|rest| format!("svc-{i}-{rest}")));
        for j in 0..*group {
            claims.extend(["pool", "b-all-disk"].map(|rest| format!("svc-{i}-g-{j}-{rest}")));
        }
    }
    claims
}

fn expect_all(ns: &Namespace<'_>, seen: &Seen, groups: &[usize]) -> Result<(), String> {
    is_ready(seen, groups.iter().map(|group| group + 1).sum())?;
    let claims = claims_of(groups);
    let claims: Vec<&str> = claims.iter().map(String::as_str).collect();
    expect_claims(ns, &claims)
}

/// The first replica, with its filters.
fn expect_filters(seen: &Seen) -> Result<(), String> {
    let front = [
        "svc-all-net",
        "svc-0-each",
        "svc-0-front",
        "svc-0-a-all-card",
        "svc-0-a-0-own",
    ];
    expect_named(seen, "svc-0-a", &front)?;
    let member = [
        "svc-all-net",
        "svc-all-back",
        "svc-0-each",
        "svc-0-g-all-bus",
        "svc-0-g-all-head",
        "svc-0-g-1-pool",
        "svc-0-g-1-b-all-disk",
    ];
    expect_named(seen, "svc-0-g-1-b", &member)
}

#[test]
fn claims_of_all_levels_follow_filters_and_counts() {
    let ns = Namespace::new("claims-levels");
    install_devices(&ns, CLASS);
    ns.apply(&card());
    ns.apply(&all_kinds());
    ns.until("its pods run with the claims of their filters", |seen| {
        expect_all(&ns, seen, &[2])?;
        expect_filters(seen)
    });
    let steps: [(&str, &str, &str, &[usize]); 4] = [
        ("pcsg", "svc-0-g", "--replicas=1", &[1]),
        ("pcsg", "svc-0-g", "--replicas=3", &[3]),
        ("pcs", "svc", "--replicas=2", &[3, 2]),
        ("pcs", "svc", "--replicas=1", &[3]),
    ];
    for (kind, name, replicas, groups) in steps {
        ns.kubectl(&["scale", kind, name, replicas]);
        ns.until("the claims follow", |seen| expect_all(&ns, seen, groups));
    }
    ns.kubectl(&["delete", "pcs", "svc", "--wait=false"]);
    ns.until_nothing_is_left();
    ns.until("no claim is left", |_| expect_claims(&ns, &[]));
}
