//! I57, I58: pods name claims that are theirs, and no claim goes under a pod.

use super::*;

fn add_claim(store: &mut Store, name: &str, owner: &str, uid: &str) {
    let owner = json!({"kind": owner, "name": "x", "uid": uid, "controller": true});
    let claim = json!({"metadata": {
        "name": name, "ownerReferences": [owner],
        "labels": {"app.kubernetes.io/part-of": "demo"},
    }});
    create(store, OPERATOR, Resource::ResourceClaim, claim);
}

fn uid_of(store: &Store, resource: Resource, name: &str) -> String {
    let object = store.get(&Id::new(resource, name)).unwrap();
    object["metadata"]["uid"].as_str().unwrap().to_owned()
}

/// A pod of the PodClique that names this claim.
fn add_user(store: &mut Store, claim: &str) {
    let uid = uid_of(store, Resource::PodClique, "demo-0-a");
    let owner = json!({"kind": "PodClique", "name": "demo-0-a", "uid": uid, "controller": true});
    let pod = json!({
        "metadata": {
            "name": "demo-0-a-x0", "ownerReferences": [owner],
            "labels": {
                "app.kubernetes.io/part-of": "demo", (api::labels::PCS_REPLICA_INDEX): "0",
            },
        },
        "spec": {
            "hostname": "demo-0-a-0",
            "schedulingGates": [{"name": api::labels::POD_GANG_GATE}],
            "resourceClaims": [{"name": claim, "resourceClaimName": claim}],
        },
    });
    create(store, OPERATOR, Resource::Pod, pod);
}

fn id(claim: &str) -> Id {
    Id::new(Resource::ResourceClaim, claim)
}

/// The verdict of an operator that had seen everything until then.
fn judged(store: &Store, seen: usize) -> Option<&'static str> {
    judge(&mut Checker::default(), store, seen)
}

/// The verdict on all that happened since the checker looked at it last.
fn judge(checker: &mut Checker, store: &Store, seen: usize) -> Option<&'static str> {
    let mut horizon = Horizon::default();
    for resource in [
        Resource::PodCliqueSet,
        Resource::PodClique,
        Resource::Pod,
        Resource::ResourceClaim,
    ] {
        horizon.set(resource, seen);
    }
    let verdict = checker.check(store, &horizon);
    verdict.err().map(|violation| violation.invariant)
}

#[test]
fn i57_a_pod_names_the_claim_of_its_set_or_podclique() {
    for (owner, name) in [("PodCliqueSet", "demo"), ("PodClique", "demo-0-a")] {
        let mut store = store();
        let uid = uid_of(&store, owner.parse().unwrap(), name);
        add_claim(&mut store, "c", owner, &uid);
        add_user(&mut store, "c");
        assert_eq!(broken(&store), None, "{owner}");
    }
}

#[test]
fn i57_a_pod_names_a_claim_that_is_missing_or_of_another_owner() {
    let mut missing = store();
    add_user(&mut missing, "c");
    assert_eq!(broken(&missing), Some("I57"));
    let mut other = store();
    add_claim(&mut other, "d", "PodCliqueSet", "uid-1");
    let foreign = json!({"metadata": {"name": "c", "ownerReferences": []}});
    create(&mut other, "user", Resource::ResourceClaim, foreign);
    add_user(&mut other, "c");
    assert_eq!(broken(&other), Some("I57"));
}

#[test]
fn i57_a_pod_names_a_claim_that_was_seen_to_go() {
    let mut store = store();
    let uid = uid_of(&store, Resource::PodCliqueSet, "demo");
    add_claim(&mut store, "c", "PodCliqueSet", &uid);
    store.edit("scheduler", &id("c"), |claim| {
        claim["metadata"]["finalizers"] = json!(["resource.kubernetes.io/delete-protection"]);
    });
    store.remove("user", &id("c"));
    let seen = store.log.len();
    add_user(&mut store, "c");
    assert_eq!(judged(&store, seen), Some("I57"));
    assert_eq!(
        broken(&store),
        None,
        "the operator had not seen the deletion"
    );
}

#[test]
fn i58_a_claim_goes_while_a_pod_names_it() {
    let mut store = store();
    let uid = uid_of(&store, Resource::PodCliqueSet, "demo");
    add_claim(&mut store, "c", "PodCliqueSet", &uid);
    add_claim(&mut store, "unused", "PodCliqueSet", &uid);
    add_user(&mut store, "c");
    let seen = store.log.len();
    let mut checker = Checker::default();
    assert_eq!(judge(&mut checker, &store, seen), None);
    store.remove(OPERATOR, &id("unused"));
    assert_eq!(judge(&mut checker, &store, seen), None);
    store.remove(OPERATOR, &id("c"));
    assert_eq!(judge(&mut checker, &store, seen), Some("I58"));
}
