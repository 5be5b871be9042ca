//! I61: a ComputeDomain keeps its finalizer while a pod names its template, and pods come after both.

use super::*;

const NAME: &str = "demo-0-rack";

fn domain() -> Id {
    Id::new(Resource::ComputeDomain, NAME)
}

/// The domain of the set's replica.
fn add_domain(store: &mut Store) {
    let mut metadata = meta(NAME);
    metadata["finalizers"] = json!(["grove.io/computedomain-finalizer"]);
    create(
        store,
        OPERATOR,
        Resource::ComputeDomain,
        json!({ "metadata": metadata }),
    );
}

fn add_template(store: &mut Store) {
    let uid = store.get(&domain()).unwrap()["metadata"]["uid"].clone();
    let owner = json!({"kind": "ComputeDomain", "name": NAME, "uid": uid, "controller": true});
    let metadata = json!({"name": NAME, "ownerReferences": [owner]});
    let template = json!({ "metadata": metadata });
    create(store, "driver", Resource::ResourceClaimTemplate, template);
}

/// A pod of the PodClique that names the template.
fn add_user(store: &mut Store) {
    let uid = store
        .get(&Id::new(Resource::PodClique, "demo-0-a"))
        .unwrap()["metadata"]["uid"]
        .clone();
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
            "resourceClaims": [{"name": "mnnvl-claim", "resourceClaimTemplateName": NAME}],
        },
    });
    create(store, OPERATOR, Resource::Pod, pod);
}

/// The operator takes its finalizer off.
fn release(store: &mut Store) {
    store.edit(OPERATOR, &domain(), |domain| {
        domain["metadata"]["finalizers"] = json!([]);
    });
}

/// The verdict on the new records, of an operator that had seen everything before them.
fn judge(checker: &mut Checker, store: &Store, seen: usize) -> Option<&'static str> {
    let mut horizon = Horizon::default();
    for resource in [
        Resource::PodCliqueSet,
        Resource::PodClique,
        Resource::Pod,
        Resource::ComputeDomain,
        Resource::ResourceClaimTemplate,
    ] {
        horizon.set(resource, seen);
    }
    let verdict = checker.check(store, &horizon);
    verdict.err().map(|violation| violation.invariant)
}

#[test]
fn i61_a_pod_comes_after_its_domain_and_its_template() {
    let mut store = store();
    add_domain(&mut store);
    add_template(&mut store);
    add_user(&mut store);
    assert_eq!(broken(&store), None);
}

#[test]
fn i61_a_pod_is_made_before_the_template() {
    let mut store = store();
    add_domain(&mut store);
    add_user(&mut store);
    assert_eq!(broken(&store), Some("I61"));
}

#[test]
fn i61_a_pod_joins_a_domain_that_nothing_holds() {
    let (mut store, mut checker) = (store(), Checker::default());
    add_domain(&mut store);
    add_template(&mut store);
    release(&mut store);
    assert_eq!(judge(&mut checker, &store, 0), None);
    let seen = store.log.len();
    add_user(&mut store);
    assert_eq!(judge(&mut checker, &store, seen), Some("I61"));
}

#[test]
fn i61_a_domain_is_released_while_a_pod_names_its_template() {
    let (mut store, mut checker) = (store(), Checker::default());
    add_domain(&mut store);
    add_template(&mut store);
    add_user(&mut store);
    assert_eq!(judge(&mut checker, &store, 0), None);
    let seen = store.log.len();
    release(&mut store);
    assert_eq!(judge(&mut checker, &store, seen), Some("I61"));
}
